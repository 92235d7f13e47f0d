"""τ: graph patterns as rules, the recursion that all languages share (LARS 2015, Figure 1).

One rule scheme for each operator; node i of the tree becomes the predicate ans_i.
  P1 AND P2       ans_i(V̄) ← ans_2i(V̄1), ans_2i+1(V̄2)
  P1 UNION P2     one such rule for each side, with null for what the side does not bind
  P FILTER R      ans_i(V̄) ← ans_2i(V̄), R          one rule for each disjunct of R
  BIND, VALUES    ans_i(V̄) ← ans_2i(V̄'), x := [e]     ans_i(c̄) ← true
  GRAPH ?g P      P is evaluated in each named graph, which is an argument
OPTIONAL and MINUS are in `join_rules`, paths in `path_rules`, EXISTS in `condition_rules`, GROUP BY
and subqueries in `group_rules`, the forms of queries in `translation`.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import assert_never

from lars.language.formulas import Assign, Comparison, Diamond, In, Relation
from lars.language.program import Rule
from lars.language.terms import DEFAULT, NULL, Atom, Iri, Number, Term, Variable
from translate.analysis import is_cautious, null_sets, occurring_variables, witnesses
from translate.model import patterns as algebra
from translate.model.patterns import Pattern, variables
from translate.model.query import Profile
from translate.model.windows import window_operator
from translate.tau.condition_rules import Site, values, where
from translate.tau.group_rules import group, select
from translate.tau.join_rules import join, left_join, minus
from translate.tau.node import ActiveGraph, Head, Node, Solution, whole


def tau(pattern: Pattern, head: Head) -> Iterator[Rule]:
    """Yield the rules that derive the head from the solutions of the pattern.

    A variable of the head that the pattern does not bind is null.
    """
    node = head.node
    match pattern:
        case algebra.Bgp(()):
            yield head.rule((), node.nothing())
        case algebra.Bgp((triple,)):
            yield head.rule(variables(pattern), (node.edge(*triple.terms), *node.guard))
        case algebra.Bgp(triples):
            single: list[Pattern] = [algebra.Bgp((triple,)) for triple in connected_order(triples)]
            yield from tau(reduce(algebra.Join, single), head)
        case algebra.PathPattern():
            from translate.tau.path_rules import walk

            yield from walk(pattern, head, tau)
        case algebra.StreamBlock():
            yield from _stream(pattern, head)
        case algebra.Join(left, right):
            yield from _children(left, right, node)
            yield from join(left, right, head)
        case algebra.Union(left, right):
            yield from _children(left, right, node)
            yield from _union(pattern, head)
        case algebra.LeftJoin(left, right):
            yield from _children(left, right, node)
            yield from left_join(pattern, head, tau)
        case algebra.Minus(left, right):
            yield from _children(left, right, node)
            yield from minus(left, right, head)
        case algebra.Filter(inner, condition, exists):
            yield from tau(inner, whole(inner, node.child(0)))
            found = where(condition, exists, _site(inner, node), tau)
            yield from found.rules
            solution = Solution(inner, node.child(0))
            for tests in found.bodies:
                yield head.rule(variables(inner), (solution.atom(), *tests), solution.tags)
        case algebra.Extend():
            yield from _extend(pattern, head)
        case algebra.Values(names, rows):
            tags = witnesses(pattern)
            for number, row in enumerate(rows):
                binding: dict[Term, Term] = {
                    name: NULL if term is None else term for name, term in zip(names, row, strict=True)
                }
                atom = node.atom(
                    (
                        *(binding.get(name, NULL) for name in head.out),
                        *([Number(number)] * tags * head.keeps_duplicates),
                    )
                )
                yield Rule(atom, node.nothing())
        case algebra.Graph(name, inner) | algebra.Service(name, inner, _):
            yield from _graph(name, inner, head)
        case algebra.Group():
            yield from group(pattern, head, tau)
        case algebra.Select():
            yield from select(pattern, head, tau)
        case _:
            assert_never(pattern)


def connected_order(triples: tuple[algebra.TriplePattern, ...]) -> tuple[algebra.TriplePattern, ...]:
    """Return the triple patterns so ordered that each shares a variable with an earlier one.

    Where that is impossible the order of the text decides; ∧ is commutative, so only the size of
    what lies between changes.
    """
    rest = [(triple, variables(algebra.Bgp((triple,)))) for triple in triples]
    found, seen = [rest[0][0]], rest.pop(0)[1]
    while rest:
        place = next((number for number, (_, own) in enumerate(rest) if own & seen), 0)
        triple, own = rest.pop(place)
        found.append(triple)
        seen |= own
    return tuple(found)


def _children(left: Pattern, right: Pattern, node: Node) -> Iterator[Rule]:
    yield from tau(left, whole(left, node.child(0)))
    yield from tau(right, whole(right, node.child(1)))


def _site(inner: Pattern, node: Node) -> Site:
    return Site(inner, Solution(inner, node.child(0)), node)


def _extend(pattern: algebra.Extend, head: Head) -> Iterator[Rule]:
    inner, node = pattern.pattern, head.node
    yield from tau(inner, whole(inner, node.child(0)))
    solution = Solution(inner, node.child(0))
    found = values(pattern.expression, pattern.exists, _site(inner, node), tau)
    yield from found.rules
    for expression, more in found.cases:
        body = (solution.atom(), *more, Assign(pattern.variable, expression))
        yield head.rule(variables(pattern), body, solution.tags)


def _union(union: algebra.Union, head: Head) -> Iterator[Rule]:
    # Both sides fill one head; in a multiset a solution of both is two.
    room = witnesses(union)
    for side, branch in enumerate((union.left, union.right)):
        solution = Solution(branch, head.node.child(side))
        tags: tuple[Term, ...] = () if is_cautious(union) else (Number(side), *solution.tags)
        yield head.rule(variables(branch), (solution.atom(),), (*tags, *(NULL,) * (room - len(tags))))


def _stream(block: algebra.StreamBlock, head: Head) -> Iterator[Rule]:
    node, stream, inner = head.node, block.stream, block.pattern
    window = window_operator(block.window, stream, node.setting.unit, node.setting.bounds)
    if isinstance(inner, algebra.Bgp):
        seen = (In(window, Diamond(Atom("striple", (*triple.terms, stream)))) for triple in inner.triples)
        yield head.rule(variables(block), (*seen, *node.guard) or node.nothing())
        return
    within = replace(node.part("w"), graph=stream, window=window)
    yield from tau(inner, whole(inner, within))
    solution = Solution(inner, within)
    yield head.rule(variables(block), (solution.atom(), *node.exists()), solution.tags)


def _graph(name: Iri | Variable, inner: Pattern, head: Head) -> Iterator[Rule]:
    node = head.node
    if isinstance(name, Iri) and not node.exists():
        yield from tau(inner, replace(head, node=replace(node, graph=name)))
        return
    graph: ActiveGraph = name
    if isinstance(name, Variable) and (name in occurring_variables(inner) or name in node.guarded_variables):
        graph = node.fresh(f"graph{node.prefix}{node.position}")
    child = node.child(0, graph)
    yield from tau(inner, whole(inner, child))
    # The variable ranges over the named graphs, though triple/4 holds the default graph as well.
    inside = (Comparison(name, Relation.UNEQUAL, DEFAULT),) if isinstance(name, Variable) else ()
    solution = Solution(inner, child)
    room = witnesses(algebra.Graph(name, inner)) - len(solution.tags) if node.bag else 0
    for number, nulls in enumerate(sorted(_graph_nulls(name, inner, node.setting.profile), key=len)):
        atom = solution.atom(nulls)
        if isinstance(name, Variable):
            atom = Atom(atom.predicate, (*atom.arguments[:-1], name))
        tags: tuple[Term, ...] = (*solution.tags, *(Number(number),) * room)
        yield head.rule(variables(algebra.Graph(name, inner)), (atom, *inside, *node.exists()), tags)


def _graph_nulls(name: Iri | Variable, inner: Pattern, profile: Profile) -> frozenset[frozenset[Variable]]:
    if profile is Profile.PAPER2015 or not isinstance(name, Variable):
        return frozenset((frozenset(),))
    return null_sets(inner, frozenset((name,))) | {frozenset()}
