"""Traces in Parquet files: their columns, their batches of rows, and the rows of a batch in columns."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from textwrap import shorten
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lars.errors import LarsError, Place, short_of
from lars.files import exists
from solver.columns import Array, TermCodes, arrow_numbers, arrow_texts, numbers_of, validity_of
from solver.rdf import short
from solver.traces import input_files, trace_times
from solver.traces.formats import cell_columns
from solver.traces.formats.cells import (
    ACCEPTED_TABLE,
    ARGUMENT,
    ATOM_COLUMNS,
    COLUMNS,
    MAPPED,
    OTHER_TIMES,
    PREDICATE_COLUMNS,
    argument_columns,
    atom_columns,
    read_cells,
    table_rows,
)
from solver.traces.formats.tables.typed_columns import (
    NANOSECONDS,
    datatype_of,
    is_dated,
    is_text,
    literals,
    moment_texts,
    moments,
    zones_of,
)

_BATCH: Final = 2**17
_LARGE_BATCH: Final = 2**20
_BYTES_AT_ONCE: Final = 2**28
"""The greatest size in bytes of a row group that is read in large batches; terms are coded once a batch."""
_DELTAS: Final = {"DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"}
"""Encodings of texts that Arrow does not read as dictionaries.

DELTA_BYTE_ARRAY stores the common beginning of texts once, so that the size of the texts is not known.
"""
_TOGETHER: Final = 2**12
_CUTS: Final = 4
"""The maximum number of parts into which a row group is cut.

