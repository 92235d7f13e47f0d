"""ET: when a query is evaluated, by the report strategies of its windows (RSP-QL 2014, Definition 23)."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter
from typing import Final, NamedTuple, assert_never

from agreement.documents.requests import WindowSource
from agreement.engines.specifications.elements import (
    Frame,
    PushedTriple,
    TickClock,
    at_close,
    heard_on,
    in_ticks,
    shape,
    triggers,
)
from agreement.engines.specifications.parameters import Combination, Specification, Strategy, Tick
from lars.errors import LarsError
from lars.language.terms import Iri, Variable
from lars.language.windows import Bounds, SlidingWindow
from translate.model.windows import Now, Rows, Sliding

MOST: Final = 1_000_000
"""How many evaluations of one window a recording is judged at: more are a slip of the unit."""
CLOCKED: Final = frozenset((Strategy.WINDOW_CLOSE, Strategy.PERIODIC))
"""What the clock reports by, whether or not anything arrives."""


class EvaluationPoint(NamedTuple):
    """An evaluation: the tick at which windows are looked at, and the time point it is reported at.

    `trigger` is the number of the push that caused it, None where the clock did.
    """

    tick: int
    time: int
    trigger: int | None = None


@dataclass(frozen=True, slots=True)
class ShownWindow:
    """What one window shows at each tick: a run of its stream's elements in order of arrival."""

    source: WindowSource
    start: int
    frame: Frame
    strategies: frozenset[Strategy]
    window: Rows | SlidingWindow
    ticks: Sequence[int]
    elements: Sequence[PushedTriple]

    def span(self, tick: int) -> range:
        """Return the places of the elements that are shown at a tick."""
        last = bisect_right(self.ticks, tick)
        if isinstance(self.window, Rows):
            return range(max(0, last - self.window.count), last)
        return range(bisect_right(self.ticks, self.window.opening(tick), 0, last), last)

    def opening(self, tick: int) -> int:
        """Return the time point at which what is shown at a tick begins: o of [o, c) or (o, c]."""
        scale = self.frame.clock.scale
        if isinstance(self.window, Rows):
            span = self.span(tick)
            return self.elements[span[0]].t if span else tick // scale
        low_open = self.frame.bounds is Bounds.LOW_OPEN and not isinstance(self.source.window, Now)
        return self.window.opening(tick) // scale - low_open

    def arrivals(self) -> Sequence[EvaluationPoint]:
        """Return the ticks at which an element arrives that the window then shows."""
        points = _arrivals(self.frame.clock, self.source.stream)
        window = self.window
        if isinstance(window, Rows):
            return points if window.count else ()
        if window.width >= window.slide:
            # Without gaps all is seen that comes after the window opens.
            return points[bisect_right(points, window.start, key=attrgetter("tick")) :]
        return [point for point in points if window.opening(point.tick) < point.tick]

    def closes(self) -> Sequence[EvaluationPoint]:
        """Return when a window closes; one of the newest N triples does at each of them."""
        if isinstance(self.window, Rows):
            return self.arrivals()
        window_shape = shape(self.source, self.frame)
        times = range(0) if window_shape is None else window_shape.closes(self.start, self.frame.until)
        _check_count(times, f"the window {self.source} closes")
        return [EvaluationPoint(at_close(time, self.frame), time) for time in times]


def windows_of(source: WindowSource, number: int, start: int, frame: Frame) -> ShownWindow:
    """Return what the window with this number in the query shows once it has started."""
    window = in_ticks(source, start, frame)
    stream = str(getattr(source.stream, "value", ""))
    strategies = frame.specification.strategies(stream, number)
    return ShownWindow(
        source, start, frame, strategies, _as_window(window), *heard_on(frame.clock, source.stream)
    )


def with_start(window: ShownWindow, start: int) -> ShownWindow:
    """Return what the window shows with another start time."""
    return replace(window, start=start, window=_as_window(in_ticks(window.source, start, window.frame)))


def _as_window(placed_window: Rows | Sliding) -> Rows | SlidingWindow:
    match placed_window:
        case Rows():
            return placed_window
        case Sliding(width, slide, start):
            return SlidingWindow(width, slide, start)
        case _:
            assert_never(placed_window)


