"""A stream's elements on a finer clock, and the windows' positions on it for a given t0."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple, assert_never

from agreement.documents.recordings import Push
from agreement.documents.requests import WindowSource, sources
from agreement.engines.specifications import parameters
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.terms import Iri, Variable
from lars.language.windows import Bounds, SlidingWindow
from solver.facts import Triple
from translate.model.query import EngineQuery
from translate.model.windows import Now, Range, Rows, Unbounded

_SLACK: Final = 1e-6
"""How far from a whole number of time points a time may lie, in time points."""
_ROUNDED: Final = 2.0**-51
"""How far, as a share of it, a late one may lie by its floating point."""


@dataclass(frozen=True, slots=True)
class PushedTriple:
    """A triple of a stream at a time point; `number` is its push's number."""

    t: int
    stream: str
    triple: Triple
    number: int
    graph: int | None = None


def elements_of(pushes: Sequence[Push], unit: Duration) -> tuple[PushedTriple, ...]:
    """Return pushes at time points of a unit, ascending in time, in order of arrival at each.

    Raises LarsError for a time that is not a multiple of the unit.
    """
    length = unit.milliseconds
    elements = []
    for number, push in enumerate(pushes):
        counted = push.t / length
        t = round(counted)
        if t != counted and abs(t - counted) > max(_SLACK, abs(t) * _ROUNDED):
            raise LarsError(
                f"push {number} is at {push.t} ms, which is not a multiple of the unit {unit}: "
                "choose a unit that divides it"
            )
        elements.append(PushedTriple(t, push.stream, push.triple, number, push.graph))
    return tuple(sorted(elements, key=attrgetter("t")))


@dataclass(frozen=True, slots=True)
class Version:
    """Static triples valid from one time point to another, both included; None means unlimited."""

    triples: frozenset[Triple]
    first: int | None = None
    last: int | None = None
    graph: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TickClock:
    """The elements on a clock with `scale` ticks per instant; an instant's first tick precedes them.

    The last tick of elements of an instant is its last one. Instant t has the ticks from t * scale.
    """

    scale: int
    elements: tuple[PushedTriple, ...]
    ticks: tuple[int, ...]
    """The tick of each element, ascending."""


def stream_elements(query: EngineQuery, elements: Sequence[PushedTriple]) -> tuple[PushedTriple, ...]:
    """Return the elements of a query's streams, equal ones of one instant once: at their first arrival."""
    names = {_name(source.stream) for source in sources(query)}
    first: dict[tuple[int, str, Triple], PushedTriple] = {}
    for element in elements:
        if None in names or element.stream in names:
            first.setdefault((element.t, element.stream, element.triple), element)
    return tuple(first.values())


def _name(stream: Iri | Variable) -> str | None:
    return None if isinstance(stream, Variable) else str(stream)


def tick_clock(elements: tuple[PushedTriple, ...], tick: parameters.Tick) -> TickClock:
    """Return the elements on the coarsest clock that separates their ticks."""
    by_instant = [list(inside) for _, inside in groupby(elements, attrgetter("t"))]
    parts = [list(_numbered(inside, tick)) for inside in by_instant]
    scale = 1 + max((numbers[-1] + 1 for numbers in parts), default=1)
    ticks = (
        (element.t + 1) * scale - 1 - (numbers[-1] - number)
        for inside, numbers in zip(by_instant, parts, strict=True)
        for element, number in zip(inside, numbers, strict=True)
    )
    return TickClock(scale, elements, tuple(ticks))


@lru_cache(maxsize=16)
def triggers(clock: TickClock) -> Mapping[int, int]:
    """Return the number of each tick's last push."""
    return {tick: element.number for tick, element in zip(clock.ticks, clock.elements, strict=True)}


