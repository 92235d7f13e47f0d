"""Group the reports of two systems for a comparison in which the first system's reports count as correct.

Reports are grouped by evaluation, by push, by time unit, or by answer in a sequence of answers.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import floor
from typing import Final, Literal

from agreement.comparing.matching.likeness import RowMatch
from agreement.documents.recordings import SLACK, Push, Report
from lars.dataclass import dataclass
from solver.facts import Row

_UNMATCHED: Final = RowMatch()
Reports = tuple[Report, ...]
TimePair = tuple[float | None, float | None]
"""The times in ms of a report on both sides; None for a side without a report at this time."""

PlaceKind = Literal["push", "time unit", "answer"]
"""How reports are grouped for comparison if no specification defines the times of evaluations."""


@dataclass(frozen=True, slots=True)
class ReportMatch:
    """The expected and the actual reports of one evaluation, push, time unit or answer, and their match.

    - `at` is the time of an evaluation in ms, otherwise the number of a push, time unit or answer.
    - `right` are the expected reports; None if nothing is evaluated, so that no report is expected.
    - `came` are the actual reports.
    - `rows` is the match of the expected with the actual rows.
    - `problem` describes the difference, if any.
    - `first` is the time in ms at which the content of the first window begins.
    - `triples` is the number of triples in all windows.
    - `delay` is the delay in ms of the first report.
    - `apart` contains pairs of report times that differ; a time is None if only the other side has a report.
    - `unshown` is true if nothing is evaluated because the window that closes has no triple.
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
    unshown: bool = False

    @property
    def right_rows(self) -> tuple[Row, ...]:
        """The expected rows; rows that were also reported come first."""
        return (*self.rows.shared, *self.rows.missing)

    @property
    def came_rows(self) -> tuple[Row, ...]:
        """The reported rows; rows that were also expected come first."""
        return (*self.rows.shared, *self.rows.extra)

    @property
    def problem_text(self) -> str | None:
        """The problem for readers, which names a window that is not evaluated because it has no triple."""
        return "a report of a window without a triple" if self.unshown else self.problem

    @property
    def size(self) -> int:
        """The size of the difference: the number of differing rows and of differing times."""
        return len(self.rows.missing) + len(self.rows.extra) + len(self.apart)


def odd_rows(rows: RowMatch) -> str:
    """Return a text with the numbers of missing and extra rows."""
    return f"{len(rows.missing)} missing, {len(rows.extra)} extra"


def by_place(
    reports: Iterable[Report], pushes: Sequence[Push] | None, milliseconds: float
) -> tuple[dict[int, Reports], Reports]:
    """Return reports grouped by push, or by time unit if no pushes are given.

    A report that names no push belongs to the first push after the report's time, because this push advances
    the clock.

    Returns:
        The reports by the number of their push or time unit, and the reports after all pushes.
    """
    times = (push.t if push.came is None else push.came for push in pushes or ())
    reach = list(accumulate(times, max))
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
    """Return pairs of times of two ascending lists; in a pair, each time is the nearest to the other.

    The result contains pairs of indexes. A time without a partner is paired with None. The pairs for
    `times` come first, in order; then follow the times of `others` without a partner.
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
    """Return the index of the nearest time, the earlier of two equally near times; None without times."""
    place = bisect_left(times, t)
    near = [n for n in (place - 1, place) if 0 <= n < len(times)]
    return min(near, key=lambda n: abs(times[n] - t), default=None)
