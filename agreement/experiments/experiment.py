"""Read experiment files: entries, the parameters that each entry uses, traces, and the unit.

An entry is a table such as [[queries]], or the keys at the top of the file that replace the table. Each error
contains its place in the file.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, Final

from agreement.documents import requests
from agreement.documents.generate import Plan
from agreement.documents.generate.plan import WrongOptionError
from agreement.documents.placed import KeyPath, PlacedData, read_toml
from agreement.documents.values import Scalar
from agreement.experiments import schema
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError, PlacedText, WrongValueError, message_text
from lars.files import exists, is_link, read_file
from solver.settings import StaticFile, TraceInput
from translate.model.query import EngineQuery, Language

_NO_PARAMETERS: Final[schema.Parameters] = {}

MOST_CELLS: Final = 10_000
"""The greatest number of cells of an experiment, and of combinations of parameter values of one entry."""
ACCEPTED: Final = f"an experiment: a TOML file, or a folder that contains {requests.EXPERIMENT_FILE}"
KINDS: Final = ("queries", "traces", "engines", "comparisons")
_RENAMED: Final = {"format": "answers_format", "time_unit": "answers_unit"}


@dataclass(frozen=True, slots=True)
class ExperimentEntry:
    """The unchanged content of a table such as [[engines]], with its path and name.

    An entry of keys at the top of the file has an empty path. The table of the entry checks the content
    after the placeholders are filled.
    """

    kind: str
    path: KeyPath
    content: Mapping[str, Any]
    label: str


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment file with its entries; relative paths in the file are resolved against `folder`."""

    folder: Path
    toml: PlacedData
    file: schema.ExperimentFile
    entries: Mapping[str, tuple[ExperimentEntry, ...]]

    @property
    def unit(self) -> Duration:
        """The length of one time point."""
        return self.file.input_options.trace.time_point

    def in_units(self, unit: Duration) -> "Experiment":
        """Return the experiment with another length of time points."""
        options = self.file.input_options.with_trace(unit=unit)
        return replace(self, file=replace(self.file, input_options=options))

    def error(self, path: KeyPath, problem: str, part: str | None = None) -> LarsError:
        """Return the error at a path of the file; an entry of keys at the top of the file has no place."""
        if not path:
            return LarsError(f"{self.toml.source}: {problem}")
        return self.toml.error(path, WrongValueError(problem, part=part))

    def named(self, content: object, path: KeyPath) -> set[str]:
        """Return the parameters whose placeholders occur in a part of the file."""
        return schema.parameters_in(self.toml, path, content, self.file.grid)

    def combinations(self, names: set[str]) -> Iterator[dict[str, Scalar]]:
        """Yield the combinations of values of some parameters, in the order of the grid."""
        grid = {name: given for name, given in self.file.grid.items() if name in names}
        if (size := prod(map(len, grid.values()))) > MOST_CELLS:
            problem = (
                f"found {size} combinations of {', '.join(grid)}; expected at most {MOST_CELLS} "
                "combinations (cells)"
            )
            raise self.error(("grid",), problem)
        for chosen in product(*grid.values()):
            yield dict(zip(grid, chosen, strict=True))

    def filled_content(self, entry: ExperimentEntry, parameters: schema.Parameters) -> Mapping[str, Any]:
        """Return the content of an entry with filled placeholders; the content is not checked."""
        try:
            content: Mapping[str, Any] = schema.fill(dict(entry.content), parameters)
        except WrongValueError as error:
            raise explain_error(self.error(entry.path, str(error)), parameters) from None
        return content

    def fill(
        self, table: type[schema.AnyTable], entry: ExperimentEntry, parameters: schema.Parameters
    ) -> schema.AnyTable:
        """Return the table of an entry with filled placeholders."""
        content = self.filled_content(entry, parameters)
        try:
            return schema.read_table(table, self.toml, entry.path, content)
        except LarsError as error:
            raise explain_error(error, parameters) from None

    def filled(self, table: type[schema.AnyTable], entry: ExperimentEntry) -> Iterator[schema.AnyTable]:
        """Yield an entry filled with each combination of values of its parameters."""
        for parameters in self.combinations(self.named(entry.content, entry.path)):
            yield self.fill(table, entry, parameters)

    def file_path(self, name: str, path: KeyPath, *, folder: bool = False) -> Path:
        """Return the path of a file of the experiment; raises PlacedError if the file does not exist."""
        file = self.folder / name
        is_folder = exists(file, folder=True)
        if exists(file) and (folder or not is_folder):
            return file
        problem = f"the file {message_text(name)} does not exist"
        if is_folder:
            problem = f"{message_text(name)} is a folder; expected a file"
        elif is_link(file):
            problem = f"{message_text(name)} is a link, and the file to which it leads does not exist"
        raise self.error(path, f"{problem} (looked in {self.folder})", name)

    def query_names(self, value: object, path: KeyPath) -> set[str]:
        """Return the parameters in the file name and in the text of a query."""
        used = self.named(value, path)
        if isinstance(value, str):
            for parameters in self.combinations(used):
                source, text = self.query_text(value, path, parameters)
                used = used | schema.parameters_in_text(source, text, self.file.grid)
        return used

    def query_text(
        self, value: str | Mapping[str, str], path: KeyPath, parameters: schema.Parameters = _NO_PARAMETERS
    ) -> tuple[str, str]:
        """Return the name of a query with filled placeholders, and its text with unfilled placeholders."""
        if isinstance(value, str):
            file = self.file_path(schema.filled_text(value, parameters), path)
            return str(file), read_file(file, "a file with a query").text
        return f"{self.toml.source}, {'.'.join(map(str, path))}", value["text"]

    def static(self) -> tuple[StaticFile, ...]:
        """Return the files of static data; raises PlacedError if a file does not exist."""
        return tuple(
            replace(file, path=self.file_path(str(file.path), ("static",))) for file in self.file.static
        )


