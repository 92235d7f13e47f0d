"""What `lars agree` is asked: an experiment folder, or queries and traces, with options on top."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from agreement.arguments import unit_of
from agreement.compare import Report, compare, pairs
from agreement.experiment import FILE_NAME, Experiment, read_experiment, read_periods
from agreement.files import QUERY_SUFFIXES, load_query
from agreement.inputs import TraceInput, check_timeline, dataset_of, load_trace, streams_of
from lars.errors import LarsError
from lars.files import exists
from lars.terms import Iri
from lars.windows import Bounds, Interval
from solver.trace import TraceOptions
from translate.model import default_period
from translate.profiles import Profile, Setting
from translate.query import MERGING, EngineQuery, Language
from translate.triggers import Trigger

Warn = Callable[[str], None]
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
class Comparison:
    """Everything that a comparison needs; `periods` empty means the C-SPARQL query's STEP."""

    csparql: EngineQuery | None
    cqels: EngineQuery | None
    periods: tuple[int, ...]
    trace: TraceInput
    setting: Setting
    trigger: Trigger
    assigned: Mapping[Iri, tuple[Iri, ...]]
    span: tuple[int | None, int | None]


def experiment(inputs: Sequence[Path], given: TraceInput, asked: Overrides) -> Comparison:
    """Return the comparison that the arguments describe."""
    if len(inputs) == 1 and inputs[0].name == FILE_NAME:
        inputs = [inputs[0].parent]
    if len(inputs) == 1 and (inputs[0] / FILE_NAME).exists():
        return _from_experiment(read_experiment(inputs[0]), given, asked)
    if len(inputs) == 1 and inputs[0].is_dir():
        read_experiment(inputs[0])
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
    return Comparison(
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


def _from_experiment(found: Experiment, given: TraceInput, asked: Overrides) -> Comparison:
    unit = found.unit if asked.unit is None else unit_of(asked.unit)
    options = TraceOptions(
        unit,
        given.options.trace_unit or found.trace_unit,
        given.options.origin or found.origin,
        given.options.sort,
        given.options.on_error,
        given.options.rejected,
        {**{path: stream.value for stream, path in found.streams.items()}, **given.options.streams},
    )
    static = given.static or found.static
    return Comparison(
        None if found.csparql is None else load_query(found.csparql, unit, Language.CSPARQL),
        None if found.cqels is None else load_query(found.cqels, unit, Language.CQELS),
        found.periods if asked.period is None else read_periods(asked.period),
        TraceInput(tuple(options.streams), options, static, found.timeline),
        Setting(asked.profile or found.profile, unit, asked.bounds or found.bounds),
        asked.trigger or found.trigger,
        asked.assigned or found.assign,
        (asked.first, asked.last),
    )


def run(asked: Comparison, warn: Warn) -> Report:
    """Return the report of a comparison."""
    queries = [query for query in (asked.csparql, asked.cqels) if query is not None]
    streams = dict.fromkeys(stream.value for query in queries for stream in streams_of(query))
    options = replace(asked.trace.options, query_streams=tuple(streams))
    periods = asked.periods or _default_periods(asked)
    trace = load_trace(replace(asked.trace, options=options), dataset_of(queries), warn)
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


def mismatches(read: Iterable[str], carried: Iterable[str]) -> Iterator[str]:
    """Yield what makes an agreement hollow: streams without input, and input that no query reads."""
    named, given = {str(Iri(stream)) for stream in read}, set(carried)
    for stream in sorted(named - given):
        yield f"the trace has no element of the stream {stream} that the query reads"
    for stream in sorted(given - named):
        yield f"no query reads the stream {stream} of the trace"


def emptiness(found: Report) -> Iterator[str]:
    """Yield what makes a verdict say little: no row at all, or no whole period."""
    first = found.variants[0]
    if not any((*first.sides.pushed.values(), *first.sides.pulled.values())):
        yield "neither side has any row: is static data missing (--static), or a stream, or a unit wrong?"
    for verdict in first.verdicts:
        if verdict.agree is None:
            yield f"no whole period of {verdict.period} is inside {first.trace.timeline}: nothing is compared"


def _default_periods(asked: Comparison) -> tuple[int, ...]:
    for query in (asked.csparql, asked.cqels):
        period = None if query is None else default_period(query, asked.setting.unit)
        if period is not None:
            return (period,)
    raise LarsError("no pulling period: no query has a STEP, or it has several, so give --period or `period`")
