"""`lars check` as a user runs it: verdicts, reasons, both forms of the stream, and what is refused."""

import io
import json

import pytest

from tests.agreement.command import lars
from tests.packs import SAMPLES

PROGRAM = """@prefix e: <http://e/> .
p ← ⊞^3 ◇ striple(S, e:p, O, G), not q.
q ← ⊞^3 ◇ striple(S, e:p, O, G), not p.
@_T seen(S) ← ⊞^2 @_T striple(S, P, O, G).
c ← ⊞^2 ◇ d.
d ← ⊞^0 □ c.
"""
TRACE = '<http://e/s> <http://e/p> <http://e/o> <http://e/S> "1" .\n'
INPUT = "1: striple(e:s, e:p, e:o, e:S)"
PREFIX = "@prefix e: <http://e/> .\n"
SEEN = f"{PREFIX}1: seen(e:s)\n"


@pytest.fixture
def check(tmp_path):
    """Return a function that checks a stream's text against a program, at time 2."""

    def run(text, *options, program=PROGRAM, t=2):
        rules, trace, answer = (tmp_path / name for name in ("p.lars", "trace.nq", "answer"))
        rules.write_text(program)
        trace.write_text(TRACE)
        answer.write_text(text)
        return lars("check", rules, trace, "--at", t, "--answer", answer, *options)

    return run


def verdicts(ran):
    assert ran.json["correct"] is (ran.code == 0)
    return [stream["verdict"] for stream in ran.json["streams"]]


def test_an_answer_stream_is_one(check):
    assert check(f"{SEEN}2: p.") == (0, "2: an answer stream\n", "")


@pytest.mark.parametrize(
    ("unit", "end"),
    [("1s", "1+02:00"), ("1s", "1-03:30"), ("1s", "1"), ("100ns", "0.0000001Z"), ("1ms", "1.5Z")],
)
def test_output_of_solve_with_dates_is_read_whatever_its_zone_and_fraction(tmp_path, unit, end):
    program, trace, answer = (tmp_path / name for name in ("p.lars", "t.csv", "answer"))
    program.write_text("a :- b.")
    trace.write_text(f"t,atom\n2026-01-01T00:00:0{end},b\n")
    answer.write_text(lars("solve", program, trace, "--unit", unit, "--in-process").out)
    for t, code in ((1, 0), (2, 2)):
        ran = lars("check", program, trace, "--unit", unit, "--at", t, "--answer", answer)
        assert ran.code == code, ran.err


def test_input_may_stand_in_the_stream_when_all_of_it_does(check):
    assert check(f"{PREFIX}{INPUT}, seen(e:s)\n2: q.").code == 0
    other = check(f"{PREFIX}1: striple(e:s, e:p, e:other, e:S) seen(e:s)\n2: q.", "--json").json["streams"][0]
    assert (other["verdict"], other["founded"]) == ("no interpretation", False)
    shown = "@_1 striple(<http://e/s>, <http://e/p>, <http://e/{}>, <http://e/S>)"
    assert (other["missing"], other["extra"]) == ([shown.format("o")], [shown.format("other")])


def test_an_atom_outside_the_timeline_or_of_no_predicate_is_named(check):
    found = check(f"{SEEN}2: p z\n9: c", "--json").json["streams"][0]
    assert (found["missing"], found["extra"], found["outside"]) == ([], ["z"], ["@_9 c"])


def test_the_rule_that_is_violated_is_shown_with_its_values(check):
    ran = check("2: p.")
    assert ran.code == 1
    values = "G = <http://e/S>, O = <http://e/o>, P = <http://e/p>, S = <http://e/s>, T = 1"
    body = "⊞^2 @_1 striple(<http://e/s>, <http://e/p>, <http://e/o>, <http://e/S>)"
    assert ran.out.splitlines() == [
        "2: NOT an answer stream: a rule is violated",
        "  rule: @_T seen(S) ← ⊞^2 @_T striple(S, P, O, G).",
        f"  instance: @_1 seen(<http://e/s>) ← {body}.  with {values}",
        "  its body holds, its head @_1 seen(<http://e/s>) does not",
    ]


def test_all_instances_of_a_violated_rule_are_counted(check):
    program = "← ⊞^9 ◇ striple(S, P, O, G), n(X).\n" + " ".join(f"n({number})." for number in range(150))
    assert "  other violated instances: 149\n" in check("2: n(1)", program=program).out


def test_a_circle_is_shown_with_its_windows(check):
    assert check(f"{SEEN}2: p c d").out.splitlines() == [
        "2: NOT an answer stream: a smaller model of the reduct exists",
        "  it lacks: c, d",
        "  each is the head of a rule whose body holds, but they support each other:",
        "    c needs d through ⊞^2: c ← ⊞^2 ◇ d.",
        "    d needs c through ⊞^0: d ← ⊞^0 □ c.",
    ]


def test_where_the_readings_differ_both_verdicts_are_said(check):
    program = "p ← not ⊞^2 □ ¬p."
    ran = check("2: p.", program=program)
    assert (ran.code, ran.out.splitlines()[-1].split(":")[0]) == (
        1,
        "  under the founded reading (not not p is decided by the stream itself) it is one",
    )
    found = check("2: p.", "--json", program=program).json["streams"][0]
    assert (found["verdict"], found["founded"]) == ("smaller model", True)
    assert [link["windows"] for link in found["circle"]] == [["⊞^2"]]


