"""Property paths: the expressions of SPARQL 1.1, Section 9, that can stand in a predicate's place."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from lars.language.terms import Iri


@dataclass(frozen=True, slots=True)
class Link:
    """One step along a property."""

    iri: Iri

    def __str__(self) -> str:
        return str(self.iri)


@dataclass(frozen=True, slots=True)
class Inverse:
    """^path: from object to subject."""

    path: "Path"

    def __str__(self) -> str:
        return f"^{self.path}"


@dataclass(frozen=True, slots=True)
class PathSequence:
    """path1 / path2."""

    left: "Path"
    right: "Path"

    def __str__(self) -> str:
        return f"({self.left}/{self.right})"


@dataclass(frozen=True, slots=True)
class Alternative:
    """path1 | path2."""

    left: "Path"
    right: "Path"

    def __str__(self) -> str:
        return f"({self.left}|{self.right})"


class Repetition(Enum):
    """How often a path is walked."""

    ZERO_OR_MORE = "*"
    ONE_OR_MORE = "+"
    ZERO_OR_ONE = "?"


@dataclass(frozen=True, slots=True)
class RepeatedPath:
    """path*, path+ or path?: connected by it, however many ways there are."""

    path: "Path"
    multiplicity: Repetition

    def __str__(self) -> str:
        return f"({self.path}){self.multiplicity.value}"


@dataclass(frozen=True, slots=True)
class NegatedSet:
    """!(p1|..|^q1|..): a property that is none of `forward`, or backwards none of `backward`.

    An empty part allows no step in its direction, except that !() is a step along any property.
    """

    forward: tuple[Iri, ...] = ()
    backward: tuple[Iri, ...] = ()

    def __str__(self) -> str:
        return f"!({'|'.join((*map(str, self.forward), *(f'^{iri}' for iri in self.backward)))})"


Path = Link | Inverse | PathSequence | Alternative | RepeatedPath | NegatedSet


def steps(path: Path) -> Iterator[Iri | None]:
    """Yield the properties along which the path walks; None for a negated set: nearly any."""
    match path:
        case Link(iri):
            yield iri
        case NegatedSet():
            yield None
        case Inverse(inner) | RepeatedPath(inner, _):
            yield from steps(inner)
        case PathSequence(one, other) | Alternative(one, other):
            yield from steps(one)
            yield from steps(other)
        case _:
            assert_never(path)


def can_stay(path: Path) -> bool:
    """Whether the path connects a term with itself by no step, though it be no node of the graph.

    A sequence does not: what lies between its parts is a node (18.4).
    """
    match path:
        case Link() | NegatedSet() | PathSequence():
            return False
        case Inverse(inner):
            return can_stay(inner)
        case Alternative(one, other):
            return can_stay(one) or can_stay(other)
        case RepeatedPath(inner, often):
            return often is not Repetition.ONE_OR_MORE or can_stay(inner)
        case _:
            assert_never(path)
