"""What reading a trace gives: rows one by one, rejected ones too, blocks of many in columns, and summaries.

A summary is what a part of a trace says of itself; whether the times of all fit the windows of a query is
seen from these.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from lars.durations import Duration
from lars.language.terms import Signature
from solver.columns import Array
from solver.facts import STREAM_PREDICATE, Arguments
from solver.traces.trace_times import Instant, MalformedPart, TimeKind

Triple = tuple[str, str, str]
ATOMS: Final = ""
"""Stands for the stream of all atoms that are not read as RDF."""


class TracedAtom(NamedTuple):
    """One atom as read, or only a time: then `predicate` is None.

    `line` counts from 1, and is 0 where the reader cannot know it; `stream` is what must come in
    order by itself: the stream of a triple, ATOMS for all other atoms.
    """

    line: int
    time: Instant
    stream: str | None
    predicate: str | None
    arguments: Arguments


def triple_reading(line: int, time: Instant, stream: str | None, triple: Triple) -> TracedAtom:
    """Return a triple of a stream as an input atom."""
    return TracedAtom(line, time, stream, STREAM_PREDICATE, (*triple, stream or "null"))


def check_roles(triple: Triple, columns: Sequence[int] = (1, 1, 1)) -> None:
    """Raise unless the subject is no literal and the predicate is an IRI."""
    if triple[0].startswith('"'):
        raise MalformedPart("found a literal as subject; accepted: an <iri> or a _:blank node", columns[0])
    if not triple[1].startswith("<"):
        raise MalformedPart("found no IRI as predicate; accepted: an <iri>", columns[1])


class Raw(NamedTuple):
    """A row before the origin is known, or a rejected one: then `problem` says why.

    A dateTime's `time` is in time points when the user gave the origin, else in ns since 1970.
    A row without predicate is only a time. A rejected row holds what was found as its argument; a
    fatal one cannot be skipped.
    """

    kind: int
    time: int
    position: int
    seq: int
    stream: str | None
    predicate: str | None
    arguments: Arguments
    problem: str | None = None
    fatal: bool = False

    @property
    def instant(self) -> Instant:
        """The time with the way it was written."""
        return Instant(TimeKind(self.kind), self.time)


def row_of(found: TracedAtom | MalformedPart, position: int, seq: int, text: str) -> Raw:
    """Return what was found as a row at its place in arrival order, or `text` as a rejected one."""
    if isinstance(found, MalformedPart):
        kept = text.encode("utf-8", "backslashreplace").decode()
        return Raw(TimeKind.INTEGER, 0, position, seq, None, None, (kept,), found.problem, found.fatal)
    _, time, stream, predicate, arguments = found
    return Raw(time.kind, time.value, position, seq, stream, predicate, arguments)


@dataclass(frozen=True, slots=True, eq=False)
class UsualRows:
    """Atoms of one predicate, in columns; of triples these are subject, predicate, object and stream.

    `places` are the numbers of the rows in their block, ascending; times are as `Raw` has them.
    """

    name: Signature
    places: Array
    kinds: npt.NDArray[np.int8]
    times: Array
    columns: tuple[Array, ...]
    streams: Array
    """The codes of their streams, NO_CODE where they are no triples."""


class ExactRow(NamedTuple):
    """What a row of a block says that was read by itself, and its text, which only a fault needs."""

    place: int
    content: Sequence[TracedAtom | MalformedPart]
    text: str


def exact_rows(position: int, others: Iterable[ExactRow], numbers: Array) -> Iterator[Raw]:
    """Yield rows that were read one by one, each numbered on from the number of its place."""
    for row in others:
        for number, found in enumerate(row.content, int(numbers[row.place])):
            yield row_of(found, position, number, row.text)


@dataclass(frozen=True, slots=True, eq=False)
class RowBlock:
    """Rows of a part of a file: `rows` lines or rows of a table, after `before` others of the part.

    `exact_rows` are those that are not `usual` for certain, in order, each read when it is asked for.
    """

    before: int
    rows: int
    usual: Sequence[UsualRows]
    exact_rows: Iterable[ExactRow]

    def numbers(self, others: Iterable[ExactRow]) -> Array:
        """Return how many atoms, times and faults come before each row, and at the end how many in all."""
        counts = np.zeros(self.rows + 1, np.int64)
        for one in self.usual:
            counts[one.places + 1] = 1
        for row in others:
            counts[row.place + 1] = len(row.content)
        return np.cumsum(counts)


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
