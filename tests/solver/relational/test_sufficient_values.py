"""A body has the same solutions if a literal keeps only the values that suffice for the conditions."""

from itertools import product
from operator import ge, gt, le, lt
from random import Random
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.language import formulas as logic
from lars.language.terms import XSD, Blank, Iri, Literal, Number, Symbol, Variable
from lars.language.windows import Interval
from lars.text.notation import read
from solver import rdf
from solver.columns import TermCodes
from solver.facts import Fact, Situation
from solver.relational import evaluation, extremes, run_tables
from solver.relational.evaluation import Bindings, RuleBody
from solver.relational.run_tables import RunTable
from tests.solver.in_process import runs
from tests.solver.pointwise.test_definition import clingo_rows
from tests.solver.relational.relational_cases import relational_rows
from tests.solver.strategies import part_of

COUNT = 4
K, W, X, Y = map(Variable, ("k", "w", "x", "y"))
INTEGERS = ("1", "01", "2", "16777216", "16777217", "9007199254740992", "9007199254740993", "-5")
VALUES = [
    *(Literal(text, XSD + "integer") for text in INTEGERS),
    *(Literal(text, XSD + "decimal") for text in ("1.0", "0.1", f"1.{'0' * 58}1", f"1.{'0' * 58}2")),
    *(Literal(text, XSD + kind) for text in ("1", "0.1", "NaN", "INF") for kind in ("double", "float")),
    *(Literal(text, XSD + "double") for text in ("16777217", "9007199254740992", "-0", "0")),
    *(Literal(text) for text in ("1", "a", "b")),
    *(Literal(f"2026-01-01T{at}", XSD + "dateTime") for at in ("00:00:00", "09:00:00Z", "20:00:00+01:00")),
    *(Literal("true", XSD + "boolean"), Literal("a", "x:unknown"), rdf.read_term('"a"@en')),
    *(Iri("x:a"), Iri("x:b"), Blank("a"), None),
]
CONSTANTS = [*map(Number, (0, 1, 2, 3)), Symbol("a"), Symbol("b"), Iri("x:a")]
RELATIONS = {"<": lt, "<=": le, ">": gt, ">=": ge}
KINDS = {"values": VALUES, "constants": CONSTANTS}
CASES = 400


def case(rng, terms):
    """Return the rows of two or three literals, whether they share K, conditions, and the head."""
    some = rng.sample(terms, 4)
    parts = []
    for _ in range(rng.choice((2, 3))):
        ends = (sorted((rng.randrange(COUNT), rng.randrange(COUNT))) for _ in range(rng.randrange(7)))
        parts.append([(rng.choice("kl"), rng.choice(some), first, last) for first, last in ends])
    names = (W, X, Y)[: len(parts)]
    conditions = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        sign, sides = rng.choice((*RELATIONS, "=", "!=", "!=")), rng.sample(names, 2)
        if terms is VALUES:
            conditions.append(logic.Test(logic.Call(sign, tuple(sides)), rng.random() < 0.7))
        else:
            conditions.append(logic.Comparison(sides[0], sign, sides[1]))
    return parts, rng.random() < 0.5, conditions, rng.choice([(), (K,), (X,), (K, X), (W,), names])


def cases_to_find(kind):
    """Return how many cases it takes to find a difference, or None."""
    with patch.object(evaluation, "VALUES_FOR_EACH", 0):
        for seed in range(CASES):
            given_to_it = case(Random(seed), KINDS[kind])
            if {*found(*given_to_it)} != {*tried(*given_to_it)}:
                return seed
    return None


def holds(condition, row):
    """Whether a condition holds, by its definition."""
    if isinstance(condition, logic.Test):
        return rdf.test(condition.expression, condition.value, row)
    one, other = row[condition.left], row[condition.right]
    if condition.relation in ("=", "!="):
        return (one == other) == (condition.relation == "=")
    numbers = isinstance(one, Number) and isinstance(other, Number)
    return numbers and RELATIONS[condition.relation](one.value, other.value)


def tried(parts, shared, conditions, kept):
    """Return the rows of all products of rows, with the index at which each holds."""
    for index, chosen in product(range(COUNT), product(*parts)):
        if shared and len({key for key, *_ in chosen}) > 1:
            continue
        if all(first <= index <= last for _, _, first, last in chosen):
            row = dict(zip((W, X, Y), (term for _, term, *_ in chosen), strict=False))
            if all(holds(condition, row) for condition in conditions):
                row[K] = Iri(f"x:{chosen[0][0]}")
                yield index, tuple(row[name] for name in kept)


