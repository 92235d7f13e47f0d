"""Dialects: a query's text, in one of four languages, becomes the query model."""

from collections.abc import Callable, Mapping
from typing import Final

from lars.errors import PlacedError
from translate.algebra import translate
from translate.dialects.clauses import TITLES, find_clauses
from translate.dialects.csparql import lift_csparql
from translate.dialects.rspql import lift_rspql
from translate.dialects.stream_blocks import lift_cqels, lift_sparqlstream
from translate.errors import QueryError
from translate.query import EngineQuery, Language
from translate.sparql import Document, Lifted, tokenize

_LIFTS: Final[Mapping[Language, Callable[[Document], Lifted]]] = {
    Language.CSPARQL: lift_csparql,
    Language.CQELS: lift_cqels,
    Language.SPARQLSTREAM: lift_sparqlstream,
    Language.RSPQL: lift_rspql,
}


def read_query(text: str, source: str, engine: Language | None = None, base: str = "") -> EngineQuery:
    """Return the query that the text says; `source` names the text in messages.

    Relative IRIs are resolved against `base` until the text has a BASE; "" leaves them as they are.

    The language is recognised by its streaming clauses; a query without any is C-SPARQL. With an
    `engine`, the clauses of the other languages are errors. Raises QueryError where the text is
    wrong and UnsupportedError at a construct that is not covered, each with its place.

    >>> query = read_query("ASK { STREAM <s> [RANGE 1m30s] { ?shop <sells> 'tea' } }", "q.rq")
    >>> print(query.language.value, query.pattern)
    cqels STREAM <s> [RANGE 90s] {?shop <sells> "tea"}
    """
    document = tokenize(text, source, base)
    language, lifted = (engine, _LIFTS[engine](document)) if engine else _recognise(document)
    return translate(document, lifted, language)


def _recognise(document: Document) -> tuple[Language, Lifted]:
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
