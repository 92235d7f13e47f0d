"""The cells of an experiment: one cell for each combination of entries and parameter values.

All commands except `lars run` use one entry of the experiment. `lars agree` and `lars explain` require
exactly one comparison; other commands require exactly one query with a trace. Options of the command line
override the keys of the experiment.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice, product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, assert_never

from pydantic import BaseModel

from agreement.comparing.agree import AgreementTask, tasks
from agreement.documents import requests
from agreement.documents.generate import Plan
from agreement.documents.values import Period, Scalar, WrongValueError, points_of
from agreement.experiments.cells import Cell, JudgingWork, QueryText, Work, key_of
from agreement.experiments.experiment import (
    MOST_CELLS,
    Experiment,
    ExperimentEntry,
    explain_error,
    in_fitting_units,
    read_experiment,
    trace_of,
)
from agreement.experiments.schema import ComparisonTable, EngineTable, Parameters, TraceTable, filled_text
from lars.dataclass import dataclass
from lars.durations import SECOND, Duration
from lars.errors import LarsError
from lars.language.terms import Iri
from lars.language.windows import Interval
from solver import settings
from translate.model.query import MERGING, EngineQuery, Language, Setting

if TYPE_CHECKING:
    from agreement.experiments.judging import JudgedTable

_Model = TypeVar("_Model", bound=BaseModel)
_Options = TypeVar("_Options", settings.TraceOptions, requests.InputOptions)
_Table = EngineTable | ComparisonTable

_SIDES: Final = (
    tuple(language for language in Language if language in MERGING),
    tuple(language for language in Language if language not in MERGING),
)
"""The languages of the pull query and of the push query; the first given language is used."""


def cells_of(experiment: Experiment) -> list[Cell]:
    """Return the cells in the order of the file, after a check of every query and every value.

    A cell has the parameters that occur in its entries and in the text of its query. Raises LarsError for
    unused parameters, and for more than MOST_CELLS cells.
    """
    grid = _Grid(in_fitting_units(experiment))
    plans = list(grid.plans())
    if (size := sum(map(grid.size, plans))) > MOST_CELLS:
        problem = f"found {size} cells; expected at most {MOST_CELLS} in one experiment"
        raise experiment.error(("grid",), problem)
    cells = [cell for plan in plans for cell in grid.cells(plan)]
    _check_used(experiment, plans)
    return cells


def comparison_of(experiment: Experiment, also: Iterable[Duration] = ()) -> AgreementTask:
    """Return the only comparison of an experiment; raises LarsError unless exactly one comparison exists.

    If the experiment has no unit, the default unit also divides the durations `also`.
    """
    grid = _Grid(in_fitting_units(experiment, also))
    plans = list(grid.plans())
    _check_used(experiment, plans)
    compared = [plan for plan in plans if isinstance(plan.table, ComparisonTable)]
    size = sum(map(grid.size, compared))
    if size != 1:
        problem = (
            f"the experiment has {size} cells that compare push and pull; this command requires "
            "exactly one. `lars run` runs all cells"
        )
        raise experiment.error((), problem)
    ((_, work),) = grid.works(compared[0])
    assert isinstance(work, AgreementTask)
    return work


@dataclass(frozen=True, slots=True)
class _Plan:
    """The entries of several cells, the last entry's parameters with values, and the other parameters."""

    query: ExperimentEntry
    trace: ExperimentEntry
    last: ExperimentEntry
    table: _Table
    judged: "JudgedTable | None"
    languages: tuple[Language, ...]
    parameters: dict[str, Scalar]
    rest: frozenset[str]


def _check_used(experiment: Experiment, plans: Sequence[_Plan]) -> None:
    used = {name for plan in plans for name in (*plan.rest, *plan.parameters)}
    for name in experiment.file.grid:
        if name not in used:
            problem = f"nothing uses the parameter {name}; use {{{name}}} in a text or a query"
            raise experiment.toml.error(("grid", name), WrongValueError(problem), at_key=True)


