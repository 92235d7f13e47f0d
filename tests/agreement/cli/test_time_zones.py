"""Times of day mean the time zone of the trace: what is asked and what is shown."""

import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from agreement import api
from tests.agreement.command import lars

PREFIX = "PREFIX : <http://e/> "
CQ = PREFIX + "SELECT ?s WHERE { STREAM :S [RANGE 3s] { ?s :p ?o } }"
CS = PREFIX + "SELECT ?s FROM STREAM :S [RANGE 3s STEP 3s] WHERE { ?s :p ?o }"
ZONES = ["+02:00", "-09:30", "+14:00"]
SECONDS = (1, 5, 6, 13)
BOXES = re.compile(r"[ \u2500-\u257f]+")


def write(folder, zone):
    """Write queries, a trace whose clock is at 23:59:51 to 00:00:03 in a zone, and answers of an engine."""
    clocks = [f"2026-01-31T23:59:{50 + t}" if t < 10 else f"2026-02-01T00:00:{t - 10:02}" for t in SECONDS]
    (folder / "cq.rq").write_text(CQ)
    (folder / "cs.rq").write_text(CS)
    (folder / "now.rq").write_text(CQ.replace("SELECT ?s", "SELECT ?s (NOW() AS ?n)"))
    line = '<http://e/a> <http://e/p> <http://e/b> <http://e/S> "{}{}" .\n'
    (folder / "t.nq").write_text("".join(line.format(clock, zone) for clock in clocks))
    (folder / "a.csv").write_text("time,s\n" + "".join(f"{clock}{zone},http://e/a\n" for clock in clocks))


