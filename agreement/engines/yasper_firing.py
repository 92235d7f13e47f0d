"""RSP-JS's windows between two arrivals: YASPER's, with borders that move with each row of an answer."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agreement.engines.contents import Content
from agreement.engines.yasper_queries import Sliding
from agreement.engines.yasper_windows import Ends, Live, Past, first_close
from agreement.recordings.recording import Push, Row, Triple
from agreement.streamed import streamed
from translate.query import ToStream

Key = tuple[tuple[Triple, ...], ...]
"""A content as the triples of each window, sorted: equal keys have equal answers."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Which rules hold, each named by what RSP-JS does where it holds."""

    includes_opening: bool
    reopens: bool
    latest_only: bool
    shows_unclosed: bool
    moves: bool


@dataclass(frozen=True, slots=True)
class Firing:
    """A window that fired during a push: what was asked over its content, and the rows of the answer.

    `start` is t0 before the rows moved it, `close` is when the window closed.
    """

    push: int
    t: float
    window: Sliding
    start: float
    close: float
    content: Content
    rows: Sequence[Row]


@dataclass(slots=True)
class Answered:
    """The answers that are known up to now, as the operator reports them one after another."""

    known: Mapping[Key, tuple[Row, ...]]
    operator: ToStream
    before: tuple[Row, ...] = ()

    def rows(self, content: Content) -> list[Row]:
        """Return what is reported of a content; of an answer that is not known yet nothing."""
        last, self.before = self.before, self.known.get(key_of(content), ())
        return streamed(self.operator, (0, 1), {0: last, 1: self.before})[1]


def key_of(content: Content) -> Key:
    """Return the key of a content."""
    return tuple(tuple(sorted(set(shown))) for shown in content.values())


@dataclass(slots=True)
class _Window:
    """One window of the query: t0, and when it fired last."""

    window: Sliding
    live: Live
    past: Past
    start: float = 0
    fired: float = 0


@dataclass(slots=True)
class Windows:
    """All windows of a query; `now` is the time of the latest arrival."""

    windows: tuple[_Window, ...]
    choices: Choices
    answered: Answered
    now: float = field(default=-math.inf)

    def arrive(self, number: int, push: Push) -> Iterator[Firing]:
        """Take a push, and yield what fires."""
        yield from (self._latest if self.choices.latest_only else self._each)(number, push)
        self.now = max(self.now, push.t)

    def _latest(self, number: int, push: Push) -> Iterator[Firing]:
        for one in self.windows:
            if not one.window.reads(push):
                continue
            self._enter(one, push)
            close = one.live.latest(push.t, touching=False)
            if close is not None and close > 0 and push.t > one.fired:
                one.fired = push.t
                if one.live.contents[close]:
                    yield self._fire((one,), close, number, push.t)
            one.live.delete(push.t)

    def _each(self, number: int, push: Push) -> Iterator[Firing]:
        for one in self.windows:
            if one.window.reads(push):
                self._enter(one, push)
        closes = {close for one in self.windows for close in one.live.filled() if close < push.t}
        for close in sorted(closes):
            yield self._fire(self._closing(close), close, number, push.t)
        for one in self.windows:
            one.live.delete(push.t)

    def _closing(self, close: float) -> tuple[_Window, ...]:
        return tuple(one for one in self.windows if one.live.contents.get(close))

    def _enter(self, one: _Window, push: Push) -> None:
        distance = abs(push.t - one.start) if self.choices.moves else push.t
        least = -math.inf if self.choices.reopens else self.now
        one.live.open(first_close(distance, one.window.step), push.t, least)
        one.live.add(push.t, push.triple)
        waiting = (close for other in self.windows for close in other.live.contents)
        one.past.add(push.t, push.triple, min(self.now, push.t, *waiting))

    def _fire(self, firing: tuple[_Window, ...], close: float, number: int, t: float) -> Firing:
        content = self._content(firing, close)
        rows = self.answered.rows(content)
        first = firing[0]
        made = Firing(number, t, first.window, first.start, close, content, rows)
        if self.choices.moves:
            for one in firing:
                one.start += one.window.step * len(rows)
        return made

    def _content(self, firing: tuple[_Window, ...], close: float) -> Content:
        last = firing[-1].live.contents[close][-1][0]
        shown = {one.window.source: one.live.triples(close) for one in firing}
        for one in self.windows:
            if one.window.source not in shown:
                shown[one.window.source] = self._beside(one, close, last)
        return {one.window.source: shown[one.window.source] for one in self.windows}

    def _beside(self, one: _Window, close: float, last: float) -> list[Triple]:
        """Return what a window shows when another fires whose last triple came at `last`."""
        if self.choices.shows_unclosed:
            return one.live.triples(one.live.around(last))
        return one.past.active(close, one.live.ends)


def opened(windows: Sequence[Sliding], choices: Choices, answered: Answered) -> Windows:
    """Return the windows of a query before the first push."""
    ends = Ends(includes_opening=choices.includes_opening)
    return Windows(tuple(_Window(one, Live(one, ends), Past(one)) for one in windows), choices, answered)
