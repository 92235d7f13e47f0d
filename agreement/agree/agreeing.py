"""What `lars agree` is asked, and its report: queries that are compared on a trace, read or made up."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from agreement.agree.verdicts import AgreementReport, compare, pairs
from agreement.generate import Plan
from agreement.generate.elements import generated
from agreement.inputs import (
    EXPERIMENT_FILE,
    QUERY_SUFFIXES,
    InterpretationOptions,
    load_query,
    origin_text,
    read_periods,
    unit_of,
)
from agreement.specifications import elements_of
from agreement.traces import (
    LocalTrace,
    Trace,
    background,
    check_timeline,
    dataset_of,
    load_trace,
    mismatches,
    streams_of,
)
from lars.errors import LarsError
from lars.files import exists
from lars.terms import Iri
from lars.windows import Interval
from solver.facts import STREAM_PREDICATE, Fact, read_static
from solver.settings import TraceInput, Warn
from translate.analysis import default_period
from translate.query import MERGING, EngineQuery, Setting
from translate.tau import Trigger

_INPUTS: Final = (
    f"a folder with {EXPERIMENT_FILE}, or one or two queries ({', '.join(QUERY_SUFFIXES)}) and then traces"
)


@dataclass(frozen=True, slots=True)
class Overrides:
    """Options of the command line; None leaves the experiment's value, or the default."""

    period: str | None
    unit: str | None
    reading: InterpretationOptions
    assigned: Mapping[Iri, tuple[Iri, ...]]
    span: tuple[int | None, int | None] = (None, None)


@dataclass(frozen=True, slots=True)
class AgreementTask:
    """Pull of a C-SPARQL query against push of a CQELS query; one of them can be derived.

    `periods` empty means the C-SPARQL query's STEP. Of a `made` trace the files of `trace` are none.
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


def on_files(inputs: Sequence[Path], given: TraceInput, asked: Overrides) -> AgreementTask:
    """Return the comparison of one or two queries on traces, the inputs of the command."""
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
        replace(asked.reading.setting(unit), origin=origin_text(given.options.origin)),
        asked.reading.trigger or Trigger.ANY,
        asked.assigned,
        asked.span,
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
