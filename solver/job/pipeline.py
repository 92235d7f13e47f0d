"""The job: a trace's rows → slices with their halo → answers, in this process or on Spark."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import attrgetter
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from lars.errors import DisputedAnswerError, FailedRunError, LarsError
from lars.windows import Interval
from solver import memory
from solver.facts import Background, Fact, Relevance, Situation, relevant_background
from solver.facts.rows import COLUMNS, batch_of, fact_of_row, rows_of, with_atoms
from solver.job.evaluation import evaluate, stretches
from solver.job.questions import Answer, Question, Stretch
from solver.job.slices import Halo, cut_evenly, sliced, tail
from solver.settings import Evaluator, Progress, unwatched

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


FACTS_PER_SLICE: Final = 20_000
_FAILED: Final = -1
_EXHAUSTED: Final = -2
_DISPUTED: Final = -3
"""Numbers of questions that error messages stand for, at their slices' first times."""
_ANSWERS = "question int, t long, row array<string>"
_PARTS = f"slice int, {COLUMNS}"
_ARRIVAL: Final = [("t", "ascending"), ("position", "ascending"), ("seq", "ascending")]
_PAUSE: Final = 0.2
_LEAST_MEMORY: Final = 2**29


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
    evaluator: Evaluator = Evaluator.AUTO

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
    for answers in by_slice(job, facts, progress):
        yield from answers


def by_slice(job: Job, facts: Sequence[Fact], progress: Progress = unwatched) -> Iterator[Iterator[Answer]]:
    """Yield the answers as `in_process` does, for each slice of the timeline by itself, ascending."""
    for within, situation in _parts(job, facts, progress):
        yield evaluate(job.questions, situation, within, job.evaluator)


def stretches_in_process(job: Job, facts: Sequence[Fact]) -> Iterator[Stretch]:
    """Yield the answers as `in_process` does, those of consecutive times as one, cut between slices."""
    for within, situation in _parts(job, facts, unwatched):
        yield from stretches(job.questions, situation, within, job.evaluator)


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
    parts = rows.mapInArrow(_assigning(partial(halo.slices_of, slices=slices)), _PARTS)
    # Each slice gets one row without an atom, so that it is evaluated even when it has no input.
    extra: list[tuple[Any, ...]] = [(i, None, None, None, None, None) for i in range(len(slices))]
    extra += _carried(rows, slices, halo)
    whole = parts.unionByName(session.createDataFrame(extra, _PARTS))
    evaluating = _evaluating(job, slices, _task_memory(session))
    evaluated = whole.groupBy("slice").applyInArrow(evaluating, _ANSWERS).toArrow()
    if failed := [answer for answer in _answers(evaluated) if answer.question < 0]:
        first = min(failed, key=attrgetter("t"))
        raise _raised(first)
    yield from _answers(evaluated)


def _failure(error: LarsError, t: int) -> Answer:
    """Return what stands for an error; raised in a task it would reach the user as a trace of Java."""
    match error:
        case DisputedAnswerError(files=files, options=options):
            return Answer(_DISPUTED, t, (str(error), options, *chain(*files.items())))
        case FailedRunError():
            return Answer(_EXHAUSTED, t, (str(error),))
        case _:
            return Answer(_FAILED, t, (str(error),))


def _raised(failure: Answer) -> LarsError:
    said, *more = (text or "" for text in failure.row)
    if failure.question == _DISPUTED:
        return DisputedAnswerError(said, dict(zip(more[1::2], more[2::2], strict=True)), more[0])
    return (LarsError if failure.question == _FAILED else FailedRunError)(said)


def _answers(evaluated: pa.Table) -> Iterator[Answer]:
    for batch in evaluated.to_batches():
        columns = (batch.column(name).to_pylist() for name in ("question", "t", "row"))
        for question, t, row in zip(*columns, strict=True):
            yield Answer(question, t, tuple(row))


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


def _assigning(slices_of: Callable[[Fact], Iterable[int]]) -> Any:
    """Return what gives each row, in Spark's batches, to the slices of its fact."""

    def assign(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            out: list[tuple[Any, ...]] = []
            for row in rows_of(batch):
                out += [(index, *row) for index in slices_of(fact_of_row(row))]
            yield batch_of(out, _PARTS)

    return assign


def _task_memory(session: "SparkSession") -> int:
    """Return how many bytes a task may take: tasks on this machine share what the run may take."""
    context = session.sparkContext
    at_once = context.defaultParallelism if str(context.master).startswith("local") else 1
    return max(_LEAST_MEMORY, memory.bound() // at_once)


def _evaluating(job: Job, slices: Sequence[Interval], most: int) -> Any:
    background = job.relevant()

    def evaluate_slice(key: tuple[Any], table: pa.Table) -> pa.Table:
        memory.watch_task(most)
        rows = rows_of(table.sort_by(_ARRIVAL))
        facts = [fact_of_row(row) for row in rows if row[0] is not None]
        situation = Situation(job.timeline, facts, background)
        within = slices[key[0].as_py()]
        try:
            found = list(evaluate(job.questions, situation, within, job.evaluator))
        except LarsError as error:
            found = [_failure(error, within.first)]
        return pa.Table.from_batches([batch_of(found, _ANSWERS)])

    return evaluate_slice


def _carried(rows: "DataFrame", slices: Sequence[Interval], halo: Halo) -> list[tuple[Any, ...]]:
    """Return the rows that tuple windows keep from before each slice: few, so the driver holds them."""
    windows = halo.reach.tuples
    if not windows:
        return []
    starts = [within.first for within in slices]

    def own(fact: Fact) -> Iterable[int]:
        return (bisect_right(starts, fact.t) - 1,) if halo.counted(fact) else ()

    owned = rows.mapInArrow(_assigning(own), _PARTS)
    tails = owned.groupBy("slice").applyInArrow(_tailing(windows), _PARTS).toArrow()
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


def _tailing(windows: frozenset[Any]) -> Any:
    def keep(table: pa.Table) -> pa.Table:
        index = table.column("slice")[0].as_py()
        kept = _kept(windows, list(rows_of(table.sort_by(_ARRIVAL))))
        return pa.Table.from_batches([batch_of([(index, *row) for row in kept], _PARTS)])

    return keep


@contextmanager
def spark_progress(session: "SparkSession", progress: Progress) -> Iterator[None]:
    """Tell of the active stages' tasks, five times a second, while the block runs."""
    if progress is unwatched:
        yield
        return
    finished = Event()
    watcher = Thread(target=_watch, args=(session, progress, finished), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        finished.set()
        watcher.join()


def _watch(session: "SparkSession", progress: Progress, finished: Event) -> None:
    tracker = session.sparkContext.statusTracker()
    while not finished.wait(_PAUSE):
        found = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        stages = [stage for stage in found if stage is not None]
        if stages:
            progress(sum(s.numCompletedTasks for s in stages), sum(s.numTasks for s in stages))
