"""Represent rows that are compared often by numbers; a row is decoded when it is read."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np

from agreement.documents.recordings.recording import Recording, Report, with_rows
from solver.columns import Array, Mask, Numbering
from solver.facts import Row


class RowNumbers:
    """A growing dictionary of rows, in which equal rows have the same number.

    >>> known = RowNumbers()
    >>> rows = known.numbered([("<e:b>",), (None,), ("<e:b>",)])
    >>> rows.numbers.tolist(), list(rows[1:])
    ([0, 1, 0], [(None,), ('<e:b>',)])
    """

    def __init__(self) -> None:
        self._numbers: Numbering[Row] = Numbering()
        self._rows: list[Row] = []

    def numbered(self, rows: Iterable[Row]) -> "RowsByNumber":
        """Return the numbers of the rows; a new row gets a new number."""
        if isinstance(rows, RowsByNumber) and rows.of is self:
            return rows
        return RowsByNumber(self, np.array(list(map(self._numbers.__getitem__, rows)), np.int64))

    @property
    def rows(self) -> Sequence[Row]:
        """All rows of the dictionary, in the order of the numbers that represent them."""
        # A dictionary keeps the order in which its keys came.
        if len(self._rows) < len(self._numbers):
            self._rows = list(self._numbers)
        return self._rows

    def __len__(self) -> int:
        return len(self._numbers)


class RowsByNumber(Sequence[Row]):
    """Rows that are represented by numbers; the field `of` is the dictionary of the rows."""

    def __init__(self, of: RowNumbers, numbers: Array) -> None:
        self.of, self.numbers = of, numbers

    @cached_property
    def _decoded(self) -> tuple[Row, ...]:
        return tuple(map(self.of.rows.__getitem__, self.numbers.tolist()))

    def chosen(self, places: Array | Mask) -> "RowsByNumber":
        """Return the rows at the given places, or the rows that a mask selects."""
        return RowsByNumber(self.of, self.numbers[places])

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._decoded)

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> "RowsByNumber": ...

    def __getitem__(self, place: int | slice) -> "Row | RowsByNumber":
        if isinstance(place, slice):
            return RowsByNumber(self.of, self.numbers[place])
        return self.of.rows[int(self.numbers[place])]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, RowsByNumber) and other.of is self.of:
            return np.array_equal(self.numbers, other.numbers)
        return isinstance(other, tuple | RowsByNumber) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(self._decoded)


def together(parts: Sequence[Sequence[Row]]) -> Sequence[Row]:
    """Return the rows of several answers in order.

    If all answers use one dictionary of rows, numbers represent the returned rows.
    """
    if len(parts) == 1:
        return parts[0]
    numbered = [part for part in parts if isinstance(part, RowsByNumber)]
    if numbered and len(numbered) == len(parts) and len({id(part.of) for part in numbered}) == 1:
        return RowsByNumber(numbered[0].of, np.concatenate([part.numbers for part in numbered]))
    return tuple(row for part in parts for row in part)


def rows_of(reports: Sequence[Report]) -> Sequence[Row]:
    """Return all rows of reports, in the order of the reports."""
    return together([report.rows for report in reports])


def number_rows(recording: Recording, numbers: RowNumbers) -> Recording:
    """Return a recording whose rows are represented by numbers."""
    return with_rows(recording, numbers.numbered)