def explain_error(error: LarsError, parameters: schema.Parameters) -> LarsError:
    """Return an error whose message contains the values of the parameters."""
    if not parameters:
        return error
    values_shown = ", ".join(f"{name} = {message_text(value)}" for name, value in parameters.items())
    said = f"\nwith {values_shown}"
    return error if str(error).endswith(said) else LarsError(f"{error}{said}")


def check_unpacked(path: Path) -> None:
    """Raise LarsError if the path of an experiment is a ZIP file, such as `lars pack` writes."""
    if path.suffix.lower() == ".zip" and not exists(path, folder=True):
        raise LarsError(
            f"{path}: cannot read an experiment in a ZIP file; unpack the file, and use its folder"
        )


def read_experiment(path: Path) -> Experiment:
    """Return the experiment of a file, or of experiment.toml in a folder; raises LarsError with a place."""
    file = path / requests.EXPERIMENT_FILE if exists(path, folder=True) else path
    check_unpacked(file)
    toml = read_toml(file, ACCEPTED)
    _check_keys(toml)
    content = schema.read_table(schema.ExperimentFile, toml, (), _without_placeholders(toml.content))
    _check_columns(toml, content)
    entries = {kind: tuple(_entries(toml, content, kind)) for kind in KINDS}
    _check_whole(toml, entries)
    requests.else_reading_as(content.trace.input_options.around.within(content.input_options.around))
    for kind in KINDS:
        _check_labels(toml, entries[kind])
    for entry in entries["queries"]:
        schema.read_table(schema.QueryTable, toml, entry.path, entry.content)
    return Experiment(file.parent, toml, content, entries)


