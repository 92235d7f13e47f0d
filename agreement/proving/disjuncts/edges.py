"""Triple patterns with their sources (edges), and the triples of data that match them.

The module also determines the terms that RDF data allow at a position. Subjects are IRIs or blank nodes;
predicates and the names of graphs are IRIs.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, TypeVar

from lars.dataclass import dataclass
from lars.language.terms import DEFAULT, Blank, Constant, Iri, Symbol, Term, TripleTerm, Variable
from lars.language.terms import Literal as RdfLiteral
from lars.language.windows import Window
from solver.facts import STREAM_PREDICATE, Background, Fact, constant_of
from translate.model.patterns import TriplePattern
from translate.model.query import Setting
from translate.model.windows import WindowExpression, window_operator

Quad = tuple[Constant, Constant, Constant, Constant]
"""A triple, followed by the name of its stream or of its graph in the static data."""
Stock = Sequence[Quad]
"""The given static triples, each with the name of its graph."""
_T = TypeVar("_T", bound=Term)


Position = Literal["subject", "predicate", "object", "name of a graph or stream"]
"""A position in a triple, or the position of the name of its graph or stream."""
_TAKEN: Final[Mapping[Position, tuple[type[Term], ...]]] = {
    "subject": (Iri, Blank),
    "predicate": (Iri,),
    "object": (Iri, Blank, RdfLiteral, TripleTerm),
    "name of a graph or stream": (Iri,),
}
"""The kinds of terms that RDF data can have at a position (RDF 1.2 Concepts, 3.1 and 4.1).

