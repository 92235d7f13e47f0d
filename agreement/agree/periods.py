"""Agreement of push and pull per period (LARS 2015, Section 5).

With the pulling period U the engines agree on (iU, (i+1)U] when what push reported at any time
in it, in total, is what pull reports at its end: ⋃_{t ∈ (iU, (i+1)U]} push(t) = pull((i+1)U).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from agreement.matching.blank_nodes import alike
from agreement.traces import Outputs
from lars.windows import Interval
from solver.runs import Row


class Side(Enum):
    """Which engine has a row that the other lacks."""

    PUSH = "push"
    PULL = "pull"


@dataclass(frozen=True, slots=True)
class Compared:
    """One whole period (start, end]: push's total output in it, pull's output at its end."""

    start: int
    end: int
    push: frozenset[Row]
    pull: frozenset[Row]

    @property
    def agree(self) -> bool:
        """Whether both sides have the same rows, blank nodes up to isomorphism."""
        return self.push == self.pull or alike(self.push, self.pull)

    def only(self, side: Side) -> frozenset[Row]:
        """Return the rows that this side alone has."""
        return self.push - self.pull if side is Side.PUSH else self.pull - self.push


@dataclass(frozen=True, slots=True)
class PeriodVerdict:
    """Agreement for one pulling period, in time points, over a timeline.

    `unfinished` is the (start, end] of a last period that the timeline cuts off; it isn't compared.
    """

    period: int
    intervals: tuple[Compared, ...]
    unfinished: tuple[int, int] | None

    @property
    def agree(self) -> bool | None:
        """Whether the engines agree on every whole period; None when there is none to compare."""
        return all(interval.agree for interval in self.intervals) if self.intervals else None


def whole_periods(period: int, timeline: Interval) -> Iterator[tuple[int, int]]:
    """Yield (iU, (i+1)U] for the periods that lie inside the timeline.

    >>> list(whole_periods(4, Interval(0, 10))), list(whole_periods(4, Interval(2, 12)))
    ([(0, 4), (4, 8)], [(4, 8), (8, 12)])
    """
    start = first_start(period, timeline)
    while start + period <= timeline.last:
        yield start, start + period
        start += period


def first_start(period: int, timeline: Interval) -> int:
    """Return the first iU whose period begins inside the timeline."""
    return -(-(max(timeline.first, 1) - 1) // period) * period


def verdict(period: int, timeline: Interval, push: Outputs, pull: Outputs) -> PeriodVerdict:
    """Compare push and pull on every whole period of the timeline."""
    by_end: dict[int, set[Row]] = {}
    for t, rows in push.items():
        by_end.setdefault(-(-t // period) * period, set()).update(rows)
    empty: frozenset[Row] = frozenset()
    intervals = tuple(
        Compared(start, end, frozenset(by_end.get(end, empty)), pull.get(end, empty))
        for start, end in whole_periods(period, timeline)
    )
    reached = intervals[-1].end if intervals else first_start(period, timeline)
    return PeriodVerdict(period, intervals, (reached, timeline.last) if reached < timeline.last else None)
