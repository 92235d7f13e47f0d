"""Evaluate a job on Spark: blocks of a trace go to slices as bytes, and tasks evaluate the slices.

A trace on Spark gives the same answers as a trace in this process.
"""

import json
import weakref
from bisect import bisect_right
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from threading import Event, Thread
from typing import TYPE_CHECKING, Final, TypeVar

from lars.analysis import reach
from lars.dataclass import dataclass
from lars.errors import DisputedAnswerError, FailedRunError, LarsError
from lars.language.terms import Atom, Signature
from lars.language.windows import Interval, TupleWindow
from solver import settings
from solver.columns import Array, TermCodes, TimeBins, TraceColumns, in_time_order
from solver.facts import Arrivals, Background, Fact, Multiples
from solver.job import Needs, Question, certified_first, lacks_certified, needs_of, say_hindrances
from solver.job.evaluation import by_columns
from solver.job.slices import (
    Counts,
    Job,
    carried_by_part,
    cut_in_number,
    cut_span,
    needs_with_firsts,
    used_background,
)
from solver.relational import EncodedSituation, situation_of
from solver.spark import reading, task_bytes
from solver.spark.finished_slices import FinishedSlices, finished_slices
from solver.spark.slice_tasks import SliceTask, worked_slices
from solver.traces import TraceFile

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext


Payload = TypeVar("Payload")
Result = TypeVar("Result")
SMALL: Final = 20_000
"""The maximum number of atoms that form a single slice; for fewer atoms a task would start too slowly."""
LARGE: Final = 400_000
_SLICES_OF_TASK: Final = 4
"""The maximum number of slices that one task explains, unless there are more tasks than cores without it."""
_HELD: Final = 2**26
"""The maximum number of bytes of packed answers that the driver holds at once."""
_PAUSE: Final = 0.2


def _lost_times(questions: Sequence[Question], lost: Sequence[task_bytes.Part]) -> FailedRunError:
    """Return the error that the evaluation of some questions at some times needed too much memory."""
    where = (f"{_name_of(questions[part.question])} at {Interval(part.first, part.last)}" for part in lost)
    return FailedRunError(f"not evaluated: {', '.join(where)}: {lost[0].content.decode()}")


def _name_of(question: Question) -> str:
    match question.gate:
        case Arrivals():
            return "push"
        case Multiples():
            return "pull"
        case _:
            return "the program"


def answers_on_spark(
    job: Job, trace: "RDD[task_bytes.Block]", counts: Counts, slices: FinishedSlices | None = None
) -> list[task_bytes.PackedAnswers]:
    """Return the answers to each question on a trace; each question must ask for a predicate.

    `counts` are the numbers of the trace's atoms by parts of the timeline.

    Raises:
        FailedRunError: A question needs more memory than available.
    """
    _, parts, read = _evaluated(job, trace, counts, slices)
    if lost := [part for part in parts if part.kind is task_bytes.PartKind.EXHAUSTED]:
        raise _lost_times(job.questions, lost)
    return [
        task_bytes.answers_in_parts(
            [part for part in parts if part.question == number], _width(question), read
        )
        for number, question in enumerate(job.questions)
    ]


def outputs_on_spark(
    job: Job, trace: "RDD[task_bytes.Block]", counts: Counts, slices: FinishedSlices | None = None
) -> Iterator[list[task_bytes.RowsByTime]]:
    """Yield, for each slice, the rows of each question by time, without rows at lost times.

    A time is lost if its evaluation lacked memory. If a question asks for whole answer streams, all answer
    streams from the first lost time on are omitted.

    Raises:
        FailedRunError: Some times are lost; the error is raised after all rows.
    """
    cut_slices, parts, read = _evaluated(job, trace, counts, slices)
    lost = [part for part in parts if part.kind is task_bytes.PartKind.EXHAUSTED]
    begins = [within.first for within in cut_slices]
    answered = read([part for part in parts if part.kind is task_bytes.PartKind.ANSWERS])
    for _, some in groupby(answered, lambda part: bisect_right(begins, part.first)):
        own = list(some)
        outputs = [
            _rows(question, [part.content for part in own if part.question == number], lost)
            for number, question in enumerate(job.questions)
        ]
        if any(outputs):
            yield outputs
    if lost:
        raise _lost_times(job.questions, lost)


