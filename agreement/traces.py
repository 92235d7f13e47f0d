"""A trace: what a command is given of it, and what it answers, in this process or on Spark."""

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, Protocol

import numpy as np

from agreement.inputs import sources
from lars.durations import Duration
from lars.errors import LarsError
from lars.formulas import Truth
from lars.program import Program, Rule
from lars.terms import Atom, Iri, Signature
from lars.windows import Interval
from solver.columns import TermCodes, TraceColumns, trace_columns
from solver.facts import STREAM_PREDICATE, Arguments, Background, Fact, Static, read_static
from solver.facts.rows import fact_of_row, last_time, signatures, spark_facts, stream_predicates
from solver.job import Answer, AnswerRuns, Question, Whole, answer_runs, hindrance
from solver.job.pipeline import Job, by_slice, on_spark, spark_progress
from solver.relational import EncodedSituation, coalesced, coded, situation_of
from solver.runs import Row
from solver.settings import Runner, TraceInput, TraceOptions, TraceWarning, Warn
from solver.traces import TraceFile, estimated_size, prepare, read_here, read_on_spark
from translate.query import Dataset, EngineQuery
from translate.windows import Range

Outputs = Mapping[int, frozenset[Row]]
"""Rows by time point; a time point without rows may be missing."""


class Trace(Protocol):
    """Input in arrival order, with the background and the timeline it is asked about."""

    timeline: Interval
    background: Background

    def answers(self, questions: Sequence[Question], within: Interval | None = None) -> list[AnswerRuns]:
        """Return the answers of each question for a predicate, in an interval or on the whole timeline."""
        ...

    def portions(self, questions: Sequence[Question], within: Interval) -> Iterator[list[Outputs]]:
        """Yield the answers of consecutive parts of an interval, each as soon as it is known."""
        ...

    def situation(self, within: Interval) -> EncodedSituation:
        """Return the input of an interval in columns, with the background; terms as in the answers."""
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
    """A trace held in this process, in columns."""

    columns: TraceColumns
    timeline: Interval
    background: Background
    runner: Runner = field(default_factory=Runner)

    def answers(self, questions: Sequence[Question], within: Interval | None = None) -> list[AnswerRuns]:
        """Return the answers of each question for a predicate, in an interval or on the whole timeline."""
        _say_hindrances(questions, self.background, self.runner.said)
        here, found = self.situation(self.timeline), []
        for done, question in enumerate(questions):
            self.runner.progress(done, len(questions))
            found += answer_runs([question], here, within or self.timeline, self.runner.evaluator)
        return found

    def portions(self, questions: Sequence[Question], within: Interval) -> Iterator[list[Outputs]]:
        """Yield the answers of consecutive parts of an interval, each as soon as it is known."""
        _say_hindrances(questions, self.background, self.runner.said)
        job = _job(self, questions, within)
        for answers in by_slice(job, self.facts(self.timeline), self.runner.progress):
            # Of one program's answer streams each time point is a part: they come in the order of times.
            alone = len(questions) == 1 and isinstance(questions[0].output, Whole)
            parts = (list(one) for _, one in groupby(answers, attrgetter("t"))) if alone else (answers,)
            yield from (_grouped(part, len(questions)) for part in parts)

    def situation(self, within: Interval) -> EncodedSituation:
        """Return the input of an interval in columns, with the background; terms as in the answers."""
        return situation_of(self.columns, self.timeline, self.background).shown(within)

    def facts(self, within: Interval) -> list[Fact]:
        """Return the input of an interval, ascending in time, in arrival order at each time."""
        return self.columns.facts(within.meet(self.timeline))

    def predicates(self) -> frozenset[tuple[str, str]]:
        """Return the pairs of stream and predicate that the triples have, as texts."""
        return self.columns.pairs((STREAM_PREDICATE, 4), 3, 1)

    def signatures(self) -> frozenset[Signature]:
        """Return the predicates of the input atoms, with their arities."""
        return frozenset(self.columns.atoms)


