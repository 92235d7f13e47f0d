"""What `lars agree` is asked: an experiment folder, or queries and traces, with options on top."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from agreement.agree.verdicts import AgreementReport, compare, pairs
from agreement.experiments import (
    FILE_NAME,
    ComparingWork,
    QueryText,
    TraceFiles,
    comparison_of,
    read_experiment,
)
from agreement.generate import Plan, generated
from agreement.inputs import (
    QUERY_SUFFIXES,
    LocalTrace,
    Runner,
    Trace,
    TraceInput,
    background,
    check_timeline,
    dataset_of,
    load_query,
    load_trace,
    mismatches,
    streams_of,
    unit_of,
)
from agreement.placed import read_periods
from agreement.specifications import elements_of
from lars.errors import LarsError
from lars.files import exists
from lars.terms import Iri
from lars.windows import Bounds, Interval
from solver.facts import STREAM_PREDICATE, Fact, read_static
from solver.traces import TraceOptions
from translate.analysis import default_period
from translate.dialects import read_query
from translate.profiles import Profile, Setting
from translate.query import MERGING, EngineQuery
from translate.tau import Trigger

Warn = Callable[[str], None]
TOML_SUFFIX: Final = ".toml"
_INPUTS: Final = (
    f"a folder with {FILE_NAME}, or one or two queries ({', '.join(QUERY_SUFFIXES)}) and then traces"
)


@dataclass(frozen=True, slots=True)
class Overrides:
    """Options of the command line; None leaves the experiment's value, or the default."""

    period: str | None
    unit: str | None
    profile: Profile | None
    bounds: Bounds | None
    trigger: Trigger | None
    assigned: Mapping[Iri, tuple[Iri, ...]]
    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class AgreementTask:
    """Everything that a comparison needs; `periods` empty means the C-SPARQL query's STEP.

    Of a `made` trace the files of `trace` are none.
    """

    csparql: EngineQuery | None
    cqels: EngineQuery | None
    periods: tuple[int, ...]
    trace: TraceInput
    setting: Setting
    trigger: Trigger
    assigned: Mapping[Iri, tuple[Iri, ...]]
    span: tuple[int | None, int | None] = (None, None)
    made: Plan | None = None


def experiment(inputs: Sequence[Path], given: TraceInput, asked: Overrides) -> AgreementTask:
    """Return the comparison that the arguments describe."""
    if len(inputs) == 1 and (inputs[0].suffix == TOML_SUFFIX or exists(inputs[0], folder=True)):
        return _from_experiment(inputs[0], given, asked)
    missing = [path for path in inputs if not exists(path)]
    if missing:
        raise LarsError(f"{missing[0]}: no such file or folder; accepted: {_INPUTS}")
    queries = [path for path in inputs if path.suffix in QUERY_SUFFIXES] or list(inputs[:1])
    traces = tuple(path for path in inputs if path not in queries)
    if not queries:
        raise LarsError(f"nothing to compare; accepted: {_INPUTS}")
    paths = (*traces, *(path for path in given.paths if path not in traces))
    unit = unit_of(asked.unit)
    loaded = [(path, load_query(path, unit)) for path in queries]
    if not paths:
        raise LarsError(f"{queries[0]}: no trace to compare on; accepted: {_INPUTS}")
    csparql, cqels = _by_language(loaded)
    return AgreementTask(
        csparql,
        cqels,
        () if asked.period is None else read_periods(asked.period),
        replace(given, paths=paths, options=replace(given.options, unit=unit)),
        Setting(asked.profile or Profile.PAPER2015, unit, asked.bounds or Bounds.CLOSED),
        asked.trigger or Trigger.ANY,
        asked.assigned,
        (asked.first, asked.last),
    )


def _by_language(
    queries: Sequence[tuple[Path, EngineQuery]],
) -> tuple[EngineQuery | None, EngineQuery | None]:
    found: dict[bool, EngineQuery] = {}
    for path, query in queries:
        merges = query.language in MERGING
        if merges in found:
            raise LarsError(
                f"{path}: a second query in {query.language.value}; accepted: one that merges its windows "
                "(C-SPARQL, SPARQLstream) and one that reads each by itself (CQELS, RSP-QL)"
            )
        found[merges] = query
    return found.get(True), found.get(False)


