"""Tables of Arrow (IPC and Feather, files and streams) and JSON lines: read as the same table in Parquet."""

import json
import re
from codecs import BOM_UTF8
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.json as pa_json
import pyarrow.parquet as pq

from lars.errors import LarsError, Place, PlacedError
from lars.files import exists
from solver.rdf import short
from solver.traces.formats.tables import ParquetTable, storable
from solver.traces.input_files import (
    ARROW,
    PARQUET,
    STANDARD_INPUT,
    FileHead,
    TraceFile,
    converted_file,
    line_of,
    readable,
)

_LONGEST_BLOCK: Final = 2**31 - 1
_ROW: Final = re.compile(r" in row (\d+)")
_HEAD: Final = 2**20
_ACCEPTED_LINES: Final = "in each line a JSON object, in each column values of one type"


def is_json(start: bytes) -> bool:
    """Return whether what a file begins with can only be JSON."""
    return start.removeprefix(BOM_UTF8).lstrip().startswith(b"{")


def plain_table(path: str, plain: Path) -> Path:
    """Return a table of Arrow or of JSON lines as Parquet, any other file as it is."""
    with plain.open("rb") as file:
        start = file.read(_HEAD)
    if start.startswith(ARROW):
        return converted_file(plain, "arrow", partial(_write_arrow, path, plain))
    return _plain_lines(path, plain) if is_json(start) else plain


def _plain_lines(path: str, plain: Path) -> Path:
    return converted_file(plain, "json", partial(_write_json, path, plain))


def _write_arrow(path: str, plain: Path, made: Path) -> None:
    try:
        with pa.memory_map(str(plain)) as file:
            opened = pa.ipc.open_file(file) if file.read(6) == ARROW[0] else _stream(file)
            table = opened.read_all()
            # Arrow trusts lengths in a file, and would read memory that is not there.
            table.validate(full=True)
            pq.write_table(storable(table), made)
    except (pa.ArrowException, OSError) as error:
        raise LarsError(f"{path}: cannot be read: {short(str(error))}; accepted: a table of Arrow") from None


def _stream(file: pa.MemoryMappedFile) -> pa.RecordBatchStreamReader:
    file.seek(0)
    return pa.ipc.open_stream(file)


def _write_json(path: str, plain: Path, made: Path) -> None:
    # One block: then the row that a fault names is that of the file.
    size = min(max(plain.stat().st_size, 1), _LONGEST_BLOCK)

    def read(**more: pa_json.ParseOptions) -> pa.Table:
        with plain.open("rb") as file:
            file.seek(len(BOM_UTF8) if file.read(len(BOM_UTF8)) == BOM_UTF8 else 0)
            return pa_json.read_json(file, pa_json.ReadOptions(use_threads=False, block_size=size), **more)

    try:
        table = read()
        # A text is one, also where it looks like a time.
        if dated := [
            (column.name, pa.string()) for column in table.schema if pa.types.is_timestamp(column.type)
        ]:
            table = read(parse_options=pa_json.ParseOptions(explicit_schema=pa.schema(dated)))
        pq.write_table(storable(table), made)
    except (pa.ArrowException, OSError) as error:
        raise _line_error(path, plain, str(error)) from None


def _line_error(path: str, plain: Path, problem: str) -> LarsError:
    """Return what is wrong with JSON lines: the first that is no object, else what Arrow says."""
    with plain.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(BOM_UTF8).decode("utf-8", "backslashreplace").rstrip("\r\n")
            column, reason = _fault_in_line(text) if text.strip() else (1, None)
            if reason is not None:
                place = Place(path, number, column, text)
                return PlacedError(place, f"{reason}; accepted: {_ACCEPTED_LINES}")
    row = _ROW.search(problem)
    where = f"{path}:{line_of_row(plain, int(row[1]) + 1)}" if row else path
    reason = short(_ROW.sub("", problem))
    return LarsError(f"{where}: cannot be read: {reason}; accepted: {_ACCEPTED_LINES}")


def _fault_in_line(text: str) -> tuple[int, str | None]:
    """Return at which column, from 1, a line is no JSON object, and why; None: it is one."""
    try:
        cells = json.loads(text)
    except json.JSONDecodeError as error:
        return error.colno, f"no JSON: {error.msg}"
    except (ValueError, RecursionError):
        return 1, "no JSON"
    return 1, None if isinstance(cells, dict) else f"found {short(text)}"


def line_of_row(plain: Path, row: int) -> int:
    """Return the line of a row of JSON lines, both from 1: lines without anything are no rows."""
    with plain.open("rb") as file:
        rows = (number for number, line in zip(count(1), file, strict=False) if line.strip())
        return next(islice(rows, row - 1, None), row)


class ArrowFile(ParquetTable):
    """Rows of a file of Arrow; a fault's line is the number of its row."""

    def plain(self, head: FileHead) -> Path:
        """Return the table in Parquet."""
        path = str(head.path)
        if head.start and not (head.start.startswith((*ARROW, PARQUET)) or is_json(head.start)):
            raise LarsError(f"{path}: found no table of Arrow; accepted: a table of Arrow")
        return plain_table(path, head.plain)


class JsonTable(ArrowFile):
    """Rows of JSON lines; a fault's place is its line."""

    def plain(self, head: FileHead) -> Path:
        """Return the table in Parquet."""
        if head.start.startswith((*ARROW, PARQUET)):
            return super().plain(head)
        return _plain_lines(str(head.path), head.plain)

    def placed(self, source: TraceFile, place: Place) -> Place:
        """Return the place in the user's file."""
        plain = text_file(source)
        if plain is None:
            return place
        number = line_of_row(plain, place.line)
        return Place(source.path, number, 1, line_of(plain.read_bytes(), number))


def text_file(source: TraceFile) -> Path | None:
    """Return the user's file as it was read, None of values of a program: these have no lines."""
    path = Path(source.path)
    return readable(path) if path == STANDARD_INPUT or exists(path) else None