@dataclass(slots=True)
class _Grid:
    experiment: Experiment
    tables: dict[Hashable, Any] = field(default_factory=dict)  # filled entries of every model, names in use
    read: dict[QueryText, EngineQuery] = field(default_factory=dict)

    def size(self, plan: _Plan) -> int:
        """Return the number of cells of a plan."""
        return prod(len(self.experiment.file.grid[name]) for name in plan.rest)

    def plans(self) -> Iterator[_Plan]:
        """Yield the plans of cells; plans with entries of engines are first."""
        for last in (*self.experiment.entries["engines"], *self.experiment.entries["comparisons"]):
            own = self.experiment.named(last.content, last.path)
            for parameters in self.experiment.combinations(own):
                model: type[_Table] = EngineTable if last.kind == "engines" else ComparisonTable
                table = self.filled(model, last, parameters)
                judged = self.judged(last, table, parameters)
                for query, trace in product(
                    self.chosen("queries", last, table.queries), self.chosen("traces", last, table.traces)
                ):
                    languages = self.languages(last, table, query)
                    used = self.used(query, languages) | self.experiment.named(trace.content, trace.path)
                    rest = frozenset(used - own)
                    yield _Plan(
                        query=query,
                        trace=trace,
                        last=last,
                        table=table,
                        judged=judged,
                        languages=languages,
                        parameters=parameters,
                        rest=rest,
                    )

    def judged(self, last: ExperimentEntry, table: _Table, parameters: Parameters) -> "JudgedTable | None":
        """Return the judged engine and the judging specification of an engine's entry.

        The result is None for a comparison.
        """
        if not isinstance(table, EngineTable):
            return None
        # Loads the engines and the specifications, which no comparison needs.
        from agreement.experiments.judging import judged_of

        try:
            return judged_of(self.experiment, last, table)
        except LarsError as error:
            raise explain_error(error, parameters) from None

    def chosen(
        self, kind: str, last: ExperimentEntry, names: tuple[str, ...] | None
    ) -> list[ExperimentEntry]:
        """Return the entries with these names; None means all entries."""
        entries = self.experiment.entries[kind]
        if names == ():
            problem = f"missing a name; expected {', '.join(entry.label for entry in entries)}"
            raise self.experiment.error((*last.path, kind), f"{problem}, or no {kind} for all")
        for name in names or ():
            if name not in [entry.label for entry in entries]:
                accepted = ", ".join(entry.label for entry in entries)
                raise self.experiment.error((*last.path, kind), f'found "{name}"; expected {accepted}', name)
        return [entry for entry in entries if names is None or entry.label in names]

    def languages(self, last: ExperimentEntry, table: _Table, query: ExperimentEntry) -> tuple[Language, ...]:
        """Return the languages of the queries of a cell: one for an engine, two for a comparison."""
        languages = [language for language in Language if language.value in query.content]
        if isinstance(table, ComparisonTable):
            sides = ([language for language in side if language in languages] for side in _SIDES)
            languages_wanted = [side[0] for side in sides if side]
        elif table.language is not None:
            languages_wanted = [table.language]
        elif len(languages) == 1:
            languages_wanted = languages
        else:
            name = table.engine if table.engine is not None else table.specification or ""
            languages_wanted = [language for language in Language if name.split("-")[0] == language.value]
        spoken = tuple(language for language in languages_wanted if language in languages)
        if not spoken:
            names = " or ".join(language.value for language in languages_wanted or Language)
            advice = "or other `queries`" if languages_wanted else "and `language`"
            problem = f"the query {query.label} is not in a language of this engine; use {names}, {advice}"
            raise self.experiment.error(last.path, problem)
        return spoken

    def used(self, query: ExperimentEntry, languages: tuple[Language, ...]) -> set[str]:
        """Return the parameters that a query uses."""
        names = self.experiment.named(query.content.get("name"), (*query.path, "name"))
        self.experiment.named(query.content, query.path)
        for language in languages:
            path = (*query.path, language.value)
            key = ("used", path)
            if key not in self.tables:
                self.tables[key] = self.experiment.query_names(query.content[language.value], path)
            names = names | self.tables[key]
        return names

    def filled(self, model: type[_Model], entry: ExperimentEntry, parameters: Parameters) -> _Model:
        """Return an entry with filled placeholders.

        The entry is read once for each value of its parameters.
        """
        own = self.experiment.named(entry.content, entry.path)
        key = (entry.kind, entry.path, tuple((name, parameters.get(name)) for name in sorted(own)))
        if key not in self.tables:
            self.tables[key] = self.experiment.fill(model, entry, parameters)
        table: _Model = self.tables[key]
        return table

    def cells(self, plan: _Plan) -> Iterator[Cell]:
        """Yield the cells of a plan."""
        for parameters, work in self.works(plan):
            query, trace = (filled_text(entry.label, parameters) for entry in (plan.query, plan.trace))
            yield Cell(query, trace, _name(plan.table), tuple(parameters.items()), work, key_of(work))

    def works(self, plan: _Plan) -> Iterator[tuple[Parameters, Work]]:
        """Yield the work of a plan for each combination of parameter values."""
        for others in self.experiment.combinations(set(plan.rest)):
            chosen = plan.parameters | others
            parameters = {name: chosen[name] for name in self.experiment.file.grid if name in chosen}
            try:
                yield parameters, self.work(plan, parameters)
            except LarsError as error:
                raise explain_error(error, parameters) from None

    def work(self, plan: _Plan, parameters: Parameters) -> Work:
        """Return the work of the cell with these parameter values."""
        experiment, unit = self.experiment, self.experiment.unit
        static = experiment.static()
        trace = trace_of(experiment, plan.trace, self.filled(TraceTable, plan.trace, parameters))
        texts = {language: self.query(plan.query, language, parameters) for language in plan.languages}
        match plan.table:
            case EngineTable() as table:
                assert plan.judged is not None
                (query,) = texts.values()
                return JudgingWork(
                    query, unit, trace, static, *plan.judged, gracious=table.gracious, until=table.until
                )
            case ComparisonTable() as table:
                self.check_assigned(plan, table, trace)
                pulled, pushed = (
                    next((self.read[texts[language]] for language in side if language in texts), None)
                    for side in _SIDES
                )
                made = trace if isinstance(trace, Plan) else None
                files = (
                    settings.TraceInput((), settings.TraceOptions(unit)) if isinstance(trace, Plan) else trace
                )
                timeline = table.timeline
                points = timeline if isinstance(timeline, Interval) else None
                return AgreementTask(
                    pulled,
                    pushed,
                    self.periods(plan, table),
                    replace(files, static=static, timeline=points, runner=settings.Runner(in_process=True)),
                    Setting(
                        table.profile,
                        unit,
                        table.bounds,
                        origin=requests.origin_text(files.options.origin),
                        trigger=table.trigger,
                    ),
                    table.assign,
                    span=timeline if isinstance(timeline, tuple) else (None, None),
                    generated=made,
                    on=table.on,
                )
            case _:
                assert_never(plan.table)

    def periods(self, plan: _Plan, table: ComparisonTable) -> tuple[int, ...]:
        """Return the pull periods of a comparison in time points."""
        try:
            return tuple(dict.fromkeys(points_of(period, self.experiment.unit) for period in table.period))
        except LarsError as error:
            raise self.experiment.error((*plan.last.path, "period"), str(error)) from None

    def check_assigned(self, plan: _Plan, table: ComparisonTable, trace: Plan | settings.TraceInput) -> None:
        """Raise LarsError for predicates that are assigned to a stream without a trace."""
        streams = () if isinstance(trace, Plan) else {Iri(name) for name in trace.options.streams.values()}
        for stream in table.assign:
            if streams and stream not in streams:
                problem = (
                    f"no trace for the stream {stream}; use one of the streams with a trace: "
                    f"{', '.join(map(str, streams))}"
                )
                raise self.experiment.error((*plan.last.path, "assign"), problem, stream.value)

    def query(self, entry: ExperimentEntry, language: Language, parameters: Parameters) -> QueryText:
        """Return a query after parsing, which checks the query."""
        path = (*entry.path, language.value)
        value = entry.content[language.value]
        source, text = self.experiment.query_text(value, path, parameters)
        filled = filled_text(text, parameters)
        around = replace(requests.current(), base=requests.base_for(filled, source))
        query_text = QueryText(filled, source, language, around)
        if query_text not in self.read:
            self.read[query_text] = requests.query_in(
                query_text.text, source, self.experiment.unit, language, graphs=True
            )
        return query_text


