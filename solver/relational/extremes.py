"""Find the values of a variable that suffice for a rule body's conditions: greatest, least, or a few.

Suppose that a variable `w` occurs in one literal and in conditions, and that the head does not need `w`. The
rows of the literal can then be reduced to the rows whose `w` is among the greatest of the rows that are equal
apart from `w`, at each index. The rule derives the same atoms, for these reasons:

- The reduced rows are rows of the literal, so the rule derives no other atom.
- Let some `w` fulfill all conditions. A condition `w > x` or `w >= x` also holds for each greater `w`, so the
  greatest `w` fulfills all conditions of this kind, whatever `x` is. For `<` and `<=`, the least `w` does.
- A condition `w != x` excludes at most one value. With k such conditions, the k + 1 greatest values are kept.
  If `w` is not one of them, all of them are greater than `w`, and k conditions exclude at most k of them. So
  one of them fulfills all conditions.
- Values are ordered only within a kind, such as integers or texts: a comparison with another kind has the
  same result, or is an error, for all values of the kind. The greatest values of each kind are kept. Values
  without an order are all kept.

Example: in `ans(X) ← p(X, W), q(V), W > V`, the rows p(a, 3), p(a, 7) and p(b, 5) at one index are reduced to
p(a, 7) and p(b, 5). Over all indexes, the reduced rows are at most twice as many as the rows of the literal.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from math import isnan
from typing import Any, Final

import numpy as np

from lars.language import formulas as logic
from lars.language.program import variables
from lars.language.terms import Blank, Constant, Iri, Variable
from solver.columns import Array, TermCodes, distinct
from solver.rdf import CalendarTime, value
from solver.relational.run_tables import RunTable, coalesce, concatenate, highest, subtract

_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!=", "=": "="}
# The negation of < is >=, but a strict and a weak comparison demand the same values.
_NEGATED: Final = {"<": ">", "<=": ">", ">": "<", ">=": "<", "!=": "=", "=": "!="}
_SINGLE: Final = 2**24
"""All integers up to this number differ from each other as numbers of each numeric type."""
_ODD: Final = 0x9E3779B97F4A7C15
"""A multiplier that maps 64-bit numbers to each other one to one (Fibonacci hashing)."""

Demand = tuple[str, int, bool]
"""The values of a variable that suffice at each index: which values, how many, and how they are compared.

