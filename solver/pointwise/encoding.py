"""The ASP text of a LARS program at one reference time: names, windows and rules.

ASP has numbers up to 2^31, and the ASP rules of □ and ¬ list each time point of a window. In long timelines,
ranks therefore replace the times. At one reference time, the answers depend only on equality and order of
times. All time points between two consecutive arrivals or window ends are indistinguishable. In the ASP
program, one time point replaces all time points that cannot be distinguished.

Derived atoms hold at `now`. Input atoms, and derived atoms that a window reads, have their time as last
argument. `window(w,A,B)` is the interval of the w-th window at `now`. Each LARS rule is a comment above its
ASP rule. The facts are `now(t)`, `timeline(Tmin, Tmax)`, the input, the background, and the content of the
windows.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from typing import Final, assert_never

import clingo

from lars import analysis
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language import formulas as logic
from lars.language.program import Program, Rule, formulas, head_atom, rebuild, set_literals, variables
from lars.language.terms import Atom, Number, Signature, Variable, signature
from lars.language.windows import (
    FixedWindow,
    Interval,
    IntervalWindow,
    LastWindow,
    SlidingWindow,
    TimeWindow,
    TupleWindow,
    Window,
)
from solver.facts import Fact, Situation, variables_in_order, with_facts
from solver.pointwise import asp_terms

LONG: Final = 10_000
"""The last time up to which a timeline keeps its times; in longer timelines, smaller ranks replace them."""
_NOTHING: Final = TimeWindow(0, -1)
"""A window that is empty at each time."""
_OUTSIDE: Final = -1
"""The rank of all times outside the timeline, whose ranks begin with 0."""


RankedProgram = tuple[Program, Situation, int, Sequence[int] | None]
"""A program, its input, the reference time, and the time points whose ranks replace the times, if any."""


def rank_program(program: Program, situation: Situation, t: int) -> RankedProgram:
    """Return the program and its input for clingo, with ranks in place of times if the timeline is long.

    Raises:
        LarsError: The timeline ends after 2^30, and some rule computes with times or outputs times.
    """
    timeline = situation.timeline
    if timeline.last <= LONG:
        return program, situation, t, None
    always = frozenset(with_facts(program, situation.background))
    if (using := _rule_with_times(program, always)) is None:
        return _ranked(program, situation, t)
    if timeline.last <= asp_terms.GREATEST:
        return program, situation, t, None
    raise LarsError(
        f"the timeline {timeline} ends after {asp_terms.GREATEST}, the greatest number of clingo, "
        f"and this rule uses times as numbers: {using.quotation}\n"
        "use a coarser unit, an origin nearer to the trace, or times only after @"
    )


@lru_cache(maxsize=64)
def _rule_with_times(program: Program, always: frozenset[Signature]) -> Rule | None:
    """Return a rule whose atoms depend on more than the order of times; None if no rule is such."""
    return next((rule for rule in program.rules if not _only_orders(rule, always)), None)


def _only_orders(rule: Rule, always: frozenset[Signature]) -> bool:
    """Return whether the atoms that a rule derives depend only on the order of times.

    For such a rule, time points without atoms can be added or removed without an effect.
    """
    forms = [analysis.literal_form(part) for part in formulas(rule.body)]
    head = variables(rule.head.time) if isinstance(rule.head, logic.At) else frozenset()
    times = head.union(form.time for form in forms if isinstance(form.time, Variable))
    arrived = times.intersection(form.time for form in forms if _meets_arrival(form, always))
    used = {name for form in forms if isinstance(form.atom, Atom) for name in variables(form.atom)}
    for part in rule.body:
        if isinstance(part, logic.Condition | logic.SetLiteral) and not _orders(part, arrived):
            used |= variables(part)
    return head <= arrived and times.isdisjoint(used | variables(head_atom(rule)))


def _meets_arrival(form: analysis.LiteralForm, always: frozenset[Signature]) -> bool:
    """Return whether a literal @_T a binds T only to times of input or derived atoms."""
    known = isinstance(form.atom, logic.Truth) or signature(form.atom) in always
    return form.mode == "@" and form.positive and not known


def _orders(part: logic.BodyLiteral, arrived: frozenset[Variable]) -> bool:
    return isinstance(part, logic.Comparison) and {part.left, part.right} <= arrived


def _ranked(program: Program, situation: Situation, t: int) -> RankedProgram:
    timeline = situation.timeline
    # A tuple window depends only on the order of arrivals, which ranks keep.
    bounded = [window for window in analysis.windows(program) if not isinstance(window, TupleWindow)]
    intervals = [window.bounds(t, timeline) for window in bounded]
    alone = {t, *(fact.t for fact in situation.facts), *_fixed_times(program)}
    begins = {
        timeline.first,
        *(u for interval in intervals if interval for u in (interval.first, interval.last + 1)),
    }
    # A time with atoms is a point of its own, so the next time begins a new point.
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

    ranks = {u: rank(u) for u in {fact.t for fact in situation.facts} if u in timeline}
    facts = [
        Fact(ranks[u], predicate, arguments) for u, predicate, arguments in situation.facts if u in ranks
    ]
    newest = None if situation.newest is None else bisect_right(points, situation.newest) - 1
    moved = replace(situation, timeline=Interval(0, len(points) - 1), facts=facts, newest=newest)
    return _with_ranks(program, seen, rank), moved, rank(t), points


def _fixed_times(program: Program) -> Iterator[int]:
    for rule in program.rules:
        times = [analysis.literal_form(part).time for part in formulas(rule.body)]
        times += [rule.head.time] if isinstance(rule.head, logic.At) else []
        yield from (time.value for time in times if isinstance(time, Number))


def _with_ranks(program: Program, seen: Callable[[Window], Window], rank: Callable[[int], int]) -> Program:
    def timed(time: Variable | Number) -> Variable | Number:
        return Number(rank(time.value)) if isinstance(time, Number) else time

    def ranked(part: logic.Formula) -> logic.Formula:
        match part:
            case logic.In(window, inner):
                return logic.In(seen(window), inner)
            case logic.At(time, inner):
                return logic.At(timed(time), inner)
            case _:
                return part

    def literal(part: logic.BodyLiteral) -> logic.BodyLiteral:
        return part if isinstance(part, logic.Condition | logic.SetLiteral) else rebuild(part, ranked)

    def changed(rule: Rule) -> Rule:
        head = (
            replace(rule.head, time=timed(rule.head.time)) if isinstance(rule.head, logic.At) else rule.head
        )
        return replace(rule, head=head, body=tuple(map(literal, rule.body)))

    return Program(tuple(map(changed, program.rules)))


Symbols = tuple[clingo.Symbol, ...]
Instances = Mapping[logic.SetLiteral, frozenset[Symbols]]
"""Maps literals to the instances that their atoms must have at one reference time."""
HostedCondition = logic.Test | logic.Assign
Place = tuple[HostedCondition, Signature | None]
"""A condition, and the predicate in whose rules the condition occurs.

