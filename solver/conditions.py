"""SPARQL expressions on terms, with errors as the third truth value (SPARQL 1.1, Section 17).

Operators, effective boolean values and whatever depends on a lexical form are computed here, by the
operator mapping of 17.3. pyoxigraph computes the functions on strings and dates; it receives terms
as values, never as query text. Error and unbound are both None, as no operator tells them apart.
"""

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal, DecimalException
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Final

import pyoxigraph as ox

from lars.errors import LarsError
from lars.formulas import Call, Expression
from lars.terms import NULL, XSD, Blank, Constant, Iri, Literal, Variable
from solver.rdf import read_term
from solver.terms import VALUED, Moment, Single, Value, literal, scientific, value

Row = tuple[str | Constant | None, ...]
"""Terms in the order of a condition's variables: N-Triples text, constants, None for unbound."""
_Bound = tuple[Constant | None, ...]
_Truth = Callable[[_Bound], bool | None]
_Result = Callable[[_Bound], Constant | None]
_Numeric = int | Decimal | float

_CACHED: Final = 2**16
_PLAIN: Final = (1e-6, 1e6)  # between them XPath writes a double without an exponent
_EXACT, _DIVISION = Context(prec=20_000), Context(prec=28)
_RANKS: Final[tuple[Any, ...]] = (int, Decimal, Single, float)
_CASTS: Final = ("string", "boolean", "integer", "decimal", "float", "double", "dateTime", "date")
_NATIVE: Final = frozenset(
    (
        *("IRI", "URI", "STRLANG", "STRLEN", "SUBSTR", "UCASE", "LCASE", "STRSTARTS", "STRENDS", "CONTAINS"),
        *(
            "STRBEFORE",
            "STRAFTER",
            "ENCODE_FOR_URI",
            "CONCAT",
            "LANGMATCHES",
            "REGEX",
            "YEAR",
            "MONTH",
            "DAY",
        ),
        *("HOURS", "MINUTES", "SECONDS", "TIMEZONE", "TZ", "MD5", "SHA1", "SHA256", "SHA384", "SHA512"),
    )
)

unsupported_functions: Final = {
    "NOW": "the clock of the evaluation is no part of the stream",
    "RAND": "two evaluations of one window would differ",
    "UUID": "two evaluations of one window would differ",
    "STRUUID": "two evaluations of one window would differ",
    "BNODE": "it makes a new blank node per solution",
}
"""Functions without a value on terms alone, and why: a translation refuses them by name."""


class UnsupportedFunctionError(LarsError):
    """An expression calls a function that has no value on terms alone, or that nobody knows."""

    def __init__(self, function: str) -> None:
        super().__init__(f"function {function}: {unsupported_functions.get(function, 'unknown')}")
        self.function = function


def promoted(left: Value | None, right: Value | None) -> tuple[_Numeric, _Numeric] | None:
    """Return two numbers as numbers of one type (17.3, numeric type promotion); None: not both are."""
    if type(left) not in _RANKS or type(right) not in _RANKS:
        return None
    kind = _RANKS[max(_RANKS.index(type(left)), _RANKS.index(type(right)))]
    return _converted(kind, left), _converted(kind, right)


def _converted(kind: type[_Numeric], number: Any) -> Any:
    try:
        return number if type(number) is kind else kind(number)
    except OverflowError:
        return kind(math.inf if number > 0 else -math.inf)


def equal(left: Constant, right: Constant) -> bool | None:
    """Return whether two terms are `=`: by value where both are known, else as RDFterm-equal.

    Two literals of known types without a common value differ, as does a language-tagged literal
    from every other (W3C test suite, open-eq-08 and date-2); an unknown or ill-typed one is an error.
    """
    one, two = value(left), value(right)
    if numbers := promoted(one, two):
        return numbers[0] == numbers[1]
    if left == right:
        return True
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        return False
    if left.language is not None or right.language is not None:
        return False
    if one is None or two is None:
        return None
    if isinstance(one, Moment) and isinstance(two, Moment) and one.kind == two.kind:
        gap = one.minus(two)
        return None if gap is None else gap == 0
    return type(one) is type(two) and one == two


def ordered(relation: Callable[[Any, Any], bool], left: Constant, right: Constant) -> bool | None:
    """Return `left relation right` for numbers, strings, booleans, dateTimes and dates; else None."""
    one, two = value(left), value(right)
    if numbers := promoted(one, two):
        return relation(*numbers)
    if one is None or type(one) is not type(two):
        return None
    if isinstance(one, Moment) and isinstance(two, Moment):
        gap = one.minus(two) if one.kind == two.kind else None
        return None if gap is None else relation(gap, 0)
    return relation(one, two)


