"""Data that are shown are RDF, and what one command refutes another does not call open."""

import pytest

from agreement.api import contained, decide, witness
from tests.agreement.shown_data import QUAD, problem, quads

PREFIX = "PREFIX : <http://example.org/> "
IN = "STREAM :s [RANGE 3s]"
HELD = [
    ("?x {?x :p 3}", "?x {?x :p ?y MINUS {?y :q ?z}}"),
    ("?x {?x :p ?y FILTER(?y > 3)}", "?x {?x :p ?y MINUS {?y :q ?z}}"),
    ("?x {?x :p ?y VALUES ?y {3 4}}", "?x {?x :p ?y MINUS {?y :q ?z}}"),
    ("?x ?z {?x :p 3}", "?x ?z {?x :p ?y OPTIONAL {?y :q ?z}}"),
    ("?x {?x :p ?y FILTER(isBlank(?y))}", "?x {?x :p ?y MINUS {?x ?y ?z}}"),
    ("?x {?x :p ?y FILTER(isBlank(?y))}", "?x {?x :p ?y MINUS {GRAPH ?y {?x :q ?z}}}"),
    (
        f"?x {{ {IN} {{?x :p 3}} }}",
        f"?x {{ {IN} {{?x :p ?y}} MINUS {{ {IN} {{?y :q ?z}} }} }}",
    ),
]
LOST = [
    ("?x {?x :p ?y}", "?x {?x :p ?y MINUS {GRAPH ?g {?x :q ?z}}}"),
    ("?x ?g {?x :p ?y}", "?x ?g {?x :p ?y OPTIONAL {GRAPH ?g {?x :q ?z}}}"),
    ("?x {?x :p ?y VALUES ?y {3 :a}}", "?x {?x :p ?y MINUS {?y :q ?z}}"),
    ("?x {{?x :p ?y FILTER(!bound(?z))} ?x :q ?z}", "?x {?x :none ?y}"),
    ("?x {{?x :p ?y BIND(COALESCE(?z, 1) AS ?v)} ?x :q ?z FILTER(?v = 1)}", "?x {?x :none ?y}"),
    (f"?x {{ {IN} {{?x :p ?y}} }}", f"?x {{ {IN} {{?x :p ?y}} MINUS {{STREAM ?g [NOW] {{?x :q ?z}}}} }}"),
]


def asked(pair):
    return [f"{PREFIX}SELECT {text}" for text in pair]


@pytest.mark.parametrize("pair", HELD)
def test_what_no_data_can_hold_keeps_no_row_back(pair):
    assert contained(*asked(pair), profile="sparql11").holds is True


@pytest.mark.parametrize("pair", LOST)
def test_a_row_is_lost_to_data_that_are_rdf(pair):
    found = contained(*asked(pair), profile="sparql11")
    witness = found.directions[0].witness
    listed = quads(witness.facts, witness.triples)
    assert found.holds is False
    assert [each for each in listed if not QUAD.fullmatch(each)] == []


@pytest.mark.parametrize("first", range(0, 300, 60))
def test_all_data_that_are_shown_are_rdf(first):
    found = [problem(seed) for seed in range(first, first + 60)]
    assert [wrong for wrong, _ in found if wrong] == []
    assert sum(many for _, many in found) > 0


COUNTS = "(COUNT(*) AS ?n) {{ STREAM :s [{}] {{ ?y :p ?x }} }} GROUP BY ?y"
PARTED = [
    ("?y " + COUNTS.format("RANGE 3s"), "?y " + COUNTS.format("RANGE 2s")),
    (
        "(COUNT(?x) AS ?n) {STREAM :s [RANGE 3s] {?y :p ?x}}",
        "(COUNT(DISTINCT ?x) AS ?n) {STREAM :s [RANGE 3s] {?y :p ?x}}",
    ),
    ("?x {STREAM :s [ROWS 3] {?x :p ?y}}", "?x {STREAM :s [ROWS 2] {?x :p ?y}}"),
    ("?x {STREAM :s [NOW] {?x :p ?y}}", "?x {STREAM :s [NOW] {?x :p ?y} MINUS {STREAM :s [NOW] {?x :q ?z}}}"),
]


@pytest.mark.parametrize("pair", PARTED)
def test_two_queries_are_refuted_by_both_commands(pair):
    assert contained(*asked(pair)).holds is False
    assert witness(*asked(pair), contained=True).differ is True


SINGLE = [
    "?z { STREAM :S [TRIPLES 2] { ?y :q ?z } FILTER(?z) }",
    "?x ?g { STREAM :s [RANGE 3s] {?x :p ?y} GRAPH ?g {?x :q ?z} }",
    "?y " + COUNTS.format("TRIPLES 2"),
]


@pytest.mark.parametrize("text", SINGLE)
def test_push_and_pull_are_parted_by_both_commands(text):
    (verdict,) = decide(f"{PREFIX}SELECT {text}", period=2).verdicts
    assert verdict.witness is not None
    assert witness(f"{PREFIX}SELECT {text}", period=2).differ is True
