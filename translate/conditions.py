"""FILTER as logic: negation normal form, then ∨ splits the rule and ∧ extends its body.

Source: Lloyd and Topor (1984), as LARS (2015) uses it; De Morgan's laws hold in SPARQL's
three-valued logic, so an atomic condition or its negation is one body literal.
"""

from itertools import product
from typing import Final

from lars.formulas import Call, Expression, Test
from lars.terms import NULL, Variable

Conjunction = tuple[Test, ...]

_LIMIT: Final = 64
"""Beyond so many rules a condition stays one literal, which means the same."""


def disjuncts(condition: Expression, *, value: bool = True) -> tuple[Conjunction, ...]:
    """Return conjunctions of atomic tests, one of which holds iff the condition is `value`.

    >>> a, b = Call("BOUND", (Variable("a"),)), Call("BOUND", (Variable("b"),))
    >>> [" and ".join(map(str, part)) for part in disjuncts(Call("!", (Call("&&", (a, b)),)))]
    ['¬[BOUND(?a)]', '¬[BOUND(?b)]']
    """
    found = _disjuncts(condition, value=value)
    return found if len(found) <= _LIMIT else ((Test(condition, value),),)


def _disjuncts(condition: Expression, *, value: bool) -> tuple[Conjunction, ...]:
    match condition:
        case Call("!", (inner,)):
            return _disjuncts(inner, value=not value)
        case Call("&&" | "||" as operator, (left, right)):
            sides = _disjuncts(left, value=value), _disjuncts(right, value=value)
            if (operator == "||") == value:
                return sides[0] + sides[1]
            if len(sides[0]) * len(sides[1]) > _LIMIT:
                return ((Test(condition, value),),)
            return tuple(one + other for one, other in product(*sides))
        case _:
            return ((Test(condition, value),),)


def unbind(expression: Expression, known: frozenset[Variable]) -> Expression:
    """Return the expression with null for every variable that the pattern can never bind."""
    match expression:
        case Variable() if expression not in known:
            return NULL
        case Call(function, arguments):
            return Call(function, tuple(unbind(argument, known) for argument in arguments))
        case _:
            return expression
