"""What the exact grammars share: clauses as sequences of patterns, and SPARQL underneath."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from lars.language.terms import Iri
from translate.dialects.query_reader import operator_after
from translate.errors import QueryError, UnsupportedError
from translate.model.patterns import StreamBlock
from translate.model.windows import Now
from translate.sparql import Document, Names, Phrase, Token, TokenKind, read_tree
from translate.sparql.syntax_tree import StreamingClauses

_GAP: Final = re.compile(r"(?:\s|#[^\r\n]*)*")
SOME_STREAM: Final = StreamBlock(Iri(""), Now())  # stands where only the place of a block matters


@dataclass(frozen=True, slots=True)
class Piece:
    """A regular expression, and how messages name it."""

    pattern: re.Pattern[str]
    name: str


def word(text: str) -> Piece:
    """Return the piece that a keyword is, in any case."""
    end = r"(?!\w)" if text.isalpha() else ""
    return Piece(re.compile(re.escape(text) + end, re.IGNORECASE), text)


def piece_of(pattern: str, name: str, flags: re.RegexFlag = re.ASCII) -> Piece:
    """Return the piece of a pattern that no word character may follow."""
    return Piece(re.compile(f"(?:{pattern})(?!\\w)", flags), name)


def match(document: Document, start: int, shapes: Sequence[Sequence[Piece]]) -> int:
    """Return the end of the first shape that the text has from `start` on; gaps and comments are free.

    Raises QueryError at the farthest place that a shape reaches, with the pieces accepted there.
    """
    reached: dict[int, list[str]] = {}
    for shape in shapes:
        offset = start
        for piece in shape:
            gap = _GAP.match(document.text, offset)
            offset = gap.end() if gap else offset
            found = piece.pattern.match(document.text, offset)
            if found is None:
                reached.setdefault(offset, []).append(piece.name)
                break
            offset = found.end()
        else:
            return offset
    farthest = max(reached)
    accepted = " or ".join(dict.fromkeys(reached[farthest]))
    shown = re.compile(r"\w+|.|$", re.DOTALL).match(document.text, farthest)
    found_text = (shown.group() if shown else "") or "the end of the query"
    raise QueryError(document.place(farthest), f"found {found_text}; expected {accepted}")


def rejection(document: Document, token: Token, engine: str, reason: str) -> QueryError:
    """Return the error that an engine rejects what stands at a token."""
    return QueryError(document.place(token.start), f"found {token}; {engine} rejects {reason}")


def refuse_operator(document: Document, start: int, engine: str) -> None:
    """Raise at a relation-to-stream operator after SELECT or CONSTRUCT."""
    operator = operator_after(document, start)
    if operator is not None:
        raise rejection(document, document.tokens[operator], engine, "relation-to-stream operators here")


def sparql_tree(
    document: Document, names: Names, hidden: set[int], blocks: Sequence[int] = (), *, scope: bool = True
) -> Phrase | None:
    """Return the syntax tree of what is SPARQL in a query, or raise where it is none.

    Without `scope` undeclared prefixes are right too.
    A construct that the translation does not cover, but the language has, gives None.
    """
    missing = _undeclared(document, names)
    if missing and scope:
        names.iri(missing[0])  # raises
    known = tuple(
        replace(token, kind=TokenKind.IRI, text=f"<{token}>") if token in missing else token
        for token in document.tokens
    )
    lifted = StreamingClauses(names, frozenset(hidden), blocks=dict.fromkeys(blocks, SOME_STREAM))
    try:
        return read_tree(replace(document, tokens=known), lifted)
    except UnsupportedError:
        return None


def _undeclared(document: Document, names: Names) -> tuple[Token, ...]:
    """Return the prefixed names of a query whose prefix has no declaration."""
    return tuple(
        token
        for token in document.tokens[names.after :]
        if token.kind is TokenKind.NAME and token.text.split(":")[0] + ":" not in names.prefixes
    )
