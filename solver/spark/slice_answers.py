"""What slices answer, as bytes that tasks hand on: times, and rows as numbers into a list of texts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa

from lars.language.windows import Interval
from solver.columns import TermCodes, arrow_lists, arrow_numbers, numbers_of
from solver.facts import Row
from solver.job import Answer, AnswerRuns
from solver.relational import RunTable, coalesce, concatenate
from solver.spark.packed_atoms import batch_bytes, batch_of

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
)


class PartKind(IntEnum):
    """What became of a question in a part of the timeline."""

    ANSWERS = 0
    REFUSED = 1
    FAILED = 2
    EXHAUSTED = 3
    DISPUTED = 4


class Part(NamedTuple):
    """Answers to question number `question` at the times of an interval, or why there are none, in UTF-8."""

    question: int
    kind: PartKind
    first: int
    last: int
    content: bytes


def part_table(parts: Sequence[Part]) -> pa.Table:
    """Return parts, a row each; `parts_of` reads them."""
    return pa.Table.from_pylist([part._asdict() for part in parts], _PARTS)


def parts_of(table: pa.Table) -> Iterator[Part]:
    """Yield the parts of a table."""
    columns = (table.column(name).to_pylist() for name in _PARTS.names)
    for question, kind, *rest in zip(*columns, strict=True):
        yield Part(question, PartKind(kind), *rest)


def pack(runs: AnswerRuns) -> bytes:
    """Return the answers to a question as bytes; `unite` reads them."""
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


def unite(parts: Iterable[bytes], width: int, terms: TermCodes) -> AnswerRuns:
    """Return the answers of consecutive parts of the timeline together; `width` columns a row."""
    return _united([_unpacked(part, width, terms) for part in parts], width, terms)


def _united(every: Sequence[AnswerRuns], width: int, terms: TermCodes) -> AnswerRuns:
    times = np.concatenate([np.empty(0, np.int64), *(part.times for part in every)])
    begins = np.cumsum([0, *(len(part.times) for part in every)]).tolist()
    table = concatenate([part.runs.moved(begin) for part, begin in zip(every, begins, strict=False)], width)
    certified = sum(part.certified for part in every)
    return AnswerRuns(times, coalesce(table, len(times)) if len(every) > 1 else table, terms, certified)


def _unpacked(part: bytes, width: int, terms: TermCodes) -> AnswerRuns:
    *numbers, texts = (column.flatten() for column in batch_of(part).columns)
    times, first, last, certified, places = (numbers_of(column).astype(np.int64) for column in numbers)
    codes = terms.codes(texts.to_pylist())[places]
    table = RunTable(tuple(codes.reshape(width, len(first))), first, last)
    return AnswerRuns(times, table, terms, int(certified[0]))


@dataclass(frozen=True, slots=True, eq=False)
class PackedAnswers:
    """The answers to a question in consecutive parts of the timeline, as bytes; a row has `width` columns.

    They take a small part of what they take in columns.
    """

    contents: Sequence[tuple[Interval, bytes]]
    width: int
    parts: Sequence[tuple[int, int]]
    evaluations: int
    certified: int

    def within(self, span: Interval, terms: TermCodes) -> AnswerRuns:
        """Return the answers of the parts that have a time point of an interval."""
        parts = (some for own, some in self.contents if own.first <= span.last and span.first <= own.last)
        return unite(parts, self.width, terms)

    def each_part(self) -> Iterator[AnswerRuns]:
        """Yield the answers of each part; runs end where it ends."""
        for _, content in self.contents:
            yield unite([content], self.width, TermCodes())

    def whole(self) -> AnswerRuns:
        """Return all answers together."""
        return unite((content for _, content in self.contents), self.width, TermCodes())

    def of_rows(self, rows: Sequence[Row]) -> AnswerRuns:
        """Return the answers that are some of the rows."""
        terms = TermCodes()
        return _united(
            [_unpacked(content, self.width, terms).of_rows(rows) for _, content in self.contents],
            self.width,
            terms,
        )


def packed_answers(parts: Sequence[Part], width: int) -> PackedAnswers:
    """Return the answers that parts, ascending in time, hold of one question."""
    contents = [(Interval(part.first, part.last), part.content) for part in parts]
    times, runs, certified = [], [], 0
    for part in parts:
        columns = batch_of(part.content)
        times.append(len(columns.column("times")[0]))
        runs.append(len(columns.column("first")[0]))
        certified += columns.column("certified")[0][0].as_py()
    sized = [(own.last, size) for (own, _), size in zip(contents, runs, strict=True)]
    return PackedAnswers(contents, width, sized, sum(times), certified)


def packed_rows(answers: Iterable[Answer]) -> bytes:
    """Return answer streams, a row each, as bytes; `united_rows` reads them."""
    return batch_bytes(
        pa.RecordBatch.from_pylist([{"t": answer.t, "row": answer.row} for answer in answers], _ROWS)
    )


def united_rows(parts: Iterable[bytes]) -> RowsByTime:
    """Return the rows of all parts by time."""
    rows: dict[int, list[Row]] = {}
    for part in map(batch_of, parts):
        for t, row in zip(part.column("t").to_pylist(), part.column("row").to_pylist(), strict=True):
            rows.setdefault(t, []).append(tuple(row))
    return {t: frozenset(rows[t]) for t in sorted(rows)}
