"""The values of literals, with the operators of SPARQL.

The operators are relations, arithmetic, rounding, STR and STRDT (XSD 1.1; SPARQL 1.1, Section 17.3). None is
the error of SPARQL, or an unbound variable, since operators treat both in the same way. Each value has a
canonical literal.
"""

import math
import operator
import re
import struct
from collections.abc import Callable, Iterable
from datetime import date
from decimal import Context, Decimal, DecimalException
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, Self

from lars.dataclass import dataclass
from lars.errors import FailedRunError
from lars.language.terms import TAGGED, XSD, Constant, Iri, Literal, TripleTerm

_CACHED: Final = 2**16
MOST_CHARACTERS: Final = 2**24


def _odd_double(number: float | Decimal | Fraction) -> float:
    """Return a double that rounds to the 32-bit float nearest to a number (rounding to odd).

    If a number were first rounded to the nearest double, this double could be in the middle of two floats,
    and would then be rounded to the wrong float. Each number is between two neighboring doubles. The neighbor
    with an odd last bit is never the middle of two floats (Boldo and Melquiond: *When double rounding is
    odd*, 2005).
    """
    double = float(number)
    if double == number or not math.isfinite(double) or struct.unpack("<q", struct.pack("<d", double))[0] & 1:
        return double
    return math.nextafter(double, math.inf if number > double else -math.inf)


class Single(float):
    """A value of xsd:float: a Python float, rounded to 32 bits."""

    __slots__ = ()

    def __new__(cls, number: float | Decimal | Fraction) -> Self:
        """Return the nearest 32-bit float, or an infinity if the number is out of range."""
        try:
            # Of an integer beyond all doubles struct says another thing than that it overflows.
            return super().__new__(cls, struct.unpack("f", struct.pack("f", _odd_double(number)))[0])
        except OverflowError:
            return super().__new__(cls, math.inf if number > 0 else -math.inf)


@dataclass(frozen=True, slots=True)
class CalendarTime:
    """A value of xsd:dateTime, xsd:date (its first second) or xsd:time; in UTC if `zoned`, otherwise local.

    `kind` is the name of the type, and `seconds` is the time in seconds.
    """

    kind: str
    seconds: Fraction
    zoned: bool

    def minus(self, other: "CalendarTime") -> Fraction | None:
        """Return the difference in seconds; None if its sign depends on an unknown time zone (up to 14 h)."""
        gap = self.seconds - other.seconds
        return gap if self.zoned == other.zoned or abs(gap) > 14 * 3600 else None


