"""Experiment files: `experiment.toml` in a folder, read once and checked before anything runs.

pydantic reads the structure and prints the schema; each value is read by a function of this module,
so that every message says what was found and what is accepted, at the place in the file.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema
from pydantic_core import ErrorDetails

from lars.durations import Duration, read_duration
from lars.errors import LarsError, PlacedError, place_at
from lars.terms import Iri
from lars.windows import Bounds, Interval
from translate.profiles import Profile
from translate.triggers import Trigger

FILE_NAME: Final = "experiment.toml"
LARGEST: Final = 2**63 - 1
"""The largest time point and period: TOML's integers have 64 bits."""
MOST_PERIODS: Final = 10_000
"""How many periods one list or range may name."""
ACCEPTED_PERIODS: Final = "a whole number of time points from 1 on, several as 5,10 or a range as 1..50"

_PART_OF_PERIODS = re.compile(r"\s*([0-9]+)\s*(?:\.\.\s*([0-9]+)\s*)?")
_ABSOLUTE_IRI = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`\x00-\x20]*')
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)?", re.ASCII)
_SYNTAX_ERROR = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_GIVEN_TWICE = re.compile(r"Cannot (overwrite|declare|mutate)")

Choice = TypeVar("Choice", bound=Enum)


class ExperimentError(PlacedError):
    """An experiment file is wrong at a place: what was found there, what is accepted."""


class _WrongValue(ValueError):  # noqa: N818  (never leaves this module: it is given its place)
    """A value that cannot be used; `part` is the text in it to point at."""

    def __init__(self, problem: str, *, part: str | None = None, key: str | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.part = part
        self.key = key


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment with its values read and its files found; paths start with the folder.

    Times count time points of `unit`. No `periods` means the default, the C-SPARQL query's STEP.
    `trace_unit` and `origin` None leave it to the trace reader. At least one query is given.
    `assign` says which predicates belong to which stream of a C-SPARQL query.
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


def read_periods(text: str) -> tuple[int, ...]:
    """Return the periods that the text names, each once, in the order of the text.

    Raises LarsError for zero, fractions, words, reversed ranges and more than MOST_PERIODS.

    >>> read_periods("5"), read_periods("5,10"), read_periods("1..4,2")
    ((5,), (5, 10), (1, 2, 3, 4))
    """
    ranges = [_range_of(part) for part in text.split(",")]
    if sum(map(len, ranges)) > MOST_PERIODS:
        raise LarsError(f"{_shown(text)} names more than {MOST_PERIODS} periods: name fewer")
    return tuple(dict.fromkeys(period for each in ranges for period in each))


def read_experiment(folder: Path) -> Experiment:
    """Return the experiment that the folder's experiment.toml describes.

    Raises ExperimentError (with place) or LarsError where the file, a key or a file it names is
    missing. A path in it starts at the folder and may leave it.
    """
    file = folder / FILE_NAME
    text = _read_text(folder, file)
    try:
        return _experiment(folder, _ExperimentFile.model_validate(_parse(str(file), text)))
    except ValidationError as error:
        raise _first_error(str(file), text, error) from None
    except _WrongValue as error:
        raise _placed(str(file), text, error.key or "", error) from None


def schema() -> dict[str, Any]:
    """Return the JSON schema of experiment.toml, for `lars agree --schema`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_ExperimentFile.model_json_schema(),
        "title": FILE_NAME,
        "description": "An experiment: do the pull of a C-SPARQL query and the push of a CQELS query agree?",
    }


# Values: each reader returns the typed value or raises _WrongValue.


def _shown(value: object) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _wrong(value: object, accepted: str, part: str | None = None) -> _WrongValue:
    return _WrongValue(f"found {_shown(value)}; accepted: {accepted}", part=part)


def _range_of(part: str) -> range:
    found = _PART_OF_PERIODS.fullmatch(part)
    if not found or any(len(number.lstrip("0")) > len(str(LARGEST)) for number in found.groups("")):
        raise LarsError(f"{_shown(part.strip())} is no period; accepted: {ACCEPTED_PERIODS}")
    first, last = int(found[1]), int(found[2] or found[1])
    if first == 0 or last > LARGEST:
        raise LarsError(f"the period {part.strip()} is not in 1..{LARGEST}; accepted: {ACCEPTED_PERIODS}")
    if first > last:
        raise LarsError(f"the range of periods {part.strip()} is reversed: write {last}..{first}")
    return range(first, last + 1)


def _periods(value: object) -> tuple[int, ...]:
    values = value if isinstance(value, list) else [value]
    if isinstance(value, str):
        texts = [value]
    elif values and all(type(one) is int for one in values):
        texts = [str(one) for one in values]
    else:
        raise _wrong(value, f"{ACCEPTED_PERIODS}; in TOML 5, [5, 10] or '1..50'")
    try:
        return read_periods(",".join(texts))
    except LarsError as error:
        raise _WrongValue(str(error)) from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _wrong(value, "a text in quotes")
    return value


def _unit(value: object) -> Duration:
    accepted = "a duration above zero in quotes, as in '1min', '500ms' or '1h'"
    try:
        unit = read_duration(value) if isinstance(value, str) else Duration(0)
    except (LarsError, ValueError):
        unit = Duration(0)
    if unit == Duration(0):
        raise _wrong(value, accepted)
    return unit


def _timeline(value: object) -> Interval:
    match value:
        case [int(first), int(last)] if bool not in map(type, (first, last)) and 0 <= first <= last <= LARGEST:
            return Interval(first, last)
        case _:
            raise _wrong(value, "the first and the last time point, as in [0, 50], with 0 <= first <= last")


def _origin(value: object) -> datetime:
    if isinstance(value, str) and _DATE_TIME.fullmatch(value):
        try:
            value = datetime.fromisoformat(value)
        except ValueError as error:
            raise _WrongValue(f"{_shown(value)} is no date and time: {error}") from None
    if not isinstance(value, datetime):
        raise _wrong(value, "a date with a time, as in 2024-05-01T12:00:00Z")
    return value


def _file_name(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _wrong(value, "the path of a file, in quotes, from the folder of the experiment")
    return value


def _file_names(value: object) -> tuple[str, ...]:
    return tuple(map(_file_name, value if isinstance(value, list) else [value]))


def _iri(value: object, what: str) -> Iri:
    if not isinstance(value, str) or not _ABSOLUTE_IRI.fullmatch(value):
        part = value if isinstance(value, str) else None
        raise _wrong(value, f"{what}, an absolute IRI in quotes and without < >", part)
    return Iri(value)


def _table(value: object, accepted: str) -> dict[str, object]:
    if not isinstance(value, dict) or not value:
        raise _wrong(value, accepted)
    for key in value:
        if key in _ExperimentFile.model_fields:
            problem = f"{key} stands inside a table, so it is read as a stream; write it above the first [table]"
            raise _WrongValue(problem, part=key)
    return value


def _streams(value: object) -> dict[Iri, str]:
    table = _table(value, "a table of at least one stream, with lines such as 'http://example.org/s' = 's.trig'")
    return {_iri(stream, "a stream"): _file_name(file) for stream, file in table.items()}


def _assign(value: object) -> dict[Iri, tuple[Iri, ...]]:
    accepted = "for each stream a list of its predicates, as in 'http://example.org/s' = ['http://example.org/p']"
    found: dict[Iri, tuple[Iri, ...]] = {}
    owner: dict[Iri, Iri] = {}
    for name, predicates in _table(value, accepted).items():
        stream = _iri(name, "a stream")
        if not isinstance(predicates, list) or not predicates:
            raise _wrong(predicates, accepted, name)
        found[stream] = tuple(dict.fromkeys(_iri(one, "a predicate") for one in predicates))
        for predicate in found[stream]:
            if owner.setdefault(predicate, stream) != stream:
                problem = f"{predicate} is assigned to {owner[predicate]} and to {stream}: choose one stream"
                raise _WrongValue(problem, part=name)
    return found


def _one_of(choices: type[Choice]) -> Callable[[object], Choice]:
    def read(value: object) -> Choice:
        for choice in choices:
            if choice.value == value:
                return choice
        raise _wrong(value, ", ".join(repr(choice.value) for choice in choices))

    return read


# The structure.
