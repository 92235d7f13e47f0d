"""Engines that the suite was not chosen by: right ones fail nothing, wrong ones where they are wrong."""

from dataclasses import replace

import pytest

from agreement.engines.specifications import builtin
from agreement.proving.suite import declared_vectors, engine_answers, judged_suite, vectors, writing_of
from agreement.results.renderings.suite_report import as_text
from tests.agreement.proving.suite.certifying import by_times, oxigraph_is_right
from tests.agreement.proving.suite.window_engines import (
    RIGHT,
    WRONG,
    EachCloseReports,
    EachStreamsFirst,
    LastAnswerKeptOverEmptyWindows,
    SeveralFaults,
    WindowEngine,
    WindowRun,
)
from tests.sizes import few


def called(run):
    return run.__name__


@pytest.fixture(scope="module")
def tests(tests):
    return tuple(filter(oxigraph_is_right, tests))


def judged(run, tests, declared=None):
    engine = WindowEngine(run)
    writing = writing_of(engine, tests, {}, None)
    answers = engine_answers([engine], tests, writing, {})
    return judged_suite(run.__name__, writing, answers, declared), answers


@pytest.fixture(scope="module")
def right(tests):
    _, answers = judged(RIGHT[0], tests)
    _, timed = judged(RIGHT[0], [own for one in tests for own in by_times(one)])
    return {(one.test.name, one.key("evaluation")) for one in (*answers, *timed)}


@pytest.mark.parametrize("run", RIGHT, ids=called)
def test_windows_may_begin_each_at_a_time_of_its_own(run, tests):
    found, _ = judged(run, tests)
    assert [one.test.name for one in found.results if one.outcome != "passed"] == []


def test_the_start_of_each_stream_is_named(tests):
    found, _ = judged(EachStreamsFirst, tests)
    assert "own" in {vectors()[number].start for number, _ in found.fitting}


@pytest.mark.parametrize("run", few(WRONG, 16), ids=called)
def test_what_is_wrong_fails_and_nothing_else(run, tests, right):
    found, answers = judged(run, tests)
    every = ((one.test.name, one.key("evaluation")) for one in answers)
    differ = [one[0] for one in every if one not in right]
    assert [one.test.name for one in found.results if one.outcome == "failed"] == differ


@pytest.mark.parametrize(
    ("run", "failed"), [(EachCloseReports, []), (LastAnswerKeptOverEmptyWindows, ["istream-gap-01"])]
)
def test_a_row_that_returns_after_empty_windows_is_new(run, failed, tests):
    each_close = replace(vectors()[0], report=frozenset({"window-close"}), empty="reported")
    declared = frozenset({(vectors().index(each_close), "evaluation")})
    found, _ = judged(run, [one for one in tests if one.name.startswith("istream")], declared)
    assert [one.test.name for one in found.results if one.outcome == "failed"] == failed


def test_of_several_faults_it_is_said_that_no_parameters_fit(tests):
    found, _ = judged(SeveralFaults, tests)
    said = "\n".join(str(one) for one in as_text([found]) if isinstance(one, str))
    assert found.usual
    assert found.misfits
    assert "parameters (none fits every answer; those of rspql): report window-close and non-empty" in said


def test_parameters_that_fit_more_tests_are_named_beside_those_of_the_language(tests):
    """The engine reports each close, but no empty answer; few tests show this, and one answer is wrong."""
    found, answers = judged(EachCloseReports, tests)
    results = judged_suite("mine", found.writing, silent(answers), None).results
    usual = [one.answer for one in results if (0, "evaluation") in one.fits]
    other = next(one.answer for one in results if one.answer not in usual)
    wrong = replace(usual[0], reports=usual[0].reports * 2, fits=None)
    spoiled = judged_suite("mine", found.writing, [*usual[1:], other, wrong], None)
    said = "\n".join(str(one) for one in as_text([spoiled]) if isinstance(one, str))
    assert spoiled.usual
    assert "no parameters fit all tests; other parameters fit 1 more test: report window-close, bou" in said
    assert f"by these parameters, 1 test still failed: {wrong.test.name}" in said
    assert "mine.toml" not in said


def silent(answers):
    """Return answers without the reports that have no row."""
    return [replace(one, reports=tuple(own for own in one.reports if own[1]), fits=None) for one in answers]


def test_vectors_that_fit_all_answers_are_named_by_what_they_differ_in(tests):
    """An empty window with COUNT differs for an engine that also reports empty windows."""
    total = [one for one in tests if one.name.startswith("total")]
    other = [one for one in tests if one.name.startswith("tumbling")]
    for chosen, several in ((other, True), (other + total, False)):
        found, answers = judged(EachCloseReports, chosen)
        found = judged_suite("e", found.writing, silent(answers), None)
        said = "\n".join(str(one) for one in as_text([found]) if isinstance(one, str))
        reports = {vectors()[number].report for number, _ in found.fitting}
        assert (len(reports) > 1) == several
        assert ("report window-close and non-empty or window-close" in said) == several


@pytest.mark.parametrize("rows", [(), ((),)])
def test_of_an_engine_without_a_row_no_parameters_are_said(rows, tests):
    found, answers = judged(EachCloseReports, tests)
    empty = [replace(one, reports=tuple((1.0, own) for own in rows), fits=None) for one in answers]
    said = "\n".join(str(one) for one in as_text([judged_suite("e", found.writing, empty, None)]))
    assert ("no report of the engine contains a row" if rows else "the engine gave no report in") in said
    assert "parameters" not in said.partition("difference that the test shows")[0]


def test_what_is_not_declared_is_found(tests):
    declared = frozenset((number, "evaluation") for number in declared_vectors(builtin("rspql"), None, None))
    found, answers = judged(WindowRun, tests[:9], declared)
    said = "\n".join(map(str, as_text([found])))
    assert "parameters (declared; found: t0): report window-close and non-empty" in said
    only = judged_suite("e", found.writing, answers, frozenset([found.choice]))
    assert "parameters (declared): " in "\n".join(map(str, as_text([only])))
