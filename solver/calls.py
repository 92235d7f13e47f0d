"""Which functions an expression can call, and with how many arguments: what is wrong before any row."""

from collections.abc import Iterator
from typing import Final

from lars.errors import LarsError
from lars.formulas import Call, Expression
from lars.terms import XSD, Variable
from solver.functions import NATIVE
from solver.operators import CASTS, OPERATIONS

_UNARY: Final = (
    *("!", "NEG", "BOUND", "ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC"),
    *("STR", "LANG", "DATATYPE", "ABS", "CEIL", "FLOOR", "ROUND", *(f"<{XSD}{kind}>" for kind in CASTS)),
)
_BINARY: Final = ("=", "!=", "<", "<=", ">", ">=", *OPERATIONS, "SAMETERM", "STRDT")

ARITIES: Final[dict[str, tuple[int, int | None]]] = {
    **NATIVE,
    **dict.fromkeys(_UNARY, (1, 1)),
    **dict.fromkeys(_BINARY, (2, 2)),
    **dict.fromkeys(("&&", "||"), (2, None)),
    "IN": (1, None),
    "COALESCE": (0, None),
    "IF": (3, 3),
    "REPLACE": (3, 4),
}
"""All functions with the least and the greatest number of arguments (SPARQL 1.1, 19.8, BuiltInCall)."""

unsupported_functions: Final = {
    "NOW": "the clock of the evaluation is no part of the stream",
    "RAND": "two evaluations of one window would differ",
    "UUID": "two evaluations of one window would differ",
    "STRUUID": "two evaluations of one window would differ",
    "BNODE": "it makes a new blank node per solution",
}
"""Functions of SPARQL without a value on terms alone, and why."""


class UnsupportedFunctionError(LarsError):
    """An expression calls a function that has no value on terms alone, or that nobody knows."""

    def __init__(self, function: str) -> None:
        super().__init__(f"function {function}: {unsupported_functions.get(function, 'unknown')}")
        self.function = function


class ArgumentCountError(LarsError):
    """A call has `found` arguments; its function accepts from `least` to `most` (None: any number)."""

    def __init__(self, function: str, found: int, least: int, most: int | None) -> None:
        accepted = str(least) if least == most else f"{least} or {'more' if most is None else most}"
        super().__init__(f"function {function}: {found} argument{'s' * (found != 1)}, accepted: {accepted}")
        self.function = function


def checked(expression: Expression) -> Iterator[Variable]:
    """Yield an expression's variables, in the order of its text.

    UnsupportedFunctionError, ArgumentCountError: the first call that has no value in any row.

    >>> list(checked(Call("STRLEN", (Variable("a"), Variable("b")))))
    Traceback (most recent call last):
    solver.calls.ArgumentCountError: function STRLEN: 2 arguments, accepted: 1
    """
    match expression:
        case Variable():
            yield expression
        case Call(function, arguments):
            if function not in ARITIES:
                raise UnsupportedFunctionError(function)
            least, most = ARITIES[function]
            if len(arguments) < least or (most is not None and len(arguments) > most):
                raise ArgumentCountError(function, len(arguments), least, most)
            for argument in arguments:
                yield from checked(argument)
