"""Tokens of a query's text, and the RDF terms that they denote by the declarations of the prologue.

Only the module `tokens` recognizes strings, names and comments. The module also resolves prefixes, BASE and
escapes. Every literal keeps the lexical form of the text.
"""

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import field, replace
from functools import cache
from itertools import pairwise
from operator import itemgetter
from typing import Final, Literal, get_args

from lars.dataclass import dataclass
from lars.errors import Place, place_at
from lars.language.terms import TAGGED, XSD, Iri, tagged
from lars.language.terms import Literal as RdfLiteral
from translate.errors import QueryError

TokenKind = Literal[
    "an IRI",
    "a blank node",
    "a prefixed name",
    "a variable",
    "a string",
    "a language tag",
    "a number",
    "a keyword",
    "a symbol",
    "the end of the query",
]
"""The kind of a token, which is also the name of the token in messages."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text from the character `start` (counted from 0)."""

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        """The index of the first character after the token."""
        return self.start + len(self.text)

    def __str__(self) -> str:
        return self.kind if self.kind == "the end of the query" else self.text

    def is_word(self, *texts: str) -> bool:
        """Return whether the token is one of the given keywords (in any case) or symbols."""
        return self.kind in ("a keyword", "a symbol") and self.text.upper() in texts


Prefixes = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Document:
    """The text of a query with its tokens; messages name the text `source`.

    The last token is the end of the query. The field `characters` is the text as written. In `text`,
    characters replace the codepoint escapes (SPARQL 1.1, 19.2). In `bare`, spaces replace the comments of
    `text`. The field `escapes` contains pairs (index of a character in `text`, number of characters removed
    before it). If `rdf12` is true, the text is SPARQL 1.2, which has codepoint escapes only in strings and
    IRIs.

    `base` resolves relative IRIs; "" means no base. The keys of `prefixes` are prefixes with their colon. At
    first, `base` and `prefixes` contain the values given with the text. The function `read_prologue` adds the
    declarations of the text, which may redefine a prefix. The field `after` is then the index of the token
    after the prologue.
    """

    source: str
    text: str
    tokens: tuple[Token, ...]
    characters: str
    escapes: tuple[tuple[int, int], ...] = ()
    base: str = ""
    rdf12: bool = False
    prefixes: Mapping[str, str] = field(default_factory=dict)
    after: int = 0
    bare: str = ""

    def place(self, offset: int) -> Place:
        """Return the place, in the query as the user wrote it, of a character of `text`."""
        return place_at(self.source, self.characters, self.original_index(offset))

    def original_index(self, offset: int) -> int:
        """Return the index, in the query as the user wrote it, of a character of `text`."""
        before = bisect_right(self.escapes, offset, key=itemgetter(0))
        return offset + (self.escapes[before - 1][1] if before else 0)

    def index_from(self, offset: int) -> int:
        """Return the index of the first token at or after a character of the text."""
        return bisect_left(self.tokens, offset, key=lambda token: token.start)

    def around(self, token: Token) -> tuple[Token, Token, Token]:
        """Return a token together with the tokens before and after it.

        The neighbor after the end of the query is this end itself.
        """
        index = self.index_from(token.start)
        return self.tokens[index - 1], token, self.tokens[min(index + 1, len(self.tokens) - 1)]

    def token_from(self, offset: int) -> Token:
        """Return the next token that begins at or after a character.

        If the character is inside a token, the text from the character on is divided into tokens again.
        """
        index = self.index_from(offset)
        if index == 0 or self.tokens[index - 1].end <= offset:
            return self.tokens[index]
        return next(_tokens(self, offset))

    def unexpected(self, token: Token, accepted: str) -> QueryError:
        """Return the error for an unexpected token, with the expected form."""
        # If an IRI contains an invalid character, its < is read as a symbol; the message quotes all of it.
        whole = _SPOILED_IRI.match(self.text, token.start) if token.text == "<" else None
        if whole is not None and (odd := _NOT_IN_IRIS.search(whole[1])) is not None:
            accepted, token = f"an IRI, which has no character {odd[0]!r}", replace(token, text=whole[0])
        return QueryError(self.place(token.start), f"found {token}; expected {accepted}")

    def iri(self, token: Token) -> Iri:
        """Return the IRI of an IRI token or a prefixed name; without a BASE, a relative IRI is unchanged."""
        if token.kind == "an IRI":
            written = self._unescape(token, token.text[1:-1])
            if (odd := _NOT_IN_IRIS.search(written)) is not None:
                raise self.unexpected(token, f"an IRI, which has no character {odd[0]!r}")
            return Iri(resolve(self.base, written))
        prefix, local = token.text.split(":", 1)
        if prefix + ":" not in self.prefixes:
            accepted = (
                f"a declaration PREFIX {prefix}: <...> at the top of the query, or --prefix {prefix}=IRI"
            )
            raise QueryError(
                self.place(token.start), f"found the undeclared prefix {prefix}:; expected {accepted}"
            )
        return Iri(self.prefixes[prefix + ":"] + re.sub(r"\\(.)", r"\1", local))

    def knows(self, token: Token) -> bool:
        """Return whether the token is an IRI, or a prefixed name with a declared prefix."""
        return token.kind == "an IRI" or token.text.split(":", 1)[0] + ":" in self.prefixes

    def label(self, token: Token) -> Iri:
        """Return the name of a window: the IRI of the token, or its text if its prefix is not declared."""
        return self.iri(token) if self.knows(token) else Iri(token.text)

    def literal(self, index: int) -> RdfLiteral:
        """Return the literal that starts at a token.

        The literal is a string with a tag or datatype, a number, or a boolean.
        """
        # Before the end of the query, only two tokens may be left.
        token, following, last = (*self.tokens[index : index + 3], None)[:3]
        assert token is not None
        if token.kind == "a number":
            return number(token.text)
        if token.kind == "a keyword":
            return RdfLiteral(token.text.lower(), XSD + "boolean")
        quotes = 3 if token.text.startswith(_LONG) else 1
        lexical = self._unescape(token, token.text[quotes:-quotes])
        if following is not None and following.kind == "a language tag":
            return tagged(lexical, following.text[1:])
        if following is not None and following.is_word("^^") and last is not None and is_name(last):
            datatype = self.iri(last).value
            if datatype in TAGGED:
                needed = "a language tag, as in 'a'@en: rdf:langString needs one"
                raise self.unexpected(last, needed)
            return RdfLiteral(lexical, datatype)
        return RdfLiteral(lexical)

    def _unescape(self, token: Token, text: str) -> str:
        def character(match: re.Match[str]) -> str:
            short, long, plain = match.groups()
            if plain is not None:
                return _ESCAPES.get(plain, plain)
            code = int(short or long, 16)
            if code > sys.maxunicode or code in SURROGATES:
                raise QueryError(self.place(token.start), f"{match.group()} is not a valid character")
            return chr(code)

        return _ESCAPE.sub(character, text)


