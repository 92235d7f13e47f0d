"""The elements of a stream on a finer clock, and the positions of windows on this clock for a given t0."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple, assert_never

from agreement.documents.outputs import plain
from agreement.documents.recordings import Push
from agreement.documents.requests import WindowSource, sources
from agreement.engines.specifications import parameters
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.terms import Iri, Variable
from lars.language.windows import LARGEST_TIME, Bounds, FixedWindow, SlidingWindow, misses_first, misses_last
from solver.facts import QUAD_PREDICATE, STREAM_PREDICATE, Fact, Triple
from translate.model.query import EngineQuery, Language
from translate.model.windows import Now, Range, Rows, Span, Unbounded

_SLACK: Final = 1e-6
"""The greatest distance of a time from an integer number of time points, in time points."""
_ROUNDED: Final = 2.0**-51
"""The greatest relative distance of a large time from an integer, due to floating-point rounding."""


@dataclass(frozen=True, slots=True)
class PushedTriple:
    """A triple of a stream at a time point; `number` is the number of its push, `named` are its graphs."""

    t: int
    stream: str
    triple: Triple
    number: int
    graph: int | None = None
    named: tuple[str, ...] = ()

    def facts(self, t: int | None = None) -> Iterator[Fact]:
        """Yield the input atoms of the triple at `t` or at its own time: one atom, and one for each graph."""
        time = self.t if t is None else t
        yield Fact(time, STREAM_PREDICATE, (*self.triple, self.stream))
        yield from (Fact(time, QUAD_PREDICATE, (*self.triple, name, self.stream)) for name in self.named)


def elements_of(pushes: Sequence[Push], unit: Duration, first: int = 0) -> tuple[PushedTriple, ...]:
    """Return pushes at time points of a unit, ordered by time and then by arrival.

    `first` is the number of the first push in its run. Raises LarsError for a time that is not a multiple of
    the unit, or too large.
    """
    length = unit.milliseconds
    elements = []
    for number, push in enumerate(pushes, first):
        counted = push.t / length
        t = round(counted)
        if t != counted and abs(t - counted) > max(_SLACK, abs(t) * _ROUNDED):
            raise LarsError(
                f"push {number} is at {plain(push.t, 9)} ms, which is not a multiple of the unit {unit}; use "
                "a unit that divides the times"
            )
        if abs(t) > LARGEST_TIME:
            raise LarsError(f"push {number} is at {push.t:g} ms, which is too large; use a smaller time")
        elements.append(PushedTriple(t, push.stream, push.triple, number, push.graph, push.named))
    return tuple(sorted(elements, key=attrgetter("t")))


@dataclass(frozen=True, slots=True)
class Version:
    """Static triples that are valid in a closed interval of time points; None means an unlimited end."""

    triples: frozenset[Triple]
    first: int | None = None
    last: int | None = None
    graph: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TickClock:
    """The elements on a clock with `scale` ticks per instant; the first tick precedes the elements.

    The last elements of an instant are at the last tick of the instant. The ticks of instant t begin at t *
    scale.
    """

    scale: int
    elements: tuple[PushedTriple, ...]
    ticks: tuple[int, ...]
    """The tick of each element, in ascending order."""


def stream_elements(query: EngineQuery, elements: Sequence[PushedTriple]) -> tuple[PushedTriple, ...]:
    """Return the elements of a query's streams; of equal elements at one instant, return only the first."""
    names = {_name(source.stream) for source in sources(query)}
    first: dict[tuple[int, str, Triple], PushedTriple] = {}
    for element in elements:
        if None in names or element.stream in names:
            first.setdefault((element.t, element.stream, element.triple), element)
    return tuple(first.values())


def _name(stream: Iri | Variable) -> str | None:
    return None if isinstance(stream, Variable) else str(stream)


