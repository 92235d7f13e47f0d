"""The parser of C-SPARQL 0.9.5 to 0.9.7: a JavaCC grammar, and Jena for the SPARQL part.

The engine first writes the query in one line, with single spaces. The tokens of the grammar are keywords with
their spaces, and single ASCII letters, digits and symbols.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from lars.dataclass import dataclass
from lars.errors import place_at
from translate.dialects import GRAMMARS
from translate.errors import QueryError
from translate.model.query import Language
from translate.sparql import Document, query_of, tokenize
from translate.strict.engine_parsers import check_prefixes, parsed, rejection

_ENGINE: Final = "C-SPARQL 0.9.7"
_BREAKS: Final = re.compile(r"[ \r\n]+")
# The lexer of the engine rejects characters outside ASCII, and the backslash.
_UNKNOWN: Final = re.compile(r"[^\t -\[\]-~]")
_IRI: Final = "<[!-;=?-~]*>"
_REGISTER: Final = (
    ("register (?:query|stream) ", "REGISTER QUERY or REGISTER STREAM at the start"),
    ("[a-z0-9]+", "a name of letters and digits"),
    (" as ", "AS"),
)
_PROLOGUE: Final = re.compile(rf"(?:prefix [^ <]* *{_IRI} *|base {_IRI} *)*", re.IGNORECASE)
# The engine changes SELECT( to SELECT ( before it parses the query, but only if SELECT is in capitals.
_FORM: Final = re.compile("(?:select |construct |ask |describe )|(?-i:SELECT)", re.IGNORECASE)
# The engine puts a space before FROM after }, and nowhere else.
_FROM: Final = re.compile(r" from |(?<=\})from ", re.IGNORECASE)
_STREAM: Final = (
    ("(?:named )?stream ", "STREAM and a space"),
    (_IRI, "the IRI of a stream in < and >, in ASCII"),
    (r" \[range ", "a space, [RANGE and a space"),
)
_LENGTH: Final = "[0-9]+(?-i:[smhd])"
_WINDOWS: Final = (
    ("triples ", "[0-9]+", r"\] *"),
    (_LENGTH, " step ", _LENGTH, r"\] *"),
    (_LENGTH, r"(?-i: TUMBLING\])| tumbling \]", " *"),
)
# Keywords of the header, which the lexer finds everywhere: in names, strings and comments too.
_KEYWORD: Final = re.compile(
    r" from |named |stream |step |tumbling |triples |\[range |register (?:query|stream) ", re.IGNORECASE
)
_WHERE: Final = re.compile(r" where \{", re.IGNORECASE)


def check_csparql(text: str, source: str) -> None:
    """Raise QueryError if the parser of C-SPARQL 0.9.7 rejects the query."""
    document = tokenize(text, source, rdf12=False)
    line = _one_line(text, source)
    unknown = _UNKNOWN.search(line.text)
    if unknown is not None:
        raise line.error(unknown.start(), "the lexer knows only ASCII without backslash")
    at = line.sequence(0, _REGISTER)
    prologue = _PROLOGUE.match(line.text, at)
    at = prologue.end() if prologue else at
    form = _FORM.match(line.text, at)
    if form is None:
        raise line.error(at, "expected PREFIX, BASE, SELECT, CONSTRUCT or ASK")
    at = _dataset(line, form.end(), described=form.group().lower() == "describe ")
    keyword = _KEYWORD.search(line.text, at)
    if keyword is not None:
        raise line.error(
            keyword.start(), f"{_ENGINE} has the keyword {keyword.group().strip()} only in the header"
        )
    _check_sparql(document)


@dataclass(frozen=True, slots=True)
class _Line:
    """The query in one line, with the place of each of its characters in the original text."""

    source: str
    written: str
    text: str
    places: tuple[int, ...]

    def error(self, at: int, reason: str) -> QueryError:
        """Return the error at a character of the line; `reason` describes the expected text."""
        match = re.match(r" *(\w+|.|$)", self.text[at:])
        word = (match[1] if match else "") or "the end of the query"
        start = min(at + (match.start(1) if match else 0), len(self.places) - 1)
        return QueryError(place_at(self.source, self.written, self.places[start]), f"found {word}; {reason}")

    def follow(self, at: int, patterns: Sequence[str]) -> tuple[int, bool]:
        """Match patterns one after another; return the end of the last match, and whether all matched."""
        for pattern in patterns:
            match = re.compile(pattern, re.IGNORECASE | re.ASCII).match(self.text, at)
            if match is None:
                return at, False
            at = match.end()
        return at, True

    def sequence(self, at: int, pieces: tuple[tuple[str, str], ...]) -> int:
        """Match pieces of the header, and return their end; raise QueryError with the first missing piece."""
        for pattern, name in pieces:
            at, matches = self.follow(at, (pattern,))
            if not matches:
                raise self.error(at, f"{_ENGINE} expects {name}")
        return at


def _one_line(written: str, source: str) -> _Line:
    text, places, at = "", list[int](), 0
    for match in (*_BREAKS.finditer(written), None):
        end = len(written) if match is None else match.start()
        text += written[at:end]
        places += range(at, end)
        if match is not None:
            text, at = text + " ", match.end()
            places.append(match.start())
    stripped = text.lstrip()
    places = [*places[len(text) - len(stripped) :], len(written)]
    return _Line(source, written, stripped + " ", tuple(places))


def _dataset(line: _Line, at: int, *, described: bool) -> int:
    """Return the start of the query's body, after the clauses FROM and FROM STREAM."""
    clause = _FROM.search(line.text, at - 1)
    if clause is None:
        return at
    while clause is not None:
        if described:
            raise line.error(clause.start(), f"{_ENGINE} has no FROM in DESCRIBE")
        at = _clause(line, clause.end())
        # The spaces after a clause belong to it, but the last one can begin the next.
        spaced = at - (line.text[at - 1] == " ")
        clause = _FROM.match(line.text, spaced)
    if not line.text.startswith("{", at) and _WHERE.match(line.text, spaced) is None:
        raise line.error(at, f"{_ENGINE} expects {{, or FROM or WHERE {{ with a space before and after")
    return at


