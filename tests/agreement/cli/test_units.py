"""Without --unit a time point is as long as the durations of queries and options need, at most a second."""

import json

import pytest

from agreement.documents.requests import query_files as reading
from lars.durations import Duration
from tests.agreement.command import agree, lars, solve
from tests.packs import SAMPLES
from translate.dialects import read_query
from translate.model.query import STEPPED, Language
from translate.model.windows import Range
from translate.writing.expression_text import write_window

CQELS = "SELECT ?who ?room { STREAM <http://e/S> [RANGE 200ms] { ?who <http://e/in> ?room } }"
CSPARQL = (
    "REGISTER QUERY q AS SELECT ?who ?room FROM STREAM <http://e/S> [RANGE 200ms STEP 100ms] "
    "WHERE { ?who <http://e/in> ?room }"
)
TRACE = "".join(f'<http://e/w{t}> <http://e/in> <http://e/hall> <http://e/S> "{t}" .\n' for t in (1, 2, 5))
NOTE = "note: one time point is {}, so that every duration is a multiple of it (--unit)\n"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"c.cqels": CQELS, "q.csparql": CSPARQL, "t.nq": TRACE}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    "call",
    [
        ("translate", "c.cqels"),
        ("solve", "c.cqels", "t.nq", "--in-process"),
        ("solve", "c.cqels", "t.nq", "--as", "cqels"),
        ("explain", "c.cqels", "t.nq", "--at", "2", "ans1(hall,w1)"),
        ("compare", "cqels", "cqels-1.x", "c.cqels", "t.nq"),
    ],
)
def test_a_window_shorter_than_a_second_is_read_by_every_command(call):
    found = lars(*call)
    assert found.code in (0, 1)
    assert found.err.startswith(NOTE.format("200ms"))
    assert "Traceback" not in found.err


def test_an_answer_stream_is_checked_at_the_unit_of_the_windows(files):
    (files / "answer").write_text("1: ans1(<http://e/hall>, <http://e/w1>) trigger.\n")
    found = lars("check", "c.cqels", "t.nq", "--answer", "answer", "--at", 1)
    assert (found.code, found.err) == (0, NOTE.format("200ms"))


def test_recorded_answers_are_judged_at_the_unit_of_the_windows(files):
    (files / "answers.ndjson").write_text(solve("c.cqels", "t.nq").out)
    found = lars("judge", "c.cqels", "t.nq", "--answers", "answers.ndjson")
    assert found.code in (0, 1)
    assert found.err.startswith(NOTE.format("200ms"))


def test_agree_fits_both_queries_and_the_period():
    found = agree("q.csparql", "c.cqels", "t.nq", "--period", "150ms..250ms..50ms")
    assert (found.json["unit"], [one["period"] for one in found.json["periods"]]) == ("50ms", [3, 4, 5])


def test_an_experiment_fits_the_period_of_the_command_line(files):
    text = 'csparql = "q.csparql"\n[streams]\n"http://e/S" = "t.nq"\n'
    (files / "experiment.toml").write_text(text)
    assert agree(".").json["unit"] == "100ms"
    assert agree(".", "--period", "30ms").json["unit"] == "10ms"
    assert agree(".", "--period", "2s", "--unit", "100ms").json["periods"][0]["period"] == 20


def test_lars_run_says_the_unit_of_all_cells(files):
    (files / "experiment.toml").write_text(
        'cqels = "c.cqels"\nfiles = "t.nq"\n[[engines]]\nengine = "cqels-1.x"\n'
    )
    found = lars("run", ".")
    assert found.code == 0
    assert found.err.startswith(NOTE.format("200ms").replace("--unit", "`unit`"))


@pytest.mark.parametrize(
    ("options", "unit"),
    [
        (("--trace-unit", "50ms"), "50ms"),
        (("--period", "20ms", "--mode", "pull"), "20ms"),
        (("--unit", "100ms"), None),
    ],
)
def test_the_unit_fits_the_options_too(options, unit):
    found = solve("c.cqels", "t.nq", *options)
    assert found.code == 0
    assert found.err.startswith(NOTE.format(unit)) if unit else "note" not in found.err


def test_nothing_is_said_of_a_second(files):
    (files / "c.cqels").write_text(CQELS.replace("200ms", "2s"))
    assert solve("c.cqels", "t.nq").err == ""


