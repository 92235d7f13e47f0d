"""Whether two sets of rows are the same but for the names of their blank nodes."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from solver.intervals import Row

if TYPE_CHECKING:
    from rdflib import Graph

_ROW = "urn:x-lars:row"


def alike(one: frozenset[Row], other: frozenset[Row]) -> bool:
    """Return whether renaming blank nodes, each to one of its own, turns one set into the other.

    >>> alike(frozenset({("_:a", "<x:p>")}), frozenset({("_:b", "<x:p>")}))
    True
    """
    if len(one) != len(other) or not (_has_blanks(one - other) and _has_blanks(other - one)):
        return one == other
    from rdflib.compare import isomorphic

    return bool(isomorphic(_graph(one), _graph(other)))


def alike_rows(one: Collection[Row], other: Collection[Row]) -> bool:
    """Return whether renaming blank nodes turns one multiset of rows into the other."""
    from rdflib.compare import isomorphic

    return len(one) == len(other) and bool(isomorphic(_graph(one), _graph(other)))


def _has_blanks(rows: frozenset[Row]) -> bool:
    return any(text is not None and text.startswith("_:") for row in rows for text in row)


def _graph(rows: Collection[Row]) -> "Graph":
    """Return a graph that has a node of its own for each row, with an edge to each of its terms."""
    from rdflib import BNode, Graph, Literal, URIRef

    graph = Graph()
    for row in rows:
        node = BNode()
        graph.add((node, URIRef(_ROW), Literal("row")))
        for place, text in enumerate(row):
            if text is not None:
                # A term's text stands for the term: two texts are equal exactly when the terms are.
                term = BNode(f"b{text[2:]}") if text.startswith("_:") else Literal(text)
                graph.add((node, URIRef(f"{_ROW}:{place}"), term))
    return graph
