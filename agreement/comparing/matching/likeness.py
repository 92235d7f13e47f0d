"""How many rows two answers share: numbers by value, blank nodes up to names, the most pairs."""

from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from agreement.comparing.matching.blank_nodes import rename_blanks
from agreement.comparing.matching.row_keys import (
    Close,
    Key,
    Number,
    close,
    double,
    is_number,
    keys_of,
    row_key,
)
from agreement.documents.recordings import RowNumbers, RowsByNumber, together
from agreement.documents.requests import TOLERANCE
from solver.columns import Array, Mask
from solver.facts import Row
from translate.model.query import Semantics

_FEW: Final = 64
"""So few rows are sooner compared one by one."""
_MARKS: Final = 32
"""A table of so many counts for each row is cheaper than sorting the rows."""
_NUMBER: Final = object()


def pair_rows(expected: Sequence[Key], actual: Sequence[Key], close: Close) -> dict[int, int]:
    """Return which actual key each expected one goes with, by their places; no more pairs are possible.

    Equal keys come first. Where numbers are near several others, pairs are changed until none can be
    added (Berge 1957).
    """
    pairs = _equal(expected, actual)
    left = [place for place, key in enumerate(expected) if place not in pairs and _has_number(key)]
    if not left or len(pairs) == len(actual):
        return pairs
    near = _Near(actual, close)
    taken = {other: place for place, other in pairs.items()}
    for place in left:
        _add(place, pairs, taken, lambda number: near.of(expected[number]))
    return pairs


def _equal(expected: Sequence[Key], actual: Sequence[Key]) -> dict[int, int]:
    places: dict[Key, deque[int]] = defaultdict(deque)
    for place, key in enumerate(actual):
        places[key].append(place)
    return {place: places[key].popleft() for place, key in enumerate(expected) if places.get(key)}


def _add(
    start: int, pairs: dict[int, int], taken: dict[int, int], near: Callable[[int], Sequence[int]]
) -> None:
    """Find a partner for `start`, others that have one moving on where that is needed."""
    came: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        place = waiting.popleft()
        for other in near(place):
            if other in came:
                continue
            came[other] = place
            if other not in taken:
                _move(other, came, pairs, taken)
                return
            waiting.append(taken[other])


def _move(free: int, came: dict[int, int], pairs: dict[int, int], taken: dict[int, int]) -> None:
    other: int | None = free
    while other is not None:
        place = came[other]
        taken[other] = place
        before = pairs.get(place)
        pairs[place] = other
        other = before


class _Near:
    """The keys that differ in numbers alone, by their first number."""

    def __init__(self, keys: Sequence[Key], close: Close) -> None:
        self.keys, self.close = keys, close
        self.places: dict[Key, list[tuple[float, int]]] = defaultdict(list)
        for place, key in enumerate(keys):
            if _has_number(key):
                self.places[_shape(key)].append((_first(key), place))
        for places in self.places.values():
            places.sort()

    def of(self, key: Key) -> list[int]:
        """Return the places of the keys that are near this one."""
        own = self.places.get(_shape(key), [])
        low, high = self._ends(own, _first(key))
        places = (place for _, place in own[low:high])
        return [place for place in places if all(map(self.close, key, self.keys[place]))]

    def _ends(self, own: list[tuple[float, int]], number: float) -> tuple[int, int]:
        """Return the part of a sorted list outside of which nothing is near."""
        low = bisect_left(own, (number, -1))
        high = bisect_right(own, (number, len(self.keys)))
        while low and self.close(own[low - 1][0], number):
            low -= 1
        while high < len(own) and self.close(own[high][0], number):
            high += 1
        return low, high


def _has_number(key: Key) -> bool:
    return any(map(is_number, key))


def _shape(key: Key) -> Key:
    return tuple(_NUMBER if is_number(part) else part for part in key)


def _first(key: Key) -> float:
    """Return the first number of a key as a double."""
    return double(next(part for part in key if isinstance(part, Number)))


@dataclass(frozen=True, slots=True)
class Likeness:
    """How rows are compared: as a multiset or a set, with a tolerance, or by lexical forms alone.

    Two integers are never near each other: they are equal or not. `lexical` is for formats that lose
    what kind of term a value is (SPARQL 1.1 CSV).
    """

    semantics: Semantics = Semantics.BAG
    tolerance: float = TOLERANCE
    lexical: bool = False


@dataclass(frozen=True, slots=True)
class RowMatch:
    """The rows that two answers share, as expected, those that are missing, and those that are extra."""

    shared: Sequence[Row] = ()
    missing: Sequence[Row] = ()
    extra: Sequence[Row] = ()

    @property
    def common(self) -> int:
        """How many rows they share."""
        return len(self.shared)

    @property
    def equal(self) -> bool:
        """Whether the answers are the same."""
        return not self.missing and not self.extra

    @property
    def expected(self) -> int:
        """How many rows are expected."""
        return self.common + len(self.missing)

    @property
    def actual(self) -> int:
        """How many rows are reported."""
        return self.common + len(self.extra)

    @property
    def precision(self) -> float:
        """The share of the reported rows that are right; 1 where none is reported."""
        return share(self.common, self.actual)

    @property
    def recall(self) -> float:
        """The share of the right rows that are reported; 1 where there is none."""
        return share(self.common, self.expected)

    @property
    def score(self) -> float:
        """The harmonic mean of precision and recall; 1 without rows."""
        return share(2 * self.common, self.expected + self.actual)


