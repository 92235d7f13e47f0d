"""Arithmetic and relations of the logic on constants: what has no value is in no relation."""

import operator
from collections.abc import Callable
from typing import Final, assert_never

from lars.formulas import Arithmetic, Operation, Operator, Relation
from lars.terms import Binding, Constant, Number, Variable

_RELATIONS: Final[dict[Relation, Callable[[int, int], bool]]] = {
    Relation.LESS: operator.lt,
    Relation.AT_MOST: operator.le,
    Relation.GREATER: operator.gt,
    Relation.AT_LEAST: operator.ge,
}


def value(side: Arithmetic, binding: Binding) -> Constant | None:
    """Return the constant that a side is, or None when arithmetic has no value there."""
    match side:
        case Operation(how, left, right):
            return _computed(how, value(left, binding), value(right, binding))
        case Variable():
            found = binding[side]
            return None if isinstance(found, Variable) else found
        case _:
            return side


def _computed(how: Operator, left: Constant | None, right: Constant | None) -> Number | None:
    if not (isinstance(left, Number) and isinstance(right, Number)):
        return None
    match how:
        case Operator.PLUS:
            return Number(left.value + right.value)
        case Operator.MINUS:
            return Number(left.value - right.value)
        case Operator.TIMES:
            return Number(left.value * right.value)
        case Operator.DIVIDE:
            return Number(left.value // right.value) if right.value else None
        case Operator.MOD:
            return Number(left.value % right.value) if right.value else None
        case _:
            assert_never(how)


def related(left: Constant | None, relation: Relation, right: Constant | None) -> bool:
    """Return whether the relation holds; not without a value, and < > ≤ ≥ on numbers only."""
    if left is None or right is None:
        return False
    if relation in (Relation.EQUAL, Relation.UNEQUAL):
        return (left == right) is (relation is Relation.EQUAL)
    if not (isinstance(left, Number) and isinstance(right, Number)):
        return False
    return _RELATIONS[relation](left.value, right.value)
