"""What readers of a trace are given, a source, and yield, one input atom; blank nodes standardised apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from solver.facts import STREAM_PREDICATE, Arguments
from solver.traces.trace_times import Clock, Instant, Malformed

Triple = tuple[str, str, str]
ATOMS: Final = ""
"""Stands for the stream of all atoms that are not read as RDF."""
_FILE_BITS: Final = 43


class FileFormat(Enum):
    """How a file writes its elements."""

    TRIG = "TriG"
    TURTLE = "Turtle, one file a time point"
    ATOMS = "lines of atoms"
    LINES = "timed N-Triples or N-Quads lines"
    CSV = "CSV"
    PARQUET = "Parquet"


@dataclass(frozen=True, slots=True)
class TraceFile:
    """One file of a trace; `index` is its place in arrival order, `header` the columns of a CSV.

    `stream` is the canonical text of the stream's IRI, None when nobody named it; with
    `candidates` (the query's streams) an element may name another one itself. `loose` tells
    that a line file spells literals or times without quotes; None: the spelling does not matter.
    `prefixes` are those that a file of atoms declares at its head, or given for a table.
    Of a `mapped` table the triples of its rows are in `copy`, with the numbers of the rows.
    `path` is what messages say; `copy` holds the bytes of a pipe, and those of a compressed file.
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
    mapped: bool = False

    @property
    def file(self) -> Path:
        """The plain file that holds the bytes."""
        return self.copy or Path(self.path)

    def position(self, block_start: int = 0) -> int:
        """Return the position of a block of this file in the arrival order of the whole trace."""
        return (self.index << _FILE_BITS) + block_start

    def stamped(self, written: Instant, column: int) -> Instant:
        """Return a time that starts at a column in time points; raise Malformed."""
        try:
            return self.clock.stamp(written)
        except Malformed as error:
            raise error.at(column) from None


@dataclass(frozen=True, slots=True)
class FilePart:
    """A part of a file: the lines that begin in a range of its bytes, or a range of its table's rows.

    The range contains `begin`, and not `end`; None: to the end of the file. A graph has no parts.
    """

    source: TraceFile
    begin: int = 0
    end: int | None = None


def file_index(position: int) -> int:
    """Return the index of the file that a position lies in."""
    return position >> _FILE_BITS


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


def reading(source: TraceFile, written: Instant, own: str | None, triple: Triple, column: int) -> TracedAtom:
    """Return an element of one triple; `column` is where its time stands."""
    stream = stream_of(source, own)
    time = source.stamped(written, column)
    return triple_reading(0, time, stream, standardise(source, stream, time, [triple])[0])


def triple_reading(line: int, time: Instant, stream: str | None, triple: Triple) -> TracedAtom:
    """Return a triple of a stream as an input atom."""
    return TracedAtom(line, time, stream, STREAM_PREDICATE, (*triple, stream or "null"))


def stream_of(source: TraceFile, own: str | None) -> str | None:
    """Return the stream of an element: its own, or else the file's; raise when they contradict."""
    if own is None and source.stream is None and source.candidates:
        listed = ", ".join(source.candidates)
        raise Malformed(
            f"nothing says which stream this is; give --stream IRI=FILE with one of: {listed}", fatal=True
        )
    if own and source.stream and own != source.stream and not source.candidates:
        raise Malformed(f"the element belongs to {own}, but the file was given the stream {source.stream}")
    return own or source.stream


def check_roles(triple: Triple, columns: Sequence[int] = (1, 1, 1)) -> None:
    """Raise unless the subject is no literal and the predicate is an IRI."""
    if triple[0].startswith('"'):
        raise Malformed("found a literal as subject; accepted: an <iri> or a _:blank node", columns[0])
    if not triple[1].startswith("<"):
        raise Malformed("found no IRI as predicate; accepted: an <iri>", columns[1])


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
