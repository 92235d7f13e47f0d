"""Compute the diagrams of `lars phase` from matches, or with one evaluation per window length."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

from agreement.comparing import agree
from agreement.documents.requests import WindowSource, sources, with_sources
from agreement.documents.traces import LocalTrace, Trace
from agreement.proving.phase.diagram import PhaseDiagram, PhaseRow, phase_row
from agreement.proving.phase.matches import limit, matches, obstacle
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.terms import Iri
from lars.language.windows import Interval
from solver.columns import trace_columns
from solver.job import ask
from solver.settings import Progress, Warn
from translate.model.query import EngineQuery
from translate.model.windows import Range, on_grid
from translate.tau import lars_program, output_of, push


@dataclass(frozen=True, slots=True)
class PhaseTask:
    """A comparison of push and pull on a trace for several lengths of the longest window on `stream`.

    `lengths` are in time points. `rates` are the factors by which the stream is faster than the trace.
    """

    agreement: agree.AgreementTask
    pair: agree.Pair
    trace: Trace
    stream: Iri
    lengths: tuple[int, ...]
    rates: tuple[int, ...]


def phase_task(
    task: agree.AgreementTask,
    window: str | None,
    lengths: tuple[int, ...],
    rates: tuple[int, ...],
    warn: Warn,
) -> PhaseTask:
    """Return the task to compare push with pull for several lengths of one window.

    `window` is the stream of this window, as text; by default, the stream with the longest window.

    Raises:
        LarsError: The query has no time-based window on the stream.
    """
    task, trace, (pair, *_) = agree.compared_on_trace(task, warn)
    ranges = _ranges(pair.cqels)
    if not ranges and _ranges(pair.csparql):
        problem = "no pattern of the query matches a predicate of the trace's streams"
        raise LarsError(
            f"{problem}, so that no window contains a triple; use a trace with triples for the query, "
            "or --assign"
        )
    if not ranges:
        raise LarsError("no window of the query has a length; expected a query with [RANGE ..]")
    stream = (
        max(ranges, key=lambda iri: ranges[iri].nanoseconds) if window is None else Iri(window.strip("<>"))
    )
    if stream not in ranges:
        names = ", ".join(map(str, ranges))
        raise LarsError(f"--window {window}: expected a stream that is read through [RANGE ..]: {names}")
    return PhaseTask(task, pair, trace, stream, lengths, rates)


def _ranges(query: EngineQuery) -> dict[Iri, Duration]:
    """Return, for each stream with a time-based window, the length of the longest time-based window."""
    lengths: dict[Iri, Duration] = {}
    for source in sources(query):
        match source:
            case WindowSource(Iri() as stream, Range(length)):
                lengths[stream] = max(length, lengths.get(stream, length), key=attrgetter("nanoseconds"))
            case _:
                pass
    return lengths


def _others(query: EngineQuery, stream: Iri) -> str | None:
    """Return a text if a query reads the stream through several time-based windows, otherwise None.

    If the query reads the stream through several time-based windows, each window length needs a separate
    evaluation.
    """
    own = {source.window for source in sources(query) if source.stream == stream}
    count = sum(isinstance(window, Range) for window in own)
    return f"{stream} is read through {count} windows, the longest varies" if count > 1 else None


def diagrams(
    task: PhaseTask, periods: Sequence[int], note: Warn, progress: Progress
) -> Iterator[PhaseDiagram]:
    """Yield, for each rate of the stream, the diagram of agreement by pull period and window length."""
    setting = task.agreement.setting
    queries = task.pair.cqels, task.pair.csparql
    reasons = (_others(query, task.stream) or obstacle(query, setting) for query in queries)
    why = next(filter(None, reasons), None)
    if why is not None:
        note(f"each length is evaluated separately: {why}")
    own = _ranges(task.pair.cqels)[task.stream].points(setting.unit)
    for rate in task.rates:
        trace = _faster(task.trace, rate)
        rows = (
            _from_matches(task, trace, periods) if why is None else _by_length(task, trace, periods, progress)
        )
        yield PhaseDiagram(rate, task.lengths, tuple(rows), setting.unit, task.stream, own)


def _faster(trace: Trace, rate: int) -> Trace:
    """Return the trace with all times and the ends of the timeline divided by `rate`, rounded up."""
    if rate == 1:
        return trace
    facts = [fact._replace(t=-(-fact.t // rate)) for fact in trace.facts(trace.timeline)]
    first, last = trace.timeline.first, trace.timeline.last
    timeline = Interval(-(-first // rate), -(-last // rate))
    return LocalTrace(trace_columns(facts), timeline, trace.background)


def _from_matches(task: PhaseTask, trace: Trace, periods: Sequence[int]) -> Iterator[PhaseRow]:
    setting = task.agreement.setting
    ages = [limit(length, setting.bounds) for length in task.lengths]
    pushed, pulled = (
        matches(query, setting, trace, task.stream, max(ages))
        for query in (task.pair.cqels, task.pair.csparql)
    )
    output = output_of(task.pair.csparql, setting).predicate
    (runs,) = trace.answers([ask(push(lars_program(task.pair.cqels, setting), setting.trigger), output)])
    seen_matches = pushed, pulled, runs.whole().times.tolist()
    yield from (phase_row(seen_matches, period, ages, trace.timeline) for period in periods)


def _by_length(
    task: PhaseTask, trace: Trace, periods: Sequence[int], progress: Progress
) -> Iterator[PhaseRow]:
    agreeing: dict[int, list[int]] = {period: [] for period in periods}
    empty: dict[int, list[int]] = {period: [] for period in periods}
    whole = dict.fromkeys(periods, 0)
    for done, length in enumerate(task.lengths):
        progress(done, len(task.lengths))
        pulled, pushed = (_with_length(each, task, length) for each in (task.pair.csparql, task.pair.cqels))
        pair = agree.Pair(pulled, pushed, task.pair.choices)
        report = agree.compare_pairs([pair], periods, trace, task.agreement.setting)
        for verdict in report.variants[0].verdicts:
            agreeing[verdict.period].append(int(verdict.agreeing.sum()))
            empty[verdict.period].append(int((verdict.sizes.push + verdict.sizes.pull == 0).sum()))
            whole[verdict.period] = len(verdict)
    for period in periods:
        yield PhaseRow(period, whole[period], tuple(agreeing[period]), tuple(empty[period]))


def _with_length(query: EngineQuery, task: PhaseTask, length: int) -> EngineQuery:
    unit, own = task.agreement.setting.unit, _ranges(query).get(task.stream)
    has_grid = any(each.language.manner.grid for each in (task.pair.csparql, task.pair.cqels))

    def change(source: WindowSource) -> WindowSource:
        if (
            source.stream != task.stream
            or not isinstance(source.window, Range)
            or source.window.length != own
        ):
            return source
        window = replace(source.window, length=Duration(unit.nanoseconds * length))
        # A C-SPARQL query that is derived keeps the ends that the other language gives to its windows.
        return replace(source, window=on_grid(window) if has_grid and window.ends is not None else window)

    return with_sources(query, change)
