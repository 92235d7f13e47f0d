"""C-SPARQL: REGISTER .. COMPUTED EVERY .. AS before the query, FROM STREAM among its FROM clauses."""

import re
from typing import Final

from lars.durations import Duration
from translate.dialects.lifted import Lifted
from translate.dialects.names import Names, is_name, read_prologue
from translate.dialects.tokens import Document, Kind, Token
from translate.dialects.windows import read_length, read_window, reader_at
from translate.errors import QueryError, UnsupportedError
from translate.query import MergedStream

_NAME: Final = re.compile(r"<[^<>\s]*>|[\w.:/-]+")
_CLAUSES: Final = "the windows of C-SPARQL stand in FROM STREAM <iri> [window]"


def find_clause(document: Document) -> Token | None:
    """Return the first token that only C-SPARQL has: REGISTER, or the STREAM of FROM STREAM."""
    start = read_prologue(document).after
    if document.tokens[start].says("REGISTER"):
        return document.tokens[start]
    return next((document.tokens[index] for index in _from_streams(document, start)), None)


def lift(document: Document) -> Lifted:
    """Return the clauses of a C-SPARQL query, or raise at the first that is wrong."""
    names = read_prologue(document)
    start, name, every = names.after, None, None
    if document.tokens[start].says("REGISTER"):
        name, every, after = _read_register(document, start)
        hidden = set(range(start, after))
        names = read_prologue(document, after, names)
    else:
        hidden = set()
    merged = []
    for index in _from_streams(document, names.after):
        first = index - 2 if document.tokens[index - 1].says("NAMED") else index - 1
        stream, after = _read_stream(document, names, index + 1)
        hidden.update(range(first, after))
        merged.append(stream)
    _refuse_blocks(document)
    return Lifted(names, frozenset(hidden), name, every, tuple(merged))


def _from_streams(document: Document, start: int) -> list[int]:
    """Return the indices of STREAM after FROM [NAMED], outside of every group."""
    found, depth = [], 0
    tokens = document.tokens
    for index in range(start, len(tokens)):
        token = tokens[index]
        depth += token.says("{") - token.says("}")
        if depth == 0 and token.says("STREAM"):
            before = index - 2 if tokens[index - 1].says("NAMED") else index - 1
            if before >= 0 and tokens[before].says("FROM"):
                found.append(index)
        if token.says("}") and depth <= 0 and not tokens[start].says("CONSTRUCT"):
            break
    return found


def _read_register(document: Document, start: int) -> tuple[str, Duration | None, int]:
    """Return name, period and the token after AS; `start` is REGISTER."""
    kind = document.tokens[start + 1]
    if not kind.says("QUERY", "STREAM"):
        raise document.unexpected(kind, "QUERY or STREAM and a name after REGISTER")
    first = document.tokens[start + 2]
    name = _NAME.match(document.text, first.start)
    if name is None or first.says("AS", "COMPUTED", "EVERY"):
        raise document.unexpected(first, "the name of the query")
    index, every = document.index_from(name.end()), None
    if document.tokens[index].says("COMPUTED"):
        index += 1
        if not document.tokens[index].says("EVERY"):
            raise document.unexpected(document.tokens[index], "EVERY and a duration after COMPUTED")
    if document.tokens[index].says("EVERY"):
        every, reader = read_length(reader_at(document, document.tokens[index].end), "EVERY")
        index = document.index_from(reader.start)
    if not document.tokens[index].says("AS"):
        accepted = "AS" if every else "AS or COMPUTED EVERY"
        raise document.unexpected(document.tokens[index], accepted)
    return name.group().strip("<>"), every, index + 1


def _read_stream(document: Document, names: Names, index: int) -> tuple[MergedStream, int]:
    """Return the stream and window from the token after FROM STREAM on, and the token after it."""
    token = document.tokens[index]
    if token.kind is Kind.VARIABLE:
        raise UnsupportedError(
            f"the variable stream name {token}", document.place(token.start), covered="FROM STREAM <iri>"
        )
    if not is_name(token):
        raise document.unexpected(token, "the IRI of a stream")
    stream = names.iri(token)
    window, end = read_window(document, document.tokens[index + 1])
    return MergedStream(stream, window), document.index_from(end)


def _refuse_blocks(document: Document) -> None:
    depth = 0
    for token in document.tokens:
        depth += token.says("{") - token.says("}")
        if depth > 0 and token.says("STREAM"):
            problem = f"found a STREAM block, which is CQELS, in a C-SPARQL query; {_CLAUSES}"
            raise QueryError(document.place(token.start), problem)
