"""The parser of C-SPARQL 0.9: an ANTLR grammar of SPARQL 1.0 with aggregates and subqueries."""

from typing import Final

from translate.dialects.clauses import first_of, from_clauses
from translate.dialects.names import is_name, read_prologue
from translate.dialects.strict_shapes import (
    first_token,
    match,
    paths,
    refuse_operator,
    rejected,
    shaped,
    sparql_tree,
    word,
)
from translate.dialects.tokens import Document, Kind, tokenize

_ENGINE: Final = "C-SPARQL 0.9"
_NAME: Final = shaped("[A-Za-z][A-Za-z0-9_]+(?![-:])", "a name of two or more letters, digits and _")
# The number and the unit are one token, in lower case.
_LENGTH: Final = shaped("[0-9]+(?:ms|[smhd])", "a number and ms, s, m, h or d")
_REGISTERED: Final = (word("REGISTER"), shaped("(?i:QUERY|STREAM)", "QUERY or STREAM"), _NAME)
_REGISTER: Final = (
    (*_REGISTERED, word("AS")),
    (*_REGISTERED, word("COMPUTED"), word("EVERY"), _LENGTH, word("AS")),
)
_RANGE: Final = (word("["), word("RANGE"))
_WINDOW: Final = (
    (*_RANGE, word("TRIPLES"), shaped("[0-9]+", "a number of triples"), word("]")),
    (*_RANGE, _LENGTH, word("STEP"), _LENGTH, word("]")),
    (*_RANGE, _LENGTH, word("TUMBLING"), word("]")),
)
_LATER: Final = ("BIND", "MINUS", "VALUES", "BINDINGS", "SERVICE")


def check(text: str, source: str) -> None:
    """Raise QueryError where the parser of C-SPARQL 0.9 rejects the query."""
    document = tokenize(text, source)
    start = 0
    if document.tokens[0].says("REGISTER"):
        start = document.index_from(match(document, document.tokens[0].start, _REGISTER))
    names = read_prologue(document, start)
    _check_prologue(document, start, names.after)
    hidden = set(range(start))
    for index in from_clauses(document, names.after, "STREAM"):
        if not is_name(document.tokens[index + 1]):
            raise document.unexpected(document.tokens[index + 1], "the IRI of a stream")
        end = match(document, document.tokens[index + 1].end, _WINDOW)
        hidden.update(range(first_of(document, index), document.index_from(end)))
    refuse_operator(document, names.after, _ENGINE)
    for index in range(names.after, len(document.tokens)):
        if index not in hidden:
            _check_token(document, index)
    for path in paths(sparql_tree(document, names, hidden, scope=False)):
        raise rejected(document, document.tokens[first_token(path) or 0], _ENGINE, "property paths")


def _check_prologue(document: Document, start: int, end: int) -> None:
    """BASE stands once, before every PREFIX."""
    declared = False
    for token in document.tokens[start:end]:
        if token.says("BASE") and declared:
            raise rejected(document, token, _ENGINE, "BASE after PREFIX or BASE")
        declared |= token.says("PREFIX", "BASE")


def _check_token(document: Document, index: int) -> None:
    token = document.tokens[index]
    if token.says(*_LATER):
        raise rejected(document, token, _ENGINE, "what SPARQL 1.0 did not have")
    if token.says("HAVING") and not _grouped(document, index):
        raise rejected(document, token, _ENGINE, "HAVING without GROUP BY and variables before it")


def _grouped(document: Document, index: int) -> bool:
    before = index - 1
    while document.tokens[before].kind is Kind.VARIABLE:
        before -= 1
    by, group = document.tokens[before], document.tokens[before - 1]
    return before < index - 1 and by.says("BY") and group.says("GROUP")