_LETTERS: Final = "A-Za-z"
_OTHER_LETTERS: Final = (
    "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_OTHER_CHARS: Final = "\u00b7\u0300-\u036f\u203f-\u2040"
_CODE: Final = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
_ESCAPED: Final = rf"\\[tbnrf\\\"']|{_CODE}"
_PLX: Final = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_EXPONENT: Final = "[eE][+-]?[0-9]+"
_CODEPOINT: Final = re.compile(r"\\\\|\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})", re.DOTALL)
_KEPT: Final = frozenset(map(ord, "\"'\\\r\n"))
SURROGATES: Final = range(0xD800, 0xE000)
_DEEPEST: Final = 64
_OPENING: Final = ("(", "[", "{", "<<", "<<(", "{|")
_CLOSING: Final = (")", "]", "}", ">>", ")>>", "|}")
_MOST_TOKENS: Final = 25_000


_KINDS: Final[Mapping[str, TokenKind]] = dict(
    zip(
        ("IRI", "BLANK", "NAME", "VARIABLE", "STRING", "TAG", "NUMBER", "WORD", "SYMBOL"),
        get_args(TokenKind),
        strict=False,
    )
)
"""Maps the names of the groups in the tokens' pattern to kinds of tokens; the end has no group."""


@cache
def _token(*, ascii_only: bool, rdf12: bool) -> re.Pattern[str]:
    """Return the regular expression of a token; with `ascii_only`, the expression compiles faster.

    In SPARQL 1.1, << is not a token, because ?a<<e:b> is a comparison with an IRI. The sign ~ is a token only
    so that a message can quote it.
    """
    base = _LETTERS if ascii_only else _LETTERS + _OTHER_LETTERS
    chars = f"_{base}0-9" + ("" if ascii_only else _OTHER_CHARS)
    symbols = r"<<\(|\)>>|<<|>>|\{\||\|\}|" if rdf12 else ""
    direction = "(?:--(?:ltr|rtl))?" if rdf12 else ""
    return re.compile(
        rf"""(?P<SPACE>[ \t\r\n\ufeff]+|\#[^\r\n]*)
    |(?P<IRI><(?:[^<>"{{}}|^`\\\x00-\x20]|{_CODE})*>)
    |(?P<STRING>\"\"\"(?:(?:"|"")?(?:[^"\\]|{_ESCAPED}))*\"\"\"|'''(?:(?:'|'')?(?:[^'\\]|{_ESCAPED}))*'''
        |"(?:[^"\\\n\r]|{_ESCAPED})*"|'(?:[^'\\\n\r]|{_ESCAPED})*')
    |(?P<BLANK>_:[_0-9{base}](?:[.{chars}\-]*[{chars}\-])?)
    |(?P<NAME>(?:[{base}](?:[.{chars}\-]*[{chars}\-])?)?:
        (?:(?:[_:0-9{base}]|{_PLX})(?:(?:[.:{chars}\-]|{_PLX})*(?:[:{chars}\-]|{_PLX}))?)?)
    |(?P<VARIABLE>[?$][{chars}]+)
    |(?P<TAG>@[A-Za-z]+(?:-[A-Za-z0-9]+)*{direction})
    |(?P<NUMBER>[+-]?(?:[0-9]+\.[0-9]*{_EXPONENT}|\.?[0-9]+{_EXPONENT}|[0-9]*\.[0-9]+|[0-9]+))
    |(?P<WORD>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<SYMBOL>{symbols}\^\^|&&|\|\||!=|<=|>=|[{{}}()\[\].,;=<>!+\-*/|^?~])""",
        re.VERBOSE,
    )


def tokenize(
    written: str, source: str, base: str = "", *, rdf12: bool | None = None, prefixes: Prefixes = ()
) -> Document:
    """Return a query's text with its tokens, without white space and comments.

    The text is SPARQL 1.2 if `rdf12` is true, or if `rdf12` is None and a VERSION in the text declares SPARQL
    1.2.

    Raises QueryError at an open string, at an invalid character, and if the text is too long or too deeply
    nested.

    >>> [token.text for token in tokenize("ASK { ?s <p#q> 'a # b' } # c", "q.rq").tokens]
    ['ASK', '{', '?s', '<p#q>', "'a # b'", '}', '']
    """
    if rdf12 is None:
        rdf12 = _says_12(written)
    text, escapes = (written, ()) if rdf12 else _unescaped(written)
    given = {f"{prefix}:": iri for prefix, iri in prefixes}
    whole = Document(source, text, (), written, escapes, base, rdf12, given)
    tokens = tuple(_tokens(whole, 0))
    document = replace(whole, tokens=tokens, bare=_without_comments(text, tokens))
    _check_depth(document)
    return document


def _without_comments(text: str, tokens: tuple[Token, ...]) -> str:
    if "#" not in text:
        return text
    between = ((one.end, other.start) for one, other in pairwise((Token("a symbol", "", 0), *tokens)))
    pieces, end = list[str](), 0
    for start, stop in between:
        pieces += [text[end:start], re.sub(r"#[^\r\n]*", lambda match: " " * len(match[0]), text[start:stop])]
        end = stop
    return "".join(pieces)


def _says_12(written: str) -> bool:
    """Return whether a VERSION before the first group declares SPARQL 1.2."""
    if "version" not in written.lower():
        return False
    before: Token | None = None
    # `tokenize` reads the text again, and then raises the error.
    with suppress(QueryError):
        for token in _tokens(Document("", written, (), written), 0):
            if token.is_word("{"):
                break
            if before is not None and before.is_word("VERSION") and token.text[1:-1] in VERSIONS_12:
                return True
            before = token
    return False


FUNCTIONS_12: Final = (
    "TRIPLE", "SUBJECT", "PREDICATE", "OBJECT", "ISTRIPLE", "LANGDIR", "HASLANG", "HASLANGDIR", "STRLANGDIR",
)  # fmt: skip


def needs_12(text: str) -> bool:
    """Return whether a query without escapes uses syntax of SPARQL 1.2."""
    tokens = tokenize(text, "", rdf12=True).tokens
    return any(
        token.is_word("<<(")
        or (token.is_word(*FUNCTIONS_12) and following.is_word("("))
        or (token.kind == "a language tag" and "--" in token.text)
        for token, following in pairwise(tokens)
    )


def _tokens(document: Document, start: int) -> Iterator[Token]:
    """Yield the tokens from a character to the end; the last token is the end of the query."""
    text = document.text
    pattern = _token(ascii_only=text.isascii(), rdf12=document.rdf12)
    while start < len(text):
        match = pattern.match(text, start)
        if match is None or match.lastgroup is None:
            raise QueryError(document.place(start), _unreadable(text, start))
        if match.lastgroup != "SPACE":
            yield Token(_KINDS[match.lastgroup], match.group(), start)
        start = match.end()
    yield Token("the end of the query", "", len(text))


def _unescaped(written: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the text after replacing codepoint escapes, and the positions at which characters were removed.

    If an escape is invalid, it stays in the text. If the character of an escape would need escaping in a
    string, the escape stays in the text too.
    """
    pieces: list[str] = []
    escapes: list[tuple[int, int]] = []
    start = shorter = 0
    for match in _CODEPOINT.finditer(written):
        # The pattern also matches two backslashes, which stay, so that the second one begins no escape.
        code = int(match[1] or match[2] or "5C", 16)
        if code > sys.maxunicode or code in SURROGATES or code in _KEPT:
            continue
        pieces += [written[start : match.start()], chr(code)]
        shorter += len(match.group()) - 1
        escapes.append((match.end() - shorter, shorter))
        start = match.end()
    return "".join((*pieces, written[start:])), tuple(escapes)


def _unreadable(text: str, start: int) -> str:
    if text[start] in "\"'":
        quote = text[start]
        problem = f"found a string with an invalid escape, or without {quote} at its end on the same line"
        return f"{problem}; use \\\\ for a backslash, and {quote} at the end"
    return f"found the character {text[start]!r}, which can stand only in a string, an IRI or a comment"


def _check_depth(document: Document) -> None:
    depth = signs = 0
    for number, token in enumerate(document.tokens):
        depth += token.is_word(*_OPENING) - token.is_word(*_CLOSING)
        signs = signs + 1 if token.is_word("!", "+", "-", "^") else 0
        if depth > _DEEPEST:
            raise QueryError(document.place(token.start), f"brackets are nested more than {_DEEPEST} deep")
        if signs > _DEEPEST:
            problem = f"more than {_DEEPEST} signs (!, +, - or ^) follow each other"
            raise QueryError(document.place(token.start), problem)
        if number > _MOST_TOKENS:
            problem = f"the query has more than {_MOST_TOKENS} words, terms and symbols"
            raise QueryError(document.place(token.start), problem)


_LONG: Final = ('"""', "'''")
VERSIONS_12: Final = ("1.2", "1.2-basic")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_SPOILED_IRI: Final = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]*:[^<>\r\n]*)>")
_NOT_IN_IRIS: Final = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
_ESCAPES: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)


