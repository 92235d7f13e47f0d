"""Property paths as patterns, as far as SPARQL 1.1 has patterns for them (Section 18.2.2.4).

A sequence joins on a variable of its own, an alternative is a UNION, an inverse swaps its ends.
What stays a PathPattern is a repetition or a negated set in one direction.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import assert_never

from lars.terms import Term, Variable
from translate.paths import Alternative, Inverse, Link, Negated, Path, Repeated, Sequence
from translate.patterns import (
    EMPTY,
    Bgp,
    Join,
    PathPattern,
    Pattern,
    StreamBlock,
    TriplePattern,
    Union,
)
from translate.rebuilding import rebuilt


def without_paths(pattern: Pattern, taken: frozenset[Variable]) -> Pattern:
    """Return the pattern, also inside EXISTS, with every path as patterns; its new variables are not `taken`.

    >>> from lars.terms import Iri
    >>> path = Sequence(Link(Iri("p")), Inverse(Link(Iri("q"))))
    >>> print(without_paths(PathPattern(Variable("x"), path, Variable("y")), frozenset()))
    {?x <p> ?_p0 . ?y <q> ?_p0}
    """
    fresh = _fresh(taken)

    def change(part: Pattern) -> Pattern | None:
        match part:
            case PathPattern(subject, path, object_):
                return walked(subject, path, object_, fresh)
            case StreamBlock(_, _, PathPattern(subject, path, object_)):
                return _in_stream(replace(part, pattern=EMPTY), walked(subject, path, object_, fresh))
            case _:
                return None

    return rebuilt(pattern, change)


def _fresh(taken: frozenset[Variable]) -> Iterator[Variable]:
    prefix = "_p"
    while any(variable.name.startswith(prefix) for variable in taken):
        prefix = f"_{prefix}"
    return (Variable(f"{prefix}{number}") for number in count())


def walked(subject: Term, path: Path, object_: Term, fresh: Iterator[Variable]) -> Pattern:
    """Return the pattern for subject path object."""
    match path:
        case Link(iri):
            return Bgp((TriplePattern(subject, iri, object_),))
        case Inverse(inner):
            return walked(object_, inner, subject, fresh)
        case Sequence(first, second):
            between = next(fresh)
            return _joined(walked(subject, first, between, fresh), walked(between, second, object_, fresh))
        case Alternative(one, other):
            return Union(walked(subject, one, object_, fresh), walked(subject, other, object_, fresh))
        case Negated(forward, backward) if forward and backward:
            return Union(
                PathPattern(subject, Negated(forward), object_),
                PathPattern(subject, Negated((), backward), object_),
            )
        case Repeated() | Negated():
            return PathPattern(subject, path, object_)
        case _:
            assert_never(path)


def _joined(left: Pattern, right: Pattern) -> Pattern:
    if isinstance(left, Bgp) and isinstance(right, Bgp):
        return Bgp((*left.triples, *right.triples))
    return Join(left, right)


def _in_stream(block: StreamBlock, pattern: Pattern) -> Pattern:
    match pattern:
        case Join(left, right) | Union(left, right):
            return type(pattern)(_in_stream(block, left), _in_stream(block, right))
        case Bgp() | PathPattern():
            return replace(block, pattern=pattern)
        case _:
            raise AssertionError(pattern)
