"""How many terms tell equal solutions of a pattern apart: the multiplicities of SPARQL as arguments.

A multiset of solutions is a set of solutions with witnesses: the branch of a UNION, the row of a
VALUES, the variables that a projection drops, the property that a negated set let through, which
of two joined sides left a variable unbound. As many tuples as a solution has are its multiplicity,
and joins multiply them by themselves.
"""

from typing import assert_never

from translate.analysis.nullability import nullable
from translate.memory import remember
from translate.model import patterns as algebra
from translate.model.paths import NegatedSet
from translate.model.patterns import Pattern, variables


@remember
def witnesses(pattern: Pattern) -> int:
    """Return how many witnesses a solution of the pattern carries in a multiset."""
    match pattern:
        case algebra.Bgp() | algebra.Group():
            return 0
        case algebra.PathPattern(_, path, _):
            return int(isinstance(path, NegatedSet))
        case algebra.StreamBlock(_, _, inner):
            return witnesses(inner)
        case algebra.Join(left, right) | algebra.LeftJoin(left, right, _):
            return witnesses(left) + witnesses(right) + joins_by_cases(left, right)
        case algebra.Union():
            return 0 if is_cautious(pattern) else 1 + max(witnesses(pattern.left), witnesses(pattern.right))
        case algebra.Minus(inner, _) | algebra.Filter(inner, _) | algebra.Extend(inner, _, _):
            return witnesses(inner)
        case algebra.Graph(name, inner) | algebra.Service(name, inner, _):
            return witnesses(inner) + (name in nullable(inner))
        case algebra.Values(_, rows):
            return int(len(set(rows)) < len(rows))
        case algebra.Select(inner, result, modifiers):
            if modifiers.duplicates is algebra.Duplicates.DISTINCT:
                return 0
            return len(variables(inner) - frozenset(result)) + witnesses(inner)
        case _:
            assert_never(pattern)


def joins_by_cases(left: Pattern, right: Pattern) -> bool:
    """Whether a shared variable can be unbound, so that a joined solution does not tell both its sides."""
    shared = variables(left) & variables(right)
    return bool(shared & (nullable(left) | nullable(right)))


def is_cautious(union: algebra.Union) -> bool:
    """Whether the union is `(STREAM s ω g) UNION g`, which says where g is matched: no match counts twice."""
    return (
        isinstance(union.left, algebra.StreamBlock)
        and isinstance(union.right, algebra.Bgp)
        and union.left.pattern == union.right
    )