def _name(table: _Table) -> str:
    if isinstance(table, ComparisonTable):
        return table.name
    return table.name or table.engine or table.adapter or table.answers or ""


def comparison_on(
    inputs: tuple[Path, ...],
    options: requests.ComparisonOptions,
    periods: Sequence[Period],
    warn: settings.Warn,
) -> AgreementTask:
    """Return the comparison of an experiment, or of queries on traces, by pull period."""
    if (path := requests.experiment_in(inputs)) is None:
        return tasks.on_files(inputs, options, periods)
    trace = options.input_options.trace(bad_lines=options.bad_lines)
    return on_read(read_experiment(path), trace, options, periods, warn)


def on_read(
    experiment: Experiment,
    trace_input: settings.TraceInput,
    options: requests.ComparisonOptions,
    periods: Sequence[Period],
    warn: settings.Warn,
) -> AgreementTask:
    """Return the only comparison of an experiment; options of the command line override its keys."""
    if (unit := options.input_options.unit) is not None:
        experiment = _in_other_units(experiment, unit, warn)
    usual, reading = comparison_of(experiment, options.durations(periods)), options.reading
    trace = _trace_given(usual, trace_input)
    setting = replace(
        usual.setting,
        profile=reading.profile or usual.setting.profile,
        bounds=reading.bounds or usual.setting.bounds,
        origin=requests.origin_text(trace.options.origin),
        trigger=reading.trigger or usual.setting.trigger,
    )
    return replace(
        usual,
        periods=requests.in_points(periods, setting.unit) or usual.periods,
        trace=trace,
        setting=setting,
        assigned=options.assign or usual.assigned,
    )


