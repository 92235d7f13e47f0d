"""The rows that one side alone has in each period, with causes and what they rest on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

import numpy as np

from agreement.comparing.agree.causes import CAUSES, CauseSearch, DifferingRows, RowCause, Sides, SideStatic
from agreement.comparing.agree.periods import PeriodComparison, PeriodVerdict, Side
from agreement.documents.outputs import row_order
from agreement.documents.traces import Trace
from solver.columns import Array
from solver.facts import Fact, Row
from solver.relational import concatenated, row_texts, text_order


@dataclass(frozen=True, slots=True)
class RowDifference:
    """A row that one side alone has in a period, why, and when push last reported it, if ever."""

    side: Side
    row: Row
    cause: RowCause
    pushed: int | None


@dataclass(frozen=True, slots=True, eq=False)
class RowCauses:
    """The causes of all rows that one side alone has, period by period, as places among the causes.

    `owner` is the place of a row's period, `pushed` when push last had the row, -1: never; the rows of
    the period at a place begin at `begins`, which has one place more.
    """

    owner: Array
    causes: Array
    pushed: Array
    begins: Array


class Explanation:
    """The causes of every difference in some periods, over one trace."""

    def __init__(self, sides: Sides, trace: Trace, verdicts: Sequence[PeriodVerdict]) -> None:
        self._sides = sides
        self._periods = [one for verdict in verdicts for one in verdict.intervals if not one.agree]
        self._search = CauseSearch(sides, trace, self._periods)
        self._causes: dict[Side, RowCauses] = {}
        self._ordered: dict[tuple[Side, PeriodComparison], Array] = {}

    @property
    def periods(self) -> Sequence[PeriodComparison]:
        """The periods that disagree, in the order of the verdicts."""
        return self._periods

    @cached_property
    def _places(self) -> dict[PeriodComparison, int]:
        return {period: place for place, period in enumerate(self._periods)}

    def causes(self, side: Side) -> RowCauses:
        """Return the causes of all rows that a side alone has."""
        if side not in self._causes:
            self._causes[side] = self._all_causes(side)
        return self._causes[side]

    def counts(self, side: Side) -> Array:
        """Return how many rows a side alone has: a row for each period that disagrees, a column a cause."""
        found = self.causes(side)
        cells = len(self._periods) * len(CAUSES)
        counts = np.bincount(found.owner * len(CAUSES) + found.causes, minlength=cells)
        return counts.reshape(len(self._periods), len(CAUSES)).astype(np.int64)

    def cause_counts(self, periods: Sequence[PeriodComparison]) -> Array:
        """Return how many rows one side alone has in some periods that disagree, by the cause's place."""
        found: Array = self._totals[[self._places[period] for period in periods]].sum(axis=0)
        return found

    @cached_property
    def _totals(self) -> Array:
        found: Array = sum(self._counts.values(), np.zeros(len(CAUSES), np.int64))
        return found

    @cached_property
    def _counts(self) -> dict[Side, Array]:
        return {side: self.counts(side) for side in Side}

    def counts_in(self, side: Side, period: PeriodComparison) -> Array:
        """Return how many rows a side alone has in a period that disagrees, by the cause's place."""
        found: Array = self._counts[side][self._places[period]]
        return found

    def in_order(self, side: Side, period: PeriodComparison) -> Array:
        """Return a period's rows in the order of `differences`, as places among the causes of all."""
        if (side, period) not in self._ordered:
            begin, rows = self.causes(side).begins[self._places[period]], period.tables.only(side)
            self._ordered[side, period] = begin + text_order(rows.of(period.number), rows.terms)
        return self._ordered[side, period]

    def difference(self, side: Side, number: int) -> tuple[PeriodComparison, RowDifference]:
        """Return a row of a side, by its place among the causes of all, with its period."""
        found = self.causes(side)
        owner, pushed = int(found.owner[number]), int(found.pushed[number])
        period = self._periods[owner]
        rows = period.tables.only(side)
        own = np.array([number - found.begins[owner]])
        (row,) = row_texts(rows.of(period.number).take(own), rows.terms)
        return period, RowDifference(side, row, CAUSES[found.causes[number]], None if pushed < 0 else pushed)

    def differences(self, period: PeriodComparison) -> Iterator[RowDifference]:
        """Yield each row that one side alone has in the period, with its cause."""
        place = self._places[period]
        for side in Side:
            every = self.causes(side)
            own = slice(every.begins[place], every.begins[place + 1])
            causes, pushed = every.causes[own].tolist(), every.pushed[own].tolist()
            rows = period.tables.only(side).rows(period.number)
            # Of rows without null their texts are the order.
            keys = map(row_order, rows) if any(None in row for row in rows) else rows
            found = sorted(zip(keys, rows, causes, pushed, strict=True), key=itemgetter(0))
            for _, row, cause, t in found:
                yield RowDifference(side, row, CAUSES[cause], None if t < 0 else t)

    def supports(self, found: Sequence[tuple[RowDifference, PeriodComparison]]) -> list[tuple[Fact, ...]]:
        """Return of each row, in its period, the input atoms of one proof: where its side last gave it."""
        at = [
            one.pushed if one.side is Side.PUSH and one.pushed is not None else period.end
            for one, period in found
        ]
        proved: dict[int, tuple[Fact, ...]] = {}
        for side, static, program in (
            (Side.PUSH, SideStatic.PUSH, self._sides.push),
            (Side.PULL, SideStatic.PULL, self._sides.pull),
        ):
            own = [place for place, (one, _) in enumerate(found) if one.side is side]
            rows, times = [found[place][0].row for place in own], [at[place] for place in own]
            if own:
                proved |= zip(own, self._search.asked(program, static).supports(rows, times), strict=True)
        return [proved[place] for place in range(len(found))]

    def _all_causes(self, side: Side) -> RowCauses:
        """Return the causes of all periods' rows, in the order in which a period has its rows."""
        pushed = self._sides.pushed
        parts = [period.tables.only(side).of(period.number) for period in self._periods]
        sizes = [len(part) for part in parts]
        ends = [(period.start, period.end) for period in self._periods]
        start, end = np.repeat(np.array(ends, np.int64), sizes, axis=0).T
        columns = concatenated(parts, len(pushed.found.columns)).columns
        rows = DifferingRows(columns, start, end, pushed.held_until(columns, pushed.until(end)))
        causes, times = self._search.causes(rows, side), np.append(pushed.times, -1)[rows.pushed]
        owner = np.repeat(np.arange(len(sizes)), sizes)
        return RowCauses(owner, causes, times, np.append(0, np.cumsum(sizes)))