Each predicate has its own table of values. A table for two predicates would join their layers.
"""


def condition_arguments(condition: HostedCondition) -> tuple[Variable, ...]:
    """Return the variables on which the value of a condition depends, in lexicographic order."""
    return tuple(sorted(variables(condition.expression)))


def columns(literal: HostedCondition | logic.SetLiteral) -> tuple[Variable, ...]:
    """Return the variables in the predicate whose atoms Python computes for a literal, in argument order."""
    match literal:
        case logic.Test():
            return condition_arguments(literal)
        case logic.Assign(variable):
            return (*condition_arguments(literal), variable)
        case logic.Gather(variable, _, _, keys):
            return (*keys, variable)
        case logic.Among(atom):
            return variables_in_order(atom)


def hosted_signature(literal: HostedCondition | logic.SetLiteral, number: int) -> Signature:
    """Return the name and arity of the ASP predicate whose atoms Python computes for a literal."""
    kind = (
        "test"
        if isinstance(literal, logic.Test)
        else "value"
        if isinstance(literal, logic.Assign)
        else "gathered"
    )
    return f"{kind}'{number}", len(columns(literal))


def collected_signature(literal: logic.SetLiteral, number: int) -> tuple[str, int]:
    """Return the name and arity of the ASP predicate for the collected instances of a literal's atom."""
    return f"collected'{number}", len(variables_in_order(literal.atom)) + 1


def table(condition: HostedCondition, number: int, arguments: Sequence[str], domain: str) -> Iterator[str]:
    """Yield the ASP rules that let Python compute a SPARQL condition for all its arguments.

    The ASP literals in `domain` bind the arguments of the condition.
    """
    question = asp_terms.call(f"ask'{number}", arguments)
    yield f"{question} :- {domain}." if domain else f"{question}."
    terms, (name, _) = ",".join((str(number), *arguments)), hosted_signature(condition, number)
    if isinstance(condition, logic.Test):
        yield f"{asp_terms.call(name, arguments)} :- {question}; @test({terms}) = 1."
    else:
        yield f"{asp_terms.call(name, [*arguments, 'Y'])} :- {question}; Y = @value({terms})."


def gathering(literal: logic.SetLiteral, number: int, instance: str, terms: Sequence[str]) -> Iterator[str]:
    """Yield the ASP rules by which Python evaluates an aggregate or order over all instances of its atom.

    Args:
        literal: The literal.
        number: The number of the literal.
        instance: The ASP body that binds `terms`.
        terms: The texts of the variables of the literal's atom.
    """
    collected, noted = f"collected'{number}", f"noted'{number}"
    yield f"{asp_terms.call(collected, [str(number), *terms])} :- {instance}."
    # The number is a variable here: with a constant, gringo could call Python before it derives the atom.
    names = ["N", *(f"X{i}" for i in range(len(terms)))]
    collecting = asp_terms.call("@collect", names)
    yield f"{asp_terms.call(noted, names)} :- {asp_terms.call(collected, names)}; {collecting} = 1."
    yield f"some'{number} :- {asp_terms.call(noted, names)}."
    # An aggregate over no instance has a value too, so both cases lead to `finished`.
    yield f"finished'{number}({number}) :- some'{number}."
    yield f"finished'{number}({number}) :- not some'{number}."
    names = [f"X{i}" for i in range(len(columns(literal)))]
    # The number comes last, since (X) would be X and not a tuple of one term.
    text = f"({','.join((*names, 'N'))}{'' if names else ','}) = @gathered(N)"
    yield f"{asp_terms.call(hosted_signature(literal, number)[0], names)} :- finished'{number}(N); {text}."


