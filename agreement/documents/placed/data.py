"""What a text of TOML or JSON holds, and where: a value that a model refuses is named with its place."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from agreement.documents.values import WrongValueError
from lars.errors import LarsError, PlacedError, place_at
from solver.rdf import short

KeyPath = tuple[str | int, ...]
"""The keys and positions (from 0) on the way to a value."""

_NAME: Final = re.compile(r"[^\W\d]\w*")
_WORDS: Final = {
    "string_type": "a text in quotes",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list, [..]",
    "tuple_type": "a list, [..]",
}
_TABLES: Final = ("dict_type", "model_type", "model_attributes_type")

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class KeySpot:
    """Where a key and its value start; that of a TOML table is its header, after which `value` stands."""

    key: int
    value: int
    is_header: bool = False

    @property
    def value_offset(self) -> int:
        """Where to point at for the value."""
        return self.key if self.is_header else self.value


Spots = Mapping[KeyPath, KeySpot]


@dataclass(frozen=True, slots=True)
class DataNotation:
    """TOML or JSON: where things stand in a part of a text, and how it says a table and a value."""

    spots: Callable[[str, int, int], Spots]
    table: str
    value_text: Callable[[object], str]


@dataclass(frozen=True, slots=True)
class PlacedData:
    """What text[start:end] of a file holds; `accepted` says what it has to be."""

    source: str
    text: str
    start: int
    end: int
    content: Any
    accepted: str
    notation: DataNotation

    def spots(self) -> Spots:
        """Return the places of all paths: only asked for messages."""
        return self.notation.spots(self.text, self.start, self.end)

    def error(self, path: KeyPath, wrong: WrongValueError | str, *, at_key: bool = False) -> PlacedError:
        """Return the error at the value (or key) of a path, or at what stands around it."""
        problem = wrong if isinstance(wrong, WrongValueError) else WrongValueError(wrong)
        return _Fault(path, problem, at_key).error(self, self.spots())


@dataclass(frozen=True, slots=True)
class _Fault:
    path: KeyPath
    wrong: WrongValueError
    at_key: bool = False

    def offset(self, data: PlacedData, spots: Spots) -> int:
        known = self.path
        while known and known not in spots:
            known = known[:-1]
        if known not in spots:
            return data.start
        spot = spots[known]
        offset = spot.key if self.at_key and known == self.path else spot.value_offset
        return offset if self.wrong.part is None else _offset_of(self.wrong.part, data, spot.value, offset)

    def error(self, data: PlacedData, spots: Spots) -> PlacedError:
        label = f"{path_text(self.path)}: " if self.path else ""
        place = place_at(data.source, data.text, self.offset(data, spots))
        return PlacedError(place, f"{label}{self.wrong.problem}")


def _offset_of(part: str, data: PlacedData, start: int, otherwise: int) -> int:
    name = re.escape(part)
    for pattern in (rf"""["']{name}["']""", rf"(?<!\w){name}(?!\w)"):
        if found := re.compile(pattern).search(data.text, start, data.end):
            return found.start()
    return otherwise


def path_text(path: KeyPath) -> str:
    """Return a path as it is said in a message.

    >>> path_text(("output", 3, "rows", 0, "s"))
    'output[3].rows[0].s'
    """
    text = ""
    for step in path:
        match step:
            case int():
                text += f"[{step}]"
            case str() if _NAME.fullmatch(step):
                text += f".{step}" if text else step
            case _:
                text += f"[{short(step)}]"
    return text


def check_data(model: type[Model], data: PlacedData) -> Model:
    """Return the whole content as a model."""
    return checked_at(model, data, (), data.content)


def checked_at(model: type[Model], data: PlacedData, path: KeyPath, content: object) -> Model:
    """Return a content, which stands at a path of the text, as a model.

    Of several errors the first in the text is raised; that a key is missing in all of it comes last.
    """
    try:
        return model.model_validate(content)
    except ValidationError as error:
        details = error.errors(include_url=False)
    spots = data.spots()
    faults = [_fault(model, data, path, one) for one in details]
    first = min(faults, key=lambda fault: (not fault.path, fault.offset(data, spots)))
    if first.path or () in spots:
        raise first.error(data, spots)
    raise LarsError(f"{data.source}: {first.wrong.problem}")


def _fault(model: type[BaseModel], data: PlacedData, path: KeyPath, error: ErrorDetails) -> _Fault:
    at = (*path, *error["loc"])
    match error:
        case {"type": "missing"}:
            wanted = _model_at(model, error["loc"][:-1]).model_fields
            required = ", ".join(name for name, field in wanted.items() if field.is_required())
            return _Fault(at[:-1], WrongValueError(_missing(data, error, required)))
        case {"type": "extra_forbidden"}:
            accepted = list(_model_at(model, error["loc"][:-1]).model_fields)
            return _Fault(at, WrongValueError(_unknown(str(at[-1]), accepted)), at_key=True)
        case {"ctx": {"error": WrongValueError() as wrong}}:
            return _Fault(at, wrong)
        case _:
            found = f"found {data.notation.value_text(error['input'])}"
            return _Fault(at, WrongValueError(f"{found}; accepted: {_accepted(data, error)}"))


def _missing(data: PlacedData, error: ErrorDetails, required: str) -> str:
    problem = f"the key {error['loc'][-1]} is missing"
    if not data.accepted:
        return f"{problem}; required: {required}"
    return f"{problem}; found the keys {', '.join(error['input']) or 'none'}; accepted: {data.accepted}"


def _accepted(data: PlacedData, error: ErrorDetails) -> str:
    match error:
        case {"type": "literal_error", "ctx": {"expected": str() as expected}}:
            return expected
        case {"type": kind} if kind in _TABLES:
            return data.notation.table
        case _:
            return _WORDS.get(error["type"], error["msg"].removeprefix("Input should be "))


def _unknown(key: str, accepted: Sequence[str]) -> str:
    """Return what to say of a key that is none of those accepted."""
    close = get_close_matches(key, accepted, 1)
    hint = f", did you mean {close[0]}?" if close else ";"
    return f"unknown key{hint} accepted: {', '.join(accepted)}"


def _model_at(model: type[BaseModel], path: KeyPath) -> type[BaseModel]:
    """Return the model of a table inside a model."""
    for part in path:
        if isinstance(part, str) and part in model.model_fields:
            model = _model_in(model.model_fields[part].annotation) or model
    return model


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)
