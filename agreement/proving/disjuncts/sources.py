"""Decide whether each triple pattern can match only one source, so that derived CQELS queries agree (A6).

A source is the static data, or a stream that is read through one window. A source contains the matches of its
own patterns, and triples that match no pattern. If each pattern can match only its own source, the C-SPARQL
query and all derived CQELS queries have the same answers at every time (theorem A6).

Proof: C-SPARQL matches a pattern p in the union of all sources, and CQELS matches p in the source of p. If a
triple of another source matches p, the triple is an instance of p and of a pattern of the other source, so
both patterns unify. If no two patterns of different sources unify, the union contains only the matches of p
from the source of p. The evaluation in single sources also gives the same rows for every operator over such
patterns. The second part of a derived cautious block, which reads the static data, has no match.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from agreement.proving.disjuncts.edges import Edge, GraphSource, Reading, Stock, Where, unify
from lars.language.terms import DEFAULT, Variable
from translate.analysis import children, without_paths
from translate.model import patterns as algebra
from translate.model.patterns import Pattern, RepeatedPath, TriplePattern

Overlap = tuple[Edge, Edge, str]
"""Two triple patterns of different sources that one triple can match, and the reason for this."""


def edges_of(pattern: Pattern) -> tuple[Edge, ...]:
    """Return all triple patterns of a query, including those in OPTIONAL and EXISTS, each with its source.

    Patterns of named graphs are left out, because named graphs are never merged with other sources.
    """
    edges = dict.fromkeys(_edges(without_paths(pattern), GraphSource()))
    return tuple(e for e in edges if isinstance(e.where, Reading) or e.where == GraphSource())


def _edges(pattern: Pattern, where: Where) -> Iterator[Edge]:
    match pattern:
        case algebra.Bgp(triples):
            yield from (Edge(triple, where) for triple in triples)
        case algebra.StreamBlock(stream, window, inner):
            yield from _edges(inner, Reading(stream, window))
        case algebra.Graph(name, inner) | algebra.Service(name, inner):
            yield from _edges(inner, GraphSource(name))
        case algebra.PathPattern(subject, RepeatedPath(inner) as path, object_):
            once = algebra.PathPattern(subject, inner, object_)
            yield from _edges(without_paths(once), where)
            if algebra.can_stay(path) and isinstance(subject, Variable) and isinstance(object_, Variable):
                # In zero steps, a path connects each node with itself, whatever triple has the node.
                yield Edge(TriplePattern(*map(Variable, ("_s", "_p", "_o"))), where)
        case algebra.PathPattern(subject, _, object_):
            names = (name for name in map(Variable, ("_p", "_q", "_r")) if name not in (subject, object_))
            yield Edge(TriplePattern(subject, next(names), object_), where)
        case _:
            for child in children(pattern):
                yield from _edges(child, where)


def overlaps(edges: Sequence[Edge], stock: Stock | None) -> Iterator[Overlap]:
    """Yield pairs of triple patterns that have different sources, but that the same triple can match.

    If `stock` contains static triples, pairs of a stream pattern and a triple in `stock` are also possible.
    """
    for one, other in combinations(edges, 2):
        if one.where == other.where:
            continue
        match one.where, other.where:
            case Reading(stream), Reading(again) if stream == again:
                yield one, other, "one stream is read through two windows"
            case _ if unify(one.triple, other.triple):
                # Also if static data are given: a triple of a stream can match a static pattern.
                yield one, other, "a triple can match both"
            case _:
                pass
    for edge in edges:
        if stock is not None and isinstance(edge.where, Reading) and is_stored(edge.triple, stock):
            static = Edge(edge.triple, GraphSource())
            yield edge, static, "the given static data also match the pattern"


def is_stored(triple: TriplePattern, stock: Stock) -> bool:
    """Return whether a triple in the default graph of `stock` (the static data) matches a triple pattern."""
    return any(unify(triple, TriplePattern(*quad[:3])) for quad in stock if quad[3] == DEFAULT)
