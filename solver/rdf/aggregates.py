"""Aggregates of SPARQL on a multiset of terms (SPARQL 1.1, Section 18.5.1). None is an error.

A multiset has no order, so what depends on one is made to depend on the terms alone: sums are
rounded once, SAMPLE is the least term, and GROUP_CONCAT goes by the order of the texts.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Final

from lars.language.formulas import Aggregation
from lars.language.terms import XSD, Constant, Literal, Number
from solver.rdf.operators import EXACT, arithmetic, as_text, common_type, convert, numeric
from solver.rdf.ordering import order_key, text_key
from solver.rdf.values import check_length, literal

Terms = Sequence[Constant | None]


def aggregate(aggregation: Aggregation, elements: Iterable[tuple[Constant | None, ...]]) -> Constant | None:
    """Return the aggregate of the elements, each a tuple of argument values; None is unbound or an error.

    An unbound value makes SUM, AVG, MIN, MAX and GROUP_CONCAT an error (ListEval keeps errors,
    18.5.1; so do Jena's and Oxigraph's MIN and MAX); COUNT and SAMPLE leave it out.

    >>> print(aggregate(Aggregation("COUNT"), [(), ()]))
    "2"^^<http://www.w3.org/2001/XMLSchema#integer>
    """
    found = list(dict.fromkeys(elements)) if aggregation.distinct else list(elements)
    if aggregation.function == "COUNT" and len(aggregation.arguments) != 1:
        return literal(len(found))
    return aggregate_of(aggregation.function, aggregation.separator, *(term for (term,) in found))


def aggregate_of(function: str, separator: str, *terms: Constant | None) -> Constant | None:
    """Return the aggregate of the terms, one for each element; `separator` is GROUP_CONCAT's.

    What is computed from numbers of the logic is an xsd:integer, as COUNT is.
    """
    if function in ("SUM", "AVG", "GROUP_CONCAT"):
        terms = tuple(literal(term.value) if isinstance(term, Number) else term for term in terms)
    return _joined(separator, terms) if function == "GROUP_CONCAT" else _AGGREGATES[function](terms)


def _bound(terms: Terms) -> list[Constant]:
    return [term for term in terms if term is not None]


def _sum(terms: Terms) -> Literal | None:
    """Return SUM: exact, then rounded to the type that all numbers can be promoted to; 0 of nothing."""
    numbers: list[Any] = [None if term is None else numeric(term) for term in terms]
    if None in numbers:
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
    """Return MIN or MAX by the order of ORDER BY, of equal values that with the first text."""
    if not terms or None in terms:
        return None
    return choose(sorted(_bound(terms), key=text_key), key=order_key)


def _joined(separator: str, terms: Terms) -> Literal | None:
    """Return GROUP_CONCAT of the values of STR; a blank node, which has none, is an error."""
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