def tick_clock(elements: tuple[PushedTriple, ...], tick: parameters.Tick) -> TickClock:
    """Return the elements with times in the largest unit in which different ticks have different times."""
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
    """Return the number of the last push at each tick."""
    return {tick: element.number for tick, element in zip(clock.ticks, clock.elements, strict=True)}


@lru_cache(maxsize=32)
def heard_on(clock: TickClock, stream: Iri | Variable) -> tuple[tuple[int, ...], tuple[PushedTriple, ...]]:
    """Return the ticks and elements of a stream; for a variable, of all streams."""
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
    """The context of windows: unit, bounds, whether windows slide, clock, and last time point.

    All windows are evaluated at one reference time. The report is due `lead` after the reference time, when
    the last window that looks ahead closes. `quiet` windows cause no evaluation, because other windows cause
    evaluations. Windows in `every` slide with the reference time, but report only at the multiples of this
    step.
    """

    specification: parameters.Specification
    unit: Duration
    bounds: Bounds
    clock: TickClock
    until: int
    lead: int = 0
    quiet: frozenset[WindowSource] = frozenset()
    every: int | None = None

    def is_quiet(self, source: WindowSource) -> bool:
        """Return whether a window causes no evaluation."""
        # Most queries have no such window, and the hash of a window takes time.
        return bool(self.quiet) and source in self.quiet


def frame_of(query: EngineQuery, frame: Frame) -> Frame:
    """Return a frame with the properties that the windows of a query determine.

    Raises LarsError if the query language gives windows different bounds, and no option sets the bounds.
    """
    specification, unit = frame.specification, frame.unit
    ends = _said_ends(query) if frame.bounds in specification.bounds and _keeps_ends(specification) else set()
    if len(ends) > 1:
        kinds = " and ".join(sorted(ends))
        raise LarsError(
            "cannot report for windows with different bounds: in the query language, windows are "
            f"{kinds}; use --bounds to choose the same bounds for all windows"
        )
    every = None if query.every is None else query.every.points(unit)
    return replace(frame, lead=lead_of(query, unit), quiet=frozenset(_quiet(query)), every=every)


def lead_of(query: EngineQuery, unit: Duration) -> int:
    """Return how many time points a report comes after its evaluation: the longest look ahead."""
    windows = (source.window for source in sources(query))
    ahead = (each.ahead for each in windows if isinstance(each, Range) and each.ahead is not None)
    return max((each.points(unit) for each in ahead), default=0)


def has_own_ends(query: EngineQuery) -> bool:
    """Whether a window ignores the bounds of the specification, because it is over a log or looks ahead."""
    windows = (source.window for source in sources(query))
    return query.language is Language.JANUS or any(
        isinstance(each, Range) and each.ahead is not None for each in windows
    )


def _quiet(query: EngineQuery) -> list[WindowSource]:
    """Return the windows over logs of Janus; if all windows are over logs, omit one of them."""
    if query.language is not Language.JANUS:
        return []
    read = sources(query)
    logs = [each for each in read if isinstance(each.window, Span) or _slides_with_time(each.window)]
    if len(logs) < len(read):
        return logs
    # The windows that move are evaluated at their step, else all once: when the last of them is complete.
    moving = [each for each in logs if not isinstance(each.window, Span)]
    reporting = moving[0] if moving else max(logs, key=_end)
    return [each for each in logs if each is not reporting]


def _end(source: WindowSource) -> Duration:
    return source.window.end if isinstance(source.window, Span) else Duration(0)


def _slides_with_time(window: object) -> bool:
    return isinstance(window, Now) or (isinstance(window, Range) and window.slide is None)


@dataclass(frozen=True, slots=True)
class Shape:
    """Width α and slide β of a sliding window in time points; `closed` means that it contains both ends.

    The report is due `due` time points after the window opens. The report is due at the close of the window,
    unless all windows have another reference time. Between reports, the window moves by `moves`, which is β
    unless only the reports follow the slide.
    """

    width: int
    slide: int
    closed: bool
    due: int
    moves: int

    def closes(self, start: int, until: int) -> range:
        """Return the report times of the windows that open at start, start + β, and so on."""
        return range(start + self.due, until + 1, self.slide)


