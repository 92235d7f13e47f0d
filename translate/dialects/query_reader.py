"""A query's text, in one of four languages, becomes the query model: its streaming clauses are lifted out.

C-SPARQL has REGISTER .. COMPUTED EVERY .. AS before the query and FROM STREAM <iri> [window], CQELS
STREAM <iri> [window] { .. } in a group, SPARQLstream such blocks and FROM NAMED STREAM <iri> [window].
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from lars.errors import PlacedError
from lars.language.terms import Variable
from translate.algebra import SyntaxLeaves, translate
from translate.dialects.clauses import (
    TITLES,
    RegisterClause,
    find_clauses,
    first_of,
    from_clauses,
    operator_after,
    read_blocks,
    read_register,
    refuse_others,
    token_at,
)
from translate.dialects.windows import read_length, read_now_window, read_window
from translate.errors import QueryError, UnsupportedError
from translate.model.query import EngineQuery, Language, MergedStream, ToStream
from translate.model.windows import Now, WindowExpression
from translate.sparql import (
    Document,
    Names,
    StreamClause,
    StreamingClauses,
    Token,
    TokenKind,
    is_name,
    read_prologue,
    tokenize,
)


def lift_csparql(document: Document) -> StreamingClauses:
    """Return the clauses of a C-SPARQL query, or raise at the first that is wrong."""
    refuse_others(document, Language.CSPARQL)
    names = read_prologue(document)
    registered, hidden = RegisterClause(None, None, stream=False, after=names.after), set[int]()
    if document.tokens[names.after].is_word("REGISTER"):
        registered = read_register(document, names.after, read_length)
        hidden = set(range(names.after, registered.after))
        names = read_prologue(document, registered.after, names)
    merged = []
    for index in from_clauses(document, names.after, "STREAM"):
        stream, after = _read_merged(document, names, index + 1)
        hidden.update(range(first_of(document, index), after))
        merged.append(stream)
    return StreamingClauses(
        names,
        frozenset(hidden),
        registered.name and registered.name.strip("<>"),
        registered.every,
        tuple(merged),
        registers_stream=registered.stream,
    )


def _read_merged(document: Document, names: Names, index: int) -> tuple[MergedStream, int]:
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


ReadWindow = Callable[[Document, Token], tuple[WindowExpression, int]]


def lift_cqels(document: Document) -> StreamingClauses:
    """Return the STREAM blocks of a CQELS query, or raise at the first that is wrong."""
    refuse_others(document, Language.CQELS)
    names = read_prologue(document)
    blocks, hidden = read_blocks(document, "STREAM", partial(read_block, document, names, read_window))
    return StreamingClauses(names, frozenset(hidden), blocks=blocks)


def read_block(document: Document, names: Names, read: ReadWindow, index: int) -> tuple[StreamClause, int]:
    """Return the stream and window from the token after STREAM on, and the token { after it."""
    token = document.tokens[index]
    if not is_name(token) and token.kind is not TokenKind.VARIABLE:
        raise document.unexpected(token, "the IRI of a stream or a variable")
    stream = Variable(token.text[1:]) if token.kind is TokenKind.VARIABLE else names.iri(token)
    window, end = read(document, document.tokens[index + 1])
    after = document.index_from(end)
    if not document.tokens[after].is_word("{"):
        raise document.unexpected(document.tokens[after], "{ and the pattern of the STREAM block")
    return StreamClause(stream, window), after


def lift_sparqlstream(document: Document) -> StreamingClauses:
    """Return the clauses of a SPARQLstream query, or raise at the first that is wrong.

    Read as well: FROM STREAM without NAMED, units in the singular, and an operator after CONSTRUCT.
    A stream without a window is read as [NOW]: its translation to a stream processor then
    answers for each element when it arrives.
    """
    refuse_others(document, Language.SPARQLSTREAM)
    names = read_prologue(document)
    merged, hidden = [], set[int]()
    for index in from_clauses(document, names.after, "STREAM"):
        stream, after = _read_named(document, names, index)
        hidden.update(range(first_of(document, index), after))
        merged.append(stream)
    read = partial(read_block, document, names, read_now_window)
    blocks, within = read_blocks(document, "STREAM", read)
    operator = operator_after(document, names.after)
    to_stream = None if operator is None else ToStream(document.tokens[operator].text.upper())
    hidden |= within if operator is None else within | {operator}
    return StreamingClauses(
        names, frozenset(hidden), merged=tuple(merged), blocks=blocks, to_stream=to_stream
    )


def _read_named(document: Document, names: Names, index: int) -> tuple[MergedStream, int]:
    """Return the stream of FROM NAMED STREAM, whose STREAM is at `index`, and the token after it."""
    token, following = document.tokens[index + 1], token_at(document, index + 2)
    if not is_name(token):
        raise document.unexpected(token, "the IRI of a stream")
    stream = names.iri(token)
    if document.tokens[index - 1].is_word("NAMED") and not following.is_word("["):
        return MergedStream(stream, Now()), index + 2
    window, end = read_now_window(document, following)
    return MergedStream(stream, window), document.index_from(end)


def _lift_rspql(document: Document) -> StreamingClauses:
    from translate.dialects.rspql import lift_rspql

    return lift_rspql(document)


_LIFTS: Final[Mapping[Language, Callable[[Document], StreamingClauses]]] = {
    Language.CSPARQL: lift_csparql,
    Language.CQELS: lift_cqels,
    Language.SPARQLSTREAM: lift_sparqlstream,
    Language.RSPQL: _lift_rspql,
}


def read_query(
    text: str, source: str, engine: Language | None = None, base: str = "", *, opaque: bool = False
) -> EngineQuery:
    """Return the query that the text says; `source` names the text in messages.

    Relative IRIs are resolved against `base` until the text has a BASE; "" leaves them as they are.
    With `opaque` calls of functions that have no value here are read too: to be printed, not solved.

    The language is recognised by its streaming clauses; a query without any is C-SPARQL. With an
    `engine`, the clauses of the other languages are errors. Raises QueryError where the text is
    wrong and UnsupportedError at a construct that is not covered, each with its place.

    >>> query = read_query("ASK { STREAM <s> [RANGE 1m30s] { ?shop <sells> 'tea' } }", "q.rq")
    >>> print(query.language.value, query.pattern)
    cqels STREAM <s> [RANGE 90s] {?shop <sells> "tea"}
    """
    document = tokenize(text, source, base)
    language, lifted = (engine, _LIFTS[engine](document)) if engine else _recognise(document)
    return translate(SyntaxLeaves(document, lifted, opaque), language)


def _recognise(document: Document) -> tuple[Language, StreamingClauses]:
    """Return the likeliest language that can read the clauses, or raise what the best of them says.

    The best error is the one farthest in the text: its language could read all that is before.
    """
    errors: list[tuple[PlacedError, Language]] = []
    for language in _likely(document):
        try:
            return language, _LIFTS[language](document)
        except PlacedError as error:
            errors.append((error, language))
    best, language = max(errors, key=lambda tried: (tried[0].place.line, tried[0].place.column))
    if isinstance(best, QueryError):
        raise QueryError(best.place, f"{best.problem} (read as {TITLES[language]})")
    raise best


def _likely(document: Document) -> list[Language]:
    """Return the languages that have most of the text's clauses, the likeliest first."""
    clauses = find_clauses(document)
    ranks = {
        language: [clause.languages.index(language) for clause in clauses if language in clause.languages]
        for language in Language
    }
    most = max(map(len, ranks.values()))
    likely = [language for language in Language if len(ranks[language]) == most]
    return sorted(likely, key=lambda language: sum(ranks[language])) if clauses else [Language.CSPARQL]
