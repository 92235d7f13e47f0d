"""What the suite says that has to be reported, certified twice; seeded faults in it are found."""

from dataclasses import replace
from random import Random

import pytest
import rdflib

from agreement.documents.recordings import ANSWER, Push, static_of
from agreement.engines import specifications
from agreement.proving.suite import LEVELS, read_suite, suite_tests, write_suite
from agreement.proving.suite.catalogue import catalogue
from agreement.proving.suite.expecting import VectorReports
from agreement.proving.suite.suite_tests import chosen_streams
from agreement.proving.suite.vectors import vectors
from lars.errors import LarsError
from tests.agreement.command import lars
from tests.agreement.proving.suite import faults
from tests.agreement.proving.suite.certifying import (
    WindowByWindow,
    bag,
    by_clingo,
    by_vector,
    expected,
    faulty,
    firsts,
    in_order,
    in_time,
    is_the_only,
    oxigraph_is_right,
    parsed,
    with_late,
)
from tests.agreement.proving.suite.conftest import made
from tests.sizes import few, size
from translate.model.query import Language

RSPQL = Language.RSPQL


def test_it_has_its_tests_in_every_level():
    named = {one.query for one in chosen_streams()}
    assert len(chosen_streams()) >= 300
    assert named == {one.name for one in catalogue()}
    assert {one.level for one in catalogue()} == set(LEVELS)


def test_it_is_written_twice_with_the_same_bytes(tmp_path):
    for name in ("one", "again"):
        suite_tests._row_letters.cache_clear()
        write_suite(tmp_path / name, made(120, ()))
    one, again = tmp_path / "one", tmp_path / "again"
    names = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
    assert [name for name in names if (one / name).read_bytes() != (again / name).read_bytes()] == []


def test_it_is_read_as_it_was_made(tests, made_once):
    read, made_tests = ({one.name: _whole(one) for one in every} for every in (tests, made_once))
    assert read == made_tests


def _whole(test):
    return replace(test, expected=None), {language: test.expected(language) for language in test.texts}


def by_definition(asked, vector):
    """Return the reports of one parameter vector from its own evaluation times, each window by itself."""
    found = specifications.evaluations(asked.scheduled(vector))
    reports = ((one.time, tuple(one.rows)) for one in found if vector.empty == "reported" or one.rows)
    return tuple((t, rows) for t, rows in reports if 0 <= t < asked.until)


def test_reports_computed_together_are_those_of_each_parameter_vector_alone():
    rng, used = Random(11), set()
    for query in rng.sample([one for one in catalogue() if len(one.letters) > 1], size(30, 150)):
        times, letters = sorted(rng.choices(range(10), k=6)), rng.choices(query.letters, k=6)
        stream = tuple(Push(t, *letter) for t, letter in zip(times, letters, strict=True))
        text = suite_tests.WRITTEN[RSPQL].text(query.family)
        asked = VectorReports(suite_tests._read(text), static_of(query.family.static), stream)
        choices = asked.choices()
        for number in rng.sample([n for own in choices.values() for n in own], 40):
            right = by_definition(asked, vectors()[number])
            assert asked.reports(vectors()[number]) == right, (query.name, number)
            assert asked.names == (ANSWER,) or number in choices[right]
            used.add((vectors()[number].report, bool(right)))
    assert len(used) == 16


def test_a_window_that_closes_at_time_0_is_reported_or_not():
    """Some engines with aligned windows have not begun at time 0."""
    (count,) = (one for one in catalogue() if one.name == "total")
    stream = [Push(t, *count.letters[0]) for t in (3, 9)]
    text = suite_tests.WRITTEN[RSPQL].text(count.family)
    asked = VectorReports(suite_tests._read(text), static_of(count.family.static), stream)
    first = {
        vector.bounds: {reports[0][0] for reports in asked.admissible(vector)}
        for vector in vectors()
        if vector.start == "aligned" and vector.report == {"window-close"} and vector.empty == "silent"
    }
    assert first == {bounds: {0, 2} for bounds in ("low-open", "high-open", "closed")}


def test_window_by_window_oxigraph_says_the_same(tests):
    for test in few(filter(oxigraph_is_right, tests), 100):
        lived, right = WindowByWindow(in_order(test)), by_vector(test)
        for number in firsts(test):
            assert lived.reports(number) in right[number], (test.name, str(vectors()[number]))


def test_what_oxigraph_answers_otherwise_is_said_where_it_is(tests):
    (wrong,) = (one for one in tests if one.name.startswith("alternative-both"))
    assert not oxigraph_is_right(wrong)
    assert WindowByWindow(wrong).reports(0) not in expected(wrong, 0)
    assert "so only clingo verifies" in wrong.comment