def _in_other_units(experiment: Experiment, unit: Duration, warn: settings.Warn) -> Experiment:
    if experiment.file.unit not in (None, unit):
        warn(
            f"--unit {unit} replaces the unit {experiment.file.unit} of the experiment. Periods, "
            f"the timeline, and integers in the traces now count {unit}"
        )
    return experiment.in_units(unit)


def span_within(usual: settings.Span, value: settings.Span) -> settings.Span:
    """Return the first and last time; times of the command line override the usual times."""
    (begin, end), (first, last) = usual, value
    return begin if first is None else first, end if last is None else last


def _trace_given(usual: AgreementTask, trace_input: settings.TraceInput) -> settings.TraceInput:
    """Return the trace of an experiment; options of the command line override keys of the experiment."""
    own, options = usual.trace.options, trace_input.options
    replaced_here = (
        *(options.streams, options.trace_unit, options.origin, options.prefixes, options.columns),
        *(options.time, options.arrival),
    )
    if usual.generated is not None and any(replaced_here):
        raise LarsError(
            "cannot combine --stream, --trace-unit, --origin, --time, --arrival, --prefix or --column with a "
            "generated trace; use a trace in files"
        )
    kept = _streams_kept(own, options.streams)
    replaced, streams = own.streams.keys() - kept.keys(), kept | dict(options.streams)
    combined = replace(
        _on_top(options, own),
        unit=own.unit,
        streams=streams,
        columns=options.columns or own.columns,
        prefixes=tuple((dict(own.prefixes) | dict(options.prefixes)).items()),
    )
    # One that is named twice stays so, for the reader to refuse.
    kept_paths = [path for path in usual.trace.paths if path not in replaced]
    paths = [*kept_paths, *(path for path in streams if path not in kept_paths)]
    static = trace_input.static or usual.trace.static
    return replace(
        usual.trace, paths=tuple(paths), options=combined, static=static, runner=trace_input.runner
    )


