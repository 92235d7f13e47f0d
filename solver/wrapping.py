"""Where the arithmetic of a rule can leave the 32 bit of ASP's numbers, which would wrap around."""

from collections.abc import Iterator
from typing import Final, assert_never

from lars.formulas import Arithmetic, Comparison, Operation, Operator
from lars.terms import Number, Variable
from solver.asp_terms import Names

GREATEST: Final = 2**30
"""So large that sums of two numbers stay within 32 bit; no time point is greater."""


def can_wrap(comparison: Comparison) -> bool:
    """Whether the arithmetic can leave 32 bit, no variable being known as a time point."""
    sides = (comparison.left, comparison.right)
    return any(_greatest(part, frozenset()) is None for side in sides for part in _operations(side))


def wrapping(side: Arithmetic, names: Names) -> Iterator[str]:
    """Yield ASP conditions one of which is true when an operation's result may leave 32 bit.

    They are true too early rather than too late: an operand above 2^30 is enough.
    """
    for part in _operations(side):
        if _greatest(part, names.natural) is not None:
            continue
        left, right = f"({names.arithmetic(part.left)})", f"({names.arithmetic(part.right)})"
        for operand in (left, right):
            # Times 1, since ASP orders terms that are no numbers too.
            yield f"{operand}*1 > {GREATEST}"
            yield f"{operand}*1 < {-GREATEST}"
        if part.operator is Operator.TIMES:
            yield f"{right}*1 != 0; |{left}| > {GREATEST}/|{right}|"


def _operations(side: Arithmetic) -> Iterator[Operation]:
    if isinstance(side, Operation):
        yield side
        yield from _operations(side.left)
        yield from _operations(side.right)


def _greatest(side: Arithmetic, natural: frozenset[Variable]) -> int | None:
    """Return a bound of the absolute value, None when there is none within 32 bit."""
    match side:
        case Number(value):
            bound: int | None = abs(value)
        case Operation(operator, left, right):
            bound = _combined(operator, _greatest(left, natural), _greatest(right, natural))
        case Variable() if side in natural:
            bound = GREATEST
        case _:
            bound = None
    return bound if bound is not None and bound < 2 * GREATEST else None


def _combined(operator: Operator, left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    match operator:
        case Operator.PLUS | Operator.MINUS:
            return left + right
        case Operator.TIMES:
            return left * right
        case Operator.DIVIDE | Operator.MOD:
            # The remainder is computed by way of a sum with the divisor.
            return left + right
        case _:
            assert_never(operator)
