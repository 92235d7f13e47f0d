"""Agreement of push and pull per period (LARS 2015, Section 5).

With the pulling period U the engines agree on (iU, (i+1)U] when what push reported at any time
in it, in total, is what pull reports at its end: ⋃_{t ∈ (iU, (i+1)U]} push(t) = pull((i+1)U).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import overload

import numpy as np

from lars.language.windows import Interval
from solver.columns import Array, Mask, TermCodes, distinct
from solver.facts import Row
from solver.job import AnswerRuns
from solver.relational import RunTable, coalesce, meet, meet_pairs, row_texts, spread, subtract


class Side(Enum):
    """Which engine has a row that the other lacks."""

    PUSH = "push"
    PULL = "pull"


@dataclass(frozen=True, eq=False)
class PeriodRows:
    """Rows, each with runs of the numbers of whole periods, of which there are `count`."""

    table: RunTable
    terms: TermCodes
    count: int

    @cached_property
    def sizes(self) -> Array:
        """How many rows each period has."""
        steps = np.zeros(self.count + 1, np.int64)
        np.add.at(steps, self.table.first, 1)
        np.add.at(steps, self.table.last + 1, -1)
        return np.cumsum(steps)[:-1]

    @cached_property
    def begins(self) -> Array:
        """Where the rows of each period begin among `places`."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def places(self) -> Array:
        """The places in the table of the rows of the first period, then of the second .."""
        owners, numbers = spread(self.table.first, self.table.last + 1)
        return owners[np.argsort(numbers, kind="stable")]

    def of(self, number: int) -> RunTable:
        """Return the rows of a period, in the order of the table."""
        return self.table.take(self._own(number))

    def among(self, numbers: Array) -> RunTable:
        """Return the rows of some periods, those of each together."""
        begins = self.begins[numbers]
        _, own = spread(begins, begins + self.sizes[numbers])
        return self.table.take(self.places[own])

    def _own(self, number: int) -> Array:
        begin = self.begins[number]
        return self.places[begin : begin + self.sizes[number]]

    @cached_property
    def _rows(self) -> list[Row]:
        return row_texts(self.table, self.terms)

    def rows(self, number: int) -> list[Row]:
        """Return the rows of a period as texts, in the same order."""
        return [self._rows[place] for place in self._own(number).tolist()]


@dataclass(frozen=True, eq=False)
class PeriodTables:
    """What push reported in whole periods, what pull reports at their ends, and what one alone has."""

    push: PeriodRows
    pull: PeriodRows
    push_only: PeriodRows
    pull_only: PeriodRows

    def only(self, side: Side) -> PeriodRows:
        """Return the rows that one side alone has."""
        return self.push_only if side is Side.PUSH else self.pull_only

    @cached_property
    def agreeing(self) -> Mask:
        """In which periods both sides have the same rows, blank nodes up to isomorphism."""
        push, pull = (self.only(side).sizes > 0 for side in Side)
        found: Mask = ~(push | pull)
        for number in np.flatnonzero(push & pull).tolist():
            from agreement.comparing.matching.blank_nodes import alike

            found[number] = alike(frozenset(self.push.rows(number)), frozenset(self.pull.rows(number)))
        return found


@dataclass(frozen=True, slots=True)
class PeriodComparison:
    """One whole period (start, end]: push's total output in it, pull's output at its end."""

    start: int
    end: int
    number: int
    tables: PeriodTables

    @property
    def push(self) -> frozenset[Row]:
        """What push reported in the period."""
        return frozenset(self.tables.push.rows(self.number))

    @property
    def pull(self) -> frozenset[Row]:
        """What pull reports at its end."""
        return frozenset(self.tables.pull.rows(self.number))

    @property
    def agree(self) -> bool:
        """Whether both sides have the same rows, blank nodes up to isomorphism."""
        return bool(self.tables.agreeing[self.number])

    @property
    def sizes(self) -> tuple[int, int]:
        """How many rows push reported, and how many pull reports."""
        push, pull = self.tables.push, self.tables.pull
        return int(push.sizes[self.number]), int(pull.sizes[self.number])

    def count(self, side: Side) -> int:
        """Return how many rows this side alone has."""
        return int(self.tables.only(side).sizes[self.number])

    def only(self, side: Side) -> frozenset[Row]:
        """Return the rows that this side alone has."""
        return frozenset(self.tables.only(side).rows(self.number))


