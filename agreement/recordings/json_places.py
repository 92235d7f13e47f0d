"""Where keys and values stand in a text that is JSON: asked only when one of them is wrong."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from solver.rdf import short

JsonPath = tuple[str | int, ...]

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Spot:
    """A key or a value: its path, the offset where it starts, and its first text."""

    path: JsonPath
    offset: int
    text: str
    is_key: bool


@dataclass(slots=True)
class _Level:
    """An open list or object; `at` is the number or key of its present member."""

    at: str | int
    is_object: bool
    before_key: bool


def spots(text: str, start: int, end: int) -> Iterator[Spot]:
    """Yield the keys and values of text[start:end] in their order, as far as it is JSON; no recursion."""
    levels: list[_Level] = []
    for found in _TOKEN.finditer(text, start, end):
        part, inner = found[0], levels[-1] if levels else None
        if inner is not None and part in "}]:,":
            _step(levels, inner, part)
            continue
        is_key = inner is not None and inner.before_key
        if inner is not None and is_key:
            key = _key(part)
            if key is None:
                return
            inner.at = key
        yield Spot(tuple(level.at for level in levels), found.start(), part, is_key)
        if part in "{[":
            levels.append(_Level(0, part == "{", part == "{"))


def _key(part: str) -> str | None:
    try:
        key = json.loads(part, strict=False)
    except ValueError:
        return None
    return key if isinstance(key, str) else None


def _step(levels: list[_Level], inner: _Level, mark: str) -> None:
    match mark:
        case ":":
            inner.before_key = False
        case ",":
            inner.before_key = inner.is_object
            inner.at = 0 if isinstance(inner.at, str) else inner.at + 1
        case _:
            levels.pop()


def offset_of(path: JsonPath, text: str, start: int, end: int) -> int:
    """Return where the value at a path starts, or else the innermost value around it that exists."""
    best, offset = -1, start
    for spot in spots(text, start, end):
        size = len(spot.path)
        if not spot.is_key and size > best and spot.path == path[:size]:
            best, offset = size, spot.offset
    return offset


def key_offset(path: JsonPath, text: str, start: int, end: int) -> int:
    """Return where the key at a path starts."""
    found = (spot.offset for spot in spots(text, start, end) if spot.is_key and spot.path == path)
    return next(found, start)


def written(path: JsonPath) -> str:
    """Return a path as it is said in a message.

    >>> written(("output", 3, "rows", 0, "s"))
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
