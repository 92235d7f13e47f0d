"""JSON texts: what is wrong with one, said with line and column and the path of the value."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from agreement.recordings.json_places import JsonPath, Spot, key_offset, offset_of, spots, written
from agreement.recordings.source import Line, Source
from lars.errors import LarsError
from solver.rdf import short

_DEEPEST: Final = 100
_MOST_DIGITS: Final = 1000
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_CONSTANTS: Final = ("NaN", "Infinity", "-Infinity")
_WORDS: Final = {
    "string_type": "a text in quotes",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "finite_number": "a finite number",
    "list_type": "a list, [..]",
    "dict_type": "an object, {..}",
    "model_type": "an object, {..}",
    "model_attributes_type": "an object, {..}",
}

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON value, the part of a file that it was read from, and what is accepted there."""

    source: Source
    start: int
    end: int
    value: Any
    accepted: str

    def error(self, path: JsonPath, problem: str, *, at_key: bool = False) -> LarsError:
        """Return the error at the value (or key) of a path, or at what stands around it."""
        place = key_offset if at_key else offset_of
        offset = place(path, self.source.text, self.start, self.end)
        return self.source.error(offset, f"{written(path)}: {problem}" if path else problem)


class _WrongError(Exception):
    """Something that json accepts and JSON does not; its place is found by another reading."""


def whole(source: Source, accepted: str) -> Document:
    """Return the one JSON value of a file; raises LarsError with its place and what is accepted."""
    return _document(source, 0, len(source.text), accepted)


def of_line(line: Line, accepted: str) -> Document:
    """Return the one JSON value of a line."""
    return _document(line.source, line.offset, line.offset + len(line.text), accepted)


def _document(source: Source, start: int, end: int, accepted: str) -> Document:
    text = source.text[start:end]
    if not text.strip():
        raise source.error(start, f"found nothing, the file is empty; accepted: {accepted}")
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        # How deep Python reads depends on what else the process has done.
        if any(len(spot.path) > _DEEPEST for spot in _opened(source, start, start + error.pos)):
            raise _wrong(source, start, end, accepted) from None
        raise _syntax_error(source, start, text, error, accepted) from None
    except (_WrongError, RecursionError, ValueError):
        raise _wrong(source, start, end, accepted) from None
    if _HALF.search(text):
        _check_characters(source, start, end)
    return Document(source, start, end, value, accepted)


def _opened(source: Source, start: int, end: int) -> Iterable[Spot]:
    """Return the values of a text that can be too deep: there are none where it opens few."""
    text = source.text[start:end]
    return spots(source.text, start, end) if text.count("[") + text.count("{") > _DEEPEST else ()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _WrongError
    return found


def _no_constant(_: str) -> NoReturn:
    raise _WrongError


def _syntax_error(
    source: Source, start: int, text: str, error: json.JSONDecodeError, accepted: str
) -> LarsError:
    rest = text[error.pos :]
    said = error.msg.removesuffix(" at").removesuffix(" starting")
    cut = not rest.strip() or said == "Unterminated string"
    found = "the end of the text, it is cut off" if cut else short(rest.split("\n", 1)[0])
    problem = f"no JSON: found {found}: {said[0].lower()}{said[1:]}; accepted: {accepted}"
    return source.error(start + (len(text.rstrip()) if not rest.strip() else error.pos), problem)


def _wrong(source: Source, start: int, end: int, accepted: str) -> LarsError:
    """Return the first thing in a text that is no JSON beyond its syntax."""
    keys: set[JsonPath] = set()
    for spot in spots(source.text, start, end):
        at = written(spot.path)
        if len(spot.path) > _DEEPEST:
            problem = f"found lists or objects too deep in each other; accepted: at most {_DEEPEST}"
        elif spot.is_key and spot.path in keys:
            problem = f"found the key {at} twice; accepted: once"
        elif not spot.is_key and spot.text.startswith(_CONSTANTS):
            problem = f"{at}: found {spot.text}; accepted: a finite number"
        elif not spot.is_key and spot.text[0] in "-0123456789" and len(spot.text) > _MOST_DIGITS:
            problem = f"{at}: found {len(spot.text)} digits; accepted: at most {_MOST_DIGITS}"
        else:
            keys.add(spot.path if spot.is_key else ())
            continue
        return source.error(spot.offset, problem)
    return source.error(start, f"no JSON that can be read; accepted: {accepted}")


def _check_characters(source: Source, start: int, end: int) -> None:
    for spot in spots(source.text, start, end):
        if spot.text[0] == '"' and not _is_text(json.loads(spot.text)):
            problem = f"found half a character, {json.loads(spot.text)!a}; accepted: whole ones"
            raise source.error(spot.offset, f"{written(spot.path)}: {problem}")


def _is_text(text: str) -> bool:
    return not any("\ud800" <= one <= "\udfff" for one in text)


def checked(model: type[_Model], document: Document) -> _Model:
    """Return a document as its schema says; raises LarsError at the first value that is not so."""
    try:
        return model.model_validate(document.value, strict=True)
    except ValidationError as error:
        raise _placed(document, error.errors(include_url=False)[0]) from None


def _placed(document: Document, error: ErrorDetails) -> LarsError:
    path, found = error["loc"], f"found {shown(error['input'])}"
    match error:
        case {"type": "missing"}:
            present = ", ".join(error["input"]) or "none"
            problem = f"the key {path[-1]} is missing; found the keys {present}"
            return document.error(path[:-1], f"{problem}; accepted: {document.accepted}")
        case {"type": "recording", "ctx": {"problem": str() as problem}}:
            return document.error(path, problem)
        case {"type": "literal_error", "ctx": {"expected": str() as expected}}:
            return document.error(path, f"{found}; accepted: {expected}")
        case _:
            said = error["msg"].removeprefix("Input should be ")
            return document.error(path, f"{found}; accepted: {_WORDS.get(error['type'], said)}")


def shown(value: object) -> str:
    """Return a JSON value for a message: what it is, in few characters."""
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
        case str():
            return short(value)
        case _:
            text = json.dumps(value)
            return text if len(text) < _DEEPEST else f"{text[: _DEEPEST - 1]}…"
