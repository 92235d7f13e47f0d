"""Tokens of a query's text: what is a string, a name or a comment is decided here, once."""

import re
import sys
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import Enum
from functools import cache
from operator import itemgetter
from typing import Final

from lars.errors import Place, place_at
from translate.errors import QueryError


class TokenKind(Enum):
    """What a token is; its value says so in messages."""

    IRI = "an IRI"
    BLANK = "a blank node"
    NAME = "a prefixed name"
    VARIABLE = "a variable"
    STRING = "a string"
    TAG = "a language tag"
    NUMBER = "a number"
    WORD = "a keyword"
    SYMBOL = "a symbol"
    END = "the end of the query"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text as it stands there, from the character `start` (from 0) on."""

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        """The first character after the token."""
        return self.start + len(self.text)

    def __str__(self) -> str:
        return self.kind.value if self.kind is TokenKind.END else self.text

    def is_word(self, *texts: str) -> bool:
        """Whether the token is one of these keywords (in any case) or symbols."""
        return self.kind in (TokenKind.WORD, TokenKind.SYMBOL) and self.text.upper() in texts


@dataclass(frozen=True, slots=True)
class Document:
    """A query's text with its tokens, of which the last is the end; `source` names it in messages.

    In `text` the codepoint escapes (SPARQL 1.1, 19.2) are the characters that they mean; `characters`
    has them. `escapes` says from which character on the text is how much shorter. `base` is the
    IRI that relative IRIs are resolved against before any BASE; "" is none.
    """

    source: str
    text: str
    tokens: tuple[Token, ...]
    characters: str
    escapes: tuple[tuple[int, int], ...] = ()
    base: str = ""

    def place(self, offset: int) -> Place:
        """Return the place of a character of the text."""
        before = bisect_right(self.escapes, offset, key=itemgetter(0))
        shorter = self.escapes[before - 1][1] if before else 0
        return place_at(self.source, self.characters, offset + shorter)

    def index_from(self, offset: int) -> int:
        """Return the index of the first token at or after a character of the text."""
        return bisect_left(self.tokens, offset, key=lambda token: token.start)

    def unexpected(self, token: Token, accepted: str) -> QueryError:
        """Return the error that says what stands at the token and what is accepted there."""
        return QueryError(self.place(token.start), f"found {token}; expected {accepted}")


_LETTERS: Final = "A-Za-z"
_OTHER_LETTERS: Final = (
    "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_OTHER_CHARS: Final = "\u00b7\u0300-\u036f\u203f-\u2040"
_CODE: Final = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
_ESCAPE: Final = rf"\\[tbnrf\\\"']|{_CODE}"
_PLX: Final = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_EXPONENT: Final = "[eE][+-]?[0-9]+"
_CODEPOINT: Final = re.compile(r"\\\\|\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})", re.DOTALL)
_KEPT: Final = frozenset(map(ord, "\"'\\\r\n"))
SURROGATES: Final = range(0xD800, 0xE000)
_DEEPEST: Final = 64
_LONGEST: Final = 25_000


@cache
def _token(*, ascii_only: bool) -> re.Pattern[str]:
    """Return what matches a token; sets of all letters take long to compile, and few texts need them."""
    base = _LETTERS if ascii_only else _LETTERS + _OTHER_LETTERS
    chars = f"_{base}0-9" + ("" if ascii_only else _OTHER_CHARS)
    return re.compile(
        rf"""(?P<SPACE>[ \t\r\n\ufeff]+|\#[^\r\n]*)
    |(?P<IRI><(?:[^<>"{{}}|^`\\\x00-\x20]|{_CODE})*>)
    |(?P<STRING>\"\"\"(?:(?:"|"")?(?:[^"\\]|{_ESCAPE}))*\"\"\"|'''(?:(?:'|'')?(?:[^'\\]|{_ESCAPE}))*'''
        |"(?:[^"\\\n\r]|{_ESCAPE})*"|'(?:[^'\\\n\r]|{_ESCAPE})*')
    |(?P<BLANK>_:[_0-9{base}](?:[.{chars}\-]*[{chars}\-])?)
    |(?P<NAME>(?:[{base}](?:[.{chars}\-]*[{chars}\-])?)?:
        (?:(?:[_:0-9{base}]|{_PLX})(?:(?:[.:{chars}\-]|{_PLX})*(?:[:{chars}\-]|{_PLX}))?)?)
    |(?P<VARIABLE>[?$][{chars}]+)
    |(?P<TAG>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
    |(?P<NUMBER>[+-]?(?:[0-9]+\.[0-9]*{_EXPONENT}|\.?[0-9]+{_EXPONENT}|[0-9]*\.[0-9]+|[0-9]+))
    |(?P<WORD>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<SYMBOL>\^\^|&&|\|\||!=|<=|>=|[{{}}()\[\].,;=<>!+\-*/|^?])""",
        re.VERBOSE,
    )


def tokenize(written: str, source: str, base: str = "") -> Document:
    """Return the text with its tokens; white space and comments are none.

    Raises QueryError at a string that is not closed, at a character that no query has, and where
    the text is too long, or brackets and signs are nested too deeply, to be read.

    >>> [token.text for token in tokenize("ASK { ?s <p#q> 'a # b' } # c", "q.rq").tokens]
    ['ASK', '{', '?s', '<p#q>', "'a # b'", '}', '']
    """
    text, escapes = _unescaped(written)
    tokens: list[Token] = []
    start, pattern = 0, _token(ascii_only=text.isascii())
    while start < len(text):
        found = pattern.match(text, start)
        if found is None or found.lastgroup is None:
            place = Document(source, text, (), written, escapes).place(start)
            raise QueryError(place, _unreadable(text, start))
        if found.lastgroup != "SPACE":
            tokens.append(Token(TokenKind[found.lastgroup], found.group(), start))
        start = found.end()
    end = Token(TokenKind.END, "", len(text))
    document = Document(source, text, (*tokens, end), written, escapes, base)
    _check_depth(document)
    return document


def _unescaped(written: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the text without its codepoint escapes, and from where on it is how much shorter.

    An escape stays where it means no character, or one that cannot stand for itself in a string.
    """
    pieces: list[str] = []
    escapes: list[tuple[int, int]] = []
    start = shorter = 0
    for found in _CODEPOINT.finditer(written):
        code = int(found[1] or found[2] or "5C", 16)
        if code > sys.maxunicode or code in SURROGATES or code in _KEPT:
            continue
        pieces += [written[start : found.start()], chr(code)]
        shorter += len(found.group()) - 1
        escapes.append((found.end() - shorter, shorter))
        start = found.end()
    return "".join((*pieces, written[start:])), tuple(escapes)


def _unreadable(text: str, start: int) -> str:
    if text[start] in "\"'":
        return f"found a string with a wrong escape or no end; expected {text[start]} on its line"
    return f"found the character {text[start]!r}, which can stand only in a string, an IRI or a comment"


def _check_depth(document: Document) -> None:
    depth = signs = 0
    for number, token in enumerate(document.tokens):
        depth += token.is_word("(", "[", "{") - token.is_word(")", "]", "}")
        signs = signs + 1 if token.is_word("!", "+", "-", "^") else 0
        if depth > _DEEPEST:
            raise QueryError(document.place(token.start), f"brackets are nested more than {_DEEPEST} deep")
        if signs > _DEEPEST:
            raise QueryError(document.place(token.start), f"more than {_DEEPEST} signs stand in a row")
        if number > _LONGEST:
            problem = f"the query has more than {_LONGEST} words, terms and symbols"
            raise QueryError(document.place(token.start), problem)
