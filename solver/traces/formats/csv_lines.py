"""Traces in CSV: a header with the columns of a trace, then one element per line.

Commas, semicolons or tabs separate cells; the header determines which of them.
"""

import csv
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from lars.errors import Place, PlacedError
from solver.columns import Array, Mask, TermCodes
from solver.rdf import short
from solver.settings import TraceOptions
from solver.traces.formats.cells import (
    ATOM_COLUMNS,
    COLUMNS,
    MAPPED,
    OTHER_TIMES,
    Cell,
    atom_columns,
    read_cells,
    table_rows,
)
from solver.traces.formats.lines import LineFormat
from solver.traces.input_files import FileHead, RowColumns, TableColumns, TracedAtom, TraceFile
from solver.traces.trace_times import MalformedPart, cell_time

if TYPE_CHECKING:
    from _csv import Reader

    import pyarrow as pa

    from solver.traces.formats.cell_columns import Cells, Lines

DELIMITERS: Final = (",", ";", "\t")
FLOATING: Final = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
"""The pattern of a number in a column of numbers, as in XSD: 07, -1.5, .5 or 1E-3."""
INFINITE: Final = ("INF", "-INF")
"""The infinite numbers of a column of numbers."""
_FIELDS: Final = {
    delimiter: re.compile(
        rf'(?:"(?P<quoted>[^"]*(?:""[^"]*)*)"|(?P<plain>[^"{delimiter}]*))(?P<end>{delimiter}|$)'
    )
    for delimiter in DELIMITERS
}
_PART: Final = 2**24
_RETURN: Final = re.compile(rb"(?<=\r)(?!\n)")
_NO_CELL: Final = b"\xff"
"""The mark of a field that is not a valid cell; terms and times never contain this byte."""


class CsvLines(LineFormat):
    """The format of CSV files; the first line is the header."""

    def begun(self, source: TraceFile, head: FileHead, options: TraceOptions) -> TraceFile:
        """Return the file with its header and its delimiter."""
        if not head.start:
            return source
        header = read_header(source.path, head.lines[0], options.arrival)
        return replace(source, header=header, delimiter=delimiter_of(head.lines[0]))

    def columns(self, head: FileHead) -> TableColumns:
        """Return the names of columns in the first line, and whether they are the columns of a trace."""
        return _names(head.lines[0]), is_header(head.lines[0])

    def read(self, source: TraceFile, line: str, *, first: bool) -> Sequence[TracedAtom]:
        """Return the element of a line; a header or an empty line has no element."""
        if first or not line:
            return ()
        fields = _fields(line, source.delimiter)
        if len(fields) != len(source.header):
            accepted = f"{len(source.header)}, as in the header {source.delimiter.join(source.header)}"
            raise MalformedPart(f"found {len(fields)} fields; expected {accepted}", fields[-1][1])
        cells = dict(zip(source.header, fields, strict=True))
        return read_cells(source, {**cells, "t": cells[source.times]})

    def usual(self, source: TraceFile, lines: "Lines", terms: TermCodes) -> list[RowColumns]:
        """Return the lines that are certainly triples or atoms, in columns."""
        from solver.traces.formats.cell_columns import fields_of, read_times, used_cells

        header = source.header
        cuts, whole = _cuts(lines, len(header), source.delimiter)
        if not whole.any():
            return []
        fields, numbered = fields_of(lines, cuts, whole)

        def cells(name: str) -> "Cells":
            texts, places = used_cells(fields, numbered[:, header.index(name)])
            return _cells(texts, source.delimiter), places

        times = read_times(cells(source.times), source.clock, cell_time)
        return table_rows(source, header, cells, times, terms)


def delimiter_of(line: str) -> str:
    """Return the comma, semicolon or tab that occurs most often in a header; a comma if none occurs.

    >>> delimiter_of('t;"a,b";s'), delimiter_of("t")
    (';', ',')
    """
    bare = re.sub(r'"[^"]*"', "", line)
    return max(DELIMITERS, key=bare.count)


def delimiter_in(plain: Path) -> str:
    """Return the delimiter of a table in CSV, whose header may have cells of several lines."""
    header = ""
    with plain.open("rb") as file:
        for line in chain.from_iterable(map(_RETURN.split, iter(partial(file.readline, _PART), b""))):
            if header or line.strip():
                header += line.decode("utf-8", "replace")
                if header.count('"') % 2 == 0:
                    break
    return delimiter_of(header)


_VALUE: Final = re.compile(r"[+-]?\d*\.\d+|\d{4}-\d\d-\d\d(?:[T ].*)?", re.ASCII)


