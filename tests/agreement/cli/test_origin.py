"""Where time 0 lies: each command that reads times with dates says it, and documents have it as `origin`."""

import json
import re
from datetime import UTC, datetime

import pandas as pd
import pytest

from lars.durations import read_duration
from lars.errors import LarsError
from solver.traces import point_of
from tests.agreement.command import lars

PREFIX = "PREFIX : <http://e/> "
CQ = "SELECT ?s WHERE { STREAM :S [RANGE 3s] { ?s :p ?o } }"
CS = "SELECT ?s FROM STREAM :S [RANGE 3s STEP 3s] WHERE { ?s :p ?o }"
ZERO = "2026-01-31T12:00:00Z"
DATED = "time 0 is {}, one time point is 1s"
COMMANDS = {
    "solve": ("solve", "cq.rq", "t.nq"),
    "solve --as": ("solve", "cq.rq", "t.nq", "--as", "cqels-1.x"),
    "agree": ("agree", "cs.rq", "t.nq", "--period", "3"),
    "judge": ("judge", "cq.rq", "t.nq", "--answers", "a.ndjson", "--engine", "cqels"),
    "compare": ("compare", "cqels", "cqels-1.x", "cq.rq", "t.nq"),
    "explain": ("explain", "cq.rq", "t.nq", "ans1(<http://e/a>)"),
    "phase": ("phase", "cs.rq", "t.nq", "--period", "2..3", "--length", "2..3"),
    "shrink": ("shrink", "cs.rq", "t.nq", "--period", "3"),
}
DOCUMENTS = ("agree", "judge", "compare", "explain", "phase", "shrink")
LINES = ("solve", "solve --as")
TABLES = ("solve", "solve --as", "agree", "judge")


def ran(folder, monkeypatch, command, times, *options):
    monkeypatch.chdir(folder)
    (folder / "cq.rq").write_text(PREFIX + CQ)
    (folder / "cs.rq").write_text(PREFIX + CS)
    lines = (f'<http://e/a> <http://e/p> <http://e/b> <http://e/S> "{t}" .\n' for t in times)
    (folder / "t.nq").write_text("".join(lines))
    (folder / "a.ndjson").write_text('{"t": 1, "rows": [{"s": {"type": "uri", "value": "http://e/a"}}]}\n')
    shown = () if {"--report", "--out"} & {*options} else ("--json",)
    at = ("--at", "1") if command == "explain" and "--at" not in options else ()
    found = lars(*COMMANDS[command], *at, *options, "--unit", "1s", *shown)
    assert found.code in {0, 1}, found.err
    return found


TIMES = [f"2026-01-31T12:00:{second:02}Z" for second in (1, 5, 6, 13)]


@pytest.mark.parametrize("command", COMMANDS)
def test_of_dates_the_origin_is_said(tmp_path, monkeypatch, command):
    found = ran(tmp_path, monkeypatch, command, TIMES)
    assert (
        found.err.count(
            DATED.format(ZERO) + ", one time point before the first element (--origin sets another time 0)"
        )
        == 1
    )
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


def test_times_of_the_table_of_verdicts_are_those_of_the_trace(tmp_path, monkeypatch):
    ran(tmp_path, monkeypatch, "agree", TIMES)
    found = lars(*COMMANDS["agree"], "--unit", "1s")
    title = "push and pull on [12:00:00, 12:00:13] on 2026-01-31 (UTC), time in units of 1s"
    assert title in " ".join(found.out.split())
    assert found.out.startswith("U = 3, (12:00:00, 12:00:03] on 2026-01-31 (UTC): only pull reports (a)")
    assert "--at 2026-01-31T12:00:03Z 'ans(a)'" in found.out


def without_tags(page):
    return re.sub("<[^>]*>", "", page)


def test_a_run_names_the_origin(tmp_path, monkeypatch):
    ran(tmp_path, monkeypatch, "agree", TIMES)
    query = '[[queries]]\nname = "Q"\ncsparql = "cs.rq"\ncqels = "cq.rq"'
    keys = f'unit = "1s"\n{query}\n[[traces]]\nname = "T"\nfiles = "t.nq"'
    (tmp_path / "experiment.toml").write_text(
        f'{keys}\n[[engines]]\nengine = "csparql"\nt0 = 0\n[[comparisons]]\nperiod = 3\n'
    )
    page = tmp_path / "page.html"
    assert f"time 0 is {ZERO}" in lars("run", tmp_path, "--report", page).err
    assert f"time 0 of T is {ZERO}" in without_tags(page.read_text())
    results = tmp_path / "results"
    for table in ("windows", "periods"):
        made = pd.read_parquet(results / f"{table}.parquet")
        assert set(made["origin"]) == {ZERO}
        assert {text[:17] for text in made["to_date"]} == {"2026-01-31T12:00:"}


@pytest.mark.parametrize("command", LINES)
@pytest.mark.parametrize(("times", "origin"), [(TIMES, ZERO), ((1, 5, 6, 13), None)])
def test_each_line_of_solve_has_the_origin_of_dates(tmp_path, monkeypatch, command, times, origin):
    """With integers the lines are as they always were: a time and its rows."""
    lines = [json.loads(line) for line in ran(tmp_path, monkeypatch, command, times).out.splitlines()]
    assert lines
    assert {(tuple(line), line.get("origin")) for line in lines} == {
        (("t", "rows"), None) if origin is None else (("t", "t_date", "rows", "origin"), origin)
    }


