"""How many rows two answers share: numbers by value, blank nodes up to names, the most pairs."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache, partial
from itertools import chain
from math import inf, isfinite, isnan
from typing import Final

from agreement.comparing.matching.blank_nodes import renamed
from agreement.documents.recordings import Row, as_lexical
from agreement.documents.requests import TOLERANCE
from solver.facts import constant_of
from solver.rdf import value
from translate.model.query import Semantics

Key = tuple[Hashable, ...]
Close = Callable[[Hashable, Hashable], bool]
_NUMBER: Final = object()


def paired(expected: Sequence[Key], actual: Sequence[Key], close: Close) -> dict[int, int]:
    """Return which actual key each expected one goes with, by their places; no more pairs are possible.

    Equal keys come first. Where numbers are near several others, pairs are changed until none can be
    added (Berge 1957).
    """
    found = _equal(expected, actual)
    left = [place for place, key in enumerate(expected) if place not in found and _has_number(key)]
    if not left or len(found) == len(actual):
        return found
    near = _Near(actual, close)
    taken = {other: place for place, other in found.items()}
    for place in left:
        _add(place, found, taken, lambda one: near.of(expected[one]))
    return found


def _equal(expected: Sequence[Key], actual: Sequence[Key]) -> dict[int, int]:
    places: dict[Key, deque[int]] = defaultdict(deque)
    for place, key in enumerate(actual):
        places[key].append(place)
    return {place: places[key].popleft() for place, key in enumerate(expected) if places.get(key)}


def _add(
    start: int, found: dict[int, int], taken: dict[int, int], near: Callable[[int], Sequence[int]]
) -> None:
    """Find a partner for `start`, others that have one moving on where that is needed."""
    came: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        one = waiting.popleft()
        for other in near(one):
            if other in came:
                continue
            came[other] = one
            if other not in taken:
                _move(other, came, found, taken)
                return
            waiting.append(taken[other])


def _move(free: int, came: dict[int, int], found: dict[int, int], taken: dict[int, int]) -> None:
    other: int | None = free
    while other is not None:
        one = came[other]
        taken[other] = one
        before = found.get(one)
        found[one] = other
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
        found = (place for _, place in own[low:high])
        return [place for place in found if all(map(self.close, key, self.keys[place]))]

    def _ends(self, own: list[tuple[float, int]], number: float) -> tuple[int, int]:
        """Return the part of a sorted list outside of which nothing is near."""
        low = bisect_left(own, (number, -1))
        high = bisect_right(own, (number, len(self.keys)))
        while low and self.close(own[low - 1][0], number):
            low -= 1
        while high < len(own) and self.close(own[high][0], number):
            high += 1
        return low, high


def _is_number(part: Hashable) -> bool:
    return isinstance(part, int | Decimal | float)


def _has_number(key: Key) -> bool:
    return any(map(_is_number, key))


def _shape(key: Key) -> Key:
    return tuple(_NUMBER if _is_number(part) else part for part in key)


def _first(key: Key) -> float:
    """Return the first number of a key as a double."""
    return _double(next(part for part in key if isinstance(part, int | Decimal | float)))


def _double(number: Decimal | float) -> float:
    """Return a number as a double; one beyond the doubles is infinite."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


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

    shared: tuple[Row, ...] = ()
    missing: tuple[Row, ...] = ()
    extra: tuple[Row, ...] = ()

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


def joined(found: Sequence[RowMatch]) -> RowMatch:
    """Return several matches as one."""
    return RowMatch(
        tuple(row for one in found for row in one.shared),
        tuple(row for one in found for row in one.missing),
        tuple(row for one in found for row in one.extra),
    )


def matched(expected: Sequence[Row], actual: Sequence[Row], how: Likeness) -> RowMatch:
    """Return how the actual rows match the expected ones: as many pairs as there can be.

    Blank nodes are renamed, each to one of its own, where that turns one answer into the other; else
    as their rows without them suggest.
    """
    if not how.lexical and _are_plain(expected) and _are_plain(actual):
        return _matched_as_they_are(expected, actual, how)
    return matched_by_keys(expected, actual, how)


