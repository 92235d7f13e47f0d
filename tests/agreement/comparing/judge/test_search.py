"""Start times are ruled out by single reports: the same are left as where each is judged in whole."""

from dataclasses import replace
from itertools import product
from random import Random
from typing import get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agreement.comparing.judge import judge_recording, start_search
from agreement.comparing.judge.alignment import align
from agreement.comparing.judge.verdicts import compare_reports, phase_of
from agreement.documents.recordings import Recording, Report
from agreement.documents.requests import JudgeOptions
from agreement.engines.engine import columns
from agreement.engines.specifications import (
    EngineRun,
    OpenChoice,
    Task,
    elements_of,
    evaluated_windows,
    evaluations,
    specification,
)
from lars.language.stream import ToStream
from solver.facts import Static
from tests.agreement.command import lars
from tests.agreement.comparing.judge.recorded import SECOND, own, pushed
from tests.agreement.comparing.judge.test_choices import LINES, OTHER, TWO
from tests.agreement.comparing.judge.test_perturbed import correct
from tests.agreement.comparing.judge.test_properties import SEEDS
from translate.dialects import read_query

CSPARQL = (
    "REGISTER QUERY q AS SELECT {} FROM STREAM <http://e/S> [RANGE {}s STEP {}s] "
    "FROM STREAM <http://e/R> [RANGE {}s STEP {}s] WHERE {{ ?a <http://e/p> ?x . ?b <http://e/q> ?y }}"
)
FORMS = ("?a ?x ?y", "?a", "(COUNT(?x) AS ?n)")
SPECIFICATIONS = ("csparql", "rspql", "sparqlstream")


def task_of(rng):
    """Return a query of two windows with slides, and a short trace of both streams."""
    sizes = [(slide + rng.randrange(3), slide) for slide in (rng.randrange(1, 5), rng.randrange(1, 5))]
    text = CSPARQL.format(rng.choice(FORMS), *sizes[0], *sizes[1])
    words = [(t, rng.choice((f"a{t % 3} p {t % 4}", f"b{t % 2} q {t % 4} {OTHER}"))) for t in range(1, 15)]
    lines = [f"{t} {word}" for t, word in words if rng.random() < 0.6] or ["1 a p 1"]
    elements = elements_of(pushed(*lines), SECOND)
    return Task(EngineRun(read_query(text, "query"), Static(frozenset(), {}), ()), elements, 15)


def recording_of(task, by, rng):
    """Return what a specification reports for some start times, late, and often with a row too few."""
    choice = OpenChoice((rng.randrange(4), rng.randrange(4)), rng.choice(by.bounds))
    profile = evaluated_windows(task, by, choice)
    late = rng.choice((0, 0, 300, 1000))
    reports = [[one.time * 1000.0 + late, one.rows] for one in evaluations(profile) if one.reported]
    if reports and rng.random() < 0.6:
        one = rng.choice(reports)
        one[1] = one[1][1:]
    names = columns(task.query)
    return Recording(names, tuple(Report(t, rows) for t, rows in reports))


def enumerated(task, by, recording):
    """Yield each choice whose verdict is correct, every one judged in whole."""
    slides = [part.window.slide.points(SECOND) for part in task.query.merged]
    recorded = align(recording, recording.variables, task.query)
    for bounds in by.bounds:
        for z in product(*map(range, slides)):
            profile = evaluated_windows(task, by, OpenChoice(z, bounds))
            phase = phase_of(profile, max(slides) - 1, JudgeOptions())
            if compare_reports(profile, evaluations(profile), recorded, phase, JudgeOptions()).correct:
                yield z, bounds


def compared_with_all(seed):
    """Return the choices that judging finds of a random case, and those of judging each in whole."""
    rng = Random(seed)
    task, by = task_of(rng), specification(rng.choice(SPECIFICATIONS))
    by = by.model_copy(update={"stream": rng.choice(get_args(ToStream))})
    recording = recording_of(task, by, rng)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(start_search, "FEW_STARTS", 0)
        patch.setattr(start_search, "_TOGETHER", 2)
        found = judge_recording(task, by, recording, JudgeOptions(whole=0))
    assert found.tried_choices == found.choices
    ours = sorted((one.choice.starts, one.choice.bounds) for one in found.matching)
    return ours, sorted((z, bounds) for z, bounds in enumerated(task, by, recording))


@settings(max_examples=12)
@given(SEEDS)
def test_the_start_times_that_match_are_those_of_trying_all(seed):
    ours, expected = compared_with_all(seed)
    assert ours == expected


def test_a_time_limit_that_is_over_leaves_it_undecided(tmp_path):
    one = own("rspql", 1, TWO, pushed(*LINES))
    correct(one.judged(tmp_path, "solve", "--time-limit", "600"), (1, 1))
    wrong = one.without(2).judged(tmp_path, "solve", "--time-limit", "0")
    assert (wrong.code, wrong.json["correct"], wrong.json["t0"]) == (3, None, [])
    assert wrong.json["tried"] < wrong.json["choices"]
    assert wrong.err.startswith("lars: undecided: the time limit of 0 s ended the search after 1 of ")
    assert (wrong.err.count("\n"), wrong.err.count("use a longer --time-limit")) == (1, 1)
    files = (tmp_path / "query.rq", tmp_path / "trace.nq", "--answers", tmp_path / "answers")
    how = ("--answers-format", "solve", "--answers-unit", "1ms", "--engine", "rspql", "--time-limit", "0")
    out = lars("judge", *files, *how).out
    assert (out.startswith("undecided by rspql: 1 of "), "time limit" in out) == (True, False)
    case = "tests/data/recordings/csparql-0.9.7/019-1-window.json"
    of_case = lars("judge", case, "--engine", "specification", "--time-limit", "0")
    assert "the time limit ended a search; use a longer --time-limit" in of_case.err


@settings(max_examples=25)
@example(0, 0.95, 12)
@given(SEEDS, st.sampled_from((0.05, 0.3, 0.7, 0.95)), st.sampled_from((None, 0, 5, 12)))
def test_verdicts_that_are_not_made_would_not_have_been_worth_it(seed, worth, aligned):
    rng = Random(seed)
    task, by = task_of(rng), specification(rng.choice(SPECIFICATIONS))
    recording = recording_of(task, by, rng)
    how = JudgeOptions() if aligned is None else JudgeOptions(t0="aligned", registered=aligned)
    # An engine that began later has no earlier report.
    begin = -1 if aligned is None else aligned * task.unit.milliseconds
    reports = tuple(report for report in recording.reports if report.t > begin)
    recording = replace(recording, reports=reports)
    every = judge_recording(task, by, recording, how)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(start_search, "_DEAR", 0)
        some = judge_recording(task, by, recording, replace(how, worth=worth))
    assert all(one in every.verdicts for one in some.verdicts)
    good = [one for one in every.verdicts if one.correct or one.score > worth]
    assert all(one in some.verdicts for one in good)