def test_each_line_of_a_program_has_the_origin_of_dates(tmp_path, monkeypatch):
    ran(tmp_path, monkeypatch, "solve", TIMES)
    (tmp_path / "p.lars").write_text("p(X) ← ⊞^3 ◇ striple(X, P, O, G).")
    found = lars("solve", "p.lars", "t.nq", "--unit", "1s", "--json")
    assert {json.loads(line)["origin"] for line in found.out.splitlines()} == {ZERO}


@pytest.mark.parametrize("command", TABLES)
@pytest.mark.parametrize(("times", "origin"), [(TIMES, ZERO), ((1, 5, 6, 13), None)])
def test_what_describes_tables_has_the_origin(tmp_path, monkeypatch, command, times, origin):
    for _ in range(2):  # what the first run wrote is recognised by the second
        ran(tmp_path, monkeypatch, command, times, "--out", "tables", "--out-format", "csv")
        told = json.loads((tmp_path / "tables" / "columns.json").read_text())
        assert (told.pop("origin", None), *sorted(told)) == (
            origin,
            *sorted(path.name for path in (tmp_path / "tables").glob("*.csv")),
        )


def test_a_file_named_origin_beside_tables_is_not_replaced(tmp_path, monkeypatch):
    ran(tmp_path, monkeypatch, "solve", TIMES, "--out", "tables")
    (tmp_path / "tables" / "origin").write_text("mine")
    assert "origin in it was not written by lars" in lars(*COMMANDS["solve"], "--out", "tables").err


@pytest.mark.parametrize("command", DOCUMENTS)
def test_each_page_says_the_origin(tmp_path, monkeypatch, command):
    ran(tmp_path, monkeypatch, command, TIMES, "--report", "page.html")
    assert f"Time 0 is {ZERO}" in without_tags((tmp_path / "page.html").read_text())


@pytest.mark.parametrize("target", ["asp", "ticker"])
def test_an_export_keeps_the_origin(tmp_path, monkeypatch, target):
    ran(tmp_path, monkeypatch, "solve", TIMES)
    made = lars("export", "cq.rq", "t.nq", "--unit", "1s", "--to", target, "--out", "made")
    assert DATED.format(ZERO) in made.err
    assert json.loads((tmp_path / "made" / "legend.json").read_text())["origin"] == ZERO


@pytest.mark.parametrize(
    ("command", "option"), [("judge", "--until"), ("compare", "--t0"), ("explain", "--at"), ("agree", "--to")]
)
def test_a_time_is_asked_for_by_its_date(tmp_path, monkeypatch, command, option):
    usual = ran(tmp_path, monkeypatch, command, TIMES, option, "1")
    dated = ran(tmp_path, monkeypatch, command, TIMES, option, "2026-01-31T12:00:01Z")
    assert dated.json == usual.json


@pytest.mark.parametrize("command", ["agree", "judge", "explain", "shrink"])
def test_documents_have_a_date_beside_each_time(tmp_path, monkeypatch, command):
    text = json.dumps(ran(tmp_path, monkeypatch, command, TIMES).json)
    times = {name: text.count(f'"{name}": ') for name in ("t", "from", "to", "at", "pushed")}
    assert any(times.values())
    assert times == {name: text.count(f'"{name}_date": ') for name in times}


def test_a_judge_of_an_experiment_stops_at_a_date(tmp_path, monkeypatch):
    ran(tmp_path, monkeypatch, "agree", TIMES)
    keys = 'unit = "1s"\n[[queries]]\nname = "Q"\ncsparql = "cs.rq"\n[[traces]]\nname = "T"\nfiles = "t.nq"\n'
    found = {}
    for until in ("6", "2026-01-31T12:00:06Z"):
        engine = f'[[engines]]\nengine = "csparql"\nt0 = 0\nuntil = {until}\n'
        (tmp_path / "experiment.toml").write_text(keys + engine)
        assert lars("run", tmp_path, "--fresh").code == 0
        windows = pd.read_parquet(tmp_path / "results" / "windows.parquet")
        found[until] = windows.query("phase == 'stable'")["to"].tolist()
    assert found["6"] == found["2026-01-31T12:00:06Z"] != []


FAR = (
    "0500-01-01T00:00:00",
    "2262-04-11T24:00:00Z",
    "1600-01-01T00:00:00Z",
    "9999-12-31T24:00:00Z",
    "0001-01-01T00:00:00+13:00",
)


@pytest.mark.parametrize("moment", ["2026-05-04T08:00:00+14:01", "2026-05-04T08:00:00-23:59", *FAR])
@pytest.mark.parametrize("option", ["--origin", "--from"])
def test_a_date_beyond_the_zones_or_years_that_times_have_is_refused(option, moment, tmp_path):
    ran = lars("solve", "q.rq", "t.nq", option, moment)
    assert (ran.code, f"{option} {moment}: expected a dateTime from 1678 to 2261" in ran.err) == (2, True)
    (tmp_path / "experiment.toml").write_text(f'cqels = "q.rq"\nfiles = "t.nq"\norigin = "{moment}"\n')
    ran = lars("agree", tmp_path)
    assert (ran.code, f'found "{moment}"; expected a dateTime from 1678 to 2261' in ran.err) == (2, True)


def test_a_time_before_the_origin_of_a_trace_that_ends_after_all_dates_is_refused():
    with pytest.raises(
        LarsError, match=r"before the trace's times, \[2026-05-04T08:00:00Z, 2262-04-11T23:47:16"
    ):
        point_of(datetime(2026, 1, 1, tzinfo=UTC), "2026-05-04T08:00:00Z", read_duration("24h"), last=10**9)
