"""Times as dateTimes: each option that takes a time point takes one, and means the same by it."""

import csv
import json
from datetime import UTC, datetime, timedelta

import pytest

from agreement import api
from tests.agreement.command import lars
from tests.packs import SAMPLES

PREFIX = "PREFIX : <http://e/> "
CQ = PREFIX + "SELECT ?s WHERE { STREAM :S [RANGE 3s] { ?s :p ?o } }"
CS = PREFIX + "SELECT ?s FROM STREAM :S [RANGE 3s STEP 3s] WHERE { ?s :p ?o }"
ZERO = datetime(2026, 1, 31, 12, tzinfo=UTC)


def dated(point):
    return (ZERO + timedelta(seconds=point)).isoformat().replace("+00:00", "Z")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write queries, a trace with dateTimes from time point 1 to 13 on, and answers of an engine."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cq.rq").write_text(CQ)
    (tmp_path / "cs.rq").write_text(CS)
    triples = (f'<http://e/a> <http://e/p> <http://e/b> <http://e/S> "{dated(t)}" .\n' for t in (1, 5, 6, 13))
    (tmp_path / "t.nq").write_text("".join(triples))
    (tmp_path / "t.csv").write_text(f"t,atom\n{dated(1)},p(a)\n{dated(5)},p(b)\n")
    (tmp_path / "p.lars").write_text("q(X) ← ⊞^2 ◇ p(X).\n")
    return tmp_path


CALLS = {
    "solve": (("solve", "cq.rq", "t.nq", "--json"), {"--from": 5, "--to": 7}),
    "solve, past the end": (
        ("solve", "cq.rq", "t.nq", "--mode", "pull", "--period", "3", "--json"),
        {"--to": 15},
    ),
    "solve a program": (("solve", "p.lars", "t.csv", "--json"), {"--from": 4, "--to": 6}),
    "solve --as": (("solve", "cs.rq", "t.nq", "--as", "csparql", "--json"), {"--t0": 1, "--until": 10}),
    "solve --as, shown": (
        ("solve", "cq.rq", "t.nq", "--as", "cqels-1.x", "--json"),
        {"--from": 2, "--to": 6},
    ),
    "agree": (("agree", "cs.rq", "t.nq", "--period", "3", "--json"), {"--from": 2, "--to": 12}),
    "explain": (("explain", "cq.rq", "t.nq", "ans1(<http://e/a>)", "--json"), {"--at": 7}),
    "asp": (("translate", "cq.rq", "t.nq", "--format", "asp"), {"--at": 7}),
    "sql": (("translate", "cq.rq", "t.nq", "--format", "sql"), {"--at": 7}),
}


@pytest.mark.parametrize("origin", [(), ("--origin", dated(0))], ids=["implied", "named"])
@pytest.mark.parametrize("call", CALLS)
def test_a_date_time_is_the_time_point_that_it_is(files, call, origin):
    words, times = CALLS[call]
    by_points, by_dates = (
        lars(*words, *origin, *(word for option, t in times.items() for word in (option, written(t))))
        for written in (str, dated)
    )
    assert by_dates.out == by_points.out
    assert (by_dates.code, by_dates.err) == (by_points.code, by_points.err)
    assert by_points.code in {0, 1}
    assert by_points.out
    without = lars(*words, *origin)
    assert without.out != by_points.out


def test_integers_have_dates_where_an_origin_says_so(files):
    (files / "n.nq").write_text('<http://e/a> <http://e/p> <http://e/b> <http://e/S> "5" .\n')
    named = ("--origin", dated(0), "--to", dated(6), "--json")
    assert [json.loads(line)["t"] for line in lars("solve", "cq.rq", "n.nq", *named).out.splitlines()] == [5]
    found = lars("solve", "cq.rq", "n.nq", "--to", dated(6))
    assert found.code == 2
    assert f"found the dateTime {dated(6)}, but all times of the input are integers" in found.err
    assert "expected time points, or dateTimes with --origin" in found.err


WRONG = {
    "2026-01-31T11:59:59Z": f"is before the trace's times, [{dated(0)}, {dated(13)}]; ",
    "2026-01-31T12:00:03.5Z": "is not a multiple of the unit 1s",
    "2026-01-31T12:00:03": "unlike the times of the trace; add the time zone, such as 2026-01-31T12:00:03Z",
    "2026-01-31": "expected a time point from 0, such as 5, or a dateTime such as 2026-05-04T08:00:00Z",
    "2026-02-30T12:00:03Z": "expected a dateTime from 1678 to 2261 with a zone up to 14:00, such as",
    "2026-01-31T12:00:03.00000001Z": "expected a time point from 0, such as 5",
}


