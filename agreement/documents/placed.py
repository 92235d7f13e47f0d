"""Reading of TOML and JSON with the place of each key and value, for error messages."""

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from difflib import get_close_matches
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, TypeVar, get_args

from lars.dataclass import dataclass
from lars.errors import LarsError, PlacedError, WrongValueError, message_text, place_at
from lars.files import TextFile, TextLine, check_line_ends, read_file
from solver.rdf import short

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

KeyPath = tuple[str | int, ...]
"""The path of a value: the keys and list positions (from 0) that lead to the value."""

_NAME: Final = re.compile(r"[^\W\d]\w*")
_WORDS: Final = {
    "string_type": "a text in quotes",
    "string_too_short": "a text that is not empty",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list, [..]",
    "tuple_type": "a list, [..]",
}
_CLOSE: Final = 0.7
"""The least similarity of an unknown key and the key that was perhaps meant; `tolerance` is no `traces`."""
_TABLES: Final = ("dict_type", "model_type", "model_attributes_type")

Model = TypeVar("Model", bound="BaseModel")


KeySpot = tuple[int, int, int]
"""The offsets of a key, of its value, and of the place in a message about the value.

For a TOML table, these are the offsets of the header, of the text after the header, and of the header.
"""
Spots = Mapping[KeyPath, KeySpot]
KeyFault = tuple[KeyPath, WrongValueError, bool]
"""The path of a wrong value, the problem, and whether the problem concerns the key itself."""
Notation = Literal["TOML", "JSON"]


@dataclass(frozen=True, slots=True)
class PlacedData:
    """The TOML or JSON data in text[start:end] of a file; `accepted` is the expected content for messages."""

    source: str
    text: str
    start: int
    end: int
    content: Any
    accepted: str
    notation: Notation

    def spots(self) -> Spots:
        """Return the place of each key and value by path; the first error message computes the places."""
        return scanned(self.text, self.start, self.end, self.notation).spots

    def offset(self, spots: Spots, path: KeyPath, part: str | None, *, at_key: bool) -> int:
        """Return the offset in the text of the value (or key) at a path, or of a part of this value."""
        known = path
        while known and known not in spots:
            known = known[:-1]
        if known not in spots:
            return self.start
        key, value, shown = spots[known]
        offset = key if at_key and known == path else shown
        return offset if part is None else _offset_of(part, self, value, offset)

    def value_text(self, path: KeyPath) -> str:
        """Return the text of the JSON value at a path."""
        if not path:
            return self.text[self.start : self.end].strip()
        _, begin, _ = self.spots()[path]
        return self.text[begin : json.JSONDecoder().raw_decode(self.text, begin)[1]]

    def error(self, path: KeyPath, wrong: WrongValueError | str, *, at_key: bool = False) -> PlacedError:
        """Return an error with the place of a value (or its key), or of the nearest value around it."""
        problem = wrong if isinstance(wrong, WrongValueError) else WrongValueError(wrong)
        label = f"{path_text(path)}: " if path else ""
        place = place_at(self.source, self.text, self.offset(self.spots(), path, problem.part, at_key=at_key))
        return PlacedError(place, f"{label}{problem.problem}")

    def first_error(self, faults: Sequence[KeyFault]) -> LarsError:
        """Return the first error in the text; errors without a path, such as for missing keys, come last."""
        spots = self.spots()
        at, wrong, at_key = min(
            faults,
            key=lambda fault: (not fault[0], self.offset(spots, fault[0], fault[1].part, at_key=fault[2])),
        )
        if at or () in spots:
            return self.error(at, wrong, at_key=at_key)
        return LarsError(f"{self.source}: {wrong.problem}")


def _offset_of(part: str, data: PlacedData, start: int, otherwise: int) -> int:
    name = re.escape(part)
    for pattern in (rf"""["']{name}["']""", rf"(?<!\w){name}(?!\w)"):
        if match := re.compile(pattern).search(data.text, start, data.end):
            return match.start()
    return otherwise