def number(text: str) -> RdfLiteral:
    """Return the literal of a number without quotes; the literal keeps the sign and the zeros.

    >>> print(number("-01"), number("1.0"))
    "-01"^^<http://www.w3.org/2001/XMLSchema#integer> "1.0"^^<http://www.w3.org/2001/XMLSchema#decimal>
    """
    kind = "double" if "e" in text.lower() else "decimal" if "." in text else "integer"
    return RdfLiteral(text, XSD + kind)


def resolve(base: str, reference: str) -> str:
    """Return the IRI that results from resolving a reference against BASE (RFC 3986, Section 5).

    If BASE is "", the reference is unchanged.

    >>> resolve("ws://e.org/a/b", "../c"), resolve("", "coupons")
    ('ws://e.org/c', 'coupons')
    """
    scheme, authority, path, query, fragment = _parts(reference)
    if not base or scheme:
        return reference
    scheme, base_authority, base_path, base_query, _ = _parts(base)
    if authority:
        path = _without_dots(path)
    elif not path:
        authority, path, query = base_authority, base_path, query or base_query
    else:
        if not path.startswith("/"):
            folder = base_path.rpartition("/")
            path = "".join(folder[:2]) + path if base_path else "/" * bool(base_authority) + path
        authority, path = base_authority, _without_dots(path)
    return scheme + authority + path + query + fragment


