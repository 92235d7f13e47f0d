"""Engines that the suite was not chosen by: right ones fail nothing, wrong ones where they are wrong."""

from dataclasses import replace

import pytest

from agreement.proving.suite import engine_answers, judged_suite, vectors, writing_of
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
    silent = [replace(one, reports=tuple(own for own in one.reports if own[1]), fits=None) for one in answers]
    results = judged_suite("mine", found.writing, silent, None).results
    usual = [one.answer for one in results if (0, "evaluation") in one.fits]
    other = next(one.answer for one in results if one.answer not in usual)
    wrong = replace(usual[0], reports=usual[0].reports * 2, fits=None)
    spoiled = judged_suite("mine", found.writing, [*usual[1:], other, wrong], None)
    said = "\n".join(str(one) for one in as_text([spoiled]) if isinstance(one, str))
    assert spoiled.usual
    assert "other parameters fit 1 more test: report window-close, bounds" in said
    assert 'name = "mine"\n    report = ["window-close"]\n    empty = "silent"' in said