Value = int | Decimal | float | bool | str | CalendarTime
"""The value of a literal; int, Decimal, Single and float are the four numeric types."""
_DATE: Final = r"(-?(?:[1-9][0-9]{3,}|0[0-9]{3}))-([0-9]{2})-([0-9]{2})"
_CLOCK: Final = r"([0-9]{2}):([0-5][0-9]):([0-5][0-9](?:\.[0-9]+)?)"
ZONE: Final = r"(Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"
_TIMES: Final = {
    "dateTime": re.compile(f"{_DATE}T{_CLOCK}{ZONE}"),
    "date": re.compile(f"{_DATE}()()(){ZONE}"),
    "time": re.compile(f"()()(){_CLOCK}{ZONE}"),
}
_DAY: Final = 86400  # seconds
_CYCLE: Final = 146_097  # days, after which the calendar repeats: 400 years; Python's years end at 9999
_FIRST: Final = date(2000, 1, 1).toordinal()
_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DOUBLE = re.compile(rf"{_DECIMAL.pattern}(?:[eE][+-]?[0-9]+)?|[+-]?INF|NaN")
BOOLEAN_VALUES: Final = {"true": True, "1": True, "false": False, "0": False}
"""The value of each lexical form of xsd:boolean."""
_BITS: Final = {"Byte": 8, "Short": 16, "Int": 32, "Long": 64}
_BOUNDS: Final[dict[str, tuple[float, float]]] = {
    "integer": (-math.inf, math.inf),
    "nonNegativeInteger": (0, math.inf),
    "positiveInteger": (1, math.inf),
    "nonPositiveInteger": (-math.inf, 0),
    "negativeInteger": (-math.inf, -1),
    **{name.lower(): (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for name, bits in _BITS.items()},
    **{f"unsigned{name}": (0, 2**bits - 1) for name, bits in _BITS.items()},
}
INTEGERS: Final = tuple(_BOUNDS)
"""xsd:integer and the types derived from it."""
TRUE, FALSE = Literal("true", XSD + "boolean"), Literal("false", XSD + "boolean")
VALUED: Final = frozenset(XSD + kind for kind in (*_BOUNDS, "decimal", "float", "double", "boolean"))
"""The numeric types and boolean; in a condition, an ill-typed literal of such a type is false."""


@lru_cache(maxsize=_CACHED)
def value(term: Constant | None) -> Value | None:
    """Return the value of a literal; None for other terms and for literals without a known value.

    Literals without a known value have a language tag, an unknown datatype, or an invalid lexical form.

    >>> value(Literal("01", XSD + "integer")), value(Literal("200", XSD + "byte"))
    (1, None)
    """
    if not isinstance(term, Literal) or term.language is not None or not term.datatype.startswith(XSD):
        return None
    try:
        return parse(term.lexical, term.datatype[len(XSD) :])
    except ValueError:  # Python's limits: a month 13
        return None


def parse(text: str, kind: str) -> Value | None:
    """Return the value of a lexical form of the XSD type `kind`, or None if the form is invalid.

    Raises:
        ValueError: A date is invalid, such as month 13.
    """
    if kind == "string":
        return text
    if kind in _BOUNDS and _INTEGER.fullmatch(text):
        least, greatest = _BOUNDS[kind]
        # By way of a decimal, since Python reads and writes no integer of more than 4300 digits.
        number = int(Decimal(text)) if len(text) < EXACT.prec else None
        return number if number is not None and least <= number <= greatest else None
    if kind == "decimal" and _DECIMAL.fullmatch(text):
        return Decimal(text)
    if kind in ("float", "double") and _DOUBLE.fullmatch(text):
        double = float(text)
        if kind == "double":
            return double
        # An exponent that a decimal cannot have is one of a number that is 0 or infinite as a double too.
        return Single(Decimal(text) if double and math.isfinite(double) else double)
    if kind == "boolean":
        return BOOLEAN_VALUES.get(text)
    if kind in _TIMES and (match := _TIMES[kind].fullmatch(text)):
        return _moment(kind, match)
    return None


def _moment(kind: str, match: re.Match[str]) -> CalendarTime | None:
    year, month, day, hour, minute, second, zone = match.groups()
    clock, days = Fraction(0), 0
    if hour:
        clock = int(hour) * 3600 + int(minute) * 60 + Fraction(second)
        if int(hour) > 23 and clock != _DAY:  # noqa: PLR2004
            return None
    if year:
        cycles, rest = divmod(int(year), 400)
        days = cycles * _CYCLE + date(2000 + rest, int(month), int(day)).toordinal()
    else:
        clock %= _DAY
    return CalendarTime(kind, days * _DAY + clock - _offset(zone), zone is not None)


def later(origin: Literal, seconds: Fraction) -> Literal | None:
    """Return the dateTime `seconds` after `origin`, in the same zone; None if `origin` is not a dateTime.

    >>> later(Literal("1999-12-31T23:59:59Z", XSD + "dateTime"), Fraction(5, 4)).lexical
    '2000-01-01T00:00:00.25Z'
    """
    match = _TIMES["dateTime"].fullmatch(origin.lexical)
    start = value(origin)
    if match is None or not isinstance(start, CalendarTime):
        return None
    day, clock = divmod(start.seconds + _offset(match[7]) + seconds, _DAY)
    cycles, rest = divmod(day - _FIRST, _CYCLE)
    calendar = date.fromordinal(_FIRST + rest)
    year = calendar.year - 2000 + 400 * cycles
    minutes, second = divmod(clock, 60)
    part = second % 1
    fraction = f"{_digits(part).divide(Decimal(part.numerator), Decimal(part.denominator)):f}"[1:]
    text = f"{'-' * (year < 0)}{abs(year):04}-{calendar.month:02}-{calendar.day:02}T"
    text += f"{minutes // 60:02}:{minutes % 60:02}:{int(second):02}{fraction}{match[7] or ''}"
    return Literal(text, origin.datatype)


def _digits(number: Fraction) -> Context:
    """Return the decimal context in which a number is converted to a decimal.

    The context is exact if the number has finitely many digits.
    """
    return _DIVISION if 10 ** number.denominator.bit_length() % number.denominator else EXACT


def _offset(zone: str | None) -> int:
    if zone is None or zone == "Z":
        return 0
    seconds = int(zone[1:3]) * 3600 + int(zone[4:6]) * 60
    return -seconds if zone[0] == "-" else seconds


def literal(value: float | Decimal | str) -> Literal | None:
    """Return the canonical literal of a value (XSD 1.1), or None if the literal would be too long.

    >>> [literal(number).lexical for number in (7, Decimal("2.50"), 1e9, True)]
    ['7', '2.5', '1.0E9', 'true']
    """
    match value:
        case bool():
            return Literal("true" if value else "false", XSD + "boolean")
        case str():
            return Literal(value)
        case int():
            exact = Decimal(value)
            return Literal(f"{exact:f}", XSD + "integer") if exact.adjusted() < EXACT.prec else None
        case Decimal():
            text = f"{value:f}"
            text = text.rstrip("0").rstrip(".") if "." in text else text
            return Literal("0" if text in ("-0", "") else text, XSD + "decimal")
        case _:
            return Literal(scientific(value), XSD + ("float" if isinstance(value, Single) else "double"))


def check_length(characters: int) -> None:
    """Raise FailedRunError if a computed text is too long, since texts can double in each step."""
    if characters > MOST_CHARACTERS:
        raise FailedRunError(
            f"a text of {characters} characters is computed; expected at most {MOST_CHARACTERS}"
        )


def scientific(number: float) -> str:
    """Return the canonical text of an xsd:double, or of a Single as xsd:float, such as `1.0E9` or `INF`."""
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "INF" if number > 0 else "-INF"
    digits = next(text for n in range(17) if (type(number))(float(text := f"{number:.{n}E}")) == number)
    mantissa, exponent = digits.split("E")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}E{int(exponent)}"


