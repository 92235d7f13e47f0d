"""The job: a trace's rows → slices with their halo → answers, in this process or on Spark."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from lars.errors import LarsError
from lars.windows import Interval
from solver.facts import Background, Fact, Relevance, Situation, relevant_background
from solver.facts.rows import COLUMNS, SCHEMA, fact_of_row, rows_of, with_atoms
from solver.job.progress import Progress, unwatched
from solver.job.slices import Answer, Halo, Question, Stretch, cut_evenly, evaluate, sliced, stretches, tail

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


FACTS_PER_SLICE: Final = 20_000
_FAILED: Final = -1
"""The number of the question that an error message stands for, at its slice's first time."""
_ANSWERS = "question int, t long, row array<string>"
_PARTS = f"slice int, {COLUMNS}"
_PART_SCHEMA = pa.schema([("slice", pa.int32()), *SCHEMA])


@dataclass(frozen=True, slots=True)
class Job:
    """What to evaluate: questions over one timeline and background.

    `slices` None lets the job choose their number; `within` None evaluates the whole timeline.
    """

    questions: tuple[Question, ...]
    timeline: Interval
    background: Background
    slices: int | None = None
    within: Interval | None = None

    @property
    def span(self) -> Interval:
        """The part of the timeline in which evaluation times are wanted."""
        return self.timeline if self.within is None else self.timeline.meet(self.within)

    def relevant(self) -> Background:
        """Return the part of the background that the questions can use."""
        return relevant_background(
            self.background, [Relevance(q.program, q.predicate) for q in self.questions]
        )


def in_process(job: Job, facts: Sequence[Fact], progress: Progress = unwatched) -> Iterator[Answer]:
    """Yield the answers of the job's questions to the facts, which are in arrival order."""
    for within, situation in _parts(job, facts, progress):
        yield from evaluate(job.questions, situation, within)


def stretches_in_process(job: Job, facts: Sequence[Fact]) -> Iterator[Stretch]:
    """Yield the answers as `in_process` does, those of consecutive times as one, cut between slices."""
    for within, situation in _parts(job, facts, unwatched):
        yield from stretches(job.questions, situation, within)


def _parts(job: Job, facts: Sequence[Fact], progress: Progress) -> Iterator[tuple[Interval, Situation]]:
    ordered = sorted((fact for fact in facts if fact.t in job.timeline), key=lambda fact: fact.t)
    count = job.slices or fitting_count(len(ordered), job.timeline, Halo(job.questions))
    slices = cut_evenly(job.span, [fact.t for fact in ordered], count)
    background = job.relevant()
    parts = sliced(ordered, slices, Halo(job.questions))
    for done, (within, part) in enumerate(zip(slices, parts, strict=True)):
        progress(done, len(slices))
        yield within, Situation(job.timeline, part, background)


def on_spark(job: Job, trace: "DataFrame") -> Iterator[Answer]:
    """Yield the answers of the job's questions to the rows of a trace, each slice in one Spark task."""
    # Kept, because counting, cutting and assigning would each read and parse the trace again.
    rows = with_atoms(trace, job.timeline).persist()
    try:
        yield from _on_spark(job, rows)
    finally:
        rows.unpersist()


def _on_spark(job: Job, rows: "DataFrame") -> Iterator[Answer]:
    session = rows.sparkSession
    halo = Halo(job.questions)
    slices = _slices(job, rows, halo)
    parts = rows.mapInArrow(_assigning(slices, halo), _PARTS)
    # Each slice gets one row without an atom, so that it is evaluated even when it has no input.
    extra: list[tuple[Any, ...]] = [(i, None, None, None, None, None) for i in range(len(slices))]
    extra += _carried(rows, slices, halo)
    whole = parts.unionByName(session.createDataFrame(extra, _PARTS))
    evaluated = whole.groupBy("slice").applyInArrow(_evaluating(job, slices), _ANSWERS).toArrow()
    _check_failed(evaluated)
    for batch in evaluated.to_batches():
        columns = (batch.column(name).to_pylist() for name in ("question", "t", "row"))
        for question, t, row in zip(*columns, strict=True):
            yield Answer(question, t, tuple(row))


def _check_failed(answers: pa.Table) -> None:
    columns = (answers.column(name).to_pylist() for name in ("question", "t", "row"))
    failed = [(t, row[0]) for question, t, row in zip(*columns, strict=True) if question == _FAILED]
    if failed:
        raise LarsError(min(failed)[1])