def _without_placeholders(content: Mapping[str, object]) -> dict[str, object]:
    """Return the keys that can be checked before placeholders are filled."""
    short = {key for _, keys in schema.SHORT.values() for key in keys if "grid" in content}
    held = {
        key
        for key in short
        if any(schema.PLACEHOLDER.search(text) for _, text in schema.texts(content.get(key)))
    }
    return {key: value for key, value in content.items() if key not in held}


def _check_keys(toml: PlacedData) -> None:
    """Raise LarsError for a top-level key that is written inside a table.

    Also raise LarsError if a top-level key is given together with the entries that it abbreviates.
    """
    for name in ("streams", "assign"):
        table = toml.content.get(name)
        for key in table if isinstance(table, dict) else ():
            if key in schema.keys_of(schema.ExperimentFile):
                problem = f"{key} is in the table {name}; use the key above the first table"
                raise toml.error((name,), WrongValueError(problem, part=key))
    for kind, (_, keys) in schema.SHORT.items():
        for key in keys:
            if key in toml.content and kind in toml.content:
                problem = (
                    f"cannot be combined with [[{kind}]], because this key replaces a [[{kind}]] entry; use "
                    "only one of the two"
                )
                raise toml.error((key,), WrongValueError(problem), at_key=True)


def _entries(toml: PlacedData, file: schema.ExperimentFile, kind: str) -> Iterator[ExperimentEntry]:
    tables: list[dict[str, Any]] = getattr(file, kind)
    for number, content in enumerate(tables):
        _check_renamed(toml, (kind, number), content)
        label = content.get("name", content.get("engine", "agree" if kind == "comparisons" else None))
        if label is None:
            problem = "the key name is missing; required: a name for tables of results"
            raise toml.error((kind, number), WrongValueError(problem))
        yield ExperimentEntry(kind, (kind, number), content, str(label))
    if not tables and kind in schema.SHORT:
        name, keys = schema.SHORT[kind]
        content = {key: value for key, value in toml.content.items() if key in keys}
        alone = not file.engines and not file.queries
        if content or (kind == "comparisons" and alone):
            yield ExperimentEntry(kind, (), {"name": name, **content}, name)


def _check_renamed(toml: PlacedData, path: KeyPath, content: Mapping[str, object]) -> None:
    for old, new in _RENAMED.items():
        if path[0] == "engines" and old in content:
            raise toml.error((*path, old), WrongValueError(f"unknown key; expected {new}"), at_key=True)


def _check_whole(toml: PlacedData, entries: Mapping[str, Sequence[ExperimentEntry]]) -> None:
    for kind, keys in schema.NEEDED.items():
        if not entries[kind]:
            required = f"{', '.join(keys[:-1])} or [[{kind}]]"
            raise LarsError(f"{toml.source}: missing {schema.SHORT[kind][0]}; required: {required}")
    if not entries["engines"] and not entries["comparisons"]:
        raise LarsError(f"{toml.source}: nothing to run; use [[engines]] or [[comparisons]]")


def _check_labels(toml: PlacedData, entries: Sequence[ExperimentEntry]) -> None:
    seen: set[str] = set()
    for entry in entries:
        if entry.label in seen:
            problem = f"found the name {message_text(entry.label)} twice; use a different name for each entry"
            raise toml.error(entry.path, WrongValueError(problem))
        seen.add(entry.label)


def _check_columns(toml: PlacedData, content: schema.ExperimentFile) -> None:
    if not content.grid:
        return
    from agreement.experiments.results import RESERVED

    for name in content.grid:
        if name in RESERVED:
            problem = (
                f"found the parameter {name}; use another name, because the tables of results have a "
                f"column {name}"
            )
            raise toml.error(("grid", name), WrongValueError(problem), at_key=True)


def in_fitting_units(experiment: Experiment, also: Iterable[Duration] = ()) -> Experiment:
    """Return the experiment with a unit; the default unit divides all its durations and the durations `also`.

    All cells have the same unit, so that the times of different cells can be compared. The function ignores
    invalid values, because a later check reports invalid values.
    """
    if experiment.file.input_options.trace.unit is not None:
        return experiment
    return experiment.in_units(
        requests.default_unit(_queries_in(experiment), (*_durations(experiment), *also))
    )


