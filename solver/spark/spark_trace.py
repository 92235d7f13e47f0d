"""A trace on Spark, and what it answers there."""

import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from lars.terms import Signature
from lars.windows import Interval
from solver.columns import TermCodes
from solver.facts import Background, Fact
from solver.facts.rows import last_time, signatures, spark_facts, stream_predicates, with_atoms
from solver.job import AnswerRuns, Question, say_hindrances
from solver.job.pipeline import Job
from solver.relational import EncodedSituation, situation_of
from solver.settings import ALL_CORES, Runner, TraceInput
from solver.spark.carried_columns import CONTENT, columns_as_bytes, columns_of
from solver.spark.finished_slices import FinishedSlices, finished_slices
from solver.spark.pipeline import answers_on_spark, outputs_on_spark, spark_progress
from solver.spark.slice_answers import RowsByTime
from solver.spark.slices import needs, shown_rows
from solver.traces import TraceFile, read_on_spark


@dataclass(slots=True, weakref_slot=True, eq=False)
class SparkTrace:
    """A trace as a Spark DataFrame of rows (t, position, seq, predicate, arguments)."""

    rows: Any
    timeline: Interval
    background: Background
    runner: Runner = field(default_factory=Runner)
    finished: FinishedSlices | None = None
    terms: TermCodes = field(default_factory=TermCodes)

    def answers(self, questions: Sequence[Question], within: Interval | None = None) -> list[AnswerRuns]:
        """Return the answers of each question for a predicate, in an interval or on the whole timeline."""
        with spark_progress(self.rows.sparkSession, self.runner.progress):
            return answers_on_spark(self._job(questions, within), self.rows, self.terms, self.finished)

    def portions(self, questions: Sequence[Question], within: Interval) -> Iterator[list[RowsByTime]]:
        """Yield all answers at once, as they come from Spark, then raise if some are lost."""
        with spark_progress(self.rows.sparkSession, self.runner.progress):
            yield from outputs_on_spark(self._job(questions, within), self.rows, self.finished)

    def _job(self, questions: Sequence[Question], within: Interval | None) -> Job:
        runner, background = self.runner, self.background
        say_hindrances(questions, background, runner)
        how = runner.slices, within, runner.evaluator, runner.certify
        return Job(tuple(questions), self.timeline, background, *how)

    def situation(self, within: Interval, questions: Sequence[Question]) -> EncodedSituation:
        """Return the input of an interval that questions can use, in columns; terms as in the answers."""
        rows = with_atoms(self.rows, within.meet(self.timeline)).where(shown_rows(needs(questions)))
        contents = rows.mapInArrow(columns_as_bytes, CONTENT).toArrow().column("content").to_pylist()
        return situation_of(columns_of(contents, self.terms), self.timeline, self.background)

    def facts(self, within: Interval) -> list[Fact]:
        """Return the input of an interval, ascending in time, in arrival order at each time."""
        return spark_facts(self.rows, within.meet(self.timeline))

    def predicates(self) -> frozenset[tuple[str, str]]:
        """Return the pairs of stream and predicate that the triples have, as texts."""
        return stream_predicates(self.rows)

    def signatures(self) -> frozenset[Signature]:
        """Return the predicates of the input atoms, with their arities."""
        return signatures(self.rows)


def spark_trace(given: TraceInput, sources: Sequence[TraceFile], background: Background) -> SparkTrace:
    """Return the trace of some files, read and evaluated on Spark."""
    from solver.spark.session import spark_session

    runner = given.runner
    session = spark_session(runner.master or ALL_CORES)
    with spark_progress(session, runner.progress):
        frame = read_on_spark(session, sources, given.options).persist()
        timeline = given.timeline or Interval(0, last_time(frame))
    kept = None if runner.resume is None else finished_slices(runner.resume, sources, given.options)
    found = SparkTrace(frame, timeline, background, runner, kept)
    weakref.finalize(found, _released, frame).atexit = False
    return found


def _released(frame: Any) -> None:
    """Let Spark forget the rows that it keeps of a trace that nobody asks any more."""
    with suppress(Exception):  # the session may have ended before
        frame.unpersist()