@pytest.mark.parametrize("time", WRONG)
def test_what_is_no_time_of_the_trace_is_refused(files, time):
    found = lars("solve", "cq.rq", "t.nq", "--to", time)
    assert found.code == 2
    assert WRONG[time] in found.err
    assert "Traceback" not in found.err


def test_python_takes_datetimes_texts_and_time_points(files):
    moments = tuple(ZERO + timedelta(seconds=t) for t in (5, 7))
    found = [
        [one.t for one in api.solve("cq.rq", "t.nq", from_=first, to=last).answers]
        for first, last in ((5, 7), (dated(5), dated(7)), moments)
    ]
    assert found == [[5, 6]] * 3


def test_recorded_answers_count_from_the_origin_that_the_trace_implies(files):
    (files / "a.csv").write_text("time,s\n" + "".join(f"{dated(t)},http://e/a\n" for t in (1, 5, 6, 13)))
    call = ("judge", "cq.rq", "t.nq", "--answers", "a.csv", "--engine", "cqels-1.x", "--json")
    implied, named = lars(*call), lars(*call, "--origin", dated(0))
    assert (implied.code, implied.out) == (named.code, named.out)
    assert implied.json["correct"] is True
    (files / "a.csv").write_text("time,s\n" + "".join(f"{dated(t + 1)},http://e/a\n" for t in (1, 5, 6, 13)))
    assert lars(*call).json["correct"] is False


def test_answers_with_dates_of_a_trace_with_numbers_need_an_origin(files):
    (files / "n.nq").write_text('<http://e/a> <http://e/p> <http://e/b> <http://e/S> "5" .\n')
    (files / "a.csv").write_text(f"time,s\n{dated(5)},http://e/a\n")
    call = ("judge", "cq.rq", "n.nq", "--answers", "a.csv", "--engine", "cqels", "--json")
    assert "the dateTime of time 0 is unknown" in lars(*call).err
    assert lars(*call, "--origin", dated(0)).json["correct"] is True


def test_an_experiment_takes_date_times_on_its_command_line(files):
    found = [
        lars("agree", SAMPLES / "slide", "--origin", dated(0), "--from", first, "--to", last, "--json")
        for first, last in (("0", "7"), (dated(0), dated(7)))
    ]
    assert found[0].out == found[1].out
    assert found[0].code in {0, 1}


EXPERIMENT = """
unit = "1s"
timeline = {}
period = 3
csparql = "cs.rq"
streams = {{ "http://e/S" = "t.nq" }}
"""


@pytest.mark.parametrize(
    ("first", "last"), [(dated(2), dated(12)), (f'"{dated(2)}"', f'"{dated(12)}"')], ids=["dates", "texts"]
)
def test_the_timeline_of_an_experiment_can_be_dates(files, first, last):
    outs = []
    for timeline in ("[2, 12]", f"[{first}, {last}]"):
        (files / "experiment.toml").write_text(EXPERIMENT.format(timeline))
        found, run = lars("agree", ".", "--json"), lars("run", ".", "--fresh")
        assert found.code in {0, 1}, found.err
        outs.append((found.out, run.code))
    assert outs[0] == outs[1]
    (files / "experiment.toml").write_text(EXPERIMENT.format("[0, 13]"))
    assert lars("agree", ".", "--json").out != outs[0][0]


@pytest.mark.parametrize(
    "timeline", [f"[{dated(5)}, {dated(2)}]", f"[0, {dated(2)}]", f'[{dated(2)}, "2026-01-31T12:00:09"]']
)
def test_a_timeline_that_is_none_has_its_place(files, timeline):
    (files / "experiment.toml").write_text(EXPERIMENT.format(timeline))
    found = lars("agree", ".")
    assert found.code == 2
    assert "experiment.toml:3:12: timeline: found [" in found.err
    assert "or two dates with times" in found.err


NOWS = {
    "solve": (("solve", "now.rq", "t.nq", "--json"), dated(13)),
    "solve, pulled": (("solve", "now.rq", "t.nq", "--mode", "pull", "--period", "3", "--json"), dated(3)),
    "solve --as": (("solve", "now.rq", "t.nq", "--as", "cqels", "--json"), dated(13)),
    "compare": (("compare", "cqels", "csparql", "now.rq", "now.cs.rq", "t.nq"), dated(13)),
    "agree": (("agree", "now.rq", "t.nq", "--period", "3", "--json"), dated(1)),
    "explain": (("explain", "now.rq", "t.nq", f'ans1("{dated(5)}", <http://e/a>)', "--at", "5"), dated(5)),
    "asp": (("translate", "now.rq", "t.nq", "--format", "asp", "--at", "5"), dated(0)),
    "shrink": (("shrink", "now.rq", "t.nq", "--period", "3", "--out", "left"), "2026-01-31T12:00:00Z"),
}


