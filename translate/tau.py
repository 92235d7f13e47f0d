"""τ: graph patterns as rules, the recursion that both engines share (LARS 2015, Figure 1).

Node i of the pattern's tree becomes the predicate ans_i, its children are 2i and 2i + 1. Inside
GRAPH ?g every predicate carries the graph as one more last argument.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import assert_never

from lars.formulas import Assign, BodyLiteral, Comparison, Diamond, Expression, In, Not, Relation, Truth
from lars.program import Rule
from lars.terms import DEFAULT, NULL, Atom, Iri, Symbol, Term, Variable
from translate.conditions import disjuncts, unbind
from translate.nullability import Case, Match, joins, null_sets, nullable
from translate.patterns import (
    Bgp,
    Extend,
    Filter,
    Graph,
    Join,
    LeftJoin,
    Minus,
    Pattern,
    StreamBlock,
    TriplePattern,
    Union,
    variables,
)
from translate.profiles import Profile, Setting
from translate.windows import window_operator

ActiveGraph = Symbol | Iri | Variable


@dataclass(frozen=True, slots=True)
class Node:
    """Where τ stands: tree position, active graph, and what the translation depends on.

    `taken` are the query's variables: a graph variable of our own must not clash with them.
    """

    position: int
    graph: ActiveGraph
    setting: Setting
    taken: frozenset[Variable]

    def child(self, side: int, graph: ActiveGraph | None = None) -> "Node":
        """Return the left (0) or right (1) child, under another active graph if one is given."""
        here = self.graph if graph is None else graph
        return Node(2 * self.position + side, here, self.setting, self.taken)

    def answer(self, terms: Iterable[Term], mark: str = "") -> Atom:
        """Return ans_i of the terms, with the active graph when that is a variable."""
        extra = (self.graph,) if isinstance(self.graph, Variable) else ()
        return Atom(f"ans{self.position}{mark}", (*terms, *extra))


def ordered(names: Iterable[Variable]) -> tuple[Variable, ...]:
    """Return V̄: the variables in lexicographic order."""
    return tuple(sorted(names))


def tau(pattern: Pattern, out: frozenset[Variable], node: Node) -> Iterator[Rule]:
    """Yield the rules that derive ans_i(V̄) at the node, for the result variables `out`.

    A result variable that the pattern does not bind is null.
    """
    match pattern:
        case Bgp(()):
            yield Rule(_head(out, pattern, node), (_solution_of_nothing(node.graph),))
        case Bgp((triple,)):
            yield Rule(_head(out, pattern, node), (Atom("triple", (*triple.terms, node.graph)),))
        case Bgp(triples):
            *front, last = connected(triples)
            yield from tau(Join(Bgp(tuple(front)), Bgp((last,))), out, node)
        case StreamBlock(stream, expression, inner):
            window = window_operator(expression, stream, node.setting.unit, node.setting.bounds)
            seen = (In(window, Diamond(Atom("striple", (*t.terms, stream)))) for t in inner.triples)
            yield Rule(_head(out, pattern, node), tuple(seen) or (Truth(),))
        case Join(left, right):
            yield from _children(left, right, node)
            for left_atom, right_atom in _joined(left, right, node):
                yield Rule(_head(out, pattern, node), (left_atom, right_atom))
        case Union(left, right):
            yield from _children(left, right, node)
            for side, branch in enumerate((left, right)):
                yield Rule(_head(out, branch, node), (_solution(branch, node.child(side)),))
        case LeftJoin(left, right, condition):
            yield from _children(left, right, node)
            yield from _left_join(left, right, condition, out, node)
        case Minus(left, right):
            yield from _children(left, right, node)
            yield from _minus(left, right, out, node)
        case Filter(inner, condition):
            yield from tau(inner, variables(inner), node.child(0))
            for tests in disjuncts(unbind(condition, variables(inner))):
                yield Rule(_head(out, inner, node), (_solution(inner, node.child(0)), *tests))
        case Extend(inner, variable, expression):
            yield from tau(inner, variables(inner), node.child(0))
            value = Assign(variable, unbind(expression, variables(inner)))
            yield Rule(_head(out, pattern, node), (_solution(inner, node.child(0)), value))
        case Graph(name, inner):
            yield from _graph(name, inner, out, node)
        case _:
            assert_never(pattern)


def connected(triples: tuple[TriplePattern, ...]) -> tuple[TriplePattern, ...]:
    """Return the triple patterns so ordered that each shares a variable with an earlier one.

    Where that is impossible the order of the text decides; ∧ is commutative, so only the size of
    what lies between changes.
    """
    rest, found = list(triples), [triples[0]]
    rest.remove(triples[0])
    seen = variables(Bgp((triples[0],)))
    while rest:
        following = next((t for t in rest if variables(Bgp((t,))) & seen), rest[0])
        rest.remove(following)
        found.append(following)
        seen |= variables(Bgp((following,)))
    return tuple(found)


def _children(left: Pattern, right: Pattern, node: Node) -> Iterator[Rule]:
    yield from tau(left, variables(left), node.child(0))
    yield from tau(right, variables(right), node.child(1))


def _head(out: frozenset[Variable], pattern: Pattern, node: Node) -> Atom:
    known = variables(pattern)
    return node.answer(name if name in known else NULL for name in ordered(out))


def _solution(pattern: Pattern, node: Node, nulls: frozenset[Variable] = frozenset()) -> Atom:
    return node.answer(NULL if name in nulls else name for name in ordered(variables(pattern)))


def _solution_of_nothing(graph: ActiveGraph) -> BodyLiteral:
    # An empty pattern has one solution in the default graph, and one in each graph that exists.
    return Truth() if graph == DEFAULT else Atom("named", (graph,))


def _cases(left: Pattern, right: Pattern, node: Node) -> Iterable[Case]:
    if node.setting.profile is Profile.PAPER2015:
        return (dict.fromkeys(variables(left) & variables(right), Match.EQUAL),)
    return joins(left, right)


def _atoms(left: Pattern, right: Pattern, case: Case, node: Node) -> tuple[Atom, Atom]:
    left_nulls = frozenset(v for v, match in case.items() if match is Match.LEFT_NULL)
    right_nulls = frozenset(v for v, match in case.items() if match is Match.RIGHT_NULL)
    return _solution(left, node.child(0), left_nulls), _solution(right, node.child(1), right_nulls)


def _joined(left: Pattern, right: Pattern, node: Node) -> Iterator[tuple[Atom, Atom]]:
    for case in _cases(left, right, node):
        yield _atoms(left, right, case, node)


def _left_join(
    left: Pattern, right: Pattern, condition: Expression | None, out: frozenset[Variable], node: Node
) -> Iterator[Rule]:
    known = variables(left) | variables(right)
    tests = ((),) if condition is None else disjuncts(unbind(condition, known))
    blocked = node.answer(ordered(variables(left)), "'")
    for case in _cases(left, right, node):
        body = _atoms(left, right, case, node)
        nulls = {v: NULL for v, match in case.items() if match is Match.LEFT_NULL}
        named = node.answer((nulls.get(v, v) for v in ordered(variables(left))), "'")
        for conjunction in tests:
            yield Rule(_head(out, Join(left, right), node), (*body, *conjunction))
            yield Rule(named, (*body, *conjunction))
    yield Rule(_head(out, left, node), (_solution(left, node.child(0)), Not(blocked)))


def _minus(left: Pattern, right: Pattern, out: frozenset[Variable], node: Node) -> Iterator[Rule]:
    solution = _solution(left, node.child(0))
    if node.setting.profile is Profile.PAPER2015:
        # Diff, as the paper prints it: ans' ranges over the shared variables only.
        blocked = node.answer(ordered(variables(left) & variables(right)), "'")
        yield Rule(blocked, (_solution(right, node.child(1)),))
        yield Rule(_head(out, left, node), (solution, Not(blocked)))
        return
    blocked = node.answer(ordered(variables(left)), "'")
    for case in _cases(left, right, node):
        body = _atoms(left, right, case, node)
        nulls = {v: NULL for v, match in case.items() if match is Match.LEFT_NULL}
        named = node.answer((nulls.get(v, v) for v in ordered(variables(left))), "'")
        for witness in _witnesses(left, right, case):
            yield Rule(named, (*body, *witness))
    yield Rule(_head(out, left, node), (solution, Not(blocked)))


def _witnesses(left: Pattern, right: Pattern, case: Case) -> tuple[tuple[Comparison, ...], ...]:
    # Minus removes only what shares a bound variable: a never-null one is witness enough.
    equal = ordered(v for v, match in case.items() if match is Match.EQUAL)
    nullable_here = nullable(left) & nullable(right)
    if any(v not in nullable_here for v in equal):
        return ((),)
    return tuple((Comparison(v, Relation.UNEQUAL, NULL),) for v in equal)


def _graph(name: Iri | Variable, inner: Pattern, out: frozenset[Variable], node: Node) -> Iterator[Rule]:
    if isinstance(name, Iri) and not isinstance(node.graph, Variable):
        yield from tau(inner, out, Node(node.position, name, node.setting, node.taken))
        return
    within = variables(inner)
    graph: ActiveGraph = name
    if isinstance(name, Variable) and name in within:
        graph = _fresh(f"graph{node.position}", node.taken)
    child = node.child(0, graph)
    yield from tau(inner, within, child)
    # Under GRAPH ?h the outer graph is still an argument, though the inner pattern ignores it.
    outer = (Atom("named", (node.graph,)),) if isinstance(node.graph, Variable) else ()
    # The variable ranges over the named graphs, though triple/4 holds the default graph as well.
    inside = (Comparison(name, Relation.UNEQUAL, DEFAULT),) if isinstance(name, Variable) else ()
    for nulls in _graph_nulls(name, inner, node.setting.profile):
        solution = _solution(inner, child, nulls)
        if isinstance(name, Variable):
            solution = Atom(solution.predicate, (*solution.arguments[:-1], name))
        yield Rule(_head(out, Graph(name, inner), node), (solution, *inside, *outer))


def _graph_nulls(name: Iri | Variable, inner: Pattern, profile: Profile) -> frozenset[frozenset[Variable]]:
    if profile is Profile.PAPER2015 or not isinstance(name, Variable):
        return frozenset((frozenset(),))
    return null_sets(inner, frozenset((name,))) | {frozenset()}


def _fresh(name: str, taken: frozenset[Variable]) -> Variable:
    while Variable(name) in taken:
        name += "_"
    return Variable(name)
