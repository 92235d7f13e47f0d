"""Atoms of a trace on their way between tasks: columns with a dictionary, compressed, as bytes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lars.language.terms import Signature
from solver.columns import (
    Array,
    Atoms,
    CodedTerms,
    InputAtoms,
    TermCodes,
    arrow_lists,
    arrow_numbers,
    arrow_strings,
    numbers_of,
    together,
)

_PACKED: Final = pa.schema(
    [("predicate", pa.string()), ("arity", pa.int32()), ("texts", pa.list_(pa.string()))]
    + [(name, pa.list_(pa.int64())) for name in ("times", "arrivals")]
    + [("codes", pa.list_(pa.int32()))]
)
_OPTIONS: Final = pa.ipc.IpcWriteOptions(compression="zstd")


@dataclass(frozen=True, slots=True, eq=False)
class _BlockTerms(CodedTerms):
    """The terms of a block, as they came: most blocks are parted without a look at most of them."""

    texts: pa.Array

    def code(self, text: str) -> int:
        """Return the place of a text, -1 where there is none."""
        number: int = pc.index(self.texts, arrow_strings([text])[0]).as_py()
        return number

    def arrow(self, codes: Array) -> pa.Array:
        """Return the texts of codes."""
        return self.texts.take(arrow_numbers(codes))

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Atoms of a part of a trace, ascending in time, with arrivals that count for the whole trace."""

    terms: CodedTerms
    atoms: Atoms


def packed_atoms(atoms: Atoms, terms: CodedTerms) -> bytes:
    """Return atoms, whose arrivals count for the whole trace, as bytes."""
    used = np.zeros(len(terms), np.bool_)
    for some in atoms.values():
        for column in some.columns:
            used[column] = True
    places = (np.cumsum(used) - 1).astype(np.int32)
    texts = terms.arrow(np.flatnonzero(used))
    every = list(atoms.values())
    # All texts stand in the first row.
    rows = [texts, *([texts.slice(0, 0)] * len(atoms))][: len(atoms)]
    arrays = [
        arrow_strings([name for name, _ in atoms]),
        arrow_numbers(np.array([arity for _, arity in atoms], np.int32)),
        arrow_lists(rows, pa.string()),
        arrow_lists([arrow_numbers(_steps(some.t)) for some in every], pa.int64()),
        arrow_lists([arrow_numbers(_steps(some.arrival)) for some in every], pa.int64()),
        arrow_lists([arrow_numbers(_places(places, some)) for some in every], pa.int32()),
    ]
    return batch_bytes(pa.RecordBatch.from_arrays(arrays, schema=_PACKED))


def batch_bytes(batch: pa.RecordBatch) -> bytes:
    """Return rows as bytes, compressed; `batch_of` reads them."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=_OPTIONS) as writer:
        writer.write_batch(batch)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def batch_of(content: bytes) -> pa.RecordBatch:
    """Return the rows that `batch_bytes` wrote."""
    return pa.ipc.open_stream(content).read_next_batch()


def block_of(content: bytes) -> Block:
    """Return packed atoms as a block; its codes are its own."""
    batch = batch_of(content)
    return Block(_BlockTerms(batch.column("texts").flatten()), dict(_unpacked(batch)))


def unpacked_atoms(contents: Iterable[bytes], terms: TermCodes) -> dict[Signature, InputAtoms]:
    """Return the packed atoms of all contents together, in no order, with the codes of given terms."""
    atoms: defaultdict[Signature, list[InputAtoms]] = defaultdict(list)
    for content in contents:
        batch = batch_of(content)
        known = terms.codes(batch.column("texts").flatten().to_pylist())
        for name, some in _unpacked(batch):
            columns = tuple(known[column] for column in some.columns)
            atoms[name].append(replace(some, columns=columns))
    return {name: together(parts) for name, parts in atoms.items()}


def _unpacked(batch: pa.RecordBatch) -> Iterator[tuple[Signature, InputAtoms]]:
    for row, name in enumerate(zip(*(batch.column(i).to_pylist() for i in range(2)), strict=True)):
        t, arrival = (np.cumsum(numbers_of(batch.column(i)[row].values)) for i in ("times", "arrivals"))
        codes = numbers_of(batch.column("codes")[row].values).astype(np.int64)
        yield name, InputAtoms(t, arrival, tuple(codes.reshape(name[1], len(t))))


def _places(places: npt.NDArray[np.int32], some: InputAtoms) -> npt.NDArray[np.int32]:
    return np.concatenate([np.empty(0, np.int32), *(places[column] for column in some.columns)])


def _steps(numbers: Array) -> Array:
    """Return how far each number is from the one before: nearly all are equal, so they take no room."""
    return np.diff(numbers, prepend=0)