def test_a_window_that_the_given_unit_does_not_divide_is_refused():
    found = solve("c.cqels", "t.nq", "--unit", "1s")
    assert (found.code, "use a unit that divides" in found.err) == (2, True)


@pytest.mark.parametrize(
    ("option", "value"), [("--unit", "5"), ("--trace-unit", "0s"), ("--trace-unit", "x")]
)
def test_the_option_that_is_wrong_is_named(option, value):
    found = solve("c.cqels", "t.nq", option, value)
    assert found.code == 2
    assert found.err.startswith(f"lars: {option} ")


def test_a_wrong_unit_of_answers_is_named(files):
    (files / "answers.ndjson").write_text(json.dumps({"t": 1, "rows": []}))
    found = lars("judge", "c.cqels", "t.nq", "--answers", "answers.ndjson", "--answers-unit", "0s")
    assert (found.code, found.err.partition(": expected")[0]) == (2, "lars: --answers-unit 0s")


def trace_of(times):
    return "".join(f'<http://e/w{t}> <http://e/in> <http://e/hall> <http://e/S> "{t}" .\n' for t in times)


APART = "warning: no window contains elements with different times: times of the trace are at least "
SECONDS = (20240201120005, 20240201120107)
WHOLE = "warning: every window can contain the whole trace: the trace has "


@pytest.mark.parametrize(
    ("window", "times", "options", "warned"),
    [
        (
            "[RANGE 10s]",
            range(0, 60_000, 5_000),
            (),
            f"{APART}5000 time points apart, the longest window has 10;",
        ),
        ("[RANGE 10s]", range(0, 60_000, 5_000), ("--trace-unit", "1ms", "--unit", "1s"), ""),
        ("[RANGE 10s]", range(0, 60, 10), (), ""),
        ("[RANGE 9s]", range(0, 60, 10), (), f"{APART}10 time points apart"),
        ("[RANGE 9s]", (0, 10), (), ""),
        (
            "[RANGE 30m]",
            range(9),
            (),
            f"{WHOLE}8 time points, the shortest window 1800; the integers in the trace count 1s",
        ),
        ("[RANGE 30m]", range(9), ("--unit", "1min"), ""),
        ("[RANGE 30m]", range(5), (), ""),
        ("[RANGE UNBOUNDED]", range(9), (), ""),
        ("[TRIPLES 1]", range(0, 6000, 1000), (), ""),
        ("[NOW]", range(0, 6000, 1000), (), ""),
    ],
)
def test_windows_that_do_not_fit_the_trace_are_warned_of(files, window, times, options, warned):
    (files / "c.cqels").write_text(CQELS.replace("[RANGE 200ms]", window))
    (files / "t.nq").write_text(trace_of(times))
    errors = [line for line in solve("c.cqels", "t.nq", *options).err.splitlines() if "window" in line]
    assert [line[: len(warned)] for line in errors] == ([warned] if warned else [])


@pytest.mark.parametrize(
    ("times", "options", "warned"),
    [
        (
            SECONDS,
            (),
            "20240201120005 as multiples of 1s; write them as",
        ),
        (
            SECONDS,
            ("--unit", "1ms", "--trace-unit", "1s"),
            "20240201120005 as multiples of 1s",
        ),
        (SECONDS, ("--trace-unit", "1ms"), "20240201120005 as multiples of 1ms"),
        (
            (20240201, 20240202),
            (),
            "20240201 as multiples of 1s; write them as dateTimes, such as 2024-02-01T00:00:00",
        ),
        ((202402011200, 202402011305), (), "dateTimes, such as 2024-02-01T12:00:00"),
        ((20240201120005123, 20240201120005999), (), "dateTimes, such as 2024-02-01T12:00:05"),
        ((20240201120005, 20240201120060), (), ""),
        ((20240201, 20240232), (), ""),
        ((20240201, 20241301), (), ""),
        ((2024, 20240201), (), ""),
        ((1718000000, 1718000005), (), ""),
        ((1718000000123, 1718000005456), ("--trace-unit", "1ms"), ""),
        ((1718000000123456, 1718000005456123), ("--trace-unit", "1us"), ""),
        ((10101001, 10101002), (), ""),
    ],
)
def test_integers_that_look_like_dates_are_warned_of(files, times, options, warned):
    (files / "c.cqels").write_text(CQELS.replace("200ms", "1s"))
    (files / "t.nq").write_text(trace_of(times))
    errors = [line for line in solve("c.cqels", "t.nq", *options).err.splitlines() if "look like" in line]
    assert [warned in line for line in errors] == ([True] if warned else [])
    assert "--trace-unit 1ms if" not in "".join(errors)


