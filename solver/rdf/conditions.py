"""SPARQL expressions on terms, with error as the third truth value (SPARQL 1.1, Section 17).

The calls and arities of an expression are checked once. After the check, the expression is compiled, and
evaluated for rows. `values` and `functions` compute the values of calls. Error and unbound are both None,
since no operator distinguishes them.
"""

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import Final, TypeVar

from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.formulas import AGGREGATES, Call, Expression
from lars.language.terms import NULL, XSD, Blank, Constant, Iri, Literal, TripleTerm, Variable
from solver.rdf import functions
from solver.rdf.aggregates import aggregate_of, order_key
from solver.rdf.functions import (
    CASTS,
    DISTANCES,
    NATIVE,
    cast,
    directed,
    distance,
    matches,
    native,
    replace_matches,
    resolve,
    substring,
)
from solver.rdf.terms import read_term, triple_term
from solver.rdf.values import (
    FALSE,
    OPERATIONS,
    TRUE,
    absolute_or_negated,
    arithmetic,
    as_text,
    compare,
    effective_boolean,
    equal,
    numeric,
    round_number,
    strict_boolean,
    typed_literal,
)

_UNARY: Final = (
    *("!", "NEG", "BOUND", "ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC"),
    *("ISTRIPLE", "SUBJECT", "PREDICATE", "OBJECT", "HASLANG", "LANGDIR", "HASLANGDIR"),
    *(
        "EBV",
        "STR",
        "LANG",
        "DATATYPE",
        "ABS",
        "CEIL",
        "FLOOR",
        "ROUND",
        *(f"<{XSD}{kind}>" for kind in CASTS),
    ),
)
_BINARY: Final = ("=", "!=", "<", "<=", ">", ">=", *OPERATIONS, "SAMETERM", "STRDT")

DEPENDENT: Final[dict[str, tuple[int, int | None]]] = {
    "NOW": (3, 3),
    "RAND": (1, None),
    "UUID": (1, None),
    "STRUUID": (1, None),
    "BNODE": (2, None),
}
"""SPARQL functions that depend on more than their arguments, with the arguments that the translation adds.

NOW(time, origin, unit): `time` is a number of the program, `origin` is the xsd:dateTime of time 0, and `unit`
is the number of nanoseconds in a time point (xsd:integer). RAND, UUID, STRUUID(site, *row): `site` is a
literal that identifies the call in the query, and `row` has the terms of the solution. BNODE(label, site,
*row): `label` is a plain literal, or null for a call without a label. Calls with the same label in a row
return the same node at all sites. Null in a row is an unbound variable and not an error.
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
    **dict.fromkeys(("IF", "TRIPLE", "STRLANGDIR"), (3, 3)),
    "REPLACE": (3, 4),
    **dict.fromkeys(DISTANCES, (3, 3)),
    "MILLISECONDS": (2, 2),
    "PRECEDES": (2, 2),
}
"""All functions with the minimum and the maximum number of arguments (SPARQL 1.1, 19.8, BuiltInCall).

A second argument of IRI is a literal with the base for relative IRIs. Four functions are not in SPARQL 1.1.
MILLISECONDS(time, unit) returns a number of the program in milliseconds; `unit` is as in NOW. PRECEDES(one,
other) returns whether `one` comes before `other` in ORDER BY. For PRECEDES, null is an unbound variable,
which precedes every term, and two terms of equal value do not precede each other. EBV returns the effective
boolean value of SPARQL 1.2, which all conditions with other values than booleans use. `AGGREGATE
SUM`(separator, *terms) aggregates one term for each element; null is an unbound term and not an error.
Queries cannot call `AGGREGATE SUM`, because its name has a blank.
"""

UNSUPPORTED_FUNCTIONS: Final = {
    "NOW": "the stream does not contain the clock of the evaluation",
    "RAND": "two evaluations of the same window would differ",
    "UUID": "two evaluations of the same window would differ",
    "STRUUID": "two evaluations of the same window would differ",
    "BNODE": "the function makes a new blank node for each solution",
}
"""SPARQL functions whose arguments do not determine their values, with the reasons for rejection."""


def checked_variables(expression: Expression) -> Iterator[Variable]:
    """Yield the variables of an expression, in the order of its text.

    Raises:
        LarsError: A call is always an error, such as a call with too many arguments.

    >>> list(checked_variables(Call("STRLEN", (Variable("a"), Variable("b")))))
    Traceback (most recent call last):
    lars.errors.LarsError: function STRLEN: found 2 arguments; expected 1
    """
    match expression:
        case Variable():
            yield expression
        case Call(function, arguments):
            if function not in ARITIES or len(arguments) < DEPENDENT.get(function, (0, None))[0]:
                problem = UNSUPPORTED_FUNCTIONS.get(function, "unknown")
                raise LarsError(f"function {function}: {problem}")
            least, most = ARITIES[function]
            if len(arguments) < least or (most is not None and len(arguments) > most):
                accepted = str(least) if least == most else f"{least} or {most or 'more'}"
                plural = "s" * (len(arguments) != 1)
                raise LarsError(
                    f"function {function}: found {len(arguments)} argument{plural}; expected {accepted}"
                )
            for argument in arguments:
                yield from checked_variables(argument)


Row = tuple[str | Constant | None, ...]
"""The terms of a condition's variables: N-Triples text, constants, or None for an unbound variable."""
_Bound = tuple[Constant | None, ...]
_Truth = Callable[[_Bound], bool | None]
_Result = Callable[[_Bound], Constant | None]