def _streams_kept(own: settings.TraceOptions, values: Mapping[Path, str]) -> dict[Path, str]:
    """Return the streams of an experiment, except the streams whose trace the command line replaces."""
    return {path: stream for path, stream in own.streams.items() if stream not in values.values()}


def _on_top(options: _Options, own: settings.TraceOptions) -> _Options:
    """Return the options; the times and the order of the experiment's trace are defaults."""
    return replace(
        options,
        trace_unit=options.trace_unit or own.trace_unit,
        origin=options.origin or own.origin,
        sort=options.sort or own.sort,
        blank_nodes=options.blank_nodes or own.blank_nodes,
        null=options.null or own.null,
        time=options.time or own.time,
        arrival=options.arrival or own.arrival,
    )


@dataclass(frozen=True, slots=True)
class SingleQuery:
    """The file of a query, the traces, the input options, the first and last time, and the pull period.

    `period` is None if the experiment has no pull period or several pull periods.
    """

    query: Path
    traces: tuple[Path, ...]
    input_options: requests.InputOptions
    span: settings.Span = (None, None)
    period: Period | None = None

    def within(self, first: settings.Time | None, last: settings.Time | None) -> settings.Span:
        """Return the first and last time; times of the command line override the usual times."""
        return span_within(self.span, (first, last))


def experiment_query(
    inputs: Sequence[Path],
    options: requests.InputOptions,
    languages: Sequence[Language | str | None],
    note: settings.Warn,
    period: Period | None = None,
) -> SingleQuery | None:
    """Return the query and input of an experiment that is the only input; `languages` selects the query.

    Without `languages`, the first query is used. Options of the command line override keys of the experiment.
    The default unit is the unit of `lars run`, which also divides `period` of the command line.
    """
    if len(inputs) != 1 or not requests.is_experiment(inputs[0]):
        return None
    experiment = read_experiment(inputs[0])
    names = [language for language in languages if language is not None]
    files = query_files(experiment, names)
    if len(files) > 1 and not names:
        others = ", ".join(f"--engine {language.value}" for language in list(files)[1:])
        note(
            f"{inputs[0]}: the command uses the query {next(iter(files.values()))} (other queries of "
            f"the experiment: {others})"
        )
    read = _with_trace(experiment, next(iter(files.values())), options)
    if read.input_options.unit is not None or requests.as_engines_read(read.query) is not None:
        # Whoever asks knows whether such a query counts as an engine does.
        return read
    lengths = requests.durations_among(() if period is None else (period,))
    counted = () if options.trace_unit is None else (options.trace_unit,)
    unit = in_fitting_units(experiment, (*lengths, *counted)).unit
    if unit != SECOND:
        note(f"one time point is {unit}, so that every duration is a multiple of it (--unit)")
    return replace(read, input_options=replace(read.input_options, unit=unit))


def unfold(
    path: Path,
    traces: tuple[Path, ...],
    how: requests.ProgramOptions,
    span: settings.Span,
    note: settings.Warn,
) -> tuple[Path, tuple[Path, ...], requests.ProgramOptions, settings.Span]:
    """Return query, traces, options and interval; if the path is an experiment, from the experiment."""
    evaluation = how.evaluation
    single = experiment_query(
        (path, *traces), how.input_options, wanted_of(evaluation), note, evaluation.period
    )
    if single is None:
        return path, traces, how, span
    how = replace(how, input_options=single.input_options)
    return single.query, single.traces, how, single.within(*span)


def title_of(inputs: Sequence[Path]) -> str:
    """Return the title of the inputs: the title of the experiment, or the names of the files."""
    experiment = requests.experiment_in(inputs)
    if experiment is None:
        return ", ".join(path.name for path in inputs)
    return read_experiment(experiment).file.title or experiment.resolve().name


def wanted_of(evaluation: requests.EvaluationOptions) -> tuple[Language | None, ...]:
    """Return the query languages for an evaluation: the named language, or all languages of the mode."""
    if evaluation.engine is not None or evaluation.mode is None:
        return (evaluation.engine,)
    pulled = evaluation.mode == "pull"
    return tuple(language for language in Language if (language in MERGING) == pulled)


