"""Tables of rows, each with an interval of indexes (a run), and operations on these tables.

A run is an interval of indexes, from a first to a last index, both included. The indexes of evaluation times
are below `count`, the number of evaluation times. Two intervals meet if they have a common index. The cost of
an operation is the cost of sorting: pairs of rows whose intervals do not meet are never visited.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain, pairwise
from typing import Final

import numpy as np

from lars.dataclass import dataclass
from lars.language.terms import NULL
from solver.columns import Array, Mask, TermCodes, among, distinct, keys
from solver.deadlines import check_time
from solver.memory import check_room

_ROWS_FOR_EACH: Final = 4
"""The ratio of two tables' rows above which rows without a match are removed before sorting."""
_BYTES: Final = 8
"""The size of a code or of an index in memory."""
CROWDED: Final = 2**18
"""The number of row pairs above which alternatives to a join are considered."""
PAIRS_AT_ONCE: Final = 2**22
"""The number of row pairs above which a join is done in several steps, and equal rows are merged."""


@dataclass(frozen=True, slots=True, eq=False)
class RunTable:
    """A table of rows of codes in columns, with the first and last index of each row's interval (run).

    If `longest` is true, intervals of equal rows have gaps between them, and no interval is empty.
    """

    columns: tuple[Array, ...]
    first: Array
    last: Array
    longest: bool = False

    def __len__(self) -> int:
        return len(self.first)

    def take(self, places: Array | Mask) -> "RunTable":
        """Return the rows with the given numbers, or the rows that a mask selects."""
        subset = places.dtype == np.bool_
        # Otherwise, numpy would turn the mask into row numbers again for each column.
        places = np.flatnonzero(places) if subset else places
        columns = tuple(column[places] for column in self.columns)
        # Row numbers can repeat a row, which a mask cannot.
        return RunTable(columns, self.first[places], self.last[places], self.longest and subset)

    def moved(self, by: int) -> "RunTable":
        """Return the rows with their intervals of indexes shifted by `by`."""
        return replace(self, first=self.first + by, last=self.last + by)

    def with_constant(self, code: int) -> "RunTable":
        """Return the rows with one more column, which contains the same code in each row."""
        return RunTable((*self.columns, np.full(len(self), code, np.int64)), self.first, self.last)

    def project(self, order: Iterable[int]) -> "RunTable":
        """Return a table of the columns with the indexes `order`, in this order."""
        return RunTable(tuple(self.columns[place] for place in order), self.first, self.last)


def steady(columns: Sequence[Array], rows: int, count: int) -> RunTable:
    """Return a table of rows whose interval contains all `count` indexes; it is empty if `count` is 0."""
    rows = rows if count else 0
    first = np.zeros(rows, np.int64)
    return RunTable(tuple(column[:rows] for column in columns), first, first + count - 1)


def empty(width: int) -> RunTable:
    """Return a table without rows."""
    nothing = np.empty(0, np.int64)
    return RunTable((nothing,) * width, nothing, nothing)


def concatenate(tables: Sequence[RunTable], width: int) -> RunTable:
    """Return the rows of all tables, which must have `width` columns."""
    if len(tables) == 1:
        return tables[0]  # The copy below would lose the mark `longest`.
    if not tables:
        return empty(width)
    columns = (np.concatenate([table.columns[place] for table in tables]) for place in range(width))
    firsts, lasts = [table.first for table in tables], [table.last for table in tables]
    return RunTable(tuple(columns), np.concatenate(firsts), np.concatenate(lasts))


def coalesce(table: RunTable, count: int) -> RunTable:
    """Unite overlapping and adjacent intervals of equal rows, remove empty intervals, and sort the rows.

    >>> nothing = np.array([7, 7, 7])
    >>> result = coalesce(RunTable((nothing,), np.array([5, 0, 3]), np.array([9, 2, 3])), 10)
    >>> result.first.tolist(), result.last.tolist()
    ([0, 5], [3, 9])
    """
    return _united(table, count, in_order=True)


def with_longest(table: RunTable, count: int) -> RunTable:
    """Unite overlapping and adjacent intervals of equal rows; the rows have an arbitrary order.

    If the table is already marked as `longest`, it is returned unchanged.
    """
    return table if table.longest else _united(table, count, in_order=False)


