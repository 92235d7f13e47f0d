"""The cells of an experiment: one for each combination of its entries and the values that they use."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any, Final, TypeVar, assert_never

from pydantic import BaseModel

from agreement.experiment_values import WrongValueError
from agreement.files import windows_of
from agreement.running.cells import Cell, Comparing, Input, Judging, QueryText, Work, key_of
from agreement.running.experiment import Entry, Experiment, explained
from agreement.running.inputs import Judged, judged_of, options_of, trace_of
from agreement.running.placeholders import Parameters, filled_text
from agreement.running.schema import ComparisonTable, EngineTable, TraceTable
from lars.durations import Duration
from lars.errors import LarsError
from lars.windows import Bounds
from translate.dialects import read_query
from translate.profiles import Setting
from translate.query import Language
from translate.windows import window_operator

_Model = TypeVar("_Model", bound=BaseModel)
_Table = EngineTable | ComparisonTable

MOST_CELLS: Final = 10_000
"""How many cells an experiment may have."""
_COMPARED: Final = (Language.CSPARQL, Language.CQELS)


def cells_of(experiment: Experiment) -> list[Cell]:
    """Return the cells in the order of the file; every query and every value has been checked.

    A cell has the parameters that it uses: those that its entries and the text of its query name.
    Raises LarsError for parameters that nothing uses, and for more than MOST_CELLS cells.
    """
    grid = _Grid(experiment)
    plans = [plan for kind in ("engines", "comparisons") for plan in grid.plans(kind)]
    sizes = [prod(len(experiment.file.grid[name]) for name in plan.rest) for plan in plans]
    if sum(sizes) > MOST_CELLS:
        problem = f"found {sum(sizes)} cells; accepted: at most {MOST_CELLS} in one experiment"
        raise experiment.toml.error(("grid",), WrongValueError(problem))
    found = [cell for plan in plans for cell in grid.cells(plan)]
    _check_used(experiment, plans)
    return found


@dataclass(frozen=True, slots=True)
class _Plan:
    """Entries that go together, with values of the parameters of the last; `rest` are the others' ones."""

    query: Entry
    trace: Entry
    last: Entry
    table: _Table
    judged: Judged | None
    languages: tuple[Language, ...]
    parameters: dict[str, Any]
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
    tables: dict[Any, Any] = field(default_factory=dict)
    read: set[QueryText] = field(default_factory=set)

    def plans(self, kind: str) -> Iterator[_Plan]:
        """Yield what goes together with the entries of a kind."""
        for last in self.experiment.entries[kind]:
            own = self.experiment.named(last.content, last.path)
            for parameters in self.experiment.combinations(own):
                model: type[_Table] = EngineTable if kind == "engines" else ComparisonTable
                table = self.filled(model, last, parameters)
                judged = self.judged(last, table, parameters)
                for query, trace in product(
                    self.chosen("queries", last, table.queries), self.chosen("traces", last, table.traces)
                ):
                    languages = self.languages(last, table, query)
                    used = self.used(query, languages) | self.experiment.named(trace.content, trace.path)
                    rest = frozenset(used - own)
                    yield _Plan(query, trace, last, table, judged, languages, parameters, rest)

    def judged(self, last: Entry, table: _Table, parameters: Parameters) -> Judged | None:
        """Return what an engine's entry judges, and by what; None for a comparison."""
        try:
            return judged_of(self.experiment, last, table) if isinstance(table, EngineTable) else None
        except LarsError as error:
            raise explained(error, parameters) from None

    def chosen(self, kind: str, last: Entry, names: tuple[str, ...] | None) -> list[Entry]:
        """Return the entries of those names, all of them for None."""
        entries = self.experiment.entries[kind]
        for name in names or ():
            if name not in [entry.label for entry in entries]:
                accepted = ", ".join(entry.label for entry in entries)
                wrong = WrongValueError(f'found "{name}"; accepted: {accepted}', part=name)
                raise self.experiment.toml.error((*last.path, kind), wrong)
        return [entry for entry in entries if names is None or entry.label in names]

    def languages(self, last: Entry, table: _Table, query: Entry) -> tuple[Language, ...]:
        """Return in which languages the query is read: by an engine in one, for a comparison in two."""
        given = [language for language in Language if language.value in query.content]
        if isinstance(table, ComparisonTable):
            wanted = list(_COMPARED)
        elif table.language is not None:
            wanted = [table.language]
        elif len(given) == 1:
            wanted = given
        else:
            name = table.engine if table.engine is not None else table.specification or ""
            wanted = [language for language in Language if name.split("-")[0] == language.value]
        found = tuple(language for language in wanted if language in given)
        if not found:
            names = " or ".join(language.value for language in wanted or Language)
            advice = "or other `queries`" if wanted else "and `language`"
            problem = (
                f"the query {query.label} is not given in its language; accepted: one in {names}, {advice}"
            )
            raise self.experiment.toml.error(last.path, WrongValueError(problem))
        return found

    def used(self, query: Entry, languages: tuple[Language, ...]) -> set[str]:
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

    def filled(self, model: type[_Model], entry: Entry, parameters: Parameters) -> _Model:
        """Return an entry with its placeholders filled, read once for the parameters that it names."""
        own = self.experiment.named(entry.content, entry.path)
        key = (entry.path, tuple((name, parameters.get(name)) for name in sorted(own)))
        if key not in self.tables:
            self.tables[key] = self.experiment.filled(model, entry, parameters)
        found: _Model = self.tables[key]
        return found

    def cells(self, plan: _Plan) -> Iterator[Cell]:
        """Yield the cells of what goes together."""
        experiment = self.experiment
        for others in experiment.combinations(set(plan.rest)):
            chosen = plan.parameters | others
            parameters = {name: chosen[name] for name in experiment.file.grid if name in chosen}
            try:
                yield self.cell(plan, parameters)
            except LarsError as error:
                raise explained(error, parameters) from None

    def cell(self, plan: _Plan, parameters: Parameters) -> Cell:
        """Return one cell."""
        trace = self.filled(TraceTable, plan.trace, parameters)
        file = self.experiment.file
        static = tuple(self.experiment.found(name, ("static",)) for name in file.static)
        given = Input(file.unit, trace_of(self.experiment, plan.trace, trace), static)
        texts = {language: self.query(plan.query, language, parameters) for language in plan.languages}
        work = self.work(plan, given, texts)
        name = filled_text(plan.query.label, parameters)
        return Cell(name, trace.name, _name(plan.table), tuple(parameters.items()), work, key_of(work))

    def work(self, plan: _Plan, given: Input, texts: Mapping[Language, QueryText]) -> Work:
        """Return what a cell does."""
        match plan.table:
            case EngineTable() as table:
                assert plan.judged is not None
                judged, by = plan.judged
                (query,) = texts.values()
                return Judging(query, given, judged, by, options_of(table), table.gracious)
            case ComparisonTable() as table:
                pulled, pushed = (texts.get(language) for language in _COMPARED)
                setting = Setting(table.profile, given.unit, table.bounds)
                return Comparing(
                    *(pulled, pushed, given, table.period, table.timeline, setting, table.trigger),
                    tuple(table.assign.items()),
                )
            case _:
                assert_never(plan.table)

    def query(self, entry: Entry, language: Language, parameters: Parameters) -> QueryText:
        """Return a query, which has been read once to see that it can be."""
        path = (*entry.path, language.value)
        given = entry.content[language.value]
        source, text = self.experiment.query_text(_file_filled(given, parameters), path)
        found = QueryText(filled_text(text, parameters), source, language)
        if found not in self.read:
            self.read.add(found)
            _check_query(found, self.experiment.file.unit)
        return found


def _file_filled(given: str | Mapping[str, str], parameters: Parameters) -> str | Mapping[str, str]:
    return filled_text(given, parameters) if isinstance(given, str) else given


def _name(table: _Table) -> str:
    if isinstance(table, ComparisonTable):
        return table.name
    return table.name or table.engine or table.answers or ""


def _check_query(query: QueryText, unit: Duration) -> None:
    read = read_query(query.text, query.source, query.language)
    for stream, window in windows_of(read):
        try:
            window_operator(window, stream, unit, Bounds.CLOSED)
        except LarsError as error:
            raise LarsError(f"{query.source}: the window {window} of {stream}: {error}") from None
