"""A trace on Spark, and what it answers there."""

import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from lars.analysis import reach
from lars.language.terms import Signature
from lars.language.windows import Interval
from solver.columns import Array, TermCodes, TimeBins, TraceColumns, in_time_order
from solver.facts import Background, Fact
from solver.job import (
    Needs,
    Question,
    SlicedWork,
    certified_first,
    lacks_certified,
    needs_of,
    say_hindrances,
)
from solver.job.pipeline import Job, used_background
from solver.progress import Stage
from solver.relational import EncodedSituation, situation_of
from solver.settings import ALL_CORES, Certify, Runner, TraceInput
from solver.spark.finished_slices import FinishedSlices, finished_slices
from solver.spark.packed_atoms import unpacked_atoms
from solver.spark.pipeline import (
    Payload,
    Result,
    answers_on_spark,
    outputs_on_spark,
    slices_on_spark,
    spark_progress,
    worked_on_spark,
)
from solver.spark.reading import ReadTrace, read_in_tasks
from solver.spark.slice_answers import PackedAnswers, RowsByTime
from solver.spark.slices import AtomSelector, Binning
from solver.traces import TraceFile


@dataclass(slots=True, weakref_slot=True, eq=False)
class SparkTrace:
    """A trace that Spark has read and keeps, with the background and the timeline it is asked about."""

    read: ReadTrace
    timeline: Interval
    background: Background
    runner: Runner = field(default_factory=Runner)
    finished: FinishedSlices | None = None
    terms: TermCodes = field(default_factory=TermCodes)
    origin: str | None = None
    first: "SparkTrace | None" = None

    def on(self, background: Background) -> "SparkTrace":
        """Return the same input with another background; terms have the same codes."""
        # What Spark has read is there as long as the trace that it was read for.
        return replace(self, background=background, first=self.first or self)

    def without_certification(self) -> "SparkTrace":
        """Return the same trace, of which answers are not certified."""
        return replace(self, runner=replace(self.runner, certify=Certify.NONE), first=self.first or self)

    def answers(self, questions: Sequence[Question], within: Interval | None = None) -> list[PackedAnswers]:
        """Return the answers of each question for a predicate, in an interval or on the whole timeline."""
        with spark_progress(self.read.blocks.context, Stage.ANSWERING.of(self.runner.progress)):
            found = answers_on_spark(self._job(questions, within), self.read.blocks, self.finished)
            return list(map(self._certified, questions, found))

    def slices(self, questions: Sequence[Question], before: int) -> Sequence[Interval]:
        """Return the slices of the timeline in which work on what questions need is to be done."""
        wanted = needs_of(questions).from_before(before)
        if wanted.reach.tuples:
            # What is asked may be any time before a slice, where other tuples are the newest ones.
            return [self.timeline]
        return slices_on_spark(self.read.blocks, wanted, self.timeline, self.timeline)

    def results(
        self, work: SlicedWork[Payload, Result], given: Sequence[tuple[Interval, Payload]]
    ) -> list[Result]:
        """Return what is found in each of some slices, of what is given for it."""
        blocks, background = self.read.blocks, used_background(self.background, work.questions)
        with spark_progress(blocks.context, Stage.EXPLAINING.of(self.runner.progress)):
            return list(worked_on_spark(work, given, blocks, self.timeline, background))

    def _certified(self, question: Question, found: PackedAnswers) -> PackedAnswers:
        """Return answers certified at one time at least, where no slice could afford one."""
        if not lacks_certified(found, self.runner.certify):
            return found
        part = next(part for part in found.each_part() if part.evaluations)
        t, seen = int(part.times[0]), reach(question.program)
        first = self.timeline.first if seen.past is None or seen.tuples else t - seen.past
        last = self.timeline.last if seen.future is None else t + seen.future
        here = self.situation(Interval(first, last), [question])
        return replace(found, certified=certified_first(question, part, here).certified)

    def portions(self, questions: Sequence[Question], within: Interval) -> Iterator[list[RowsByTime]]:
        """Yield the answers of one slice after the other, then raise if some are lost."""
        with spark_progress(self.read.blocks.context, Stage.ANSWERING.of(self.runner.progress)):
            yield from outputs_on_spark(self._job(questions, within), self.read.blocks, self.finished)

    def _job(self, questions: Sequence[Question], within: Interval | None) -> Job:
        runner, background = self.runner, self.background
        say_hindrances(questions, background, runner)
        how = runner.slices, within, runner.evaluator, runner.certify
        return Job(tuple(questions), self.timeline, background, *how)

    def situation(self, within: Interval, questions: Sequence[Question]) -> EncodedSituation:
        """Return the input of an interval that questions can use, in columns; terms as in the answers."""
        return situation_of(self._shown(within, needs_of(questions)), self.timeline, self.background)

    def facts(self, within: Interval) -> list[Fact]:
        """Return the input of an interval, ascending in time, in arrival order at each time."""
        return self._shown(within, None).facts(within)

    def arrivals(self, bins: TimeBins) -> Mapping[str, Array]:
        """Return how many triples of each stream, by its text, arrive in each bin of the timeline."""
        found: dict[str, Array] = {}
        for part in self.read.blocks.map(Binning(self.timeline, bins)).collect():
            for stream, counts in part.items():
                found[stream] = found.get(stream, 0) + counts
        return found

    def _shown(self, within: Interval, wanted: Needs | None) -> TraceColumns:
        contents = self.read.blocks.flatMap(AtomSelector(within.meet(self.timeline), wanted)).collect()
        atoms = in_time_order(unpacked_atoms(contents, self.terms))
        return TraceColumns(self.terms, atoms, self.read.last)

    def predicates(self) -> frozenset[tuple[str, str]]:
        """Return the pairs of stream and predicate that the triples have, as texts."""
        return self.read.pairs

    def signatures(self) -> frozenset[Signature]:
        """Return the predicates of the input atoms, with their arities."""
        return self.read.signatures


def spark_trace(given: TraceInput, sources: Sequence[TraceFile], background: Background) -> SparkTrace:
    """Return the trace of some files, read and evaluated on Spark."""
    from solver.spark.session import spark_context

    runner = given.runner
    context = spark_context(runner.master or ALL_CORES)
    with spark_progress(context, Stage.READING.of(runner.progress)):
        read = read_in_tasks(context, sources, given.options)
    timeline = given.timeline or Interval(0, read.last)
    kept = None if runner.resume is None else finished_slices(runner.resume, sources, given.options)
    found = SparkTrace(read, timeline, background, runner, kept)
    weakref.finalize(found, _released, read).atexit = False
    return found


def _released(read: ReadTrace) -> None:
    """Let Spark forget a trace that nobody asks any more."""
    with suppress(Exception):  # the session may have ended before
        read.forget()
