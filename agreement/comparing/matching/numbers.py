"""Numbers of rows: as doubles, and the nearest of several numbers that counts as equal to a number."""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf

Close = Callable[[Hashable, Hashable], bool]
"""A function that returns whether two parts of keys count as equal."""
Number = int | Decimal | float


def double(number: Number) -> float:
    """Return a number as a double; numbers beyond the range of doubles become infinite."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def nearest_close(known: Sequence[Number], number: Number, close: Close) -> Number | None:
    """Return the nearest of the ascending numbers that is close to a number; None without one."""
    place = bisect_left(known, number)
    ways = range(place, len(known)), range(place - 1, -1, -1)
    found = [near for way in ways if (near := _first_close(known, way, number, close)) is not None]
    return min(found, key=lambda other: abs(Fraction(other) - Fraction(number)), default=None)


def _first_close(known: Sequence[Number], places: range, number: Number, close: Close) -> Number | None:
    for place in places:
        if close(known[place], number):
            return known[place]
        # Two integers are close only if they are equal, but a fraction behind an integer can be close.
        if not close(double(known[place]), double(number)):
            return None
    return None
