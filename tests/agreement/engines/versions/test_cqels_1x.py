"""CQELS 1.x: each of its rules by hand, and what it is without them."""

import pytest

from agreement.engines.versions.cqels import CQELS_1X
from agreement.engines.versions.cqels_machine import BufferedTriple, JoinedMapping, LiveJoins
from tests.agreement.engines.versions.cqels_runs import reported
from tests.agreement.engines.versions.cqels_specification import (
    KNOWN,
    PREFIX,
    SHAPES,
    by_contents,
    by_rdflib,
    drawn,
    in_cqels,
    plain,
)
from tests.sizes import few

ENGINE = CQELS_1X
ALL = tuple(rule.name for rule in ENGINE.rules)
JOIN = "SELECT ?s ?a ?b { STREAM :S [RANGE 100ms] { ?s :p ?a . ?s :q ?b } }"
SLIDING = "SELECT ?a ?b { STREAM :S [RANGE 100ms SLIDE 300ms] { ?s :p ?a . ?s :q ?b } }"
CROSS = "SELECT ?s ?t { STREAM :S [RANGE 1s] { ?s :p ?a . ?t :q ?b } FILTER(?a < ?b) }"
THREE = "SELECT ?s (COUNT(?b) AS ?n) { STREAM :S [ALL] { ?s :p ?a . ?s :q ?b . ?t :r ?c } }"
COUNT = "SELECT (COUNT(?a) AS ?n) { STREAM :S [RANGE 1s] { ?s :p ?a } }"


def run(query, lines, known="", off=()):
    return reported(ENGINE, query, lines, known, off)


