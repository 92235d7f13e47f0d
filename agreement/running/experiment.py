"""An experiment file with a grid, read: its tables, and the parameters that each of them uses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from agreement import experiment_values as values
from agreement.experiment_schema import FILE_NAME
from agreement.experiment_values import WrongValueError
from agreement.placed import KeyPath, PlacedData, checked, checked_at, read_toml
from agreement.running.placeholders import Parameters, filled, filled_text, named, named_in_file
from agreement.running.rows import RESERVED
from agreement.running.schema import GridFile, QueryTable
from lars.errors import LarsError
from lars.files import exists, read_text

_Model = TypeVar("_Model", bound=BaseModel)

ACCEPTED: Final = f"an experiment: a TOML file, or a folder that holds {FILE_NAME}"
KINDS: Final = ("queries", "traces", "engines", "comparisons")


@dataclass(frozen=True, slots=True)
class Entry:
    """A table such as [[engines]] number `number`, from 0, as written; `label` is its name there."""

    kind: str
    number: int
    content: Mapping[str, Any]
    label: str

    @property
    def path(self) -> KeyPath:
        """Where it stands in the file."""
        return self.kind, self.number


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment file with its entries; paths in it start at `folder`."""

    folder: Path
    toml: PlacedData
    file: GridFile
    entries: Mapping[str, tuple[Entry, ...]]

    def named(self, content: object, path: KeyPath) -> set[str]:
        """Return the parameters that a content of the file names."""
        return named(self.toml, path, content, self.file.grid)

    def combinations(self, names: set[str]) -> Iterator[dict[str, Any]]:
        """Yield the values of parameters, in the order of the grid."""
        grid = {name: given for name, given in self.file.grid.items() if name in names}
        for chosen in product(*grid.values()):
            yield dict(zip(grid, chosen, strict=True))

    def filled(self, model: type[_Model], entry: Entry, parameters: Parameters) -> _Model:
        """Return an entry with its placeholders filled."""
        try:
            return checked_at(model, self.toml, entry.path, filled(dict(entry.content), parameters))
        except LarsError as error:
            raise explained(error, parameters) from None

    def found(self, name: str, path: KeyPath, *, folder: bool = False) -> Path:
        """Return the path of a file that the experiment names; raises PlacedError when it is not there."""
        file = self.folder / name
        if exists(file, folder=False) or (folder and exists(file, folder=True)):
            return file
        problem = f"the file {values.shown(name)} does not exist (looked in {self.folder})"
        raise self.toml.error(path, WrongValueError(problem, part=name))

    def query_names(self, given: object, path: KeyPath) -> set[str]:
        """Return the parameters that a query uses: in the name of its file and in its text."""
        used = self.named(given, path)
        if isinstance(given, str):
            for parameters in self.combinations(used):
                source, text = self.query_text(filled_text(given, parameters), path)
                used = used | named_in_file(source, text, self.file.grid)
        return used

    def query_text(self, given: str | Mapping[str, str], path: KeyPath) -> tuple[str, str]:
        """Return the name and the text of a query, its placeholders not filled."""
        if isinstance(given, str):
            file = self.found(given, path)
            return str(file), read_text(file, "a file with a query")
        return f"{self.toml.source}, {'.'.join(map(str, path))}", given["text"]


def explained(error: LarsError, parameters: Parameters) -> LarsError:
    """Return an error that says with which parameters it came."""
    if not parameters:
        return error
    values_shown = ", ".join(f"{name} = {values.shown(value)}" for name, value in parameters.items())
    return LarsError(f"{error}\nwith {values_shown}")


def read_grid(path: Path) -> Experiment:
    """Return the experiment of a file, or of a folder's experiment.toml; raises LarsError with the place."""
    file = path / FILE_NAME if exists(path, folder=True) else path
    toml = read_toml(file, ACCEPTED)
    content = checked(GridFile, toml)
    if not content.engines and not content.comparisons:
        raise LarsError(f"{file}: nothing to run; required: [[engines]] or [[comparisons]]")
    tables: dict[str, Sequence[Mapping[str, Any]]] = {kind: getattr(content, kind) for kind in KINDS}
    entries = {kind: tuple(_entries(toml, kind, own)) for kind, own in tables.items()}
    _check_columns(toml, content)
    for kind in KINDS:
        _check_labels(toml, entries[kind])
    for entry in entries["queries"]:
        checked_at(QueryTable, toml, entry.path, entry.content)
    return Experiment(file.parent, toml, content, entries)


def _entries(toml: PlacedData, kind: str, tables: Sequence[Mapping[str, Any]]) -> Iterator[Entry]:
    for number, content in enumerate(tables):
        label = content.get("name", content.get("engine", "agree" if kind == "comparisons" else None))
        if label is None:
            problem = "the key name is missing; required: a name for tables of results"
            raise toml.error((kind, number), WrongValueError(problem))
        yield Entry(kind, number, content, str(label))


def _check_labels(toml: PlacedData, entries: Sequence[Entry]) -> None:
    seen: set[str] = set()
    for entry in entries:
        if entry.label in seen:
            problem = f"found the name {values.shown(entry.label)} twice; accepted: a name for each"
            raise toml.error(entry.path, WrongValueError(problem))
        seen.add(entry.label)


def _check_columns(toml: PlacedData, content: GridFile) -> None:
    for name in content.grid:
        if name in RESERVED:
            problem = f"found the parameter {name}; accepted: another name, as results have a column {name}"
            raise toml.error(("grid", name), WrongValueError(problem), at_key=True)