def path_text(path: KeyPath) -> str:
    """Return a path as text for a message.

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
    """Check the whole content of a file, and return it as a pydantic model."""
    return checked_at(model, data, (), data.content)


def checked_at(model: type[Model], data: PlacedData, path: KeyPath, content: object) -> Model:
    """Check the content at a path, and return it as a pydantic model.

    If several errors exist, the first error in the text is raised; errors for missing keys come last.
    """
    from pydantic import ValidationError

    try:
        return model.model_validate(content)
    except ValidationError as error:
        details = error.errors(include_url=False)
    raise data.first_error([_fault(model, data, path, detail) for detail in details])


def _fault(model: "type[BaseModel]", data: PlacedData, path: KeyPath, error: "ErrorDetails") -> KeyFault:
    """Return what is wrong according to pydantic."""
    at = (*path, *error["loc"])
    match error:
        case {"type": "missing"}:
            infos = _model_at(model, error["loc"][:-1]).model_fields
            required = [name for name, field in infos.items() if field.is_required()]
            return at[:-1], _missing(data, error, required), False
        case {"type": "extra_forbidden"}:
            accepted = list(_model_at(model, error["loc"][:-1]).model_fields)
            return at, unknown_key(str(at[-1]), accepted), True
        case {"ctx": {"error": WrongValueError() as wrong}}:
            return at, wrong, False
        case _:
            value_text = message_text if data.notation == "TOML" else shown_json
            text = f"found {value_text(error['input'])}"
            return at, WrongValueError(f"{text}; expected {expectation(error, data.notation)}"), False


def _missing(data: PlacedData, error: "ErrorDetails", required: Sequence[str]) -> WrongValueError:
    name = str(error["loc"][-1])
    if not data.accepted:
        return missing_key(name, required)
    keys = ", ".join(error["input"]) or "none"
    return WrongValueError(f"the key {name} is missing; found the keys {keys}; expected {data.accepted}")


def missing_key(name: str, required: Sequence[str]) -> WrongValueError:
    """Return the error for a missing key; `required` are the required keys."""
    return WrongValueError(f"the key {name} is missing; required: {', '.join(required)}")


def expectation(error: "ErrorDetails", notation: Notation) -> str:
    """Return the expected form of a value in words."""
    match error:
        case {"type": "literal_error", "ctx": {"expected": str() as expected}}:
            return expected
        case {"type": kind} if kind in _TABLES:
            return "a table" if notation == "TOML" else "an object, {..}"
        case _:
            return _WORDS.get(error["type"], error["msg"].removeprefix("Input should be "))


def unknown_key(key: str, accepted: Sequence[str]) -> WrongValueError:
    """Return the error for an unknown key; `accepted` are the known keys."""
    close = get_close_matches(key, accepted, 1, _CLOSE)
    problem = f", did you mean {close[0]}?" if close else f"; expected {', '.join(accepted)}"
    return WrongValueError(f"unknown key{problem}")


def _model_at(model: "type[BaseModel]", path: KeyPath) -> "type[BaseModel]":
    """Return the pydantic model of the table at a path inside a model."""
    for part in path:
        if isinstance(part, str) and part in model.model_fields:
            model = _model_in(model.model_fields[part].annotation) or model
    return model


def _model_in(annotation: object) -> "type[BaseModel] | None":
    from pydantic import BaseModel

    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for part in get_args(annotation) if (model := _model_in(part))), None)


_SYNTAX_ERROR = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_GIVEN_TWICE = re.compile(r"Cannot (overwrite|declare|mutate)")
_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}' r"|'''.*?'{3,5}" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'", re.DOTALL
)
_QUOTES: Final = ("'", '"')
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE: Final = re.compile(r"[^,\]}#\n]*")


def read_toml(path: Path, accepted: str) -> PlacedData:
    """Return the content of a TOML file; raises LarsError if the file cannot be read or is not TOML.

    The argument `accepted` is the expected kind of file, for a message.
    """
    source, text = str(path), read_file(path, accepted).text.replace("\r\n", "\n")
    check_line_ends(source, text)
    # Of a key with n parts tomllib makes n**2 / 2.
    if text.count(".") >= _DEEPEST:
        with suppress(IndexError, ValueError, RecursionError):  # the next reader reports other errors
            _Scan(text, 0, len(text), "TOML", source=source).whole()
    try:
        return PlacedData(source, text, 0, len(text), tomllib.loads(text), "", "TOML")
    except tomllib.TOMLDecodeError as error:
        # A file of another kind was perhaps meant for another command.
        more = "" if path.suffix.lower() == ".toml" else f"; expected {accepted}"
        raise _syntax_error(source, text, str(error), more) from None
    except (RecursionError, ValueError):
        raise LarsError(f"{source}: a value is nested too deeply, or a number has too many digits") from None


_OF_OTHER_LANGUAGES: Final = re.compile(r"(?:(?P<null>null|NULL|None|nil)|True|TRUE|False|FALSE)\b")


def _syntax_error(source: str, text: str, message: str, more: str) -> PlacedError:
    match = _SYNTAX_ERROR.fullmatch(message)
    problem, line, column = match.groups() if match else (message, None, None)
    if _GIVEN_TWICE.match(problem):
        problem = "a key or table is given twice; expected each key and table once"
    offset = len(text.rstrip())
    if line and column:
        offset = sum(len(each) + 1 for each in text.split("\n")[: int(line) - 1]) + int(column) - 1
    if word := _OF_OTHER_LANGUAGES.match(text, offset):
        remedy = "leave out the key" if word["null"] else f"use {word[0].lower()}"
        problem = f"{word[0]} is not a value of TOML; {remedy}"
    return PlacedError(place_at(source, text, offset), f"invalid TOML: {problem}{more}")


DataToken = tuple[KeyPath, int, str, bool]
"""A key or a value: its path, its offset, its first token, and whether the token is a key."""


@dataclass(slots=True)
class _Scan:
    """A scanner of TOML or JSON that collects keys and values with their places, in text order.

    The field `spots` contains each path of keys once.
    """

    text: str
    at: int
    end: int
    notation: Notation
    deepest: float = inf
    """The greatest nesting depth of lists and objects; the scanner stops at a more deeply nested value."""
    spots: dict[KeyPath, KeySpot] = field(default_factory=dict)
    tokens: list[DataToken] = field(default_factory=list)
    counts: dict[KeyPath, int] = field(default_factory=dict)
    """The number of tables that the scanner has read of each array of tables."""
    source: str = ""

    def whole(self) -> None:
        """Read the whole text of the file."""
        if self.notation == "TOML":
            self._document()
        else:
            self._value()

    def _document(self) -> None:
        """Read the lines of a TOML file."""
        table: KeyPath = ()
        self._skip(_BLANK)
        while self.at < self.end:
            if self._next() == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_BLANK)

    def _value(self, path: KeyPath = ()) -> None:
        """Read a value, including all values inside the value."""
        self._skip(_BLANK)
        start, first = self.at, self._next()
        if first in "[{":
            self.at += 1
        else:
            self._skip(_STRING if first in _QUOTES else _BARE_VALUE)
        self.spots.setdefault(path, (start, start, start))
        self.tokens.append((path, start, self.text[start : self.at].rstrip(), False))
        if self.at == start or len(path) > self.deepest:
            raise ValueError(path)
        number = 0
        while first == "[" and self._another("]"):
            self._value((*path, number))
            number += 1
        while first == "{" and self._another("}"):
            self._pair(path)

    def _next(self) -> str:
        if self.at >= self.end:
            raise IndexError(self.at)
        return self.text[self.at]

    def _skip(self, what: re.Pattern[str]) -> None:
        if match := what.match(self.text, self.at, self.end):
            self.at = match.end()

    def _header(self) -> KeyPath:
        several = self.text.startswith("[[", self.at)
        self.at += 1 + several
        keys = self._keys()
        self.at += 1 + several
        path: KeyPath = ()
        for name, offset in keys:
            path = self._inside((*path, name))
            self.spots.setdefault(path, (offset, self.at, offset))
        if several:
            path = path[:-1] if isinstance(path[-1], int) else path
            number = self.counts.get(path, 0)
            self.counts[path] = number + 1
            path = (*path, number)
            self.spots.setdefault(path, (keys[-1][1], self.at, keys[-1][1]))
        return path

    def _inside(self, path: KeyPath) -> KeyPath:
        """Return the path into the last table of an array of tables."""
        return (*path, self.counts[path] - 1) if path in self.counts else path

    def _pair(self, path: KeyPath) -> None:
        table, keys = path, self._keys()
        for name, offset in keys:
            path = (*path, name)
            self.tokens.append((path, offset, self.text[offset : self.at], True))
        self.at += 1
        self._skip(_BLANK)
        for depth, (_, offset) in enumerate(keys, len(table) + 1):
            self.spots.setdefault(path[:depth], (offset, self.at, self.at))
        self._value(path)

    def _keys(self) -> list[tuple[str, int]]:
        """Read the parts of a dotted key, and move to the text after the key."""
        keys = []
        while True:
            self._skip(_BLANK)
            start, quoted = self.at, self._next() in _QUOTES
            self._skip(_STRING if quoted else _BARE_KEY)
            written = self.text[start : self.at]
            keys.append((self._key(written) if quoted else written, start))
            if len(keys) > _DEEPEST:
                place = place_at(self.source, self.text, keys[0][1])
                raise PlacedError(place, f"the key has more than {_DEEPEST} parts; expected a shorter key")
            self._skip(_BLANK)
            if not self.text.startswith(".", self.at):
                return keys
            self.at += 1

    def _key(self, quoted: str) -> str:
        """Return a key without its quotes."""
        if self.notation == "JSON":
            return str(json.loads(quoted, strict=False))
        key: str = tomllib.loads(f"x = {quoted}")["x"]
        return key

    def _another(self, end: str) -> bool:
        """Move to the next item of a list or inline table; return False at its end.

        The argument `end` is the closing bracket; if it follows, the scanner moves to the text after it.
        """
        self._skip(_BLANK)
        if self._next() == ",":
            self.at += 1
            self._skip(_BLANK)
        if self._next() != end:
            return True
        self.at += 1
        return False


def scanned(text: str, start: int, end: int, notation: Notation, deepest: float = inf) -> _Scan:
    """Scan text[start:end] up to the first syntax error; the result has the offsets of keys and values.

    >>> scanned("a = [1]", 0, 7, "TOML").spots[("a", 0)]
    (5, 5, 5)
    """
    scan = _Scan(text, start, end, notation, deepest)
    with suppress(IndexError, ValueError, RecursionError):
        scan.whole()
    return scan


def toml_text(value: object) -> str:
    """Return a text or a number in TOML syntax."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


