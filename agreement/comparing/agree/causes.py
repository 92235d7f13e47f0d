"""Why one side alone has a row: of the causes the first that applies is reported.

A pair of queries that do not stem from one (V, P, D, S) can differ for one reason more: a stream is
seen through windows of different kind or length. It is tried where the others would not hold.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from agreement.comparing.agree.counterfactuals import (
    AskedProgram,
    with_any_aggregates,
    with_windows_of,
    without_empty_groups,
    without_slices,
)
from agreement.comparing.agree.periods import Side
from agreement.comparing.agree.sides import CAUSES, RowCause, SidePrograms, SideStatic
from lars.analysis import reach
from lars.language.formulas import Gather, Not, SetLiteral
from lars.language.program import Program
from lars.language.windows import Interval
from solver.columns import NULL_CODE, Array, CodedColumns, Mask
from solver.job import AnswerRuns, Question
from solver.relational import EncodedSituation


@dataclass(frozen=True, slots=True, eq=False)
class DifferingRows:
    """Rows that one side alone has in a period (start, end], one for each row and period, by period.

    `reported` is the time of push's last evaluation up to the end that has the row, -1: there is none.
    """

    coded: CodedColumns
    start: Array
    end: Array
    reported: Array

    @property
    def columns(self) -> tuple[Array, ...]:
        """The codes of the rows' terms."""
        return self.coded.columns

    def take(self, places: Array | Mask) -> "DifferingRows":
        """Return the rows at these places, or those that a mask marks."""
        ends = (ends[places] for ends in (self.start, self.end, self.reported))
        return DifferingRows(self.coded.take(places), *ends)


@dataclass(frozen=True, slots=True, eq=False)
class DifferingPeriods:
    """Periods (start, end] that disagree, when push evaluates in them, and the rows of each side."""

    start: Array
    end: Array
    pushes: Array
    rows: Mapping[Side, DifferingRows]


@dataclass(frozen=True, slots=True)
class CauseWork:
    """Finds the causes of all rows that one side alone has in periods that end in a slice."""

    programs: SidePrograms
    before: int

    @property
    def questions(self) -> Sequence[Question]:
        """What the input of a slice is for."""
        return self.programs.questions

    def __call__(self, situation: EncodedSituation, periods: DifferingPeriods) -> Mapping[Side, Array]:
        """Return the first cause that applies to each of the rows, as its place among the causes."""
        search = CauseSearch(self.programs, situation, periods)
        return {
            side: search.causes(replace(rows, coded=rows.coded.coded_by(situation.terms)), side)
            for side, rows in periods.rows.items()
        }


Applies = Callable[[DifferingRows], Mask]
"""Tells of which rows a cause is true, if none before it is."""


