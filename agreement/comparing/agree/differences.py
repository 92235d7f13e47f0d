"""The rows that one side alone has in each period, with causes and what they rest on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import attrgetter, itemgetter

import numpy as np

from agreement.comparing.agree.causes import CauseWork, DifferingPeriods, DifferingRows
from agreement.comparing.agree.counterfactuals import AskedProgram
from agreement.comparing.agree.periods import PeriodComparison, PeriodVerdict, Side
from agreement.comparing.agree.sides import CAUSES, RowDifference, SidePrograms, Sides, SideStatic
from agreement.documents.outputs import row_order
from agreement.documents.traces import Trace
from lars.language.windows import Interval
from solver.columns import Array, CodedColumns
from solver.facts import Fact, Row
from solver.job import Question
from solver.relational import EncodedSituation, concatenate, row_texts, text_order


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


_Wanted = tuple[Side, Row, int]
"""A row of a side, and a time at which it is an answer."""


@dataclass(frozen=True, slots=True)
class _SupportWork:
    """Finds what rows rest on that are answers up to so many time points before a slice."""

    programs: SidePrograms
    before: int

    @property
    def questions(self) -> Sequence[Question]:
        """What the input of a slice is for."""
        return self.programs.questions

    def __call__(self, situation: EncodedSituation, given: Sequence[_Wanted]) -> list[tuple[Fact, ...]]:
        """Return of each row the input atoms of one proof."""
        proved: dict[int, tuple[Fact, ...]] = {}
        statics = self.programs.statics(situation)
        for side, static, program in (
            (Side.PUSH, SideStatic.PUSH, self.programs.push),
            (Side.PULL, SideStatic.PULL, self.programs.pull),
        ):
            own = [place for place, (one, _, _) in enumerate(given) if one is side]
            rows, times = [given[place][1] for place in own], [given[place][2] for place in own]
            if own:
                asked = AskedProgram(program, self.programs.output, statics[static])
                proved |= zip(own, asked.supports(rows, times), strict=True)
        return [proved[place] for place in range(len(given))]


class DifferenceCauses:
    """The causes of every difference in some periods, over one trace."""

    def __init__(self, sides: Sides, trace: Trace, verdicts: Sequence[PeriodVerdict]) -> None:
        self._sides = sides
        self._periods = [one for verdict in verdicts for one in verdict.intervals.disagreeing]
        self._trace = trace
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

    def counts_in(self, side: Side, periods: Sequence[PeriodComparison]) -> Array:
        """Return how many rows a side alone has in some periods that disagree, a row for each, by cause."""
        found: Array = self._counts[side][[self._places[period] for period in periods]]
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
        wanted = [(one.side, one.row, t) for (one, _), t in zip(found, at, strict=True)]
        places = self._by_slice([period.end for _, period in found])
        work = _SupportWork(self._sides.programs, self._longest)
        given = [(within, [wanted[place] for place in some.tolist()]) for within, some in places]
        proved: dict[int, tuple[Fact, ...]] = {}
        for (_, some), facts in zip(places, self._trace.results(work, given), strict=True):
            proved |= zip(some.tolist(), facts, strict=True)
        return [proved[place] for place in range(len(found))]

    @cached_property
    def _longest(self) -> int:
        """How many time points the longest of the periods has."""
        return max((one.end - one.start for one in self._periods), default=0)

    @cached_property
    def _slices(self) -> Sequence[Interval]:
        """The slices of the timeline in which causes are found: a period is in the one that it ends in."""
        return self._trace.slices(self._sides.programs.questions, self._longest)

    def _by_slice(self, ends: Sequence[int]) -> list[tuple[Interval, Array]]:
        """Return the slices that have some of the ends, with the places of these."""
        numbers = np.searchsorted([one.last for one in self._slices], ends)
        return [
            (self._slices[number], np.flatnonzero(numbers == number))
            for number in np.unique(numbers).tolist()
        ]

    @cached_property
    def _causes(self) -> Mapping[Side, RowCauses]:
        """The causes of all periods' rows, in the order in which a period has its rows."""
        ends = np.array([(one.start, one.end) for one in self._periods], np.int64).reshape(-1, 2)
        sides = {side: self._rows(side, ends) for side in Side}
        causes = {side: np.full(len(owner), -1, np.int64) for side, (_, owner) in sides.items()}
        given, placed = [], []
        for within, periods in self._by_slice(ends[:, 1].tolist()):
            own = {side: np.flatnonzero(np.isin(owner, periods)) for side, (_, owner) in sides.items()}
            rows = {side: sides[side][0].take(places) for side, places in own.items()}
            start, end = ends[periods].T
            given.append((within, DifferingPeriods(start, end, self._pushes(start, end), rows)))
            placed.append(own)
        work = CauseWork(self._sides.programs, self._longest)
        for own, found in zip(placed, self._trace.results(work, given), strict=True):
            for side, places in own.items():
                causes[side][places] = found[side]
        return {
            side: RowCauses(
                owner, causes[side], rows.reported, np.searchsorted(owner, np.arange(len(ends) + 1))
            )
            for side, (rows, owner) in sides.items()
        }

    def _rows(self, side: Side, ends: Array) -> tuple[DifferingRows, Array]:
        """Return the rows that a side alone has, and the place of each row's period."""
        pushed = self._sides.pushed
        # Periods of one length follow each other, and share their tables.
        runs = [
            (tables.only(side), np.array([period.number for period in periods]))
            for tables, periods in groupby(self._periods, attrgetter("tables"))
        ]
        sizes = [rows.sizes[numbers] for rows, numbers in runs] or [np.empty(0, np.int64)]
        owner = np.repeat(np.arange(len(self._periods)), np.concatenate(sizes))
        start, end = ends[owner].T
        parts = [rows.among(numbers) for rows, numbers in runs]
        columns = concatenate(parts, len(pushed.runs.columns)).columns
        reported = np.append(pushed.times, -1)[pushed.held_until(columns, pushed.until(end))]
        return DifferingRows(CodedColumns(pushed.terms, columns), start, end, reported), owner

    def _pushes(self, start: Array, end: Array) -> Array:
        """Return the times in some periods at which push evaluates."""
        pushed = self._sides.pushed
        steps = np.zeros(len(pushed.times) + 1, np.int64)
        np.add.at(steps, pushed.until(start) + 1, 1)
        np.add.at(steps, pushed.until(end) + 1, -1)
        found: Array = pushed.times[np.cumsum(steps[:-1]) > 0]
        return found
