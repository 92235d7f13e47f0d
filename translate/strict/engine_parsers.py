"""Shared parts of the engines' parsers: grammars that override the languages', and rejected words."""

from translate.errors import NeedsRdf12Error, QueryError, UnsupportedError
from translate.sparql import Document, Phrase, Token, read_tree
from translate.sparql.syntax_tree import Grammar
from translate.sparql.tokens import declared


def rejection(document: Document, token: Token, engine: str, reason: str) -> QueryError:
    """Return the error for a token that the engine rejects."""
    return QueryError(document.place(token.start), f"found {token}; {engine} rejects {reason}")


def reject_operators(engine: str, document: Document, token: Token) -> QueryError | None:
    """Return the error at a relation-to-stream operator, which the engine's grammar lacks."""
    operator = token.is_word("RSTREAM", "ISTREAM", "DSTREAM")
    return rejection(document, token, engine, "relation-to-stream operators here") if operator else None


def check_prefixes(document: Document) -> None:
    """Raise QueryError at the first name with an undeclared prefix."""
    names = declared(document)
    for token in document.tokens[names.after :]:
        if token.kind == "a prefixed name":
            names.iri(token)


def parsed(document: Document, grammar: Grammar) -> Phrase | None:
    """Return the syntax tree of a query; raises QueryError for an invalid query.

    A construct that the translation does not cover, but the language has, gives None.
    """
    try:
        return read_tree(document, grammar)
    except NeedsRdf12Error:
        raise
    except UnsupportedError:
        return None
