"""The cells of an experiment: one for each combination of its entries and the values that they use."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Final, TypeVar, assert_never

from pydantic import BaseModel

from agreement.comparing.agree import AgreementTask
from agreement.documents.generate import Plan
from agreement.documents.requests import origin_text, query_in
from agreement.documents.values import Scalar, WrongValueError
from agreement.experiments.cells import (
    Cell,
    CellInput,
    JudgingWork,
    QueryText,
    TraceFiles,
    Work,
    key_of,
)
from agreement.experiments.experiment import Experiment, ExperimentEntry, explain_error
from agreement.experiments.schema import ComparisonTable, EngineTable, Parameters, TraceTable, filled_text
from agreement.experiments.trace_entries import in_fitting_units, trace_of
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.terms import Iri
from lars.language.windows import Interval
from solver.settings import Runner, TraceInput, TraceOptions
from translate.model.query import MERGING, EngineQuery, Language, Setting

if TYPE_CHECKING:
    from agreement.experiments.judged_entries import JudgedTable

_Model = TypeVar("_Model", bound=BaseModel)
_Table = EngineTable | ComparisonTable

MOST_CELLS: Final = 10_000
"""How many cells an experiment may have."""
_SIDES: Final = (
    tuple(language for language in Language if language in MERGING),
    tuple(language for language in Language if language not in MERGING),
)
"""The languages of the query that is pulled, and of the one that pushes; the first that is given counts."""


def cells_of(experiment: Experiment) -> list[Cell]:
    """Return the cells in the order of the file; every query and every value has been checked.

    A cell has the parameters that it uses: those that its entries and the text of its query name.
    Raises LarsError for parameters that nothing uses, and for more than MOST_CELLS cells.
    """
    grid = _Grid(in_fitting_units(experiment))
    plans = list(grid.plans())
    if (size := sum(map(grid.size, plans))) > MOST_CELLS:
        problem = f"found {size} cells; accepted: at most {MOST_CELLS} in one experiment"
        raise experiment.error(("grid",), problem)
    cells = [cell for plan in plans for cell in grid.cells(plan)]
    _check_used(experiment, plans)
    return cells


def comparison_of(experiment: Experiment, also: Iterable[Duration] = ()) -> AgreementTask:
    """Return what the only comparison of an experiment does; raises LarsError for none and several.

    The unit fits other durations `also`, where the experiment names none.
    """
    grid = _Grid(in_fitting_units(experiment, also))
    plans = list(grid.plans())
    _check_used(experiment, plans)
    compared = [plan for plan in plans if isinstance(plan.table, ComparisonTable)]
    size = sum(map(grid.size, compared))
    if size != 1:
        problem = (
            f"the experiment has {size} cells that compare; accepted here: one; `lars run` runs them all"
        )
        raise experiment.error((), problem)
    ((_, work),) = grid.works(compared[0])
    assert isinstance(work, AgreementTask)
    return work


@dataclass(frozen=True, slots=True)
class _Plan:
    """Entries that go together, with values of the parameters of the last; `rest` are the others' ones."""

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
            problem = f"nothing uses the parameter {name}; accepted: parameters named by {{{name}}} somewhere"
            raise experiment.toml.error(("grid", name), WrongValueError(problem), at_key=True)