_DEEPEST: Final = 100
"""The greatest number of nested lists and objects."""
_LONGEST_VALUE: Final = 100
"""The greatest number of characters of a value in a message, including the omission sign."""
_MOST_DIGITS: Final = 1000
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_CONSTANTS: Final = ("NaN", "Infinity", "-Infinity")


def json_of(file: TextFile, accepted: str, fraction: Callable[[str], object] = float) -> PlacedData:
    """Return the only JSON value of a file; raises LarsError with a place and the expected form.

    The function `fraction` reads numbers with a fraction or an exponent.
    """
    return _json(file, 0, len(file.text), accepted, fraction)


def json_of_line(line: TextLine, accepted: str, fraction: Callable[[str], object] = float) -> PlacedData:
    """Return the only JSON value of a line, as `json_of` does."""
    return _json(line.file, line.offset, line.offset + len(line.text), accepted, fraction)


def _json(
    source: TextFile, start: int, end: int, accepted: str, fraction: Callable[[str], object]
) -> PlacedData:
    text = source.text[start:end]
    if not text.strip():
        raise source.error(start, f"the file is empty; expected {accepted}")
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=fraction)
    except json.JSONDecodeError as error:
        # Python's recursion limit depends on the process's earlier calls.
        if _is_deep(source.text, start, start + error.pos):
            raise _wrong(source, start, end, accepted) from None
        raise _json_error(source, start, text, error, accepted) from None
    except (RecursionError, ValueError):
        raise _wrong(source, start, end, accepted) from None
    if _HALF.search(text) and (wrong := _beyond_syntax(source, start, end)):
        raise wrong
    return PlacedData(source.name, source.text, start, end, value, accepted, "JSON")


