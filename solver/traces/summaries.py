"""What each part of a trace says of itself, and whether the times of all parts fit the query's windows."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from lars.durations import Duration
from solver.traces.rows import Raw
from solver.traces.trace_times import TimeKind


class Summary(NamedTuple):
    """What one block of a file says about one stream, or about rejected rows (rows = 0)."""

    position: int
    stream: str | None
    rows: int
    skipped: int
    kind: int
    first: int
    earliest: int
    latest: int
    mixed: bool
    ordered: bool
    even: bool
    gap: int


class _Tally:
    """A summary's fields while its rows come in; times are even when they are whole units apart.

    `gap` is the shortest from one time to the next, 0 while there is only one.
    """

    def __init__(self, row: Raw) -> None:
        self.rows = 0
        self.skipped = 0
        self.kind = row.kind
        self.first = self.earliest = self.latest = row.time
        self.mixed = False
        self.ordered = self.even = True
        self.gap = 0

    def add(self, row: Raw, unit: int) -> None:
        if row.problem is not None:
            self.skipped += 1
            return
        self.rows += 1
        self.mixed = self.mixed or row.kind != self.kind
        self.ordered = self.ordered and row.time >= self.latest
        self.earliest = min(self.earliest, row.time)
        if row.time > self.latest:
            self.gap = min(self.gap or row.time, row.time - self.latest)
        self.latest = max(self.latest, row.time)
        self.even = self.even and (row.time - self.first) % unit == 0


def summarise(rows: Iterable[Raw], unit: int) -> Iterator[Summary]:
    """Yield a summary for each block and stream of the rows; `unit` in nanoseconds."""
    tallies: dict[tuple[int, str | None, bool], _Tally] = {}
    for row in rows:
        key = (row.position, row.stream, row.problem is None)
        if key not in tallies:
            tallies[key] = _Tally(row)
        tallies[key].add(row, unit)
    for (position, stream, _), tally in tallies.items():
        yield Summary(position, stream, **vars(tally))


_FEW: Final = 8
_FIT: Final = 5


def misfit(read: Sequence[Summary], windows: Sequence[tuple[str, int]], counted: Duration) -> str | None:
    """Return why a query's windows and integers that count `counted` look like a slip of the unit.

    Either no window of a stream can hold two of its times, or the whole trace is much shorter than
    every window. A trace of few elements shows nothing; of dateTimes no unit is wrong.
    """
    if not windows or any(one.mixed or one.kind != TimeKind.INTEGER for one in read):
        return None
    advice = f"integers in it count {counted} (--trace-unit, --unit): is that right?"
    shortest, longest = (pick(length for _, length in windows) for pick in (min, max))
    gaps = [(gap, length) for stream, length in windows if (gap := _gap(read, f"<{stream}>"))]
    if gaps and all(gap > length for gap, length in gaps):
        gap = min(gap for gap, _ in gaps)
        found = f"its times are at least {gap} time points apart, the longest window has {longest}"
        return f"no window holds elements of two times of the trace: {found}; {advice}"
    span = _span(read)
    if span and span * _FIT < shortest and sum(one.rows for one in read) >= _FEW:
        found = f"this has {span} time points, the shortest window {shortest}"
        return f"every window can hold the whole trace: {found}; {advice}"
    return None


def _gap(read: Sequence[Summary], stream: str) -> int:
    """Return the shortest from one time of a stream to the next; 0 when it has only two, or parts overlap."""
    own = [one for one in read if one.stream == stream]
    between = [later.earliest - one.latest for one, later in pairwise(own)]
    if min(between, default=0) < 0:
        return 0
    gap = min((gap for gap in (*between, *(one.gap for one in own)) if gap > 0), default=0)
    return gap if _span(own) >= 2 * gap else 0


def _span(read: Sequence[Summary]) -> int:
    if not read:
        return 0
    return max(one.latest for one in read) - min(one.earliest for one in read)
