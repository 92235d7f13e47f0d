"""Data that Spark's tasks exchange as bytes: atoms of a trace, and answers of slices.

The bytes are compressed columns with a dictionary of texts.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lars.dataclass import dataclass
from lars.language.terms import Signature
from lars.language.windows import Interval
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
from solver.facts import Row
from solver.job import Answer, AnswerRuns
from solver.relational import RunTable, coalesce, concatenate

_PACKED: Final = pa.schema(
    [("predicate", pa.string()), ("arity", pa.int32()), ("texts", pa.list_(pa.string()))]
    + [(name, pa.list_(pa.int64())) for name in ("times", "arrivals")]
    + [("codes", pa.list_(pa.int32()))]
)
_SMALL: Final = pa.ipc.IpcWriteOptions(compression="zstd")
"""The compression of answers, which the driver holds."""
_FAST: Final = pa.ipc.IpcWriteOptions(compression="lz4")
"""The compression of atoms: three times the bytes of `_SMALL`, in a fraction of its time."""


@dataclass(frozen=True, slots=True, eq=False)
class _BlockTerms(CodedTerms):
    """The terms of a block as one Arrow array, which is not decoded when the block is divided."""

    texts: pa.Array
    found: dict[str, int] = field(default_factory=dict)

    def code(self, text: str) -> int:
        """Return the index of a text, or -1 if the block does not contain the text."""
        if text not in self.found:
            self.found[text] = pc.index(self.texts, arrow_strings([text])[0]).as_py()
        return self.found[text]

    def arrow(self, codes: Array) -> pa.Array:
        """Return the texts of codes as an Arrow array."""
        return self.texts.take(arrow_numbers(codes))

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The atoms in a part of a trace, ascending in time, with numbers of arrival over the whole trace."""

    terms: CodedTerms
    atoms: Atoms


def pack_atoms(atoms: Atoms, terms: CodedTerms) -> bytes:
    """Pack atoms as bytes; their arrivals must be numbered over the whole trace."""
    used = np.zeros(len(terms), np.bool_)
    for some in atoms.values():
        for column in some.columns:
            used[column] = True
    places = (np.cumsum(used) - 1).astype(np.int32)
    texts = terms.arrow(np.flatnonzero(used))
    every = list(atoms.values())
    # The first row has all texts.
    rows = [texts, *([texts.slice(0, 0)] * len(atoms))][: len(atoms)]
    arrays = [
        arrow_strings([name for name, _ in atoms]),
        arrow_numbers(np.array([arity for _, arity in atoms], np.int32)),
        arrow_lists(rows, pa.string()),
        arrow_lists([arrow_numbers(_steps(some.t)) for some in every], pa.int64()),
        arrow_lists([arrow_numbers(_steps(some.arrival)) for some in every], pa.int64()),
        arrow_lists([arrow_numbers(_places(places, some)) for some in every], pa.int32()),
    ]
    return batch_bytes(pa.RecordBatch.from_arrays(arrays, schema=_PACKED), _FAST)


