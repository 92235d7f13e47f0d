"""The files of a trace, what a format says of one, and elements as rows: blank nodes standardised apart."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

from lars.errors import Place, PlacedError, system_error
from solver.columns import TermCodes
from solver.settings import TraceOptions
from solver.traces.rows import Raw, RowBlock, TracedAtom, Triple, row_of, triple_reading
from solver.traces.trace_times import Clock, Instant, MalformedPart

ARROW: Final = (b"ARROW1", b"\xff\xff\xff\xff")
"""How a file of Arrow begins, and how a stream of it does."""
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
        found = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and not any(isinstance(one, dict | list) for one in found.values())


class FileFormat(ABC):
    """How a file writes its elements: each format of traces is one class, which has no state."""

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

    def row(self, found: TracedAtom | MalformedPart, seq: int, line: int, text: str) -> tuple[Raw, Place]:
        """Return what was found as a row at its place in arrival order, `text` as it is written there."""
        column = found.column if isinstance(found, MalformedPart) else 1
        return row_of(found, self.position(), seq, text), Place(self.path, line, column, text)

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
        listed = ", ".join(source.candidates)
        raise MalformedPart(
            f"nothing says which stream this is; give --stream IRI=FILE with one of: {listed}", fatal=True
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
