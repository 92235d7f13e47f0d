"""Engines on the suite: a right one fails nothing, whatever its parameters; a wrong one where it is wrong."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from functools import partial
from threading import Event
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pyoxigraph as ox
import pytest
from rich.console import Console

from agreement.engines.adapters.built_in import BuiltInEngine, built_in
from agreement.engines.adapters.client import RunningAdapter
from agreement.engines.adapters.messages import (
    EngineReport,
    FailedEngineError,
    ProfileReply,
    PushReply,
    TimeIsUpError,
)
from agreement.engines.specifications import builtin
from agreement.proving.hunting import WRITINGS
from agreement.proving.suite import (
    LABELS,
    RunControl,
    declared_vectors,
    engine_answers,
    judged_suite,
    read_suite,
    running,
    vectors,
    write_suite,
    writing_of,
)
from agreement.proving.suite.running import SuiteAnswer, _term
from agreement.proving.suite.suite_tests import WRITTEN, ExpectedReports
from agreement.results.renderings.suite_report import as_json, as_text, earl, failure_parts, junit
from agreement.results.suites import suites
from lars.durations import Duration
from solver.deadlines import Deadline
from tests.agreement.command import lars
from tests.agreement.engines.adapters.streams import in_units
from tests.agreement.proving.hunting.mutants import AlteredEngine, _each, _later, _once_a_time
from tests.agreement.proving.suite.certifying import TRUE, oxigraph_is_right
from tests.agreement.proving.suite.replies import expected_key
from tests.packs import ROOT
from tests.sizes import few
from translate.model.query import Language

OXIGRAPH = f"{sys.executable} -m agreement.engines.adapters.oxigraph"
RSPQL = WRITINGS[0]
CONSTANT = EngineReport.model_validate({"t": 1, "rows": [{"s": "<http://e/s>"}]})
pytestmark = pytest.mark.usefixtures("warm_engines")
SERVED = f"{sys.executable} -m agreement.cli serve-engine rspql"


def judged(engine, tests, options=None):
    writing = writing_of(engine, tests, options or {}, None)
    return judged_suite("engine", writing, engine_answers([engine], tests, writing, options or {}), None)


SERVABLE = [n for n, one in enumerate(vectors()) if isinstance(one.start, int) or one.start == "aligned"]


@pytest.mark.parametrize("number", few(SERVABLE[::60], 6))
def test_a_right_engine_under_any_vector_fails_nothing(number, tests):
    vector = vectors()[number]
    wanted = vector.specification(Language.RSPQL, Duration(10**6))
    start = None if vector.start == "aligned" else vector.start
    found = judged(BuiltInEngine(wanted), tests, {"t0": start})
    assert found.count("failed") == found.count("refused") == 0


def test_the_reference_adapter_fails_nothing(tests):
    with RunningAdapter(OXIGRAPH) as engine:
        found = judged(engine, tests)
    failed = [one.test for one in found.results if one.outcome == "failed"]
    assert failed == [one for one in tests if not oxigraph_is_right(one)]
    assert found.count("passed") == len(tests) - len(failed)
    assert found.choice[0] == 0


def test_a_fault_fails_where_answers_are_wrong_and_nowhere_else(tests):
    right = built_in("rspql")
    writing = writing_of(right, tests, {}, None)
    good = engine_answers([right], tests, writing, {})
    for parts in ({"pushes": _once_a_time}, {"replies": _each(lambda reports: reports[1:])}):
        wrong = engine_answers([AlteredEngine(right, **parts)], tests, writing, {})
        found = judged_suite("wrong", writing, wrong, None)
        differ = {a.test.name for a, b in zip(good, wrong, strict=True) if a.reports != b.reports}
        failed = {one.test.name for one in found.results if one.outcome == "failed"}
        assert failed
        assert failed <= differ


def test_reports_that_wait_for_one_more_element_are_counted_and_fail_no_test(tests):
    delayed = AlteredEngine(
        built_in("rspql"), replies=lambda replies: [PushReply(reports=()), *replies][: len(replies)]
    )
    some = tests[::8]
    right, late = judged(built_in("rspql"), some), judged(delayed, some)
    assert not right.waiting
    assert "late replies" not in "\n".join(map(str, as_text([right])))
    assert late.count("passed") == right.count("passed")
    assert len(as_json(late)["late_replies"]) > len(some) / 2
    (line,) = [one for one in as_text([late]) if "late replies" in str(one)]
    told = re.search(
        r"in (\S+), the report of time (\d+) comes with the element at (\d+), not with .* (\d+)\)", line
    )
    test = next(one for one in some if one.name == told[1])
    times = sorted({one.t for one in test.stream})
    report, came, early = (int(told[n]) for n in (2, 3, 4))
    assert early == next(t for t in times if t > report) <= came


def test_reports_that_come_in_another_order_than_that_of_time_fail(tests):
    """The engine reverses the reports of a reply: the window that closed last is reported first."""
    reverse = AlteredEngine(built_in("rspql"), replies=_each(lambda reports: reports[::-1]))
    some = [one for one in tests if one.name.startswith(("late", "total", "istream-gap"))]
    right, wrong = judged(built_in("rspql"), some), judged(reverse, some)
    failed = [one for one in wrong.results if one.outcome == "failed"]
    assert right.count("failed") == 0
    assert {one.test.name for one in failed} == {"total-gap-01"}
    late = [one for one in wrong.results if one.test.feature == "late arrivals"]
    assert any(
        [*one.answer.reports] != sorted(one.answer.reports, key=lambda report: report[0]) for one in late
    )
    for one in failed:
        times = [t for t, _ in one.answer.reports]
        later, earlier = one.answer.backwards
        assert times.index(later) == times.index(earlier) - 1
        said = f"not in order of time: the report of {earlier:g} comes after the report of {later:g}"
        assert said in "\n".join(map(str, failure_parts(one, wrong)))
        assert sorted(times) == [t for t, _ in right.results[wrong.results.index(one)].answer.reports]


def test_few_right_answers_show_no_parameters(tests):
    """Each element counts as of the even time before it: t0 = 2 fits more answers than 0, and few in all."""
    rounding = AlteredEngine(
        built_in("rspql"), pushes=lambda pushes: [replace(one, t=one.t // 2 * 2) for one in pushes]
    )
    answers = engine_answers([rounding], tests, RSPQL, {})
    own = frozenset((number, "evaluation") for number in declared_vectors(builtin("rspql"), None, None))
    for claimed, source in ((None, "those of rspql"), (own, "declared")):
        found = judged_suite("e", RSPQL, answers, claimed)
        said = "\n".join(map(str, as_text([found])))
        passed = f"{found.count('passed')} of {len(tests)} tests pass"
        assert found.choice == (0, "evaluation")
        assert found.nearest[1] > found.count("passed") > 0
        assert f"parameters (in doubt, because only {passed}; {source})" in said
        assert "other parameters fit" not in said


def test_an_engine_that_loses_most_reports_is_judged_by_the_parameters_of_its_language(tests):
    """Reports at multiples of 3 look like periodic reports, but most tests of one window fail so too."""
    sparse = AlteredEngine(
        built_in("rspql"), replies=_each(lambda reports: [one for one in reports if one.t % 3 == 0])
    )
    one_window = [one for one in tests if one.level in ("core", "report", "operator", "static")]
    found = judged(sparse, one_window)
    assert found.usual
    assert found.nearest[1] > found.count("passed") + 0.08 * len(one_window)


def test_every_test_asks_something_by_the_usual_vector_and_most_by_each(tests):
    every = [one.expected(Language.RSPQL) for one in tests]
    silent = Counter(n for own in every for one in own if not one.reports for n in one.vectors)
    spoken = Counter(n for own in every for one in own for n in one.vectors)
    assert silent[0] == 0
    assert max(silent[n] / spoken[n] for n in spoken) < 2 / 5


VECTORS = [None, *SERVABLE[:: len(SERVABLE) // 6]]


@pytest.fixture(scope="module")
def unanswered(tests):
    """Tests without a report, each with the parameters that it fits, whatever an engine declares."""
    answers = map(SuiteAnswer, tests)
    return [replace(one, fits=running._fits(one, RSPQL.language)) for one in answers]


@pytest.mark.parametrize("number", VECTORS)
def test_an_engine_without_a_report_fails_by_each_vector(number, unanswered, tests):
    for label in LABELS:
        declared = None if number is None else frozenset({(number, label)})
        found = judged_suite("mute", RSPQL, unanswered, declared)
        assert found.mute
        assert found.failed
        assert found.count("passed") == 0
        assert found.count("failed") > len(tests) / 2
        assert "gave no report in the whole run" in "\n".join(map(str, as_text([found])))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"failure": "the adapter has ended"},
            "the adapter crashed or sent an invalid reply in 3 tests: tumbling-01, ",
        ),
        (
            {"failure": "no reply", "silent": True},
            "the adapter did not reply in time in 3 tests: tumbling-01, ",
        ),
        ({"time_unit": "1s"}, "lars sends times that count the time_unit 1s; use"),
        ({"reports": ((2000.0, ()),)}, "all times of reports are 1000 times too large"),
        ({"reports": ((0.002, ()),)}, "all times of reports are 1000 times too small"),
        ({"reports": ((2.0, ()),)}, None),
    ],
)
def test_the_headline_names_a_crash_or_another_unit(changed, said, tests):
    answers = [SuiteAnswer(one, **changed) for one in tests[:3]]
    text = "\n".join(map(str, as_text([judged_suite("toy", RSPQL, answers, None)])))
    assert said is None or said in text
    assert ("crashed" in text) + ("did not reply" in text) == ("failure" in changed)
    assert ("each test without a reply takes this time" in text) is ("silent" in changed)
    assert ("gave no report" in text) is ("time_unit" in changed)
    assert ("1000 times" in text) is (said is not None and "1000 times" in said)


@pytest.mark.parametrize(
    ("failures", "kind", "opened"),
    [(1, FailedEngineError, 2), (2, FailedEngineError, 3), (3, FailedEngineError, 3), (1, TimeIsUpError, 1)],
)
def test_an_engine_that_fails_at_one_query_is_tried_with_others(failures, kind, opened, tests):
    right, queries = built_in("rspql"), []

    def opens(registration):
        queries.append(registration.query)
        if len(queries) <= failures:
            raise kind("broken")
        return right.open(registration)

    found = partial(writing_of, SimpleNamespace(open=opens), tests, {}, None)
    if opened > failures:
        assert found().dialect == "rspql"
    else:
        with pytest.raises(kind):
            found()
    assert len(queries) == opened


def test_the_first_test_without_a_reply_has_a_hint_at_once(tests):
    """With 63 tests and the default of 30 s, a hint after the last test would come after half an hour."""
    notes = []

    def silent(*_):
        raise FailedEngineError("the adapter has not replied for 30 s", silent=True)

    profile = ProfileReply(engine="toy")
    session = SimpleNamespace(profile=profile, push=silent, close=silent)
    engine = SimpleNamespace(open=lambda _: session)
    answers = engine_answers([engine], tests[:3], RSPQL, {}, RunControl(note=notes.append))
    (note,) = notes
    assert note.startswith(f"{answers[0].test.name}: the adapter has not replied for 30 s; each test without")
    assert [answer.silent for answer in answers] == [True] * 3


def test_a_mute_engine_has_failed_for_ci_too(tests):
    few = [replace(one, expected={Language.RSPQL: _silent(one)}.__getitem__) for one in tests[:3]]
    found = judged_suite("mute", RSPQL, [SuiteAnswer(one) for one in few], None)
    written = ET.fromstring(junit(found))
    assert (found.mute, found.count("failed")) == (True, 0)
    assert (written.get("failures"), len(written.findall("*/failure"))) == ("1", 1)


def test_rows_are_read_where_as_many_came_as_are_due_and_nowhere_else(tests, monkeypatch):
    right = built_in("rspql")
    writing = writing_of(right, tests, {}, None)
    good = engine_answers([right], tests[:20], writing, {})
    many = [replace(one, reports=tuple((t, rows * 9) for t, rows in one.reports), fits=None) for one in good]
    monkeypatch.setattr(running, "_row_shape", pytest.fail)
    found = judged_suite("wrong", writing, many, None)
    assert found.count("failed") == sum(any(rows for _, rows in one.reports) for one in good) > 9


def test_the_file_for_ci_is_xml_whatever_an_engine_is_called(tests):
    found = judged_suite("a\x01\uffff\ufffe<b", RSPQL, [SuiteAnswer(one) for one in tests[:1]], None)
    assert ET.fromstring(junit(found)).get("name") == "a<b"


REPLIES = {
    "constant": _each(lambda _: [CONSTANT]),
    "short": _each(lambda reports: [one.model_copy(update={"rows": one.rows[1:]}) for one in reports]),
    "late": _each(lambda reports: [one.model_copy(update={"t": one.t + 0.5}) for one in reports]),
    "twice": _each(lambda reports: [one for one in reports for _ in (0, 1)]),
    "half": _each(lambda reports: reports[::2]),
}


@pytest.mark.parametrize("number", few(VECTORS[1::2], 2))
def test_by_each_vector_a_wrong_engine_fails_where_it_differs(number, tests):
    vector = vectors()[number]
    right = BuiltInEngine(vector.specification(Language.RSPQL, Duration(10**6)))
    options = {"t0": None if vector.start == "aligned" else vector.start}
    writing = writing_of(right, tests, options, None)
    told = engine_answers([right], tests, writing, options)
    for change in REPLIES.values():
        answers = engine_answers([AlteredEngine(right, replies=change)], tests, writing, options)
        found = judged_suite("wrong", writing, answers, frozenset({(number, "evaluation")}))
        for one, other, result in zip(told, answers, found.results, strict=True):
            differs = one.key("evaluation") != other.key("evaluation")
            assert (result.outcome == "failed") == differs or not _spoken(result)


def _spoken(result):
    """Whether a test has an answer by the vector, and one alone."""
    return result.outcome != "inadmissible" and not result.test.name.startswith(("ask", "late"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, None),
        ({"bounds": ("closed",)}, "bounds closed instead of low-open"),
        ({"empty": "reported"}, "empty reported instead of silent"),
    ],
)
def test_parameters_that_differ_from_those_of_the_language_are_said(change, said, tests):
    engine = BuiltInEngine(builtin("rspql").model_copy(update=change))
    found = judged(engine, tests)
    text = "\n".join(line for line in as_text([found]) if isinstance(line, str))
    assert ("different from RSP-QL's own parameters" in text) == (said is not None)
    assert said is None or f"different from RSP-QL's own parameters: {said}\n" in f"{text}\n"
    # Found parameters hide this fault from the number of passed tests.
    passed = re.search(r"by RSP-QL's own parameters: (\d+) tests? passed \(--engine rspql\)", text)
    assert (passed is not None) == (said is not None)
    if passed is not None:
        by_its_own = frozenset((n, "evaluation") for n in declared_vectors(builtin("rspql"), None, None))
        answers = [one.answer for one in found.results]
        assert int(passed[1]) == judged_suite("engine", RSPQL, answers, by_its_own).count("passed")
        assert int(passed[1]) < found.count("passed")


def test_a_report_at_the_next_arrival_differs_and_its_parameters_reproduce_it(tests):
    """A specification cannot say when an engine reports: without --label, its file would fail most tests."""
    own = next(iter(declared_vectors(builtin("rspql"), 0, "low-open")))
    place = partial(running._place, "arrival", after=True)
    answers = [
        replace(one, reports=tuple((told(t), rows) for t, rows in one.reports), fits=None)
        for one in engine_answers([built_in("rspql")], tests, RSPQL, {})
        for told in [running._told_at(place(), one.test)]
    ]
    found = judged_suite("late", RSPQL, answers, None)
    text = "\n".join(line for line in as_text([found]) if isinstance(line, str))
    assert (found.count("failed"), found.choice) == (0, (own, "arrival"))
    said = "RSP-QL's own parameters: reported at the next arrival instead of at the time of the evaluation\n"
    assert said in text
    assert "add --engine mine.toml --label arrival:" in text
    failed = [judged_suite("late", RSPQL, answers, frozenset({(own, one)})).count("failed") for one in LABELS]
    assert (failed[LABELS.index("arrival")], failed[0] > 0) == (0, True)


def test_only_what_the_answers_show_is_said_to_differ(tests):
    found = judged(built_in("rspql"), tests)
    wrong = next(n for n, one in enumerate(vectors()) if one.bounds == "closed" and one.start == "0/1")
    told = replace(found, choice=(wrong, "evaluation"))
    text = "\n".join(line for line in as_text([told]) if isinstance(line, str))
    assert "own parameters" not in text
    assert "not shown by the answers, which also fit RSP-QL's own: bounds" in text
    assert "t0 0/1: the first window of a query begins at 0, the second at 1, in turns" in text
    late = replace(found, choice=(found.choice[0], "arrival"))
    assert "at the time of the evaluation" not in "\n".join(map(str, as_text([late])))


def test_the_help_names_the_bounds_that_no_test_knows():
    assert "open has no tests" in " ".join(lars("suite", "run", "--help").out.split())


def test_parameters_that_a_wrong_answer_fits_do_not_read_as_advice(tests):
    declared = frozenset((n, "evaluation") for n in declared_vectors(builtin("rspql"), 0, "low-open"))
    engine = BuiltInEngine(builtin("rspql").model_copy(update={"bounds": ("closed",)}))
    found = judged_suite("engine", RSPQL, engine_answers([engine], tests[:20], RSPQL, {}), declared)
    text = "\n".join(line for line in as_text([found]) if isinstance(line, str))
    assert "these answers fit bounds closed, and are judged by bounds low-open" in text
    assert "would be right" not in text + junit(found)


def test_an_engine_whose_windows_are_open_at_both_ends_hears_that_no_test_knows_them(tests):
    found = judged(BuiltInEngine(builtin("rspql").model_copy(update={"bounds": ("open",)})), tests)
    text = "\n".join(line for line in as_text([found]) if isinstance(line, str))
    assert found.count("failed") > 0
    assert "not tried: bounds open, because the suite has no tests for windows that are open at both" in text
    assert "not tried" not in "\n".join(map(str, as_text([judged(built_in("rspql"), tests)])))


def test_a_failed_test_is_no_diagnosis(tests):
    engine = AlteredEngine(built_in("rspql"), replies=_each(lambda reports: reports[1:]))
    found = judged(engine, tests)
    text = "\n".join(line for line in as_text([found]) if isinstance(line, str))
    assert ": difference that the test shows (for RSP-QL's own parameters, or the parameters named " in text
    assert "no diagnosis of this engine" in junit(found)


def rows_shown(result, of):
    (*_, table) = failure_parts(result, of)
    return list(zip(*(column._cells for column in table.columns), strict=True))


def test_right_reports_have_the_times_that_the_engine_gives_to_reports(tests):
    """RSP-JS reports with the next arrival: the table called its right report of time 61 a wrong one."""
    (test,) = (one for one in tests if one.name == "tumbling-01")
    row = {"s": "<http://e/s>", "a": f'"1"^^<{ox.Literal(1).datatype.value}>'}
    as_rsp_js = declared_vectors(
        builtin("rspql"),
        "aligned",
        "high-open",
    )
    answer = SuiteAnswer(test, reports=((61.0, (row,)), (77.0, (row,))))
    found = judged_suite("rsp-js", RSPQL, [answer], frozenset((n, "later") for n in as_rsp_js))
    assert rows_shown(found.results[0], found) == [
        ("61", "evaluated at 4: (a 1, s s)", "(a 1, s s)"),
        ("70", "evaluated at 64: (a 2, s s)", "no report"),
        ("77", "evaluated at 76: (a 1, s s)", "(a 1, s s)"),
    ]
    assert "right:\n61: evaluated at 4: (a 1, s s)\n70: " in junit(found)


def test_what_is_not_compared_is_not_called_right(tests):
    """A report that is due with the last element may lack: beside it stood *no report*."""
    answers = [SuiteAnswer(one) for one in tests]
    own = frozenset((n, "later") for n in declared_vectors(builtin("rspql"), "own-aligned", "high-open"))
    found = judged_suite("engine", RSPQL, answers, own)
    unseen = [one for one in found.results if one.unseen]
    assert unseen
    for result in unseen:
        last = max(push.t for push in result.test.stream)
        assert all(float(t) < last for t, *_ in rows_shown(result, found))


def test_rows_of_one_time_are_shown_as_they_are_compared(tests):
    """RSP-JS reports each row alone, which is right: rows of one time are compared together."""
    (test,) = (one for one in tests if one.name == "tumbling-01")
    rows = [{"s": f"<http://e/{name}>"} for name in "ba"]
    answer = SuiteAnswer(test, reports=tuple((4.0, (row,)) for row in rows))
    found = judged_suite("rsp-js", RSPQL, [answer], None)
    assert [came for t, _, came in rows_shown(found.results[0], found) if t == "4"] == ["(s a), (s b)"]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (
            {"errors": ("Query result type 'bindings' was expected, while 'boolean' was found.",)},
            "the engine sent an error after the element of time 61: Query result type 'bindings' was",
        ),
        ({"refused": "the thread\nended"}, "the engine rejected the element of time 61: the thread\\nended"),
        ({}, None),
    ],
)
def test_an_error_that_the_engine_sent_is_the_reason_of_a_failed_test(reply, said, tests):
    """RSP-JS sends an error for ASK and CONSTRUCT: only *no parameters explain what came* was said."""
    (test,) = (one for one in tests if one.name == "tumbling-01")

    def replies(of):
        return [PushReply(reports=(), **(reply if n else {})) for n in range(len(of))]

    engine = AlteredEngine(built_in("rspql"), replies=replies)
    (answer,) = engine_answers([engine], [test], RSPQL, {})
    found = judged_suite("rsp-js", RSPQL, [answer], None)
    (why,) = (one["why"] for one in as_json(found)["tests"])
    assert "the engine" not in why if said is None else f"; {said}" in why
    assert said is None or said.split(":")[0] in junit(found)


def test_what_is_not_asked_is_said_in_each_form(tests):
    few = [replace(one, expected={Language.RSPQL: _silent(one)}.__getitem__) for one in tests[:3]]
    answers = [*map(SuiteAnswer, few), *engine_answers([built_in("rspql")], tests[3:], RSPQL, {})]
    found = judged_suite("engine", RSPQL, answers, None)
    assert [one.outcome for one in found.results[:3]] == ["not asked"] * 3
    assert (found.count("failed"), found.failed) == (0, False)
    assert "3 not asked of" in next(iter(as_text([found])))
    assert as_json(found)["counts"]["not asked"] == 3
    assert earl(found).count("earl:untested") == 3
    # Beside the tests, the found parameters are a case.
    assert ET.fromstring(junit(found)).get("skipped") == "4"


def _silent(test):
    (*_, last) = test.expected(Language.RSPQL)
    return (replace(last, reports=(), vectors=tuple(range(len(vectors())))),)


DECIMAL = "http://www.w3.org/2001/XMLSchema#decimal"


def number(text):
    return _term(f'"{text}"^^<{DECIMAL}>', False)


@pytest.mark.parametrize(
    ("one", "other"), [("9007199254740993", "9007199254740992"), ("1", f"1.{'0' * 30}1"), ("0.1", "0.10")]
)
def test_numbers_are_one_if_their_values_are(one, other):
    assert (number(one) == number(other)) == (Decimal(one) == Decimal(other))


@pytest.mark.parametrize(
    ("text", "right"), [("1.3333333333333333", True), ("1.3333", False), ("1.33", False)]
)
def test_a_quotient_without_an_end_is_known_by_its_first_digits(text, right, tests):
    quotient = f'"1.{"3" * 27}"^^<{DECIMAL}>'
    reports = (ExpectedReports(("n",), ((1, ((quotient,),)),), (0,)),)
    test = replace(tests[0], expected=lambda _: reports)
    came = SuiteAnswer(test, ((1.0, ({"n": f'"{text}"^^<{DECIMAL}>'},)),))
    assert (came.key("evaluation") == expected_key(reports[0], came)) == right


def test_terms_that_look_alike_are_told_apart_wherever_rows_are_shown(tests):
    reports = (ExpectedReports(("b",), ((1, ((TRUE,), ("<http://e/x>",))),), (0,)),)
    test = replace(tests[0], texts={RSPQL.language: ""}, expected=lambda _: reports)
    answer = SuiteAnswer(test, ((1.0, ({"b": '"true"'}, {"b": "<http://e/x>"})),))
    found = judged_suite("text", RSPQL, [answer], frozenset({(0, "evaluation")}))
    console = Console(file=io.StringIO(), width=200)
    console.print(*as_text([found]), markup=False)
    for said in (console.file.getvalue(), junit(found).replace("&quot;", '"')):
        assert '(b "true"^^xsd:boolean), (b x)' in said
        assert '(b "true"), (b x)' in said


@pytest.mark.parametrize("one", ['"1"', '"1.0"^^<http://www.w3.org/2001/XMLSchema#decimal>'])
def test_a_truth_is_no_number(one):
    number = one if "^^" in one else f"{one}^^<http://www.w3.org/2001/XMLSchema#integer>"
    assert _term(TRUE, False) != _term(number, False)
    assert _term(TRUE, False) == _term(TRUE.replace("true", "1"), False)


def test_a_report_one_time_point_late_is_right_of_other_windows(tests):
    """At whole times (0, 4] is [1, 5): what closes one later, open above, is no fault but another vector."""
    found = judged(AlteredEngine(BuiltInEngine(builtin("rspql")), replies=_each(_later)), tests)
    assert found.count("failed") == 0
    assert [vectors()[found.choice[0]].values()[name] for name in ("bounds", "t0")] == ["high-open", "1"]


def test_the_files_of_a_run_are_well_formed(folder, tmp_path):
    out = tmp_path / "out"
    ran = lars(
        "suite", "run", folder, "--adapter", SERVED, "--out", out, "--level", "core", "--jobs", "2", "-q"
    )
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


def test_known_failures_are_those_of_an_engine_with_the_same_parameters(folder, tmp_path):
    """An engine whose window end is mended, or broken, passes as many tests by the parameters that fit it."""
    (tmp_path / "closed.toml").write_text(
        'name = "closed"\nreport = ["window-close", "non-empty"]\nbounds = "closed"\nempty = "silent"\n'
    )
    known = tmp_path / "known.txt"
    known.write_text("# none\n")
    asked = ("suite", "run", folder, "--level", "core", "--jobs", "2", "--known", known, "--adapter")
    closed = lars(*asked, SERVED.replace(" rspql", f" {tmp_path / 'closed.toml'}"))
    (line,) = re.findall(r'add the line "(parameters: .*, bounds closed, .*)" to ', closed.err)
    assert closed.code == 0
    known.write_text(f"{line}\n")
    again = lars(*asked, SERVED.replace(" rspql", f" {tmp_path / 'closed.toml'}"))
    assert (again.code, "parameters: " in again.err) == (0, False)
    mended = lars(*asked, SERVED)
    assert (mended.code, f"{known}: does not list 1 failure:\n  parameters: " in mended.err) == (1, True)
    declared = lars(*asked, SERVED, "--engine", "rspql", "--t0", "0", "--bounds", "low-open")
    assert (declared.code, "parameters: " in declared.err) == (0, False)


def test_recorded_answers_are_judged_as_an_adapter_is(folder, tmp_path):
    case = {"id": "e/1", "engine": "e", "mode": "", "family": "", "query": "Q", "stream": [], "output": []}
    (tmp_path / "tumbling-01.json").write_text(json.dumps(case))
    ran = lars("suite", "run", folder, "--answers", tmp_path, "--engine", "rspql", "--t0", "0")
    assert ran.code in (0, 1)
    assert "refused" in ran.out
    known, asked = tmp_path.parent / "known.txt", ("--engine", "rspql", "--t0", "0", "--known")
    known.write_text("tumbling-01\nreports\nrefused: tumbling-*\n")
    ran = lars("suite", "run", folder, "--answers", tmp_path, *asked, known)
    assert ran.code == 1
    assert re.search(r"known.txt: does not list \d+ failures:\n  refused: (?!tumbling)", ran.err)
    known.write_text("tumbling-01\nreports\nrefused: *\n")
    ran = lars("suite", "run", folder, "--answers", tmp_path, *asked, known)
    assert (ran.code, "refused, all of them known" in ran.err) == (0, True)


@pytest.mark.parametrize("words", [("--answers", "."), ("--adapter", OXIGRAPH)], ids=lambda words: words[0])
def test_a_suite_without_a_test_in_a_language_is_named(made_once, tmp_path, words):
    write_suite(tmp_path / "suite", [test for test in made_once if len(test.texts) == 1][:2])
    ran = lars("suite", "run", tmp_path / "suite", *words, "--dialect", "csparql")
    said = "--dialect csparql: no test of {} has a query in this language; use rspql\n"
    assert (ran.code, ran.err) == (2, f"lars: {said.format(tmp_path / 'suite')}")


def test_a_stream_with_late_times_is_read_as_it_was_written(made_once, tmp_path):
    pushes = tuple(replace(push, t=push.t + 1234567) for push in made_once[0].stream)
    write_suite(tmp_path / "suite", [replace(made_once[0], stream=pushes)])
    (test,) = read_suite(tmp_path / "suite")
    assert test.stream == pushes


def test_an_engine_that_a_run_does_not_reach_has_no_language_of_another_engine(tests, monkeypatch):
    both = iter([WRITTEN[Language.CSPARQL]])
    monkeypatch.setattr(suites, "writing_of", lambda *_: next(both, None) or _time_is_up())
    few = [test for test in tests if Language.CSPARQL in test.texts][:1]
    request = suites.SuiteRequest(
        inputs=(), adapter=OXIGRAPH, compare=(OXIGRAPH,), how=suites.AdapterOptions()
    )
    control = RunControl(lambda *_: None, Event(), Deadline.after(None))
    _, second = suites._ran(few, request, None, control)
    assert second.writing.language == Language.RSPQL


def _time_is_up():
    raise TimeIsUpError


SLOW = """import sys, time
from agreement.engines.adapters import oxigraph
asked = oxigraph.register
def register(message):
    with open(sys.argv[1], "a") as file:
        file.write("asked\\n")
    time.sleep(0.5)
    return asked(message)