def _rows(
    question: Question, contents: Sequence[bytes], lost: Sequence[task_bytes.Part]
) -> task_bytes.RowsByTime:
    if question.predicate is None:
        rows = task_bytes.unpack_rows(contents)
        return {t: rows[t] for t in rows if not lost or t < lost[0].first}
    rows = task_bytes.unpack_answers(contents, _width(question), TermCodes()).by_time()
    return {t: rows[t] for t in rows if not any(part.first <= t <= part.last for part in lost)}


def _width(question: Question) -> int:
    assert question.predicate is not None, "answer streams have rows of no width"
    return question.predicate[1]


def _evaluated(
    job: Job, trace: "RDD[task_bytes.Block]", counts: Counts, trace_kept: FinishedSlices | None
) -> tuple[Sequence[Interval], Sequence[task_bytes.Part], task_bytes.ReadParts]:
    """Return the slices of a job and their results, in ascending order of time, and a function.

    Results with many bytes have no content, so that the driver needs little memory. The function yields
    given results with their contents, which it reads from the disks of Spark or from the folder of --resume.

    Raises:
        LarsError: The evaluation of a slice failed; the first error is raised.
    """
    kept = None if trace_kept is None else trace_kept.of(job)
    slices = None if kept is None else kept.cut()
    if slices is None:
        slices = _slices(job, trace, counts)
        if kept is not None:
            kept.begin(slices)
    finished = frozenset() if kept is None else kept.finished(len(slices))
    without = partial(_without_content, _HELD // (len(slices) * len(job.questions)))
    parts = [] if kept is None else list(map(without, kept.parts(finished)))
    # A task for a finished slice would not read its input, and Spark ends the worker of such a task.
    missing = [number for number in range(len(slices)) if number not in finished]
    results: RDD[task_bytes.Part] | None = None
    if missing:
        from pyspark import StorageLevel

        most = reading.task_memory(trace.context, len(missing))
        background = trace.context.broadcast(job.relevant())
        task = SliceTask(replace(job, background={}), tuple(slices), missing, background, most, kept)
        spread = _spread(job, trace, tuple(slices), missing)
        results = spread.mapPartitionsWithIndex(task).persist(StorageLevel.DISK_ONLY)
        parts += results.map(without).collect()
    parts.sort(key=lambda part: part.first)
    if (error := error_of(parts)) is not None:
        raise error
    stored = finished if kept is None else kept.finished(len(slices))
    begins = [within.first for within in slices]

    def read(some: Sequence[task_bytes.Part]) -> Iterator[task_bytes.Part]:
        for portion in _portions(some):
            absent = {bisect_right(begins, part.first) - 1 for part in portion if part.is_elsewhere}
            contents = [] if kept is None else list(kept.parts(absent & stored))
            if own := [missing.index(number) for number in absent - stored]:
                assert results is not None
                places = frozenset((part.question, part.first) for part in portion)
                contents += trace.context.runJob(results, partial(_parts_at, places), own)
            found = {part[:4]: part for part in contents}
            for part in portion:
                if part.is_elsewhere and part[:4] not in found:
                    where = f"{_name_of(job.questions[part.question])} at {Interval(part.first, part.last)}"
                    raise FailedRunError(
                        f"{where}: cannot read the answers: Spark lost them, and their evaluation ran out of "
                        "memory when it was repeated; use a larger --memory, or --resume, which keeps answers"
                    )
                yield found[part[:4]] if part.is_elsewhere else part

    if results is not None:
        weakref.finalize(read, _released, results.unpersist).atexit = False
    return slices, parts, read


def _parts_at(places: Container[tuple[int, int]], parts: Iterable[task_bytes.Part]) -> list[task_bytes.Part]:
    return [part for part in parts if (part.question, part.first) in places]


def _without_content(most: int, part: task_bytes.Part) -> task_bytes.Part:
    """Return a result without its answers, if they have more than `most` bytes."""
    return part if part.size <= most else part._replace(content=b"")


def _portions(parts: Sequence[task_bytes.Part]) -> Iterator[list[task_bytes.Part]]:
    """Yield consecutive results whose answers together fit into the driver, at least one result at a time."""
    portion: list[task_bytes.Part] = []
    for part in parts:
        if portion and sum(other.size for other in portion) + part.size > _HELD:
            yield portion
            portion = []
        portion.append(part)
    if portion:
        yield portion


def error_of(parts: Sequence[task_bytes.Part]) -> LarsError | None:
    """Return the first error among the results of parts, or None if no part has an error."""
    for kind, error in (
        (task_bytes.PartKind.REFUSED, LarsError),
        (task_bytes.PartKind.FAILED, FailedRunError),
    ):
        if data := next((part.content for part in parts if part.kind is kind), None):
            return error(data.decode())
    case = next((part.content for part in parts if part.kind is task_bytes.PartKind.DISPUTED), None)
    return None if case is None else DisputedAnswerError(*json.loads(case))


def _slices(job: Job, trace: "RDD[task_bytes.Block]", counts: Counts) -> list[Interval]:
    needs = needs_with_firsts(job.questions)
    if job.slices is not None:
        return cut_in_number(_within(counts, job.span), job.span, job.slices)
    background = frozenset(job.background)
    fast = all(by_columns(question, background, job.evaluator) for question in job.questions)
    return slices_on_spark(trace, counts, needs, job.span, LARGE if fast else SMALL)


def slices_on_spark(
    trace: "RDD[task_bytes.Block]", counts: Counts, needs: Needs, span: Interval, rows: int = LARGE
) -> list[Interval]:
    """Return slices of the interval `span` with about `rows` atoms each.

    The slices are smaller if some core would otherwise get no slice.
    """
    if needs.halo is None:
        return [span]
    total = int(_within(counts, span)[1].sum())
    if total <= SMALL:
        return [span]
    count, least = max(3 * trace.context.defaultParallelism, total // rows), SMALL // 2
    if needs.firsts:
        # Each slice has as many atoms as those from before it, or else the work would grow with the slices.
        least = max(least, sum(trace.map(partial(reading.first_count, needs, span)).collect()))
    return cut_span(counts, span, needs.halo, rows=max(least, -(-total // count)))


def _within(counts: Counts, span: Interval) -> Counts:
    begins, numbers = counts
    inside = (begins >= span.first) & (begins <= span.last)
    return begins[inside], numbers[inside]


def _spread(
    job: Job, trace: "RDD[task_bytes.Block]", slices: tuple[Interval, ...], missing: Sequence[int]
) -> "RDD[tuple[int, bytes]]":
    """Return an RDD of the input atoms for each slice in `missing`: pairs (number of slice, bytes).

    The RDD has one partition for each slice.
    """
    needs = needs_with_firsts(job.questions)
    place = missing.index
    spread = trace.flatMap(partial(reading.spread_atoms, needs, job.timeline, slices, missing))
    parts = spread.partitionBy(len(missing), place)
    windows = tuple(needs.reach.tuples)
    if not windows and not needs.firsts:
        return parts
    carry = partial(reading.carried_by_block, windows, job.timeline, slices, firsts=needs.firsts)
    carried = _carried(windows, trace.flatMap(carry).collect(), len(slices), needs.firsts)
    earlier = trace.context.parallelize([pair for pair in carried if pair[0] in missing])
    return parts.union(earlier.partitionBy(len(missing), place))


def _carried(
    windows: tuple[TupleWindow, ...],
    carried: Sequence[tuple[int, bytes]],
    slices: int,
    firsts: Collection[Atom] = (),
) -> Iterator[tuple[int, bytes]]:
    """Yield the earlier atoms that each slice needs from before its start, with the slice's number.

    The Spark driver holds these atoms.
    """
    terms = TermCodes()
    # Number -1 is the part before the first slice, if the job covers a part of the timeline.
    contents = [[content for number, content in carried if number == own] for own in range(-1, slices)]
    parts = [task_bytes.unpack_atoms(some, terms) for some in contents]
    for number, atoms in enumerate(carried_by_part(windows, parts, terms, firsts)):
        yield number, task_bytes.pack_atoms(atoms, terms)


@contextmanager
def spark_progress(context: "SparkContext", progress: settings.Progress) -> Iterator[None]:
    """Report the number of finished Spark tasks, five times per second, while the block runs."""
    if progress is settings.no_progress:
        yield
        return
    finished = Event()
    watcher = Thread(target=_watch, args=(context, progress, finished), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        finished.set()
        watcher.join()


def _watch(context: "SparkContext", progress: settings.Progress, finished: Event) -> None:
    tracker = context.statusTracker()
    while not finished.wait(_PAUSE):
        result = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        stages = [stage for stage in result if stage is not None]
        if stages:
            progress(sum(s.numCompletedTasks for s in stages), sum(s.numTasks for s in stages))


@dataclass(slots=True, weakref_slot=True, eq=False)
class SparkTrace:
    """A trace in the cache of Spark, with the background and timeline for evaluations."""

    read: reading.ReadTrace
    timeline: Interval
    background: Background
    runner: settings.Runner = field(default_factory=settings.Runner)
    finished: FinishedSlices | None = None
    terms: TermCodes = field(default_factory=TermCodes)
    origin: str | None = None
    shift: int = 0
    first: "SparkTrace | None" = None

    @property
    def begin(self) -> int | None:
        """The time of the first element of the trace; None if the trace has no elements."""
        return self.read.begin

    def on(self, background: Background) -> "SparkTrace":
        """Return the same trace with another background; terms keep their codes."""
        # What Spark has read is there as long as the trace that it was read for.
        return replace(self, background=background, first=self.first or self)

    def without_certification(self) -> "SparkTrace":
        """Return the same trace, without certification of answers."""
        return replace(self, runner=replace(self.runner, certify="none"), first=self.first or self)

    def answers(
        self, questions: Sequence[Question], within: Interval | None = None
    ) -> list[task_bytes.PackedAnswers]:
        """Return the answers to each question; the output of each question must be a predicate.

        If `within` is given, the result contains only answers at times in this interval.
        """
        with spark_progress(self.read.blocks.context, settings.stage("answering", self.runner.progress)):
            job, read = self._job(questions, within), self.read
            answers = answers_on_spark(job, read.blocks, read.counts, self.finished)
            return list(map(self._certified, questions, answers))

    def slices(self, questions: Sequence[Question], before: int) -> Sequence[Interval]:
        """Return the slices into which the timeline is divided for work on the questions' input.

        `before` is the number of time points before a slice at which the questions are also evaluated.
        """
        needs = needs_of(questions).from_before(before)
        if needs.reach.tuples:
            # What is asked may be any time before a slice, where other tuples are the newest ones.
            return [self.timeline]
        read = self.read
        return slices_on_spark(read.blocks, read.counts, needs, self.timeline)

    def results(
        self,
        find: Callable[[EncodedSituation, Payload], Result],
        payloads: Sequence[tuple[Interval, Payload]],
        questions: Sequence[Question],
        before: int,
    ) -> list[Result]:
        """Return the results of `find`, which Spark tasks call with a slice's input and payload."""
        if not payloads:
            return []
        blocks, slices = self.read.blocks, [within for within, _ in payloads]
        context = blocks.context
        background = context.broadcast(used_background(self.background, questions))
        needs, numbers = needs_of(questions).from_before(before), range(len(slices))
        tasks = min(len(slices), max(context.defaultParallelism, -(-len(slices) // _SLICES_OF_TASK)))
        # A payload may be bytes too: in a tuple it is none of the atoms.
        shares = context.parallelize([(number, (payload,)) for number, (_, payload) in enumerate(payloads)])
        parts = blocks.flatMap(partial(reading.spread_atoms, needs, self.timeline, slices, numbers))
        # United after their division, or else each atom would pass two Python processes.
        place = tasks.__rmod__
        spread = parts.partitionBy(tasks, place).union(shares.partitionBy(tasks, place))
        task = partial(worked_slices, find, self.timeline, background, reading.task_memory(context, tasks))
        with spark_progress(context, settings.stage("explaining", self.runner.progress)):
            outcomes = spread.mapPartitions(task).collect()
        results: list[Result] = []
        for _, outcome in sorted(outcomes, key=itemgetter(0)):
            if isinstance(outcome, LarsError):
                raise outcome
            results.append(outcome)
        return results

    def _certified(self, question: Question, answers: task_bytes.PackedAnswers) -> task_bytes.PackedAnswers:
        """Return the answers, after clingo has checked one time if it has checked no time in any slice."""
        if not lacks_certified(answers, self.runner.certify):
            return answers
        part = next(part for part in answers.each_part() if part.evaluations)
        t, seen = int(part.times[0]), reach(question.program)
        first = self.timeline.first if seen.past is None or seen.tuples else t - seen.past
        last = self.timeline.last if seen.future is None else t + seen.future
        here = self.situation(Interval(first, last), [question])
        return replace(answers, certified=certified_first(question, part, here).certified)

    def portions(
        self, questions: Sequence[Question], within: Interval
    ) -> Iterator[list[task_bytes.RowsByTime]]:
        """Yield the rows of each question by time, slice by slice; finally raise an error for lost rows."""
        with spark_progress(self.read.blocks.context, settings.stage("answering", self.runner.progress)):
            job, read = self._job(questions, within), self.read
            yield from outputs_on_spark(job, read.blocks, read.counts, self.finished)

    def _job(self, questions: Sequence[Question], within: Interval | None) -> Job:
        runner, background = self.runner, self.background
        say_hindrances(questions, background, runner)
        how = runner.slices, within, runner.evaluator, runner.certify
        job = Job(tuple(questions), self.timeline, background, *how)
        if self.finished is not None and (note := self.finished.of(job).note()):
            runner.notice(note)
        return job

    def situation(self, within: Interval, questions: Sequence[Question]) -> EncodedSituation:
        """Return the input in an interval that the questions can use, with the same codes as the answers."""
        return situation_of(self._columns_in(within, needs_of(questions)), self.timeline, self.background)

    def facts(self, within: Interval) -> list[Fact]:
        """Return the input in an interval, ascending in time, and in arrival order at each time."""
        return self._columns_in(within, None).facts(within)

    def arrivals(self, bins: TimeBins) -> Mapping[str, Array]:
        """Return the number of triples of each stream in each bin of the timeline.

        The keys of the result are the texts of streams.
        """
        numbers: dict[str, Array] = {}
        for part in self.read.blocks.map(partial(reading.stream_counts, self.timeline, bins)).collect():
            for stream, counts in part.items():
                numbers[stream] = numbers.get(stream, 0) + counts
        return numbers

    def _columns_in(self, within: Interval, needs: Needs | None) -> TraceColumns:
        contents = self.read.within(within.meet(self.timeline), needs)
        atoms = in_time_order(task_bytes.unpack_atoms(contents, self.terms))
        return TraceColumns(self.terms, atoms, self.read.last)

    def predicates(self) -> frozenset[tuple[str, str]]:
        """Return the pairs (stream, predicate) that occur in triples, as texts."""
        return self.read.pairs

    def signatures(self) -> frozenset[Signature]:
        """Return the predicates of the input atoms, with their arities."""
        return self.read.signatures


def spark_trace(
    trace_input: settings.TraceInput, sources: Sequence[TraceFile], background: Background
) -> SparkTrace:
    """Let Spark read the files of a trace, and return the trace."""
    from solver.spark.session import spark_context

    runner = trace_input.runner
    context = spark_context(runner.master or settings.ALL_CORES)
    with spark_progress(context, settings.stage("reading", runner.progress)):
        read = reading.read_in_tasks(context, sources, trace_input.options)
    timeline = Interval(0, read.last)
    kept = None if runner.resume is None else finished_slices(runner.resume, sources, trace_input.options)
    trace = SparkTrace(read, timeline, background, runner, kept, origin=read.origin, shift=read.shift)
    weakref.finalize(trace, _released, read.forget).atexit = False
    return trace


def _released(forget: Callable[[], object]) -> None:
    """Remove data that are no longer used from the cache of Spark."""
    with suppress(Exception):  # the session may have ended before
        forget()
