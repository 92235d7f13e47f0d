"""The types of values that several formats of recordings share: terms, IRIs, triples, and SPARQL 1.1 JSON."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from agreement.documents.placed import KeyPath, PlacedData
from lars.errors import LarsError, WrongValueError, wrong
from lars.language.terms import Literal as RdfLiteral
from lars.language.terms import tagged
from solver.facts import Static, Triple
from solver.rdf import canonical, short

ACCEPTED_TRIPLE: Final = "a triple as in N-Triples, <s> <p> <o> ."
_TRIPLE = re.compile(r"(<[^<>]*>|_:\S+)\s*(<[^<>]*>)\s*(\S.*)\.", re.DOTALL)


class RecordingPart(BaseModel):
    """A part of a recording in a file; unknown keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, defer_build=True)


_NO_SCHEME = re.compile(r"<[^<>\"{}|^`\\\x00-\x20:]*>")


def answered_term(text: str) -> str:
    """Return the canonical text of a term in a row; an IRI without a scheme is unchanged.

    >>> answered_term("<3>"), answered_term("<http://e/a>")
    ('<3>', '<http://e/a>')
    """
    return text if _NO_SCHEME.fullmatch(text) else canonical(text)


def _term(text: str) -> str:
    try:
        return answered_term(text)
    except LarsError as error:
        raise WrongValueError(str(error)) from None


def stream_iri(text: str) -> str:
    """Return the text `<iri>` of an IRI that is written without < and >, or raise WrongValueError."""
    try:
        return canonical(f"<{text}>")
    except LarsError:
        raise WrongValueError(f"found {short(text)}; expected an absolute IRI, without <>") from None


@lru_cache(maxsize=65536)
def triple_of(line: str) -> Triple:
    """Return the triple of a line of N-Triples, or raise LarsError.

    >>> triple_of("<http://e/a> <http://e/p> _:b .")
    ('<http://e/a>', '<http://e/p>', '_:b')
    """
    match = _TRIPLE.fullmatch(line.strip())
    if match is None:
        raise LarsError(f"found {short(line)}; expected {ACCEPTED_TRIPLE}")
    return canonical(match[1]), canonical(match[2]), canonical(match[3].rstrip())


_IN_GRAPH = re.compile(r"(.*\S)\s*(<[^<>\"\s]*>|_:\S+)\s*\.", re.DOTALL)


@lru_cache(maxsize=65536)
def quad_of(line: str) -> tuple[Triple, str | None]:
    """Return the triple and the name of the graph of a line of N-Quads; None means the default graph.

    >>> quad_of('<http://e/a> <http://e/p> "1" <http://e/g> .')
    (('<http://e/a>', '<http://e/p>', '"1"'), '<http://e/g>')
    """
    try:
        return triple_of(line), None
    except LarsError:
        match = _IN_GRAPH.fullmatch(line.strip())
        if match is None:
            raise
        return triple_of(f"{match[1]} ."), canonical(match[2])


def static_of(lines: Iterable[str], graph: str | None = None) -> Static:
    """Return the static data of N-Quads lines.

    A triple without a graph belongs to `graph`, or to the default graph if `graph` is None.
    """
    default: set[Triple] = set()
    named: dict[str, set[Triple]] = {}
    for triple, own in map(quad_of, lines):
        name = own or graph
        (default if name is None else named.setdefault(name, set())).add(triple)
    return Static(frozenset(default), {name: frozenset(triples) for name, triples in named.items()})


def static_lines(static: Static) -> tuple[str, ...]:
    """Return static data as lines of N-Quads, sorted."""
    default = (f"{' '.join(triple)} ." for triple in static.default)
    names = (f"{' '.join(triple)} {graph} ." for graph, triples in static.named.items() for triple in triples)
    return (*sorted(default), *sorted(names))


def _line(read: Callable[[str], object]) -> AfterValidator:
    """Return a validator that raises WrongValueError for an invalid line, and returns any other line."""

    def checked(line: str) -> str:
        try:
            read(line)
        except LarsError as error:
            raise WrongValueError(str(error)) from None
        return line

    return AfterValidator(checked)