class CauseSearch:
    """The causes of rows that one side alone has in some periods; of all rows of a side at once.

    Of a row that push alone has they are said of its last report, at t, and of the pull at the end.
    """

    def __init__(self, sides: SidePrograms, situation: EncodedSituation, periods: DifferingPeriods) -> None:
        self._sides = sides
        self._situation = situation
        self._pushes = periods.pushes
        self._periods = periods
        self._programs: dict[tuple[Program, SideStatic], AskedProgram] = {}
        self._hidden: dict[tuple[Program, Side], AnswerRuns] = {}

    def causes(self, rows: DifferingRows, side: Side) -> Array:
        """Return the first cause that applies to each of the rows, as its place among the causes."""
        numbers = np.full(len(rows.end), -1, np.int64)
        own = self._of_push if side is Side.PUSH else self._of_pull
        for steps in (self._general(side), own()):
            for cause, applies in steps:
                still = np.flatnonzero(numbers < 0)
                if len(still):
                    numbers[still[applies(rows.take(still))]] = CAUSES.index(cause)
        return numbers

    def program_over(self, program: Program, static: SideStatic = SideStatic.BOTH) -> AskedProgram:
        """Return a program over the input of the periods, and over the static data of a side, or of both."""
        if self._sides.push_static is None:
            static = SideStatic.BOTH
        key = program, static
        if key not in self._programs:
            self._programs[key] = AskedProgram(program, self._sides.output, self._input[static])
        return self._programs[key]

    def _everywhere(self, program: Program) -> AnswerRuns:
        """Return what a program answers at all times at which a side evaluates: more times cost little."""
        return self.program_over(program).at(np.union1d(self._pushes, self._ends))

    def _general(self, side: Side) -> Iterator[tuple[RowCause, Applies]]:
        """Yield the causes that do not depend on what arrived when."""
        push, pull = self._sides.push, self._sides.pull
        without = without_empty_groups(pull)
        # Only where such rows are what tells pull's program from push's.
        if without != pull and without_empty_groups(push) == push:
            full = self.program_over(without, SideStatic.PULL).at(self._ends)
            in_push = side is Side.PUSH
            yield (
                RowCause.AGGREGATE_OF_NOTHING,
                lambda rows: full.holds_at(rows.columns, full.until(rows.end)) == in_push,
            )
        if self._sides.push_static is not None:
            yield RowCause.DIFFERENT_STATIC_DATA, self._same_in_both(side)
        # From here on both have the static data of both: in the rows that are left they differ all the same.
        own, other = (push, pull) if side is Side.PUSH else (pull, push)
        always, others = (self.program_over(program).without_input for program in (own, other))

        def is_static(rows: DifferingRows) -> Mask:
            zeros = np.zeros_like(rows.end)
            reported = ~others.holds_at(rows.columns, zeros)
            if side is Side.PULL:
                reported |= self._silent(rows)
            return always.holds_at(rows.columns, zeros) & reported

        yield RowCause.STATIC_ONLY, is_static

    def _same_in_both(self, side: Side) -> Applies:
        """Tell in which rows the sides would not differ if both had the static data of both."""
        pushes, ends = self._pushes, self._ends
        push, pull = (
            self.program_over(self._sides.push).at(pushes),
            self.program_over(self._sides.pull).at(ends),
        )

        def of_push(rows: DifferingRows) -> Mask:
            still = push.holds_at(rows.columns, push.until(rows.reported))
            same: Mask = pull.holds_at(rows.columns, pull.until(rows.end)) | ~still
            return same

        def of_pull(rows: DifferingRows) -> Mask:
            still = pull.holds_at(rows.columns, pull.until(rows.end))
            same: Mask = push.holds_within(rows.columns, rows.start, rows.end) | ~still
            return same

        return of_push if side is Side.PUSH else of_pull

    def _of_push(self) -> Iterator[tuple[RowCause, Applies]]:
        """Yield why the pull lacks a row: from push's answer at t to pull's at the end, step by step."""
        push, pull = self._sides.push, self._sides.pull
        merged = with_windows_of(pull, push)
        runs = self._everywhere(merged)
        yield (
            RowCause.MERGED_SOURCES,
            lambda rows: ~runs.holds_at(rows.columns, runs.until(rows.reported)),
        )

        def is_hidden(rows: DifferingRows) -> Mask:
            at_end = self._hides((pull, merged), Side.PULL, rows, rows.end - 1, rows.end)
            return at_end | self._hides((push, merged), Side.PUSH, rows, rows.reported - 1, rows.reported)

        yield RowCause.HIDDEN_BY_THE_PIVOT, is_hidden
        if merged != pull:
            yield (
                RowCause.DIFFERENT_WINDOWS,
                lambda rows: runs.holds_at(rows.columns, runs.until(rows.end)),
            )
        yield RowCause.EXPIRED_BEFORE_THE_PULL, lambda rows: self._is_gone(merged, rows)
        yield (
            RowCause.AGGREGATE_OF_OTHER_INPUT,
            lambda rows: self._aggregates(merged, self._ends, rows, rows.end - 1, rows.end),
        )
        yield RowCause.BLOCKED_LATER, lambda rows: np.ones(len(rows.end), np.bool_)

    def _is_gone(self, merged: Program, rows: DifferingRows) -> Mask:
        """Return which rows the pull lacks even if nothing had come after their last report."""
        # More input can also change an aggregate, or push a row out of the first ones.
        parts = (part for rule in self._sides.pull.rules for part in rule.body)
        if not any(isinstance(part, Not | SetLiteral) for part in parts):
            return np.ones(len(rows.end), np.bool_)
        pairs = np.stack((rows.end, rows.reported))
        (ends, reports), places = np.unique(pairs, axis=1, return_inverse=True)
        gone, places = np.empty(len(rows.end), np.bool_), places.reshape(-1)
        for chain in _ascending(reports.tolist()):
            without = self.program_over(merged).at(ends[chain], reports[chain])
            own = np.flatnonzero(np.isin(places, chain))
            some = rows.take(own)
            gone[own] = ~without.holds_at(some.columns, np.searchsorted(chain, places[own]))
        return gone

    def _of_pull(self) -> Iterator[tuple[RowCause, Applies]]:
        push, pull = self._sides.push, self._sides.pull
        apart = with_windows_of(push, pull)
        runs = self._everywhere(apart)
        yield (
            RowCause.MERGED_SOURCES,
            lambda rows: ~runs.holds_at(rows.columns, runs.until(rows.end)),
        )

        def is_hidden(rows: DifferingRows) -> Mask:
            at_end = self._hides((pull, apart), Side.PULL, rows, rows.end - 1, rows.end)
            return at_end | self._hides((push, apart), Side.PUSH, rows, rows.start, rows.end)

        yield RowCause.HIDDEN_BY_THE_PIVOT, is_hidden
        if apart != push:
            at_pushes = runs.among(self._pushes)
            yield (
                RowCause.DIFFERENT_WINDOWS,
                lambda rows: at_pushes.holds_within(rows.columns, rows.start, rows.end),
            )
        yield RowCause.SILENT_PERIOD, self._silent
        yield (
            RowCause.AGGREGATE_OF_OTHER_INPUT,
            lambda rows: self._aggregates(apart, self._pushes, rows, rows.start, rows.end),
        )
        yield RowCause.BLOCKER_EXPIRED, lambda rows: np.ones(len(rows.end), np.bool_)

    def _silent(self, rows: DifferingRows) -> Mask:
        """Return of which rows push never evaluated in the period."""
        before, until = (np.searchsorted(self._pushes, t, "right") for t in (rows.start, rows.end))
        mask: Mask = before == until
        return mask

    def _hides(
        self, programs: tuple[Program, ...], when: Side, rows: DifferingRows, after: Array, until: Array
    ) -> Mask:
        """Return which rows the newest input, which windows do not show, would give or take.

        That is: of one of the programs, at one of the times in (after, until] at which that side evaluates.
        """
        times = self._ends if when is Side.PULL else self._pushes
        mask = np.zeros(len(rows.end), np.bool_)
        for program in dict.fromkeys(programs):
            key = program, when
            if key not in self._hidden:
                self._hidden[key] = self.program_over(program).hidden(times)
            mask |= self._hidden[key].holds_within(rows.columns, after, until)
        return mask

    def _aggregates(
        self, program: Program, times: Array, rows: DifferingRows, after: Array, until: Array
    ) -> Mask:
        """Return which rows a program would have, were its aggregates others, at a time in (after, until]."""
        if not any(isinstance(part, Gather) for rule in program.rules for part in rule.body):
            return np.zeros(len(rows.end), np.bool_)
        free, places = with_any_aggregates(program, self._sides.output)
        columns = [
            np.full_like(column, NULL_CODE) if place in places else column
            for place, column in enumerate(rows.columns)
        ]
        mask = self.program_over(free).at(times).holds_within(columns, after, until)
        # Where others stand before a row in its order, its own aggregates need be no others.
        if (whole := without_slices(program)) != program:
            mask &= ~self.program_over(whole).at(times).holds_within(rows.columns, after, until)
        return mask

    @cached_property
    def _ends(self) -> Array:
        """The ends of the periods, when pull evaluates."""
        return np.unique(self._periods.end)

    @cached_property
    def _input(self) -> Mapping[SideStatic, EncodedSituation]:
        reaches = [reach(program) for program in (self._sides.push, self._sides.pull)]
        last = int(self._periods.end.max()) + max(r.future or 0 for r in reaches)
        past = max(r.past or 0 for r in reaches)
        whole = any(r.tuples or r.past is None for r in reaches)
        first = self._situation.timeline.first if whole else int(self._periods.start.min()) - past
        return self._sides.statics(self._situation.within(Interval(first, last)))


def _ascending(values: list[int]) -> list[Array]:
    """Return the places of the values in as few parts as can be, in each of which no value goes down.

    >>> [part.tolist() for part in _ascending([3, 5, 1, 4, 2])]
    [[4], [2, 3], [0, 1]]
    """
    ends: list[int] = []
    parts: list[list[int]] = []
    for place, value in enumerate(values):
        # The part that ends nearest below: so the ends keep ascending.
        part = bisect_right(ends, value) - 1
        if part < 0:
            ends.insert(0, value)
            parts.insert(0, [place])
        else:
            ends[part] = value
            parts[part].append(place)
    return [np.array(part, np.int64) for part in parts]
