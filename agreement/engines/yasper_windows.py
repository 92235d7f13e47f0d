"""The windows that arrivals open, as YASPER and RSP-JS keep them, and the triples that came."""

import math
from collections import deque
from dataclasses import dataclass, field

from agreement.engines.yasper_queries import Sliding
from agreement.recordings.recording import Triple

Element = tuple[float, Triple]
"""When a triple came, and the triple."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Which end a window contains: [o, c) where it `includes_opening`, else (o, c]."""

    includes_opening: bool

    def contains(self, opening: float, close: float, t: float) -> bool:
        """Whether a window that opens and closes then shows what came at `t`."""
        return opening <= t < close if self.includes_opening else opening < t <= close


@dataclass(slots=True)
class Live:
    """The windows of one sliding window that are open, or closed and not yet deleted, by their closes."""

    window: Sliding
    ends: Ends
    contents: dict[float, list[Element]] = field(default_factory=dict)

    def open(self, first: float, t: float, least: float = -math.inf) -> None:
        """Open the windows that close at `first` and a step later each, while they open up to `t`.

        The first is opened in any case, but none that closes before `least`.
        """
        close = first
        while True:
            if close >= least:
                self.contents.setdefault(close, [])
            close += self.window.step
            opening = close - self.window.width
            if opening > t or (opening == t and not self.ends.includes_opening):
                return

    def add(self, t: float, triple: Triple) -> None:
        """Add a triple to the live windows that show its time."""
        for close, elements in self.contents.items():
            if self.ends.contains(close - self.window.width, close, t):
                elements.append((t, triple))

    def closed(self, t: float) -> list[float]:
        """Return the closes before `t`, the earliest first."""
        return sorted(close for close in self.contents if close < t)

    def delete(self, t: float) -> None:
        """Delete the windows that closed before `t`."""
        for close in self.closed(t):
            del self.contents[close]

    def filled(self) -> list[float]:
        """Return the closes of the windows that show something."""
        return [close for close, elements in self.contents.items() if elements]

    def latest(self, t: float, *, touching: bool) -> float | None:
        """Return the latest close before `t`, or at `t` too where `touching`; None if there is none."""
        found = (close for close in self.contents if close < t or (touching and close == t))
        return max(found, default=None)

    def around(self, t: float) -> float | None:
        """Return the earliest close of the windows that are open at `t`, both ends included."""
        found = (close for close in self.contents if close - self.window.width <= t <= close)
        return min(found, default=None)

    def triples(self, close: float | None) -> list[Triple]:
        """Return what the window shows that closes then, in order of arrival; None shows nothing."""
        return [] if close is None else [triple for _, triple in self.contents[close]]


def first_close(t: float, step: float) -> float:
    """Return the first multiple of the step that is not before `t`.

    >>> first_close(3110, 2000), first_close(4000, 2000)
    (4000, 4000)
    """
    return math.ceil(t / step) * step


@dataclass(slots=True)
class Past:
    """The triples of a sliding window's stream, as far back as a window still shows them."""

    window: Sliding
    elements: deque[Element] = field(default_factory=deque)

    def add(self, t: float, triple: Triple, now: float) -> None:
        """Keep a triple; what no window that closes at or after `now` shows is forgotten."""
        self.elements.append((t, triple))
        while self.elements[0][0] < now - self.window.width - self.window.step:
            self.elements.popleft()

    def active(self, t: float, ends: Ends) -> list[Triple]:
        """Return what the active window shows at `t`: of those that have not closed, the earliest."""
        opening = first_close(t, self.window.step) - self.window.width
        return [triple for at, triple in self.elements if ends.contains(opening, t, at)]

    def up_to(self, t: float) -> list[Triple]:
        """Return what came in [t - width, t], both ends included."""
        return [triple for at, triple in self.elements if t - self.window.width <= at <= t]