The values are the greatest (`>`), the least (`<`) or any (`!`). The boolean is true if conditions compare
values of SPARQL, not terms.
"""


def demand(name: Variable, conditions: Iterable[logic.Condition]) -> Demand | None:
    """Return the demand of conditions for values of a variable; None if all values can be necessary.

    >>> v, w = Variable("v"), Variable("w")
    >>> demand(w, [logic.Comparison(v, "<", w), logic.Comparison(w, "!=", v)])
    ('>', 2, False)
    """
    relations = [_relation(name, condition) for condition in conditions]
    signs = {sign for sign, _ in relations}
    by_value = {kind for _, kind in relations}
    if not (signs <= {">", "!"} or signs <= {"<", "!"}) or len(by_value) != 1:
        return None
    most = 1 + sum(sign == "!" for sign, _ in relations)
    return next((sign for sign in signs if sign != "!"), "!"), most, by_value.pop()


def _relation(name: Variable, condition: logic.Condition) -> tuple[str, bool]:
    """Return the relation (`>`, `<`, `!` or "") that a condition requires, and whether it compares values."""
    match condition:
        case logic.Comparison(left, relation, right):
            sides, sign, by_value = (left, right), str(relation), False
        case logic.Test(logic.Call(sign, sides), truth) if sign in _MIRRORED:
            sign, by_value = sign if truth else _NEGATED[sign], True
        case _:
            return "", True
    one, other = sides if sides[0] == name else reversed(sides)
    if one != name or name in variables(other):
        return "", by_value
    sign = sign if sides[0] == name else _MIRRORED[sign]
    return sign[0].replace("=", ""), by_value


def sufficient(table: RunTable, place: int, demanded: Demand, codes: TermCodes, count: int) -> RunTable:
    """Return the rows with the demanded values in column `place` (such as the greatest), with their runs.

    If terms have equal values, the result contains only one of them. Terms without an order are all kept.
    """
    sign, most, _ = demanded
    known = distinct(table.columns[place])
    kinds, ranks, terms = _ranked(known, _places(known, demanded, codes), descending=sign == "<")
    at = np.searchsorted(known, table.columns[place])
    ordered = ranks[at] >= 0
    rest, at, part = table.take(~ordered), at[ordered], table.take(ordered)
    others = [column for number, column in enumerate(part.columns) if number != place]
    left = coalesce(RunTable((*others, kinds[at], ranks[at]), part.first, part.last), count)
    tops: list[RunTable] = []
    while len(left) and len(tops) < most:
        tops.append(highest(left, count))
        left = subtract(left, tops[-1], range(len(left.columns)), count)
    top = concatenate(tops, len(table.columns) + 1)
    columns = list(top.columns[:-2])
    columns.insert(place, terms[top.columns[-1]])
    return concatenate([rest, RunTable(tuple(columns), top.first, top.last)], len(table.columns))


def _places(known: Array, demanded: Demand, codes: TermCodes) -> list[tuple[str, Any] | None]:
    """Return the kind of each term and its place in the order of this kind; None for unordered terms.

    A comparison of any term with terms of one kind follows the order of the kind. If conditions contain !=,
    any term equals the terms of at most one place in the order of a kind.
    """
    sign, most, by_value = demanded
    if by_value:
        terms = codes.constants(known)
        return [
            _place(code, term, differing=most > 1) for code, term in zip(known.tolist(), terms, strict=True)
        ]
    if sign == "!":
        return [("term", _scattered(code)) for code in known.tolist()]
    # Terms that are not numbers fulfill no < or >, so they may share one place.
    pairs = zip(*map(np.ndarray.tolist, codes.numbers(known)), strict=True)
    return [("number" if is_number else "term", number) for number, is_number in pairs]


def _scattered(code: int) -> int:
    """Return a number for a code; different codes have different numbers in no order.

    Codes ascend in the order of arrival. If terms had this order, each new term would be the greatest one.
    """
    return code * _ODD % 2**64


def _place(code: int, term: Constant, *, differing: bool) -> tuple[str, Any] | None:
    if isinstance(term, Iri | Blank):
        return "node", _scattered(code)
    match value(term):
        case bool(truth):
            return "boolean", truth
        case int(number):
            # Promotion to a float can make different integers equal.
            return ("integer", number) if not differing or abs(number) <= _SINGLE else None
        case Decimal() as number:
            # Promotion to a double can make different decimals equal.
            return None if differing else ("decimal", number)
        case float() as number:
            return None if isnan(number) else (type(number).__name__, number)
        case str(text):
            return "text", text
        case CalendarTime(kind, seconds, zoned):
            # No time without a zone within 14 hours of a time with a zone is != to it: that is more than one.
            return None if differing else (f"{kind} {zoned}", seconds)
        case _:
            return None


def _ranked(
    known: Array, places: Sequence[tuple[str, Any] | None], *, descending: bool
) -> tuple[Array, Array, Array]:
    """Return the kind and the rank of each code, and a code for each rank.

    The rank -1 means that a code has no position in an order. Equal positions have equal ranks.
    """
    by_kind: dict[str, dict[Any, list[int]]] = {}
    for number, place in enumerate(places):
        if place is not None:
            by_kind.setdefault(place[0], {}).setdefault(place[1], []).append(number)
    kinds, ranks = np.zeros(len(known), np.int64), np.full(len(known), -1)
    terms: list[int] = []
    for kind, numbers_of in enumerate(by_kind.values()):
        for key in sorted(numbers_of, reverse=descending):
            kinds[numbers_of[key]], ranks[numbers_of[key]] = kind, len(terms)
            terms.append(known[numbers_of[key][0]])
    return kinds, ranks, np.array(terms, np.int64)
