"""RDF terms in the notation of pyoxigraph, rdflib and canonical N-Triples.

The canonical text of a term is the `str` of the term in `lars.language.terms`. Equal terms therefore have
equal texts. Lexical forms are never changed. Language tags are in lower case.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, Self

import pyoxigraph

from lars.errors import LarsError
from lars.language.terms import TAGGED, XSD, Blank, Constant, Iri, Literal, TripleTerm, tagged

RdfTerm = Iri | Literal | Blank | TripleTerm
ACCEPTED: Final = (
    'an absolute <iri>, a "literal" with ^^<datatype> or @language, a _:blank node, or <<( a triple )>>'
)

_IRI = r'<([^\x00-\x20<>"{}|^`\\]*(?:\\[uU][^\x00-\x20<>"{}|^`\\]*)*)>'
_TERM = re.compile(
    rf"(?P<iri>{_IRI})"
    r'|"(?P<lexical>[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*)"'
    rf"(?:\^\^(?P<datatype>{_IRI})|@(?P<language>[A-Za-z]{{1,8}}(?:-[A-Za-z0-9]{{1,8}})*(?:--(?:ltr|rtl))?))?"
    r"|_:(?P<label>[\w:](?:[\w:.\-·]*[\w:\-·])?)"
)
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_NOT_IN_IRIS: Final = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.?))", re.DOTALL)
_UNQUOTED: Final = (
    (re.compile(r"[+-]?[0-9]+"), "integer"),
    (re.compile(r"[+-]?[0-9]*\.[0-9]+"), "decimal"),
    (re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]+"), "double"),
    (re.compile(r"true|false"), "boolean"),
)
_PLACED = re.compile(r"Parser error at line \d+ (?:between columns \d+ and \d+|column \d+): ")
_OPEN, _CLOSE = "<<(", ")>>"
_DEEPEST: Final = 128
_SHORT: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_SHOWN: Final = 60
_LAST_CHARACTER: Final = 0x10FFFF
SURROGATES: Final = range(0xD800, 0xE000)
_KEPT: Final = 1024
"""The maximum length of a text in the cache."""


def short(text: str) -> str:
    """Return a text in quotes for a message, shortened if the text is long."""
    return repr(text) if len(text) <= _SHOWN else repr(text[: _SHOWN - 3] + "...")


class NotATerm(LarsError):  # noqa: N818  (an error by its base, named by what it says)
    """The error for a text, or a term of an RDF library, that is not an RDF term."""

    @classmethod
    def of(cls, text: str, problem: str) -> Self:
        """Return the error that `text` is not an RDF term, for the reason `problem`.

        The error contains only a message, so that Spark tasks and clingo's Python functions can pass on the
        error.
        """
        return cls(f"{short(text)} is not an RDF term: {problem}; expected {ACCEPTED}")


def _character(match: re.Match[str]) -> str:
    short, code = match[3], match[1] or match[2]
    if code is None:
        if short not in _SHORT:
            raise NotATerm.of(match.string, f"unknown escape {match[0]!r}")
        return _SHORT[short]
    if (number := int(code, 16)) > _LAST_CHARACTER or number in SURROGATES:
        raise NotATerm.of(match.string, f"{match[0]} is not a valid character")
    return chr(number)


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _absolute(value: str) -> str:
    if not _ABSOLUTE.match(value):
        raise NotATerm.of(f"<{value}>", "the IRI has no scheme")
    return value


def stream_constant(name: str) -> str:
    """Return the text that denotes a stream in atoms: its IRI or its relative name, in angle brackets."""
    return canonical(f"<{name}>") if _ABSOLUTE.match(name) else f"<{name}>"


def is_name_of_stream(text: str) -> bool:
    """Return whether a constant that `stream_constant` returned contains a relative name and not an IRI."""
    return text[:1] == "<" and not _ABSOLUTE.match(text[1:-1]) and not text.startswith(_OPEN)


def read_term(text: str) -> RdfTerm:
    r"""Return the term of a text in strict N-Triples, without white space around the term.

    >>> print(read_term('"caf\\u00e9"@FR'), read_term('"01"^^<http://www.w3.org/2001/XMLSchema#byte>'))
    "café"@fr "01"^^<http://www.w3.org/2001/XMLSchema#byte>
    """
    if text.startswith(_OPEN):
        triple, end = _triple_at(text, 0)
        if end == len(text):
            return triple
    match = _TERM.fullmatch(text)
    if match is None:
        kind = next((name for shape, name in _UNQUOTED if shape.fullmatch(text)), None)
        instead = "" if kind is None else f', which is "{text}"^^<{XSD}{kind}>'
        raise NotATerm.of(text, f"it is not written as in N-Triples{instead}")
    return _matched(text, match)


def _matched(text: str, match: re.Match[str]) -> RdfTerm:
    if match["iri"]:
        return Iri(_absolute(_unescape(match["iri"][1:-1])))
    if match["label"]:
        return Blank(match["label"])
    lexical = _unescape(match["lexical"])
    if match["language"]:
        return tagged(lexical, match["language"])
    if match["datatype"]:
        datatype = _absolute(_unescape(match["datatype"][1:-1]))
        if datatype in TAGGED:
            raise NotATerm.of(text, "a literal of type rdf:langString needs a language")
        return Literal(lexical, datatype)
    return Literal(lexical)


def is_triple_term(text: str) -> bool:
    """Return whether a text is a triple term."""
    return text.startswith(_OPEN)


def triple_term_end(text: str, start: int) -> int:
    """Return the end of the triple term that begins at the index `start` of a text.

    Raises:
        NotATerm: No triple term begins there.
    """
    return _triple_at(text, start)[1]


def _triple_at(text: str, start: int, depth: int = 0) -> tuple[TripleTerm, int]:
    """Return the triple term that begins at the index `start` of a text, and the end of the triple term."""
    terms: list[RdfTerm] = []
    _check_nesting(text, depth)
    at = _behind_blanks(text, start + len(_OPEN))
    while len(terms) < _PARTS:
        term: RdfTerm
        if text.startswith(_OPEN, at):
            term, end = _triple_at(text, at, depth + 1)
        elif (match := _TERM.match(text, at)) is not None:
            term, end = _matched(text, match), match.end()
        else:
            break
        terms.append(term)
        at = _behind_blanks(text, end)
    match terms:
        case [Iri() | Blank(), Iri(), _] if text.startswith(_CLOSE, at):
            return TripleTerm(*terms), at + len(_CLOSE)
    raise NotATerm.of(text, "it is not a triple in <<( )>>")


def _check_nesting(text: str, depth: int) -> None:
    if depth >= _DEEPEST:
        raise NotATerm.of(text, f"its triple terms are nested more than {_DEEPEST} deep")


_PARTS: Final = 3


def _behind_blanks(text: str, start: int) -> int:
    while text[start : start + 1] in (" ", "\t"):
        start += 1
    return start


def triple_term(subject: Constant, predicate: Constant, object_: Constant) -> TripleTerm | None:
    """Return the triple term of three terms (TRIPLE), or None if the terms cannot form a triple term."""
    match subject, predicate, object_:
        case Iri() | Blank(), Iri(), Iri() | Blank() | Literal() | TripleTerm():
            return TripleTerm(subject, predicate, object_)
    return None


@lru_cache(maxsize=65536)
def _canonical_short(text: str) -> str:
    return str(read_term(text))


def unquote(text: str) -> str | None:
    """Return the canonical text of an unquoted number or boolean of Turtle, or None for other texts.

    >>> unquote("01"), unquote("one")
    ('"01"^^<http://www.w3.org/2001/XMLSchema#integer>', None)
    """
    texts = (name for pattern, name in _UNQUOTED if pattern.fullmatch(text))
    return next((f'"{text}"^^<{XSD}{name}>' for name in texts), None)


def canonical(text: str) -> str:
    """Return the canonical text of a term that is written in strict N-Triples.

    >>> canonical('"a"^^<http://www.w3.org/2001/XMLSchema#string>')
    '"a"'
    """
    return _canonical_short(text) if len(text) < _KEPT else str(read_term(text))


def data_text(text: str) -> str:
    """Return the canonical text of a term in data.

    Programs may contain invalid IRIs, for example as names of relations, but data cannot.

    Raises:
        NotATerm: An IRI is invalid.
    """
    if "\\" in text:
        term = read_term(text)
        iri = "".join(
            one.value if isinstance(one, Iri) else one.datatype if isinstance(one, Literal) else ""
            for one in (term.leaves() if isinstance(term, TripleTerm) else (term,))
        )
        if odd := _NOT_IN_IRIS.search(iri):
            raise NotATerm.of(text, f"no IRI has the character {odd[0]!r}")
    return canonical(text)


@lru_cache(maxsize=65536)
def _iri_text(value: str) -> str:
    return str(Iri(_absolute(value)))


def _literal_text(lexical: str, datatype: str | None, language: str | None) -> str:
    try:
        lexical.encode()
    except UnicodeEncodeError:
        raise NotATerm.of(
            ascii(lexical), "it contains an unpaired surrogate, which is not valid Unicode"
        ) from None
    if language is not None:
        return str(tagged(lexical, language))
    return str(Literal(lexical, datatype or XSD + "string"))


def text_of_oxigraph(term: object, depth: int = 0) -> str:
    """Return the canonical text of a term of pyoxigraph."""
    match term:
        case pyoxigraph.NamedNode():
            return _iri_text(term.value)
        case pyoxigraph.BlankNode():
            return f"_:{term.value}"
        case pyoxigraph.Literal():
            return _literal_text(term.value, term.datatype.value, tag_of(term))
        case pyoxigraph.Triple():
            _check_nesting("<<( ..", depth)
            parts = (
                text_of_oxigraph(part, depth + 1) for part in (term.subject, term.predicate, term.object)
            )
            return f"{_OPEN} {' '.join(parts)} {_CLOSE}"
        case _:
            raise NotATerm.of(str(term), "it is not an RDF term")


def tag_of(literal: pyoxigraph.Literal) -> str | None:
    """Return the language tag of a literal of pyoxigraph, followed by its base direction, if any."""
    direction = getattr(literal, "direction", None)
    return literal.language if direction is None else f"{literal.language}--{direction}"


def quad_texts(quad: pyoxigraph.Quad) -> tuple[str, str, str, str | None]:
    """Return the canonical texts of subject, predicate, object and graph name; the default graph is None."""
    s, p, o = (text_of_oxigraph(term) for term in (quad.subject, quad.predicate, quad.object))
    outside = isinstance(quad.graph_name, pyoxigraph.DefaultGraph)
    return s, p, o, None if outside else text_of_oxigraph(quad.graph_name)


def syntax_problem(error: SyntaxError) -> str:
    """Return the message of a syntax error of pyoxigraph, without the position in the text."""
    return _PLACED.sub("", error.msg)


SHARED_BLANK: Final = "_:lars-value."
"""The prefix of blank node labels that the values of one call may share; all readers keep such labels."""


def is_of_file(text: str) -> bool:
    """Return whether a term is a blank node with a label that is unique to one file."""
    return text.startswith("_:") and not text.startswith(SHARED_BLANK)


def blanks_in(text: str) -> list[str]:
    """Return the blank nodes in a term, also inside a triple term.

    >>> blanks_in('<<( _:a <x:p> "_:b" )>>')
    ['_:a']
    """
    if not text.startswith(_OPEN):
        return [text] if text.startswith("_:") else []
    return [match.group() for match in _TERM.finditer(text) if match["label"]]


def with_blanks(text: str, rename: Callable[[str], str]) -> str:
    """Return a term after applying `rename` to its blank nodes, also inside a triple term."""
    if not text.startswith(_OPEN):
        return rename(text) if text.startswith("_:") else text
    return _TERM.sub(lambda match: rename(match.group()) if match["label"] else match.group(), text)


def blanks_numbered(prefix: str = "") -> Callable[[str], str]:
    """Return a function that numbers blank nodes by first appearance and leaves other terms unchanged."""
    labels: dict[str, str] = {}

    def name(text: str) -> str:
        return labels.setdefault(text, f"_:{prefix}{len(labels)}") if is_of_file(text) else text

    return lambda text: with_blanks(text, name)


def text_of_rdflib(term: object) -> str:
    """Return the canonical text of a term of rdflib.

    Raises:
        NotATerm: The term is a variable or a formula.
    """
    # Loading rdflib takes a tenth of a short run, and only TriX and graphs of Python need it.
    import rdflib

    match term:
        case rdflib.URIRef():
            return _iri_text(str(term))
        case rdflib.BNode():
            return f"_:{term}"
        case rdflib.Literal():
            datatype = None if term.datatype is None else str(term.datatype)
            return _literal_text(str(term), datatype, term.language)
        case _:
            raise NotATerm.of(str(term), "only RDF 1.1 terms are covered")
