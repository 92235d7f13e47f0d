"""Time processes: when a group of stations observes, in whole units.

Time is cut into cells of one interval. What happens in a cell is drawn for that cell alone, so that
a range of time can be made without what lies before it.
"""

from collections.abc import Iterator
from typing import NamedTuple, assert_never

from agreement.generating.draws import below, poisson, words
from agreement.generating.plan import Arrivals, Plan


class Moment(NamedTuple):
    """The observation number `nth` of a cell, at the time t; both count from 0."""

    cell: int
    nth: int
    t: int


def burst_length(plan: Plan) -> int:
    """Return how long a burst lasts, in units."""
    return (plan.bursts.size - 1) * plan.points(plan.bursts.gap) if plan.bursts.size > 1 else 0


def moments(plan: Plan, group: int, first: int, end: int) -> Iterator[Moment]:
    """Yield when a group observes in [first, end), cell by cell; bursts can overlap the next cell.

    Nothing is observed outside of [start, start + duration).
    """
    start, interval = plan.points(plan.start), plan.points(plan.interval)
    size = plan.bursts.size
    gap = plan.points(plan.bursts.gap) if size > 1 else 0
    first, end = max(first, start), min(end, start + plan.points(plan.duration))
    lowest = max(0, (first - start - burst_length(plan)) // interval)
    for cell, nth, t in _starts(plan, group, range(lowest, -(-(end - start) // interval))):
        for number in range(size):
            if first <= (at := t + number * gap) < end:
                yield Moment(cell, nth * size + number, at)


def _starts(plan: Plan, group: int, cells: range) -> Iterator[Moment]:
    start, interval = plan.points(plan.start), plan.points(plan.interval)
    match plan.arrivals:
        case Arrivals.REGULAR:
            offset = start + below(words(b"offset", plan.seed, group)[0], interval)
            for cell in cells:
                yield Moment(cell, 0, offset + cell * interval)
        case Arrivals.POISSON:
            # Given their number, the points of a Poisson process in a cell are uniform.
            for cell in cells:
                count = poisson(words(b"count", plan.seed, group, cell)[0])
                drawn = (words(b"time", plan.seed, group, cell, nth)[0] for nth in range(count))
                for nth, at in enumerate(sorted(below(word, interval) for word in drawn)):
                    yield Moment(cell, nth, start + cell * interval + at)
        case _:
            assert_never(plan.arrivals)
