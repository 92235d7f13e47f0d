"""Two readings of one query as sides: its bounds, its trigger or its profile; both sides are pushed."""

from dataclasses import replace
from typing import Final

from agreement.inputs import cut
from lars.errors import LarsError
from lars.windows import Bounds
from solver.job import ask
from solver.search import Contest
from translate.query import EngineQuery, Profile, Setting
from translate.tau import Trigger, answered, push, translated

SideReading = Bounds | Trigger | Profile
_KINDS: Final = (Bounds, Trigger, Profile)


def read_sides(text: str) -> tuple[SideReading, SideReading]:
    """Return the two readings of `closed,high-open`; raises LarsError for other texts.

    >>> read_sides("any,matching")
    (<Trigger.ANY: 'any'>, <Trigger.MATCHING: 'matching'>)
    """
    for kind in _KINDS:
        named = {one.value: one for one in kind}
        parts = text.split(",")
        if len(set(parts)) == len(parts) == 2 and set(parts) <= named.keys():  # noqa: PLR2004
            return named[parts[0]], named[parts[1]]
    accepted = "; ".join(", ".join(one.value for one in kind) for kind in _KINDS)
    raise LarsError(f"--sides {cut(text)}: accepted: A,B, two of one of: {accepted}")


def two_readings(
    query: EngineQuery, sides: tuple[SideReading, SideReading], setting: Setting, trigger: Trigger
) -> Contest:
    """Return push of a query read in two ways, compared at each time point at which either evaluates."""
    left, right = (_read(setting, trigger, side) for side in sides)
    one, other = (
        ask(push(translated(query, how), fires), answered(query, how).predicate)
        for how, fires in (left, right)
    )
    return Contest(one, other, 1)


def _read(setting: Setting, trigger: Trigger, side: SideReading) -> tuple[Setting, Trigger]:
    match side:
        case Bounds():
            return replace(setting, bounds=side), trigger
        case Profile():
            return replace(setting, profile=side), trigger
        case Trigger():
            return setting, side
