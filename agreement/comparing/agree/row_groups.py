"""How many rows one side alone has, by period, side and cause, and some of each, without listing them all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from agreement.comparing.agree.causes import CAUSES, RowCause
from agreement.comparing.agree.narrowing import FoundRow, RowFilter, spread
from agreement.comparing.agree.periods import PeriodComparison, Side
from agreement.comparing.agree.verdicts import VariantReport


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