_Numeric = int | Decimal | float
EXACT, _DIVISION = Context(prec=20_000), Context(prec=28)
_RANKS: Final[tuple[type[_Numeric], ...]] = (int, Decimal, Single, float)


def promote(left: Value | None, right: Value | None) -> tuple[_Numeric, _Numeric] | None:
    """Return two numbers, both converted to one type (SPARQL 1.1, 17.3); None if a value is not a number."""
    if type(left) not in _RANKS or type(right) not in _RANKS:
        return None
    kind = _RANKS[max(_RANKS.index(type(left)), _RANKS.index(type(right)))]
    return convert(kind, left), convert(kind, right)


def common_type(numbers: Iterable[_Numeric]) -> type[_Numeric]:
    """Return the type to which SPARQL converts numbers of several types: int, Decimal, Single or float."""
    kind: type[_Numeric] = _RANKS[max((_RANKS.index(type(number)) for number in numbers), default=0)]
    return kind


def convert(kind: type[_Numeric], number: Any) -> Any:
    """Return the nearest number of another type, or an infinity if the number is out of range."""
    # Any: that two promoted numbers have one type is known where they are promoted, and to no type.
    try:
        return number if type(number) is kind else kind(number)
    except OverflowError:
        return kind(math.inf if number > 0 else -math.inf)


def equal(left: Constant, right: Constant) -> bool | None:
    """Return the result of `=` of SPARQL for two terms; None is an error.

    Two terms are compared by value if both values are known, otherwise by RDFterm-equal. Two literals of
    known types that cannot have equal values differ. A language-tagged literal differs from every other term
    (W3C test suite, open-eq-08 and date-2). All other comparisons of two literals are errors if a literal is
    ill-typed or has an unknown type.
    """
    one, two = value(left), value(right)
    if numbers := promote(one, two):
        return numbers[0] == numbers[1]
    if left == right:
        return True
    if isinstance(left, TripleTerm) and isinstance(right, TripleTerm):
        parts = [equal(*pair) for pair in _part_pairs(left, right)]
        return False if False in parts else None if None in parts else True
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        return False
    if left.language is not None or right.language is not None:
        return False
    if one is None or two is None:
        return None
    if isinstance(one, CalendarTime) and isinstance(two, CalendarTime) and one.kind == two.kind:
        gap = one.minus(two)
        return None if gap is None else gap == 0
    return type(one) is type(two) and one == two


def _part_pairs(left: TripleTerm, right: TripleTerm) -> list[tuple[Any, Any]]:
    # Any: there is no variable in it, where it is compared.
    return list(zip(left.terms, right.terms, strict=True))


