"""Traces: the inputs of commands, and the evaluation of questions on a trace in this process or on Spark."""

import os
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from datetime import UTC, datetime
from itertools import chain, groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import numpy as np

from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.requests import element_requirement, origin_text, reads_graphs, sources
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError, under_way
from lars.language.formulas import Truth
from lars.language.program import Program, Rule
from lars.language.terms import Atom, Iri, Signature
from lars.language.windows import Interval
from solver import memory, settings, traces
from solver.columns import Array, TimeBins, TraceColumns, arrivals, trace_columns
from solver.facts import STREAM_PREDICATE, Arguments, Background, Fact, Static, Triple, graph_rows
from solver.job import (
    AnswerParts,
    AnswerRuns,
    Question,
    StreamRuns,
    Whole,
    certified_runs,
    needs_of,
    say_hindrances,
    stream_runs,
)
from solver.job.evaluation import ATOMS_AT_ONCE
from solver.job.slices import Job, by_slice, cut_span, slices_of, used_background
from solver.relational import EncodedSituation, situation_of
from translate.analysis import parts
from translate.model.patterns import Graph, Service
from translate.model.query import Dataset, EngineQuery, Language, Setting, Trigger
from translate.model.windows import Range

if TYPE_CHECKING:
    from solver.spark import RowsByTime

Payload = TypeVar("Payload")
Result = TypeVar("Result")


class Trace(Protocol):
    """A trace with its background and timeline, on which questions are evaluated.

    The field `origin` is the dateTime of time 0, None if times are integers. The field `shift` is the number
    of time points from 1970 to time 0, or 0 if integers do not count from 1970.
    """

    timeline: Interval
    background: Background
    origin: str | None
    shift: int

    @property
    def begin(self) -> int | None:
        """The time of the first element; None without elements."""

    def answers(self, questions: Sequence[Question], within: Interval | None = None) -> Sequence[AnswerParts]:
        """Return the rows of each question (program and predicate) in an interval or the whole timeline."""

    def portions(self, questions: Sequence[Question], within: Interval) -> Iterator[list["RowsByTime"]]:
        """Yield the answers of consecutive parts of an interval, each part as soon as it is evaluated.

        A time point without rows may be missing in the result. If a question asks for whole answer streams,
        it must be the only question.
        """

    def slices(self, questions: Sequence[Question], before: int) -> Sequence[Interval]:
        """Divide the timeline into slices in which the questions can be evaluated separately.

        The work on a slice may also evaluate a question up to `before` time points before the slice begins.
        """

    def results(
        self,
        find: Callable[[EncodedSituation, Payload], Result],
        payloads: Sequence[tuple[Interval, Payload]],
        questions: Sequence[Question],
        before: int,
    ) -> list[Result]:
        """Apply the function `find` to each slice of the timeline, and return the results in order of time.

        The function `find` receives the input of the questions in the slice, and the payload of the slice. A
        question may also be evaluated up to `before` time points before the slice begins. The function `find`
        and the payloads may be sent to other processes.
        """

    def without_certification(self) -> "Trace":
        """Return the trace for evaluations that clingo does not verify.

        Use this trace only for evaluations that do not determine a verdict.
        """

    def on(self, background: Background) -> "Trace":
        """Return the trace with other static data; each term keeps its number."""

    def facts(self, within: Interval) -> list[Fact]:
        """Return the input facts of an interval by time, in arrival order at each time."""

    def arrivals(self, bins: TimeBins) -> Mapping[str, Array]:
        """Return the number of triples in each bin of the timeline, by the text of the stream."""

    def predicates(self) -> frozenset[tuple[str, str]]:
        """Return the pairs of stream and predicate that occur in triples, as texts."""

    def signatures(self) -> frozenset[Signature]:
        """Return the predicates of the input atoms, with their arities."""


_STREAMS_NAMED: Final = 3
"""The maximum number of streams of a trace that a warning names."""
_MOST_SLICES: Final = 8
"""The greatest number of slices in one process; each slice evaluates the static data again."""