@pytest.mark.parametrize("call", NOWS)
def test_now_counts_from_the_time_zero_that_the_trace_implies(files, call):
    for name, query in (("now.rq", CQ), ("now.cs.rq", CS)):
        (files / name).write_text(query.replace("SELECT ?s", "SELECT ?s (NOW() AS ?n)"))
    words, time = NOWS[call]
    found = lars(*words)
    assert found.code in {0, 1}, found.err
    assert "1970-" not in found.out
    written = (files / "left/experiment.toml").read_text() if call == "shrink" else found.out
    assert time in written


def test_answers_with_now_are_judged_by_the_time_zero_that_the_trace_implies(files):
    (files / "now.rq").write_text(CQ.replace("SELECT ?s", "SELECT ?s (NOW() AS ?n)"))
    (files / "answers.ndjson").write_text(lars("solve", "now.rq", "t.nq", "--json").out)
    found = lars("judge", "now.rq", "t.nq", "--engine", "cqels", "--answers", "answers.ndjson", "--json")
    assert (found.code, found.json["correct"]) == (0, True)


def test_an_experiment_judges_answers_with_now_so_too(files):
    (files / "now.rq").write_text(CQ.replace("SELECT ?s", "SELECT ?s (NOW() AS ?n)"))
    (files / "answers.ndjson").write_text(lars("solve", "now.rq", "t.nq", "--json").out)
    tables = (
        '[[queries]]\nname = "Q"\ncqels = "now.rq"',
        '[[traces]]\nname = "T"\nfiles = ["t.nq"]',
        '[[engines]]\nname = "A"\nanswers = "answers.ndjson"\nspecification = "cqels"\nt0 = 0',
    )
    (files / "experiment.toml").write_text("\n\n".join(('unit = "1s"', *tables)))
    assert lars("run", files).code == 0
    (line,) = csv.DictReader((files / "results/verdicts.csv").read_text().splitlines())
    assert line["correct"] == "True"


def test_a_time_of_day_is_that_of_the_traces_day(files):
    asked = ("solve", "cq.rq", "t.nq", "--json")
    by_points = lars(*asked, "--from", 5, "--to", 7)
    assert lars(*asked, "--from", "12:00:05", "--to", "12:00:07").out == by_points.out
    assert lars(*asked, "--from", "12:00:05.0", "--to", dated(7)).out == by_points.out
    beyond = lars(*asked, "--from", "12:00:05", "--to", "12:01")
    assert beyond.out == lars(*asked, "--from", 5, "--to", 60).out


def test_a_time_of_day_that_is_not_clear_is_refused(files):
    trace = (files / "t.nq").read_text()
    (files / "days.nq").write_text(trace.replace(dated(13), dated(13 + 86400)))
    several = lars("solve", "cq.rq", "days.nq", "--from", "12:00:05")
    assert several.code == 2
    assert several.err.endswith(
        "found the time of day 12:00:05, which the trace has on several days; expected a dateTime, such as "
        f"{dated(5)} or {dated(5 + 86400)}\n"
    )
    before = lars("solve", "cq.rq", "t.nq", "--from", "11:00")
    assert before.code == 2
    assert "found the time of day 11:00:00, which is before the trace's times, [" in before.err
    (files / "n.nq").write_text('<http://e/a> <http://e/p> <http://e/b> <http://e/S> "5" .\n')
    numbers = lars("solve", "cq.rq", "n.nq", "--from", "11:00")
    assert "found the time of day 11:00:00, but all times of the input are integers" in numbers.err


@pytest.mark.parametrize("time", ["24:00", "12:60", "7:00", "12:00:05Z"])
def test_what_is_no_time_of_day_is_refused(files, time):
    found = lars("solve", "cq.rq", "t.nq", "--from", time)
    assert found.code == 2
    assert "or a dateTime such as 2026-05-04T08:00:00Z or 08:00:00" in found.err


@pytest.fixture
def program(files):
    (files / "two.lars").write_text("q(X) ← ⊞^2 ◇ p(X).\na(X) ← q(X), not b(X).\nb(X) ← q(X), not a(X).\n")
    return "two.lars", "t.csv"


