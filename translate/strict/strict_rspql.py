"""The parsers of RSP-QL: RSP4J's grammar (YASPER has it too), and RSP-JS's regular expressions by lines."""

import re
from dataclasses import dataclass, field
from typing import Final

from lars.errors import place_at
from translate.dialects import first_of, from_clauses, token_at
from translate.errors import QueryError
from translate.sparql import Document, TokenKind, is_name, read_prologue, tokenize
from translate.strict.clause_shapes import match, refuse_operator, shaped, sparql_tree, word

_ENGINE: Final = "RSP4J"
_DURATION: Final = shaped(
    r"-?P(?=[0-9T])(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?"
    r"(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?",
    "a duration as in PT10S",
    re.ASCII | re.IGNORECASE,
)
_COUNT: Final = shaped("[0-9]+", "an integer")
_WINDOW: Final = (
    (word("["), word("RANGE"), _DURATION, word("]")),
    (word("["), word("RANGE"), _DURATION, word("STEP"), _DURATION, word("]")),
    (word("["), word("ELEMENTS"), _COUNT, word("]")),
    (word("["), word("ELEMENTS"), _COUNT, word("STEP"), _COUNT, word("]")),
)


def check_rsp4j(text: str, source: str) -> None:
    """Raise QueryError where the grammar of RSP4J rejects the query.

    Nothing is resolved: neither prefixes nor the names of windows need a declaration.
    """
    document = tokenize(text, source)
    names = read_prologue(document)
    start = _after_register(document, names.after)
    hidden = set(range(names.after, start))
    for index in from_clauses(document, start, "WINDOW"):
        hidden.update(range(first_of(document, index), _after_window(document, index)))
    refuse_operator(document, start, _ENGINE)
    blocks = _blocks(document)
    hidden |= {index + 1 for index in blocks}
    sparql_tree(document, names, hidden, blocks, scope=False)


def _after_register(document: Document, start: int) -> int:
    """Return the token after REGISTER RSTREAM <iri> AS, which can be missing."""
    if not document.tokens[start].says("REGISTER"):
        return start
    operator, name, end = (token_at(document, start + place) for place in (1, 2, 3))
    if not operator.says("RSTREAM", "ISTREAM", "DSTREAM"):
        raise document.unexpected(operator, "RSTREAM, ISTREAM or DSTREAM")
    if not is_name(name):
        raise document.unexpected(name, "the IRI of a stream")
    if not end.says("AS"):
        raise document.unexpected(end, "AS")
    form = token_at(document, start + 4)
    if not form.says("SELECT", "CONSTRUCT", "DESCRIBE", "ASK"):
        raise document.unexpected(form, "SELECT, CONSTRUCT, DESCRIBE or ASK")
    return start + 4


def _after_window(document: Document, index: int) -> int:
    """Return the token after a clause of FROM NAMED WINDOW, whose WINDOW is at `index`."""
    tokens = document.tokens
    if not tokens[index - 1].says("NAMED"):
        raise document.unexpected(tokens[index], "NAMED or an IRI after FROM")
    name, on, stream = (token_at(document, index + place) for place in (1, 2, 3))
    if not is_name(name):
        raise document.unexpected(name, "the name of the window")
    if not on.says("ON"):
        raise document.unexpected(on, "ON")
    if not is_name(stream):
        raise document.unexpected(stream, "the IRI of a stream")
    return document.index_from(match(document, stream.end, _WINDOW))


def _blocks(document: Document) -> tuple[int, ...]:
    """Return the WINDOW of each block WINDOW name or variable { .. }."""
    tokens, found, depth = document.tokens, [], 0
    for index, token in enumerate(tokens[:-1]):
        depth += token.says("{") - token.says("}")
        if depth > 0 and token.says("WINDOW"):
            if not is_name(tokens[index + 1]) and tokens[index + 1].kind is not TokenKind.VARIABLE:
                raise document.unexpected(tokens[index + 1], "the name of a window or a variable")
            found.append(index)
    return tuple(found)


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
            prefix, colon, _ = found[group].partition(":")
            if not (prefix.startswith("<") or (colon and prefix in self.prefixes)):
                accepted = "an IRI, or a prefix that a line PREFIX name: <iri> above declares"
                raise self._error(start + found.start(group), f"found {found[group]}; expected {accepted}")
        for group in (3, 4):
            if not re.fullmatch("0*[1-9][0-9]*", found[group], re.ASCII):
                problem = f"found {found[group]}; expected an integer from 1 on"
                raise self._error(start + found.start(group), problem)
        self.windows += 1

    def _error(self, offset: int, problem: str) -> QueryError:
        return QueryError(place_at(self.source, self.text, offset), problem)