def test_a_choice_of_ties_is_named(check):
    program = "p ← ⊞^{#1 choose} ◇ striple(S, P, O, G)."
    (found,) = check("2: p.", "--json", program=program).json["streams"]
    assert [(c["window"], len(c["keeps"])) for c in found["choice"]] == [("⊞^{#1 choose}", 1)]


def test_atoms_of_the_background_are_ignored(check):
    assert check("2: p f\n", program="p ← f. f.").code == 0
    assert check("2: p\n", program="p ← f. f.").code == 0


def test_what_solve_prints_is_checked_stream_by_stream(check, tmp_path):
    check("")
    solved = lars("solve", tmp_path / "p.lars", tmp_path / "trace.nq", "--in-process", "--json")
    assert verdicts(check(solved.out, "--json", t=1)) == ["answer stream"] * 2
    wrong = '{"t": 2, "answer_streams": [["@_1 seen(<http://e/s>)", "p"], ["@_1 seen(<http://e/s>)"]]}'
    assert verdicts(check(wrong, "--json")) == ["answer stream", "violated"]
    assert check(wrong).out.startswith("2 (1 of 2): an answer stream\n2 (2 of 2): NOT an answer stream")


def test_standard_input_is_read(check, tmp_path, monkeypatch):
    check("")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(f"{SEEN}2: q.".encode())))
    given = (tmp_path / "p.lars", tmp_path / "trace.nq", "--at", 2, "--answer", "-")
    assert lars("check", *given).code == 0


@pytest.mark.parametrize(("engine", "mode", "t"), [("cqels", "push", 18), ("csparql", "pull", 20)])
def test_the_answer_stream_of_a_translated_query_is_one(tmp_path, engine, mode, t):
    folder = SAMPLES / "coupons"
    query, program, answer = folder / f"query.{engine}.rq", tmp_path / "p.lars", tmp_path / "a.json"
    streams = [f"--stream=http://example.org/{s}={folder / s}.trig" for s in ("coupons", "locations")]
    options = (*streams, "--static", folder / "products.ttl", "--unit", "1min")
    period = ("--period", 5) if mode == "pull" else ()
    program.write_text(lars("translate", query, "--mode", mode, "--unit", "1min", *period).out)
    answer.write_text(lars("solve", program, *options, "--in-process", "--json", "--to", t).out)
    assert lars("check", query, *options, *period, "--at", t, "--answer", answer).out.endswith(
        ": an answer stream\n"
    )
    some = json.loads(answer.read_text().splitlines()[t])["answer_streams"][0][1:]
    answer.write_text(json.dumps({"t": t, "answer_streams": [some]}))
    assert lars("check", query, *options, *period, "--at", t, "--answer", answer).code == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("2 p.", "answer:1:3: "),
        ("2: p(X).", "answer:1:6: "),
        ("3: p.\n2: q.", "answer:2:1: the time 2 comes after the later time 3"),
        ("{", "answer:1: not valid JSON: "),
        ('{"t": 2}', "answer:1: not a JSON object with t and answer_streams"),
        ('{"t": 2, "rows": []}', "answer:1:1: found rows of a query; check atoms of the program"),
        ("t: (?x)\n1: (a)\n", "answer:1:1: found rows of a query; check atoms of the program"),
        ('[{"t": 2}]', "answer:1: not a JSON object with t and answer_streams"),
        ('{"t": true, "answer_streams": [[]]}', "answer:1: not a JSON object with t"),
        ('{"t": 2, "answer_streams": [["p", 3]]}', "answer:1: not a JSON object with t"),
        (
            '{"t": 1, "answer_streams": [[]]}',
            "no answer streams for the time 2; the file has answer streams for 1",
        ),
        ('{"t": 2, "answer_streams": []}', "nothing to check: the file contains `no answer stream` at 2"),
        ('{"t": 2, "answer_streams": [["p("]]}', "answer:1: not an atom: "),
        ('{"t": 2, "answer_streams": [["p q"]]}', "answer:1: not an atom: "),
        ("[" * 100_000, "answer:1: not valid JSON"),
    ],
)
def test_a_text_that_holds_no_stream_is_one_message(check, text, problem):
    ran = check(text)
    assert (ran.code, ran.out) == (2, "")
    assert problem in ran.err


def test_a_time_that_is_none_is_one_message(check):
    accepted = "a time point from 0, such as 5, or a dateTime such as 2026-05-04T08:00:00Z or 08:00:00"
    assert check("", t="soon").err == f"lars: --at soon: expected {accepted}\n"


def test_solve_warns_where_the_readings_may_differ(tmp_path, check):
    check("", program="p ← not not p. q ← not p.")
    ran = lars("solve", tmp_path / "p.lars", tmp_path / "trace.nq", "--in-process", "--json")
    assert (ran.code, ran.err.count("only the founded reading"), "p ← not not p." in ran.err) == (0, 1, True)


def test_what_solve_prints_can_be_checked(check):
    given = "0: {}\n1: no answer stream\n2: {@_1 seen(<http://e/s>), p} | {@_1 seen(<http://e/s>), q} | …\n"
    assert check(given).out == "2 (1 of 2): an answer stream\n2 (2 of 2): an answer stream\n"
    assert check(given, t=1).code == 2
    assert "no answer streams for the time 7" in check(given, t=7).err


@pytest.mark.parametrize(("text", "place"), [("2: {p, q", "1:9"), ("2: {p q}", "1:7"), ("2: {p}\nx", "2:1")])
def test_a_torn_line_of_solve_names_its_place(check, text, place):
    ran = check(text)
    assert (ran.code, ran.out) == (2, "")
    assert f"answer:{place}: found" in ran.err