_Given = TypeVar("_Given")
_CACHED: Final = 2**16

_TRUTHS: Final[dict[str, Callable[..., bool | None]]] = {
    "=": equal,
    "!=": lambda left, right: None if (same := equal(left, right)) is None else not same,
    "<": partial(compare, operator.lt),
    "<=": partial(compare, operator.le),
    ">": partial(compare, operator.gt),
    ">=": partial(compare, operator.ge),
    "SAMETERM": operator.eq,
    "ISIRI": lambda term: isinstance(term, Iri),
    "ISURI": lambda term: isinstance(term, Iri),
    "ISBLANK": lambda term: isinstance(term, Blank),
    "ISLITERAL": lambda term: isinstance(term, Literal),
    "ISNUMERIC": lambda term: numeric(term) is not None,
    "ISTRIPLE": lambda term: isinstance(term, TripleTerm),
    "HASLANG": lambda term: isinstance(term, Literal) and term.language is not None,
    "HASLANGDIR": lambda term: isinstance(term, Literal) and term.direction != "",
}
_LOGIC: Final = frozenset(("!", "&&", "||", "IN", "BOUND"))
_RESULTS: Final[dict[str, Callable[..., Constant | None]]] = {
    **{sign: partial(arithmetic, sign) for sign in OPERATIONS},
    **{sign: partial(absolute_or_negated, sign) for sign in ("NEG", "ABS")},
    "CEIL": partial(round_number, math.ceil),
    "FLOOR": partial(round_number, math.floor),
    "ROUND": partial(round_number, lambda number: math.floor(number + Fraction(1, 2))),
    "STR": as_text,
    "EBV": strict_boolean,
    "LANG": lambda term: (
        Literal((term.language or "").partition("--")[0]) if isinstance(term, Literal) else None
    ),
    "LANGDIR": lambda term: Literal(term.direction) if isinstance(term, Literal) else None,
    "STRLANGDIR": directed,
    "TRIPLE": triple_term,
    **{
        function: lambda term, part=part: getattr(term, part) if isinstance(term, TripleTerm) else None
        for function, part in (("SUBJECT", "subject"), ("PREDICATE", "predicate"), ("OBJECT", "object"))
    },
    "DATATYPE": lambda term: Iri(term.datatype) if isinstance(term, Literal) else None,
    "STRDT": typed_literal,
    **dict.fromkeys(DISTANCES, distance),
    "IRI": resolve,
    "URI": resolve,
    "SUBSTR": substring,
    "REGEX": matches,
    "REPLACE": replace_matches,
    **{f"<{XSD}{kind}>": partial(cast, kind) for kind in CASTS},
    **{name: partial(native, name) for name in NATIVE},
}


def _aggregated(function: str, separator: Constant | None, *terms: Constant | None) -> Constant | None:
    assert isinstance(separator, Literal)
    return aggregate_of(function, separator.lexical, *terms)


_LENIENT: Final[dict[str, Callable[..., Constant | None]]] = {
    "NOW": functions.now,
    "MILLISECONDS": functions.milliseconds,
    "RAND": functions.rand,
    "UUID": functions.uuid_iri,
    "STRUUID": functions.uuid_text,
    "BNODE": functions.blank_node,
    "PRECEDES": lambda left, right: TRUE if order_key(left) < order_key(right) else FALSE,
    **{f"AGGREGATE {function}": partial(_aggregated, function) for function in AGGREGATES},
}
"""The functions that accept unbound arguments; for these functions null is a value and not an error."""


def _strict(
    function: Callable[..., _Given | None], parts: list[_Result]
) -> Callable[[_Bound], _Given | None]:
    match parts:
        case (only,):
            return lambda row: None if (term := only(row)) is None else function(term)
        case (first, second):
            return lambda row: (
                None if (term := first(row)) is None or (two := second(row)) is None else function(term, two)
            )
        case _:
            return lambda row: None if None in (terms := [part(row) for part in parts]) else function(*terms)


