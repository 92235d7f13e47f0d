"""A join on keys that conditions imply has the rows of all pairs that fulfill the conditions."""

from random import Random
from unittest.mock import patch

import numpy as np
import pytest

from lars.language import formulas as logic
from lars.language.terms import XSD, Blank, Literal, Number
from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact, Situation
from solver.relational import derived_keys, evaluation, run_tables
from tests.solver.in_process import runs
from tests.solver.relational.bodies import CONSTANTS, VALUES, W, X, Y, found, tried

CASES = 600
NUMBERS = [
    *(Literal(str(number), XSD + "integer") for number in (-3, 0, 1, 2, 3, 2**53, 2**53 + 1, 10**400)),
    *(Literal(text, XSD + "decimal") for text in ("0.1", "0.3", "2.00", "-2.5", f"1.{'0' * 40}1")),
    *(Literal(text, XSD + "double") for text in ("0.1", "0.3", "1E15", "1E300", "-1E300", "4.9E-324")),
    *(Literal("n/a"), Blank("a"), None),
]
KINDS = {"values": VALUES, "numbers": NUMBERS, "constants": CONSTANTS}
WIDTHS = [Literal(text, XSD + "decimal") for text in ("0", "0.2", "1", "2.5", "-1", "1000000000000")]


def difference(rng, one, other, terms):
    """Return conditions that bound a difference, in one of the forms in which users write them."""
    if terms is CONSTANTS:
        width, make = Number(rng.randrange(-1, 4)), logic.Operation
        compared = logic.Comparison
    else:
        width, make = rng.choice(WIDTHS), lambda sign, *sides: logic.Call(sign, sides)

        def compared(left, sign, right):
            negated = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
            if rng.random() < 0.3:
                return logic.Test(logic.Call(negated[sign], (left, right)), value=False)
            return logic.Test(logic.Call(sign, (left, right)))

    less, more = rng.choice(("<", "<=")), rng.choice((">", ">="))
    gap = make("-", one, other)
    forms = [
        [compared(gap, less, width), compared(make("-", other, one), less, width)],
        [compared(one, less, make("+", other, width)), compared(make("-", other, width), less, one)],
        [compared(width, more, gap), compared(one, more, other)],
        [compared(one, less, make("+", make("+", other, width), width)), compared(one, more, other)],
        [compared(gap, less, width)],
    ]
    if terms is not CONSTANTS:
        forms.append([compared(make("ABS", gap), less, width)])
    return rng.choice(forms)


def equation(rng, one, other, terms):
    """Return a condition that requires equal values or terms."""
    if terms is CONSTANTS:
        return [logic.Comparison(one, "=", other)]
    if rng.random() < 0.3:
        return [logic.Test(logic.Call("!=", (one, other)), value=False)]
    sides = [
        rng.choice((name, name, logic.Call("STR", (name,)), logic.Call("ABS", (name,))))
        for name in (one, other)
    ]
    return [logic.Test(logic.Call(rng.choice(("=", "SAMETERM")), tuple(sides)))]


def case(rng, terms):
    """Return the rows of two or three literals, whether they share K, conditions, and the head."""
    parts = [
        [
            (rng.choice("kl"), rng.choice(terms), *sorted((rng.randrange(4), rng.randrange(4))))
            for _ in range(9)
        ]
        for _ in range(rng.choice((2, 3)))
    ]
    names, conditions = (W, X, Y)[: len(parts)], []
    for _ in range(rng.choice((1, 1, 2))):
        kind = rng.choice((difference, equation))
        conditions += kind(rng, *rng.sample(names, 2), terms)
    return parts, rng.random() < 0.5, conditions, names


def cases_to_find(kind, cases=CASES):
    """Return how many cases it takes to find a difference, or None."""
    with patch.object(evaluation, "_MUCH", 0):
        for seed in range(cases):
            given = case(Random(seed), KINDS[kind])
            if {*found(*given)} != {*tried(*given)}:
                return seed
    return None


@pytest.mark.parametrize("kind", KINDS)
def test_joins_on_derived_keys_have_the_solutions_of_all_products_of_rows(kind):
    assert cases_to_find(kind) is None


@pytest.mark.parametrize("text", ["1.0000000596046447753906250000001", f"{2**60 + 2**36 + 1}"])
def test_a_number_equals_a_double_although_both_are_different_floats(text):
    exact = Literal(text, XSD + "decimal")
    sides = [exact, Literal("2.5", XSD + "float")], [Literal(str(float(text)), XSD + "double")]
    parts = [[("k", term, 0, 3) for term in side] for side in sides]
    given = parts, False, [logic.Test(logic.Call("=", (W, X)))], (W, X)
    with patch.object(evaluation, "_MUCH", 0):
        assert {*found(*given)} == {*tried(*given)} != set()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("text", ["1.7E308", "-1E308"])
