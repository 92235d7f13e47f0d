"""Which start times are tried: of one window and of several, with time-varying static data beside them."""

from dataclasses import replace
from itertools import product

import pytest

from agreement.comparing.judge import judge_recording, start_times
from agreement.comparing.judge.judging import starts_in_words
from agreement.comparing.judge.verdicts import Phase, Verdict
from agreement.documents.dates import NO_DATES
from agreement.documents.recordings import Recording, Report
from agreement.documents.requests import JudgeOptions
from agreement.engines.engine import columns
from agreement.engines.specifications import (
    EngineRun,
    OpenChoice,
    Task,
    Version,
    builtin,
    elements_of,
    evaluated_windows,
    evaluations,
)
from solver.facts import Static
from tests.agreement.comparing.judge.recorded import SECOND, integer, own, pushed
from tests.agreement.comparing.judge.test_perturbed import correct
from translate.dialects import read_query

OTHER = "http://e/R"
TWO = (
    "REGISTER RSTREAM <http://e/q> AS SELECT ?a ?b FROM NAMED WINDOW <http://e/v> ON <http://e/S> "
    "[RANGE PT3S STEP PT3S] FROM NAMED WINDOW <http://e/w> ON <http://e/R> [RANGE PT2S STEP PT2S] "
    "WHERE { WINDOW <http://e/v> { ?a <http://e/p> ?x } WINDOW <http://e/w> { ?b <http://e/q> ?y } }"
)
LINES = [line for t in range(1, 25) for line in (f"{t} a{t} p {t}", f"{t} b{t} q {t} {OTHER}")]
SHOPS = (
    "REGISTER QUERY q AS SELECT ?s ?n FROM STREAM <http://e/S> [RANGE 4s STEP 4s] "
    "WHERE {{ ?s <http://e/p> ?o {} }}"
)
KNOWN = "?s <http://e/name> ?n"


def recording(task, specification, choice):
    profile = evaluated_windows(task, specification, choice)
    reports = tuple(Report(one.time * 1000.0, one.rows) for one in evaluations(profile) if one.reported)
    return Recording(columns(task.query), reports)


def task_of(text, pushes, versions=()):
    elements = elements_of(pushes, SECOND)
    query = read_query(text, "query")
    return Task(EngineRun(query, Static(frozenset(), {}), ()), elements, elements[-1].t, versions)


@pytest.mark.parametrize("combination", list(product(range(3), range(2))))
def test_of_two_windows_every_combination_is_tried(combination):
    task, by = task_of(TWO, pushed(*LINES)), builtin("rspql")
    found = judge_recording(
        task, by, recording(task, by, OpenChoice(combination, "low-open")), JudgeOptions()
    )
    assert (found.choices, found.tried_choices) == (6, 6)
    assert [one.choice.starts for one in found.matching] == [combination]


@pytest.mark.parametrize("kind", ["solve", "csrbench"])
def test_two_start_times_are_listed_for_two_windows(tmp_path, kind):
    one = own("rspql", 1, TWO, pushed(*LINES))
    assert correct(one.judged(tmp_path, kind), (1, 1))["choices"] == 6
    task = task_of(TWO, pushed(*LINES))
    apart = recording(task, builtin("rspql"), OpenChoice((2, 1), "low-open"))
    reports = tuple((report.t, report.rows) for report in apart.reports)
    correct(replace(one, reports=reports).judged(tmp_path, kind), (2, 1))


@pytest.mark.parametrize(
    ("starts", "text"),
    [
        ([(0, 0), (3, 0), (3, 2)], "0, (3, 0), (3, 2)"),
        ([(0, 0), (1, 1), (3, 0), (2, 2)], "0, 1, (3, 0), 2"),
        ([(4,), (5,), (6,), (9,)], "4..6, 9"),
        ([], "any"),
    ],
)
def test_start_times_are_named_in_the_order_in_which_they_fit(starts, text):
    phase = Phase(0, 1, 1)
    verdicts = [Verdict(OpenChoice(z, "closed"), phase, (), (), ()) for z in starts]
    assert starts_in_words(verdicts, NO_DATES) == text


def test_static_data_is_what_it_was_at_each_time():
    text = SHOPS.format(". " + KNOWN)
    names = [frozenset({("<http://e/s1>", "<http://e/name>", f'"{name}"')}) for name in ("old", "new")]
    versions = (Version(names[0], None, 9), Version(names[1], 10, None))
    task, by = task_of(text, pushed(), versions), builtin("csparql")
    made = recording(task, by, OpenChoice((0,), "low-open"))
    assert {row[0] for report in made.reports for row in report.rows} == {'"old"', '"new"'}
    assert judge_recording(task, by, made, JudgeOptions()).correct
    fixed = replace(task, versions=(Version(names[0]),))
    assert judge_recording(fixed, by, made, JudgeOptions()).correct is False


def test_a_start_time_matches_both_bounds_only_where_nothing_lies_on_a_border():
    pushes = pushed("1 a p 1", "3 a p 2", "5 a p 3", "7 a p 4", "11 a p 5", "13 a p 6", "17 a p 7")
    task, by = task_of(SHOPS.format("").replace("?n", "?o"), pushes), builtin("csparql")
    for bounds in by.bounds:
        made = recording(task, by, OpenChoice((0,), bounds))
        found = {
            (one.choice.starts, one.choice.bounds)
            for one in judge_recording(task, by, made, JudgeOptions()).matching
        }
        assert {((0,), "low-open"), ((0,), "high-open")} <= found


def test_start_times_beyond_one_slide_are_equal_once_their_windows_are(tmp_path):
    one = own("csparql", 1)
    correct(one.judged(tmp_path, "solve", "--t0", "0..9"), 1, 5, 9)
    correct(one.judged(tmp_path, "solve", "--t0", "9"), 9)


def test_long_slides_are_tried_where_they_make_a_difference(tmp_path):
    text = "REGISTER QUERY q AS SELECT ?s ?o FROM STREAM <http://e/S> [RANGE 100s STEP 100s] "
    text += "WHERE { ?s <http://e/p> ?o }"
    lines = [f"{7 * n + n % 3} s{n % 3} p {n}" for n in range(1, 90)]
    one = own("csparql", 42, text, pushed(*lines))
    found = one.judged(tmp_path, "solve").json
    assert (found["correct"], [42] in found["t0"]) == (True, True)
    assert found["tried"] <= 200


def test_a_combination_beyond_what_is_tried_is_not_said_to_have_failed(tmp_path, monkeypatch):
    monkeypatch.setattr(start_times, "MOST", 50)
    text = TWO.replace("PT3S STEP PT3S", "PT300S STEP PT300S").replace("PT2S STEP PT2S", "PT200S STEP PT200S")
    assert text.count("00S") == 4
    lines = [line for t in (1, 2, 700) for line in (f"{t} a p {t}", f"{t} b q {t} {OTHER}")]
    made = replace(own("rspql", 0, text, pushed(*lines)), reports=((350000.0, ((integer(1), integer(2)),)),))
    ran = made.judged(tmp_path, "solve", "--t0", "0..30", "--no-diagnosis")
    assert (ran.code, ran.json["correct"]) == (3, None)
    assert (ran.json["tried"], ran.json["choices"]) == (50, 31 * 31)
    assert ran.err.startswith(
        "lars: undecided: none of the 50 tried choices of t0 and bounds fits; 961 choices exist; use --t0"
    )