@dataclass(slots=True)
class _Grid:
    experiment: Experiment
    tables: dict[Hashable, Any] = field(default_factory=dict)  # filled entries of every model, names in use
    read: dict[QueryText, EngineQuery] = field(default_factory=dict)

    def size(self, plan: _Plan) -> int:
        """Return how many cells there are of what goes together."""
        return prod(len(self.experiment.file.grid[name]) for name in plan.rest)

    def plans(self) -> Iterator[_Plan]:
        """Yield what goes together, with the entries of engines first."""
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
        """Return what an engine's entry judges, and by what; None for a comparison."""
        if not isinstance(table, EngineTable):
            return None
        # Loads the engines and the specifications, which no comparison needs.
        from agreement.experiments.judged_entries import judged_of

        try:
            return judged_of(self.experiment, last, table)
        except LarsError as error:
            raise explain_error(error, parameters) from None

    def chosen(
        self, kind: str, last: ExperimentEntry, names: tuple[str, ...] | None
    ) -> list[ExperimentEntry]:
        """Return the entries of those names, all of them for None."""
        entries = self.experiment.entries[kind]
        for name in names or ():
            if name not in [entry.label for entry in entries]:
                accepted = ", ".join(entry.label for entry in entries)
                raise self.experiment.error((*last.path, kind), f'found "{name}"; accepted: {accepted}', name)
        return [entry for entry in entries if names is None or entry.label in names]

    def languages(self, last: ExperimentEntry, table: _Table, query: ExperimentEntry) -> tuple[Language, ...]:
        """Return in which languages the query is read: by an engine in one, for a comparison in two."""
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
            problem = (
                f"the query {query.label} is not given in its language; accepted: one in {names}, {advice}"
            )
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
        """Return an entry with its placeholders filled, read once for the parameters that it names."""
        own = self.experiment.named(entry.content, entry.path)
        key = (entry.kind, entry.path, tuple((name, parameters.get(name)) for name in sorted(own)))
        if key not in self.tables:
            self.tables[key] = self.experiment.fill(model, entry, parameters)
        table: _Model = self.tables[key]
        return table

    def cells(self, plan: _Plan) -> Iterator[Cell]:
        """Yield the cells of what goes together."""
        for parameters, work in self.works(plan):
            query, trace = (filled_text(entry.label, parameters) for entry in (plan.query, plan.trace))
            yield Cell(query, trace, _name(plan.table), tuple(parameters.items()), work, key_of(work))

    def works(self, plan: _Plan) -> Iterator[tuple[Parameters, Work]]:
        """Yield what is done with each combination of the parameters."""
        for others in self.experiment.combinations(set(plan.rest)):
            chosen = plan.parameters | others
            parameters = {name: chosen[name] for name in self.experiment.file.grid if name in chosen}
            try:
                yield parameters, self.work(plan, parameters)
            except LarsError as error:
                raise explain_error(error, parameters) from None

    def work(self, plan: _Plan, parameters: Parameters) -> Work:
        """Return what a cell does."""
        experiment = self.experiment
        static = tuple(
            replace(file, path=experiment.file_path(str(file.path), ("static",)))
            for file in experiment.file.static
        )
        trace = trace_of(experiment, plan.trace, self.filled(TraceTable, plan.trace, parameters))
        cell_input = CellInput(experiment.unit, trace, static)
        texts = {language: self.query(plan.query, language, parameters) for language in plan.languages}
        match plan.table:
            case EngineTable() as table:
                assert plan.judged is not None
                judged, by = plan.judged
                from agreement.experiments.judged_entries import options_of

                (query,) = texts.values()
                return JudgingWork(
                    query, cell_input, judged, by, options_of(table), table.gracious, table.until
                )
            case ComparisonTable() as table:
                self.check_assigned(plan, table, trace)
                pulled, pushed = (
                    next((self.read[texts[language]] for language in side if language in texts), None)
                    for side in _SIDES
                )
                made, files = (
                    (None, trace)
                    if isinstance(trace, TraceFiles)
                    else (trace, TraceFiles((), TraceOptions(cell_input.unit)))
                )
                local = Runner(in_process=True)
                timeline = table.timeline
                points = timeline if isinstance(timeline, Interval) else None
                dates = timeline if isinstance(timeline, tuple) else (None, None)
                read = TraceInput(files.paths, files.options, static, points, local)
                origin = origin_text(files.options.origin)
                setting = Setting(table.profile, cell_input.unit, table.bounds, origin=origin)
                how = (setting, table.trigger, table.assign)
                periods = self.periods(plan, table)
                return AgreementTask(
                    pulled, pushed, periods, read, *how, span=dates, generated=made, on=table.on
                )
            case _:
                assert_never(plan.table)

    def periods(self, plan: _Plan, table: ComparisonTable) -> tuple[int, ...]:
        """Return the pulling periods in time points."""
        try:
            return tuple(dict.fromkeys(period.points(self.experiment.unit) for period in table.period))
        except LarsError as error:
            raise self.experiment.error((*plan.last.path, "period"), str(error)) from None

    def check_assigned(self, plan: _Plan, table: ComparisonTable, trace: Plan | TraceFiles) -> None:
        """Raise for predicates that are assigned to a stream without a trace."""
        streams = (
            {Iri(name) for name in trace.options.streams.values()} if isinstance(trace, TraceFiles) else ()
        )
        for stream in table.assign:
            if streams and stream not in streams:
                problem = f"the stream {stream} has no trace; accepted: {', '.join(map(str, streams))}"
                raise self.experiment.error((*plan.last.path, "assign"), problem, stream.value)

    def query(self, entry: ExperimentEntry, language: Language, parameters: Parameters) -> QueryText:
        """Return a query, which has been read once to see that it can be."""
        path = (*entry.path, language.value)
        value = entry.content[language.value]
        named = filled_text(value, parameters) if isinstance(value, str) else value
        source, text = self.experiment.query_text(named, path)
        query_text = QueryText(filled_text(text, parameters), source, language)
        if query_text not in self.read:
            self.read[query_text] = query_in(query_text.text, source, self.experiment.unit, language)
        return query_text


def _name(table: _Table) -> str:
    if isinstance(table, ComparisonTable):
        return table.name
    return table.name or table.engine or table.adapter or table.answers or ""
