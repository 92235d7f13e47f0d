"""Atoms of a trace on their way between tasks: columns with a dictionary, compressed, as bytes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import numpy as np
import pyarrow as pa

from lars.terms import Signature
from solver.columns import Array, InputAtoms, TermCodes, numbers_of, together

Atoms = Mapping[Signature, InputAtoms]
_PACKED: Final = pa.schema(
    [("predicate", pa.string()), ("arity", pa.int32()), ("texts", pa.list_(pa.string()))]
    + [(name, pa.list_(pa.int64())) for name in ("times", "arrivals")]
    + [("codes", pa.list_(pa.int32()))]
)
_OPTIONS: Final = pa.ipc.IpcWriteOptions(compression="zstd")


def packed_atoms(atoms: Atoms, terms: TermCodes) -> bytes:
    """Return atoms, whose arrivals count for the whole trace, as bytes; `unpacked_atoms` reads them."""
    used = np.zeros(len(terms), np.bool_)
    for some in atoms.values():
        for column in some.columns:
            used[column] = True
    places = np.cumsum(used) - 1
    nothing = np.empty(0, np.int64)
    columns: dict[str, list[object]] = {
        "predicate": [name for name, _ in atoms],
        "arity": [arity for _, arity in atoms],
        # All of them stand in the first row.
        "texts": [*[terms.written(np.flatnonzero(used))][: len(atoms)], *[[]] * (len(atoms) - 1)],
        "times": [_steps(some.t) for some in atoms.values()],
        "arrivals": [_steps(some.arrival) for some in atoms.values()],
        "codes": [
            places[np.concatenate([*some.columns, nothing])].astype(np.int32) for some in atoms.values()
        ],
    }
    arrays = [pa.array(columns[field.name], field.type) for field in _PACKED]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, _PACKED, options=_OPTIONS) as writer:
        writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=_PACKED))
    found: bytes = sink.getvalue().to_pybytes()
    return found


def unpacked_atoms(contents: Iterable[bytes], terms: TermCodes) -> dict[Signature, InputAtoms]:
    """Return the atoms of all contents together, in no order, with their terms among the given ones."""
    found: defaultdict[Signature, list[InputAtoms]] = defaultdict(list)
    for content in contents:
        for name, some in _unpacked(content, terms):
            found[name].append(some)
    return {name: together(parts) for name, parts in found.items()}


def _unpacked(content: bytes, terms: TermCodes) -> Iterator[tuple[Signature, InputAtoms]]:
    batch = pa.ipc.open_stream(content).read_next_batch()
    known = terms.codes(batch.column("texts").flatten().to_pylist())
    for row, name in enumerate(zip(*(batch.column(i).to_pylist() for i in range(2)), strict=True)):
        t, arrival = (np.cumsum(numbers_of(batch.column(i)[row].values)) for i in ("times", "arrivals"))
        codes = known[numbers_of(batch.column("codes")[row].values)]
        yield name, InputAtoms(t, arrival, tuple(codes.reshape(name[1], len(t))))


def _steps(numbers: Array) -> Array:
    """Return how far each number is from the one before: nearly all are equal, so they take no room."""
    return np.diff(numbers, prepend=0)
