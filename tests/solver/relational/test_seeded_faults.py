"""The comparison with the plain encoding can fail: each fault seeded into the evaluation is found."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lars.language.stream import stream_of
from lars.language.terms import Atom, Symbol
from lars.language.windows import Interval, TimeWindow, TupleWindow
from lars.text.notation import read
from solver.relational import run_tables, shown_input
from solver.relational.run_tables import RunTable, coalesce, subtract, with_longest
from solver.relational.shown_input import ShownInput
from tests.solver.pointwise.test_definition import clingo_rows
from tests.solver.relational.relational_cases import relational_rows
from tests.solver.strategies import situation

PROGRAM = read(
    "in(X, Y) ← ⊞^{4,0,3} ◇ f(X, Y). few(X) ← ⊞^{#3} ◇ f(X, Y). late(X) ← ⊞^{2} ◇ f(X, Y). "
    "m(X, Y) ← in(X, Y). m(X, Z) ← m(X, Y), in(Y, Z). "
    "ans(X, X) ← m(X, X). ans(X, Y) ← in(X, Y), not few(X). ans(X, Y) ← in(X, Y), not late(Y)."
    "ans(X, X) ← few(X)."
)
"""Windows with a slide and of tuples, negation, a loop: what the faults are in."""
_runs = ShownInput._runs


def with_window(change):
    """Return the runs of another window than is asked for."""
    return lambda self, predicate, window: _runs(self, predicate, change(window))


def shorter(window):
    return replace(window, past=window.past - 1) if isinstance(window, TimeWindow) and window.past else window


def without_slide(window):
    return replace(window, step=1) if isinstance(window, TimeWindow) else window


def one_fewer(window):
    return replace(window, size=window.size - 1) if isinstance(window, TupleWindow) else window


def apart(table, count):
    """Coalesce no runs that meet."""
    return RunTable((*table.columns, table.first), table.first, table.last).project(range(len(table.columns)))


def whole_rows(left, right, on, count):
    """Subtract a row everywhere where it is subtracted anywhere."""
    steady = RunTable(right.columns, np.zeros_like(right.first), np.full_like(right.last, count - 1))
    return subtract(left, steady, on, count)


FAULTS = {
    "a bound is off by one": [(ShownInput, "_runs", with_window(shorter))],
    "the slide is dropped": [(ShownInput, "_runs", with_window(without_slide))],
    "a tuple window counts one fewer": [(ShownInput, "_runs", with_window(one_fewer))],
    "runs are not coalesced": [
        (run_tables, "coalesce", apart),
        (run_tables, "with_longest", apart),
        (shown_input, "with_longest", apart),
    ],
    "subtraction takes whole rows": [(run_tables, "subtract", whole_rows)],
}
_terms = st.sampled_from([Symbol(name) for name in "abc"])
_streams = st.lists(
    st.tuples(st.integers(0, 9), st.builds(lambda x, y: Atom("f", (x, y)), _terms, _terms)),
    min_size=3,
    max_size=9,
).map(lambda arrivals: situation(stream_of(Interval(0, 9), arrivals), ()))


def cases_to_find(most):
    """Return how many streams it takes to find a difference, None when there is none."""
    tried = []

    @settings(
        max_examples=most, deadline=None, database=None, derandomize=True, phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(_streams)
    def run(given_to_it):
        tried.append(given_to_it)
        expected = clingo_rows(PROGRAM, given_to_it, range(10), ("ans", 2))
        assert relational_rows(PROGRAM, given_to_it, range(10), ("ans", 2)) == expected

    try:
        run()
    except AssertionError:
        return len(tried)
    return None


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_seeded_into_the_evaluation_is_found(fault, monkeypatch):
    for where in FAULTS[fault]:
        monkeypatch.setattr(*where)
    assert cases_to_find(50) is not None


def test_without_a_fault_nothing_is_found():
    assert cases_to_find(20) is None


def test_runs_that_are_said_to_be_longest_are(monkeypatch):
    met = []

    def checked(table, count):
        if table.longest:
            met.append(len(table))
            assert len(coalesce(replace(table, longest=False), count)) == len(table)
        return with_longest(table, count)

    monkeypatch.setattr(run_tables, "with_longest", checked)
    assert cases_to_find(50) is None
    assert max(met) > 3
