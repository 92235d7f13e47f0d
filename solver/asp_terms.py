"""Terms, arithmetic and comparisons of one LARS rule as ASP text, and the names of its variables."""

import re
from typing import Final

from lars.formulas import Arithmetic, Comparison, Operation, Operator, Relation
from lars.terms import Atom, Number, Term, Variable
from solver.terms import written

_PLAIN: Final = re.compile(r"[A-Za-z0-9_]+")


class Names:
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
            return written(term)
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
            case Operation(Operator.MOD, left, Number(value)) if left in self.natural and value > 0:
                return f"{self.arithmetic(left)}\\{value}"
            case Operation(Operator.MOD, left, right):
                return _remainder(self.arithmetic(left), self.arithmetic(right))
            case Operation(Operator.DIVIDE, left, right):
                # ASP divides towards zero; without its remainder a number divides exactly.
                one, other = self.arithmetic(left), self.arithmetic(right)
                return f"((({one})-{_remainder(one, other)})/({other}))"
            case Operation(operator, left, right):
                return f"({self.arithmetic(left)}{operator.value}{self.arithmetic(right)})"
            case _:
                return self.term(side)


def _remainder(left: str, right: str) -> str:
    return f"(((({left})\\({right}))+({right}))\\({right}))"


def comparison(condition: Comparison, names: Names) -> str:
    """Return a comparison; <, <=, >, >= hold between numbers only, though ASP orders all terms."""
    left, right = names.arithmetic(condition.left), names.arithmetic(condition.right)
    if condition.relation not in (Relation.EQUAL, Relation.UNEQUAL):
        left, right = f"{left}*1", f"{right}*1"
    return f"{left} {condition.relation.value} {right}"
