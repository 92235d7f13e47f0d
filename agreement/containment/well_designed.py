"""Containment of patterns with OPTIONAL that are well-designed, without projection and conditions (C3).

Such a pattern is a tree of parts. A row of A is a subtree T of A that matches, of which no further part
does. On any data the subtree T' of B that goes with the row has all parts whose variables it binds and
that match; the row is one of B exactly if T' binds the same variables, and no further part of B matches.
So if A is not contained in one branch of B, either T as data shows it, or T with one further part of B
beside T', its new variables new constants: what matches there, matches by a mapping on any data that
show it, so that no part of A matches that did not before. (After Letelier, Pérez, Pichler, Skritek:
*Static Analysis and Optimization of Semantic Web Queries*, 2013.) If each branch of A is in one branch
of B, A is contained; else data on which each branch of B fails are tried.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Final

from agreement.containment.canonical import OneQuery, difference_on, last_time, newest
from agreement.containment.findings import Containment, Counterexample, Holds, refuted
from agreement.disjuncts import Disjunct, Edge, Model, Reading, disjuncts, ground, invented
from lars.terms import Constant, Iri, Variable
from translate.patterns import Bgp, Join, LeftJoin, Pattern, StreamBlock, Union, variables

_MOST: Final = 2_000
_Terms = Mapping[Variable, Constant]


@dataclass(frozen=True, slots=True)
class Tree:
    """A part of a pattern, and the parts that are optional to it."""

    edges: tuple[Edge, ...]
    children: tuple["Tree", ...] = ()

    @property
    def bound(self) -> frozenset[Variable]:
        """The variables of the part itself."""
        return Disjunct(self.edges).bound


def by_trees(one: OneQuery, other: OneQuery) -> Containment | None:
    """Return what trees say of two queries, None where they are none, or say nothing."""
    mine, theirs = (_branches(query) for query in (one, other))
    if not mine or not theirs or not _comparable(one, other):
        return None
    for own, tree in mine:
        if any(_against(own, branch, tree, [found]) is None for branch, found in theirs):
            continue
        against = _against(own, other, tree, [found for _, found in theirs])
        return None if against is None else refuted(against)
    return Containment(Holds.YES, "well-designed OPTIONAL, and no canonical data refute it (C3)")


def _comparable(one: OneQuery, other: OneQuery) -> bool:
    readings = {edge.where for query in (one, other) for each in query.plain for edge in each.readings}
    streams = {where.stream for where in readings if isinstance(where, Reading)}
    plain = not (one.merged or other.merged or one.query.modifiers.slices or other.query.modifiers.slices)
    same = one.query.dataset == other.query.dataset and one.result == other.result
    named = all(isinstance(stream, Iri) for stream in streams)
    return plain and same and named and len(streams) == len(readings)


def _branches(query: OneQuery) -> list[tuple[OneQuery, Tree]]:
    """Return the branches of UNION as queries of their own, with their trees; none if one is no tree."""
    found = []
    for pattern in _unions(query.pattern):
        tree = _tree(pattern, frozenset(), query)
        if tree is None or variables(pattern) != frozenset(query.result):
            return []
        found.append((OneQuery(replace(query.query, pattern=pattern), query.setting), tree))
    return found


def _unions(pattern: Pattern) -> Iterator[Pattern]:
    if isinstance(pattern, Union):
        yield from _unions(pattern.left)
        yield from _unions(pattern.right)
    else:
        yield pattern


def _tree(pattern: Pattern, outside: frozenset[Variable], query: OneQuery) -> Tree | None:
    """Return the tree of a pattern that is well-designed: of OPTIONAL's own variables none is outside."""
    match pattern:
        case Bgp() | StreamBlock():
            only, *others = disjuncts(pattern, query.setting.profile)
            return (
                None if others or only.loose or len(only.edges) != len(set(only.edges)) else Tree(only.edges)
            )
        case Join(left, right):
            one = _tree(left, outside | variables(right), query)
            two = _tree(right, outside | variables(left), query)
            if one is None or two is None:
                return None
            return Tree((*one.edges, *two.edges), (*one.children, *two.children))
        case LeftJoin(left, right, None, ()):
            if (variables(right) - variables(left)) & outside:
                return None
            one = _tree(left, outside | variables(right), query)
            two = _tree(right, outside | variables(left), query)
            return None if one is None or two is None else replace(one, children=(*one.children, two))
        case _:
            return None


def _subtrees(tree: Tree) -> Iterator[tuple[Edge, ...]]:
    """Yield the edges of each subtree with the root."""
    choices = [[(), *_subtrees(child)] for child in tree.children]
    for chosen in product(*choices):
        yield (*tree.edges, *(edge for edges in chosen for edge in edges))


def _against(one: OneQuery, other: OneQuery, tree: Tree, branches: Sequence[Tree]) -> Counterexample | None:
    """Return canonical data of a tree that refute it: a subtree, or one with a part beside each branch."""
    t = last_time(one, other)
    for edges in islice(_subtrees(tree), _MOST):
        terms = {name: invented(name) for name in Disjunct(edges).bound}
        base = [(edge, terms) for edge in edges]
        further = [_further(branch, edges, terms, number) for number, branch in enumerate(branches)]
        for more in ((), *product(*further)) if all(further) else ((),):
            data = [*base, *(item for added in more for item in added)]
            found = difference_on(
                one, other, [newest(edge, Model(own), t, one.setting) for edge, own in data], t
            )
            if found is not None:
                return found
    return None


_Frozen = list[tuple[Edge, _Terms]]


def _further(branch: Tree, edges: tuple[Edge, ...], terms: _Terms, number: int) -> list[_Frozen]:
    """Return the parts of a branch beside its own subtree, frozen with new constants for new variables."""
    known = {(edge.where, ground(edge, terms)) for edge in edges}
    found: list[_Frozen] = []

    def matched(part: Tree) -> bool:
        inside = part.bound <= terms.keys()
        return inside and all((edge.where, ground(edge, terms)) in known for edge in part.edges)

    def visit(part: Tree) -> None:
        for child in part.children:
            if matched(child):
                visit(child)
            else:
                new = {name: Iri(f"{invented(name).value}-{number}") for name in child.bound - terms.keys()}
                found.append([(edge, {**terms, **new}) for edge in child.edges])

    if matched(branch):
        visit(branch)
    return found
