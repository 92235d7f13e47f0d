"""Which variables a condition needs: those that are bound whenever it is true."""

from typing import Final

from lars.formulas import Call, Expression
from lars.program import variables as named_in
from lars.terms import NULL, Variable

_LENIENT: Final = frozenset(("COALESCE", "IF", "RAND", "UUID", "STRUUID", "BNODE", "NOW", "PRECEDES"))
"""Functions that can have a value though an argument has none."""


def required(condition: Expression, *, value: bool = True) -> frozenset[Variable]:
    """Return variables that are bound in every solution for which the condition is `value`, without error.

    >>> from lars.terms import Literal
    >>> n, m = Variable("n"), Variable("m")
    >>> test = Call("||", (Call("<", (n, m)), Call("!", (Call("=", (n, Literal("a"))),))))
    >>> sorted(required(test))
    [Variable(name='n')]
    """
    match condition:
        case Call("!", (inner,)):
            return required(inner, value=not value)
        case Call("&&" | "||" as operator, parts):
            sides = [required(part, value=value) for part in parts]
            every = (operator == "&&") is value
            return frozenset().union(*sides) if every else frozenset.intersection(*sides)
        case Call("BOUND", (inner,)):
            return named_in(inner) if value else frozenset()
        case Call("IN", (needle, *options)):
            return bound_in(needle) if value or options else frozenset()
        case _:
            return bound_in(condition)


def bound_in(expression: Expression) -> frozenset[Variable]:
    """Return variables that are bound whenever the expression has a value."""
    match expression:
        case Call("!", (inner,)):
            return bound_in(inner)
        case Call("&&" | "||", _):
            return required(expression) & required(expression, value=False)
        case Call("BOUND", _) | Call("IN", _):
            return frozenset()
        case Call("IF", (condition, yes, no)):
            return bound_in(condition) | (bound_in(yes) & bound_in(no))
        case Call(function, _) if function in _LENIENT:
            return frozenset()
        case Call(_, arguments):
            return frozenset().union(*map(bound_in, arguments))
        case _:
            return named_in(expression)


def has_value(expression: Expression) -> bool:
    """Whether the expression has a value in every solution: no error, whatever is unbound.

    >>> from lars.terms import Literal
    >>> has_value(Call("COALESCE", (Variable("x"), Literal("none"))))
    True
    """
    match expression:
        case Variable():
            return False
        case Call("COALESCE", arguments):
            return any(map(has_value, arguments))
        case Call("BOUND", _) | Call("NOW" | "RAND" | "UUID" | "STRUUID", _) | Call("BNODE", ()):
            return True
        case Call():
            return False
        case _:
            return expression != NULL