def _clause(line: _Line, at: int) -> int:
    static = re.compile(f"{_IRI} *").match(line.text, at)
    if static is not None:
        return static.end()
    at = line.sequence(at, _STREAM)
    reached = list[int]()
    for window in _WINDOWS:
        end, whole = line.follow(at, window)
        if whole:
            return end
        reached.append(end - (re.match("[0-9][a-z]{2}", line.text[end - 2 :]) is not None))  # of 5ms, ms
    accepted = "TRIPLES n], n unit STEP n unit] or n unit TUMBLING], where a unit is s, m, h or d"
    raise line.error(max(reached), f"{_ENGINE} expects {accepted}")


def _check_sparql(document: Document) -> None:
    """Raise QueryError if Jena rejects the query after its windows are removed."""
    _check_comments(document)
    check_prefixes(document)
    tree = parsed(document, GRAMMARS[Language.CSPARQL])
    for item in () if tree is None else tree.find_all("bare"):
        raise rejection(document, item.first(), _ENGINE, "an aggregate with AS, but without brackets")
    for clause in () if tree is None else tree.find_all("added"):
        before = document.tokens[: document.index_from(clause.first().start)]
        word = next(token for token in reversed(before) if token.is_word("AGGREGATE"))
        raise rejection(document, word, _ENGINE, "AGGREGATE")
    if tree is not None and query_of(tree).name != "select":
        _check_grouping(document)


def _check_grouping(document: Document) -> None:
    """Raise QueryError for GROUP BY outside SELECT, which Jena treats like GROUP BY with SELECT *."""
    depth = 0
    for token in document.tokens:
        depth += token.is_word("{") - token.is_word("}")
        if depth == 0 and token.is_word("GROUP"):
            raise QueryError(document.place(token.start), f"found GROUP BY; {_ENGINE} has it only in SELECT")


def _check_comments(document: Document) -> None:
    """Raise QueryError for a comment that text follows, because C-SPARQL joins all lines to one line."""
    for token, following in pairwise(document.tokens):
        mark = document.text.find("#", token.end, following.start)
        if mark >= 0 and following is not document.tokens[-1]:
            problem = f"found a comment; {_ENGINE} joins the lines, so that all after it is comment"
            raise QueryError(document.place(mark), problem)
