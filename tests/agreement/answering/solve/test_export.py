"""`lars translate --format ticker`, and `lars translate` of programs written by hand."""

import json
import os
import subprocess
import sys

import pytest

from tests.agreement.command import lars
from tests.packs import SAMPLES

REFUSED = {
    "crowd": "?people := COUNT(DISTINCT ?who)",
    "coupons": "the SPARQL condition [?percent >= 20]",
    "coupons-static": "the SPARQL condition [?percent >= 20]",
    "rooms": "the window ⊞^{10,0,10}",
    "rooms-self": "the window ⊞^{3,0,3}",
    "slide": "the window ⊞^{3,0,3}",
}
QUERIES = sorted(path.relative_to(SAMPLES) for path in SAMPLES.glob("*/*.rq"))


@pytest.fixture
def program(tmp_path):
    def write(text):
        path = tmp_path / "program.lars"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_each_sample_is_exported_or_refused_by_name(query):
    ran = lars("translate", SAMPLES / query, "--format", "ticker")
    construct = REFUSED.get(query.parts[0])
    if construct is None:
        assert ran.code == 0, ran.err
        assert "ans1(" in ran.out.splitlines()[-2] + ran.out.splitlines()[-4]
    else:
        assert (ran.code, ran.out) == (2, "")
        assert f"cannot express {construct}" in ran.err
        assert "in the rule " in ran.err


def test_the_orders_without_a_cancellation_are_written_for_ticker():
    out = lars("translate", SAMPLES / "minus/query.cqels.rq", "--format", "ticker", "--mode", "push").out
    assert [line for line in out.splitlines() if not line.startswith("%")] == [
        "ans2(Customer,Order) :- striple(Order,1000000000,Customer,1000000001) [5 sec], trigger.",
        "ans3(Clerk,Order) :- striple(Order,1000000002,Clerk,1000000001) [5 sec], trigger.",
        "ans1Prime(Order) :- ans3(Clerk,Order), trigger.",
        "ans1(Order) :- ans2(Customer,Order), trigger, not ans1Prime(Order).",
        "trigger :- striple(S,P,O,G).",
        "aux1 :- striple(S,P,O,G) [1 sec].",
    ]


def test_pull_is_refused_because_true_is_no_atom():
    ran = lars(
        "translate",
        SAMPLES / "minus/query.csparql.rq",
        "--format",
        "ticker",
        "--mode",
        "pull",
        "--period",
        "3",
    )
    assert ran.code == 2
    assert "cannot express the constant true in ⊞^0 @_T true" in ran.err


def test_static_data_stands_as_facts(tmp_path):
    (tmp_path / "s.ttl").write_text("<http://e/a> <http://e/p> 1 .")
    options = ("--format", "ticker", "--static", tmp_path / "s.ttl")
    out = lars("translate", SAMPLES / "merged/query.csparql.rq", *options).out
    # What is derived too, as the default graph is, gets its facts by a rule.
    assert out.splitlines()[-1] == "aux1(1000000004,1000000005,1000000006,1000000001)."
    assert "triple(V1,V2,V3,V4) :- aux1(V1,V2,V3,V4)." in out.splitlines()
    assert '1000000006 = "1"^^<http://www.w3.org/2001/XMLSchema#integer>' in out


def test_a_condition_needs_a_trace_as_lars_export_has_one():
    ran = lars("translate", SAMPLES / "coupons/query.cqels.rq", "--format", "ticker")
    assert "numbers in place of RDF terms; use `lars export`, which evaluates the condition" in ran.err


def test_static_data_is_for_the_formats_that_carry_it():
    ran = lars("translate", SAMPLES / "merged/query.csparql.rq", "--static", SAMPLES / "merged/catalogue.ttl")
    assert ran.code == 2
    assert "--static" in ran.err


@pytest.mark.parametrize(
    ("shape", "line"),
    [
        ("lars", "p(X) ← ⊞^3 ◇ q(X), not r."),
        ("ascii", "p(X) :- [+]^3 <> q(X), not r."),
        ("ticker", "p(X) :- q(X) [180 sec], not r."),
        ("asp", "% p(X) ← ⊞^3 ◇ q(X), not r."),
    ],
)
def test_a_program_is_printed_in_each_format(program, shape, line):
    path = program("p(X) :- [+]^3 <> q(X), not r.")
    unit = ("--unit", "1min") if shape == "ticker" else ()
    assert line in lars("translate", path, "--format", shape, *unit).out.splitlines()


STRICT = (
    "'csparql-0.9.7', 'cqels-1.x', 'rsp4j', 'rsp-js', 'rsp-rs', 'kolibrie', 'janus', 'cqels4j', 'cqels-rs'"
)


@pytest.mark.parametrize(
    ("option", "removed", "accepted"),
    [
        ("--format", "laser", "'lars', 'ascii', 'asp', 'model', 'json', 'sql', 'ticker', 'idlv-sr', 'latex'"),
        (
            "--strict",
            "csparql-0.9",
            STRICT,
        ),
        (
            "--strict",
            "sparqlstream",
            STRICT,
        ),
    ],
)
def test_a_name_that_is_no_more_is_one_message_with_those_that_are(option, removed, accepted):
    ran = lars("translate", SAMPLES / "merged/query.csparql.rq", option, removed)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert f"'{option}': '{removed}' is not one of {accepted};" in ran.err


def test_a_program_as_json_has_its_rules(program):
    found = lars("translate", program("p :- q."), "--format", "json").json
    assert found["programs"][0]["rules"] == ["p ← q."]


@pytest.mark.parametrize(
    ("options", "problem"),
    [(("--format", "model"), "cannot print the model"), (("--engine", "cqels"), "with a LARS program")],
)
def test_what_queries_alone_have_is_one_message(program, options, problem):
    ran = lars("translate", program("p :- q."), *options)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert problem in ran.err


def test_what_ticker_lacks_is_refused_with_place_and_rule(program):
    path = program("p(X) :- q(X).\nr(X) :-\n  q(X),\n  [+]^inf <> p(X).\n")
    ran = lars("translate", path, "--format", "ticker")
    assert ran.code == 2
    assert ran.err.startswith(f"lars: {path}:4:3: Ticker cannot express the window ⊞^∞")
    assert "in the rule r(X) ← q(X), ⊞^∞ ◇ p(X)." in ran.err


def test_a_program_that_is_none_has_one_message_with_its_place(program):
    ran = lars("translate", program("p(X) :- q(Y)."), "--format", "ticker")
    assert ran.code == 2
    assert "program.lars:1:1: unsafe rule: no positive body literal binds X" in ran.err


def test_exporting_does_not_load_spark(program):
    code = (
        "import sys; from agreement.cli.__main__ import main\ntry: main()\nexcept SystemExit: pass\n"
        "import json; json.dump('pyspark' in sys.modules, sys.stderr)"
    )
    command = [sys.executable, "-c", code, "translate", str(program("p :- q.")), "--format", "ticker"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert json.loads(ran.stderr) is False
