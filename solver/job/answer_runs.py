"""Answers as runs: which rows a question has, and at which of its evaluation times."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from solver.relational import Array, RunTable, TermCodes, decoded, spread
from solver.runs import Row


@dataclass(frozen=True, slots=True, eq=False)
class AnswerRuns:
    """The answers to a question: each row with its longest runs of indexes into `times`, which ascend."""

    times: Array
    found: RunTable
    terms: TermCodes

    def __len__(self) -> int:
        """Return how many pairs of a row and a time there are."""
        return int((self.found.last - self.found.first + 1).sum())

    def rows(self) -> Iterator[tuple[Row, int, int]]:
        """Yield each row as texts, None for null, with the first and last time of each run."""
        times = self.times
        for row, first, last in decoded(self.found, self.terms):
            yield row, int(times[first]), int(times[last])

    def by_time(self) -> dict[int, frozenset[Row]]:
        """Return the rows at each time at which there is one."""
        places, indexes = spread(self.found.first, self.found.last + 1)
        rows = [row for row, _, _ in decoded(self.found, self.terms)]
        grouped: dict[int, list[Row]] = {}
        for place, t in zip(places.tolist(), self.times[indexes].tolist(), strict=True):
            grouped.setdefault(t, []).append(rows[place])
        return {t: frozenset(grouped[t]) for t in sorted(grouped)}

    def at(self, t: int) -> frozenset[Row]:
        """Return the rows at a time."""
        index = int(np.searchsorted(self.times, t))
        if index == len(self.times) or self.times[index] != t:
            return frozenset()
        shown = self.found.take((self.found.first <= index) & (index <= self.found.last))
        return frozenset(row for row, _, _ in decoded(shown, self.terms))
