"""Engine versions and specifications pushed to one by one answer what they do when all is there at once."""

import json

import pytest

from agreement.comparing.judge.judging import judged_case
from agreement.documents.recordings import read_case
from agreement.documents.recordings.case import write_case
from agreement.documents.requests import JudgeOptions
from agreement.engines.adapters.built_in import built_in
from agreement.engines.adapters.messages import (
    EngineAnswers,
    EngineReport,
    PushReply,
    RefusedQueryError,
    answers_of,
    open_message,
    replies,
)
from agreement.engines.registry import ENGINES
from agreement.results.files.recorded import case_of_run
from lars.errors import LarsError
from tests.agreement.engines.adapters.streams import push, random_pushes, rspql

CSPARQL = (
    "REGISTER QUERY q AS PREFIX : <http://e/> SELECT ?s ?a FROM STREAM <http://e/S> [RANGE 4s STEP 2s] "
    "WHERE { ?s :p ?a }"
)
CQELS = "PREFIX : <http://e/> SELECT ?s ?a WHERE { STREAM <http://e/S> [RANGE 4s] { ?s :p ?a } }"
QUERIES = {"rspql": rspql(), "csparql": CSPARQL, "cqels": CQELS}


def run(name, query, pushes, options=None):
    return answers_of(built_in(name), open_message(query, (), options or {}), pushes)


def times(answers):
    return [report.t for _, report in answers.reports]


def case(folder, name, query, pushes, options=None):
    """Return a run as the case that its file holds."""
    registration = open_message(query, (), options or {})
    answers = answers_of(built_in(name), registration, pushes)
    path = folder / "case.json"
    write_case(path, case_of_run("one", registration, pushes, answers, deterministic=True))
    return read_case(path)


def verdict(found, judge=None, bounds=None):
    return judged_case(found, judge, JudgeOptions(bounds=bounds)).correct


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "name", ["rspql", "csparql", "cqels", "rsp-js-1.3.5", "yasper-csparql", "csparql-0.9.7"]
)
def test_pushed_one_by_one_or_together_it_answers_the_same(name, seed):
    language = ENGINES[name].specification if name in ENGINES else name
    language = "rspql" if name.startswith("yasper") else language
    pushes = [push(one.t * 500, one.triple[0][-2]) for one in random_pushes(seed)]
    registration = open_message(QUERIES[language])
    together = built_in(name).open(registration).push(pushes)
    session = built_in(name).open(registration)
    assert [reply for one in pushes for reply in session.push([one])] == together


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    "options", [{}, {"bounds": "high-open"}, {"t0": 1}, {"change": {"stream": "istream"}}], ids=str
)
def test_a_specification_that_is_served_is_judged_correct_by_itself(tmp_path, seed, options):
    written = dict(options)
    stream = written.pop("change", {}).get("stream", "rstream")
    query = rspql(operator="IStream" if stream == "istream" else "RStream")
    bounds = options.get("bounds")
    assert verdict(case(tmp_path, "rspql", query, random_pushes(seed), written), "rspql", bounds) is not False


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", ["csparql", "cqels"])
def test_so_are_the_other_specifications(tmp_path, name, seed):
    pushes = [push(one.t * 1000, one.triple[0][-2]) for one in random_pushes(seed)]
    options = {"unit": "1s"}
    assert verdict(case(tmp_path, name, QUERIES[name], pushes, options), name) is not False


def test_a_specification_with_another_rule_is_judged_incorrect(tmp_path):
    pushes = [push(1, "a"), push(4, "b"), push(6, "c"), push(9, "d"), push(13, "e")]
    changed = {"change": {"report": ["non-empty"], "tick": "triple"}}
    assert verdict(case(tmp_path, "rspql", rspql(), pushes, changed), "rspql") is False


def test_what_closes_at_the_last_push_comes_when_the_run_is_closed():
    found = run("rspql", rspql(4, 4), [push(1, "a"), push(4, "b")])
    assert (found.reports, [one.t for one in found.flush]) == ((), [4])


def test_a_high_open_window_is_reported_by_an_arrival_at_its_close():
    found = run("rspql", rspql(4, 4), [push(1, "a"), push(4, "b")], {"bounds": "high-open"})
    assert (times(found), found.flush) == ([4], ())


def test_each_arrival_in_a_high_open_window_of_rows_is_reported_once():
    query = rspql().replace("RANGE 4 STEP 2", "ROWS 2")
    session = built_in("rspql").open(open_message(query, (), {"bounds": "high-open"}))
    pushes = [push(1, "a"), push(1, "b"), push(4, "c")]
    every = [report for one in pushes for report in session.push([one])[0].reports] + [*session.close()]
    assert [(report.t, len(report.rows)) for report in every] == [(1, 1), (1, 2), (4, 2)]


