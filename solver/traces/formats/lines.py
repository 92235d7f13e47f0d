"""Read files of lines: whole files, or the lines that begin in a range of bytes, many at once."""

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from lars.errors import FailedRunError
from lars.files import BYTE_ORDER_MARK, MOST_BYTES
from solver.columns import TermCodes
from solver.traces import input_files
from solver.traces.trace_times import MalformedPart

if TYPE_CHECKING:
    from solver.traces.formats.cell_columns import Lines

_BLOCK: Final = 2**22


class LineFormat(input_files.FileFormat):
    """A format of files in which each line can be read independently of all other lines."""

    of_lines = True

    @abstractmethod
    def read(
        self, source: input_files.TraceFile, line: str, *, first: bool
    ) -> Sequence[input_files.TracedAtom]:
        """Return the atoms of a line in order; `first` marks the first line of the file.

        Raises:
            MalformedPart: The line is invalid.
            NotATerm: A term in the line is invalid.
        """

    def usual(
        self, source: input_files.TraceFile, lines: "Lines", terms: TermCodes
    ) -> list[input_files.RowColumns]:
        """Return, in columns, the rows of lines whose usual notation leaves no doubt."""
        _ = source, lines, terms
        return []

    def borders(self, source: input_files.TraceFile, each: int) -> Sequence[int]:
        """Return the positions, in bytes, at which a file is divided into parts."""
        length, parts = source.file.stat().st_size, self.size(source) // each
        return [length * number // parts for number in range(1, parts)]

    def exact(
        self, source: input_files.TraceFile, place: int, data: bytes, *, first: bool
    ) -> input_files.ExactRow:
        """Return the row of a line, with the line's atoms in order, or with its error."""
        data = data.removeprefix(BYTE_ORDER_MARK) if first else data
        try:
            text = data.decode().rstrip("\r")
        except UnicodeDecodeError as error:
            column = len(data[: error.start].decode("utf-8", "replace")) + 1
            fault = MalformedPart("found bytes that are not valid UTF-8; expected UTF-8", column)
            return input_files.ExactRow(
                place, (fault,), data.decode("utf-8", "backslashreplace").rstrip("\r")
            )
        try:
            return input_files.ExactRow(place, self.read(source, text, first=first), text)
        except MalformedPart as error:
            return input_files.ExactRow(place, (error,), text)

    def blocks(self, part: input_files.TraceFile, terms: TermCodes | None) -> Iterator[input_files.RowBlock]:
        """Yield the lines of a part of a file in blocks of many lines."""
        # Loads Arrow, which recognising and writing files do not need.
        from solver.traces.formats.cell_columns import lines_of

        before = 0
        for data in line_blocks(part):
            lines = lines_of(data)
            yield self.block(part, lines, terms, before)
            before += len(lines)

    def block(
        self, part: input_files.TraceFile, lines: "Lines", terms: TermCodes | None, before: int
    ) -> input_files.RowBlock:
        """Return a block of lines, which follow `before` earlier lines of the part."""
        usual = [] if terms is None else self.usual(part, lines, terms)
        starts = part.begin == before == 0
        others = (
            self.exact(part, place, lines.text(place), first=starts and place == 0)
            for place in input_files.unusual_places(usual, len(lines)).tolist()
        )
        return input_files.RowBlock(before, len(lines), usual, others)


def line_blocks(part: input_files.TraceFile) -> Iterator[bytes]:
    """Yield the bytes of a part of a file in pieces of many whole lines.

    Raises:
        FailedRunError: A line is too long.
    """
    end = math.inf if part.end is None else part.end
    with part.file.open("rb") as file:
        if part.begin:
            # The line that lies there by half is one of the part before.
            file.seek(part.begin - 1)
            _check_length(part, part.begin, len(file.readline(MOST_BYTES)))
        while (begin := file.tell()) < end and (data := file.read(int(min(_BLOCK, end - begin)))):
            if not data.endswith(b"\n"):
                data += file.readline(MOST_BYTES)
            last = data.rfind(b"\n", 0, -1) + 1
            _check_length(part, begin + last, len(data) - last)
            yield data


def _check_length(part: input_files.TraceFile, begin: int, length: int) -> None:
    """Raise FailedRunError if the line that begins at a byte of the file is too long."""
    if length < MOST_BYTES:
        return
    where = f"a line after byte {part.begin}"
    if not part.begin:
        with part.file.open("rb") as file:
            before = sum(file.read(min(_BLOCK, begin - at)).count(b"\n") for at in range(0, begin, _BLOCK))
        where = f"line {before + 1}"
    raise FailedRunError(f"{part.path}: {where} is longer than {MOST_BYTES} bytes")
