"""Why one side alone has a row: the seven causes, of which the first that applies is reported.

A pair of queries that do not stem from one (V, P, D, S) can differ for an eighth reason: one stream
is seen through windows of different kind or length. It is tried where the others would not hold.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, cached_property

from agreement.agree.periods import Compared, Side
from agreement.outputs import row_order
from agreement.traces import Outputs, Trace
from lars.analysis import reach, with_windows
from lars.formulas import BodyLiteral, Diamond, Gathered, In, Not
from lars.program import Program, Rule
from lars.terms import Atom, Signature, Term
from lars.windows import Bounds, Interval, TimeWindow, Window
from solver.facts import Chosen, Fact, Situation
from solver.job import Question, evaluate
from solver.runs import Proofs, Row


class RowCause(Enum):
    """The causes of a difference, in the order in which they are tried."""

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
    """A row that one side alone has in a period, why, and the input that supports it there."""

    side: Side
    row: Row
    cause: RowCause
    support: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Sides:
    """The two programs without their triggers, what they answer, and when push evaluated."""

    push: Program
    pull: Program
    output: Signature
    pushed: Outputs
    pulled: Outputs
    evaluated: Sequence[int]


class Explanation:
    """The causes of every difference in some periods, over one trace; each time is evaluated once."""

    def __init__(self, sides: Sides, trace: Trace, periods: Iterable[Compared]) -> None:
        self._sides = sides
        self._trace = trace
        self._periods = [period for period in periods if not period.agree]
        self._proofs = cache(self._prove)
        self._without_news = cache(self._answers_without_news)
        self._unhidden = cache(self._answers_unhidden)
        self._changed = cache(self._answers_with_windows)

    def differences(self, period: Compared) -> tuple[RowDifference, ...]:
        """Return each row that one side alone has in the period, with its cause and support."""
        return tuple(
            self._difference(side, row, period)
            for side in Side
            for row in sorted(period.only(side), key=row_order)
        )

    def _difference(self, side: Side, row: Row, period: Compared) -> RowDifference:
        program, t = self._sides.pull, period.end
        if side is Side.PUSH:
            program, t = self._sides.push, self._pushes(row, period)[-1]
        support = self._proofs(program, t).support(self._sides.output[0], row)
        return RowDifference(side, row, self._cause(side, row, period), support)

    def _cause(self, side: Side, row: Row, period: Compared) -> RowCause:
        if row in self._static[side]:
            return RowCause.STATIC_ONLY
        if side is Side.PULL:
            return self._cause_of_pull(row, period)
        pushes = self._pushes(row, period)
        pulled = self._questions["pull at the pushes"]
        if not any(row in pulled.get(t, ()) for t in pushes):
            return RowCause.MERGED_SOURCES
        if row in self._unhidden(Side.PULL, period.end):
            return RowCause.HIDDEN_BY_THE_PIVOT
        if row in self._changed(self._sides.pull, self._sides.push, period.end):
            return RowCause.DIFFERENT_WINDOWS
        if self._is_monotone or row not in self._without_news(period.end, pushes[-1]):
            return RowCause.EXPIRED_BEFORE_THE_PULL
        return RowCause.BLOCKED_LATER

    def _cause_of_pull(self, row: Row, period: Compared) -> RowCause:
        times = self._evaluations(period)
        if row not in self._questions["push at the end"].get(period.end, ()):
            return RowCause.MERGED_SOURCES
        if any(row in self._unhidden(Side.PUSH, t) for t in times):
            return RowCause.HIDDEN_BY_THE_PIVOT
        if any(row in self._changed(self._sides.push, self._sides.pull, t) for t in times):
            return RowCause.DIFFERENT_WINDOWS
        return RowCause.BLOCKER_EXPIRED if times else RowCause.SILENT_PERIOD

    def _evaluations(self, period: Compared) -> Sequence[int]:
        times = self._sides.evaluated
        return times[bisect_right(times, period.start) : bisect_right(times, period.end)]

    def _pushes(self, row: Row, period: Compared) -> list[int]:
        return [t for t in self._evaluations(period) if row in self._sides.pushed.get(t, ())]

    def _answers_unhidden(self, side: Side, t: int) -> frozenset[Row]:
        """Return a side's answers at t if its windows showed the newest input as well."""
        program = self._sides.push if side is Side.PUSH else self._sides.pull
        widened = unhidden(program)
        if widened == program:
            return frozenset()
        situation = self._around(widened, t)
        arrived = [fact for fact in situation.facts if fact.t <= t]
        return self._rows(widened, replace(situation, facts=arrived), t)

    def _answers_with_windows(self, program: Program, other: Program, t: int) -> frozenset[Row]:
        """Return a program's answers at t through the other's windows; none when they are the same."""
        changed = with_windows_of(program, other)
        return frozenset() if changed == program else self._rows(changed, self._around(changed, t), t)

    @cached_property
    def _questions(self) -> Mapping[str, Outputs]:
        """The answers of each side's sources where and when the other one answered.

        Where the two queries have windows of their own, they see what the other's windows show:
        what is left is the difference between merging sources and keeping them apart.
        """
        ends = tuple(sorted({period.end for period in self._periods}))
        pushes = tuple(sorted({t for period in self._periods for t in self._evaluations(period)}))
        push, pull, output = self._sides.push, self._sides.pull, self._sides.output
        asked = {
            "push at the end": Question(with_windows_of(push, pull), output, Chosen(ends)),
            "pull at the pushes": Question(with_windows_of(pull, push), output, Chosen(pushes)),
        }
        return dict(zip(asked, self._trace.answers(list(asked.values())), strict=True))

    @cached_property
    def _static(self) -> Mapping[Side, frozenset[Row]]:
        t = self._trace.timeline.last
        without_input = Situation(self._trace.timeline, (), self._trace.background)
        return {
            side: self._rows(program, without_input, t)
            for side, program in ((Side.PUSH, self._sides.push), (Side.PULL, self._sides.pull))
        }

    @cached_property
    def _is_monotone(self) -> bool:
        # More input can also change an aggregate, or push a row out of the first ones.
        parts = (part for rule in self._sides.pull.rules for part in rule.body)
        return not any(isinstance(part, Not | Gathered) for part in parts)

    def _answers_without_news(self, t: int, newest: int) -> frozenset[Row]:
        situation = replace(self._around(self._sides.pull, t), newest=newest)
        return self._rows(self._sides.pull, situation, t)

    def _rows(self, program: Program, situation: Situation, t: int) -> frozenset[Row]:
        question = Question(program, self._sides.output, Chosen((t,)))
        return frozenset(answer.row for answer in evaluate((question,), situation, Interval(t, t)))

    def _prove(self, program: Program, t: int) -> Proofs:
        return Proofs(program, self._around(program, t), t)

    def _around(self, program: Program, t: int) -> Situation:
        seen = reach(program)
        unlimited = seen.past is None or bool(seen.tuples)
        first = self._trace.timeline.first if unlimited else t - (seen.past or 0)
        last = self._trace.timeline.last if seen.future is None else t + seen.future
        low, high = bisect_left(self._times, first), bisect_right(self._times, last)
        return Situation(self._trace.timeline, self._facts[low:high], self._trace.background)

    @cached_property
    def _facts(self) -> list[Fact]:
        reaches = [reach(self._sides.push), reach(self._sides.pull)]
        pasts = [None if r.tuples else r.past for r in reaches]
        earliest = min(period.start for period in self._periods)
        latest = max(period.end for period in self._periods)
        ahead = max(r.future or 0 for r in reaches)
        back = None if None in pasts else max(past or 0 for past in pasts)
        first = self._trace.timeline.first if back is None else earliest - back
        return self._trace.facts(Interval(first, latest + ahead))

    @cached_property
    def _times(self) -> list[int]:
        return [fact.t for fact in self._facts]


