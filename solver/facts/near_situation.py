"""Find the input atoms that a program can use, that its windows contain, or that it sees at a time."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter

from lars.analysis import intensional, literal_form, reach
from lars.dataclass import dataclass
from lars.language.program import Program, Rule, formulas, set_literals
from lars.language.terms import Atom, Signature, Variable, signature
from lars.language.windows import TupleWindow, Window
from solver.facts.facts import Arguments, Background, Fact, Situation
from solver.facts.static_data import CodedRows


def needed_atoms(program: Program, output: Signature | None) -> frozenset[Atom]:
    """Return atoms with variables as patterns: each input atom that a rule can use matches a pattern.

    If `output` is a predicate, only atoms that can contribute to its answers count; None means all
    predicates.
    """
    return frozenset().union(*used_patterns(program, output).values())


def used_patterns(program: Program, output: Signature | None) -> Mapping[Signature, Collection[Atom]]:
    """Map each predicate to patterns for those of its atoms in rule bodies that can contribute to the output.

    The patterns have canonical names of variables. A constant is handed on from the rules that read a
    predicate to the rules that derive it, through any number of rules.
    """
    used: defaultdict[Signature, set[Atom]] = defaultdict(set)
    deriving: defaultdict[Signature, list[tuple[Atom, list[Atom]]]] = defaultdict(list)
    waiting: list[Atom] = []

    def add(pattern: Atom) -> None:
        if pattern not in used[signature(pattern)]:
            used[signature(pattern)].add(pattern)
            waiting.append(pattern)

    for rule in program.rules:
        body = list(_body_atoms(rule))
        for part in set_literals(rule.body):
            add(canonical_atom(part.atom))
        if not isinstance(rule.head, Atom) or output in (None, signature(rule.head)):
            for atom in body:
                add(canonical_atom(atom))
        else:
            deriving[signature(rule.head)].append((rule.head, body))
    while waiting:
        pattern = waiting.pop()
        for head, body in deriving[signature(pattern)]:
            for atom in body:
                add(_instance(atom, head, pattern))
    return used


def _body_atoms(rule: Rule) -> Iterator[Atom]:
    """Yield the atom of each formula in the body of a rule."""
    atoms = (literal_form(part).atom for part in formulas(rule.body))
    yield from (atom for atom in atoms if isinstance(atom, Atom))


def useful_atoms(
    atom: Atom, rule: Rule, output: Signature | None, used: Mapping[Signature, Collection[Atom]]
) -> frozenset[Atom]:
    """Return patterns for the instances of a body atom that can contribute to the requested output.

    Args:
        atom: An atom in the body of the rule.
        rule: The rule.
        output: The requested predicate; None requests all predicates.
        used: The atoms by which rule bodies read each predicate.
    """
    if not isinstance(rule.head, Atom) or output in (None, signature(rule.head)):
        return frozenset((canonical_atom(atom),))
    return frozenset(_instance(atom, rule.head, pattern) for pattern in used.get(signature(rule.head), ()))


def _instance(atom: Atom, head: Atom, pattern: Atom) -> Atom:
    """Return the pattern for a body atom of a rule whose head is read by a pattern."""
    fixed = {
        mine: theirs
        for mine, theirs in zip(head.arguments, pattern.arguments, strict=True)
        if isinstance(mine, Variable) and not isinstance(theirs, Variable)
    }
    arguments = tuple(fixed.get(t, t) if isinstance(t, Variable) else t for t in atom.arguments)
    return canonical_atom(Atom(atom.predicate, arguments))


def relevant_background(background: Background, needed: Iterable[Atom]) -> Background:
    """Return the background atoms that match at least one of the patterns."""
    patterns = list(needed)
    return {
        predicate: _fitting(rows, fitting)
        for predicate, rows in background.items()
        if (fitting := [atom for atom in patterns if signature(atom) == predicate])
    }


def _fitting(rows: Iterable[Arguments], patterns: Sequence[Atom]) -> Collection[Arguments]:
    if isinstance(rows, CodedRows):
        return rows.matching(patterns)
    return [row for row in rows if any(_fits(row, atom) for atom in patterns)]


def _fits(row: Arguments, atom: Atom) -> bool:
    """Return whether a row of texts has the constants of an atom at the same positions."""
    return all(isinstance(t, Variable) or str(t) == text for t, text in zip(atom.arguments, row, strict=True))


def variables_in_order(atom: Atom) -> tuple[Variable, ...]:
    """Return the variables of the atom, in the order of their first occurrences."""
    return tuple(dict.fromkeys(term for term in atom.arguments if isinstance(term, Variable)))


def canonical_atom(atom: Atom) -> Atom:
    """Return the atom with canonical names of variables; atoms that differ only in names become equal."""
    names = {variable: Variable(f"X{i}") for i, variable in enumerate(variables_in_order(atom))}
    arguments = (names.get(term, term) if isinstance(term, Variable) else term for term in atom.arguments)
    return Atom(atom.predicate, tuple(arguments))


Span = tuple[int, int]
"""The first and the last index of consecutive indexes."""


@dataclass(frozen=True, slots=True)
class WindowedAtom:
    """The input atoms that a rule reads through a window.

    A WindowedAtom means the instances of `atom` that are also instances of an atom in `any_of`. No rule can
    use other instances of `atom`.
    """

    window: Window
    atom: Atom
    any_of: frozenset[Atom]
    timed: bool = False

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of the atom by first occurrence, which are the arguments of its predicate in ASP."""
        return variables_in_order(self.atom)

    @property
    def places(self) -> tuple[int, ...]:
        """The index of the first argument at which each variable of the atom occurs."""
        return tuple(map(self.atom.arguments.index, self.variables))


