"""What keeps a program from the relational evaluation is said, with the rule and the literal."""

import pytest

from lars.language.formulas import Not
from lars.language.program import Program, Rule
from lars.language.terms import Atom, Variable
from lars.text.notation import read
from solver.relational import obstacle


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("p ← not q. q ← not p.", "a predicate depends on its own absence"),
        ("@_T p ← ⊞^1 @_T e.", "its head has a time @_T of its own, in the rule @_T p ← ⊞^1 @_T e."),
        ("p ← ◇ e.", "◇ e: ◇ refers to the whole timeline; only windows are covered, in the rule p ← ◇ e."),
        ("p ← ⊞^1 □ e.", "⊞^1 □ e: □ p and ◇ ¬p in a window are not covered"),
        ("p ← ⊞^1 ◇ ¬e.", "⊞^1 ◇ ¬e: □ p and ◇ ¬p in a window are not covered"),
        ("p ← ⊞^2 e.", "⊞^2 e: a window without ◇ or @_T is not covered"),
        ("p ← e, not ⊞^2 @_3 e.", "not ⊞^2 @_3 e: @_T in a window is not covered under a negation"),
        ("p ← e, ⊞^2 @_3 ¬e.", "⊞^2 @_3 ¬e: @_T ¬p in a window is not covered"),
        ("p ← ⊞^2 ◇ true.", "⊞^2 ◇ true: `true` in a window is covered only as ⊞^0 @_T true"),
        ("p ← ⊞^2 ◇ ⊞^1 ◇ e.", "⊞^2 ◇ ⊞^1 ◇ e: the operator ◇ around a window is not covered"),
        (
            "p ← ⊞^{#1 choose} ◇ e.",
            "⊞^{#1 choose} ◇ e: the window chooses ties, so several answer streams can exist",
        ),
        ("p ← e. q ← ⊞^1 ◇ p.", "⊞^1 ◇ p: its atom is derived or in the background"),
        ("k(a). q ← ⊞^1 ◇ k(a).", "⊞^1 ◇ k(a): its atom is derived or in the background"),
        ("n(X) ← f(X). n(Y) ← n(X), Y = X + 1.", "a recursive rule that computes values may never end"),
        ("n(?x) ← f(?x). n(?y) ← n(?x), ?y := [CONCAT(?x, ?x)].", "a recursive rule that computes values"),
    ],
)
def test_the_first_obstacle_is_named(text, problem):
    assert str(obstacle(read(text))).startswith(problem)


@pytest.mark.parametrize(
    "text",
    [
        "p ← ⊞^{#2 by 1} ◇ f(X), ⊞^{#2 all} ◇ e.",
        "q(S) ← ⊞^9 @_T f(a), S = T / 60.",
        "← p. p ← e.",
        "← ⊞^5 @_T f(X), S = T - 3.",
        "m(X, Z) ← m(X, Y), ⊞^3 ◇ g(Y, Z), not ⊞^1 ◇ f(X).",
        "q(?n) ← ?n := AVG(?x) of p(?x). p(?x) ← ⊞^3 ◇ f(?x).",
    ],
)
def test_what_tau_makes_is_covered_and_more(text):
    assert obstacle(read(text)) is None


def test_an_unsafe_rule_is_an_obstacle():
    unsafe = Program((Rule(Atom("p", (Variable("X"),)), (Not(Atom("q", (Variable("X"),))),)),))
    assert str(obstacle(unsafe)).startswith("unsafe rule: no positive body literal binds X")


def test_a_background_given_elsewhere_can_be_an_obstacle():
    program = read("p ← ⊞^3 ◇ f(X).")
    assert obstacle(program) is None
    assert "in the background" in str(obstacle(program, [("f", 1)]))