def _united(table: RunTable, count: int, *, in_order: bool) -> RunTable:
    check_time(len(table))
    if not (there := table.first <= table.last).all():
        table = table.take(there)
    if len(table) <= 1:
        return replace(table, longest=True)
    room = count + 1
    (key,) = keys([table.columns], [len(table)], room)
    key *= room
    check_time(len(table))
    firsts = key + table.first
    order = np.argsort(firsts)
    check_time(len(table))
    key, firsts = key[order], firsts[order]
    reached = np.maximum.accumulate(key + table.last[order])
    # Indexes are below `count`, so the intervals of two different rows are never adjacent in this order.
    begins = np.flatnonzero(np.concatenate(([True], firsts[1:] > reached[:-1] + 1)))
    if len(begins) == len(table) and not in_order:
        return replace(table, longest=True)
    ends = np.concatenate((begins[1:] - 1, [len(table) - 1]))
    last, places = reached[ends] - key[ends], order[begins]
    return RunTable(
        tuple(column[places] for column in table.columns), table.first[places], last, longest=True
    )


def unite(tables: Sequence[RunTable], width: int, count: int) -> RunTable:
    """Return the rows of all tables with their longest intervals, in an arbitrary order.

    If the tables have no value in common in one of their columns, only each table by itself can have equal
    rows, so that tables that are marked as `longest` need no sorting.
    """
    table = concatenate(tables, width)
    if len(tables) > 1 and any(map(_are_disjoint, zip(*(some.columns for some in tables), strict=True))):
        every = [with_longest(some, count) for some in tables]
        return replace(concatenate(every, width), longest=True)
    return with_longest(table, count)


def _are_disjoint(columns: Sequence[Array]) -> bool:
    """Return whether no value is in two of the columns."""
    values = [distinct(column) for column in columns]
    return sum(map(len, values)) == len(distinct(np.concatenate(values)))


def spread(starts: Array, ends: Array) -> tuple[Array, Array]:
    """Return two columns for all numbers in ranges [start, end): the index of the range, and the number.

    >>> [result.tolist() for result in spread(np.array([5, 0, 2]), np.array([7, 0, 3]))]
    [[0, 0, 2], [5, 6, 2]]
    """
    lengths = np.maximum(ends - starts, 0)
    before = np.cumsum(lengths) - lengths
    owners = np.repeat(np.arange(len(lengths)), lengths)
    return owners, np.arange(len(owners)) - before[owners] + starts[owners]


def meet(
    left: RunTable,
    right: RunTable,
    on: Sequence[tuple[int, int]],
    count: int,
    crowded: Callable[[], None] = lambda: None,
) -> tuple[Array, Array]:
    """Return pairs of row numbers of left and right rows with equal columns `on` whose intervals overlap.

    If there are more than CROWDED pairs, the function first calls `crowded`, which may raise an exception.

    Raises:
        OutOfMemoryError: The pairs do not fit in memory.
        TimeLimitError: The deadline has passed (see `solver.deadlines`).
    """
    total, parts = _meets(left, right, on, count, crowded)
    check_room(_BYTES * total * (len(left.columns) + len(right.columns) + 2))
    return _together(parts)


def meetings(
    left: RunTable,
    right: RunTable,
    on: Sequence[tuple[int, int]],
    count: int,
    crowded: Callable[[], None] = lambda: None,
) -> Iterator[tuple[Array, Array]]:
    """Yield the pairs of `meet`, all together, or in several tables if there are many pairs."""
    total, parts = _meets(left, right, on, count, crowded)
    yield from (_together(parts),) if total <= PAIRS_AT_ONCE else parts


_Pairs = tuple[Array, Array]
"""The left and the right row numbers of pairs."""


def _together(parts: Iterable[_Pairs]) -> _Pairs:
    none = np.empty(0, np.int64)
    left, right = zip((none, none), *parts, strict=True)
    return np.concatenate(left), np.concatenate(right)