def test_what_comes_late_is_lost_or_in_windows_that_close_after_it_came(tests):
    late = [one for one in tests if in_order(one) != one]
    assert late
    for test in late:
        ways = [WindowByWindow(in_order(test)).reports(0), with_late(test), *in_time(test, 0)]
        right = expected(test, 0)
        assert all(one in right for one in ways)
        assert len(right) == sum(one not in ways[:n] for n, one in enumerate(ways))


@pytest.mark.parametrize("bounds", ["low-open", "high-open"])
def test_a_late_element_may_be_in_a_window_that_closes_at_the_time_of_the_element_before_it(bounds):
    """In bounds without the end, the window [1, 5) may be evaluated when 5 comes, or with the next time."""
    (sliding,) = (one for one in catalogue() if one.name == "sliding")
    one, two, _, noise = sliding.letters
    stream = [Push(1, *one), Push(5, *noise), Push(3, *two), *(Push(t, *noise) for t in range(6, 11))]
    text = suite_tests.WRITTEN[RSPQL].text(sliding.family)
    asked = VectorReports(suite_tests._read(text), static_of(()), stream)
    vector, *_ = (
        each
        for each in vectors()
        if (each.report, each.start, each.bounds, each.empty) == ({"window-close"}, 1, bounds, "silent")
    )
    rows = {len(dict(reports).get(5, ())) for reports in asked.admissible(vector)}
    assert rows == ({1, 2} if bounds == "high-open" else {0, 1})


def test_what_is_late_behind_another_stream_alone_may_count_by_its_time(tests):
    (test,) = (one for one in tests if one.name.startswith("late-two"))
    for number in firsts(test):
        for lived in in_time(test, number):
            assert lived in expected(test, number), str(vectors()[number])
    assert [*in_time(next(one for one in tests if one.name == "late-01"), 0)] == []


def test_a_stream_with_several_late_elements_is_refused(tests):
    test = next(one for one in tests if one.name == "late-01")
    first, *others = test.stream
    pushes = (
        *(replace(push, t=push.t + 9) for push in (first, *others)),
        first,
        replace(first, t=first.t + 1),
    )
    with pytest.raises(LarsError, match=r"cannot compute the correct reports for [0-9]+ late elements"):
        VectorReports(parsed(test), static_of(test.static), pushes)


CAUSES = {
    "silent": "silent period",
    "expired": "expired before the pull",
    "blocked": "blocked later",
    "unblocked": "blocker expired",
    "merged": "merged sources",
    "static-alone": "static only",
    "pivot": "hidden by the pivot",
    "widths": "different windows",
}


@pytest.mark.parametrize("name", CAUSES)
def test_the_two_languages_differ_for_the_cause_that_is_said(name, tmp_path, monkeypatch):
    own = [one for one in chosen_streams() if one.query == f"agree-{name}"]
    monkeypatch.setattr(suite_tests, "chosen_streams", lambda: own)
    write_suite(tmp_path / "suite", suite_tests.made_tests())
    (folder,) = (tmp_path / "suite" / "tests").iterdir()
    static = [part for path in folder.glob("static.nq") for part in ("--static", path)]
    queries = (folder / "query.csparql.rq", folder / "query.cqels.rq")
    ran = lars("agree", *queries, folder / "stream.nq", *static, "--unit", "1s", "--json")
    causes = [
        cause["cause"] for one in ran.json["periods"] for each in one["intervals"] for cause in each["causes"]
    ]
    assert causes[0] == CAUSES[name]


ARRIVING = next(n for n, one in enumerate(vectors()) if not one.by_clock)


@pytest.mark.parametrize(
    ("name", "language", "one", "other", "shows"),
    [
        ("widths", Language.CQELS, "RANGE 2s", "RANGE 6s", True),
        ("widths", Language.CSPARQL, "RANGE 6s", "RANGE 2s", True),
        ("expired", Language.CSPARQL, "RANGE 1s", "RANGE 4s", True),
        ("expired", Language.CSPARQL, "STEP 4s", "STEP 1s", True),
        ("unblocked", Language.CSPARQL, "RANGE 2s", "RANGE 4s", True),
        ("unblocked", Language.CQELS, "RANGE 2s", "RANGE 1s", True),
        ("silent", Language.CSPARQL, "RANGE 6s", "RANGE 3s", True),
        ("blocked", Language.CSPARQL, "MINUS { ?s :q ?b }", "", True),
        ("blocked", Language.CQELS, "MINUS { STREAM :S [RANGE 4s] { ?s :q ?b } }", "", False),
        ("pivot", Language.CQELS, " SLIDE 4s", "", False),
    ],
)
def test_what_the_cause_names_is_told_by_what_the_languages_report(name, language, one, other, shows):
    query = next(own for own in catalogue() if own.name == f"agree-{name}")
    (stream,) = (own.stream for own in chosen_streams() if own.query == query.name)
    vector = vectors()[ARRIVING if language is Language.CQELS else 0]
    text = dict(query.family.texts)[language.value]
    assert one in text
    before, after = (
        VectorReports(suite_tests._read(said), static_of(query.family.static), stream).reports(vector)
        for said in (text, text.replace(one, other))
    )
    assert (before != after) == shows


