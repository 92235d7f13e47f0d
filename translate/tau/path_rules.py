"""Property paths that are no patterns: repetitions and negated sets (SPARQL 1.1, 18.4).

  s path* o   ans_i ← reach_i(s, o)       ans_i ← node_i(s), s = o
              reach_i(X, Y) ← step(X, Y)     reach_i(X, Z) ← reach_i(X, Y), step(Y, Z)
  s !(p|q) o  ans_i ← triple(s, P, o, g), P != p, P != q
A repetition connects two nodes once, however many ways there are. Zero steps connect every node
of the graph with itself, and an end that is a constant though it is in no triple.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from lars.language.formulas import BodyLiteral, Comparison, Relation
from lars.language.program import Rule
from lars.language.terms import Atom, Term, Variable, substitute
from translate.analysis import path_pattern
from translate.model.patterns import NegatedSet, PathPattern, RepeatedPath, Repetition, can_stay, variables
from translate.tau.node import Head, Node, Tau

_ENDS: Final = (Variable("_from"), Variable("_to"))


def walk(pattern: PathPattern, head: Head, tau: Tau) -> Iterator[Rule]:
    """Yield the rules of a path that is a repetition or a negated set in one direction."""
    match pattern.path:
        case NegatedSet():
            yield _negated(pattern, pattern.path, head)
        case RepeatedPath():
            yield from _repeated(pattern, pattern.path, head, tau)
        case _:
            raise AssertionError(pattern)


def _negated(pattern: PathPattern, path: NegatedSet, head: Head) -> Rule:
    node = head.node
    step = node.fresh("P")
    ends = (pattern.subject, pattern.object)
    subject, object_ = reversed(ends) if path.backward else ends
    others = (Comparison(step, Relation.UNEQUAL, iri) for iri in (*path.forward, *path.backward))
    body = (node.edge(subject, step, object_), *others, *node.guard)
    return head.rule(variables(pattern), body, (step,) if node.bag else ())


def _repeated(pattern: PathPattern, path: RepeatedPath, head: Head, tau: Tau) -> Iterator[Rule]:
    node = head.node
    ends = tuple(node.fresh(variable.name) for variable in _ENDS)
    inner = path_pattern(ends[0], path.path, ends[1], _between(node))
    below = replace(node.part("p"), guarded_variables=(), guard=(), bag=False)
    yield from tau(inner, Head(below, ends, keeps_duplicates=False))
    known, often = variables(pattern), path.multiplicity
    if often is Repetition.ONE_OR_MORE and can_stay(path.path):
        often = Repetition.ZERO_OR_MORE
    if often is Repetition.ZERO_OR_ONE:
        step = below.atom((pattern.subject, pattern.object))
        yield head.rule(known, (step, *node.guard))
    else:
        yield from _closure(pattern, below)
        reached = below.atom((pattern.subject, pattern.object), "reach")
        yield head.rule(known, (reached, *node.guard))
    if often is not Repetition.ONE_OR_MORE:
        yield from _nothing(pattern, below, head)


def _between(node: Node) -> Iterator[Variable]:
    number = 0
    while True:
        yield node.fresh(f"_p{number}")
        number += 1


def _closure(pattern: PathPattern, below: Node) -> Iterator[Rule]:
    # From a constant end only what is reached from there is derived.
    def reach(start: Term, end: Term) -> Atom:
        return below.atom((start, end), "reach")

    subject, object_ = pattern.subject, pattern.object
    x, y, z = map(below.fresh, "XYZ")
    if isinstance(subject, Variable) and not isinstance(object_, Variable):
        yield Rule(reach(x, object_), (below.atom((x, object_)),))
        yield Rule(reach(x, object_), (below.atom((x, y)), reach(y, object_)))
        return
    start = x if isinstance(subject, Variable) else subject
    yield Rule(reach(start, y), (below.atom((start, y)),))
    yield Rule(reach(start, z), (reach(start, y), below.atom((y, z))))


def _nothing(pattern: PathPattern, below: Node, head: Head) -> Iterator[Rule]:
    """Yield the rules for no step at all: both ends are one term."""
    node, subject, object_ = head.node, pattern.subject, pattern.object
    fixed = frozenset(node.guarded_variables)
    bound = [end for end in (subject, object_) if not isinstance(end, Variable) or end in fixed]
    body: tuple[BodyLiteral, ...] = node.nothing()
    if not bound:
        yield from _nodes(below)
        assert isinstance(subject, Variable)
        body = (below.atom((subject,), "node"), *node.guard)
    elif len(bound) > 1 and subject != object_:
        if not fixed & {subject, object_}:
            return
        body = (*body, Comparison(subject, Relation.EQUAL, object_))
    term = bound[0] if bound else subject
    rule = head.rule(variables(pattern), body)
    assert isinstance(rule.head, Atom)
    same = {end: term for end in (subject, object_) if isinstance(end, Variable) and end not in fixed}
    yield Rule(substitute(rule.head, same), rule.body)


def _nodes(below: Node) -> Iterator[Rule]:
    subject, step, object_ = map(below.fresh, "XPY")
    for end in (subject, object_):
        yield Rule(below.atom((end,), "node"), (below.edge(subject, step, object_),))
