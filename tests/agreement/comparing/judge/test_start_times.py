"""Start times, delays and borders of windows that `lars judge` finds, each in its smallest case."""

from dataclasses import replace
from pathlib import Path

import pytest

from agreement.comparing.judge.start_times import given_starts
from agreement.documents.requests import WindowSource
from agreement.engines.specifications import EngineRun, Frame, Task, TickClock, builtin
from lars.durations import Duration
from lars.language.terms import Iri
from tests.agreement.comparing.judge.recorded import own, pushed
from translate.model.windows import Range


def test_an_empty_report_beside_one_with_rows_is_a_second_report(tmp_path: Path):
    recorded = own("csparql")
    (t, rows), *_ = [one for one in recorded.reports if one[1]]
    odd = replace(recorded, reports=tuple(sorted([*recorded.reports, (t, ())], key=lambda one: one[0])))
    assert rows
    assert odd.judged(tmp_path, "solve").json["correct"] is False


def test_all_start_times_that_fit_are_told_with_their_delays(tmp_path: Path):
    matching = own("csparql").judged(tmp_path, "solve").json["matching"]
    assert matching[0] == {"t0": [0], "until": 0, "bounds": "low-open", "late": [0.0, 0.0]}


def test_a_delay_beyond_the_slide_is_named(tmp_path: Path):
    found = own("csparql").late(6000).judged(tmp_path, "solve", "--until", "30").json
    assert any("ms late" in one["says"] and one["complete"] for one in found["explanations"][1:])


def test_a_window_that_the_query_does_not_have_is_refused(tmp_path: Path):
    text = 'name = "own"\nreport = []\nwindows = { "http://e/none" = ["window-close"] }\n'
    (tmp_path / "own.toml").write_text(text)
    ran = replace(own("csparql"), engine=str(tmp_path / "own.toml")).judged(tmp_path, "solve")
    assert (ran.code, ran.out) == (2, "")
    assert "names the window http://e/none, which the query does not have" in ran.err


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
    assert [start] in some["t0"]


def test_no_borders_are_found_for_reports_that_an_empty_window_would_fit(tmp_path: Path):
    made = own("csparql")
    silent = replace(
        made, reports=tuple((t, rows if n == 0 else ()) for n, (t, rows) in enumerate(made.reports))
    )
    found = silent.judged(tmp_path, "solve", "--t0", "0").json
    shifts = [window["shift"] for window in found["windows"] if "shift" in window]
    assert all(shift["from"] is not None for shift in shifts)


@pytest.mark.parametrize(("times", "stable"), [((0,), 0), ((0, 3), 3), ((0, 4), 10), ((1, 9, 5), 15)])
def test_windows_a_multiple_of_the_slide_apart_are_alike_once_the_later_one_is_full(times, stable):
    """Theorem 1 of RSP-QL (2014): from t0 + α - β + 1 on, so t0 + α - β is the last time of the start."""
    window = WindowSource(Iri("http://e/S"), Range(Duration(10), Duration(4)))
    task = Task(EngineRun(None, None, (), Duration(1)), (), 40)
    frame = Frame(task, builtin("csparql"), "low-open", TickClock(2, (), ()), 0, frozenset(), None)
    assert given_starts([window], frame, times).last == stable