def required_rules(literal: logic.SetLiteral, number: int, instances: Iterable[Symbols]) -> Iterator[str]:
    """Yield ASP constraints: the instances of the literal's atom must be exactly `instances`."""
    name, arity = collected_signature(literal, number)
    text, names = f"required'{number}", ["N", *(f"X{i}" for i in range(arity - 1))]
    for instance in instances:
        yield f"{asp_terms.call(text, [str(number), *map(str, instance)])}."
    yield f":- {asp_terms.call(text, names)}; not {asp_terms.call(name, names)}."
    yield f":- {asp_terms.call(name, names)}; not {asp_terms.call(text, names)}."


def input_rule(number: int, name: str, arity: int) -> str:
    """Return the ASP rule that requests a predicate's facts from Python."""
    names = [f"X{i}" for i in range(arity)]
    # In ASP, (X) is X, and (X,) is a tuple of one term.
    row = f"({','.join(names)}{',' * (len(names) == 1)})"
    return f"{asp_terms.call(name, names)} :- {row} = @rows({number}).\n"


@dataclass(frozen=True)
class AspNames:
    """The names of a program's predicates and literals in its ASP text.

    - `background` are the predicates of the background, without the facts of the program itself.
    - `numbered` is the greatest number of a condition in another program of the same ASP text, or 0.
    """

    program: Program
    background: frozenset[Signature] = frozenset()
    numbered: int = field(default=0, kw_only=True)

    @cached_property
    def derived(self) -> frozenset[Signature]:
        """The predicates that rules of the program derive."""
        return analysis.intensional(self.program)

    @cached_property
    def background_predicates(self) -> frozenset[Signature]:
        """The predicates that may have background atoms, which hold at all times."""
        return self.background.union(map(signature, self.program.facts))

    @cached_property
    def timed(self) -> frozenset[Signature]:
        """The predicates with a time argument, since a literal or head may refer to another time than now."""
        looked_at = {
            signature(form.atom)
            for form in self.literals
            if isinstance(form.atom, Atom) and (form.mode != "" or form.window is not None)
        }
        elsewhere = {
            signature(atom)
            for rule in self.program.rules
            if isinstance(rule.head, logic.At) and (atom := head_atom(rule)) is not None
        }
        return frozenset(looked_at | elsewhere)

    @cached_property
    def literals(self) -> tuple[analysis.LiteralForm, ...]:
        """The forms of all formulas in rule bodies, and of the atoms in aggregates and orders."""
        bodies = [rule.body for rule in self.program.rules]
        gathered = (analysis.LiteralForm(part.atom) for body in bodies for part in set_literals(body))
        return (*(analysis.literal_form(part) for body in bodies for part in formulas(body)), *gathered)

    @cached_property
    def windows(self) -> dict[Window, int]:
        """The windows of the program, numbered in the order of their texts."""
        return {
            window: i for i, window in enumerate(sorted(analysis.windows(self.program), key=str), start=1)
        }

    @cached_property
    def conditions(self) -> dict[Place, int]:
        """Maps each SPARQL condition, with the predicate of its rule, to its number in program order."""
        all_conditions = (
            (literal, rule.predicate)
            for rule in self.program.rules
            for literal in rule.body
            if isinstance(literal, logic.Test | logic.Assign)
        )
        return {where: i for i, where in enumerate(dict.fromkeys(all_conditions), start=self.numbered + 1)}

    @property
    def hosted(self) -> dict[int, HostedCondition]:
        """The SPARQL conditions that Python evaluates for clingo, each with its number in the program."""
        return {number: condition for (condition, _), number in self.conditions.items()}

    @cached_property
    def set_literals(self) -> dict[logic.SetLiteral, int]:
        """Maps each aggregate and order of the program to its number, counted from 1 in program order.

        Raises:
            LarsError: The atom of an aggregate or order depends on the head of its own rule.
        """
        analysis.gathered_strata(self.program)
        all_literals = (literal for rule in self.program.rules for literal in set_literals(rule.body))
        return {literal: i for i, literal in enumerate(dict.fromkeys(all_literals), start=1)}

    @cached_property
    def answers(self) -> dict[Signature, HostedCondition | logic.SetLiteral]:
        """Maps each predicate whose atoms Python computes to its condition, aggregate or order."""
        conditions = {hosted_signature(part, number): part for number, part in self.hosted.items()}
        return conditions | {
            hosted_signature(part, number): part for part, number in self.set_literals.items()
        }

    def name(self, predicate: Signature, *, timed: bool) -> str:
        """Return the ASP name of a predicate, with or without a time as its last argument."""
        base, arity = predicate
        name = asp_terms.predicate_name(base)
        # A timed p/1 has two arguments in ASP, so it needs another name if the program also has p/2.
        return f"{name}'at" if timed and (base, arity + 1) in self.predicates else name

    @cached_property
    def predicates(self) -> frozenset[Signature]:
        """The predicates in heads and bodies of the program."""
        return self.program.predicates

    def input_signature(self, predicate: Signature) -> Signature | None:
        """Return the ASP name and arity of input atoms of a predicate; None if no input can have it."""
        if predicate in self.derived:
            return None
        return self._own(predicate, (self.name(predicate, timed=True), predicate[1] + 1))

    def background_signature(self, predicate: Signature) -> Signature | None:
        """Return the ASP name and arity of a predicate's background atoms; None if other atoms have it."""
        return self._own(predicate, (self.always_name(predicate), predicate[1]))

    def _own(self, predicate: Signature, name: Signature) -> Signature | None:
        return name if predicate in self.predicates or name not in self._used_names else None

    @cached_property
    def _used_names(self) -> frozenset[Signature]:
        names = (
            (self.name(predicate, timed=timed), predicate[1] + timed)
            for predicate in self.predicates
            for timed in (False, True)
        )
        return frozenset(names)

    def now(self, time: str) -> str:
        """Return the ASP atom that is true if `time` is the reference time."""
        return f"now({time})"

    def at_now(self, predicate: Signature, arguments: list[str]) -> str:
        """Return the ASP atom of a predicate with the given arguments at the reference time."""
        return asp_terms.call(self.name(predicate, timed=False), arguments)

    def held_name(self, predicate: Signature, window: Window | None) -> str:
        """Return the name of the ASP predicate of atoms in a window at a time, or in the background."""
        return f"held{self.windows.get(window, 0) if window else 0}'{self.name(predicate, timed=False)}"

    def shown_name(self, predicate: Signature, window: Window) -> str:
        """Return the name of the ASP predicate of atoms that are in a window now, or in the background."""
        return f"shown{self.windows[window]}'{self.name(predicate, timed=False)}"

    def always_name(self, predicate: Signature) -> str:
        """Return the name of the ASP predicate for the background atoms of a predicate."""
        name = self.name(predicate, timed=False)
        return f"always'{name}" if predicate in self.timed | self.derived else name

    def at(self, predicate: Signature, arguments: list[str], window: Window | None, time: str) -> str:
        """Return the ASP atom that is true at a time if the atom is in the window or in the background."""
        if predicate in self.background_predicates:
            return asp_terms.call(self.held_name(predicate, window), [*arguments, time])
        return self._kept_call(predicate, arguments, window, time)

    def _kept_call(self, predicate: Signature, arguments: list[str], window: Window | None, time: str) -> str:
        if isinstance(window, TupleWindow) and predicate not in self.derived:
            atom = asp_terms.call(asp_terms.predicate_name(predicate[0]), arguments)
            return f"kept({self.windows[window]},{atom},{time})"
        return asp_terms.call(self.name(predicate, timed=True), [*arguments, time])


