"""Q1 and Q3: the buffer of a triple pattern, and what is dropped from it when.

A window of L shows [now - L, now], both ends included; times are milliseconds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import assert_never

from agreement.engines.cqels_body import StreamTriple
from agreement.engines.cqels_index import Index, Solution
from agreement.recordings.recording import Push, Triple
from lars.durations import Duration
from lars.terms import Variable
from translate.windows import Now, Range, Rows, Sliding, Unbounded


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A triple in a buffer, and what its pattern binds; `position` counts the triples of its stream."""

    t: float
    stream: str
    triple: Triple
    position: int
    binds: Solution


@dataclass(slots=True)
class Buffer:
    """What a triple pattern holds, the oldest first; `start` is when the slide began that is running."""

    triple: StreamTriple
    held: Index[Entry] = field(init=False)
    start: float | None = None
    _by_triple: dict[tuple[str, Triple], Entry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.held = Index(self.triple.variables)

    def put(self, entry: Entry) -> None:
        """Insert an entry as the newest."""
        self.held.put(entry)
        self._by_triple[entry.stream, entry.triple] = entry

    def take(self, entries: list[Entry]) -> list[Entry]:
        """Drop entries, and return them."""
        for entry in entries:
            self.held.remove(entry)
            if self._by_triple.get((entry.stream, entry.triple)) is entry:
                del self._by_triple[entry.stream, entry.triple]
        return entries

    def equal(self, push: Push) -> list[Entry]:
        """Return the newest entry of a pushed triple, if the buffer has one."""
        found = self._by_triple.get((push.stream, push.triple))
        return [] if found is None else [found]

    def invisible(self, now: float, counts: Mapping[str, int]) -> list[Entry]:
        """Return the entries that the window, as specified, does not show at a time; SLIDE is ignored.

        [TRIPLES n] shows the newest n triples of the stream; `counts` are how many each has had.
        """
        match self.triple.window:
            case Now():
                return self._before(now)
            case Range(length):
                return self._before(now - milliseconds(length))
            case Rows(count):
                return [one for one in self.held.items if one.position <= counts[one.stream] - count]
            case Unbounded():
                return []
            case Sliding():  # which no text of CQELS says
                raise AssertionError(self.triple.window)
            case _:
                assert_never(self.triple.window)

    def purged(self, now: float) -> list[Entry]:
        """Return the entries that CQELS 1.x drops before it inserts another one (Q3).

        With a SLIDE they are dropped only when it is over, and then the next one begins.
        """
        match self.triple.window:
            case Now():
                return list(self.held.items)
            case Rows():
                return self.beyond()
            case Range(length, slide):
                if slide is not None and not self._slides(now, milliseconds(slide)):
                    return []
                return self._before(now - milliseconds(length))
            case Unbounded():
                return []
            case Sliding():  # which no text of CQELS says
                raise AssertionError(self.triple.window)
            case _:
                assert_never(self.triple.window)

    def beyond(self) -> list[Entry]:
        """Return what a tuple window of its own drops to keep the newest n - 1; other windows nothing."""
        if not isinstance(self.triple.window, Rows):
            return []
        return list(self.held.items)[: max(0, len(self.held.items) - self.triple.window.count + 1)]

    def _slides(self, now: float, slide: float) -> bool:
        if self.start is None:
            self.start = now
        over = now - self.start >= slide
        if over:
            self.start = now
        return over

    def _before(self, first: float) -> list[Entry]:
        return list(takewhile(lambda entry: entry.t < first, self.held.items))


def matched(triple: StreamTriple, push: Push) -> Solution | None:
    """Return what the pattern binds in a pushed triple, None where it does not match."""
    found: dict[Variable, str] = {}
    for term, text in zip(triple.terms, (push.stream, *push.triple), strict=True):
        if isinstance(term, Variable):
            if found.setdefault(term, text) != text:
                return None
        elif str(term) != text:
            return None
    return found


def milliseconds(duration: Duration) -> float:
    """Return a duration in milliseconds."""
    return duration.milliseconds
