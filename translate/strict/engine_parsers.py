"""Share code among the engines' parsers: grammars that replace a language's grammar, and rejected words."""

from translate.errors import NeedsRdf12Error, QueryError, UnsupportedError
from translate.sparql import Document, Phrase, Token, read_tree
from translate.sparql.syntax_tree import Grammar
from translate.sparql.tokens import declared


def rejection(document: Document, token: Token, engine: str, reason: str) -> QueryError:
    """Return the error that an engine's parser rejects the construct with the name `reason` at a token."""
    return QueryError(document.place(token.start), f"found {token}; {engine} rejects {reason}")


def reject_operators(engine: str, document: Document, token: Token) -> QueryError | None:
    """Return an error if the token is a relation-to-stream operator, which the engine's grammar lacks."""
    operator = token.is_word("RSTREAM", "ISTREAM", "DSTREAM")
    return rejection(document, token, engine, "relation-to-stream operators here") if operator else None


def check_prefixes(document: Document) -> None:
    """Raise QueryError at the first name whose prefix is not declared."""
    document = declared(document)
    for token in document.tokens[document.after :]:
        if token.kind == "a prefixed name":
            document.iri(token)


def parsed(document: Document, grammar: Grammar) -> Phrase | None:
    """Return the syntax tree of a query; raise QueryError for an invalid query.

    The result is None if the query is valid, but has a construct that the translation does not support.
    """
    try:
        return read_tree(document, grammar)
    except NeedsRdf12Error:
        raise
    except UnsupportedError:
        return None
