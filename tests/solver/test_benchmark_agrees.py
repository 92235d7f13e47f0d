"""The benchmark of the slice evaluation compares like with like: its ways answer the same."""

import pytest

from tests.benchmarks.slice_evaluation import Load, by_slices, compare, plainly, shown, trimmed


@pytest.mark.parametrize("slice_length", [None, 1, 7, 40])
@pytest.mark.parametrize("seed", [1, 2])
def test_slices_answer_as_a_program_per_time_point_does(seed, slice_length):
    load = Load(8, 40, seed)
    answers = by_slices(load.facts(), load.points, slice_length)
    assert answers == plainly(load.facts(), load.points) == trimmed(load.facts(), load.points)
    assert any(answers)


def test_the_load_is_the_seed_s():
    assert Load(10, 3, 1).facts() == Load(10, 3, 1).facts() != Load(10, 3, 2).facts()
    assert [len([f for f in Load(10, 3, 1).facts() if f.predicate == name]) for name in "pq"] == [15, 15]


def test_the_table_has_a_line_for_each_load():
    results = [compare(Load(number, 10, 1), None) for number in (2, 4)]
    assert shown(results).row_count == 2