def effective(term: Constant | None) -> bool | None:
    """Return the effective boolean value (17.2.2): false for an ill-typed number or boolean."""
    if not isinstance(term, Literal):
        return None
    if term.language is not None:
        return term.lexical != ""
    number = value(term)
    if number is None:
        return False if term.datatype in VALUED else None
    if isinstance(number, Moment):
        return None
    return bool(number) and number == number  # noqa: PLR0124 - NaN is false


def _arithmetic(function: str, left: Constant, right: Constant) -> Literal | None:
    numbers = promoted(value(left), value(right))
    if numbers is None:
        return None
    one, two = numbers
    if function == "/" and isinstance(one, int):
        one, two = Decimal(one), Decimal(two)
    plain, exact = _OPERATIONS[function]
    try:
        return literal(_converted(type(one), (exact if isinstance(one, Decimal) else plain)(one, two)))
    except DecimalException:
        return None


def _divided(one: float, two: float) -> float:
    if two:
        return one / two
    return math.copysign(math.inf, one) * math.copysign(1, two) if one and not math.isnan(one) else math.nan


_OPERATIONS: Final[dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Decimal]]]] = {
    "+": (operator.add, _EXACT.add),
    "-": (operator.sub, _EXACT.subtract),
    "*": (operator.mul, _EXACT.multiply),
    "/": (_divided, _DIVISION.divide),
}


def _number(term: Constant) -> _Numeric | None:
    number: Any = value(term)
    return number if type(number) in _RANKS else None


def _signed(function: str, term: Constant) -> Literal | None:
    number = _number(term)
    if number is None:
        return None
    if isinstance(number, Decimal):  # abs and - would round it
        return literal(number.copy_abs() if function == "ABS" else number.copy_negate())
    return literal(_converted(type(number), abs(number) if function == "ABS" else -number))


def _rounded(function: Callable[[Fraction], int], term: Constant) -> Literal | None:
    number = _number(term)
    if number is None:
        return None
    if isinstance(number, float) and not math.isfinite(number):
        return literal(number)
    return literal(_converted(type(number), function(Fraction(number))))


def _cast(kind: str, term: Constant) -> Constant | None:
    """Return the term cast to an XSD type (17.5); a text may have blanks around its lexical form."""
    given = value(term)
    if isinstance(term, Iri) and kind == "string":
        return Literal(term.value)
    if isinstance(given, Moment):
        return _native(f"<{XSD}{kind}>", term)
    if isinstance(given, str) and kind != "string" and isinstance(term, Literal):
        read = Literal(given.strip(" \t\r\n"), XSD + kind)
        number = value(read)
        return None if number is None else read if isinstance(number, Moment) else literal(number)
    return None if given is None or kind in ("dateTime", "date") else _as_kind(kind, given)


def _as_kind(kind: str, given: Any) -> Literal | None:
    match kind:
        case "string" if isinstance(given, float) and (not given or _PLAIN[0] <= abs(given) < _PLAIN[1]):
            return Literal(f"{Decimal(scientific(given)).normalize():f}")
        case "string":
            written = literal(given)
            return None if written is None else Literal(written.lexical)
        case "boolean":
            return literal(bool(given) and given == given)  # noqa: PLR0124 - NaN is false
        case "float" | "double":
            return literal(_converted(Single if kind == "float" else float, given))
    if isinstance(given, float) and not math.isfinite(given):
        return None
    exact = Decimal(scientific(given)) if isinstance(given, float) else Decimal(given)
    return literal(int(exact) if kind == "integer" else exact)


def _str(term: Constant) -> Constant | None:
    if isinstance(term, Iri):
        return Literal(term.value)
    return Literal(term.lexical) if isinstance(term, Literal) else None


def _strdt(text: Constant, kind: Constant) -> Constant | None:
    if isinstance(text, Literal) and isinstance(value(text), str) and isinstance(kind, Iri):
        return Literal(text.lexical, kind.value)
    return None


