"""TOML files: read, with the place of what is no TOML and of each key and value; the keys for readers."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from agreement.documents.placed.data import DataNotation, KeyPath, KeySpot, PlacedData, Spots
from agreement.documents.values import message_text
from lars.durations import Duration
from lars.errors import LarsError, PlacedError, place_at
from lars.files import read_file

_SYNTAX_ERROR = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_GIVEN_TWICE = re.compile(r"Cannot (overwrite|declare|mutate)")
_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_STRING: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}' r"|'''.*?'{3,5}" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'", re.DOTALL
)
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE: Final = re.compile(r"[^,\]}#\n]*")


def read_toml(path: Path, accepted: str) -> PlacedData:
    """Return a file's content; raises LarsError where it cannot be read or is no TOML.

    `accepted` says what file is wanted, for a message.
    """
    source, text = str(path), read_file(path, accepted).text.replace("\r\n", "\n")
    try:
        return PlacedData(source, text, 0, len(text), tomllib.loads(text), "", _TOML)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(source, text, str(error)) from None
    except (RecursionError, ValueError):
        raise LarsError(f"{source}: a value is nested too deeply, or a number has too many digits") from None


def _syntax_error(source: str, text: str, message: str) -> PlacedError:
    found = _SYNTAX_ERROR.fullmatch(message)
    problem, line, column = found.groups() if found else (message, None, None)
    if _GIVEN_TWICE.match(problem):
        problem = "a key or table is given twice; accepted: once"
    offset = len(text.rstrip())
    if line and column:
        offset = sum(len(each) + 1 for each in text.split("\n")[: int(line) - 1]) + int(column) - 1
    return PlacedError(place_at(source, text, offset), f"no TOML: {problem}")


def toml_spots(text: str, start: int, end: int) -> Spots:
    """Return the first place of each path in a part of a text that is TOML.

    >>> toml_spots("a = [1]", 0, 7)[("a", 0)]
    KeySpot(key=5, value=5, is_header=False)
    """
    return _Scan(text[:end], start).document()


_TOML: Final = DataNotation(toml_spots, "a table", message_text)


@dataclass(slots=True)
class _Scan:
    text: str
    at: int = 0
    found: dict[KeyPath, KeySpot] = field(default_factory=dict)
    counts: dict[KeyPath, int] = field(default_factory=dict)
    """How many tables each array of tables has so far."""

    def document(self) -> dict[KeyPath, KeySpot]:
        table: KeyPath = ()
        self._skip(_BLANK)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_BLANK)
        return self.found

    def _skip(self, what: re.Pattern[str]) -> None:
        if found := what.match(self.text, self.at):
            self.at = found.end()

    def _header(self) -> KeyPath:
        several = self.text.startswith("[[", self.at)
        self.at += 1 + several
        keys = self._keys()
        self.at += 1 + several
        path: KeyPath = ()
        for name, offset in keys:
            path = self._inside((*path, name))
            self.found.setdefault(path, KeySpot(offset, self.at, is_header=True))
        if several:
            path = path[:-1] if isinstance(path[-1], int) else path
            number = self.counts.get(path, 0)
            self.counts[path] = number + 1
            path = (*path, number)
            self.found.setdefault(path, KeySpot(keys[-1][1], self.at, is_header=True))
        return path

    def _inside(self, path: KeyPath) -> KeyPath:
        """Return the path into the last table of an array of tables."""
        return (*path, self.counts[path] - 1) if path in self.counts else path

    def _pair(self, table: KeyPath) -> None:
        keys = self._keys()
        self.at += 1
        self._skip(_SPACE)
        path = table
        for name, offset in keys:
            path = (*path, name)
            self.found.setdefault(path, KeySpot(offset, self.at))
        self._value(path)

    def _keys(self) -> list[tuple[str, int]]:
        """Read the parts of a dotted key, up to what follows them."""
        found = []
        while True:
            self._skip(_SPACE)
            start = self.at
            self._skip(_STRING if self.text[start] in "\"'" else _BARE_KEY)
            written = self.text[start : self.at]
            name = tomllib.loads(f"x = {written}")["x"] if written[0] in "\"'" else written
            found.append((name, start))
            self._skip(_SPACE)
            if self.text[self.at] != ".":
                return found
            self.at += 1

    def _value(self, path: KeyPath) -> None:
        match self.text[self.at]:
            case "[":
                self._items(path)
            case "{":
                self._inline(path)
            case '"' | "'":
                self._skip(_STRING)
            case _:
                self._skip(_BARE_VALUE)

    def _items(self, path: KeyPath) -> None:
        self.at += 1
        number = 0
        while self._another("]"):
            self.found.setdefault((*path, number), KeySpot(self.at, self.at))
            self._value((*path, number))
            number += 1

    def _inline(self, path: KeyPath) -> None:
        self.at += 1
        while self._another("}"):
            self._pair(path)

    def _another(self, end: str) -> bool:
        """Go to the next item of a list or inline table; false behind its end."""
        self._skip(_BLANK)
        if self.text[self.at] == ",":
            self.at += 1
            self._skip(_BLANK)
        if self.text[self.at] != end:
            return True
        self.at += 1
        return False


_INDENT: Final = "    "
_WIDTH: Final = 96


def fields_of(model: type[BaseModel]) -> str:
    """Return a paragraph for each key of a model."""
    return "\n".join(line for name, field in model.model_fields.items() for line in _field(name, field))


class _TomlSchema(GenerateJsonSchema):
    def encode_default(self, dft: object) -> object:
        """Return a default as the file holds it."""
        return str(dft) if isinstance(dft, Duration) else super().encode_default(dft)


def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a model, with the defaults that say something."""
    found = model.model_json_schema(schema_generator=_TomlSchema)
    for part in (found, *found.get("$defs", {}).values()):
        for key in part.get("properties", {}).values():
            # pydantic repeats the key as a title, and writes null or nothing for "may be left out".
            key.pop("title", None)
            if not key.get("default"):
                key.pop("default", None)
    return found


def _field(name: str, field: FieldInfo) -> Iterator[str]:
    usual = "required" if field.is_required() else _usual(field.get_default(call_default_factory=True))
    yield f"{name} ({usual})"
    yield from wrap(field.description or "", _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)


def _usual(value: object) -> str:
    left_out = value is None or value in ({}, "", [], ())
    return "may be left out" if left_out else f"default: {_written(value)}"


def _written(value: object) -> str:
    """Return a value as the file holds it."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case Enum():
            return f'"{value.value}"'
        case Duration():
            return f'"{value}"'
        case tuple() | frozenset():
            return f"[{', '.join(map(_written, value))}]"
        case _:
            return str(value)
