"""Which recorded reports belong to which evaluation: by their push where it is known, else by time."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agreement.recordings.recording import Report, Row
from agreement.specifications.evaluation import Evaluation, View

_SLACK: Final = 1e-6
"""Milliseconds by which floating point may miss a time."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a specification reports at one time point: the rows of all its evaluations there.

    `t` is the time point in milliseconds. Not `reported`: nothing is, since the answer is empty.
    """

    time: int
    t: float
    rows: tuple[Row, ...]
    reported: bool
    views: tuple[View, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """An evaluation and the recorded reports that belong to it.

    Without evaluation it is a report of its own; `again` is the time in ms of the evaluation that
    has another one already.
    """

    expected: Expected | None
    reports: tuple[Report, ...]
    again: float | None = None

    @property
    def t(self) -> float:
        """The time in milliseconds at which this is to be compared."""
        return self.reports[0].t if self.expected is None else self.expected.t

    @property
    def delay(self) -> float | None:
        """How many milliseconds after its time the first report came; None without report."""
        if self.expected is None or not self.reports:
            return None
        return self.reports[0].t - self.expected.t


def by_time_point(evaluations: Sequence[Evaluation], milliseconds: float) -> list[Expected]:
    """Return what is expected at each time point, ascending: evaluations inside one instant are joined."""
    found: dict[int, list[Evaluation]] = {}
    for one in evaluations:
        found.setdefault(one.time, []).append(one)
    return [
        Expected(
            time,
            time * milliseconds,
            tuple(row for one in group for row in one.rows),
            any(one.reported for one in group),
            group[-1].views,
        )
        for time, group in sorted(found.items())
    ]


@dataclass(frozen=True, slots=True)
class Belonging:
    """When a report belongs to an evaluation: to the last that is not more than `early` ms after it.

    `once`: the first report is its only one, or those of the same time; else each row may come alone.
    Unless it is `late` ms after that or more (None: however late). `pushed` are the times in ms of
    the pushes where those tell, not the reports' own times.
    """

    late: float | None = None
    early: float = 0
    pushed: tuple[float, ...] | None = None
    once: bool = False

    def time_of(self, report: Report) -> float:
        """Return the time that decides."""
        if self.pushed is None or report.trigger is None:
            return report.t + self.early
        return self.pushed[report.trigger]


def _together(one: Report, other: Report) -> bool:
    """Whether two entries can be one report: of one time, each with some of its rows."""
    return one.t == other.t and bool(one.rows) and bool(other.rows)


def slots(expected: Sequence[Expected], reports: Sequence[Report], how: Belonging) -> list[Slot]:
    """Return each evaluation with its reports, and each report that belongs to none, ascending in time."""
    times = [one.t for one in expected]
    belonging: list[list[Report]] = [[] for _ in expected]
    alone: list[Slot] = []
    for report in reports:
        time = how.time_of(report)
        place = bisect_right(times, time + _SLACK) - 1
        if place < 0 or (how.late is not None and time - how.early - times[place] >= how.late):
            alone.append(Slot(None, (report,)))
        elif how.once and belonging[place] and not _together(belonging[place][0], report):
            alone.append(Slot(None, (report,), times[place]))
        else:
            belonging[place].append(report)
    found = [Slot(one, tuple(own)) for one, own in zip(expected, belonging, strict=True)]
    return sorted((*found, *alone), key=lambda slot: slot.t)
