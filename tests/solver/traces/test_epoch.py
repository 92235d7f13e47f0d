"""Integers that count since 1970 start near time 0, as dateTimes do; the years before are not asked about."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agreement import api
from lars.durations import Duration
from lars.errors import LarsError
from solver.settings import TraceOptions, TraceWarning
from solver.traces import date_of
from tests.agreement.command import agree, lars, solve
from tests.solver.traces.both_readings import read_trace_in_process
from tests.solver.traces.writing import read_on_spark

SECOND, MILLISECOND = Duration(10**9), Duration(10**6)
TIMES = (1_700_000_000_000, 1_700_000_002_000, 1_700_000_007_000)
CQELS = "SELECT ?who ?room { STREAM <x:s> [RANGE 3s] { ?who <x:in> ?room } }"
CSPARQL = (
    "REGISTER QUERY q AS SELECT ?who ?room FROM STREAM <x:s> [RANGE 3s STEP 2s] WHERE { ?who <x:in> ?room }"
)
UNITS = ("--trace-unit", "1ms", "--unit", "1s")
MILLISECONDS = TraceOptions(unit=SECOND, trace_unit=MILLISECOND)
NOTE = "time 0 is 2023-11-14T22:13:19Z, one time point before the first element"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dated = [datetime.fromtimestamp(t // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") for t in TIMES]
    for name, times in {"ms.nq": TIMES, "dated.nq": dated}.items():
        lines = [f'<x:a{i}> <x:in> <x:h> <x:s> "{t}" .\n' for i, t in enumerate(times)]
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "c.cqels").write_text(CQELS)
    (tmp_path / "q.csparql").write_text(CSPARQL)
    (tmp_path / "p.lars").write_text("here(X) ← ⊞^3 ◇ striple(X, P, O, S).")
    return tmp_path


@pytest.mark.filterwarnings("ignore::solver.settings.TraceWarning")
@pytest.mark.parametrize(
    ("options", "times"),
    [
        (MILLISECONDS, [1, 3, 8]),
        (TraceOptions(unit=MILLISECOND), [1, 2001, 7001]),
        (replace(MILLISECONDS, absolute=True), [1_700_000_000, 1_700_000_002, 1_700_000_007]),
        (replace(MILLISECONDS, origin=datetime(1970, 1, 1, tzinfo=UTC)), [t // 1000 for t in TIMES]),
        (replace(MILLISECONDS, origin=datetime(2023, 11, 14, 22, 13, 10, tzinfo=UTC)), [10, 12, 17]),
        # Milliseconds that nobody calls so are still no reason to look at years without input.
        (TraceOptions(unit=SECOND), [1, 2001, 7001]),
    ],
)
def test_integers_since_1970_count_from_the_origin(files, options, times):
    assert [row[0] for row in read_trace_in_process([files / "ms.nq"], options)] == times


def test_milliseconds_that_nobody_calls_so_are_named(files):
    hint = "times are too late for dateTimes, so use --trace-unit 1ms"
    assert hint in lars("solve", "c.cqels", "ms.nq").err
    assert hint not in lars("solve", "c.cqels", "ms.nq", "--trace-unit", "1ms").err


def test_times_later_than_dates_are_numbers_alone(files):
    found = lars("solve", "c.cqels", "ms.nq", "--json", "--out", files / "o")
    assert [[*line] for line in found.lines] == [["t", "rows"]] * 3
    assert "origin" not in json.loads((files / "o/columns.json").read_text())
    assert api.solve("c.cqels", "ms.nq").to_pandas("answers")["t"].tolist() == [1, 2001, 7001]
    assert lars("agree", "c.cqels", "ms.nq", "--period", "5", "--report", files / "x.html").code == 1


@pytest.mark.parametrize("name", ["ms.nq", "dated.nq"])
def test_an_element_at_the_origin_lies_in_no_period_however_its_time_is_written(files, name):
    asks = ("c.cqels", name, *(UNITS if name == "ms.nq" else ()), "--origin", "2023-11-14T22:13:20Z")
    warning = "the trace has elements at time 0, which no period contains"
    assert warning in lars("agree", *asks, "--period", "5").err
    solved = lars("solve", *asks)
    assert (solved.code, warning in solved.err) == (0, False), "lars solve has no periods"


def test_a_date_whose_time_0_would_be_too_early_is_refused(tmp_path):
    date = '"1678-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    (tmp_path / "t.nq").write_text(f"<x:a> <x:in> <x:h> <x:s> {date} .\n")
    with pytest.raises(LarsError, match=r"one unit before the first time, 1678-01-.* is out of range"):
        read_trace_in_process([tmp_path / "t.nq"], TraceOptions(unit=Duration(86400 * 10**9 * 365)))


@pytest.mark.parametrize("t", [0, 1, 10**6, 30 * 365 * 86400 - 1])
def test_smaller_integers_are_left_as_they_are(tmp_path, t):
    file = tmp_path / "t.nq"
    file.write_text(f'<x:a> <x:p> <x:b> <x:s> "{t}" .\n')
    assert read_trace_in_process([file], TraceOptions(unit=SECOND))[0][0] == t


def test_an_origin_after_the_first_of_them_is_refused(files):
    late = replace(MILLISECONDS, origin=datetime(2024, 1, 1, tzinfo=UTC))
    with pytest.raises(
        LarsError, match=r"the first of them 2023-11-14T22:13:20Z; use an --origin that is not later"
    ):
        read_trace_in_process([files / "ms.nq"], late)


def test_spark_counts_them_alike(files, spark):
    with pytest.warns(TraceWarning):
        found, _ = read_on_spark(spark, [files / "ms.nq"], MILLISECONDS)
    assert [fact.t for fact in found] == [1, 3, 8]


@pytest.mark.parametrize("query", ["c.cqels", "q.csparql", "p.lars"])
def test_they_are_solved_as_the_same_times_written_as_dates(files, query):
    dated = solve(query, "dated.nq")
    epoch = solve(query, "ms.nq", *UNITS)
    assert (epoch.code, epoch.out) == (0, dated.out)
    assert NOTE in epoch.err


def test_they_are_compared_as_dates_are(files):
    found = agree("q.csparql", "c.cqels", "ms.nq", *UNITS)
    assert found.json == agree("q.csparql", "c.cqels", "dated.nq").json


def test_a_specification_reports_on_them_as_on_dates(files):
    found = lars("solve", "q.csparql", "ms.nq", *UNITS, "--as", "csparql")
    assert (found.code, found.out) == (0, lars("solve", "q.csparql", "dated.nq", "--as", "csparql").out)


def test_an_engine_version_reports_at_the_times_of_its_recording(files):
    found = lars("solve", "q.csparql", "ms.nq", *UNITS, "--as", "csparql-0.9.7").out.splitlines()
    dated = lars("solve", "q.csparql", "dated.nq", "--as", "csparql-0.9.7").out.splitlines()
    assert [line.partition(": ")[2] for line in found] == [line.partition(": ")[2] for line in dated]
    assert [line.partition(":")[0] for line in found[1:]] == ["1700000002", "1700000004.001"]


@pytest.mark.parametrize("name", ["ms.nq", "dated.nq"])
@pytest.mark.parametrize("query", ["c.cqels", "q.csparql", "p.lars"])
def test_a_first_time_since_1970_is_the_same_date(files, name, query):
    """With an integer, time 0 was 1970, so that windows with a slide closed at other times."""
    asked = (query, name, *(UNITS if name == "ms.nq" else ()))
    for span in ((1_700_000_002,), (1_700_000_002, 1_700_000_010)):
        dates = (datetime.fromtimestamp(t, UTC).isoformat() for t in span)
        found, dated = (
            solve(*asked, *(word for pair in zip(("--from", "--to"), ends, strict=False) for word in pair))
            for ends in (span, dates)
        )
        assert (found.code, found.out) == (0, dated.out)
        assert '"t_date": "2023-11-14' in found.out


@pytest.mark.parametrize("t", [5_000_000_000, 2**53])
def test_times_since_1970_are_converted_in_each_command(tmp_path, monkeypatch, t):
    """The window of the example depends on the begin of its slides; 2**53 is too late for a dateTime."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.lars").write_text("d(X) ← ⊞^{2,0,2} ◇ q(X).")
    (tmp_path / "d.atoms").write_text(f"{t}: q(a).\n{t + 2}: q(b).\n")
    rows = {line["t"]: line["answer_streams"] for line in solve("d.lars", "d.atoms").lines}
    assert rows[3] == solve("d.lars", "d.atoms", "--from", t + 2).lines[0]["answer_streams"] == [["d(a)"]]
    for atom, code in (("d(a)", 0), ("d(b)", 1)):
        at = ("d.lars", "d.atoms", "--at", t + 2)
        assert ("does not hold" in lars("explain", *at, atom).out) == bool(code)
        (tmp_path / "answers").write_text(f"3: {{{atom}}}\n")
        assert lars("check", *at, "--answer", "answers").code == code