def shift_of(source: WindowSource, frame: Frame) -> int:
    """Return the number of time points from the reference time to the end of a window; it can be negative."""
    match source.window:
        case Range(until=until, ahead=ahead):
            points = [0 if each is None else each.points(frame.unit) for each in (ahead, until)]
            return points[0] - points[1]
        case _:
            return 0


def ends_of(source: WindowSource, frame: Frame) -> Bounds:
    """Return the bounds of a window: its own, if it is over a log or does not end at the reference time."""
    window = source.window
    own = frame.is_quiet(source) or shift_of(source, frame)
    if not isinstance(window, Range) or not own:
        return frame.bounds
    if window.ahead is not None and frame.bounds == "closed":
        return frame.bounds
    return window.ends or frame.bounds


def shape(source: WindowSource, frame: Frame) -> Shape | None:
    """Return the width α and slide β of a window; None for tuple windows and windows without a beginning."""
    match source.window:
        case Range(length, slide):
            shift = shift_of(source, frame)
            width = length.points(frame.unit) + shift
            moves = slide is None or frame.specification.slide == "ignored"
            step = 1 if moves or slide is None else slide.points(frame.unit)
            reports = (
                frame.every if moves and frame.every is not None and not frame.is_quiet(source) else step
            )
            closed = ends_of(source, frame) == "closed" or width == 0
            return Shape(width, reports, closed, width - shift + frame.lead, step)
        case Now():
            return Shape(0, 1, closed=True, due=frame.lead, moves=1)
        case Rows() | Unbounded() | Span():
            return None
        case _:
            raise LarsError(
                f"cannot report the window {source}: no specification defines when it opens and closes"
            )


def shapes(read: Sequence[WindowSource], frame: Frame) -> list[Shape]:
    """Return the width α and slide β of each window that has a width and a slide."""
    return [own for source in read if (own := shape(source, frame)) is not None]


def said_starts(read: Sequence[WindowSource], unit: Duration) -> tuple[int, ...] | None:
    """Return t0 of each window in time points; None unless the query defines t0 of all windows."""
    said = [source.window.opens for source in read if isinstance(source.window, Range)]
    starts = [None if start is None else start.points(unit) for start in said]
    known = tuple(start for start in starts if start is not None)
    return known if known and len(known) == len(read) else None


def as_said(specification: parameters.Specification, *queries: EngineQuery) -> parameters.Specification:
    """Return the specification with the bounds of windows that the query language defines.

    A specification from a TOML file keeps its own bounds.
    """
    said = set().union(*map(_said_ends, queries)) if _keeps_ends(specification) else set[Bounds]()
    return specification.model_copy(update={"bounds": tuple(said)}) if len(said) == 1 else specification


def _keeps_ends(specification: parameters.Specification) -> bool:
    """Whether windows have the bounds of the query language, because the specification is built in."""
    return specification.name in parameters.NAMES and specification == parameters.builtin(specification.name)


def _said_ends(query: EngineQuery) -> set[Bounds]:
    """Return the bounds that the query language defines, preferably of windows that end at the reference."""
    quiet = _quiet(query)
    windows = [each.window for each in sources(query) if isinstance(each.window, Range) and each not in quiet]
    own = [each for each in windows if each.until is None and each.ahead is None]
    return {each.ends for each in own or windows if each.ends is not None}


