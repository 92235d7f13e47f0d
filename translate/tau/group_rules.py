"""GROUP BY, and subqueries with their modifiers.

  GROUP BY k, SUM(x)   ans_i(k, v) ← v := SUM(x) of ans_2i(V̄) by k
  SELECT V             ans_i(V̄) ← ans_2i(V̄')                        in a multiset what is dropped is a witness
  LIMIT n OFFSET m     ans_i(V̄) ← ans_2i(V̄, k) among m+1..m+n by k
What an aggregate ranges over is a multiset, whatever the answers are.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import Final

from lars.language.formulas import Aggregation, Among, Call, Expression, Gather, Not, OrderKey, Test
from lars.language.program import Rule
from lars.language.terms import NULL, XSD, Atom, Literal, Term, Variable, substitute
from translate.model.patterns import Duplicates, Extend, Group, Modifiers, Pattern, Select, variables
from translate.tau.node import EmptyGroup, Head, Node, Solution, Tau, in_order, pad, whole

PRECEDES: Final = "PRECEDES"
"""The order of ORDER BY as a function of two terms; no query can name it."""


def group(pattern: Group, head: Head, tau: Tau) -> Iterator[Rule]:
    """Yield the rules of a group: one literal for each aggregate, all of the same solutions."""
    node, inner = head.node, _with_arguments(pattern, head.node)
    child = replace(node.child(0), bag=True)
    yield from tau(inner, whole(inner, child))
    solution = Solution(inner, child).atom()
    keys = tuple(key for key in pattern.keys if key in variables(inner))
    found = tuple(
        Gather(variable, aggregation, solution, (*keys, *node.outer))
        for variable, aggregation in pattern.aggregates
    )
    known = variables(pattern) - (frozenset(pattern.keys) - frozenset(keys))
    if not pattern.keys and found:
        yield from _one_group(pattern, head, found, solution)
    elif keys or node.outer or not found:
        yield head.rule(known, found or (solution,))
    else:
        some = node.atom((), "some")
        yield Rule(some, (solution,))
        yield head.rule(known, (*found, some))


def _with_arguments(pattern: Group, node: Node) -> Pattern:
    # An argument that the pattern never binds is null in each solution.
    inner = pattern.pattern
    for _, aggregation in pattern.aggregates:
        for name in aggregation.arguments:
            if name not in variables(inner) and name not in node.guarded_variables:
                inner = Extend(inner, name, NULL)
    return inner


def _one_group(pattern: Group, head: Head, found: tuple[Gather, ...], solution: Atom) -> Iterator[Rule]:
    # Without GROUP BY there is one group even of nothing, unless the language says otherwise.
    node, known = head.node, variables(pattern)
    if node.empty_group is EmptyGroup.VALUES and not node.outer:
        yield head.rule(known, (*found, *node.exists()))
        return
    some = node.atom((), "some")
    yield Rule(some, (solution,))
    yield head.rule(known, (*found, some))
    if node.empty_group is EmptyGroup.NO_ROW:
        return
    rule = head.rule(known, (*node.nothing(), Not(some)))
    assert isinstance(rule.head, Atom)
    empty = {variable: _of_nothing(aggregation, node) for variable, aggregation in pattern.aggregates}
    yield Rule(substitute(rule.head, empty), rule.body)


def _of_nothing(aggregation: Aggregation, node: Node) -> Term:
    match aggregation.function:
        case "AVG" if node.empty_group is EmptyGroup.UNBOUND_AVERAGE:
            return NULL
        case "COUNT" | "SUM" | "AVG":
            return Literal("0", XSD + "integer")
        case "GROUP_CONCAT":
            return Literal("")
        case _:
            return NULL


def select(pattern: Select, head: Head, tau: Tau) -> Iterator[Rule]:
    """Yield the rules of a subquery; a name that it hides is unbound outside, whoever asks for it there."""
    shown = replace(head, out=tuple(pad(head.out, pattern.result)))
    yield from projection_rules(pattern.pattern, pattern.result, pattern.modifiers, shown, tau)


def projection_rules(
    inner: Pattern, result: tuple[Variable, ...], modifiers: Modifiers, head: Head, tau: Tau
) -> Iterator[Rule]:
    """Yield the rules that derive the head from the solutions of a pattern, after projection and modifiers.

    `head.out` begins with V̄; the variables after it are shown too, if the projection keeps them.
    """
    node = head.node
    shown = in_order(frozenset(result) - frozenset(node.guarded_variables))
    keeps = node.bag and modifiers.duplicates is not Duplicates.DISTINCT
    hidden = (
        in_order(variables(inner) - frozenset(result) - frozenset(node.guarded_variables)) if keeps else ()
    )
    more = tuple(name for name in head.out if isinstance(name, Variable) and name not in shown)
    if not modifiers.slices:
        yield from tau(
            inner,
            Head(
                node, (*head.out, *(hidden if head.keeps_duplicates else ())), keeps and head.keeps_duplicates
            ),
        )
        return
    keys = tuple(dict.fromkeys(k.variable for k in modifiers.order if k.variable in variables(inner)))
    extra = tuple(dict.fromkeys((*more, *(key for key in keys if key not in shown), *hidden)))
    child = replace(node.child(0), bag=node.bag)
    columns = (*shown, *extra)
    yield from tau(inner, Head(child, columns, keeps))
    tags = Solution(inner, child).tags if keeps else ()
    atom = child.atom((*columns, *tags))
    order = tuple(key for key in modifiers.order if key.variable in columns)
    if not keeps and any(key.variable not in shown for key in order):
        yield from _first_ones(atom, shown, order, child)
        atom = Atom(f"{atom.predicate}first", atom.arguments)
    among = Among(atom, order, modifiers.offset, modifiers.limit, node.outer)
    bound = frozenset(columns)
    yield head.rule(bound, (among,), (*hidden, *tags))


def _first_ones(
    atom: Atom, shown: tuple[Variable, ...], order: tuple[OrderKey, ...], child: Node
) -> Iterator[Rule]:
    # In a set each row of V stands once, at its first place in the order.
    keys = [key for key in order if key.variable not in shown]
    others = {key.variable: child.fresh(f"{key.variable.name}_") for key in keys}
    earlier = substitute(atom, others)
    sides: list[Expression] = []
    for number, key in enumerate(keys):
        same = [_same(others[before.variable], before.variable) for before in keys[:number]]
        one, other = others[key.variable], key.variable
        before = Call(PRECEDES, (other, one) if key.descending else (one, other))
        sides.append(reduce(_and, [*same, before]))
    late = Atom(f"{atom.predicate}later", atom.arguments)
    precedes = reduce(lambda one, other: Call("||", (one, other)), sides)
    yield Rule(late, (atom, earlier, Test(precedes)))
    yield Rule(Atom(f"{atom.predicate}first", atom.arguments), (atom, Not(late)))


def _and(one: Expression, other: Expression) -> Expression:
    return Call("&&", (one, other))


def _same(one: Variable, other: Variable) -> Expression:
    less = Call(PRECEDES, (one, other)), Call(PRECEDES, (other, one))
    return _and(Call("!", (less[0],)), Call("!", (less[1],)))