@pytest.mark.parametrize("where", ["WINDOW :w {{ {0} }}", "WINDOW :v {{ {0} }} WINDOW :w {{ {0} }}"])
def test_the_number_of_a_window_is_that_of_its_declaration_in_whatever_order_windows_are_read(where):
    line = "FROM NAMED WINDOW :w ON STREAM :S [RANGE 4 STEP 4]\n"
    query = rspql(4, 4).replace(line, line + line.replace(":w", ":v").replace("4", "2"))
    query = query.replace("WINDOW :w { ?s :p ?a }", where.format("?s :p ?a"))
    pushes = [push(t, "a") for t in range(1, 10)]
    found = run("rspql", query, pushes, {"change": {"windows": {"2": []}}})
    assert times(found) == [4, 8]


def test_a_clock_that_is_driven_reports_without_an_arrival():
    session = built_in("rspql").open(open_message(rspql(4, 4)))
    session.push([push(1, "a")])
    assert [[one.t for one in session.advance(t)] for t in (4, 5, 9)] == [[], [4], []]
    assert (
        session.push([push(8, "late")])[0].refused
        == "push 1 is at 8 ms, which is before the preceding time 9 ms; expected pushes "
        "in the order of their times"
    )


def test_a_late_time_is_named_with_all_its_digits():
    session = built_in("rspql").open(open_message(rspql(4, 4)))
    session.push([push(1234568, "a")])
    (report,) = session.push([push(1234567, "late")])
    assert "push 1 is at 1234567 ms, which is before the preceding time 1234568 ms" in report.refused


@pytest.mark.parametrize("name", ["rspql", "csparql", "cqels"])
def test_no_triple_comes_before_a_time_that_a_driven_clock_has_passed(name):
    session = built_in(name).open(open_message(QUERIES[name]))
    session.push([push(10, "a")])
    session.advance(100)
    assert session.push([push(50, "late")])[0].refused.endswith(
        "50 ms, which is before the preceding time 100 ms; expected pushes in the order of their times"
    )
    assert session.push([push(100, "b")])[0].refused is None


def test_a_late_triple_is_refused_and_left_out_by_the_judge(tmp_path):
    pushes = [push(1, "a"), push(9, "b"), push(3, "late"), push(14, "c")]
    found = case(tmp_path, "rspql", rspql(4, 4), pushes)
    assert (found.recording.rejected, verdict(found, "rspql")) == ((2,), True)


def test_a_rule_of_an_engine_version_can_be_off():
    pushes = [push(1, "a"), push(6, "b"), push(9, "c")]
    usual = run("rsp-js-1.3.5", rspql(4, 4), pushes)
    assert times(usual) != times(run("rsp-js-1.3.5", rspql(4, 4), pushes, {"off": ["R3"]}))


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("rspql", {"of": 1}, "options: found 'of'; expected unit, t0, bounds, change"),
        ("rsp-js-1.3.5", {"t0": 1}, "options: found 't0'; expected off"),
        (
            "rsp-js-1.3.5",
            {"off": ["R99"]},
            "options: off: found 'R99'; expected R1, R2, R3",
        ),
        ("rspql", {"bounds": "ajar"}, "options: bounds: "),
        ("rspql", {"change": {"reports": []}}, "options: change: reports: "),
    ],
)
def test_options_that_there_are_not_are_refused(name, options, said):
    assert run(name, rspql(), [], options).refused.startswith(said)


def test_a_query_that_cannot_be_run_is_refused():
    with pytest.raises(RefusedQueryError, match=r"rsp-js-1\.3\.5 cannot run"):
        built_in("rsp-js-1.3.5").open(open_message(CQELS))


def test_a_case_of_a_refused_query_is_not_judged(tmp_path):
    with pytest.raises(LarsError, match=r"(?s)the engine rejected the query: query:1.* cannot be judged"):
        verdict(case(tmp_path, "rspql", "no query", [push(1, "a")]))


def test_static_data_may_be_in_a_graph():
    where = "WINDOW :w { ?s :p ?a } GRAPH :g { ?s :q ?b }"
    query = rspql(4, 4).replace("WINDOW :w { ?s :p ?a }", where)
    static = ("<http://e/a> <http://e/q> <http://e/known> <http://e/g> .",)
    query = query.replace("FROM NAMED WINDOW", "FROM NAMED :g\nFROM NAMED WINDOW")
    found = answers_of(
        built_in("rspql"), open_message(query, static), [push(1, "a"), push(2, "b"), push(9, "c")]
    )
    assert [len(report.rows) for _, report in found.reports] == [1]


def test_an_ask_says_whether_it_is_true():
    window = "FROM STREAM <http://e/S> [RANGE 4s STEP 4s]"
    query = f"REGISTER QUERY q AS PREFIX : <http://e/> ASK {window} WHERE {{ ?s :p ?a }}"
    pushes = [push(1000, "a"), push(5000, "a", predicate="q"), push(9000, "b")]
    found = run("csparql", query, pushes, {"change": {"empty": "reported"}})
    truth = '"{}"^^<http://www.w3.org/2001/XMLSchema#boolean>'.format
    assert [dict(report.rows[0]) for _, report in found.reports] == [
        {"Answer": truth("true")},
        {"Answer": truth("false")},
    ]


@pytest.mark.parametrize("end", [b"\n", b""])
def test_the_last_message_is_answered_with_a_line_break_and_without(end):
    opened = json.dumps({"op": "open", "query": rspql(), "static": []}).encode()
    (line,) = replies(built_in("rspql"), [opened + end])
    assert json.loads(line)["ok"] is True


