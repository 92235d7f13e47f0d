"""The definition of LARS = the encoding in clingo, on random programs."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from lars.analysis import UnsupportedFormulaError
from lars.language.stream import stream_of
from lars.language.terms import Atom, Number, Symbol, signature
from lars.language.windows import Interval
from lars.semantics.definitions import answer_streams
from lars.text.notation import read
from solver.pointwise import models, rows
from tests.lars.strategies import SOURCE, A, B, Case, cases, streams
from tests.solver.constructs import constructs
from tests.solver.strategies import (
    covered_programs,
    interval_programs,
    is_encoded,
    situation,
    situation_of,
)
from translate.analysis import cq, cs
from translate.tau import lars_program


def by_definition(case):
    """Return the answer streams of the definition as sets of (time, atom)."""
    found = answer_streams(case.program, case.stream, case.t, case.background)
    return {frozenset((u, atom) for u, atoms in s.derived.items() for atom in atoms) for s in found}


def by_clingo(case):
    """Return the answer streams of the plain encoding; each is found once."""
    found = list(models(case.program, situation_of(case), case.t))
    assert len(found) == len(set(found))
    return set(found)


@given(cases(covered_programs()))
def test_the_plain_encoding_has_the_answer_streams_of_the_definition(case):
    if not is_encoded(case.program):
        event("not covered")
        with pytest.raises(UnsupportedFormulaError):
            by_clingo(case)
        return
    expected = by_definition(case)
    event(f"{min(len(expected), 2)} answer streams")
    assert by_clingo(case) == expected


OFTEN = {
    *("◇", "□", "@", "¬", "nested ¬", "true", "plain atom", "window over derived atoms", "head @_T a"),
    *("⊞ over time", "⊞^∞", "future u > 0", "pivot d > 1", "NOW", "low-open", "high-open", "Tmin > 0"),
    *(
        "⊞^#n, ties arrival",
        "⊞^#n, ties all",
        "⊞^#n, ties choose",
        "⊞^#n, ties elements",
        "⊞^idx,n",
        "⊞^#n of a stream",
    ),
    *("stratified", "not stratified", "positive recursion", "constraint", "comparison", "arithmetic"),
    *("a real choice of ties", "fact"),
}


def test_the_random_programs_are_of_every_kind_and_mostly_covered():
    seen, answers = Counter(), Counter()

    @settings(max_examples=240, derandomize=True)
    @given(cases(covered_programs()))
    def collect(case: Case):
        if is_encoded(case.program):
            seen.update(set(constructs(case)))
            answers[min(2, len(by_clingo(case)))] += 1

    collect()
    assert {name for name, times in seen.items() if times >= 4} >= OFTEN
    assert (answers[0] >= 15, answers[1] >= 80, answers[2] >= 10) == (True, True, True)
    assert answers.total() >= 150


def clingo_rows(program, given, times, output):
    """Return the rows at each of the times, each once."""
    found = {t: rows(program, given, t, output) for t in times}
    assert all(len(set(at_once)) == len(at_once) for at_once in found.values())
    return {t: set(at_once) for t, at_once in found.items()}


def some(times, data):
    """Return all times, or some of them, in order."""
    return data.draw(st.one_of(st.just(times), st.lists(st.sampled_from(times), unique=True).map(sorted)))


stream_atoms = st.sampled_from(
    (
        *(Atom("e"), Atom("f", (A,)), Atom("f", (B,)), Atom("g", (A, SOURCE)), Atom("g", (B, SOURCE))),
        *(Atom("g", (A, B)), Atom("g", (B, A)), Atom("g", (SOURCE, SOURCE)), Atom("f", (Number(3),))),
    )
)
known_atoms = st.sampled_from((Atom("k", (A,)), Atom("k", (B,)), Atom("h", (A, A)), Atom("h", (A, B))))


inputs = streams(stream_atoms, fewest=1, most=9)
backgrounds = st.frozensets(known_atoms, max_size=3)


@given(interval_programs(), inputs, backgrounds, st.data())
def test_the_rows_that_are_asked_for_are_those_of_the_definition(program, stream, known, data):
    t, output = data.draw(st.sampled_from(list(stream.timeline))), ("ans", 2)
    answers = by_definition(Case(program, stream, t, known))
    expected = {tuple(map(str, atom.arguments)) for _, atom in min(answers) if signature(atom) == output}
    event("rows" if expected else "no rows")
    assert clingo_rows(program, situation(stream, known), [t], output) == {t: expected}


def programs_of(case, data):
    """Return τ1(cs(Q)) or τ2 of one of cq(Q)."""
    if data.draw(st.booleans()):
        return lars_program(cs(case.query), case.setting)
    return lars_program(data.draw(st.sampled_from(cq(case.query))).query, case.setting)


def rows_at(text, times, stream=(), output=("q", 0), background=()):
    """Return the rows by time."""
    return clingo_rows(read(text), situation(stream_of(Interval(0, 9), stream), background), times, output)


def test_rows_that_hold_anyway_are_answers_of_a_derived_predicate():
    arrivals, known = [(1, Atom("f", (B,)))], [Atom("q", (SOURCE,))]
    found = rows_at("q(a). q(X) ← ⊞^1 ◇ f(X).", [1, 4], arrivals, ("q", 1), known)
    assert found == {1: {("a",), ("b",), ("s",)}, 4: {("a",), ("s",)}}
    assert rows_at("q(X) ← ⊞^{#1 all} ◇ f(X).", [0], (), ("q", 1), known) == {0: {("s",)}}


def test_what_is_newer_than_newest_is_not_seen_though_tuple_windows_count_it():
    arrivals = [(1, Atom("f", (A,))), (3, Atom("f", (B,)))]
    for window, shown in (("9", {"a"}), ("#1", set()), ("#2", {"a"}), ("#1 all", set()), ("0,9,1", {"a"})):
        given = replace(situation(stream_of(Interval(0, 9), arrivals), ()), newest=2)
        t = 0 if window == "0,9,1" else 4
        found = clingo_rows(read(f"q(X) ← ⊞^{{{window}}} ◇ f(X)."), given, [t], ("q", 1))
        assert found == {t: {(name,) for name in shown}}, window


def test_a_fact_without_arguments_is_background():
    assert rows_at("p. p ← e. q ← p.", [0, 4]) == {0: {()}, 4: {()}}
    assert rows_at("q ← p.", [0], background=[Atom("p")]) == {0: {()}}


def triple(t, subject, stream):
    return t, Atom("striple", (Symbol(subject), Symbol("near"), Symbol("x"), Symbol(stream)))


def test_a_variable_can_stand_for_the_stream_that_a_window_is_of():
    given_to_it = [triple(1, "a", "s"), triple(2, "b", "s"), triple(4, "a", "u")]
    text = "q(S, G) ← ⊞^3 ◇ striple(S, P, O, G)."
    found = rows_at(text, [4, 5], given_to_it, ("q", 2))
    assert found == {4: {("a", "s"), ("b", "s"), ("a", "u")}, 5: {("b", "s"), ("a", "u")}}


def test_a_tuple_window_can_keep_the_newest_of_each_stream():
    arrivals = [triple(1, "a", "s"), triple(2, "b", "s"), triple(2, "a", "u"), triple(4, "c", "s")]
    program, given_to_it = (
        read("q(S, G) ← ⊞^{#1 by 4} ◇ striple(S, P, O, G)."),
        situation(stream_of(Interval(0, 9), arrivals), ()),
    )
    found = clingo_rows(program, given_to_it, [3, 5], ("q", 2))
    assert found == {3: {("b", "s"), ("a", "u")}, 5: {("c", "s"), ("a", "u")}}


def test_a_window_that_ends_before_its_pivot_shows_no_newer_input():
    arrivals = [(1, Atom("f", (A,))), (4, Atom("f", (B,)))]
    found = rows_at("q(X) ← ⊞^{5,-2,1} ◇ f(X).", [2, 3, 5, 6, 7], arrivals, ("q", 1))
    assert found == {2: set(), 3: {("a",)}, 5: {("a",)}, 6: {("a",), ("b",)}, 7: {("b",)}}


ROUND = "m(X, Y) ← ⊞^2 ◇ g(X, Y). m(X, Z) ← m(X, Y), m(Y, Z). q(X) ← m(X, X), not ⊞^1 ◇ e."


def test_a_way_round_holds_while_all_its_steps_do():
    steps = [(t, Atom("g", (one, other))) for t, one, other in ((1, A, B), (2, B, SOURCE), (4, SOURCE, A))]
    found = rows_at(ROUND, range(8), [*steps, (3, Atom("g", (A, B))), (5, Atom("e"))], ("q", 1))
    assert found == {t: {("a",), ("b",), ("s",)} if t == 4 else set() for t in range(8)}
