"""A rule in place of the atom that it derives: the same rows, and where it is not done."""

from random import Random

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from lars.language.program import Program, Rule
from lars.language.terms import XSD, Atom, Literal, Symbol
from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact, Situation
from solver.relational import plans, run_tables
from solver.relational.plans import have_equal_rules, obstacle, unfolded_plan
from tests.lars.strategies import A, B, cases
from tests.solver.relational.relational_cases import OUTPUTS, relational_rows
from tests.solver.relational.test_relational import rows
from tests.solver.strategies import covered_programs, situation_of

C = Symbol("c")


def layers(text, given=()):
    """Return how many layers are left of the program to derive q."""
    return len(unfolded_plan(read(text), ("q", 1), frozenset(given)))


ONE = "p(X) ← ⊞^9 ◇ f(X). q(X) ← p(X), not ⊞^1 ◇ g(X)."


@pytest.mark.parametrize(
    ("text", "given", "left"),
    [
        (ONE, (), 1),
        (ONE, [("p", 1)], 2),
        ("r(X) ← ⊞^9 ◇ f(X). p(X) ← r(X), not ⊞^1 ◇ g(X). q(X) ← p(X).", (), 1),
        ("p(X) ← ⊞^9 ◇ f(X). p(X) ← ⊞^9 ◇ g(X). q(X) ← p(X).", (), 2),
        ("p(X) ← ⊞^9 ◇ f(X). r(X) ← p(X), ⊞^1 ◇ g(X). q(X) ← p(X), not r(X).", (), 3),
        ("p(X) ← ⊞^9 ◇ f(X). q(X) ← ⊞^9 ◇ f(X), not p(X).", (), 2),
        ("p(X) ← ⊞^9 ◇ f(X). q(Y) ← p(Y).", (), 2),
        ("p(X, X) ← ⊞^9 ◇ f(X). q(X) ← p(X, X).", (), 2),
        ("p(X) ← ⊞^9 ◇ h(X, Y). q(X) ← p(X), ⊞^9 ◇ f(Y).", (), 2),
        ("p(?x) ← ⊞^9 ◇ f(?x). q(?n) ← ?n := COUNT(*) of p(?x).", (), 2),
        ("p(?n) ← ?n := COUNT(*) of r(?x). r(?x) ← ⊞^9 ◇ f(?x). q(?n) ← p(?n).", (), 3),
    ],
)
def test_an_atom_that_one_rule_derives_and_one_uses_takes_no_layer(text, given, left):
    assert layers(text, given) == left


def test_what_the_rule_takes_off_and_asks_is_kept():
    arrivals = [(1, Atom("f", (A,))), (1, Atom("f", (B,))), (1, Atom("f", (C,))), (2, Atom("g", (B,)))]
    text = "p(X) ← ⊞^9 ◇ f(X), not ⊞^9 ◇ g(X), X != c. q(X) ← p(X)."
    assert rows(text, arrivals, [1, 2]) == {1: {("a",), ("b",)}, 2: {("a",)}}
    both = "p(X, Y) ← ⊞^9 ◇ f(X), ⊞^9 ◇ g(Y), X != Y, X != c. q(X) ← p(X, Y)."
    assert rows(both, arrivals, [1, 2]) == {1: set(), 2: {("a",)}}


def test_variables_of_the_rule_are_not_those_of_its_user():
    arrivals = [(1, Atom("h", (A, B))), (1, Atom("f", (A,)))]
    text = "p(X) ← ⊞^9 ◇ h(X, Y). q(X, Y) ← p(X), ⊞^9 ◇ f(Y)."
    assert rows(text, arrivals, [1], ("q", 2)) == {1: {("a", "a")}}


TWO = "p(X) ← ⊞^9 ◇ f(X), X != c. q(X) ← p(X), ⊞^1 ◇ h(X, Y)."


@pytest.mark.parametrize(
    ("other", "given_to_it", "equal"),
    [
        ("q(X) ← ⊞^1 ◇ h(X, Y), X != c, ⊞^9 ◇ f(X).", (), True),
        ("q(X) ← ⊞^1 ◇ h(X, Y), X != c, ⊞^9 ◇ f(X).", [("p", 1)], False),
        ("q(X) ← ⊞^1 ◇ h(X, Y), X != c, ⊞^8 ◇ f(X).", (), False),
        ("q(X) ← ⊞^1 ◇ h(Y, X), X != c, ⊞^9 ◇ f(X).", (), False),
        ("q(X) ← ⊞^1 ◇ h(X, Y), X != b, ⊞^9 ◇ f(X).", (), False),
        ("q(X) ← ⊞^1 ◇ h(X, Y), X != c, not ⊞^9 ◇ f(X).", (), False),
        (TWO + " q(X) ← ⊞^1 ◇ g(X).", (), False),
        (TWO + " p(a).", (), False),
        (TWO + " r(X) ← ⊞^1 ◇ g(X).", (), True),
    ],
)
def test_rules_are_equal_in_any_order_and_however_they_are_divided(other, given_to_it, equal):
    assert have_equal_rules(read(TWO), read(other), ("q", 1), frozenset(given_to_it)) == equal