@lru_cache(maxsize=32)
def heard_on(clock: TickClock, stream: Iri | Variable) -> tuple[tuple[int, ...], tuple[PushedTriple, ...]]:
    """Return the ticks and elements of a stream, of all streams for a variable."""
    name = _name(stream)
    pairs = zip(clock.ticks, clock.elements, strict=True)
    own = [(tick, element) for tick, element in pairs if name in (None, element.stream)]
    return tuple(tick for tick, _ in own), tuple(element for _, element in own)


def _numbered(inside: Sequence[PushedTriple], tick: parameters.Tick) -> Iterator[int]:
    match tick:
        case "instant":
            yield from (0 for _ in inside)
        case "triple":
            yield from range(len(inside))
        case "graph":
            yield from _by_graph(inside)
        case _:
            assert_never(tick)


def _by_graph(inside: Sequence[PushedTriple]) -> Iterator[int]:
    # A triple that belongs to no graph is a graph of its own.
    number, before = -1, None
    for element in inside:
        here = None if element.graph is None else (element.stream, element.graph)
        number += here is None or here != before
        before = here
        yield number


@dataclass(frozen=True, slots=True)
class Frame:
    """The context of windows: unit, ends, whether they slide, the clock, the last time point."""

    specification: parameters.Specification
    unit: Duration
    bounds: Bounds
    clock: TickClock
    until: int


@dataclass(frozen=True, slots=True)
class Shape:
    """(α, β) of a sliding window in time points; `closed` if it contains both its ends."""

    width: int
    slide: int
    closed: bool

    def closes(self, start: int, until: int) -> range:
        """Return the closing times of windows that open at start, start + β, ..."""
        return range(start + self.width, until + 1, self.slide)


def shape(source: WindowSource, frame: Frame) -> Shape | None:
    """Return (α, β) of a window; None for tuple windows and windows without a beginning."""
    match source.window:
        case Range(length, slide, None, ahead=None):
            width = length.points(frame.unit)
            moves = slide is None or frame.specification.slide == "ignored"
            step = 1 if moves or slide is None else slide.points(frame.unit)
            return Shape(width, step, frame.bounds is Bounds.CLOSED or width == 0)
        case Range():
            raise LarsError(
                f"the window {source}: it does not end when it is evaluated; those of a specification do"
            )
        case Now():
            return Shape(0, 1, closed=True)
        case Rows() | Unbounded():
            return None
        case _:
            raise LarsError(f"the window {source}: no specification says when it opens and closes")


def shapes(read: Sequence[WindowSource], frame: Frame) -> list[Shape]:
    """Return (α, β) of the windows that have them."""
    return [own for source in read if (own := shape(source, frame)) is not None]


def said_starts(read: Sequence[WindowSource], unit: Duration) -> tuple[int, ...] | None:
    """Return t0 of each window in time points, if the query defines all of them; otherwise None."""
    said = [source.window.origin for source in read if isinstance(source.window, Range)]
    starts = [None if start is None else start.points(unit) for start in said]
    known = tuple(start for start in starts if start is not None)
    return known if known and len(known) == len(read) else None


def as_said(
    specification: parameters.Specification, read: Sequence[WindowSource]
) -> parameters.Specification:
    """Return a specification with the ends of windows that the language of their query gives them.

    One that a user wrote keeps its own.
    """
    if specification.name not in parameters.NAMES or specification != parameters.builtin(specification.name):
        return specification
    said = {source.window.ends for source in read if isinstance(source.window, Range)}
    ends = next(iter(said)) if len(said) == 1 else None
    return specification if ends is None else specification.model_copy(update={"bounds": (ends,)})


