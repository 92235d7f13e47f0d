"""RSP-JS's parser: regular expressions line by line, case-sensitive; Comunica gets all other lines."""

import re
from dataclasses import dataclass, field
from typing import Final

from lars.errors import place_at
from translate.errors import QueryError

_PREFIX: Final = re.compile("PREFIX +([^:]*): +<([^>]+)>")
_JS_WINDOW: Final = re.compile(
    r"FROM +NAMED +WINDOW +([^ ]+) +ON +STREAM +([^ ]+) +\[RANGE +([^ ]+) +STEP +([^ ]+)\]"
)
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
_CLAUSE: Final = re.compile(r"\bFROM\s+(?:NAMED\s+)?WINDOW\b|\bWINDOW\s+\S+\s*(?:\{|$)", re.IGNORECASE)
_SHAPE: Final = "FROM NAMED WINDOW :name ON STREAM :stream [RANGE integer STEP integer] in a line of its own"


def check_rsp_js(text: str, source: str) -> None:
    """Raise QueryError where RSP-JS loses a window or a block of the query, or finds no window."""
    lines = _Lines(text, source)
    start = 0
    for line in text.splitlines(keepends=True):
        lines.read(line.strip(), start + len(line) - len(line.lstrip()))
        start += len(line)
    if not lines.windows:
        raise QueryError(place_at(source, text, 0), f"found no window of RSP-JS; expected {_SHAPE}")


@dataclass(slots=True)
class _Lines:
    """What the lines up to now declare: prefixes, and the number of windows."""

    text: str
    source: str
    prefixes: dict[str, str] = field(default_factory=dict)
    windows: int = 0

    def read(self, line: str, start: int) -> None:
        """Read a line that begins at the character `start`."""
        if line.startswith("REGISTER"):
            return  # and all that is behind it in the line
        if line.startswith("FROM NAMED WINDOW"):
            self._read_window(line, start)
            return
        if line.startswith("PREFIX"):
            self.prefixes.update(_PREFIX.findall(line))
        for clause in _CLAUSE.finditer(_COMMENT.sub("", line)):
            if clause.start() or not line.startswith("WINDOW"):
                accepted = "WINDOW in capitals at the start of a line, or " + _SHAPE
                raise self._error(start + clause.start(), f"found {clause.group()}; RSP-JS reads {accepted}")

    def _read_window(self, line: str, start: int) -> None:
        found = _JS_WINDOW.match(line)
        if found is None:
            raise self._error(start, f"found a window that RSP-JS does not see; expected {_SHAPE}")
        for group in (1, 2):
            if not self._is_resolved(found[group]):
                accepted = "an IRI, or a prefix that a line PREFIX name: <iri> above declares"
                raise self._error(start + found.start(group), f"found {found[group]}; expected {accepted}")
        for group in (3, 4):
            if not re.fullmatch("0*[1-9][0-9]*", found[group], re.ASCII):
                problem = f"found {found[group]}; expected an integer from 1 on"
                raise self._error(start + found.start(group), problem)
        self.windows += 1

    def _is_resolved(self, name: str) -> bool:
        return name.startswith("<") or (":" in name and name.split(":", maxsplit=1)[0] in self.prefixes)

    def _error(self, offset: int, problem: str) -> QueryError:
        return QueryError(place_at(self.source, self.text, offset), problem)