@given(cases(covered_programs()), st.randoms(use_true_random=False), st.booleans())
def test_programs_with_equal_rules_have_the_same_rows(case, draw, drop):
    bodies = [(rule.head, draw.sample(rule.body, len(rule.body))) for rule in case.program.rules]
    if drop and bodies[0][1]:
        bodies[0][1].pop()
    draw.shuffle(bodies)
    other = Program(tuple(Rule(head, tuple(body)) for head, body in bodies))
    given_to_it = situation_of(case)
    held = frozenset(given_to_it.background)
    for output in OUTPUTS:
        equal = have_equal_rules(case.program, other, output, held)
        event(f"dropped {drop}, equal {equal}")
        assert equal or drop or obstacle(case.program, held)
        if equal and not obstacle(case.program, held):
            one, two = (
                relational_rows(program, given_to_it, [case.t], output) for program in (case.program, other)
            )
            assert one == two


_LESS = "⊞^2 ◇ e(X, V), ⊞^1 ◇ f(Z, W), [?V < ?W]"
_UNITED = (
    f"m(X, V, W) ← {_LESS}. m(X, V, null) ← ⊞^2 ◇ e(X, V), not n(X, V). n(X, V) ← {_LESS}.",
    "m(X, V, W) ← ⊞^2 ◇ e(X, V), ⊞^1 ◇ f(X, W). m(V, W, X) ← ⊞^2 ◇ f(X, W), e(V, Z). m(A, A, A) ← e(A, B).",
    "m(X, V, W) ← u(X, V, W). m(X, V, W) ← u(V, W, X). u(X, V, W) ← e(X, V), f(X, W). u(X, X, V) ← f(X, V).",
)
_KEPT = (
    "q(X) ← m(X, V, W), ¬[BOUND(?W)].",
    "q(X) ← m(X, V, W), [?V >= ?W].",
    "q(X) ← m(W, V, X), [?V != ?W], [?X < 2], ⊞^3 ◇ e(X, V).",
    "q(X) ← m(X, V, V), [?V < 3].",
    "q(X) ← m(X, V, W), [?V < 2], not m(W, X, V).",
    "q(X) ← m(X, V, W), [BOUND(?W)]. q(X) ← ⊞^1 ◇ f(X, V).",
)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("united", _UNITED)
@pytest.mark.parametrize("kept", _KEPT)
def test_conditions_that_apply_early_leave_the_same_rows(united, kept, seed, monkeypatch):
    rng = Random(seed)
    values = [str(Literal(str(number), XSD + "integer")) for number in range(4)]
    facts = [Fact(t, rng.choice("ef"), tuple(rng.choices(values, k=2))) for t in range(6) for _ in range(3)]
    given_to_it = Situation(Interval(0, 6), facts, {})
    program = read(f"{united} {kept}")
    early = relational_rows(program, given_to_it, range(7), ("q", 1))
    monkeypatch.setattr(plans, "_filtered_early", lambda whole, _: whole)
    plans.unfolded_plan.cache_clear()
    assert early == relational_rows(program, given_to_it, range(7), ("q", 1))
    plans.unfolded_plan.cache_clear()


def test_rows_of_an_optional_that_a_condition_removes_are_not_computed(monkeypatch):
    pairs = []

    def counted(left, right, pairs_of_rows, kept, own=run_tables.meet_pairs):
        pairs.append(len(pairs_of_rows[0]))
        return own(left, right, pairs_of_rows, kept)

    monkeypatch.setattr(run_tables, "meet_pairs", counted)
    rng = Random(5)
    values = [str(Literal(str(rng.randrange(10**6)), XSD + "integer")) for _ in range(900)]
    facts = [Fact(place // 300, "e", (f"n{place}", value)) for place, value in enumerate(values)]
    optional = _UNITED[0].replace("f(Z, W)", "e(Z, W)")
    program = read(f"{optional} q(X) ← m(X, V, W), ¬[BOUND(?W)].")
    assert relational_rows(program, Situation(Interval(0, 3), facts, {}), range(4), ("q", 1))[2]
    assert max(pairs) < 5 * len(facts)
