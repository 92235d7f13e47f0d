"""Types of values that schemas of recordings share: terms, IRIs, triples, and SPARQL 1.1 JSON's terms."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from agreement.experiment_values import WrongValueError
from agreement.placed import KeyPath, PlacedData
from agreement.recordings.recording import Triple
from lars.errors import LarsError
from lars.terms import RDF_LANG_STRING
from lars.terms import Literal as RdfLiteral
from solver.rdf import canonical, short

ACCEPTED_TRIPLE: Final = "a triple as in N-Triples, <s> <p> <o> ."

_TRIPLE = re.compile(r"(<[^<>]*>|_:\S+)\s*(<[^<>]*>)\s*(\S.*)\.", re.DOTALL)


class Strict(BaseModel):
    """A part of a recording; keys that the schema does not name say nothing about the answers."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


def _term(text: str) -> str:
    try:
        return canonical(text)
    except LarsError as error:
        raise WrongValueError(str(error)) from None


def _stream_iri(text: str) -> str:
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
    found = _TRIPLE.fullmatch(line.strip())
    if found is None:
        raise LarsError(f"found {short(line)}; accepted: {ACCEPTED_TRIPLE}")
    return canonical(found[1]), canonical(found[2]), canonical(found[3].rstrip())


def _triple(line: str) -> str:
    try:
        triple_of(line)
    except LarsError as error:
        raise WrongValueError(str(error)) from None
    return line


Term = Annotated[str, AfterValidator(_term)]
"""A term in N-Triples."""
StreamIri = Annotated[str, AfterValidator(_stream_iri)]
"""An IRI without <>, which become part of it."""
TripleLine = Annotated[str, AfterValidator(_triple)]
"""A triple in N-Triples, kept as its line."""
Finite = Annotated[float, Field(allow_inf_nan=False)]
Index = Annotated[int, Field(ge=0)]


class TermEntry(Strict):
    """A term; `typed-literal` is what older engines write for a literal with datatype."""

    type: Literal["uri", "literal", "typed-literal", "bnode"]
    value: str
    datatype: str | None = None
    language: str | None = Field(default=None, alias="xml:lang")
    lang: str | None = None

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
Solution = dict[str, BoundTerm | None]
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
