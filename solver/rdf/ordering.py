"""The order of ORDER BY (SPARQL 1.1, Section 15.1) made total, so that every evaluation sorts alike.

Unbound, then blank nodes by label, IRIs, literals; last what is no RDF term: symbols, numbers of
the logic. SPARQL leaves open how literals of different kinds compare; here numbers come first, then
booleans, dateTimes, dates, times, strings, language-tagged strings, and all others by datatype.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, TypeVar, assert_never

from lars.language.terms import NULL, Blank, Constant, Iri, Literal, Number, Symbol
from solver.rdf.values import Moment, value

_CACHED: Final = 2**16
_MOMENTS: Final = {"dateTime": 2, "date": 3, "time": 4}

Row = TypeVar("Row", bound=Sequence[Any])


@lru_cache(maxsize=_CACHED)
def order_key(term: Constant | None) -> tuple[Any, ...]:
    """Return a key that sorts as ORDER BY does; terms of equal value have equal keys.

    Where `<` (17.3) decides, the keys agree with it. Numbers go by their exact value, as rounding
    to a common type is not transitive, and NaN before all; a time without zone counts as UTC.

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
        case Symbol(name):
            return (0,) if term == NULL else (4, name)
        case Number(number):
            return (5, number)
        case _:
            assert_never(term)


def _literal_key(term: Literal) -> tuple[Any, ...]:
    match found := value(term):
        case bool():
            return (1, found)
        case int() | Decimal() | float():
            return (0, False, 0) if found.__ne__(found) else (0, True, found)
        case Moment(kind, seconds, zoned):
            return (_MOMENTS[kind], seconds, zoned)
        case str():
            return (5, found)
        case None if term.language is not None:
            return (6, term.lexical, term.language)
        case None:
            return (7, term.datatype, term.lexical)
        case _:
            assert_never(found)


def text_key(term: Constant | None) -> str:
    """Return what orders terms of equal value: the text, unbound first."""
    return "" if term is None or term == NULL else str(term)


def sorted_rows(rows: Iterable[Row], keys: Sequence[tuple[int, bool]]) -> list[Row]:
    """Return the rows in order; each key is a position in a row, and whether it is descending.

    A tie of all keys is decided by the texts of a row's terms from left to right, ascending.

    >>> sorted_rows([(Iri("x:a"), None), (Iri("x:b"), None)], [(1, False), (0, True)])[0][0]
    Iri(value='x:b')
    """
    found = sorted(rows, key=lambda row: tuple(map(text_key, row)))
    for position, descending in reversed(keys):
        found.sort(key=lambda row: order_key(row[position]), reverse=descending)
    return found
