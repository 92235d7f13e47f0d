"""Operators of SPARQL on terms, and whatever depends on a lexical form (SPARQL 1.1, Section 17.3).

Relations, arithmetic, rounding, STR and STRDT, by the operator mapping of 17.3. None is an
error: no operator tells it from unbound.
"""

import math
import operator
from collections.abc import Callable, Iterable
from decimal import Context, Decimal, DecimalException
from fractions import Fraction
from typing import Any, Final

from lars.language.terms import Constant, Iri, Literal
from solver.rdf.values import VALUED, Moment, Single, Value, literal, value

_Numeric = int | Decimal | float

EXACT, _DIVISION = Context(prec=20_000), Context(prec=28)
_RANKS: Final[tuple[type[_Numeric], ...]] = (int, Decimal, Single, float)


def promote(left: Value | None, right: Value | None) -> tuple[_Numeric, _Numeric] | None:
    """Return two numbers as numbers of one type (17.3, numeric type promotion); None: not both are."""
    if type(left) not in _RANKS or type(right) not in _RANKS:
        return None
    kind = _RANKS[max(_RANKS.index(type(left)), _RANKS.index(type(right)))]
    return convert(kind, left), convert(kind, right)


def common_type(numbers: Iterable[_Numeric]) -> type[_Numeric]:
    """Return the type that all the numbers can be promoted to: int, Decimal, Single or float."""
    kind: type[_Numeric] = _RANKS[max((_RANKS.index(type(number)) for number in numbers), default=0)]
    return kind


def convert(kind: type[_Numeric], number: Any) -> Any:
    """Return a number as one of another type, the nearest; beyond its range, an infinity."""
    # Any: that two promoted numbers have one type is known where they are promoted, and to no type.
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
    if numbers := promote(one, two):
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


def compare(relation: Callable[[Any, Any], bool], left: Constant, right: Constant) -> bool | None:
    """Return `left relation right` for numbers, strings, booleans, dateTimes, dates and times; else None."""
    one, two = value(left), value(right)
    if numbers := promote(one, two):
        return relation(*numbers)
    if one is None or type(one) is not type(two):
        return None
    if isinstance(one, Moment) and isinstance(two, Moment):
        gap = one.minus(two) if one.kind == two.kind else None
        return None if gap is None else relation(gap, 0)
    return relation(one, two)


def effective_boolean(term: Constant | None) -> bool | None:
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


def arithmetic(function: str, left: Constant, right: Constant) -> Literal | None:
    """Return `left function right` for `+`, `-`, `*` or `/`; integers are divided as decimals."""
    numbers = promote(value(left), value(right))
    if numbers is None:
        return None
    one, two = numbers
    if function == "/" and isinstance(one, int):
        one, two = Decimal(one), Decimal(two)
    plain, exact = OPERATIONS[function]
    try:
        return literal(convert(type(one), (exact if isinstance(one, Decimal) else plain)(one, two)))
    except DecimalException:
        return None


def _divided(one: float, two: float) -> float:
    if two:
        return one / two
    return math.copysign(math.inf, one) * math.copysign(1, two) if one and not math.isnan(one) else math.nan


OPERATIONS: Final[dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Decimal]]]] = {
    "+": (operator.add, EXACT.add),
    "-": (operator.sub, EXACT.subtract),
    "*": (operator.mul, EXACT.multiply),
    "/": (_divided, _DIVISION.divide),
}
"""The signs of `arithmetic`: on integers and doubles, on decimals."""


def numeric(term: Constant) -> _Numeric | None:
    """Return the number that a term denotes; None: it is none."""
    number = value(term)
    return number if isinstance(number, int | Decimal | float) and not isinstance(number, bool) else None


def absolute_or_negated(function: str, term: Constant) -> Literal | None:
    """Return ABS or NEG (unary minus) of a number."""
    number = numeric(term)
    if number is None:
        return None
    if isinstance(number, Decimal):  # abs and - would round it
        return literal(number.copy_abs() if function == "ABS" else number.copy_negate())
    return literal(convert(type(number), abs(number) if function == "ABS" else -number))


def round_number(function: Callable[[Fraction], int], term: Constant) -> Literal | None:
    """Return a number rounded by `function`, in its own type."""
    number = numeric(term)
    if number is None:
        return None
    if isinstance(number, float) and not math.isfinite(number):
        return literal(number)
    found = convert(type(number), function(Fraction(number)))
    return literal(type(number)(math.copysign(found, number)) if isinstance(number, float) else found)


def as_text(term: Constant) -> Literal | None:
    """Return STR (17.4.2.5): an IRI's text, or the lexical form as it is written."""
    if isinstance(term, Iri):
        return Literal(term.value)
    return Literal(term.lexical) if isinstance(term, Literal) else None


def typed_literal(text: Constant, kind: Constant) -> Constant | None:
    """Return STRDT (17.4.2.9) of a plain text and a datatype."""
    if isinstance(text, Literal) and isinstance(value(text), str) and isinstance(kind, Iri):
        return Literal(text.lexical, kind.value)
    return None
