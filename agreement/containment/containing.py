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

from agreement.containment.by_windows import by_placements, remaining
from agreement.containment.canonical import OneQuery, blockers, counterexample
from agreement.containment.findings import Containment, Holds, TimeLimitError, refuted
from agreement.containment.forms import same
from agreement.containment.walks import LONGEST, has_paths, walked
from agreement.containment.well_designed import by_trees
from agreement.disjuncts import Disjunct, UncountedError, Unsatisfiable, Wanted, models, satisfiability
from lars.errors import LarsError
from translate.analysis import parts
from translate.patterns import Group
from translate.query import Form

_MOST_MODELS: Final = 30


def contained(one: OneQuery, other: OneQuery) -> Containment:
    """Return whether each answer of one query is an answer of the other, at every time."""
    _check_forms(one, other)
    if _alike(one, other):
        return Containment(Holds.YES, "the two have one pattern, up to order and hidden names")
    try:
        mine = [each for each in one.disjuncts if not isinstance(satisfiability(each), Unsatisfiable)]
        sufficient = tuple(each for each in other.plain if not each.loose)
    except UncountedError as error:
        return Containment(Holds.OPEN, str(error))
    left_open = ""
    for number, each in enumerate(mine):
        try:
            found = _covered(one, other, each, sufficient)
        except TimeLimitError as error:
            done = f"{number} of the {len(mine)} disjuncts of its query are covered or left open"
            return Containment(Holds.OPEN, f"{error}: {done}")
        if found.holds is Holds.NO:
            return found
        left_open = left_open or (found.why if found.holds is Holds.OPEN else "")
    if not left_open and not _uncovered(one):
        return Containment(Holds.YES, _WHY.format(len(mine)))
    if any(map(has_paths, mine)) and (against := _on_walks(one, other)) is not None:
        return against
    return by_trees(one, other) or Containment(Holds.OPEN, left_open or _uncovered(one))


_WHY: Final = "each of its disjuncts that can be satisfied ({}) has a mapping from one of the other's"


def _on_walks(one: OneQuery, other: OneQuery) -> Containment | None:
    """Return the data that refute it with so many steps of each path, None where none do."""
    for count in range(1, LONGEST + 1):
        shorter = replace(one, query=replace(one.query, pattern=walked(one.query.pattern, count)))
        for each in shorter.disjuncts:
            found = _covered(one, other, each, ())
            if found.holds is Holds.NO:
                return found
    return None


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
    if any(isinstance(part, Group) for part in parts(one.pattern)):
        return "an aggregate"
    # Such a walk may go through several windows and the static data.
    merged = one.merged and any(map(has_paths, one.plain))
    return "a path of any length in windows that are merged" if merged else ""


def _covered(
    one: OneQuery, other: OneQuery, disjunct: Disjunct, targets: tuple[Disjunct, ...]
) -> Containment:
    """Return whether the rows of one disjunct are answers of the other query."""
    images: list[tuple[Wanted, ...]] = []
    compared = one.query.dataset == other.query.dataset and not _sliced(other)
    for target in targets if compared and one.result == other.result else ():
        for image in islice(other.mapper.mappings(target, disjunct), _MOST_MODELS):
            conditions = other.mapper.conditions(target, image)
            wanted = None if conditions is None else remaining(conditions, disjunct)
            if wanted == ():
                return Containment(Holds.YES, "")
            if wanted is not None:
                images.append(wanted)
    comparable = targets if compared and one.result == other.result else ()
    found = by_placements(one, other, disjunct, comparable)
    if found.holds is not Holds.OPEN or has_paths(disjunct):
        return found
    rest = _by_cases(one, other, disjunct, images)
    return found if rest.holds is Holds.OPEN and not disjunct.loose else rest


def covered(one: OneQuery, other: OneQuery, disjunct: Disjunct, targets: tuple[Disjunct, ...]) -> bool:
    """Whether mappings of the targets cover the matches of a disjunct at every time."""
    return by_placements(one, other, disjunct, targets).holds is Holds.YES


def _sliced(one: OneQuery) -> bool:
    return one.query.modifiers.slices


def _by_cases(
    one: OneQuery, other: OneQuery, disjunct: Disjunct, images: list[tuple[Wanted, ...]]
) -> Containment:
    """Return what models say in which none of the images' conditions hold."""
    found, whole = models(disjunct, images, _MOST_MODELS, one.deadline.check)
    for model in found:
        for more in ((), *blockers(other, disjunct)):
            against = counterexample(one, other, disjunct, model, more)
            if against is not None:
                return refuted(against, columns=one.result == other.result)
    if not found and whole and images:
        return Containment(Holds.YES, "")
    return Containment(Holds.OPEN, disjunct.loose or "conditions that are tried, not decided")