def in_ticks(source: WindowSource, start: int, frame: Frame) -> Rows | FixedWindow | SlidingWindow:
    """Return the window in ticks of the clock, where each window is low-open.

    The first tick of an instant precedes the elements of the instant. The windows [o, c) and [o, c] begin
    after the first tick of o. The windows (o, c] and (o, c) begin after the first tick of o + 1.
    """
    scale = frame.clock.scale
    match source.window:
        case Rows():
            return source.window
        case Span(begin, end, causal):
            ends = (begin.points(frame.unit) * scale, (end.points(frame.unit) + 1) * scale - 1)
            return FixedWindow(*ends, causal)
        case _:
            pass
    bounds = ends_of(source, frame)
    low_open = misses_first(bounds) and not isinstance(source.window, Now)
    first = (start + low_open) * scale
    window_shape = shape(source, frame)
    if window_shape is None:
        whole = (max(frame.until, 0) + 2) * scale + abs(first)
        return SlidingWindow(whole, whole, first)
    # (o, c) ends before the triples of c, where it is looked at: else the one that closes before c is active.
    points = window_shape.width + 1 if window_shape.closed else window_shape.width - (bounds == "open")
    return SlidingWindow(points * scale, window_shape.moves * scale, first)


def at_close(time: int, frame: Frame) -> int:
    """Return the tick of the report that is due at a time.

    High-open windows end before triples of this time.
    """
    scale, reference = frame.clock.scale, time - frame.lead
    return reference * scale if misses_last(frame.bounds) else (reference + 1) * scale - 1


MOST: Final = 1_000_000
"""The greatest number of evaluations of one window for judging; a larger number suggests a wrong unit."""
CLOCKED: Final = frozenset(("window-close", "periodic"))
"""The report strategies that the clock triggers, and not the arrivals."""


class EvaluationPoint(NamedTuple):
    """An evaluation: the tick that determines the content of the windows, and the time point of the report.

    `trigger` is the number of the push that caused the evaluation; None for the clock.
    """

    tick: int
    time: int
    trigger: int | None = None


