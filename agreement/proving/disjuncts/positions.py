"""What can stand where in RDF data: IRIs and blank nodes as subjects, IRIs as predicates and names."""

from collections.abc import Hashable, Iterable, Mapping
from enum import Enum
from typing import Final

from lars.language.terms import DEFAULT, Blank, Constant, Iri, Literal, Term, Variable


class Position(Enum):
    """A position of a triple, or the name of what it is in; the value is how messages call it."""

    SUBJECT = "subject"
    PREDICATE = "predicate"
    OBJECT = "object"
    NAME = "name of a graph or stream"

    def takes(self, term: Term) -> bool:
        """Whether RDF data can have the term here (RDF 1.1 Concepts, 3.1 and 4.1; names are IRIs here).

        >>> [one.takes(Blank("b")) for one in Position]
        [True, False, True, False]
        """
        return isinstance(term, _KINDS[self])


_KINDS: Final = {
    Position.SUBJECT: (Iri, Blank),
    Position.PREDICATE: (Iri,),
    Position.OBJECT: (Iri, Blank, Literal),
    Position.NAME: (Iri,),
}
PositionedTerm = tuple[Position, Term]


def positioned_terms(terms: Iterable[Term], name: Term) -> tuple[PositionedTerm, ...]:
    """Return the terms of a triple with their positions, and that of its graph or stream if it has a name."""
    named = () if name == DEFAULT else ((Position.NAME, name),)
    return (*zip((Position.SUBJECT, Position.PREDICATE, Position.OBJECT), terms, strict=True), *named)


def is_rdf(terms: Iterable[Term], name: Term = DEFAULT) -> bool:
    """Whether constants make a triple of RDF in the default graph, or a graph or stream of that name.

    >>> is_rdf((Iri("s"), Iri("p"), Literal("o"))), is_rdf((Literal("s"), Iri("p"), Literal("o")))
    (True, False)
    """
    return all(position.takes(term) for position, term in positioned_terms(terms, name))


def misplaced(here: Iterable[PositionedTerm], given: Mapping[Variable, Constant]) -> str | None:
    """Return why no RDF data match: which term, a variable's value too, cannot stand where it does."""
    for position, term in here:
        known = given.get(term, term) if isinstance(term, Variable) else term
        if not isinstance(known, Variable) and not position.takes(known):
            return f"{known} cannot be a {position.value}"
    return None


Source = Hashable
"""What can share a blank node: the static data, or what arrives in one stream at one time."""


def has_blank_in_two(triples: Iterable[tuple[Source, Iterable[Term]]]) -> bool:
    """Whether a blank node is in triples of several sources: readers standardise its labels apart there.

    >>> has_blank_in_two([(("s", 1), (Blank("b"),)), (("s", 1), (Blank("b"),))])
    False
    """
    found: dict[Term, Source] = {}
    return any(
        found.setdefault(term, source) != source
        for source, terms in triples
        for term in terms
        if isinstance(term, Blank)
    )


def is_derived(name: Iri) -> bool:
    """Whether the name is that of a path or a relation: no IRI of data has a space."""
    return " " in name.value
