"""What `lars agree` is asked: an experiment folder, or queries and traces, with options on top."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agreement.arguments import unit_of
from agreement.compare import Report, compare, pairs
from agreement.experiment import FILE_NAME, Experiment, read_experiment, read_periods
from agreement.files import QUERY_SUFFIXES, load_query
from agreement.inputs import Runner, TraceInput, dataset_of, load_trace, streams_of
from lars.errors import LarsError
from lars.terms import Iri
from lars.windows import Bounds, Interval
from solver.trace import TraceOptions
from translate.model import default_period
from translate.profiles import Profile, Setting
from translate.query import EngineQuery, Language
from translate.triggers import Trigger

Warn = Callable[[str], None]


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


def experiment(inputs: Sequence[Path], given: TraceInput, asked: Overrides, runner: Runner) -> Comparison:
    """Return the comparison that the arguments describe."""
    if len(inputs) == 1 and (inputs[0] / FILE_NAME).exists():
        return _from_experiment(read_experiment(inputs[0]), given, asked, runner)
    if len(inputs) == 1 and inputs[0].is_dir():
        read_experiment(inputs[0])
    queries = [path for path in inputs if path.suffix in QUERY_SUFFIXES] or list(inputs[:1])
    traces = tuple(path for path in inputs if path not in queries)
    if not queries:
        raise LarsError(f"nothing to compare; accepted: a folder with {FILE_NAME}, or a query and its trace")
    paths = tuple(dict.fromkeys((*traces, *given.paths)))
    if not paths:
        raise LarsError(
            f"{queries[0]}: no trace to compare on; accepted: a folder with {FILE_NAME}, "
            f"or queries ({', '.join(QUERY_SUFFIXES)}) and then traces"
        )
    csparql, cqels = _by_language([(path, load_query(path)) for path in queries])
    unit = unit_of(asked.unit)
    return Comparison(
        csparql,
        cqels,
        read_periods(asked.period) if asked.period else (),
        replace(given, paths=paths, options=replace(given.options, unit=unit), runner=runner),
        Setting(asked.profile or Profile.PAPER2015, unit, asked.bounds or Bounds.CLOSED),
        asked.trigger or Trigger.ANY,
        asked.assigned,
        (asked.first, asked.last),
    )


def _by_language(
    queries: Sequence[tuple[Path, EngineQuery]],
) -> tuple[EngineQuery | None, EngineQuery | None]:
    found: dict[Language, EngineQuery] = {}
    for path, query in queries:
        if query.language in found:
            raise LarsError(
                f"{path}: a second query in {query.language.value}; "
                "accepted: one C-SPARQL and one CQELS query"
            )
        found[query.language] = query
    return found.get(Language.CSPARQL), found.get(Language.CQELS)


def _from_experiment(found: Experiment, given: TraceInput, asked: Overrides, runner: Runner) -> Comparison:
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
        None if found.csparql is None else load_query(found.csparql, Language.CSPARQL),
        None if found.cqels is None else load_query(found.cqels, Language.CQELS),
        read_periods(asked.period) if asked.period else found.periods,
        TraceInput(tuple(options.streams), options, static, found.timeline, runner),
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
    if not trace.timeline:
        raise LarsError(f"the timeline {trace.timeline} has no time point")
    compared = pairs(asked.csparql, asked.cqels, trace.predicates(), asked.assigned)
    return compare(compared, periods, trace, asked.setting, asked.trigger)


def _default_periods(asked: Comparison) -> tuple[int, ...]:
    period = None if asked.csparql is None else default_period(asked.csparql, asked.setting.unit)
    if period is None:
        raise LarsError("no pulling period: the C-SPARQL query has no one STEP, so give --period or `period`")
    return (period,)