def test_dates_leave_no_doubt(files):
    (files / "c.cqels").write_text(CQELS.replace("200ms", "1s"))
    dates = [f"2024-01-01T12:0{minute}:00Z" for minute in range(9)]
    (files / "t.nq").write_text(trace_of(dates))
    (said,) = solve("c.cqels", "t.nq").err.splitlines()
    assert said.startswith("note: time 0 is 2024-01-01T11:59:59Z, one time point is 1s")


def test_spark_and_judge_warn_alike(files, spark):
    (files / "c.cqels").write_text(CQELS.replace("200ms", "1s"))
    (files / "t.nq").write_text(trace_of(range(0, 60, 10)))
    said = [
        lars("solve", "c.cqels", "t.nq", "--master", "local[2]").err,
        lars("compare", "cqels", "cqels-1.x", "c.cqels", "t.nq").err,
    ]
    assert (
        said[0].splitlines()[0]
        == said[1].splitlines()[0]
        == (
            f"{APART}10 time points apart, the longest window has 1; "
            "the integers in the trace count 1s. If this unit is wrong, set --trace-unit and --unit"
        )
    )


def test_another_unit_than_the_experiments_is_warned_of():
    found = agree(SAMPLES / "coupons", "--unit", "1s")
    assert found.err.splitlines()[0] == (
        "warning: --unit 1s replaces the unit 1m of the experiment. Periods, the timeline, and "
        "integers in the traces now have the unit 1s"
    )
    assert agree(SAMPLES / "coupons", "--unit", "1m").err == ""


@pytest.fixture
def parsed(monkeypatch):
    """The queries that are parsed, as none was before."""
    found = []
    reading._read.cache_clear()
    monkeypatch.setattr(
        reading, "read_query", lambda *given, **how: found.append(1) or read_query(*given, **how)
    )
    return found


@pytest.mark.parametrize("text", [CQELS, "SELECT ?x {"])
@pytest.mark.parametrize("call", [("solve",), ("agree", "--period", "1")])
def test_a_query_is_parsed_once(files, parsed, text, call):
    (files / "q.rq").write_text(text)
    ran = lars(call[0], "q.rq", "t.nq", *call[1:])
    assert (ran.code == 2, len(parsed)) == (text != CQELS, 1)


def test_each_query_of_an_experiment_is_parsed_once(parsed):
    lars("agree", SAMPLES / "slide")
    assert len(parsed) == 2


def test_a_function_without_a_value_hides_no_window_from_the_unit(files):
    (files / "f.rq").write_text(CQELS.replace("?room } }", "?room } FILTER(<http://e/f>(?room)) }"))
    assert NOTE.format("200ms") in lars("translate", "f.rq").err


def test_step_gives_windows_the_step_that_csparql_requires(files):
    assert (
        "[RANGE 200ms STEP 100ms]" in lars("translate", "c.cqels", "--to", "csparql", "--step", "100ms").out
    )
    assert lars("translate", "c.cqels", "--step", "1s").code == 2


# In CQELS 2 the name of a stream is a word, and in the query it is an IRI.
@pytest.mark.parametrize("language", sorted(set(Language) - {Language.CQELS2}, key=str))
def test_a_step_that_a_message_names_is_written(files, language):
    (files / "c.cqels").write_text(CQELS.replace("200ms", "3s"))
    call = ("translate", "c.cqels", "--to", language.value)
    without, stepped = lars(*call), lars(*call, "--step", "1s")
    # A SLIDE of CQELS would hide rows from push.
    assert stepped.code == (2 if language is Language.CQELS else 0)
    window = write_window(Range(Duration(3 * 10**9), Duration(10**9)), language)
    assert (window in stepped.out) == (language is not Language.CQELS)
    assert (without.code, "use lars translate --step 1s" in without.err) == (
        (2, True) if language in STEPPED else (0, False)
    )
    # Janus without a log is recognized as RSP-QL.
    assert ("recognized as" in stepped.err) == (language is Language.JANUS)
