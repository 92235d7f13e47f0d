"""Without the atoms of B that no rule can use clingo has the same rows; what joins with nothing leaves."""

from dataclasses import replace

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from lars.language.terms import Atom, Symbol
from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact, Situation
from solver.relational import encode
from solver.relational.grounding import with_usable_background
from tests.lars.strategies import streams
from tests.solver.pointwise.test_definition import backgrounds, clingo_rows, inputs, programs_of, some
from tests.solver.pointwise.test_gathering import TOP
from tests.solver.relational.relational_cases import OUTPUTS
from tests.solver.strategies import gathering_programs, interval_programs, part_of, situation, valued_atoms
from tests.translate.strategies import drawn

NAMES = tuple(map(Symbol, "abc"))
MANY = st.sets(st.builds(lambda x, y: Atom("h", (x, y)), st.sampled_from(NAMES), st.sampled_from(NAMES)))


def same(program, whole, times, outputs):
    """Check that clingo has the same rows with what is touched alone."""
    for output in outputs:
        less = with_usable_background(program, encode(whole), output).decoded().background
        event("all" if sum(map(len, less.values())) == sum(map(len, whole.background.values())) else "less")
        cut = replace(whole, background=less)
        assert clingo_rows(program, cut, times, output) == clingo_rows(program, whole, times, output)


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
    ],
)
def test_so_much_is_left(text, left):
    here = encode(Situation(Interval(0, 1), [Fact(1, "p", ("x3",))], {("h", 2): PAIRS, ("z", 0): [()]}))
    found = with_usable_background(read(text), here, ("q", 1)).decoded().background
    assert (found["h", 2], found["z", 0]) == (left, [])


def test_an_atom_without_arguments_is_kept_where_it_is_used():
    here = encode(Situation(Interval(0, 1), [Fact(1, "p", ("x3",))], {("z", 0): [()]}))
    assert with_usable_background(read("q(X) ← ⊞^1 ◇ p(X), z."), here, ("q", 1)).decoded().background == {
        ("z", 0): [()]
    }
