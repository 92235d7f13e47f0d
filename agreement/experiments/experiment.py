"""Experiment files, read: their entries, and the parameters that each of them uses.

An entry is a table such as those of [[queries]], or what the keys at the top of the file say in its
place. placed gives an error its place: each message says where, what was found, what is accepted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from agreement.documents import values
from agreement.documents.placed import KeyPath, PlacedData, checked_at, read_toml
from agreement.documents.requests import EXPERIMENT_FILE
from agreement.documents.values import Scalar, WrongValueError
from agreement.experiments.schema import (
    NEEDED,
    PLACEHOLDER,
    SHORT,
    ExperimentFile,
    Parameters,
    QueryTable,
    fill,
    filled_text,
    parameters_in,
    parameters_in_text,
    texts,
)
from lars.durations import SECOND, Duration
from lars.errors import LarsError
from lars.files import exists, read_text

_Model = TypeVar("_Model", bound=BaseModel)

ACCEPTED: Final = f"an experiment: a TOML file, or a folder that holds {EXPERIMENT_FILE}"
KINDS: Final = ("queries", "traces", "engines", "comparisons")
_NAMES: Final = {"queries": "query", "traces": "trace", "comparisons": "agree"}
"""What tables of results call the entry that the top of the file stands for."""
_RENAMED: Final = {"format": "answers_format", "time_unit": "answers_unit"}


@dataclass(frozen=True, slots=True)
class ExperimentEntry:
    """A table such as [[engines]], as written, where it stands, and its name there.

    The path of one that the top of the file stands for is empty; the content is as TOML has it, until it is
    filled and checked by the entry's model.
    """

    kind: str
    path: KeyPath
    content: Mapping[str, Any]
    label: str


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment file with its entries; paths in it start at `folder`, and may leave it."""

    folder: Path
    toml: PlacedData
    file: ExperimentFile
    entries: Mapping[str, tuple[ExperimentEntry, ...]]

    @property
    def unit(self) -> Duration:
        """The length of one time point."""
        return self.file.unit or SECOND

    def in_units(self, unit: Duration) -> "Experiment":
        """Return the experiment with time points of another length."""
        return replace(self, file=self.file.model_copy(update={"unit": unit}))

    def error(self, path: KeyPath, problem: str, part: str | None = None) -> LarsError:
        """Return the error at a path; that of an entry at the top of the file has no place of its own."""
        if not path:
            return LarsError(f"{self.toml.source}: {problem}")
        return self.toml.error(path, WrongValueError(problem, part=part))

    def named(self, content: object, path: KeyPath) -> set[str]:
        """Return the parameters that a content of the file names."""
        return parameters_in(self.toml, path, content, self.file.grid)

    def combinations(self, names: set[str]) -> Iterator[dict[str, Scalar]]:
        """Yield the values of parameters, in the order of the grid."""
        grid = {name: given for name, given in self.file.grid.items() if name in names}
        for chosen in product(*grid.values()):
            yield dict(zip(grid, chosen, strict=True))

    def fill(self, model: type[_Model], entry: ExperimentEntry, parameters: Parameters) -> _Model:
        """Return an entry with its placeholders filled."""
        try:
            return checked_at(model, self.toml, entry.path, fill(dict(entry.content), parameters))
        except LarsError as error:
            raise explain_error(error, parameters) from None

    def file_path(self, name: str, path: KeyPath, *, folder: bool = False) -> Path:
        """Return the path of a file that the experiment names; raises PlacedError when it is not there."""
        file = self.folder / name
        if exists(file, folder=False) or (folder and exists(file, folder=True)):
            return file
        problem = f"the file {values.message_text(name)} does not exist"
        if exists(file, folder=True):
            problem = f"{values.message_text(name)} is a folder; accepted: a file"
        raise self.error(path, f"{problem} (looked in {self.folder})", name)

    def query_names(self, value: object, path: KeyPath) -> set[str]:
        """Return the parameters that a query uses: in the name of its file and in its text."""
        used = self.named(value, path)
        if isinstance(value, str):
            for parameters in self.combinations(used):
                source, text = self.query_text(filled_text(value, parameters), path)
                used = used | parameters_in_text(source, text, self.file.grid)
        return used

    def query_text(self, value: str | Mapping[str, str], path: KeyPath) -> tuple[str, str]:
        """Return the name and the text of a query, its placeholders not filled."""
        if isinstance(value, str):
            file = self.file_path(value, path)
            return str(file), read_text(file, "a file with a query")
        return f"{self.toml.source}, {'.'.join(map(str, path))}", value["text"]


