"""RDF terms as texts: from both RDF libraries to canonical N-Triples, and from text to terms.

The canonical text is what `str` of the terms in `lars.language.terms` gives, so that equal terms have
equal texts. Lexical forms are never touched; language tags are lower case.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import pyoxigraph
import rdflib

from lars.errors import LarsError
from lars.language.terms import RDF_LANG_STRING, XSD, Blank, Iri, Literal

RdfTerm = Iri | Literal | Blank
ACCEPTED: Final = 'an absolute <iri>, a "literal" with ^^<datatype> or @language, or a _:blank node'

_IRI = r'<([^\x00-\x20<>"{}|^`\\]*(?:\\[uU][^\x00-\x20<>"{}|^`\\]*)*)>'
_TERM = re.compile(
    rf"(?P<iri>{_IRI})"
    r'|"(?P<lexical>[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*)"'
    rf"(?:\^\^(?P<datatype>{_IRI})|@(?P<language>[A-Za-z]{{1,8}}(?:-[A-Za-z0-9]{{1,8}})*))?"
    r"|_:(?P<label>[\w:](?:[\w:.\-·]*[\w:\-·])?)"
)
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.?))", re.DOTALL)
_UNQUOTED: Final = (
    (re.compile(r"[+-]?[0-9]+"), "integer"),
    (re.compile(r"[+-]?[0-9]*\.[0-9]+"), "decimal"),
    (re.compile(r"[+-]?(?:[0-9]+\.?|[0-9]*\.[0-9]+)[0-9]*[eE][+-]?[0-9]+"), "double"),
    (re.compile(r"true|false"), "boolean"),
)
_PLACED = re.compile(r"Parser error at line \d+ (?:between columns \d+ and \d+|column \d+): ")
_SHORT: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_SHOWN: Final = 60
_LAST_CHARACTER: Final = 0x10FFFF
_SURROGATES: Final = range(0xD800, 0xE000)
_KEPT: Final = 1024
"""Longer texts are not worth a place in the cache."""


def short(text: str) -> str:
    """Return a text for a message, in quotes and cut when long."""
    return repr(text) if len(text) <= _SHOWN else repr(text[: _SHOWN - 3] + "...")


class NotATerm(LarsError):  # noqa: N818  (an error by its base, named by what it says)
    """A text or a library's term that is no RDF 1.1 term."""

    def __init__(self, text: str, problem: str) -> None:
        super().__init__(f"{short(text)} is no RDF term: {problem}; accepted: {ACCEPTED}")


def _character(match: re.Match[str]) -> str:
    short, code = match[3], match[1] or match[2]
    if code is None:
        if short not in _SHORT:
            raise NotATerm(match.string, f"unknown escape {match[0]!r}")
        return _SHORT[short]
    if (number := int(code, 16)) > _LAST_CHARACTER or number in _SURROGATES:
        raise NotATerm(match.string, f"{match[0]} is no character")
    return chr(number)


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _absolute(value: str) -> str:
    if not _ABSOLUTE.match(value):
        raise NotATerm(f"<{value}>", "the IRI has no scheme")
    return value


def read_term(text: str) -> RdfTerm:
    r"""Return the term that `text` writes in N-Triples, no blanks around it; strict.

    >>> print(read_term('"caf\\u00e9"@FR'), read_term('"01"^^<http://www.w3.org/2001/XMLSchema#byte>'))
    "café"@fr "01"^^<http://www.w3.org/2001/XMLSchema#byte>
    """
    match = _TERM.fullmatch(text)
    if match is None:
        kind = next((name for shape, name in _UNQUOTED if shape.fullmatch(text)), None)
        instead = "" if kind is None else f', which is "{text}"^^<{XSD}{kind}>'
        raise NotATerm(text, f"it is not written as in N-Triples{instead}")
    if match["iri"]:
        return Iri(_absolute(_unescape(match["iri"][1:-1])))
    if match["label"]:
        return Blank(match["label"])
    lexical = _unescape(match["lexical"])
    if match["language"]:
        return Literal(lexical, RDF_LANG_STRING, match["language"].lower())
    if match["datatype"]:
        datatype = _absolute(_unescape(match["datatype"][1:-1]))
        if datatype == RDF_LANG_STRING:
            raise NotATerm(text, "a literal of type rdf:langString needs a language")
        return Literal(lexical, datatype)
    return Literal(lexical)


@lru_cache(maxsize=65536)
def _canonical_short(text: str) -> str:
    return str(read_term(text))


def unquote(text: str) -> str | None:
    """Return the number or boolean that Turtle writes so, without quotes, as canonical text; else None.

    >>> unquote("01"), unquote("one")
    ('"01"^^<http://www.w3.org/2001/XMLSchema#integer>', None)
    """
    texts = (name for pattern, name in _UNQUOTED if pattern.fullmatch(text))
    return next((f'"{text}"^^<{XSD}{name}>' for name in texts), None)


def canonical(text: str) -> str:
    """Return the canonical text of the term that `text` writes in N-Triples; strict.

    >>> canonical('"a"^^<http://www.w3.org/2001/XMLSchema#string>')
    '"a"'
    """
    return _canonical_short(text) if len(text) < _KEPT else str(read_term(text))


@lru_cache(maxsize=65536)
def _iri_text(value: str) -> str:
    return str(Iri(_absolute(value)))


def _literal_text(lexical: str, datatype: str | None, language: str | None) -> str:
    try:
        lexical.encode()
    except UnicodeEncodeError:
        raise NotATerm(ascii(lexical), "it contains half a character") from None
    if language is not None:
        return str(Literal(lexical, RDF_LANG_STRING, language.lower()))
    return str(Literal(lexical, datatype or XSD + "string"))


def text_of_oxigraph(term: object) -> str:
    """Return the canonical text of a term of pyoxigraph; triple terms and directions raise."""
    match term:
        case pyoxigraph.NamedNode():
            return _iri_text(term.value)
        case pyoxigraph.BlankNode():
            return f"_:{term.value}"
        case pyoxigraph.Literal() if getattr(term, "direction", None) is None:
            return _literal_text(term.value, term.datatype.value, term.language)
        case _:
            raise NotATerm(str(term), "RDF 1.2 triple terms and text directions are not covered")


def quad_texts(quad: pyoxigraph.Quad) -> tuple[str, str, str, str | None]:
    """Return the canonical texts of subject, predicate, object and graph name, None for the default graph."""
    s, p, o = (text_of_oxigraph(term) for term in (quad.subject, quad.predicate, quad.object))
    outside = isinstance(quad.graph_name, pyoxigraph.DefaultGraph)
    return s, p, o, None if outside else text_of_oxigraph(quad.graph_name)


def syntax_problem(error: SyntaxError) -> str:
    """Return what the parser of pyoxigraph says, without the place."""
    return _PLACED.sub("", error.msg)


def blanks_numbered(prefix: str = "") -> Callable[[str], str]:
    """Return a renaming of blank nodes by their first appearance, which leaves other terms alone."""
    labels: dict[str, str] = {}
    return lambda text: labels.setdefault(text, f"_:{prefix}{len(labels)}") if text.startswith("_:") else text


def text_of_rdflib(term: object) -> str:
    """Return the canonical text of a term of rdflib; variables and formulas raise."""
    match term:
        case rdflib.URIRef():
            return _iri_text(str(term))
        case rdflib.BNode():
            return f"_:{term}"
        case rdflib.Literal():
            datatype = None if term.datatype is None else str(term.datatype)
            return _literal_text(str(term), datatype, term.language)
        case _:
            raise NotATerm(str(term), "only RDF 1.1 terms are covered")
