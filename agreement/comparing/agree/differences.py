"""The rows that one side alone has in each period, with causes and what they rest on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from operator import attrgetter, itemgetter
from typing import Final

import numpy as np
import numpy.typing as npt

from agreement.comparing.agree.causes import CauseWork, DifferingPeriods, DifferingRows
from agreement.comparing.agree.counterfactuals import AskedProgram
from agreement.comparing.agree.periods import (
    BothAnswers,
    PeriodComparison,
    PeriodRows,
    PeriodVerdict,
    Side,
)
from agreement.comparing.agree.sides import (
    CAUSES,
    RowCause,
    RowDifference,
    SidePrograms,
    Sides,
    SideStatic,
)
from agreement.documents.outputs import row_order
from agreement.documents.traces import Trace
from lars.language.windows import Interval
from solver.columns import Array, CodedColumns
from solver.facts import Fact, Row
from solver.job import AnswerRuns, Question
from solver.relational import EncodedSituation, concatenate, row_texts, spread, text_order

_ORDERED: Final = 1000
"""The orders of the rows of so many periods are held."""
_AT_ONCE: Final = 1_000_000
"""When there are more rows their causes are asked for, before those of other sections are read."""


@dataclass(frozen=True, slots=True, eq=False)
class RowCauses:
    """The causes of all rows that one side alone has, period by period, as places among the causes.

    The rows of the period at a place begin at `begins`, which has one place more.
    """

    causes: npt.NDArray[np.int8]
    begins: Array

    @property
    def owner(self) -> Array:
        """The place of each row's period."""
        return np.repeat(np.arange(len(self.begins) - 1), np.diff(self.begins))


@dataclass(frozen=True, eq=False)
class _SectionRows:
    """The rows that a side alone has in the periods of a section that disagree, verdict by verdict.

    `owner` is the place of a row's period among all that disagree, `numbers` its own place among all rows.
    """

    answers: BothAnswers
    section: int
    rows: DifferingRows
    owner: Array
    numbers: Array

    @cached_property
    def pushed(self) -> Array:
        """When push last had each row, up to the end of its period; -1: never."""
        numbers = self.rows.reported.copy()
        for before in reversed(range(self.section)):
            if not len(left := np.flatnonzero(numbers < 0)):
                break
            pushed = self.answers.push.within(self.answers.span(before), self.rows.coded.terms)
            some = self.rows.take(left)
            numbers[left] = _reported(pushed, some.columns, some.end)
        return numbers


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

    def __call__(self, situation: EncodedSituation, wanted: Sequence[_Wanted]) -> list[tuple[Fact, ...]]:
        """Return of each row the input atoms of one proof."""
        proved: dict[int, tuple[Fact, ...]] = {}
        statics = self.programs.statics(situation)
        for side, static, program in (
            (Side.PUSH, SideStatic.PUSH, self.programs.push),
            (Side.PULL, SideStatic.PULL, self.programs.pull),
        ):
            own = [place for place, (row_side, _, _) in enumerate(wanted) if row_side is side]
            rows, times = [wanted[place][1] for place in own], [wanted[place][2] for place in own]
            if own:
                asked_program = AskedProgram(program, self.programs.output, statics[static])
                proved |= zip(own, asked_program.supports(rows, times), strict=True)
        return [proved[place] for place in range(len(wanted))]


