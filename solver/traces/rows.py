"""What reading a trace gives: rows one by one, rejected ones too, and blocks of many in columns."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

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
