"""The windows of Kolibrie between two arrivals: which fires, with what, and which are dropped."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agreement.engines.kolibrie.plan import TIMED, PlannedWindow
from agreement.engines.yasper.sliding import LiveWindows, PastTriples, TimedTriple, WindowEnds, first_close
from solver.facts import Triple

TimedTriples = Sequence[TimedTriple]
"""What a window shows, in the order of arrival."""


@dataclass(frozen=True, slots=True)
class WindowRules:
    """How windows fire: `before` an arrival enters, at its very time too; or only those that closed earlier.

    `drops`: every window that does not show the arrival is dropped, younger ones too.
    """

    before: bool = True
    drops: bool = True

    @property
    def ends(self) -> WindowEnds:
        """Which end a window contains."""
        return WindowEnds(includes_opening=self.before)


@dataclass(slots=True)
class KolibrieWindows:
    """The windows of one sliding window; `last_firing` is when one fired last, `now` the latest arrival."""

    planned: PlannedWindow
    rules: WindowRules
    live: LiveWindows = field(init=False)
    past: PastTriples = field(init=False)
    memory: tuple[str, TimedTriples] = ("", ())
    last_firing: float = 0
    now: float = -math.inf

    def __post_init__(self) -> None:
        self.live = LiveWindows(self.planned.window, self.rules.ends)
        self.past = PastTriples(self.planned.window)

    def open(self, t: float, triple: Triple) -> None:
        """Open windows for an arrival; what comes too late for a window that has closed opens none."""
        least = -math.inf if self.rules.drops else self.now
        self.live.open(first_close(t, self.planned.window.step), t, least)
        self.past.add(t, triple, min(t, self.now, *self.live.contents))
        if not self.rules.before:
            self.live.add(t, triple)

    def latest(self, t: float) -> float | None:
        """Return when what fires closes: of the windows that its strategy lets report, the last one."""
        reporting = [close for close in self.live.contents if self._reports(close, t)]
        if not reporting or t <= self.last_firing or self.planned.tick != TIMED:
            return None
        self.last_firing = t
        return max(reporting)

    def _reports(self, close: float, t: float) -> bool:
        content = self.live.contents[close]
        match self.planned.report:
            case "NON_EMPTY_CONTENT":
                return bool(content)
            case "PERIODIC":
                return t % 1000 == 0
            case "ON_CONTENT_CHANGE":
                # One memory for all windows, and equal contents report, not changed ones.
                before, self.memory = self.memory, ("known", tuple(content))
                return before == self.memory
            case _:
                return self.closed(close, t)

    def closed(self, close: float, t: float) -> bool:
        """Return whether an arrival finds a window closed."""
        return close < t or (close == t and self.rules.before)

    def closes(self, t: float) -> Iterator[float]:
        """Yield when the windows closed that show something and an arrival finds closed."""
        return (close for close in self.live.filled() if self.closed(close, t))

    def enter(self, t: float, triple: Triple) -> None:
        """Let an arrival in, and drop windows."""
        if self.rules.before:
            self.live.add(t, triple)

    def drop(self, t: float) -> None:
        """Drop the windows that an arrival finds closed, or all that do not show it."""
        for close in tuple(self.live.contents):
            opening = close - self.planned.window.width
            gone = (
                not self.rules.ends.contains(opening, close, t) if self.rules.drops else self.closed(close, t)
            )
            if gone:
                del self.live.contents[close]
        self.now = max(self.now, t)

    def forget(self, t: float) -> None:
        """Drop the windows that an arrival on another stream finds closed."""
        for close in tuple(self.live.contents):
            if self.closed(close, t):
                del self.live.contents[close]

    def active(self, t: float) -> list[Triple]:
        """Return what the active window shows at `t`: of those that have not closed, the earliest."""
        return self.past.active(t, self.rules.ends)

    def rest(self) -> TimedTriples:
        """Return what is left when the engine stops: the union of all windows that are open."""
        return tuple(dict.fromkeys(one for content in self.live.contents.values() for one in content))