def query_files(experiment: Experiment, languages: Sequence[Language | str] = ()) -> dict[Language, Path]:
    """Return the query files of an experiment by language; if possible, only for `languages`."""
    entry = _only(experiment, "queries")
    texts = [(one, entry.content[one.value]) for one in Language if one.value in entry.content]
    for language, text in texts:
        if not isinstance(text, str):
            problem = "found the text of a query; this command requires the path of a file"
            raise experiment.error((*entry.path, language.value), problem)
    files = {one: experiment.file_path(text, (*entry.path, one.value)) for one, text in texts}
    names = [str(item.value if isinstance(item, Language) else item) for item in languages]
    chosen = {one: file for one, file in files.items() if any(_speaks(name, one) for name in names)}
    return chosen or files


def by_profile(files: Mapping[Language, Path], name: str) -> Path:
    """Return the query for a profile: the query in the language of the profile, otherwise the first query."""
    return next(
        (file for language, file in files.items() if _speaks(name, language)), next(iter(files.values()))
    )


def _speaks(name: str, language: Language) -> bool:
    """Return whether the language or engine version `name` reads a query language."""
    return name.partition("-")[0] == language.value


def _single(experiment: Experiment, kind: str) -> ExperimentEntry | None:
    """Return the only entry of a kind, if it exists and each of its parameters has one value."""
    entries = experiment.entries[kind]
    if len(entries) != 1:
        return None
    (entry,) = entries
    values = list(islice(experiment.combinations(experiment.named(entry.content, entry.path)), 2))
    return None if len(values) > 1 else replace(entry, content=experiment.filled_content(entry, values[0]))


def _only(experiment: Experiment, kind: str) -> ExperimentEntry:
    entry = _single(experiment, kind)
    if entry is None:
        problem = (
            f"the experiment has several {kind}; this command requires exactly one. `lars run` runs "
            "all of them"
        )
        raise experiment.error((), problem)
    return entry


def _with_trace(experiment: Experiment, query: Path, options: requests.InputOptions) -> SingleQuery:
    entry = _only(experiment, "traces")
    table = experiment.fill(TraceTable, entry, {})
    trace = trace_of(experiment, entry, table)
    if isinstance(trace, Plan):
        raise experiment.error(
            (*entry.path, "generate"), "found a synthetic trace; this command requires traces in files"
        )
    own = trace.options
    given_streams = dict(options.stream or {})
    combined = replace(
        _on_top(options, own),
        static=options.static or experiment.static(),
        stream=_streams_kept(own, given_streams) | given_streams or None,
        unit=options.unit or experiment.file.unit,
        prefix=dict(own.prefixes) | dict(options.prefix or {}) or None,
        column=options.column or _nested(own.columns),
    )
    files = tuple(path for path in trace.paths if path not in own.streams)
    return SingleQuery(query, files, combined, _asked(experiment), _pulled(experiment))


def _nested(columns: tuple[tuple[str | None, tuple[tuple[str, str], ...]], ...]) -> dict[str, object] | None:
    tables: dict[str, object] = {}
    for stream, parts in columns:
        tables |= dict(parts) if stream is None else {stream: dict(parts)}
    return tables or None


def _pulled(experiment: Experiment) -> Period | None:
    """Return the only pull period of the only comparison of an experiment, or None."""
    table = _compared(experiment)
    return table.period[0] if table is not None and len(table.period) == 1 else None


def _compared(experiment: Experiment) -> ComparisonTable | None:
    entry = _single(experiment, "comparisons")
    return None if entry is None else experiment.fill(ComparisonTable, entry, {})


def _asked(experiment: Experiment) -> settings.Span:
    """Return the timeline of the only comparison of an experiment, or None."""
    table = _compared(experiment)
    if table is None:
        return None, None
    if isinstance(table.timeline, Interval):
        return table.timeline.first, table.timeline.last
    return table.timeline or (None, None)
