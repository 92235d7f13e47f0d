"""Traces in Parquet: the columns t, stream, s, p, o or t, atom, their cells written as in CSV."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from lars.errors import LarsError, PlacedError
from lars.terms import Atom
from solver.traces.atom_lines import ATOM_COLUMNS, cell_atom, reading_at
from solver.traces.csv_lines import COLUMNS, cell_text
from solver.traces.trace_elements import (
    TracedAtom,
    TraceFile,
    check_roles,
    standardise,
    stream_of,
    triple_reading,
)
from solver.traces.trace_times import Instant, Malformed, TimeKind, instant_of, read_time

ACCEPTED_TABLE: Final = (
    "t as integer, text or timestamp in ms or us; stream (optional), s, p and o as text, or atom as text"
)


def _fits(name: str, kind: pa.DataType) -> bool:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    text = pa.types.is_string(value) or pa.types.is_large_string(value)
    if name != "t" or text:
        return bool(text)
    return pa.types.is_integer(kind) or (pa.types.is_timestamp(kind) and kind.unit in ("ms", "us"))


def table_columns(source: TraceFile) -> tuple[str, ...]:
    """Return the columns to read of a Parquet file; raise when they are not a trace's."""
    try:
        schema = pq.read_schema(source.path)
    except (pa.ArrowInvalid, OSError) as error:
        raise LarsError(f"{source.path}: no Parquet file: {error}") from None
    needed = ATOM_COLUMNS if "atom" in schema.names and "s" not in schema.names else ("t", "s", "p", "o")
    missing = [name for name in needed if name not in schema.names]
    if missing:
        raise LarsError(f"{source.path}: no column {', '.join(missing)}; accepted: {ACCEPTED_TABLE}")
    wanted = ATOM_COLUMNS if needed is ATOM_COLUMNS else COLUMNS
    present = tuple(name for name in wanted if name in schema.names)
    for name in present:
        if not _fits(name, schema.field(name).type):
            found = f"the column {name} is {schema.field(name).type}"
            raise LarsError(f"{source.path}: {found}; accepted: {ACCEPTED_TABLE}")
    return present


def table_kind(source: TraceFile) -> str:
    """Return what two files must share to be read as one table: columns and the type of t."""
    columns = table_columns(source)
    return f"{columns} {pq.read_schema(source.path).field('t').type}"


def _written(value: object) -> Instant:
    match value:
        case int():
            return Instant(TimeKind.INTEGER, value)
        case datetime():
            return instant_of(value)
        case str():
            return read_time(value)
        case _:
            raise Malformed(f"found {value!r} as t; accepted: {ACCEPTED_TABLE}")


def _text(record: Mapping[str, Any], name: str, column: int) -> str:
    value = record[name]
    if not isinstance(value, str):
        raise Malformed(f"found {value!r} as {name}; accepted: {ACCEPTED_TABLE}", column)
    return cell_text(value, column)


def _atom(cell: object) -> Atom | None:
    if not isinstance(cell, str | None):
        raise Malformed(f"found {cell!r} as atom; accepted: {ACCEPTED_TABLE}", 2)
    try:
        return cell_atom(cell or "")
    except PlacedError as error:
        raise Malformed(error.problem, 2) from None


def read_row(source: TraceFile, record: Mapping[str, Any]) -> TracedAtom:
    """Return what a row of a table says; raise Malformed, its column the number of the column."""
    written = _written(record["t"])
    if "atom" in record:
        return reading_at(source, written, _atom(record["atom"]), 1)
    triple = (_text(record, "s", 3), _text(record, "p", 4), _text(record, "o", 5))
    check_roles(triple, (3, 4, 5))
    own = _text(record, "stream", 2) if record.get("stream") else None
    stream = stream_of(source, own)
    time = source.clock.stamp(written)
    return triple_reading(0, time, stream, standardise(source, stream, time, [triple])[0])


def rows_of(source: TraceFile) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file in order."""
    columns = list(table_columns(source))
    with pq.ParquetFile(source.path) as file:
        for batch in file.iter_batches(batch_size=4096, columns=columns):
            yield from batch.to_pylist()
