"""ORDER BY, projection, DISTINCT and slices (SPARQL 1.1, 15 and 18.5), as far as they are determined."""

from itertools import pairwise
from typing import NamedTuple

from tests.sparql.values import UndeterminedError, is_comparable, order_key


class Ordered(NamedTuple):
    """The rows of a SELECT; `total` when ORDER BY leaves no two different rows in either order."""

    rows: list
    total: bool


def arranged(select, names, found, value):
    """Return the solutions of SELECT, ordered, projected to `names`, without duplicates, sliced."""
    keyed = [(keys(select.order, one, value), project(one, names)) for one in found]
    comparable = all(map(is_comparable, zip(*(key for key, _ in keyed), strict=True)))
    if comparable:
        for place in reversed(range(len(select.order))):
            keyed.sort(key=lambda pair: rank(pair[0][place]), reverse=select.order[place].descending)
    total = comparable and is_total(keyed)
    rows = [row for _, row in keyed]
    if select.duplicates == "DISTINCT":
        rows, whole = distinct(rows), rows
        # With duplicates apart, SPARQL does not say where the one that is kept stands.
        total = total and (
            len(rows) == len(whole)
            or rows == [row for i, row in enumerate(whole) if not i or row != whole[i - 1]]
        )
    return sliced(select, rows, total=total)


def sliced(select, rows, *, total):
    end = len(rows) if select.limit is None else select.offset + select.limit
    part = rows[select.offset : end]
    decided = total or len(part) in (0, len(rows)) or all(row == rows[0] for row in rows)
    if not decided or (select.duplicates == "REDUCED" and len(part) < len(rows)):
        raise UndeterminedError
    return Ordered(part, total)


def keys(order, solution, value):
    return tuple(order_key(value(key.expression, solution).get("")) for key in order)


def rank(key):
    """Numbers of all types are compared as they are; kinds never meet in one column."""
    return key[0], key[2]


def is_total(keyed):
    return all(one[0] != other[0] or one[1] == other[1] for one, other in pairwise(keyed))


def project(solution, names):
    return {name: solution[name] for name in names if name in solution}


def distinct(rows):
    found = []
    for row in rows:
        if row not in found:
            found.append(row)
    return found
