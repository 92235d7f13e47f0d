"""The definitions of LARS: worked examples, and facts that follow from them on random programs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lars.analysis import intensional, strata
from lars.errors import LarsError
from lars.language.formulas import Diamond, Not, Truth
from lars.language.stream import moments, stream_of, with_moments
from lars.language.terms import XSD, Atom, Literal, Number, Symbol, signature
from lars.language.windows import Interval
from lars.semantics import all_background, choices, separate
from lars.semantics.definitions import (
    answer_streams,
    enumerate_streams,
    ground,
    holds,
    is_model,
    perfect,
    reduct,
)
from lars.text.notation import read
from tests.lars.naive import naive_rules
from tests.lars.strategies import Case, cases, programs, stratified_programs, streams

TIMELINE = Interval(0, 9)
E, IN = Atom("e"), Atom("in")


def answers(text, arrivals=(), t=0, background=(), timeline=TIMELINE):
    """Return the derived atoms of each answer stream, by time point."""
    found = answer_streams(read(text), stream_of(timeline, arrivals), t, background)
    return [{u: set(map(str, atoms)) for u, atoms in stream.derived.items()} for stream in found]


def formula(text):
    return read(f"h ← {text}.").rules[0].body[0]


# Worked examples


def test_example_8_of_lars_2015_has_one_answer_stream_at_18():
    rule = "ans(Sh, Pr, Pe) ← ⊞^30 ◇ offer(Sh, Pr, Pe), ⊞^5 ◇ isNear(Sh), g(Pr, Ge), Pe >= 20, Ge != 1."
    offer = [
        Atom("offer", (Symbol(s), Symbol(p), Number(n)))
        for s, p, n in (("a", "mbt", 30), ("b", "rayban", 25))
    ]
    near = [Atom("isNear", (Symbol(shop),)) for shop in "ab"]
    arrivals = [(10, offer[0]), (15, offer[1]), (18, near[0]), (18, near[1])]
    program = f"g(mbt, 1). g(rayban, 0). {rule}"
    expected = {18: [{18: {"ans(b, rayban, 25)"}}], 23: [{23: {"ans(b, rayban, 25)"}}], 17: [{}], 24: [{}]}
    assert {t: answers(program, arrivals, t, timeline=Interval(0, 50)) for t in expected} == expected


def test_a_push_trigger_over_derived_atoms_never_fires():
    program = "ans ← ⊞^5 ◇ in, trigger. trigger ← ⊞^0 ◇ ans. trigger ← ⊞^0 ◇ trigger."
    assert answers(program, [(1, IN)], 1) == [{}]


def test_a_push_trigger_over_input_atoms_fires():
    program = "ans ← ⊞^5 ◇ in, trigger. trigger ← ⊞^0 ◇ in."
    assert answers(program, [(1, IN)], 1) == [{1: {"ans", "trigger"}}]
    assert answers(program, [(1, IN)], 2) == [{}]


def test_a_pull_trigger_fires_at_multiples_of_the_period():
    program = "trigger ← ⊞^0 @_T true, T mod 3 = 0."
    assert [t for t in TIMELINE if answers(program, (), t) != [{}]] == [0, 3, 6, 9]


def test_a_pivot_hides_what_is_newer():
    program = "ans ← ⊞^{3,0,3} ◇ in."
    assert [t for t in TIMELINE if answers(program, [(1, IN)], t) != [{}]] == [3, 4, 5]


def test_an_atom_of_the_background_holds_where_no_atom_of_the_stream_does():
    t_outside = "⊞^{1,0,5} a"  # at 9 the window is [4, 5]
    stream = stream_of(TIMELINE, [(9, Atom("a"))])
    assert not holds(formula(t_outside), stream, 9)
    assert holds(formula(t_outside), stream, 9, frozenset((Atom("a"),)))
    assert holds(formula("⊞^{1,0,5} true"), stream, 9)


def test_at_needs_a_time_point_of_the_window_even_for_the_background():
    stream = stream_of(TIMELINE, [])
    assert not holds(formula("⊞^2 @_3 e"), stream, 6, frozenset((E,)))
    assert holds(formula("⊞^2 @_4 e"), stream, 6, frozenset((E,)))


def test_in_an_empty_window_box_is_true_and_diamond_is_false():
    stream = stream_of(TIMELINE, [])
    assert holds(formula("⊞^#2 □ e"), stream, 5)
    assert not holds(formula("⊞^#2 ◇ true"), stream, 5)
    assert not holds(formula("⊞^#2 ◇ e"), stream, 5, frozenset((E,)))


def test_nested_windows_see_what_the_outer_one_left():
    stream = stream_of(TIMELINE, [(1, E), (4, E)])
    assert holds(formula("⊞^5 ◇ ⊞^2 ◇ ¬e"), stream, 6)
    assert not holds(formula("⊞^3 @_4 ⊞^3 @_1 e"), stream, 6)
    assert holds(formula("⊞^5 @_4 ⊞^3 @_1 e"), stream, 6)


def test_a_head_outside_the_timeline_is_a_constraint():
    assert answers("@_T a ← late(T), ⊞^0 ◇ e.", [(2, E)], 2, [Atom("late", (Number(10),))]) == []
    assert answers("@_T a ← late(T), ⊞^0 ◇ e.", [(2, E)], 2, [Atom("late", (Number(9),))]) == [{9: {"a"}}]
    assert answers("@_T a ← late(T), ⊞^0 ◇ e.", [(2, E)], 3, [Atom("late", (Symbol("x"),))]) == [{}]
    assert answers("@_T a ← late(T), ⊞^0 ◇ e.", [(2, E)], 2, [Atom("late", (Symbol("x"),))]) == []


def test_even_loops_have_two_answer_streams_and_odd_ones_none():
    assert answers("a ← not b. b ← not a.") == [{0: {"a"}}, {0: {"b"}}]
    assert answers("a ← not a.") == []
    assert answers("a ← ⊞^3 ◇ ¬a, ⊞^0 □ ¬a.", (), 3) == []


def test_two_negations_support_nothing_under_the_flp_reduct():
    assert answers("a ← not not a. b ← not b, c.") == [{}]


def test_an_atom_of_the_background_is_not_derived_again():
    assert answers("p. p ← e. q ← p.", [(0, E)]) == [{0: {"q"}}]


def test_constraints_remove_answer_streams():
    assert answers("a ← not b. b ← not a. ← a, e.", [(0, E)]) == [{0: {"b"}}]


def test_tuple_windows_count_input_atoms_only():
    program = "p ← e. q ← ⊞^#1 ◇ f. @_3 p ← e. p ← not q, not r. r ← not q, not p."
    assert answers(program, [(1, Atom("f")), (2, E)], 2) == [{2: {"p"}, 3: {"p"}}]
    assert answers("q ← ⊞^#1 ◇ e. p ← e.", [(1, E), (2, Atom("p"))], 2) == [{2: {"p", "q"}}]


def test_arithmetic_has_values_on_numbers_only():
    background = [Atom("n", (Number(3),)), Atom("n", (Symbol("x"),))]
    assert answers("p(Y) ← n(X), Y = X * 2 - 1.", (), 0, background) == [{0: {"p(5)"}}]
    assert answers("p(X) ← n(X), X != 3.", (), 0, background) == [{0: {"p(x)"}}]
    assert answers("p(X) ← n(X), X >= 3.", (), 0, background) == [{0: {"p(3)"}}]
    assert answers("p(X) ← n(X), X mod 0 = 0. p(X) ← n(X), X mod 0 != 0.", (), 0, background) == [{}]


def test_arithmetic_without_end_is_an_error():
    with pytest.raises(LarsError, match="without end"):
        answers("n(0) ← e. n(Y) ← n(X), Y = X + 1.", [(0, E)])


def test_arithmetic_of_many_rounds_is_not_called_endless():
    with pytest.raises(LarsError, match="in more than 300 rounds, perhaps without end"):
        answers("n(0) ← e. n(Y) ← n(X), X < 310, Y = X + 1.", [(0, E)])


def choosing(text, arrivals, t):
    return sorted(sorted(found.get(t, ())) for found in answers(text, arrivals, t))


TIED = [(1, Atom("f", (Symbol("a"),))), (1, Atom("f", (Symbol("b"),))), (1, Atom("f", (Symbol("c"),)))]


def test_ties_are_kept_by_arrival_or_all_or_by_choice():
    rule = "p(X) ← ⊞^{#2 %s} ◇ f(X)."
    assert choosing("p(X) ← ⊞^#2 ◇ f(X).", TIED, 3) == [["p(b)", "p(c)"]]
    assert choosing(rule % "all", TIED, 3) == [["p(a)", "p(b)", "p(c)"]]
    pairs = [["p(a)", "p(b)"], ["p(a)", "p(c)"], ["p(b)", "p(c)"]]
    assert choosing(rule % "choose", TIED, 3) == pairs


def test_one_choice_is_shared_by_all_atoms_of_a_window():
    rules = "p(X) ← ⊞^{#1 choose} ◇ f(X). q(X) ← ⊞^{#1 choose} ◇ f(X). ← p(X), not q(X)."
    assert len(choosing(rules, TIED, 3)) == 3
    assert choosing("p ← ⊞^{#1 choose} ◇ f(X).", TIED, 3) == [["p"]]


def test_a_partition_window_keeps_the_newest_of_each_part():
    arrivals = [*TIED, (2, Atom("f", (Symbol("a"),))), (3, Atom("g", (Symbol("a"),)))]
    rule = "p(X, T) ← ⊞^{#1 by %s} @_T f(X)."
    assert choosing(rule % "1", arrivals, 4) == [["p(a, 2)", "p(b, 1)", "p(c, 1)"]]
    assert choosing(rule % "predicate", arrivals, 4) == [["p(a, 2)"]]


def test_a_choice_inside_another_operator_is_refused():
    with pytest.raises(LarsError, match="for inner windows no choice of ties is defined"):
        answers("p ← ◇ ⊞^{#1 choose} ◇ e.")


def test_reachability_over_many_edges_is_no_endless_arithmetic():
    edges = [(0, Atom("e", (Number(i), Number(i + 1)))) for i in range(20)]
    (found,) = answers("r(X, Y) ← e(X, Y). r(X, Z) ← r(X, Y), e(Y, Z).", edges)
    assert len(found[0]) == 210


def test_a_reference_time_outside_the_timeline_is_an_error():
    with pytest.raises(LarsError, match=r"10 is outside the timeline \[0, 9\]"):
        answers("a ← e.", (), 10)


def test_conditions_need_a_function():
    with pytest.raises(LarsError, match="gives no value to the SPARQL condition"):
        answers("a(?x) ← n(?x), [?x].", (), 0, [Atom("n", (Number(3),))])


def test_conditions_are_decided_by_the_function():
    def evaluate(expression):
        return None if Symbol("null") in expression.arguments else Literal("true", XSD + "boolean")

    program = read("a ← n(?x), [BOUND(?x)]. b(?y) ← n(?x), ?y := [BOUND(null)]. c ← n(?x), ¬[BOUND(?x)].")
    (found,) = answer_streams(program, stream_of(TIMELINE, []), 0, [Atom("n", (Symbol("x"),))], evaluate)
    assert found.derived == {0: frozenset((Atom("a"), Atom("b", (Symbol("null"),))))}


# Facts on random programs


def chosen(case):
    """Return the case's data with each choice of ties."""
    return choices(case.program, separate(case.program, case.stream), case.t)


