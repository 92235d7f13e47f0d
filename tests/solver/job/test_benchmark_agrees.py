"""The benchmark of the slice evaluation compares like with like: its ways answer the same."""

import numpy as np
import pytest

from lars.language.formulas import Diamond, In
from lars.language.program import Program, Rule
from lars.language.terms import Atom
from lars.language.windows import Interval, TimeWindow
from solver.job import ask
from solver.job.slices import ATOMS_PER_SLICE, cut_span, needs_of
from tests.benchmarks.slice_evaluation import Load, by_slices, compare, plainly, shown, trimmed


@pytest.mark.parametrize("slice_length", [None, 1, 7, 40])
@pytest.mark.parametrize("seed", [1, 2])
def test_slices_answer_as_a_program_per_time_point_does(seed, slice_length):
    load = Load(8, 40, seed)
    answers = by_slices(load.facts(), load.points, slice_length)
    assert answers == plainly(load.facts(), range(load.points)) == trimmed(load.facts(), load.points)
    assert any(answers)


def test_the_load_is_the_seed_s():
    assert Load(10, 3, 1).facts() == Load(10, 3, 1).facts() != Load(10, 3, 2).facts()
    assert [len([f for f in Load(10, 3, 1).facts() if f.predicate == name]) for name in "pq"] == [15, 15]


def test_the_table_has_a_line_for_each_load():
    results = [compare(Load(number, 10, 1), None) for number in (2, 4)]
    assert shown(results).row_count == 2


@pytest.mark.parametrize(("past", "expected"), [(0, 5), (199, 5), (499, 4), (None, 1)])
def test_a_slice_has_no_fewer_atoms_than_its_windows_reach_before_it(past, expected):
    body = In(TimeWindow(past), Diamond(Atom("p")))
    halo = needs_of([ask(Program((Rule(Atom("ans"), (body,)),)), ("ans", 0))]).halo
    counts = np.arange(1000), np.full(1000, 5 * ATOMS_PER_SLICE // 1000)
    assert len(cut_span(counts, Interval(0, 999), halo, rows=ATOMS_PER_SLICE)) == expected