def header_problem(names: Sequence[str]) -> str | None:
    """Return why the first line of a table cannot contain the names of its columns, with a remedy, or None.

    >>> header_problem(["time|room"])
    "found '|' between columns; use commas between columns"
    """
    first = names[0] if names else ""
    if first.startswith("sep=") or (first.startswith("#") and len(names) == 1):
        return f"found {first} in place of the names of columns; remove this line"
    if len(names) == 1 and "|" in first:
        return "found '|' between columns; use commas between columns"
    if value := next(filter(_VALUE.fullmatch, names), None):
        return f"found {value} as the name of a column; use a first line with the names of the columns"
    return None


def csv_reader(lines: Iterable[str], delimiter: str, *, strict: bool = False) -> "Reader":
    """Return Python's reader of rows in CSV, for cells of every length."""
    # Python refuses cells of more than 131072 characters, unless the whole process accepts them.
    csv.field_size_limit(sys.maxsize)
    return csv.reader(lines, delimiter=delimiter, strict=strict)


def _names(line: str) -> list[str]:
    """Return the column names in a header; the list is empty if the line is not CSV."""
    try:
        return [str(text).strip() for text, _, _ in _fields(line, delimiter_of(line))]
    except MalformedPart:
        return []


def is_header(line: str) -> bool:
    """Return whether a line is the header of a CSV trace."""
    return are_columns(_names(line))


def are_columns(texts: Sequence[str]) -> bool:
    """Return whether all names are columns of a CSV trace, except a first column without a name.

    pandas writes its index in a first column without name.
    """
    texts = texts[1:] if texts[:1] == [""] else texts
    if len(names := set(texts)) < len(texts):
        return False
    known = (set(COLUMNS), set(COLUMNS) - {"stream"}, set(ATOM_COLUMNS))
    return names in known or names == set(atom_columns(names) or ())


def read_header(path: str, line: str, arrival: str | None = None) -> tuple[str, ...]:
    """Return the column names of a CSV trace in order.

    The header may also contain the column `arrival`.

    Raises:
        PlacedError: The header is invalid.
    """
    names = [name for name in _names(line) if name != arrival]
    if not is_header(line) and not are_columns(names):
        for other in filter(names.count, OTHER_TIMES):
            if are_columns(["t" if name == other else name for name in names]):
                problem = f"found no column t as header; use t as the name of the column {other}"
                raise PlacedError(Place(path, 1, 1, line), problem)
        accepted = (
            "the columns t, stream, s, p, o, or t, atom, or t, predicate, arg1, arg2 .., in any order; "
            f"{MAPPED}"
        )
        problem = f"found {short(line)} as header; expected {accepted}"
        raise PlacedError(Place(path, 1, 1, line), problem)
    return tuple(_names(line))


def _fields(line: str, delimiter: str) -> list[Cell]:
    cells: list[Cell] = []
    at = 0
    while True:
        match = _FIELDS[delimiter].match(line, at)
        if match is None:
            raise MalformedPart(
                f"found {short(line[at:])}; expected a field without quotes or commas, or a field in "
                'quotes on one line; double each quote inside it, as in """text"""',
                at + 1,
            )
        quoted = match["quoted"]
        text = match["plain"] if quoted is None else quoted.replace('""', '"')
        cells.append((text, at + 1, int(quoted is not None)))
        at = match.end()
        if not match["end"]:
            return cells


def csv_line(t: int, texts: Iterable[str]) -> str:
    """Return the line of an element: its time, then its cells."""
    return f"{t},{','.join(map(_field, texts))}\n"


def _field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if '"' in text or "," in text else text


def _cuts(lines: "Lines", width: int, delimiter: str) -> tuple[Sequence[Array], Mask]:
    """Return the starts of all fields but the first, line ends, and a mask of lines with `width` fields."""
    quotes, commas = lines.places('"'), lines.places(delimiter)
    before = np.searchsorted(quotes, lines.starts)
    inside = np.searchsorted(quotes, commas) - before[np.searchsorted(lines.starts, commas, "right") - 1]
    borders = commas[inside % 2 == 0]
    first = np.searchsorted(borders, lines.starts[:-1])
    whole = np.searchsorted(borders, lines.ends) - first == width - 1
    chosen = first[whole]
    cuts = np.zeros((width, len(lines)), np.int64)
    for number in range(width - 1):
        cuts[number, whole] = borders[chosen + number] + 1
    cuts[-1] = lines.ends
    return list(cuts), whole


def _cells(fields: "pa.Array", delimiter: str) -> "pa.Array":
    """Return the values of fields, without a delimiter at their ends and without quotes."""
    import pyarrow.compute as pc

    from solver.columns import arrow_text

    ends = pc.ends_with(fields, delimiter)
    texts = pc.if_else(ends, pc.binary_slice(fields, 0, -1), fields)
    quoted = pc.match_substring_regex(texts, '^"([^"]|"")*"$')
    inside = pc.replace_substring(pc.binary_slice(texts, 1, -1), '""', '"')
    plain = pc.invert(pc.match_substring(texts, '"'))
    return pc.if_else(quoted, inside, pc.if_else(plain, texts, arrow_text(_NO_CELL)))
