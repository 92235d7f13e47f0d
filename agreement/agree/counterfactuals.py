"""What a program would answer if its windows, the input or its empty groups were other than they are."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from lars.analysis import reach, windows, with_windows
from lars.formulas import BodyLiteral, Diamond, Gather, In, Not
from lars.program import Program, Rule, head_atom
from lars.terms import Atom, Signature, Term
from lars.windows import Bounds, Interval, TimeWindow, Window
from solver.facts import Background, Chosen, Fact, Situation
from solver.job import Question, evaluate
from solver.runs import Proofs, Row


@dataclass(frozen=True, slots=True)
class GivenInput:
    """Facts that ascend in time, with their times, and what else a program meets."""

    timeline: Interval
    background: Background
    facts: Sequence[Fact]
    times: Sequence[int]

    def situation(self, first: int, last: int, newest: int | None) -> Situation:
        """Return what there is from the first to the last time; as if nothing had come after `newest`."""
        low, high = bisect_left(self.times, first), bisect_right(self.times, last)
        return Situation(self.timeline, self.facts[low:high], self.background, newest)

    def arrived(self, after: int, until: int) -> bool:
        """Return whether anything came in (after, until]."""
        return bisect_right(self.times, after) < bisect_right(self.times, until)


class AskedProgram:
    """A program over some input, asked at single time points; each is evaluated once."""

    def __init__(self, program: Program, output: Signature, given: GivenInput) -> None:
        self.program = program
        self._output = output
        self._given = given
        self._reach = reach(program)
        self.rows = cache(self._rows)
        # Proofs hold what windows show at their time: those of a whole trace would fill the memory.
        self._proofs_at = lru_cache(maxsize=64)(self._proofs)
        self.support = lru_cache(maxsize=2**16)(self._support)

    def _rows(self, t: int, newest: int | None = None) -> frozenset[Row]:
        """Return the answers at t; with `newest` as if nothing had arrived after it."""
        return self._answers(self._around(t, newest), t)

    def _support(self, row: Row, t: int) -> tuple[Fact, ...]:
        """Return the input atoms of one proof of the row at t."""
        return self._proofs_at(t).support(self._output[0], row)

    def _proofs(self, t: int) -> Proofs:
        return Proofs(self.program, self._around(t), t)

    @cached_property
    def without_input(self) -> frozenset[Row]:
        """The answers of static data alone."""
        nothing = Situation(self._given.timeline, (), self._given.background)
        return self._answers(nothing, self._given.timeline.last)

    def hides(self, row: Row, t: int) -> bool:
        """Return whether the row is, or is not, an answer since the windows do not show the newest input."""
        ends = [window.bounds(t, self._given.timeline).last for window in self._hiding]
        if not ends or not self._given.arrived(min(ends), t):
            return False
        return (row in self.rows(t)) is not (row in self._unhidden.rows(t, t))

    @cached_property
    def _hiding(self) -> list[TimeWindow]:
        found = (window for window in windows(self.program) if isinstance(window, TimeWindow))
        return [window for window in found if _reaching_on(window) != window]

    @cached_property
    def _unhidden(self) -> "AskedProgram":
        program = with_windows(self.program, _reaching_on)
        return AskedProgram(program, self._output, self._given)

    def _answers(self, situation: Situation, t: int) -> frozenset[Row]:
        question = Question(self.program, self._output, Chosen((t,)))
        return frozenset(answer.row for answer in evaluate((question,), situation, Interval(t, t)))

    def _around(self, t: int, newest: int | None = None) -> Situation:
        seen, timeline = self._reach, self._given.timeline
        first = timeline.first if seen.past is None or seen.tuples else t - seen.past
        last = timeline.last if seen.future is None else t + seen.future
        return self._given.situation(first, last, newest)


def _reaching_on(window: Window) -> Window:
    """Return the window that also shows what is newer than its end, up to the reference time.

    ⊞^{l,u,d} becomes ⊞^{l,d-1,d}: with no input after the reference time, it shows what ⊞^{l,u,d}
    shows and all that is newer. A window that always ends at the reference time or later stays.
    """
    if not isinstance(window, TimeWindow):
        return window
    past, ahead, ends = window.past, window.step - 1, window.open
    if window.future >= ahead and ends is not Bounds.HIGH_OPEN:
        return window
    return TimeWindow(past and past - (ends is Bounds.LOW_OPEN), max(window.future, ahead), window.step)


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


def without_empty_groups(program: Program) -> Program:
    """Return the program in which aggregates of nothing have no row (SEMANTICS T13, as CQELS)."""
    found: list[Rule] = []
    for rule in program.rules:
        head = head_atom(rule)
        gathers = [part for part in rule.body if isinstance(part, Gather)]
        some = None if head is None else Atom(f"{head.predicate}some", ())
        if some is None or (gathers and some in rule.body):
            found.append(rule)
        elif gathers and not gathers[0].keys:
            found += [Rule(some, (gathers[0].atom,)), Rule(rule.head, (*rule.body, some))]
        elif not _of_nothing(rule, some.predicate):
            found.append(rule)
    return Program(tuple(found))


def _of_nothing(rule: Rule, some: str) -> bool:
    """Whether the rule gives the row of no solution, as τ writes it inside GRAPH and EXISTS."""
    return any(
        isinstance(part, Not) and isinstance(part.inner, Atom) and part.inner.predicate == some
        for part in rule.body
    )
