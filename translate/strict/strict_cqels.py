"""The parser of CQELS 1.x, which extends ARQ 2.9, and the checks of CQELS when a query is registered."""

import re
from functools import partial
from typing import Final

from translate.model.manner import SIZE
from translate.sparql import Document, Phrase, query_of, tokenize
from translate.sparql.syntax_tree import Grammar
from translate.strict.engine_parsers import check_prefixes, parsed, reject_operators, rejection

_ENGINE: Final = "CQELS 1.x"
# The engine accepts no space between a number and its unit, and only units in lower case. It drops the last
# digit of hours and days, and fails if there is only one digit.
_LENGTH: Final = r"(?:[0-9]+(?:ms|ns|m|s)|[0-9]{2,}[hd])"
_GRAMMAR: Final = Grammar(
    "translate.strict",
    "cqels_1x",
    {
        "length": (
            re.compile(rf"{_LENGTH}(?:\s*{_LENGTH})*(?!\w)"),
            "numbers with s, m, ms or ns, or with h or d and two digits at least",
        ),
        "size": SIZE,
    },
    partial(reject_operators, _ENGINE),
)
_PATHS: Final = ("alternative", "sequence", "repeated", "inverse", "negated")
_UNREGISTERED: Final = ("optional", "bind", "minus")
_AROUND: Final = {
    "block": "STREAM",
    "graph": "GRAPH",
    "optional": "OPTIONAL",
    "minus": "MINUS",
    "exists": "EXISTS",
    "not_exists": "EXISTS",
    "service": "SERVICE",
    "subselect": "a subquery",
}


def check_cqels(text: str, source: str) -> None:
    """Raise QueryError if CQELS 1.x rejects the query, either in its parser or at registration."""
    document = tokenize(text, source, rdf12=False)
    check_prefixes(document)
    tree = parsed(document, _GRAMMAR)
    for token in document.tokens:
        if token.is_word("VALUES"):
            raise rejection(document, token, _ENGINE, "VALUES; the draft of its time wrote BINDINGS")
    if tree is not None:
        _check_registered(document, query_of(tree))


def _check_registered(document: Document, query: Phrase) -> None:
    form = next(token for token in document.tokens if token.is_word("SELECT", "CONSTRUCT", "ASK", "DESCRIBE"))
    if not form.is_word("SELECT", "CONSTRUCT"):
        raise rejection(document, form, _ENGINE, "queries other than SELECT and CONSTRUCT")
    if not any(token.is_word("STREAM") for token in query.tokens()):
        raise rejection(document, document.tokens[-1], _ENGINE, "queries without a STREAM block")
    _check_parts(document, query)


def _check_parts(document: Document, whole: Phrase, around: str = "", *, streamed: bool = False) -> None:
    """Raise QueryError for the first part of a query's pattern that CQELS rejects at registration.

    The argument `around` is the name of the construct around the parts, or "".
    """
    for part in whole.phrases():
        if part.name == "block" and around:
            raise rejection(document, part.first(), _ENGINE, f"STREAM inside {around}")
        if part.name in _UNREGISTERED and not around:
            word = part.first().text.upper()
            raise rejection(document, part.first(), _ENGINE, f"{word} outside of STREAM blocks")
        if part.name in _PATHS and streamed:
            raise rejection(document, part.first(), _ENGINE, "property paths in a STREAM block")
        union = "UNION" if part.name == "union" and len(part.parts) > 1 else ""
        inside = _AROUND.get(part.name, union) or around
        _check_parts(document, part, inside, streamed=streamed or part.name == "block")
