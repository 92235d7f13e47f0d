"""Queries as the parsers of RSP-JS and rsp-rs read them: line by line, with regular expressions.

The parsers remove a line that begins with REGISTER or FROM NAMED WINDOW. In a line that begins with WINDOW,
the parser of RSP-JS replaces the first WINDOW by GRAPH. The parser of rsp-rs replaces every WINDOW of the
line. A line that begins with PREFIX applies to the windows in later lines. A SPARQL processor without windows
receives all other lines unchanged. The parsers distinguish upper and lower case.
"""

import re
from collections.abc import Iterator
from typing import Final

from lars.dataclass import dataclass

_PREFIX: Final = re.compile("PREFIX +([^:]*): +<([^>]+)>")
_WINDOW: Final = re.compile(
    r"FROM +NAMED +WINDOW +([^ ]+) +ON +STREAM +([^ ]+) +\[RANGE +([^ ]+) +STEP +([^ ]+)\]"
)
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_FROM: Final = "FROM NAMED WINDOW"
_REGISTER: Final = re.compile(r"REGISTER\s+\S+\s+\S+\s+AS\b\s*")
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
# A variable ?window or a name :window is no keyword.
_CLAUSE: Final = re.compile(
    r"^REGISTER\b|\bFROM\s+(?:NAMED\s+)?WINDOW\b|(?<![\w?$:-])WINDOW\s+\S+\s*(?:\{|$)", re.IGNORECASE
)


TextPart = tuple[str, int]
"""A part of a text, and the offset of its first character."""


@dataclass(frozen=True, slots=True)
class LineWindow:
    """A window clause that the line-based parsers of RSP-JS and rsp-rs find, with the texts of its parts.

    The field `names` contains the IRIs of the window and of its stream; an IRI is "" if no earlier line
    declares its prefix.
    """

    name: TextPart
    stream: TextPart
    width: TextPart
    step: TextPart
    names: tuple[str, str]


LostClause = tuple[TextPart, bool]
"""A clause that the parser overlooks, and whether the parser removes the line of the clause."""


def as_graphs(line: str, *, each_word: bool) -> str:
    r"""Return a line of the same length in which GRAPH replaces WINDOW (a step of the engine's parser).

    JavaScript's `replace` replaces only the first occurrence of a word; Rust's `replace` replaces every
    occurrence.

    >>> as_graphs("WINDOW :v {} WINDOW :w {}", each_word=False)
    'GRAPH  :v {} WINDOW :w {}'
    """
    return line.replace("WINDOW", "GRAPH ", -1 if each_word else 1) if line.startswith("WINDOW") else line


def read_lines(text: str, *, each_word: bool) -> Iterator[LineWindow | LostClause]:
    r"""Yield the windows that the engine's parser finds, and the clauses that it drops, in textual order.

    >>> lines = "PREFIX : <e:>\nFROM NAMED WINDOW :w ON STREAM :s [RANGE 9 STEP 2]"
    >>> [window.names for window in read_lines(lines, each_word=True)]
    [('e:w', 'e:s')]
    """
    prefixes: dict[str, str] = {}
    start = 0
    for whole in _LINE.findall(text):
        line, at = whole.strip(), start + len(whole) - len(whole.lstrip())
        start += len(whole)
        if line.startswith("REGISTER"):
            header = _REGISTER.match(line)
            if header is not None and line[header.end() :]:
                yield (line[header.end() :], at + header.end()), True
        elif line.startswith(_FROM):
            yield from _windows(line, at, prefixes)
        else:
            if line.startswith("PREFIX"):
                prefixes.update(_PREFIX.findall(line))
            for clause in _CLAUSE.finditer(_COMMENT.sub("", as_graphs(line, each_word=each_word))):
                yield (clause.group(), at + clause.start()), False


def _windows(line: str, at: int, prefixes: dict[str, str]) -> Iterator[LineWindow | LostClause]:
    matches = tuple(_WINDOW.finditer(line))
    yield from (_window(match, at, prefixes) for match in matches)
    if len(matches) < line.count(_FROM):
        yield (line, at), True


def _window(match: re.Match[str], at: int, prefixes: dict[str, str]) -> LineWindow:
    name, stream, width, step = ((match[group], at + match.start(group)) for group in range(1, 5))
    return LineWindow(name, stream, width, step, (_iri(name[0], prefixes), _iri(stream[0], prefixes)))


def _iri(text: str, prefixes: dict[str, str]) -> str:
    if text.startswith("<"):
        return text[1:-1]
    prefix, _, local = text.partition(":")
    return prefixes[prefix] + local if prefix in prefixes and ":" in text else ""
