"""When a trigger makes a program evaluate: recognised gates fire when the rules say so, and only then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.language.program import Program, Rule
from lars.language.terms import Atom, Variable
from lars.language.windows import Interval
from lars.semantics.definitions import answer_streams
from lars.text.notation import read
from solver.facts import Arrivals, Fact, Multiples, matcher, split, times_of
from solver.job.evaluation import TRIGGER
from tests.lars.strategies import SOURCE, A, B, X, Y, streams
from tests.solver.pointwise.test_definition import stream_atoms
from tests.solver.strategies import situation

ANS = read("k(a). ans(X) ← ⊞^5 ◇ f(X), k(X), trigger.")
WITHIN = Interval(2, 9)


def gate_of(text):
    """Return the gate of ANS with these rules for its trigger."""
    return split(Program((*ANS.rules, *read(text).rules)), TRIGGER)[0]


def fact(t, *arguments, predicate="f"):
    return Fact(t, predicate, tuple(map(str, arguments)))


def test_a_push_trigger_is_a_gate_of_arrivals():
    gate = gate_of("trigger ← ⊞^0 ◇ f(X). trigger ← ⊞^0 ◇ g(a, Y).")
    assert gate == Arrivals((Atom("f", (X,)), Atom("g", (A, Y))))
    facts = [fact(7, A), fact(1, A), fact(3, A, B, predicate="g"), fact(4, B, B, predicate="g"), fact(7, B)]
    assert times_of(gate, facts, WITHIN) == [3, 7]


def test_a_pull_trigger_is_a_gate_of_multiples():
    gate = gate_of("trigger ← ⊞^0 @_T true, T mod 4 = 0. trigger ← ⊞^0 @_Z true, Z mod 3 = 0.")
    assert gate == Multiples((4, 3))
    assert times_of(gate, (), WITHIN) == [3, 4, 6, 8, 9]
    assert times_of(gate, (), Interval(0, 2)) == [0]


def test_a_pull_trigger_may_have_an_offset():
    gate = gate_of("trigger ← ⊞^0 @_T true, T mod 4 = 3. trigger ← ⊞^0 @_T true, T mod 5 = 0.")
    assert gate == Multiples((4, 5), (3, 0))
    assert times_of(gate, (), WITHIN) == [3, 5, 7]
    assert times_of(gate, (), Interval(0, 2)) == [0]


def test_a_pull_trigger_may_begin_late():
    gate = gate_of("trigger ← ⊞^0 @_T true, T mod 4 = 3, T >= 6.")
    assert gate == Multiples((4,), (7,))
    assert [times_of(gate, (), Interval(first, 15)) for first in (0, 7, 8, 15)] == [
        [7, 11, 15],
        [7, 11, 15],
        [11, 15],
        [15],
    ]
    assert times_of(gate, (), Interval(0, 6)) == []
    assert gate_of("trigger ← ⊞^0 @_T true, T mod 4 = 3, T >= 0.") == Multiples((4,), (3,))
    for other in ("T > 6", "T = 6", "T <= 6", "T >= 6, T >= 7"):
        assert gate_of(f"trigger ← ⊞^0 @_T true, T mod 4 = 3, {other}.") is None


def test_what_is_split_off_leaves_the_rules_without_the_trigger():
    program = Program((*ANS.rules, *read("p ← trigger. trigger ← ⊞^0 ◇ f(X).").rules))
    assert str(split(program, TRIGGER)[1]) == "k(a).\nans(X) ← ⊞^5 ◇ f(X), k(X).\np ← true."


@pytest.mark.parametrize(
    "rules",
    [
        "trigger ← ⊞^1 ◇ f(X).",
        "trigger ← f(X).",
        "trigger ← ⊞^0 ◇ f(X), k(X).",
        "trigger ← ⊞^0 @_T true, T mod 0 = 0.",
        "trigger ← ⊞^0 @_T true, T mod 3 = 3.",
        "trigger ← ⊞^1 @_T true, T mod 3 = 0.",
        "trigger ← ⊞^0 ◇ f(X). trigger ← ⊞^0 @_T true, T mod 3 = 0.",
        "trigger. trigger ← ⊞^0 ◇ f(X).",
        "trigger ← ⊞^0 ◇ f(X). p ← ⊞^0 ◇ f(X).",
        "trigger ← ⊞^0 ◇ f(X). f(b) ← k(a), trigger.",
        "trigger ← ⊞^0 ◇ f(X). f(b).",
        "trigger ← ⊞^0 ◇ f(X). p ← trigger, not ⊞^0 ◇ trigger.",
    ],
)
def test_any_other_trigger_is_left_to_the_rules(rules):
    program = Program((*ANS.rules, *read(rules).rules))
    assert split(program, TRIGGER) == (None, program)


def test_a_trigger_without_rules_never_opens_and_a_program_without_a_trigger_has_no_gate():
    assert gate_of("k(b).") == Arrivals(())
    program = read("k(a). p ← k(a).")
    assert split(program, TRIGGER) == (None, program)


def test_chosen_times_are_those_inside():
    assert times_of((1, 2, 5, 11), (), WITHIN) == [2, 5]
    assert times_of(None, (), Interval(3, 5)) == [3, 4, 5]
    assert times_of(None, (), Interval(5, 3)) == times_of(Multiples((2,)), (), Interval(5, 3)) == []


def test_a_matcher_checks_predicate_arity_constants_and_repeated_variables():
    match = matcher(Atom("g", (X, A, X)))
    assert match(fact(0, B, A, B, predicate="g"))
    others = [fact(0, B, A, A, predicate="g"), fact(0, B, B, B, predicate="g"), fact(0, B, A, B)]
    assert not any(map(match, [*others, fact(0, B, A, predicate="g")]))


patterns = st.sampled_from(
    [Atom("e"), Atom("f", (X,)), Atom("f", (A,)), Atom("g", (X, X)), Atom("g", (Variable("s"), SOURCE))]
)


def pushed(atoms):
    return tuple(rule for atom in atoms for rule in read(f"trigger ← ⊞^0 ◇ {atom}.").rules)


def pulled(periods):
    return tuple(rule for u in periods for rule in read(f"trigger ← ⊞^0 @_T true, T mod {u} = 0.").rules)


@given(
    streams(stream_atoms),
    st.one_of(
        st.lists(patterns, min_size=1, max_size=2).map(pushed),
        st.lists(st.integers(1, 5), min_size=1, max_size=2).map(pulled),
    ),
)
def test_a_gate_is_open_exactly_when_its_rules_derive_the_trigger(stream, own):
    program = Program((Rule(Atom("p"), (TRIGGER,)), *own))
    gate, rest = split(program, TRIGGER)
    assert gate is not None
    assert str(rest) == "p ← true."
    derived = [t for t in stream.timeline if answer_streams(program, stream, t)[0].derived]
    assert times_of(gate, situation(stream, ()).facts, stream.timeline) == derived


@given(st.lists(st.tuples(st.integers(1, 7), st.integers(0, 9)), min_size=1), st.integers(0, 30))
def test_the_last_evaluation_before_a_time_is_the_last_of_all_before(series, t):
    gate = Multiples(*map(tuple, zip(*series, strict=True)))
    earlier = times_of(gate, [], Interval(0, t - 1)) if t else []
    assert gate.last_before(t) == (earlier[-1] if earlier else None)
