"""`lars record` as a command: what it writes, how it ends, what is said of wrong adapters."""

import json
import sys

import pytest

from agreement.comparing.judge.judging import recorded_of_case
from agreement.documents.recordings import read_case
from agreement.documents.requests import JudgeOptions
from agreement.engines.adapters.messages import EngineAnswers, EngineReport, ProfileReply, PushReply
from agreement.results.files.recorded import RecordResult, adapter_options
from lars.errors import LarsError
from tests.agreement.command import lars
from tests.agreement.engines.adapters.streams import rspql
from tests.packs import ROOT
from tests.sizes import few

pytestmark = pytest.mark.usefixtures("warm_engines")
SERVED = f"{sys.executable} -m agreement.cli serve-engine"
BROKEN = f"{sys.executable} {ROOT / 'tests/agreement/engines/adapters/broken.py'}"
LINE = '<http://e/a> <http://e/p> "{0}" <http://e/S> "{0}" .\n'


@pytest.fixture
def inputs(tmp_path):
    """Return a query and a trace of it, as files."""
    query, trace = tmp_path / "q.rspql.rq", tmp_path / "t.nq"
    query.write_text(rspql(4, 2))
    trace.write_text("".join(LINE.format(t) for t in (1, 4, 6, 9, 12)))
    return query, trace


def test_a_case_is_what_judge_reads_again(inputs, tmp_path):
    case = tmp_path / "case.json"
    ran = lars("record", *inputs, "--adapter", f"{SERVED} rsp-js-1.3.5", "--out", case)
    assert (ran.code, ran.err) == (0, "")
    assert "two processes gave the same answers" in ran.out
    assert lars("judge", case).code == 0
    assert lars("judge", case, "--engine", "rspql").code == 1


def test_a_case_is_recorded_again_with_its_query_and_stream(inputs, tmp_path):
    first, again = tmp_path / "first.json", tmp_path / "again.json"
    lars("record", *inputs, "--adapter", f"{SERVED} rsp-js-1.3.5", "--out", first)
    assert lars("judge", first, "--engine", "rspql").code == 1
    assert lars("record", first, "--adapter", f"{SERVED} rspql", "--out", again).code == 0
    assert lars("judge", again, "--engine", "rspql").code == 0
    old, new = (json.loads(path.read_text()) for path in (first, again))
    assert all(old[key] == new[key] for key in ("query", "stream"))
    ran = lars("record", first, "--adapter", f"{SERVED} rspql", "--out", first)
    assert (ran.code, "cannot be written, because it is an input" in ran.err) == (2, True)