def test_numbers_near_the_greatest_double_cause_no_warning(text):
    column = np.array([float(text)]), np.ones(1, np.bool_)
    assert derived_keys._band_keys(-1e300, 1e300, column, column) is None


@pytest.mark.parametrize("kind", KINDS)
def test_random_cases_have_derived_keys_and_solutions(kind):
    keys = []

    def seen(link, columns, codes, own=derived_keys.columns_of):
        keys.append((link[2] is None, own(link, columns, codes)))
        return own(link, columns, codes)

    with patch.object(derived_keys, "columns_of", seen), patch.object(evaluation, "_MUCH", 0):
        rows = [len([*found(*case(Random(seed), KINDS[kind]))]) for seed in range(60)]
    assert sum(map(bool, rows)) > 20
    bands = [key is not None for equal, key in keys if not equal]
    assert (kind != "values") == (True in bands)
    assert (kind == "constants") != any(equal for equal, _ in keys)


@pytest.mark.parametrize("fault", ["one bucket", "narrow", "terms for values", "doubles for floats"])
def test_a_fault_in_the_keys_is_found(fault, monkeypatch):
    if fault == "one bucket":
        own = derived_keys.columns_of
        monkeypatch.setattr(derived_keys, "columns_of", lambda *some: (keys := own(*some)) and keys[:2])
    elif fault == "narrow":
        own = derived_keys._band_keys
        monkeypatch.setattr(derived_keys, "_band_keys", lambda low, high, *some: own(low, high / 2, *some))
    elif fault == "terms for values":
        monkeypatch.setattr(derived_keys, "_class", lambda term, _: term)
    else:
        own = derived_keys._class
        monkeypatch.setattr(derived_keys, "_class", lambda term, _: own(term, float))
    kinds = ("numbers", "constants") if fault in ("one bucket", "narrow") else ("values",)
    assert any(cases_to_find(kind) is not None for kind in kinds)


BODIES = (
    "q(X) ← ⊞^2 ◇ e(X, V), ⊞^1 ◇ f(Z, W), [?V = ?W].",
    "q(X) ← ⊞^2 ◇ e(X, V), ⊞^1 ◇ f(Z, W), [STR(?V) = STR(?W)].",
    "q(X) ← ⊞^2 ◇ e(X, V), ⊞^1 ◇ f(Z, W), [ABS(?V - ?W) < 9].",
    "q(X) ← ⊞^2 ◇ e(X, V), ⊞^1 ◇ f(Z, W), [?V < ?W + 9], [?W <= ?V], [?X != ?Z].",
)  # fmt: skip


@pytest.mark.parametrize("body", BODIES)
def test_rows_that_a_join_visits_grow_like_the_input(body, monkeypatch):
    pairs = []

    def counted(left, right, pairs_of_rows, kept, own=run_tables.meet_pairs):
        pairs.append(len(pairs_of_rows[0]))
        return own(left, right, pairs_of_rows, kept)

    monkeypatch.setattr(run_tables, "meet_pairs", counted)
    monkeypatch.setattr(evaluation, "_MUCH", 2**10)
    rng = Random(5)
    facts = [
        Fact(t, name, (f"n{rng.randrange(10**6)}", str(Literal(str(rng.randrange(10**5)), XSD + "integer"))))
        for t in range(6) for _ in range(300) for name in "ef"
    ]  # fmt: skip
    program = read(body)
    assert [*runs(program, Situation(Interval(0, 6), facts, {}), range(7), ("q", 1))]
    assert 0 < max(pairs) < 3 * len(facts)


@pytest.mark.parametrize(
    ("sign", "negated"), [("<", ">="), ("<=", ">"), (">", "<="), (">=", "<"), ("=", "!=")]
)
def test_a_negated_condition_gives_the_key_of_the_condition_that_it_means(sign, negated):
    """Otherwise rows are lost, or all pairs of rows are tested."""
    # W is at least X - 1, or at most X + 1: the other end of the band.
    beyond, end = (">", "-") if sign in ("<", "<=") else ("<", "+")
    one = Literal("1", XSD + "integer")
    other = logic.Test(logic.Call(beyond, (W, logic.Call(end, (X, one)))))
    plain, meant = (
        logic.Test(logic.Call(own, (W, X)), value=truth) for own, truth in ((sign, True), (negated, False))
    )
    assert derived_keys.links([meant, other], [W], [X]) == derived_keys.links([plain, other], [W], [X]) != []