def batch_bytes(batch: pa.RecordBatch, options: pa.ipc.IpcWriteOptions = _SMALL) -> bytes:
    """Return rows as compressed bytes, which `batch_of` reads."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=options) as writer:
        writer.write_batch(batch)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def batch_of(content: bytes) -> pa.RecordBatch:
    """Return the rows that `batch_bytes` wrote."""
    return pa.ipc.open_stream(content).read_next_batch()


def block_of(content: bytes) -> Block:
    """Unpack the atoms of a block; the block has its own codes for terms."""
    batch = batch_of(content)
    return Block(_BlockTerms(batch.column("texts").flatten()), dict(_unpacked(batch)))


def unpack_atoms(contents: Iterable[bytes], terms: TermCodes) -> dict[Signature, InputAtoms]:
    """Unpack the atoms in all `contents`, in no particular order, with the codes of `terms`."""
    atoms: defaultdict[Signature, list[InputAtoms]] = defaultdict(list)
    for content in contents:
        batch = batch_of(content)
        known = terms.codes_of_arrow(batch.column("texts").flatten())
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
    """Return the first number and the differences between neighboring numbers, which compress well."""
    return np.diff(numbers, prepend=0)


RowsByTime = Mapping[int, frozenset[Row]]
_RUNS: Final = pa.schema(
    [(name, pa.list_(pa.int64())) for name in ("times", "first", "last", "certified")]
    + [("codes", pa.list_(pa.int32())), ("texts", pa.list_(pa.string()))]
)
_ROWS: Final = pa.schema([("t", pa.int64()), ("row", pa.list_(pa.string()))])
_PARTS: Final = pa.schema(
    [("question", pa.int32()), ("kind", pa.int32())]
    + [(name, pa.int64()) for name in ("first", "last")]
    + [("content", pa.binary())]
    + [(name, pa.int64()) for name in ("size", "evaluations", "runs", "certified")]
)


class PartKind(IntEnum):
    """The kind of result of a question in a part of the timeline, such as answers or an error."""

    ANSWERS = 0
    REFUSED = 1
    FAILED = 2
    EXHAUSTED = 3
    DISPUTED = 4


class Part(NamedTuple):
    """The result of question number `question` at the times from `first` to `last`.

    `content` contains the answers or, if none exist, the reason in UTF-8. The other fields describe answers:
    their number of bytes, of evaluations, of intervals of rows, and of evaluations that clingo verified. With
    these numbers, `content` may be empty, and Spark or a folder keeps the answers.
    """

    question: int
    kind: PartKind
    first: int
    last: int
    content: bytes
    size: int = 0
    evaluations: int = 0
    runs: int = 0
    certified: int = 0

    @property
    def is_elsewhere(self) -> bool:
        """Whether the answers are not in `content`."""
        return len(self.content) < self.size


ReadParts = Callable[[Sequence[Part]], Iterable[Part]]
"""A function that yields the given results with their contents."""


def part_table(parts: Sequence[Part]) -> pa.Table:
    """Return a table with one row per part, which `parts_of` reads."""
    return pa.Table.from_pylist([part._asdict() for part in parts], _PARTS)


def parts_of(table: pa.Table) -> Iterator[Part]:
    """Yield the parts in a table that `part_table` made."""
    columns = (table.column(name).to_pylist() for name in _PARTS.names)
    for question, kind, *rest in zip(*columns, strict=True):
        yield Part(question, PartKind(kind), *rest)


def pack_answers(runs: AnswerRuns) -> bytes:
    """Return the answers to a question as bytes, which `unpack_answers` reads."""
    table = runs.runs
    every = np.concatenate([*table.columns, np.empty(0, np.int64)])
    distinct, places = np.unique(every, return_inverse=True)
    parts = (
        *map(arrow_numbers, (runs.times, table.first, table.last, np.array([runs.certified]))),
        arrow_numbers(places.astype(np.int32)),
        runs.terms.arrow(distinct),
    )
    columns = [arrow_lists([part], part.type) for part in parts]
    return batch_bytes(pa.RecordBatch.from_arrays(columns, schema=_RUNS))


def unpack_answers(parts: Iterable[bytes], width: int, terms: TermCodes) -> AnswerRuns:
    """Return the answers that `pack_answers` packed, for consecutive parts of the timeline together."""
    return _united([_answers_of(part, width, terms) for part in parts], width, terms)


def _united(every: Sequence[AnswerRuns], width: int, terms: TermCodes) -> AnswerRuns:
    times = np.concatenate([np.empty(0, np.int64), *(part.times for part in every)])
    begins = np.cumsum([0, *(len(part.times) for part in every)]).tolist()
    table = concatenate([part.runs.moved(begin) for part, begin in zip(every, begins, strict=False)], width)
    certified = sum(part.certified for part in every)
    return AnswerRuns(times, coalesce(table, len(times)) if len(every) > 1 else table, terms, certified)


def _answers_of(part: bytes, width: int, terms: TermCodes) -> AnswerRuns:
    *numbers, texts = (column.flatten() for column in batch_of(part).columns)
    times, first, last, certified, places = (numbers_of(column).astype(np.int64) for column in numbers)
    codes = terms.codes(texts.to_pylist())[places]
    table = RunTable(tuple(codes.reshape(width, len(first))), first, last)
    return AnswerRuns(times, table, terms, int(certified[0]))


@dataclass(frozen=True, slots=True, eq=False)
class PackedAnswers:
    """The answers to a question in consecutive parts of the timeline, packed as bytes.

    Packed answers need much less memory than columns. Each row has `width` columns. The function `read`
    yields the given parts with their contents, which may be on disk.
    """

    every: Sequence[Part]
    width: int
    read: ReadParts
    certified: int

    @property
    def evaluations(self) -> int:
        """The number of evaluation times of the question."""
        return sum(part.evaluations for part in self.every)

    @property
    def parts(self) -> Sequence[tuple[int, int]]:
        """A pair for each part of the answers: its last time point, and its number of intervals of rows."""
        return [(part.last, part.runs) for part in self.every]

    def _contents(self, parts: Sequence[Part]) -> Iterator[bytes]:
        return (part.content for part in self.read(parts))

    def within(self, span: Interval, terms: TermCodes) -> AnswerRuns:
        """Return the answers of all parts that overlap the interval."""
        parts = [part for part in self.every if part.first <= span.last and span.first <= part.last]
        return unpack_answers(self._contents(parts), self.width, terms)

    def each_part(self) -> Iterator[AnswerRuns]:
        """Yield the answers of each part of the timeline; rows have their intervals within the part."""
        for content in self._contents(self.every):
            yield unpack_answers([content], self.width, TermCodes())

    def whole(self) -> AnswerRuns:
        """Return the answers of all parts together."""
        return unpack_answers(self._contents(self.every), self.width, TermCodes())

    def of_rows(self, rows: Sequence[Row]) -> AnswerRuns:
        """Return the answers whose row is in `rows`."""
        terms = TermCodes()
        contents = self._contents(self.every)
        return _united(
            [_answers_of(content, self.width, terms).of_rows(rows) for content in contents], self.width, terms
        )


def answers_in_parts(parts: Sequence[Part], width: int, read: ReadParts = iter) -> PackedAnswers:
    """Return the answers to one question from the results of parts, which must be ascending in time."""
    return PackedAnswers(parts, width, read, sum(part.certified for part in parts))


def answered_part(question: int, within: Interval, runs: AnswerRuns) -> Part:
    """Return the answers to a question in a part of the timeline, packed."""
    content = pack_answers(runs)
    numbers = len(content), len(runs.times), len(runs.runs), runs.certified
    return Part(question, PartKind.ANSWERS, within.first, within.last, content, *numbers)


def pack_rows(answers: Iterable[Answer]) -> bytes:
    """Pack answer streams as bytes, which `unpack_rows` reads; each row is one answer stream."""
    return batch_bytes(
        pa.RecordBatch.from_pylist([{"t": answer.t, "row": answer.row} for answer in answers], _ROWS)
    )


def unpack_rows(parts: Iterable[bytes]) -> RowsByTime:
    """Map each time to its rows, from the bytes of all parts."""
    rows: dict[int, list[Row]] = {}
    for part in map(batch_of, parts):
        for t, row in zip(part.column("t").to_pylist(), part.column("row").to_pylist(), strict=True):
            rows.setdefault(t, []).append(tuple(row))
    return {t: frozenset(rows[t]) for t in sorted(rows)}