@dataclass(slots=True)
class SparkTrace:
    """A trace as a Spark DataFrame of rows (t, position, seq, predicate, arguments)."""

    rows: Any
    timeline: Interval
    background: Background
    runner: Runner = field(default_factory=Runner)
    terms: TermCodes = field(default_factory=TermCodes)

    def answers(self, questions: Sequence[Question], within: Interval | None = None) -> list[AnswerRuns]:
        """Return the answers of each question for a predicate, in an interval or on the whole timeline."""
        both = (*questions, *map(clock_of, questions))
        outputs = self._outputs(both, within)
        found = []
        for question, rows, clock in zip(questions, outputs, outputs[len(questions) :], strict=False):
            assert question.predicate is not None, "answer streams have rows of no width"
            times = sorted(clock)
            listed = [(row, i, i) for i, t in enumerate(times) for row in rows.get(t, ())]
            table = coalesced(coded(listed, question.predicate[1], self.terms), len(times))
            found.append(AnswerRuns(np.array(times, np.int64), table, self.terms))
        return found

    def portions(self, questions: Sequence[Question], within: Interval) -> Iterator[list[Outputs]]:
        """Yield all answers at once, as they come from Spark."""
        yield self._outputs(questions, within)

    def _outputs(self, questions: Sequence[Question], within: Interval | None) -> list[Outputs]:
        _say_hindrances(questions, self.background, self.runner.said)
        with spark_progress(self.rows.sparkSession, self.runner.progress):
            return _grouped(on_spark(_job(self, questions, within), self.rows), len(questions))

    def situation(self, within: Interval) -> EncodedSituation:
        """Return the input of an interval in columns, with the background; terms as in the answers."""
        columns = trace_columns(self.facts(within), self.terms)
        return situation_of(columns, self.timeline, self.background)

    def facts(self, within: Interval) -> list[Fact]:
        """Return the input of an interval, ascending in time, in arrival order at each time."""
        return spark_facts(self.rows, within.meet(self.timeline))

    def predicates(self) -> frozenset[tuple[str, str]]:
        """Return the pairs of stream and predicate that the triples have, as texts."""
        return stream_predicates(self.rows)

    def signatures(self) -> frozenset[Signature]:
        """Return the predicates of the input atoms, with their arities."""
        return signatures(self.rows)


def _job(trace: LocalTrace | SparkTrace, questions: Sequence[Question], within: Interval | None) -> Job:
    runner, timeline = trace.runner, trace.timeline
    return Job(tuple(questions), timeline, trace.background, runner.slices, within, runner.evaluator)


def _say_hindrances(questions: Sequence[Question], background: Background, said: Warn) -> None:
    for question in questions:
        if (found := hindrance(question, frozenset(background))) is not None:
            said(f"evaluated by clingo, not by columns: {found}")


def _grouped(answers: Iterable[Answer], count: int) -> list[Outputs]:
    found: list[dict[int, set[Row]]] = [{} for _ in range(count)]
    for answer in answers:
        found[answer.question].setdefault(answer.t, set()).add(answer.row)
    return [{t: frozenset(rows) for t, rows in by_time.items()} for by_time in found]


MOST_TIMES: Final = 10_000_000
"""How many evaluation times a job may ask for by a period: more are a slip of the unit."""


def clock_of(question: Question) -> Question:
    """Return the question that has an answer, without arguments, whenever this one is evaluated."""
    return Question(Program((Rule(Atom("evaluated"), (Truth(),)),)), ("evaluated", 0), question.gate)


def check_timeline(timeline: Interval, every: int | None) -> None:
    """Raise for a timeline without a time point, or with too many evaluations, one `every` so many."""
    if not timeline:
        raise LarsError(f"the timeline {timeline} has no time point; accepted: --from TIME up to --to TIME")
    if every is not None and (timeline.last - timeline.first) // every > MOST_TIMES:
        raise LarsError(
            f"the timeline {timeline} has more than {MOST_TIMES} times to evaluate at, one in {every}; "
            "accepted: a longer period, a shorter timeline by --from and --to, or a coarser --unit"
        )


def streams_of(query: EngineQuery) -> tuple[Iri, ...]:
    """Return the streams that a query names, in the order of its text."""
    return tuple(dict.fromkeys(one.stream for one in sources(query) if isinstance(one.stream, Iri)))


def mismatches(read: Iterable[str], carried: Iterable[str]) -> Iterator[str]:
    """Yield what makes an agreement hollow: streams without input, and input that no query reads."""
    named, given = {str(Iri(stream)) for stream in read}, set(carried)
    for stream in sorted(named - given):
        yield f"the trace has no element of the stream {stream} that the query reads"
    for stream in sorted(given - named):
        yield f"no query reads the stream {stream} of the trace"


def dataset_of(queries: Sequence[EngineQuery]) -> Dataset:
    """Return D: what the first query with FROM or FROM NAMED says."""
    return next((query.dataset for query in queries if query.dataset != Dataset()), Dataset())


