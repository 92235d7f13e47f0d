"""MINUS that removes every row: its right side always matches the left side's match.

Let the right side's patterns map into those of a left disjunct, in the same windows and graphs, with each
shared variable mapped onto itself. Then a match of the disjunct is one of the right side too, with the same
values: the row is removed, in windows merged into one graph as well.
"""

from collections.abc import Mapping

from agreement.proving.disjuncts.edges import Edge, matched
from agreement.proving.disjuncts.splitting import Disjunct, disjuncts
from lars.language.terms import Term, Variable
from translate.analysis import rebuild
from translate.model import patterns as algebra
from translate.model.patterns import Pattern, variables
from translate.model.query import Profile


def without_removed(pattern: Pattern, profile: Profile) -> Pattern:
    """Return the pattern with nothing in the place of each MINUS that removes every row."""

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
    """Whether the edges map into those of a disjunct, extending `image`."""
    if not edges:
        return True
    first, *rest = edges
    near = (edge.triple.terms for edge in disjunct.edges if edge.where == first.where)
    images = (matched(first.triple.terms, terms, image) for terms in near)
    return any(grown is not None and _maps(tuple(rest), disjunct, grown) for grown in images)