def window_rules(window: Window, number: int) -> Iterator[str]:
    """Yield the ASP rules that define the first and last time point of a window, one rule per line."""
    match window:
        case TimeWindow():
            yield _interval(window, number)
        case SlidingWindow():
            yield _active(window, number)
        case LastWindow():
            yield from _last(window, number)
        case FixedWindow(first, last, causal):
            first, last = min(first, asp_terms.GREATEST + 1), min(last, asp_terms.GREATEST)
            now, until = ("now(T); ", "; X : X = T") if causal else ("", "")
            ends = f"A = #max{{X : X = F; X : X = {first}}}; B = #min{{X : X = L; X : X = {last}{until}}}"
            yield f"window({number},A,B) :- {now}timeline(F,L); {ends}."
        case TupleWindow():
            yield from _newest(window, number)
        case _:
            assert_never(window)


def _interval(window: TimeWindow, number: int) -> str:
    head = f"window({number},A,B) :- now(T); timeline(F,L)"
    pivot = "T" if window.step == 1 else f"(T/{window.step})*{window.step}"
    if window.step > asp_terms.GREATEST:
        # All times are below the step, which would not fit in 32 bits.
        pivot = "0"
    # Times are in 0..GREATEST, so an end that is further away cuts nothing from the timeline, or everything.
    low, high = window.offsets
    near = low is not None and low > -asp_terms.GREATEST
    first = f"#max{{X : X = F; X : X = {_moved(pivot, low or 0)}}}" if near else "F"
    last = (
        f"#min{{X : X = L; X : X = {_moved(pivot, max(high, -asp_terms.GREATEST - 1))}}}"
        if high < asp_terms.GREATEST
        else "L"
    )
    return f"{head}; A = {first}; B = {last}."


