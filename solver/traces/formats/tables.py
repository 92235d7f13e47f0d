"""Tables in Parquet, Arrow and JSON lines; Arrow and JSON lines are converted to Parquet first.

The columns are the columns of a trace, either with texts as in N-Triples, or with types. Typed columns are
read as typed literals and dateTimes. pandas writes data frames with typed columns.
"""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate, count, islice, pairwise
from math import isinf
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pa_json
import pyarrow.parquet as pq

from lars.errors import LarsError, Place, PlacedError, short_of
from lars.files import exists
from lars.language.terms import XSD, Literal
from solver.columns import Array, TermCodes, arrow_numbers, arrow_texts, numbers_of, validity_of
from solver.rdf import later, short
from solver.traces import input_files, trace_times
from solver.traces.formats import cell_columns
from solver.traces.formats.cells import (
    ACCEPTED_TABLE,
    ARGUMENT,
    ATOM_COLUMNS,
    COLUMNS,
    MAPPED,
    PREDICATE_COLUMNS,
    argument_columns,
    atom_columns,
    read_cells,
    table_rows,
)

NANOSECONDS: Final = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""The number of nanoseconds in each unit of Arrow's timestamps."""
_EPOCHS: Final = {
    trace_times.TimeKind.ZONED: Literal("1970-01-01T00:00:00Z", XSD + "dateTime"),
    trace_times.TimeKind.LOCAL: Literal("1970-01-01T00:00:00", XSD + "dateTime"),
}
_NUMBER: Final = {"halffloat": "float", "float": "float", "double": "double"}


_TEXTS: Final = frozenset(
    (
        *(pa.string(), pa.large_string(), pa.string_view()),
        *(pa.binary(), pa.large_binary(), pa.binary_view()),
    )
)


def is_text(kind: pa.DataType) -> bool:
    """Return whether a column of the given type holds texts; bytes count as UTF-8 texts."""
    return (kind.value_type if pa.types.is_dictionary(kind) else kind) in _TEXTS


def is_dated(kind: pa.DataType) -> bool:
    """Return whether a column of the given type holds dates or dateTimes."""
    return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))


def datatype_of(kind: pa.DataType) -> str | None:
    """Return the XSD type of the literals in a column of the given Arrow type, or None for other types."""
    types = pa.types
    if types.is_integer(kind):
        return "integer"
    if types.is_boolean(kind):
        return "boolean"
    if types.is_decimal(kind):
        return "decimal"
    if is_dated(kind):
        return "date" if types.is_date(kind) else "dateTime"
    return _NUMBER.get(str(kind))


def moments(column: pa.Array) -> pa.Array:
    """Return a column of dates as dateTimes at midnight; any other column is unchanged."""
    return column.cast(pa.timestamp("ms")) if pa.types.is_date(column.type) else column


def zones_of(column: pa.Array) -> cell_columns.Zones:
    """Return the time zone of each timestamp, in minutes ahead of UTC; 0 if the offset has seconds."""
    nothing = np.zeros(len(column), np.int16)
    if column.type.tz is None:
        return nothing
    try:
        here = numbers_of(pc.local_timestamp(column).view(pa.int64()))
    except pa.ArrowInvalid:  # a zone that this machine does not know, or a local time beyond 64 bits
        return nothing
    per_minute = 60 * 10**9 // NANOSECONDS[column.type.unit]
    minutes, rest = np.divmod(here - numbers_of(column.view(pa.int64())), per_minute)
    return np.where(validity_of(column) & (rest == 0), minutes, 0).astype(np.int16)


def moment_texts(column: pa.Array, zones: cell_columns.Zones | None = None) -> pa.Array:
    """Return timestamps as xsd:dateTime; zoned timestamps are in UTC, or in the given zones."""
    kind = trace_times.TimeKind.LOCAL if column.type.tz is None else trace_times.TimeKind.ZONED
    values = column.view(pa.int64()).to_pylist()
    minutes = [0] * len(values) if zones is None else zones.tolist()
    texts = [
        None if value is None else _moment(value, column.type.unit, kind, zone)
        for value, zone in zip(values, minutes, strict=True)
    ]
    return pa.array(texts, pa.string())


def _moment(value: int, unit: str, kind: trace_times.TimeKind, zone: int = 0) -> str:
    size = NANOSECONDS[unit]
    if abs(value) * size <= trace_times.LARGEST:
        return trace_times.show(trace_times.Instant(kind, value * size, zone))
    moment = later(_EPOCHS[kind], Fraction(value * size, 10**9))
    assert moment is not None
    return moment.lexical


