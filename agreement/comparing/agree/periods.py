"""Decide in which periods push and pull report the same rows (LARS 2015, Section 5).

With the pull period U, push and pull agree on (iU, (i+1)U] if the union of push's reports in this period
equals pull's report at the end of the period: ⋃_{t ∈ (iU, (i+1)U]} push(t) = pull((i+1)U).
"""

from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property
from typing import Final, Generic, NamedTuple, TypeVar, overload

import numpy as np

from agreement.documents.requests import SIDES, Side
from lars.dataclass import dataclass
from lars.language.windows import LARGEST_TIME, Interval
from solver import relational
from solver.columns import Array, Mask, TermCodes, distinct
from solver.facts import Row
from solver.job import AnswerParts, AnswerRuns

_RUNS_AT_ONCE: Final = 500_000
"""The approximate number of answers in memory; more answers are read in sections of the timeline."""


@dataclass(frozen=True, eq=False)
class PeriodRows:
    """The rows of `count` consecutive periods, each row with the numbers of the periods that contain it."""

    table: relational.RunTable
    terms: TermCodes
    count: int

    @cached_property
    def sizes(self) -> Array:
        """The number of rows of each period."""
        steps = np.zeros(self.count + 1, np.int64)
        np.add.at(steps, self.table.first, 1)
        np.add.at(steps, self.table.last + 1, -1)
        return np.cumsum(steps)[:-1]

    @cached_property
    def begins(self) -> Array:
        """For each period, the index of its first row in the array `places`."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def places(self) -> Array:
        """For each row of each period, the index of the row in the table; sorted by period."""
        owners, numbers = relational.spread(self.table.first, self.table.last + 1)
        return owners[np.argsort(numbers, kind="stable")]

    def of(self, number: int) -> relational.RunTable:
        """Return the rows of one period, in the order of the table."""
        return self.table.take(self._own(number))

    def among(self, numbers: Array) -> relational.RunTable:
        """Return the rows of the periods with the given numbers, one period after the other."""
        begins = self.begins[numbers]
        _, own = relational.spread(begins, begins + self.sizes[numbers])
        return self.table.take(self.places[own])

    def _own(self, number: int) -> Array:
        begin = self.begins[number]
        return self.places[begin : begin + self.sizes[number]]

    @cached_property
    def _rows(self) -> list[Row]:
        return relational.row_texts(self.table, self.terms)

    def rows(self, number: int) -> list[Row]:
        """Return the rows of one period as texts, in the order of the table."""
        return [self._rows[place] for place in self._own(number).tolist()]


_Part = TypeVar("_Part")


class PeriodParts(NamedTuple, Generic[_Part]):
    """Data by period, such as numbers of rows, of four kinds: push, pull, only push, and only pull.

    The periods are consecutive and numbered from 0.
    """

    push: _Part
    pull: _Part
    push_only: _Part
    pull_only: _Part

    def only(self, side: Side) -> _Part:
        """Return the data about the rows that only the given side (push or pull) reports."""
        return self.push_only if side == "push" else self.pull_only


PeriodTables = PeriodParts[PeriodRows]
PeriodSizes = PeriodParts[Array]
"""The number of rows of each period: of push, of pull, of only push, and of only pull."""


def _agreeing(tables: PeriodTables) -> Mask:
    """Return a mask of the periods in which push and pull report the same rows.

    Rows that differ only in labels of blank nodes count as the same.
    """
    # If only one side has other rows, no renaming of blank nodes makes the numbers of rows equal.
    push, pull = (tables.only(side).sizes > 0 for side in SIDES)
    mask: Mask = ~(push | pull)
    for number in np.flatnonzero(push & pull).tolist():
        from agreement.comparing.matching.blank_nodes import alike

        mask[number] = alike(frozenset(tables.push.rows(number)), frozenset(tables.pull.rows(number)))
    return mask


_Section = tuple[AnswerRuns, AnswerRuns, dict[int, PeriodTables]]
"""The answers of push and pull in one section of the timeline, and their rows by pull period."""


class BothAnswers:
    """The answers of push and pull, which are read in sections of the timeline if there are very many.

    A period belongs to the section that contains its end. Sections end at `borders`; the last section ends
    with the timeline.
    """

    def __init__(self, push: AnswerParts, pull: AnswerParts, longest: int) -> None:
        self.push, self.pull, self._longest = push, pull, longest
        self._held: tuple[int, _Section] | None = None

    @cached_property
    def borders(self) -> Array:
        """The last time point of each section of the timeline, except of the last section."""
        sizes: dict[int, int] = {}
        for last, size in sorted((*self.push.parts, *self.pull.parts)):
            sizes[last] = sizes.get(last, 0) + size
        ends: list[int] = []
        held = 0
        for before, size in zip([0, *sizes], sizes.values(), strict=False):
            # A section has at least one part, even if this part alone is above the limit.
            if held and held + size > _RUNS_AT_ONCE:
                ends.append(before)
                held = 0
            held += size
        return np.array(ends, np.int64)

    def __len__(self) -> int:
        return len(self.borders) + 1

    def span(self, section: int) -> Interval:
        """Return the time points of a section; the last section ends with the timeline."""
        borders = self.borders.tolist()
        first = borders[section - 1] + 1 if section else 0
        return Interval(first, borders[section] if section < len(borders) else LARGEST_TIME)

    def section(self, number: int) -> _Section:
        """Return the answers of push and pull that the periods of a section need."""
        if self._held is None or self._held[0] != number:
            # First, so that two sections are never in memory at the same time.
            self._held = None
            terms, own = TermCodes(), self.span(number)
            # The first period of a section can begin before the section, by less than the longest period.
            span = Interval(max(own.first - self._longest, 0), own.last)
            self._held = number, (self.push.within(span, terms), self.pull.within(span, terms), {})
        return self._held[1]


@dataclass(frozen=True, eq=False)
class PeriodVerdict(Sequence["PeriodComparison"]):
    """The agreement of push and pull for one pull period, in time points, over a timeline.

    The verdict is a sequence of comparisons, one for each of the `number` whole periods from `start` on. The
    numbers of rows in each period stay in memory; the rows are read section by section. If the timeline ends
    inside a period (start, end], this period is not compared, and `unfinished` contains its start and the end
    of the timeline.
    """

    period: int
    unfinished: tuple[int, int] | None
    answers: BothAnswers = field(repr=False)
    start: int
    number: int
    _summaries: dict[int, tuple[PeriodSizes, Mask]] = field(default_factory=dict, repr=False)

    @property
    def intervals(self) -> "PeriodVerdict":
        """The comparisons of the whole periods, in order of time (the verdict itself)."""
        return self

    @property
    def agree(self) -> bool | None:
        """Whether push and pull agree on every whole period; None if the timeline has no whole period."""
        return bool(self.agreeing.all()) if len(self) else None

    @property
    def is_empty(self) -> bool:
        """Whether the timeline has whole periods, but neither push nor pull has a row in any of them."""
        return len(self) > 0 and not (self.sizes.push.any() or self.sizes.pull.any())

    def __len__(self) -> int:
        return self.number

    def __iter__(self) -> "Iterator[PeriodComparison]":
        return map(self._whole, range(len(self)))

    @overload
    def __getitem__(self, number: int) -> "PeriodComparison": ...
    @overload
    def __getitem__(self, number: slice) -> "tuple[PeriodComparison, ...]": ...
    def __getitem__(self, number: int | slice) -> "PeriodComparison | tuple[PeriodComparison, ...]":
        numbers = range(len(self))[number]
        return self._whole(numbers) if isinstance(numbers, int) else tuple(map(self._whole, numbers))

    def _whole(self, number: int) -> "PeriodComparison":
        start = self.start + number * self.period
        return PeriodComparison(start, start + self.period, number, self)

    @property
    def disagreeing(self) -> "Iterator[PeriodComparison]":
        """The periods in which push and pull disagree, in order of time."""
        return map(self._whole, np.flatnonzero(~self.agreeing).tolist())

    @cached_property
    def begins(self) -> Array:
        """The number of the first period of each section; the last item is the number of all periods."""
        # The number of periods that end up to each border: a period belongs to the section of its end.
        inside = (self.answers.borders - self.start) // self.period
        return np.concatenate(([0], np.clip(inside, 0, self.number), [self.number]))

    def sections(self, numbers: Sequence[int]) -> list[int]:
        """Return the number of the section of the timeline that contains each of the given periods."""
        found: list[int] = (np.searchsorted(self.begins, numbers, "right") - 1).tolist()
        return found

    def summarize(self, section: int) -> None:
        """Store the numbers of rows in the periods of a section, and which of these periods agree."""
        self._summary(section)

    def _summary(self, section: int) -> tuple[PeriodSizes, Mask]:
        if section not in self._summaries:
            tables = self._tables(section)
            self._summaries[section] = PeriodSizes(*(rows.sizes for rows in tables)), _agreeing(tables)
        return self._summaries[section]

    @cached_property
    def sizes(self) -> PeriodSizes:
        """The number of rows of each period: of push, of pull, of only push, and of only pull."""
        every = [self._summary(section)[0] for section in range(len(self.answers))]
        return every[0] if len(every) == 1 else PeriodSizes(*map(np.concatenate, zip(*every, strict=True)))

    @cached_property
    def agreeing(self) -> Mask:
        """A mask of the periods in which push and pull report the same rows.

        Rows that differ only in labels of blank nodes count as the same.
        """
        return np.concatenate([self._summary(section)[1] for section in range(len(self.answers))])

    def at(self, number: int) -> tuple[PeriodTables, int]:
        """Return the rows of the section with a period, and the index of the period in this section."""
        (section,) = self.sections([number])
        return self._tables(section), number - int(self.begins[section])

    def only(self, side: Side, section: int) -> tuple[PeriodRows, int]:
        """Return the rows that only one side reports in a section, and the number of the first period."""
        return self._tables(section).only(side), int(self.begins[section])

    def _tables(self, section: int) -> PeriodTables:
        push, pull, tables = self.answers.section(section)
        if self.period not in tables:
            first, end = self.begins[section : section + 2].tolist()
            start = self.start + first * self.period
            tables[self.period] = _compared((push, pull), start, self.period, end - first)
        return tables[self.period]


@dataclass(frozen=True, slots=True)
class PeriodComparison:
    """One whole period (start, end], with push's reports in it, and pull's report at its end."""

    start: int
    end: int
    number: int
    periods: PeriodVerdict

    @property
    def push(self) -> frozenset[Row]:
        """The rows that push reports in the period."""
        tables, number = self.periods.at(self.number)
        return frozenset(tables.push.rows(number))

    @property
    def pull(self) -> frozenset[Row]:
        """The rows that pull reports at the end of the period."""
        tables, number = self.periods.at(self.number)
        return frozenset(tables.pull.rows(number))

    @property
    def agree(self) -> bool:
        """Whether push and pull report the same rows in the period; labels of blank nodes may differ."""
        return bool(self.periods.agreeing[self.number])

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of push's rows, and the number of pull's rows, in the period."""
        return int(self.periods.sizes.push[self.number]), int(self.periods.sizes.pull[self.number])

    @property
    def last_push(self) -> int | None:
        """The time of push's last evaluation in the period; None if push does not evaluate in the period."""
        section = self.periods.sections([self.number])[0]
        times = self.periods.answers.section(section)[0].times
        before = int(np.searchsorted(times, self.end, "right"))
        last = int(times[before - 1]) if before else 0
        return last if last > self.start else None

    def count(self, side: Side) -> int:
        """Return the number of rows that only the given side reports in the period."""
        return int(self.periods.sizes.only(side)[self.number])

    def only(self, side: Side) -> frozenset[Row]:
        """Return the rows that only the given side reports in the period."""
        tables, number = self.periods.at(self.number)
        return frozenset(tables.only(side).rows(number))