Each part is read from the beginning of the group.
"""
_NUMBERS: Final = {"t": 1, "stream": 2, "s": 3, "p": 4, "o": 5, "atom": 2, "predicate": 2}
_EMPTY: Final = arrow_texts(b"", np.zeros(2, np.int64))


class ParquetTable(input_files.FileFormat):
    """The format of Parquet files; in errors, the number of a row replaces the line."""

    def columns(self, head: input_files.FileHead) -> input_files.TableColumns | None:
        """Return the columns of a file, or None if the file is not valid Parquet."""
        try:
            names = pq.read_schema(head.plain).names
        except (pa.ArrowInvalid, OSError):
            return None
        return names, has_trace_columns(names)

    def size(self, source: input_files.TraceFile) -> int:
        """Return the number of rows of a file."""
        return sum(row_groups(source))

    def borders(self, source: input_files.TraceFile, each: int) -> Sequence[int]:
        """Return the row numbers at which a file is divided into parts, between row groups if possible."""
        return [*_borders(row_groups(source), each)]

    def blocks(self, part: input_files.TraceFile, terms: TermCodes | None) -> Iterator[input_files.RowBlock]:
        """Yield the rows of a part of a file in blocks; each block is a batch of rows."""
        before = part.begin
        for batch in table_batches(part):
            usual = [] if terms is None else usual_rows(part, batch, terms)
            others = _exact_records(part, batch, input_files.unusual_places(usual, batch.num_rows))
            yield input_files.RowBlock(before, batch.num_rows, usual, others)
            before += batch.num_rows

    def placed(self, source: input_files.TraceFile, places: Sequence[Place]) -> list[Place]:
        """Return the places with the whole rows of the file, each at the cell of its column."""
        columns = {_number("t" if name == source.times else name): name for name in table_columns(source)}
        cells = [(place.line, columns.get(place.column, "")) for place in places]
        return places_in_rows(source.path, source.file, cells)


def _borders(groups: Sequence[int], each: int) -> Iterator[int]:
    begin, last, rows = 0, 0, sum(groups)
    for group in groups:
        count = min(_CUTS, max(1, group // each))
        for number in range(1, count + 1):
            border = begin + group * number // count
            if border - last >= each and rows - border >= each // 2:
                yield border
                last = border
        begin += group


def _exact_records(
    source: input_files.TraceFile, batch: pa.RecordBatch, places: Array
) -> Iterator[input_files.ExactRow]:
    for begin in range(0, len(places), _TOGETHER):
        chosen = places[begin : begin + _TOGETHER]
        records = batch_records(batch.take(arrow_numbers(chosen)))
        yield from map(partial(read_row, source), chosen.tolist(), records)


def write_table(source: object, path: Path) -> Path:
    """Write data with Arrow's interface, such as a data frame, to a Parquet file, and return the file.

    Raises:
        LarsError: Arrow cannot write the data.
    """
    try:
        pq.write_table(storable(_as_table(source, path)), path)
    except (pa.ArrowException, TypeError, ValueError, OverflowError, OSError) as error:
        short_of(path, error)
        # Arrow gives the cause first, and then the column.
        problem = ": ".join(map(str, reversed(error.args))) if isinstance(error, pa.ArrowException) else error
        raise LarsError(
            f"{path}: cannot be read: {shorten(str(problem), 200)}; expected {ACCEPTED_TABLE}"
        ) from None
    return path


def _as_table(source: Any, path: Path) -> pa.Table:
    """Return data with Arrow's interface as a table.

    The column o of a data frame of pandas may contain texts and values of other types, such as IRIs and
    numbers. Arrow has no type for such a column, so the literals of the values become texts.
    """
    try:
        return pa.table(source)
    except pa.ArrowException:
        if not hasattr(source, "assign"):
            raise
        if "o" in source.columns:
            return pa.table(source.assign(o=list(map(_object_cell, source["o"]))))
        for name in source.columns:
            texts = source[name].map(lambda value: isinstance(value, str))
            if texts.any() and not (texts | source[name].isna()).all():
                raise LarsError(
                    f"{path}: the column {name} contains texts such as {source[name][texts].iloc[0]!r} and "
                    "values of other types; use None for missing values"
                ) from None
        raise


def _object_cell(value: object) -> str | None:
    """Return a value as the text of a cell: a text unchanged, other values as literals; None if missing."""
    if isinstance(value, str):
        return value
    # Arrow reads NaN as missing, as pandas means it in a column of objects.
    column = pa.array([value], from_pandas=True)
    if pa.types.is_null(column.type) or column.null_count:
        return None
    if datatype_of(column.type) is None:
        raise pa.ArrowTypeError(f"column o has the value {value!r}")
    text: str = literals(column)[0].as_py()
    return text


def storable(table: pa.Table) -> pa.Table:
    """Convert the columns of a table to types that Parquet can store.

    Values replace categories that are not texts. Text views and columns of only nulls become columns of
    texts.
    """
    columns = [_storable(column) for column in table.itercolumns()]
    fields = zip(table.schema, columns, strict=True)
    schema = pa.schema([pa.field(field.name, one.type, metadata=field.metadata) for field, one in fields])
    return pa.table(columns, schema)


def _storable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_null(kind):
        return column.cast(pa.string())  # libraries use texts for rows without one
    if pa.types.is_dictionary(kind) and not is_text(kind):
        return column.cast(kind.value_type)
    if not pa.types.is_dictionary(kind):
        return column
    if pa.types.is_string_view(kind.value_type):
        chunks = [
            pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(pa.string()))
            for chunk in column.chunks
        ]
        column = pa.chunked_array(chunks, pa.dictionary(kind.index_type, pa.string()))
    # Parquet has null only among the rows, and not among the categories.
    is_odd = any(chunk.dictionary.null_count for chunk in column.chunks)
    return column.cast(column.type.value_type) if is_odd else column


def arrow_table(frame: object) -> pa.Table:
    """Return a data frame of pandas as an Arrow table, without the index of the frame."""
    return pa.Table.from_pandas(frame, preserve_index=False)


def has_trace_columns(names: Iterable[str]) -> bool:
    """Return whether the columns of a table include all columns that a trace needs."""
    return any({*names} >= set(pair) for pair in (ATOM_COLUMNS, PREDICATE_COLUMNS, {*COLUMNS} - {"stream"}))


def read_row(source: input_files.TraceFile, place: int, record: Mapping[str, object]) -> input_files.ExactRow:
    """Return the atoms of a Parquet row, or its error.

    In an error, the column is the number of the table's column, which `placed` replaces.
    """
    try:
        cells = {name: (value, _number(name), None) for name, value in record.items()}
        return input_files.ExactRow(place, read_cells(source, cells), "")
    except trace_times.MalformedPart as error:
        return input_files.ExactRow(place, (error,), "")


def _number(name: str) -> int:
    return _NUMBERS[name] if name in _NUMBERS else 2 + int(name[3:])


def table_columns(source: input_files.TraceFile) -> tuple[str, ...]:
    """Return the columns of a Parquet file that form a trace.

    Raises:
        LarsError: The file has no such columns, or a column has a type that its values cannot have.
    """
    try:
        schema = pq.read_schema(source.file)
    except (pa.ArrowInvalid, OSError) as error:
        raise LarsError(f"{source.path}: not a Parquet file: {error}; use a complete Parquet file") from None
    names = tuple(source.times if name == "t" else name for name in _columns_of(source, schema.names))
    missing = [name for name in names if name not in (*schema.names, "stream")]
    if missing:
        text = f"no column {', '.join(missing)} among {short(', '.join(schema.names))}"
        if missing == [source.times] and (other := next(filter(schema.names.count, OTHER_TIMES), None)):
            raise LarsError(f"{source.path}: {text}; use {source.times} as the name of the column {other}")
        raise LarsError(f"{source.path}: {text}; expected {ACCEPTED_TABLE}; {MAPPED}")
    if twice := [name for name in names if schema.names.count(name) > 1]:
        raise LarsError(f"{source.path}: two columns {', '.join(twice)}; expected {ACCEPTED_TABLE}")
    present = tuple(name for name in names if name in schema.names)
    for name in present:
        is_time = name == source.times
        if not _fits("t" if is_time else name, schema.field(name).type):
            kind = schema.field(name).type
            whole = f"; {trace_times.WHOLE_TIMES}" if is_time and pa.types.is_floating(kind) else ""
            text = f"the column {name} is {kind}{whole}"
            raise LarsError(f"{source.path}: {text}; expected {ACCEPTED_TABLE}")
    return present


def _columns_of(source: input_files.TraceFile, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a trace (triples or atoms) that fit best to a table with the given columns.

    Raises:
        LarsError: The columns arg1, arg2 and so on of a predicate have a gap.
    """
    if "s" in names or not {"atom", "predicate"} & set(names):
        return COLUMNS
    if "atom" in names:
        return ATOM_COLUMNS
    if (names_found := atom_columns(names)) is None:
        gap = next(name for number, name in enumerate(argument_columns(names), 1) if name != f"arg{number}")
        problem = f"found the column {gap} without the columns before it"
        raise LarsError(f"{source.path}: {problem}; expected {ACCEPTED_TABLE}")
    return names_found