def _parts(iri: str) -> tuple[str, str, str, str, str]:
    """Return the five parts of an IRI, with their delimiters: scheme, authority, path, query and fragment.

    If the IRI lacks a part, the function returns "" for this part.
    """
    match = re.fullmatch(r"([A-Za-z][A-Za-z0-9+.-]*:)?(//[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?", iri, re.DOTALL)
    assert match is not None
    scheme, authority, path, query, fragment = (part or "" for part in match.groups())
    return scheme, authority, path, query, fragment


def _without_dots(path: str) -> str:
    """Return the path of an IRI without the segments . and .., as section 5.2.4 of RFC 3986 requires."""
    kept: list[str] = []
    is_rooted = path.startswith("/")
    segments = path.split("/")[is_rooted or not path :]
    for segment in segments:
        if segment not in (".", ".."):
            kept.append("/" * is_rooted + segment)
            is_rooted = True
        elif segment == ".." and kept:
            kept.pop()
    is_folder = is_rooted and segments[-1:] in (["."], [".."])
    return "".join(kept) + "/" * is_folder


def is_name(token: Token) -> bool:
    """Return whether the token can denote an IRI."""
    return token.kind in ("an IRI", "a prefixed name")


def read_prologue(document: Document, start: int = 0) -> Document:
    """Return the document with the PREFIX and BASE declarations that follow one another from a token on."""
    prefixes, base, index = dict(document.prefixes), document.base, start
    while True:
        declared = document.tokens[index : index + 3]
        if declared[0].is_word("BASE") and declared[1].kind == "an IRI":
            base, index = document.iri(declared[1]).value, index + 2
        elif declared[0].is_word("PREFIX") and _declares(declared):
            prefixes[declared[1].text], index = document.iri(declared[2]).value, index + 3
        elif declared[0].is_word("VERSION") and declared[1].kind == "a string":
            if declared[1].text.startswith(_LONG):
                raise document.unexpected(declared[1], 'a version between two quotes, as in "1.2"')
            index += 2
        else:
            return document
        document = replace(document, prefixes=prefixes, base=base, after=index)