def test_the_active_window_of_the_widths_is_the_earliest_still_open():
    (stream,) = (own.stream for own in chosen_streams() if own.query == "agree-widths")
    query = next(own for own in catalogue() if own.name == "agree-widths")
    text = suite_tests.WRITTEN[RSPQL].text(query.family)
    assert "[RANGE 6 STEP 3]" in text
    found = VectorReports(suite_tests._read(text), static_of(()), stream).reports(vectors()[ARRIVING])
    assert [t for t, rows in found if rows] == [1, 5, 7]


def test_the_readme_says_at_which_vectors_the_examples_hold(folder):
    text = (folder / "README.md").read_text()
    assert vectors().index(faults.USUAL) == 0
    assert f'"if each triple causes a report" uses vector {vectors().index(faults.ARRIVING)}' in text
    reported = replace(faults.USUAL, empty="reported")
    assert f'"if empty answers are reported" uses vector {vectors().index(reported)};' in " ".join(
        text.split()
    )


def test_clingo_says_the_same(tests):
    for test in tests:
        asked = VectorReports(parsed(test), static_of(test.static), in_order(test).stream)
        for number in [*firsts(test)][:3]:
            assert by_clingo(asked, number) in expected(test, number), (test.name, str(vectors()[number]))


def test_seeded_faults_in_expected_reports_are_found_by_both(tests):
    rng = Random(5)
    usable = [one for one in tests if any(is_the_only(one, own) for own in one.expected(RSPQL))]
    for _ in range(20):
        test, number = faulty(rng.choice(usable), rng)
        asked = VectorReports(parsed(test), static_of(test.static), test.stream)
        assert WindowByWindow(test).reports(number) not in expected(test, number)
        assert by_clingo(asked, number) not in expected(test, number)


def test_a_bag_has_numbers_by_their_value():
    decimal = '"1.0"^^<http://www.w3.org/2001/XMLSchema#decimal>'
    integer = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert bag(("a",), [(decimal,)]) == bag(("a",), [(integer,)]) != bag(("a",), [('"1"',)])


TIME, ELEMENT = (rdflib.URIRef(f"urn:x-lars:suite#{name}") for name in ("time", "element"))


def messages_of(text):
    """Return the elements of a log as rdflib reads its messages: the triple, its stream and its time."""
    version, *lines = text.splitlines(keepends=True)
    assert version == 'VERSION "1.1-messages"\n'
    for message in "".join(lines).split("MESSAGE\n"):
        quads = rdflib.Dataset()
        quads.parse(data=message, format="nquads")
        ((time,),) = ({quad[2]} for quad in quads.quads((ELEMENT, TIME, None, None)))
        (quad,) = (quad for quad in quads.quads() if quad[1] != TIME)
        yield (*(term.n3() for term in quad[:3]), f"<{quad[3]}>", time.toPython())


def test_a_stream_as_messages_has_the_elements_of_the_stream_in_their_order(folder, made_once, tmp_path):
    write_suite(tmp_path / "suite", made_once, messages=True)
    written = sorted((tmp_path / "suite").rglob("stream.messages.nq"))
    assert len(written) == len(made_once)
    for path in written:
        test = next(test for test in made_once if test.name == path.parent.name)
        pushed = [(*triple_of(push), push.stream, push.t) for push in test.stream]
        assert list(messages_of(path.read_text())) == pushed
        path.unlink()
    assert files_of(tmp_path / "suite") == files_of(folder)


def triple_of(push):
    """Return a pushed triple as rdflib writes its terms."""
    (triple,) = rdflib.Graph().parse(data=f"{' '.join(push.triple)} .", format="nt")
    return [term.n3() for term in triple]


def files_of(folder):
    """Return the files of a folder but for hidden ones."""
    files = (path for path in folder.rglob("[!.]*") if path.is_file())
    return {path.relative_to(folder): path.read_bytes() for path in files}


def test_static_data_may_contain_what_ends_a_line_elsewhere(made_once, tmp_path):
    line = '<http://e/a> <http://e/p> "one\u2028two\x85three" .'
    write_suite(tmp_path / "suite", [replace(made_once[0], static=(line,))])
    assert [one.static for one in read_suite(tmp_path / "suite")] == [(line,)]
