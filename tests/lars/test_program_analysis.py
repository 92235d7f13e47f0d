"""Programs: what is safe, what is derived, what is stratified, how far windows reach."""

import pytest
from hypothesis import given

from lars.analysis import (
    Reach,
    binders,
    bound,
    check_safety,
    failing_comparisons,
    intensional,
    reach,
    strata,
    unstratified_rules,
    windows,
)
from lars.errors import LarsError
from lars.language.formulas import At, Comparison, Diamond, In, Not
from lars.language.program import Program, Rule, is_fact
from lars.language.terms import XSD, Atom, Literal, Number, Symbol, Variable
from lars.language.windows import TimeWindow, TupleWindow
from lars.text.notation import read
from tests.lars.strategies import programs, stratified_programs
from tests.lars.written import written_programs

X, T = Variable("X"), Variable("T")
P_X = Atom("p", (X,))


def unsafe(head, *body):
    with pytest.raises(LarsError) as caught:
        check_safety(Program((Rule(head, body),)))
    return str(caught.value)


@given(programs() | stratified_programs() | written_programs())
def test_the_random_programs_are_safe(program):
    check_safety(program)


@given(programs() | stratified_programs() | written_programs())
def test_rules_prevent_strata_exactly_if_no_strata_exist(program):
    """Without the rules that prevent strata, strata exist."""
    rules = unstratified_rules(program)
    assert bool(rules) == (strata(program) is None)
    kept = (rule for number, rule in enumerate(program.rules, 1) if number not in rules)
    assert strata(Program(tuple(kept))) is not None


@given(stratified_programs())
def test_the_layered_random_programs_are_stratified(program):
    assert strata(program) is not None


@pytest.mark.parametrize(
    "text",
    [
        "h(X) ← p(X).",
        "h(X) ← ⊞^3 ◇ p(X).",
        "h(X) ← ⊞^3 □ p(X).",
        "h(X) ← □ p(X).",
        "h(X) ← ⊞^#3 ◇ □ p(X).",
        "@_T h ← ⊞^3 @_T p.",
        "h(Y) ← Y = X + 1, p(X).",
        "h(Y, Z) ← ?y := [?z], p(Y), ?z := [Y], Z = Y, q(?y).",
    ],
)
def test_these_rules_are_safe(text):
    check_safety(read(text))


def test_a_variable_in_a_head_or_under_not_must_be_bound():
    assert "no positive body literal binds X" in unsafe(P_X)
    assert "X" in unsafe(Atom("h"), Not(P_X))
    assert "T" in unsafe(At(T, Atom("h")), Atom("q"))


def test_box_in_a_window_that_can_be_empty_binds_nothing():
    with pytest.raises(LarsError, match="unsafe"):
        read("h(X) ← ⊞^#3 □ p(X).")
    with pytest.raises(LarsError, match="unsafe"):
        read("h(X) ← ⊞^{3,0,2} □ p(X).")
    with pytest.raises(LarsError, match="unsafe"):
        read("h(X) ← ⊞^{3 high-open} ⊞^2 □ p(X).")


def test_only_equality_binds_and_only_from_bound_variables():
    assert "X" in unsafe(Atom("h"), Comparison(X, "<", Number(3)))
    assert "binds X\n" in unsafe(P_X, Comparison(X, "=", T))
    assert bound((Comparison(X, "=", Number(3)),)) == {X}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("h(X, Y) ← p(X), Z = X + Y, U = Z * 2, U > 3.", "Y"),
        ("h(X, Y) ← X = Y + 1.", "Y"),
        ("h(X) ← p(X), V := [STR(W)], Z = V, X < U.", "U, W"),
        ("h(X, Z) ← p(X), not r(X, Y), W = Y + 1.", "Y, Z"),
    ],
)
def test_an_unsafe_rule_names_only_variables_that_no_other_variable_gives(text, names):
    with pytest.raises(LarsError) as caught:
        read(text)
    assert f"binds {names}\n" in str(caught.value)
    assert "helper" not in str(caught.value)  # another literal needs the variable


def test_binders_are_atoms_and_times():
    assert list(binders(In(TimeWindow(2), At(T, P_X)))) == [T, P_X]
    assert list(binders(Diamond(Not(P_X)))) == []


