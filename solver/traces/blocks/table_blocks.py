"""Blocks of the rows of tables that hold triples: Arrow's columns, dictionaries where they have one."""

from typing import Final

import numpy as np
import pyarrow as pa

from solver.columns import Array, TermCodes, arrow_mask, arrow_texts, numbers_of, validity_of
from solver.traces.blocks.atom_cells import atom_rows, column_rows
from solver.traces.blocks.distinct_terms import TermColumn, distinct_terms, without_terms
from solver.traces.blocks.row_block import UsualRows, triple_rows
from solver.traces.blocks.time_columns import TimeColumn, counted_times, dated_times, distinct_times
from solver.traces.formats.tables import argument_columns, cell_terms
from solver.traces.formats.typed_columns import NANOSECONDS
from solver.traces.trace_elements import TraceFile
from solver.traces.trace_times import LARGEST, Clock, TimeKind, cell_time

_EMPTY: Final = arrow_texts(b"", np.zeros(2, np.int64))


def table_rows(source: TraceFile, batch: pa.RecordBatch, terms: TermCodes) -> list[UsualRows]:
    """Return the rows that are triples, or atoms, for certain."""
    names = batch.schema.names
    times, everywhere = _times(batch.column("t"), source.clock), np.ones(batch.num_rows, np.bool_)
    if "atom" in names:
        return atom_rows(*_distinct(batch.column("atom")), times, everywhere, terms)
    if "predicate" in names:
        arguments = [_distinct(batch.column(name)) for name in argument_columns(names)]
        return column_rows(_distinct(batch.column("predicate")), arguments, times, everywhere, terms)
    columns = [
        _terms(source, batch.column(name), terms) if name in names else without_terms(batch.num_rows)
        for name in ("s", "p", "o", "stream")
    ]
    return [triple_rows(source, terms, times, columns, everywhere)]


def _terms(source: TraceFile, column: pa.Array, terms: TermCodes) -> TermColumn:
    texts, places = _distinct(column)
    return distinct_terms(texts, cell_terms(source), terms, bare=not source.prefixes).take(places)


def _distinct(column: pa.Array) -> tuple[pa.Array, Array]:
    """Return the distinct texts of a column (binary), for null an empty one, and where each row's stands."""
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    texts = encoded.dictionary
    places = np.where(validity_of(encoded.indices), numbers_of(encoded.indices), len(texts))
    # A batch of many may use little of a dictionary.
    used = np.zeros(len(texts) + 1, np.bool_)
    used[places] = True
    distinct = pa.concat_arrays([texts.cast(pa.binary()), _EMPTY]).filter(arrow_mask(used))
    return distinct, (np.cumsum(used) - 1)[places]


def _times(column: pa.Array, clock: Clock) -> TimeColumn:
    valid = validity_of(column)
    if pa.types.is_integer(column.type):
        # What is beyond 64 bits becomes negative, which is no time either.
        values = numbers_of(column).astype(np.int64)
        return counted_times(clock, np.where(valid, values, -1))
    if not pa.types.is_timestamp(column.type):
        texts, places = _distinct(column)
        return distinct_times(texts, clock, cell_time).take(places)
    values, size = numbers_of(column.view(pa.int64())), NANOSECONDS[column.type.unit]
    known = valid & (-(LARGEST // size) <= values) & (values <= LARGEST // size)
    kind = TimeKind.LOCAL if column.type.tz is None else TimeKind.ZONED
    return dated_times(clock, kind, np.where(known, values, 0) * size, known)