oxigraph.register = register
oxigraph.main()"""


def await_lines(path, number):
    until = time.monotonic() + 60
    while time.monotonic() < until and (not path.exists() or path.read_text().count("\n") < number):
        time.sleep(0.05)


def test_an_engine_whose_time_unit_is_longer_than_a_time_point_is_run_in_whole_units(folder, tmp_path):
    adapter = in_units(tmp_path / "engine.py", SERVED, "10ms", 10)
    ran = lars("suite", "run", folder, "--level", "core", "--adapter", adapter, "-q", "--json")
    counts = json.loads(ran.out)["engines"][0]["counts"]
    assert (ran.code, counts["failed"], counts["passed"] > 0) == (0, 0, True)


DIES = """import json, sys
for line in sys.stdin:
    op = json.loads(line)["op"]
    if op == sys.argv[1]:
        sys.exit("lost " + op)
    print(json.dumps({"ok": True, "engine": "mortal-1"} if op == "open" else {"reports": []}), flush=True)"""


@pytest.mark.parametrize(("op", "code"), [("open", 3), ("push", 1), ("close", 1)])
def test_an_engine_that_dies_fails_each_test_with_the_message_at_which_it_dies(op, code, folder, tmp_path):
    (tmp_path / "dies.py").write_text(DIES)
    adapter = f"{sys.executable} -S {tmp_path / 'dies.py'} {op}"
    ran = lars("suite", "run", folder, "--level", "core", "--adapter", adapter, "-q")
    died = f"has ended with exit code 1 after the message {op}; its last line on standard error: lost {op}"
    assert (ran.code, died in (ran.err if code == 3 else ran.out)) == (code, True)
    assert re.match(r"mortal-1: (\d+) failed of \1 tests", ran.out) or code == 3


def test_a_test_without_an_answer_is_not_wrong_under_all_parameters(tests):
    answers = engine_answers([built_in("rspql")], tests, RSPQL, {})
    dead = SuiteAnswer(answers[0].test, failure="the adapter has ended")
    found = judged_suite("engine", RSPQL, [dead, *answers[1:]], None)
    text = "\n".join(line for line in as_text([found]) if isinstance(line, str))
    assert (found.count("failed"), found.misfits, bool(found.fitting)) == (1, (), True)
    assert "under all parameters" not in text
    assert f"{dead.test.name}: the run failed: the adapter has ended" in text


HANGS = """import json, sys, time
where, file = sys.argv[1:]
if where == "start":
    open(file, "w").write("asked\\n")
    time.sleep(600)