def _is_deep(text: str, start: int, end: int) -> bool:
    """Whether the values of a text are nested too deeply.

    If the text has few brackets, the result is False without a scan.
    """
    if text.count("[", start, end) + text.count("{", start, end) <= _DEEPEST:
        return False
    return any(len(path) > _DEEPEST for path, *_ in scanned(text, start, end, "JSON", _DEEPEST).tokens)


# What json accepts and JSON does not is wrong too; its place is found by another reading.
def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError(pairs)
    return content


def _no_constant(text: str) -> NoReturn:
    raise ValueError(text)


def _json_error(
    source: TextFile, start: int, text: str, error: json.JSONDecodeError, accepted: str
) -> LarsError:
    rest = text[error.pos :]
    sentence = error.msg.removesuffix(" at").removesuffix(" starting")
    is_open = not rest.strip() or sentence == "Unterminated string"
    words = short(rest.split("\n", 1)[0]) if rest.strip() else "the end of the line"
    # A line before other lines is complete.
    if is_open and not source.text[start + len(text) :].strip():
        words = "the end of the text, which is cut off"
    problem = f"not valid JSON: found {words}: {sentence[0].lower()}{sentence[1:]}; expected {accepted}"
    return source.error(start + (len(text.rstrip()) if not rest.strip() else error.pos), problem)


