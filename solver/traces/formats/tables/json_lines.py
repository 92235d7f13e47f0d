"""JSON lines and Arrow files, converted to Parquet.

Numbers stay as they are written, and errors name their lines.
"""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import partial
from math import isinf
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pa_json
import pyarrow.parquet as pq

from lars.errors import LarsError, Place, PlacedError, short_of
from lars.language.terms import XSD, Literal
from solver.rdf import short
from solver.traces import input_files
from solver.traces.formats.cells import ATOM_COLUMNS, COLUMNS, PREDICATE_COLUMNS
from solver.traces.formats.tables.parquet import WHOLE, ParquetTable, has_trace_columns, storable, text_file
from solver.traces.formats.tables.typed_columns import literals

_LONGEST_BLOCK: Final = 2**31 - 1
_MIXED: Final = "changed from"
"""The words by which Arrow's message about values of several types in a JSON column is recognized."""
_ROW: Final = re.compile(r" in row (\d+)")
_HEAD: Final = 2**20
_DEEPEST: Final = 30
"""The deepest nesting of JSON in a table.

Each level is several levels in Parquet, which allows at most 100.
"""
_ACCEPTED_LINES: Final = "in each line a JSON object of numbers, texts, true, false and null"


def is_json(start: bytes) -> bool:
    """Return whether a file that begins with the bytes `start` can only be JSON."""
    return start.removeprefix(BOM_UTF8).lstrip().startswith(b"{")


def plain_table(path: str, plain: Path) -> Path:
    """Convert an Arrow table or JSON lines to Parquet, and return the Parquet file.

    Any other file is returned unchanged.

    Raises:
        LarsError: The table cannot be read.
    """
    with plain.open("rb") as file:
        start = file.read(_HEAD)
    if start.startswith(input_files.ARROW):
        return input_files.converted_file(plain, "arrow", partial(_write_arrow, path, plain))
    return _plain_lines(path, plain) if is_json(start) else plain


def _plain_lines(path: str, plain: Path) -> Path:
    return input_files.converted_file(plain, "json", partial(_write_json, path, plain))


def _write_arrow(path: str, plain: Path, made: Path) -> None:
    try:
        with pa.memory_map(str(plain)) as file:
            opened = pa.ipc.open_file(file) if file.read(6) == input_files.ARROW[0] else _stream(file)
            table = opened.read_all()
            # Arrow trusts lengths in a file, and would read memory that is not there.
            try:
                table.validate(full=True)
            except pa.ArrowInvalid:
                # Texts that are not UTF-8 are faults of their rows, as in Parquet.
                table = _texts_as_bytes(table)
                table.validate(full=True)
            pq.write_table(storable(table), made)
    except (pa.ArrowException, OSError) as error:
        short_of(path, error)
        raise LarsError(f"{path}: cannot be read: {short(str(error))}; expected a table of Arrow") from None


def _texts_as_bytes(table: pa.Table) -> pa.Table:
    """Return a table whose columns of texts are columns of bytes."""
    types = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}
    kinds = [pa.field(field.name, types.get(field.type, field.type)) for field in table.schema]
    return table.cast(pa.schema(kinds))


def _stream(file: pa.MemoryMappedFile) -> pa.RecordBatchStreamReader:
    file.seek(0)
    return pa.ipc.open_stream(file)


def _check_nesting(path: str, plain: Path) -> None:
    """Raise LarsError for a line of JSON so deeply nested that Arrow would crash the process."""
    with plain.open("rb") as file:
        for number, line in enumerate(input_files.lines_in(file), 1):
            if line.count(b"[") + line.count(b"{") <= _DEEPEST:
                continue
            # Loads what only such lines need.
            from solver.traces.json_documents import check_depth

            try:
                check_depth(json.loads(line.removeprefix(BOM_UTF8)), _DEEPEST)
            except RecursionError:
                reason = f"brackets inside brackets, more than {_DEEPEST} deep"
                accepted = f"expected {_ACCEPTED_LINES}"
                raise LarsError(f"{path}:{number}: cannot be read: {reason}; {accepted}") from None
            except ValueError:
                continue  # reported by the readers below


def _write_json(path: str, plain: Path, made: Path) -> None:
    _check_nesting(path, plain)
    # One block: then the row that a fault names is that of the file.
    size = min(max(plain.stat().st_size, 1), _LONGEST_BLOCK)

    def read(**more: pa_json.ParseOptions) -> pa.Table:
        with plain.open("rb") as file:
            begin = file.seek(len(BOM_UTF8) if file.read(len(BOM_UTF8)) == BOM_UTF8 else 0)
            # Arrow ends the program where the first value is null.
            if next((line for line in file if line.strip()), b"").lstrip().startswith(b"null"):
                raise ValueError("found null in row 0")
            file.seek(begin)
            return pa_json.read_json(file, pa_json.ReadOptions(use_threads=False, block_size=size), **more)

    try:
        try:
            table = read()
        except pa.ArrowInvalid as error:
            if _MIXED not in str(error):
                raise
            table = _mixed_table(plain)
        # A text is one, also where it looks like a time.
        if dated := [
            (column.name, pa.string()) for column in table.schema if pa.types.is_timestamp(column.type)
        ]:
            table = read(parse_options=pa_json.ParseOptions(explicit_schema=pa.schema(dated)))
        pq.write_table(storable(_mixed_table(plain) if _has_rounded(table) else table), made)
    except (pa.ArrowException, OSError, ValueError) as error:
        short_of(path, error)
        raise _line_error(path, plain, str(error)) from None