def in_ticks(source: WindowSource, start: int, frame: Frame) -> Rows | SlidingWindow:
    """Return the window as one of the clock's ticks, low-open whatever its ends are in time points.

    The first tick of an instant precedes its elements. So [o, c) and [o, c] begin after the first tick of o,
    (o, c] and (o, c) after that of o + 1.
    """
    if isinstance(source.window, Rows):
        return source.window
    scale = frame.clock.scale
    low_open = frame.bounds.misses_first and not isinstance(source.window, Now)
    first = (start + low_open) * scale
    window_shape = shape(source, frame)
    if window_shape is None:
        whole = (max(frame.until, 0) + 2) * scale + abs(first)
        return SlidingWindow(whole, whole, first)
    # (o, c) ends before the triples of c, where it is looked at: else the one that closes before c is active.
    points = (
        window_shape.width + 1 if window_shape.closed else window_shape.width - (frame.bounds is Bounds.OPEN)
    )
    return SlidingWindow(points * scale, window_shape.slide * scale, first)


def at_close(time: int, frame: Frame) -> int:
    """Return the tick at which a window with this close is seen: high-open ones before its triples."""
    scale = frame.clock.scale
    return time * scale if frame.bounds.misses_last else (time + 1) * scale - 1


MOST: Final = 1_000_000
"""How many evaluations of one window a recording is judged at: more are a slip of the unit."""
CLOCKED: Final = frozenset(("window-close", "periodic"))
"""What the clock reports by, whether or not anything arrives."""


class EvaluationPoint(NamedTuple):
    """An evaluation: the tick of the windows' content, and the time point of the report.

    `trigger` is the number of the push that caused it, None for the clock.
    """

    tick: int
    time: int
    trigger: int | None = None


@dataclass(frozen=True, slots=True)
class ShownWindow:
    """One window's content at each tick: a run of its stream's elements in arrival order."""

    source: WindowSource
    start: int
    frame: Frame
    strategies: frozenset[parameters.Strategy]
    window: Rows | SlidingWindow
    ticks: Sequence[int]
    elements: Sequence[PushedTriple]

    def span(self, tick: int) -> range:
        """Return the places of the elements in the window at a tick."""
        last = bisect_right(self.ticks, tick)
        if isinstance(self.window, Rows):
            return range(max(0, last - self.window.count), last)
        return range(bisect_right(self.ticks, self.window.opening(tick), 0, last), last)

    def opening(self, tick: int) -> int:
        """Return the beginning of the content at a tick as a time point: o of [o, c) or (o, c]."""
        scale = self.frame.clock.scale
        if isinstance(self.window, Rows):
            span = self.span(tick)
            return self.elements[span[0]].t if span else tick // scale
        low_open = self.frame.bounds.misses_first and not isinstance(self.source.window, Now)
        return self.window.opening(tick) // scale - low_open

    def arrivals(self) -> Sequence[EvaluationPoint]:
        """Return the ticks at which an element arrives in the window."""
        points = _arrivals(self.frame.clock, self.source.stream)
        window = self.window
        if isinstance(window, Rows):
            return points if window.count else ()
        if window.width >= window.slide:
            # Without gaps all is seen that comes after the window opens.
            return points[bisect_right(points, window.start, key=attrgetter("tick")) :]
        return [point for point in points if window.opening(point.tick) < point.tick]

    def closes(self) -> Sequence[EvaluationPoint]:
        """Return the closing points of a window; a tuple window closes at each of its triples."""
        if isinstance(self.window, Rows):
            return self.arrivals()
        window_shape = shape(self.source, self.frame)
        times = range(0) if window_shape is None else window_shape.closes(self.start, self.frame.until)
        _check_count(times, "the window {} closes", self.source)
        return list(map(EvaluationPoint, _at_closes(times, self.frame), times))


def windows_of(source: WindowSource, number: int, start: int, frame: Frame) -> ShownWindow:
    """Return the content of the query's window `number` after its start."""
    window = in_ticks(source, start, frame)
    stream = str(getattr(source.stream, "value", ""))
    strategies = frame.specification.strategies(stream, number)
    return ShownWindow(source, start, frame, strategies, window, *heard_on(frame.clock, source.stream))


def with_start(window: ShownWindow, start: int) -> ShownWindow:
    """Return the window with another start time."""
    return replace(window, start=start, window=in_ticks(window.source, start, window.frame))


