"""Minimize a set of items: find a subset that has a property, and loses it without any one item."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def minimal(items: Sequence[Item], holds: Callable[[Sequence[Item]], bool]) -> list[Item]:
    """Return items for which `holds` is true, but false after removing any one of them (Zeller, 2002).

    >>> minimal(range(100), lambda some: {3, 97} <= set(some))
    [3, 97]
    """
    kept, size = list(items), max(1, len(items) // 2)
    while kept:
        before, place = len(kept), 0
        while place < len(kept):
            rest = kept[:place] + kept[place + size :]
            if holds(rest):
                kept = rest
            else:
                place += size
        # An item needed together with a removed one may now be removable.
        if size == 1 and len(kept) == before:
            break
        size = max(1, size // 2)
    return kept