def test_check_reads_what_solve_printed_with_dates(files, program):
    (files / "answers.txt").write_text(lars("solve", *program, "-q").out)
    asked = ("check", *program, "--answer", "answers.txt", "--at", dated(5))
    found = lars(*asked)
    assert found.code == 0, found.err
    assert found.out.splitlines()[0] == f"{dated(5)} (1 of 2): an answer stream"
    assert {name: lars(*asked, "--json").json[name] for name in ("origin", "t", "t_date", "correct")} == {
        "origin": dated(0),
        "t": 5,
        "t_date": dated(5),
        "correct": True,
    }


def test_check_names_the_times_that_an_answer_has_as_dates(files, program):
    (files / "answers.txt").write_text("5: {q(b), a(b)}\n")
    found = lars("check", *program, "--answer", "answers.txt", "--at", dated(4))
    assert found.code == 2
    assert (
        f"no answer streams for the time {dated(4)}; the file has answer streams for {dated(5)}" in found.err
    )


@pytest.fixture
def judged(files):
    lines = (f"{dated(t)},http://e/a\n" for t in (4, 7, 10))
    (files / "a.csv").write_text("time,s\n" + "".join(lines))
    return "judge", "cs.rq", "t.nq", "--answers", "a.csv", "--engine", "csparql"


@pytest.mark.parametrize("times", [("--t0", "0..1"), ("--registered", "1"), ("--until", "9")])
def test_judge_takes_dates_where_it_takes_time_points(files, judged, times):
    option, value = times
    as_dates = "..".join(dated(int(t)) for t in value.split(".."))
    of_day = "..".join(dated(int(t))[11:-1] for t in value.split(".."))
    by_points, by_dates, by_day = (lars(*judged, option, one, "--json") for one in (value, as_dates, of_day))
    assert by_points.code in {0, 1}
    assert by_points.out == by_dates.out == by_day.out
    assert by_points.out != lars(*judged, "--json").out


def test_judge_says_start_times_as_dates(files, judged):
    found = lars(*judged)
    assert found.out.splitlines()[0] == (
        "correct by csparql for t0 = 12:00:00 on 2026-01-31 (UTC), bounds high-open"
    )
    assert "windows on 2026-01-31 (UTC), t0 = 12:00:00" in found.out
    document = lars(*judged, "--json").json
    assert (document["t0"], document["t0_date"]) == ([[0]], [[dated(0)]])
    window = document["windows"][0]
    assert (window["t0"], window["t0_date"]) == ([0], [dated(0)])


def test_tables_of_judge_have_the_dates_of_start_times(files, judged):
    lars(*judged, "--out", "told", "--out-format", "csv")
    header, first, *_ = (files / "told" / "windows.csv").read_text().splitlines()
    assert header.split(",")[:5] == ["phase", "t0", "t0_date", "from", "from_date"]
    assert first.startswith(f'windows,[0],"[""{dated(0)}""]",')
    lars(*judged, "--out", "told", "--out-format", "parquet")
    assert (files / "told" / "windows.parquet").exists()


def test_static_data_are_there_from_date_to_date(files, judged):
    (files / "shop.ttl").write_text("<http://e/x> <http://e/y> <http://e/z> .\n")
    by_points, by_dates = (
        lars(*judged, "--static-at", f"{first}..{last}=shop.ttl", "--json")
        for first, last in ((2, 9), (dated(2), dated(9)))
    )
    assert by_points.code == 0, by_points.err
    assert (by_dates.code, by_dates.out) == (by_points.code, by_points.out)


def test_cases_have_numbers_alone(files):
    found = lars("judge", SAMPLES / "judged", "--t0", dated(2))
    assert found.code == 2
    assert "Traceback" not in found.err


def test_answers_that_are_a_stream_keep_their_dates(files):
    cs = CS.replace("SELECT ?s", "CONSTRUCT { ?s :q ?o }")
    (files / "con.rq").write_text(f"REGISTER STREAM o AS {cs}")
    found = lars("solve", "con.rq", "t.nq", "--as", "csparql", "--as-stream", "http://e/O")
    times = [line.rsplit('"', 2)[1] for line in found.out.splitlines()]
    assert times == [dated(t) for t in (3, 6, 9, 15)][: len(times)]
    assert times


def test_all_answers_of_agree_and_what_shrink_leaves_have_dates(files):
    full = lars("agree", "cs.rq", "t.nq", "--period", "3", "--full")
    assert "answers per time point on 2026-01-31 (UTC)" in full.out
    shown = full.out.partition("answers per time point")[2].splitlines()
    assert "│ 12:00:05 │ (a)  │      │" in shown
    answers = lars("agree", "cs.rq", "t.nq", "--period", "3", "--full", "--json").json["answers"]
    assert answers[0]["push"][0]["t_date"] == dated(5)
    left = lars("shrink", "cs.rq", "t.nq", "--period", "3")
    assert "│ last time point on 2026-01-31 (UTC) │ 12:00:13 │ 12:00:0" in left.out


