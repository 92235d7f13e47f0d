"""Z: which start times t0 are tried for each window (RSP-QL 2014, Theorem 1 and Definition 26)."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Final

from agreement.sources import Source
from agreement.specifications.placing import Frame, shape
from lars.windows import Bounds

EACH: Final = 64
"""Up to so many start times of a window each one is tried, beyond only those that make a difference."""
MOST: Final = 20_000
"""How many combinations of start times are tried at most."""


@dataclass(frozen=True, slots=True)
class Starts:
    """The start times of each window, in the order of the query; `registered` is the first, a.

    `last` is t_s, after which every window has started whatever its t0. `end` is the last t0 of all
    where those of a window stand for the ones up to the next.
    """

    of_windows: tuple[tuple[int, ...], ...]
    last: int
    end: int | None = None

    def until(self, z: tuple[int, ...]) -> int | None:
        """Return the last t0 up to which, from that of the only window on, all are like it; else None."""
        if self.end is None or len(z) != 1:
            return None
        place = bisect_right(self.of_windows[0], z[0])
        return self.of_windows[0][place] - 1 if place < len(self.of_windows[0]) else self.end

    def combinations(self) -> Iterator[tuple[int, ...]]:
        """Yield the elements of Z, those in which all windows start alike first, at most MOST."""
        sets = [frozenset(own) for own in self.of_windows]
        same = self.of_windows[0] if self.of_windows else ()
        first = [(t,) * len(sets) for t in same if all(t in own for own in sets)]
        others = (z for z in product(*self.of_windows) if not sets or len(frozenset(z)) > 1)
        yield from islice((z for part in (first, others) for z in part), MOST)

    @property
    def count(self) -> int:
        """How many combinations there are."""
        found = 1
        for own in self.of_windows:
            found *= len(own)
        return found


def given_starts(read: Sequence[Source], frame: Frame, times: Sequence[int]) -> Starts:
    """Return the start times that a user names, for every window.

    Of two that are a multiple of the slide apart the later one's windows are the earlier one's from
    t0 + α - β + 1 on (RSP-QL 2014, Theorem 1): the stable phase begins there.
    """
    found = [max(times)]
    for own in (own for source in read if (own := shape(source, frame)) is not None):
        earliest = {t % own.slide: t for t in sorted(times, reverse=True)}
        found += [t + own.width - own.slide for t in times if t > earliest[t % own.slide]]
    return Starts(tuple(tuple(times) for _ in read), max(found))


def all_starts(read: Sequence[Source], frame: Frame, registered: int, reported: Sequence[float]) -> Starts:
    """Return a .. a + β - 1 for each window, or those of them that tell contents or delays apart.

    `reported` are the recorded times in time points: windows can close at them.
    """
    own = tuple(tuple(_starts(source, frame, registered, reported)) for source in read)
    slides = [found.slide for source in read if (found := shape(source, frame)) is not None]
    last = registered + max(slides, default=1) - 1
    return Starts(own, last, last)


def _starts(source: Source, frame: Frame, registered: int, reported: Sequence[float]) -> list[int]:
    found = shape(source, frame)
    if found is None:
        return [registered]
    if found.slide <= EACH:
        return list(range(registered, registered + found.slide))
    after = frame.bounds is not Bounds.LOW_OPEN
    opening = (element.t + after for element in frame.clock.elements)
    closing = (
        element.t + (frame.bounds is Bounds.HIGH_OPEN) - found.width for element in frame.clock.elements
    )
    aligned = (int(time) - found.width + more for time in reported for more in (0, 1))
    moved = {(time - registered) % found.slide for times in (opening, closing, aligned) for time in times}
    return [registered + shift for shift in sorted(moved | {0})]