def background(static: Static, dataset: Dataset, warn: Warn) -> dict[tuple[str, int], list[Arguments]]:
    """Return the static data as B: `triple` with its graph, and `named` for each named graph.

    Without FROM and FROM NAMED that is all of it. With them only the graphs that they name count
    (SPARQL 1.1, 13.2); a name that none of the graphs has stands for the data's own default graph.
    """
    default, named = static.default, static.named
    if dataset != Dataset():
        missing = [g for g in (*dataset.default, *dataset.named) if str(g) not in static.named]
        if missing and not static.default:
            warn(f"the static data has no graph {', '.join(map(str, missing))}")
        default = frozenset().union(*(named.get(str(graph), static.default) for graph in dataset.default))
        named = {str(graph): named.get(str(graph), static.default) for graph in dataset.named}
    triples: list[Arguments] = [(*triple, "default") for triple in sorted(default)]
    for name in sorted(named):
        triples += [(*triple, name) for triple in sorted(named[name])]
    return {("triple", 4): triples, ("named", 1): [(name,) for name in sorted(named)]}


def load_trace(given: TraceInput, queries: Sequence[EngineQuery], warn: Warn) -> Trace:
    """Return the trace that queries meet, with its background; what the readers warn of goes to `warn`."""
    static = background(read_static(given.static), dataset_of(queries), warn)
    absolute = given.timeline is not None and given.options.reaches_epoch(given.timeline.last)
    options = replace(options_for(queries, given.options), absolute=given.options.absolute or absolute)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TraceWarning)
        trace = _load(replace(given, options=options), static)
    for warning in caught:
        if issubclass(warning.category, TraceWarning):
            warn(str(warning.message))
    return trace


def options_for(queries: Sequence[EngineQuery], options: TraceOptions) -> TraceOptions:
    """Return how a trace is read for queries, whose streams it names and whose windows it should fit."""
    streams = tuple(dict.fromkeys(stream.value for query in queries for stream in streams_of(query)))
    return replace(options, query_streams=streams, windows=_finite(queries, options.unit))


def _finite(queries: Iterable[EngineQuery], unit: Duration) -> tuple[tuple[str, int], ...]:
    """Return the streams with the lengths of their windows in time points; none if one has no length."""
    found: dict[tuple[str, int], None] = {}
    for one in (one for query in queries for one in sources(query)):
        if not isinstance(one.window, Range) or not isinstance(one.stream, Iri):
            return ()
        found[one.stream.value, one.window.length.points(unit)] = None
    return tuple(found)


def no_trace(given: TraceInput, last: int, warn: Warn) -> Trace:
    """Return the empty trace from time 0 to the last time, with its background."""
    return LocalTrace(
        trace_columns(()), Interval(0, last), background(read_static(given.static), Dataset(), warn)
    )


def _load(given: TraceInput, static: Mapping[tuple[str, int], list[Arguments]]) -> Trace:
    runner = given.runner
    sources = prepare(given.paths, given.options)
    if _is_local(runner, sources):
        rows = read_here(sources, given.options)
        last = max((row[0] for row in rows), default=0)
        facts = [fact_of_row(row) for row in rows if row[3] is not None]
        timeline = given.timeline or Interval(0, last)
        return LocalTrace(trace_columns(facts), timeline, static, runner)
    from solver.job.session import spark_session

    session = spark_session(runner.master or ALL_CORES)
    with spark_progress(session, runner.progress):
        frame = read_on_spark(session, sources, given.options).persist()
        timeline = given.timeline or Interval(0, last_time(frame))
    return SparkTrace(frame, timeline, static, runner)


_SUBMITTED: Final = "PYSPARK_GATEWAY_PORT"
"""Set where spark-submit runs this program, and has chosen the master."""
ALL_CORES: Final = "local[*]"
MOST_IN_PROCESS: Final = 500_000
"""Of more input atoms evaluation takes minutes in one process, and gigabytes; Spark starts in ten seconds."""


def _is_local(runner: Runner, sources: Sequence[TraceFile]) -> bool:
    if runner.in_process or runner.master is not None or _SUBMITTED in os.environ:
        return runner.in_process
    size = estimated_size(sources)
    if size > MOST_IN_PROCESS:
        runner.said(
            f"runs on Spark, {ALL_CORES}: the input is large, about {size:,} atoms (--in-process: not)"
        )
        return False
    runner.said(
        f"runs in this process: the input is small, below {MOST_IN_PROCESS:,} atoms (--master: on Spark)"
    )
    return True