_GAP: Final = re.compile(r"\s*")
_PLAIN: Final = {
    frozenset((str,)): pa.string(),
    frozenset((bool,)): pa.bool_(),
    frozenset((float,)): pa.float64(),
}


def _has_rounded(table: pa.Table) -> bool:
    """Return whether Arrow may have read integers of a JSON file as doubles, so that digits can be lost.

    Arrow reads an integer as a double if another row of the column has a fraction, or if an integer exceeds
    64 bits.
    """
    doubles = (column for column in table.itercolumns() if pa.types.is_floating(column.type))
    return any(pc.any(pc.equal(column, pc.floor(column))).as_py() for column in doubles)


def _mixed_table(plain: Path) -> pa.Table:
    """Read JSON lines into a table in which each value keeps its type, and each integer all its digits.

    Raises:
        ValueError: A row is not a JSON object, or a value cannot be stored.
    """
    text = plain.read_bytes().removeprefix(BOM_UTF8).decode()
    rows, at = list[dict[str, object]](), _gap(text, 0)
    while at < len(text):
        try:
            row, at = _DECODER.raw_decode(text, at)
        except ValueError as error:
            raise ValueError(f"{error} in row {len(rows)}") from None
        if not isinstance(row, dict):
            raise ValueError("found no JSON object")  # noqa: TRY004  (the user's fault)
        rows.append(row)
        at = _gap(text, at)
    names = [*dict.fromkeys(name for row in rows for name in row)]
    is_trace = has_trace_columns(names)
    columns = [_mixed_column([row.get(name) for row in rows], name, is_trace=is_trace) for name in names]
    fields = [
        pa.field(name, one.type, metadata=about) for name, (one, about) in zip(names, columns, strict=True)
    ]
    return pa.table([column for column, _ in columns], pa.schema(fields))


def _gap(text: str, at: int) -> int:
    return _GAP.match(text, at).end()  # type: ignore[union-attr]  # it matches the empty text


def _cells_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
    cells = dict(pairs)
    if len(cells) < len(pairs):
        names = [name for name, _ in pairs]
        name = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"found the column {short(name)} twice")
    return cells


def _double(text: str) -> float:
    if isinf(number := float(text)):
        raise ValueError(f"the number {short(text)} is too large for a double")
    return number


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_cells_of, parse_int=Decimal, parse_float=_double)


def _mixed_column(
    cells: Sequence[object], name: str, *, is_trace: bool
) -> tuple[pa.Array, Mapping[bytes, bytes] | None]:
    """Return a column of JSON values, which may have several types, and metadata if its texts are literals.

    The content of lists and objects is left out: they become texts that are not literals, or, if no value
    has another type, empty lists.

    Raises:
        ValueError: The column belongs to a trace, and contains a list or an object.
    """
    kinds = frozenset(type(cell) for cell in cells if cell is not None)
    if kinds in _PLAIN or not kinds:
        return pa.array(cells, _PLAIN.get(kinds, pa.null())), None
    if kinds <= {dict, list} and not (is_trace and _is_of_trace(name)):
        return pa.array([None if cell is None else [] for cell in cells], pa.list_(pa.string())), None
    if kinds & {dict, list} and is_trace and _is_of_trace(name):
        row, cell = next((row, cell) for row, cell in enumerate(cells) if isinstance(cell, dict | list))
        raise ValueError(f"{_nested(cell, name)} in row {row}")
    if is_trace and name not in ("s", "p", "o", "stream"):
        return pa.array([None if cell is None else str(cell) for cell in cells], pa.string()), None
    terms = [cell if cell is None or (is_trace and type(cell) is str) else _literal(cell) for cell in cells]
    return pa.array(terms, pa.string()), None if is_trace else WHOLE


def _nested(cell: object, name: str) -> str:
    return f"found {'a list' if isinstance(cell, list) else 'an object'} as {name}"


def _is_of_trace(name: str) -> bool:
    return name in (*COLUMNS, *ATOM_COLUMNS, *PREDICATE_COLUMNS) or name.startswith("arg")


def _literal(cell: object) -> str:
    match cell:
        case Decimal():  # an integer with all its digits
            return f'"{cell or 0}"^^<{XSD}integer>'
        case str():
            return str(Literal(cell))
        case dict() | list():
            return "[]"  # no literal begins so
        case _:
            text: str = literals(pa.array([cell]))[0].as_py()
            return text


