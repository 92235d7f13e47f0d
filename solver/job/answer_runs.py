"""Answers as runs: which rows a question has, and at which of its evaluation times."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from solver.columns import Array, Mask, TermCodes, keys
from solver.facts import Row
from solver.relational import RunTable, coalesced, concatenated, decoded, row_texts, spread, subtracted


@dataclass(frozen=True, slots=True, eq=False)
class AnswerRuns:
    """The answers to a question: each row with its longest runs of indexes into `times`, which ascend.

    A time can stand there several times, where the newest input that is seen differs. At `certified` of
    the times clingo has the same rows.
    """

    times: Array
    found: RunTable
    terms: TermCodes
    certified: int = 0

    def rows(self) -> Iterator[tuple[Row, int, int]]:
        """Yield each row as texts, None for null, with the first and last time of each run."""
        for row, first, last in decoded(self.found, self.terms):
            yield row, int(self.times[first]), int(self.times[last])

    def by_time(self) -> dict[int, frozenset[Row]]:
        """Return the rows at each time at which there is one, ascending."""
        rows = row_texts(self.found, self.terms)
        places, indexes = spread(self.found.first, self.found.last + 1)
        times, numbers = np.unique(self.times, return_inverse=True)
        # Small numbers are sorted by their digits.
        each = numbers.astype(np.min_scalar_type(len(times)))[indexes]
        listed = list(map(rows.__getitem__, places[np.argsort(each, kind="stable")].tolist()))
        ends = np.cumsum(np.bincount(each, minlength=len(times))).tolist()
        pairs = zip(times.tolist(), [0, *ends], ends, strict=False)
        return {t: frozenset(listed[begin:end]) for t, begin, end in pairs if begin < end}

    def at(self, t: int) -> frozenset[Row]:
        """Return the rows at a time."""
        index = int(np.searchsorted(self.times, t))
        shown = self.found.take((self.found.first <= index) & (index <= self.found.last))
        return frozenset(row_texts(shown, self.terms))

    def among(self, times: Array) -> "AnswerRuns":
        """Return the answers at some of the times, given ascending."""
        kept, found = np.searchsorted(self.times, times), self.found
        first = np.searchsorted(kept, found.first, "left")
        last = np.searchsorted(kept, found.last, "right") - 1
        some = coalesced(RunTable(found.columns, first, last), len(kept))
        return AnswerRuns(times, some, self.terms)

    def until(self, times: Array) -> Array:
        """Return the index of the last evaluation up to each of the times, -1 where there is none."""
        return np.searchsorted(self.times, times, "right") - 1

    def held_until(self, columns: Sequence[Array], indexes: Array) -> Array:
        """Return, for each row of the columns, the last index up to its own at which it is an answer.

        -1: there is none.
        """
        found, room = self.found, len(self.times) + 1
        own, asked = keys([found.columns, columns], [len(found), len(indexes)], room)
        order = np.argsort(own * room + found.first)
        begins = (own * room + found.first)[order]
        places = np.searchsorted(begins, asked * room + indexes, "right") - 1
        if not len(begins):
            return np.full(len(indexes), -1, np.int64)
        run = order[np.maximum(places, 0)]
        known = (places >= 0) & (own[run] == asked) & (indexes >= 0)
        return np.where(known, np.minimum(found.last[run], indexes), -1)

    def holds_at(self, columns: Sequence[Array], indexes: Array) -> Mask:
        """Return which rows of the columns are answers at the index of each; -1: at none."""
        found: Mask = self.held_until(columns, indexes) == indexes
        return found & (indexes >= 0)

    def holds_within(self, columns: Sequence[Array], after: Array, until: Array) -> Mask:
        """Return which rows are answers at some evaluation in (after, until], times of each row."""
        found: Mask = np.greater(self.held_until(columns, self.until(until)), self.until(after))
        return found

    def differing(self, other: "AnswerRuns") -> "AnswerRuns":
        """Return the rows that one of two answers at the same times has, where the other lacks them."""
        width, count = len(self.found.columns), len(self.times)
        parts = [
            subtracted(one, less, range(width), count)
            for one, less in ((self.found, other.found), (other.found, self.found))
        ]
        return AnswerRuns(self.times, coalesced(concatenated(parts, width), count), self.terms)
