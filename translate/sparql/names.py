"""RDF terms from tokens, by what the prologue declares.

Prefixes, BASE and escapes are resolved here; every literal keeps the lexical form of the text.
"""

import re
import sys
from dataclasses import dataclass
from typing import Final

from lars.language.terms import RDF_LANG_STRING, XSD, Iri, Literal
from translate.errors import QueryError
from translate.sparql.tokens import SURROGATES, Document, Token, TokenKind

RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ESCAPES: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Names:
    """What the prologue declares: prefixes (with their colon) and BASE, and the token after it."""

    document: Document
    prefixes: dict[str, str]
    base: str
    after: int

    def iri(self, token: Token) -> Iri:
        """Return the IRI of an IRI or a prefixed name; without BASE a relative IRI stays as it is."""
        if token.kind is TokenKind.IRI:
            return Iri(resolve(self.base, self._unescape(token, token.text[1:-1])))
        prefix, local = token.text.split(":", 1)
        if prefix + ":" not in self.prefixes:
            accepted = f"a declaration PREFIX {prefix}: <...> at the top of the query"
            raise QueryError(
                self.document.place(token.start),
                f"found the undeclared prefix {prefix}:; expected {accepted}",
            )
        return Iri(self.prefixes[prefix + ":"] + re.sub(r"\\(.)", r"\1", local))

    def label(self, token: Token) -> Iri:
        """Return the name of a window, which with an undeclared prefix is the text itself."""
        if token.kind is TokenKind.IRI or token.text.split(":", 1)[0] + ":" in self.prefixes:
            return self.iri(token)
        return Iri(token.text)

    def literal(self, index: int) -> Literal:
        """Return the literal that starts at a token: a string with its tag or datatype, or a number."""
        token, following, last = (*self.document.tokens[index : index + 3], None)[:3]
        assert token is not None
        if token.kind is TokenKind.NUMBER:
            return number(token.text)
        if token.kind is TokenKind.WORD:
            return Literal(token.text.lower(), XSD + "boolean")
        quotes = 3 if token.text.startswith(('"""', "'''")) else 1
        lexical = self._unescape(token, token.text[quotes:-quotes])
        if following is not None and following.kind is TokenKind.TAG:
            return Literal(lexical, RDF_LANG_STRING, following.text[1:].lower())
        if following is not None and following.is_word("^^") and last is not None and is_name(last):
            return Literal(lexical, self.iri(last).value)
        return Literal(lexical)

    def _unescape(self, token: Token, text: str) -> str:
        def character(found: re.Match[str]) -> str:
            short, long, plain = found.groups()
            if plain is not None:
                return _ESCAPES.get(plain, plain)
            code = int(short or long, 16)
            if code > sys.maxunicode or code in SURROGATES:
                raise QueryError(self.document.place(token.start), f"{found.group()} is no character")
            return chr(code)

        return _ESCAPE.sub(character, text)


def number(text: str) -> Literal:
    """Return a bare number as SPARQL reads it, sign and zeros kept.

    >>> print(number("-01"), number("1.0"))
    "-01"^^<http://www.w3.org/2001/XMLSchema#integer> "1.0"^^<http://www.w3.org/2001/XMLSchema#decimal>
    """
    kind = "double" if "e" in text.lower() else "decimal" if "." in text else "integer"
    return Literal(text, XSD + kind)


def resolve(base: str, reference: str) -> str:
    """Return the IRI that a reference denotes against BASE (RFC 3986, Section 5); "" is no BASE.

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
    """Return scheme with :, authority with //, path, query with ? and fragment with #; "" for none."""
    found = re.fullmatch(r"([A-Za-z][A-Za-z0-9+.-]*:)?(//[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?", iri, re.DOTALL)
    assert found is not None
    scheme, authority, path, query, fragment = (part or "" for part in found.groups())
    return scheme, authority, path, query, fragment


def _without_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == ".." and len(kept) > 1:
            kept.pop()
        elif segment not in (".", ".."):
            kept.append(segment)
    return "/".join(kept) + "/" * (segments[-1] in (".", ".."))


def is_name(token: Token) -> bool:
    """Whether the token can denote an IRI."""
    return token.kind in (TokenKind.IRI, TokenKind.NAME)


def read_prologue(document: Document, start: int = 0, before: Names | None = None) -> Names:
    """Return what the PREFIX and BASE lines from a token on declare, added to `before`."""
    names = before or Names(document, {}, document.base, start)
    prefixes, base, index = dict(names.prefixes), names.base, start
    tokens = document.tokens
    while True:
        declared = tokens[index : index + 3]
        if declared[0].is_word("BASE") and declared[1].kind is TokenKind.IRI:
            base, index = names.iri(declared[1]).value, index + 2
        elif declared[0].is_word("PREFIX") and _declares(declared):
            prefixes[declared[1].text], index = names.iri(declared[2]).value, index + 3
        else:
            return names
        names = Names(document, prefixes, base, index)


def check_absolute(document: Document) -> None:
    """Raise QueryError for an IRI that is relative where no BASE says to what: no data have it.

    The names of a query, of windows and of graphs are only names: static data have a graph by its name.
    """
    names = read_prologue(document)
    for index, token in enumerate(document.tokens):
        if token.is_word("PREFIX", "BASE"):
            names = read_prologue(document, index, names)
        known = token.kind is TokenKind.IRI or token.text.split(":", 1)[0] + ":" in names.prefixes
        before = document.tokens[max(index - 2, 0) : index]
        named = any(one.is_word("REGISTER") for one in before) or any(
            one.is_word("WINDOW", "GRAPH", "NAMED", "FROM") for one in before[-1:]
        )
        if is_name(token) and known and not named and not _SCHEME.match(found := names.iri(token).value):
            accepted = "an absolute <iri>, a prefix of one, or BASE <iri> at the top of the query"
            place = document.place(token.start)
            raise QueryError(place, f"found the relative IRI <{found}>; accepted: {accepted}")


def _declares(tokens: tuple[Token, ...]) -> bool:
    name, iri = (*tokens[1:], *tokens[-1:])[:2]
    return (
        name.kind is TokenKind.NAME
        and name.text.index(":") == len(name.text) - 1
        and iri.kind is TokenKind.IRI
    )