def _active(window: SlidingWindow, number: int) -> str:
    first, slide = window.opening(0) + 1, window.slide
    closes, passed = first - 1 + window.width, f"X : X = {_near(first)}"
    late = ""
    if max(closes, slide) > asp_terms.GREATEST:
        # In this case, at most two windows are ever active, so no division is necessary.
        passed += f"; X : X = {_near(first + slide)}, T > {min(closes, asp_terms.GREATEST)}"
    else:
        # P >= 0 is the time since the first close, because ASP divides towards 0, not down.
        late = f"P = #max{{X : X = 0; X : X = T-{closes}}}; "
        passed = f"X : X = ((P+{slide - 1})/{slide})*{slide}{_near(first):+d}"
    ends = f"A = #max{{X : X = F; {passed}}}; B = #min{{X : X = L; X : X = T}}"
    return f"window({number},A,B) :- now(T); timeline(F,L); {late}{ends}."


def _last(window: LastWindow, number: int) -> Iterator[str]:
    # Times are in 0..GREATEST, so a window that closes later is never shown.
    close, (first, last) = min(window.close, asp_terms.GREATEST + 1), window.offsets
    yield f"window({number},1,0) :- now(T); T < {close}."
    if close <= asp_terms.GREATEST:
        slide = min(window.slide, asp_terms.GREATEST)
        opens = f"O = {window.start}+((T-{close})/{slide})*{slide}"
        ends = f"A = #max{{X : X = F; X : X = O{first:+d}}}; B = #min{{X : X = L; X : X = O{last:+d}}}"
        yield f"window({number},A,B) :- now(T); timeline(F,L); T >= {close}; {opens}; {ends}."


def _near(u: int) -> int:
    """Return `u`, or for a time outside of 32 bits, a 32-bit number on the same side of 0..GREATEST."""
    return max(1 - 2 * asp_terms.GREATEST, min(u, asp_terms.GREATEST + 1))


def _moved(pivot: str, by: int) -> str:
    return f"{pivot}{by:+d}" if by else pivot


def _newest(window: TupleWindow, w: int) -> Iterator[str]:
    # The number of arrivals fits in 32 bits, so a larger window contains all of them.
    newest = f"N <= M; N > M-{min(window.size, asp_terms.GREATEST)}"
    arrived = f"M = #max{{N : arrival({w},P,_,U,N), U <= T}}; M > 0"
    yield f"newest({w},P,M) :- now(T); arrival({w},P,_,_,_); {arrived}."
    # With ties `elements`, the host numbers the times of a partition: all atoms of one time fit, or none.
    if window.ties in ("arrival", "elements"):
        yield f"kept({w},X,U) :- newest({w},P,M); arrival({w},P,X,U,N); {newest}."
        yield f"window({w},A,T) :- now(T); A = #min{{X : X = T+1; U : kept({w},_,U)}}."
        return
    counted = f"arrival({w},P,_,U,N), {newest.replace(';', ',')}"
    yield f"oldest({w},P,V) :- newest({w},P,M); V = #min{{U : {counted}}}."
    text = f"now(T); oldest({w},P,V); arrival({w},P,X,U,_); U <= T"
    if window.ties == "all":
        yield f"kept({w},X,U) :- {text}; V <= U."
    else:
        yield f"kept({w},X,U) :- {text}; V < U."
        # The choice takes any C atoms of the oldest time: as many as fit next to the newer atoms.
        fitting = f"C = #count{{N : arrival({w},P,_,V,N), {newest.replace(';', ',')}}}"
        yield (
            f"{{kept({w},X,V) : arrival({w},P,X,V,_)}} = C :- newest({w},P,M); oldest({w},P,V); "
            f"arrival({w},P,_,V,_); {fitting}."
        )
    yield f"window({w},A,T) :- now(T); A = #min{{X : X = T+1; V : oldest({w},_,V)}}."


def binds_time(form: analysis.LiteralForm) -> bool:
    """Return whether a literal is true only if the time of its @ is in the timeline, as for @_T a."""
    return (form.mode == "@" and form.positive) or (form.mode == "¬@¬" and not form.positive)


