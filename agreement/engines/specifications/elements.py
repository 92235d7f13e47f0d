"""Place the elements of a stream at time points, and on a finer clock that distinguishes arrivals.

A specification can report at each arrival. Its clock has several ticks per time point, one for each arrival.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Final, assert_never

from agreement.documents.outputs import plain
from agreement.documents.recordings import Push
from agreement.documents.requests import sources
from agreement.engines.specifications import parameters
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.terms import Iri, Variable
from lars.language.windows import LARGEST_TIME
from solver.facts import QUAD_PREDICATE, STREAM_PREDICATE, Fact, Triple
from translate.model.query import EngineQuery

_SLACK: Final = 1e-6
"""The maximum distance of a time from a whole number of time points, in time points."""
_ROUNDED: Final = 2.0**-51
"""The maximum relative distance of a large time from an integer, due to floating-point rounding."""


@dataclass(frozen=True, slots=True)
class PushedTriple:
    """A triple of a stream at a time point; `number` is its position in the order of arrival.

    `graph` is the number of the graph with which it arrived, and `named` are the names of its graphs. `came`
    is the time point of its arrival; None means that it arrives at its own time.
    """

    t: int
    stream: str
    triple: Triple
    number: int
    graph: int | None = None
    named: tuple[str, ...] = ()
    came: int | None = None

    @property
    def arrival(self) -> int:
        """The time point at which the triple arrives."""
        return self.t if self.came is None else self.came

    def facts(self, t: int | None = None) -> Iterator[Fact]:
        """Yield the input atoms of the triple: one for its stream, and one for each named graph.

        The atoms have the time `t`, or by default the time of the triple.
        """
        time = self.t if t is None else t
        yield Fact(time, STREAM_PREDICATE, (*self.triple, self.stream))
        yield from (Fact(time, QUAD_PREDICATE, (*self.triple, name, self.stream)) for name in self.named)


def elements_of(
    pushes: Sequence[Push], unit: Duration, first: int = 0, lateness: int | None = None
) -> tuple[PushedTriple, ...]:
    """Return pushed triples at time points, ordered by time and then by arrival.

    Args:
        pushes: The pushed triples, with times in ms.
        unit: The length of a time point.
        first: The number of the first pushed triple in its run.
        lateness: The maximum delay in time points; later triples are dropped. None keeps all.

    Raises:
        LarsError: A time is not a multiple of the unit, or too large.
    """
    elements = []
    for number, push in enumerate(pushes, first):
        t, came = _counted(push.t, number, unit), None
        if push.came is not None and push.came != push.t:
            came = _counted(push.came, number, unit)
        if lateness is None or came is None or came - t <= lateness:
            parts = push.stream, push.triple, number, push.graph, push.named
            elements.append(PushedTriple(t, *parts, came))
    return tuple(sorted(elements, key=attrgetter("t")))


def _counted(time: float, number: int, unit: Duration) -> int:
    counted = time / unit.milliseconds
    t = round(counted)
    if t != counted and abs(t - counted) > max(_SLACK, abs(t) * _ROUNDED):
        raise LarsError(
            f"push {number} is at {plain(time, 9)} ms, which is not a multiple of the unit {unit}; use "
            "a unit that divides the times"
        )
    if abs(t) > LARGEST_TIME:
        raise LarsError(f"push {number} is at {time:g} ms, which is too large; use a smaller time")
    return t


@dataclass(frozen=True, slots=True)
class Version:
    """Static triples that are valid in the closed interval [first, last] of time points.

    If `first` or `last` is None, the interval has no limit on this side. `graph` is the name of a named
    graph, or None.
    """

    triples: frozenset[Triple]
    first: int | None = None
    last: int | None = None
    graph: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TickClock:
    """The elements of a stream on a clock with `scale` ticks in each time point.

    The ticks of time point t begin at t * scale. The first tick precedes the elements. The last elements of a
    time point are at its last tick.
    """

    scale: int
    elements: tuple[PushedTriple, ...]
    ticks: tuple[int, ...]
    """The tick of each element, in ascending order."""
    came: tuple[tuple[int, int], ...] = ()
    """If elements are late: the tick of each arrival with the number of its push, in ascending order."""

    def arrived(self, tick: int) -> int:
        """Return the number of triples that have been pushed up to a tick."""
        place = bisect_right(self.came, tick, key=itemgetter(0))
        return self.came[place - 1][1] + 1 if place else 0


def stream_elements(query: EngineQuery, elements: Sequence[PushedTriple]) -> tuple[PushedTriple, ...]:
    """Return the elements of a query's streams; if elements at one time point are equal, keep the first."""
    names = {_name(source.stream) for source in sources(query)}
    first: dict[tuple[int, str, Triple], PushedTriple] = {}
    for element in elements:
        if None in names or element.stream in names:
            first.setdefault((element.t, element.stream, element.triple), element)
    return tuple(first.values())


