"""How many instances a program's rules have at a time: a grounder lists them all, columns need not."""

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Final

import numpy as np

from lars.errors import FailedRunError, LarsError, OutOfMemoryError
from lars.language.program import Program
from lars.language.terms import Signature, Variable, signature
from solver.columns import TermCodes, keys
from solver.facts import with_facts
from solver.relational.evaluation import ProgramTables, visible_input
from solver.relational.plans import (
    DerivedAtoms,
    GatheredScan,
    Instants,
    RelationalPlan,
    RulePlan,
    Scan,
    ShownAtoms,
    plan,
)
from solver.relational.rule_bodies import Bindings, RuleBody
from solver.relational.shown_input import EncodedSituation

_ARRIVAL: Final = Variable(" arrival {}")
"""A variable whose name no text can have."""


def ground_instances(program: Program, situation: EncodedSituation, t: int, most: int) -> int:
    """Return how many instances the rules have at t, those of the beginnings of their bodies included.

    Bodies are joined part by part, in the order that columns would take, and no variable is dropped; what
    is negated is left out; an atom that a window shows several times is joined as often. Counting ends
    beyond `most`, before anything larger is made. The program has no `obstacle`.

    >>> from lars.text.notation import read
    >>> from lars.language.windows import Interval
    >>> from solver.facts import Fact, Situation
    >>> from solver.relational.shown_input import encode
    >>> facts = [Fact(1, "e", (x, y)) for x in "abc" for y in "abc"]
    >>> here = encode(Situation(Interval(0, 1), facts, {}))
    >>> path = read("p(X) ← ⊞^1 ◇ e(X, Y), ⊞^1 ◇ e(Y, Z).")  # 9 edges, each of which 3 go on from
    >>> ground_instances(path, here, 1, 1000), ground_instances(path, here, 1, 10) > 10
    (36, True)
    """
    counting = _Counting(program, situation, t, most)
    try:
        counting.list_all()
    except (_TooManyError, OutOfMemoryError):
        return max(counting.body.instances, most + 1)
    except FailedRunError:
        raise
    except LarsError:
        # A rule cannot be computed: who lists the instances says it.
        pass
    return counting.body.instances


def most_instances(program: Program, situation: EncodedSituation) -> int | None:
    """Return how many instances the rules can have at most, by the numbers of atoms alone, at any time.

    None: a predicate depends on itself. The program has no `obstacle`.

    >>> from lars.text.notation import read
    >>> from lars.language.windows import Interval
    >>> from solver.facts import Fact, Situation
    >>> from solver.relational.shown_input import encode
    >>> here = encode(Situation(Interval(0, 1), [Fact(1, "e", (x,)) for x in "abc"], {}))
    >>> most_instances(read("p(X) ← ⊞^1 ◇ e(X). q ← p(X), p(Y)."), here)  # 3, and 3 · 3
    12
    """
    whole, facts = plan(program, None), with_facts(program, {})
    sizes = {name: len(some.t) for name, some in situation.atoms.items()}
    for name in {*situation.background, *facts}:
        always = len(situation.background.get(name, ())) + sum(1 for _ in facts.get(name, ()))
        sizes[name] = sizes.get(name, 0) + always
    total = 0
    for layer in whole.layers:
        if layer.recursive:
            return None
        for rule in layer.rules:
            own = prod(sizes.get(predicate, 0) for predicate in map(_predicate, rule.joined) if predicate)
            sizes[rule.predicate] = sizes.get(rule.predicate, 0) + own
            total += own
    return total


def _predicate(part: Scan | GatheredScan) -> Signature | None:
    """Return whose atoms are joined; None: the time alone."""
    match (part if isinstance(part, Scan) else part.scan).source:
        case DerivedAtoms(predicate):
            return predicate
        case ShownAtoms(atom):
            return signature(atom.atom)
        case Instants():
            return None


class _Counting:
    """Counts layer by layer: what a rule would have of instances is known before its head is derived."""

    def __init__(self, program: Program, situation: EncodedSituation, t: int, most: int) -> None:
        self._plan = plan(program, None)
        self._tables = ProgramTables(program, situation, visible_input(program, situation, [t], None), [t])
        self.body = _ListingBody(situation.terms, most)

    def list_all(self) -> None:
        for layer in self._plan.layers:
            recursive = [rule for rule in layer.rules if rule.places(layer.predicates)]
            for rule in layer.rules:
                if rule not in recursive:
                    self._list(rule)
            self._tables.derived(RelationalPlan((layer,), ()))
            for rule in recursive:
                self._list(rule)
        for rule in self._plan.constraints:
            self._list(rule)

    def _list(self, rule: RulePlan) -> None:
        parts = [self._tables.scan(_each_arrival(part, place)) for place, part in enumerate(rule.joined)]
        gathered = [self._tables.scan(part.scan) for part in rule.joined if isinstance(part, GatheredScan)]
        self.body.add(sum(len(bindings.table) for bindings in (*parts[:1], *gathered)))
        self.body.solutions(parts, (), rule.conditions)


def _each_arrival(part: Scan | GatheredScan, place: int) -> Scan | GatheredScan:
    """Return what is joined, each arrival of a window's atom for itself."""
    if not isinstance(part, Scan) or not isinstance(part.source, ShownAtoms) or part.source.timed:
        return part
    arrival = Variable(_ARRIVAL.name.format(place))
    return Scan(replace(part.source, timed=True), (*part.terms, arrival))


class _TooManyError(Exception):
    """There are more instances than anyone asks for."""


class _ListingBody(RuleBody):
    """Bodies at one time, whose joins are counted before they are made."""

    def __init__(self, codes: TermCodes, most: int) -> None:
        super().__init__(codes, 1)
        self._most = most
        self.instances = 0

    def add(self, instances: int) -> None:
        """Count more instances."""
        self.instances += instances
        if self.instances > self._most:
            raise _TooManyError

    def _joined(self, left: Bindings, right: Bindings, needed: frozenset[Variable] | None) -> Bindings:
        shared = [name for name in right.names if name in left.names]
        self.add(_pairs(left, right, shared))
        return super()._joined(left, right, needed)


def _pairs(left: Bindings, right: Bindings, shared: Sequence[Variable]) -> int:
    """Return how many rows the join of two tables has."""
    sides = [[bindings.column(name) for name in shared] for bindings in (left, right)]
    left_key, right_key = keys(sides, [len(left.table), len(right.table)], 1)
    distinct, counts = np.unique(right_key, return_counts=True)
    if not len(distinct):
        return 0
    places = np.minimum(np.searchsorted(distinct, left_key), len(distinct) - 1)
    return int(counts[places][distinct[places] == left_key].sum())
