"""How atoms that nothing founds support each other: the rules and windows of one circle."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from lars.formulas import At, Box, Diamond, Formula, In, Not, Truth
from lars.grounding import GroundRule
from lars.program import Rule, formulas, gathered
from lars.reach import windows_of
from lars.readings import Point, holds_now
from lars.stream import Moment, Stream, cut
from lars.terms import Atom, Constant, Number, Variable
from lars.windows import Window


@dataclass(frozen=True, slots=True)
class Instance:
    """A rule of the program, and what it is with constants for its variables, conditions decided.

    The ground rule leaves out gathered literals, which hold: `gathered` is what they bind.
    """

    rule: Rule
    ground: GroundRule
    gathered: tuple[tuple[Variable, Constant], ...] = ()

    @property
    def values(self) -> Mapping[Variable, Constant]:
        """The constants of the variables that stand in the head or in a formula of the body."""
        pairs = [*zip(formulas(self.rule.body), self.ground.body, strict=True)]
        if self.rule.head is not None and self.ground.head is not None:
            pairs.append((self.rule.head, self.ground.head))
        found = (pair for pattern, put in pairs for pair in values_in(pattern, put))
        return dict(sorted({*self.gathered, *found}))

    def __str__(self) -> str:
        body = (*self.ground.body, *gathered(self.rule.body))
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
class Link:
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
    reduct: Sequence[Instance], unfounded: frozenset[Moment], least: Stream, point: Point
) -> tuple[frozenset[Moment], tuple[Link, ...]]:
    """Return the unfounded atoms that are the head of no rule, and if there is none, a circle.

    A rule of the reduct whose head is unfounded has a formula that fails in the least model, so it
    looks at a time where an unfounded atom is: from each atom a link leads to another one.
    """
    links: dict[Moment, Link] = {}
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
    head: Moment, instance: Instance, unfounded: Collection[Moment], least: Stream, point: Point
) -> Link:
    failing = [part for part in instance.ground.body if not holds_now(part, least, point)]
    found = ((part, moment) for part in failing for moment in looked_at(part, least, point.t))
    chances = [(part, moment) for part, moment in found if moment in unfounded]
    # An atom that supports itself is the shortest circle.
    part, below = min(chances, key=lambda chance: chance[1] != head)
    return Link(head, instance, part, below)


def _closed(links: Mapping[Moment, Link]) -> tuple[Link, ...]:
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