@pytest.mark.parametrize("more", [("t.nq",), ("--sort",)])
def test_a_case_brings_its_query_and_stream(more, inputs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lars("record", *inputs, "--adapter", f"{SERVED} rspql", "--out", "case.json")
    ran = lars("record", "case.json", *more, "--adapter", f"{SERVED} rspql")
    assert (ran.code, "with a recorded case, which contains its query and trace" in ran.err) == (2, True)


def test_a_case_has_the_times_of_arrival_and_is_judged_by_them(inputs, tmp_path):
    inputs[1].write_text("".join(LINE.format(t) for t in (1, 6, 4, 9, 12)))
    case, answers = tmp_path / "case.json", ("--arrival", "order")
    ran = lars("record", *inputs, *answers, "--adapter", f"{SERVED} rspql", "--out", case)
    assert (ran.code, ran.err) == (0, "")
    pushes = read_case(case).pushes
    assert [(one.t, one.came) for one in pushes] == [(1, 1), (6, 6), (4, 6), (9, 9), (12, 12)]
    content = json.loads(case.read_text())
    assert [entry["came"] for entry in content["stream"]] == [1, 6, 6, 9, 12]
    content["stream"][2]["came"] = 4.5
    case.write_text(json.dumps(content, indent=1))
    assert str(recorded_of_case(read_case(case), JudgeOptions()).run.unit) == "500000ns"
    content["stream"][2]["came"] = 3
    case.write_text(json.dumps(content, indent=1))
    ran = lars("judge", case)
    assert (ran.code, "the time of arrival is before the time t" in ran.err) == (2, True)


@pytest.mark.parametrize("option", ["--out", "--log"])
@pytest.mark.parametrize("place", [0, 1])
def test_nothing_that_is_read_is_written_over(option, place, inputs, monkeypatch):
    monkeypatch.chdir(inputs[0].parent)
    before = inputs[place].read_text()
    ran = lars("record", *inputs, "--adapter", f"{SERVED} rspql", option, f"./{inputs[place].name}")
    assert (ran.code, "cannot be written, because it is an input" in ran.err) == (2, True)
    assert inputs[place].read_text() == before


def test_the_case_and_the_log_are_two_files(inputs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = lars("record", *inputs, "--adapter", f"{SERVED} rspql", "--out", "x", "--log", "./x")
    assert (ran.code, "--log x: the command uses this file already" in ran.err) == (2, True)


def test_a_log_is_kept_if_an_input_cannot_be_used(inputs, tmp_path):
    log = tmp_path / "messages.log"
    log.write_text("the messages of yesterday")
    adapter = ("--adapter", f"{SERVED} rspql", "--log", log)
    inputs[1].write_text("nonsense\n")
    assert lars("record", *inputs, *adapter).code == 2
    assert lars("record", "--check", f"{SERVED} rspql", "--log", log, "--option", "t0=3").code == 2
    assert log.read_text() == "the messages of yesterday"


def test_an_option_of_the_adapter_is_json_or_a_text_and_is_given_once():
    assert adapter_options(["a=NaN", "b=1", "c=x"]) == {"a": "NaN", "b": 1, "c": "x"}
    with pytest.raises(LarsError, match="found two values of t0; use one value"):
        adapter_options(["t0=3", "t0=4"])


def test_what_the_engine_is_told_at_open_changes_what_it_answers(inputs):
    adapter = ("--adapter", f"{SERVED} rsp-js-1.3.5", "--json")
    with_rule, without = (
        lars("record", *inputs, *adapter, *more) for more in ((), ("--option", 'off=["R1"]'))
    )
    assert (with_rule.code, without.code) == (0, 0)
    assert with_rule.json["reports"] != without.json["reports"]


def test_the_table_has_reports_without_rows_and_reports_at_the_end():
    some, empty = EngineReport(t=2000, rows=({"a": '"1"'}, {"a": '"2"'})), EngineReport(t=4000, rows=())
    replies = PushReply(reports=()), PushReply(reports=(some, empty))
    answers = EngineAnswers(ProfileReply(engine="toy"), replies=replies, flush=(empty,))
    table = RecordResult(None, answers, deterministic=True, pushed=2).to_pandas()
    assert table["t"].tolist() == [2000, 2000, 4000, 4000]
    assert table["push"].fillna(-1).tolist() == [1, 1, 1, -1]
    assert table["row"].isna().tolist() == [False, False, True, True]


def test_of_many_refused_pushes_the_others_are_counted():
    answers = EngineAnswers(ProfileReply(engine="toy"), replies=(PushReply(reports=(), refused="no"),) * 5)
    text = RecordResult(None, answers, deterministic=True, pushed=5).text
    assert text.count("the engine rejected element ") == 3
    assert "… and 2 more rejected elements (--json prints all)" in text


def test_a_query_that_the_engine_refuses_is_recorded_as_such(inputs, tmp_path):
    query, trace = inputs
    query.write_text("SELECT ?s WHERE { STREAM <http://e/S> [RANGE 4s] { ?s <http://e/p> ?a } }")
    case = tmp_path / "case.json"
    ran = lars("record", query, trace, "--adapter", f"{SERVED} rsp-js-1.3.5", "--out", case)
    assert ran.code == 0
    assert ran.out.startswith("the query is rejected: ")
    assert "two processes rejected the query" in ran.out
    assert json.loads(case.read_text())["refused"]


@pytest.mark.parametrize(
    ("kind", "said"),
    {
        "crashing": "after the message push; its last lines on standard error: Traceback | No more memory",
        "silent": "has not replied for 1 s after the message push",
        "term": "'http://e/a' is not an RDF term",
        "half": "its output is not a JSON object",
        "forking": None,
    }.items(),
)
def test_a_broken_adapter_is_one_message_and_no_case(kind, said, inputs, tmp_path):
    case = tmp_path / "case.json"
    ran = lars("record", *inputs, "--adapter", f"{BROKEN} {kind}", "--silence", "1", "--out", case)
    assert (ran.code, case.exists()) == ((0, True) if said is None else (3, False))
    if said is not None:
        assert said in ran.err
        assert len(ran.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--adapter", "a", "--check", "b"), "--check"),
        ((), "--check"),
        (("--adapter", "a"), "missing input: use CASE.json or QUERY TRACE.. with --adapter, or --check"),
        (("--check", "a", "--out", "c.json"), "cannot combine --out or --option with --check"),
        (("--check", "a", "--unit", "1s"), "cannot combine --unit with --check"),
        (
            ("q.rq", "python3 a.py", "--check", "--silence"),
            "--check '--silence': found the files q.rq and python3 a.py; expected the command directly after",
        ),
        (("--check", ""), "an adapter requires a name"),
        (("--check", "'"), "No closing quotation"),
        (("--check", "no-such-adapter"), "cannot start the adapter 'no-such-adapter': No such file"),
        (("--check", "a", "--option", "t0"), "expected NAME=VALUE"),
        (("q.rq", "--adapter", "a", "--out", "no-such/c.json"), "c.json: cannot be written; use a file"),
        (("q.rq", "--adapter", "a", "--out", "."), "--out .: cannot be written; use a file"),
    ],
)
def test_wrong_calls_are_one_message(arguments, said):
    ran = lars("record", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "name",
    few(
        ["rspql", "csparql-0.9.7", "cqels", "rsp-js-1.3.5", "kolibrie-846becb", "csparql2-rsp4j-c46e0f67"], 3
    ),
)
def test_what_is_served_is_a_right_adapter(name):
    ran = lars("record", "--check", f"{SERVED} {name}")
    said = [line for line in ran.err.splitlines() if not line.startswith("note: running the adapter")]
    assert (ran.code, said, "WRONG" in ran.out) == (0, [], False)


@pytest.mark.parametrize(
    ("kind", "said"),
    {
        "crashing": "WRONG push: ",
        "crashing-at-close": "ok    open\nWRONG close: ",
        "silent": "WRONG push: ",
        "slow": "WRONG push: ",
        "half": "WRONG push: ",
        "term": "WRONG push: ",
        "twice": "WRONG push: ",
        "giving-up": "cannot continue after push: out of memory",
        "dead": "WRONG open: ",
        "unit": "WRONG open: ",
        "unknown": "unknown key 'timeunit', did you mean time_unit",
        "nameless": "WRONG open: ",
        "mute": "to the stream http://e/S, named without < and >, although windows close",
        "bracketed": "in angle brackets, <http://e/S>; use names of streams without < and >",
        "bare": "'1' is not an RDF term",
        "plain": ", which no pushed triple contains",
        "no-languages": "WRONG terms: no row has a text with a language",
        "remembering": f"rejects every query of the check, the first with: {'x' * 300}",
    }.items(),
)
def test_a_check_says_what_is_wrong(kind, said):
    ran = lars("record", "--check", f"{BROKEN} {kind}", "--silence", "1")
    assert (ran.code, ran.err) == (1, "")
    assert said in ran.out


def test_a_check_says_that_rows_of_one_evaluation_are_one_report():
    ran = lars("record", "--check", f"{BROKEN} singly")
    assert ran.code == 0
    assert "push 0 has 2 reports of one time; use one report with all rows of an evaluation" in ran.out


@pytest.mark.parametrize(
    ("kind", "code", "said"),
    [
        *(
            (
                kind,
                1,
                (
                    "WRONG blank nodes: the adapter reports the nodes _:b of two messages as one node, "
                    f"{label}; use different labels for the blank nodes of different messages"
                ),
            )
            for kind, label in (("one-blank", "_:x"), ("kept-blanks", "_:b9"))
        ),
        ("blanks", 0, "ok    blank nodes\nok"),
        ("", 0, "skipped blank nodes\n      no report contains two rows with blank nodes"),
    ],
)
def test_a_check_tells_blank_nodes_of_one_report_apart(kind, code, said):
    ran = lars("record", "--check", f"{BROKEN} {kind}")
    assert ran.code == code
    assert said in ran.out


@pytest.mark.parametrize("length", few(["40", "40s", "PT1M"], 2))
def test_a_query_of_the_user_is_pushed_what_its_windows_and_patterns_ask_for(tmp_path, length):
    query, log = tmp_path / "q.rq", tmp_path / "log.txt"
    query.write_text(
        "PREFIX : <http://x/> SELECT ?t FROM NAMED WINDOW :w ON <http://x/Rooms> "
        f"[RANGE {length} STEP {length}] WHERE {{ WINDOW :w {{ ?r :warm ?t . ?r :in :house }} }}"
    )
    ran = lars("record", query, "--check", f"{SERVED} rspql", "--log", log)
    assert (ran.code, "WRONG" in ran.out) == (0, False)
    assert "the engine reports rows of the stream http://x/Rooms, named without < and >" in ran.out
    assert [line[0] for line in log.read_text().splitlines()[:2]] == [">", "<"]


def test_a_check_warns_of_noise_and_of_queries_that_nothing_reads():
    ran = lars("record", "--check", f"{BROKEN} noisy")
    assert ran.code == 0
    assert "lines on standard output are not replies" in ran.out
    assert 'reply {"error": "REASON"}' in ran.out


def test_an_adapter_that_does_not_end_with_its_input_is_told():
    ran = lars("record", "--check", f"{BROKEN} deaf", "--silence", "1")
    assert ran.code == 1
    assert "WRONG the end: the process continues after its standard input ends" in ran.out


KOLIBRIE = """REGISTER RSTREAM <http://e/out> AS SELECT ?s ?a
FROM NAMED WINDOW :w ON <http://e/S> [RANGE 4 STEP 2] WHERE { WINDOW :w { ?s <http://e/p> ?a } }"""
JANUS = """PREFIX : <http://e/> REGISTER RStream <http://e/out> AS SELECT ?s ?a
FROM NAMED WINDOW :w ON STREAM :S [RANGE 4 STEP 2] WHERE { WINDOW :w { ?s :p ?a } }"""
CQELS = "SELECT ?s ?a { STREAM <http://e/S> [RANGE 200ms] { ?s <http://e/p> ?a } }"


@pytest.mark.parametrize(
    ("query", "engine"),
    few(
        [
            (rspql(4, 2), "rspql"),
            (rspql(4, 2), "rsp-js-1.3.5"),
            (rspql("PT0.004S", "PT0.002S"), "rspql"),
            (rspql(4000, 2000), "rspql"),
            (JANUS, "rspql"),
            (KOLIBRIE, "kolibrie-846becb"),
            (CQELS, "cqels-1.x"),
        ],
        4,
    ),
)
def test_judge_counts_the_trace_as_record_did(query, engine, inputs, tmp_path):
    inputs[0].write_text(query)
    case = tmp_path / "case.json"
    assert lars("record", *inputs, "--adapter", f"{SERVED} {engine}", "--out", case).code == 0
    alone = lars("judge", case, "--engine", engine)
    assert (alone.code, alone.err) == (0, "")
    assert lars("judge", *inputs, "--answers", case, "--engine", engine).code == 0


def test_a_specification_counts_the_numbers_of_kolibrie_as_the_recording_does(inputs, tmp_path):
    inputs[0].write_text(KOLIBRIE)
    case = tmp_path / "case.json"
    lars("record", *inputs, "--adapter", f"{SERVED} kolibrie-846becb", "--out", case)
    found = lars("judge", *inputs, "--answers", case, "--engine", "rspql", "--json")
    assert "the last answer is at" not in found.err
    assert found.json["explanations"][0]["predicted"] > 0
    alone = lars("judge", case, "--engine", "specification")
    assert "nothing to compare" not in alone.out + alone.err


def test_a_case_that_is_wrong_by_a_specification_has_windows_and_an_explanation(inputs, tmp_path):
    case, closed = tmp_path / "case.json", tmp_path / "closed.toml"
    closed.write_text(
        'name = "mine"\nreport = ["window-close", "non-empty"]\nbounds = "closed"\nempty = "silent"\n'
    )
    lars("record", *inputs, "--adapter", f"{SERVED} {closed}", "--out", case)
    found = lars("judge", case)
    assert found.code == 1
    assert "best explanation: rspql with bounds = closed predicts exactly the recorded reports" in found.out
    assert "windows, t0 = 0" in found.out
    assert lars("judge", case, "--bounds", "closed").code == 0
    lars("record", *inputs, "--adapter", f"{SERVED} rsp-js-1.3.5", "--out", case)
    found = lars("judge", case, "--bounds", "closed")
    assert (found.code, "judged by its engine version rsp-js-1.3.5" in found.err) == (2, True)
    assert "add --engine specification" in found.err
    assert lars("judge", case, "--bounds", "closed", "--engine", "specification").code in (0, 1)