def _fits(name: str, kind: pa.DataType) -> bool:
    if is_text(kind) or pa.types.is_null(kind):
        return True
    if ARGUMENT.fullmatch(name):
        return bool(pa.types.is_integer(kind))
    if name == "t":
        return pa.types.is_integer(kind) or is_dated(kind)
    return name == "o" and datatype_of(kind) is not None


def row_groups(source: input_files.TraceFile) -> list[int]:
    """Return the number of rows in each row group of a Parquet file.

    Raises:
        LarsError: The file is not Parquet, or its columns do not form a trace.
    """
    table_columns(source)
    return _sizes(pq.read_metadata(source.file))


def _sizes(metadata: pq.FileMetaData) -> list[int]:
    return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]


def table_batches(part: input_files.TraceFile, rows: int | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a part of a Parquet file in order, in batches of at most `rows` rows.

    Columns of texts are encoded as dictionaries if Arrow can read them in this way.

    Raises:
        LarsError: The file cannot be read.
    """
    columns = list(table_columns(part))
    schema, metadata = pq.read_schema(part.file), pq.read_metadata(part.file)
    deltas = _with_deltas(metadata)
    texts = [name for name in columns if name not in deltas and is_text(schema.field(name).type)]
    try:
        with pq.ParquetFile(part.file, read_dictionary=texts) as file:
            groups, at, end = _row_groups(metadata, part)
            size = rows or (_BATCH if deltas.intersection(columns) else _batch_size(metadata, groups))
            for batch in file.iter_batches(size, groups, columns, use_threads=False):
                if at >= end:
                    return
                # Row groups are read whole.
                before = max(part.begin - at, 0)
                if before < batch.num_rows:
                    yield _plain(batch.slice(before, end - at - before), part.times)
                at += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        short_of(part.path, error)
        raise LarsError(f"{part.path}: cannot be read: {short(str(error))}") from None


def _with_deltas(metadata: pq.FileMetaData) -> set[str]:
    """Return the columns of texts that Arrow cannot read as dictionaries."""
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    chunks = (group.column(number) for group in groups for number in range(group.num_columns))
    return {chunk.path_in_schema for chunk in chunks if not _DELTAS.isdisjoint(chunk.encodings)}


def _batch_size(metadata: pq.FileMetaData, groups: Sequence[int]) -> int:
    """Return the number of rows of a batch, which is smaller if rows contain much text."""
    most = max((metadata.row_group(number).total_byte_size for number in groups), default=0)
    return _LARGE_BATCH if most <= _BYTES_AT_ONCE else _BATCH


def places_in_rows(path: str, file: Path, cells: Sequence[tuple[int, str]]) -> list[Place]:
    """Return the places of cells in a Parquet file, with their rows as texts of JSON.

    Args:
        path: The name of the user's file.
        file: The Parquet file with the rows of the user's file.
        cells: The number of the row, from 1, and the name of the column of each cell. If the file has no
            such column, the place is the beginning of the row.
    """
    every, texts = np.array(sorted({row for row, _ in cells})) - 1, dict[int, list[tuple[str, str]]]()
    with pq.ParquetFile(file) as opened:
        for group, (first, end) in enumerate(pairwise([0, *accumulate(_sizes(opened.metadata))])):
            if not ((first <= every) & (every < end)).any():
                continue
            begin = first
            for batch in opened.iter_batches(_TOGETHER, [group], use_threads=False):
                for row in every[(begin <= every) & (every < begin + batch.num_rows)].tolist():
                    # Arrow takes no rows by number if a column has views of texts.
                    [record] = batch_records(batch.slice(row - begin, 1))
                    texts[row + 1] = _members(record)
                begin += batch.num_rows
    return [_place_in_row(path, row, texts[row], name) for row, name in cells]


def _members(record: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the name and the text of each member of a row as an object of JSON."""

    def text(value: object) -> str:
        return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)

    whole = partial(json.dumps, ensure_ascii=False, default=text)
    return [(name, f"{whole(name)}: {whole(cell)}") for name, cell in record.items()]