def _replaced(text: Constant, pattern: Constant, by: Constant, *flags: Constant) -> Constant | None:
    """Return REPLACE (17.4.3.15); a pattern that matches the empty text is an error (FORX0003)."""
    if not isinstance(pattern, Literal) or not isinstance(by, Literal):
        return None
    if _native("REGEX", Literal(""), pattern, *flags) != _FALSE:
        return None
    if any(isinstance(flag, Literal) and "q" in flag.lexical for flag in flags):
        return _native("REPLACE", text, pattern, replace(by, lexical=by.lexical.replace("$", "$$")), *flags)
    if not _REPLACEMENT.fullmatch(by.lexical):
        return None
    groups = len(_GROUP.findall(pattern.lexical))
    return _native(
        "REPLACE", text, pattern, replace(by, lexical=_PART.sub(partial(_part, groups), by.lexical)), *flags
    )


def _part(groups: int, found: re.Match[str]) -> str:
    r"""Return XPath's `$12`, `\$` and `\\` in the spelling of pyoxigraph's regular expressions."""
    text = found.group()
    if text[0] == "\\":
        return text.replace("\\$", "$$").replace("\\\\", "\\")
    digits = 1 + max((n for n in range(1, len(text)) if int(text[1 : n + 1]) <= groups), default=1)
    return f"${{{text[1:digits]}}}{text[digits:]}"


_REPLACEMENT = re.compile(r"(?s)(?:[^\\$]|\\[\\$]|\$[0-9])*")
_PART = re.compile(r"\\[\\$]|\$[0-9]+")
_GROUP = re.compile(r"(?<!\\)(?:\\\\)*\((?!\?)")

_STORE = ox.Store()


@lru_cache(maxsize=_CACHED)
def _native(function: str, *arguments: Constant) -> Constant | None:
    names = [ox.Variable(f"a{position}") for position in range(len(arguments))]
    listed = [f"?{name.value}" for name in names]
    query = f"SELECT {' '.join(listed)} ({function}({', '.join(listed)}) AS ?result) {{}}"
    try:
        bound: dict[ox.Variable, Any] = dict(zip(names, map(_handed_over, arguments), strict=True))
    except ValueError:
        return None
    solutions: Any = _STORE.query(query, substitutions=bound)
    (solution,) = solutions
    return _taken_back(solution["result"])


def _handed_over(term: Constant) -> ox.NamedNode | ox.Literal:
    match term:
        case Iri(text):
            return ox.NamedNode(text)
        case Literal(lexical, _, str(language)):
            return ox.Literal(lexical, language=language)
        case Literal(lexical, datatype):
            return ox.Literal(lexical, datatype=ox.NamedNode(datatype))
        case _:
            raise ValueError(term)  # no function on strings or dates has a value on it


def _taken_back(term: Any) -> Constant | None:
    if isinstance(term, ox.NamedNode):
        return Iri(term.value)
    return None if term is None else Literal(term.value, term.datatype.value, term.language)


_TRUE, _FALSE = Literal("true", XSD + "boolean"), Literal("false", XSD + "boolean")
_TRUTHS: Final[dict[str, Callable[..., bool | None]]] = {
    "=": equal,
    "!=": lambda left, right: None if (same := equal(left, right)) is None else not same,
    "<": partial(ordered, operator.lt),
    "<=": partial(ordered, operator.le),
    ">": partial(ordered, operator.gt),
    ">=": partial(ordered, operator.ge),
    "SAMETERM": operator.eq,
    "ISIRI": lambda term: isinstance(term, Iri),
    "ISURI": lambda term: isinstance(term, Iri),
    "ISBLANK": lambda term: isinstance(term, Blank),
    "ISLITERAL": lambda term: isinstance(term, Literal),
    "ISNUMERIC": lambda term: _number(term) is not None,
}
_LOGIC: Final = frozenset(("!", "&&", "||", "IN", "BOUND"))
_RESULTS: Final[dict[str, Callable[..., Constant | None]]] = {
    **{sign: partial(_arithmetic, sign) for sign in _OPERATIONS},
    **{sign: partial(_signed, sign) for sign in ("NEG", "ABS")},
    "CEIL": partial(_rounded, math.ceil),
    "FLOOR": partial(_rounded, math.floor),
    "ROUND": partial(_rounded, lambda number: math.floor(number + Fraction(1, 2))),
    "STR": _str,
    "LANG": lambda term: Literal(term.language or "") if isinstance(term, Literal) else None,
    "DATATYPE": lambda term: Iri(term.datatype) if isinstance(term, Literal) else None,
    "STRDT": _strdt,
    "REPLACE": _replaced,
    **{f"<{XSD}{kind}>": partial(_cast, kind) for kind in _CASTS},
    **{name: partial(_native, name) for name in _NATIVE},
}


