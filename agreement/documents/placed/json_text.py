"""JSON texts: read, with the place of what is no JSON and of each key and value."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NoReturn

from agreement.documents.placed.data import DataNotation, KeyPath, KeySpot, PlacedData, Spots, path_text
from lars.errors import LarsError
from lars.files import TextFile, TextLine
from solver.rdf import short

_DEEPEST: Final = 100
_MOST_DIGITS: Final = 1000
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_CONSTANTS: Final = ("NaN", "Infinity", "-Infinity")
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)


@dataclass(frozen=True, slots=True)
class JsonToken:
    """A key or a value: its path, the offset where it starts, and its first text."""

    path: KeyPath
    offset: int
    text: str
    is_key: bool


@dataclass(slots=True)
class _Level:
    """An open list or object; `at` is the number or key of its present member."""

    at: str | int
    is_object: bool
    before_key: bool


def _tokens(text: str, start: int, end: int) -> Iterator[JsonToken]:
    """Yield the keys and values of text[start:end] in their order, as far as it is JSON; no recursion."""
    levels: list[_Level] = []
    for found in _TOKEN.finditer(text, start, end):
        part, inner = found[0], levels[-1] if levels else None
        if inner is not None and part in "}]:,":
            _step(levels, inner, part)
            continue
        is_key = inner is not None and inner.before_key
        if inner is not None and is_key:
            key = _text_of(part)
            if key is None:
                return
            inner.at = key
        yield JsonToken(tuple(level.at for level in levels), found.start(), part, is_key)
        if part in "{[":
            levels.append(_Level(0, part == "{", part == "{"))


def _text_of(part: str) -> str | None:
    try:
        text = json.loads(part, strict=False)
    except ValueError:
        return None
    return text if isinstance(text, str) else None


def _step(levels: list[_Level], inner: _Level, mark: str) -> None:
    match mark:
        case ":":
            inner.before_key = False
        case ",":
            inner.before_key = inner.is_object
            inner.at = 0 if isinstance(inner.at, str) else inner.at + 1
        case _:
            levels.pop()


class _WrongError(Exception):
    """Something that json accepts and JSON does not; its place is found by another reading."""


def json_of(file: TextFile, accepted: str) -> PlacedData:
    """Return the one JSON value of a file; raises LarsError with its place and what is accepted."""
    return _json(file, 0, len(file.text), accepted)


def json_of_line(line: TextLine, accepted: str) -> PlacedData:
    """Return the one JSON value of a line."""
    return _json(line.file, line.offset, line.offset + len(line.text), accepted)


def _json(source: TextFile, start: int, end: int, accepted: str) -> PlacedData:
    text = source.text[start:end]
    if not text.strip():
        raise source.error(start, f"found nothing, the file is empty; accepted: {accepted}")
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        # How deep Python reads depends on what else the process has done.
        if any(len(token.path) > _DEEPEST for token in _opened(source, start, start + error.pos)):
            raise _wrong(source, start, end, accepted) from None
        raise _syntax_error(source, start, text, error, accepted) from None
    except (_WrongError, RecursionError, ValueError):
        raise _wrong(source, start, end, accepted) from None
    if _HALF.search(text) and (wrong := _beyond_syntax(source, start, end)):
        raise wrong
    return PlacedData(source.name, source.text, start, end, value, accepted, _JSON)


def _opened(source: TextFile, start: int, end: int) -> Iterable[JsonToken]:
    """Return the values of a text that can be too deep: there are none where it opens few."""
    text = source.text[start:end]
    return _tokens(source.text, start, end) if text.count("[") + text.count("{") > _DEEPEST else ()


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _WrongError
    return found


def _no_constant(_: str) -> NoReturn:
    raise _WrongError


def _syntax_error(
    source: TextFile, start: int, text: str, error: json.JSONDecodeError, accepted: str
) -> LarsError:
    rest = text[error.pos :]
    said = error.msg.removesuffix(" at").removesuffix(" starting")
    cut = not rest.strip() or said == "Unterminated string"
    found = "the end of the text, it is cut off" if cut else short(rest.split("\n", 1)[0])
    problem = f"no JSON: found {found}: {said[0].lower()}{said[1:]}; accepted: {accepted}"
    return source.error(start + (len(text.rstrip()) if not rest.strip() else error.pos), problem)


def _wrong(source: TextFile, start: int, end: int, accepted: str) -> LarsError:
    found = _beyond_syntax(source, start, end)
    return found or source.error(start, f"no JSON that can be read; accepted: {accepted}")


def _beyond_syntax(source: TextFile, start: int, end: int) -> LarsError | None:
    """Return the error of the first thing in a text that is no JSON beyond its syntax."""
    keys: set[KeyPath] = set()
    for token in _tokens(source.text, start, end):
        at = path_text(token.path)
        if len(token.path) > _DEEPEST:
            problem = f"found lists or objects too deep in each other; accepted: at most {_DEEPEST}"
        elif token.is_key and token.path in keys:
            problem = f"found the key {at} twice; accepted: once"
        elif not token.is_key and token.text.startswith(_CONSTANTS):
            problem = f"{at}: found {token.text}; accepted: a finite number"
        elif not token.is_key and token.text[0] in "-0123456789" and len(token.text) > _MOST_DIGITS:
            problem = f"{at}: found {len(token.text)} digits; accepted: at most {_MOST_DIGITS}"
        elif half := _half_character(token.text):
            problem = f"{at}: found half a character, {half!a}; accepted: whole ones"
        else:
            keys.add(token.path if token.is_key else ())
            continue
        return source.error(token.offset, problem)
    return None


def _half_character(text: str) -> str | None:
    """Return the text in quotes that has a surrogate without its other half."""
    found = _text_of(text) if _HALF.search(text) else None
    return found if found and any("\ud800" <= one <= "\udfff" for one in found) else None


def shown_json(value: object) -> str:
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


def json_spots(text: str, start: int, end: int) -> Spots:
    """Return the first place of each path in a part of a text, as far as it is JSON.

    >>> json_spots('{"a": [1]}', 0, 10)[("a", 0)]
    KeySpot(key=7, value=7, is_header=False)
    """
    keys: dict[KeyPath, int] = {}
    found: dict[KeyPath, KeySpot] = {}
    for token in _tokens(text, start, end):
        if token.is_key:
            keys[token.path] = token.offset
        else:
            found.setdefault(token.path, KeySpot(keys.get(token.path, token.offset), token.offset))
    return found


_JSON: Final = DataNotation(json_spots, "an object, {..}", shown_json)