class RuleWriter:
    """The writer of one LARS rule as ASP rules.

    The argument `naming` provides the names of predicates, windows and conditions in ASP.
    """

    def __init__(self, naming: AspNames, rule: Rule) -> None:
        self.naming = naming
        self.rule = rule
        forms = (analysis.literal_form(part) for part in formulas(rule.body))
        times = (form.time for form in forms if binds_time(form))
        self.names = asp_terms.RuleNames(frozenset(time for time in times if isinstance(time, Variable)))

    def lines(self, more: Sequence[str] = ()) -> Iterator[str]:
        """Yield the ASP rules of the LARS rule; the literals `more` end the body of each ASP rule."""
        body = [*(part for literal in self.rule.body for part in self.literal(literal)), *more]
        match self.rule.head:
            case None:
                yield _rule("", body)
            case Atom() as atom:
                yield from self._plain_head(atom, body)
            case logic.At(time):
                yield from self._timed_head(self.names.term(time), body)
            case _:
                assert_never(self.rule.head)

    def _plain_head(self, atom: Atom, body: list[str]) -> Iterator[str]:
        predicate = signature(atom)
        if predicate in self.naming.timed:
            arguments = [*self.names.terms(atom), "T"]
            yield _rule(
                asp_terms.call(self.naming.name(predicate, timed=True), arguments),
                [*body, self.naming.now("T")],
            )
        else:
            yield _rule(self.naming.at_now(predicate, self.names.terms(atom)), body)

    def _timed_head(self, time: str, body: list[str]) -> Iterator[str]:
        atom = head_atom(self.rule)
        assert atom is not None
        name = self.naming.name(signature(atom), timed=True)
        yield _rule(asp_terms.call(name, [*self.names.terms(atom), time]), body)
        # No stream has an atom outside its timeline, so such a head acts as a constraint on the body.
        yield _rule("", [*body, "timeline(F,L)", f"{time} < F"])
        yield _rule("", [*body, "timeline(F,L)", f"{time} > L"])

    def literal(self, literal: logic.BodyLiteral) -> list[str]:
        """Return the ASP body literals for one LARS body literal."""
        match literal:
            case logic.Comparison():
                return [asp_terms.comparison(literal, self.names)]
            case logic.Test() | logic.Assign():
                return [self.condition(literal)]
            case logic.Gather() | logic.Among():
                return [self.set_atom(literal)]
            case _:
                form = analysis.literal_form(literal)
                if form.mode == "" and form.window is None:
                    return [self._plain(form)]
                return self.through_window(form)

    def condition(self, condition: HostedCondition) -> str:
        """Return the ASP atom for a SPARQL condition; Python computes the true atoms of its predicate."""
        return self._hosted(condition, self.naming.conditions[(condition, self.rule.predicate)])

    def set_atom(self, literal: logic.SetLiteral) -> str:
        """Return the ASP atom for an aggregate or order; Python computes the true atoms of its predicate."""
        return self._hosted(literal, self.naming.set_literals[literal])

    def _hosted(self, literal: HostedCondition | logic.SetLiteral, number: int) -> str:
        return asp_terms.call(
            hosted_signature(literal, number)[0], list(map(self.names.term, columns(literal)))
        )

    def tables(self) -> Iterator[str]:
        """Yield the ASP rules that let Python compute the SPARQL conditions of the LARS rule.

        The other positive literals, and earlier conditions with :=, bind the arguments of a condition.
        """
        domain = self.binding()
        for literal in self.rule.body:
            if isinstance(literal, logic.Test | logic.Assign):
                number = self.naming.conditions[(literal, self.rule.predicate)]
                arguments = list(map(self.names.term, condition_arguments(literal)))
                yield from table(literal, number, arguments, "; ".join(domain))
            if isinstance(literal, logic.Assign):
                domain.append(self.condition(literal))

    def guards(self, number: int) -> Iterator[str]:
        """Yield ASP rules that derive `wrapped'number` if arithmetic of the LARS rule can exceed 32 bits."""
        domain = self.binding()
        domain += [self.condition(literal) for literal in self.rule.body if isinstance(literal, logic.Assign)]
        for literal in self.rule.body:
            if isinstance(literal, logic.Comparison):
                for side in (literal.left, literal.right):
                    for wraps in asp_terms.wrapping(side, self.names):
                        yield _rule(f"wrapped'{number}", [*domain, wraps])

    def binding(self) -> list[str]:
        """Return the ASP literals that bind the variables of the body, except variables of :=."""
        return [part for literal in self.rule.body for part in self._binding(literal)]

    def _binding(self, literal: logic.BodyLiteral) -> list[str]:
        match literal:
            case logic.Comparison():
                return [asp_terms.comparison(literal, self.names)] if literal.relation == "=" else []
            case logic.Test() | logic.Assign():
                return []
            case logic.Gather() | logic.Among():
                return [self.set_atom(literal)]
            case _:
                form = analysis.literal_form(literal)
                if form.positive:
                    return self.literal(literal)
                # @_T ¬a binds T to the times of the window; its last ASP literal is the negated atom.
                return self.literal(literal)[:-1] if binds_time(form) else []

    def _plain(self, form: analysis.LiteralForm) -> str:
        if isinstance(form.atom, logic.Truth):
            return "#true" if form.positive else "#false"
        atom = self.naming.at_now(signature(form.atom), self.names.terms(form.atom))
        return f"{'' if form.positive else 'not '}{atom}"

    def through_window(self, form: analysis.LiteralForm) -> list[str]:
        """Return the ASP body literals of a formula with a window, ◇, □ or @."""
        n = self.names.fresh()
        first, last, time = f"A{n}", f"B{n}", f"U{n}"
        window = self._window(form, first, last)
        inside = f"{time} = {first}..{last}"
        if form.mode in ("@", "¬@¬"):
            assert form.time is not None
            return [window, *self._at(form, self.names.term(form.time), first, last)]
        if form.mode == "":
            return [window, *self._now(form, first, last)]
        atom = self._atom(form, time)
        negation = "" if form.positive else "not "
        if (form.mode == "◇") == form.positive:
            return [window, *self._once(form, atom, time, first, last)]
        # The window is inside the condition: outside of it, clingo would keep an instance for each interval.
        every = f"{negation}{atom} : {window}, {inside}"
        if not form.positive or (form.window is not None and not form.window.never_empty):
            return [every]
        # □ in a window that is never empty implies the atom at the window's last point.
        n = self.names.fresh()
        return [self._window(form, f"A{n}", f"B{n}"), self._atom(form, f"B{n}"), every]

    def _once(self, form: analysis.LiteralForm, atom: str, time: str, first: str, last: str) -> list[str]:
        if form.positive and isinstance(form.atom, Atom):
            # This joins the existing atoms. A window can have many more time points than atoms.
            return [atom, f"{first} <= {time}", f"{time} <= {last}"]
        return [f"{time} = {first}..{last}", atom if form.positive else f"not {atom}"]

    def _window(self, form: analysis.LiteralForm, first: str, last: str) -> str:
        if form.window is None:
            return f"timeline({first},{last})"
        return f"window({self.naming.windows[form.window]},{first},{last})"

    def _atom(self, form: analysis.LiteralForm, time: str) -> str:
        if isinstance(form.atom, logic.Truth):
            return "#true"
        predicate = signature(form.atom)
        return self.naming.at(predicate, self.names.terms(form.atom), form.window, time)

    def _at(self, form: analysis.LiteralForm, time: str, first: str, last: str) -> list[str]:
        atom = self._atom(form, time)
        if (form.mode == "@") == form.positive:
            return self._once(form, atom, time, first, last)
        return [f"{'' if form.positive else 'not '}{atom} : {first} <= {time}, {time} <= {last}"]

    def _now(self, form: analysis.LiteralForm, first: str, last: str) -> list[str]:
        # If the reference time is outside the window, input does not hold now, but the background does.
        if isinstance(form.atom, logic.Truth):
            return ["#true" if form.positive else "#false"]
        time = f"T{first}"
        here = ["now(" + time + ")"]
        predicate = signature(form.atom)
        always = []
        if predicate in self.naming.background_predicates:
            always = [asp_terms.call(self.naming.always_name(predicate), self.names.terms(form.atom))]
        atom = self._atom(form, time)
        if not form.positive:
            return [*here, f"not {atom} : {first} <= {time}, {time} <= {last}", *(f"not {a}" for a in always)]
        if not always:
            return [*here, f"{first} <= {time}", f"{time} <= {last}", atom]
        assert form.window is not None
        return [asp_terms.call(self.naming.shown_name(predicate, form.window), self.names.terms(form.atom))]


