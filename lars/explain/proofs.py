"""Proofs of the atoms of an answer stream: rule instances down to the input and the background.

An answer stream is the least model of the rules whose bodies hold in the stream. The answer stream also
decides the formulas under ¬. Each atom is therefore the head of a rule instance that uses only atoms derived
before. Proofs are searched goal by goal, and each search reuses earlier results.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from lars.analysis import choosing_windows, positive_loops
from lars.dataclass import dataclass
from lars.explain.evidence import (
    Evidence,
    IndexedPoint,
    Instances,
    body_bindings,
    derived_moment,
    present,
    world,
)
from lars.language import terms
from lars.language.formulas import BodyLiteral, Condition, SetLiteral
from lars.language.program import Program, Rule, atoms, close, head_atom, head_time, is_fact, put
from lars.language.stream import Moment, Stream
from lars.semantics import Evaluate, choices, refuse

Values = tuple[tuple[terms.Variable, terms.Constant], ...]

MOST_INSTANCES_SHOWN: Final = 10
"""The greatest number of an aggregate's instances that a proof shows; all instances are counted."""


@dataclass(frozen=True, slots=True)
class Premise:
    """A body literal of a rule instance, and the evidence that it holds; conditions need no evidence."""

    literal: BodyLiteral
    evidence: Evidence | None


Given = Literal["background", "input"]
"""The reason why an atom holds at a time without a rule: static data or input."""


@dataclass(frozen=True, slots=True)
class RuleInstance:
    """An instance of the rule with the given `number` (counted from 1), whose head is `atom` at t."""

    t: int
    atom: terms.Atom
    number: int
    rule: Rule
    binding: Values
    premises: tuple[Premise, ...]


Support = Given | RuleInstance


Proof = Mapping[Moment, Support]
"""The proof of an atom at a time: each atom in the proof, with its support.

The first atom is the proved atom. Another step of the proof proves each premise of a step, and no atom
supports itself.
"""


def head_binding(here: IndexedPoint, rule: Rule, moment: Moment) -> terms.Binding | None:
    """Return the binding under which the rule's head is the atom at its time, or None."""
    t, atom = moment
    pattern = head_atom(rule)
    if pattern is None or is_fact(rule) or (binding := terms.unify(pattern, atom, {})) is None:
        return None
    time = head_time(rule, here.t)
    moved = binding.setdefault(time, terms.Number(t)) if isinstance(time, terms.Variable) else time
    return binding if moved == terms.Number(t) else None


def rule_instances(here: IndexedPoint, moment: Moment) -> Iterator[tuple[int, terms.Binding]]:
    """Yield (rule number from 1, binding) for each rule and binding that derive the atom at its time."""
    for number, rule in enumerate(here.program.rules, 1):
        if (bound := head_binding(here, rule, moment)) is not None:
            for body_binding in body_bindings(here, rule.body, bound):
                yield number, body_binding


def step(here: IndexedPoint, moment: Moment, number: int, binding: terms.Binding) -> RuleInstance | None:
    """Return a rule instance as a proof step; None if its body needs atoms that the proof may not use."""
    rule = here.program.rules[number - 1]
    premises = []
    for literal in rule.body:
        held = premise(here, literal, binding)
        if held is None:
            return None
        premises.append(held)
    return RuleInstance(*moment, number, rule, values_of(binding), tuple(premises))


def values_of(binding: terms.Binding) -> Values:
    """Return the values of a binding, sorted by the names of the variables."""
    return tuple(sorted(terms.constants(binding).items()))


def premise(here: IndexedPoint, literal: BodyLiteral, binding: terms.Binding) -> Premise | None:
    """Return a body literal under a binding, with its evidence; None if the literal does not hold."""
    if isinstance(literal, Condition):
        return Premise(close(literal, binding), None)
    if isinstance(literal, SetLiteral):
        groups = (
            group for group in here.instance_groups(literal) if group.binding.items() <= binding.items()
        )
        group = next(groups, None)
        return None if group is None else Premise(literal, some_of(here, group.count, group.instances))
    ground = put(literal, binding)
    evidence = here.view.why(ground, here.t)
    return None if evidence is None else Premise(ground, evidence)


def premises(here: IndexedPoint, body: Iterable[BodyLiteral], binding: terms.Binding) -> Iterator[Premise]:
    """Yield each literal of a body that holds under the binding, with its evidence."""
    held = (premise(here, literal, binding) for literal in body)
    return (held_premise for held_premise in held if held_premise is not None)


def some_of(here: IndexedPoint, count: int, instances: Sequence[terms.Atom]) -> Instances:
    """Return the evidence for an aggregate or order: the number of instances, and the first few of them."""
    return Instances(here.t, count, tuple(instances[:MOST_INSTANCES_SHOWN]))


def rests_on(premises: Iterable[Premise]) -> Iterator[Moment]:
    """Yield the atoms, with their times, that must hold so that the premises hold."""
    for premise in premises:
        if premise.evidence is not None:
            yield from present(premise.evidence)


_BROAD: Final = 2000
"""The number of turns after which the search for proofs changes from breadth-first to depth-first.

Breadth-first search finds short proofs.
"""

Instance = tuple[Moment, int, terms.Binding]


