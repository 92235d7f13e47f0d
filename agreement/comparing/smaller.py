"""Minimize an item, such as a query: remove or replace its parts as long as a property holds."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def fewest_enough(items: Sequence[Item], enough: Callable[[Sequence[Item]], bool]) -> tuple[Item, ...]:
    """Return a minimal selection of items for which `enough` is true; the last items are removed first.

    Minimal means: if one item of the selection is removed, `enough` is false for the remaining items.
    >>> fewest_enough([1, 2, 3, 4], lambda kept: sum(kept) >= 4)
    (1, 3)
    """
    kept = tuple(items)
    for place in reversed(range(len(items))):
        fewer = kept[:place] + kept[place + 1 :]
        if enough(fewer):
            kept = fewer
    # An item needed together with a removed one may now be removable.
    return kept if len(kept) == len(items) else fewest_enough(kept, enough)


def made_small(
    item: Item,
    neighbours: Callable[[Item], Iterator[Item]],
    size: Callable[[Item], tuple[float, ...]],
    keeps: Callable[[Item], bool],
) -> Item:
    """Replace an item by smaller neighbors while `keeps` is true; return the last item.

    `keeps` is true for the result, and false for all its smaller neighbors. After a time limit, `keeps`
    may return false for all items.
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
