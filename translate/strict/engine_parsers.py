"""What the parsers of engines share: grammars that override those of languages, rejected words."""

from translate.errors import NeedsRdf12Error, QueryError, UnsupportedError
from translate.sparql import Document, Phrase, Token, TokenKind, read_tree
from translate.sparql.syntax_tree import Grammar
from translate.sparql.tokens import declared


def rejection(document: Document, token: Token, engine: str, reason: str) -> QueryError:
    """Return the error that an engine rejects what stands at a token."""
    return QueryError(document.place(token.start), f"found {token}; {engine} rejects {reason}")


def reject_operators(engine: str, document: Document, token: Token) -> QueryError | None:
    """Return the error at a relation-to-stream operator, of which the engine's grammar has none."""
    operator = token.is_word("RSTREAM", "ISTREAM", "DSTREAM")
    return rejection(document, token, engine, "relation-to-stream operators here") if operator else None


def check_prefixes(document: Document) -> None:
    """Raise QueryError at the first name whose prefix has no declaration."""
    names = declared(document)
    for token in document.tokens[names.after :]:
        if token.kind is TokenKind.NAME:
            names.iri(token)


def parsed(document: Document, grammar: Grammar) -> Phrase | None:
    """Return the syntax tree of a query, or raise where it is none.

    A construct that the translation does not cover, but the language has, gives None.
    """
    try:
        return read_tree(document, grammar)
    except NeedsRdf12Error:
        raise
    except UnsupportedError:
        return None