def _connective(absorbing: bool, parts: list[_Truth]) -> _Truth:
    def truth(row: _Bound) -> bool | None:
        result: bool | None = not absorbing
        for part in parts:
            if (value := part(row)) is absorbing:
                return absorbing
            result = None if value is None else result
        return result

    return truth


def _truth(expression: Expression, place: dict[Variable, int]) -> _Truth:
    """Return a function that computes the effective boolean value of an expression for a row of terms."""
    match expression:
        case Call("!", (inner,)):
            truth = _truth(inner, place)
            return lambda row: None if (value := truth(row)) is None else not value
        case Call("&&" | "||" as sign, parts):
            return _connective(sign == "||", [_truth(part, place) for part in parts])
        case Call("IN", (needle, *options)):
            return _connective(True, [_truth(Call("=", (needle, option)), place) for option in options])
        case Call("BOUND", (inner,)):
            result = _result(inner, place)
            return lambda row: result(row) is not None
        case Call(function, arguments) if function in _TRUTHS:
            return _strict(_TRUTHS[function], [_result(argument, place) for argument in arguments])
        case _:
            result = _result(expression, place)
            return lambda row: effective_boolean(result(row))


def _result(expression: Expression, place: dict[Variable, int]) -> _Result:
    """Return a function that computes the value of an expression for a row of terms."""
    match expression:
        case Variable():
            return operator.itemgetter(place[expression])
        case Call("IF", (condition, yes, no)):
            truth, then, other = _truth(condition, place), _result(yes, place), _result(no, place)
            return lambda row: None if (value := truth(row)) is None else (then if value else other)(row)
        case Call("COALESCE", arguments):
            options = [_result(argument, place) for argument in arguments]
            return lambda row: next((term for option in options if (term := option(row)) is not None), None)
        case Call(function, _) if function in _LOGIC or function in _TRUTHS:
            truth = _truth(expression, place)
            return lambda row: None if (value := truth(row)) is None else TRUE if value else FALSE
        case Call(function, arguments) if function in _LENIENT:
            computed, parts = _LENIENT[function], [_result(argument, place) for argument in arguments]
            return lambda row: computed(*(part(row) for part in parts))
        case Call(function, arguments):
            return _strict(_RESULTS[function], [_result(argument, place) for argument in arguments])
        case _:
            fixed = _constant(expression)
            return lambda _: fixed


def _constant(term: str | Constant | None) -> Constant | None:
    return None if term is None or term == NULL else read_term(term) if isinstance(term, str) else term


@dataclass(frozen=True, slots=True)
class Condition:
    """A compiled SPARQL expression, for rows with one term for each of its `variables`; results are cached.

    - `truth` returns the effective boolean value for a row, or None for an error.
    - `result` returns the value for a row, or None for an error.
    """

    variables: tuple[Variable, ...]
    truth: Callable[[Row], bool | None]
    result: Callable[[Row], Constant | None]


@lru_cache(maxsize=1024)
def compile_condition(expression: Expression) -> Condition:
    """Compile a SPARQL expression into functions whose argument is a row of terms.

    Raises:
        LarsError: A call in the expression is always an error.

    >>> compile_condition(Call("<", (Variable("a"), Variable("b")))).variables
    (Variable(name='a'), Variable(name='b'))
    """
    variables = tuple(dict.fromkeys(checked_variables(expression)))
    place = {variable: position for position, variable in enumerate(variables)}
    truth, result = _truth(expression, place), _result(expression, place)

    @lru_cache(maxsize=_CACHED)
    def cached_truth(row: Row) -> bool | None:
        return truth(tuple(map(_constant, row)))

    @lru_cache(maxsize=_CACHED)
    def cached_result(row: Row) -> Constant | None:
        return result(tuple(map(_constant, row)))

    return Condition(variables, cached_truth, cached_result)


Binding = Mapping[Variable, str | Constant | None]


def test(expression: Expression, value: bool, binding: Binding) -> bool:
    """Return whether the effective boolean value of an expression is `value`; an error gives False.

    >>> test(Call(">", (Variable("n"), Literal("9", XSD + "integer"))), True, {Variable("n"): '"a"'})
    False
    """
    condition = compile_condition(expression)
    return condition.truth(tuple(map(binding.get, condition.variables))) is value


def evaluate(expression: Expression, binding: Binding) -> Constant | None:
    """Return the value of an expression under a binding; None if the value is an error or unbound.

    >>> n = Variable("n")
    >>> print(evaluate(Call("+", (n, n)), {n: Literal("01", XSD + "byte")}))
    "2"^^<http://www.w3.org/2001/XMLSchema#integer>
    """
    condition = compile_condition(expression)
    return condition.result(tuple(map(binding.get, condition.variables)))
