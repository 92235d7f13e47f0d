"""Create the cells of an experiment: one cell for each combination of entries and parameter values.

`lars run` runs all cells. The other commands use one entry of the experiment (`as_input.py`).
"""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, assert_never

from agreement.comparing.agree import AgreementTask, by_side, variables_compared
from agreement.documents import requests
from agreement.documents.generate import Plan
from agreement.documents.options import over
from agreement.documents.values import Scalar
from agreement.experiments.cells import Cell, JudgingWork, QueryText, Work, key_of
from agreement.experiments.experiment import (
    MOST_CELLS,
    Experiment,
    ExperimentEntry,
    explain_error,
    in_fitting_units,
    trace_of,
)
from agreement.experiments.schema import (
    AnyTable,
    ComparisonTable,
    EngineTable,
    Parameters,
    TraceTable,
    filled_text,
)
from lars.dataclass import dataclass
from lars.errors import LarsError, WrongValueError
from lars.language.terms import Iri
from lars.language.windows import Interval
from solver import settings
from translate.dialects import TITLES
from translate.model.query import MERGING, EngineQuery, Language

if TYPE_CHECKING:
    from agreement.experiments.judging import JudgedTable

_Table = EngineTable | ComparisonTable


def cells_of(experiment: Experiment) -> list[Cell]:
    """Return the cells in the order of the file, after a check of every query and every value.

    A cell has the parameters that occur in its entries and in the text of its query. Raises LarsError for
    unused parameters, and for more than MOST_CELLS cells.
    """
    grid = _Grid(in_fitting_units(experiment))
    plans = list(grid.plans())
    if (size := sum(map(grid.size, plans))) > MOST_CELLS:
        problem = (
            f"the experiment has {size} cells (combinations of values); expected at most {MOST_CELLS} cells"
        )
        raise experiment.error(("grid",), problem)
    cells = [cell for plan in plans for cell in grid.cells(plan)]
    _check_used(experiment, plans)
    return cells