def compare(relation: Callable[[Any, Any], bool], left: Constant, right: Constant) -> bool | None:
    """Return `left relation right` for ordered literals (numbers, strings, times); None for other terms.

    Two triple terms are compared by the first parts in which they differ.
    """
    if isinstance(left, TripleTerm) and isinstance(right, TripleTerm):
        differing = (pair for pair in _part_pairs(left, right) if equal(*pair) is not True)
        pair = next(differing, None)
        return relation(0, 0) if pair is None else compare(relation, *pair)
    one, two = value(left), value(right)
    if numbers := promote(one, two):
        return relation(*numbers)
    if one is None or type(one) is not type(two):
        return None
    if isinstance(one, CalendarTime) and isinstance(two, CalendarTime):
        gap = one.minus(two) if one.kind == two.kind else None
        return None if gap is None else relation(gap, 0)
    return relation(one, two)


def effective_boolean(term: Constant | None) -> bool | None:
    """Return the effective boolean value of SPARQL 1.1 (17.2.2); ill-typed numbers and booleans are false."""
    if not isinstance(term, Literal):
        return None
    if term.language is not None:
        return term.lexical != ""
    number = value(term)
    if number is None:
        return False if term.datatype in VALUED else None
    if isinstance(number, CalendarTime):
        return None
    return bool(number) and number == number  # noqa: PLR0124 - NaN is false


def strict_boolean(term: Constant) -> Literal | None:
    """Return the effective boolean value of SPARQL 1.2; None (error) for ill-typed and tagged literals."""
    known = isinstance(term, Literal) and term.language is None and value(term) is not None
    truth = effective_boolean(term) if known else None
    return None if truth is None else TRUE if truth else FALSE


def arithmetic(function: str, left: Constant, right: Constant) -> Literal | None:
    """Return the result of `+`, `-`, `*` or `/` for two terms; two integers are divided as decimals."""
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


def _quotient(one: Decimal, two: Decimal) -> Decimal:
    """Return the quotient of two decimals, with 28 digits.

    If an operand or the integer part of the quotient is longer, the quotient has 28 digits more than the
    longest of them, so that the division of a number by 1 does not change the number.
    """
    longest = max(
        *(len(number.as_tuple().digits) for number in (one, two)), one.adjusted() - two.adjusted() + 1
    )
    if longest <= _DIVISION.prec:
        return _DIVISION.divide(one, two)
    return Context(prec=min(longest + _DIVISION.prec, EXACT.prec)).divide(one, two)


OPERATIONS: Final[dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Decimal]]]] = {
    "+": (operator.add, EXACT.add),
    "-": (operator.sub, EXACT.subtract),
    "*": (operator.mul, EXACT.multiply),
    "/": (_divided, _quotient),
}
"""The functions of each operator of `arithmetic`: on integers and doubles, and on decimals."""


def numeric(term: Constant) -> _Numeric | None:
    """Return the number that a term denotes, or None for other terms."""
    number = value(term)
    return number if isinstance(number, int | Decimal | float) and not isinstance(number, bool) else None


def absolute_or_negated(function: str, term: Constant) -> Literal | None:
    """Return the absolute value (ABS) or the negated value (NEG) of a number."""
    number = numeric(term)
    if number is None:
        return None
    if isinstance(number, Decimal):  # abs and - would round it
        return literal(number.copy_abs() if function == "ABS" else number.copy_negate())
    return literal(convert(type(number), abs(number) if function == "ABS" else -number))


def round_number(function: Callable[[Fraction], int], term: Constant) -> Literal | None:
    """Return a number rounded by `function`; the result has the type of the number."""
    number = numeric(term)
    if number is None:
        return None
    if isinstance(number, float) and not math.isfinite(number):
        return literal(number)
    rounded = convert(type(number), function(Fraction(number)))
    return literal(type(number)(math.copysign(rounded, number)) if isinstance(number, float) else rounded)


def as_text(term: Constant) -> Literal | None:
    """Return STR (17.4.2.5) of a term: the text of an IRI, or the unchanged lexical form of a literal."""
    if isinstance(term, Iri):
        return Literal(term.value)
    return Literal(term.lexical) if isinstance(term, Literal) else None


def typed_literal(text: Constant, kind: Constant) -> Constant | None:
    """Return STRDT (17.4.2.9) of a plain text and a datatype; None if the datatype requires a tag."""
    if isinstance(kind, Iri) and kind.value in TAGGED:
        return None
    if isinstance(text, Literal) and isinstance(value(text), str) and isinstance(kind, Iri):
        return Literal(text.lexical, kind.value)
    return None