CALLS = {
    "solve": ("solve", "cq.rq", "t.nq", "--from", "23:59:55", "--to", "00:00:02"),
    "solve, as JSON": ("solve", "cq.rq", "t.nq", "--to", "23:59:56", "--json"),
    "solve --as": ("solve", "cs.rq", "t.nq", "--as", "csparql", "--t0", "23:59:51", "--json"),
    "solve with NOW()": ("solve", "now.rq", "t.nq", "--json"),
    "agree": ("agree", "cq.rq", "t.nq", "--period", "3", "--from", "23:59:52", "--to", "00:00:02"),
    "agree, as JSON": ("agree", "cq.rq", "t.nq", "--period", "3", "--json"),
    "explain": ("explain", "cq.rq", "t.nq", "ans1(<http://e/a>)", "--at", "23:59:57"),
    "explain, why not": ("explain", "cq.rq", "t.nq", "ans1(<http://e/a>)", "--at", "00:00:01"),
    "asp": ("translate", "cq.rq", "t.nq", "--format", "asp", "--at", "23:59:57"),
    "judge": ("judge", "cq.rq", "t.nq", "--answers", "a.csv", "--engine", "cqels-1.x"),
    "judge, as JSON": ("judge", "cq.rq", "t.nq", "--answers", "a.csv", "--engine", "cqels", "--json"),
    "compare": ("compare", "cqels", "csparql", "cq.rq", "cs.rq", "t.nq"),
    "shrink": ("shrink", "cq.rq", "t.nq", "--period", "3"),
    "phase": ("phase", "cq.rq", "t.nq", "--period", "3", "--json"),
    "before": ("agree", "cq.rq", "t.nq", "--period", "3", "--to", "2026-01-31T23:59:50{zone}"),
    "after": ("agree", "cq.rq", "t.nq", "--period", "3", "--from", "00:00:04", "--to", "00:01:04"),
    "no time": ("solve", "cq.rq", "t.nq", "--to", "23:59:49"),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_trace_in_another_zone_is_shown_as_one_in_utc(tmp_path, monkeypatch, call):
    shown = {}
    for zone in ("Z", *ZONES):
        folder = tmp_path / f"zone{zone}"
        folder.mkdir()
        write(folder, zone)
        monkeypatch.chdir(folder)
        found = lars(*(word.format(zone=zone) for word in CALLS[call]))
        texts = (BOXES.sub(" ", text).replace(f"({zone})", "(UTC)").replace(zone, "Z") for text in found[1:])
        shown[zone] = found.code, *texts
    assert all(shown[zone] == shown["Z"] for zone in ZONES)
    assert "23:59" in "".join(map(str, shown["Z"]))


LINE = '<http://e/a> <http://e/p> <http://e/b> <http://e/S> "2026-01-31T12:00:0{}" .\n'


@pytest.mark.parametrize(
    ("first", "second", "origin", "zero"),
    [
        ("1+02:00", "5+02:00", None, "2026-01-31T12:00:00+02:00"),
        ("1+02:00", "5+03:00", None, "2026-01-31T09:00:04Z"),
        ("1Z", "5+00:00", None, "2026-01-31T12:00:00Z"),
        ("1", "5", None, "2026-01-31T12:00:00"),
        ("1+02:00", "5+02:00", "2026-01-31T09:59:00Z", "2026-01-31T11:59:00+02:00"),
        ("1+02:00", "5Z", "2026-01-31T11:59:00+02:00", "2026-01-31T09:59:00Z"),
    ],
)
def test_time_0_is_in_the_one_zone_of_the_trace(tmp_path, first, second, origin, zero):
    (tmp_path / "cq.rq").write_text(CQ)
    (tmp_path / "t.nq").write_text(LINE.format(first) + LINE.format(second))
    found = api.solve(tmp_path / "cq.rq", tmp_path / "t.nq", sort=True, origin=origin)
    assert found.origin == zero


@pytest.mark.parametrize(
    "objects", [["<http://e/b>"] * 2, ["<http://e/b>", "_:b"]], ids=["usual", "by itself"]
)
@pytest.mark.parametrize(("zone", "at"), [("+02:00", "+02:00"), ("Europe/Vienna", "+02:00"), ("UTC", "Z")])
def test_a_column_of_timestamps_has_its_zone(tmp_path, zone, at, objects):
    (tmp_path / "cq.rq").write_text(CQ)
    moments = pa.array([1781508600, 1781508605], pa.timestamp("s", zone))
    terms = {name: [f"<http://e/{name}>"] * 2 for name in "sp"}
    table = pa.table({"t": moments, "stream": ["<http://e/S>"] * 2, **terms, "o": objects})
    pq.write_table(table, tmp_path / "t.parquet")
    found = api.solve(tmp_path / "cq.rq", tmp_path / "t.parquet")
    assert found.origin == f"2026-06-15T0{9 if at != 'Z' else 7}:29:59{at}"


@pytest.mark.parametrize(("command", "more"), [("agree", ("--period", "3")), ("solve", ())])
def test_times_before_the_first_element_are_refused_in_the_words_of_the_trace(
    tmp_path, monkeypatch, command, more
):
    write(tmp_path, "+02:00")
    monkeypatch.chdir(tmp_path)
    found = lars(command, "cq.rq", "t.nq", *more, "--to", "2026-01-31T23:59:50+02:00")
    assert found.code == 2
    assert "--to: the timeline [01-31T23:59:50, 01-31T23:59:50] is before the trace" in found.err
    assert "which is [01-31T23:59:51, 02-01T00:00:03] in 2026 (+02:00)" in found.err
    assert "use a time from 2026-01-31T23:59:51+02:00 on" in found.err
    assert lars(command, "cq.rq", "t.nq", *more, "--to", "23:59:51").code in {0, 1}


def test_numbers_before_the_first_element_are_refused_too(tmp_path):
    (tmp_path / "cq.rq").write_text(CQ)
    (tmp_path / "t.nq").write_text('<http://e/a> <http://e/p> <http://e/b> <http://e/S> "5" .\n')
    found = lars("agree", tmp_path / "cq.rq", tmp_path / "t.nq", "--period", "2", "--to", "4")
    assert found.code == 2
    assert "the timeline [0, 4] is before the trace, which is [5, 5]; use a time from 5 on" in found.err
