"""Dialects: a query's text, in C-SPARQL or CQELS, becomes the query model."""

from translate.dialects import cqels, csparql
from translate.dialects.tokens import Document, tokenize
from translate.query import EngineQuery, Language


def read_query(text: str, source: str, engine: Language | None = None) -> EngineQuery:
    """Return the query that the text says; `source` names the text in messages.

    The language is recognised by its streaming clauses; a query without any is C-SPARQL. With an
    `engine`, the clauses of the other language are errors. Raises QueryError where the text is
    wrong and UnsupportedError at a construct that is not covered, each with its place.

    >>> query = read_query("ASK { STREAM <s> [RANGE 1m30s] { ?shop <sells> 'tea' } }", "q.rq")
    >>> print(query.language.value, query.pattern)
    cqels STREAM <s> [RANGE 90s] {?shop <sells> "tea"}
    """
    from translate.algebra import translate  # which imports from this package

    document = tokenize(text, source)
    language = engine or _recognise(document)
    lifted = csparql.lift(document) if language is Language.CSPARQL else cqels.lift(document)
    return translate(document, lifted, language)


def _recognise(document: Document) -> Language:
    if csparql.find_clause(document) is None and cqels.find_block(document) is not None:
        return Language.CQELS
    return Language.CSPARQL