@dataclass(frozen=True, eq=False)
class WholePeriods(Sequence[PeriodComparison]):
    """The whole periods inside a timeline, from `start` on: many, so each is made when it is asked for."""

    start: int
    period: int
    tables: PeriodTables

    def __len__(self) -> int:
        return self.tables.push.count

    def __iter__(self) -> Iterator[PeriodComparison]:
        return map(self._at, range(len(self)))

    @overload
    def __getitem__(self, number: int) -> PeriodComparison: ...
    @overload
    def __getitem__(self, number: slice) -> "tuple[PeriodComparison, ...]": ...
    def __getitem__(self, number: int | slice) -> "PeriodComparison | tuple[PeriodComparison, ...]":
        numbers = range(len(self))[number]
        return self._at(numbers) if isinstance(numbers, int) else tuple(map(self._at, numbers))

    def _at(self, number: int) -> PeriodComparison:
        start = self.start + number * self.period
        return PeriodComparison(start, start + self.period, number, self.tables)

    @property
    def disagreeing(self) -> Iterator[PeriodComparison]:
        """The periods that disagree, in their order."""
        return map(self._at, np.flatnonzero(~self.tables.agreeing).tolist())


@dataclass(frozen=True, slots=True)
class PeriodVerdict:
    """Agreement for one pulling period, in time points, over a timeline.

    `unfinished` is the (start, end] of a last period that the timeline cuts off; it isn't compared.
    """

    period: int
    intervals: WholePeriods
    unfinished: tuple[int, int] | None

    @property
    def agree(self) -> bool | None:
        """Whether the engines agree on every whole period; None when there is none to compare."""
        return bool(self.intervals.tables.agreeing.all()) if self.intervals else None


def whole_periods(period: int, timeline: Interval) -> Iterator[tuple[int, int]]:
    """Yield (iU, (i+1)U] for the periods that lie inside the timeline.

    >>> list(whole_periods(4, Interval(0, 10))), list(whole_periods(4, Interval(2, 12)))
    ([(0, 4), (4, 8)], [(4, 8), (8, 12)])
    """
    start = first_start(period, timeline)
    while start + period <= timeline.last:
        yield start, start + period
        start += period


def first_start(period: int, timeline: Interval) -> int:
    """Return the first iU whose period begins inside the timeline."""
    return -(-(max(timeline.first, 1) - 1) // period) * period


def verdict(period: int, timeline: Interval, push: AnswerRuns, pull: AnswerRuns) -> PeriodVerdict:
    """Compare push and pull on every whole period of the timeline, at whose ends pull was evaluated."""
    start = first_start(period, timeline)
    count = max((timeline.last - start) // period, 0)
    pushed = _in_periods(push.runs, -(-(push.times - start) // period) - 1, count)
    ends, others = np.divmod(pull.times - start, period)
    pulled = _in_periods(pull.runs, np.where(others, -1, ends - 1), count)
    width = range(len(pushed.columns))
    tables = PeriodTables(
        *(
            PeriodRows(table, push.terms, count)
            for table in (
                pushed,
                pulled,
                subtract(pushed, pulled, width, count),
                subtract(pulled, pushed, width, count),
            )
        )
    )
    reached = start + count * period
    unfinished = (reached, timeline.last) if reached < timeline.last else None
    return PeriodVerdict(period, WholePeriods(start, period, tables), unfinished)


def _in_periods(found: RunTable, numbers: Array, count: int) -> RunTable:
    """Return rows with the numbers of the periods that have them; each evaluation is in one, or in none.

    A number outside [0, count) is none; the others ascend.
    """
    chosen = np.flatnonzero((numbers >= 0) & (numbers < count))
    first = np.searchsorted(chosen, found.first, "left")
    last = np.searchsorted(chosen, found.last, "right") - 1
    some = first <= last
    kept, own = found.take(some), numbers[chosen]
    table = RunTable(kept.columns, own[first[some]], own[last[some]])
    evaluated = distinct(own)
    if len(evaluated) < count:
        # Where push never evaluated it has reported nothing, though a run goes on.
        alone = coalesce(RunTable((), evaluated, evaluated), count)
        table = meet_pairs(table, alone, meet(table, alone, (), count), ())
    return coalesce(table, count)
