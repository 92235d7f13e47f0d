"""A body has the same solutions if a literal keeps only the values that suffice for the conditions."""

from random import Random
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.language import formulas as logic
from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact, Situation
from solver.relational import evaluation, extremes, run_tables
from solver.relational.run_tables import RunTable
from tests.solver.in_process import runs
from tests.solver.pointwise.test_definition import clingo_rows
from tests.solver.relational.bodies import CONSTANTS, COUNT, RELATIONS, VALUES, K, W, X, Y, found, tried
from tests.solver.relational.relational_cases import relational_rows
from tests.solver.strategies import part_of

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


def test_rows_that_differ_from_others_grow_like_the_input_when_each_time_point_is_evaluated(monkeypatch):
    pairs = []

    def counted(left, right, pairs_of_rows, kept, own=run_tables.meet_pairs):
        pairs.append(len(pairs_of_rows[0]))
        return own(left, right, pairs_of_rows, kept)

    monkeypatch.setattr(run_tables, "meet_pairs", counted)
    facts = [Fact(number // 40, "e", (f"n{number}", str(number % 20))) for number in range(2400)]
    windows = ", ".join(f"⊞^9 ◇ e({name}, K)" for name in "XYZ")
    program = read(f"q(K) ← {windows}, X != Y, Y != Z, X != Z.")
    assert [*runs(program, Situation(Interval(0, 60), facts, {}), range(60), ("q", 1))]
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
