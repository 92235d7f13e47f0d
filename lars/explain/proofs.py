"""Proofs of atoms in an answer stream: rule instances down to the input and the background.

An answer stream is the least model of the rules whose bodies hold in it, with what stands under ¬
decided by it: so each of its atoms is the head of a rule instance that rests on atoms derived before.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lars.explain.evidence import Evidence, Instances, Judge, present
from lars.explain.joining import IndexedPoint, body_bindings
from lars.language.formulas import BodyLiteral, Condition, SetLiteral
from lars.language.program import Rule, close, head_atom, head_time, is_fact, put
from lars.language.stream import Moment
from lars.language.terms import Atom, Binding, Constant, Number, Variable, constants, unify

Values = tuple[tuple[Variable, Constant], ...]

MOST_TOLD: Final = 10
"""A proof through an aggregate has so many of the instances that are aggregated; all are counted."""


@dataclass(frozen=True, slots=True)
class Premise:
    """A body literal of a rule instance, and why it holds; a condition needs no more than its values."""

    literal: BodyLiteral
    evidence: Evidence | None


@dataclass(frozen=True, slots=True)
class InBackground:
    """The atom is in the background: static data, or a fact of the program."""

    t: int
    atom: Atom


@dataclass(frozen=True, slots=True)
class Input:
    """The atom is in the stream's input at t."""

    t: int
    atom: Atom


@dataclass(frozen=True, slots=True)
class RuleInstance:
    """The atom is the head of an instance of the program's rule `number`, counted from 1."""

    t: int
    atom: Atom
    number: int
    rule: Rule
    binding: Values
    premises: tuple[Premise, ...]


Support = InBackground | Input | RuleInstance


@dataclass(frozen=True, slots=True)
class Proof:
    """What supports an atom at a time: `steps` has each atom that the proof uses, the goal first.

    Every premise of a step rests on atoms that are in `steps` too, and none on itself.
    """

    goal: Moment
    steps: Mapping[Moment, Support]


def head_binding(here: IndexedPoint, rule: Rule, moment: Moment) -> Binding | None:
    """Return the binding under which the rule's head is the atom at its time, or None."""
    t, atom = moment
    pattern = head_atom(rule)
    if pattern is None or is_fact(rule) or (found := unify(pattern, atom, {})) is None:
        return None
    time = head_time(rule, here.t)
    moved = found.setdefault(time, Number(t)) if isinstance(time, Variable) else time
    return found if moved == Number(t) else None


def rule_instances(here: IndexedPoint, moment: Moment) -> Iterator[tuple[int, Binding]]:
    """Yield each rule, counted from 1, and binding with that head whose body holds in the answer stream."""
    for number, rule in enumerate(here.program.rules, 1):
        if (bound := head_binding(here, rule, moment)) is not None:
            for found in body_bindings(here, rule.body, bound):
                yield number, found


def step(
    here: IndexedPoint, moment: Moment, number: int, binding: Binding, judge: Judge
) -> RuleInstance | None:
    """Return the rule instance as a step, or None when it needs atoms that the judge does not allow."""
    rule = here.program.rules[number - 1]
    found = []
    for literal in rule.body:
        one = premise(here, literal, binding, judge)
        if one is None:
            return None
        found.append(one)
    return RuleInstance(*moment, number, rule, values_of(binding), tuple(found))


def values_of(binding: Binding) -> Values:
    """Return the constants of a binding, by the names of their variables."""
    return tuple(sorted(constants(binding).items()))


def premise(here: IndexedPoint, literal: BodyLiteral, binding: Binding, judge: Judge) -> Premise | None:
    """Return why a body literal holds under a binding, or None when the judge finds that it does not."""
    if isinstance(literal, Condition):
        return Premise(close(literal, binding), None)
    if isinstance(literal, SetLiteral):
        found = (group for group in here.instance_groups(literal) if group.binding.items() <= binding.items())
        group = next(found, None)
        return None if group is None else Premise(literal, some_of(here, group.count, group.instances))
    ground = put(literal, binding)
    evidence = judge.why(ground, here.view, here.t)
    return None if evidence is None else Premise(ground, evidence)


def some_of(here: IndexedPoint, count: int, instances: Sequence[Atom]) -> Instances:
    """Return as evidence how many instances there are at t, and the first of these."""
    return Instances(here.t, count, tuple(instances[:MOST_TOLD]))


def rests_on(premises: Iterable[Premise]) -> Iterator[Moment]:
    """Yield the atoms with their times that the premises rest on."""
    for premise in premises:
        if premise.evidence is not None:
            yield from present(premise.evidence)
