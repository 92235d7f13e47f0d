"""Without the atoms that no rule can use clingo has the same rows; what joins with nothing leaves."""

from dataclasses import replace

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from lars.language.terms import Atom, Symbol
from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact, Situation
from solver.relational import encode
from solver.relational.grounding import with_usable_atoms
from tests.lars.strategies import streams
from tests.solver.pointwise.test_definition import backgrounds, clingo_rows, inputs, programs_of, some
from tests.solver.pointwise.test_gathering import TOP
from tests.solver.relational.relational_cases import OUTPUTS
from tests.solver.strategies import (
    gathering_programs,
    interval_programs,
    part_of,
    shown_by_queries,
    situation,
    valued_atoms,
)
from tests.translate.strategies import drawn

NAMES = tuple(map(Symbol, "abc"))
MANY = st.sets(st.builds(lambda x, y: Atom("h", (x, y)), st.sampled_from(NAMES), st.sampled_from(NAMES)))


def same(program, whole, times, outputs):
    """Check that clingo has the same rows with what is touched alone, at all times and at one of them."""
    for output in outputs:
        for asked in (times, times[-1:]):
            less = with_usable_atoms(program, encode(whole), output, asked).decoded()
            counts = [len(one.facts) + sum(map(len, one.background.values())) for one in (less, whole)]
            event("all" if counts[0] == counts[1] else "less")
            cut = replace(whole, facts=less.facts, background=less.background)
            assert clingo_rows(program, cut, asked, output) == clingo_rows(program, whole, asked, output)


@part_of(0.2)
@given(interval_programs(), inputs, backgrounds, MANY, st.data())
def test_rows_of_programs_need_no_more(program, stream, known, more, data):
    same(program, situation(stream, {*known, *more}), some(list(stream.timeline), data), OUTPUTS)


@part_of(0.1)
@given(gathering_programs(), streams(valued_atoms, fewest=1, most=12), backgrounds, st.data())
def test_what_is_looked_at_as_a_whole_is_kept(program, stream, known, data):
    same(program, situation(stream, known), some(list(stream.timeline), data), TOP)


@part_of(0.2)
@given(drawn(exclusive=False), st.data())
def test_rows_of_queries_need_no_more(case, data):
    program = programs_of(case, data)
    same(program, case.situation, some(list(case.timeline), data), [("ans1", len(case.query.result))])


JOINED = [Atom("h", (name, name)) for name in NAMES]


@part_of(3)
@given(
    shown_by_queries(),
    streams(st.builds(Atom, st.just("p"), st.tuples(st.sampled_from(NAMES))), fewest=1, most=5),
)
def test_rows_of_a_join_with_any_window_need_no_more(window, stream):
    # Few rules in layers join the old atoms of a tuple window with the background.
    program = read(f"q(Y) ← {window} ◇ p(X), h(X, Y).")
    same(program, situation(stream, {*JOINED}), list(stream.timeline), [("q", 1)])


PAIRS = [(f"x{n}", f"y{n}") for n in range(9)]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("q(Y) ← ⊞^1 ◇ p(X), h(X, Y).", [PAIRS[3]]),
        ("q(Y) ← a(X), b(X, Y). a(X) ← ⊞^1 ◇ p(X). b(X, Y) ← h(X, Y).", [PAIRS[3]]),
        ("q(X) ← ⊞^1 ◇ p(X), not h(X, X).", []),
        ("q(X) ← ⊞^1 ◇ p(X), h(Y, Z).", PAIRS),
        ("q(X) ← h(X, Y). h(X, X) ← ⊞^1 ◇ p(X).", PAIRS),
        ("q(Y) ← ⊞^1 ◇ p(X), h(X, Y). h(X, Y) ← ⊞^1 ◇ p(X), ⊞^1 ◇ p(Y).", [PAIRS[3]]),
        ("q(X) ← ⊞^1 ◇ p(X), not b(X). b(X) ← h(X, y4).", [PAIRS[4]]),
        ("q(Y) ← ⊞^{#1} ◇ p(X), h(X, Y).", [PAIRS[3]]),
        ("q(Y) ← a(X), h(X, Y). a(X) ← ⊞^{#1} @_T p(X).", [PAIRS[3]]),
        ("q(Y) ← ⊞^{5,0,3} ◇ p(X), h(X, Y).", [PAIRS[3]]),
    ],
)
def test_so_much_is_left(text, left):
    pairs = {("h", 2): PAIRS, ("z", 0): [()]}
    # The times tell windows that show the first fact alone from windows that show neither or both.
    here = encode(Situation(Interval(0, 8), [Fact(1, "p", ("x3",))], pairs))
    at = 1 if "⊞^1 " in text else 8
    found = with_usable_atoms(read(text), here, ("q", 1), [at]).decoded().background
    assert (found["h", 2], found["z", 0]) == (left, [])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("q(X) ← ⊞^9 ◇ e(X), ⊞^1 ◇ g(X).", [(3, "e"), (9, "g")]),
        ("q(X) ← a(X), b(X). a(X) ← ⊞^9 ◇ e(X). b(X) ← ⊞^1 ◇ g(X).", [(3, "e"), (9, "g")]),
        ("q(X) ← d(X, a), d(X, b). d(X, a) ← ⊞^9 ◇ e(X). d(X, b) ← ⊞^1 ◇ g(X).", [(3, "e"), (9, "g")]),
        ("q(X) ← ⊞^9 ◇ e(X), not ⊞^1 ◇ g(X).", [*((t, "e") for t in range(1, 5)), (9, "g")]),
        ("q(X) ← ⊞^9 ◇ e(X), c(X). c(X) ← ⊞^3 ◇ g(X), X != x3.", [(2, "e"), (3, "e"), (8, "g"), (9, "g")]),
        ("q(X) ← ⊞^9 ◇ e(X), not c(X). c(X) ← ⊞^1 ◇ g(X).", [*((t, "e") for t in range(1, 5)), (9, "g")]),
        ("q(X) ← ⊞^{2,0,4} ◇ g(X).", [(6, "g"), (8, "g")]),
        ("q(X) ← ⊞^{last 3,4,0} ◇ g(X), ⊞^{sliding 12,3,0} ◇ e(X).", [(1, "e"), (6, "g")]),
        ("q(X) ← ⊞^{#9} ◇ e(X), ⊞^1 ◇ g(X).", [*((t, "e") for t in range(5)), (6, "g"), (8, "g"), (9, "g")]),
    ],
)
def test_input_that_joins_with_nothing_or_has_left_its_window_leaves(text, left):
    facts = [Fact(t, "e", (f"x{t}",)) for t in range(5)]
    facts += [Fact(t, "g", (name,)) for t, name in ((6, "x1"), (8, "x2"), (9, "x3"))]
    here = encode(Situation(Interval(0, 10), facts, {}))
    found = with_usable_atoms(read(text), here, ("q", 1), [10]).decoded().facts
    assert [(fact.t, fact.predicate) for fact in found] == left


def test_an_atom_without_arguments_is_kept_where_it_is_used():
    here = encode(Situation(Interval(0, 1), [Fact(1, "p", ("x3",))], {("z", 0): [()]}))
    assert with_usable_atoms(read("q(X) ← ⊞^1 ◇ p(X), z."), here, ("q", 1), [1]).decoded().background == {
        ("z", 0): [()]
    }
