"""Which functions an expression can call, and with how many arguments: what is wrong before any row."""

from collections.abc import Iterator
from typing import Final

from lars.errors import LarsError
from lars.language.formulas import AGGREGATES, Call, Expression
from lars.language.terms import XSD, Variable
from solver.rdf.functions import CASTS, NATIVE
from solver.rdf.geometry import DISTANCES
from solver.rdf.operators import OPERATIONS

_UNARY: Final = (
    *("!", "NEG", "BOUND", "ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC"),
    *("STR", "LANG", "DATATYPE", "ABS", "CEIL", "FLOOR", "ROUND", *(f"<{XSD}{kind}>" for kind in CASTS)),
)
_BINARY: Final = ("=", "!=", "<", "<=", ">", ">=", *OPERATIONS, "SAMETERM", "STRDT")

DEPENDENT: Final[dict[str, tuple[int, int | None]]] = {
    "NOW": (3, 3),
    "RAND": (1, None),
    "UUID": (1, None),
    "STRUUID": (1, None),
    "BNODE": (2, None),
}
"""Functions of SPARQL that depend on more than their arguments, with what a translation adds to these.

NOW(time, origin, unit): a number of the logic, the xsd:dateTime of time 0, the nanoseconds of a time
point (xsd:integer). RAND, UUID, STRUUID(site, *row): which call of the query it is, a literal, and
the solution's terms. BNODE(label, site, *row): null is no label; with one, a plain literal, the node
is that of the label in the row, whatever the site. Null in a row is an unbound variable, no error.
"""

ARITIES: Final[dict[str, tuple[int, int | None]]] = {
    **NATIVE,
    **DEPENDENT,
    **{f"AGGREGATE {function}": (1, None) for function in AGGREGATES},
    **dict.fromkeys(_UNARY, (1, 1)),
    **dict.fromkeys(_BINARY, (2, 2)),
    **dict.fromkeys(("&&", "||"), (2, None)),
    **dict.fromkeys(("IRI", "URI"), (1, 2)),
    **dict.fromkeys(("SUBSTR", "REGEX"), (2, 3)),
    "IN": (1, None),
    "COALESCE": (0, None),
    "IF": (3, 3),
    "REPLACE": (3, 4),
    **dict.fromkeys(DISTANCES, (3, 3)),
    "MILLISECONDS": (2, 2),
    "PRECEDES": (2, 2),
}
"""All functions with the least and the greatest number of arguments (SPARQL 1.1, 19.8, BuiltInCall).

A second argument of IRI is the base, a literal, that a relative text is resolved against. Ours are
MILLISECONDS(time, unit): what a number of the logic is in milliseconds, its unit given as in NOW; and
PRECEDES(one, other): whether one term comes before the other in ORDER BY, a boolean. Null is an
unbound variable there, which precedes every term; of terms of equal value neither precedes.
`AGGREGATE SUM`(separator, *terms), which no text can name for its blank, aggregates one term for each
element; null is an unbound one, no error.
"""

UNSUPPORTED_FUNCTIONS: Final = {
    "NOW": "the clock of the evaluation is no part of the stream",
    "RAND": "two evaluations of one window would differ",
    "UUID": "two evaluations of one window would differ",
    "STRUUID": "two evaluations of one window would differ",
    "BNODE": "it makes a new blank node per solution",
}
"""Functions of SPARQL without a value on their own arguments alone, and why."""


class UnsupportedFunctionError(LarsError):
    """An expression calls a function that has no value on terms alone, or that nobody knows."""

    def __init__(self, function: str) -> None:
        super().__init__(f"function {function}: {UNSUPPORTED_FUNCTIONS.get(function, 'unknown')}")


class ArgumentCountError(LarsError):
    """A call has `found` arguments; its function accepts from `least` to `most` (None: any number)."""

    def __init__(self, function: str, found: int, least: int, most: int | None) -> None:
        accepted = str(least) if least == most else f"{least} or {'more' if most is None else most}"
        super().__init__(f"function {function}: {found} argument{'s' * (found != 1)}, accepted: {accepted}")


def checked_variables(expression: Expression) -> Iterator[Variable]:
    """Yield an expression's variables, in the order of its text.

    UnsupportedFunctionError, ArgumentCountError: the first call that has no value in any row.

    >>> list(checked_variables(Call("STRLEN", (Variable("a"), Variable("b")))))
    Traceback (most recent call last):
    solver.rdf.calls.ArgumentCountError: function STRLEN: 2 arguments, accepted: 1
    """
    match expression:
        case Variable():
            yield expression
        case Call(function, arguments):
            if function not in ARITIES or len(arguments) < DEPENDENT.get(function, (0, None))[0]:
                raise UnsupportedFunctionError(function)
            least, most = ARITIES[function]
            if len(arguments) < least or (most is not None and len(arguments) > most):
                raise ArgumentCountError(function, len(arguments), least, most)
            for argument in arguments:
                yield from checked_variables(argument)