def explain_error(error: LarsError, parameters: Parameters) -> LarsError:
    """Return an error that says with which parameters it came."""
    if not parameters:
        return error
    values_shown = ", ".join(f"{name} = {values.message_text(value)}" for name, value in parameters.items())
    return LarsError(f"{error}\nwith {values_shown}")


def read_experiment(path: Path) -> Experiment:
    """Return the experiment of a file, or of a folder's experiment.toml; raises LarsError with the place."""
    file = path / EXPERIMENT_FILE if exists(path, folder=True) else path
    toml = read_toml(file, ACCEPTED)
    _check_keys(toml)
    content = checked_at(ExperimentFile, toml, (), _without_placeholders(toml.content))
    _check_columns(toml, content)
    entries = {kind: tuple(_entries(toml, content, kind)) for kind in KINDS}
    _check_whole(toml, entries)
    for kind in KINDS:
        _check_labels(toml, entries[kind])
    for entry in entries["queries"]:
        checked_at(QueryTable, toml, entry.path, entry.content)
    return Experiment(file.parent, toml, content, entries)


def _without_placeholders(content: Mapping[str, object]) -> dict[str, object]:
    """Return what can be checked before the grid's values are filled in."""
    short = {key for model in SHORT.values() for key in model.model_fields if "grid" in content}
    held = {key for key in short if any(PLACEHOLDER.search(text) for _, text in texts(content.get(key)))}
    return {key: value for key, value in content.items() if key not in held}


def _check_keys(toml: PlacedData) -> None:
    """Raise for a key of the top that stands in a table, or beside the entries that it stands for."""
    for name in ("streams", "assign"):
        table = toml.content.get(name)
        for key in table if isinstance(table, dict) else ():
            if key in ExperimentFile.model_fields:
                problem = f"{key} stands in the table {name}; accepted: above the first table"
                raise toml.error((name,), WrongValueError(problem, part=key))
    for kind, model in SHORT.items():
        for key in model.model_fields:
            if key in toml.content and kind in toml.content:
                problem = f"stands beside [[{kind}]], and is short for one entry there; accepted: one of both"
                raise toml.error((key,), WrongValueError(problem), at_key=True)


def _entries(toml: PlacedData, file: ExperimentFile, kind: str) -> Iterator[ExperimentEntry]:
    tables: list[dict[str, Any]] = getattr(file, kind)
    for number, content in enumerate(tables):
        _check_renamed(toml, (kind, number), content)
        label = content.get("name", content.get("engine", "agree" if kind == "comparisons" else None))
        if label is None:
            problem = "the key name is missing; required: a name for tables of results"
            raise toml.error((kind, number), WrongValueError(problem))
        yield ExperimentEntry(kind, (kind, number), content, str(label))
    if not tables and kind in SHORT:
        keys = SHORT[kind].model_fields
        content = {key: value for key, value in toml.content.items() if key in keys}
        alone = not file.engines and not file.queries
        if content or (kind == "comparisons" and alone):
            yield ExperimentEntry(kind, (), {"name": _NAMES[kind], **content}, _NAMES[kind])


def _check_renamed(toml: PlacedData, path: KeyPath, content: Mapping[str, object]) -> None:
    for old, new in _RENAMED.items():
        if path[0] == "engines" and old in content:
            raise toml.error((*path, old), WrongValueError(f"unknown key; accepted: {new}"), at_key=True)


def _check_whole(toml: PlacedData, entries: Mapping[str, Sequence[ExperimentEntry]]) -> None:
    for kind, keys in NEEDED.items():
        if not entries[kind]:
            required = f"{', '.join(keys[:-1])} or [[{kind}]]"
            raise LarsError(f"{toml.source}: there is no {_NAMES[kind]}; required: {required}")
    if not entries["engines"] and not entries["comparisons"]:
        raise LarsError(f"{toml.source}: nothing to run; required: [[engines]] or [[comparisons]]")


def _check_labels(toml: PlacedData, entries: Sequence[ExperimentEntry]) -> None:
    seen: set[str] = set()
    for entry in entries:
        if entry.label in seen:
            problem = f"found the name {values.message_text(entry.label)} twice; accepted: a name for each"
            raise toml.error(entry.path, WrongValueError(problem))
        seen.add(entry.label)


def _check_columns(toml: PlacedData, content: ExperimentFile) -> None:
    if not content.grid:
        return
    from agreement.experiments.tables import RESERVED

    for name in content.grid:
        if name in RESERVED:
            problem = f"found the parameter {name}; accepted: another name, as results have a column {name}"
            raise toml.error(("grid", name), WrongValueError(problem), at_key=True)