def needed_tick(specification: Specification, sources: Sequence[WindowSource]) -> Tick:
    """Return what has to be told apart inside an instant: nothing, where only the clock reports."""
    used = [
        specification.strategies(str(getattr(source.stream, "value", "")), number)
        for number, source in enumerate(sources, 1)
    ]
    by_arrival = any(strategies and not strategies & CLOCKED for strategies in used)
    counted = any(isinstance(source.window, Rows) for source in sources)
    return specification.tick if by_arrival or counted else Tick.INSTANT


@lru_cache(maxsize=32)
def _arrivals(clock: TickClock, stream: Iri | Variable) -> tuple[EvaluationPoint, ...]:
    pushed = triggers(clock)
    pairs = zip(*heard_on(clock, stream), strict=True)
    return tuple(dict.fromkeys(EvaluationPoint(tick, element.t, pushed[tick]) for tick, element in pairs))


EvaluationPoints = Sequence[EvaluationPoint]
"""Evaluations, ascending, one at each tick and time."""


def own_points(window: ShownWindow, windows: Sequence[ShownWindow]) -> EvaluationPoints:
    """Return when one window reports, whatever the start times of the others are."""
    by_arrival = Strategy.CONTENT_CHANGE in window.strategies and not window.strategies & CLOCKED
    # What arrives in a window is a change, and not nothing.
    strategies = () if by_arrival else window.strategies - {Strategy.WINDOW_CLOSE}
    candidates = _candidates(window, windows)
    if not strategies:
        return candidates
    return [point for point in candidates if all(_holds(strategy, window, point) for strategy in strategies)]


def evaluation_points(
    reporting: Sequence[EvaluationPoints], specification: Specification, until: int
) -> EvaluationPoints:
    """Return ET, ascending, of the windows that report; of points at one tick and time one with a trigger."""
    if len(reporting) == 1:
        return reporting[0][: bisect_right(reporting[0], until, key=attrgetter("time"))]
    by_place = [{(point.tick, point.time): point for point in points} for points in reporting]
    places = set().union(*by_place)
    if specification.combination is Combination.ALL and by_place:
        places = places.intersection(*by_place)
    merged: dict[tuple[int, int], EvaluationPoint] = {}
    for evaluations in by_place:
        for place, point in evaluations.items():
            if place not in merged or point.trigger is not None:
                merged[place] = point
    return [merged[place] for place in sorted(places) if place[1] <= until]


def _candidates(window: ShownWindow, windows: Sequence[ShownWindow]) -> EvaluationPoints:
    if Strategy.WINDOW_CLOSE in window.strategies:
        return window.closes()
    if Strategy.PERIODIC in window.strategies:
        return _multiples(window)
    if Strategy.CONTENT_CHANGE in window.strategies:
        return window.arrivals()
    ticks = (zip(shown_window.ticks, shown_window.elements, strict=True) for shown_window in windows)
    pushed = triggers(window.frame.clock)
    return sorted(
        {EvaluationPoint(tick, element.t, pushed[tick]) for pairs in ticks for tick, element in pairs}
    )


def _multiples(window: ShownWindow) -> EvaluationPoints:
    period = _period(window.frame)
    first = (window.start // period + 1) * period
    times = range(first, window.frame.until + 1, period)
    _check_count(times, f"the specification {window.frame.specification.name} reports")
    return [EvaluationPoint(at_close(t, window.frame), t) for t in times]


def _check_count(times: range, what: str) -> None:
    if len(times) > MOST:
        raise LarsError(
            f"{what} at more than {MOST} time points up to {times[-1]}, one in {times.step}; "
            "accepted: a longer slide or period, or a coarser --unit"
        )


def _period(frame: Frame) -> int:
    if frame.specification.period is None:
        raise LarsError(f"the specification {frame.specification.name} reports periodic; give its period")
    return frame.specification.period.points(frame.unit)


def _holds(strategy: Strategy, window: ShownWindow, point: EvaluationPoint) -> bool:
    match strategy:
        case Strategy.WINDOW_CLOSE:
            return True
        case Strategy.PERIODIC:
            return point.time % _period(window.frame) == 0
        case Strategy.NON_EMPTY:
            return bool(window.span(point.tick))
        case Strategy.CONTENT_CHANGE:
            # Where the clock drives: an element came at the last instant that is seen.
            span, scale = window.span(point.tick), window.frame.clock.scale
            return bool(span) and window.ticks[span[-1]] // scale == (point.tick - 1) // scale
