"""Paths that are walked any number of times: as properties of their own, and as walks of so many steps.

As a property, a path stands for what it connects, whatever that is: what follows then follows of what it
does connect. A match of a path in B is any walk that its steps allow through the triples and paths of A.
Data are made from walks of few steps.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, assert_never

from agreement.disjuncts import Disjunct
from lars.terms import Iri, Symbol, Term
from translate import paths
from translate.analysis import occurring, rebuilt, without_paths
from translate.paths import Often, Path
from translate.patterns import Bgp, PathPattern, Pattern, StreamBlock, TriplePattern

LONGEST: Final = 3
"""Steps of the longest walks that data are made from."""
_Triple = tuple[Term, Term, Term]
_Pairs = frozenset[tuple[Term, Term]]


@dataclass(frozen=True, slots=True)
class PathName(Symbol):
    """A path in the place of a property: what it connects is not said by triples."""

    path: Path


def named(pattern: Pattern) -> Pattern:
    """Return the pattern with each path of any length, and each negated one, as a property of its own."""

    def change(part: Pattern) -> Pattern | None:
        match part:
            case PathPattern():
                return _as_triple(part)
            case StreamBlock(_, _, PathPattern() as inner):
                return replace(part, pattern=_as_triple(inner))
            case _:
                return None

    return rebuilt(without_paths(pattern, occurring(pattern)), change)


def _as_triple(part: PathPattern) -> Bgp:
    return Bgp((TriplePattern(part.subject, PathName(str(part.path), part.path), part.object),))


def walked(pattern: Pattern, count: int) -> Pattern:
    """Return the pattern with `count` steps for each path that can be walked any number of times."""

    def change(part: Pattern) -> Pattern | None:
        match part:
            case PathPattern(_, path, _):
                return replace(part, path=_steps(path, count))
            case StreamBlock(_, _, PathPattern(_, path, _) as inner):
                return replace(part, pattern=replace(inner, path=_steps(path, count)))
            case _:
                return None

    return rebuilt(pattern, change)


def _steps(path: Path, count: int) -> Path:
    match path:
        case paths.Repeated(inner, often):
            one = _steps(inner, count)
            whole = one
            for _ in range(1 if often is Often.ZERO_OR_ONE else count, 1, -1):
                whole = paths.Sequence(one, whole)
            return whole
        case paths.Inverse(inner):
            return paths.Inverse(_steps(inner, count))
        case paths.Sequence(left, right) | paths.Alternative(left, right):
            return type(path)(_steps(left, count), _steps(right, count))
        case paths.Link() | paths.Negated():
            return path
        case _:
            assert_never(path)


def has_paths(one: Disjunct) -> bool:
    """Whether a path is a property of its own in a disjunct."""
    return any(isinstance(edge.triple.predicate, PathName) for edge in one.edges)


def walks(path: Path, triples: Sequence[_Triple]) -> _Pairs:
    """Return the ends of walks along a path through triples, among them those of other paths.

    >>> from lars.terms import Variable
    >>> x, y, z, p = Variable("x"), Variable("y"), Variable("z"), Iri("p")
    >>> found = walks(paths.Repeated(paths.Link(p), Often.ONE_OR_MORE), [(x, p, y), (y, p, z)])
    >>> sorted((str(a), str(b)) for a, b in found)
    [('?x', '?y'), ('?x', '?z'), ('?y', '?z')]
    """
    own = frozenset((s, o) for s, p, o in triples if isinstance(p, PathName) and _is_in(p.path, path))
    match path:
        case paths.Link(iri):
            return frozenset((s, o) for s, p, o in triples if p == iri)
        case paths.Inverse(inner):
            return own | frozenset((o, s) for s, o in walks(inner, triples))
        case paths.Sequence(left, right):
            return own | _joined(walks(left, triples), walks(right, triples))
        case paths.Alternative(left, right):
            return own | walks(left, triples) | walks(right, triples)
        case paths.Negated(forward, backward):
            ahead = {(s, o) for s, p, o in triples if isinstance(p, Iri) and p not in forward}
            back = {(o, s) for s, p, o in triples if isinstance(p, Iri) and p not in backward}
            return own.union(ahead if forward or not backward else (), back if backward else ())
        case paths.Repeated(inner, often):
            staying = frozenset((node, node) for node in _nodes(triples))
            start = own | walks(inner, triples)
            found = start if often is Often.ZERO_OR_ONE else _closed(start)
            return found if often is Often.ONE_OR_MORE else found | staying
        case _:
            assert_never(path)


def _is_in(one: Path, other: Path) -> bool:
    """Whether what one path connects, the other is known to connect too."""
    if one == other:
        return True
    match one, other:
        case paths.Alternative(left, right), _:
            return _is_in(left, other) and _is_in(right, other)
        case _, paths.Alternative(left, right):
            return _is_in(one, left) or _is_in(one, right)
        case paths.Repeated(inner, often), paths.Repeated(within, wider):
            return wider in (often, Often.ZERO_OR_MORE) and _is_in(inner, within)
        case _, paths.Repeated(within, _):
            return _is_in(one, within)
        case paths.Inverse(inner), paths.Inverse(within):
            return _is_in(inner, within)
        case _:
            return False


def _joined(left: _Pairs, right: _Pairs) -> _Pairs:
    return frozenset((s, o) for s, middle in left for start, o in right if start == middle)


def _closed(pairs: _Pairs) -> _Pairs:
    whole = pairs
    while not (more := _joined(whole, pairs)) <= whole:
        whole |= more
    return whole


def _nodes(triples: Sequence[_Triple]) -> Iterator[Term]:
    for subject, predicate, object_ in triples:
        if not isinstance(predicate, PathName):
            yield from (subject, object_)
