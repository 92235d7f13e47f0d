"""TOML files checked by pydantic models: each message says where, what was found, what is accepted."""

import re
import tomllib
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from agreement import experiment_values as values
from agreement.experiment_values import WrongValueError
from agreement.toml_spots import TomlPath, spots
from lars.errors import LarsError, PlacedError, place_at

_SYNTAX_ERROR = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_GIVEN_TWICE = re.compile(r"Cannot (overwrite|declare|mutate)")
_WORDS: Final = {
    "string_type": "a text in quotes",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list, [..]",
    "tuple_type": "a list, [..]",
    "dict_type": "a table",
    "model_type": "a table",
}

Model = TypeVar("Model", bound=BaseModel)


class TomlError(PlacedError):
    """A TOML file is wrong at a place: what was found there, what is accepted."""


@dataclass(frozen=True, slots=True)
class TomlText:
    """A TOML file: its name, text and content."""

    source: str
    text: str
    content: dict[str, Any]

    def error(self, path: TomlPath, wrong: WrongValueError, *, at_key: bool = False) -> TomlError:
        """Return the error at the value (or key) of a path, or at what stands around it."""
        found = spots(self.text)
        known = path
        while known and known not in found:
            known = known[:-1]
        offset = 0
        if known:
            spot = found[known]
            offset = spot.key if at_key and known == path else spot.shown
            if wrong.part is not None:
                offset = _offset_of(wrong.part, self.text, spot.value, offset)
        names = [str(part) for part in path if isinstance(part, str)]
        label = f"{values.shown(names[-1])[1:-1]}: " if names else ""
        return TomlError(place_at(self.source, self.text, offset), f"{label}{wrong.problem}")


def _offset_of(part: str, text: str, start: int, otherwise: int) -> int:
    name = re.escape(part)
    for pattern in (rf"""["']{name}["']""", rf"(?<!\w){name}(?!\w)"):
        if found := re.compile(pattern).search(text, start):
            return found.start()
    return otherwise


def read_toml(path: Path, accepted: str) -> TomlText:
    """Return a file's content; raises LarsError where it cannot be read or is no TOML.

    `accepted` says what file is wanted, for a message.
    """
    if not exists(path, folder=False):
        raise LarsError(f"{path}: no such file; accepted: {accepted}")
    try:
        data = path.read_bytes().removeprefix(BOM_UTF8)
    except OSError as error:
        raise LarsError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        text = data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        place = place_at(str(path), data.decode(errors="replace"), len(data[: error.start].decode()))
        raise TomlError(place, "found bytes that are no text; accepted: UTF-8") from None
    return parse_toml(str(path), text)


def exists(path: Path, *, folder: bool) -> bool:
    """Return whether a file, or a folder, is there; a name that no file can have is not."""
    try:
        return path.is_dir() if folder else path.is_file()
    except (OSError, ValueError):
        return False


def parse_toml(source: str, text: str) -> TomlText:
    """Return the content of a text; `source` names it in messages."""
    try:
        return TomlText(source, text, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(source, text, str(error)) from None
    except (RecursionError, ValueError):
        raise LarsError(f"{source}: a value is nested too deeply, or a number has too many digits") from None


def _syntax_error(source: str, text: str, message: str) -> TomlError:
    found = _SYNTAX_ERROR.fullmatch(message)
    problem, line, column = found.groups() if found else (message, None, None)
    if _GIVEN_TWICE.match(problem):
        problem = "a key or table is given twice; accepted: once"
    offset = len(text.rstrip())
    if line and column:
        offset = sum(len(each) + 1 for each in text.split("\n")[: int(line) - 1]) + int(column) - 1
    return TomlError(place_at(source, text, offset), f"no TOML: {problem}")


def checked(model: type[Model], toml: TomlText, required: str | None = None) -> Model:
    """Return the whole content as a model; `required` names the keys that have to be there."""
    return checked_at(model, toml, (), toml.content, required)


def checked_at(
    model: type[Model], toml: TomlText, path: TomlPath, content: object, required: str | None = None
) -> Model:
    """Return a content, which stands at a path of the file, as a model.

    Of several errors the first in the text is raised.
    """
    try:
        return model.model_validate(content)
    except ValidationError as error:
        details = error.errors(include_url=False)
        raise _first_error(model, toml, path, details, required) from None


def _first_error(
    model: type[BaseModel],
    toml: TomlText,
    path: TomlPath,
    errors: Sequence[ErrorDetails],
    required: str | None,
) -> LarsError:
    found = [_error(model, toml, path, error, required) for error in errors]
    placed = [error for error in found if isinstance(error, TomlError)]
    return min(placed, key=lambda error: (error.place.line, error.place.column), default=found[0])


def _error(
    model: type[BaseModel], toml: TomlText, path: TomlPath, error: ErrorDetails, required: str | None
) -> LarsError:
    at = (*path, *error["loc"])
    match error:
        case {"type": "missing"}:
            names = required or ", ".join(_required(_model_at(model, error["loc"][:-1])))
            problem = f"the key {at[-1]} is missing; required: {names}"
            if len(at) == 1:
                return LarsError(f"{toml.source}: {problem}")
            return toml.error(at[:-1], WrongValueError(problem))
        case {"type": "extra_forbidden"}:
            accepted = list(_model_at(model, error["loc"][:-1]).model_fields)
            return toml.error(at, WrongValueError(unknown(str(at[-1]), accepted)), at_key=True)
        case {"ctx": {"error": WrongValueError() as wrong}}:
            return toml.error(at, wrong)
        case _:
            accepted_value = _WORDS.get(error["type"], "what the schema says")
            return toml.error(at, values.wrong(error["input"], accepted_value))


def unknown(key: str, accepted: Sequence[str]) -> str:
    """Return what to say of a key that is none of those accepted."""
    close = get_close_matches(key, accepted, 1)
    hint = f", did you mean {close[0]}?" if close else ";"
    return f"unknown key{hint} accepted: {', '.join(accepted)}"


def _required(model: type[BaseModel]) -> list[str]:
    return [name for name, field in model.model_fields.items() if field.is_required()]


def _model_at(model: type[BaseModel], path: TomlPath) -> type[BaseModel]:
    """Return the model of a table inside a model."""
    for part in path:
        if isinstance(part, str) and part in model.model_fields:
            model = _model_in(model.model_fields[part].annotation) or model
    return model


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)