class DifferenceCauses:
    """The causes of every difference in some periods, over one trace."""

    def __init__(self, sides: Sides, trace: Trace, verdicts: Sequence[PeriodVerdict]) -> None:
        self._sides = sides
        self._periods = [comparison for verdict in verdicts for comparison in verdict.intervals.disagreeing]
        self._trace = trace
        self._held: tuple[int, Mapping[Side, _SectionRows]] | None = None
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
        causes = self.causes(side)
        cells = len(self._periods) * len(CAUSES)
        counts = np.bincount(causes.owner * len(CAUSES) + causes.causes, minlength=cells)
        return counts.reshape(len(self._periods), len(CAUSES)).astype(np.int64)

    def cause_counts(self, periods: Sequence[PeriodComparison]) -> Array:
        """Return how many rows one side alone has in some periods that disagree, by the cause's place."""
        numbers: Array = self._totals[[self._places[period] for period in periods]].sum(axis=0)
        return numbers

    @cached_property
    def _totals(self) -> Array:
        numbers: Array = sum(self._counts.values(), np.zeros(len(CAUSES), np.int64))
        return numbers

    @cached_property
    def _counts(self) -> dict[Side, Array]:
        return {side: self.counts(side) for side in Side}

    def counts_in(self, side: Side, periods: Sequence[PeriodComparison]) -> Array:
        """Return how many rows a side alone has in some periods that disagree, a row for each, by cause."""
        numbers: Array = self._counts[side][[self._places[period] for period in periods]]
        return numbers

    def in_order(self, side: Side, period: PeriodComparison) -> Array:
        """Return a period's rows in the order of `differences`, as places among the causes of all."""
        if (side, period) not in self._ordered:
            if len(self._ordered) >= _ORDERED:
                self._ordered.clear()
            rows, number = self._rows_of(side, period)
            begin = self._begins[side][self._places[period]]
            self._ordered[side, period] = begin + text_order(rows.of(number), rows.terms)
        return self._ordered[side, period]

    def difference(self, side: Side, number: int) -> tuple[PeriodComparison, RowDifference]:
        """Return a row of a side, by its place among the causes of all, with its period."""
        place = int(np.searchsorted(self._begins[side], number, "right")) - 1
        period, own = self._periods[place], np.array([number - self._begins[side][place]])
        rows, numbered = self._rows_of(side, period)
        (row,) = row_texts(rows.of(numbered).take(own), rows.terms)
        ((cause, t),) = self._causes_of_rows(side, place, number, number + 1)
        return period, RowDifference(side, row, cause, t)

    def differences(self, period: PeriodComparison) -> Iterator[RowDifference]:
        """Yield each row that one side alone has in the period, with its cause."""
        place = self._places[period]
        for side in Side:
            begin, end = self._begins[side][place : place + 2].tolist()
            if begin == end:
                continue
            period_rows, number = self._rows_of(side, period)
            rows = period_rows.rows(number)
            # Of rows without null their texts are the order.
            keys = map(row_order, rows) if any(None in row for row in rows) else rows
            causes = self._causes_of_rows(side, place, begin, end)
            for _, row, (cause, t) in sorted(zip(keys, rows, causes, strict=True), key=itemgetter(0)):
                yield RowDifference(side, row, cause, t)

    def _causes_of_rows(
        self, side: Side, place: int, begin: int, end: int
    ) -> Iterator[tuple[RowCause, int | None]]:
        """Yield the cause, and when push last had it, of some rows of a period, by their places among all."""
        section_row = self._section_rows(int(self._sections[place]))[side]
        first = int(np.searchsorted(section_row.numbers, begin))
        causes, pushed = self.causes(side).causes[begin:end], section_row.pushed[first : first + end - begin]
        for cause, t in zip(causes.tolist(), pushed.tolist(), strict=True):
            yield CAUSES[cause], None if t < 0 else t

    def _rows_of(self, side: Side, period: PeriodComparison) -> tuple[PeriodRows, int]:
        tables, number = period.tables.at(period.number)
        return tables.only(side), number

    def supports(
        self, comparisons: Sequence[tuple[RowDifference, PeriodComparison]]
    ) -> list[tuple[Fact, ...]]:
        """Return of each row, in its period, the input atoms of one proof: where its side last gave it."""
        at = [
            difference.pushed
            if difference.side is Side.PUSH and difference.pushed is not None
            else period.end
            for difference, period in comparisons
        ]
        rows = [
            (difference.side, difference.row, t) for (difference, _), t in zip(comparisons, at, strict=True)
        ]
        places = self._by_slice([period.end for _, period in comparisons])
        work = _SupportWork(self._sides.programs, self._longest)
        intervals = [(within, [rows[place] for place in some.tolist()]) for within, some in places]
        proved: dict[int, tuple[Fact, ...]] = {}
        for (_, some), facts in zip(places, self._trace.results(work, intervals), strict=True):
            proved |= zip(some.tolist(), facts, strict=True)
        return [proved[place] for place in range(len(comparisons))]

    @cached_property
    def _longest(self) -> int:
        """How many time points the longest of the periods has."""
        return max((comparison.end - comparison.start for comparison in self._periods), default=0)

    @cached_property
    def _slices(self) -> Sequence[Interval]:
        """The slices of the timeline in which causes are found: a period is in the one that it ends in.

        Of several none is in two sections.
        """
        intervals = self._trace.slices(self._sides.programs.questions, self._longest)
        if len(intervals) == 1:
            # It may be one as no part of it is enough, of windows of tuples for instance.
            return intervals
        lasts = {*(interval.last for interval in intervals), *self._sides.answers.borders.tolist()}
        first, last = intervals[0].first, intervals[-1].last
        ends = sorted(t for t in lasts if first <= t <= last)
        return [Interval(begin + 1, end) for begin, end in pairwise([first - 1, *ends])]

    def _by_slice(self, ends: Sequence[int]) -> list[tuple[Interval, Array]]:
        """Return the slices that have some of the ends, with the places of these."""
        numbers = np.searchsorted([interval.last for interval in self._slices], ends)
        return [
            (self._slices[number], np.flatnonzero(numbers == number))
            for number in np.unique(numbers).tolist()
        ]

    @cached_property
    def _sections(self) -> Array:
        """The section of each period."""
        parts = [
            tables.sections(np.array([comparison.number for comparison in periods]))
            for tables, periods in groupby(self._periods, attrgetter("tables"))
        ]
        return np.concatenate([np.empty(0, np.int64), *parts])

    @cached_property
    def _begins(self) -> Mapping[Side, Array]:
        """Where the rows of each period begin among those that a side alone has, then how many there are."""
        numbered = [
            (tables.sizes, [comparison.number for comparison in periods])
            for tables, periods in groupby(self._periods, attrgetter("tables"))
        ]
        parts = {side: [sizes.only(side)[numbers] for sizes, numbers in numbered] for side in Side}
        return {side: np.cumsum(np.concatenate([[0], *own]), dtype=np.int64) for side, own in parts.items()}

    @cached_property
    def _causes(self) -> Mapping[Side, RowCauses]:
        """The causes of all periods' rows, in the order in which a period has its rows."""
        # The causes of all rows are held, so each is a byte.
        numbers = {side: np.full(int(begins[-1]), -1, np.int8) for side, begins in self._begins.items()}
        periods: list[tuple[Interval, DifferingPeriods]] = []
        placed: list[Mapping[Side, Array]] = []
        ends, held = (
            np.array([(comparison.start, comparison.end) for comparison in self._periods], np.int64).reshape(
                -1, 2
            ),
            0,
        )
        for section in np.unique(self._sections).tolist():
            sides, places = self._section_rows(section), np.flatnonzero(self._sections == section)
            for within, some in self._by_slice(ends[places, 1].tolist()):
                own = {side: np.flatnonzero(np.isin(one.owner, places[some])) for side, one in sides.items()}
                rows = {side: sides[side].rows.take(chosen) for side, chosen in own.items()}
                start, end = ends[places[some]].T
                periods.append(
                    (within, DifferingPeriods(start, end, self._pushes(section, start, end), rows))
                )
                placed.append({side: sides[side].numbers[chosen] for side, chosen in own.items()})
            held += sum(len(side.numbers) for side in sides.values())
            # One slice that is in several sections is worked on for each of them.
            if held > _AT_ONCE or len(self._slices) == 1:
                self._find(periods, placed, numbers)
                periods, placed, held = [], [], 0
        self._find(periods, placed, numbers)
        return {side: RowCauses(causes, self._begins[side]) for side, causes in numbers.items()}

    def _find(
        self,
        periods: Sequence[tuple[Interval, DifferingPeriods]],
        placed: Sequence[Mapping[Side, Array]],
        causes: Mapping[Side, npt.NDArray[np.int8]],
    ) -> None:
        """Write down the causes of the rows of some slices, which have these numbers."""
        work = CauseWork(self._sides.programs, self._longest)
        for own, result in zip(placed, self._trace.results(work, periods), strict=True):
            for side, numbers in own.items():
                causes[side][numbers] = result[side]

    def _section_rows(self, section: int) -> Mapping[Side, _SectionRows]:
        if self._held is None or self._held[0] != section:
            self._held = None
            self._held = section, {side: self._read(side, section) for side in Side}
        return self._held[1]

    def _read(self, side: Side, section: int) -> _SectionRows:
        """Return the rows that a side alone has in periods of a section."""
        answers = self._sides.answers
        places = np.flatnonzero(self._sections == section)
        # Periods of one length follow each other, and share their tables.
        chosen = [self._periods[place] for place in places.tolist()]
        parts = []
        for tables, periods in groupby(chosen, attrgetter("tables")):
            rows, first = tables.only(side, section)
            parts.append(rows.among(np.array([period.number for period in periods]) - first))
        pushed = answers.section(section).push
        begins = self._begins[side]
        sizes = begins[places + 1] - begins[places]
        owner = np.repeat(places, sizes)
        _, numbers = spread(begins[places], begins[places] + sizes)
        end = np.array([comparison.end for comparison in chosen], np.int64)
        start = np.array([comparison.start for comparison in chosen], np.int64)
        (start, end) = (np.repeat(times, sizes) for times in (start, end))
        columns = concatenate(parts, len(pushed.runs.columns)).columns
        reported = _reported(pushed, columns, end)
        rows = DifferingRows(CodedColumns(pushed.terms, columns), start, end, reported)
        return _SectionRows(answers, section, rows, owner, numbers)

    def _pushes(self, section: int, start: Array, end: Array) -> Array:
        """Return the times in some periods of a section at which push evaluates."""
        pushed = self._sides.answers.section(section).push
        steps = np.zeros(len(pushed.times) + 1, np.int64)
        np.add.at(steps, pushed.until(start) + 1, 1)
        np.add.at(steps, pushed.until(end) + 1, -1)
        time: Array = pushed.times[np.cumsum(steps[:-1]) > 0]
        return time


def _reported(pushed: AnswerRuns, columns: Sequence[Array], until: Array) -> Array:
    """Return when push last had each of some rows, up to a time of each; -1: never."""
    numbers: Array = np.append(pushed.times, -1)[pushed.held_until(columns, pushed.until(until))]
    return numbers
