"""The algebra on runs: what is coalesced, met and subtracted is so index by index."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from solver.columns import arrays
from solver.relational import RunTable
from solver.relational.run_tables import coalesce, meet, meet_pairs, subtract, unite, with_longest
from solver.relational.shown_input import places_among
from tests.solver.strategies import part_of

COUNT = 7
_runs = st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1)).map(sorted)
_rows = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), _runs), max_size=8)


def table(rows, width=2):
    """Return rows of two codes and a run as a table of the first of the columns."""
    columns = tuple(np.array([row[place] for row in rows], np.int64) for place in range(width))
    ends = (np.array([row[2][end] for row in rows], np.int64) for end in (0, 1))
    return RunTable(columns, *ends)


def points(some):
    """Return the rows of a table with each index at which they hold, as they come."""
    columns = (
        zip(*(column.tolist() for column in some.columns), strict=True) if some.columns else [()] * len(some)
    )
    spans = zip(columns, some.first.tolist(), some.last.tolist(), strict=True)
    return [(row, i) for row, first, last in spans for i in range(first, last + 1)]


@part_of(0.3)
@given(_rows, st.sampled_from((2**62, 100)))
def test_a_coalesced_table_holds_at_the_same_indexes_and_nowhere_twice(rows, most):
    original = arrays._GREATEST_KEY
    arrays._GREATEST_KEY = most  # so small that columns are ranked before they are combined
    try:
        found = coalesce(table(rows), COUNT)
    finally:
        arrays._GREATEST_KEY = original
    assert sorted(points(found)) == sorted(set(points(table(rows))))
    ends = {(row, last + 1) for row, last in zip(zip(*found.columns, strict=True), found.last, strict=True)}
    assert ends.isdisjoint(zip(zip(*found.columns, strict=True), found.first, strict=True))


@part_of(0.3)
@given(st.lists(_rows, max_size=3), st.booleans())
def test_united_tables_hold_at_the_same_indexes_each_in_its_longest_run(parts, apart):
    if apart:  # so that no value of the last column is in two of the tables
        parts = [[(a, b + 3 * part, run) for a, b, run in rows] for part, rows in enumerate(parts)]
    tables = [with_longest(table(rows), COUNT) if part else table(rows) for part, rows in enumerate(parts)]
    found = unite(tables, 2, COUNT)
    whole = coalesce(table([row for rows in parts for row in rows]), COUNT)
    assert found.longest
    assert sorted(points(found)) == points(whole)
    assert len(found) == len(whole)


_times = st.lists(st.integers(-1, 9) | st.integers(2**53, 2**53 + 3)).map(
    lambda numbers: np.array(sorted(numbers), np.int64)
)


@given(_times, _times, st.sampled_from(("left", "right")))
def test_places_of_ascending_values_are_those_that_a_search_for_each_finds(ascending, values, side):
    found = places_among(ascending, values, side)
    assert found.tolist() == np.searchsorted(ascending, values, side).tolist()


@part_of(0.3)
@given(_rows, _rows)
def test_rows_meet_at_the_indexes_at_which_both_hold(one, other):
    left, right = (coalesce(table(rows), COUNT) for rows in (one, other))
    found = meet_pairs(left, right, meet(left, right, [(1, 0)], COUNT), [1])
    expected = [
        ((*a, *b[1:]), i) for a, i in points(left) for b, j in points(right) if i == j and a[1] == b[0]
    ]
    assert sorted(points(found)) == sorted(expected)


@part_of(0.3)
@given(_rows, _rows, st.sampled_from((0, 1, 2)))
def test_what_is_subtracted_holds_no_more(one, other, width):
    left, right = coalesce(table(one), COUNT), table(other, width)
    blocked = set(points(right))
    expected = [(row, i) for row, i in points(left) if (row[:width], i) not in blocked]
    assert sorted(points(subtract(left, right, range(width), COUNT))) == sorted(expected)
