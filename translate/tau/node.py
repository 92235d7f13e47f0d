"""A position in the tree of a query during the translation τ: names of predicates, rule heads and bodies."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from lars.dataclass import dataclass
from lars.language.formulas import BodyLiteral, Diamond, In, Truth
from lars.language.program import Rule
from lars.language.terms import DEFAULT, NULL, Atom, Iri, Symbol, Term, Variable
from lars.language.windows import Window
from translate.analysis import witnesses
from translate.model.manner import EmptyGroup
from translate.model.patterns import Pattern, variables
from translate.model.query import Setting

ActiveGraph = Symbol | Iri | Variable

NAMED: Final = "named"
STREAM_QUAD: Final = "squad"
"""The predicate of a stream's triple in a named graph of its element: squad(S, P, O, graph, stream)."""


@dataclass(frozen=True, slots=True)
class Node:
    """A position in the tree of a query's pattern, with the settings for its translation to rules.

    The solutions of node i are the atoms of ans_i, and its children are the nodes 2i and 2i + 1. In a pattern
    of EXISTS and in a step of a path, the names of predicates contain `part_name`. Inside GRAPH ?g, the graph
    is an additional last argument of every predicate. Inside EXISTS, the `guarded_variables` are additional
    arguments, which the literals in `guard` bind to the values of the tested solution. If `bag` is true,
    solutions form a multiset: extra arguments (witnesses) distinguish equal solutions. Inside a STREAM block,
    triples come from the window `window` on the stream `graph`. Inside GRAPH in a STREAM block, triples come
    from the named graph `graph` in elements of the stream `stream`. The field `query_variables` contains the
    variables of the query.
    """

    setting: Setting
    query_variables: frozenset[Variable]
    position: int = 1
    part_name: str = ""
    graph: ActiveGraph = DEFAULT
    window: Window | None = None
    stream: ActiveGraph | None = None
    guarded_variables: tuple[Variable, ...] = ()
    guard: tuple[BodyLiteral, ...] = ()
    bag: bool = False
    empty_group: EmptyGroup = "values"

    def child(self, side: int, graph: ActiveGraph | None = None) -> "Node":
        """Return the left (0) or right (1) child, under another active graph if `graph` is given."""
        here = self.graph if graph is None else graph
        return replace(self, position=2 * self.position + side, graph=here)

    def part(self, mark: str) -> "Node":
        """Return the root node of a separate tree, such as the pattern of an EXISTS at this node."""
        return replace(self, position=1, part_name=f"{self.part_name}{self.position}{mark}_")

    def atom(self, terms: Iterable[Term], mark: str = "") -> Atom:
        """Return the atom ans_i with the given terms and the additional arguments of the node."""
        return Atom(f"ans{self.part_name}{self.position}{mark}", (*terms, *self.outer))

    @property
    def outer(self) -> tuple[Variable, ...]:
        """The additional arguments of each predicate at this node: guarded variables, and ?g inside GRAPH ?g.

        The pattern at this node is evaluated for each value of the additional arguments.
        """
        return (*self.guarded_variables, *((self.graph,) if isinstance(self.graph, Variable) else ()))

    def free(self, pattern: Pattern) -> tuple[Variable, ...]:
        """Return the variables of a pattern in lexicographic order (V̄), without the guarded variables."""
        return in_order(variables(pattern) - frozenset(self.guarded_variables))

    def edge(self, subject: Term, predicate: Term, object_: Term) -> BodyLiteral:
        """Return the body literal for a triple in the node's graph, or in the window of its STREAM block."""
        triple = (subject, predicate, object_, self.graph)
        if self.window is None:
            return Atom("triple", triple)
        atom = Atom("striple", triple) if self.stream is None else Atom(STREAM_QUAD, (*triple, self.stream))
        return In(self.window, Diamond(atom))

    def nothing(self) -> tuple[BodyLiteral, ...]:
        """Return the body of the empty pattern: one solution in the default graph, or one per named graph."""
        if self.exists():
            return (*self.guard, *self.exists())
        if self.graph == DEFAULT or not isinstance(self.graph, Variable):
            # Not an empty body: a fact is background, and would hold without the trigger of push and pull.
            return self.guard or (Truth(),)
        return (*self.guard, self._any_edge())

    def exists(self) -> tuple[BodyLiteral, ...]:
        """Return the body of a pattern without triples, which requires that the active graph exists."""
        if self.stream is not None:
            return (self._any_edge(),)
        # The default graph always exists; a window may be empty, and the empty pattern still has a solution.
        apart = self.graph == DEFAULT or self.window is not None
        return () if apart else (Atom(NAMED, (self.graph,)),)

    def _any_edge(self) -> BodyLiteral:
        return self.edge(self.fresh("S"), self.fresh("P"), self.fresh("O"))

    def fresh(self, name: str) -> Variable:
        """Return a variable that the query does not contain."""
        while Variable(name) in self.query_variables:
            name += "_"
        return Variable(name)

    def head(self, pattern: Pattern) -> "Head":
        """Return the head that keeps all variables and all witnesses of the pattern's solutions."""
        return Head(self, self.free(pattern), self.bag)

    def solution(self, pattern: Pattern, start: int = 1) -> "Solution":
        """Return a solution of the pattern at the node.

        The function numbers the witnesses of the solution from `start`.
        """
        count = witnesses(pattern) if self.bag else 0
        tags = tuple(self.fresh(f"W{number}") for number in range(start, start + count))
        return Solution(pattern, self, tags)


def in_order(names: Iterable[Variable]) -> tuple[Variable, ...]:
    """Return variables in lexicographic order, which is V̄ in LARS (2015)."""
    return tuple(sorted(names))


def pad(names: Iterable[Term], known: Iterable[Variable]) -> Iterator[Term]:
    """Yield the variables in `names`, with null in place of variables that are not in `known`."""
    known = frozenset(known)
    return (name if name in known else NULL for name in names)


@dataclass(frozen=True, slots=True)
class Head:
    """The head ans_i of rules at a node, with the terms `out`, and with witnesses if duplicates are kept.

    `out` consists of variables; null replaces a variable that a subquery hides.
    """

    node: Node
    out: tuple[Term, ...]
    keeps_duplicates: bool

    def rule(self, known: Iterable[Variable], body: Iterable[BodyLiteral], tags: Iterable[Term] = ()) -> Rule:
        """Return the rule with this head and the given body; null replaces variables that are not `known`."""
        bound = frozenset(known) | frozenset(self.node.guarded_variables)
        return Rule(
            self.node.atom((*pad(self.out, bound), *(tags if self.keeps_duplicates else ()))), tuple(body)
        )


@dataclass(frozen=True, slots=True)
class Solution:
    """A solution of a pattern, used as an atom in rule bodies; `tags` are the witnesses of the solution."""

    pattern: Pattern
    node: Node
    tags: tuple[Variable, ...]
    mark: str = ""

    def atom(self, nulls: frozenset[Variable] = frozenset()) -> Atom:
        """Return the atom of the solution for rule bodies, with null in place of the variables in `nulls`."""
        terms = (NULL if name in nulls else name for name in self.node.free(self.pattern))
        return self.node.atom((*terms, *self.tags), self.mark)
