"""A comparison of two profiles: where they part, what parts them there, and what does everywhere."""

from collections import Counter
from dataclasses import dataclass

from agreement.engines.engine import EngineRule
from agreement.judging.likeness import Likeness
from agreement.parting.causes import Cause, Parted, Search, parted
from agreement.parting.differences import Grouped, How, columns_of, differences, grouped
from agreement.parting.sides import Side, fields, sides, specification_of
from agreement.recordings.recording import Push, Report
from agreement.specifications.specification import Specification
from lars.errors import LarsError
from solver.progress import Progress, unwatched


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two profiles part: `places` are the pushes, or time units, at which either reports.

    `pushes` is None where reports are compared by time unit. `alone` are changes that undo every
    difference by themselves; `needed` the rules without each of which an engine version reports
    something else, None unless it is compared with its specification. `fields` are those in which the
    specifications differ that the profiles are or follow. `after` are reports of each side that no
    push triggers.
    """

    names: tuple[str, str]
    columns: tuple[str, ...]
    pushes: tuple[Push, ...] | None
    places: int
    parted: tuple[Parted, ...]
    causes: tuple[Cause, ...]
    alone: tuple[Cause, ...]
    needed: tuple[EngineRule, ...] | None
    fields: tuple[EngineRule, ...]
    after: tuple[tuple[Report, ...], tuple[Report, ...]]

    @property
    def same(self) -> bool:
        """Whether they report the same everywhere."""
        return not self.parted

    @property
    def frequencies(self) -> list[tuple[Cause, int]]:
        """Return what parts them and at how many places, the most frequent first."""
        found = Counter(cause for one in self.parted for cause in one.causes)
        order = {cause: n for n, cause in enumerate(self.causes)}
        return sorted(found.items(), key=lambda one: (-one[1], order[one[0]]))


def compared(
    first: Side, second: Side, likeness: Likeness, *, times: bool = True, progress: Progress = unwatched
) -> Parting:
    """Return where two profiles part on the same trace.

    By push, or by time unit where both are specifications: nothing then needs a push to show the
    time. Times count where both sides tell them. Raises LarsError for a query that cannot be run.
    """
    both = sides(first, second)
    by_time = all(isinstance(side.reporter, Specification) for side in both)
    pushes = None if by_time else first.given.pushes
    told = first.timed and second.timed
    search = Search(both, How(likeness, told, times, pushes, first.given.unit.milliseconds))
    found = parted(search, progress)
    one, other = search.grouped()
    return Parting(
        names=(first.name, second.name),
        columns=columns_of(*(side.reports() for side in both)),
        pushes=pushes,
        places=len({*one.places, *other.places}),
        parted=found,
        causes=search.causes,
        alone=tuple(cause for cause in search.causes if found and _undoes(search, cause)),
        needed=_needed(both, search.how),
        fields=tuple(fields(*map(specification_of, both))),
        after=(one.after, other.after),
    )


def _undoes(search: Search, cause: Cause) -> bool:
    return search.differences(frozenset(((cause.number, cause.rule.name),))) == {}


def _needed(both: tuple[Side, Side], how: How) -> tuple[EngineRule, ...] | None:
    """Return the rules of an engine version without which it reports something else on this trace."""
    for version, specified in (both, both[::-1]):
        if (
            isinstance(specified.reporter, Specification)
            and not isinstance(version.reporter, Specification)
            and specified.reporter.name == version.reporter.specification
            and not specified.changes
        ):
            return _needed_of(version, how)
    return None


def _needed_of(version: Side, how: How) -> tuple[EngineRule, ...]:
    off: frozenset[str] = frozenset()
    for rule in reversed(version.changes):
        without = off | {rule.name}
        if _alike(version, without, how):
            off = without
    return tuple(rule for rule in version.changes if rule.name not in off)


def _alike(version: Side, off: frozenset[str], how: How) -> bool:
    """Whether nothing changes with these rules off."""
    try:
        changed = version.reports(off)
    except LarsError:
        return False
    own = version.reports()
    columns = columns_of(own, changed)
    groups: list[Grouped] = [grouped(recording, columns, how) for recording in (own, changed)]
    return not differences(groups[0], groups[1], how)