def literals(column: pa.Array) -> pa.Array:
    """Return the values of a typed column as literals of N-Triples, each distinct text once.

    Numbers and booleans have the notation of Arrow. Each decimal has as many fraction digits as the type of
    the column.
    """
    encoded, name = column.dictionary_encode(), datatype_of(column.type)
    opened, closed, nothing = '"', f'"^^<{XSD}{name}>', ""
    whole = pc.binary_join_element_wise(opened, _lexical(encoded.dictionary, name), closed, nothing)
    return pa.DictionaryArray.from_arrays(encoded.indices, whole.cast(pa.string()))


def _lexical(values: pa.Array, name: str | None) -> pa.Array:
    """Return the lexical forms of the values of an XSD type."""
    match name:
        case "date":
            days = values.cast(pa.date32()).view(pa.int32()).to_pylist()
            moments = (
                None if day is None else _moment(day * 86400, "s", trace_times.TimeKind.LOCAL) for day in days
            )
            return pa.array(
                [None if each is None else each.partition("T")[0] for each in moments], pa.string()
            )
        case "dateTime":
            return moment_texts(values)
        case "decimal":
            texts = [None if value is None else format(value, "f") for value in values.to_pylist()]
            return pa.array(texts, pa.string())
        case "float" | "double":
            texts = (values.cast(pa.float32()) if name == "float" else values).cast(pa.string())
            return pc.replace_substring(pc.replace_substring(texts, "inf", "INF"), "nan", "NaN")
        case _:
            return values.cast(pa.string())


_BATCH: Final = 2**17
_TOGETHER: Final = 2**12
_CUTS: Final = 4
"""The greatest number of parts of a row group.

Each part is read by a pass from the beginning of the group.
"""
_NUMBERS: Final = {"t": 1, "stream": 2, "s": 3, "p": 4, "o": 5, "atom": 2, "predicate": 2}
_EMPTY: Final = arrow_texts(b"", np.zeros(2, np.int64))


class ParquetTable(input_files.FileFormat):
    """The rows of a Parquet file; the line of an error is the number of the row."""

    def columns(self, head: input_files.FileHead) -> input_files.TableColumns | None:
        """Return the columns of a file, or None if the file is not valid Parquet."""
        try:
            names = pq.read_schema(head.plain).names
        except (pa.ArrowInvalid, OSError):
            return None
        return names, _is_trace(names)

    def size(self, source: input_files.TraceFile) -> int:
        """Return the number of rows of a file."""
        return sum(row_groups(source))

    def borders(self, source: input_files.TraceFile, each: int) -> Sequence[int]:
        """Return the rows at which a file is cut into parts, between row groups if possible."""
        return [*_borders(row_groups(source), each)]

    def blocks(self, part: input_files.FilePart, terms: TermCodes | None) -> Iterator[input_files.RowBlock]:
        """Yield the rows of a part of a file in blocks of one batch each."""
        source, before = part.source, 0
        for batch in table_batches(part):
            usual = [] if terms is None else usual_rows(source, batch, terms)
            others = _exact_records(source, batch, input_files.unusual_places(usual, batch.num_rows))
            yield input_files.RowBlock(before, batch.num_rows, usual, others)
            before += batch.num_rows


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
    """Write data with Arrow's interface to a Parquet file; raise LarsError if Arrow cannot write the data."""
    try:
        pq.write_table(storable(pa.table(source)), path)
    except (pa.ArrowException, TypeError, ValueError, OverflowError, OSError) as error:
        short_of(path, error)
        raise LarsError(f"{path}: cannot be read: {short(str(error))}; expected {ACCEPTED_TABLE}") from None
    return path


