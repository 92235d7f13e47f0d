"""A stream's elements on a finer clock, and where windows lie there once the first opens at t0."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Final, assert_never

from agreement.documents.recordings import Push
from agreement.documents.requests import WindowSource, sources
from agreement.engines.specifications.parameters import Slide, Specification, Tick
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.terms import Iri, Variable
from lars.language.windows import Bounds
from solver.facts import Triple
from translate.model.query import EngineQuery
from translate.model.windows import Now, Range, Rows, Sliding, Unbounded

_SLACK: Final = 1e-6
"""How far from a whole number of time points a time in milliseconds may lie."""
_ROUNDED: Final = 2.0**-51
"""How far, as a share of it, a late one may lie by its floating point."""


@dataclass(frozen=True, slots=True)
class PushedTriple:
    """A triple of a stream at a time point; `number` is that of its push."""

    t: int
    stream: str
    triple: Triple
    number: int
    graph: int | None = None


def elements_of(pushes: Sequence[Push], unit: Duration) -> tuple[PushedTriple, ...]:
    """Return pushes at time points of a unit, ascending in time, in order of arrival at each.

    Raises LarsError for a time that is no whole number of units.
    """
    length = unit.milliseconds
    elements = []
    for number, push in enumerate(pushes):
        counted = push.t / length
        t = round(counted)
        if t != counted and abs(t - counted) > max(_SLACK, abs(t) * _ROUNDED):
            raise LarsError(
                f"push {number} is at {push.t} ms, which is no whole number of the unit {unit}: "
                "choose a unit that divides it"
            )
        elements.append(PushedTriple(t, push.stream, push.triple, number, push.graph))
    return tuple(sorted(elements, key=attrgetter("t")))


@dataclass(frozen=True, slots=True)
class Version:
    """Static triples that are there from one time point to another, both included; None: always."""

    triples: frozenset[Triple]
    first: int | None = None
    last: int | None = None
    graph: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TickClock:
    """The elements on a clock with `scale` ticks an instant, of which the first is before them all.

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


def tick_clock(elements: tuple[PushedTriple, ...], tick: Tick) -> TickClock:
    """Return the elements on the finest clock that tells their ticks apart."""
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
    """Return the number of the last push of each tick that has one."""
    return {tick: element.number for tick, element in zip(clock.ticks, clock.elements, strict=True)}


@lru_cache(maxsize=32)
def heard_on(clock: TickClock, stream: Iri | Variable) -> tuple[tuple[int, ...], tuple[PushedTriple, ...]]:
    """Return the ticks and elements of a stream, of all streams for a variable."""
    name = _name(stream)
    pairs = zip(clock.ticks, clock.elements, strict=True)
    own = [(tick, element) for tick, element in pairs if name in (None, element.stream)]
    return tuple(tick for tick, _ in own), tuple(element for _, element in own)


def _numbered(inside: Sequence[PushedTriple], tick: Tick) -> Iterator[int]:
    match tick:
        case Tick.INSTANT:
            yield from (0 for _ in inside)
        case Tick.TRIPLE:
            yield from range(len(inside))
        case Tick.GRAPH:
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
    """What windows are placed in: unit, ends, whether they slide, the clock, the last time point."""

    specification: Specification
    unit: Duration
    bounds: Bounds
    clock: TickClock
    until: int


@dataclass(frozen=True, slots=True)
class Shape:
    """(α, β) of a sliding window in time points; `closed` where both its ends are contained."""

    width: int
    slide: int
    closed: bool

    def closes(self, start: int, until: int) -> range:
        """Return the time points at which windows close that open at start, start + β, ..."""
        return range(start + self.width, until + 1, self.slide)


def shape(source: WindowSource, frame: Frame) -> Shape | None:
    """Return (α, β) of a window; None for the newest N triples and what reaches back to the start."""
    match source.window:
        case Range(length, slide, None):
            width = length.points(frame.unit)
            moves = slide is None or frame.specification.slide is Slide.IGNORED
            step = 1 if moves or slide is None else slide.points(frame.unit)
            return Shape(width, step, frame.bounds is Bounds.CLOSED or width == 0)
        case Range():
            raise LarsError(
                f"the window {source}: it ends before the time of evaluation; "
                "a specification has windows that end there"
            )
        case Now():
            return Shape(0, 1, closed=True)
        case Rows() | Unbounded():
            return None
        case _:
            raise LarsError(f"the window {source}: no specification says when it opens and closes")


def in_ticks(source: WindowSource, start: int, frame: Frame) -> Rows | Sliding:
    """Return the window as one of the clock's ticks, low-open whatever its ends are in time points.

    The first tick of an instant is before its elements: [o, c) and [o, c] begin after that of o,
    (o, c] after that of o + 1.
    """
    if isinstance(source.window, Rows):
        return source.window
    scale = frame.clock.scale
    low_open = frame.bounds is Bounds.LOW_OPEN and not isinstance(source.window, Now)
    first = (start + low_open) * scale
    window_shape = shape(source, frame)
    if window_shape is None:
        whole = (max(frame.until, 0) + 2) * scale + abs(first)
        return Sliding(whole, whole, first)
    return Sliding((window_shape.width + window_shape.closed) * scale, window_shape.slide * scale, first)


def at_close(time: int, frame: Frame) -> int:
    """Return the tick at which what closes at a time point is seen: high-open before its triples."""
    scale = frame.clock.scale
    return time * scale if frame.bounds is Bounds.HIGH_OPEN else (time + 1) * scale - 1