@dataclass(frozen=True)
class ShownWindow:
    """The content of one window at each tick: consecutive elements of the stream in arrival order."""

    source: WindowSource
    start: int
    frame: Frame
    strategies: frozenset[parameters.Strategy]
    window: Rows | FixedWindow | SlidingWindow
    ticks: Sequence[int]
    elements: Sequence[PushedTriple]

    def span(self, tick: int) -> range:
        """Return the range of elements that the window contains at a tick."""
        own = self.own_tick(tick)
        last = bisect_right(self.ticks, own)
        match self.window:
            case Rows(count):
                return range(max(0, last - count), last)
            case FixedWindow(begin, end, causal):
                first = bisect_right(self.ticks, begin - 1)
                # Also where the other windows end before the triples of this instant.
                scale = self.frame.clock.scale
                shown = min(end, (tick // scale + 1) * scale - 1) if causal else end
                return range(first, max(first, bisect_right(self.ticks, shown)))
            case SlidingWindow():
                opening, end = self._shown(self.window, own)
                last = bisect_right(self.ticks, end)
                return range(bisect_right(self.ticks, opening, 0, last), last)

    def _shown(self, window: SlidingWindow, tick: int) -> tuple[int, int]:
        """Return the ends (o, e] in ticks of the active window, or of the window that closed last.

        A query that defines when its windows open, such as in sparq, reads the windows that closed last.
        """
        clocked = "window-close" in self.strategies
        if not (clocked and isinstance(self.source.window, Range) and self.source.window.opens is not None):
            return window.opening(tick), tick
        # A window that contains its last instant ends one tick after the last one of this instant.
        closed = (tick + 1 - window.start - window.width) // window.slide
        opening = window.start + closed * window.slide
        return (opening, opening + window.width) if closed >= 0 else (window.start, window.start)

    def own_tick(self, tick: int) -> int:
        """Return the tick at which the window ends if the reference time is `tick`."""
        scale = self.frame.clock.scale
        if not self._shift and self._misses_last is misses_last(self.frame.bounds):
            return tick
        instant = tick // scale + self._shift
        return instant * scale if self._misses_last else (instant + 1) * scale - 1

    @cached_property
    def _shift(self) -> int:
        return shift_of(self.source, self.frame)

    @cached_property
    def _misses_last(self) -> bool:
        return misses_last(ends_of(self.source, self.frame))

    @property
    def misses_first(self) -> bool:
        """Whether the window does not contain the time at which it opens."""
        return misses_first(ends_of(self.source, self.frame)) and not isinstance(self.source.window, Now)

    def opening(self, tick: int) -> int:
        """Return the time point o at which the content at a tick begins, for [o, c) or (o, c]."""
        scale = self.frame.clock.scale
        match self.window:
            case Rows():
                span = self.span(tick)
                return self.elements[span[0]].t if span else tick // scale
            case FixedWindow(begin):
                return begin // scale
            case SlidingWindow():
                return self._shown(self.window, self.own_tick(tick))[0] // scale - self.misses_first

    def arrivals(self) -> Sequence[EvaluationPoint]:
        """Return the reference times: the ticks at which an element of the window's stream arrives.

        A window that looks ahead has each element as its reference. The report is due when the window closes.
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
        """Return the closing points of a window; a tuple window closes at each triple of its stream."""
        match self.window:
            case Rows():
                return self.arrivals()
            case FixedWindow(_, end):
                close = end // self.frame.clock.scale + self.frame.lead
                times = range(close, min(close, self.frame.until) + 1)
            case _:
                window_shape = shape(self.source, self.frame)
                times = (
                    range(0) if window_shape is None else window_shape.closes(self.start, self.frame.until)
                )
        _check_count(times, "the window {} closes", self.source)
        return list(map(EvaluationPoint, _at_closes(times, self.frame), times))


def windows_of(source: WindowSource, number: int, start: int, frame: Frame) -> ShownWindow:
    """Return the query's window `number` over the clock of the frame, with the first opening at `start`."""
    window = in_ticks(source, start, frame)
    stream = str(getattr(source.stream, "value", ""))
    strategies = frame.specification.strategies(stream, number)
    if frame.is_quiet(source):
        strategies = frozenset[parameters.Strategy]()
    return ShownWindow(source, start, frame, strategies, window, *heard_on(frame.clock, source.stream))


def with_start(window: ShownWindow, start: int) -> ShownWindow:
    """Return the window with another start time."""
    shown = window.window
    if isinstance(shown, SlidingWindow) and not isinstance(window.source.window, Unbounded):
        moved = shown.start + (start - window.start) * window.frame.clock.scale
        return replace(window, start=start, window=SlidingWindow(shown.width, shown.slide, moved))
    return replace(window, start=start, window=in_ticks(window.source, start, window.frame))


def needed_tick(specification: parameters.Specification, sources: Sequence[WindowSource]) -> parameters.Tick:
    """Return the unit of arrival to distinguish; it is the instant if only the clock triggers reports."""
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
"""Evaluations in ascending order, at most one at each tick and time."""


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
    """Return the evaluation times ET in ascending order; at equal times, only the times with a trigger."""
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
    """Return the ticks that determine the content of windows that close at these time points."""
    return range(at_close(times.start, frame), at_close(times.stop, frame), times.step * frame.clock.scale)


def _check_count(times: range, what: str, name: object) -> None:
    if len(times) > MOST:
        raise LarsError(
            f"{what.format(name)} at more than {MOST} time points up to {times[-1]} (one every "
            f"{times.step}); use a longer slide or period, or a coarser --unit"
        )


def period_of(frame: Frame) -> int:
    """Return the period in time points; raises LarsError if the specification has none."""
    if frame.specification.period is None:
        raise LarsError(
            f"the specification {frame.specification.name} reports periodically, but has no period; "
            "add a period"
        )
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
            return (
                bool(span) and window.ticks[span[-1]] // scale == (window.own_tick(point.tick) - 1) // scale
            )