def storable(table: pa.Table) -> pa.Table:
    """Return a table in types that Parquet can store.

    Categories that are not texts become values. Views and columns of nulls become texts.
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
    if not pa.types.is_dictionary(kind) or not pa.types.is_string_view(kind.value_type):
        return column
    chunks = [
        pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(pa.string()))
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, pa.dictionary(kind.index_type, pa.string()))


def arrow_table(frame: object) -> pa.Table:
    """Return a data frame of pandas as an Arrow table without the index of the frame."""
    return pa.Table.from_pandas(frame, preserve_index=False)


def _is_trace(names: Iterable[str]) -> bool:
    return any({*names} >= set(pair) for pair in (ATOM_COLUMNS, PREDICATE_COLUMNS, {*COLUMNS} - {"stream"}))


def read_row(source: input_files.TraceFile, place: int, record: Mapping[str, object]) -> input_files.ExactRow:
    """Return the atoms of a Parquet row; the column of an error is the number of the table column."""
    try:
        cells = {name: (value, _number(name), None) for name, value in record.items()}
        return input_files.ExactRow(place, read_cells(source, cells), record)
    except trace_times.MalformedPart as error:
        return input_files.ExactRow(place, (error,), record)


def _number(name: str) -> int:
    return _NUMBERS[name] if name in _NUMBERS else 2 + int(name[3:])


def table_columns(source: input_files.TraceFile) -> tuple[str, ...]:
    """Return the columns of a Parquet file to read; raise LarsError if they do not form a trace."""
    try:
        schema = pq.read_schema(source.file)
    except (pa.ArrowInvalid, OSError) as error:
        raise LarsError(f"{source.path}: no Parquet file: {error}") from None
    names = tuple(source.times if name == "t" else name for name in _columns_of(source, schema.names))
    missing = [name for name in names if name not in (*schema.names, "stream")]
    if missing:
        text = f"no column {', '.join(missing)} among {short(', '.join(schema.names))}"
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
    """Return the columns of a trace that are among the given names; other columns are ignored."""
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
    """Return the number of rows in each row group; raise LarsError if the file is not Parquet."""
    table_columns(source)
    return _sizes(pq.read_metadata(source.file))


def _sizes(metadata: pq.FileMetaData) -> list[int]:
    return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]


def table_batches(part: input_files.FilePart, rows: int | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a part of a Parquet file in order, in batches, with texts as dictionaries.

    Each batch contains at most `rows` rows.
    """
    source = part.source
    columns = list(table_columns(source))
    schema = pq.read_schema(source.file)
    texts = [name for name in columns if is_text(schema.field(name).type)]
    try:
        with pq.ParquetFile(source.file, read_dictionary=texts) as file:
            groups, at, end = _row_groups(file.metadata, part)
            for batch in file.iter_batches(rows or _BATCH, groups, columns):
                if at >= end:
                    return
                # Row groups are read whole.
                before = max(part.begin - at, 0)
                if before < batch.num_rows:
                    yield _plain(batch.slice(before, end - at - before), source.times)
                at += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        short_of(source.path, error)
        raise LarsError(f"{source.path}: cannot be read: {short(str(error))}") from None


def _plain(batch: pa.RecordBatch, times: str) -> pa.RecordBatch:
    """Return rows in which all columns except the times hold texts; typed columns become literals.

    The column that `times` names gets the name t.
    """
    names = ["t" if name == times else name for name in batch.schema.names]
    columns = [_plain_column(name, column) for name, column in zip(names, batch.columns, strict=True)]
    return pa.RecordBatch.from_arrays(columns, names)


