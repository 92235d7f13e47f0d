"""The elements of a stream at time points, and on a finer clock that distinguishes arrivals.

A specification can report at each arrival. Its clock has several ticks per instant, one for each arrival.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
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
    """The elements on a clock with `scale` ticks in each instant (time point).

    The first tick precedes the elements.

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
def elements_on(clock: TickClock, stream: Iri | Variable) -> tuple[tuple[int, ...], tuple[PushedTriple, ...]]:
    """Return the ticks and the elements of a stream; if the stream is a variable, of all streams."""
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
