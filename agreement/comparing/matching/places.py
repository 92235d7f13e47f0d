"""Where two reporters report, and what each of them does there: the first is what is right.

A place is an evaluation, a push, a time unit, or an answer in a sequence of them.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate
from math import floor
from typing import Final

from agreement.comparing.matching.likeness import RowMatch
from agreement.documents.recordings import SLACK, Push, Report
from solver.facts import Row

_UNMATCHED: Final = RowMatch()
Reports = tuple[Report, ...]
TimePair = tuple[float | None, float | None]
"""The times of a report on both sides, in ms; None where that side has none."""


class PlaceKind(Enum):
    """What reports are compared by, where no specification says at which time they are due."""

    PUSH = "push"
    TIME_UNIT = "time unit"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class ReportMatch:
    """What is right and what came at one place, how the rows match, what is wrong in words.

    `at` is the time of an evaluation in ms, else the number of a push, time unit or answer. `right` is None
    where nothing is evaluated, so that nothing may come. `apart` are the times of reports that only one side
    has then: at another time, or none. Of an evaluation `first` is when what the first window showed begins,
    in ms, `triples` how many all showed, `delay` how late the first report came.
    """

    at: float
    right: Reports | None
    came: Reports = ()
    rows: RowMatch = _UNMATCHED
    problem: str | None = None
    first: float | None = None
    triples: int | None = None
    delay: float | None = None
    apart: tuple[TimePair, ...] = ()

    @property
    def right_rows(self) -> tuple[Row, ...]:
        """The rows that are right, those that came too first."""
        return (*self.rows.shared, *self.rows.missing)

    @property
    def came_rows(self) -> tuple[Row, ...]:
        """The rows that came, those that are right first."""
        return (*self.rows.shared, *self.rows.extra)

    @property
    def size(self) -> int:
        """How much differs: rows, times and empty reports."""
        return len(self.rows.missing) + len(self.rows.extra) + len(self.apart)


def odd_rows(rows: RowMatch) -> str:
    """Return how many rows are missing and extra, in words."""
    return f"{len(rows.missing)} missing, {len(rows.extra)} extra"


def by_place(
    reports: Iterable[Report], pushes: Sequence[Push] | None, milliseconds: float
) -> tuple[dict[int, Reports], Reports]:
    """Return reports by the push during which they come, without pushes by time unit; and those of no push.

    A report that names no push comes with the first push behind its time: that moves the clock.
    """
    reach = list(accumulate((push.t for push in pushes or ()), max))
    places: dict[int, list[Report]] = {}
    after: list[Report] = []
    for report in reports:
        if pushes is None:
            place = floor((report.t + SLACK) / milliseconds)
        else:
            place = bisect_right(reach, report.t + SLACK) if report.trigger is None else report.trigger
        no_push = pushes is not None and report.trigger is None and place >= len(reach)
        (after if no_push else places.setdefault(place, [])).append(report)
    return {place: tuple(places[place]) for place in sorted(places)}, tuple(after)


def nearest_pairs(times: Sequence[float], others: Sequence[float]) -> list[tuple[int | None, int | None]]:
    """Return the places of ascending times in pairs: two belong together if each is nearest to the other.

    First those of `times`, in their order, then those of `others` that are left; None on the other side.

    >>> nearest_pairs([2.0, 9.0], [10.0, 30.0])
    [(0, None), (1, 0), (None, 1)]
    """
    nearest = [_nearest(t, others) for t in times]
    back = [_nearest(t, times) for t in others]
    pairs = {n: m for n, m in enumerate(nearest) if m is not None and back[m] == n}
    taken = set(pairs.values())
    return [
        *((n, pairs.get(n)) for n in range(len(times))),
        *((None, m) for m in range(len(others)) if m not in taken),
    ]


def _nearest(t: float, times: Sequence[float]) -> int | None:
    """Return the place of the time nearest to another, of the earlier of two; None without any."""
    place = bisect_left(times, t)
    near = [n for n in (place - 1, place) if 0 <= n < len(times)]
    return min(near, key=lambda n: abs(times[n] - t), default=None)
