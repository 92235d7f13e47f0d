"""The algebra of graph patterns with property paths: the parsed form of SPARQL, and the input of τ."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import wraps
from typing import Concatenate, Final, Literal, ParamSpec, TypeVar, assert_never, get_args

from lars.dataclass import dataclass
from lars.language.formulas import Aggregation, Expression, OrderKey
from lars.language.program import variables as variables_of
from lars.language.terms import Constant, Iri, Term, Variable
from translate.model.windows import WindowExpression


@dataclass(frozen=True, slots=True)
class Inverse:
    """^path: the path from object to subject."""

    path: "Path"

    def __str__(self) -> str:
        return f"^{self.path}"


@dataclass(frozen=True, slots=True)
class PathSequence:
    """path1 / path2: the second path follows the first path."""

    left: "Path"
    right: "Path"

    def __str__(self) -> str:
        return f"({self.left}/{self.right})"


@dataclass(frozen=True, slots=True)
class Alternative:
    """path1 | path2: either of two paths."""

    left: "Path"
    right: "Path"

    def __str__(self) -> str:
        return f"({self.left}|{self.right})"


Repetition = Literal["*", "+", "?"]
"""The number of repetitions of a path: any number, at least one, or at most one."""
REPETITIONS: Final[Mapping[str, Repetition]] = {often: often for often in get_args(Repetition)}


@dataclass(frozen=True, slots=True)
class RepeatedPath:
    """path*, path+ or path?: two nodes are connected only once, even if several routes connect them."""

    path: "Path"
    multiplicity: Repetition

    def __str__(self) -> str:
        return f"({self.path}){self.multiplicity}"


@dataclass(frozen=True, slots=True)
class NegatedSet:
    """!(p1|..|^q1|..): a forward step by a property not in `forward`, or a backward step not in `backward`.

    If `forward` is empty, only backward steps match, and if `backward` is empty, only forward steps match. If
    both are empty, !() matches a forward step by any property.
    """

    forward: tuple[Iri, ...] = ()
    backward: tuple[Iri, ...] = ()

    def __str__(self) -> str:
        return f"!({'|'.join((*map(str, self.forward), *(f'^{iri}' for iri in self.backward)))})"


Path = Iri | Inverse | PathSequence | Alternative | RepeatedPath | NegatedSet
"""A property path; a property is the path of one step."""


def steps(path: Path) -> Iterator[Iri | None]:
    """Yield the property of each step in a path; None for a negated property set."""
    match path:
        case Iri():
            yield path
        case NegatedSet():
            yield None
        case Inverse(inner) | RepeatedPath(inner, _):
            yield from steps(inner)
        case PathSequence(first, other) | Alternative(first, other):
            yield from steps(first)
            yield from steps(other)
        case _:
            assert_never(path)


def can_stay(path: Path) -> bool:
    """Return whether the path connects a term with itself in zero steps, even outside the graph.

    The function returns False for a sequence, since the term between its parts must be a node of the graph
    (SPARQL 1.1, 18.4).
    """
    match path:
        case Iri() | NegatedSet() | PathSequence():
            return False
        case Inverse(inner):
            return can_stay(inner)
        case Alternative(first, other):
            return can_stay(first) or can_stay(other)
        case RepeatedPath(inner, often):
            return often != "+" or can_stay(inner)
        case _:
            assert_never(path)


@dataclass(frozen=True, slots=True)
class TriplePattern:
    """A triple pattern (s, p, o) of variables and RDF terms; variables have replaced blank nodes."""

    subject: Term
    predicate: Term
    object: Term

    def __str__(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}"

    @property
    def terms(self) -> tuple[Term, Term, Term]:
        """The subject, predicate and object of the pattern."""
        return self.subject, self.predicate, self.object


@dataclass(frozen=True, slots=True)
class Bgp:
    """A basic graph pattern: its triple patterns in the order of the text; the pattern may be empty."""

    triples: tuple[TriplePattern, ...] = ()

    def __str__(self) -> str:
        return f"{{{' . '.join(map(str, self.triples))}}}"


@dataclass(frozen=True, slots=True)
class PathPattern:
    """The pattern (s, path, o): the property path, which is not a single IRI, connects s to o."""

    subject: Term
    path: Path
    object: Term

    def __str__(self) -> str:
        return f"{{{self.subject} {self.path} {self.object}}}"


@dataclass(frozen=True, slots=True)
class StreamBlock:
    """STREAM s ω g: the pattern g is matched in the window ω of the stream s.

    If s is a variable, s ranges over the streams, and is bound to the matching stream. The field `name` is
    the name of an RSP-QL window, because two windows with equal lengths can start at different times. With a
    `graph`, the pattern g is matched in the triples of the named graph `graph` that the window ω contains.
    """

    stream: Iri | Variable
    window: WindowExpression
    pattern: Bgp | PathPattern = Bgp()
    name: Iri | None = field(default=None, compare=False)
    graph: Iri | Variable | None = None

    @property
    def iri(self) -> Iri:
        """The name of the stream, for a block of a declared window, whose stream is never a variable."""
        assert isinstance(self.stream, Iri)
        return self.stream

    def __str__(self) -> str:
        graph = "" if self.graph is None else f"GRAPH {self.graph} "
        return f"STREAM {self.stream} {self.window} {graph}{self.pattern}"


@dataclass(frozen=True, slots=True)
class Join:
    """The pattern P1 AND P2."""

    left: "Pattern"
    right: "Pattern"

    def __str__(self) -> str:
        return f"({self.left} AND {self.right})"


@dataclass(frozen=True, slots=True)
class Union:
    """The pattern P1 UNION P2."""

    left: "Pattern"
    right: "Pattern"

    def __str__(self) -> str:
        return f"({self.left} UNION {self.right})"


@dataclass(frozen=True, slots=True)
class Minus:
    """The pattern P1 MINUS P2."""

    left: "Pattern"
    right: "Pattern"

    def __str__(self) -> str:
        return f"({self.left} MINUS {self.right})"


@dataclass(frozen=True, slots=True)
class Exists:
    """EXISTS P inside an expression; in the expression, a variable represents the test (SPARQL 1.1, 18.6).

    The variable is true if P has a solution after values replace P's bound variables. NOT EXISTS is written
    as `!` of the variable.
    """

    variable: Variable
    pattern: "Pattern"

    def __str__(self) -> str:
        return f"EXISTS {self.pattern}"


def _with_exists(text: str, exists: Iterable[Exists]) -> str:
    """Return the text of an expression in which `EXISTS P` replaces the variable of each EXISTS test."""
    for each in exists:
        text = str(each).join(re.split(rf"{re.escape(str(each.variable))}\b", text))
    return text


@dataclass(frozen=True, slots=True)
class LeftJoin:
    """P1 OPT P2 with a condition R, which is LeftJoin(P1, P2, R) of SPARQL; None means that R is true."""

    left: "Pattern"
    right: "Pattern"
    condition: Expression | None = None
    exists: tuple[Exists, ...] = ()

    def __str__(self) -> str:
        condition = "" if self.condition is None else f" IF {self.condition}"
        return _with_exists(f"({self.left} OPT {self.right}{condition})", self.exists)


@dataclass(frozen=True, slots=True)
class Filter:
    """The pattern P FILTER R."""

    pattern: "Pattern"
    condition: Expression
    exists: tuple[Exists, ...] = ()

    def __str__(self) -> str:
        return _with_exists(f"({self.pattern} FILTER {self.condition})", self.exists)


@dataclass(frozen=True, slots=True)
class Graph:
    """The pattern GRAPH g P."""

    name: Iri | Variable
    pattern: "Pattern"

    def __str__(self) -> str:
        return f"(GRAPH {self.name} {self.pattern})"


@dataclass(frozen=True, slots=True)
class Extend:
    """BIND: P extended by a variable that is not in P.

    The variable is unbound in a solution if the expression has an error.
    """

    pattern: "Pattern"
    variable: Variable
    expression: Expression
    exists: tuple[Exists, ...] = ()

    def __str__(self) -> str:
        return _with_exists(f"({self.pattern} BIND {self.variable} := {self.expression})", self.exists)


@dataclass(frozen=True, slots=True)
class Service:
    """SERVICE g P: the named graph g of the dataset contains the data of the service."""

    name: Iri | Variable
    pattern: "Pattern"
    silent: bool = False

    def __str__(self) -> str:
        return f"(SERVICE {self.name} {self.pattern})"


@dataclass(frozen=True, slots=True)
class Values:
    """VALUES: a table of solutions; each row has the order of `names`, and None is UNDEF."""

    names: tuple[Variable, ...]
    rows: tuple[tuple[Constant | None, ...], ...]

    def __str__(self) -> str:
        rows = (" ".join("UNDEF" if term is None else str(term) for term in row) for row in self.rows)
        return f"VALUES ({' '.join(map(str, self.names))}) {{{' '.join(f'({row})' for row in rows)}}}"


@dataclass(frozen=True, slots=True)
class Group:
    """GROUP BY keys, with the aggregates of each group; without keys, all solutions form one group.

    Each aggregate is paired with the variable that it binds. An Extend inside P computes each expression in a
    key or an aggregate. A Filter around the Group represents HAVING.
    """

    pattern: "Pattern"
    keys: tuple[Variable, ...]
    aggregates: tuple[tuple[Variable, Aggregation], ...]

    def __str__(self) -> str:
        text = ", ".join(f"{variable} := {aggregation}" for variable, aggregation in self.aggregates)
        return f"({self.pattern} GROUP BY ({', '.join(map(str, self.keys))}) {text})"


Duplicates = Literal["", "DISTINCT", "REDUCED"]
"""The treatment of equal solutions by SELECT; the treatment matters only for multisets.

