"""Reading one file of a trace, and the row format that every way of reading shares."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from lars.errors import FailedRunError, Place, PlacedError, refused
from lars.files import MOST_BYTES
from solver.facts import Arguments
from solver.traces.formats.graphs import read_graphs
from solver.traces.trace_elements import FileFormat, FilePart, TracedAtom, TraceFile
from solver.traces.trace_times import Instant, Malformed, TimeKind

_BLOCK: Final = 2**22


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


def row_of(found: TracedAtom | Malformed, position: int, seq: int, text: str) -> Raw:
    """Return what was found as a row at its place in arrival order, or `text` as a rejected one."""
    if isinstance(found, Malformed):
        kept = text.encode("utf-8", "backslashreplace").decode()
        return Raw(TimeKind.INTEGER, 0, position, seq, None, None, (kept,), found.problem, found.fatal)
    _, time, stream, predicate, arguments = found
    return Raw(time.kind, time.value, position, seq, stream, predicate, arguments)


def read_text(source: TraceFile, data: bytes, *, first: bool) -> Sequence[TracedAtom | Malformed]:
    """Return what one line of a line format says, in order; `first` is the first line of the file."""
    try:
        line = data.decode("utf-8").rstrip("\r")
    except UnicodeDecodeError as error:
        column = len(data[: error.start].decode("utf-8", "replace")) + 1
        return (Malformed("found bytes that are no UTF-8; accepted: UTF-8", column),)
    if first:
        line = line.removeprefix("\ufeff")
    try:
        # Each format is loaded once a file has it; tables load Arrow.
        if source.format is FileFormat.ATOMS:
            from solver.traces.formats.atom_lines import read_atoms

            return read_atoms(source, line)
        if source.format is FileFormat.LINES:
            from solver.traces.formats.quad_lines import read_line

            found = read_line(source, line)
        else:
            from solver.traces.formats.tables import read_record

            found = None if first else read_record(source, line)
    except Malformed as error:
        return (error,)
    return () if found is None else (found,)


def _line_rows(source: TraceFile) -> Iterator[tuple[Raw, Place]]:
    seq, whole = count(1), FilePart(source)
    with source.file.open("rb") as file:
        for number, data in enumerate(iter(partial(file.readline, MOST_BYTES), b""), 1):
            _check_length(whole, number, len(data))
            for found in read_text(source, data.removesuffix(b"\n"), first=number == 1):
                text = data.decode("utf-8", "backslashreplace").rstrip("\r\n")
                yield _placed(source, found, next(seq), number, text)


def line_blocks(part: FilePart) -> Iterator[bytes]:
    """Yield a part's lines, many at once; raise FailedRunError for one that is too long."""
    number, rest = 1, b""
    with part.source.file.open("rb") as file:
        for data in _bytes(part, file):
            if end := data.rfind(b"\n") + 1:
                _check_length(part, number, len(rest) + data.index(b"\n") + 1)
                yield rest + data[:end]
                number += data.count(b"\n")
                rest = b""
            rest += data[end:]
            _check_length(part, number, len(rest))
    if rest:
        yield rest


def _bytes(part: FilePart, file: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of a part's lines, of which the last may lie outside by half."""
    if part.begin:
        # The line that lies there by half is one of the part before.
        file.seek(part.begin - 1)
        _check_length(part, 1, len(file.readline(MOST_BYTES)))
    if part.end is None:
        yield from iter(partial(file.read, _BLOCK), b"")
        return
    data = b""
    while (left := part.end - file.tell()) > 0:
        if not (data := file.read(min(_BLOCK, left))):
            return
        yield data
    if data and not data.endswith(b"\n"):
        yield file.readline(MOST_BYTES)


def _check_length(part: FilePart, number: int, length: int) -> None:
    if length >= MOST_BYTES:
        where = f"a line after byte {part.begin}" if part.begin else f"line {number}"
        raise FailedRunError(f"{part.source.path}: {where} is longer than {MOST_BYTES} bytes")


def graph_rows(source: TraceFile, data: bytes) -> Iterator[tuple[Raw, Place]]:
    """Yield the rows of a TriG or Turtle file from its content."""
    for number, found in enumerate(read_graphs(source, data)):
        line = found.line or 1
        text = _line_of(data, line) if isinstance(found, Malformed) else ""
        yield _placed(source, found, number, line, text)


def _line_of(data: bytes, number: int) -> str:
    lines = data.split(b"\n", number)
    text = lines[number - 1] if len(lines) >= number else b""
    return text.decode("utf-8", "backslashreplace").rstrip("\r")


def _placed(
    source: TraceFile, found: TracedAtom | Malformed, seq: int, line: int, text: str
) -> tuple[Raw, Place]:
    column = found.column if isinstance(found, Malformed) else 1
    return row_of(found, source.position(), seq, text), Place(source.path, line, column, text)


def read_source(source: TraceFile) -> Iterator[tuple[Raw, Place]]:
    """Yield the rows of one file in order, rejected ones included, each with its place.

    A row of a table has its number as line; the text is left out where only an error needs it.
    """
    try:
        match source.format:
            case FileFormat.LINES | FileFormat.CSV | FileFormat.ATOMS:
                yield from _line_rows(source)
            case FileFormat.PARQUET:
                from solver.traces.formats.tables import read_row, table_records

                for number, record in enumerate(table_records(source), 1):
                    yield _placed(source, read_row(source, record), number, number, str(record))
            case FileFormat.TRIG | FileFormat.TURTLE:
                yield from graph_rows(source, source.file.read_bytes())
    except OSError as error:
        raise refused(source.path, error, "cannot be read") from None


def error_at(source: TraceFile, place: Place, problem: str) -> PlacedError:
    """Return the error for a problem at a place of the file."""
    if source.mapped:
        place = _in_users_table(source, place)
    if source.format in (FileFormat.TRIG, FileFormat.TURTLE):
        place = replace(place, line_text=_line_of(source.file.read_bytes(), place.line))
    return PlacedError(place, problem)


def _in_users_table(source: TraceFile, place: Place) -> Place:
    """Return the place of a triple's row in the table that was mapped; lines of CSV count from its header."""
    from solver.traces.formats.mapped_tables import row_of_table

    row = row_of_table(source.file, place.line)
    if (data := Path(source.path)).suffix == ".csv" and data.is_file():
        return Place(source.path, row + 1, 1, _line_of(data.read_bytes(), row + 1))
    return replace(place, line=row, column=1)
