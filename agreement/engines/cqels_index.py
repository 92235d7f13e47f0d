"""Solution mappings, and finding those that are compatible with one by a hash of what they share."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from lars.terms import Variable

Solution = Mapping[Variable, str]
"""What a solution binds, each to the canonical text of its term; terms join when their texts are equal."""


class Found(Protocol):
    """Something that can be joined by what it binds."""

    @property
    def binds(self) -> Solution:
        """What it binds."""
        ...


T = TypeVar("T", bound=Found)


def compatible(one: Solution, other: Solution) -> bool:
    """Whether what both bind is equal."""
    return all(other.get(name, term) == term for name, term in one.items())


@dataclass(slots=True)
class Index(Generic[T]):
    """Items in the order in which they were put in, found by the values of any variables.

    `names` are the variables that every item binds.
    """

    names: frozenset[Variable]
    items: dict[T, None] = field(default_factory=dict)
    _places: dict[tuple[Variable, ...], dict[tuple[str, ...], dict[T, None]]] = field(default_factory=dict)

    def put(self, item: T) -> None:
        """Add an item behind all others."""
        self.items[item] = None
        for names, place in self._places.items():
            place.setdefault(_key(item, names), {})[item] = None

    def remove(self, item: T) -> None:
        """Take out an item that is in."""
        del self.items[item]
        for names, place in self._places.items():
            del place[_key(item, names)][item]

    def matching(self, solution: Solution, shared: tuple[Variable, ...]) -> Iterable[T]:
        """Return the items that are compatible with a solution; `shared` are all that both can bind."""
        names = tuple(name for name in shared if name in solution and name in self.names)
        if not names:
            found: Iterable[T] = self.items
        else:
            place = self._places.get(names)
            found = (self._indexed(names) if place is None else place).get(
                tuple(solution[name] for name in names), {}
            )
        # A variable that some items or the solution leave unbound is compatible with everything.
        return found if len(names) == len(shared) else self._checked(found, solution)

    def _checked(self, found: Iterable[T], solution: Solution) -> Iterator[T]:
        return (item for item in found if compatible(item.binds, solution))

    def _indexed(self, names: tuple[Variable, ...]) -> dict[tuple[str, ...], dict[T, None]]:
        place = self._places.setdefault(names, {})
        for item in self.items:
            place.setdefault(_key(item, names), {})[item] = None
        return place


def _key(item: Found, names: tuple[Variable, ...]) -> tuple[str, ...]:
    return tuple(item.binds[name] for name in names)