def _meets(
    left: RunTable, right: RunTable, on: Sequence[tuple[int, int]], count: int, crowded: Callable[[], None]
) -> tuple[int, Iterator[_Pairs]]:
    """Return the number of pairs with equal keys whose intervals overlap, and the pairs in parts.

    For each left row, `inside` is the range of right rows whose intervals begin in its interval. For each
    right row, `around` is the range of left rows whose intervals begin in its interval. Both ranges refer to
    sorted rows.
    """
    room = count + 1
    sides = [[left.columns[i] for i, _ in on], [right.columns[j] for _, j in on]]
    left_key, right_key = keys(sides, [len(left), len(right)], room)
    left_order, left_first, left_last = _sorted_ends(left, left_key, right_key, room)
    right_order, right_first, right_last = _sorted_ends(right, right_key, left_key, room)
    # Of two overlapping intervals, one begins inside the other. Equal beginnings count once, in `around`.
    inside = (
        np.searchsorted(right_first, left_first, "right"),
        np.searchsorted(right_first, left_last, "right"),
    )
    around = (
        np.searchsorted(left_first, right_first, "left"),
        np.searchsorted(left_first, right_last, "right"),
    )
    # The end of a range is before its start if a row's interval is empty.
    total = sum(int(np.maximum(ends - starts, 0).sum()) for starts, ends in (inside, around))
    if total > CROWDED:
        crowded()
    check_time(total)
    swapped = ((left, right) for right, left in _parts(right_order, left_order, around))
    return total, chain(_parts(left_order, right_order, inside), swapped)


def _parts(order: Array, others: Array, ranges: tuple[Array, Array]) -> Iterator[_Pairs]:
    """Yield row numbers of pairs, about PAIRS_AT_ONCE pairs at a time.

    The row `order[i]` belongs to the rows `others[start:end]` of the range with the index i.
    """
    starts, ends = ranges
    for some in _portions(ranges):
        owners, places = spread(starts[some], ends[some])
        check_time(len(owners))
        yield order[some][owners], others[places]


def _portions(ranges: tuple[Array, ...]) -> Iterator[slice]:
    """Yield slices of a list of ranges; all ranges in a slice have about `PAIRS_AT_ONCE` numbers."""
    starts, ends = ranges
    before = np.cumsum(np.maximum(ends - starts, 0))
    # The range that crosses a border stays whole, in the portion before the border.
    borders = (
        np.searchsorted(
            before, np.arange(PAIRS_AT_ONCE, int(before[-1]) if len(before) else 0, PAIRS_AT_ONCE)
        )
        + 1
    )
    # np.unique would load the module of masked arrays.
    for begin, end in pairwise(sorted({0, *borders.tolist(), len(before)})):
        yield slice(begin, end)


def _sorted_ends(table: RunTable, key: Array, other: Array, room: int) -> tuple[Array, Array, Array]:
    """Return row numbers sorted by key and first index, with the two ends of each row's interval.

    If the table is much larger than the other table, rows without an equal key in the other table are removed
    first.
    """
    places = (
        np.flatnonzero(among(key, other)) if len(key) > _ROWS_FOR_EACH * len(other) else np.arange(len(key))
    )
    key = key[places] * room
    firsts = key + table.first[places]
    order = np.argsort(firsts)
    return places[order], firsts[order], (key + table.last[places])[order]


def meet_pairs(left: RunTable, right: RunTable, pairs: tuple[Array, Array], kept: Iterable[int]) -> RunTable:
    """Return left rows with the `kept` columns of right rows, for pairs of row numbers.

    Each interval in the result is the intersection of an interval of the left row and an interval of the
    right row.
    """
    i, j = pairs
    taken = [(column, i) for column in left.columns] + [(right.columns[place], j) for place in kept]
    columns: list[Array] = []
    for column, places in taken:
        check_time(len(places))
        columns.append(column[places])
    return RunTable(
        tuple(columns), np.maximum(left.first[i], right.first[j]), np.minimum(left.last[i], right.last[j])
    )


