"""Where τ stands in a query's tree, and how the predicates there are named."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from lars.formulas import BodyLiteral, Diamond, In, Truth
from lars.terms import DEFAULT, NULL, Atom, Iri, Symbol, Term, Variable
from lars.windows import Window
from translate.patterns import Pattern, variables
from translate.profiles import Setting

ActiveGraph = Symbol | Iri | Variable

NAMED: Final = "named"


class EmptyGroup(Enum):
    """What aggregates make of no solution at all (SEMANTICS T13): SPARQL 1.1, SPARQLstream, CQELS."""

    VALUES = "values"
    UNBOUND_AVERAGE = "unbound average"
    NO_ROW = "no row"


@dataclass(frozen=True, slots=True)
class Node:
    """A place of the query's tree: position, active graph, and what the translation depends on.

    Node i becomes the predicate ans_i, its children are 2i and 2i + 1; parts that are no child
    (a pattern of EXISTS, a step of a path) have names that begin with `prefix`. Inside GRAPH ?g
    every predicate carries the graph as one more last argument, and inside EXISTS the values
    `given` of the solution that is tested, which `guard` holds. In a multiset (`bag`) a solution
    carries what tells it from an equal one. Inside a STREAM block the triples are those of
    `window` on the stream `graph`. `taken` are the query's variables.
    """

    setting: Setting
    taken: frozenset[Variable]
    position: int = 1
    prefix: str = ""
    graph: ActiveGraph = DEFAULT
    window: Window | None = None
    given: tuple[Variable, ...] = ()
    guard: tuple[BodyLiteral, ...] = ()
    bag: bool = False
    empty_group: EmptyGroup = EmptyGroup.VALUES

    def child(self, side: int, graph: ActiveGraph | None = None) -> "Node":
        """Return the left (0) or right (1) child, under another active graph if one is given."""
        here = self.graph if graph is None else graph
        return replace(self, position=2 * self.position + side, graph=here)

    def part(self, mark: str) -> "Node":
        """Return the root of a part that is no child of this node."""
        return replace(self, position=1, prefix=f"{self.prefix}{self.position}{mark}_")

    def atom(self, terms: Iterable[Term], mark: str = "") -> Atom:
        """Return ans_i of the terms, then what is given, and the active graph when it is a variable."""
        return Atom(f"ans{self.prefix}{self.position}{mark}", (*terms, *self.outer))

    @property
    def outer(self) -> tuple[Variable, ...]:
        """What each predicate here carries beside its terms: a pattern is evaluated for each of it."""
        return (*self.given, *((self.graph,) if isinstance(self.graph, Variable) else ()))

    def free(self, pattern: Pattern) -> tuple[Variable, ...]:
        """Return V̄ of a pattern: its variables in lexicographic order, without those that are given."""
        return ordered(variables(pattern) - frozenset(self.given))

    def edge(self, subject: Term, predicate: Term, object_: Term) -> BodyLiteral:
        """Return the literal that a triple is in the active graph, or is shown by the window."""
        if self.window is not None:
            return In(self.window, Diamond(Atom("striple", (subject, predicate, object_, self.graph))))
        return Atom("triple", (subject, predicate, object_, self.graph))

    def nothing(self) -> tuple[BodyLiteral, ...]:
        """Return the body of the empty pattern: one solution in the default graph, or in each that exists."""
        if self.graph == DEFAULT or (self.window is not None and not isinstance(self.graph, Variable)):
            return self.guard or (Truth(),)
        if self.window is not None:
            names = self.fresh("S"), self.fresh("P"), self.fresh("O")
            return (*self.guard, self.edge(*names))
        return (*self.guard, Atom(NAMED, (self.graph,)))

    def fresh(self, name: str) -> Variable:
        """Return a variable that the query does not have."""
        while Variable(name) in self.taken:
            name += "_"
        return Variable(name)

    def witnesses(self, count: int, start: int = 1) -> tuple[Variable, ...]:
        """Return variables for what tells equal solutions apart, numbered from `start`."""
        return tuple(self.fresh(f"W{number}") for number in range(start, start + count))


def ordered(names: Iterable[Variable]) -> tuple[Variable, ...]:
    """Return V̄: the variables in lexicographic order."""
    return tuple(sorted(names))


def padded(names: Iterable[Variable], known: Iterable[Variable]) -> Iterator[Term]:
    """Yield the variables, null in the place of those that are not known."""
    known = frozenset(known)
    return (name if name in known else NULL for name in names)