def _rule(head: str, body: list[str]) -> str:
    parts = "; ".join(body)
    return f"{head} :- {parts}.".lstrip() if body or not head else f"{head}."


MOST_NUMBERS: Final = 1_000_000
MOST_TEXTS: Final = 2_000
"""The maximum numbers of values that a recursive rule without and with := may compute.

A rule that computes more values counts as endless.
"""


@dataclass(frozen=True)
class Encoding(AspNames):
    """The translation of a LARS program to ASP text.

    - `source` is the program that error messages quote, if the encoded program is a translation of it.
    - `output`, if given, is the only predicate whose atoms the solver reads.
    """

    source: Program | None = None
    output: Signature | None = None

    def text(self, *, limited: bool = False) -> str:
        """Return the ASP program: the rules, the windows, and rules for predicates with a time argument.

        If `limited` is true, Python (the `Host`) limits the rules that could compute new values without end.
        """
        rules = [self.rule(rule, self.limit(rule) if limited else ()) for rule in self.program.proper_rules]
        parts = [*rules, *self._windows(), *self._bridges(), *self._expected()]
        return "\n".join(parts) + "\n"

    @cached_property
    def hosted_text(self) -> str:
        """The complete ASP program, including the calls of Python and the predicates that clingo outputs."""
        project = (f"#project {name}/{arity}." for name, arity in self._names(self.derived))
        show = (f"#show {name}/{arity}." for name, arity in self.signatures)
        text = " ".join((*project, "#show.", *show)) + "\n"
        return "".join((self.text(limited=True), self.tables(), self.guards(), text))

    @cached_property
    def signatures(self) -> dict[Signature, tuple[str, bool]]:
        """The name and arity in ASP of each predicate whose atoms are read from clingo's answer.

        The value for a predicate is its name in LARS, and a boolean that is true if its last argument is a
        time.
        """
        return self._names(self.derived if self.output is None else self.derived & {self.output})

    def _names(self, predicates: Iterable[Signature]) -> dict[Signature, tuple[str, bool]]:
        timed = {predicate: predicate in self.timed for predicate in predicates}
        return {(self.name(p, timed=at), p[1] + at): (p[0], at) for p, at in timed.items()}

    @property
    def said_rules(self) -> tuple[Rule, ...]:
        """The rules to quote in error messages, without facts."""
        return (self.source or self.program).proper_rules

    def rule(self, rule: Rule, more: Sequence[str] = ()) -> str:
        """Return the ASP rules of one LARS rule, after the LARS rule as a comment.

        The argument `more` contains additional ASP body literals.
        """
        return "\n".join((f"% {rule}", *RuleWriter(self, rule).lines(more)))

    def limit(self, rule: Rule) -> list[str]:
        """Return the ASP literal that limits the number of new values that a recursive rule computes.

        If the rule does not compute new values from its own results, the list is empty.
        """
        head = head_atom(rule)
        if head is None or not analysis.computes_in_loop(rule, self._loops):
            return []
        # Texts grow with each step, so fewer of them fit in memory; numbers stay within 32 bits.
        most = MOST_TEXTS if any(isinstance(part, logic.Assign) for part in rule.body) else MOST_NUMBERS
        numbers = [str(self.program.proper_rules.index(rule)), str(most)]
        return [f"@within({','.join((*numbers, *RuleWriter(self, rule).names.terms(head)))}) = 1"]

    @cached_property
    def _loops(self) -> dict[Signature, frozenset[Signature]]:
        return analysis.positive_loops(self.program)

    def tables(self) -> str:
        """Return the ASP rules that call Python during grounding; `text` does not contain these rules."""
        writers = [RuleWriter(self, rule) for rule in self.program.proper_rules]
        tables = (line for writer in writers for line in writer.tables())
        return "\n".join((*tables, *self._gathering())) + "\n"

    def _gathering(self) -> Iterator[str]:
        for literal, number in self.set_literals.items():
            names = asp_terms.RuleNames()
            instance = asp_terms.call(
                self.name(signature(literal.atom), timed=False), names.terms(literal.atom)
            )
            terms = [names.term(variable) for variable in variables_in_order(literal.atom)]
            yield from gathering(literal, number, instance, terms)

    def states(self, known: Instances) -> str:
        """Return ASP constraints: aggregates and orders must have exactly the instances in `known`."""
        return "".join(
            line + "\n"
            for literal, number in self.set_literals.items()
            if literal in known
            for line in required_rules(literal, number, known[literal])
        )

    def guards(self) -> str:
        """Return ASP rules that derive `wrapped'n` if the arithmetic of LARS rule n can exceed 32 bits."""
        writers = [RuleWriter(self, rule) for rule in self.program.proper_rules]
        texts = (line for number, writer in enumerate(writers) for line in writer.guards(number))
        return "\n".join(texts) + "\n"

    def _windows(self) -> Iterator[str]:
        for window, number in self.windows.items():
            yield "\n".join((f"% {window}", *window_rules(window, number)))

    def _bridges(self) -> Iterator[str]:
        forms = [f for f in self.literals if f.mode == "" and f.window is None]
        plain = {signature(form.atom) for form in forms if isinstance(form.atom, Atom)}
        for predicate in sorted(plain | self.timed | self.background_predicates):
            arguments = [f"X{i}" for i in range(predicate[1])]
            untimed = asp_terms.call(self.name(predicate, timed=False), arguments)
            timed = asp_terms.call(self.name(predicate, timed=True), [*arguments, "T"])
            if predicate in plain and (predicate in self.timed or predicate not in self.derived):
                yield f"{untimed} :- {timed}; now(T)."
            if predicate in self.background_predicates and predicate in self.timed | self.derived:
                yield f"{untimed} :- {asp_terms.call(self.always_name(predicate), arguments)}."
            if predicate in self.background_predicates and predicate in self.timed:
                yield from self._held(predicate, arguments)

    def _expected(self) -> Iterator[str]:
        # Without #defined, clingo warns of each predicate that has no facts in this input.
        used = {signature(f.atom) for f in self.literals if isinstance(f.atom, Atom)}
        names = [(self.name(p, timed=True), p[1] + 1) for p in sorted(used - self.derived)]
        names += [
            (self.always_name(p), p[1]) for p in sorted(self.background_predicates & (used | self.timed))
        ]
        names += [("arrival", 5)] if any(isinstance(w, TupleWindow) for w in self.windows) else []
        names += self.answers
        if names:
            yield " ".join(f"#defined {name}/{arity}." for name, arity in names)

    def _held(self, predicate: Signature, arguments: list[str]) -> Iterator[str]:
        # `held` unites the input in a window and the background, which holds at all times of the window.
        always = asp_terms.call(self.always_name(predicate), arguments)
        for window in (None, *self.windows):
            held = asp_terms.call(self.held_name(predicate, window), [*arguments, "T"])
            yield f"{held} :- {self._kept_call(predicate, arguments, window, 'T')}."
            shows = "timeline(A,B)" if window is None else f"window({self.windows[window]},A,B)"
            yield f"{held} :- {always}; {shows}; T = A..B."
            if window is not None:
                number = self.windows[window]
                shown_call = asp_terms.call(self.shown_name(predicate, window), arguments)
                yield f"{shown_call} :- now(T); window({number},A,B); A <= T; T <= B; {held}."
                yield f"{shown_call} :- {always}."
