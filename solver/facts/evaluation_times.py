"""The evaluation times of a program, which its trigger determines in advance."""

from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import assert_never

from lars.dataclass import dataclass
from lars.language import formulas
from lars.language.program import Program, Rule, atoms, head_atom
from lars.language.terms import Atom, Number, Signature, Variable, signature
from lars.language.windows import NOW, Interval
from solver.facts.facts import Fact


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The evaluation times of push: all times at which an input atom that matches a pattern arrives."""

    patterns: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Multiples:
    """The evaluation times of pull: 0 and the multiples of at least one of the periods.

    With `offsets`, each period U has an offset k, and the times are k, k + U, k + 2U, ...
    """

    periods: tuple[int, ...]
    offsets: tuple[int, ...] = ()

    @property
    def series(self) -> tuple[tuple[int, int], ...]:
        """The pairs of a period and its offset, which is 0 if no offset is given."""
        return tuple(zip_longest(self.periods, self.offsets, fillvalue=0))

    def next_times(self, t: int) -> Iterator[tuple[int, int]]:
        """Yield, for each period, the first of its evaluation times at or after t, and the period."""
        for period, offset in self.series:
            yield max(t + (offset - t) % period, offset), period

    def last_before(self, t: int) -> int | None:
        """Return the last evaluation time before t; None if t is not after the first evaluation time."""
        before = (t - 1 - (t - 1 - offset) % period for period, offset in self.series if offset < t)
        return max(before, default=None)


Gate = Arrivals | Multiples | tuple[int, ...] | None
"""The evaluation times of a program: given by a trigger, or as ascending times; None means all times."""


def times_of(gate: Gate, facts: Iterable[Fact], within: Interval) -> list[int]:
    """Return the evaluation times that `gate` and the arriving facts determine in an interval, ascending."""
    match gate:
        case Arrivals(patterns):
            matches = [matcher(pattern) for pattern in patterns]
            result = {fact.t for fact in facts if fact.t in within and any(match(fact) for match in matches)}
            return sorted(result)
        case Multiples():
            each = (range(first, within.last + 1, period) for first, period in gate.next_times(within.first))
            return sorted({t for times in each for t in times})
        case None:
            return list(within)
        case tuple() as times:
            return [t for t in times if t in within]
        case _:
            assert_never(gate)


def matcher(pattern: Atom) -> Callable[[Fact], bool]:
    """Return the function that tests whether a fact is an instance of the pattern."""
    predicate, arity = signature(pattern)
    fixed = [
        (place, str(term)) for place, term in enumerate(pattern.arguments) if not isinstance(term, Variable)
    ]
    first = pattern.arguments.index
    equal = [(first(term), place) for place, term in enumerate(pattern.arguments) if first(term) < place]

    def match(fact: Fact) -> bool:
        arguments = fact.arguments
        if fact.predicate != predicate or len(arguments) != arity:
            return False
        for place, text in fixed:
            if arguments[place] != text:
                return False
        # Loops, not generators: this runs once for each fact.
        return not equal or all(arguments[one] == arguments[other] for one, other in equal)

    return match


def split(program: Program, trigger: Atom) -> tuple[Gate, Program]:
    """Split a program into the evaluation times that the atom `trigger` defines, and the program without it.

    If `trigger` does not define evaluation times, return None and the unchanged program.

    The trigger is an atom that every rule with a body needs. All rules that derive `trigger` must have one of
    the two forms of LARS (2015), Section 4.1: push or pull. With rules of the form push or pull, `trigger` is
    true exactly at the evaluation times. If no rule derives the trigger, the program is never evaluated, for
    example a pushed program that reads no stream.
    """
    own = tuple(rule for rule in program.rules if head_atom(rule) == trigger)
    others = tuple(rule for rule in program.rules if rule.body and rule not in own)
    if not others or not all(_waits(rule, trigger) for rule in others):
        return None, program
    heads = (head_atom(rule) for rule in program.rules)
    # Predicates of both rules and facts: no arrival determines their times.
    elsewhere = frozenset(signature(atom) for atom in heads if atom is not None)
    gates = [_pattern_or_period(rule, elsewhere) for rule in own]
    patterns = tuple(gate for gate in gates if isinstance(gate, Atom))
    series = tuple(gate for gate in gates if isinstance(gate, tuple))
    if len(gates) not in (len(patterns), len(series)):
        return None, program
    gate = Arrivals(patterns) if len(patterns) == len(gates) else _multiples(series)
    return gate, Program(tuple(_ungated(rule, trigger) for rule in program.rules if rule not in own))


def _waits(rule: Rule, trigger: Atom) -> bool:
    mentioned = (atom for literal in rule.body if literal != trigger for atom, _, _ in atoms(literal))
    return trigger in rule.body and trigger not in mentioned


def _ungated(rule: Rule, trigger: Atom) -> Rule:
    body = tuple(literal for literal in rule.body if literal != trigger)
    # A rule must keep a body: a fact would belong to B.
    return Rule(rule.head, body or (formulas.Truth(),)) if rule.body else rule


def _multiples(series: tuple[tuple[int, int], ...]) -> Multiples:
    offsets = tuple(offset for _, offset in series)
    return Multiples(tuple(period for period, _ in series), offsets if any(offsets) else ())


def _pattern_or_period(rule: Rule, elsewhere: frozenset[Signature]) -> Atom | tuple[int, int] | None:
    """Return the input atom of a push rule, or the period and offset of a pull rule; None for neither."""
    match rule:
        case Rule(Atom(), (formulas.In(window, formulas.Diamond(Atom() as pattern)),)) if (
            window == NOW and signature(pattern) not in elsewhere
        ):
            return pattern
        case Rule(
            Atom(),
            (
                formulas.In(window, formulas.At(Variable() as time, formulas.Truth())),
                formulas.Comparison(formulas.Operation("mod", left, Number(period)), "=", Number(offset)),
                *later,
            ),
        ) if window == NOW and left == time and 0 <= offset < period:
            match later:
                case []:
                    return period, offset
                case [formulas.Comparison(own, ">=", Number(begin))] if own == time and begin >= 0:
                    return period, begin + (offset - begin) % period
                case _:
                    return None
        case _:
            return None
