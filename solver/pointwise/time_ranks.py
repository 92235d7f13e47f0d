"""Times as ranks: at one reference time a program sees only which times are the same, and which come first.

ASP counts to 2^31, and □ and ¬ ask it of each time point of a window. So what lies between two
arrivals, or between an arrival and a window's end, becomes one time point: nothing tells its own apart.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, assert_never

from lars.analysis import LiteralForm, Mode, literal_form, windows
from lars.errors import LarsError
from lars.language.formulas import (
    At,
    BodyLiteral,
    Box,
    Comparison,
    Condition,
    Diamond,
    Formula,
    In,
    Not,
    SetLiteral,
    Truth,
)
from lars.language.program import Program, Rule, formulas, head_atom, variables
from lars.language.stream import Moment
from lars.language.terms import Atom, Number, Signature, Variable, signature
from lars.language.windows import Interval, IntervalWindow, TimeWindow, TupleWindow, Window
from solver.facts import Situation, with_facts
from solver.pointwise.asp_terms import GREATEST

LONG: Final = 10_000
"""Times of a timeline that ends later are ranked, where that can be: what ASP meets is smaller then."""
_NOTHING: Final = TimeWindow(0, -1)
_OUTSIDE: Final = -1


@dataclass(frozen=True, slots=True)
class RankedProgram:
    """A program to be solved in a situation at t; `points` are the times that its times are ranks of."""

    program: Program
    situation: Situation
    t: int
    points: Sequence[int] | None = None

    def at_time(self, moment: Moment) -> Moment:
        """Return an atom of an answer with the time that its time stands for."""
        return moment if self.points is None else (self.points[moment[0]], moment[1])


def rank_program(program: Program, situation: Situation, t: int) -> RankedProgram:
    """Return the question as ASP is asked it: with ranks for times where the timeline is long.

    Raises LarsError for a timeline beyond 32 bit under a rule that computes with times, or shows them.
    """
    timeline = situation.timeline
    if timeline.last <= LONG:
        return RankedProgram(program, situation, t)
    always = frozenset(with_facts(program, situation.background))
    using = next((rule for rule in program.rules if not _only_orders(rule, always)), None)
    if using is None:
        return _ranked(program, situation, t)
    if timeline.last <= GREATEST:
        return RankedProgram(program, situation, t)
    raise LarsError(
        f"the timeline {timeline} ends after {GREATEST}, the greatest number of ASP, "
        f"and times are numbers to {using.quotation}\n"
        "accepted: a coarser unit, an origin nearer to the trace, or times that @ alone has"
    )


def _only_orders(rule: Rule, always: frozenset[Signature]) -> bool:
    """Whether a rule would not see a time moved, nor one put in or left out at which nothing arrives."""
    forms = [literal_form(part) for part in formulas(rule.body)]
    head = variables(rule.head.time) if isinstance(rule.head, At) else frozenset()
    times = head.union(form.time for form in forms if isinstance(form.time, Variable))
    arrived = times.intersection(form.time for form in forms if _meets_arrival(form, always))
    used = {name for form in forms if isinstance(form.atom, Atom) for name in variables(form.atom)}
    for part in rule.body:
        if isinstance(part, Condition | SetLiteral) and not _orders(part, arrived):
            used |= variables(part)
    return head <= arrived and times.isdisjoint(used | variables(head_atom(rule)))


def _meets_arrival(form: LiteralForm, always: frozenset[Signature]) -> bool:
    """Whether the literal binds its time to one at which an atom arrives, or is derived from one."""
    known = isinstance(form.atom, Truth) or signature(form.atom) in always
    return form.mode is Mode.AT and form.positive and not known


def _orders(part: BodyLiteral, arrived: frozenset[Variable]) -> bool:
    return isinstance(part, Comparison) and {part.left, part.right} <= arrived


def _ranked(program: Program, situation: Situation, t: int) -> RankedProgram:
    timeline = situation.timeline
    bounded = [one for one in windows(program) if not isinstance(one, TupleWindow)]
    shown = [one.bounds(t, timeline) for one in bounded]
    alone = {t, *(fact.t for fact in situation.facts), *_fixed_times(program)}
    begins = {timeline.first, *(u for one in shown if one for u in (one.first, one.last + 1))}
    points = sorted(u for u in {*begins, *alone, *(u + 1 for u in alone)} if u in timeline)

    def rank(u: int) -> int:
        return bisect_right(points, u) - 1 if u in timeline else _OUTSIDE

    def seen(window: Window) -> Window:
        match window:
            case IntervalWindow():
                ends = window.bounds(t, timeline)
                return TimeWindow(rank(t) - rank(ends.first), rank(ends.last) - rank(t)) if ends else _NOTHING
            case TupleWindow():
                return window
            case _:
                assert_never(window)

    facts = [fact._replace(t=rank(fact.t)) for fact in situation.facts if fact.t in timeline]
    newest = None if situation.newest is None else bisect_right(points, situation.newest) - 1
    moved = replace(situation, timeline=Interval(0, len(points) - 1), facts=facts, newest=newest)
    return RankedProgram(_moved(program, seen, rank), moved, rank(t), points)


def _fixed_times(program: Program) -> Iterator[int]:
    for rule in program.rules:
        times = [literal_form(part).time for part in formulas(rule.body)]
        times += [rule.head.time] if isinstance(rule.head, At) else []
        yield from (time.value for time in times if isinstance(time, Number))


def _moved(program: Program, seen: Callable[[Window], Window], rank: Callable[[int], int]) -> Program:
    def timed(time: Variable | Number) -> Variable | Number:
        return Number(rank(time.value)) if isinstance(time, Number) else time

    def formula(part: Formula) -> Formula:
        match part:
            case In(window, inner):
                return In(seen(window), formula(inner))
            case At(time, inner):
                return At(timed(time), formula(inner))
            case Not(inner) | Diamond(inner) | Box(inner):
                return replace(part, inner=formula(inner))
            case Atom() | Truth():
                return part
            case _:
                assert_never(part)

    def literal(part: BodyLiteral) -> BodyLiteral:
        return part if isinstance(part, Condition | SetLiteral) else formula(part)

    def changed(rule: Rule) -> Rule:
        head = replace(rule.head, time=timed(rule.head.time)) if isinstance(rule.head, At) else rule.head
        return replace(rule, head=head, body=tuple(map(literal, rule.body)))

    return Program(tuple(map(changed, program.rules)))
