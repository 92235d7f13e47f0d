"""The joined mappings whose triples are all still in the buffers, as triples come and go."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from agreement.engines.cqels_buffers import Entry
from agreement.engines.cqels_plan import Joined


@dataclass(slots=True)
class Live:
    """The mappings of now in the order in which they came; `added` and `removed` since the last `settle`."""

    now: dict[Joined, None] = field(default_factory=dict)
    added: list[Joined] = field(default_factory=list)
    removed: list[Joined] = field(default_factory=list)
    _by_entry: dict[Entry, list[Joined]] = field(default_factory=dict)

    def add(self, found: Iterable[Joined]) -> None:
        """Add mappings."""
        for one in found:
            self.now[one] = None
            self.added.append(one)
            for entry in set(one.entries):
                self._by_entry.setdefault(entry, []).append(one)

    def drop(self, entries: Iterable[Entry]) -> None:
        """Remove the mappings that are made of an entry."""
        for entry in entries:
            for one in self._by_entry.pop(entry, ()):
                if one in self.now:
                    del self.now[one]
                    self.removed.append(one)

    @property
    def changed(self) -> bool:
        """Whether a mapping was added or removed since the last `settle`."""
        return bool(self.added or self.removed)

    def settle(self) -> None:
        """Forget what was added and removed."""
        self.added.clear()
        self.removed.clear()