REDUCED may drop equal solutions (SPARQL 1.1, 18.2.5.3). The program `lars` keeps equal solutions under
REDUCED.
"""


@dataclass(frozen=True, slots=True)
class Modifiers:
    """The solution modifiers of a query; an Extend of the pattern computes each expression in ORDER BY."""

    duplicates: Duplicates = ""
    order: tuple[OrderKey, ...] = ()
    offset: int = 0
    limit: int | None = None

    @property
    def slices(self) -> bool:
        """Whether the query has a LIMIT, or an OFFSET other than 0."""
        return self.offset > 0 or self.limit is not None


UNMODIFIED: Final = Modifiers()


@dataclass(frozen=True, slots=True)
class Select:
    """A subquery: outside, only the variables in `result` are visible, in the order of the text."""

    pattern: "Pattern"
    result: tuple[Variable, ...]
    modifiers: Modifiers = UNMODIFIED

    def __str__(self) -> str:
        return f"(SELECT {' '.join(map(str, self.result))} {self.pattern})"


Pattern = (
    Bgp
    | PathPattern
    | StreamBlock
    | Join
    | Union
    | Minus
    | LeftJoin
    | Filter
    | Graph
    | Service
    | Extend
    | Values
    | Group
    | Select
)
EMPTY: Final = Bgp()


_Asked = TypeVar("_Asked")
_More = ParamSpec("_More")
_Answer = TypeVar("_Answer")
_KEPT: Final = 2**17


def remember(
    ask: Callable[Concatenate[_Asked, _More], _Answer],
) -> Callable[Concatenate[_Asked, _More], _Answer]:
    """Return the function with a cache whose keys contain the identity of its first argument.

    A cache that compares patterns by equality would be slow for long queries, because the hash of a pattern
    depends on all its parts. Other arguments are compared by equality.

    >>> calls = []
    >>> count = remember(lambda pattern: calls.append(pattern) or len(calls))
    >>> one, other = ["p"], ["p"]
    >>> count(one), count(other), count(one)
    (1, 2, 1)
    >>> sum_of = remember(lambda pattern, left=0, right=0: (left, right))
    >>> sum_of(one, left=1), sum_of(one, right=1)
    ((1, 0), (0, 1))
    """
    known: dict[tuple[Hashable, ...], tuple[object, _Answer]] = {}

    @wraps(ask)
    def answer(question: _Asked, /, *more: _More.args, **named: _More.kwargs) -> _Answer:
        key = (id(question), *more, *named.items())
        known_answer = known.get(key)
        if known_answer is None:
            # A kept object cannot be freed, so no other object gets its identity.
            known_answer = question, ask(question, *more, **named)
            if len(known) >= _KEPT:
                known.clear()
            known[key] = known_answer
        return known_answer[1]

    return answer


@remember
def variables(pattern: Pattern) -> frozenset[Variable]:
    """Return vars(P): the variables that a solution of P can bind (in-scope, SPARQL 1.1, 18.2.1)."""
    match pattern:
        case Bgp(triples):
            return frozenset().union(*(variables_of(term) for triple in triples for term in triple.terms))
        case PathPattern(subject, _, object_):
            return variables_of(subject) | variables_of(object_)
        case StreamBlock(stream, _, inner, _, graph):
            own = frozenset[Variable]() if graph is None else variables_of(graph)
            return variables(inner) | variables_of(stream) | own
        case Filter(inner, _):
            return variables(inner)
        case Join(left, right) | Union(left, right) | LeftJoin(left, right, _):
            return variables(left) | variables(right)
        case Minus(left, _):
            return variables(left)
        case Graph(name, inner) | Service(name, inner, _):
            return variables(inner) | variables_of(name)
        case Extend(inner, variable, _):
            return variables(inner) | {variable}
        case Values(names, _) | Select(_, names, _):
            return frozenset(names)
        case Group(_, keys, aggregates):
            return frozenset(keys).union(variable for variable, _ in aggregates)
        case _:
            assert_never(pattern)
