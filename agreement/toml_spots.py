"""Where keys and values stand in a TOML text that has been read: only asked for messages."""

import re
import tomllib
from dataclasses import dataclass, field
from typing import Final

TomlPath = tuple[str | int, ...]
"""The keys and positions (from 0) on the way to a value."""

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_STRING: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}' r"|'''.*?'{3,5}" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'", re.DOTALL
)
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE: Final = re.compile(r"[^,\]}#\n]*")


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a key and its value start; that of a table is its header, after which `value` stands."""

    key: int
    value: int
    is_header: bool = False

    @property
    def shown(self) -> int:
        """Where to point at for the value."""
        return self.key if self.is_header else self.value


def spots(text: str) -> dict[TomlPath, Spot]:
    """Return the first place of each path in a text that is TOML.

    >>> spots("a = [1]")[("a", 0)]
    Spot(key=5, value=5, is_header=False)
    """
    return _Scan(text).document()


@dataclass(slots=True)
class _Scan:
    text: str
    at: int = 0
    found: dict[TomlPath, Spot] = field(default_factory=dict)
    counts: dict[TomlPath, int] = field(default_factory=dict)
    """How many tables each array of tables has so far."""

    def document(self) -> dict[TomlPath, Spot]:
        table: TomlPath = ()
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

    def _header(self) -> TomlPath:
        several = self.text.startswith("[[", self.at)
        self.at += 1 + several
        keys = self._keys()
        self.at += 1 + several
        path: TomlPath = ()
        for name, offset in keys:
            path = self._inside((*path, name))
            self.found.setdefault(path, Spot(offset, self.at, is_header=True))
        if several:
            path = path[:-1] if isinstance(path[-1], int) else path
            number = self.counts.get(path, 0)
            self.counts[path] = number + 1
            path = (*path, number)
            self.found.setdefault(path, Spot(keys[-1][1], self.at, is_header=True))
        return path

    def _inside(self, path: TomlPath) -> TomlPath:
        """Return the path into the last table of an array of tables."""
        return (*path, self.counts[path] - 1) if path in self.counts else path

    def _pair(self, table: TomlPath) -> None:
        keys = self._keys()
        self.at += 1
        self._skip(_SPACE)
        path = table
        for name, offset in keys:
            path = (*path, name)
            self.found.setdefault(path, Spot(offset, self.at))
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

    def _value(self, path: TomlPath) -> None:
        match self.text[self.at]:
            case "[":
                self._items(path)
            case "{":
                self._inline(path)
            case '"' | "'":
                self._skip(_STRING)
            case _:
                self._skip(_BARE_VALUE)

    def _items(self, path: TomlPath) -> None:
        self.at += 1
        number = 0
        while self._another("]"):
            self.found.setdefault((*path, number), Spot(self.at, self.at))
            self._value((*path, number))
            number += 1

    def _inline(self, path: TomlPath) -> None:
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
