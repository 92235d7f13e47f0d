"""C-SPARQL: REGISTER .. COMPUTED EVERY .. AS before the query, FROM STREAM among its FROM clauses."""

import re
from dataclasses import dataclass
from typing import Final

from lars.durations import Duration
from translate.dialects.clauses import first_of, from_clauses, refuse_others, token_at
from translate.dialects.lengths import ReadLength, read_length, reader_at
from translate.dialects.windows import read_window
from translate.errors import UnsupportedError
from translate.query import Language, MergedStream
from translate.sparql import Document, Lifted, Names, TokenKind, is_name, read_prologue

_NAME: Final = re.compile(r"<[^<>\s]*>|[\w.:/?-]+")


@dataclass(frozen=True, slots=True)
class Registered:
    """REGISTER .. AS: the name as it is written, the period, and the token after AS, all if present."""

    name: str | None
    every: Duration | None
    stream: bool
    after: int


def lift_csparql(document: Document) -> Lifted:
    """Return the clauses of a C-SPARQL query, or raise at the first that is wrong."""
    refuse_others(document, Language.CSPARQL)
    names = read_prologue(document)
    registered, hidden = Registered(None, None, stream=False, after=names.after), set[int]()
    if document.tokens[names.after].says("REGISTER"):
        registered = read_register(document, names.after, read_length)
        hidden = set(range(names.after, registered.after))
        names = read_prologue(document, registered.after, names)
    merged = []
    for index in from_clauses(document, names.after, "STREAM"):
        stream, after = _read_stream(document, names, index + 1)
        hidden.update(range(first_of(document, index), after))
        merged.append(stream)
    return Lifted(
        names,
        frozenset(hidden),
        registered.name and registered.name.strip("<>"),
        registered.every,
        tuple(merged),
        registers_stream=registered.stream,
    )


def read_register(document: Document, start: int, read: ReadLength) -> Registered:
    """Return what REGISTER QUERY or STREAM says; `start` is REGISTER."""
    kind = token_at(document, start + 1)
    if not kind.says("QUERY", "STREAM"):
        raise document.unexpected(kind, "QUERY or STREAM and a name after REGISTER")
    first = token_at(document, start + 2)
    name = _NAME.match(document.text, first.start)
    if name is None or first.says("AS", "COMPUTED", "EVERY"):
        raise document.unexpected(first, "the name of the query")
    index, every = document.index_from(name.end()), None
    if document.tokens[index].says("COMPUTED"):
        index += 1
        if not document.tokens[index].says("EVERY"):
            raise document.unexpected(document.tokens[index], "EVERY and a duration after COMPUTED")
    if document.tokens[index].says("EVERY"):
        every, reader = read(reader_at(document, document.tokens[index].end), "EVERY")
        index = document.index_from(reader.start)
    if not document.tokens[index].says("AS"):
        accepted = "AS" if every else "AS or COMPUTED EVERY"
        raise document.unexpected(document.tokens[index], accepted)
    return Registered(name.group(), every, stream=kind.says("STREAM"), after=index + 1)


def _read_stream(document: Document, names: Names, index: int) -> tuple[MergedStream, int]:
    """Return the stream and window from the token after FROM STREAM on, and the token after it."""
    token = document.tokens[index]
    if token.kind is TokenKind.VARIABLE:
        raise UnsupportedError(
            f"the variable stream name {token}", document.place(token.start), covered="FROM STREAM <iri>"
        )
    if not is_name(token):
        raise document.unexpected(token, "the IRI of a stream")
    stream = names.iri(token)
    window, end = read_window(document, document.tokens[index + 1])
    return MergedStream(stream, window), document.index_from(end)
