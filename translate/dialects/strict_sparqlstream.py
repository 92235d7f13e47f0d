"""The parser of morph-streams for SPARQLstream, an extension of that of ARQ."""

from dataclasses import replace
from typing import Final

from translate.dialects.clauses import first_of, from_clauses, operator_after, read_blocks, token_at
from translate.dialects.lifted import Stream
from translate.dialects.names import Names, is_name, read_prologue
from translate.dialects.reader import COUNT, Reader, reader_at
from translate.dialects.strict_shapes import SOME_STREAM, rejected, sparql_tree
from translate.dialects.tokens import Document, Kind, Token, tokenize
from translate.errors import QueryError

_ENGINE: Final = "SPARQLstream"
_UNITS: Final = ("MS", "S", "SECONDS", "MINUTES", "MIN", "HOURS", "HR", "DAY", "MONTH", "YEAR")


def check(text: str, source: str) -> None:
    """Raise QueryError where the parser of morph-streams rejects the query.

    It does not look at what follows the query.
    """
    document = tokenize(text, source)
    names = read_prologue(document)
    try:
        _check(document, names)
    except QueryError as error:
        end = _ends_before(document, names, error)
        if end is None or not _is_query(document, names, end):
            raise


def _is_query(document: Document, names: Names, end: int) -> bool:
    try:
        _check(replace(document, tokens=(*document.tokens[:end], document.tokens[-1])), names)
    except QueryError:
        return False
    return True


def _check(document: Document, names: Names) -> None:
    hidden: set[int] = set()
    for index in from_clauses(document, names.after, "STREAM"):
        if not document.tokens[index - 1].says("NAMED"):
            raise document.unexpected(document.tokens[index], "NAMED or an IRI after FROM")
        end = _read_stream(document, index + 1, optional=True)
        hidden.update(range(first_of(document, index), end))
    blocks, within = read_blocks(document, "STREAM", lambda index: _read_block(document, names, index))
    operator = operator_after(document, names.after)
    if operator is not None:
        if not document.tokens[operator - 1].says("SELECT"):
            raise rejected(document, document.tokens[operator], _ENGINE, "this operator, but after SELECT")
        hidden.add(operator)
    sparql_tree(document, names, hidden | within, tuple(blocks))


def _read_stream(document: Document, index: int, *, optional: bool = False) -> int:
    """Return the token after a stream and its window."""
    token, following = document.tokens[index], token_at(document, index + 1)
    if not is_name(token):
        raise document.unexpected(token, "the IRI of a stream")
    if optional and not following.says("["):
        return index + 1
    return _read_window(document, following)


def _read_block(document: Document, names: Names, index: int) -> tuple[Stream, int]:
    token = document.tokens[index]
    if token.kind is Kind.VARIABLE:
        after = _read_window(document, document.tokens[index + 1])
    else:
        after = _read_stream(document, index)
        names.iri(token)
    if not document.tokens[after].says("{"):
        raise document.unexpected(document.tokens[after], "{ and the pattern of the STREAM block")
    return SOME_STREAM, after


def _read_window(document: Document, token: Token) -> int:
    """Return the token after [NOW - n unit TO NOW - n unit SLIDE n unit] or [TRIPLES n]."""
    if not token.says("["):
        raise document.unexpected(token, "[ and a window")
    reader = reader_at(document, token.end)
    if reader.text == "TRIPLES":
        reader = _read_number(reader.next())
        return document.index_from(reader.close())
    reader = _read_time(reader, "NOW or TRIPLES")
    if reader.text == "TO":
        reader = _read_time(reader.next(), "NOW")
    if reader.text == "SLIDE":
        reader = reader.next()
        reader = _read_length(reader) if COUNT.fullmatch(reader.text) else reader
    return document.index_from(reader.close("-, a unit, TO, SLIDE or ]"))


def _read_time(reader: Reader, accepted: str) -> Reader:
    reader = reader.expect("NOW", accepted)
    return _read_length(reader.next()) if reader.text == "-" else reader


def _read_length(reader: Reader) -> Reader:
    reader = _read_number(reader)
    return reader.next() if reader.text in _UNITS else reader


def _read_number(reader: Reader) -> Reader:
    if not COUNT.fullmatch(reader.text):
        raise reader.found("an integer")
    return reader.next()


def _ends_before(document: Document, names: Names, error: QueryError) -> int | None:
    """Return the token at which an error is, if the query's last group is closed before it."""
    depth, closed = 0, False
    for index, token in enumerate(document.tokens[names.after : -1], names.after):
        if document.place(token.start) == error.place:
            return index if depth == 0 and closed else None
        depth += token.says("{") - token.says("}")
        closed |= depth == 0 and token.says("}")
    return None
