"""Select the shown rows among the rows that only push or only pull reports: filters, counts and examples."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TypeVar

import numpy as np

from agreement.comparing.agree.agreeing import RowFilter, VariantReport
from agreement.comparing.agree.periods import PeriodComparison
from agreement.comparing.agree.sides import CAUSES, RowCause, RowDifference
from agreement.documents.requests import SIDES, Side
from agreement.documents.values import points_of
from lars.durations import Duration
from lars.errors import LarsError, cut
from solver.columns import Array

_One = TypeVar("_One")


def narrowed(row_filter: RowFilter, unit: Duration, periods: Sequence[int]) -> RowFilter:
    """Return the filter of rows with its pull periods converted to time points.

    Raises:
        LarsError: A selected pull period is not compared.
    """
    only = tuple(points_of(period, unit) for period in row_filter.only_period)
    for period in only:
        if period not in periods:
            compared = ", ".join(map(str, periods))
            raise LarsError(
                f"--only-period {period}: this period is not compared; use one of the compared periods: "
                f"{cut(compared)}"
            )
    return replace(row_filter, only_period=only)


def spread(sizes: Sequence[int], most: int) -> list[tuple[int, int]]:
    """Choose at most `most` items from groups of the given sizes, evenly distributed.

    Each chosen item is given as the number of its group and its index in this group.
    """
    # Small groups first: the places that they do not fill go to larger groups.
    chosen = sorted(evenly(range(len(sizes)), most), key=sizes.__getitem__)
    places: list[tuple[int, int]] = []
    for number, group in enumerate(chosen):
        room = (most - len(places)) // (len(chosen) - number)
        places += [(group, place) for place in evenly(range(sizes[group]), room)]
    return places


def evenly(items: Sequence[_One], most: int) -> list[_One]:
    """Return at most `most` items at equal distances, beginning with the first item.

    >>> evenly(range(10), 4)
    [0, 2, 5, 7]
    """
    if len(items) <= most:
        return list(items)
    return [items[place * len(items) // most] for place in range(most)]


IntervalRows = tuple[int, PeriodComparison, int]
"""The number of a period among all shown periods, the period, and the number of its rows in one group."""


RowGroups = Mapping[tuple[int, Side, RowCause], Sequence[IntervalRows]]
"""The rows that only one side reports, in groups by pull period, side and cause.

Each group lists its periods with their numbers of rows.
"""


def size(parts: Iterable[IntervalRows]) -> int:
    """Return the number of rows in a group, given as a list of periods with their numbers of rows."""
    return sum(count for *_, count in parts)


def _place(parts: Iterable[IntervalRows], number: int) -> tuple[IntervalRows, int]:
    """Return the period that contains a group's row with this index, and the row's index in the period."""
    for part in parts:
        if number < part[-1]:
            return part, number
        number -= part[-1]
    raise IndexError(number)


def row_groups(row_filter: RowFilter, variant: VariantReport) -> RowGroups:
    """Return the selected rows in groups by pull period, side and cause, sorted by their first rows."""
    groups: dict[tuple[int, Side, RowCause], list[IntervalRows]] = {}
    verdicts = row_filter.verdicts(variant)
    before = accumulate((len(verdict) for verdict in verdicts), initial=0)
    intervals = {
        start + interval.number: (verdict.period, interval)
        for start, verdict in zip(before, verdicts, strict=False)
        for interval in verdict.disagreeing
    }
    if not intervals:
        return {}
    numbers = np.array([*intervals], np.int64)
    sides = [side for side in SIDES if row_filter.side in {None, side}]
    places = [place for place, cause in enumerate(CAUSES) if row_filter.cause in {None, cause}]
    parts = []
    for place, side in enumerate(sides):
        own, causes, ranks, counts = _counts(
            variant, side, [comparison for _, comparison in intervals.values()]
        )
        mask = np.isin(causes, places)
        columns = numbers[own], np.full(len(own), place), ranks, causes, counts
        parts.append(np.stack([column[mask] for column in columns]))
    entries = np.concatenate(parts, axis=1)
    # Sorted by period, then by side, then by rank, because the last key of lexsort is the first criterion.
    for number, place, _, cause, count in entries[:, np.lexsort(entries[2::-1])].T.tolist():
        period, interval = intervals[number]
        key = period, sides[place], CAUSES[cause]
        groups.setdefault(key, []).append((number, interval, count))
    return groups


def _counts(
    variant: VariantReport, side: Side, intervals: Sequence[PeriodComparison]
) -> tuple[Array, Array, Array, Array]:
    """Return the numbers of rows that only the given side reports, for each period and cause with such rows.

    The four arrays contain the index of the period, the index of the cause, the rank of the cause in the
    period, and the number of rows. The rank of a cause in a period is determined by the first row with this
    cause.
    """
    explanation = variant.explanation
    counts = explanation.counts_in(side, intervals)
    owners, causes = np.nonzero(counts)
    ranks = explanation.first_rows(side, intervals)[owners, causes]
    return owners, causes, ranks, counts[owners, causes]


def examples(groups: RowGroups, variant: VariantReport, most: int) -> list[RowDifference]:
    """Return at most `most` rows as examples, from as many groups as possible, sorted by period."""
    found_rows: list[tuple[tuple[int, int, int], RowDifference]] = []
    entries = list(groups.items())
    for place, number in spread(list(map(size, groups.values())), most):
        (_, side, cause), parts = entries[place]
        (shown, interval, _), nth = _place(parts, number)
        ordered = variant.explanation.in_order(side, interval)
        causes = variant.explanation.causes(side)[ordered]
        at = int(np.flatnonzero(causes == CAUSES.index(cause))[nth])
        key = shown, SIDES.index(side), at
        found_rows.append((key, variant.explanation.difference(side, int(ordered[at]))))
    return [row for _, row in sorted(found_rows, key=lambda pair: pair[0])]