def _name(stream: Iri | Variable) -> str | None:
    return None if isinstance(stream, Variable) else str(stream)


def tick_clock(elements: tuple[PushedTriple, ...], tick: parameters.Tick) -> TickClock:
    """Return the elements on a clock with as few ticks per time point as `tick` requires.

    The argument `tick` is the kind of event at which the engine can report: each triple, each graph, or each
    time point. Late elements are at the last tick of their time point, after the elements that arrived on
    time.
    """
    in_order = sorted(elements, key=attrgetter("arrival", "number")) if any_late(elements) else elements
    by_instant = [list(inside) for _, inside in groupby(in_order, attrgetter("arrival"))]
    parts = [list(_numbered(inside, tick)) for inside in by_instant]
    scale = 1 + max((numbers[-1] + 1 for numbers in parts), default=1)
    came = tuple(
        (element.arrival + 1) * scale - 1 - (numbers[-1] - number)
        for inside, numbers in zip(by_instant, parts, strict=True)
        for element, number in zip(inside, numbers, strict=True)
    )
    if in_order is elements:
        return TickClock(scale, elements, came)
    placed = [
        (at if element.arrival == element.t else (element.t + 1) * scale - 1, at, element)
        for at, element in zip(came, in_order, strict=True)
    ]
    placed.sort(key=itemgetter(0, 1))
    arrivals = zip(came, (element.number for element in in_order), strict=True)
    return TickClock(
        scale, tuple(each for *_, each in placed), tuple(tick for tick, *_ in placed), tuple(arrivals)
    )


def any_late(elements: Iterable[PushedTriple]) -> bool:
    """Return whether an element arrives after its own time."""
    return any(element.arrival != element.t for element in elements)


@lru_cache(maxsize=16)
def triggers(clock: TickClock) -> Mapping[int, int]:
    """Return the number of the last pushed triple at each tick."""
    if clock.came:
        return dict(clock.came)
    return {tick: element.number for tick, element in zip(clock.ticks, clock.elements, strict=True)}


@lru_cache(maxsize=32)
def arrivals_on(clock: TickClock, stream: Iri | Variable) -> Sequence[tuple[int, int]]:
    """Return the tick and the time point at which each element of a stream arrives, in ascending order."""
    ticks, elements = elements_on(clock, stream)
    if not clock.came:
        return [(tick, element.t) for tick, element in zip(ticks, elements, strict=True)]
    at = {number: tick for tick, number in clock.came}
    return sorted((at[element.number], element.arrival) for element in elements)


@lru_cache(maxsize=32)
def elements_on(clock: TickClock, stream: Iri | Variable) -> tuple[tuple[int, ...], tuple[PushedTriple, ...]]:
    """Return the ticks and the elements of a stream; if `stream` is a variable, of all streams."""
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
        here = None if element.graph is None else (element.stream, element.graph, element.t)
        number += here is None or here != before
        before = here
        yield number
