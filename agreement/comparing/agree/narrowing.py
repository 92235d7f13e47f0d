"""Which of the rows that one side alone has are shown: narrowed, counted, some of each kind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from agreement.comparing.agree.periods import PeriodComparison, PeriodVerdict, Side
from agreement.comparing.agree.sides import CAUSES, RowCause, RowDifference
from agreement.comparing.agree.verdicts import VariantReport
from agreement.documents.values import cut
from lars.errors import LarsError

_One = TypeVar("_One")


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A difference with the pulling period and the interval it stands in."""

    period: int
    interval: PeriodComparison
    difference: RowDifference

    @property
    def group(self) -> tuple[int, str, str]:
        """What rows are counted by: period, side and cause."""
        return self.period, self.difference.side.value, self.difference.cause.value


@dataclass(frozen=True, slots=True)
class RowFilter:
    """What is shown of a report; None: all of it."""

    periods: tuple[int, ...] | None = None
    cause: RowCause | None = None
    side: Side | None = None

    def verdicts(self, variant: VariantReport) -> tuple[PeriodVerdict, ...]:
        """Return the verdicts of the periods that are wanted."""
        return tuple(
            verdict for verdict in variant.verdicts if self.periods is None or verdict.period in self.periods
        )

    def intervals(
        self, variant: VariantReport, verdict: PeriodVerdict
    ) -> Iterator[tuple[PeriodComparison, list[FoundRow]]]:
        """Yield each interval with what is wanted of its rows; with a cause or side only those with any."""
        for interval in verdict.intervals:
            found = [
                FoundRow(verdict.period, interval, one)
                for one in variant.differences(interval)
                if (self.cause is None or self.cause is one.cause)
                and (self.side is None or self.side is one.side)
            ]
            if found or (self.cause is None and self.side is None):
                yield interval, found

    def rows(self, variant: VariantReport) -> Iterator[FoundRow]:
        """Yield the differences that are wanted, by period and time."""
        for verdict in self.verdicts(variant):
            for _, found in self.intervals(variant, verdict):
                yield from found


def narrowed(
    only: tuple[int, ...] | None, cause: RowCause | None, side: str | None, periods: Sequence[int]
) -> RowFilter:
    """Return what options ask for; raises LarsError for a period that is not compared, and no cause."""
    for period in only or ():
        if period not in periods:
            compared = ", ".join(map(str, periods))
            raise LarsError(
                f"--only-period {period}: accepted: a period that is compared, of {cut(compared)}"
            )
    return RowFilter(only, cause, None if side is None else Side(side))


def cause_of(text: str) -> RowCause:
    """Return the cause that an option names."""
    named = {cause.value: cause for cause in RowCause}
    found = named.get(text.replace("-", " "))
    if found is None:
        listed = ", ".join(name.replace(" ", "-") for name in named)
        raise LarsError(f"accepted: {listed}")
    return found


def spread(sizes: Sequence[int], most: int) -> list[tuple[int, int]]:
    """Return at most so many places in groups of these sizes: of as many groups as there is room for."""
    chosen = sorted(evenly(range(len(sizes)), most), key=sizes.__getitem__)
    found: list[tuple[int, int]] = []
    for number, group in enumerate(chosen):
        # What small groups do not need is left to larger ones.
        room = (most - len(found)) // (len(chosen) - number)
        found += [(group, place) for place in evenly(range(sizes[group]), room)]
    return found


def evenly(found: Sequence[_One], most: int) -> list[_One]:
    """Return at most so many, from the first on, as far from each other as can be.

    >>> evenly(range(10), 4)
    [0, 2, 5, 7]
    """
    if len(found) <= most:
        return list(found)
    return [found[place * len(found) // most] for place in range(most)]


@dataclass(frozen=True, slots=True)
class IntervalRows:
    """So many rows of a group in an interval; `number` is the interval's among all that are shown."""

    number: int
    interval: PeriodComparison
    count: int


@dataclass(frozen=True, slots=True)
class RowGroup:
    """The rows of a pulling period that one side alone has for one cause, by interval."""

    period: int
    side: Side
    cause: RowCause
    parts: list[IntervalRows] = field(default_factory=list)

    def __len__(self) -> int:
        return sum(part.count for part in self.parts)

    def place(self, number: int) -> tuple[IntervalRows, int]:
        """Return where a row of the group stands: its interval, and its number there."""
        for part in self.parts:
            if number < part.count:
                return part, number
            number -= part.count
        raise IndexError(number)


def row_groups(shown: RowFilter, variant: VariantReport) -> list[RowGroup]:
    """Return the groups of the rows that are shown, in the order of their first rows."""
    groups: dict[tuple[int, Side, RowCause], RowGroup] = {}
    intervals = ((one.period, interval) for one in shown.verdicts(variant) for interval in one.intervals)
    for number, (period, interval) in enumerate(intervals):
        for side, cause, count in _counts(shown, variant, interval):
            group = groups.setdefault((period, side, cause), RowGroup(period, side, cause))
            group.parts.append(IntervalRows(number, interval, count))
    return list(groups.values())


def _counts(
    shown: RowFilter, variant: VariantReport, interval: PeriodComparison
) -> Iterator[tuple[Side, RowCause, int]]:
    """Yield how many rows an interval has for each side and cause, in the order of their first rows."""
    if interval.agree:
        return
    for side in Side:
        if shown.side not in {None, side}:
            continue
        counts = variant.explanation.counts_in(side, interval)
        causes = np.flatnonzero(counts)
        if len(causes) > 1:
            # Which of them comes first the rows' texts say.
            met = variant.explanation.causes(side).causes[variant.explanation.in_order(side, interval)]
            causes = met[np.sort(np.unique(met, return_index=True)[1])]
        for cause in causes.tolist():
            if shown.cause in {None, CAUSES[cause]}:
                yield side, CAUSES[cause], int(counts[cause])


def examples(groups: Sequence[RowGroup], variant: VariantReport, most: int) -> list[FoundRow]:
    """Return at most so many rows of the groups, in their order: of as many groups as there is room for."""
    found: list[tuple[tuple[int, int, int], FoundRow]] = []
    for place, number in spread(list(map(len, groups)), most):
        group = groups[place]
        part, nth = group.place(number)
        ordered = variant.explanation.in_order(group.side, part.interval)
        causes = variant.explanation.causes(group.side).causes[ordered]
        at = int(np.flatnonzero(causes == CAUSES.index(group.cause))[nth])
        _, row = variant.explanation.difference(group.side, int(ordered[at]))
        key = part.number, list(Side).index(group.side), at
        found.append((key, FoundRow(group.period, part.interval, row)))
    return [row for _, row in sorted(found, key=lambda one: one[0])]
