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