def share(part: int, whole: int) -> float:
    """Return a part of a whole; 1 where there is nothing."""
    return part / whole if whole else 1.0


def join_rows(matches: Sequence[RowMatch]) -> RowMatch:
    """Return several matches as one."""
    return RowMatch(
        together([match.shared for match in matches]),
        together([match.missing for match in matches]),
        together([match.extra for match in matches]),
    )


def match_rows(expected: Sequence[Row], actual: Sequence[Row], how: Likeness) -> RowMatch:
    """Return how the actual rows match the expected ones: as many pairs as there can be.

    Blank nodes are renamed, each to one of its own, where that turns one answer into the other; else
    as their rows without them suggest.
    """
    if len(expected) + len(actual) < _FEW:
        return matched_by_keys(tuple(expected), tuple(actual), how)
    known = next((rows.of for rows in (expected, actual) if isinstance(rows, RowsByNumber)), RowNumbers())
    return _by_numbers(known.numbered(expected), known.numbered(actual), how)


def _by_numbers(expected: RowsByNumber, actual: RowsByNumber, how: Likeness) -> RowMatch:
    """Return how rows match: those that equal none but their own kind as numbers, the others by keys."""
    keys = keys_of(expected.of, lexical=how.lexical)
    if how.semantics is Semantics.SET:
        expected, actual = (rows.chosen(_first_of_each(keys.of(rows))) for rows in (expected, actual))
    if np.array_equal(expected.numbers, actual.numbers):
        return RowMatch(expected)
    lone = [keys.lone(rows, how.tolerance) for rows in (expected, actual)]
    others = [np.flatnonzero(~mask) for mask in lone]
    shared, known = _in_common(keys.of(expected), keys.of(actual))
    shared, known = shared & lone[0], known & lone[1]
    if len(others[0]) and len(others[1]):
        pairs = _pairs(expected.chosen(others[0]), actual.chosen(others[1]), how)
        shared[others[0][list(pairs)]] = True
        known[others[1][list(pairs.values())]] = True
    return RowMatch(expected.chosen(shared), expected.chosen(~shared), actual.chosen(~known))


def _first_of_each(keys: Array) -> Array:
    """Return the place of the first of equal keys, in the order of the last ones of them."""
    _, first = np.unique(keys, return_index=True)
    _, last = np.unique(keys[::-1], return_index=True)
    return first[np.argsort(-last)]


def _in_common(ours: Array, theirs: Array) -> tuple[Mask, Mask]:
    """Return which keys the other side has as well, each as often as there: the first of equal ones."""
    sides, room = (ours, theirs), 1 + max(ours.max(initial=0), theirs.max(initial=0))
    if room > _MARKS * (len(ours) + len(theirs)):
        distinct, both = np.unique(np.concatenate(sides), return_inverse=True)
        sides, room = (both[: len(ours)], both[len(ours) :]), len(distinct)
    counts = [np.bincount(side, minlength=room) for side in sides]
    if max(int(count.max(initial=0)) for count in counts) <= 1:
        return counts[1][sides[0]] > 0, counts[0][sides[1]] > 0
    return _nth(sides[0]) < counts[1][sides[0]], _nth(sides[1]) < counts[0][sides[1]]


def _nth(keys: Array) -> Array:
    """Return how many equal keys come before each."""
    order = np.argsort(keys, kind="stable")
    ascending = keys[order]
    numbers = np.empty_like(order)
    numbers[order] = np.arange(len(keys)) - np.searchsorted(ascending, ascending)
    return numbers


def matched_by_keys(expected: Sequence[Row], actual: Sequence[Row], how: Likeness) -> RowMatch:
    """Return how rows match one by one: `matched` without its way for many rows."""
    if how.semantics is Semantics.SET:
        expected, actual = _distinct(expected, how), _distinct(actual, how)
    pairs = _pairs(expected, actual, how)
    taken = set(pairs.values())
    missing = tuple(row for place, row in enumerate(expected) if place not in pairs)
    extra = tuple(row for place, row in enumerate(actual) if place not in taken)
    shared = tuple(row for place, row in enumerate(expected) if place in pairs)
    return RowMatch(shared, missing, extra)


def _pairs(expected: Sequence[Row], actual: Sequence[Row], how: Likeness) -> dict[int, int]:
    alike = partial(close, tolerance=how.tolerance)
    keys, others = ([row_key(row, lexical=how.lexical) for row in rows] for rows in (expected, actual))
    return pair_rows(keys, rename_blanks(keys, others, alike), alike)


def _distinct(rows: Iterable[Row], how: Likeness) -> list[Row]:
    return list({row_key(row, lexical=how.lexical): row for row in reversed(list(rows))}.values())[::-1]
