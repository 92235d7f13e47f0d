"""What literals denote, and SPARQL 1.1's operators on terms (17.3), for the reference evaluator.

Only what the random queries use: integer, decimal, double, boolean, string, dateTime in UTC.
"""

import math
import operator
import re
from datetime import datetime
from decimal import Decimal, DivisionByZero, InvalidOperation, localcontext
from functools import lru_cache

from tests.sparql.syntax import XSD, Blank, Iri, Literal

INTEGER, DECIMAL, DOUBLE, BOOLEAN = (XSD + kind for kind in ("integer", "decimal", "double", "boolean"))
STRING, MOMENT = XSD + "string", XSD + "dateTime"
LANG_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
NUMBERS = (int, Decimal, float)
FORMS = {
    INTEGER: re.compile(r"[+-]?\d+"),
    DECIMAL: re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)"),
    DOUBLE: re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?INF|NaN"),
    MOMENT: re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
}
READERS = {INTEGER: int, DECIMAL: Decimal, DOUBLE: float, MOMENT: datetime.fromisoformat}
BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
TRUE, FALSE = Literal("true", BOOLEAN), Literal("false", BOOLEAN)


class Error(Exception):
    """An expression has no value."""


class UndeterminedError(Exception):
    """SPARQL leaves the result open, so the case decides nothing; also: it is too large."""


@lru_cache(maxsize=10_000)
def value(term):
    """Return what a literal denotes; None for other terms, ill-typed literals and unknown datatypes."""
    if not isinstance(term, Literal) or term.language is not None:
        return None
    if term.datatype == STRING:
        return term.lexical
    if term.datatype == BOOLEAN:
        return BOOLEANS.get(term.lexical)
    form = FORMS.get(term.datatype)
    return READERS[term.datatype](term.lexical) if form and form.fullmatch(term.lexical) else None


def literal(result):
    """Return a value's literal, in the canonical form of XSD 1.1."""
    match result:
        case bool():
            return TRUE if result else FALSE
        case str():
            return Literal(result)
        case int():
            return Literal(str(result), INTEGER)
        case Decimal():
            text = f"{result:f}"
            text = text.rstrip("0").rstrip(".") if "." in text else text
            return Literal("0" if text in ("-0", "") else text, DECIMAL)
        case _:
            return Literal(double_text(result), DOUBLE)


def double_text(number):
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "INF" if number > 0 else "-INF"
    digits = f"{Decimal(repr(number)).normalize():E}" if number else "0E0"
    mantissa, _, exponent = digits.partition("E")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{int(exponent or 0)}"


def is_number(one):
    return isinstance(one, NUMBERS) and not isinstance(one, bool)


def promoted(left, right):
    """Return two numbers in the one type that both are promoted to."""
    kind = NUMBERS[max(NUMBERS.index(type(left)), NUMBERS.index(type(right)))]
    return kind(left), kind(right)


def equal(left, right):
    """Return `left = right`; two literals that are not the same term need known values.

    Values of two known types differ: an extension of 17.3.1 that the W3C tests (open-eq-08) expect.
    """
    one, two = value(left), value(right)
    if is_number(one) and is_number(two):
        return operator.eq(*promoted(one, two))
    if left == right or not (isinstance(left, Literal) and isinstance(right, Literal)):
        return left == right
    if left.language is not None or right.language is not None:
        return False
    if one is None or two is None:
        raise Error
    return type(one) is type(two) and one == two


RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def ordered(name, left, right):
    one, two = value(left), value(right)
    if is_number(one) and is_number(two):
        return RELATIONS[name](*promoted(one, two))
    if one is None or type(one) is not type(two):
        raise Error
    return RELATIONS[name](one, two)


def effective(term):
    """Return the effective boolean value (17.2.2)."""
    if not isinstance(term, Literal):
        raise Error
    if term.language is not None or term.datatype == STRING:
        return term.lexical != ""
    found = value(term)
    if found is None and term.datatype in (INTEGER, DECIMAL, DOUBLE, BOOLEAN):
        return False
    if found is None or isinstance(found, datetime):
        raise Error
    return bool(found) and not (isinstance(found, float) and math.isnan(found))


def number(term):
    found = value(term)
    if not is_number(found):
        raise Error
    return found


def arithmetic(name, left, right):
    one, two = promoted(number(left), number(right))
    if name == "/":
        return literal(divided(one, two))
    calculate = {"+": operator.add, "-": operator.sub, "*": operator.mul}[name]
    with localcontext(prec=60):
        return literal(calculate(one, two))


def divided(one, two):
    if isinstance(one, float):
        if two:
            return one / two
        return (
            math.nan if not one or math.isnan(one) else math.copysign(math.inf, one) * math.copysign(1, two)
        )
    try:
        return Decimal(one) / Decimal(two)
    except (DivisionByZero, InvalidOperation):
        raise Error from None


def order_key(term):
    """Return the place of a term in the order of ORDER BY (15.1) as (rank, kind, value).

    Ranks are unbound, blank node, IRI, literal; SPARQL has no order between kinds of one rank.
    """
    match term:
        case None:
            return 0, "", 0
        case Blank(label):
            return 1, label, 0
        case Iri(text):
            return 2, "", text
    found = value(term)
    if is_number(found):
        if isinstance(found, float) and math.isnan(found):
            return 3, "NaN", 0
        return 3, "number", found
    return (3, type(found).__name__, found) if found is not None else (3, repr(term), 0)


def is_comparable(keys):
    """Whether SPARQL has an order between the terms of all these keys."""
    kinds = {(rank, kind) for rank, kind, _ in keys}
    return len(kinds) == len({rank for rank, _ in kinds})