def parts(case, data):
    known = all_background(case.program, case.background)
    rules, upper = ground(case.program, data, case.t, known)
    return rules, upper, known


@settings(deadline=None)
@given(cases(stratified_programs() | programs().filter(strata)))
def test_a_stratified_program_has_the_perfect_model_and_no_other(case):
    for data in chosen(case):
        rules, upper, known = parts(case, data)
        found = list(perfect(rules, strata(case.program), data, case.t, known))
        assert found == list(enumerate_streams(rules, data, upper, case.t, known))


@settings(deadline=None)
@given(cases())
def test_answer_streams_are_minimal_models_of_their_reduct(case):
    for found in answer_streams(case.program, case.stream, case.t, case.background):
        rules, _, known = parts(case, found.with_derived({}))
        assert is_model(rules, found, case.t, known)
        left = reduct(rules, found, case.t, known)
        for u, atoms in found.derived.items():
            for atom in atoms:
                fewer = {**found.derived, u: atoms - {atom}}
                assert not is_model(left, with_moments(found.with_derived(fewer), ()), case.t, known)


@settings(max_examples=60)
@given(cases())
def test_grounding_leaves_out_only_what_cannot_matter(case):
    naive = tuple(dict.fromkeys(naive_rules(case)))
    expected = set()
    for data in chosen(case):
        _, upper, known = parts(case, data)
        expected |= set(map(moments, enumerate_streams(naive, data, upper, case.t, known)))
    found = answer_streams(case.program, case.stream, case.t, case.background)
    assert set(map(moments, found)) == expected


