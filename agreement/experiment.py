"""Experiment files: `experiment.toml` in a folder, read once and checked before anything runs.

The structure is in experiment_schema and the values in experiment_values; here an error gets its
place, so that every message says where, what was found and what is accepted.
"""

import re
import tomllib
from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from agreement import experiment_values as values
from agreement.experiment_schema import FILE_NAME, ExperimentFile, schema
from agreement.experiment_values import WrongValueError, read_periods
from lars.durations import Duration
from lars.errors import LarsError, PlacedError, place_at
from lars.terms import Iri
from lars.windows import Bounds, Interval
from translate.profiles import Profile
from translate.triggers import Trigger

__all__ = ["FILE_NAME", "Experiment", "ExperimentError", "read_experiment", "read_periods", "schema"]

_SYNTAX_ERROR = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_GIVEN_TWICE = re.compile(r"Cannot (overwrite|declare|mutate)")


class ExperimentError(PlacedError):
    """An experiment file is wrong at a place: what was found there, what is accepted."""


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
    file = folder / FILE_NAME
    source, text = str(file), _read_text(folder, file)
    try:
        return _experiment(folder, ExperimentFile.model_validate(_parse(source, text)))
    except ValidationError as error:
        raise _first_error(source, text, error.errors(include_url=False)) from None
    except WrongValueError as error:
        raise _placed(source, text, error.key, error) from None


def _read_text(folder: Path, file: Path) -> str:
    if not _exists(folder, folder=True):
        raise LarsError(f"{folder}: no such folder; accepted: a folder that holds {FILE_NAME}")
    if not _exists(file, folder=False):
        raise LarsError(f"{file}: no such file; accepted: a folder that holds {FILE_NAME}")
    try:
        content = file.read_bytes().removeprefix(BOM_UTF8)
    except OSError as error:
        raise LarsError(f"{file}: cannot be read: {error.strerror}") from None
    try:
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        place = place_at(str(file), content.decode(errors="replace"), len(content[: error.start].decode()))
        raise ExperimentError(place, "found bytes that are no text; accepted: UTF-8") from None


def _parse(source: str, text: str) -> dict[str, Any]:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(source, text, str(error)) from None
    except (RecursionError, ValueError):
        raise LarsError(f"{source}: a value is nested too deeply, or a number has too many digits") from None
    for name in ("streams", "assign"):
        table = content.get(name)
        for key in table if isinstance(table, dict) else ():
            if key in ExperimentFile.model_fields:
                problem = f"{key} stands in the table {name}; accepted: above the first table"
                raise WrongValueError(problem, part=key, key=name)
    return content


def _syntax_error(source: str, text: str, message: str) -> LarsError:
    found = _SYNTAX_ERROR.fullmatch(message)
    problem, line, column = found.groups() if found else (message, None, None)
    if _GIVEN_TWICE.match(problem):
        problem = "a key or table is given twice; accepted: once"
    offset = len(text.rstrip())
    if line and column:
        offset = sum(len(each) + 1 for each in text.split("\n")[: int(line) - 1]) + int(column) - 1
    return ExperimentError(place_at(source, text, offset), f"no TOML: {problem}")


def _first_error(source: str, text: str, errors: list[ErrorDetails]) -> LarsError:
    found = [_error(source, text, str(error["loc"][0]), error) for error in errors]
    placed = [error for error in found if isinstance(error, ExperimentError)]
    return min(placed, key=lambda error: (error.place.line, error.place.column), default=found[0])


def _error(source: str, text: str, key: str, error: ErrorDetails) -> LarsError:
    match error:
        case {"type": "missing"}:
            required = "unit, timeline, streams, and csparql or cqels"
            return LarsError(f"{source}: the key {key} is missing; required: {required}")
        case {"type": "extra_forbidden"}:
            accepted = list(ExperimentFile.model_fields)
            close = get_close_matches(key, accepted, 1)
            hint = f", did you mean {close[0]}?" if close else ";"
            problem = f"unknown key{hint} accepted: {', '.join(accepted)}"
            return _placed(source, text, key, WrongValueError(problem), at_key=True)
        case {"ctx": {"error": WrongValueError() as wrong}}:
            return _placed(source, text, key, wrong)
        case _:
            return _placed(source, text, key, values.wrong(error["input"], "what the schema says"))


def _placed(source: str, text: str, key: str, wrong: WrongValueError, *, at_key: bool = False) -> LarsError:
    name = re.escape(key)
    found = re.search(rf"""(?m)^[ \t]*\[{{0,2}}[ \t]*(["']?{name}["']?)[ \t]*(?:(=)[ \t]*|[\].])""", text)
    offset = 0
    if found:
        offset = found.start(1) if at_key or not found[2] else found.end()
        if wrong.part is not None:
            offset = _offset_of(wrong.part, text, found.end(), offset)
    return ExperimentError(place_at(source, text, offset), f"{values.shown(key)[1:-1]}: {wrong.problem}")


def _offset_of(part: str, text: str, start: int, otherwise: int) -> int:
    name = re.escape(part)
    for pattern in (rf"""["']{name}["']""", rf"(?<!\w){name}(?!\w)"):
        if found := re.compile(pattern).search(text, start):
            return found.start()
    return otherwise


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
    if _exists(path, folder=False) or (trace and _exists(path, folder=True)):
        return path
    problem = f"the file {values.shown(name)} does not exist"
    if _exists(path, folder=True):
        problem = f"{values.shown(name)} is a folder; accepted: a file"
    raise WrongValueError(f"{problem} (looked in {folder})", part=name, key=key)


def _exists(path: Path, *, folder: bool) -> bool:
    try:
        return path.is_dir() if folder else path.is_file()
    except (OSError, ValueError):
        return False
