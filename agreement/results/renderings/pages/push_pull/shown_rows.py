"""Which of the rows that one side alone has a page shows: all of few, of many examples of each cause."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from agreement.comparing.agree import Side, VariantReport
from agreement.comparing.agree.narrowing import FoundRow, RowFilter, evenly
from agreement.comparing.agree.periods import PeriodVerdict
from agreement.comparing.agree.sides import CAUSES
from agreement.documents.outputs import Json
from solver.columns import Array

_ALL: Final = 1000
"""Of more rows examples are shown."""
EXAMPLES: Final = 20
"""So many of each cause."""
Tally = Mapping[tuple[int, Side, int], tuple[int, int]]
"""By pulling period, side and the place of a cause: how many rows there are, and in how many periods."""


@dataclass(frozen=True)
class RowSelection:
    """The rows of a report that are wanted, counted without being written down."""

    variant: VariantReport
    row_filter: RowFilter

    def tally(self) -> Tally:
        """Return how many rows there are of each pulling period, side and cause."""
        found: dict[tuple[int, Side, int], tuple[int, int]] = {}
        for side, own in self._counts():
            for period in np.unique(self._lengths).tolist():
                some = own[self._lengths == period]
                rows, periods = some.sum(axis=0).tolist(), (some > 0).sum(axis=0).tolist()
                for cause in np.flatnonzero(rows).tolist():
                    found[period, side, cause] = rows[cause], periods[cause]
        return dict(sorted(found.items(), key=lambda one: (one[0][0], one[0][1].value != "push", one[0][2])))

    @cached_property
    def _lengths(self) -> Array:
        """The length of each period that disagrees."""
        return np.array([one.end - one.start for one in self.variant.explanation.periods], np.int64)

    def _counts(self) -> Iterator[tuple[Side, Array]]:
        """Yield, of each side that is wanted, how many of its rows are wanted, by period and cause."""
        if not len(self._lengths):
            return
        for side in Side:
            if self.row_filter.side in (None, side):
                counts = self.variant.explanation.counts(side)
                if self.row_filter.cause is not None:
                    counts[:, [one is not self.row_filter.cause for one in CAUSES]] = 0
                if self.row_filter.periods is not None:
                    counts[~np.isin(self._lengths, self.row_filter.periods)] = 0
                yield side, counts

    def rows(self, tally: Tally) -> list[FoundRow]:
        """Return all rows where they are few, else examples of each cause, by period and time."""
        if sum(rows for rows, _ in tally.values()) <= _ALL:
            return list(self.row_filter.rows(self.variant))
        return self.examples(tally)

    def examples(self, tally: Tally) -> list[FoundRow]:
        """Return some rows of each cause, of many pulling periods and both sides, by period and time."""
        found = [row for cause in range(len(CAUSES)) for row in self._of_cause(tally, cause)]
        return sorted(
            found, key=lambda row: (row.period, row.interval.start, row.group, str(row.difference.row))
        )

    def _of_cause(self, tally: Tally, cause: int) -> Iterator[FoundRow]:
        every = [(period, side, rows) for (period, side, own), (rows, _) in tally.items() if own == cause]
        chosen = sorted(evenly(every, EXAMPLES), key=lambda group: group[2])
        left = EXAMPLES
        for number, (period, side, _) in enumerate(chosen):
            # What small groups do not need is left to larger ones.
            share = left // (len(chosen) - number)
            places = evenly(self._places(period, side, cause), share)
            left -= len(places)
            for place in places:
                interval, difference = self.variant.explanation.difference(side, int(place))
                yield FoundRow(period, interval, difference)

    def _places(self, period: int, side: Side, cause: int) -> Sequence[int]:
        found = self.variant.explanation.causes(side)
        own = (found.causes == cause) & (self._lengths[found.owner] == period)
        places: list[int] = np.flatnonzero(own).tolist()
        return places


def counts_json(tally: Tally, verdicts: Sequence[PeriodVerdict]) -> Json:
    """Return the counts as a table: a line a pulling period that disagrees, a column a side and cause."""
    columns = sorted({(side.value != "push", cause) for _, side, cause in tally})
    named = [("pull" if pulled else "push", cause) for pulled, cause in columns]
    lines: dict[int, Json] = {
        one.period: {
            "period": one.period,
            "whole": len(one.intervals),
            "wrong": sum(1 for _ in one.intervals.disagreeing),
            "cells": [[0, 0]] * len(named),
        }
        for one in verdicts
        if one.agree is False
    }
    for (period, side, cause), (rows, periods) in tally.items():
        cells = list(lines[period]["cells"])
        cells[named.index((side.value, cause))] = [rows, periods]
        lines[period]["cells"] = cells
    return {"columns": named, "lines": list(lines.values())}
