"""Where two profiles part, and what parts them: changes of one that make a difference smaller, or undo it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from agreement.comparing.compare.differences import Difference, DifferenceOptions, differences, group_reports
from agreement.comparing.compare.sides import ProfileSide, fields, sides, specification_of
from agreement.comparing.matching.likeness import Likeness
from agreement.documents.recordings import Push, Recording, Report, in_common_columns
from agreement.engines.engine import EngineRule, needed
from agreement.engines.specifications import Specification
from lars.errors import LarsError
from solver.settings import Progress, no_progress


@dataclass(frozen=True, slots=True)
class Cause:
    """A rule of an engine version, or a field of a specification; `number` is that of its side, 0 or 1."""

    number: int
    profile: str
    rule: EngineRule


ChangedRows = frozenset[tuple[int, str]]
"""What is changed: the side's number and the name of its rule or field."""
UNCHANGED: ChangedRows = frozenset()


@dataclass(frozen=True, slots=True)
class DifferenceWithRules:
    """A difference and what parts the profiles there; `undone` if without it nothing differs.

    `together`: it takes all of the causes together.
    """

    difference: Difference
    causes: tuple[Cause, ...] = ()
    undone: bool = False
    together: bool = False


@dataclass(slots=True)
class Search:
    """Both sides, compared with whatever is changed of them."""

    sides: tuple[ProfileSide, ProfileSide]
    how: DifferenceOptions
    _known: dict[ChangedRows, Mapping[int, Difference] | None] = field(default_factory=dict)

    @property
    def causes(self) -> tuple[Cause, ...]:
        """All that can be changed."""
        return tuple(
            Cause(number, side.name, rule) for number, side in enumerate(self.sides) for rule in side.changes
        )

    def recordings(self, changed: ChangedRows = UNCHANGED) -> tuple[Recording, Recording]:
        """Return what both sides report, in the same columns."""
        first, second = (
            side.reports(frozenset(name for own, name in changed if own == number))
            for number, side in enumerate(self.sides)
        )
        return in_common_columns(first, second)

    def differences(self, changed: ChangedRows = UNCHANGED) -> Mapping[int, Difference] | None:
        """Return the differences by place; None where what is changed cannot be run."""
        if changed not in self._known:
            self._known[changed] = self._compared(changed)
        return self._known[changed]

    def _compared(self, changed: ChangedRows) -> Mapping[int, Difference] | None:
        try:
            first, second = self.recordings(changed)
            return differences(group_reports(first, self.how), group_reports(second, self.how), self.how)
        except LarsError:
            if not changed:
                raise
            return None

    def size(self, changed: ChangedRows, place: int) -> int | None:
        """Return how much differs at a place; None where what is changed cannot be run."""
        found = self.differences(changed)
        if found is None:
            return None
        return found[place].size if place in found else 0


def part_profiles(search: Search, progress: Progress) -> tuple[DifferenceWithRules, ...]:
    """Return each difference with what parts the profiles there: single changes, else sets of them."""
    base = search.differences() or {}
    if not base:
        return ()
    every = search.causes
    for done, cause in enumerate(every):
        progress(done, len(every) + 1)
        search.differences(_of([cause]))
    found: list[DifferenceWithRules] = []
    for difference in base.values():
        found.append(_explained(search, difference, found))
    return tuple(found)


def _of(causes: Sequence[Cause]) -> ChangedRows:
    return frozenset((cause.number, cause.rule.name) for cause in causes)


