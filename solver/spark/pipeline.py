"""The job on Spark: rows go to their slices without leaving Java, tasks evaluate, runs come back."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from operator import or_
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from lars.errors import DisputedAnswerError, FailedRunError, LarsError
from lars.windows import Interval, TupleWindow
from solver import memory
from solver.columns import TermCodes
from solver.facts import Arrivals, Multiples
from solver.facts.rows import COLUMNS, batch_of, with_atoms
from solver.job import AnswerRuns, Question
from solver.job.evaluation import by_columns
from solver.job.pipeline import Job
from solver.settings import Progress, unwatched
from solver.spark.carried_rows import carried, tails_of
from solver.spark.finished_slices import FinishedSlices
from solver.spark.slice_answers import PARTS, Part, PartKind, RowsByTime, parts_of, united, united_rows
from solver.spark.slice_tasks import SliceTask
from solver.spark.slices import (
    Needs,
    counted_rows,
    cut_by_rows,
    needed_rows,
    needs,
    row_counts,
    shown_rows,
    slice_of,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SMALL: Final = 20_000
"""So few rows are one slice: to begin a task takes longer."""
_LARGE: Final = 200_000
_SLICED: Final = f"slice int, {COLUMNS}"
_NO_ROW: Final = (None,) * 5
_PAUSE: Final = 0.2
_LEAST_MEMORY: Final = 2**29


class LostTimesError(FailedRunError):
    """Questions that could not be answered at some times, for which there is not enough memory."""

    def __init__(self, questions: Sequence[Question], lost: Sequence[Part]) -> None:
        where = (f"{_named(questions[part.question])} at {Interval(part.first, part.last)}" for part in lost)
        super().__init__(f"not evaluated: {', '.join(where)}: {lost[0].content.decode()}")


def _named(question: Question) -> str:
    match question.gate:
        case Arrivals():
            return "push"
        case Multiples():
            return "pull"
        case _:
            return "the program"


def answers_on_spark(
    job: Job, trace: "DataFrame", terms: TermCodes, kept: FinishedSlices | None = None
) -> list[AnswerRuns]:
    """Return the answers of each question, which asks for a predicate, to the rows of a trace.

    LostTimesError: some of them need more memory than there is.
    """
    found = _evaluated(job, trace, kept)
    if lost := [part for part in found if part.kind is PartKind.EXHAUSTED]:
        raise LostTimesError(job.questions, lost)
    return [_runs(question, _contents(found, number), terms) for number, question in enumerate(job.questions)]


def outputs_on_spark(
    job: Job, trace: "DataFrame", kept: FinishedSlices | None = None
) -> Iterator[list[RowsByTime]]:
    """Yield the rows of each question by time, then raise if some times are lost, which are left out.

    Of answer streams all that comes after the first lost time is left out too: no row is an answer there.
    """
    found = _evaluated(job, trace, kept)
    lost = [part for part in found if part.kind is PartKind.EXHAUSTED]
    missing = [Interval(part.first, part.last) for part in lost]
    outputs: list[RowsByTime] = []
    for number, question in enumerate(job.questions):
        contents = _contents(found, number)
        if question.predicate is None:
            rows = united_rows(contents)
            outputs.append({t: rows[t] for t in rows if not lost or t < lost[0].first})
        else:
            rows = _runs(question, contents, TermCodes()).by_time()
            outputs.append({t: rows[t] for t in rows if not any(t in one for one in missing)})
    yield outputs
    if lost:
        raise LostTimesError(job.questions, lost)


def _contents(found: Sequence[Part], number: int) -> Iterator[bytes]:
    return (part.content for part in found if (part.question, part.kind) == (number, PartKind.FOUND))


def _runs(question: Question, contents: Iterator[bytes], terms: TermCodes) -> AnswerRuns:
    assert question.predicate is not None, "answer streams have rows of no width"
    return united(contents, question.predicate[1], terms)


def _evaluated(job: Job, trace: "DataFrame", trace_kept: FinishedSlices | None) -> list[Part]:
    """Return what the slices found, ascending in time; raise the first error that one of them says."""
    kept = None if trace_kept is None else trace_kept.of(job)
    wanted = needs(job.questions)
    rows = with_atoms(trace, job.timeline).where(needed_rows(wanted))
    slices = None if kept is None else kept.cut()
    if slices is None:
        slices = _slices(job, wanted, rows)
        if kept is not None:
            kept.begin(slices)
    finished = frozenset() if kept is None else kept.finished(len(slices))
    found = [] if kept is None else list(kept.found(finished))
    if missing := [number for number in range(len(slices)) if number not in finished]:
        task = SliceTask(job, tuple(slices), job.relevant(), _task_memory(trace.sparkSession), kept)
        spread = _spread(wanted, slices, rows).where(f"slice in ({', '.join(map(str, missing))})")
        evaluated = spread.repartitionById(len(slices), "slice").mapInArrow(task, PARTS)
        found += parts_of(evaluated.toArrow())
    found.sort(key=lambda part: part.first)
    if (error := error_of(found)) is not None:
        raise error
    return found


def error_of(found: Sequence[Part]) -> LarsError | None:
    """Return the first error that a part says, None where there is none."""
    for kind, error in ((PartKind.REFUSED, LarsError), (PartKind.FAILED, FailedRunError)):
        if said := next((part.content for part in found if part.kind is kind), None):
            return error(said.decode())
    case = next((part.content for part in found if part.kind is PartKind.DISPUTED), None)
    return None if case is None else DisputedAnswerError(*json.loads(case))


def _slices(job: Job, wanted: Needs, rows: "DataFrame") -> list[Interval]:
    counts = row_counts(rows, job.timeline)
    total = int(counts[1].sum())
    if job.slices is not None:
        return cut_by_rows(counts, job.span, max(1, -(-total // job.slices)), None)
    past, future = wanted.reach.past, wanted.reach.future
    if past is None or future is None or total <= SMALL:
        return [job.span]
    background = frozenset(job.background)
    fast = all(by_columns(question, background, job.evaluator) for question in job.questions)
    count = max(3 * rows.sparkSession.sparkContext.defaultParallelism, total // (_LARGE if fast else SMALL))
    return cut_by_rows(counts, job.span, max(SMALL // 2, -(-total // count)), past + future)


def _spread(wanted: Needs, slices: Sequence[Interval], rows: "DataFrame") -> "DataFrame":
    """Return the rows of each slice, and one without an atom for each, so that none is without rows."""
    from pyspark.sql import functions as sql

    length = 1 + slices[-1].last
    past, future = (
        length if far is None else min(far, length) for far in (wanted.reach.past, wanted.reach.future)
    )
    starts, ends = [one.first for one in slices], [one.last + 1 for one in slices]
    own = sql.expr(f"{slice_of('t', starts)} - 1")
    first, last = (
        sql.expr(slice_of(f"t - {future}L", ends)),
        sql.expr(f"{slice_of(f't + {past}L', starts)} - 1"),
    )
    shown = shown_rows(wanted)
    reached = rows.select(
        sql.when(shown, first).otherwise(own).alias("low"),
        sql.when(shown, last).otherwise(own).alias("high"),
        *rows.columns,
    )
    numbers = sql.explode(sql.sequence("low", "high")).alias("slice")
    parts = reached.where("0 <= high and low <= high").select(numbers, *rows.columns)
    extra = [pa.Table.from_batches([batch_of([(i, *_NO_ROW) for i in range(len(slices))], _SLICED)])]
    if windows := tuple(wanted.reach.tuples):
        extra += _carried(windows, starts, rows)
    return parts.unionByName(rows.sparkSession.createDataFrame(pa.concat_tables(extra)))


def _carried(windows: Sequence[TupleWindow], starts: Sequence[int], rows: "DataFrame") -> Iterator[pa.Table]:
    """Yield the rows that tuple windows keep from before each slice: few, so the driver holds them."""
    from pyspark.sql import functions as sql

    own = sql.expr(f"{slice_of('t', starts)} - 1").alias("slice")
    counted = rows.where(reduce(or_, map(counted_rows, windows))).select(own, *rows.columns)
    tails = counted.mapInArrow(partial(tails_of, windows), _SLICED).toArrow()
    # Number -1 is what comes before the first slice, when a part of the timeline is asked for.
    parts = [tails.filter(pc.equal(tails.column("slice"), number)) for number in range(-1, len(starts))]
    for number, before in enumerate(carried(windows, parts)):
        yield before.set_column(0, "slice", pa.array([number] * len(before), pa.int32()))


def _task_memory(session: "SparkSession") -> int:
    """Return how many bytes a task may take: tasks on this machine share what the run may take."""
    context = session.sparkContext
    at_once = context.defaultParallelism if str(context.master).startswith("local") else 1
    return max(_LEAST_MEMORY, memory.bound() // at_once)


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
