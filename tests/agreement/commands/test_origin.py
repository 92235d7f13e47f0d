"""Where time 0 lies: each command that reads times with dates says it, and documents have it as `origin`."""

import pytest

from tests.agreement.command import lars

PREFIX = "PREFIX : <http://e/> "
CQ = "SELECT ?s WHERE { STREAM :S [RANGE 3s] { ?s :p ?o } }"
CS = "SELECT ?s FROM STREAM :S [RANGE 3s STEP 3s] WHERE { ?s :p ?o }"
ZERO = "2026-01-31T12:00:00Z"
DATED = "time 0 is {}, time points of 1s count from there"
COMMANDS = {
    "solve": ("solve", "cq.rq", "t.nq"),
    "solve --as": ("solve", "cq.rq", "t.nq", "--as", "cqels-1.x"),
    "agree": ("agree", "cs.rq", "t.nq", "--period", "3"),
    "judge": ("judge", "cq.rq", "t.nq", "--answers", "a.ndjson", "--engine", "cqels"),
    "compare": ("compare", "cqels", "cqels-1.x", "cq.rq", "t.nq"),
    "explain": ("explain", "cq.rq", "t.nq", "--at", "1", "ans1(<http://e/a>)"),
    "phase": ("phase", "cs.rq", "t.nq", "--period", "2..3", "--length", "2..3"),
    "shrink": ("shrink", "cs.rq", "t.nq", "--period", "3"),
}
DOCUMENTS = ("agree", "judge", "compare", "phase", "shrink")


def ran(folder, monkeypatch, command, times, *options):
    monkeypatch.chdir(folder)
    (folder / "cq.rq").write_text(PREFIX + CQ)
    (folder / "cs.rq").write_text(PREFIX + CS)
    lines = (f'<http://e/a> <http://e/p> <http://e/b> <http://e/S> "{t}" .\n' for t in times)
    (folder / "t.nq").write_text("".join(lines))
    (folder / "a.ndjson").write_text('{"t": 1, "rows": [{"s": {"type": "uri", "value": "http://e/a"}}]}\n')
    found = lars(*COMMANDS[command], *options, "--unit", "1s", "--json")
    assert found.code in {0, 1}, found.err
    return found


TIMES = [f"2026-01-31T12:00:{second:02}Z" for second in (1, 5, 6, 13)]


@pytest.mark.parametrize("command", COMMANDS)
def test_of_dates_the_origin_is_said(tmp_path, monkeypatch, command):
    found = ran(tmp_path, monkeypatch, command, TIMES)
    assert found.err.count(DATED.format(ZERO) + ", one before the first element (--origin says another)") == 1
    if command in DOCUMENTS:
        assert found.json["origin"] == ZERO


@pytest.mark.parametrize("command", COMMANDS)
def test_an_origin_that_is_named_is_said(tmp_path, monkeypatch, command):
    found = ran(tmp_path, monkeypatch, command, TIMES, "--origin", "2026-01-31T12:00:00Z")
    assert found.err.count(DATED.format(ZERO) + "\n") == 1


@pytest.mark.parametrize("command", DOCUMENTS)
def test_integers_count_from_0_themselves(tmp_path, monkeypatch, command):
    found = ran(tmp_path, monkeypatch, command, (1, 5, 6, 13))
    assert ("time 0 is" in found.err, found.json["origin"]) == (False, None)


def test_the_table_of_verdicts_names_the_origin(tmp_path, monkeypatch):
    ran(tmp_path, monkeypatch, "agree", TIMES)
    found = lars(*COMMANDS["agree"], "--unit", "1s")
    assert f"time in units of 1s from {ZERO}" in found.out


def test_a_run_names_the_origin(tmp_path, monkeypatch):
    ran(tmp_path, monkeypatch, "agree", TIMES)
    keys = 'unit = "1s"\n[[queries]]\nname = "Q"\ncsparql = "cs.rq"\n[[traces]]\nname = "T"\nfiles = "t.nq"'
    (tmp_path / "experiment.toml").write_text(f'{keys}\n[[engines]]\nengine = "csparql"\nt0 = 0\n')
    assert f"time 0 is {ZERO}" in lars("run", tmp_path).err
