"""Rows of a trace on their way from tasks to the driver: columns with a dictionary, compressed, as bytes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np
import pyarrow as pa

from lars.terms import Signature
from solver.columns import InputAtoms, TermCodes, TraceColumns, in_time_order, table_columns
from solver.facts.rows import batch_of
from solver.spark.carried_rows import ARRIVAL

CONTENT: Final = "content binary"
_ARRIVAL: Final = tuple(name for name, _ in ARRIVAL)
_OPTIONS: Final = pa.ipc.IpcWriteOptions(compression="zstd", emit_dictionary_deltas=True)


def columns_as_bytes(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a trace, which have an atom each, a batch as bytes; `columns_of` reads them."""
    for batch in batches:
        table = pa.Table.from_batches([batch]).sort_by(ARRIVAL)
        for name in ("predicate", "arguments"):
            place = table.schema.get_field_index(name)
            table = table.set_column(place, name, _encoded(table.column(name).combine_chunks()))
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema, options=_OPTIONS) as writer:
            writer.write_table(table)
        yield batch_of([(sink.getvalue().to_pybytes(),)], CONTENT)


def _encoded(column: pa.Array) -> pa.Array:
    if not pa.types.is_list(column.type):
        return column.dictionary_encode()
    return pa.ListArray.from_arrays(column.offsets, column.values.dictionary_encode())


def columns_of(contents: Iterable[bytes], terms: TermCodes) -> TraceColumns:
    """Return the rows of all batches in columns."""
    parts: defaultdict[Signature, list[InputAtoms]] = defaultdict(list)
    keys, before, last = [np.empty((len(_ARRIVAL), 0), np.int64)], 0, 0
    for content in contents:
        table = pa.ipc.open_stream(content).read_all()
        found = table_columns(table, terms)
        for name, some in found.atoms.items():
            parts[name].append(replace(some, arrival=some.arrival + before))
        keys.append(np.array([table.column(name).to_numpy() for name in _ARRIVAL], np.int64))
        before, last = before + len(table), max(last, found.last)
    # lexsort sorts by its last key first.
    order = np.lexsort(np.concatenate(keys, axis=1)[::-1])
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    atoms = {name: _together(some, number, name[1]) for name, some in parts.items()}
    return TraceColumns(terms, in_time_order(atoms), last)


def _together(parts: list[InputAtoms], number: np.ndarray, arity: int) -> InputAtoms:
    columns = (np.concatenate([part.columns[place] for part in parts]) for place in range(arity))
    arrival = number[np.concatenate([part.arrival for part in parts])]
    return InputAtoms(np.concatenate([part.t for part in parts]), arrival, tuple(columns))
