"""Terms, arithmetic and comparisons of one LARS rule as ASP text, and where they can leave ASP's 32 bit."""

import re
from collections.abc import Iterator
from typing import Final, assert_never

from lars.language.formulas import Arithmetic, ArithmeticOperator, Comparison, Operation, Relation
from lars.language.terms import Atom, Number, Term, Variable
from solver.pointwise.symbols import asp_text

_PLAIN: Final = re.compile(r"[A-Za-z0-9_]+")


class RuleNames:
    """ASP variables for a rule's variables, and fresh ones that clash with none of them.

    `natural` are those known to be time points, for which ASP's remainder is that of the logic.
    """

    def __init__(self, natural: frozenset[Variable] = frozenset()) -> None:
        self.natural = natural
        self._odd: dict[Variable, str] = {}
        self._fresh = 0

    def term(self, term: Term) -> str:
        """Return the ASP text of a term."""
        if not isinstance(term, Variable):
            return asp_text(term)
        if _PLAIN.fullmatch(term.name):
            return f"V{term.name}"
        return self._odd.setdefault(term, f"O{len(self._odd)}")

    def terms(self, atom: Atom) -> list[str]:
        """Return the ASP texts of an atom's arguments."""
        return [self.term(argument) for argument in atom.arguments]

    def fresh(self) -> str:
        """Return the number that makes A, B, U names of one literal its own."""
        self._fresh += 1
        return str(self._fresh)

    def arithmetic(self, side: Arithmetic) -> str:
        """Return integer arithmetic as ASP writes it; mod is that of floor division."""
        match side:
            case Operation(ArithmeticOperator.MOD, left, Number(value)) if left in self.natural and value > 0:
                return f"{self.arithmetic(left)}\\{value}"
            case Operation(ArithmeticOperator.MOD, left, right):
                return _remainder(self.arithmetic(left), self.arithmetic(right))
            case Operation(ArithmeticOperator.DIVIDE, left, right):
                # ASP divides towards zero; without its remainder a number divides exactly.
                one, other = self.arithmetic(left), self.arithmetic(right)
                return f"((({one})-{_remainder(one, other)})/({other}))"
            case Operation(operator, left, right):
                return f"({self.arithmetic(left)}{operator.value}{self.arithmetic(right)})"
            case _:
                return self.term(side)


def _remainder(left: str, right: str) -> str:
    return f"(((({left})\\({right}))+({right}))\\({right}))"


def comparison(condition: Comparison, names: RuleNames) -> str:
    """Return a comparison; <, <=, >, >= hold between numbers only, though ASP orders all terms."""
    left, right = names.arithmetic(condition.left), names.arithmetic(condition.right)
    if condition.relation not in (Relation.EQUAL, Relation.UNEQUAL):
        left, right = f"{left}*1", f"{right}*1"
    return f"{left} {condition.relation.value} {right}"


GREATEST: Final = 2**30
"""So large that sums of two numbers stay within 32 bit; no time point is greater."""


def wrapping(side: Arithmetic, names: RuleNames) -> Iterator[str]:
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
        if part.operator is ArithmeticOperator.TIMES:
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


def _combined(operator: ArithmeticOperator, left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    match operator:
        case ArithmeticOperator.TIMES:
            return left * right
        case (
            ArithmeticOperator.PLUS
            | ArithmeticOperator.MINUS
            | ArithmeticOperator.DIVIDE
            | ArithmeticOperator.MOD
        ):
            # The remainder is computed by way of a sum with the divisor.
            return left + right
        case _:
            assert_never(operator)