def whole_periods(period: int, timeline: Interval) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each whole period (iU, (i+1)U] inside the timeline.

    >>> list(whole_periods(4, Interval(0, 10))), list(whole_periods(4, Interval(2, 12)))
    ([(0, 4), (4, 8)], [(4, 8), (8, 12)])
    """
    start = first_start(period, timeline)
    while start + period <= timeline.last:
        yield start, start + period
        start += period


def first_start(period: int, timeline: Interval) -> int:
    """Return the start iU of the first period (iU, (i+1)U] whose first time point is in the timeline."""
    # Time 0 is in no period: a timeline from 0 on has the same first period as one from 1 on.
    return -(-(max(timeline.first, 1) - 1) // period) * period


def verdicts(periods: Sequence[int], timeline: Interval, answers: BothAnswers) -> tuple[PeriodVerdict, ...]:
    """Return the comparison of push and pull on the whole periods of the timeline, for each pull period.

    The answers must contain pull's evaluation at the end of each period.
    """
    period_verdicts = tuple(_verdict(period, timeline, answers) for period in periods)
    # Section by section, so that each section is read only once for all lengths of periods.
    for section in range(len(answers) if len(answers) > 1 else 0):
        for verdict in period_verdicts:
            verdict.summarize(section)
    return period_verdicts


def _verdict(period: int, timeline: Interval, answers: BothAnswers) -> PeriodVerdict:
    start = first_start(period, timeline)
    count = max((timeline.last - start) // period, 0)
    reached = start + count * period
    unfinished = (reached, timeline.last) if reached < timeline.last else None
    return PeriodVerdict(period, unfinished, answers, start, count)


def _compared(sides: tuple[AnswerRuns, AnswerRuns], start: int, period: int, count: int) -> PeriodTables:
    """Return the rows of push and pull in `count` consecutive periods; the first period begins at `start`."""
    pushed, pulled = (
        rows_by_period(side, answers, start, period, count)
        for side, answers in zip(SIDES, sides, strict=True)
    )
    width = range(len(pushed.columns))
    alone = (
        relational.subtract(pushed, pulled, width, count),
        relational.subtract(pulled, pushed, width, count),
    )
    return PeriodTables(*(PeriodRows(table, sides[0].terms, count) for table in (pushed, pulled, *alone)))


def rows_by_period(
    side: Side, answers: AnswerRuns, start: int, period: int, count: int
) -> relational.RunTable:
    """Return the rows of one side with the numbers of their periods; the first period begins at `start`."""
    numbers, others = np.divmod(answers.times - start, period)
    # A period (iU, (i+1)U] includes its end, so a multiple of U belongs to the period before.
    if side == "push":
        return in_periods(answers.runs, np.where(others, numbers, numbers - 1), count)
    return in_periods(answers.runs, np.where(others, -1, numbers - 1), count)


def in_periods(run_table: relational.RunTable, numbers: Array, count: int) -> relational.RunTable:
    """Return rows with the numbers of their periods, from rows with the numbers of their evaluations.

    `numbers` contains the period of each evaluation, in ascending order. Evaluations with a number outside
    [0, count) belong to no period.
    """
    chosen = np.flatnonzero((numbers >= 0) & (numbers < count))
    first = np.searchsorted(chosen, run_table.first, "left")
    last = np.searchsorted(chosen, run_table.last, "right") - 1
    some = first <= last
    kept, own = run_table.take(some), numbers[chosen]
    table = relational.RunTable(kept.columns, own[first[some]], own[last[some]])
    evaluated = distinct(own)
    if len(evaluated) < count:
        # An interval of indexes can skip periods without an evaluation, in which no row is reported.
        alone = relational.coalesce(relational.RunTable((), evaluated, evaluated), count)
        table = relational.meet_pairs(table, alone, relational.meet(table, alone, (), count), ())
    return relational.coalesce(table, count)