for line in sys.stdin:
    op = json.loads(line)["op"]
    if op == where:
        open(file, "w").write("asked\\n")
        time.sleep(600)
    print(json.dumps({"ok": True, "engine": "x"} if op == "open" else {"reports": []}), flush=True)
time.sleep(600)"""


@pytest.mark.parametrize("where", ["start", "open", "push", "close", "end"])
def test_the_time_limit_is_kept_wherever_an_engine_hangs(where, folder, tmp_path):
    (tmp_path / "hangs.py").write_text(HANGS)
    adapter = f"{sys.executable} {tmp_path / 'hangs.py'} {where} {tmp_path / 'asked'}"
    words = ("suite", "run", folder, "--adapter", adapter, "--out", tmp_path / "out", "--time-limit", "2s")
    began = time.monotonic()
    ran = lars(*words, "-q")
    assert time.monotonic() - began < 20  # the machine may be slow; an adapter is awaited for 30 s
    found = json.loads((tmp_path / "out" / "suite.json").read_text())["engines"][0]
    if where == "end":  # it has answered all
        return
    assert (ran.code, found["incomplete"], found["counts"]["not run"]) == (3, True, len(found["tests"]))
    number = len(found["tests"])
    assert ran.err.strip() == f"lars: the run ended early: {number} of {number} tests were not run"


@pytest.mark.parametrize("where", few(["open", "start", "push"], 1))
def test_a_run_that_a_signal_ends_before_its_first_test_says_so(where, folder, tmp_path):
    (tmp_path / "hangs.py").write_text(HANGS)
    adapter = f"{sys.executable} {tmp_path / 'hangs.py'} {where} {tmp_path / 'asked'}"
    words = ["suite", "run", folder, "--adapter", adapter, "--out", tmp_path / "out", "-q"]
    command = [sys.executable, "-m", "agreement.cli", *words]
    run = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=-1, stderr=-1)
    await_lines(tmp_path / "asked", 1)
    run.send_signal(signal.SIGTERM)
    out, err = run.communicate(timeout=20)
    assert (run.returncode, err.count(b"the run ended early"), err.count(b"\n")) == (3, 1, 1)
    assert b"incomplete: the run ended before all tests were run" in out
    assert json.loads((tmp_path / "out" / "suite.json").read_text())["engines"][0]["incomplete"]


def test_an_ended_run_without_an_answer_names_no_parameters(folder, tmp_path):
    (tmp_path / "hangs.py").write_text(HANGS)
    adapter = f"{sys.executable} {tmp_path / 'hangs.py'} push {tmp_path / 'asked'}"
    words = ("suite", "run", folder, "--adapter", adapter, "--out", tmp_path / "out", "-q")
    ran = lars(*words, "--silence", "0.1", "--time-limit", "4s")
    found = json.loads((tmp_path / "out" / "suite.json").read_text())["engines"][0]
    assert (ran.code, found["counts"]["failed"] > 0, found["counts"]["passed"]) == (3, True, 0)
    assert ("parameters (" in ran.out, "fit every answer" in ran.out) == (False, False)


def test_a_limited_run_reads_no_expected_report_of_a_test_that_it_does_not_run(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "suite")
    *_, last = sorted((tmp_path / "suite" / "tests").iterdir())
    for path in last.glob("expected.*"):
        path.write_text("broken")
    (tmp_path / "hangs.py").write_text(HANGS)
    adapter = f"{sys.executable} {tmp_path / 'hangs.py'} push {tmp_path / 'asked'}"
    words = ("suite", "run", tmp_path / "suite", "--adapter", adapter, "-q")
    assert lars(*words).code == 2
    assert lars(*words, "--time-limit", "1s").code == 3


@pytest.mark.parametrize("number", [signal.SIGTERM, None])
def test_a_run_that_is_ended_keeps_the_answers_that_it_has(number, folder, tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    adapter = f"{sys.executable} {tmp_path / 'slow.py'} {tmp_path / 'asked'}"
    limit = ["--time-limit", "4s"] if number is None else []
    words = ["suite", "run", folder, "--adapter", adapter, "--out", tmp_path / "out", "-q", *limit]
    command = [sys.executable, "-m", "agreement.cli", *words]
    run = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=-1, stderr=-1)
    if number is not None:
        await_lines(tmp_path / "asked", 5)
        run.send_signal(number)
    out, err = run.communicate(timeout=200)
    said = b"incomplete: the run ended before all tests were run"
    assert (run.returncode, b"the run ended early" in err, said in out) == (3, True, True)
    found = json.loads((tmp_path / "out" / "suite.json").read_text())["engines"][0]
    counts = found["counts"]
    assert (found["incomplete"], found["mute"], counts["failed"]) == (True, False, 0)
    assert counts["passed"] + counts["not run"] == len(found["tests"])
    assert counts["not run"] > 0
    assert counts["passed"] > 0 or number is None
    assert 'message="not run"' in (tmp_path / "out" / "junit.xml").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("suite", "build", "x"), "expected make DIR, run DIR"),
        (("suite", "run", "{}"), "either --adapter COMMAND or --answers DIR"),
        (("suite", "make", "x", "--level", "y"), "--level y: expected core"),
        (("suite", "make", "x", "--dialect", "rspql"), "--dialect requires run DIR"),
        (("suite", "run", "x", "--messages"), "--messages requires make DIR"),
        (("suite", "run", "{}", "--adapter", "x", "--level", "y"), "--level y: expected core"),
        (("suite", "run", "{}/tests", "--adapter", "x"), "no such file"),
        (("suite", "run", "{}", "--adapter", "x", "--t0", "1"), "require --engine SPEC"),
        (
            ("suite", "run", "{}", "--adapter", "x", "--engine", "rspql", "--bounds", "open"),
            "use closed, low",
        ),
        (("suite", "run", "{}", "--adapter", "x", "--dialect", "y"), "--dialect y: expected rspql, csparql"),
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
        ("manifest.ttl", lambda text: f"{text}<x> broken", "expected a manifest in Turtle"),
        ("manifest.ttl", lambda text: text.replace("core.ttl", "other.ttl"), "no such file"),
        ("core.ttl", lambda text: text.replace("mf:name", "mf:nome"), "has no name"),
        ("tests/tumbling-01/stream.nq", lambda text: f"{text}x", "found no quad with a time"),
        (
            "tests/tumbling-01/expected.rspql.json",
            lambda text: text.replace('s": "', 's": "x', 1),
            "numbers of",
        ),
        *(
            (
                "tests/tumbling-01/expected.rspql.json",
                lambda text, wrong=wrong: re.sub(
                    '"vectors": "[^"]*"', f'"vectors": "{wrong}"', text, count=1
                ),
                f"found {wrong}; expected numbers of vectors in order",
            )
            for wrong in ("0-99999999999", "0-3,2", "0,0", "-1")
        ),
        *(
            (
                "core.ttl",
                lambda text, there=there: re.sub(
                    "suite:rspql <[^>]*>", f"suite:rspql <{there}>", text, count=1
                ),
                "expected files in the suite's folder",
            )
            for there in (
                "urn:x-lars:folder//etc/hostname",
                "urn:x-lars:folder/a/../../x",
                "file:///etc/hostname",
            )
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
    assert found.count("inadmissible") == 0
    assert min(found.count("passed"), found.count("failed")) > 0
