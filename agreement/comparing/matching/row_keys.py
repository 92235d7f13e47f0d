"""What equal rows have in common: keys; of very many rows their numbers, in columns."""

from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from math import inf, isfinite, isnan
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from agreement.documents.recordings import RowNumbers, RowsByNumber, as_lexical
from solver.columns import Array, Mask, Numbering
from solver.facts import Row, constant_of
from solver.rdf import value

Key = tuple[Hashable, ...]
Close = Callable[[Hashable, Hashable], bool]
Number = int | Decimal | float
Doubles = npt.NDArray[np.float64]
_ROUNDED: Final = 1e-9
"""By such a share a number counts as near in columns though it may not be: it is compared by itself then."""


def row_key(row: Row, *, lexical: bool = False) -> Key:
    """Return what equal rows have in common: numbers and booleans by their value."""
    return tuple(_value(as_lexical(text) if lexical else text) for text in row)


@lru_cache(maxsize=2**16)
def _value(text: str | None) -> Hashable:
    """Return a number, a boolean as a pair (True is no 1), or the text; NaN, which equals nothing, too."""
    if text is None or not text.startswith('"') or "^^" not in text:
        return text
    number = value(constant_of(text))
    if isinstance(number, bool):
        return "boolean", number
    if isinstance(number, float) and isnan(number):
        return text
    return number if isinstance(number, int | Decimal | float) else text


def close(one: Hashable, other: Hashable, tolerance: float) -> bool:
    """Return whether two parts of keys count as equal."""
    if one == other:
        return True
    if not isinstance(one, int | Decimal | float) or not isinstance(other, int | Decimal | float):
        return False
    if isinstance(one, int) and isinstance(other, int):
        return False
    mine, yours = double(one), double(other)
    if isfinite(mine) and isfinite(yours):
        return abs(mine - yours) <= tolerance * max(abs(mine), abs(yours))
    exact = Decimal(one), Decimal(other)
    if not all(number.is_finite() for number in exact):
        return False
    return abs(exact[0] - exact[1]) <= Decimal(tolerance) * max(map(abs, exact))


def double(number: Number) -> float:
    """Return a number as a double; one beyond the doubles is infinite."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def is_number(part: Hashable) -> bool:
    """Return whether a part of a key is a number."""
    return isinstance(part, int | Decimal | float)


class _Parts(dict[str | None, Hashable]):
    """What equal terms have in common, each computed once."""

    def __init__(self, *, lexical: bool) -> None:
        self.lexical = lexical

    def __missing__(self, text: str | None) -> Hashable:
        (self[text],) = row_key((text,), lexical=self.lexical)
        return self[text]


class RowKeys:
    """The keys of rows that one dictionary numbers, as numbers: equal keys have one."""

    def __init__(self, *, lexical: bool) -> None:
        self._parts = _Parts(lexical=lexical)
        self._keys: Numbering[Key] = Numbering()
        self._numbers = np.empty(0, np.int64)
        self._blank: list[int] = []
        self._numeric: list[tuple[int, Number]] = []
        self._fractions: set[Number] = set()
        """The numbers that some term gives otherwise than as an integer."""
        self._lone: dict[tuple[float, int], Mask] = {}

    def of(self, rows: RowsByNumber) -> Array:
        """Return the number of each row's key."""
        self._grow(rows.of)
        return self._numbers[rows.numbers]

    def lone(self, rows: RowsByNumber, tolerance: float) -> Mask:
        """Return which rows count as equal to none but those of their own key, whatever others there are."""
        keys, now = self.of(rows), (tolerance, len(rows.of))
        if now not in self._lone:
            self._lone = {now: self._alone(tolerance)}
        return self._lone[now][keys]

    def _grow(self, of: RowNumbers) -> None:
        if len(self._numbers) == len(of):
            return
        rows, before = of.rows[len(self._numbers) :], len(self._keys)
        keys = [tuple(map(self._parts.__getitem__, row)) for row in rows]
        self._numbers = np.concatenate((self._numbers, [self._keys[key] for key in keys]))
        self._fractions.update(part for key in keys for part in key if isinstance(part, Decimal | float))
        for number, key in enumerate(islice(self._keys, before, None), before):
            if any(isinstance(part, str) and part.startswith("_:") for part in key):
                self._blank.append(number)
            self._numeric += ((number, part) for part in key if isinstance(part, int | Decimal | float))

    def _alone(self, tolerance: float) -> Mask:
        mask = np.ones(len(self._keys), np.bool_)
        mask[self._blank] = False
        if self._numeric:
            values = {value: place for place, value in enumerate({value for _, value in self._numeric})}
            near = _near_others(list(values), [value in self._fractions for value in values], tolerance)
            owners, places = zip(*((owner, values[value]) for owner, value in self._numeric), strict=True)
            mask[np.array(owners)[near[np.array(places)]]] = False
        return mask


def _near_others(values: Sequence[Number], fractional: Sequence[bool], tolerance: float) -> Mask:
    """Return which numbers are near another one, or may be: an integer is near none but fractions.

    What is near any other number is near its neighbour too.
    """
    doubles = np.array(list(map(double, values)), np.float64)
    order = np.argsort(doubles)
    ascending, parts = doubles[order], np.array(fractional, np.bool_)[order]
    neighbours = _may_be_near(ascending[:-1], ascending[1:], tolerance)
    near: Mask = np.zeros(len(order), np.bool_)
    near[order] = parts & (np.append(neighbours, False) | np.insert(neighbours, 0, False))
    fractions = ascending[parts]
    for side in (0, 1) if len(fractions) else ():
        places = np.searchsorted(fractions, ascending) - side
        others = fractions[np.clip(places, 0, len(fractions) - 1)]
        near[order] |= ~parts & _may_be_near(ascending, others, tolerance)
    return near


def _may_be_near(ones: Doubles, others: Doubles, tolerance: float) -> Mask:
    with np.errstate(invalid="ignore", over="ignore"):
        greatest = np.maximum(np.abs(ones), np.abs(others))
        apart: Mask = np.abs(ones - others) > (tolerance + _ROUNDED) * greatest
    # What is no number here, as infinity less infinity, is not known to be apart.
    return ~apart


_KEYS: Final = WeakKeyDictionary[RowNumbers, dict[bool, RowKeys]]()
"""What is known of rows lives as long as their numbers, and holds none of them."""


def keys_of(rows: RowNumbers, *, lexical: bool) -> RowKeys:
    """Return the keys of numbered rows: they grow with the rows, and are computed once for each."""
    known = _KEYS.setdefault(rows, {})
    if lexical not in known:
        known[lexical] = RowKeys(lexical=lexical)
    return known[lexical]