def _plain_column(name: str, column: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(column.type) and not pa.types.is_string(column.type.value_type):
        texts = column.dictionary.cast(pa.binary()).view(pa.string())
        return pa.DictionaryArray.from_arrays(column.indices, texts)
    if is_text(column.type):
        return column
    if ARGUMENT.fullmatch(name) or pa.types.is_null(column.type):
        return column.cast(pa.string())  # a number of the logic, or no cell
    return moments(column) if name == "t" else literals(column)


def _row_groups(metadata: pq.FileMetaData, part: input_files.FilePart) -> tuple[list[int], int, int]:
    """Return the row groups that contain rows of a part, their first row, and the end of the part."""
    end = metadata.num_rows if part.end is None else part.end
    begins = [0, *accumulate(_sizes(metadata))]
    groups = [i for i, (a, b) in enumerate(pairwise(begins)) if a < end and part.begin < b]
    return groups, begins[groups[0]] if groups else 0, end


def batch_records(batch: pa.RecordBatch) -> Iterator[dict[str, object]]:
    """Yield the rows of a batch.

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
    except UnicodeDecodeError:
        for row in range(batch.num_rows):
            yield {name: _cell(batch.column(name)[row]) for name in batch.schema.names}


def _cell(scalar: pa.Scalar) -> object:
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        text = scalar.value if isinstance(scalar, pa.DictionaryScalar) else scalar
        return text.as_buffer().to_pybytes()


def usual_rows(
    source: input_files.TraceFile, batch: pa.RecordBatch, terms: TermCodes
) -> list[input_files.RowColumns]:
    """Return the rows that are certainly triples or atoms."""

    def cells(name: str) -> cell_columns.Cells:
        return _distinct(batch.column(name))

    times = _times(batch.column("t"), source.clock)
    return table_rows(source, batch.schema.names, cells, times, terms)


def _distinct(column: pa.Array) -> cell_columns.Cells:
    """Return the distinct texts of a column (binary), and the index of each row's text; null is ""."""
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    texts = encoded.dictionary
    places = np.where(validity_of(encoded.indices), numbers_of(encoded.indices), len(texts))
    return cell_columns.used_cells(pa.concat_arrays([texts.cast(pa.binary()), _EMPTY]), places)


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
"""The metadata of a text column that has JSON numbers as literals; some of these numbers are integers."""
_LONGEST_BLOCK: Final = 2**31 - 1
_MIXED: Final = "changed from"
"""The words that identify Arrow's message about a JSON column with values of several types."""
_ROW: Final = re.compile(r" in row (\d+)")
_HEAD: Final = 2**20
_DEEPEST: Final = 30
"""The deepest nesting of JSON in a table; each level is several levels in Parquet, which has at most 100."""
_ACCEPTED_LINES: Final = "in each line a JSON object of numbers, texts, true, false and null"


def is_json(start: bytes) -> bool:
    """Return whether a file with the given beginning can only be JSON."""
    return start.removeprefix(BOM_UTF8).lstrip().startswith(b"{")


def plain_table(path: str, plain: Path) -> Path:
    """Return an Arrow table or JSON lines converted to Parquet; any other file is unchanged."""
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
            table.validate(full=True)
            pq.write_table(storable(table), made)
    except (pa.ArrowException, OSError) as error:
        short_of(path, error)
        raise LarsError(f"{path}: cannot be read: {short(str(error))}; expected a table of Arrow") from None


def _stream(file: pa.MemoryMappedFile) -> pa.RecordBatchStreamReader:
    file.seek(0)
    return pa.ipc.open_stream(file)


def _check_nesting(path: str, plain: Path) -> None:
    """Raise LarsError for a line with brackets inside so many brackets that Arrow would crash the process."""
    with plain.open("rb") as file:
        for number, line in enumerate(file, 1):
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


class _Whole(str):
    """An integer in JSON, stored with all its digits."""

    __slots__ = ()


_GAP: Final = re.compile(r"\s*")
_PLAIN: Final = {
    frozenset((str,)): pa.string(),
    frozenset((bool,)): pa.bool_(),
    frozenset((float,)): pa.float64(),
}


def _has_rounded(table: pa.Table) -> bool:
    """Return whether Arrow may have read integers in JSON as doubles.

    Arrow reads integers as doubles if another row of the column has a fraction, or if an integer exceeds 64
    bits.
    """
    doubles = (column for column in table.itercolumns() if pa.types.is_floating(column.type))
    return any(pc.any(pc.equal(column, pc.floor(column))).as_py() for column in doubles)


def _mixed_table(plain: Path) -> pa.Table:
    """Return a table of JSON in which each value keeps its type, and each integer keeps its digits."""
    decoder = json.JSONDecoder(object_pairs_hook=_cells_of, parse_int=_Whole, parse_float=_double)
    text = plain.read_bytes().removeprefix(BOM_UTF8).decode()
    rows, at = list[dict[str, object]](), _gap(text, 0)
    while at < len(text):
        try:
            row, at = decoder.raw_decode(text, at)
        except ValueError as error:
            raise ValueError(f"{error} in row {len(rows)}") from None
        if not isinstance(row, dict):
            raise ValueError("found no JSON object")  # noqa: TRY004  (the user's fault)
        rows.append(row)
        at = _gap(text, at)
    names = [*dict.fromkeys(name for row in rows for name in row)]
    is_trace = _is_trace(names)
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
        raise ValueError("a row contains a column twice")
    return cells


def _double(text: str) -> float:
    if isinf(number := float(text)):
        raise ValueError(f"the number {short(text)} is beyond those of a double")
    return number


def _mixed_column(
    cells: Sequence[object], name: str, *, is_trace: bool
) -> tuple[pa.Array, Mapping[bytes, bytes] | None]:
    """Return a column, and metadata if the texts of the column are literals."""
    kinds = frozenset(type(cell) for cell in cells if cell is not None)
    if kinds in _PLAIN or not kinds:
        return pa.array(cells, _PLAIN.get(kinds, pa.null())), None
    if kinds & {dict, list} and not (is_trace and _is_of_trace(name)):
        return pa.array([None if cell is None else [] for cell in cells], pa.list_(pa.string())), None
    if kinds & {dict, list}:
        row, cell = next((row, cell) for row, cell in enumerate(cells) if isinstance(cell, dict | list))
        raise ValueError(
            f"found {'a list' if isinstance(cell, list) else 'an object'} as {name} in row {row}"
        )
    if is_trace and name not in ("s", "p", "o", "stream"):
        return pa.array([None if cell is None else str(cell) for cell in cells], pa.string()), None
    terms = [cell if cell is None or (is_trace and type(cell) is str) else _literal(cell) for cell in cells]
    return pa.array(terms, pa.string()), None if is_trace else WHOLE


def _is_of_trace(name: str) -> bool:
    return name in (*COLUMNS, *ATOM_COLUMNS, *PREDICATE_COLUMNS) or name.startswith("arg")


def _literal(cell: object) -> str:
    match cell:
        case _Whole():
            return f'"{"0" if cell == "-0" else cell}"^^<{XSD}integer>'
        case str():
            return str(Literal(cell))
        case _:
            text: str = literals(pa.array([cell]))[0].as_py()
            return text


def _line_error(path: str, plain: Path, problem: str) -> LarsError:
    """Return the error in JSON lines: at the first line that is not an object, otherwise Arrow's error."""
    with plain.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(BOM_UTF8).decode("utf-8", "backslashreplace").rstrip("\r\n")
            column, reason = _fault_in_line(text) if text.strip() else (1, None)
            if reason is not None:
                place = Place(path, number, column, text)
                return PlacedError(place, f"{reason}; expected {_ACCEPTED_LINES}")
    row = _ROW.search(problem)
    where = f"{path}:{line_of_row(plain, int(row[1]) + 1)}" if row else path
    reason = short(_ROW.sub("", problem))
    return LarsError(f"{where}: cannot be read: {reason}; expected {_ACCEPTED_LINES}")


def _fault_in_line(text: str) -> tuple[int, str | None]:
    """Return the column, from 1, and the reason why a line is not a JSON object; None for a valid line."""
    try:
        cells = json.loads(text)
    except json.JSONDecodeError as error:
        return error.colno, f"no JSON: {error.msg}"
    except (ValueError, RecursionError):
        return 1, "no JSON"
    return 1, None if isinstance(cells, dict) else f"found {short(text)}"


def line_of_row(plain: Path, row: int) -> int:
    """Return the line number of a row in JSON lines, both from 1; blank lines are not rows."""
    with plain.open("rb") as file:
        rows = (number for number, line in zip(count(1), file, strict=False) if line.strip())
        return next(islice(rows, row - 1, None), row)


class ArrowFile(ParquetTable):
    """The rows of an Arrow file; the line of an error is the number of the row."""

    def plain(self, head: input_files.FileHead) -> Path:
        """Return the Parquet file with the rows of the table."""
        path = str(head.path)
        if head.start and not (
            head.start.startswith((*input_files.ARROW, input_files.PARQUET)) or is_json(head.start)
        ):
            raise LarsError(f"{path}: not a readable Arrow table; use an Arrow file")
        return plain_table(path, head.plain)


class JsonTable(ArrowFile):
    """The rows of JSON lines; the place of an error is the line in the user's file."""

    def plain(self, head: input_files.FileHead) -> Path:
        """Return the Parquet file with the rows of the table."""
        if head.start.startswith((*input_files.ARROW, input_files.PARQUET)):
            return super().plain(head)
        return _plain_lines(str(head.path), head.plain)

    def placed(self, source: input_files.TraceFile, place: Place) -> Place:
        """Return the place of a row in the user's file."""
        plain = text_file(source)
        if plain is None:
            return place
        number = line_of_row(plain, place.line)
        return Place(source.path, number, 1, input_files.line_of(plain.read_bytes(), number))


def text_file(source: input_files.TraceFile) -> Path | None:
    """Return the user's file, or None if the values come from a program and have no lines."""
    path = Path(source.path)
    return input_files.readable(path) if path == input_files.STANDARD_INPUT or exists(path) else None
