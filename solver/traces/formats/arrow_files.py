"""Tables of Arrow (IPC and Feather, files and streams) and JSON lines: read as the same table in Parquet."""

import re
from dataclasses import replace
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.json as pa_json
import pyarrow.parquet as pq

from lars.errors import LarsError, Place
from solver.rdf import short
from solver.traces.formats.tables import ParquetTable, storable
from solver.traces.input_files import converted_file
from solver.traces.rows import ARROW, FileHead, TraceFile, is_json_row, line_of

_LONGEST_BLOCK: Final = 2**31 - 1
_ROW: Final = re.compile(r" in row (\d+)")
_HEAD: Final = 2**20


def plain_table(path: str, plain: Path) -> Path:
    """Return a table of Arrow or of JSON lines as Parquet, any other file as it is."""
    with plain.open("rb") as file:
        start = file.read(_HEAD)
    if start.startswith(ARROW):
        return converted_file(plain, "arrow", partial(_write_arrow, path, plain))
    if is_json_row(start.lstrip().partition(b"\n")[0].decode("utf-8", "replace")):
        return converted_file(plain, "json", partial(_write_json, path, plain))
    return plain


def _write_arrow(path: str, plain: Path, made: Path) -> None:
    try:
        with pa.memory_map(str(plain)) as file:
            opened = pa.ipc.open_file(file) if file.read(6) == ARROW[0] else _stream(file)
            pq.write_table(storable(opened.read_all()), made)
    except (pa.ArrowException, OSError) as error:
        raise LarsError(f"{path}: cannot be read: {short(str(error))}; accepted: a table of Arrow") from None


def _stream(file: pa.MemoryMappedFile) -> pa.RecordBatchStreamReader:
    file.seek(0)
    return pa.ipc.open_stream(file)


def _write_json(path: str, plain: Path, made: Path) -> None:
    # One block: then the row that a fault names is that of the file.
    size = min(max(plain.stat().st_size, 1), _LONGEST_BLOCK)
    read = partial(pa_json.read_json, plain, pa_json.ReadOptions(use_threads=False, block_size=size))
    try:
        table = read()
        # A text is one, also where it looks like a time.
        if dated := [
            (column.name, pa.string()) for column in table.schema if pa.types.is_timestamp(column.type)
        ]:
            table = read(parse_options=pa_json.ParseOptions(explicit_schema=pa.schema(dated)))
        pq.write_table(storable(table), made)
    except (pa.ArrowException, OSError) as error:
        problem, row = str(error), _ROW.search(str(error))
        place = f"{path}:{_line(plain, int(row[1]) + 1)}" if row else path
        raise LarsError(
            f"{place}: cannot be read: {short(_ROW.sub('', problem))}; accepted: in each line a JSON object, "
            "in each column values of one type"
        ) from None


def _line(plain: Path, row: int) -> int:
    """Return the line of a row of JSON lines, both from 1: lines without anything are no rows."""
    with plain.open("rb") as file:
        rows = (number for number, line in zip(count(1), file, strict=False) if line.strip())
        return next(islice(rows, row - 1, None), row)


class ArrowFile(ParquetTable):
    """Rows of a file of Arrow; a fault's line is the number of its row."""

    def plain(self, head: FileHead) -> Path:
        """Return the table in Parquet."""
        return plain_table(str(head.path), head.plain)


class JsonTable(ArrowFile):
    """Rows of JSON lines; a fault's place is its line."""

    def placed(self, source: TraceFile, place: Place) -> Place:
        """Return the place in the user's file."""
        file = Path(source.path)
        if not file.is_file():
            return place
        number = _line(file, place.line)
        return replace(place, line=number, column=1, line_text=line_of(file.read_bytes(), number))