def _line_error(path: str, plain: Path, problem: str) -> LarsError:
    """Return an error at the first line that is not a JSON object; if none exists, the error `problem`."""
    for _, place, reason in _faults(path, plain):
        return PlacedError(place, reason)
    row = _ROW.search(problem)
    where = f"{path}:{lines_of_rows(plain, [int(row[1]) + 1])[0]}" if row else path
    reason = short(_ROW.sub("", problem))
    return LarsError(f"{where}: cannot be read: {reason}; expected {_ACCEPTED_LINES}")


def _faults(path: str, plain: Path) -> Iterator[input_files.Fault]:
    """Yield the lines that are not JSON objects, or that a table cannot contain."""
    row = 0
    with plain.open("rb") as file:
        for number, whole in enumerate(input_files.lines_in(file), 1):
            line = whole.removeprefix(BOM_UTF8).rstrip(b"\r\n")
            if not line.strip():
                continue
            row += 1
            text = line.decode("utf-8", "backslashreplace")
            try:
                column, reason = _fault_in_line(line.decode())
            except UnicodeDecodeError as error:
                column = len(line[: error.start].decode()) + 1
                reason = "found bytes that are not valid UTF-8"
            if reason is not None:
                yield row, Place(path, number, column, text), f"{reason}; expected {_ACCEPTED_LINES}"


def _fault_in_line(text: str) -> tuple[int, str | None]:
    """Return the column, from 1, and the reason why a line is not a row of a table; None for a valid line."""
    try:
        cells = _DECODER.decode(text)
        # Half of a surrogate pair is not a character.
        json.dumps(cells, ensure_ascii=False, default=str).encode()
    except json.JSONDecodeError as error:
        return error.colno, f"no JSON: {error.msg}"
    except UnicodeEncodeError:
        return 1, f"{short(text)} contains half of a surrogate pair"
    except RecursionError:
        return 1, "no JSON"
    except ValueError as error:
        return 1, str(error)
    if not isinstance(cells, dict):
        return 1, f"found {short(text)}"
    nested = [name for name, cell in cells.items() if isinstance(cell, dict | list) and _is_of_trace(name)]
    return 1, _nested(cells[nested[0]], nested[0]) if nested and has_trace_columns(cells) else None


_SEVERAL: Final = re.compile(rb"\}\s*\{")


def lines_of_rows(plain: Path, rows: Sequence[int]) -> list[int]:
    """Return the lines of rows in a file of JSON lines; blank lines are not rows. All numbers are from 1."""
    starts, is_one_each = list[int](), True
    with plain.open("rb") as file:
        for number, line in enumerate(input_files.lines_in(file), 1):
            if text := line.strip():
                starts.append(number)
                is_one_each = is_one_each and text.endswith(b"}") and not _SEVERAL.search(text)
    # Arrow also reads objects of several lines, and several objects on one line.
    if not is_one_each:
        with suppress(ValueError):
            starts = [*_starts_of_objects(plain)]
    return [starts[row - 1] if row <= len(starts) else row for row in rows]


def _starts_of_objects(plain: Path) -> Iterator[int]:
    """Yield the line in which each object of a JSON file begins."""
    text = plain.read_bytes().removeprefix(BOM_UTF8).decode()
    line, before, at = 1, 0, _gap(text, 0)
    while at < len(text):
        line, before = line + text.count("\n", before, at), at
        yield line
        at = _gap(text, _DECODER.raw_decode(text, at)[1])


class ArrowFile(ParquetTable):
    """The format of Arrow files; in errors, the number of a row replaces the line."""

    def plain(self, head: input_files.FileHead) -> Path:
        """Return the Parquet file with the rows of the table.

        Raises:
            LarsError: The file is not an Arrow table.
        """
        path = str(head.path)
        if head.start and not (
            head.start.startswith((*input_files.ARROW, input_files.PARQUET)) or is_json(head.start)
        ):
            raise LarsError(f"{path}: not a readable Arrow table; use an Arrow file")
        return plain_table(path, head.plain)


class JsonTable(ArrowFile):
    """The format of JSON lines; the place of an error is the line in the user's file."""

    def plain(self, head: input_files.FileHead) -> Path:
        """Return the Parquet file with the rows of the table."""
        if head.start.startswith((*input_files.ARROW, input_files.PARQUET)):
            return super().plain(head)
        return _plain_lines(str(head.path), head.plain)

    def faults(self, head: input_files.FileHead) -> Sequence[input_files.Fault]:
        """Return the lines that are not JSON objects."""
        return [*_faults(str(head.path), head.plain)]

    def placed(self, source: input_files.TraceFile, places: Sequence[Place]) -> list[Place]:
        """Return the places in the user's file of the rows in which errors occurred."""
        plain = text_file(source.path)
        if plain is None:
            return [*places]
        last = max(place.line for place in places)
        rows = input_files.kept_rows(last, source.skipped)
        numbers = lines_of_rows(plain, [int(rows[place.line - 1]) for place in places])
        return input_files.whole_lines(source.path, plain, numbers)