@dataclass(slots=True)
class LocalTrace:
    """A trace as columns in the memory of this process."""

    columns: TraceColumns
    timeline: Interval
    background: Background
    runner: settings.Runner = field(default_factory=settings.Runner)
    origin: str | None = None
    shift: int = 0
    came: TraceColumns | None = None
    """The same trace with the arrival times of its atoms, if they are known."""
    _used: dict[tuple[Interval, frozenset[Atom]], EncodedSituation] = field(default_factory=dict, init=False)

    @property
    def begin(self) -> int | None:
        """The time of the first element; None without elements."""
        return min((int(some.t.min()) for some in self.columns.atoms.values() if len(some.t)), default=None)

    def answers(self, questions: Sequence[Question], within: Interval | None = None) -> list[AnswerRuns]:
        """Return the rows of each question (program and predicate) in an interval or the whole timeline."""
        progress = settings.stage("answering", self.runner.progress)
        return next(self._by_slice(questions, [within or self.timeline], progress))

    def _by_slice(
        self, questions: Sequence[Question], slices: Sequence[Interval], progress: settings.Progress
    ) -> Iterator[list[AnswerRuns]]:
        """Yield the answers of each slice; clingo checks as many times as for a single slice."""
        say_hindrances(questions, self.background, self.runner)
        here, certify = self._with_used(questions), self.runner.certify
        checked, parts = [False] * len(questions), len(slices)
        for done, within in enumerate(slices):
            # A number of times is divided among the slices, so that all of them together check this number.
            own = certify if isinstance(certify, str) else _portion(certify, done, parts)
            how, runs = (self.runner.evaluator, own, parts), []
            for number, question in enumerate(questions):
                begin = done * len(questions) + number
                told = settings.share(progress, begin, begin + 1, parts * len(questions))
                with settings.progress_of_block(told), under_way(self._doing):
                    answer = certified_runs(question, here, within, *how, is_checked=checked[number])
                checked[number] |= answer.certified > 0
                runs.append(answer)
            yield runs

    def _doing(self) -> str:
        atoms = sum(len(some.t) for some in self.columns.atoms.values())
        return f"evaluating {atoms:,} atoms in one process (--master local[1] evaluates them in parts)"

    def portions(self, questions: Sequence[Question], within: Interval) -> Iterator[list["RowsByTime"]]:
        """Yield the answers of consecutive parts of an interval, each part as soon as it is evaluated."""
        runner, background, progress = (
            self.runner,
            self.background,
            settings.stage("answering", self.runner.progress),
        )
        job = Job(tuple(questions), self.timeline, background, runner.slices, within, runner.evaluator)
        with under_way(self._doing):
            slices = slices_of(job, self.columns)
        if not any(isinstance(question.output, Whole) for question in questions):
            # The first answers need not wait for the last.
            for every in self._by_slice(questions, slices, progress):
                yield [runs.by_time() for runs in every]
            return
        (question,) = questions
        say_hindrances(questions, background, runner)
        for done, part in enumerate(slices):
            progress(done, len(slices))
            streamed = self.stream_runs(question, part)
            if streamed is None:
                rest = replace(job, within=Interval(part.first, within.last))
                answers = chain.from_iterable(by_slice(rest, self.columns, progress))
                for t, at in groupby(answers, attrgetter("t")):
                    yield [{t: frozenset(answer.row for answer in at)}]
                return
            yield [streamed]

    def slices(self, questions: Sequence[Question], before: int) -> Sequence[Interval]:
        """Divide the timeline into slices in which the questions can be evaluated separately."""
        needs = needs_of(questions).from_before(before)
        if needs.reach.tuples:
            return [self.timeline]
        # All atoms count: finding the needed ones takes longer.
        t = np.concatenate(
            [np.empty(0, np.int64), *(atoms.within(self.timeline).t for atoms in self.columns.atoms.values())]
        )
        counts = np.unique(t, return_counts=True)
        return cut_span(counts, self.timeline, needs.halo, rows=max(ATOMS_AT_ONCE, len(t) // _MOST_SLICES))

    def stream_runs(self, question: Question, within: Interval) -> StreamRuns | None:
        """Return the only answer stream at each time; None if only clingo can evaluate the question."""
        here = self._with_used([question])
        times = here.times(question.gate, within)
        return stream_runs(question, here, times.tolist(), self.runner.evaluator)

    def results(
        self,
        find: Callable[[EncodedSituation, Payload], Result],
        payloads: Sequence[tuple[Interval, Payload]],
        questions: Sequence[Question],
        before: int,
    ) -> list[Result]:
        """Apply the function `find` to the payload of each slice, and return the results in order of time."""
        del before
        situation, progress = (self._with_used(questions), settings.stage("explaining", self.runner.progress))
        outcomes = []
        for done, (_, payload) in enumerate(payloads):
            progress(done, len(payloads))
            outcomes.append(find(situation, payload))
        return outcomes

    def _with_used(self, questions: Sequence[Question]) -> EncodedSituation:
        """Return a situation with the input, and with the static data that the questions can use."""
        key = self.timeline, frozenset[Atom]().union(*(question.needed for question in questions))
        if key not in self._used:
            used = used_background(self.background, questions)
            # With many static triples this is slow; requests mostly repeat.
            self._used = {key: situation_of(self.columns, self.timeline, used)}
        return self._used[key]

    def without_certification(self) -> "LocalTrace":
        """Return the trace for evaluations that clingo does not verify."""
        return replace(self, runner=replace(self.runner, certify="none"))

    def on(self, background: Background) -> "LocalTrace":
        """Return the trace with other static data; each term keeps its number."""
        return replace(self, background=background)

    def as_it_came(self, wait: int, lateness: int | None) -> "LocalTrace":
        """Return the trace for evaluations that wait `wait` time points, and read only arrived elements.

        If the delay of an element is above the lateness, no evaluation sees the element.
        """
        assert self.came is not None
        return replace(self, columns=self.came.within(self.timeline).as_it_came(wait, lateness))

    def facts(self, within: Interval) -> list[Fact]:
        """Return the input facts of an interval by time, in arrival order at each time."""
        return self.columns.facts(within.meet(self.timeline))

    def arrivals(self, bins: TimeBins) -> Mapping[str, Array]:
        """Return the number of triples in each bin of the timeline, by the text of the stream."""
        codes, counts = arrivals(self.columns.atoms, self.timeline, bins)
        return dict(zip(self.columns.terms.atom_texts(codes), counts, strict=True))

    def predicates(self) -> frozenset[tuple[str, str]]:
        """Return the pairs of stream and predicate that occur in triples, as texts."""
        return self.columns.pairs((STREAM_PREDICATE, 4), 3, 1)

    def signatures(self) -> frozenset[Signature]:
        """Return the predicates of the input atoms, with their arities."""
        return frozenset(self.columns.atoms)


def _portion(number: int, place: int, parts: int) -> int:
    """Return how much of a number falls to one of several equal parts, as an integer.

    >>> [_portion(5, place, 3) for place in range(3)]
    [1, 2, 2]
    """
    return number * (place + 1) // parts - number * place // parts


MOST_TIMES: Final = 10_000_000
"""The greatest number of evaluation times of a job; a larger number suggests a wrong unit."""


def clock_of(question: Question) -> Question:
    """Return a question whose answer is the row () at each evaluation time of the given question."""
    return Question(Program((Rule(Atom("evaluated"), (Truth(),)),)), ("evaluated", 0), question.gate)


def check_timeline(timeline: Interval, every: int | None, dates: Dates = NO_DATES) -> None:
    """Raise LarsError for an empty timeline, or if an evaluation every `every` time points is too much."""
    shown = f"[{dates.text(timeline.first)}, {dates.text(timeline.last)}]"
    if not timeline:
        raise LarsError(f"the timeline {shown} contains no time point; use --from TIME and a later --to TIME")
    if every is not None and (timeline.last - timeline.first) // every > MOST_TIMES:
        raise LarsError(
            f"the timeline {shown} has more than {MOST_TIMES} evaluation times (one every "
            f"{every}); use a longer period, a shorter timeline (--from, --to), or a coarser --unit"
        )


TRIGGERS: Final = (
    "Its elements make push evaluate; to exclude them, use --trigger query-streams or the key `trigger`"
)
"""A sentence about a stream that no query reads, if each element of the trace makes push evaluate."""


def streams_of(query: EngineQuery) -> tuple[Iri, ...]:
    """Return the streams that a query names, in the order of the query text."""
    return tuple(dict.fromkeys(source.stream for source in sources(query) if isinstance(source.stream, Iri)))


def mismatches(read: Iterable[str], carried: Iterable[str], trigger: Trigger | None = None) -> Iterator[str]:
    """Yield warnings about streams of a query without input, and about streams that no query reads.

    `trigger` is the trigger of push; None if push does not evaluate.
    """
    names, texts = {str(Iri(stream)) for stream in read}, set(carried)
    for stream in sorted(names - texts):
        known = f"; the trace contains {', '.join(sorted(texts))}" if 0 < len(texts) <= _STREAMS_NAMED else ""
        yield f"the trace has no element of the stream {stream} that the query reads{known}"
    for stream in sorted(texts - names):
        unread = f"no query reads the stream {stream} of the trace"
        yield f"{unread}. {TRIGGERS}" if trigger == "any" else unread


def dataset_of(queries: Sequence[EngineQuery]) -> Dataset:
    """Return the dataset D of the first query with FROM or FROM NAMED."""
    return next((query.dataset for query in queries if query.dataset != Dataset()), Dataset())


def side_dataset(query: EngineQuery, other: EngineQuery, static: Static) -> Dataset:
    """Return the dataset D (named graphs and default graph) of a query.

    If the query has no FROM and no FROM NAMED, and no static data are loaded for its language only, return
    the dataset of the query `other`.
    """
    if query.dataset != Dataset() or query.language.value in static.engine_stores:
        return query.dataset
    return other.dataset


def absent_graphs(query: EngineQuery, background: Background) -> Iterator[str]:
    """Yield the graphs of a query that the static data lack."""
    names = {arguments[0] for arguments in background.get(("named", 1), ())}
    wanted = (part.name for part in parts(query.pattern) if isinstance(part, Graph | Service))
    absent = [name for name in dict.fromkeys(wanted) if isinstance(name, Iri) and str(name) not in names]
    if absent:
        held = "only triples of the default graph" if background.get(("triple", 4)) else "no triple"
        held = f"only the graphs {', '.join(sorted(names))}" if names else held
        yield f"the query reads the graph {', '.join(map(str, absent))}, but its static data contain {held}"


def check_graphs(static: Static, dataset: Dataset, warn: settings.Warn) -> None:
    """Warn about graphs of FROM and FROM NAMED without static data, and name the graphs that are read."""
    names = {*static.named, *(name for own in static.engine_stores.values() for name in own.named)}
    missing = [g for g in dict.fromkeys((*dataset.default, *dataset.named)) if str(g) not in names]
    if missing:
        instead = (
            ". lars reads the default graph of the static data in place of this graph (--static "
            "IRI=FILE names a graph)"
        )
        listed = ", ".join(map(str, missing))
        warn(f"the static data contain no graph {listed}{instead if static.default else ''}")


def background(
    static: Static, dataset: Dataset, warn: settings.Warn, language: Language | None = None
) -> dict[Signature, Collection[Arguments]]:
    """Return the static data as background B: `triple` atoms with a graph, and `named` atoms of graphs.

    Without FROM and FROM NAMED, B contains all static data. With FROM or FROM NAMED, B contains only the
    graphs of these clauses (SPARQL 1.1, 13.2). An unknown graph name means the default graph of the data. B
    always contains the data that are loaded for the engine of the language.
    """
    default: Sequence[AbstractSet[Triple]] = (static.default,)
    named: Mapping[str, AbstractSet[Triple]] = static.named
    check_graphs(static, dataset, warn)
    if dataset != Dataset():
        default = [static.named.get(str(graph), static.default) for graph in dataset.default]
        named = {str(graph): static.named.get(str(graph), static.default) for graph in dataset.named}
    own = static.engine_stores.get("" if language is None else language.value, Static(frozenset(), {}))
    if own.default:
        default = (*default, own.default)
    names = sorted({*named, *own.named})
    parts = {name: [some[name] for some in (named, own.named) if name in some] for name in names}
    triples = graph_rows([("default", default), *parts.items()])
    return {("triple", 4): triples, ("named", 1): [(name,) for name in names]}


def load_trace(
    trace_input: settings.TraceInput,
    queries: Sequence[EngineQuery],
    warn: settings.Warn,
    known: Background | None = None,
    *,
    has_periods: bool = True,
) -> Trace:
    """Return the trace for queries, with the background; `warn` receives the warnings of the readers.

    The background is `known` if given, otherwise the dataset of the first query with FROM. If `has_periods`
    is false, the command compares no periods, and warnings about periods are left out.
    """
    static = known
    if static is None:
        alone = queries[0].language if len(queries) == 1 else None
        static = background(traces.read_static(trace_input.static), dataset_of(queries), warn, alone)
    ends = trace_input.options.ends or trace_input.timeline is not None
    options = replace(options_for(queries, trace_input.options), ends=ends)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", settings.TraceWarning)
        trace = _load(replace(trace_input, options=options), static)
    for warning in caught:
        if isinstance(warning.message, settings.TraceWarning) and (
            has_periods or warning.message.about != "periods"
        ):
            note = settings.told_origin(warn) if warning.message.about == "origin" else warn
            note(str(warning.message))
    if trace_input.timeline is not None:
        span = trace_input.timeline.first, trace_input.timeline.last
        trace.timeline = Interval(*(point_on(trace, end, options) for end in span))
    return trace


def with_dates(setting: Setting, trace: Trace) -> Setting:
    """Return a setting in which NOW() counts from the trace's time 0, if time 0 is a dateTime."""
    return setting if trace.origin is None else replace(setting, origin=trace.origin)


def origin_in(zero: str | None, options: settings.TraceOptions) -> str:
    """Return the dateTime of time 0 for NOW() in a trace read with these options."""
    return zero or origin_text(options.origin)


def counted_from(zero: str | None, options: settings.TraceOptions, last: int) -> settings.TraceOptions:
    """Return the options of a trace that keeps its integers, with the dateTime from which they count.

    If the integers up to the time point `last` count from 1970, time 0 is in 1970, whatever origin the
    options have. The argument `zero` is the dateTime of time 0 in a trace with dateTimes, or None.
    """
    counts = zero is None and options.reaches_epoch(last)
    return replace(options, origin=datetime.fromtimestamp(0, UTC)) if counts else options


def point_in(
    zero: str | None, time: settings.Time, options: settings.TraceOptions, last: int, shift: int = 0
) -> int:
    """Return the time point of a time in a trace that ends at `last`.

    The argument `zero` is the dateTime of time 0, or None. If time 0 is a dateTime, an integer that means
    more than 30 years counts from 1970. It also does if time 0 is `shift` time points after 1970, but too
    late for a dateTime. Raises LarsError as `point_of` does, and for an integer before time 0.
    """
    moment: settings.Time | traces.Instant = time
    if isinstance(time, int) and options.reaches_epoch(time):
        if zero is not None:
            moment = traces.Instant(traces.TimeKind.ZONED, time * options.time_point.nanoseconds)
        elif shift > time:
            raise LarsError(
                f"found the time {time}, which is before time 0, {shift}; use a later time, or --origin "
                "1970-01-01T00:00:00Z, which keeps the integers"
            )
        else:
            moment = time - shift
    origin = None if options.origin is None else traces.show(traces.instant_of(options.origin))
    return traces.point_of(moment, zero or origin, options.time_point, last)


def point_on(trace: Trace, time: settings.Time, options: settings.TraceOptions) -> int:
    """Return the time point of a time in a trace, which was read with these options."""
    return point_in(trace.origin, time, options, trace.timeline.last, trace.shift)


def span_within(usual: settings.Span, value: settings.Span) -> settings.Span:
    """Return the first and last time: the times of the command line, or else the usual times."""
    (begin, end), (first, last) = usual, value
    return begin if first is None else first, end if last is None else last


def set_span(trace: Trace, span: settings.Span, options: settings.TraceOptions) -> None:
    """Set the timeline of a trace to the requested first and last time, if the times are given.

    Raises LarsError for a timeline that begins after the last element, or ends before the first element.
    """
    first, last = (None if time is None else point_on(trace, time, options) for time in span)
    usual, begin = trace.timeline, trace.begin
    trace.timeline = Interval(usual.first if first is None else first, usual.last if last is None else last)
    read = usual if begin is None else Interval(begin, max(begin, usual.last))
    if first is not None and first > usual.last:
        raise _outside("--from", trace, trace.timeline, read, options.time_point)
    if last is not None:
        check_reached(trace, trace.timeline, read.last, options.time_point)


def check_reached(trace: Trace, span: Interval, last: int, unit: Duration) -> None:
    """Raise LarsError if the requested times end before the first element of a trace."""
    if span and trace.begin is not None and span.last < trace.begin:
        raise _outside("--to", trace, span, Interval(trace.begin, last), unit)


def check_within_reach(
    query: EngineQuery,
    trace: Trace,
    first: settings.Time,
    last: settings.Time | None,
    options: settings.TraceOptions,
) -> None:
    """Raise LarsError if every window of a query is empty from the time `first` on.

    The argument `last` occurs only in the message.
    """
    windows = [source.window for source in sources(query)]
    ranges = [window for window in windows if isinstance(window, Range)]
    # DSTREAM and ISTREAM compare with the evaluation before, in which a window need not have been empty.
    is_changing = query.to_stream not in (None, "RSTREAM")
    if not ranges or len(ranges) < len(windows) or is_changing:
        return
    lengths = [(each.length, each.slide) for each in ranges]
    longest = max(
        length.points(options.time_point) + (slide.points(options.time_point) if slide else 0)
        for length, slide in lengths
    )
    point, read = point_on(trace, first, options), trace.timeline
    if point > read.last + longest:
        asked = Interval(point, point if last is None else point_on(trace, last, options))
        raise _outside("--from", trace, asked, Interval(trace.begin or 0, read.last), options.time_point)


def _outside(option: str, trace: Trace, span: Interval, read: Interval, unit: Duration) -> LarsError:
    dates = Dates(trace.origin, unit).within(Interval(min(span.first, read.first), max(span.last, read.last)))
    asked = dates.interval(span) if span else f"from {dates.text(span.first)}"
    late = span.first > read.last
    side = "after" if late else "before"
    use = f"up to {dates.option(read.last)}" if late else f"from {dates.option(read.first)} on"
    return LarsError(
        f"{option}: the timeline {asked} is {side} the trace, which is {dates.interval(read)}"
        f"{dates.caption}; use a time {use}"
    )


def options_for(queries: Sequence[EngineQuery], options: settings.TraceOptions) -> settings.TraceOptions:
    """Return the options of a trace for queries: the streams of the queries, and the window widths."""
    streams = tuple(dict.fromkeys(stream.value for query in queries for stream in streams_of(query)))
    windows, graphs = _finite(queries, options.time_point), any(map(reads_graphs, queries))
    windows += tuple((stream, length) for stream, _ in windows for length in options.lengths)
    elements = element_requirement(queries)
    return replace(options, query_streams=streams, windows=windows, graphs=graphs, elements=elements)


def _finite(queries: Iterable[EngineQuery], unit: Duration) -> tuple[tuple[str, int], ...]:
    """Return each stream with the widths of its windows in time points.

    If a window has no width, the result is empty.
    """
    predicates: dict[tuple[str, int], None] = {}
    for source in (window_source for query in queries for window_source in sources(query)):
        if not isinstance(source.window, Range) or not isinstance(source.stream, Iri):
            return ()
        predicates[source.stream.value, source.window.length.points(unit)] = None
    return tuple(predicates)


def empty_trace(trace_input: settings.TraceInput, warn: settings.Warn) -> Trace:
    """Return a trace without elements at time 0, with its background."""
    static = background(traces.read_static(trace_input.static), Dataset(), warn)
    return LocalTrace(trace_columns(()), Interval(0, 0), static)


def _load(trace_input: settings.TraceInput, static: Background) -> Trace:
    runner = trace_input.runner
    if trace_input.options.arrival is not None:
        if runner.master is not None or runner.resume is not None:
            raise LarsError(
                "cannot combine --arrival with --master or --resume; omit --master and --resume to run in"
                " this process"
            )
        runner = replace(runner, in_process=True)
    sources = traces.prepare(trace_input.paths, trace_input.options)
    if _is_local(runner, sources):
        with settings.progress_of_block(settings.stage("reading", runner.progress)):
            columns = traces.read_columns(sources, trace_input.options)
        timeline = Interval(0, columns.last)
        came = None if trace_input.options.arrival is None else columns
        return LocalTrace(columns.on_time, timeline, static, runner, columns.origin, columns.shift, came=came)
    # The import loads modules that only Spark needs.
    from solver.spark import spark_trace

    return spark_trace(trace_input, sources, static)


_SUBMITTED: Final = "PYSPARK_GATEWAY_PORT"
"""The environment variable that is set if spark-submit runs this program with its own master."""
MOST_IN_PROCESS: Final = 5_000_000
"""The greatest number of atoms that one process evaluates without Spark by default.

One process takes 15 seconds for this number, which is half the time of Spark with two cores.
"""
_BYTES_EACH: Final = 1_000
"""An upper estimate of the bytes for an input atom; most comparisons need a fourth of these bytes."""


def _is_local(runner: settings.Runner, sources: Sequence[traces.TraceFile]) -> bool:
    on_spark = runner.master is not None or runner.resume is not None or _SUBMITTED in os.environ
    if runner.in_process or on_spark:
        return runner.in_process
    size, most = sum(source.size for source in sources), min(MOST_IN_PROCESS, memory.limit() // _BYTES_EACH)
    if size > most:
        runner.notice(
            f"running on Spark, {settings.ALL_CORES}, because the input is large (about {size:,} atoms); use "
            "--in-process to avoid Spark"
        )
        return False
    runner.notice(
        f"running in this process because the input is small (< {most:,} atoms); use --master to run on Spark"
    )
    return True
