"""Files of lines: read whole, or the lines that begin in a range of bytes, many at once."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, BinaryIO, Final

import numpy as np

from lars.errors import FailedRunError, Place
from lars.files import MOST_BYTES
from solver.columns import Array, TermCodes
from solver.traces.rows import ExactRow, FileFormat, FilePart, Raw, RowBlock, TracedAtom, TraceFile, UsualRows
from solver.traces.trace_times import MalformedPart

if TYPE_CHECKING:
    from solver.traces.blocks.line_fields import Lines

_BLOCK: Final = 2**22


class LineFormat(FileFormat):
    """A format in which each line says what it says alone; `bytes_of_atom` are about those of one."""

    bytes_of_atom = 150

    @abstractmethod
    def read(self, source: TraceFile, line: str, *, first: bool) -> Sequence[TracedAtom]:
        """Return what a line says, in order; `first` is the first line of the file. Raises Malformed."""

    def usual(self, source: TraceFile, lines: "Lines", terms: TermCodes) -> list[UsualRows]:
        """Return what lines say that are written as usual, for certain."""
        _ = source, lines, terms
        return []

    def size(self, source: TraceFile) -> int:
        """Return about how many input atoms a file has, from its size."""
        return source.file.stat().st_size // self.bytes_of_atom

    def borders(self, source: TraceFile, each: int) -> Sequence[int]:
        """Return the bytes at which a file is cut."""
        length, parts = source.file.stat().st_size, self.size(source) // each
        return [length * number // parts for number in range(1, parts)]

    def rows(self, source: TraceFile) -> Iterator[tuple[Raw, Place]]:
        """Yield what each line says, with its place."""
        seq, whole = count(1), FilePart(source)
        with source.file.open("rb") as file:
            for number, data in enumerate(iter(partial(file.readline, MOST_BYTES), b""), 1):
                _check_length(whole, number, len(data))
                for row in self.exact(source, data.removesuffix(b"\n"), first=number == 1):
                    text = data.decode("utf-8", "backslashreplace").rstrip("\r\n")
                    yield source.row(row, next(seq), number, text)

    def exact(self, source: TraceFile, data: bytes, *, first: bool) -> Sequence[TracedAtom | MalformedPart]:
        """Return what a line says, in order, or what is wrong with it."""
        try:
            line = data.decode("utf-8").rstrip("\r")
        except UnicodeDecodeError as error:
            column = len(data[: error.start].decode("utf-8", "replace")) + 1
            return (MalformedPart("found bytes that are no UTF-8; accepted: UTF-8", column),)
        try:
            return self.read(source, line.removeprefix("\ufeff") if first else line, first=first)
        except MalformedPart as error:
            return (error,)

    def blocks(self, part: FilePart, terms: TermCodes) -> Iterator[RowBlock]:
        """Yield the lines of a part, many at once."""
        # Loads Arrow, which reading one by one does not need.
        from solver.traces.blocks.line_fields import lines_of

        before = 0
        for data in line_blocks(part):
            lines = lines_of(data)
            yield self.block(part, lines, terms, before)
            before += len(lines)

    def block(self, part: FilePart, lines: "Lines", terms: TermCodes, before: int) -> RowBlock:
        """Return what lines say that follow so many others of the part."""
        usual = self.usual(part.source, lines, terms)
        others = self._exact_lines(
            part.source, lines, left(usual, len(lines)), first=part.begin == before == 0
        )
        return RowBlock(before, len(lines), usual, others)

    def _exact_lines(
        self, source: TraceFile, lines: "Lines", places: Array, *, first: bool
    ) -> Iterator[ExactRow]:
        for place in places.tolist():
            data = lines.text(place)
            rows = self.exact(source, data, first=first and place == 0)
            bad = any(isinstance(row, MalformedPart) for row in rows)
            yield ExactRow(place, rows, data.decode("utf-8", "backslashreplace").rstrip("\r") if bad else "")


def left(usual: Sequence[UsualRows], rows: int) -> Array:
    """Return the places of the rows of a block that are not usual."""
    mask = np.ones(rows, np.bool_)
    for rows_read in usual:
        mask[rows_read.places] = False
    return np.flatnonzero(mask)


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
    while (left_over := part.end - file.tell()) > 0:
        if not (data := file.read(min(_BLOCK, left_over))):
            return
        yield data
    if data and not data.endswith(b"\n"):
        yield file.readline(MOST_BYTES)


def _check_length(part: FilePart, number: int, length: int) -> None:
    if length >= MOST_BYTES:
        where = f"a line after byte {part.begin}" if part.begin else f"line {number}"
        raise FailedRunError(f"{part.source.path}: {where} is longer than {MOST_BYTES} bytes")
