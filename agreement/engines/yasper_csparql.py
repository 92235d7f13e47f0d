"""YASPER with its configuration for C-SPARQL: a window is reported when a later arrival finds it closed.

Source: the page of engine versions, section 3; Y1 to Y7 are its statements in its order.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agreement.engines.engine import NOTHING_OFF, Rule
from agreement.engines.yasper_queries import (
    Sliding,
    check_triple_patterns,
    sliding_windows,
    without_projection,
)
from agreement.engines.yasper_reports import Evaluation, Reporting, Shown, recorded
from agreement.engines.yasper_windows import Ends, Live, Past, first_close
from agreement.recordings.recording import Push, Recording
from solver.static import Static
from translate.query import EngineQuery, ToStream

_OPENING: Final = Rule(
    "Y1", "a window that closes at c, a multiple of the step, shows [c - w, c), not (c - w, c]"
)
_LATE: Final = Rule("Y2", "an arrival before the last report is refused")
_ARRIVAL: Final = Rule("Y3", "a report has the time of the arrival that finds a window closed")
_TOUCHING: Final = Rule("Y4", "then a window that closes at the very time of the arrival is closed too")
_LATEST: Final = Rule(
    "Y5",
    "only an arrival in a window's own stream finds it closed, and only the latest of those that arrivals "
    "opened is reported, even if it is empty; older ones are skipped",
)
_PATTERN: Final = Rule("Y6", "a row has all variables of the pattern, and the rows are a set")
_SILENT: Final = Rule("Y7", "an empty answer is not reported")


@dataclass(frozen=True, slots=True)
class YasperCsparql:
    """YASPER as an engine version: windows of external time, its reports stamped by arrivals."""

    name: str = "yasper-csparql"
    specification: str = "csparql"
    rules: tuple[Rule, ...] = (_OPENING, _LATE, _ARRIVAL, _TOUCHING, _LATEST, _PATTERN, _SILENT)
    timed: bool = True

    def run(
        self,
        query: EngineQuery,
        static: Static,
        pushes: Sequence[Push],
        off: frozenset[str] = NOTHING_OFF,
    ) -> Recording:
        """Return what YASPER reports; raises LarsError for more than triple patterns and filters."""
        windows = sliding_windows(query, self.name, tumbling=True)
        check_triple_patterns(query, self.name)
        engine = _Windows(windows, frozenset({rule.name for rule in self.rules} - off))
        evaluations = (made for n, push in enumerate(pushes) for made in engine.arrive(n, push))
        free = _PATTERN.name not in off
        operator = query.to_stream or ToStream.RSTREAM
        reporting = Reporting(operator, distinct=free, silent=_SILENT.name not in off)
        asked = without_projection(query) if free else query
        return recorded(asked, static, evaluations, reporting, engine.rejected)


class _Windows:
    """The windows between two arrivals: `last` is the time of the last report, `now` the latest arrival's."""

    def __init__(self, windows: Sequence[Sliding], rules: frozenset[str]) -> None:
        self.rules = rules
        self.ends = Ends(includes_opening=_OPENING.name in rules)
        self.live = [Live(window, self.ends) for window in windows]
        self.past = [Past(window) for window in windows]
        self.last = self.now = self.reported = -math.inf
        self.rejected: list[int] = []

    def arrive(self, number: int, push: Push) -> Iterator[Evaluation]:
        """Take a push, and yield what it makes YASPER evaluate."""
        read = any(live.window.reads(push) for live in self.live)
        if read and push.t < self.last and _LATE.name in self.rules:
            self.rejected.append(number)
        elif _LATEST.name in self.rules:
            yield from self._latest(number, push)
        else:
            yield from self._each(number, push)
        self.now = max(self.now, push.t)

    def _latest(self, number: int, push: Push) -> Iterator[Evaluation]:
        """Yield one evaluation at most: after it there has been a report at this time."""
        for live in self.live:
            if not live.window.reads(push):
                continue
            self._enter(push, live)
            close = live.latest(push.t, touching=self._touching)
            if close is not None and live.closed(push.t) and push.t > self.last:
                self.last = push.t
                yield Evaluation(self._stamp(close, push.t), number, self._contents(push.t))
            live.delete(push.t)

    def _contents(self, t: float) -> Shown:
        return {
            live.window.source: live.triples(live.latest(t, touching=self._touching)) for live in self.live
        }

    def _each(self, number: int, push: Push) -> Iterator[Evaluation]:
        """Yield an evaluation for each close since the last arrival at which a window shows something."""
        for live, past in zip(self.live, self.past, strict=True):
            if live.window.reads(push):
                self._enter(push, live)
                past.add(push.t, push.triple, min(push.t, self.now))
        for close in self._closes(push.t):
            self.reported, self.last = close, push.t
            content = {past.window.source: past.active(close, self.ends) for past in self.past}
            yield Evaluation(self._stamp(close, push.t), number, content)
        for live in self.live:
            live.delete(push.t)

    def _closes(self, t: float) -> list[float]:
        filled = {close for live in self.live for close in live.filled()}
        closed = sorted(close for close in filled if self.reported < close < t)
        return [*closed, t] if closed and t in filled and self._touching else closed

    def _enter(self, push: Push, live: Live) -> None:
        """Open windows for a push, and add its triple to those that show its time."""
        literal = {_LATE.name, _LATEST.name} <= self.rules
        # What has closed stays closed in the specification, which refuses no arrival.
        least = -math.inf if literal else self.now
        live.open(first_close(push.t, live.window.step), push.t, least)
        live.add(push.t, push.triple)

    def _stamp(self, close: float, t: float) -> float:
        return t if _ARRIVAL.name in self.rules else close

    @property
    def _touching(self) -> bool:
        return _TOUCHING.name in self.rules