def _are_plain(rows: Sequence[Row]) -> bool:
    """Return whether each term of the rows equals no other."""
    return all(map(_is_plain, set(chain.from_iterable(rows))))


@lru_cache(maxsize=2**16)
def _is_plain(text: str | None) -> bool:
    return text is None or (not text.startswith("_:") and isinstance(_value(text), str))


def _matched_as_they_are(expected: Sequence[Row], actual: Sequence[Row], how: Likeness) -> RowMatch:
    """Return how rows match whose terms equal no others: of equal ones the first come first."""
    if how.semantics is Semantics.SET:
        expected, actual = (tuple(dict.fromkeys(reversed(rows)))[::-1] for rows in (expected, actual))
    ours, theirs = frozenset(expected), frozenset(actual)
    if len(ours) < len(expected) or len(theirs) < len(actual):
        shared, missing = _parted(expected, Counter(actual))
        return RowMatch(shared, missing, _parted(actual, Counter(expected))[1])
    missing = tuple(row for row in expected if row not in theirs)
    shared = tuple(row for row in expected if row in theirs) if missing else tuple(expected)
    return RowMatch(shared, missing, tuple(row for row in actual if row not in ours))


def _parted(rows: Sequence[Row], others: Counter[Row]) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Return the rows that are among the others, each as often as there, and the rest."""
    among: list[Row] = []
    rest: list[Row] = []
    for row in rows:
        others[row] -= 1
        (rest if others[row] < 0 else among).append(row)
    return tuple(among), tuple(rest)


def matched_by_keys(expected: Sequence[Row], actual: Sequence[Row], how: Likeness) -> RowMatch:
    """Return how rows match whatever their terms are: `matched` without its shorter way."""
    if how.semantics is Semantics.SET:
        expected, actual = _distinct(expected, how), _distinct(actual, how)
    alike = partial(close, tolerance=how.tolerance)
    keys, others = ([row_key(row, how) for row in rows] for rows in (expected, actual))
    pairs = paired(keys, renamed(keys, others, alike), alike)
    taken = set(pairs.values())
    missing = tuple(row for place, row in enumerate(expected) if place not in pairs)
    extra = tuple(row for place, row in enumerate(actual) if place not in taken)
    shared = tuple(row for place, row in enumerate(expected) if place in pairs)
    return RowMatch(shared, missing, extra)


def _distinct(rows: Iterable[Row], how: Likeness) -> list[Row]:
    return list({row_key(row, how): row for row in reversed(list(rows))}.values())[::-1]


def row_key(row: Row, how: Likeness) -> Key:
    """Return what equal rows have in common: numbers and booleans by their value."""
    return tuple(_value(as_lexical(text) if how.lexical else text) for text in row)


@lru_cache(maxsize=2**16)
def _value(text: str | None) -> Hashable:
    """Return a number, a boolean as a pair (True is no 1), or the text; NaN, which equals nothing, too."""
    if text is None or not text.startswith('"') or "^^" not in text:
        return text
    found = value(constant_of(text))
    if isinstance(found, bool):
        return "boolean", found
    if isinstance(found, float) and isnan(found):
        return text
    return found if isinstance(found, int | Decimal | float) else text


def close(one: Hashable, other: Hashable, tolerance: float) -> bool:
    """Return whether two parts of keys count as equal."""
    if one == other:
        return True
    if not isinstance(one, int | Decimal | float) or not isinstance(other, int | Decimal | float):
        return False
    if isinstance(one, int) and isinstance(other, int):
        return False
    mine, yours = _double(one), _double(other)
    if isfinite(mine) and isfinite(yours):
        return abs(mine - yours) <= tolerance * max(abs(mine), abs(yours))
    exact = Decimal(one), Decimal(other)
    if not all(number.is_finite() for number in exact):
        return False
    return abs(exact[0] - exact[1]) <= Decimal(tolerance) * max(map(abs, exact))
