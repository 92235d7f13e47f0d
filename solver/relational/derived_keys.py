"""Derive join keys from conditions: equal values, and differences within bounds (a band join).

Without a common variable, two tables would be joined to all pairs of rows, before conditions remove most
pairs. A derived key removes most pairs earlier. Rows whose keys differ never fulfill the conditions; the
conditions are still tested on the pairs with equal keys.

- `[?v = ?w]`, also with expressions as sides: terms that SPARQL compares as equal have equal keys.
- `[ABS(?v - ?w) < 5]`, or `[?v < ?w + 5]` with `[?w <= ?v]`: the conditions bound the difference v - w. The
  numbers are divided into buckets as wide as the bounds, so that v is in the bucket of w + low, or in the
  next one.

Example: for -5 < v - w < 5, the buckets have a width of 10. The value v = 37 has the number v + 5 = 42 in
bucket 4. Only values w from 30 to 49 can fulfill the conditions, and w has the buckets 3 and 4, or 4 and 5.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from math import inf, isfinite
from typing import Final

import numpy as np
import numpy.typing as npt

from lars.language import formulas as logic
from lars.language.program import variables
from lars.language.terms import Constant, Literal, Number, TripleTerm, Variable
from solver.columns import NULL_CODE, Array, Mask, TermCodes, distinct
from solver.rdf import CalendarTime, Single, convert, numeric, value

# Strictness does not matter here: the condition itself is tested on the rows that a key joins.
_NEGATED: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "!=": "="}
_KINDS: Final = (int, Decimal, float)
"""The types of numbers whose sums have at least the precision of doubles."""
_MOST_BUCKETS: Final = 2.0**40
"""The number of buckets up to which rounding to doubles moves a number by less than `_MARGIN` of a bucket."""
_MARGIN: Final = 2.0**-8

_Linear = tuple[dict[Variable, int], Fraction]
"""The factors of variables in a sum, and the constant summand."""
_Numbers = tuple[npt.NDArray[np.float64], Mask]
"""Doubles, and a mask of the rows that have one."""
Bounds = tuple[Fraction, Fraction, bool]
"""The bounds of a difference; the boolean is true for values of SPARQL, and false for integers of LARS."""
Link = tuple[logic.Expression, logic.Expression, Bounds | None]
"""Expressions of two tables: they are equal, or they are variables whose difference has bounds."""


def links(
    conditions: Sequence[logic.Condition], left: Sequence[Variable], right: Sequence[Variable]
) -> list[Link]:
    """Return the links that conditions require of two tables with the given variables; at most one is a band.

    >>> v, w, five = Variable("v"), Variable("w"), Number(5)
    >>> closer = [logic.Comparison(logic.Operation("-", *pair), "<", five) for pair in ((v, w), (w, v))]
    >>> [bounds for *_, bounds in links(closer, [v], [w])]
    [(Fraction(-5, 1), Fraction(5, 1), False)]
    """
    bands = (
        (v, w, (*bounds, by_value))
        for (v, w, by_value), bounds in _bands(conditions).items()
        if v in left and w in right
    )
    equal = (
        (one, other, None)
        for pair in _equations(conditions)
        for one, other in (pair, pair[::-1])
        if _belongs(one, left) and _belongs(other, right)
    )
    # Each band doubles the rows of the right table, so a second band seldom pays.
    return [*equal, *islice(bands, 1)]


def _belongs(expression: logic.Expression, names: Collection[Variable]) -> bool:
    own = variables(expression)
    return bool(own) and own <= {*names}


def _equations(conditions: Iterable[logic.Condition]) -> Iterator[tuple[logic.Expression, logic.Expression]]:
    """Yield the two sides of each condition that requires equal values or equal terms."""
    for condition in conditions:
        match condition:
            case logic.Test(logic.Call(sign, (left, right)), truth):
                sign = sign if truth else _NEGATED.get(sign, "")
                if sign in ("=", "SAMETERM"):
                    yield left, right
            case _:
                pass


def _bands(
    conditions: Iterable[logic.Condition],
) -> dict[tuple[Variable, Variable, bool], tuple[Fraction, Fraction]]:
    """Return the lower and the upper bound of differences v - w that conditions bound on both sides."""
    most: dict[tuple[Variable, Variable, bool], Fraction] = {}
    for condition in conditions:
        for factors, constant in _negative_sums(condition):
            if sorted(factors.values()) == [-1, 1]:
                w, v = sorted(factors, key=factors.__getitem__)
                pair = v, w, isinstance(condition, logic.Test)
                most[pair] = min(-constant, most.get(pair, -constant))
    # The least v - w is the negated greatest w - v.
    return {
        (v, w, kind): (-most[w, v, kind], most[v, w, kind]) for v, w, kind in most if (w, v, kind) in most
    }


def _negative_sums(condition: logic.Condition) -> Iterator[_Linear]:
    """Yield sums that are at most 0 if a condition holds; no sum for a condition of another form."""
    match condition:
        case logic.Test(logic.Call(sign, (left, right)), truth):
            sign = sign if truth else _NEGATED.get(sign, "")
        case logic.Comparison(left, relation, right):
            sign = relation
        case _:
            return
    if sign in (">", ">="):
        left, right = right, left
    elif sign not in ("<", "<="):
        return
    # |x| <= c means x <= c and -x <= c.
    if isinstance(left, logic.Call) and left.function == "ABS":
        inner = left.arguments[0]
        sides = [_linear(inner), _scaled(_linear(inner), -1)]
    else:
        sides = [_linear(left)]
    for side in sides:
        total = _added(side, _scaled(_linear(right), -1))
        if total is not None:
            yield total


def _linear(side: logic.Expression | logic.Arithmetic) -> _Linear | None:
    """Return an operand as a sum of different variables and a constant, or None."""
    match side:
        case Variable():
            return {side: 1}, Fraction(0)
        case Number():
            return {}, Fraction(side.value)
        case Literal():
            number = numeric(side)
            if number is None or type(number) not in _KINDS or not isfinite(convert(float, number)):
                return None
            return {}, Fraction(number)
        case logic.Call("+" | "-" as sign, (one, other)) | logic.Operation("+" | "-" as sign, one, other):
            return _added(_linear(one), _scaled(_linear(other), 1 if sign == "+" else -1))
        case logic.Call("NEG", (inner,)):
            return _scaled(_linear(inner), -1)
        case _:
            return None


def _scaled(side: _Linear | None, factor: int) -> _Linear | None:
    if side is None:
        return None
    return {name: factor * number for name, number in side[0].items()}, factor * side[1]


def _added(one: _Linear | None, other: _Linear | None) -> _Linear | None:
    """Return a sum; None if two constants or equal variables could cancel each other after rounding."""
    if one is None or other is None or (one[1] and other[1]) or not one[0].keys().isdisjoint(other[0]):
        return None
    return one[0] | other[0], one[1] + other[1]


def columns_of(link: Link, columns: tuple[Array, Array], codes: TermCodes) -> tuple[Array, ...] | None:
    """Return a key for each value in the left column, and one or two keys for each value in the right one.

    A left and a right value that fulfill the condition of the link have an equal key. The key of a value that
    fulfills the condition with no other value is -1. The result is None if keys cannot decide the condition.
    """
    *_, bounds = link
    if bounds is None:
        return _value_keys(*columns, codes)
    low, high, by_value = bounds
    numbers = (_numbers(each, codes) if by_value else _integers(each, codes) for each in columns)
    return _band_keys(float(low), float(high), *numbers)


def _value_keys(left: Array, right: Array, codes: TermCodes) -> tuple[Array, Array] | None:
    """Return keys of two columns of terms: terms that are equal in SPARQL have equal keys.

    The result is None if some terms can have no such keys.
    """
    known = distinct(np.concatenate((left, right)))
    terms = codes.constants(known)
    # SPARQL compares a number with an xsd:float as 32-bit floats, so that different doubles can be equal.
    rounded = Single if any(type(value(term)) is Single for term in terms) else float
    if rounded is Single and any(map(_is_rounded_twice, terms)):
        return None
    numbers: dict[object, int] = {}
    keys = [
        -1 if code <= NULL_CODE else numbers.setdefault(_class(term, rounded), len(numbers))
        for code, term in zip(known.tolist(), terms, strict=True)
    ]
    column: Array = np.array(keys, np.int64)
    return column[np.searchsorted(known, left)], column[np.searchsorted(known, right)]


def _is_rounded_twice(term: Constant) -> bool:
    """Return whether a number equals a double that equals another xsd:float than the number."""
    number = value(term)
    return type(number) in (int, Decimal) and convert(Single, number) != Single(convert(float, number))


def _class(term: Constant, rounded: type[float]) -> object:
    """Return a hashable value that is the same for all terms that are equal in SPARQL."""
    match value(term):
        case bool(truth):
            return "boolean", truth
        case int() | Decimal() | float() as number:
            return "number", convert(rounded, number) if number == number else "NaN"  # noqa: PLR0124
        case str(text):
            return "text", text
        case CalendarTime() as moment:
            return moment
        case _:
            return "triple" if isinstance(term, TripleTerm) else term


def _band_keys(
    low: float, high: float, left: _Numbers | None, right: _Numbers | None
) -> tuple[Array, Array, Array] | None:
    """Return the bucket of each left number, and the two buckets in which a left number fits a right one."""
    if left is None or right is None:
        return None
    (one, some), (other, more) = left, right
    # With numbers of Python, since numpy warns of sums and products beyond the greatest double.
    most = sum(map(abs, (low, high)), max(float(np.abs(side).max(initial=0)) for side in (one, other)))
    width = max((high - low) * (1 + 4 * _MARGIN), 4 * most / _MOST_BUCKETS)
    if low > high or not 0 < width < inf:
        return None
    # The buckets are wider than high - low. Half of the excess, on each side, covers the rounding of doubles.
    middle = (width - (high - low)) / 2
    buckets = np.floor((one - low + middle) / width), np.floor(other / width)
    # Keys must not be negative, since -1 marks values without a key.
    least = min(side.min(initial=0) for side in buckets) - 1
    first, second = ((side - least).astype(np.int64) for side in buckets)
    return np.where(some, first, -1), np.where(more, second, -1), np.where(more, second + 1, -1)


def _integers(column: Array, codes: TermCodes) -> _Numbers:
    numbers, known = codes.numbers(column)
    return numbers.astype(np.float64), known


def _numbers(column: Array, codes: TermCodes) -> _Numbers | None:
    """Return the numbers of a column as doubles, with a mask; None if other values have an order, too."""
    used = distinct(column)
    doubles, there = np.zeros(len(used)), np.zeros(len(used), np.bool_)
    for place, (code, term) in enumerate(zip(used.tolist(), codes.constants(used), strict=True)):
        number = value(term) if code > NULL_CODE else None
        if number is None and not isinstance(term, TripleTerm):
            continue
        # Texts, times and triple terms can fulfill < without being numbers; 32-bit floats round too much.
        if type(number) not in _KINDS or not isfinite(double := convert(float, number)):
            return None
        doubles[place], there[place] = double, True
    places = np.searchsorted(used, column)
    return doubles[places], there[places]