def test_what_closes_at_the_time_of_an_advance_comes_when_the_run_is_closed():
    session = built_in("rspql").open(open_message(rspql(4, 4)))
    session.push([push(1, "a")])
    assert ([one.t for one in session.advance(4)], [one.t for one in session.close()]) == ([], [4])


def test_a_push_that_cannot_be_evaluated_spoils_no_other_that_came_with_it():
    opened = {"op": "open", "query": rspql(4, 4)}
    pushed = [
        {
            "op": "push",
            "t": t,
            "stream": "http://e/S",
            "triple": f"<http://e/a> <http://e/p> <http://e/{t}> .",
        }
        for t in (1, 5, 10**12, 9)
    ]
    lines = [json.dumps(one).encode() + b"\n" for one in (opened, *pushed)]
    together, apart = ("\n".join(replies(built_in("rspql"), chunks)) for chunks in ([b"".join(lines)], lines))
    assert together == apart
    assert ["error" in json.loads(reply) for reply in together.split("\n")[1:]] == [False, False, True, False]


@pytest.mark.parametrize("together", [True, False])
def test_a_refused_push_is_named_by_its_number_and_a_plain_time(together):
    opened = {"op": "open", "query": rspql(4, 4), "options": {"unit": "2ms"}}
    times = (1_577_836_805_000, 1_577_836_805_007, 1_577_836_804_000.5, 1e22, 1_577_836_805_009)
    triple = {"stream": "http://e/S", "triple": "<http://e/a> <http://e/p> <http://e/o> ."}
    lines = [
        json.dumps(one).encode() + b"\n"
        for one in (opened, *({"op": "push", "t": t} | triple for t in times))
    ]
    answered = "\n".join(replies(built_in("rspql"), [b"".join(lines)] if together else lines)).split("\n")
    told = [json.loads(reply).get("refused") for reply in answered[2:]]
    assert [text and text.partition(", which")[0] for text in told] == [
        "push 1 is at 1577836805007 ms",
        "push 2 is at 1577836804000.5 ms",
        "push 3 is at 1e+22 ms",
        "push 4 is at 1577836805009 ms",
    ]


def test_two_texts_that_name_blank_nodes_are_two_answers():
    def told(text):
        report = EngineReport(t=1, rows=({"a": text},))
        return EngineAnswers(None, None, (PushReply(reports=(report,)),))

    assert not told('"see _:a1"').same(told('"see _:b2"'))
    assert told("_:a1").same(told("_:b2"))
    assert told('<<( _:a <e:p> "_:x" )>>').same(told('<<( _:b <e:p> "_:x" )>>'))


def test_an_unbound_variable_is_missing_or_null_and_no_empty_text():
    def told(row):
        report = EngineReport(t=1, rows=(row,))
        return EngineAnswers(None, None, (PushReply(reports=(report,)),))

    assert told({"a": None, "b": '"1"'}).same(told({"b": '"1"'}))
    assert not told({"a": None}).same(told({"a": ""}))


@pytest.mark.parametrize("name", ["yasper-rsp4j-1.0.1", "rsp-js-1.3.5", "csparql2-rsp4j-c46e0f67"])
def test_a_time_that_windows_cannot_pass_is_an_error_of_its_push_alone(name):
    length = 4 if name.startswith("rsp") else "PT4S"
    query = rspql(length, length, "RSTREAM").replace("ON STREAM", "ON")
    triple = {"stream": "http://e/S", "triple": "<http://e/a> <http://e/p> <http://e/o> ."}
    pushed = [{"op": "push", "t": t} | triple for t in (1, 1e300, -1e300, 2)]
    lines = [json.dumps(one).encode() + b"\n" for one in ({"op": "open", "query": query}, *pushed)]
    answered = "\n".join(replies(built_in(name), [b"".join(lines)])).split("\n")
    assert ["error" in json.loads(reply) for reply in answered] == [False, False, True, True, False]


def test_a_clock_that_is_set_too_far_ends_no_run():
    lines = ({"op": "open", "query": rspql()}, *({"op": "advance", "t": t} for t in (1e308, 5)))
    chunks = [json.dumps(one).encode() + b"\n" for one in lines]
    answered = [json.loads(reply) for reply in replies(built_in("rspql"), chunks)]
    assert ["error" in reply for reply in answered] == [False, True, False]


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_a_line_may_come_in_many_pieces(size):
    lines = ({"op": "open", "query": rspql()}, {"op": "advance", "t": 5}, {"op": "close"})
    text = b"\n".join(json.dumps(one).encode() for one in lines)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    answered = "\n".join(replies(built_in("rspql"), pieces)).split("\n")
    assert [json.loads(reply).get("reports") for reply in answered] == [None, [], []]


def test_a_line_that_is_no_json_is_quoted():
    (line,) = replies(built_in("rspql"), [b'{"op": "open"\n'])
    said = """found '{"op": "open"', which is not JSON; expected a JSON object in one line"""
    assert json.loads(line)["error"] == said
