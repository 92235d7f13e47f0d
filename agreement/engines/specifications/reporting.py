"""Compute the evaluation times of a query: window contents at ticks of a clock, and report strategies."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter
from typing import Final, NamedTuple

from agreement.documents.requests import WindowSource
from agreement.engines.specifications import parameters
from agreement.engines.specifications.elements import (
    PushedTriple,
    TickClock,
    arrivals_on,
    elements_on,
    triggers,
)
from agreement.engines.specifications.frames import Frame, Shape, at_close, ends_of, in_ticks, shape, shift_of
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.terms import Iri, Variable
from lars.language.windows import FixedWindow, SlidingWindow, misses_first, misses_last
from translate.model.windows import Now, Range, Rows, Unbounded

MOST: Final = 1_000_000
"""The maximum number of evaluations of one window; a larger number suggests a wrong unit."""
CLOCKED: Final = frozenset(("window-close", "periodic"))
"""The report strategies that the clock triggers; arrivals trigger the other strategies."""


def is_clocked(specification: parameters.Specification) -> bool:
    """Return whether a specification lets the clock, and not only arriving triples, trigger reports."""
    return any(own & CLOCKED for own in (specification.report, *specification.windows.values()))


class EvaluationPoint(NamedTuple):
    """An evaluation: the tick at which windows are read, and the time point of the report.

    `trigger` is the number of the pushed triple that caused the evaluation; None if the clock caused it.
    """

    tick: int
    time: int
    trigger: int | None = None


def push_count_at(frame: Frame, point: EvaluationPoint) -> int | None:
    """Return the number of pushed triples that have arrived when an evaluation takes place.

    If no element is late, the function returns None, because windows then contain all elements up to the
    evaluation.
    """
    if not frame.clock.came:
        return None
    if point.trigger is not None and not frame.lead:
        return frame.clock.arrived(point.tick)
    wait = 0 if point.trigger is not None else frame.task.run.wait
    return frame.clock.arrived((point.time + wait + 1) * frame.clock.scale - 1)


@dataclass(frozen=True)
class ShownWindow:
    """A window of a query with its content at each tick: consecutive elements of its stream."""

    source: WindowSource
    start: int
    frame: Frame
    strategies: frozenset[parameters.Strategy]
    window: Rows | FixedWindow | SlidingWindow
    ticks: Sequence[int]
    elements: Sequence[PushedTriple]

    def span(self, tick: int, push_count: int | None = None) -> range:
        """Return the positions of the elements in the window at a tick.

        If elements are late, `push_count` is the number of triples that have arrived. The positions can also
        include elements that have not arrived.
        """
        own = tick if self._ends_at_tick else self.own_tick(tick)
        match self.window:
            case SlidingWindow() as window:
                opening, end = self._last_closed(own) if self._reads_closed else (window.opening(own), own)
                last = bisect_right(self.ticks, end)
                return range(bisect_right(self.ticks, opening, 0, last), last)
            case Rows(count, by_time):
                last = bisect_right(self.ticks, own)
                if push_count is None and not by_time:
                    return range(max(0, last - count), last)
                first, counted = last, set[int]()
                while first:
                    element = self.elements[first - 1]
                    key = element.t if by_time else first
                    if len(counted) == count and key not in counted:
                        break
                    first -= 1
                    if push_count is None or element.number < push_count:
                        counted.add(key)
                return range(first, last)
            case FixedWindow(begin, end, causal):
                first = bisect_right(self.ticks, begin - 1)
                # Also where the other windows end before the triples of this instant.
                scale = self.frame.clock.scale
                shown = min(end, (tick // scale + 1) * scale - 1) if causal else end
                return range(first, max(first, bisect_right(self.ticks, shown)))

    def hidden(self, span: range, push_count: int | None) -> Sequence[int]:
        """Return the positions in `span` of elements that have not arrived when `push_count` triples have."""
        if push_count is None:
            return ()
        late = self._late[bisect_left(self._late, span.start) : bisect_left(self._late, span.stop)]
        return [place for place in late if self.elements[place].number >= push_count]

    @cached_property
    def _late(self) -> Sequence[int]:
        """The positions of the elements that arrive after their time."""
        return [place for place, element in enumerate(self.elements) if element.arrival != element.t]

    @cached_property
    def _reads_closed(self) -> bool:
        """Whether evaluations read the last closed window, because the query sets the start times (sparq)."""
        clocked, own = "window-close" in self.strategies, self.source.window
        return clocked and isinstance(own, Range) and own.opens is not None

    def _last_closed(self, tick: int) -> tuple[int, int]:
        """Return the ends (o, e], in ticks, of the last closed window."""
        window = self.window
        assert isinstance(window, SlidingWindow)
        # A window that contains its last instant ends one tick after the last one of this instant.
        closed = (tick + 1 - window.start - window.width) // window.slide
        opening = window.start + closed * window.slide
        return (opening, opening + window.width) if closed >= 0 else (window.start, window.start)

    def own_tick(self, tick: int) -> int:
        """Return the tick at which this window ends, if the evaluation is at `tick`."""
        if self._ends_at_tick:
            return tick
        scale = self.frame.clock.scale
        instant = tick // scale + self._shift
        return instant * scale if self._misses_last else (instant + 1) * scale - 1

    @cached_property
    def shape(self) -> Shape | None:
        """The width and slide of the window; None for tuple windows and windows without a beginning.

        Raises:
            LarsError: No specification defines when the window opens and closes.
        """
        return shape(self.source, self.frame)

    @cached_property
    def _ends_at_tick(self) -> bool:
        """Whether the window ends at the tick of the evaluation."""
        return not self._shift and self._misses_last is misses_last(self.frame.bounds)

    @cached_property
    def _shift(self) -> int:
        return shift_of(self.source, self.frame)

    @cached_property
    def _misses_last(self) -> bool:
        return misses_last(ends_of(self.source, self.frame))

    @property
    def misses_first(self) -> bool:
        """Whether the window does not contain the time point at which it opens."""
        return misses_first(ends_of(self.source, self.frame)) and not isinstance(self.source.window, Now)

    def opening(self, tick: int, push_count: int | None = None) -> int:
        """Return the time point at which a window opens; `tick` is the time at which the window is read.

        If elements are late, `push_count` is the number of triples that have arrived.
        """
        scale = self.frame.clock.scale
        match self.window:
            case Rows():
                span = self.span(tick, push_count)
                return self.elements[span[0]].t if span else tick // scale
            case FixedWindow(begin):
                return begin // scale
            case SlidingWindow() as window:
                own = self.own_tick(tick)
                opening = self._last_closed(own)[0] if self._reads_closed else window.opening(own)
                return opening // scale - self.misses_first

    def arrivals(self) -> Sequence[EvaluationPoint]:
        """Return an evaluation for each tick at which an element of the window's stream arrives.

        If windows look ahead, the report comes when the last window closes.
        """
        window = self.window
        points: Sequence[EvaluationPoint] = _arrivals(self.frame.clock, self.source.stream)
        if isinstance(window, Rows) and not window.count:
            return ()
        if isinstance(window, SlidingWindow):
            # Without gaps all is seen that comes after the window opens.
            gaps = window.width < window.slide
            seen = ((point, self.own_tick(point.tick)) for point in points)
            points = [
                point for point, own in seen if own > window.start and (not gaps or window.opening(own) < own)
            ]
        lead = self.frame.lead
        return [EvaluationPoint(point.tick, point.time + lead) for point in points] if lead else points

    def closes(self) -> Sequence[EvaluationPoint]:
        """Return an evaluation for each close of the window; a tuple-based window closes at each triple."""
        match self.window:
            case Rows():
                return self.arrivals()
            case FixedWindow(_, end):
                close = end // self.frame.clock.scale + self.frame.lead
                times = range(close, min(close, self.frame.task.until) + 1)
            case _:
                own = self.shape
                times = range(0) if own is None else own.closes(self.start, self.frame.task.until)
        _check_count(times, "the window {} closes", self.source)
        return self.points_at(times)

    def points_at(self, times: range) -> Sequence[EvaluationPoint]:
        """Return an evaluation at each of the time points, which the clock causes.

        If an empty window does not report, time points far from all elements of the window are left out.
        """
        ticks, window = _at_closes(times, self.frame), self.window
        if "non-empty" not in self.strategies or not isinstance(window, SlidingWindow):
            return list(map(EvaluationPoint, ticks, times))
        # A recording of a year has few elements, and very many evaluations of empty windows.
        scale = self.frame.clock.scale
        before = (abs(self._shift) + 2) * scale
        after = before + window.width + window.slide
        points, done, place = list[EvaluationPoint](), 0, 0
        while done < len(ticks) and place < len(self.ticks):
            tick = self.ticks[place]
            first = max(done, (tick - before - ticks.start) // ticks.step)
            done = max(first, min(len(ticks), (tick + after - ticks.start) // ticks.step + 1))
            points += map(EvaluationPoint, ticks[first:done], times[first:done])
            # Most elements add nothing to the points of the elements before them.
            place = bisect_left(self.ticks, ticks.start + done * ticks.step - after, place + 1)
        return points


def windows_of(source: WindowSource, number: int, start: int, frame: Frame) -> ShownWindow:
    """Return a window of the query on the clock of its context; the first window opens at time `start`."""
    window = in_ticks(source, start, frame)
    stream = str(getattr(source.stream, "value", ""))
    strategies = frame.specification.strategies(stream, number)
    if frame.is_quiet(source):
        strategies = frozenset[parameters.Strategy]()
    return ShownWindow(source, start, frame, strategies, window, *elements_on(frame.clock, source.stream))


def with_start(window: ShownWindow, start: int) -> ShownWindow:
    """Return the window with another start time t0."""
    shown = window.window
    if isinstance(shown, SlidingWindow) and not isinstance(window.source.window, Unbounded):
        moved = shown.start + (start - window.start) * window.frame.clock.scale
        return replace(window, start=start, window=SlidingWindow(shown.width, shown.slide, moved))
    return replace(window, start=start, window=in_ticks(window.source, start, window.frame))


def needed_tick(specification: parameters.Specification, sources: Sequence[WindowSource]) -> parameters.Tick:
    """Return the input that counts as one arrival: a triple, a graph, or all input of one time point.

    If a window counts whole elements, all input of a time point is one element, and so one arrival.
    """
    if any(map(_has_elements, sources)):
        return "instant"
    used = [
        specification.strategies(str(getattr(source.stream, "value", "")), number)
        for number, source in enumerate(sources, 1)
    ]
    by_arrival = any(strategies and not strategies & CLOCKED for strategies in used)
    counted = any(isinstance(source.window, Rows) for source in sources)
    return specification.tick if by_arrival or counted else "instant"


def _has_elements(source: WindowSource) -> bool:
    match source.window:
        case Rows(elements=True) | Now(grain="message"):
            return True
        case _:
            return False


@lru_cache(maxsize=32)
def _arrivals(clock: TickClock, stream: Iri | Variable) -> tuple[EvaluationPoint, ...]:
    pushed = triggers(clock)
    points = (EvaluationPoint(tick, time, pushed[tick]) for tick, time in arrivals_on(clock, stream))
    return tuple(dict.fromkeys(points))


EvaluationPoints = Sequence[EvaluationPoint]
"""Evaluations in ascending order, at most one at each tick and time."""


def own_points(window: ShownWindow, windows: Sequence[ShownWindow]) -> EvaluationPoints:
    """Return the evaluations at which one window reports, whatever the start times of other windows are."""
    conditions, points = conditions_of(window.strategies), candidates(window, windows)
    if not conditions:
        return points
    push_counts = (push_count_at(window.frame, point) for point in points)
    pairs = (
        (point, window.span(point.tick, count)) for point, count in zip(points, push_counts, strict=True)
    )
    return [point for point, span in pairs if all(holds(one, window, point, span) for one in conditions)]


def conditions_of(strategies: frozenset[parameters.Strategy]) -> frozenset[parameters.Strategy]:
    """Return the report strategies that can prevent a report at a possible evaluation of a window."""
    # What arrives in a window is a change, and not nothing.
    by_arrival = "content-change" in strategies and not strategies & CLOCKED
    if by_arrival:
        return frozenset()
    return strategies - ({"window-close"} if "window-close" in strategies else {"periodic"})


def evaluation_points(
    reporting: Sequence[EvaluationPoints], specification: parameters.Specification, until: int
) -> EvaluationPoints:
    """Return the evaluation times of a query, in ascending order, from the report times of its windows.

    If several windows report at one time, an evaluation with a triggering triple is preferred.
    """
    if len(reporting) == 1:
        return reporting[0][: bisect_right(reporting[0], until, key=attrgetter("time"))]
    by_place = [{(point.tick, point.time): point for point in points} for points in reporting]
    places = set().union(*by_place)
    if specification.combination == "all" and by_place:
        places = places.intersection(*by_place)
    merged: dict[tuple[int, int], EvaluationPoint] = {}
    for evaluations in by_place:
        for place, point in evaluations.items():
            if place not in merged or point.trigger is not None:
                merged[place] = point
    return [merged[place] for place in sorted(places) if place[1] <= until]


def candidates(window: ShownWindow, windows: Sequence[ShownWindow]) -> EvaluationPoints:
    """Return the evaluations at which a window reports if it also meets its report strategies."""
    if "window-close" in window.strategies:
        return window.closes()
    if "periodic" in window.strategies:
        return _multiples(window)
    if "content-change" in window.strategies:
        return window.arrivals()
    return _arrivals_of(window.frame.clock, frozenset(one.source.stream for one in windows))


@lru_cache(maxsize=32)
def _arrivals_of(clock: TickClock, streams: frozenset[Iri | Variable]) -> EvaluationPoints:
    every = (_arrivals(clock, stream) for stream in streams)
    return sorted(set(chain.from_iterable(every)))


def _multiples(window: ShownWindow) -> EvaluationPoints:
    period = period_of(window.frame)
    first = (window.start // period + 1) * period
    times = range(first, window.frame.task.until + 1, period)
    _check_count(times, "the specification {} reports", window.frame.specification.name)
    return window.points_at(times)


def _at_closes(times: range, frame: Frame) -> range:
    """Return the ticks at which windows that close at the given time points are read."""
    return range(at_close(times.start, frame), at_close(times.stop, frame), times.step * frame.clock.scale)


def _check_count(times: range, what: str, name: object) -> None:
    if len(times) > MOST:
        raise LarsError(
            f"{what.format(name)} at more than {MOST} time points up to {times[-1]} (one every "
            f"{times.step}); use a longer slide or period, or a coarser --unit"
        )


def period_of(frame: Frame) -> int:
    """Return the period of periodic reports in time points.

    Raises:
        LarsError: The specification has no period.
    """
    if frame.specification.period is None:
        raise LarsError(
            f"the specification {frame.specification.name} reports periodically, but has no period; "
            "add a period"
        )
    return frame.specification.period.points(frame.task.unit)


def holds(strategy: parameters.Strategy, window: ShownWindow, point: EvaluationPoint, span: range) -> bool:
    """Return whether a window meets a report strategy at an evaluation at which its content is `span`."""
    match strategy:
        case "window-close":
            return True
        case "periodic":
            return point.time % period_of(window.frame) == 0
        case "non-empty":
            return len(span) > len(window.hidden(span, push_count_at(window.frame, point)))
        case "content-change":
            # Where the clock drives: an element came at the last instant that is seen.
            push_count, scale = push_count_at(window.frame, point), window.frame.clock.scale
            instant = (window.own_tick(point.tick) - 1) // scale
            if push_count is None:
                return bool(span) and window.ticks[span[-1]] // scale == instant
            return any(
                window.elements[n].arrival == instant for n in span if window.elements[n].number < push_count
            )
