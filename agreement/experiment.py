"""Experiment files: `experiment.toml` in a folder, read once and checked before anything runs.

The structure is in experiment_schema and the values in experiment_values; placed gives an
error its place, so that every message says where, what was found and what is accepted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from agreement import experiment_values as values
from agreement.experiment_schema import FILE_NAME, ExperimentFile, schema
from agreement.experiment_values import WrongValueError, read_periods
from agreement.placed import PlacedData, checked, read_toml
from lars.durations import Duration
from lars.errors import LarsError, PlacedError
from lars.files import exists
from lars.terms import Iri
from lars.windows import Bounds, Interval
from translate.profiles import Profile
from translate.triggers import Trigger

__all__ = ["FILE_NAME", "Experiment", "ExperimentError", "read_experiment", "read_periods", "schema"]

ExperimentError = PlacedError
GRID_KEYS: Final = frozenset(("grid", "queries", "traces", "engines", "comparisons"))
"""The tables of an experiment that `lars run` executes."""
_REQUIRED: Final = "unit, timeline, streams, and csparql or cqels"


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment with its values read and its files found; paths start with the folder.

    Times count time points of `unit`. No `periods` means the default, the C-SPARQL query's STEP.
    `trace_unit` and `origin` None leave it to the trace reader. At least one query is given; a
    trace can be a folder. `assign` gives predicates of a C-SPARQL pattern to streams.
    """

    folder: Path
    title: str
    unit: Duration
    timeline: Interval
    csparql: Path | None
    cqels: Path | None
    streams: Mapping[Iri, Path]
    static: tuple[Path, ...]
    periods: tuple[int, ...]
    profile: Profile
    bounds: Bounds
    trigger: Trigger
    assign: Mapping[Iri, tuple[Iri, ...]]
    origin: datetime | None
    trace_unit: Duration | None


def read_experiment(folder: Path) -> Experiment:
    """Return the experiment that the folder's experiment.toml describes.

    Raises ExperimentError with the place, or LarsError when the file or a key in it is missing.
    A relative path in it starts at the folder and may leave it.
    """
    if not exists(folder, folder=True):
        raise LarsError(f"{folder}: no such folder; accepted: a folder that holds {FILE_NAME}")
    toml = read_toml(folder / FILE_NAME, f"a folder that holds {FILE_NAME}")
    try:
        _check_tables(toml)
        return _experiment(folder, checked(ExperimentFile, toml, _REQUIRED))
    except WrongValueError as error:
        raise toml.error((error.key,), error) from None


def _check_tables(toml: PlacedData) -> None:
    if not GRID_KEYS.isdisjoint(toml.content):
        raise LarsError(
            f"{toml.source}: an experiment with a grid: `lars run` executes it; "
            f"accepted here: {', '.join(ExperimentFile.model_fields)}"
        )
    for name in ("streams", "assign"):
        table = toml.content.get(name)
        for key in table if isinstance(table, dict) else ():
            if key in ExperimentFile.model_fields:
                problem = f"{key} stands in the table {name}; accepted: above the first table"
                raise WrongValueError(problem, part=key, key=name)


def _experiment(folder: Path, content: ExperimentFile) -> Experiment:
    if content.csparql is None and content.cqels is None:
        raise LarsError(f"{folder / FILE_NAME}: there is no query; required: csparql, cqels or both")
    _check_assigned(content)
    return Experiment(
        folder=folder,
        title=content.title or folder.resolve().name,
        unit=content.unit,
        timeline=content.timeline,
        csparql=_query(folder, "csparql", content.csparql),
        cqels=_query(folder, "cqels", content.cqels),
        streams={
            stream: _found(folder, "streams", file, trace=True) for stream, file in content.streams.items()
        },
        static=tuple(_found(folder, "static", file) for file in content.static),
        periods=content.period,
        profile=content.profile,
        bounds=content.bounds,
        trigger=content.trigger,
        assign=content.assign,
        origin=content.origin,
        trace_unit=content.trace_unit,
    )


def _check_assigned(content: ExperimentFile) -> None:
    for stream in content.assign:
        if stream not in content.streams:
            known = ", ".join(map(str, content.streams))
            problem = f"the stream {stream} has no trace; accepted: {known}"
            raise WrongValueError(problem, part=stream.value, key="assign")


def _query(folder: Path, key: str, name: str | None) -> Path | None:
    return None if name is None else _found(folder, key, name)


def _found(folder: Path, key: str, name: str, *, trace: bool = False) -> Path:
    path = folder / name
    if exists(path, folder=False) or (trace and exists(path, folder=True)):
        return path
    problem = f"the file {values.shown(name)} does not exist"
    if exists(path, folder=True):
        problem = f"{values.shown(name)} is a folder; accepted: a file"
    raise WrongValueError(f"{problem} (looked in {folder})", part=name, key=key)