def unhidden(program: Program) -> Program:
    """Return the program with windows that reach on from their pivot, and contain their upper end.

    ⊞^{l,0,d} becomes ⊞^{l,d-1,d}: with no input after the reference time, it shows what ⊞^{l,0,d}
    shows and all that is newer.
    """

    def change(window: Window) -> Window:
        if not isinstance(window, TimeWindow) or window.past is None or window.future:
            return window
        if window.step == 1:
            return replace(window, ends=Bounds.CLOSED) if window.ends is Bounds.HIGH_OPEN else window
        past = max(window.past - 1, 0) if window.ends is Bounds.LOW_OPEN else window.past
        return TimeWindow(past, window.step - 1, window.step)

    return with_windows(program, change)


def with_windows_of(program: Program, other: Program) -> Program:
    """Return the program with the window that the other one has on a stream, where that is one."""
    theirs = {stream: windows for stream, windows in _by_stream(other).items() if len(windows) == 1}

    def change(literal: BodyLiteral) -> BodyLiteral:
        match literal:
            case In(_, Diamond(Atom(_, (*_, stream))) as inner) if stream in theirs:
                return In(next(iter(theirs[stream])), inner)
            case _:
                return literal

    rules = (Rule(rule.head, tuple(map(change, rule.body))) for rule in program.rules)
    return Program(tuple(rules))


def _by_stream(program: Program) -> Mapping[Term, set[Window]]:
    found: dict[Term, set[Window]] = {}
    for rule in program.rules:
        for literal in rule.body:
            match literal:
                case In(window, Diamond(Atom(_, (*_, stream)))):
                    found.setdefault(stream, set()).add(window)
                case _:
                    pass
    return found
