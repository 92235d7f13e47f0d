"""Containment of one disjunct, decided for each way in which its arrivals can lie in windows (C4)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Final

from agreement.containment.canonical import OneQuery, Placed, blockers, difference_on, newest
from agreement.containment.findings import Containment, Holds, refuted
from agreement.containment.placements import ArrivalPlacement, UnplacedError, placements
from agreement.containment.walks import has_paths
from agreement.disjuncts import Disjunct, Edge, Model, Wanted, invented, models
from lars.program import variables as named_in
from lars.terms import Variable

_MOST_MODELS: Final = 30
_MOST_TRIED: Final = 64
"""Placements with a model that no disjunct covers, of which data are made."""


def by_placements(
    one: OneQuery, other: OneQuery, disjunct: Disjunct, targets: Sequence[Disjunct]
) -> Containment:
    """Return whether each match of a disjunct is one of the targets', wherever its arrivals lie.

    Raises TimeLimitError.
    """
    left_open, tried, seen = "", 0, set[object]()
    try:
        for placement in placements(one, other, disjunct):
            one.deadline.check()
            key = frozenset(placement.seen.items()), placement.equal
            if key in seen:
                continue
            seen.add(key)
            found, whole = _uncovered(other, disjunct, placement, targets)
            if whole:
                continue
            left_open = left_open or _REASON
            tried += 1
            against = _refuting(one, other, disjunct, placement, found) if tried <= _MOST_TRIED else None
            if against is not None:
                return against
    except UnplacedError as error:
        left_open = str(error)
    return Containment(Holds.OPEN, left_open) if left_open else Containment(Holds.YES, "")


_REASON: Final = "no mapping covers all of its matches, and no data that were tried refute it"


def _uncovered(
    other: OneQuery, disjunct: Disjunct, placement: ArrivalPlacement, targets: Sequence[Disjunct]
) -> tuple[list[Model], bool]:
    """Return models of a placement that no image of a target covers, and whether there can be none."""
    mapper = replace(other.mapper, shown=placement.shows)
    images: list[tuple[Wanted, ...]] = []
    for target in targets:
        for image in islice(mapper.mappings(target, disjunct), _MOST_MODELS):
            conditions = mapper.conditions(target, image)
            wanted = None if conditions is None else remaining(conditions, disjunct)
            if wanted == ():
                return [], True
            if wanted is not None:
                images.append(wanted)
    joined = replace(disjunct, wanted=(*disjunct.wanted, *placement.equal))
    found, whole = models(joined, tuple(dict.fromkeys(images)), _MOST_MODELS, other.deadline.check)
    return found, whole and not found


def remaining(conditions: Iterable[Wanted], disjunct: Disjunct) -> tuple[Wanted, ...] | None:
    """Return the conditions that the disjunct's own do not imply; None where they exclude one of them."""
    found: list[Wanted] = []
    for test in dict.fromkeys(conditions):
        implied = test in disjunct.wanted or _implied(disjunct, test)
        if implied is False and _excluded(disjunct, test):
            return None
        found += () if implied else (test,)
    return tuple(found)


@lru_cache(maxsize=4096)
def _implied(disjunct: Disjunct, test: Wanted) -> bool:
    return _has_none(_about(disjunct, test), ((test,),))


@lru_cache(maxsize=4096)
def _excluded(disjunct: Disjunct, test: Wanted) -> bool:
    near = _about(disjunct, test)
    return _has_none(replace(near, wanted=(*near.wanted, test)), ())


def _has_none(disjunct: Disjunct, barred: tuple[tuple[Wanted, ...], ...]) -> bool:
    found, whole = models(disjunct, barred, 1)
    return whole and not found


def _about(disjunct: Disjunct, test: Wanted) -> Disjunct:
    """Return the disjunct with those conditions that look at variables of a test: what they imply, all do."""
    names = named_in(test.expression)
    return replace(
        disjunct, wanted=tuple(each for each in disjunct.wanted if named_in(each.expression) & names)
    )


def _refuting(
    one: OneQuery, other: OneQuery, disjunct: Disjunct, placement: ArrivalPlacement, found: Sequence[Model]
) -> Containment | None:
    if has_paths(disjunct):
        return None
    for more in ((), *blockers(other, disjunct)):
        for model in found:
            one.deadline.check()
            data = [*placement.data(disjunct, model), *_beside(more, model, placement.t, one)]
            against = difference_on(one, other, data, placement.t)
            if against is not None:
                return refuted(against, columns=one.result == other.result)
    return None


def _beside(more: Sequence[Edge], model: Model, t: int, one: OneQuery) -> Iterator[Placed]:
    names = frozenset[Variable]().union(*(named_in(term) for edge in more for term in edge.triple.terms))
    whole = Model({name: invented(name) for name in names} | dict(model.terms))
    return (newest(edge, whole, t, one.setting) for edge in more)