def fitting_count(facts: int, timeline: Interval, halo: Halo) -> int:
    """Return how many slices suit so many facts: each facts enough, and no shorter than its halo.

    Shorter slices would mostly repeat what others do, and yet hold the whole halo in memory.
    """
    past, future = halo.reach.past, halo.reach.future
    if past is None or future is None:
        return 1
    length = timeline.last + 1 - timeline.first
    return min(1 + facts // FACTS_PER_SLICE, 1 + length // (past + future + 1))


def _slices(job: Job, rows: "DataFrame", halo: Halo) -> list[Interval]:
    if job.slices is None:
        facts = rows.count()
        count = fitting_count(facts, job.timeline, halo)
        if facts > FACTS_PER_SLICE:
            count = max(count, 2 * rows.sparkSession.sparkContext.defaultParallelism)
    else:
        count = job.slices
    if count == 1:
        return [job.span]
    quantiles = rows.approxQuantile("t", [i / count for i in range(1, count)], 0.1 / count)
    return cut_evenly(job.span, [job.span.first, *sorted(map(int, quantiles))], count)


def _assigning(slices: Sequence[Interval], halo: Halo) -> Any:
    def assign(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            out: list[tuple[Any, ...]] = []
            for row in rows_of(batch):
                out += [(index, *row) for index in halo.slices_of(fact_of_row(row), slices)]
            columns = zip(*out, strict=True) if out else ([] for _ in _PART_SCHEMA)
            arrays = [
                pa.array(column, field.type) for column, field in zip(columns, _PART_SCHEMA, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=_PART_SCHEMA)

    return assign


def _evaluating(job: Job, slices: Sequence[Interval]) -> Any:
    background = job.relevant()

    def evaluate_slice(key: tuple[Any], table: pa.Table) -> pa.Table:
        ordered = table.sort_by([("t", "ascending"), ("position", "ascending"), ("seq", "ascending")])
        facts = [fact_of_row(row) for row in rows_of(ordered) if row[0] is not None]
        situation = Situation(job.timeline, facts, background)
        within = slices[key[0].as_py()]
        try:
            found = list(evaluate(job.questions, situation, within))
        except LarsError as error:
            # Raised in a task it would reach the user as a trace of Python and Java.
            found = [Answer(_FAILED, within.first, (str(error),))]
        return pa.table(
            {
                "question": pa.array([answer.question for answer in found], pa.int32()),
                "t": pa.array([answer.t for answer in found], pa.int64()),
                "row": pa.array([answer.row for answer in found], pa.list_(pa.string())),
            }
        )

    return evaluate_slice


def _carried(rows: "DataFrame", slices: Sequence[Interval], halo: Halo) -> list[tuple[Any, ...]]:
    """Return the rows that tuple windows keep from before each slice: few, so the driver holds them."""
    windows = halo.reach.tuples
    if not windows:
        return []
    own = rows.mapInArrow(_owning(slices, halo), _PARTS)
    tails = own.groupBy("slice").applyInArrow(_tailing(windows), _PARTS).toArrow()
    by_slice: dict[int, list[tuple[Any, ...]]] = {}
    for index, row in zip(tails.column("slice").to_pylist(), rows_of(tails), strict=True):
        by_slice.setdefault(index, []).append(row)
    carried: list[tuple[Any, ...]] = []
    kept: list[tuple[Any, ...]] = []
    # Index -1 holds what comes before the first slice, when a part of the timeline is asked for.
    for index in range(-1, len(slices)):
        carried += [(index, *row) for row in kept] if index >= 0 else []
        kept = _kept(windows, kept + sorted(by_slice.get(index, []), key=lambda row: row[:3]))
    return carried


def _kept(windows: frozenset[Any], rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    by_fact: dict[Fact, tuple[Any, ...]] = {}
    for row in rows:
        by_fact.setdefault(fact_of_row(row), row)
    return [by_fact[fact] for fact in tail(windows, list(by_fact))]


def _owning(slices: Sequence[Interval], halo: Halo) -> Any:
    starts = [within.first for within in slices]

    def own(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = [row for row in rows_of(batch) if halo.counted(fact_of_row(row))]
            out = [(bisect_right(starts, row[0]) - 1, *row) for row in rows]
            columns = zip(*out, strict=True) if out else ([] for _ in _PART_SCHEMA)
            arrays = [
                pa.array(column, field.type) for column, field in zip(columns, _PART_SCHEMA, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=_PART_SCHEMA)

    return own


def _tailing(windows: frozenset[Any]) -> Any:
    def keep(table: pa.Table) -> pa.Table:
        ordered = table.sort_by([("t", "ascending"), ("position", "ascending"), ("seq", "ascending")])
        index = ordered.column("slice")[0].as_py()
        kept = [(index, *row) for row in _kept(windows, list(rows_of(ordered)))]
        return pa.Table.from_pylist(
            [dict(zip(_PART_SCHEMA.names, row, strict=True)) for row in kept], _PART_SCHEMA
        )

    return keep