def read_declarations(document: Document) -> Iterator[Document]:
    """Yield, for each token, the document with the declarations before the token.

    PREFIX and BASE declarations may occur anywhere in the text.
    """
    document = read_prologue(document)
    for index, token in enumerate(document.tokens):
        if token.is_word("PREFIX", "BASE") and index >= document.after:
            document = read_prologue(document, index)
        yield document


def declared(document: Document) -> Document:
    """Return the document with all PREFIX and BASE declarations of the text, at any position."""
    *_, whole = read_declarations(document)
    return whole


def has_relative_iri(document: Document, words: Mapping[str, int]) -> bool:
    """Return whether a query's pattern contains a relative IRI, although the query has no BASE.

    The names of queries, windows and graphs do not count, since static data may name a graph with any text.
    Each key of `words` is a word before the name of a query or window, such as WINDOW; its value is the
    number of tokens from the word to the name.
    """
    for index, (token, names) in enumerate(zip(document.tokens, read_declarations(document), strict=True)):
        before = enumerate(reversed(document.tokens[max(index - 2, 0) : index]), 1)
        named = any(words.get(one.text.upper(), 0) >= distance for distance, one in before)
        if is_name(token) and names.knows(token) and not named and not _SCHEME.match(names.iri(token).value):
            return True
    return False


def _declares(tokens: tuple[Token, ...]) -> bool:
    name, iri = (*tokens[1:], *tokens[-1:])[:2]
    return (
        name.kind == "a prefixed name" and name.text.index(":") == len(name.text) - 1 and iri.kind == "an IRI"
    )
