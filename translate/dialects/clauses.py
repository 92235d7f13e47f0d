"""Where the streaming clauses of a query stand, which languages have them, and what REGISTER says."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from lars.durations import Duration
from translate.dialects.windows import ReadLength, reader_at
from translate.errors import QueryError
from translate.model.query import Language, ToStream
from translate.sparql import AnyWindow, Document, StreamClause, Token, TokenKind, is_name, read_prologue

TITLES: Final = {
    Language.CSPARQL: "C-SPARQL",
    Language.CQELS: "CQELS",
    Language.SPARQLSTREAM: "SPARQLstream",
    Language.RSPQL: "RSP-QL",
}
_ACCEPTED: Final = {
    Language.CSPARQL: "stand in FROM STREAM <iri> [window]",
    Language.CQELS: "stand in the pattern: STREAM <iri> [window] { .. }",
    Language.SPARQLSTREAM: "stand in FROM NAMED STREAM <iri> [window] or STREAM <iri> [window] { .. }",
    Language.RSPQL: "stand in FROM NAMED WINDOW <name> ON <iri> [window], read by WINDOW <name> { .. }",
}
_OPERATORS: Final = tuple(operator.value for operator in ToStream)
_FORMS: Final = ("SELECT", "CONSTRUCT", "ASK", "DESCRIBE")


@dataclass(frozen=True, slots=True)
class Clause:
    """A streaming clause: how messages name it, its place, and its languages, the likeliest first."""

    name: str
    token: Token
    languages: tuple[Language, ...]


def find_clauses(document: Document) -> tuple[Clause, ...]:
    """Return the streaming clauses of a text, whatever their languages, in no special order."""
    start = read_prologue(document).after
    blocks = tuple(_blocks(document))
    return (*_header(document, start), *_from_clauses(document, start, alone=not blocks), *blocks)


def _from_clauses(document: Document, start: int, *, alone: bool) -> Iterator[Clause]:
    tokens = document.tokens
    registered = tokens[start].is_word("REGISTER")
    for index in from_clauses(document, start, "STREAM"):
        word = tokens[index - 1].is_word("NAMED")
        likely = (Language.CSPARQL, Language.SPARQLSTREAM)
        if word and not registered and token_at(document, index + 3).is_word("NOW", "TRIPLES"):
            likely = (Language.SPARQLSTREAM, Language.CSPARQL)
        # Beside STREAM blocks FROM STREAM without NAMED is a mixture of C-SPARQL and CQELS.
        yield Clause("FROM STREAM", tokens[index], likely if word or alone else likely[:1])
    for index in from_clauses(document, start, "WINDOW"):
        yield Clause("FROM WINDOW", tokens[index], (Language.RSPQL,))


def _blocks(document: Document) -> Iterator[Clause]:
    depth = 0
    for token, following in pairwise(document.tokens):
        depth += token.is_word("{") - token.is_word("}")
        if depth > 0 and token.is_word("STREAM"):
            yield Clause("a STREAM block", token, (Language.CQELS, Language.SPARQLSTREAM))
        elif (
            depth > 0
            and token.is_word("WINDOW")
            and (is_name(following) or following.kind is TokenKind.VARIABLE)
        ):
            yield Clause("a WINDOW block", token, (Language.RSPQL,))


def _header(document: Document, start: int) -> Iterator[Clause]:
    token, following = document.tokens[start], token_at(document, start + 1)
    if token.is_word("REGISTER"):
        own = following.is_word(*_OPERATORS)
        likely = (Language.RSPQL,) if own else (Language.CSPARQL, Language.RSPQL)
        yield Clause("REGISTER", token, likely)
    if token.is_word("RULE", "RETRIEVE"):
        yield Clause(token.text.upper(), token, (Language.RSPQL,))
    operator = operator_after(document, start)
    if operator is not None:
        token = document.tokens[operator]
        yield Clause(token.text.upper(), token, (Language.SPARQLSTREAM, Language.RSPQL))


def refuse_others(document: Document, language: Language) -> None:
    """Raise QueryError at the first clause of the text that the language does not have."""
    clauses = sorted(find_clauses(document), key=lambda clause: clause.token.start)
    for clause in clauses:
        if language not in clause.languages:
            theirs = " and ".join(TITLES[one] for one in clause.languages)
            problem = f"found {clause.name}, which is {theirs}, in a query of {TITLES[language]}"
            accepted = f"the windows of {TITLES[language]} {_ACCEPTED[language]}"
            raise QueryError(document.place(clause.token.start), f"{problem}; {accepted}")


def from_clauses(document: Document, start: int, word: str) -> list[int]:
    """Return the indices of STREAM or WINDOW after FROM [NAMED], outside of every group."""
    clauses, depth, brackets = [], 0, 0
    tokens = document.tokens
    form = next((token for token in tokens[start:] if token.is_word(*_FORMS)), tokens[-1])
    for index in range(start, len(tokens)):
        token = tokens[index]
        depth += token.is_word("{") - token.is_word("}")
        if depth == 0 and token.is_word(word):
            before = index - 2 if tokens[index - 1].is_word("NAMED") else index - 1
            if before >= 0 and tokens[before].is_word("FROM"):
                clauses.append(index)
        # A group in brackets is no pattern of the query's own, but that of an EXISTS in SELECT.
        brackets += token.is_word("(") - token.is_word(")")
        if token.is_word("}") and depth <= 0 >= brackets and not form.is_word("CONSTRUCT"):
            break
    return clauses


def operator_after(document: Document, start: int) -> int | None:
    """Return the index of RSTREAM, ISTREAM or DSTREAM after the query's SELECT or CONSTRUCT."""
    for index in range(start, len(document.tokens) - 1):
        if document.tokens[index].is_word(*_FORMS):
            return index + 1 if document.tokens[index + 1].is_word(*_OPERATORS) else None
        if document.tokens[index].is_word("{"):
            break
    return None