def _explained(
    search: Search, difference: Difference, found: Sequence[DifferenceWithRules]
) -> DifferenceWithRules:
    """Return the single changes that undo a difference, or those that make it smaller if that is all.

    Where these together leave something of it, and where there are none, the smallest set of
    changes that leaves least: one after the other is left out, of all of them or of such a set
    found before.
    """
    sizes = {cause: search.size(_of([cause]), difference.place) for cause in search.causes}
    undoing = tuple(cause for cause, size in sizes.items() if size == 0)
    if undoing:
        return DifferenceWithRules(difference, undoing, undone=True)
    smaller = tuple(cause for cause, size in sizes.items() if size is not None and size < difference.size)
    left = search.size(_of(smaller), difference.place)
    least = search.size(_of(search.causes), difference.place)
    if left == 0 or least is None or least >= (difference.size if left is None else left):
        return DifferenceWithRules(difference, smaller, undone=left == 0)
    before = dict.fromkeys(one.causes for one in found if one.together)
    as_good = (one for one in before if search.size(_of(one), difference.place) == least)
    start = next(as_good, search.causes)
    kept = needed(start, lambda causes: search.size(_of(causes), difference.place) == least)
    return DifferenceWithRules(difference, kept, undone=least == 0, together=len(kept) > 1)


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where two profiles part: `places` are the pushes, or time units, at which either reports.

    `pushes` is None where reports are compared by time unit. `alone` are changes that undo every
    difference by themselves; `needed` the rules without each of which an engine version reports
    something else, None unless it is compared with its specification. `fields` are those in which the
    specifications differ that the profiles are or follow. `after` are reports of each side that no
    push triggers. `silent` tells of each side whether it reports no row.
    """

    names: tuple[str, str]
    columns: tuple[str, ...]
    pushes: tuple[Push, ...] | None
    places: int
    parted: tuple[DifferenceWithRules, ...]
    causes: tuple[Cause, ...]
    alone: tuple[Cause, ...]
    needed: tuple[EngineRule, ...] | None
    fields: tuple[EngineRule, ...]
    after: tuple[tuple[Report, ...], tuple[Report, ...]]
    silent: tuple[bool, ...]

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
    first: ProfileSide,
    second: ProfileSide,
    likeness: Likeness,
    *,
    times: bool = True,
    progress: Progress = no_progress,
) -> Divergence:
    """Return where two profiles part on the same trace.

    By push, or by time unit where both are specifications: nothing then needs a push to show the
    time. Times count where both sides tell them. Raises LarsError for a query that cannot be run.
    """
    both = sides(first, second)
    by_time = all(isinstance(side.reporter, Specification) for side in both)
    pushes = None if by_time else first.run.pushes
    told = first.timed and second.timed
    search = Search(both, DifferenceOptions(likeness, told, times, pushes, first.run.unit.milliseconds))
    found = part_profiles(search, progress)
    recordings = search.recordings()
    one, other = (group_reports(recording, search.how) for recording in recordings)
    return Divergence(
        names=(first.name, second.name),
        columns=recordings[0].variables,
        pushes=pushes,
        places=len({*one.places, *other.places}),
        parted=found,
        causes=search.causes,
        alone=tuple(cause for cause in search.causes if found and search.differences(_of([cause])) == {}),
        needed=_rules_needed(both, search.how),
        fields=tuple(fields(*map(specification_of, both))),
        after=(one.after, other.after),
        silent=tuple(not any(report.rows for report in one.reports) for one in recordings),
    )


def _rules_needed(
    both: tuple[ProfileSide, ProfileSide], how: DifferenceOptions
) -> tuple[EngineRule, ...] | None:
    """Return the rules of an engine version without which it reports something else on this trace."""
    for version, specified in (both, both[::-1]):
        if (
            isinstance(specified.reporter, Specification)
            and not isinstance(version.reporter, Specification)
            and specified.reporter.name == version.reporter.specification
            and not specified.changes
        ):
            return needed(version.changes, partial(_is_alike_by, version, how))
    return None


def _is_alike_by(version: ProfileSide, how: DifferenceOptions, kept: Sequence[EngineRule]) -> bool:
    """Whether nothing changes with all other rules off."""
    off = frozenset(rule.name for rule in version.changes if rule not in kept)
    try:
        own, changed = in_common_columns(version.reports(), version.reports(off))
    except LarsError:
        return False
    return not differences(group_reports(own, how), group_reports(changed, how), how)
