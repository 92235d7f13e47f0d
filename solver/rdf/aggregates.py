"""Functions of many terms: the order of ORDER BY, and aggregates.

ORDER BY (SPARQL 1.1, Section 15.1) is extended to a total order, so that every evaluation sorts equally. The
order of terms is: unbound, blank nodes by label, IRIs, literals, triple terms by their parts, then symbols
and numbers of LARS programs. SPARQL does not define the order of literals of different kinds. This module
sorts numbers first, then booleans, dateTimes, dates, times, strings, language-tagged strings, and all other
literals by datatype.

Aggregates range over a multiset of terms (Section 18.5.1); None is an error. A multiset has no order, so
results depend only on the terms. Sums are rounded once, SAMPLE is the least term, and GROUP_CONCAT uses the
order of the texts.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from typing import Final, TypeVar, assert_never

from lars.language.formulas import Aggregation
from lars.language.terms import NULL, XSD, Blank, Constant, Iri, Literal, Number, Symbol, TripleTerm
from solver.rdf.values import (
    EXACT,
    CalendarTime,
    arithmetic,
    as_text,
    check_length,
    common_type,
    convert,
    literal,
    numeric,
    value,
)

_CACHED: Final = 2**16
_MOMENTS: Final = {"dateTime": 2, "date": 3, "time": 4}

Row = TypeVar("Row", bound=Sequence[Constant | None])


@lru_cache(maxsize=_CACHED)
def order_key(term: Constant | None) -> tuple[object, ...]:
    """Return a sort key for ORDER BY; terms of equal value have equal keys.

    The keys agree with `<` (SPARQL 1.1, Section 17.3) if `<` is defined. Numbers are compared by their exact
    value, because rounding to a common type is not transitive. NaN is before all numbers. A time without a
    zone counts as UTC.

    >>> order_key(Literal("9")) > order_key(Iri("x:a")) > order_key(None)
    True
    """
    match term:
        case None:
            return (0,)
        case Blank(label):
            return (1, label)
        case Iri(text):
            return (2, text)
        case Literal():
            return (3, *_literal_key(term))
        case TripleTerm(subject, predicate, object_):
            return (4, *map(order_key, (subject, predicate, object_)))
        case Symbol(name):
            return (0,) if term == NULL else (5, name)
        case Number(number):
            return (6, number)
        case _:
            assert_never(term)


def _literal_key(term: Literal) -> tuple[object, ...]:
    match number := value(term):
        case bool():
            return (1, number)
        case int() | Decimal() | float():
            return (0, False, 0) if number.__ne__(number) else (0, True, number)
        case CalendarTime(kind, seconds, zoned):
            return (_MOMENTS[kind], seconds, zoned)
        case str():
            return (5, number)
        case None if term.language is not None:
            return (6, term.lexical, term.language)
        case None:
            return (7, term.datatype, term.lexical)
        case _:
            assert_never(number)


def text_key(term: Constant | None) -> str:
    """Return the sort key for terms of equal value: the text of the term; an unbound term comes first."""
    return "" if term is None or term == NULL else str(term)


def sorted_rows(rows: Iterable[Row], keys: Sequence[tuple[int, bool]]) -> list[Row]:
    """Return the rows, sorted by keys: pairs of a position in the row and a boolean (true for descending).

    If two rows have equal values at all keys, the rows are sorted by the texts of their terms, from left to
    right.

    >>> sorted_rows([(Iri("x:a"), None), (Iri("x:b"), None)], [(1, False), (0, True)])[0][0]
    Iri(value='x:b')
    """
    ordered_rows = sorted(rows, key=lambda row: tuple(map(text_key, row)))
    for position, descending in reversed(keys):
        ordered_rows.sort(key=lambda row: order_key(row[position]), reverse=descending)
    return ordered_rows


Terms = Sequence[Constant | None]


def aggregate(aggregation: Aggregation, elements: Iterable[tuple[Constant | None, ...]]) -> Constant | None:
    """Return the value of an aggregate over elements, which are tuples of arguments; None is an error.

    An unbound value makes SUM, AVG, MIN, MAX and GROUP_CONCAT an error, since ListEval keeps errors (SPARQL
    1.1, Section 18.5.1); Jena and Oxigraph do the same for MIN and MAX. COUNT and SAMPLE ignore unbound
    values.

    >>> print(aggregate(Aggregation("COUNT"), [(), ()]))
    "2"^^<http://www.w3.org/2001/XMLSchema#integer>
    """
    terms = list(dict.fromkeys(elements)) if aggregation.distinct else list(elements)
    if aggregation.function == "COUNT" and len(aggregation.arguments) != 1:
        return literal(len(terms))
    return aggregate_of(aggregation.function, aggregation.separator, *(term for (term,) in terms))


def aggregate_of(function: str, separator: str, *terms: Constant | None) -> Constant | None:
    """Return the value of an aggregate over terms; only GROUP_CONCAT uses `separator`.

    Numbers of LARS programs are read as xsd:integer.
    """
    if function in ("SUM", "AVG", "GROUP_CONCAT"):
        terms = tuple(literal(term.value) if isinstance(term, Number) else term for term in terms)
    return _joined(separator, terms) if function == "GROUP_CONCAT" else _AGGREGATES[function](terms)


def _bound(terms: Terms) -> list[Constant]:
    return [term for term in terms if term is not None]


def _sum(terms: Terms) -> Literal | None:
    """Return SUM: the exact sum, rounded once to the common type of all numbers; 0 if no term exists."""
    numbers = [number for term in terms if term is not None and (number := numeric(term)) is not None]
    if len(numbers) < len(terms):
        return None
    kind = common_type(numbers)
    if kind is int:
        return literal(sum(numbers))
    if kind is Decimal:
        total = Decimal(0)
        for number in numbers:
            total = EXACT.add(total, Decimal(number))
        return literal(total)
    if all(type(number) is float for number in numbers):
        # An exact sum, rounded once; what leaves the range on its way is left to fractions, -0.0 is 0.0.
        with suppress(OverflowError, ValueError):
            return literal(math.fsum(numbers) + 0.0)
    endless = [number for number in numbers if isinstance(number, float) and not math.isfinite(number)]
    return literal(convert(kind, sum(endless) if endless else sum(map(Fraction, numbers))))


def _average(terms: Terms) -> Literal | None:
    total = _sum(terms)
    count = Literal(str(len(terms)), XSD + "integer")
    return total if total is None or not terms else arithmetic("/", total, count)


def _extreme(choose: Callable[..., Constant], terms: Terms) -> Constant | None:
    """Return MIN or MAX by the order of ORDER BY; among equal values, the term with the first text."""
    if not terms or None in terms:
        return None
    return choose(sorted(_bound(terms), key=text_key), key=order_key)


def _joined(separator: str, terms: Terms) -> Literal | None:
    """Return GROUP_CONCAT of the values of STR; a blank node is an error, since it has no STR."""
    texts = [None if term is None else as_text(term) for term in terms]
    if None in texts:
        return None
    check_length(sum(len(text.lexical) + len(separator) for text in texts if text is not None))
    return Literal(separator.join(sorted(text.lexical for text in texts if text is not None)))


_AGGREGATES: Final[dict[str, Callable[[Terms], Constant | None]]] = {
    "COUNT": lambda terms: literal(len(_bound(terms))),
    "SUM": _sum,
    "AVG": _average,
    "MIN": partial(_extreme, min),
    "MAX": partial(_extreme, max),
    "SAMPLE": lambda terms: _extreme(min, _bound(terms)),
}