def _queries_in(experiment: Experiment) -> Iterator[EngineQuery]:
    """Yield the queries that can be read."""
    for entry in experiment.entries["queries"]:
        for language in (language for language in Language if entry.content.get(language.value)):
            value, path = entry.content[language.value], (*entry.path, language.value)
            with suppress(LarsError):
                for parameters in experiment.combinations(experiment.query_names(value, path)):
                    source, text = experiment.query_text(value, path, parameters)
                    yield requests.read_once(schema.filled_text(text, parameters), source, language)


def _durations(experiment: Experiment) -> Iterator[Duration]:
    """Yield the durations in traces and comparisons."""
    for entry in experiment.entries["traces"]:
        with suppress(LarsError):
            for trace in experiment.filled(schema.TraceTable, entry):
                counted = trace.input_options.trace.trace_unit
                yield from () if counted is None else (counted,)
                if trace.generate is not None:
                    plan = trace.generate.plan
                    lengths = (plan.interval, plan.duration, plan.start, plan.delay)
                    yield from (length for length in lengths if length is not None)
    for entry in experiment.entries["comparisons"]:
        with suppress(LarsError):
            for comparison in experiment.filled(schema.ComparisonTable, entry):
                yield from requests.durations_among(comparison.options.period)


_OF_FILES: Final = ("sort", "arrival", "null", "columns", "time", "trace_unit")
"""The keys of a trace that have no effect on a synthetic stream."""


def trace_of(experiment: Experiment, entry: ExperimentEntry, table: schema.TraceTable) -> Plan | TraceInput:
    """Return the trace of an entry; raises LarsError with the place of an invalid value."""
    path, options = entry.path, table.input_options
    names = [key for key in ("generate", "streams", "files") if getattr(table, key)]
    if len(names) != 1:
        text = " and ".join(names) or "none of them"
        problem = f"found {text}; use one of generate, streams and files"
        raise experiment.error((*path, *names[1:2]), problem)
    if table.generate is not None:
        if key := next((key for key in _OF_FILES if entry.content.get(key)), None):
            problem = f"cannot combine {key} with generate: only traces in files have this key"
            raise experiment.error((*path, key), problem)
        try:
            return table.generate.plan.in_unit(experiment.unit)
        except WrongOptionError as error:
            raise experiment.error((*path, "generate", error.option), error.found) from None
    if options.trace.null and not options.trace.column:
        problem = "requires the key columns, because only a table with mapped columns has empty words"
        raise experiment.error((*path, "null"), problem)
    files = [experiment.file_path(name, (*path, "files"), folder=True) for name in table.files]
    streams: dict[Path, str] = {}
    for stream, name in (table.streams or {}).items():
        place = (*path, "streams", stream.value)
        file = experiment.file_path(name, place, folder=True)
        same = next((one for one in streams if one.resolve() == file.resolve()), file)
        if streams.setdefault(same, stream.value) != stream.value:
            problem = f"{name} is already the trace of <{streams[same]}>; use another file"
            raise experiment.error(place, problem, name)
    columns = _placed_columns(experiment, (*path, schema.COLUMNS), options.trace.column or {})
    return options.with_trace(unit=experiment.unit, stream=streams, column=columns).trace_input(files)


def _placed_columns(experiment: Experiment, path: KeyPath, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return [columns], in which each template and each predicate has its place in the file."""
    placed: dict[str, Any] = {}
    for part, template in table.items():
        where = (*path, part)
        if isinstance(template, Mapping):
            placed[part] = _placed_columns(experiment, where, template)
        else:
            key, place = (experiment.toml.error(where, "", at_key=at_key).place for at_key in (True, False))
            placed[PlacedText(part, key)] = PlacedText(template, place)
    return placed