TermText = Annotated[str, AfterValidator(_term)]
"""A term in N-Triples syntax."""
StreamIri = Annotated[str, AfterValidator(stream_iri)]
"""An IRI that the file writes without < and >; the value contains < and >."""
TripleLine = Annotated[str, _line(triple_of)]
"""A triple as a line of N-Triples."""
QuadLine = Annotated[str, _line(quad_of)]
"""A triple as a line of N-Triples, or a triple of a named graph as a line of N-Quads."""


def up_to(limit: float) -> AfterValidator:
    """Return a validator that rejects times above a limit, which would be infinite in another unit."""

    def checked(time: float) -> float:
        if abs(time) > limit:
            raise WrongValueError(f"found {time:g}; expected a smaller number")
        return time

    return AfterValidator(checked)


Finite = Annotated[float, Field(allow_inf_nan=False), up_to(1e300)]
Index = Annotated[int, Field(ge=0)]
_ACCEPTED_TERM: Final = (
    """a term as in SPARQL 1.2 JSON, {"type": "uri" or "literal" or "bnode" or "triple", "value": ".."}"""
)


class TripleEntry(RecordingPart):
    """The three terms of a triple term in JSON."""

    subject: "TermEntry"
    predicate: "TermEntry"
    object: "TermEntry"


class TermEntry(RecordingPart):
    """An RDF term in JSON; older engines use `typed-literal` as the type of a literal with a datatype."""

    type: Literal["uri", "literal", "typed-literal", "bnode", "triple"]
    value: str | TripleEntry
    datatype: str | None = None
    language: str | None = Field(default=None, alias="xml:lang")
    lang: str | None = None
    direction: Literal["ltr", "rtl"] | None = Field(default=None, alias="its:dir")

    @model_validator(mode="before")
    @classmethod
    def _is_object(cls, value: object) -> object:
        if not isinstance(value, dict | TermEntry):
            raise wrong(value, _ACCEPTED_TERM)
        return value

    def text(self) -> str:
        """Return the canonical text of the term; raises LarsError if the entry is not an RDF term."""
        match self.type, self.value:
            case "uri", str(value):
                return _iri(value)
            case "bnode", str(value):
                return _blank(value)
            case "literal" | "typed-literal", str(value):
                return self._literal(value)
            case "triple", TripleEntry(subject=subject, predicate=predicate, object=other):
                return canonical(f"<<( {subject.text()} {predicate.text()} {other.text()} )>>")
            case kind, _:
                value = "a triple: subject, predicate and object" if kind == "triple" else "a text"
                raise LarsError(f"found a wrong value for the type {kind}; expected {value}")

    def _literal(self, value: str) -> str:
        if tag := self.language or self.lang:
            directed = f"{tag}--{self.direction}" if self.direction else tag
            return canonical(str(tagged(value, directed)))
        if self.datatype is None:
            return str(RdfLiteral(value))
        _iri(self.datatype)
        return canonical(str(RdfLiteral(value, self.datatype)))


def _iri(value: str) -> str:
    if "\\" in value:
        raise LarsError(f"found {short(value)}; expected an absolute IRI")
    return canonical(f"<{value}>")


def _blank(label: str) -> str:
    try:
        return canonical(f"_:{label}")
    except LarsError:
        # JSON allows labels that N-Triples does not: they become others, one for each.
        return f"_:x{label.encode().hex()}"


def _check(entry: TermEntry) -> TermEntry:
    try:
        entry.text()
    except LarsError as error:
        raise WrongValueError(str(error)) from None
    return entry


BoundTerm = Annotated[TermEntry, AfterValidator(_check)]
SolutionEntry = dict[str, BoundTerm | None]
"""The terms that a solution binds; a variable that is null or omitted is unbound."""


def row_of(solution: Mapping[str, TermEntry | None]) -> dict[str, str | None]:
    """Return the canonical text of each term of a solution, by the name of its variable."""
    return {name: None if entry is None else entry.text() for name, entry in solution.items()}


def check_named(
    document: PlacedData, path: KeyPath, solution: Mapping[str, object], variables: list[str]
) -> None:
    """Raise LarsError for a variable of a solution that the head of the results does not list."""
    for name in solution:
        if name not in variables:
            accepted = ", ".join(variables) or "none"
            problem = f"found the variable {short(name)}; expected a variable of head.vars: {accepted}"
            raise document.error((*path, name), problem, at_key=True)