def test_a_timed_fact_is_refused():
    with pytest.raises(LarsError, match="a fact holds at every time point"):
        check_safety(Program((Rule(At(Number(3), Atom("a"))),)))


def test_what_has_a_body_is_derived_and_facts_are_not():
    program = read("a. b ← a. @_T c(T) ← ⊞^0 @_T true. ← b.")
    assert intensional(program) == {("b", 0), ("c", 1)}
    assert [is_fact(rule) for rule in program.rules] == [True, False, False, False]


def test_strata_follow_negation():
    assert strata(read("a ← e. b ← not a. c ← b, a.")) == ({("a", 0)}, {("b", 0), ("c", 0)})


def test_strata_follow_box():
    assert strata(read("a ← e. b ← ⊞^2 □ a.")) == ({("a", 0)}, {("b", 0)})


def test_a_loop_through_negation_has_no_strata_and_a_positive_one_has():
    assert strata(read("a ← not b. b ← not a.")) is None
    assert strata(read("a ← ⊞^2 ◇ ¬a.")) is None
    assert strata(read("a ← b. b ← a.")) is not None


def test_two_negations_are_none():
    assert strata(read("a ← ◇ ¬¬a.")) is not None


def test_windows_are_found_under_everything():
    program = read("a ← not ⊞^2 ◇ ¬ ⊞^#3 □ b.")
    assert windows(program) == {TimeWindow(2), TupleWindow(3)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a ← e.", Reach(0, 0, frozenset())),
        ("a ← ⊞^3 ◇ e.", Reach(3, 0, frozenset())),
        ("a ← ⊞^{3,2,4} ◇ e.", Reach(6, 2, frozenset())),
        ("a ← ⊞^3 ◇ ⊞^2 ◇ e.", Reach(5, 0, frozenset())),
        ("a ← ⊞^∞ ◇ e.", Reach(None, 0, frozenset())),
        ("a ← ◇ e.", Reach(None, None, frozenset())),
        ("a ← ⊞^#3 ◇ e, ⊞^1 ◇ e.", Reach(1, 0, frozenset((TupleWindow(3),)))),
    ],
)
def test_reach(text, expected):
    assert reach(read(text)) == expected


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        ("h(X) :- p(X,V), [V > 30].", "?V > 30"),
        ("h(X) :- p(X,V), ~[3 <= V || X = 2].", "3 <= ?V"),
        ("h(X) :- [+]^3 <> p(X,V), [V < #3].", "?V < #3"),
        ("d(V) :- p(X,V). h(V) :- d(V), [V > 30].", "?V > 30"),
        ("d(5). h(V) :- d(V), [V > 3].", "?V > 3"),
        ("h(V) :- p(X,W), V = W + 1, [V > 3].", "?V > 3"),
        ("h(V) :- @_V p(X,W), [V > 3].", "?V > 3"),
        ("h(X) :- p(X,V), V > 30.", None),
        ("h(X) :- p(X,V), [V = 30].", None),
        ("h(X) :- p(X,V), [X > 30].", None),
        ("h(V) :- q(V), [V > 30].", None),
        ("h(X) :- p(X,V), q(V), [V > 30].", None),
        ("h :- N := COUNT(V) of p(X,V), [N > 1].", None),
        ("h :- N := SUM(V) of p(X,V), [N > 1].", None),
        ("h :- N := MAX(V) of p(X,V), [N > 1].", "?N > 1"),
        ("h :- N := SAMPLE(V) of p(X,V) by X, [N > 1].", "?N > 1"),
        ("h :- N := MIN(X) of p(X,V), [N > 1].", None),
        ("h :- N := MAX(V) of q(V), [N > 1].", None),
        ("m(N) :- N := MAX(V) of p(X,V). h :- m(N), [N > 1].", "?N > 1"),
        ("h(V) :- N := COUNT(X) of p(X,V) by V, [V > 1].", "?V > 1"),
        ("h(V) :- p(X,V) among 1..2 by V, [V > 1].", "?V > 1"),
    ],
)
def test_a_comparison_in_brackets_fails_for_integers_of_lars(rules, found):
    given = (Atom("p", (Symbol("a"), Number(31))), Atom("q", (Literal("31", f"{XSD}integer"),)))
    assert [str(call) for _, _, call in failing_comparisons(read(rules), given)] == ([found] if found else [])