@settings(deadline=None)
@given(cases())
def test_an_answer_stream_adds_only_derivable_atoms(case):
    for found in answer_streams(case.program, case.stream, case.t, case.background):
        assert found.input == case.stream.input
        derived = {signature(atom) for atoms in found.derived.values() for atom in atoms}
        assert derived <= intensional(case.program)


@given(streams(), st.data())
def test_box_is_not_diamond_not(stream, data):
    atom = data.draw(st.sampled_from([a for atoms in stream.input.values() for a in atoms] or [E]))
    for t in stream.timeline:
        inside = formula("⊞^{2,1,2} □ ¬x").inner.inner.inner
        assert inside == Atom("x")
        assert holds(Not(Diamond(Not(atom))), stream, t) == all(
            stream.holds_at(atom, u) for u in stream.timeline
        )
        assert holds(Truth(), stream, t)


def test_the_random_cases_are_of_every_kind():
    kinds = set()

    @settings(max_examples=100, database=None, deadline=None, derandomize=True)
    @given(cases())
    def collect(case: Case):
        found = answer_streams(case.program, case.stream, case.t, case.background)
        kinds.add((strata(case.program) is not None, min(len(found), 2)))
        kinds.add("derives" if any(stream.derived for stream in found) else "derives nothing")

    collect()
    assert kinds >= {(True, 0), (True, 1), (False, 0), (False, 1), "derives"}
