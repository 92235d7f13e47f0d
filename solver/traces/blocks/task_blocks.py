"""Blocks in Spark's tasks: parts of its batches in, rows as it holds them out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from solver.columns import Array, TermCodes, arrow_numbers
from solver.facts import STREAM_PREDICATE
from solver.facts.rows import batch_of, schema
from solver.traces.blocks.row_block import ExactRow, TripleRows, no_triples
from solver.traces.blocks.timed_rows import TimedRows, joined, summaries_of, times_of_rows
from solver.traces.file_readers import Raw, row_of
from solver.traces.summaries import Summary, summarise

RAW: Final = (
    "kind int, time long, position long, seq long, stream string, predicate string, "
    "arguments array<string>, problem string, fatal boolean"
)
_BATCH_CHARACTERS: Final = 2**24


@dataclass(frozen=True, slots=True, eq=False)
class TaskBlock:
    """What a task has read of one block of a file: triples with their numbers, and other rows one by one."""

    position: int
    terms: TermCodes
    triples: TripleRows
    numbers: Array
    others: Sequence[Raw]

    @classmethod
    def of_rows(cls, position: int, rows: Sequence[Raw]) -> "TaskBlock":
        """Return a block of which each row was read one by one."""
        return cls(position, TermCodes(), no_triples(), np.empty(0, np.int64), rows)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows with the columns `RAW`."""
        if len(self.numbers):
            yield self._triples()
        rows, characters = [], 0
        for row in self.others:
            rows.append(row)
            characters += sum(map(len, row.arguments))
            if characters > _BATCH_CHARACTERS:
                yield batch_of(rows, RAW)
                rows, characters = [], 0
        if rows:
            yield batch_of(rows, RAW)

    def summaries(self, unit: int) -> Iterator[Summary]:
        """Yield what the block says of its streams, and of what is rejected; `unit` in nanoseconds."""
        triples = self.triples
        timed = TimedRows(self.numbers, triples.kinds, triples.times, triples.columns[3])
        read = times_of_rows((row for row in self.others if row.problem is None), self.terms)
        yield from summaries_of(joined([timed, read]), self.position, self.terms, unit)
        yield from summarise((row for row in self.others if row.problem is not None), unit)

    def _triples(self) -> pa.RecordBatch:
        rows, columns = len(self.numbers), self.triples.columns
        texts = self.terms.texts(range(len(self.terms)))
        arguments = pa.array(["null", *texts[1:]], pa.string()).take(
            arrow_numbers(np.stack(columns, axis=1).ravel())
        )
        arrays = (
            self.triples.kinds,
            self.triples.times,
            np.full(rows, self.position),
            self.numbers,
            pa.array(texts, pa.string()).take(arrow_numbers(columns[3])),
            pa.repeat(STREAM_PREDICATE, rows),
            pa.ListArray.from_arrays(pa.array(np.arange(0, 4 * rows + 1, 4), pa.int32()), arguments),
            pa.nulls(rows, pa.string()),
            np.zeros(rows, np.bool_),
        )
        fields = schema(RAW)
        made = [pa.array(array).cast(field.type) for array, field in zip(arrays, fields, strict=True)]
        return pa.RecordBatch.from_arrays(made, schema=fields)


def exact_rows(position: int, others: Iterable[ExactRow], numbers: Array) -> Iterator[Raw]:
    """Yield rows that were read one by one, each numbered on from the number of its place."""
    for row in others:
        for number, found in enumerate(row.found, int(numbers[row.place])):
            yield row_of(found, position, number, row.text)