def token_at(document: Document, index: int) -> Token:
    """Return the token of an index, and beyond the end the end."""
    return document.tokens[min(index, len(document.tokens) - 1)]


def first_of(document: Document, index: int) -> int:
    """Return the index of the FROM before [NAMED] STREAM or WINDOW."""
    return index - 2 if document.tokens[index - 1].is_word("NAMED") else index - 1


ReadBlock = Callable[[int], tuple[StreamClause | AnyWindow, int]]


def read_blocks(
    document: Document, word: str, read: ReadBlock
) -> tuple[dict[int, StreamClause | AnyWindow], set[int]]:
    """Return the STREAM or WINDOW blocks of a query by the token of their word, and what they hide.

    `read` gets the token after the word, and returns what the block reads and the token { after it.
    """
    blocks: dict[int, StreamClause | AnyWindow] = {}
    hidden: set[int] = set()
    groups: list[Token | None] = []
    opened: Token | None = None
    for index, token in enumerate(document.tokens):
        outer = next((group for group in groups if group is not None), None)
        if token.is_word(word) and groups and index not in hidden:
            _refuse_nesting(document, token, outer)
            blocks[index], after = read(index + 1)
            opened = token
            hidden.update(range(index + 1, after))
        elif token.is_word("GRAPH"):
            if outer is not None and outer.is_word(word):
                _refuse_nesting(document, token, outer)
            opened = token
        elif token.is_word("{"):
            groups.append(opened)
            opened = None
        elif token.is_word("}") and groups:
            groups.pop()
    return blocks, hidden


def _refuse_nesting(document: Document, token: Token, outer: Token | None) -> None:
    if outer is not None:
        inner, around = token.text.upper(), outer.text.upper()
        problem = f"found {inner} inside {around}; a stream has no named graphs and no streams in it"
        raise QueryError(document.place(token.start), problem)


_NAME: Final = re.compile(r"<[^<>\s]*>|[\w.:/?-]+")


@dataclass(frozen=True, slots=True)
class RegisterClause:
    """REGISTER .. AS: the name as it is written, the period, and the token after AS, all if present."""

    name: str | None
    every: Duration | None
    stream: bool
    after: int


def read_register(document: Document, start: int, read: ReadLength) -> RegisterClause:
    """Return what REGISTER QUERY or STREAM says; `start` is REGISTER."""
    kind = token_at(document, start + 1)
    if not kind.is_word("QUERY", "STREAM"):
        raise document.unexpected(kind, "QUERY or STREAM and a name after REGISTER")
    first = token_at(document, start + 2)
    name = _NAME.match(document.text, first.start)
    if name is None or first.is_word("AS", "COMPUTED", "EVERY"):
        raise document.unexpected(first, "the name of the query")
    index, every = document.index_from(name.end()), None
    if document.tokens[index].is_word("COMPUTED"):
        index += 1
        if not document.tokens[index].is_word("EVERY"):
            raise document.unexpected(document.tokens[index], "EVERY and a duration after COMPUTED")
    if document.tokens[index].is_word("EVERY"):
        every, reader = read(reader_at(document, document.tokens[index].end), "EVERY")
        index = document.index_from(reader.start)
    if not document.tokens[index].is_word("AS"):
        accepted = "AS" if every else "AS or COMPUTED EVERY"
        raise document.unexpected(document.tokens[index], accepted)
    return RegisterClause(name.group(), every, stream=kind.is_word("STREAM"), after=index + 1)