def subtract(left: RunTable, right: RunTable, on: Sequence[int], count: int) -> RunTable:
    """Return the left rows, without the indexes at which the right table contains equal rows.

    `on` contains the columns of the left table that are compared with the columns of the right table.
    """
    pairs = [(place, column) for column, place in enumerate(on)]
    sides = [[left.columns[place] for place in on], right.columns]
    left_key, right_key = keys(sides, [len(left), len(right)], 1)
    blocked = among(left_key, right_key)
    if not blocked.any():
        return left
    # Only rows that both tables contain can lose indexes: they are joined with the gaps of the right rows.
    cut, gaps = left.take(blocked), _gaps(right.take(among(right_key, left_key)), count)
    rest = meet_pairs(cut, gaps, meet(cut, gaps, pairs, count), ())
    return concatenate([left.take(~blocked), rest], len(left.columns))


def highest(table: RunTable, count: int) -> RunTable:
    """Return, at each index, the row with the greatest last column among rows with equal other columns.

    >>> values = (np.array([3, 8]),)
    >>> result = highest(RunTable(values, np.array([0, 2]), np.array([9, 4])), 10)
    >>> result.columns[0].tolist(), result.first.tolist(), result.last.tolist()
    ([3, 3, 8], [0, 5, 2], [1, 9, 4])
    """
    check_time(len(table))
    room = count + 1
    (key,) = keys([table.columns[:-1]], [len(table)], room)
    starts, ends = key * room + table.first, key * room + table.last + 1
    points = distinct(np.concatenate((starts, ends)))
    # In ascending order of values, the last interval that covers a piece has the greatest value.
    order = np.argsort(table.columns[-1], kind="stable")
    starts, ends = (np.searchsorted(points, some[order]) for some in (starts, ends))
    best = latest_covers(starts, ends, len(points))
    pieces = np.flatnonzero(best >= 0)
    owners = order[best[pieces]]
    columns = tuple(column[owners] for column in table.columns)
    first = points[pieces] - key[owners] * room
    return coalesce(RunTable(columns, first, first + points[pieces + 1] - points[pieces] - 1), count)


def latest_covers(starts: Array, ends: Array, size: int) -> Array:
    """Return, for each of `size` positions, the number of the last interval that contains it, or -1.

    An interval [start, end) must not be empty. Two intervals of 2^n positions cover an interval (a sparse
    table, in reverse).
    """
    latest, numbers = np.full(size, -1), np.arange(len(starts))
    levels = np.log2(ends - starts).astype(np.int64)
    for level in range(int(levels.max(initial=0)), -1, -1):
        width = 1 << level
        # Each block of the level above hands its number down to its two halves.
        below = latest.copy()
        np.maximum(below[width:], latest[: size - width], out=below[width:])
        own = np.flatnonzero(levels == level)
        # Not `below[...] = ...`: several intervals can have the same block.
        np.maximum.at(below, starts[own], numbers[own])
        np.maximum.at(below, ends[own] - width, numbers[own])
        latest = below
    return latest


def _gaps(table: RunTable, count: int) -> RunTable:
    """Return each row of a table with the intervals of indexes at which the row is not in the table."""
    table = coalesce(table, count)
    if not len(table):
        return table
    # After `coalesce`, the intervals of equal rows are consecutive and ascending.
    differ = (column[1:] != column[:-1] for column in table.columns)
    border = reduce(np.logical_or, differ, np.zeros(len(table) - 1, np.bool_))
    begins, ends = np.concatenate(([True], border)), np.concatenate((border, [True]))
    before = np.where(begins, 0, np.concatenate(([0], table.last[:-1] + 1)))
    inner = RunTable(table.columns, before, table.first - 1)
    after = table.take(ends)
    tail = RunTable(after.columns, after.last + 1, np.full(len(after), count - 1))
    gaps = concatenate([inner, tail], len(table.columns))
    return gaps.take(gaps.first <= gaps.last)


def as_table(rows: Iterable[tuple[Sequence[str | None], int, int]], width: int, terms: TermCodes) -> RunTable:
    """Return rows of texts with their intervals of indexes as a table; None is null."""
    row_list = list(rows)
    texts = (str(NULL) if text is None else text for row, _, _ in row_list for text in row)
    codes = terms.codes(texts).reshape(len(row_list), width)
    ends = np.array([(first, last) for _, first, last in row_list], np.int64).reshape(len(row_list), 2)
    return RunTable(tuple(codes.T), ends[:, 0], ends[:, 1])
