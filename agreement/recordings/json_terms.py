"""Terms in SPARQL 1.1 JSON: {"type": "uri", "value": "http://e/a"}."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from agreement.recordings.checks import Strict, wrong
from agreement.recordings.documents import Document
from agreement.recordings.json_places import JsonPath
from lars.errors import LarsError
from lars.terms import RDF_LANG_STRING
from lars.terms import Literal as RdfLiteral
from solver.rdf import canonical, short

ACCEPTED_TERM: Final = 'a term such as {"type": "uri", "value": "http://e/a"}'


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
        raise wrong(str(error)) from None
    return entry


BoundTerm = Annotated[TermEntry, AfterValidator(_check)]
Solution = dict[str, BoundTerm | None]
"""The terms that a solution binds; null is unbound, as is what is left out."""


def row_of(solution: Mapping[str, TermEntry | None]) -> dict[str, str | None]:
    """Return the canonical texts of a solution."""
    return {name: None if entry is None else entry.text() for name, entry in solution.items()}


def check_named(
    document: Document, path: JsonPath, solution: Mapping[str, object], variables: list[str]
) -> None:
    """Raise LarsError for a variable of a solution that the head of its table does not name."""
    for name in solution:
        if name not in variables:
            accepted = ", ".join(variables) or "none"
            problem = f"found the variable {short(name)}; accepted: those of head.vars, {accepted}"
            raise document.error((*path, name), problem, at_key=True)