def needed_tick(specification: parameters.Specification, sources: Sequence[WindowSource]) -> parameters.Tick:
    """Return the tick to distinguish within an instant: the whole instant if only the clock reports."""
    used = [
        specification.strategies(str(getattr(source.stream, "value", "")), number)
        for number, source in enumerate(sources, 1)
    ]
    by_arrival = any(strategies and not strategies & CLOCKED for strategies in used)
    counted = any(isinstance(source.window, Rows) for source in sources)
    return specification.tick if by_arrival or counted else "instant"


@lru_cache(maxsize=32)
def _arrivals(clock: TickClock, stream: Iri | Variable) -> tuple[EvaluationPoint, ...]:
    pushed = triggers(clock)
    pairs = zip(*heard_on(clock, stream), strict=True)
    return tuple(dict.fromkeys(EvaluationPoint(tick, element.t, pushed[tick]) for tick, element in pairs))


EvaluationPoints = Sequence[EvaluationPoint]
"""Evaluations, ascending, one at each tick and time."""


def own_points(window: ShownWindow, windows: Sequence[ShownWindow]) -> EvaluationPoints:
    """Return the reporting points of one window, independent of other windows' start times."""
    by_arrival = "content-change" in window.strategies and not window.strategies & CLOCKED
    # What arrives in a window is a change, and not nothing.
    strategies = () if by_arrival else window.strategies - {"window-close"}
    candidates = _candidates(window, windows)
    if not strategies:
        return candidates
    return [point for point in candidates if all(_holds(strategy, window, point) for strategy in strategies)]


def evaluation_points(
    reporting: Sequence[EvaluationPoints], specification: parameters.Specification, until: int
) -> EvaluationPoints:
    """Return ET, ascending, of the reporting windows; of equal points, those with a trigger."""
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


def _candidates(window: ShownWindow, windows: Sequence[ShownWindow]) -> EvaluationPoints:
    if "window-close" in window.strategies:
        return window.closes()
    if "periodic" in window.strategies:
        return _multiples(window)
    if "content-change" in window.strategies:
        return window.arrivals()
    ticks = (zip(shown_window.ticks, shown_window.elements, strict=True) for shown_window in windows)
    pushed = triggers(window.frame.clock)
    return sorted(
        {EvaluationPoint(tick, element.t, pushed[tick]) for pairs in ticks for tick, element in pairs}
    )


def _multiples(window: ShownWindow) -> EvaluationPoints:
    period = period_of(window.frame)
    first = (window.start // period + 1) * period
    times = range(first, window.frame.until + 1, period)
    _check_count(times, "the specification {} reports", window.frame.specification.name)
    return list(map(EvaluationPoint, _at_closes(times, window.frame), times))


def _at_closes(times: range, frame: Frame) -> range:
    """Return the ticks at which windows closing at these time points are seen."""
    return range(at_close(times.start, frame), at_close(times.stop, frame), times.step * frame.clock.scale)


def _check_count(times: range, what: str, name: object) -> None:
    if len(times) > MOST:
        raise LarsError(
            f"{what.format(name)} at more than {MOST} time points up to {times[-1]}, one in {times.step}; "
            "expected a longer slide or period, or a coarser --unit"
        )


def period_of(frame: Frame) -> int:
    """Return the period in time points; raises LarsError if the specification has none."""
    if frame.specification.period is None:
        raise LarsError(f"the specification {frame.specification.name} reports periodic; give its period")
    return frame.specification.period.points(frame.unit)


def _holds(strategy: parameters.Strategy, window: ShownWindow, point: EvaluationPoint) -> bool:
    match strategy:
        case "window-close":
            return True
        case "periodic":
            return point.time % period_of(window.frame) == 0
        case "non-empty":
            return bool(window.span(point.tick))
        case "content-change":
            # Where the clock drives: an element came at the last instant that is seen.
            span, scale = window.span(point.tick), window.frame.clock.scale
            return bool(span) and window.ticks[span[-1]] // scale == (point.tick - 1) // scale