def found(parts, shared, conditions, kept):
    """Return the rows of the body of a rule, with the index at which each holds."""
    codes, body = TermCodes(), []
    for name, rows in zip((W, X, Y), parts, strict=False):
        keys, terms, first, last = (list(column) for column in zip(*rows, strict=True)) if rows else ([],) * 4
        key = codes.codes(f"<x:{key}>" for key in keys)
        column = np.array([codes.of_constant(term) for term in terms], np.int64)
        key_name = K if shared or name == W else Variable(f"k{name}")
        ends = np.array(first, np.int64), np.array(last, np.int64)
        body.append(Bindings((key_name, name), RunTable((key, column), *ends)))
    result = RuleBody(codes, COUNT).solutions(body, [], conditions, frozenset(kept))
    columns = [result.column(name).tolist() for name in kept]
    for place, (first, last) in enumerate(zip(result.table.first, result.table.last, strict=True)):
        row = [codes.constant(column[place]) if column[place] else None for column in columns]
        for index in range(first, last + 1):
            yield index, tuple(row)


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_has_the_solutions_of_all_products_of_rows(kind):
    assert cases_to_find(kind) is None


BODIES = (
    "q(X) ← ⊞^2 ◇ e(X, V), ⊞^1 ◇ f(Z, W), W > V.",
    "q(X) ← ⊞^2 ◇ e(X, V), ⊞^1 ◇ e(Z, W), W < V.",
    "q(K) ← ⊞^2 ◇ e(X, K), ⊞^2 ◇ e(Y, K), ⊞^1 ◇ e(Z, K), X != Y, Y != Z, X != Z.",
    "p(X) ← ⊞^2 ◇ e(X, V), ⊞^2 ◇ f(Z, W), W >= V, W != X. q(X) ← ⊞^1 ◇ e(X, V), not p(X).",
    "q(X) ← ⊞^3 ◇ e(X, V), ⊞^2 ◇ f(X, W), ⊞^1 ◇ f(X, Z), V < W, W < Z.",
)


@pytest.mark.parametrize("body", BODIES)
@part_of(0.3)
@given(st.integers(0, 10**6), st.integers(0, 14))
def test_rules_over_windows_have_the_rows_of_clingo(body, seed, size):
    rng = Random(seed)
    facts = sorted(
        Fact(rng.randrange(5), rng.choice("ef"), (str(rng.randrange(4)), rng.choice(("0", "1", "2", "a"))))
        for _ in range(size)
    )
    given_to_it = Situation(Interval(0, 5), facts, {})
    with patch.object(evaluation, "VALUES_FOR_EACH", 0):
        own = relational_rows(read(body), given_to_it, range(6), ("q", 1))
    assert own == clingo_rows(read(body), given_to_it, range(6), ("q", 1))


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 4).filter(lambda row: row[2] <= row[3])))
def test_the_highest_rows_at_each_index_are_those_of_the_definition(rows):
    group, value, first, last = np.array(rows, np.int64).reshape(-1, 4).T
    highest = run_tables.highest(RunTable((group, value), first, last), COUNT)
    own = {
        (*row, index)
        for *row, start, end in zip(*highest.columns, highest.first, highest.last, strict=True)
        for index in range(start, end + 1)
    }
    shown = {(k, value, t) for k, value, a, b in rows for t in range(a, b + 1)}
    best = {(k, t): max(value for key, value, at in shown if (key, at) == (k, t)) for k, _, t in shown}
    assert own == {(k, value, t) for (k, t), value in best.items()}
    assert highest.longest


@pytest.mark.parametrize("body", BODIES[:-1])
def test_rows_that_a_join_visits_grow_like_the_input(body, monkeypatch):
    pairs = []

    def counted(left, right, pairs_of_rows, kept, own=run_tables.meet_pairs):
        pairs.append(len(pairs_of_rows[0]))
        return own(left, right, pairs_of_rows, kept)

    monkeypatch.setattr(run_tables, "meet_pairs", counted)
    rng = Random(5)
    facts = [
        Fact(t, name, (str(rng.randrange(10**6)), str(rng.randrange(3))))
        for t in range(6) for _ in range(300) for name in "ef"
    ]  # fmt: skip
    list(runs(read(body), Situation(Interval(0, 6), facts, {}), range(7), ("q", 1)))
    assert 0 < max(pairs) < 5 * len(facts)


@pytest.mark.parametrize("fault", ["least for greatest", "one for two", "kinds together"])
def test_a_fault_in_the_values_is_found(fault, monkeypatch):
    def wrong(name, conditions, own=extremes.demand):
        demanded = own(name, conditions)
        if demanded is None:
            return None
        sign, most, by_value = demanded
        if fault == "least for greatest":
            return sign.translate({60: 62, 62: 60}), most, by_value
        return sign, 1 if fault == "one for two" else most, by_value

    monkeypatch.setattr(extremes, "demand", wrong)
    if fault == "kinds together":
        own = extremes._place
        monkeypatch.setattr(
            extremes, "_place", lambda *some, **how: (place := own(*some, **how)) and ("", str(place[1]))
        )
    assert cases_to_find("values") is not None
