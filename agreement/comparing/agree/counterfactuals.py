"""What a program would answer if its windows, the input or its empty groups were other than they are."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from itertools import count

import numpy as np

from lars.analysis import reach, windows, with_windows
from lars.language.formulas import (
    Among,
    Assign,
    BodyLiteral,
    Comparison,
    Condition,
    Diamond,
    Gather,
    In,
    Not,
    SetLiteral,
    Test,
    Truth,
)
from lars.language.program import Program, Rule, atoms, head_atom, ready, variables
from lars.language.terms import NULL, Atom, Signature, Term, Variable, signature
from lars.language.windows import TimeWindow, Window
from solver.columns import Array
from solver.facts import EveryTime, Fact, Row
from solver.job import AnswerRuns, Question, answers_at
from solver.relational import EncodedSituation, window_ends
from solver.relational.supports import supports


class AskedProgram:
    """A program over some input, asked at many times at once, also as if something were otherwise."""

    def __init__(self, program: Program, output: Signature, situation: EncodedSituation) -> None:
        self.program = program
        self._question = Question(program, output, EveryTime())
        self._situation = situation

    def at(self, times: Array, newest: Array | None = None) -> AnswerRuns:
        """Return the answers at ascending times; with `newest` as if nothing had arrived after those."""
        return answers_at(self._question, self._situation, times, newest)

    @cached_property
    def without_input(self) -> AnswerRuns:
        """The answers of static data alone, at the end."""
        last = np.array([self._situation.timeline.last], np.int64)
        return answers_at(self._question, replace(self._situation, atoms={}), last)

    def hidden(self, times: Array) -> AnswerRuns:
        """Return the rows that are, or are not, answers since windows do not show the newest input.

        They are told at those of the times at which something had come that a window does not show.
        """
        own = windows(self.program)
        hiding = [
            window for window in own if isinstance(window, TimeWindow) and _reaching_on(window) != window
        ]
        ends = reduce(
            np.minimum, (window_ends(window, times, self._situation.timeline)[1] for window in hiding), times
        )
        came = np.zeros(len(times), np.int64)
        for some in self._situation.atoms.values():
            came += np.searchsorted(some.t, times, "right") - np.searchsorted(some.t, ends, "right")
        times = times[came > 0]
        whole = Question(with_windows(self.program, _reaching_on), self._question.output, EveryTime())
        return self.at(times).difference(answers_at(whole, self._situation, times, times))

    def supports(self, rows: Sequence[Row], times: Sequence[int]) -> list[tuple[Fact, ...]]:
        """Return for each row, an answer at its time, the input atoms of one proof."""
        seen, output = reach(self.program), self._question.predicate
        assert output is not None
        unbounded = seen.tuples or seen.past is None or seen.future is None
        situation = (
            self._situation if unbounded else self._situation.near(times, seen.past or 0, seen.future or 0)
        )
        return supports(self.program, situation, output, rows, times)


def _reaching_on(window: Window) -> Window:
    """Return the window that also shows what is newer than its end, up to the reference time.

    ⊞^{l,u,d} becomes ⊞^{l,d-1,d}: with no input after the reference time, it shows what ⊞^{l,u,d}
    shows and all that is newer. A window that always ends at the reference time or later stays.
    """
    if not isinstance(window, TimeWindow):
        return window
    ahead, (first, last) = window.step - 1, window.offsets
    if last >= ahead:
        return window
    return TimeWindow(None if first is None else -first, ahead, window.step)


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
    windows_of: dict[Term, set[Window]] = {}
    for rule in program.rules:
        for literal in rule.body:
            match literal:
                case In(window, Diamond(Atom(_, (*_, stream)))):
                    windows_of.setdefault(stream, set()).add(window)
                case _:
                    pass
    return windows_of


def without_empty_groups(program: Program) -> Program:
    """Return the program in which aggregates of nothing have no row (SEMANTICS T13, as CQELS)."""
    rules: list[Rule] = []
    for rule in program.rules:
        head = head_atom(rule)
        gathers = [part for part in rule.body if isinstance(part, Gather)]
        some = None if head is None else Atom(f"{head.predicate}some", ())
        if some is None or (gathers and some in rule.body):
            rules.append(rule)
        elif gathers and not gathers[0].keys:
            rules += [Rule(some, (gathers[0].atom,)), Rule(rule.head, (*rule.body, some))]
        elif not _of_nothing(rule, some.predicate):
            rules.append(rule)
    return Program(tuple(rules))


def _of_nothing(rule: Rule, some: str) -> bool:
    """Whether the rule gives the row of no solution, as τ writes it inside GRAPH and EXISTS."""
    return any(
        isinstance(part, Not) and isinstance(part.inner, Atom) and part.inner.predicate == some
        for part in rule.body
    )


def without_slices(program: Program) -> Program:
    """Return the program without LIMIT and OFFSET."""

    def whole(literal: BodyLiteral) -> BodyLiteral:
        return literal.atom if isinstance(literal, Among) else literal

    return Program(tuple(Rule(rule.head, tuple(map(whole, rule.body))) for rule in program.rules))


def with_any_aggregates(program: Program, output: Signature) -> tuple[Program, frozenset[int]]:
    """Return the program in which aggregates have any value, and the places in the output that hold one.

    What asks such a value is true: HAVING, a FILTER, a join on it; what may rest on one blocks nothing.
    In the places of values there is null.
    """
    whole, above = without_slices(program), _above_aggregates(program)
    places: frozenset[_Place] = frozenset()
    while True:
        rules = [_with_any_values(rule, places, above) for rule in whole.rules]
        known = places.union(*(predicates for _, predicates in rules))
        if known == places:
            freed = Program(tuple(rule for rule, _ in rules))
            return freed, frozenset(place for name, place in places if name == output)
        places = known


_Place = tuple[Signature, int]
"""An argument of a predicate, by its place."""


def _above_aggregates(program: Program) -> frozenset[Signature]:
    """Return the predicates that may rest on an aggregate, or on what is first in an order."""
    above: set[Signature] = set()
    before = -1
    while before < len(above):
        before = len(above)
        for rule in program.rules:
            used = {signature(atom) for part in rule.body for atom, _, _ in atoms(part)}
            if used & above or any(isinstance(part, SetLiteral) for part in rule.body):
                above.update(signature(atom) for atom in (head_atom(rule),) if atom)
    return frozenset(above)


def _with_any_values(
    rule: Rule, places: frozenset[_Place], above: frozenset[Signature]
) -> tuple[Rule, frozenset[_Place]]:
    """Return a rule in which atoms have any terms in these places, and the places of such in its head."""
    names = _others(rule)
    body: list[BodyLiteral] = []
    conditions: list[Condition] = []
    for part in rule.body:
        match part:
            case Gather(_, _, atom, keys):
                # Without keys there is a group even of nothing.
                body.append(_loosened(atom, places, names, frozenset(keys)) if keys else Truth())
            case Atom():
                body.append(_loosened(part, places, names, variables(part)))
            case Test() | Assign() | Comparison():
                conditions.append(part)
            case Not():
                pass
            case _:
                body.append(part)
    bound = set(frozenset[Variable]().union(*map(variables, body)))
    while askable := [condition for condition in conditions if ready(condition, bound)]:
        body += askable
        bound.update(*map(variables, askable))
        conditions = [condition for condition in conditions if condition not in askable]
    body += (part for part in rule.body if isinstance(part, Not) and _blocks(part, bound, above))
    if not isinstance(rule.head, Atom):
        return Rule(rule.head, tuple(body)), frozenset()
    predicate = signature(rule.head)
    unknown = {(predicate, n) for n, term in enumerate(rule.head.arguments) if variables(term) - bound}
    terms = (
        NULL if (predicate, n) in places | unknown else term for n, term in enumerate(rule.head.arguments)
    )
    return Rule(Atom(rule.head.predicate, tuple(terms)), tuple(body)), frozenset(unknown)


def _loosened(
    atom: Atom, places: frozenset[_Place], names: Iterator[Variable], kept: Collection[Variable]
) -> Atom:
    """Return the atom with a variable of its own in each of the places, and for variables not kept."""
    predicate = signature(atom)
    terms = (
        next(names) if (predicate, n) in places or (isinstance(term, Variable) and term not in kept) else term
        for n, term in enumerate(atom.arguments)
    )
    return Atom(atom.predicate, tuple(terms))


def _blocks(literal: Not, bound: Collection[Variable], above: Collection[Signature]) -> bool:
    """Whether no aggregate has a part in what the literal denies."""
    return variables(literal) <= {*bound} and not any(
        signature(atom) in above for atom, _, _ in atoms(literal)
    )


def _others(rule: Rule) -> Iterator[Variable]:
    """Yield variables that the rule does not have."""
    taken = variables(rule.head).union(*map(variables, rule.body))
    return (name for name in (Variable(f"Any{n}") for n in count()) if name not in taken)
