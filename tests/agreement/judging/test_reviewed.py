"""Recordings that were judged wrongly once, each in its smallest case."""

from dataclasses import replace
from pathlib import Path

import pytest

from agreement.engines.csparql.csparql_097 import CSPARQL_097
from agreement.engines.yasper.rsp_js import RSP_JS_135
from agreement.judging.likeness import Likeness
from agreement.judging.versions import Pushwise, Run, judged_by
from agreement.recordings.recording import Push, Recording
from agreement.recordings.times import MILLISECOND, SECOND
from solver.static import Static
from tests.agreement.judging.recorded import own, pushed
from translate.dialects import read_query

CSPARQL = (
    "PREFIX : <http://e/> SELECT ?s FROM STREAM <http://e/S> [RANGE 2s STEP 2s] "
    "WHERE { ?s :p ?o FILTER(?s != :b) }"
)
RSPJS = """PREFIX : <http://e/>
REGISTER RStream <http://e/out> AS
SELECT ?s
FROM NAMED WINDOW :w ON STREAM :S [RANGE 2 STEP 2]
WHERE { WINDOW :w { ?s :p ?o } }"""
EXACT = Pushwise(Likeness(), pushes=True)
PUSHED = [(500, "a"), (2500, "b"), (4500, "c"), (6500, "a"), (8500, "c")]

NAMES = ("empty report dropped", "empty report twice", "empty report beside rows", "later")


def run_of(query, pushed, unit=MILLISECOND):
    pushes = tuple(
        Push(t, "<http://e/S>", (f"<http://e/{s}>", "<http://e/p>", "<http://e/o>")) for t, s in pushed
    )
    return Run(read_query(query, "q"), Static(frozenset(), {}), pushes, unit)


def predicted(engine, run):
    return engine.run(run.query, run.static, run.pushes)


def changes(recording: Recording):
    """Yield a name and a recording for each way in which one is not what the engine reports."""
    reports = list(recording.reports)
    empty = next(n for n, one in enumerate(reports) if not one.rows)
    full = next(n for n, one in enumerate(reports) if one.rows)
    yield "empty report dropped", reports[:empty] + reports[empty + 1 :]
    yield "empty report twice", [*reports[: empty + 1], *reports[empty:]]
    beside = replace(reports[full], rows=())
    yield "empty report beside rows", [*reports[: full + 1], beside, *reports[full + 1 :]]
    yield "later", [replace(one, t=one.t + 300) for one in reports]


@pytest.mark.parametrize("by_push", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_an_engine_versions_reports_are_counted_and_timed(name, by_push):
    run = run_of(CSPARQL, PUSHED, MILLISECOND if by_push else SECOND)
    right = predicted(CSPARQL_097, run)
    if not by_push:
        right = replace(right, reports=tuple(replace(one, trigger=None) for one in right.reports))
    assert judged_by(CSPARQL_097, run, right, EXACT).correct
    wrong = replace(right, reports=tuple(dict(changes(right))[name]))
    assert not judged_by(CSPARQL_097, run, wrong, EXACT).correct


def test_which_pushes_are_refused_counts():
    run = run_of(CSPARQL, [(500, "a"), (3000, "a"), (900, "b"), (6500, "c")])
    right = predicted(CSPARQL_097, run)
    assert judged_by(CSPARQL_097, run, right, EXACT).correct
    for rejected in ((), (1,)):
        if rejected != right.rejected:
            found = judged_by(CSPARQL_097, run, replace(right, rejected=rejected), EXACT)
            assert [step.problem for step in found.wrong if "refused" in (step.problem or "")]


def test_the_bounds_that_rsp_js_prints_count():
    run = run_of(RSPJS, [(0, "a"), (3, "b"), (6, "c"), (9, "a")])
    right = predicted(RSP_JS_135, run)
    assert right.windows
    assert judged_by(RSP_JS_135, run, right, EXACT).correct
    wrong = replace(right, windows=((777.0, 778.0), *right.windows[1:]))
    assert not judged_by(RSP_JS_135, run, wrong, EXACT).correct


def test_an_empty_report_beside_one_with_rows_is_a_second_report(tmp_path: Path):
    recorded = own("csparql")
    (t, rows), *_ = [one for one in recorded.reports if one[1]]
    odd = replace(recorded, reports=tuple(sorted([*recorded.reports, (t, ())], key=lambda one: one[0])))
    assert rows
    assert odd.judged(tmp_path, "solve").json["correct"] is False


def test_all_start_times_that_fit_are_told_with_their_delays(tmp_path: Path):
    matching = own("csparql").judged(tmp_path, "solve").json["matching"]
    assert matching[0] == {"t0": 0, "until": 0, "bounds": "low-open", "late": [0.0, 0.0]}


def test_a_delay_beyond_the_slide_is_named(tmp_path: Path):
    found = own("csparql").late(6000).judged(tmp_path, "solve", "--until", "30").json
    assert any("ms late" in one["says"] and one["complete"] for one in found["explanations"][1:])


def test_a_window_that_the_query_does_not_have_is_refused(tmp_path: Path):
    text = 'name = "own"\nreport = []\nwindows = { "http://e/none" = ["window-close"] }\n'
    (tmp_path / "own.toml").write_text(text)
    ran = replace(own("csparql"), engine=str(tmp_path / "own.toml")).judged(tmp_path, "solve")
    assert (ran.code, ran.out) == (2, "")
    assert "speaks of the window http://e/none; accepted: the query's streams" in ran.err


@pytest.mark.parametrize(("most", "correct"), [("300", True), ("299", False)])
def test_how_late_reports_may_come_can_be_bounded(tmp_path: Path, most, correct):
    found = own("csparql").late(300).judged(tmp_path, "solve", "--late", most, "--t0", "0", "--no-diagnosis")
    assert found.json["correct"] is correct


SLOW = "PREFIX : <http://e/> SELECT ?s FROM STREAM <http://e/S> [RANGE 90s STEP 70s] WHERE { ?s :p ?o }"


@pytest.mark.parametrize("start", [0, 13, 69])
def test_the_start_times_tried_stand_for_all_of_them(tmp_path: Path, start):
    lines = [f"{t} s{t} p {t}" for t in (3, 40, 77, 150, 151, 230, 300, 420)]
    made = own("csparql", start, SLOW, pushed(*lines))
    some = made.judged(tmp_path, "solve", "--bounds", "low-open").json
    every = made.judged(tmp_path, "solve", "--bounds", "low-open", "--t0", "0..69").json
    assert some["tried"] < every["tried"] == 70
    assert some["t0"] == every["t0"]
    assert start in some["t0"]


def test_no_borders_are_found_for_reports_that_an_empty_window_would_fit(tmp_path: Path):
    made = own("csparql")
    silent = replace(
        made, reports=tuple((t, rows if n == 0 else ()) for n, (t, rows) in enumerate(made.reports))
    )
    found = silent.judged(tmp_path, "solve", "--t0", "0").json
    shifts = [window["shift"] for window in found["windows"] if "shift" in window]
    assert all(shift["from"] is not None for shift in shifts)