def _place_in_row(path: str, row: int, cells: Sequence[tuple[str, str]], name: str) -> Place:
    texts = [text for _, text in cells]
    number = next((number for number, (own, _) in enumerate(cells) if own == name), None)
    column = 1 if number is None else len("{") + sum(len(f"{text}, ") for text in texts[:number]) + 1
    return Place(path, row, column, f"{{{', '.join(texts)}}}")


def _plain(batch: pa.RecordBatch, times: str) -> pa.RecordBatch:
    """Return a batch in which all columns but the times are texts; values with types become literals.

    The column with the name `times` is renamed to t.
    """
    names = ["t" if name == times else name for name in batch.schema.names]
    columns = [_plain_column(name, column) for name, column in zip(names, batch.columns, strict=True)]
    return pa.RecordBatch.from_arrays(columns, names)


def _plain_column(name: str, column: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(column.type) and not pa.types.is_string(column.type.value_type):
        texts = column.dictionary.cast(pa.binary()).view(pa.string())
        return pa.DictionaryArray.from_arrays(column.indices, texts)
    if is_text(column.type):
        is_plain = pa.types.is_dictionary(column.type) or pa.types.is_string(column.type)
        return column if is_plain else column.cast(pa.binary()).view(pa.string())
    if ARGUMENT.fullmatch(name) or pa.types.is_null(column.type):
        return column.cast(pa.string())  # a number of the logic, or no cell
    return moments(column) if name == "t" else literals(column)


def _row_groups(metadata: pq.FileMetaData, part: input_files.TraceFile) -> tuple[list[int], int, int]:
    """Return the row groups with rows of a part, the number of their first row, and the end of the part."""
    end = metadata.num_rows if part.end is None else part.end
    begins = [0, *accumulate(_sizes(metadata))]
    groups = [i for i, (a, b) in enumerate(pairwise(begins)) if a < end and part.begin < b]
    return groups, begins[groups[0]] if groups else 0, end


def batch_records(batch: pa.RecordBatch) -> Iterator[dict[str, object]]:
    """Yield the rows of a batch as dictionaries from names of columns to values.

    A text that is not valid UTF-8 stays bytes, and timestamps keep their zones.
    """
    dated = [pa.types.is_timestamp(column.type) for column in batch.columns]
    columns = [
        moment_texts(column, zones_of(column)) if is_one else column
        for column, is_one in zip(batch.columns, dated, strict=True)
    ]
    batch = pa.RecordBatch.from_arrays(columns, batch.schema.names)
    try:
        yield from batch.to_pylist()
    except ValueError:  # also times of nanoseconds inside of lists
        for row in range(batch.num_rows):
            yield {name: _cell(batch.column(name)[row]) for name in batch.schema.names}


def _cell(scalar: pa.Scalar) -> object:
    try:
        return scalar.as_py()
    except ValueError:
        text = scalar.value if isinstance(scalar, pa.DictionaryScalar) else scalar
        return text.as_buffer().to_pybytes() if is_text(text.type) else f"({text.type})"


def usual_rows(
    source: input_files.TraceFile, batch: pa.RecordBatch, terms: TermCodes
) -> list[input_files.RowColumns]:
    """Return the rows of a batch that are certainly triples or atoms, in columns."""

    def cells(name: str) -> cell_columns.Cells:
        return _distinct(batch.column(name))

    times = _times(batch.column("t"), source.clock)
    return table_rows(source, batch.schema.names, cells, times, terms)


def _distinct(column: pa.Array) -> cell_columns.Cells:
    """Return the distinct texts of a column as bytes, and the index of each row's text.

    Null is the empty text.
    """
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    texts, numbers = encoded.dictionary.cast(pa.binary()), numbers_of(encoded.indices)
    if not encoded.indices.null_count:
        return cell_columns.used_cells(texts, numbers)
    places = np.where(validity_of(encoded.indices), numbers, len(texts))
    return cell_columns.used_cells(pa.concat_arrays([texts, _EMPTY]), places)


def _times(column: pa.Array, clock: trace_times.Clock) -> cell_columns.TimeColumn:
    valid = validity_of(column)
    if pa.types.is_integer(column.type):
        # Values beyond 64 bits become negative, which is not a time either.
        values = numbers_of(column).astype(np.int64)
        return cell_columns.counted_times(clock, np.where(valid, values, -1))
    if not pa.types.is_timestamp(column.type):
        return cell_columns.read_times(_distinct(column), clock, trace_times.cell_time)
    values, size = numbers_of(column.view(pa.int64())), NANOSECONDS[column.type.unit]
    known = valid & (-(trace_times.LARGEST // size) <= values) & (values <= trace_times.LARGEST // size)
    kind = trace_times.TimeKind.LOCAL if column.type.tz is None else trace_times.TimeKind.ZONED
    return cell_columns.dated_times(clock, kind, np.where(known, values, 0) * size, known, zones_of(column))


WHOLE: Final = {b"lars": b"literals"}
"""The metadata of a text column of literals.

The literals come from JSON integers, or from JSON values of several types.
"""


def text_file(name: str) -> Path | None:
    """Return the user's file, given its name; None if the values come from a program and have no lines."""
    path = Path(name)
    return input_files.readable(path) if path == input_files.STANDARD_INPUT or exists(path) else None
