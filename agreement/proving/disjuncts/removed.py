"""Find each MINUS that removes every row, because its right side always matches if its left side matches.

Assume that the right side's patterns map into the patterns of an alternative (disjunct) of the left side, in
the same windows and graphs, and that each shared variable maps to itself. Under this assumption, each match
of the left side is also a match of the right side with the same values, so MINUS removes the row. This also
holds if windows are merged into one graph.
"""

from collections.abc import Mapping
from dataclasses import replace

from agreement.proving.disjuncts.edges import Edge, Where, matched
from agreement.proving.disjuncts.splitting import Disjunct, disjuncts
from lars.language.terms import Term, Variable
from translate.analysis import rebuild
from translate.model import patterns as algebra
from translate.model.patterns import Pattern, variables
from translate.model.query import Profile


def without_removed(pattern: Pattern, profile: Profile) -> Pattern:
    """Return the pattern with an empty result in place of each MINUS that removes every row."""

    def change(part: Pattern) -> Pattern | None:
        if not isinstance(part, algebra.Minus):
            return None
        shared = variables(part.left) & variables(part.right)
        looking = [
            disjunct
            for disjunct in disjuncts(part.right, profile)
            if _is_plain(disjunct) and shared <= disjunct.bound
        ]
        ways = disjuncts(part.left, profile) if shared else ()
        removed = ways and all(
            shared <= disjunct.bound
            and any(_maps(other.edges, disjunct, {n: n for n in shared}) for other in looking)
            for disjunct in ways
        )
        return algebra.Values((), ()) if removed else None

    return rebuild(pattern, change)


def _is_plain(disjunct: Disjunct) -> bool:
    return not (
        disjunct.values or disjunct.computed or disjunct.requirements or disjunct.loose or disjunct.unknown
    )


def _maps(edges: tuple[Edge, ...], disjunct: Disjunct, image: Mapping[Variable, Term]) -> bool:
    """Return whether some mapping of variables maps each edge to an edge of a disjunct.

    An edge is a triple pattern with its source. The mapping must extend the mapping `image`.
    """
    if not edges:
        return True
    first, *rest = edges
    # A variable that names a graph or stream is mapped too: a sub-SELECT can hide it under any name.
    near = (edge.terms for edge in disjunct.edges if _is_alike(first.where, edge.where))
    images = (matched(first.terms, terms, image) for terms in near)
    return any(grown is not None and _maps(tuple(rest), disjunct, grown) for grown in images)


def _is_alike(where: Where, other: Where) -> bool:
    """Return whether two sources are equal, or differ only in the variable that names them."""
    if isinstance(where.name, Variable) and isinstance(other.name, Variable):
        return replace(where, name=other.name) == other
    return where == other