def comparison_of(
    experiment: Experiment, options: requests.ComparisonOptions | None = None, *, any_two: bool = False
) -> AgreementTask:
    """Return the only comparison of an experiment; raises LarsError unless exactly one comparison exists.

    Options of the command line override the keys of the comparison. If the experiment has no unit, the
    default unit also divides the durations of the options. If `any_two` is true, the
    experiment may have two queries of one side.
    """
    durations = () if options is None else options.durations
    grid = _Grid(in_fitting_units(experiment, durations), options, any_two=any_two)
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
    """The entries of several cells of an experiment, and the parameters of these entries."""

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
    overrides: requests.ComparisonOptions | None = None
    tables: dict[Hashable, Any] = field(default_factory=dict)  # filled entries of every model, names in use
    read: dict[QueryText, EngineQuery] = field(default_factory=dict)
    any_two: bool = False

    def size(self, plan: _Plan) -> int:
        """Return the number of cells in a plan of an experiment."""
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

        The function returns None for a comparison.
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
        """Return the entries of a kind that have one of the given names.

        If the names are None, return all entries of the kind.
        """
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
        """Return the languages of the queries of a cell: one for an engine, two sides for a comparison.

        A comparison of C-SPARQL or SPARQLstream with CQELS leaves the other languages to engines.
        """
        languages = [language for language in Language if language.value in query.content]
        if isinstance(table, ComparisonTable):
            usual = [language for language in languages if language in {*MERGING, Language.CQELS}]
            languages_wanted = usual if len(usual) > 1 else languages
        elif table.language is None and len(languages) == 1:
            languages_wanted = languages
        elif table.language is not None:
            languages_wanted = [table.language]
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

    def filled(self, kind: type[AnyTable], entry: ExperimentEntry, parameters: Parameters) -> AnyTable:
        """Return an entry with filled placeholders.

        The entry is read once for each value of its parameters.
        """
        own = self.experiment.named(entry.content, entry.path)
        key = (entry.kind, entry.path, tuple((name, parameters.get(name)) for name in sorted(own)))
        if key not in self.tables:
            self.tables[key] = self.experiment.fill(kind, entry, parameters)
        table: AnyTable = self.tables[key]
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
        """Return the work of a cell, that is, its computation, for some parameter values."""
        experiment, unit = self.experiment, self.experiment.unit
        static = experiment.static()
        trace = trace_of(experiment, plan.trace, self.filled(TraceTable, plan.trace, parameters))
        texts = {language: self.query(plan.query, language, parameters) for language in plan.languages}
        match plan.table:
            case EngineTable() as table:
                assert plan.judged is not None
                (query,) = texts.values()
                return JudgingWork(query, unit, trace, static, *plan.judged, table.bounds)
            case ComparisonTable() as table:
                self.check_assigned(plan, table, trace)
                given = [(text.source, self.read[text]) for text in texts.values()]
                pulled, pushed = by_side(given, any_two=self.any_two)
                made, files = None, trace
                if isinstance(files, Plan):
                    made, files = files, settings.TraceInput((), settings.TraceOptions(unit=unit))
                options, timeline = table.options, table.timeline
                if self.overrides is not None:
                    options = over(self.overrides, options)
                if self.overrides is None or self.overrides.on is None:
                    self.check_compared(plan, table, [one for one in (pulled, pushed) if one is not None])
                points = timeline if isinstance(timeline, Interval) else None
                return AgreementTask(
                    pulled,
                    pushed,
                    self.periods(plan, options),
                    replace(files, static=static, timeline=points, runner=settings.Runner(in_process=True)),
                    options.reading.setting(unit, origin=files.options.origin),
                    options.assign or {},
                    span=timeline if isinstance(timeline, tuple) else (None, None),
                    generated=made,
                    on=options.on,
                )
            case _:
                assert_never(plan.table)

    def periods(self, plan: _Plan, options: requests.ComparisonOptions) -> tuple[int, ...]:
        """Return the pull periods of a comparison in time points."""
        try:
            return requests.in_points(options.period, self.experiment.unit)
        except LarsError as error:
            if self.overrides is not None and self.overrides.period:
                raise
            raise self.experiment.error((*plan.last.path, "period"), str(error)) from None

    def check_assigned(self, plan: _Plan, table: ComparisonTable, trace: Plan | settings.TraceInput) -> None:
        """Raise LarsError for predicates that are assigned to a stream without a trace."""
        streams = () if isinstance(trace, Plan) else {Iri(name) for name in trace.options.streams.values()}
        for stream in table.options.assign or {}:
            if streams and stream not in streams:
                problem = (
                    f"no trace for the stream {stream}; use one of the streams with a trace: "
                    f"{', '.join(map(str, streams))}"
                )
                raise self.experiment.error((*plan.last.path, "assign"), problem, stream.value)

    def check_compared(self, plan: _Plan, table: ComparisonTable, queries: Sequence[EngineQuery]) -> None:
        """Raise LarsError for a variable in the key `on` that a query does not return."""
        for name in table.options.on or ():
            try:
                variables_compared(queries[0], queries[-1], (name,))
            except LarsError as error:
                problem = str(error).removeprefix("--on ")
                raise self.experiment.error((*plan.last.path, "on"), problem, name) from None

    def query(self, entry: ExperimentEntry, language: Language, parameters: Parameters) -> QueryText:
        """Parse a query to check it, and return its text."""
        path = (*entry.path, language.value)
        value = entry.content[language.value]
        source, text = self.experiment.query_text(value, path, parameters)
        filled = filled_text(text, parameters)
        around = replace(requests.current(), base=requests.base_for(filled, source))
        query_text = QueryText(filled, source, language, around)
        if query_text not in self.read:
            try:
                self.read[query_text] = requests.query_in(
                    query_text.text, source, self.experiment.unit, language, graphs=True
                )
            except LarsError as error:
                if (own := _language_of(query_text)) is language:
                    raise
                problem = f"the query {source} is in {TITLES[own]}; use the key {own.value}"
                raise self.experiment.error(path, problem) from error
        return query_text


def _language_of(query: QueryText) -> Language:
    """Return a query's language: the language of its key if its text is valid in it, or a detected one."""
    for language in (query.language, None):
        with suppress(LarsError):
            return requests.read_once(query.text, query.source, language).language
    return query.language


def _name(table: _Table) -> str:
    if isinstance(table, ComparisonTable):
        return table.name
    return table.name or table.engine or table.adapter or table.answers or ""
