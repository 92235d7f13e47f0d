"""Pairs of equal or nearly equal keys: as many as there can be."""

from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from typing import Final

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
        return [place for _, place in own[low:high] if self._near(key, self.keys[place])]

    def _ends(self, own: list[tuple[float, int]], number: float) -> tuple[int, int]:
        """Return the part of a sorted list outside of which nothing is near."""
        low = bisect_left(own, (number, -1))
        high = bisect_right(own, (number, len(self.keys)))
        while low and self.close(own[low - 1][0], number):
            low -= 1
        while high < len(own) and self.close(own[high][0], number):
            high += 1
        return low, high

    def _near(self, one: Key, other: Key) -> bool:
        return all(self.close(mine, yours) for mine, yours in zip(one, other, strict=True))


def _is_number(part: Hashable) -> bool:
    return isinstance(part, int | Decimal | float)


def _has_number(key: Key) -> bool:
    return any(map(_is_number, key))


def _shape(key: Key) -> Key:
    return tuple(_NUMBER if _is_number(part) else part for part in key)


def _first(key: Key) -> float:
    """Return the first number of a key as a double; one beyond the doubles is infinite."""
    number = next(part for part in key if isinstance(part, int | Decimal | float))
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