class Loop:
    """The derivation of atoms whose predicates depend on each other, until a requested atom is derived.

    No atom is derived from itself: each rule instance uses only atoms that were derived before.
    """

    def __init__(self, here: IndexedPoint, names: frozenset[terms.Signature]) -> None:
        self._here = here
        self._names = names
        self._known: dict[Moment, RuleInstance] = {}
        self._instances: dict[Moment, Iterator[tuple[int, terms.Binding]]] = {}
        self._queue: deque[Moment] = deque()
        self._turns = 0
        self._waiting: dict[Moment, list[Instance]] = {}
        self._proving = replace(here, view=replace(here.view, allowed=self._allowed))

    def derive(self, goal: Moment) -> RuleInstance | None:
        """Return a rule instance that derives the goal from atoms derived before; None if none exists."""
        self._want(goal)
        while goal not in self._known and self._queue:
            self._turns += 1
            moment = self._queue.popleft() if self._turns < _BROAD else self._queue.pop()
            # One instance a turn: what it needs may be found before the others are looked at.
            instance = None if moment in self._known else next(self._instances[moment], None)
            if instance is not None:
                self._queue.append(moment)
                self._consider((moment, *instance))
        return self._known.get(goal)

    def _allowed(self, moment: Moment) -> bool:
        own = terms.signature(moment[1]) in self._names and moment not in self._here.intensional_input
        return not own or moment in self._known

    def _want(self, moment: Moment) -> None:
        new = moment not in self._instances
        if new:
            self._instances[moment] = rule_instances(self._here, moment)
        # In depth, what is needed now comes first although it may have been wanted before.
        if new or self._turns >= _BROAD:
            self._queue.append(moment)

    def _consider(self, instance: Instance) -> None:
        if not self._try(instance):
            for needed in self._needed(*instance[1:]):
                self._waiting.setdefault(needed, []).append(instance)
                self._want(needed)

    def _needed(self, number: int, binding: terms.Binding) -> Iterator[Moment]:
        for literal in self._here.program.rules[number - 1].body:
            for pattern, positive, _ in atoms(literal):
                if positive and terms.signature(pattern) in self._names:
                    atom = terms.substitute(pattern, binding)
                    yield from (
                        (u, atom) for u in self._here.view.times(atom) if (u, atom) not in self._known
                    )

    def _try(self, instance: Instance) -> bool:
        """Derive the head of a rule instance if its body needs only atoms derived before; return the success.

        If a rule instance derives its head, rule instances that waited for this atom are tried again.
        """
        left = [instance]
        for moment, number, binding in left:
            if moment not in self._known:
                rule_instance = step(self._proving, moment, number, binding)
                if rule_instance is not None:
                    self._known[moment] = rule_instance
                    left.extend(self._waiting.pop(moment, ()))
        return instance[0] in self._known


class Prover:
    """Finds proofs of the atoms in one answer stream at its reference time.

    >>> from lars.text.notation import read
    >>> from lars.language.stream import stream_of
    >>> from lars.language.windows import Interval
    >>> p, e = terms.Atom("p"), terms.Atom("e")
    >>> here = world(read("p ← ⊞^3 ◇ e."), stream_of(Interval(0, 9), [(4, e)]), [(6, p)], 6)
    >>> [(t, str(atom)) for t, atom in Prover(here).proof((6, p))]
    [(6, 'p'), (4, 'e')]
    """

    def __init__(self, here: IndexedPoint) -> None:
        self.world = here
        self._known: dict[Moment, Support | None] = {}
        loops = {names: Loop(here, names) for names in positive_loops(here.program).values()}
        self._loops: dict[terms.Signature, Loop] = {
            name: loop for names, loop in loops.items() for name in names
        }

    def proof(self, goal: Moment) -> Proof | None:
        """Return a proof of the atom at its time, or None if the atom is not in the answer stream."""
        steps: dict[Moment, Support] = {}
        left = [goal]
        while left:
            moment = left.pop()
            if moment not in steps:
                support = self.support(moment)
                if support is None:
                    return None
                steps[moment] = support
                if isinstance(support, RuleInstance):
                    left.extend(reversed(tuple(rests_on(support.premises))))
        return steps

    def support(self, moment: Moment) -> Support | None:
        """Return the last step in the proof of the atom, or None if the atom is not in the answer stream."""
        if moment not in self._known:
            self._known[moment] = self._search(moment)
        return self._known[moment]

    def _search(self, moment: Moment) -> Support | None:
        t, atom = moment
        here = self.world
        if atom in here.view.background:
            return "background"
        if not here.view.has(atom, t):
            return None
        loop = self._loops.get(terms.signature(atom))
        if moment in here.intensional_input or atom in here.view.input_times:
            return "input"
        if loop is not None:
            return loop.derive(moment)
        for number, binding in rule_instances(here, moment):
            return step(here, moment, number, binding)
        return None


def provers(  # noqa: PLR0913, PLR0917
    program: Program,
    data: Stream,
    derived: frozenset[Moment],
    t: int,
    background: Iterable[terms.Atom] = (),
    evaluate: Evaluate = refuse,
) -> Iterator[Prover]:
    """Yield a prover for each choice of atoms in windows under which `derived` is an answer stream.

    Only tuple windows with ties `choose` offer a choice. If the program has only one choice, the function
    yields its prover without a check, since a solver computed the derived atoms.
    """
    decided = not choosing_windows(program)
    for stream in choices(program, data, t):
        prover = Prover(world(program, stream, derived, t, background, evaluate))
        if decided or is_answer(prover):
            yield prover


def is_answer(prover: Prover) -> bool:
    """Return whether each derived atom has a proof, and each rule whose body holds has a head that holds."""
    here = prover.world
    derived = ((u, atom) for u, atoms in here.stream.derived.items() for atom in atoms)
    if not all(prover.proof(moment) for moment in derived):
        return False
    heads = (
        derived_moment(here, rule, binding)
        for rule in here.program.proper_rules
        for binding in body_bindings(here, rule.body, {})
    )
    return all(head is not None and here.holds(head) for head in heads)
