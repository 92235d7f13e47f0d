"""Why one side alone has a row: of the causes the first that applies is reported.

A pair of queries that do not stem from one (V, P, D, S) can differ for one reason more: a stream is
seen through windows of different kind or length. It is tried where the others would not hold.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from agreement.agree.counterfactuals import AskedProgram, GivenInput, with_windows_of, without_empty_groups
from agreement.agree.periods import Compared, Side
from agreement.outputs import row_order
from agreement.traces import Outputs, Trace
from lars.analysis import reach
from lars.formulas import Gathered, Not
from lars.program import Program
from lars.terms import Signature
from lars.windows import Interval
from solver.facts import Chosen, Fact
from solver.job import Question
from solver.runs import Row


class RowCause(Enum):
    """The causes of a difference, in the order in which they are tried."""

    AGGREGATE_OF_NOTHING = "aggregate of nothing"
    STATIC_ONLY = "static only"
    MERGED_SOURCES = "merged sources"
    HIDDEN_BY_THE_PIVOT = "hidden by the pivot"
    SILENT_PERIOD = "silent period"
    EXPIRED_BEFORE_THE_PULL = "expired before the pull"
    BLOCKED_LATER = "blocked later"
    BLOCKER_EXPIRED = "blocker expired"
    DIFFERENT_WINDOWS = "different windows"


@dataclass(frozen=True, slots=True)
class RowDifference:
    """A row that one side alone has in a period, why, and when push last reported it, if ever."""

    side: Side
    row: Row
    cause: RowCause
    pushed: int | None


@dataclass(frozen=True)
class Sides:
    """The two programs without their triggers, what they answer, and when push evaluated."""

    push: Program
    pull: Program
    output: Signature
    pushed: Outputs
    pulled: Outputs
    evaluated: Sequence[int]

    def last_report(self, row: Row, until: int) -> int | None:
        """Return the last time, up to one, at which push reported the row."""
        times = self._reports.get(row, ())
        place = bisect_right(times, until)
        return times[place - 1] if place else None

    @cached_property
    def _reports(self) -> Mapping[Row, list[int]]:
        found: dict[Row, list[int]] = {}
        for t in sorted(self.pushed):
            for row in self.pushed[t]:
                found.setdefault(row, []).append(t)
        return found


class Explanation:
    """The causes of every difference in some periods, over one trace; each time is evaluated once.

    Of a row that push alone has they are said of its last report, at t, and of the pull at the end.
    """

    def __init__(self, sides: Sides, trace: Trace, periods: Iterable[Compared]) -> None:
        self._sides = sides
        self._trace = trace
        self._periods = [period for period in periods if not period.agree]

    @cached_property
    def _push(self) -> AskedProgram:
        return self._asked(self._sides.push)

    @cached_property
    def _pull(self) -> AskedProgram:
        return self._asked(self._sides.pull)

    @cached_property
    def _push_through_pull(self) -> AskedProgram:
        """Push's program with pull's windows, itself where they are alike."""
        changed = with_windows_of(self._sides.push, self._sides.pull)
        return self._push if changed == self._sides.push else self._asked(changed)

    @cached_property
    def _pull_through_push(self) -> AskedProgram:
        changed = with_windows_of(self._sides.pull, self._sides.push)
        return self._pull if changed == self._sides.pull else self._asked(changed)

    def _asked(self, program: Program) -> AskedProgram:
        return AskedProgram(program, self._sides.output, self._input)

    def differences(self, period: Compared) -> Iterator[RowDifference]:
        """Yield each row that one side alone has in the period, with its cause."""
        for side in Side:
            cause = self._cause_of_push if side is Side.PUSH else self._cause_of_pull
            for row in sorted(period.only(side), key=row_order):
                pushed = self._sides.last_report(row, period.end)
                found = self._general(side, row, period) or cause(row, period)
                yield RowDifference(side, row, found, pushed)

    def support(self, found: RowDifference, period: Compared) -> tuple[Fact, ...]:
        """Return the input atoms of one proof of the row, where the side that has it last gave it."""
        pushed = found.side is Side.PUSH and found.pushed is not None
        side, t = (self._push, found.pushed) if pushed else (self._pull, period.end)
        return side.support(found.row, t)

    def _general(self, side: Side, row: Row, period: Compared) -> RowCause | None:
        """Return the cause where it does not depend on what arrived when."""
        without = self._without_empty_groups
        if without is not None and (row in without.rows(period.end)) is (side is Side.PUSH):
            return RowCause.AGGREGATE_OF_NOTHING
        one, other = (self._push, self._pull) if side is Side.PUSH else (self._pull, self._push)
        silent = side is Side.PULL and not self._evaluations(period)
        if row in one.without_input and (silent or row not in other.without_input):
            return RowCause.STATIC_ONLY
        return None

    def _cause_of_push(self, row: Row, period: Compared) -> RowCause:
        """Return why the pull lacks a row: from push's answer at t to pull's at the end, step by step."""
        t, end, pull, merged = self._reported(row, period), period.end, self._pull, self._pull_through_push
        if row not in self._questions[merged].get(t, ()):
            return RowCause.MERGED_SOURCES
        asked = ((pull, end), (merged, end), (self._push, t), (merged, t))
        if any(program.hides(row, at) for program, at in asked):
            return RowCause.HIDDEN_BY_THE_PIVOT
        if merged is not pull and row in merged.rows(end):
            return RowCause.DIFFERENT_WINDOWS
        if self._is_monotone or row not in merged.rows(end, t):
            return RowCause.EXPIRED_BEFORE_THE_PULL
        return RowCause.BLOCKED_LATER

    def _cause_of_pull(self, row: Row, period: Compared) -> RowCause:
        times, end, push, apart = self._evaluations(period), period.end, self._push, self._push_through_pull
        if row not in self._questions[apart].get(end, ()):
            return RowCause.MERGED_SOURCES
        asked = ((self._pull, end), (apart, end), *((one, t) for t in times for one in (push, apart)))
        if any(program.hides(row, at) for program, at in asked):
            return RowCause.HIDDEN_BY_THE_PIVOT
        if apart is not push and any(row in apart.rows(t) for t in times):
            return RowCause.DIFFERENT_WINDOWS
        return RowCause.BLOCKER_EXPIRED if times else RowCause.SILENT_PERIOD

    def _reported(self, row: Row, period: Compared) -> int:
        found = self._sides.last_report(row, period.end)
        assert found is not None, "push alone has what it has reported"
        return found

    def _evaluations(self, period: Compared) -> Sequence[int]:
        times = self._sides.evaluated
        return times[bisect_right(times, period.start) : bisect_right(times, period.end)]

    @cached_property
    def _questions(self) -> Mapping[AskedProgram, Outputs]:
        """The answers of each side's sources where and when the other one answered.

        Where the two queries have windows of their own, they see what the other's windows show:
        what is left is the difference between merging sources and keeping them apart.
        """
        ends = tuple(sorted({period.end for period in self._periods}))
        pushes = tuple(sorted({t for period in self._periods for t in self._evaluations(period)}))
        asked = {self._push_through_pull: Chosen(ends), self._pull_through_push: Chosen(pushes)}
        questions = [Question(one.program, self._sides.output, times) for one, times in asked.items()]
        return dict(zip(asked, self._trace.answers(questions), strict=True))

    @cached_property
    def _is_monotone(self) -> bool:
        # More input can also change an aggregate, or push a row out of the first ones.
        parts = (part for rule in self._sides.pull.rules for part in rule.body)
        return not any(isinstance(part, Not | Gathered) for part in parts)

    @cached_property
    def _without_empty_groups(self) -> AskedProgram | None:
        """Pull's program without rows for no solution, if such rows are what tells it from push's."""
        push, pull = self._sides.push, self._sides.pull
        without = without_empty_groups(pull)
        if without == pull or without_empty_groups(push) != push:
            return None
        return self._asked(without)

    @cached_property
    def _input(self) -> GivenInput:
        reaches = [reach(self._sides.push), reach(self._sides.pull)]
        pasts = [None if r.tuples else r.past for r in reaches]
        earliest = min(period.start for period in self._periods)
        latest = max(period.end for period in self._periods)
        ahead = max(r.future or 0 for r in reaches)
        back = None if None in pasts else max(past or 0 for past in pasts)
        timeline = self._trace.timeline
        facts = self._trace.facts(
            Interval(timeline.first if back is None else earliest - back, latest + ahead)
        )
        return GivenInput(timeline, self._trace.background, facts, [fact.t for fact in facts])