def _from_experiment(path: Path, given: TraceInput, asked: Overrides) -> AgreementTask:
    found = read_experiment(path)
    if asked.unit is not None:
        found = found.in_units(unit_of(asked.unit))
    usual = of_cell(comparison_of(found), given.runner)
    setting = replace(
        usual.setting,
        profile=asked.profile or usual.setting.profile,
        bounds=asked.bounds or usual.setting.bounds,
    )
    return replace(
        usual,
        periods=usual.periods if asked.period is None else read_periods(asked.period),
        trace=_trace_given(usual, given),
        setting=setting,
        trigger=asked.trigger or usual.trigger,
        assigned=asked.assigned or usual.assigned,
        span=(asked.first, asked.last),
    )


def _trace_given(usual: AgreementTask, given: TraceInput) -> TraceInput:
    """Return an experiment's trace with the options of the command line on top."""
    own, options = usual.trace.options, given.options
    if usual.made is not None and (options.streams or options.trace_unit or options.origin):
        raise LarsError("--stream, --trace-unit, --origin: accepted for traces in files; this one is made up")
    streams = {**own.streams, **options.streams}
    combined = replace(
        options,
        unit=own.unit,
        trace_unit=options.trace_unit or own.trace_unit,
        origin=options.origin or own.origin,
        streams=streams,
    )
    paths = tuple(dict.fromkeys((*usual.trace.paths, *streams)))
    return replace(usual.trace, paths=paths, options=combined, static=given.static or usual.trace.static)


def of_cell(work: ComparingWork, runner: Runner) -> AgreementTask:
    """Return the comparison of an experiment's cell."""
    unit, trace = work.input.unit, work.input.trace
    paths, options = (
        (trace.paths, trace.options) if isinstance(trace, TraceFiles) else ((), TraceOptions(unit))
    )
    return AgreementTask(
        _query(work.csparql),
        _query(work.cqels),
        work.periods,
        TraceInput(paths, options, work.input.static, work.timeline, runner),
        work.setting,
        work.trigger,
        dict(work.assigned),
        made=trace if isinstance(trace, Plan) else None,
    )


def _query(given: QueryText | None) -> EngineQuery | None:
    return None if given is None else read_query(given.text, given.source, given.language)


def run(asked: AgreementTask, warn: Warn) -> AgreementReport:
    """Return the report of a comparison."""
    queries = [query for query in (asked.csparql, asked.cqels) if query is not None]
    streams = [stream.value for query in queries for stream in streams_of(query)]
    periods = asked.periods or _default_periods(asked)
    trace = loaded(asked, queries, warn)
    first, last = asked.span
    trace.timeline = Interval(
        trace.timeline.first if first is None else first, trace.timeline.last if last is None else last
    )
    check_timeline(trace.timeline, min(periods))
    carried = trace.predicates()
    compared = pairs(asked.csparql, asked.cqels, carried, asked.assigned)
    for message in mismatches(streams, {stream for stream, _ in carried}):
        warn(message)
    found = compare(compared, periods, trace, asked.setting, asked.trigger)
    for message in emptiness(found):
        warn(message)
    return found


def loaded(asked: AgreementTask, queries: Sequence[EngineQuery], warn: Warn) -> Trace:
    """Return the trace on which queries are compared, read or made up."""
    given = asked.trace
    if asked.made is None:
        return load_trace(given, queries, warn)
    elements = elements_of(tuple(generated(asked.made)), asked.made.unit)
    facts = [Fact(one.t, STREAM_PREDICATE, (*one.triple, one.stream)) for one in elements]
    timeline = given.timeline or Interval(0, max((one.t for one in elements), default=0))
    static = background(read_static(given.static), dataset_of(queries), warn)
    return LocalTrace(facts, timeline, static, given.runner.slices, given.runner.progress)


def emptiness(found: AgreementReport) -> Iterator[str]:
    """Yield what makes a verdict say little: no row at all, or no whole period."""
    first = found.variants[0]
    if not any((*first.sides.pushed.values(), *first.sides.pulled.values())):
        yield "neither side has any row: is static data missing (--static), or a stream, or a unit wrong?"
    for verdict in first.verdicts:
        if verdict.agree is None:
            yield f"no whole period of {verdict.period} is inside {first.trace.timeline}: nothing is compared"


def _default_periods(asked: AgreementTask) -> tuple[int, ...]:
    for query in (asked.csparql, asked.cqels):
        period = None if query is None else default_period(query, asked.setting.unit)
        if period is not None:
            return (period,)
    raise LarsError("no pulling period: no query has a STEP, or it has several, so give --period or `period`")
