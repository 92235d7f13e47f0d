"""The algebra of graph patterns P: what SPARQL text becomes before τ reads it."""

from dataclasses import dataclass
from typing import Final, assert_never

from lars.formulas import Expression
from lars.program import variables as variables_of
from lars.terms import Iri, Term, Variable
from translate.windows import WindowExpression


@dataclass(frozen=True, slots=True)
class TriplePattern:
    """(s, p, o), each a variable or an RDF term; blank nodes have become variables."""

    subject: Term
    predicate: Term
    object: Term

    def __str__(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}"

    @property
    def terms(self) -> tuple[Term, Term, Term]:
        """Subject, predicate and object."""
        return self.subject, self.predicate, self.object


@dataclass(frozen=True, slots=True)
class Bgp:
    """A basic graph pattern: its triple patterns in the order of the text; may be empty."""

    triples: tuple[TriplePattern, ...] = ()

    def __str__(self) -> str:
        return f"{{{' . '.join(map(str, self.triples))}}}"


@dataclass(frozen=True, slots=True)
class StreamBlock:
    """STREAM s ω g: the basic graph pattern g is matched in the window ω of the stream s."""

    stream: Iri
    window: WindowExpression
    pattern: Bgp

    def __str__(self) -> str:
        return f"STREAM {self.stream} {self.window} {self.pattern}"


@dataclass(frozen=True, slots=True)
class Join:
    """P1 AND P2."""

    left: "Pattern"
    right: "Pattern"

    def __str__(self) -> str:
        return f"({self.left} AND {self.right})"


@dataclass(frozen=True, slots=True)
class Union:
    """P1 UNION P2."""

    left: "Pattern"
    right: "Pattern"

    def __str__(self) -> str:
        return f"({self.left} UNION {self.right})"


@dataclass(frozen=True, slots=True)
class Minus:
    """P1 MINUS P2."""

    left: "Pattern"
    right: "Pattern"

    def __str__(self) -> str:
        return f"({self.left} MINUS {self.right})"


@dataclass(frozen=True, slots=True)
class LeftJoin:
    """P1 OPT P2 with a condition, SPARQL's LeftJoin(P1, P2, R); None is the condition true."""

    left: "Pattern"
    right: "Pattern"
    condition: Expression | None = None

    def __str__(self) -> str:
        condition = "" if self.condition is None else f" IF {self.condition}"
        return f"({self.left} OPT {self.right}{condition})"


@dataclass(frozen=True, slots=True)
class Filter:
    """P FILTER R."""

    pattern: "Pattern"
    condition: Expression

    def __str__(self) -> str:
        return f"({self.pattern} FILTER {self.condition})"


@dataclass(frozen=True, slots=True)
class Graph:
    """GRAPH g P."""

    name: Iri | Variable
    pattern: "Pattern"

    def __str__(self) -> str:
        return f"(GRAPH {self.name} {self.pattern})"


@dataclass(frozen=True, slots=True)
class Extend:
    """BIND: P extended by a variable that is not in P; an error leaves it unbound."""

    pattern: "Pattern"
    variable: Variable
    expression: Expression

    def __str__(self) -> str:
        return f"({self.pattern} BIND {self.variable} := {self.expression})"


Pattern = Bgp | StreamBlock | Join | Union | Minus | LeftJoin | Filter | Graph | Extend
EMPTY: Final = Bgp()


def variables(pattern: Pattern) -> frozenset[Variable]:
    """Return vars(P): the variables that a solution of P can bind (in-scope, SPARQL 1.1, 18.2.1)."""
    match pattern:
        case Bgp(triples):
            return frozenset().union(*(variables_of(term) for triple in triples for term in triple.terms))
        case StreamBlock(_, _, inner) | Filter(inner, _):
            return variables(inner)
        case Join(left, right) | Union(left, right) | LeftJoin(left, right, _):
            return variables(left) | variables(right)
        case Minus(left, _):
            return variables(left)
        case Graph(name, inner):
            return variables(inner) | variables_of(name)
        case Extend(inner, variable, _):
            return variables(inner) | {variable}
        case _:
            assert_never(pattern)