def test_a_program_for_clingo_says_when_its_time_0_is(files):
    found = lars("translate", "cq.rq", "t.nq", "--format", "asp", "--at", dated(5))
    assert found.out.startswith(f"% Time 0 is {dated(0)}, a time point 1s.\n")


def test_a_timeline_after_the_trace_is_refused_in_the_words_of_the_trace(tmp_path):
    (tmp_path / "q.rq").write_text("SELECT ?x { STREAM <e:S> [RANGE 60s] { ?x <e:p> ?o } }")
    (tmp_path / "t.nq").write_text('<e:a> <e:p> "1" <e:S> "2026-06-15T07:29:55+02:00" .\n')
    inputs = "agree", tmp_path / "q.rq", tmp_path / "t.nq", "--period", "10s", "--from"
    ran = lars(*inputs, "07:30:00", "--to", "07:40:00")
    assert ran.code == 2
    assert (
        "[07:30:00, 07:40:00] is after the trace, which is [07:29:55, 07:29:55] on 2026-06-15 (+02:00)"
        in ran.err
    )
    assert lars(*inputs, "07:29:55", "--to", "07:40:00").code == 1
    ran = lars("solve", *inputs[1:3], "--from", "08:00:00", "--to", "09:00:00")
    assert "the timeline [08:00:00, 09:00:00] is after the trace, which is [07:29:55, 07:29:55]" in ran.err


@pytest.mark.parametrize(
    ("window", "last"), [("[RANGE 60s]", 61), ("[RANGE 60s SLIDE 10s]", 71), ("[RANGE 5s SLIDE 30s]", 36)]
)
@pytest.mark.parametrize("mode", [("push",), ("pull", "--period", "1")])
def test_a_first_time_at_which_all_windows_have_run_empty_is_refused(tmp_path, window, last, mode):
    (tmp_path / "q.rq").write_text(f"SELECT ?x {{ STREAM <e:S> {window} {{ ?x <e:p> ?o }} }}")
    (tmp_path / "t.nq").write_text('<e:a> <e:p> "1" <e:S> "1" .\n')
    inputs = "solve", tmp_path / "q.rq", tmp_path / "t.nq", "--mode", *mode, "--to", "99", "--from"
    assert lars(*inputs, str(last)).code == 0
    ran = lars(*inputs, str(last + 1))
    assert ran.code == 2
    assert f"[{last + 1}, 99] is after the trace, which is [1, 1]" in ran.err


def test_no_row_is_after_the_last_time_that_is_not_refused(tmp_path):
    """A window that opens late, and one without an end, still have rows there, so nothing is refused."""
    (tmp_path / "t.nq").write_text('<e:a> <e:p> "1" <e:S> "1" .\n')
    for window in ("[ALL]", "[TRIPLES 1]"):
        (tmp_path / "q.rq").write_text(f"SELECT ?x {{ STREAM <e:S> {window} {{ ?x <e:p> ?o }} }}")
        asked = ("--mode", "pull", "--period", "1", "--from", "5000", "--to", "5000")
        ran = lars("solve", tmp_path / "q.rq", tmp_path / "t.nq", *asked)
        assert "5000: (e:a)" in ran.out


def test_a_row_that_leaves_after_all_windows_have_run_empty_is_still_answered(tmp_path):
    """At 20 the window (15, 20] has the element of 18; at 40 DSTREAM reports that its row has left."""
    (tmp_path / "q.rq").write_text(
        "REGISTER DSTREAM <e:out> AS SELECT ?x FROM NAMED WINDOW <e:w> ON <e:S> [RANGE PT5S STEP PT1S] "
        "WHERE { WINDOW <e:w> { ?x <e:p> ?o } }"
    )
    (tmp_path / "t.nq").write_text('<e:a> <e:p> "1" <e:S> "18" .\n')
    inputs = "solve", tmp_path / "q.rq", tmp_path / "t.nq", "--unit", "1s", "--mode", "pull", "--period", "20"
    ran = lars(*inputs, "--from", "40", "--to", "60")
    assert (ran.code, ran.out) == (0, lars(*inputs, "--from", "20", "--to", "60").out.replace("20: -\n", ""))
    assert "40: (e:a)" in ran.out
