"""Q1 and Q3: the buffer of a triple pattern, what is dropped from it when, and finding what joins.

A window of L shows [now - L, now], both ends included; times are milliseconds.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Generic, TypeVar

from agreement.documents.recordings import Push
from agreement.engines.cqels.query_text import StreamTriple
from lars.language.terms import Variable
from solver.facts import Triple
from translate.model.windows import Now, Range, Rows, Unbounded

TextSolution = Mapping[Variable, str]
"""What a solution binds, each to the canonical text of its term; terms join when their texts are equal."""


@dataclass(frozen=True, slots=True, eq=False)
class BufferedTriple:
    """A triple in a buffer, and what its pattern binds; `position` counts the triples of its stream."""

    t: float
    stream: str
    triple: Triple
    position: int
    binds: TextSolution

    @property
    def entries(self) -> tuple["BufferedTriple"]:
        """What it is made of, as of a joined mapping."""
        return (self,)


@dataclass(frozen=True, slots=True, eq=False)
class JoinedMapping:
    """A joined mapping and the entries that it is made of: none where it is one of a static element."""

    binds: TextSolution
    entries: tuple[BufferedTriple, ...] = ()


T = TypeVar("T", BufferedTriple, JoinedMapping)


def compatible(one: TextSolution, other: TextSolution) -> bool:
    """Whether what both bind is equal."""
    return all(other.get(name, term) == term for name, term in one.items())


@dataclass(slots=True, eq=False)
class HashIndex(Generic[T]):
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

    def matching(self, solution: TextSolution, shared: tuple[Variable, ...]) -> Iterable[T]:
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

    def _checked(self, found: Iterable[T], solution: TextSolution) -> Iterator[T]:
        return (item for item in found if compatible(item.binds, solution))

    def _indexed(self, names: tuple[Variable, ...]) -> dict[tuple[str, ...], dict[T, None]]:
        place = self._places.setdefault(names, {})
        for item in self.items:
            place.setdefault(_key(item, names), {})[item] = None
        return place


def _key(item: BufferedTriple | JoinedMapping, names: tuple[Variable, ...]) -> tuple[str, ...]:
    return tuple(item.binds[name] for name in names)


@dataclass(slots=True)
class CqelsBuffer:
    """What a triple pattern holds, the oldest first; `start` is when the slide began that is running."""

    triple: StreamTriple
    index: HashIndex[BufferedTriple] = field(init=False)
    start: float | None = None
    _by_triple: dict[tuple[str, Triple], BufferedTriple] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.index = HashIndex(self.triple.variables)

    def put(self, entry: BufferedTriple) -> None:
        """Insert an entry as the newest."""
        self.index.put(entry)
        self._by_triple[entry.stream, entry.triple] = entry

    def take(self, entries: list[BufferedTriple]) -> None:
        """Drop entries."""
        for entry in entries:
            self.index.remove(entry)
            if self._by_triple.get((entry.stream, entry.triple)) is entry:
                del self._by_triple[entry.stream, entry.triple]

    def equal(self, push: Push) -> list[BufferedTriple]:
        """Return the newest entry of a pushed triple, if the buffer has one."""
        found = self._by_triple.get((push.stream, push.triple))
        return [] if found is None else [found]

    def leaving(
        self, now: float, counts: Mapping[str, int], *, own: bool, slides: bool
    ) -> list[BufferedTriple]:
        """Return what the window drops at a time.

        [TRIPLES n] shows the newest n triples of the stream (`counts` are how many each has had), of
        its `own` pattern n with the one to come (Q1). With `slides` a range drops only when a SLIDE
        is over, and then the next one begins, and NOW keeps the last match (Q3).
        """
        match self.triple.window:
            case Now():
                return list(self.index.items) if slides else self._before(now)
            case Range(length, slide):
                if slides and slide is not None and not self._slides(now, slide.milliseconds):
                    return []
                return self._before(now - length.milliseconds)
            case Rows(count) if own:
                return list(self.index.items)[: max(0, len(self.index.items) - count + 1)]
            case Rows(count):
                return [one for one in self.index.items if one.position <= counts[one.stream] - count]
            case Unbounded():
                return []
            case other:  # which no text of CQELS says
                raise AssertionError(other)

    def _slides(self, now: float, slide: float) -> bool:
        if self.start is None:
            self.start = now
        over = now - self.start >= slide
        if over:
            self.start = now
        return over

    def _before(self, first: float) -> list[BufferedTriple]:
        return list(takewhile(lambda entry: entry.t < first, self.index.items))


def match_triple(triple: StreamTriple, push: Push) -> TextSolution | None:
    """Return what the pattern binds in a pushed triple, None where it does not match."""
    texts = (push.stream, *push.triple)
    for place, text in triple.constants:
        if texts[place] != text:
            return None
    found: dict[Variable, str] = {}
    for term, text in zip(triple.terms, texts, strict=True):
        if isinstance(term, Variable) and found.setdefault(term, text) != text:
            return None
    return found
