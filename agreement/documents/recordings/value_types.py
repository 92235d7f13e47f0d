"""Types of values that recordings share: times of reports, terms, IRIs, triples, SPARQL 1.1 JSON's terms."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from agreement.documents.outputs import plain
from agreement.documents.placed import KeyPath, PlacedData
from agreement.documents.recordings.recording import ACCEPTED_LATEST, LATEST
from agreement.documents.values import WrongValueError, wrong
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.terms import RDF_LANG_STRING
from lars.language.terms import Literal as RdfLiteral
from solver.facts import Static, Triple
from solver.rdf import canonical, short
from solver.traces import Instant, MalformedPart, TimeKind, cell_time, show

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class AnswerTimes:
    """What a number counts, and what a dateTime counts from; without origin there are no dateTimes.

    Not `ordered`: times may go back from one report to the next.
    """

    unit: Duration
    origin: Instant | None = None
    ordered: bool = True

    def read(self, text: str) -> float:
        """Return the milliseconds of a time; raises LarsError for what is none.

        >>> AnswerTimes(Duration(10**9)).read("1.5")
        1500.0
        """
        if _NUMBER.fullmatch(text):
            return self.of_number(float(text))
        try:
            return self._since_origin(cell_time(text))
        except MalformedPart:
            raise LarsError(f"found {short(text)}; accepted: {self._accepted()}") from None

    def of_number(self, number: float) -> float:
        """Return the milliseconds that a number counts."""
        amount = number * (self.unit.milliseconds)
        if not math.isfinite(amount) or amount < 0:
            raise LarsError(f"found {number!r}; accepted: {self._accepted()}")
        if amount >= LATEST:
            raise LarsError(f"found {plain(amount)} ms; {ACCEPTED_LATEST}")
        return amount

    def forwards(self, t: float, before: float) -> float:
        """Return the time of a report; raises LarsError where it is before that of the one before, in ms."""
        if self.ordered and t < before:
            problem = f"found {plain(t)} ms after {plain(before)} ms"
            accepted = "reports in the order of their times; any times with --match sequence"
            raise LarsError(f"{problem}; accepted: {accepted}")
        return t

    def _since_origin(self, written: Instant) -> float:
        if self.origin is None:
            problem = f"found the dateTime {show(written)} and no origin that it counts from"
            raise LarsError(f"{problem}; accepted: {self._accepted()}, or dateTimes with --origin")
        if written.kind is TimeKind.INTEGER or written.kind is not self.origin.kind:
            problem = f"found {show(written)}: only one of it and the origin has a time zone"
            raise LarsError(f"{problem}; accepted: {self._accepted()}")
        return self.of_number((written.value - self.origin.value) / self.unit.nanoseconds)

    def _accepted(self) -> str:
        return f"a time from 0, a number of {self.unit} each"


ACCEPTED_TRIPLE: Final = "a triple as in N-Triples, <s> <p> <o> ."

_TRIPLE = re.compile(r"(<[^<>]*>|_:\S+)\s*(<[^<>]*>)\s*(\S.*)\.", re.DOTALL)


class Strict(BaseModel):
    """A part of a recording; keys that the schema does not name say nothing about the answers."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, defer_build=True)


def _term(text: str) -> str:
    try:
        return canonical(text)
    except LarsError as error:
        raise WrongValueError(str(error)) from None


def stream_iri(text: str) -> str:
    """Return the text of an IRI that is written without <>, or raise WrongValueError."""
    try:
        return canonical(f"<{text}>")
    except LarsError:
        raise WrongValueError(f"found {short(text)}; accepted: an absolute IRI, without <>") from None


@lru_cache(maxsize=65536)
def triple_of(line: str) -> Triple:
    """Return the triple that a line of N-Triples holds, or raise LarsError.

    >>> triple_of("<http://e/a> <http://e/p> _:b .")
    ('<http://e/a>', '<http://e/p>', '_:b')
    """
    match = _TRIPLE.fullmatch(line.strip())
    if match is None:
        raise LarsError(f"found {short(line)}; accepted: {ACCEPTED_TRIPLE}")
    return canonical(match[1]), canonical(match[2]), canonical(match[3].rstrip())


_IN_GRAPH = re.compile(r"(.*\S)\s*(<[^<>\"\s]*>|_:\S+)\s*\.", re.DOTALL)


@lru_cache(maxsize=65536)
def quad_of(line: str) -> tuple[Triple, str | None]:
    """Return the triple and the graph's name of a line of N-Quads, None for the default graph.

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
    """Return the static data of lines of N-Quads; a triple alone is in `graph`, None for the default one."""
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
    """Return the check that a line can be read; it stays as it is."""

    def checked(line: str) -> str:
        try:
            read(line)
        except LarsError as error:
            raise WrongValueError(str(error)) from None
        return line

    return AfterValidator(checked)


TermText = Annotated[str, AfterValidator(_term)]
"""A term in N-Triples."""
StreamIri = Annotated[str, AfterValidator(stream_iri)]
"""An IRI without <>, which become part of it."""
TripleLine = Annotated[str, _line(triple_of)]
"""A triple in N-Triples, kept as its line."""
QuadLine = Annotated[str, _line(quad_of)]
"""A triple in N-Triples, or in a named graph as N-Quads, kept as its line."""
Finite = Annotated[float, Field(allow_inf_nan=False)]
Index = Annotated[int, Field(ge=0)]


_ACCEPTED_TERM: Final = (
    """a term as in SPARQL 1.1 JSON, {"type": "uri" or "literal" or "bnode", "value": ".."}"""
)


class TermEntry(Strict):
    """A term; `typed-literal` is what older engines write for a literal with datatype."""

    type: Literal["uri", "literal", "typed-literal", "bnode"]
    value: str
    datatype: str | None = None
    language: str | None = Field(default=None, alias="xml:lang")
    lang: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _is_object(cls, value: object) -> object:
        if not isinstance(value, dict | TermEntry):
            raise wrong(value, _ACCEPTED_TERM)
        return value

    def text(self) -> str:
        """Return the term's canonical text; raises LarsError where it is no RDF 1.1 term."""
        match self.type:
            case "uri":
                return _iri(self.value)
            case "bnode":
                return _blank(self.value)
            case "literal" | "typed-literal":
                return self._literal()

    def _literal(self) -> str:
        if tag := self.language or self.lang:
            return canonical(str(RdfLiteral(self.value, RDF_LANG_STRING, tag.lower())))
        if self.datatype is None:
            return str(RdfLiteral(self.value))
        _iri(self.datatype)
        return canonical(str(RdfLiteral(self.value, self.datatype)))


def _iri(value: str) -> str:
    if "\\" in value:
        raise LarsError(f"found {short(value)}; accepted: an absolute IRI")
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
"""The terms that a solution binds; null is unbound, as is what is left out."""


def row_of(solution: Mapping[str, TermEntry | None]) -> dict[str, str | None]:
    """Return the canonical texts of a solution."""
    return {name: None if entry is None else entry.text() for name, entry in solution.items()}


def check_named(
    document: PlacedData, path: KeyPath, solution: Mapping[str, object], variables: list[str]
) -> None:
    """Raise LarsError for a variable of a solution that the head of its table does not name."""
    for name in solution:
        if name not in variables:
            accepted = ", ".join(variables) or "none"
            problem = f"found the variable {short(name)}; accepted: those of head.vars, {accepted}"
            raise document.error((*path, name), problem, at_key=True)