Names of graphs are always IRIs here.
"""


def takes(position: Position, term: Term) -> bool:
    """Return whether RDF allows a term at a position of a triple, such as a literal as subject.

    >>> [takes(position, Blank("b")) for position in _TAKEN]
    [True, False, True, False]
    """
    return isinstance(term, _TAKEN[position])


PositionedTerm = tuple[Position, Term]


def positioned(terms: Iterable[Term]) -> tuple[PositionedTerm, ...]:
    """Return the terms of a triple, including the name of its graph or stream, each with its position."""
    return tuple(each for each in zip(_TAKEN, terms, strict=False) if each[1] != DEFAULT)


def is_rdf(terms: Iterable[Term]) -> bool:
    """Return whether constants form a valid RDF triple; a fourth constant names its graph or stream.

    >>> is_rdf((Iri("s"), Iri("p"), RdfLiteral("o"))), is_rdf((RdfLiteral("s"), Iri("p"), RdfLiteral("o")))
    (True, False)
    """
    return all(takes(position, term) for position, term in positioned(terms))


def shares_blank(static: Iterable[Iterable[Term]], arriving: Iterable[Iterable[Term]]) -> bool:
    """Return whether a static and an arriving triple contain the same blank node.

    Real data never share blank nodes, because each file of static data or of a stream has its own blank
    nodes.

    >>> shares_blank([], [(Blank("b"),), (Blank("b"),)]), shares_blank([(Blank("b"),)], [(Blank("b"),)])
    (False, True)
    """
    held = {term for terms in static for term in terms if isinstance(term, Blank)}
    return any(term in held for terms in arriving for term in terms)


def is_derived(name: Term) -> bool:
    """Return whether a name denotes a path or an aggregate in a proof.

    The names of paths and aggregates contain a space, which no IRI in data contains.
    """
    return isinstance(name, Iri) and " " in name.value


def matched(
    terms: Iterable[Term], values: Iterable[_T], image: Mapping[Variable, _T]
) -> dict[Variable, _T] | None:
    """Return the mapping of variables, extended so that a pattern's terms equal the values, or None.

    >>> x, y, a, b = Variable("x"), Variable("y"), Iri("a"), Iri("b")
    >>> matched((x, a, y), (a, a, b), {}) == {x: a, y: b}, matched((x, a, x), (a, a, b), {})
    (True, None)
    """
    grown = dict(image)
    for term, value in zip(terms, values, strict=True):
        if (grown.setdefault(term, value) if isinstance(term, Variable) else term) != value:
            return None
    return grown


@dataclass(frozen=True, slots=True)
class Reading:
    """A window of a stream, as the source in which a triple pattern is matched.

    `name` is the name of the stream.
    """

    name: Iri | Variable
    window: WindowExpression

    def __str__(self) -> str:
        return f"{self.window} of {self.name}"

    def operator(self, setting: Setting) -> Window:
        """Return the window as an operator of LARS, with lengths in time points."""
        return window_operator(self.window, self.name, setting.unit, setting.bounds)


@dataclass(frozen=True, slots=True)
class GraphSource:
    """A graph of the static data, as the source in which a triple pattern is matched.

    `name` is the name of the graph. If the pattern is a path, `windows` are the windows whose content is
    merged into the graph.
    """

    name: Iri | Symbol | Variable = DEFAULT
    windows: tuple[Reading, ...] = ()

    def __str__(self) -> str:
        return "the static data" if self.name == DEFAULT else f"the static graph {self.name}"


Where = Reading | GraphSource


@dataclass(frozen=True, slots=True)
class Edge:
    """A triple pattern with its source: a window of a stream, or a graph of the static data."""

    triple: TriplePattern
    where: Where

    @property
    def terms(self) -> tuple[Term, Term, Term, Term]:
        """The subject, predicate and object of the pattern, and the name of its graph or stream."""
        return *self.triple.terms, self.where.name

    @property
    def reading(self) -> Reading:
        """The window of a stream in which the triple pattern is matched.

        The source of the triple pattern must be a window, not a static graph.
        """
        assert isinstance(self.where, Reading)
        return self.where

    def put(self, names: Mapping[Variable, Term]) -> "Edge":
        """Return the triple pattern with terms in place of variables, also in the name of its source.

        Variables that are not in `names` are not replaced.
        """
        # The new name can be a literal, which no name can be; `why_misplaced` finds such terms.
        terms: list[Any] = [names.get(t, t) if isinstance(t, Variable) else t for t in self.terms]
        return Edge(TriplePattern(*terms[:3]), replace(self.where, name=terms[3]))

    def ground(self, values: Mapping[Variable, Constant]) -> Quad:
        """Return the triple that the pattern matches under the given values of its variables.

        The fourth term of the result is the name of the triple's graph or stream.
        """
        subject, predicate, object_, name = (
            values[term] if isinstance(term, Variable) else term for term in self.terms
        )
        return subject, predicate, object_, name

    def why_misplaced(self, values: Mapping[Variable, Constant]) -> str | None:
        """Return a text about a term at a position that RDF forbids, such as a literal as subject.

        If RDF allows all terms of the triple, the function returns None.
        """
        for position, term in positioned(self.terms):
            known = values.get(term, term) if isinstance(term, Variable) else term
            if not isinstance(known, Variable) and not takes(position, known):
                return f"{known} cannot be a {position}"
        return None


def arrival(t: int, quad: Quad) -> Fact:
    """Return the LARS fact that a triple arrives in its stream at time point t."""
    return Fact(t, STREAM_PREDICATE, tuple(map(str, quad)))


def background_of(static: Stock) -> Background:
    """Return static triples as static data of a LARS program, with the names of their named graphs.

    >>> background_of([(Iri("s"), Iri("p"), Iri("o"), Iri("g"))])["named", 1]
    (('<g>',),)
    """
    names = dict.fromkeys((str(quad[3]),) for quad in static if quad[3] != DEFAULT)
    triples = dict.fromkeys(tuple(map(str, quad)) for quad in static)
    return {("triple", 4): tuple(triples), ("named", 1): tuple(names)}


def stock_of(known: Background) -> Stock:
    """Return the static triples among the static data of a LARS program."""
    quads = (map(constant_of, quad) for quad in known.get(("triple", 4), ()))
    return tuple((subject, predicate, object_, graph) for subject, predicate, object_, graph in quads)


def unify(pattern: TriplePattern, other: TriplePattern) -> bool:
    """Return whether one RDF triple can match both patterns.

    If a variable name occurs in both patterns, the two variables are independent.

    >>> x, y, p, a = Variable("x"), Variable("y"), Iri("p"), Iri("a")
    >>> unify(TriplePattern(x, p, x), TriplePattern(y, p, a))
    True
    >>> unify(TriplePattern(x, p, y), TriplePattern(x, a, y))
    False
    >>> unify(TriplePattern(x, p, x), TriplePattern(y, p, RdfLiteral("3")))
    False
    """
    bound: dict[tuple[int, Variable], Constant | tuple[int, Variable]] = {}

    def end(side: int, term: Term) -> Constant | tuple[int, Variable]:
        node = (side, term) if isinstance(term, Variable) else term
        while isinstance(node, tuple) and node in bound:
            node = bound[node]
        return node

    for mine, theirs in zip(pattern.terms, other.terms, strict=True):
        left, right = end(0, mine), end(1, theirs)
        if left == right:
            continue
        if isinstance(left, tuple):
            bound[left] = right
        elif isinstance(right, tuple):
            bound[right] = left
        else:
            return False
    both = (
        (position, end(side, term))
        for side, whole in enumerate((pattern, other))
        for position, term in positioned(whole.terms)
    )
    return all(isinstance(term, tuple) or takes(position, term) for position, term in both)
