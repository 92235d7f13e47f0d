"""CQELS-QL, STREAM <iri> [window] { .. } in a group; SPARQLstream, FROM NAMED STREAM <iri> [window]."""

from collections.abc import Callable
from functools import partial

from lars.terms import Variable
from translate.dialects.clauses import (
    first_of,
    from_clauses,
    operator_after,
    read_blocks,
    refuse_others,
    token_at,
)
from translate.dialects.windows import read_now_window, read_window
from translate.query import Language, MergedStream, ToStream
from translate.sparql import Document, Lifted, Names, StreamClause, Token, TokenKind, is_name, read_prologue
from translate.windows import Now, WindowExpression

ReadWindow = Callable[[Document, Token], tuple[WindowExpression, int]]


def lift_cqels(document: Document) -> Lifted:
    """Return the STREAM blocks of a CQELS query, or raise at the first that is wrong."""
    refuse_others(document, Language.CQELS)
    names = read_prologue(document)
    blocks, hidden = read_blocks(document, "STREAM", partial(read_block, document, names, read_window))
    return Lifted(names, frozenset(hidden), blocks=blocks)


def read_block(document: Document, names: Names, read: ReadWindow, index: int) -> tuple[StreamClause, int]:
    """Return the stream and window from the token after STREAM on, and the token { after it."""
    token = document.tokens[index]
    if not is_name(token) and token.kind is not TokenKind.VARIABLE:
        raise document.unexpected(token, "the IRI of a stream or a variable")
    stream = Variable(token.text[1:]) if token.kind is TokenKind.VARIABLE else names.iri(token)
    window, end = read(document, document.tokens[index + 1])
    after = document.index_from(end)
    if not document.tokens[after].says("{"):
        raise document.unexpected(document.tokens[after], "{ and the pattern of the STREAM block")
    return StreamClause(stream, window), after


def lift_sparqlstream(document: Document) -> Lifted:
    """Return the clauses of a SPARQLstream query, or raise at the first that is wrong.

    Read as well: FROM STREAM without NAMED, units in the singular, and an operator after CONSTRUCT.
    A stream without a window is read as [NOW]: its translation to a stream processor then
    answers for each element when it arrives.
    """
    refuse_others(document, Language.SPARQLSTREAM)
    names = read_prologue(document)
    merged, hidden = [], set[int]()
    for index in from_clauses(document, names.after, "STREAM"):
        stream, after = _read_stream(document, names, index)
        hidden.update(range(first_of(document, index), after))
        merged.append(stream)
    read = partial(read_block, document, names, read_now_window)
    blocks, within = read_blocks(document, "STREAM", read)
    operator = operator_after(document, names.after)
    to_stream = None if operator is None else ToStream(document.tokens[operator].text.upper())
    hidden |= within if operator is None else within | {operator}
    return Lifted(names, frozenset(hidden), merged=tuple(merged), blocks=blocks, to_stream=to_stream)


def _read_stream(document: Document, names: Names, index: int) -> tuple[MergedStream, int]:
    """Return the stream of FROM NAMED STREAM, whose STREAM is at `index`, and the token after it."""
    token, following = document.tokens[index + 1], token_at(document, index + 2)
    if not is_name(token):
        raise document.unexpected(token, "the IRI of a stream")
    stream = names.iri(token)
    if document.tokens[index - 1].says("NAMED") and not following.says("["):
        return MergedStream(stream, Now()), index + 2
    window, end = read_now_window(document, following)
    return MergedStream(stream, window), document.index_from(end)
