"""A length of time that was written as a duration is shown as one, whatever the unit; points stay points."""

import re

import pytest

from tests.agreement.command import lars

QUERY = "SELECT ?s FROM STREAM <e:S> [RANGE 2h STEP 2h] { ?s <e:p> ?o }"
COMMANDS = {
    "agree": ("agree", "q.rq", "t.nq"),
    "decide": ("decide", "q.rq", "--assign", "e:S=e:p"),
    "witness": ("witness", "q.rq", "--assign", "e:S=e:p"),
    "shrink": ("shrink", "q.rq", "t.nq", "--out", "smaller"),
    "phase": ("phase", "q.rq", "t.nq", "--length", "2h,4h"),
    "phase by length": ("phase", "q.rq", "t.nq", "--length", "2h,4h", "--bounds", "high-open"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(QUERY)
    (tmp_path / "t.nq").write_text(
        '<e:a> <e:p> <e:b> <e:S> "50400000" .\n<e:c> <e:p> <e:b> <e:S> "64800000" .'
    )


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("unit", ["2h", "1h"])
def test_a_period_that_was_written_as_a_duration_is_shown_as_one(command, unit):
    given = () if command in ("decide", "witness") else ("--trace-unit", "1ms")
    ran = lars(*COMMANDS[command], *given, "--unit", unit, "--period", "6h", "-q")
    assert ran.code in (0, 1), ran.err
    assert "6h" in ran.out
    assert not re.search(rf"U = {6 if unit == '1h' else 3}\b", ran.out)


def test_a_period_that_was_written_in_points_stays_so():
    assert (
        "U = 6," in lars("agree", "q.rq", "t.nq", "--unit", "1h", "--trace-unit", "1ms", "--period", "6").out
    )


FIRST = {
    "agree": "U = 2h,",
    "decide": "U = 2h:",
    "witness": "in (0s, 2h]",
    "shrink": "U = 2h;",
    "phase": "│ 2h ",
    "phase by length": "2h..",
}


@pytest.mark.parametrize("command", FIRST)
def test_the_step_of_a_query_is_shown_as_it_was_written(command):
    given = () if command in ("decide", "witness") else ("--trace-unit", "1ms")
    words = [word for word in COMMANDS[command] if word not in ("--length", "2h,4h")]
    ran = lars(*words, *given, "--unit", "1h", "-q")
    assert FIRST[command] in ran.out, ran.out + ran.err


def test_tables_for_readers_have_durations_and_dates_and_those_for_machines_numbers(tmp_path):
    (tmp_path / "t.nq").write_text(
        '<e:a> <e:p> <e:b> <e:S> "1970-01-01T03:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .'
    )
    for kind in ("csv", "markdown"):
        ran = lars("agree", "q.rq", "t.nq", "--to", "8", "--unit", "1h", "--out", kind, "--out-format", kind)
        assert ran.code == 1, ran.err
    first = (tmp_path / "csv" / "differences.csv").read_text().splitlines()[1]
    assert first.startswith("brave,2,0,1970-01-01T02:00:00Z,2,1970-01-01T04:00:00Z,"), first
    first = (tmp_path / "markdown" / "differences.md").read_text().splitlines()[2]
    assert first.startswith("| brave | 2h | 1970-01-01T02:00:00Z | 1970-01-01T04:00:00Z |"), first
    assert "ans1(e:a)" in first


def test_cells_of_an_experiment_have_the_step_of_their_query(tmp_path):
    (tmp_path / "experiment.toml").write_text(
        'unit = "1h"\ncsparql = "q.rq"\nfiles = ["t.nq"]\ntrace_unit = "1ms"'
    )
    ran = lars("run", ".", "--report", "r.html")
    assert re.search(r" 2h +[0-9]", ran.out), ran.out + ran.err
    assert '"2h"' in (tmp_path / "r.html").read_text()
