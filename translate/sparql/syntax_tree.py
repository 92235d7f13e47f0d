"""SPARQL 1.1 underneath the dialects: the syntax tree, and the exact place of an error.

The grammar is sparql.lark. Its tables, sparql.json, are made from it beforehand, since that takes longer than
all reading; a query is parsed by them (LALR(1)), a token at a time: the first one that cannot stand where it
does is known, and what can.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from lars.durations import Duration
from lars.errors import PlacedError
from lars.language.terms import Iri, Variable
from translate.errors import UnsupportedError
from translate.model.patterns import StreamBlock
from translate.model.query import MergedStream, ToStream
from translate.sparql.tokens import Document, Names, Token, TokenKind


@dataclass(frozen=True, slots=True)
class AnyWindow:
    """WINDOW ?w of RSP-QL: the variable ranges over the declared windows, each with its name.

    WINDOW ?w {P} is the union, in this order, of Join(P read in the stream, Values((?w,), ((name,),))).
    As a GRAPH ?w it stands in `variables`, for FILTERs in P ?w is unbound. Where no window is declared,
    and for a name that none has, it has no solution, as GRAPH of a name that the dataset does not have.
    """

    name: Iri | Variable
    windows: tuple[StreamBlock, ...]


@dataclass(frozen=True, slots=True)
class StreamingClauses:
    """The streaming clauses of a query; without the `hidden` tokens the rest is SPARQL 1.1.

    `blocks` maps the token STREAM or WINDOW of each block to what it reads, as a block without its pattern;
    between it and the block's { all is hidden. The other fields are those of EngineQuery of the same names.
    """

    names: Names
    hidden: frozenset[int] = frozenset()
    name: str | None = None
    every: Duration | None = None
    merged: tuple[MergedStream, ...] = ()
    blocks: Mapping[int, StreamBlock | AnyWindow] = field(default_factory=dict)
    declared: tuple[MergedStream, ...] = ()
    to_stream: ToStream | None = None
    registers_stream: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Phrase:
    """A rule of the grammar with what stands for it in a query: the tokens that matter, and other rules."""

    name: str
    parts: "tuple[Part, ...]"

    def find(self, name: str) -> "Phrase | None":
        """Return the first part that is of this rule."""
        return next((part for part in self.phrases() if part.name == name), None)

    def phrases(self) -> Iterator["Phrase"]:
        """Yield the parts that are rules."""
        yield from (part for part in self.parts if isinstance(part, Phrase))

    def tokens(self) -> Iterator[Token]:
        """Yield the tokens in the order of the text."""
        for part in self.parts:
            if isinstance(part, Phrase):
                yield from part.tokens()
            else:
                yield part


Part = Phrase | Token


@dataclass(frozen=True, slots=True)
class _Tables:
    """What each state does at a terminal, or behind a rule; and the rules.

    A number from 0 on is the next state, -1 - n ends rule n; a state that is a number ends that rule whatever
    comes. A rule is its key in the states, its name, and a sign for each part: = takes it, - leaves it out. A
    rule without a name is its parts; behind 1 a single part stands for the whole.
    """

    states: list[dict[str, int] | int]
    rules: list[tuple[str, str | None, str]]


@cache
def _tables() -> _Tables:
    return _Tables(**json.loads(files("translate.sparql").joinpath("sparql.json").read_text("utf-8")))


@dataclass(slots=True)
class _Parser:
    """The rules that are open, as states, and what was read of them."""

    states: list[int] = field(default_factory=lambda: [0])
    values: "list[Part | list[Part]]" = field(default_factory=list)

    def takes(self, terminal: str, token: Token) -> bool:
        """Take in the next token; False where it cannot stand here."""
        tables, states = _tables(), self.states
        while True:
            row = tables.states[states[-1]]
            action = row if isinstance(row, int) else row.get(terminal)
            if action is None:
                return False
            if action >= 0:
                states.append(action)
                self.values.append(token)
                return True
            rule, name, signs = tables.rules[-1 - action]
            self._end(name, signs)
            following = tables.states[states[-1]]
            assert not isinstance(following, int)
            states.append(following[rule])

    def _end(self, name: str | None, signs: str) -> None:
        """Put what a rule stands for in the place of its parts."""
        alone, signs = signs.startswith("1"), signs.removeprefix("1")
        start = len(self.values) - len(signs)
        parts: list[Part] = []
        for sign, value in zip(signs, self.values[start:], strict=True):
            if isinstance(value, list):
                parts += value
            elif sign == "=":
                parts.append(value)
        del self.values[start:], self.states[start + 1 :]
        if name is None:
            self.values.append(parts)
        else:
            self.values.append(parts[0] if alone and len(parts) == 1 else Phrase(name, tuple(parts)))

    def would_take(self, terminal: str) -> bool:
        """Whether a terminal can stand here."""
        return _Parser([*self.states], [*self.values]).takes(terminal, Token(TokenKind.END, "", 0))


_TERMINALS: Final = {
    TokenKind.IRI: "iriref",
    TokenKind.VARIABLE: "variable",
    TokenKind.BLANK: "blank",
    TokenKind.STRING: "string",
    TokenKind.TAG: "tag",
    TokenKind.END: "$end",
}


def _terminals(document: Document, lifted: StreamingClauses) -> Iterator[tuple[str, Token]]:
    """Yield what each token of the SPARQL query is in the grammar, the end too."""
    for index, token in enumerate(document.tokens):
        if index in lifted.hidden:
            continue
        if index in lifted.blocks:
            yield "block", token
        elif token.kind is TokenKind.NUMBER:
            signed = token.text[0] in "+-"
            yield "signed" if signed else "integer" if token.text.isdigit() else "number", token
        elif token.kind is TokenKind.NAME:
            yield "pname" if token.text.partition(":")[2] else "namespace", token
        else:
            yield _TERMINALS.get(token.kind) or ("type" if token.text == "a" else token.text.upper()), token


COVERED: Final = "queries of SPARQL 1.1 with windows; its functions, casts to types of XSD, and timestamp"
_WORDS: Final = {
    "LATERAL": "LATERAL",
    "VERSION": "VERSION of SPARQL 1.2",
    **{word: f"the operator {word}" for word in ("ISTREAM", "DSTREAM", "RSTREAM")},
}
_FUNCTIONS: Final = (
    "TRIPLE", "SUBJECT", "PREDICATE", "OBJECT", "ISTRIPLE", "LANGDIR", "HASLANG", "HASLANGDIR", "STRLANGDIR",
    "ADJUST",
)  # fmt: skip
_PAIRS: Final = {
    ("AGGREGATE", "{"): "AGGREGATE of the drafts of C-SPARQL",
    ("<", "<"): "triple terms",
    ("{", "|"): "annotations",
}
_SHOWN: Final = {
    "variable": "a variable", "iriref": "an IRI", "string": "a literal", "integer": "an integer",
    "STR": "a function", "namespace": "a prefix and :",
    **{text: text for text in ("{", "}", "(", ")", "[", "]", ".", ";", ",", "=", "&&", "||", "*", "AS")},
    **{text: text for text in ("SELECT", "CONSTRUCT", "DESCRIBE", "ASK", "FROM", "WHERE", "BY", "FILTER")},
    **{text: text for text in ("OPTIONAL", "GRAPH", "GROUP", "ORDER", "LIMIT")},
}  # fmt: skip
"""What messages say can stand somewhere; of all keywords those that tell where one is."""
_OF_THEM: Final = {"an integer": "a literal", "a prefix and :": "an IRI"}


def read_tree(document: Document, lifted: StreamingClauses) -> Phrase:
    """Return the tree of a query; raises at the first token that no query has there.

    A construct of other languages is named there.
    """
    parser = _Parser()
    for terminal, token in _terminals(document, lifted):
        if not parser.takes(terminal, token):
            raise _error(document, lifted, token)
    whole = parser.values[0]
    assert isinstance(whole, Phrase)
    _, query = whole.phrases()
    return query


def _error(document: Document, lifted: StreamingClauses, wrong: Token) -> PlacedError:
    unsupported = _unsupported(document, lifted, wrong)
    if unsupported is not None:
        return unsupported
    parser = (
        _Parser()
    )  # anew: before it refuses a token a parser can have ended rules that others would not end
    before = wrong
    for terminal, token in _terminals(document, lifted):
        if token is wrong:
            break
        parser.takes(terminal, token)
        if token.kind is TokenKind.NAME and not before.is_word("PREFIX"):
            lifted.names.iri(token)  # raises at a prefix that is not declared
        before = token
    shown = [name for terminal, name in _SHOWN.items() if parser.would_take(terminal)]
    shown = [name for name in shown if _OF_THEM.get(name) not in shown]
    names = " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
    return document.unexpected(wrong, names or "the end of the query")


def _unsupported(document: Document, lifted: StreamingClauses, wrong: Token) -> UnsupportedError | None:
    """Return the error that names what up to the wrong token is of other languages."""
    for _, token in _terminals(document, lifted):
        following = document.tokens[min(document.index_from(token.end), len(document.tokens) - 1)]
        construct = _WORDS.get(token.text.upper()) if token.kind is TokenKind.WORD else None
        if token.is_word(*_FUNCTIONS) and following.is_word("("):
            construct = f"the function {token} of SPARQL 1.2"
        if token.end == following.start or token.kind is TokenKind.WORD:
            construct = _PAIRS.get((token.text.upper(), following.text), construct)
        if construct is not None:
            return UnsupportedError(construct, document.place(token.start), covered=COVERED)
        if token is wrong:
            break
    return None


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise the recursion limit: trees and patterns are as deep as brackets and chains in the text."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 200_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
