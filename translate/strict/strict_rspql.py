"""The parsers of RSP-QL: RSP4J's grammar (YASPER has it too), and RSP-JS's regular expressions by lines."""

import re
from typing import Final

from lars.errors import place_at
from translate.dialects.by_lines import LineWindow, TextPart, read_lines
from translate.dialects.query_reader import first_of, from_clauses, token_at
from translate.errors import QueryError
from translate.sparql import Document, TokenKind, is_name, tokenize
from translate.sparql.tokens import read_prologue
from translate.strict.clause_shapes import match, piece_of, refuse_operator, sparql_tree, word

_ENGINE: Final = "RSP4J"
_DURATION: Final = piece_of(
    r"-?P(?=[0-9T])(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?"
    r"(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?",
    "a duration as in PT10S",
    re.ASCII | re.IGNORECASE,
)
_COUNT: Final = piece_of("[0-9]+", "an integer")
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
    if not document.tokens[start].is_word("REGISTER"):
        return start
    operator, name, end = (token_at(document, start + place) for place in (1, 2, 3))
    if not operator.is_word("RSTREAM", "ISTREAM", "DSTREAM"):
        raise document.unexpected(operator, "RSTREAM, ISTREAM or DSTREAM")
    if not is_name(name):
        raise document.unexpected(name, "the IRI of a stream")
    if not end.is_word("AS"):
        raise document.unexpected(end, "AS")
    form = token_at(document, start + 4)
    if not form.is_word("SELECT", "CONSTRUCT", "DESCRIBE", "ASK"):
        raise document.unexpected(form, "SELECT, CONSTRUCT, DESCRIBE or ASK")
    return start + 4


def _after_window(document: Document, index: int) -> int:
    """Return the token after a clause of FROM NAMED WINDOW, whose WINDOW is at `index`."""
    tokens = document.tokens
    if not tokens[index - 1].is_word("NAMED"):
        raise document.unexpected(tokens[index], "NAMED or an IRI after FROM")
    name, on, stream = (token_at(document, index + place) for place in (1, 2, 3))
    if not is_name(name):
        raise document.unexpected(name, "the name of the window")
    if not on.is_word("ON"):
        raise document.unexpected(on, "ON")
    if not is_name(stream):
        raise document.unexpected(stream, "the IRI of a stream")
    return document.index_from(match(document, stream.end, _WINDOW))


def _blocks(document: Document) -> tuple[int, ...]:
    """Return the WINDOW of each block WINDOW name or variable { .. }."""
    tokens, blocks, depth = document.tokens, [], 0
    for index, token in enumerate(tokens[:-1]):
        depth += token.is_word("{") - token.is_word("}")
        if depth > 0 and token.is_word("WINDOW"):
            if not is_name(tokens[index + 1]) and tokens[index + 1].kind is not TokenKind.VARIABLE:
                raise document.unexpected(tokens[index + 1], "the name of a window or a variable")
            blocks.append(index)
    return tuple(blocks)


_SHAPE: Final = "FROM NAMED WINDOW :name ON STREAM :stream [RANGE integer STEP integer] in a line of its own"
_BLOCK: Final = "WINDOW in capitals at the start of a line"
_FROM_ONE_ON: Final = re.compile("0*[1-9][0-9]*", re.ASCII)
_RS_NAME: Final = re.compile("<[^<>]*>|[^<:]*:[^:]*")
_SIGNED: Final = re.compile("[+]?0*[1-9][0-9]*", re.ASCII)
_LARGEST: Final = 2**63 - 1


def check_rsp_js(text: str, source: str) -> None:
    """Raise QueryError where RSP-JS loses a window or a block of the query, or finds no window."""
    for window in _line_windows(text, source, "RSP-JS"):
        _check_names(window, text, source)
        for length in (window.width, window.step):
            if not _FROM_ONE_ON.fullmatch(length.text):
                raise _error(text, source, length, f"found {length.text}; expected an integer from 1 on")


def check_rsp_rs(text: str, source: str) -> None:
    """Raise QueryError where rsp-rs loses a window or a block, reads a length as 0, or Oxigraph no SPARQL."""
    for window in _line_windows(text, source, "rsp-rs"):
        _check_names(window, text, source)
        for name in (window.name, window.stream):
            if not _RS_NAME.fullmatch(name.text):
                problem = f"found {name.text}; expected an IRI in < and >, or a name with one colon"
                raise _error(text, source, name, problem)
        for length in (window.width, window.step):
            if not _SIGNED.fullmatch(length.text) or int(length.text) > _LARGEST:
                accepted = f"an integer from 1 to {_LARGEST}"
                raise _error(text, source, length, f"found {length.text}; expected {accepted}")
    _check_sparql(tokenize(text, source))


def _line_windows(text: str, source: str, engine: str) -> tuple[LineWindow, ...]:
    """Return the windows that a parser by lines sees; raises at the first clause that it loses."""
    windows: list[LineWindow] = []
    for clause in read_lines(text):
        if isinstance(clause, LineWindow):
            windows.append(clause)
        elif clause.taken_out:
            what = "a window" if clause.clause.text.startswith("FROM") else "text behind REGISTER"
            problem = f"found {what} that {engine} does not see; expected {_SHAPE}"
            raise _error(text, source, clause.clause, problem)
        else:
            problem = f"found {clause.clause.text}; {engine} reads {_BLOCK}, or {_SHAPE}"
            raise _error(text, source, clause.clause, problem)
    if not windows:
        raise QueryError(place_at(source, text, 0), f"found no window of {engine}; expected {_SHAPE}")
    return tuple(windows)


def _check_names(window: LineWindow, text: str, source: str) -> None:
    for name, iri in zip((window.name, window.stream), window.names, strict=True):
        if not iri:
            accepted = "an IRI, or a prefix that a line PREFIX name: <iri> above declares"
            raise _error(text, source, name, f"found {name.text}; expected {accepted}")


def _error(text: str, source: str, part: TextPart, problem: str) -> QueryError:
    return QueryError(place_at(source, text, part.start), problem)


def _check_sparql(document: Document) -> None:
    """Raise where the rest of a query, its windows as graphs, is no SPARQL."""
    names = read_prologue(document)
    first = document.tokens[names.after]
    line = re.compile("[^\n]*").match(document.text, first.start)
    start = document.index_from(line.end()) if first.is_word("REGISTER") and line else names.after
    hidden = set(range(names.after, start))
    names = read_prologue(document, start, names)
    for index in from_clauses(document, names.after, "WINDOW"):
        end = document.index_from(document.text.index("]", document.tokens[index].start) + 1)
        hidden.update(range(first_of(document, index), end))
    refuse_operator(document, names.after, "Oxigraph")
    blocks = _blocks(document)
    sparql_tree(document, names, hidden | {index + 1 for index in blocks}, blocks)
