"""RDF terms and variables as SPARQL text, in which no character of data can become syntax.

Which namespaces get a prefix, what it is called, and what a language cannot say.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, assert_never

from lars.errors import LarsError
from lars.language.terms import XSD, Blank, Iri, Literal, Number, Symbol, Term, Variable
from translate.dialects import TITLES
from translate.errors import QueryError
from translate.model.query import Language
from translate.sparql import TokenKind, resolve, tokenize


class CannotSayError(LarsError):
    """A construct of a query that a language has no words for, with what it accepts instead."""

    def __init__(self, construct: str, language: Language, accepted: str) -> None:
        super().__init__(f"{TITLES[language]} cannot say {construct}; {accepted}")
        self.construct = construct
        self.language = language


_KNOWN: Final = {
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "http://www.w3.org/2000/01/rdf-schema#": "rdfs",
    "http://www.w3.org/2002/07/owl#": "owl",
    XSD: "xsd",
}
_SPLIT: Final = re.compile(r"([^<>\"{}|^`\\\x00-\x20]*[/#])([A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)")
_WORD: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]*")
_VAGUE: Final = frozenset(
    ("http", "https", "www", "com", "org", "net", "ns", "rdf", "owl", "ttl", "resource")
)


def split(iri: str) -> tuple[str, str]:
    """Return namespace and local name; the local name is empty where a prefix cannot be used.

    >>> split("http://e.org/a#b-1"), split("urn:a")
    (('http://e.org/a#', 'b-1'), ('urn:a', ''))
    """
    found = _SPLIT.fullmatch(iri)
    return (iri, "") if found is None else (found[1], found[2])


def choose_prefixes(used: Counter[str]) -> Mapping[str, str]:
    """Return a prefix, without its colon, for each namespace used twice, and for rdf, rdfs and xsd.

    >>> dict(choose_prefixes(Counter({"http://www.w3.org/ns/sosa/": 2, XSD: 1, "http://e.org/": 1})))
    {'http://www.w3.org/2001/XMLSchema#': 'xsd', 'http://www.w3.org/ns/sosa/': 'sosa'}
    """
    chosen = {namespace: name for namespace, name in _KNOWN.items() if used[namespace]}
    for namespace, times in used.items():
        if times > 1 and namespace not in chosen:
            chosen[namespace] = _unused(_guessed(namespace), frozenset(chosen.values()))
    return chosen


def _guessed(namespace: str) -> str:
    """Return the last word of a namespace that tells it from others."""
    words = [word.lower() for word in _WORD.findall(namespace)]
    telling = [word for word in words if word not in _VAGUE and word not in _KNOWN.values()]
    return telling[-1] if telling else "p"


def _unused(name: str, taken: frozenset[str]) -> str:
    number, unused = 2, name
    while unused in taken:
        unused, number = f"{name}{number}", number + 1
    return unused


TYPE: Final = Iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_BARE: Final = {
    XSD + "integer": re.compile(r"[0-9]+"),
    XSD + "decimal": re.compile(r"[0-9]*\.[0-9]+"),
    XSD + "double": re.compile(r"(?:[0-9]+\.[0-9]*|\.?[0-9]+)[eE][+-]?[0-9]+"),
    XSD + "boolean": re.compile("true|false"),
}


@dataclass(frozen=True, slots=True)
class Terms:
    """How the terms of one text are written.

    `prefixes` maps namespaces to prefixes; `used` counts the IRIs of each namespace. Variables
    that are in `blanks` are written as blank nodes. `bases` are those that calls of IRI resolve
    against, "" for none; `base` is the one that the text declares.
    """

    language: Language
    prefixes: Mapping[str, str] = field(default_factory=dict)
    blanks: frozenset[Variable] = frozenset()
    used: Counter[str] = field(default_factory=Counter)
    bases: set[str] = field(default_factory=set)
    base: str = ""

    def variable(self, variable: Variable) -> str:
        """Return ?name, or raise where that is no variable of SPARQL, or one that is written as a blank."""
        if variable in self.blanks:
            accepted = "a query without result variables uses its other variables in triple patterns only"
            raise CannotSayError(f"the variable {variable} of no result", self.language, accepted)
        return self._checked(f"?{variable.name}", TokenKind.VARIABLE)

    def iri(self, iri: Iri) -> str:
        """Return a prefixed name where a prefix is known, else the IRI in full."""
        namespace, local = split(iri.value)
        if local:
            self.used[namespace] += 1
            if namespace in self.prefixes:
                return f"{self.prefixes[namespace]}:{local}"
        return self.full(iri)

    def full(self, iri: Iri) -> str:
        """Return <iri>, or raise at a character that no IRI has, and where BASE would change it."""
        if resolve(self.base, iri.value) != iri.value:
            accepted = f"BASE <{self.base}>, against which IRI(..) resolves, resolves it too"
            raise CannotSayError(f"the relative IRI {iri}", self.language, accepted)
        return self._checked(f"<{iri.value}>", TokenKind.IRI)

    def name(self, name: Iri | Variable) -> str:
        """Return the name of a graph, service or stream."""
        return self.iri(name) if isinstance(name, Iri) else self.variable(name)

    def literal(self, literal: Literal) -> str:
        """Return a literal; numbers without sign and booleans are bare."""
        bare = _BARE.get(literal.datatype)
        if literal.language is None and bare is not None and bare.fullmatch(literal.lexical):
            return literal.lexical
        quoted = str(Literal(literal.lexical))
        if not _is_text(quoted):
            raise CannotSayError(f"the literal {quoted!r}", self.language, "a literal has no lone surrogates")
        if literal.language is not None:
            return quoted + self._checked(f"@{literal.language}", TokenKind.TAG)
        return (
            quoted if literal.datatype == XSD + "string" else f"{quoted}^^{self.iri(Iri(literal.datatype))}"
        )

    def term(self, term: Term) -> str:
        """Return a term of a triple pattern, table or expression."""
        match term:
            case Variable() if term in self.blanks:
                # A label that begins like the variable would keep the reader from inventing it.
                return self._checked(f"_:{term.name.lstrip('_')}", TokenKind.BLANK)
            case Variable():
                return self.variable(term)
            case Iri():
                return self.iri(term)
            case Literal():
                return self.literal(term)
            case Blank(label):
                return self._checked(f"_:{label}", TokenKind.BLANK)
            case Symbol() | Number():
                accepted = "a query has variables, IRIs, literals and, in a template, blank nodes"
                raise CannotSayError(f"the constant {term} of the logic", self.language, accepted)
            case _:
                assert_never(term)

    def predicate(self, term: Term) -> str:
        """Return a term in a predicate's place, where rdf:type is `a`."""
        return "a" if term == TYPE else self.term(term)

    def _checked(self, text: str, kind: TokenKind) -> str:
        """Return the text if it is one token of this kind, so that nothing of a name is syntax."""
        try:
            (token, *_) = tokenize(text, "").tokens
        except QueryError:
            token = None
        if token is None or (token.kind, token.text) != (kind, text) or "\\" in text or not _is_text(text):
            raise CannotSayError(ascii(text), self.language, f"it is not {kind.value}")
        return text


def _is_text(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
