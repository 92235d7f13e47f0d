"""Is each answer of one query one of another, at every time, on every stream and static data.

C1. If each disjunct of A maps into by a disjunct of B (its edges are A's edges, in windows that show at
least as much, its result is the same), and A's conditions imply those of some such images, A is
contained: a match of A's disjunct is, through the mapping, one of B's. (Chandra and Merlin 1977;
Sagiv and Yannakakis 1980 for UNION; van der Meyden 1997 for comparisons.)

C2. Else let the disjunct's variables be constants, its triples as old as their windows allow: on that
canonical data A has the row. If B has it as well, B matches, which for patterns without conditions is
a mapping: so for these one of C1 and C2 decides. With conditions each region that they cut out has
its own canonical data; a row that B lacks on one of them refutes, and what neither decides is open.

C3 (OPTIONAL, no projection, no conditions, well-designed, one branch of B): see `well_designed`.
"""

from dataclasses import replace
from itertools import islice
from typing import Final

from agreement.containment.canonical import OneQuery, blockers, counterexample
from agreement.containment.findings import Containment, Holds, refuted
from agreement.containment.forms import same
from agreement.containment.mappings import Image
from agreement.containment.well_designed import by_trees
from agreement.disjuncts import (
    Disjunct,
    UncountedError,
    Unsatisfiable,
    Wanted,
    edge_under,
    models,
    satisfiability,
)
from lars.errors import LarsError
from lars.semantics import put_terms
from lars.terms import Variable
from translate.analysis import parts, without_paths
from translate.patterns import Group, PathPattern
from translate.query import Form

_MOST_MODELS: Final = 30


def decided(one: OneQuery, other: OneQuery) -> Containment:
    """Return whether each answer of one query is an answer of the other, as far as C1 to C3 say."""
    _check_forms(one, other)
    if _alike(one, other):
        return Containment(Holds.YES, "the two have one pattern, up to order and hidden names")
    try:
        mine = [each for each in one.disjuncts if not isinstance(satisfiability(each), Unsatisfiable)]
        sufficient = tuple(each for each in other.plain if not each.unsure)
    except UncountedError as error:
        return Containment(Holds.OPEN, str(error))
    left_open = ""
    for each in mine:
        found = _covered(one, other, each, sufficient)
        if found.holds is Holds.NO:
            return found
        left_open = left_open or (found.why if found.holds is Holds.OPEN else "")
    if not left_open and not _uncovered(one):
        return Containment(Holds.YES, _WHY.format(len(mine)))
    return by_trees(one, other) or Containment(Holds.OPEN, left_open or _uncovered(one))


_WHY: Final = "each of its disjuncts that can be satisfied ({}) has a mapping from one of the other's"


def _check_forms(one: OneQuery, other: OneQuery) -> None:
    forms = {one.query.form, other.query.form}
    if len(forms) > 1 or not forms <= {Form.SELECT, Form.ASK}:
        found = ", ".join(sorted(form.value for form in forms))
        raise LarsError(f"found {found}; accepted: two SELECT, or two ASK queries")


def _alike(one: OneQuery, other: OneQuery) -> bool:
    alike = one.result == other.result and one.query.modifiers == other.query.modifiers
    merged = frozenset(one.query.merged) == frozenset(other.query.merged)
    datasets = one.query.dataset == other.query.dataset
    shown = frozenset(one.result)
    return alike and merged and datasets and same(one.pattern, other.pattern, shown)


def _uncovered(one: OneQuery) -> str:
    """Return why the disjuncts of a query may not give all of its solutions, "" where they do."""
    for part in parts(without_paths(one.pattern, frozenset())):
        match part:
            case PathPattern():
                return "a path of any length"
            case Group():
                return "an aggregate"
            case _:
                pass
    return ""


def _covered(
    one: OneQuery, other: OneQuery, disjunct: Disjunct, targets: tuple[Disjunct, ...]
) -> Containment:
    """Return whether the rows of one disjunct are answers of the other query."""
    images: list[tuple[Wanted, ...]] = []
    compared = one.query.dataset == other.query.dataset and not _sliced(other)
    for target in targets if compared and one.result == other.result else ():
        for image in islice(other.mapper.mappings(target, disjunct), _MOST_MODELS):
            if not _is_kept(target, image, disjunct):
                continue
            conditions = other.mapper.conditions(target, image)
            if conditions == ():
                return Containment(Holds.YES, "")
            if conditions is not None:
                images.append(conditions)
    return _by_cases(one, other, disjunct, images)


def _is_kept(target: Disjunct, image: Image, disjunct: Disjunct) -> bool:
    """Whether nothing that is to be absent beside the target can match beside the disjunct, its image."""
    given = {name: term for name, term in target.given if term is not None}
    for way in (way for each in target.absent for way in each.ways):
        own = {name: Variable(f"{name.name} beside") for name in way.bound}
        names = own | given | image
        edges = (*disjunct.edges, *(edge_under(edge, names) for edge in way.edges))
        tests = (replace(test, expression=put_terms(test.expression, names)) for test in way.wanted)
        both = replace(disjunct, edges=edges, wanted=(*disjunct.wanted, *tests))
        if not isinstance(satisfiability(both), Unsatisfiable):
            return False
    return True


def _sliced(one: OneQuery) -> bool:
    return one.query.modifiers.slices


def _by_cases(
    one: OneQuery, other: OneQuery, disjunct: Disjunct, images: list[tuple[Wanted, ...]]
) -> Containment:
    """Return what models say in which none of the images' conditions hold."""
    found, whole = models(disjunct, images, _MOST_MODELS)
    for more in ((), *blockers(other, disjunct)):
        beside = replace(disjunct, edges=(*disjunct.edges, *more))
        for model in models(beside, images, _MOST_MODELS)[0] if more else found:
            against = counterexample(one, other, disjunct, model, more)
            if against is not None:
                return refuted(against, columns=one.result == other.result)
    if not found and whole and images:
        return Containment(Holds.YES, "")
    return Containment(Holds.OPEN, disjunct.loose or "conditions that are tried, not decided")
