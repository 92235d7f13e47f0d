"""A trace to ask questions of, whether it lies in this process or on Spark: nothing else differs."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lars.terms import Signature
from lars.windows import Interval
from solver.facts import Background, Fact, is_triple
from solver.facts.rows import signatures, spark_facts, stream_predicates
from solver.job import Answer, Progress, Question, unwatched
from solver.job.pipeline import Job, in_process, on_spark, spark_progress
from solver.runs import Row

Outputs = Mapping[int, frozenset[Row]]
"""Rows by time point; a time point without rows may be missing."""


class Trace(Protocol):
    """Input in arrival order, with the background and the timeline it is asked about."""

    timeline: Interval
    background: Background

    def answers(self, questions: Sequence[Question], within: Interval | None = None) -> list[Outputs]:
        """Return the answers of each question by time point, in an interval or on the whole timeline."""
        ...

    def facts(self, within: Interval) -> list[Fact]:
        """Return the input of an interval, ascending in time, in arrival order at each time."""
        ...

    def predicates(self) -> frozenset[tuple[str, str]]:
        """Return the pairs of stream and predicate that the triples have, as texts."""
        ...

    def signatures(self) -> frozenset[Signature]:
        """Return the predicates of the input atoms, with their arities."""
        ...


@dataclass(slots=True)
class LocalTrace:
    """A trace held in this process; `rows` are facts in arrival order."""

    rows: Sequence[Fact]
    timeline: Interval
    background: Background
    slices: int | None = None
    progress: Progress = unwatched

    def answers(self, questions: Sequence[Question], within: Interval | None = None) -> list[Outputs]:
        """Return the answers of each question by time point, in an interval or on the whole timeline."""
        job = Job(tuple(questions), self.timeline, self.background, self.slices, within)
        return _grouped(in_process(job, self.rows, self.progress), len(questions))

    def facts(self, within: Interval) -> list[Fact]:
        """Return the input of an interval, ascending in time, in arrival order at each time."""
        ordered = sorted(self.rows, key=lambda fact: fact.t)
        times = [fact.t for fact in ordered]
        shown = within.meet(self.timeline)
        return ordered[bisect_left(times, shown.first) : bisect_right(times, shown.last)]

    def predicates(self) -> frozenset[tuple[str, str]]:
        """Return the pairs of stream and predicate that the triples have, as texts."""
        return frozenset((row.arguments[3], row.arguments[1]) for row in self.rows if is_triple(row))

    def signatures(self) -> frozenset[Signature]:
        """Return the predicates of the input atoms, with their arities."""
        return frozenset((fact.predicate, len(fact.arguments)) for fact in self.rows)


@dataclass(slots=True)
class SparkTrace:
    """A trace as a Spark DataFrame of rows (t, position, seq, predicate, arguments)."""

    rows: Any
    timeline: Interval
    background: Background
    slices: int | None = None
    progress: Progress = unwatched

    def answers(self, questions: Sequence[Question], within: Interval | None = None) -> list[Outputs]:
        """Return the answers of each question by time point, in an interval or on the whole timeline."""
        job = Job(tuple(questions), self.timeline, self.background, self.slices, within)
        with spark_progress(self.rows.sparkSession, self.progress):
            return _grouped(on_spark(job, self.rows), len(questions))

    def facts(self, within: Interval) -> list[Fact]:
        """Return the input of an interval, ascending in time, in arrival order at each time."""
        return spark_facts(self.rows, within.meet(self.timeline))

    def predicates(self) -> frozenset[tuple[str, str]]:
        """Return the pairs of stream and predicate that the triples have, as texts."""
        return stream_predicates(self.rows)

    def signatures(self) -> frozenset[Signature]:
        """Return the predicates of the input atoms, with their arities."""
        return signatures(self.rows)


def _grouped(answers: Iterable[Answer], count: int) -> list[Outputs]:
    found: list[dict[int, set[Row]]] = [{} for _ in range(count)]
    for answer in answers:
        found[answer.question].setdefault(answer.t, set()).add(answer.row)
    return [{t: frozenset(rows) for t, rows in by_time.items()} for by_time in found]
