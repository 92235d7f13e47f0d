"""What a window shows at which times, by columns: the definition of windows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.language.formulas import Diamond, In
from lars.language.program import Program, Rule
from lars.language.stream import cut
from lars.language.terms import Atom, Variable
from lars.language.windows import NOW, Interval, TimeWindow, TupleWindow
from solver.facts import Fact, Situation
from solver.relational.shown_input import window_ends
from tests.lars.strategies import SOURCE, A, B, X, Y
from tests.solver.in_process import runs
from tests.solver.pointwise.test_definition import inputs, some
from tests.solver.relational.relational_cases import relational_rows
from tests.solver.strategies import shown_by_queries, situation

atoms = st.sampled_from(
    [Atom("e"), Atom("f", (X,)), Atom("f", (A,)), Atom("g", (X, Y)), Atom("g", (X, X)), Atom("g", (A, X))]
)


def asked(window, atom):
    """Return the program that asks for what a window shows of an atom, and its predicate."""
    names = tuple(dict.fromkeys(term for term in atom.arguments if isinstance(term, Variable)))
    return Program((Rule(Atom("q", names), (In(window, Diamond(atom)),)),)), ("q", len(names))


def values(atom, pattern):
    """Return the texts of the pattern's variables, None where the atom is no instance."""
    if (atom.predicate, len(atom.arguments)) != (pattern.predicate, len(pattern.arguments)):
        return None
    binding = {}
    pairs = zip(pattern.arguments, atom.arguments, strict=True)
    if not all((binding.setdefault(p, a) if p in (X, Y) else p) == a for p, a in pairs):
        return None
    return tuple(str(binding[v]) for v in dict.fromkeys(pattern.arguments) if v in (X, Y))


def seen(stream, window, pattern, t, newest):
    """Return the rows of the pattern that the window shows at t, by the definition."""
    shown = cut(stream, window, t).input
    found = {values(atom, pattern) for u, inside in shown.items() for atom in inside if u <= newest}
    return found - {None}


@given(inputs, shown_by_queries(), atoms, st.data())
def test_windows_show_what_their_definition_says(stream, window, atom, data):
    times, newest = some(list(stream.timeline), data), data.draw(st.sampled_from(list(stream.timeline)))
    expected = {t: seen(stream, window, atom, t, newest) for t in times}
    given_to_it = replace(situation(stream, ()), newest=newest)
    program, output = asked(window, atom)
    assert relational_rows(program, given_to_it, times, output) == expected


F = Atom("f", (X,))


def found(window, facts, times, pattern=F):
    """Return the runs of rows, ascending."""
    program, output = asked(window, pattern)
    some = runs(program, Situation(Interval(0, 20), facts, {}), times, output)
    return sorted((*row, first, last) for row, first, last in some)


def f(t, term):
    return Fact(t, "f", (str(term),))


def test_runs_that_meet_are_one():
    times = list(range(10))
    assert found(TimeWindow(2), [f(1, A), f(4, A)], times) == [("a", 1, 6)]
    assert found(TimeWindow(2), [f(1, A), f(5, A)], times) == [("a", 1, 3), ("a", 5, 7)]
    assert found(NOW, [f(1, A), f(2, A), f(2, A)], times) == [("a", 1, 2)]


def test_indexes_count_the_reference_times_not_the_time_points():
    assert found(TimeWindow(5), [f(3, A)], [0, 4, 8, 9]) == [("a", 1, 2)]
    assert found(TimeWindow(3, 0, 3), [f(1, A)], [1, 2, 3, 5, 6]) == [("a", 2, 3)]
    assert found(TimeWindow(5), [f(3, A)], []) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [(SOURCE, [("a", "s", 0, 0), ("b", "s", 1, 1)]), (None, [("b", "b", 0, 0), ("b", "s", 1, 1)])],
)
def test_a_tuple_window_of_a_source_counts_that_source_alone(source, expected):
    facts = [Fact(t, "g", (str(term), str(s))) for t, term, s in ((1, A, SOURCE), (2, B, B), (4, B, SOURCE))]
    assert found(TupleWindow(1, source), facts, [3, 5], Atom("g", (X, Y))) == expected


@pytest.mark.parametrize("far", [7, 2**31, 2**61, 2**62, 2**63, 2**70])
@pytest.mark.parametrize("last", [30, 2**62 - 1])
def test_the_ends_of_all_windows_at_once_are_those_of_each(far, last):
    timeline, times = Interval(0, last), np.array([0, 1, 30, last])
    for window in (
        TimeWindow(None, far),
        TimeWindow(far, 0),
        TimeWindow(far, far),
        TimeWindow(3, 0, far),
        TimeWindow(far, 0, 4, "low-open"),
        TimeWindow(None, 0, far),
    ):
        each = [window.bounds(t, timeline) for t in times.tolist()]
        firsts, lasts = window_ends(window, times, timeline)
        found = [Interval(*ends) for ends in zip(firsts.tolist(), lasts.tolist(), strict=True)]
        assert [one or None for one in found] == [one or None for one in each]
