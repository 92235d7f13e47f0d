"""Engines on the suite: a right one fails nothing, whatever its parameters; a wrong one where it is wrong."""

import json
import shutil
import sys
from xml.etree import ElementTree as ET

import pyoxigraph as ox
import pytest

from agreement.engines.adapters import BuiltInEngine, RunningAdapter, built_in
from agreement.engines.specifications import builtin
from agreement.proving.suite import Outcome, engine_answers, judged_suite, vectors, writing_of
from lars.durations import Duration
from tests.agreement.command import lars
from tests.agreement.proving.hunting.mutants import AlteredEngine, _each, _later, _once_a_time
from tests.agreement.proving.suite.certifying import oxigraph_is_right
from translate.model.query import Language

OXIGRAPH = f"{sys.executable} -m agreement.engines.adapters.oxigraph"
SERVED = f"{sys.executable} -m agreement.cli serve-engine rspql"


def judged(engine, tests, options=None):
    writing = writing_of(engine, tests, options or {}, None)
    return judged_suite("engine", writing, engine_answers([engine], tests, writing, options or {}), None)


SERVABLE = [n for n, one in enumerate(vectors()) if isinstance(one.start, int) or one.start == "aligned"]


@pytest.mark.parametrize("number", SERVABLE[::60])
def test_a_right_engine_under_any_vector_fails_nothing(number, tests):
    vector = vectors()[number]
    wanted = vector.specification(Language.RSPQL, Duration(10**6))
    start = None if vector.start == "aligned" else vector.start
    found = judged(BuiltInEngine(wanted), tests, {"t0": start})
    assert found.count(Outcome.FAILED) == found.count(Outcome.REFUSED) == 0


def test_the_reference_adapter_fails_nothing(tests):
    with RunningAdapter(OXIGRAPH) as engine:
        found = judged(engine, tests)
    failed = [one.test for one in found.results if one.outcome is Outcome.FAILED]
    assert failed == [one for one in tests if not oxigraph_is_right(one)]
    assert found.count(Outcome.PASSED) == len(tests) - len(failed)
    assert found.choice[0] == 0


def test_a_fault_fails_where_answers_are_wrong_and_nowhere_else(tests):
    right = built_in("rspql")
    writing = writing_of(right, tests, {}, None)
    good = engine_answers([right], tests, writing, {})
    for parts in ({"pushes": _once_a_time}, {"replies": _each(lambda reports: reports[1:])}):
        wrong = engine_answers([AlteredEngine(right, **parts)], tests, writing, {})
        found = judged_suite("wrong", writing, wrong, None)
        differ = {a.test.name for a, b in zip(good, wrong, strict=True) if a.reports != b.reports}
        failed = {one.test.name for one in found.results if one.outcome is Outcome.FAILED}
        assert failed
        assert failed <= differ


def test_a_report_one_time_point_late_is_right_of_other_windows(tests):
    """At whole times (0, 4] is [1, 5): what closes one later, open above, is no fault but another vector."""
    found = judged(AlteredEngine(BuiltInEngine(builtin("rspql")), replies=_each(_later)), tests)
    assert found.count(Outcome.FAILED) == 0
    assert [vectors()[found.choice[0]].values()[name] for name in ("bounds", "t0")] == ["high-open", "1"]


def test_the_files_of_a_run_are_well_formed(folder, tmp_path):
    out = tmp_path / "out"
    ran = lars("suite", "run", folder, "--adapter", SERVED, "--out", out, "--level", "core", "--jobs", "2")
    assert (ran.code, ran.err) == (0, "")
    assert ET.parse(out / "junit.xml").getroot().get("failures") == "0"
    store = ox.Store()
    store.load((out / "earl.ttl").read_bytes(), ox.RdfFormat.TURTLE, base_iri="http://e/")
    passed = ox.NamedNode("http://www.w3.org/ns/earl#passed")
    tests = json.loads((out / "suite.json").read_text())["engines"][0]["tests"]
    assert len(list(store.quads_for_pattern(None, None, passed))) == len(tests)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert '<tr><th scope="row">command</th><td>lars ' in page
    assert f"<td>{folder / 'core.ttl'}: " in page


def test_recorded_answers_are_judged_as_an_adapter_is(folder, tmp_path):
    case = {"id": "e/1", "engine": "e", "mode": "", "family": "", "query": "Q", "stream": [], "output": []}
    (tmp_path / "tumbling-01.json").write_text(json.dumps(case))
    ran = lars("suite", "run", folder, "--answers", tmp_path, "--engine", "rspql", "--t0", "0")
    assert ran.code in (0, 1)
    assert "refused" in ran.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("suite", "build", "x"), "accepted: make DIR, run DIR"),
        (("suite", "run", "{}"), "either --adapter COMMAND or --answers DIR"),
        (("suite", "make", "x", "--level", "core"), "--level: accepted with run"),
        (("suite", "run", "{}", "--adapter", "x", "--level", "y"), "--level y: accepted: core"),
        (("suite", "run", "{}/tests", "--adapter", "x"), "no such file"),
        (("suite", "run", "{}", "--adapter", "x", "--t0", "1"), "accepted with --engine"),
        (("suite", "run", "{}", "--adapter", "x", "--dialect", "y"), "--dialect y: accepted: csparql"),
    ],
)
def test_what_is_wrong_is_one_message(words, said, folder):
    ran = lars(*(word.format(folder) for word in words))
    assert ran.code == 2
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1


CIRCLE = """@prefix mf: <http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
<> mf:include _:a . _:a rdf:first <core.ttl> ; rdf:rest _:a ."""


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("manifest.ttl", lambda _: CIRCLE, "found a list without an end"),
        ("manifest.ttl", lambda text: f"{text}<x> broken", "accepted: a manifest in Turtle"),
        ("manifest.ttl", lambda text: text.replace("core.ttl", "other.ttl"), "no such file"),
        ("core.ttl", lambda text: text.replace("mf:name", "mf:nome"), "has no name"),
        ("tests/tumbling-01/stream.nq", lambda text: f"{text}x", "found no timed quad"),
        (
            "tests/tumbling-01/expected.rspql.json",
            lambda text: text.replace('s": "', 's": "x', 1),
            "numbers of",
        ),
    ],
)
def test_a_broken_suite_is_one_message(file, change, said, folder, tmp_path):
    shutil.copytree(folder, tmp_path / "suite")
    path = tmp_path / "suite" / file
    path.write_text(change(path.read_text()))
    ran = lars("suite", "run", tmp_path / "suite", "--adapter", "x")
    assert ran.code == 2
    assert said in ran.err


def test_an_engine_of_another_language_is_held_to_what_tests_say_of_that(tests):
    """Where most tests fail it is still judged, and not by a vector that is nowhere spoken of."""
    found = judged(built_in("csparql-0.9.7"), tests)
    assert found.writing.language is Language.CSPARQL
    assert found.count(Outcome.INADMISSIBLE) == 0
    assert min(found.count(Outcome.PASSED), found.count(Outcome.FAILED)) > 0
