"""What is made as small as it can be while it still holds: items left out, or other items in their place."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def fewest_enough(items: Sequence[Item], enough: Callable[[Sequence[Item]], bool]) -> tuple[Item, ...]:
    """Return some of the items that are enough, left out the last first.

    Each of these is needed if more items are enough whenever fewer are; else some may not be.

    >>> fewest_enough([1, 2, 3, 4], lambda kept: sum(kept) >= 4)
    (1, 3)
    """
    kept = tuple(items)
    for item in reversed(items):
        fewer = tuple(other for other in kept if other != item)
        if enough(fewer):
            kept = fewer
    return kept


def minimal(items: Sequence[Item], holds: Callable[[Sequence[Item]], bool]) -> list[Item]:
    """Return some of the items for which it holds still (Zeller, 2002).

    Each of these is needed if it holds of more items whenever it holds of fewer; else some may not be.

    >>> minimal(range(100), lambda some: {3, 97} <= set(some))
    [3, 97]
    """
    kept, size = list(items), max(1, len(items) // 2)
    while kept:
        tried = 0
        while tried < len(kept):
            rest = kept[:tried] + kept[tried + size :]
            if holds(rest):
                kept = rest
            else:
                tried += size
        if size == 1:
            break
        size = max(1, size // 2)
    return kept


def made_small(
    item: Item,
    neighbours: Callable[[Item], Iterator[Item]],
    size: Callable[[Item], tuple[float, ...]],
    keeps: Callable[[Item], bool],
) -> Item:
    """Return an item that is kept, of which no smaller neighbour is.

    `keeps` may become False for all once no time is left.

    >>> made_small(12, lambda n: iter((n // 2, n - 1)), lambda n: (n,), lambda n: n % 3 == 0)
    3
    """
    tried: set[Item] = set()

    def smaller(now: Item) -> Item | None:
        for other in neighbours(now):
            if other not in tried and size(other) < size(now):
                tried.add(other)
                if keeps(other):
                    return other
        return None

    while (found := smaller(item)) is not None:
        item = found
    return item