BY_HAND = {
    "Q1 an expired triple still joins until its own pattern is matched": (
        ("Q1", JOIN, "0 S x p 1/500 S x q 2", ""), [(1, "1 2 x")], [],
    ),
    "Q1 a FILTER in STREAM is ignored": (
        ("Q1", "SELECT ?a { STREAM :S [ALL] { ?s :p ?a FILTER(?a > 5) } }", "0 S x p 1/9 S x p 9", ""),
        [(0, "1"), (1, "9")], [(1, "9")],
    ),
    "Q1 a FILTER behind STREAM is none in it": (
        ("Q1", "SELECT ?a { STREAM :S [ALL] { ?s :p ?a } FILTER(?a > 5) }", "0 S x p 1/9 S x p 9", ""),
        [(1, "9")], [(1, "9")],
    ),
    "Q1 static elements are DISTINCT in what occurs elsewhere": (
        ("Q1", "SELECT ?s { STREAM :S [ALL] { ?s :p ?a } ?s :in ?r }", "0 S x p 1", "x in r1/x in r2"),
        [(0, "x")], [(0, "x"), (0, "x")],
    ),
    "Q1 a FILTER between triples makes two static elements of them": (
        ("Q1", "SELECT ?s ?r { STREAM :S [ALL] { ?s :p ?a } ?s :in ?r . FILTER(?a > 0) ?r :floor ?f }",
         "0 S x p 1", "x in r1/r1 floor 1/r1 floor 2"),
        [(0, "r1 x")], [(0, "r1 x"), (0, "r1 x")],
    ),
    "Q1 TRIPLES counts what the pattern matched, not what the stream brought": (
        ("Q1", "SELECT ?a ?b { STREAM :S [TRIPLES 1] { ?s :p ?a . ?s :q ?b } }", "0 S x p 1/9 S x q 2", ""),
        [(1, "1 2")], [],
    ),
    "Q2 the pattern with more constants comes first, and meets what the other still holds": (
        ("Q2", "SELECT ?a ?b { STREAM :S [NOW] { ?s ?x ?a . ?s :p ?b } }", "0 S x p 1/9 S x p 2", ""),
        [(0, "1 1"), (1, "1 2"), (1, "2 2")], [(0, "1 1"), (1, "2 2")],
    ),
    "Q3 with SLIDE a buffer is purged once it is over": (
        ("Q3", SLIDING, "0 S x p 1/150 S x p 2/200 S x q 3/310 S x p 4/320 S x q 5", ""),
        [(2, "1 3"), (2, "2 3"), (3, "4 3"), (4, "4 5")], [(2, "2 3"), (3, "4 3"), (4, "4 5")],
    ),
    "Q3 TUMBLING is a SLIDE of the window's length": (
        ("Q3", "SELECT ?a ?b { STREAM :S [RANGE 100ms TUMBLING] { ?s :p ?a . ?s :q ?b } }",
         "0 S x p 1/90 S x p 2/110 S x p 3/195 S x p 4/200 S x q 5", ""),
        [(4, "2 5"), (4, "3 5"), (4, "4 5")], [(4, "3 5"), (4, "4 5")],
    ),
    "Q3 NOW keeps the last match, also within an instant": (
        ("Q3", "SELECT ?a ?b { STREAM :S [NOW] { ?s :p ?a . ?s :q ?b } }", "0 S x p 1/0 S x p 2/0 S x q 3",
         ""),
        [(2, "2 3")], [(2, "1 3"), (2, "2 3")],
    ),
    "Q3 of a duration in hours the last digit is dropped": (
        ("Q3", "SELECT ?a { STREAM :S [RANGE 24h] { ?s :p ?a . ?s :q ?b } }",
         "0 S x p 1/7200001 S x p 2/7200002 S x q 3", ""),
        [(2, "2")], [(2, "1"), (2, "2")],
    ),
    "Q4 a cross product gives partial rows and its FILTER is dropped": (
        ("Q4", CROSS, "0 S x p 1/9 S y q 2/20 S z q 0", ""),
        [(0, "x -"), (1, "- y"), (2, "- z")], [(1, "x y")],
    ),
    "Q4 a static element that shares nothing is left out": (
        ("Q4", "SELECT ?s ?f { STREAM :S [ALL] { ?s :p ?a } ?r :floor ?f }", "0 S x p 1",
         "r floor 2/o floor 3"),
        [(0, "- x")], [(0, "2 x"), (0, "3 x")],
    ),
    "Q4 NOT EXISTS with a variable of its own is not applied": (
        ("Q4", "SELECT ?s { STREAM :S [ALL] { ?s :p ?a } FILTER NOT EXISTS { ?s :in ?new } }",
         "0 S x p 1/9 S y p 1", "x in r"),
        [(0, "x"), (1, "y")], [(1, "y")],
    ),
    "Q5 modifiers are ignored": (
        ("Q5", "SELECT DISTINCT ?s { STREAM :S [ALL] { ?s :p ?a } } LIMIT 1",
         "0 S y p 1/9 S y p 2/20 S x p 3", ""),
        [(0, "y"), (1, "y"), (2, "x")], [(0, "y"), (2, "x")],
    ),
    "Q5 a row that was there before is reported again": (
        ("Q5", "SELECT ?s { STREAM :S [RANGE 50ms] { ?s :p ?a } }", "0 S y p 1/90 S y p 1", ""),
        [(0, "y"), (1, "y")], [(0, "y")],
    ),
    "Q6 without GROUP BY one pattern alone counts nothing": (
        ("Q6", COUNT, "0 S y p 1/9 S y p 2", ""), [(0, "0"), (1, "0")], [(0, "1"), (1, "2")],
    ),
    "Q6 a lookup by no key finds the groups of all, and the partial rows of a cross product": (
        ("Q6", f"{THREE} GROUP BY ?s",
         "0 S y p 1/1 S y q 2/2 S w p 2/3 S w q 5/4 S z r 7", ""),
        [(1, "1 y"), (3, "1 w"), (4, "1 w"), (4, "1 y")], [(1, "1 y"), (3, "1 w"), (4, "0 -")],
    ),
    "Q6 of a group with an unbound argument only COUNT is emitted": (
        ("Q6", "SELECT ?s (SUM(?b) AS ?n) { STREAM :S [ALL] { ?s :p ?a . ?t :q ?b } } GROUP BY ?s",
         "0 S y p 1/1 S z q 2", ""),
        [(1, "- -")], [(0, "- y"), (1, "2 -")],
    ),
    "Q6 HAVING filters the groups of a lookup, and the group of nothing": (
        ("Q6", f"{COUNT} HAVING (COUNT(?a) > 0)", "0 S y p 1/9 S y p 2", ""), [], [(0, "1"), (1, "2")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("case", "engine", "specified"), BY_HAND.values(), ids=BY_HAND)
def test_a_rule_by_hand_on_and_off(case, engine, specified):
    rule, query, lines, known = case
    assert run(query, lines, known) == engine
    assert run(query, lines, known, (rule,)) == specified


@pytest.mark.parametrize("rule", ALL)
def test_each_rule_changes_some_answer(rule):
    assert any(case[0] == rule and engine != other for case, engine, other in BY_HAND.values())


@pytest.mark.parametrize("shape", few(SHAPES, 5), ids=" ".join)
def test_with_all_rules_off_it_is_the_specification(shape):
    windows, lines = drawn(SHAPES.index(shape))
    query = in_cqels(shape, windows).removeprefix(PREFIX)
    found = [(number, plain_row(row)) for number, row in run(query, lines, KNOWN, ALL)]
    assert sorted(found) == by_rdflib(shape, windows, lines)


@pytest.mark.parametrize("shape", SHAPES, ids=" ".join)
def test_the_specification_is_what_the_translation_to_asp_answers(shape):
    windows, lines = drawn(700 + SHAPES.index(shape))
    query = in_cqels(shape, windows).removeprefix(PREFIX)
    found = [(number, plain_row(row)) for number, row in run(query, lines, KNOWN, ALL)]
    assert sorted(found) == by_contents(shape, windows, lines)


def plain_row(row):
    return " ".join(map(plain, row.split()))


def test_a_long_lived_triple_keeps_no_mapping_whose_other_triple_left():
    long, *short = (BufferedTriple(t, "s", ("a", "p", "b"), t, {}) for t in range(100))
    live = LiveJoins()
    live.add(JoinedMapping({}, (long, other)) for other in short)
    live.drop(short)
    assert (len(live.removed), [*live.now], [*live._by_entry[long]]) == (99, [], [])
    live.drop([long])
    assert len(live.removed) == 99
