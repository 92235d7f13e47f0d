"""Compare two queries on a recorded or synthetic trace: from files and options to the report.

`on_files` reads the queries, `run` reads the trace and the static data, compares, and adds warnings about
missing data.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agreement.comparing.agree.agreeing import AgreementReport, Pair, compare_pairs, pairs
from agreement.comparing.agree.sides import variables_compared, with_columns
from agreement.comparing.matching.silence import rows_on, silence
from agreement.documents import requests
from agreement.documents.outputs import first_few, quantity
from agreement.documents.traces import (
    LocalTrace,
    Trace,
    absent_graphs,
    background,
    check_graphs,
    check_timeline,
    dataset_of,
    load_trace,
    mismatches,
    set_span,
    side_dataset,
    streams_of,
    with_dates,
)
from lars.dataclass import dataclass
from lars.durations import Duration, TimedPoints
from lars.errors import LarsError
from lars.files import exists
from lars.language.terms import Iri
from lars.language.windows import Interval
from solver.columns import trace_columns
from solver.facts import STREAM_PREDICATE, Background, Fact, Multiples, Static
from solver.job import Question, ask
from solver.settings import Span, TraceInput, Warn, unsaid
from solver.traces import read_static
from solver.traces.input_files import STANDARD_INPUT
from translate import analysis
from translate.dialects import TITLES
from translate.model.query import MERGING, EngineQuery, Setting
from translate.model.windows import Range
from translate.tau import lars_program, output_of, push

if TYPE_CHECKING:
    from agreement.documents.generate import Plan


_NAMED: Final = 5
"""The maximum number of pull periods that a warning lists."""
_INPUTS: Final = (
    f"a folder with {requests.EXPERIMENT_FILE}, "
    f"or one or two queries ({', '.join(requests.QUERY_SUFFIXES)}) followed by traces"
)


@dataclass(frozen=True, slots=True)
class AgreementTask:
    """A comparison of a query evaluated by pull (`csparql`) with a query evaluated by push (`cqels`).

    If one query is None, the comparison derives this query from the other query. If `periods` is empty, the
    pull period is the STEP of the pulled query. If `generated` is the plan of a synthetic stream, the
    comparison uses this stream, and `trace` contains no files.
    """

    csparql: EngineQuery | None
    cqels: EngineQuery | None
    periods: tuple[int, ...]
    trace: TraceInput
    setting: Setting
    assigned: Mapping[Iri, tuple[Iri, ...]]
    span: Span = (None, None)
    generated: "Plan | None" = None
    on: tuple[str, ...] | None = None


def on_files(inputs: Sequence[Path], options: requests.ComparisonOptions) -> AgreementTask:
    """Return the comparison of one or two query files on trace files.

    Raises:
        LarsError: The inputs are not one or two queries followed by traces.
    """
    alone = [path for path in inputs if path.suffix == ".toml" or exists(path / requests.EXPERIMENT_FILE)]
    if alone:
        raise LarsError(
            f"{alone[0]}: cannot combine an experiment with other inputs, because the experiment "
            "contains its queries and traces"
        )
    missing = [path for path in inputs if path != STANDARD_INPUT and not exists(path)]
    if missing:
        raise LarsError(f"{missing[0]}: no such file or folder; use {_INPUTS}")
    queries, traces = _told_apart(inputs)
    if not queries:
        raise LarsError(f"missing input: use {_INPUTS}")
    trace_input = options.input_options.trace_input()
    paths = (*traces, *(path for path in trace_input.paths if path not in traces))
    usual = requests.default_unit(requests.queries_in(queries), options.durations)
    unit = options.input_options.trace.unit or usual
    loaded = [(path, requests.load_query(path, unit, graphs=True)) for path in queries]
    if not paths:
        raise LarsError(f"{queries[0]}: missing a trace; use {_INPUTS}")
    csparql, cqels = by_side(loaded)
    return AgreementTask(
        csparql=csparql,
        cqels=cqels,
        periods=requests.in_points(options.period, unit),
        trace=replace(trace_input, paths=paths, options=replace(trace_input.options, unit=unit)),
        setting=options.reading.setting(unit, origin=trace_input.options.origin),
        assigned=options.assign or {},
        on=options.on,
    )


def _told_apart(inputs: Sequence[Path]) -> tuple[list[Path], tuple[Path, ...]]:
    queries = [path for path in inputs if requests.is_query(path)] or list(inputs[:1])
    return queries, tuple(path for path in inputs if path not in queries)


def inputs_by_kind(inputs: Sequence[Path], unit: Duration) -> Mapping[bool, tuple[Path, ...]]:
    """Return the files of the pulled query (key True) and of the pushed query, each with the traces."""
    queries, traces = _told_apart(inputs)
    loaded = [(path, requests.load_query(path, unit, graphs=True)) for path in queries]
    pulled, _ = by_side(loaded)
    return {query is pulled: (path, *traces) for path, query in loaded}


def are_pulled(queries: Sequence[EngineQuery]) -> tuple[bool, ...]:
    """Return, for each of the compared queries, whether the query is evaluated by pull (and not by push)."""
    if len(queries) > 1 and not any(query.language in MERGING for query in queries):
        return tuple(not analysis.is_pushed(query) for query in queries)
    return tuple(query.language in MERGING for query in queries)


def by_side(
    queries: Sequence[tuple[object, EngineQuery]], *, any_two: bool = False
) -> tuple[EngineQuery | None, EngineQuery | None]:
    """Return the pulled query and the pushed query; None for a query that must be derived.

    Each query is given with its name in messages. If `any_two` is true, two queries of one side are returned
    in their order.

    Raises:
        LarsError: Two queries are pulled, or two are pushed.
    """
    asked = tuple(query for _, query in queries)
    pulled = are_pulled(asked)
    if len(set(pulled)) < len(pulled):
        if any_two and len(asked) == 2:  # noqa: PLR2004
            return asked[0], asked[1]
        twice = next(side for side in pulled if pulled.count(side) > 1)
        both = [each for each, side in zip(queries, pulled, strict=True) if side is twice]
        titles = " and ".join(dict.fromkeys(TITLES[query.language] for _, query in both))
        raise LarsError(
            f"{both[-1][0]}: cannot compare two queries that both are {'pulled' if twice else 'pushed'} "
            f"({titles}) on a trace; use one pulled query, such as C-SPARQL, and one pushed query, such as "
            "CQELS. `lars decide --equivalent` compares any two queries"
        )
    sides = dict(zip(pulled, asked, strict=True))
    return sides.get(True), sides.get(False)


def run(task: AgreementTask, warn: Warn) -> AgreementReport:
    """Compare push and pull as the task describes, and return the report with warnings."""
    queries, static = queries_of(task), read_static(task.trace.static)
    whole = background(static, dataset_of(queries), unsaid)
    trace = comparison_trace(task, queries, warn, whole)
    task, periods = replace(task, setting=with_dates(task.setting, trace)), periods_of(task)
    check_timeline(trace.timeline, min(periods))
    carried = trace.predicates()
    compared, pulled, pushed = sides_of(task, static, carried, warn)
    streams = [stream.value for query in queries for stream in streams_of(query)]
    for message in mismatches(streams, {stream for stream, _ in carried}, task.setting.trigger):
        warn(message)
    report = compare_pairs(compared, periods, trace.on(pulled), task.setting, pushed)
    sentences = (
        *emptiness(report),
        *_absent(compared, pulled, pushed),
        *_silences(report, periods, task),
        *_between_steps(compared[0].csparql, periods, task.setting.unit),
    )
    return replace(report, warnings=(*report.warnings, *sentences))


def queries_of(task: AgreementTask) -> list[EngineQuery]:
    """Return the one or two queries of a comparison that the user gives."""
    return [query for query in (task.csparql, task.cqels) if query is not None]


def sides_of(
    task: AgreementTask, static: Static, carried: frozenset[tuple[str, str]], warn: Warn
) -> tuple[tuple[Pair, ...], Background, Background]:
    """Return the compared pairs of queries, the static data of pull, and the static data of push.

    `carried` contains the pairs of stream and predicate in the trace. `warn` receives a message for each
    graph that the static data do not contain.
    """
    queries = queries_of(task)
    whole = background(static, dataset_of(queries), unsaid)
    compared = pairs(task.csparql, task.cqels, carried, task.assigned, alike=False)
    absent: list[str] = []

    def held(query: EngineQuery, other: EngineQuery) -> Background:
        dataset = side_dataset(query, other, static)
        if dataset != dataset_of(queries) or query.language.value in static.engine_stores:
            return background(static, dataset, absent.append, query.language)
        check_graphs(static, dataset, absent.append)
        return whole

    pulled, pushed = (held(query, other) for query, other in _directions(compared[0]))
    for message in dict.fromkeys(absent):
        warn(message)
    on = variables_compared(compared[0].csparql, compared[0].cqels, task.on)
    return tuple(replace(pair, on=on) for pair in compared), pulled, pushed


def _between_steps(pulled: EngineQuery, periods: Sequence[int], unit: Duration) -> Iterator[str]:
    """Yield warnings if pulls come between the times at which windows move: multiples of the STEP, or closes.

    The closes of a window whose first opening the query defines need not be multiples of the STEP.
    """
    windows = (source.window for source in requests.sources(pulled))
    moving = [window for window in windows if isinstance(window, Range) and window.slide is not None]
    steps = [1]
    for window in dict.fromkeys(moving):
        step = 1 if window.slide is None else window.slide.points(unit)
        close = 0 if window.opens is None else (window.opens.points(unit) + window.length.points(unit))
        # If the first close is a multiple of the step, all closes are, and pulls can coincide with them.
        if close % step == 0:
            steps.append(step)
        else:
            written = any(isinstance(period, TimedPoints) for period in periods)
            times = (str(Duration(t * unit.nanoseconds) if written else t) for t in (close, close + step))
            yield f"{window} closes at {', '.join(times)}, …; {_BETWEEN}"
    step = lcm(*steps)
    if odd := [period for period in periods if period % step]:
        last = max(*periods, step) // step * step
        written = any(isinstance(period, TimedPoints) for period in odd)
        low, high = (str(Duration(n * unit.nanoseconds) if written else n) for n in (step, last))
        every = low if last == step else f"{low}..{high}..{low}"
        multiple = low if written else f"{step} time points of {unit}"
        listed = first_few(list(map(str, odd)), _NAMED)
        yield (
            f"periods that are not multiples of the STEP {multiple}: {listed}. Windows move only at "
            f"multiples of the STEP, and {_BETWEEN}. Use --period {every}"
        )


_BETWEEN: Final = "pulls between these times lack the newest rows (hidden by the pivot)"


def _directions(pair: Pair) -> Sequence[tuple[EngineQuery, EngineQuery]]:
    return (pair.csparql, pair.cqels), (pair.cqels, pair.csparql)


def _absent(compared: Sequence[Pair], pulled: Background, pushed: Background) -> Iterator[str]:
    sides = ((query, b) for pair in compared for query, b in ((pair.csparql, pulled), (pair.cqels, pushed)))
    yield from dict.fromkeys(text for query, known in sides for text in absent_graphs(query, known))


def _silences(report: AgreementReport, periods: Sequence[int], task: AgreementTask) -> Iterator[str]:
    """Yield a message if push or pull never reports a row, with the parts of its query that match nothing."""
    first, setting = report.variants[0], task.setting

    def question(query: EngineQuery, *, pulled: bool) -> Question:
        program, output = lars_program(query, setting), output_of(query, setting).predicate
        if pulled:
            return Question(program, output, Multiples(tuple(periods)))
        return ask(push(program, setting.trigger), output)

    sides = (first.answers.push, first.pair.cqels, False), (first.answers.pull, first.pair.csparql, True)
    for runs, query, pulled in sides:
        if not any(size for _, size in runs.parts):
            who = f"the {TITLES[query.language]} query ({'pull' if pulled else 'push'})"
            pushed_on = first.trace if (own := first.programs.push_static) is None else first.trace.on(own)
            trace = first.trace if pulled else pushed_on
            yield silence(who, query, rows_on(trace, partial(question, pulled=pulled)), trace=trace)


def compared_on_trace(task: AgreementTask, warn: Warn) -> tuple[AgreementTask, Trace, tuple[Pair, ...]]:
    """Return the comparison with the dates of its trace, the trace, and the pairs of its queries.

    The rows of the returned queries contain only the compared variables.

    Raises:
        LarsError: Static data are given for only one engine; both sides must have the same static data.
    """
    own = next((file for file in task.trace.static if file.engine is not None), None)
    if own is not None:
        found = f"--static {own.engine}:{own.path}"
        raise LarsError(
            f"{found}: cannot use static data that only one engine reads; use static data for both "
            "engines, or use lars agree"
        )
    trace = comparison_trace(task, queries_of(task), warn)
    task = replace(task, setting=with_dates(task.setting, trace))
    check_timeline(trace.timeline, min(periods_of(task)))
    every = pairs(task.csparql, task.cqels, trace.predicates(), task.assigned, alike=task.on is None)
    if task.on is not None:
        on = variables_compared(every[0].csparql, every[0].cqels, task.on)
        every = tuple(
            replace(pair, csparql=with_columns(pair.csparql, on), cqels=with_columns(pair.cqels, on))
            for pair in every
        )
    return task, trace, every


def comparison_trace(
    task: AgreementTask, queries: Sequence[EngineQuery], warn: Warn, known: Background | None = None
) -> Trace:
    """Return the recorded or synthetic trace of a comparison, with the requested timeline.

    `known` is the static data of the trace; if `known` is None, the static data are read from the files of
    the task.
    """
    trace_input = task.trace
    if any(time is not None for time in task.span):
        ends = task.span[1] is not None
        trace_input = replace(trace_input, options=replace(trace_input.options, ends=ends))
    trace = _loaded(task, trace_input, queries, warn, known)
    set_span(trace, task.span, trace_input.options)
    return trace


def _loaded(
    task: AgreementTask,
    trace_input: TraceInput,
    queries: Sequence[EngineQuery],
    warn: Warn,
    known: Background | None,
) -> Trace:
    if task.generated is None:
        return load_trace(trace_input, queries, warn, known)
    requests.check_generated(queries)
    # Loads formats of recordings and specifications, which no other comparison needs.
    from agreement.documents.generate.elements import pushes_of
    from agreement.engines.specifications import elements_of

    elements = elements_of(tuple(pushes_of(task.generated)), task.generated.unit)
    facts = [Fact(triple.t, STREAM_PREDICATE, (*triple.triple, triple.stream)) for triple in elements]
    timeline = trace_input.timeline or Interval(0, max((triple.t for triple in elements), default=0))
    static = (
        known if known is not None else background(read_static(trace_input.static), dataset_of(queries), warn)
    )
    return LocalTrace(trace_columns(facts), timeline, static, trace_input.runner)


NO_ROW: Final = (
    "neither push nor pull reports a row: is static data (--static) or a stream missing, or is a unit wrong?"
)


def emptiness(report: AgreementReport) -> Iterator[str]:
    """Yield a warning if no variant and no pull has a row, or if the timeline contains no whole period."""
    first = report.variants[0]
    if all(variant.is_empty for variant in report.variants):
        yield NO_ROW
    if empty := sorted(verdict.period for verdict in first.verdicts if verdict.agree is None):
        yield no_whole_period(empty, first.trace.timeline)


def no_whole_period(periods: Sequence[int], timeline: Interval) -> str:
    """Return the warning that the timeline contains no whole period of these lengths, shortest first."""
    longer = quantity(len(periods) - 1, "longer period")
    more = f", nor of {longer} up to {periods[-1]}," if len(periods) > 1 else ""
    return f"no whole period of {periods[0]}{more} is inside the timeline {timeline}: nothing is compared"


def periods_of(task: AgreementTask) -> tuple[int, ...]:
    """Return the pull periods of a comparison, in time points.

    Raises:
        LarsError: Neither the options nor the queries determine a pull period.
    """
    if task.periods:
        return task.periods
    steps: set[Duration] = set()
    slides: set[Duration] = set()
    for query in filter(None, (task.csparql, task.cqels)):
        if (period := analysis.default_period(query, task.setting.unit)) is not None:
            return (period,)
        windows = [source.window for source in requests.sources(query)]
        lengths = {w.slide for w in windows if isinstance(w, Range) and w.slide is not None}
        (slides if analysis.is_pushed(query) else steps).update(lengths)
    if slides and not steps:
        problem = "the SLIDE of a CQELS query is not a pull period, and no query has a STEP"
        raise LarsError(f"cannot choose a pull period: {problem}; use --period {min(slides)}")
    several = f"several STEPs ({', '.join(map(str, sorted(steps)))})" if steps else "no STEP"
    problem = f"cannot choose a pull period: the query has {several}"
    raise LarsError(f"{problem}; use --period, or the key period in experiment.toml")
