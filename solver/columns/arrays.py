"""Columns of whole numbers, and one number for a row of several."""

from collections.abc import Sequence
from math import prod
from typing import Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
_GREATEST_KEY: Final = 2**62
_MARKS: Final = 32
"""A table of so many marks for each value is cheaper than sorting them."""


def keys(sides: Sequence[Sequence[Array]], lengths: Sequence[int], room: int) -> list[Array]:
    """Return a number for each row of each side: equal exactly for equal rows.

    All numbers times `room` fit in 63 bits.
    """
    most = _GREATEST_KEY // room
    found, size = [np.zeros(length, np.int64) for length in lengths], 1
    places = [(list(columns), _base(columns)) for columns in zip(*sides, strict=True)]
    if prod(base for _, base in places) > most:
        places = [_ranked(columns) for columns, _ in places]
    for columns, base in places:
        if size * base > most:
            found, size = _ranked(found)
        found = [key * base + column for key, column in zip(found, columns, strict=True)]
        size *= base
    return found if size <= most else _ranked(found)[0]


def among(values: Array, others: Array) -> Mask:
    """Return which values, none below 0, are among the others; only the fewer of them are sorted.

    >>> among(np.array([5, 3, 5, 9]), np.array([5, 7])).tolist()
    [True, False, True, False]
    """
    if not len(values) or not len(others):
        return np.zeros(len(values), np.bool_)
    found: Mask
    if (base := _base((values, others))) <= _MARKS * (len(values) + len(others)):
        marked = np.zeros(base, np.bool_)
        marked[others] = True
        found = marked[values]
        return found
    if len(others) < len(values):
        found = _in_sorted(values, np.sort(others))
        return found
    order = np.argsort(values)
    ascending = values[order]
    places = np.searchsorted(ascending, others)
    known = places[_in_sorted(others, ascending)]
    there = np.zeros(len(values), np.bool_)
    there[known] = True
    found = np.empty_like(there)
    found[order] = there[np.searchsorted(ascending, ascending)]
    return found


def distinct(values: Array) -> Array:
    """Return each of the values once, ascending; numpy's own way loads masked arrays first.

    >>> distinct(np.array([5, 3, 5])).tolist()
    [3, 5]
    """
    ascending = np.sort(values)
    return ascending[np.concatenate(([True], ascending[1:] != ascending[:-1]))[: len(ascending)]]


def distinct_pairs(one: Array, other: Array) -> tuple[Array, Array]:
    """Return each pair of values, none below 0, that stands in a row of both columns once.

    >>> distinct_pairs(np.array([7, 2, 7]), np.array([1, 1, 1]))
    (array([2, 7]), array([1, 1]))
    """
    sides = []
    for column in (one, other):
        (ranks,), count = _ranked([column])
        values = np.empty(count, np.int64)
        values[ranks] = column
        sides.append((ranks, values))
    (first, firsts), (second, seconds) = sides
    key = first * len(seconds) + second
    if len(firsts) * len(seconds) <= _MARKS * len(key):
        marked = np.zeros(len(firsts) * len(seconds), np.bool_)
        marked[key] = True
        pairs = np.flatnonzero(marked)
    else:
        pairs = distinct(key)
    places, others = np.divmod(pairs, len(seconds)) if len(key) else (pairs, pairs)
    return firsts[places], seconds[others]


def _in_sorted(values: Array, ascending: Array) -> Mask:
    places = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    return np.equal(ascending[places], values)


def _base(columns: Sequence[Array]) -> int:
    return 1 + max(int(column.max(initial=0)) for column in columns)


def _ranked(columns: Sequence[Array]) -> tuple[list[Array], int]:
    """Return the numbers replaced by their ranks among all of them, and how many there are."""
    base, rows = _base(columns), sum(map(len, columns))
    if base <= 6 * rows:
        # Marks in a table are cheaper than sorting.
        used = np.zeros(base, np.bool_)
        for column in columns:
            used[column] = True
        values, ranks = np.flatnonzero(used), np.empty(base, np.int64)
        ranks[values] = np.arange(len(values))
        return [ranks[column] for column in columns], len(values)
    distinct, ranks = np.unique(np.concatenate(columns), return_inverse=True)
    borders = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(ranks.astype(np.int64), borders), len(distinct)