def unite(spans: list[Span], new: Span) -> None:
    """Add an interval to disjoint intervals; intervals that overlap or are adjacent become one."""
    first, last = new
    start = bisect_left(spans, first - 1, key=itemgetter(1))
    end = bisect_right(spans, last + 1, key=itemgetter(0))
    if start < end:
        if spans[start][0] <= first and last <= spans[start][1]:
            return
        first, last = min(first, spans[start][0]), max(last, spans[end - 1][1])
    spans[start:end] = [(first, last)]


def counts(window: TupleWindow, arguments: Arguments) -> bool:
    """Return whether a tuple window counts an input atom with the given arguments.

    If the window has a source, the last argument must be this source.
    """
    return window.source is None or arguments[-1:] == (str(window.source),)


class NearSituation:
    """The data that a program's windows contain, computed for one time after another."""

    def __init__(self, program: Program, situation: Situation) -> None:
        own = intensional(program)
        facts = dict.fromkeys(situation.facts)
        inside = (
            f for f in facts if f.t in situation.timeline and (f.predicate, len(f.arguments)) not in own
        )
        self._facts = sorted(inside, key=lambda fact: fact.t)
        self._times = [fact.t for fact in self._facts]
        self._situation = situation
        self._reach = reach(program)
        self._newest = [Newest(window, self._facts) for window in self._reach.tuples]

    def at(self, t: int) -> Situation:
        """Return the situation with only the facts that can affect the program's evaluation at t."""
        past, future = self._reach.past, self._reach.future
        first = 0 if past is None else bisect_left(self._times, t - past)
        end = len(self._times) if future is None else bisect_right(self._times, t + future)
        arrived = bisect_right(self._times, t)
        kept = {index for newest in self._newest for index in newest.up_to(arrived)}
        earlier = sorted(index for index in kept if index < first)
        later = sorted(index for index in kept if index >= end)
        places = (*earlier, *range(first, end), *later)
        return replace(self._situation, facts=[self._facts[index] for index in places])


class Newest:
    """The facts that a tuple window keeps while facts arrive in ascending time.

    If several atoms arrived at the oldest time in the window, all of them are included; the evaluation
    chooses among them.
    """

    def __init__(self, window: TupleWindow, facts: Sequence[Fact]) -> None:
        self._window = window
        self._facts = facts
        self._arrived = 0
        self._parts: dict[Arguments, list[int]] = {}

    def up_to(self, arrived: int) -> Iterator[int]:
        """Yield the indexes of the facts that the window keeps after the first `arrived` facts have arrived.

        `arrived` must not decrease from one call to the next.
        """
        for index in range(self._arrived, arrived):
            fact = self._facts[index]
            if counts(self._window, fact.arguments):
                self._push(_partition(self._window, fact), index)
        self._arrived = max(self._arrived, arrived)
        for part in self._parts.values():
            yield from part

    def _push(self, key: Arguments, index: int) -> None:
        part = self._parts.setdefault(key, [])
        part.append(index)
        size = self._window.size
        t = self._facts[index].t
        if self._window.ties == "elements":
            times = [*dict.fromkeys(self._facts[place].t for place in part)]
            oldest = times[-size:][0] if size else t + 1
            del part[: bisect_left(part, oldest, key=lambda place: self._facts[place].t)]
        elif len(part) > size:
            oldest = self._facts[part[-size]].t if size else t + 1
            del part[: bisect_left(part, oldest, key=lambda place: self._facts[place].t)]


def _partition(window: TupleWindow, fact: Fact) -> Arguments:
    """Return the key of a fact's partition in a window: predicate, arity, and the arguments at `by`."""
    if window.by is None:
        return ()
    places = (place for place in window.by if place <= len(fact.arguments))
    return fact.predicate, str(len(fact.arguments)), *(fact.arguments[place - 1] for place in places)