@pytest.mark.parametrize(("query", "mode"), [("c.cqels", "push"), ("q.csparql", "pull"), ("p.lars", None)])
def test_who_asks_for_times_since_1970_from_one_on_gets_them(files, query, mode):
    asked = (query, "ms.nq", *UNITS, *(("--mode", mode) if mode else ()), "--from", 1_700_000_002)
    both = solve(*asked, "--to", 1_700_000_007)
    assert (both.code, solve(*asked).out) == (0, both.out)


@pytest.mark.parametrize("name", ["ms.nq", "dated.nq"])
def test_a_last_time_since_1970_alone_is_the_same_date(files, name):
    units = UNITS if name == "ms.nq" else ()
    for command in (("agree", "q.csparql", "c.cqels"), ("solve", "c.cqels"), ("solve", "q.csparql")):
        found, dated = (
            lars(*command, name, *units, "--to", to) for to in (1_700_000_003, "2023-11-14T22:13:23Z")
        )
        assert (found.code, found.out) == (dated.code, dated.out)
        assert found.code < 2


@pytest.mark.parametrize("option", ["--from", "--to", "--until", "--t0"])
def test_a_specification_is_asked_for_times_since_1970(files, option):
    asked = ("q.csparql", "ms.nq", *UNITS, "--as", "csparql", option)
    dated = lars("solve", *asked, "2023-11-14T22:13:22Z")
    assert (dated.code, lars("solve", *asked, 1_700_000_002).out) == (0, dated.out)


def test_recorded_answers_and_their_trace_count_alike(files):
    reported = lars("solve", "c.cqels", "ms.nq", *UNITS, "--as", "cqels", "--json").lines
    (files / "answers.ndjson").write_text("".join(f"{json.dumps(line)}\n" for line in reported))
    found = lars("judge", "c.cqels", "ms.nq", *UNITS, "--answers", "answers.ndjson", "--json")
    assert (found.code, found.json["correct"]) == (0, True)


def test_the_date_of_a_late_time_point_is_exact_to_the_nanosecond():
    assert date_of(2**60 + 1, "1970-01-01T00:00:00Z", Duration(1)) == "2006-07-14T23:58:24.606846977Z"
