"""Two readings of ¬ in what must be minimal, the FLP reduct and the founded one, and what nothing founds."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from lars.analysis import reachable, windows_of
from lars.language.formulas import At, BodyLiteral, Box, Diamond, Formula, In, Not, Truth
from lars.language.program import Program, Rule, formulas, head_atom, set_literals
from lars.language.stream import Moment, Stream, cut
from lars.language.terms import Atom, Constant, Number, Signature, Variable, signature
from lars.language.windows import Window
from lars.semantics.definitions import Background, holds
from lars.semantics.grounding import GroundRule


class NegationReading(Enum):
    """What decides an outermost ¬α in a smaller stream: that stream, or the interpretation."""

    FLP = "FLP"
    FOUNDED = "founded"


@dataclass(frozen=True, slots=True)
class ReferencePoint:
    """Where a stream is judged: the reference time, the background B, and how ¬ is read."""

    t: int
    background: Background = frozenset()
    reading: NegationReading = NegationReading.FLP

    def holds(self, formula: Formula, stream: Stream) -> bool:
        """Return whether a formula holds in a stream."""
        return holds(formula, stream, self.t, self.background)

    def holds_below(self, formula: Formula, smaller: Stream, larger: Stream) -> bool:
        """Return whether a formula holds in a stream below the interpretation `larger`."""
        deciding = larger if self.reading is NegationReading.FOUNDED else None
        return holds(formula, smaller, self.t, self.background, deciding)


def circular_through_negation(program: Program) -> tuple[Rule, ...]:
    """Return the rules through which the readings may differ; without one they coincide.

    They are the rules with an atom under 2, 4, … ¬ that depends on the rule's head. Only atoms
    under an even number of ¬ count for that, since ¬q never supports anything. Proof: of an answer
    stream that is founded and not FLP, each atom that FLP cannot derive is derived by means of
    another one, plainly or under an even number of ¬; plain steps cannot go on for ever.

    >>> circular = Rule(Atom("p"), (Not(Not(Atom("p"))),))
    >>> len(circular_through_negation(Program((circular, Rule(Atom("q"), (Not(Not(Atom("p"))),))))))
    1
    """
    below: dict[Signature, set[Signature]] = {}
    for rule in program.rules:
        for head, used, _ in _supports(rule):
            below.setdefault(head, set()).add(used)
    return tuple(
        rule
        for rule in program.rules
        if any(
            negations and (head == used or head in reachable(used, below))
            for head, used, negations in _supports(rule)
        )
    )


def _supports(rule: Rule) -> Iterator[tuple[Signature, Signature, int]]:
    """Yield head, predicate and number of ¬ for each atom of the body under an even number of them."""
    head = head_atom(rule)
    for literal in () if head is None else rule.body:
        for atom, negations in _negated(literal, 0):
            if head is not None and negations % 2 == 0:
                yield signature(head), signature(atom), negations


def _negated(literal: BodyLiteral, negations: int) -> Iterator[tuple[Atom, int]]:
    match literal:
        case Atom():
            yield literal, negations
        case Not(inner):
            yield from _negated(inner, negations + 1)
        case Diamond(inner) | Box(inner) | At(_, inner) | In(_, inner):
            yield from _negated(inner, negations)
        case _:
            return


@dataclass(frozen=True, slots=True)
class Instance:
    """A rule of the program, and what it is with constants for its variables, conditions decided.

    The ground rule leaves out gathered literals, which hold: `bindings` is what they bind.
    """

    rule: Rule
    ground: GroundRule
    bindings: tuple[tuple[Variable, Constant], ...] = ()

    @property
    def values(self) -> Mapping[Variable, Constant]:
        """The constants of the variables that stand in the head or in a formula of the body."""
        pairs = [*zip(formulas(self.rule.body), self.ground.body, strict=True)]
        if self.rule.head is not None and self.ground.head is not None:
            pairs.append((self.rule.head, self.ground.head))
        terms = (pair for pattern, put in pairs for pair in values_in(pattern, put))
        return dict(sorted({*self.bindings, *terms}))

    def __str__(self) -> str:
        body = (*self.ground.body, *set_literals(self.rule.body))
        return str(Rule(self.ground.head, body or (Truth(),)))


def values_in(pattern: Formula, put: Formula) -> Iterator[tuple[Variable, Constant]]:
    """Yield what the variables of a formula are in a ground instance of it."""
    match pattern, put:
        case Atom(_, arguments), Atom(_, constants):
            for term, constant in zip(arguments, constants, strict=True):
                if isinstance(term, Variable) and not isinstance(constant, Variable):
                    yield term, constant
        case At(time, inner), At(Number() as moment, below):
            if isinstance(time, Variable):
                yield time, moment
            yield from values_in(inner, below)
        case (
            (Not(inner), Not(below))
            | (Diamond(inner), Diamond(below))
            | (Box(inner), Box(below))
            | (In(_, inner), In(_, below))
        ):
            yield from values_in(inner, below)
        case _:
            return


@dataclass(frozen=True, slots=True)
class SupportLink:
    """A derived atom, a rule instance that derives it, and the formula by which `below` supports it."""

    head: Moment
    instance: Instance
    formula: Formula
    below: Moment

    @property
    def windows(self) -> tuple[Window, ...]:
        """The windows through which the support goes, outer ones first."""
        return tuple(windows_of(self.formula))


def circle(
    reduct: Sequence[Instance], unfounded: frozenset[Moment], least: Stream, point: ReferencePoint
) -> tuple[frozenset[Moment], tuple[SupportLink, ...]]:
    """Return the unfounded atoms that are the head of no rule, and if there is none, a circle.

    A rule of the reduct whose head is unfounded has a formula that fails in the least model, so it
    looks at a time where an unfounded atom is: from each atom a link leads to another one.
    """
    links: dict[Moment, SupportLink] = {}
    heads = [(moment_of(instance.ground.head, point.t), instance) for instance in reduct]
    # What the background has no rule needs to derive, so none supports it.
    supporting = [
        (head, instance)
        for head, instance in heads
        if head is not None and head in unfounded and head[1] not in point.background
    ]
    for head, instance in sorted(supporting, key=lambda pair: str(pair[1])):
        if head not in links:
            links[head] = _link(head, instance, unfounded, least, point)
    unsupported = unfounded - links.keys()
    return unsupported, () if unsupported else _closed(links)


def _link(
    head: Moment, instance: Instance, unfounded: Collection[Moment], least: Stream, point: ReferencePoint
) -> SupportLink:
    failing = [part for part in instance.ground.body if not point.holds(part, least)]
    moments = ((part, moment) for part in failing for moment in looked_at(part, least, point.t))
    chances = [(part, moment) for part, moment in moments if moment in unfounded]
    # An atom that supports itself is the shortest circle.
    part, below = min(chances, key=lambda chance: chance[1] != head)
    return SupportLink(head, instance, part, below)


def _closed(links: Mapping[Moment, SupportLink]) -> tuple[SupportLink, ...]:
    here = min(links, key=lambda moment: (moment[0], str(moment[1])))
    path: list[Moment] = []
    while here not in path:
        path.append(here)
        here = links[here].below
    return tuple(links[moment] for moment in path[path.index(here) :])


def moment_of(head: Atom | At | None, t: int) -> Moment | None:
    """Return the atom that a head derives at t, with its time; None when that is no time."""
    match head:
        case Atom():
            return t, head
        case At(Number(u), Atom() as atom):
            return u, atom
        case _:
            return None


def looked_at(formula: Formula, stream: Stream, t: int) -> Iterator[Moment]:
    """Yield each time at which the formula's truth at t can depend on its atom there."""
    match formula:
        case Atom():
            yield t, formula
        case Truth():
            return
        case Not(inner):
            yield from looked_at(inner, stream, t)
        case Diamond(inner) | Box(inner):
            for u in stream.timeline:
                yield from looked_at(inner, stream, u)
        case At(Number(u), inner):
            yield from looked_at(inner, stream, u) if u in stream.timeline else ()
        case At():
            return
        case In(window, inner):
            yield from looked_at(inner, cut(stream, window, t), t)
        case _:
            assert_never(formula)