def _strict(function: Callable[..., Any], parts: list[_Result]) -> Callable[[_Bound], Any]:
    match parts:
        case (only,):
            return lambda row: None if (term := only(row)) is None else function(term)
        case (first, second):
            return lambda row: (
                None if (one := first(row)) is None or (two := second(row)) is None else function(one, two)
            )
        case _:
            return lambda row: None if None in (terms := [part(row) for part in parts]) else function(*terms)


def _connective(absorbing: bool, parts: list[_Truth]) -> _Truth:
    def truth(row: _Bound) -> bool | None:
        result: bool | None = not absorbing
        for part in parts:
            if (found := part(row)) is absorbing:
                return absorbing
            result = None if found is None else result
        return result

    return truth


def _truth(expression: Expression, place: dict[Variable, int]) -> _Truth:
    """Return the effective boolean value of an expression as a function of a row."""
    match expression:
        case Call("!", (inner,)):
            truth = _truth(inner, place)
            return lambda row: None if (found := truth(row)) is None else not found
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
            return lambda row: effective(result(row))


def _result(expression: Expression, place: dict[Variable, int]) -> _Result:
    """Return the value of an expression as a function of a row."""
    match expression:
        case Variable():
            return operator.itemgetter(place[expression])
        case Call("IF", (condition, yes, no)):
            truth, then, other = _truth(condition, place), _result(yes, place), _result(no, place)
            return lambda row: None if (found := truth(row)) is None else (then if found else other)(row)
        case Call("COALESCE", arguments):
            options = [_result(argument, place) for argument in arguments]
            return lambda row: next((term for option in options if (term := option(row)) is not None), None)
        case Call(function, _) if function in _LOGIC or function in _TRUTHS:
            truth = _truth(expression, place)
            return lambda row: None if (found := truth(row)) is None else _TRUE if found else _FALSE
        case Call(function, arguments) if function in _RESULTS:
            return _strict(_RESULTS[function], [_result(argument, place) for argument in arguments])
        case Call(function, _):
            raise UnsupportedFunctionError(function)
        case _:
            fixed = _constant(expression)
            return lambda _: fixed


def _constant(term: str | Constant | None) -> Constant | None:
    return None if term is None or term == NULL else read_term(term) if isinstance(term, str) else term


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression ready for rows of terms in the order of `variables`; results are cached."""

    variables: tuple[Variable, ...]
    truth: Callable[[Row], bool | None]
    result: Callable[[Row], Constant | None]


@lru_cache(maxsize=1024)
def compiled(expression: Expression) -> Condition:
    """Return the expression as functions of a row; UnsupportedFunctionError names an unknown function.

    >>> compiled(Call("<", (Variable("a"), Variable("b")))).variables
    (Variable(name='a'), Variable(name='b'))
    """
    variables = tuple(dict.fromkeys(_variables(expression)))
    place = {variable: position for position, variable in enumerate(variables)}
    truth, result = _truth(expression, place), _result(expression, place)

    @lru_cache(maxsize=_CACHED)
    def cached_truth(row: Row) -> bool | None:
        return truth(tuple(map(_constant, row)))

    @lru_cache(maxsize=_CACHED)
    def cached_result(row: Row) -> Constant | None:
        return result(tuple(map(_constant, row)))

    return Condition(variables, cached_truth, cached_result)


def _variables(expression: Expression) -> Iterator[Variable]:
    if isinstance(expression, Variable):
        yield expression
    elif isinstance(expression, Call):
        for argument in expression.arguments:
            yield from _variables(argument)


Binding = Mapping[Variable, str | Constant | None]


def test(expression: Expression, value: bool, binding: Binding) -> bool:
    """Return whether the effective boolean value is `value`, without error.

    >>> test(Call(">", (Variable("n"), Literal("9", XSD + "integer"))), True, {Variable("n"): '"a"'})
    False
    """
    condition = compiled(expression)
    return condition.truth(tuple(map(binding.get, condition.variables))) is value


def test_all(expression: Expression, value: bool, rows: Sequence[Row]) -> list[bool]:
    """Return `test` of each row; a row's terms are in the order of `compiled(expression).variables`."""
    truth = compiled(expression).truth
    return [truth(row) is value for row in rows]


def evaluate(expression: Expression, binding: Binding) -> Constant | None:
    """Return the value of an expression, None where it is an error or unbound (BIND).

    >>> n = Variable("n")
    >>> print(evaluate(Call("+", (n, n)), {n: Literal("01", XSD + "byte")}))
    "2"^^<http://www.w3.org/2001/XMLSchema#integer>
    """
    condition = compiled(expression)
    return condition.result(tuple(map(binding.get, condition.variables)))
