"""What a format says of a file, and what reading gives: rows, rejected ones, blocks in columns, summaries.

Blank nodes of files are standardised apart. A summary is what a part of a trace says of itself; whether the
times of all fit the windows of a query is seen from these.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from lars.durations import Duration
from lars.errors import Place, PlacedError, system_error
from lars.language.terms import Signature
from solver.columns import Array, TermCodes
from solver.facts import STREAM_PREDICATE, Arguments
from solver.settings import TraceOptions
from solver.traces.trace_times import Clock, Instant, MalformedPart, TimeKind

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


def row_of(row: TracedAtom | MalformedPart, position: int, seq: int, text: str) -> Raw:
    """Return what was found as a row at its place in arrival order, or `text` as a rejected one."""
    if isinstance(row, MalformedPart):
        kept = text.encode("utf-8", "backslashreplace").decode()
        return Raw(TimeKind.INTEGER, 0, position, seq, None, None, (kept,), row.problem, row.fatal)
    _, time, stream, predicate, arguments = row
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
        for number, part in enumerate(row.content, int(numbers[row.place])):
            yield row_of(part, position, number, row.text)


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
        for rows in self.usual:
            counts[rows.places + 1] = 1
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

    @staticmethod
    def of_skipped(position: int, skipped: int) -> "Summary":
        """Return what a block says of so many rejected rows."""
        return Summary(position, None, 0, skipped, TimeKind.INTEGER, 0, 0, 0, False, True, True, 0)


_FEW: Final = 8
_FIT: Final = 5


def misfit(read: Sequence[Summary], windows: Sequence[tuple[str, int]], counted: Duration) -> str | None:
    """Return why a query's windows and integers that count `counted` look like a slip of the unit.

    Either no window of a stream can hold two of its times, or the whole trace is much shorter than
    every window. A trace of few elements shows nothing; of dateTimes no unit is wrong.
    """
    if not windows or any(summary.mixed or summary.kind != TimeKind.INTEGER for summary in read):
        return None
    advice = f"integers in it count {counted} (--trace-unit, --unit): is that right?"
    shortest, longest = (pick(length for _, length in windows) for pick in (min, max))
    gaps = [(gap, length) for stream, length in windows if (gap := _gap(read, f"<{stream}>"))]
    if gaps and all(gap > length for gap, length in gaps):
        gap = min(gap for gap, _ in gaps)
        text = f"its times are at least {gap} time points apart, the longest window has {longest}"
        return f"no window holds elements of two times of the trace: {text}; {advice}"
    span = _span(read)
    if span and span * _FIT < shortest and sum(summary.rows for summary in read) >= _FEW:
        text = f"this has {span} time points, the shortest window {shortest}"
        return f"every window can hold the whole trace: {text}; {advice}"
    return None


def _gap(read: Sequence[Summary], stream: str) -> int:
    """Return the shortest from one time of a stream to the next; 0 when it has only two, or parts overlap."""
    own = [summary for summary in read if summary.stream == stream]
    between = [later.earliest - summary.latest for summary, later in pairwise(own)]
    if min(between, default=0) < 0:
        return 0
    gap = min((gap for gap in (*between, *(summary.gap for summary in own)) if gap > 0), default=0)
    return gap if _span(own) >= 2 * gap else 0


def _span(read: Sequence[Summary]) -> int:
    if not read:
        return 0
    return max(summary.latest for summary in read) - min(summary.earliest for summary in read)


ARROW: Final = (b"ARROW1", b"\xff\xff\xff\xff")
"""How a file of Arrow begins, and how a stream of it does."""
PARQUET: Final = b"PAR1"
"""How a file of Parquet begins."""
_FILE_BITS: Final = 43


@dataclass(frozen=True, slots=True)
class FileHead:
    """How a file begins: `path` is what messages say, `plain` holds the bytes, `lines` are whole ones."""

    path: Path
    plain: Path
    start: bytes
    lines: Sequence[str]


def is_json_row(line: str) -> bool:
    """Return whether a line is an object of JSON whose values are numbers, texts, true, false or null.

    >>> is_json_row('{"t": 1, "who": "ann"}'), is_json_row('{"t": 1, "rows": []}')
    (True, False)
    """
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and not any(isinstance(value, dict | list) for value in content.values())


class FileFormat(ABC):
    """How a file writes its elements: each format of traces is one class, which has no state."""

    def __repr__(self) -> str:
        # A run that goes on knows its trace by what this says.
        return type(self).__name__

    @abstractmethod
    def size(self, source: "TraceFile") -> int:
        """Return about how many input atoms a file has."""

    @abstractmethod
    def rows(self, source: "TraceFile") -> Iterator[tuple[Raw, Place]]:
        """Yield the rows of a file in order, rejected ones included, each with its place.

        A row of a table has its number as line; the text is left out where only an error needs it.
        """

    def blocks(self, part: "FilePart", terms: TermCodes) -> Iterator[RowBlock] | None:
        """Return the blocks of a part of a file; None where rows are only read one by one."""
        _ = part, terms
        return None

    def borders(self, source: "TraceFile", each: int) -> Sequence[int]:
        """Return where a file is cut into parts of about so many input atoms: at no place if it is whole."""
        _ = source, each
        return ()

    def begun(self, source: "TraceFile", head: FileHead, options: TraceOptions) -> "TraceFile":
        """Return the file with what its head says; raises LarsError where that is wrong."""
        _ = head, options
        return source

    def plain(self, head: FileHead) -> Path:
        """Return the file whose rows are read: another one where the format is read as another."""
        return head.plain

    def is_foreign(self, head: FileHead) -> bool:
        """Return whether it is a table with columns of its own, which have to be explained."""
        _ = head
        return False

    def placed(self, source: "TraceFile", place: Place) -> Place:
        """Return the place of a row as a user looks for it."""
        _ = source
        return place


@dataclass(frozen=True, slots=True)
class TraceFile:
    """One file of a trace; `index` is its place in arrival order, `header` the columns of a CSV.

    `stream` is the canonical text of the stream's IRI, None when nobody named it; with
    `candidates` (the query's streams) an element may name another one itself. `loose` tells
    that a line file spells literals or times without quotes; None: the spelling does not matter.
    `prefixes` are those that a file of atoms declares at its head, or given for a table.
    `path` is what messages say; `copy` holds the bytes of a pipe, those of a compressed file, and the
    triples of a table that was mapped.
    """

    index: int
    path: str
    format: FileFormat
    clock: Clock
    stream: str | None = None
    candidates: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    loose: bool | None = None
    prefixes: tuple[tuple[str, str], ...] = ()
    copy: Path | None = None

    @property
    def file(self) -> Path:
        """The plain file that holds the bytes."""
        return self.copy or Path(self.path)

    @property
    def size(self) -> int:
        """About how many input atoms it has; of Parquet it is exact."""
        return self.format.size(self)

    def position(self, block_start: int = 0) -> int:
        """Return the position of a block of this file in the arrival order of the whole trace."""
        return (self.index << _FILE_BITS) + block_start

    def stamped(self, written: Instant, column: int) -> Instant:
        """Return a time that starts at a column in time points; raise MalformedPart."""
        try:
            return self.clock.stamp(written)
        except MalformedPart as error:
            raise error.at(column) from None

    def rows(self) -> Iterator[tuple[Raw, Place]]:
        """Yield the rows of the file in order, rejected ones included, each with its place."""
        try:
            yield from self.format.rows(self)
        except OSError as error:
            raise system_error(self.path, error, "cannot be read") from None

    def row(self, part: TracedAtom | MalformedPart, seq: int, line: int, text: str) -> tuple[Raw, Place]:
        """Return what was found as a row at its place in arrival order, `text` as it is written there."""
        column = part.column if isinstance(part, MalformedPart) else 1
        return row_of(part, self.position(), seq, text), Place(self.path, line, column, text)

    def error(self, place: Place, problem: str) -> PlacedError:
        """Return the error for a problem at a place of the file."""
        return PlacedError(self.format.placed(self, place), problem)


@dataclass(frozen=True, slots=True)
class FilePart:
    """A part of a file: the lines that begin in a range of its bytes, or a range of its table's rows.

    The range contains `begin`, and not `end`; None: to the end of the file. A graph has no parts.
    """

    source: TraceFile
    begin: int = 0
    end: int | None = None


def line_of(data: bytes, number: int) -> str:
    """Return a line of a text by its number from 1, empty beyond the last."""
    lines = data.split(b"\n", number)
    text = lines[number - 1] if len(lines) >= number else b""
    return text.decode("utf-8", "backslashreplace").rstrip("\r")


def file_index(position: int) -> int:
    """Return the index of the file that a position lies in."""
    return position >> _FILE_BITS


def reading(source: TraceFile, written: Instant, own: str | None, triple: Triple, column: int) -> TracedAtom:
    """Return an element of one triple; `column` is where its time stands."""
    stream = stream_of(source, own)
    time = source.stamped(written, column)
    return triple_reading(0, time, stream, standardise(source, stream, time, [triple])[0])


def stream_of(source: TraceFile, own: str | None) -> str | None:
    """Return the stream of an element: its own, or else the file's; raise when they contradict."""
    if own is None and source.stream is None and source.candidates:
        names = ", ".join(source.candidates)
        raise MalformedPart(
            f"nothing says which stream this is; give --stream IRI=FILE with one of: {names}", fatal=True
        )
    if own and source.stream and own != source.stream and not source.candidates:
        raise MalformedPart(
            f"the element belongs to {own}, but the file was given the stream {source.stream}"
        )
    return own or source.stream


def standardise(
    source: TraceFile, stream: str | None, time: Instant, triples: Sequence[Triple]
) -> list[Triple]:
    """Return an element's triples with blank nodes of their own.

    A label is a digest of the file's index, the time, the stream and the element as written: it is
    the same however the trace is read, and two elements share it only when they are equal.
    """
    if not any(term.startswith("_:") for triple in triples for term in (triple[0], triple[2])):
        return list(triples)
    content = "\n".join(" ".join(triple) for triple in sorted(set(triples)))
    element = f"{source.index}\n{stream}\n{time.value}\n{content}"
    return [(_apart(element, s), p, _apart(element, o)) for s, p, o in triples]


def _apart(element: str, term: str) -> str:
    if not term.startswith("_:"):
        return term
    digest = blake2b(f"{element}\n{term}".encode(), digest_size=16)
    return f"_:e{digest.hexdigest()}"