def _wrong(source: TextFile, start: int, end: int, accepted: str) -> LarsError:
    problem = _beyond_syntax(source, start, end)
    return problem or source.error(start, f"not readable as JSON; expected {accepted}")


def _beyond_syntax(source: TextFile, start: int, end: int) -> LarsError | None:
    """Return the first fault that JSON permits but `lars` rejects, such as a repeated key, or None."""
    keys: set[KeyPath] = set()
    for path, offset, text, is_key in scanned(source.text, start, end, "JSON", _DEEPEST).tokens:
        at = path_text(path)
        if len(path) > _DEEPEST:
            problem = f"lists or objects are nested too deeply; expected at most {_DEEPEST} levels"
        elif is_key and path in keys:
            problem = f"found the key {at} twice; expected the key once"
        elif not is_key and text.startswith(_CONSTANTS):
            problem = f"{at}: found {text}; expected a finite number"
        elif not is_key and text[0] in "-0123456789" and len(text) > _MOST_DIGITS:
            problem = f"{at}: found a number of {len(text)} digits; expected at most {_MOST_DIGITS}"
        elif half := _half_character(text):
            problem = f"{at}: found an unpaired surrogate, {half!a}; expected valid Unicode"
        else:
            keys.add(path if is_key else ())
            continue
        return source.error(offset, problem)
    return None


def _half_character(text: str) -> str | None:
    """Return the text of a quoted string that contains a lone surrogate; None for any other text."""
    words = ""
    with suppress(ValueError):
        words = str(json.loads(text, strict=False)) if _HALF.search(text) else ""
    return words if any("\ud800" <= character <= "\udfff" for character in words) else None


def shown_json(value: object) -> str:
    """Return a short description of a JSON value for a message."""
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
        case str():
            return short(value)
        case _:
            text = json.dumps(value, default=float)
            return text if len(text) < _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
