"""The elements of a stream in arrival order, of the whole or of a range of it."""

from collections.abc import Iterator
from typing import NamedTuple

from agreement.generating.arrivals import Moment, burst_length, moments
from agreement.generating.draws import WORDS, Words, below, words
from agreement.generating.plan import Plan
from agreement.generating.weather import Thermometer, observation
from agreement.recordings.recording import Push, Triple
from lars.windows import Interval

PART_TRIPLES = 250_000
"""About how many triples are made at once, and lie in one file of a table."""


class Element(NamedTuple):
    """An observation as it is sent; the order of elements is their arrival order.

    Times are in units; `late` is how long after its time t it arrives, `station` counts from 0,
    `copy` is 1 where it is sent again. Of what arrives together the later time comes first.
    """

    arrival: int
    late: int
    station: int
    cell: int
    nth: int
    copy: int
    value: str

    @property
    def t(self) -> int:
        """The time of its triples."""
        return self.arrival - self.late

    @property
    def number(self) -> str:
        """What tells the observations of its station apart."""
        return f"{self.cell}_{self.nth}" if self.nth else str(self.cell)

    @property
    def triples(self) -> tuple[Triple, ...]:
        """Its triples in the order in which they are sent."""
        return observation(self.station, self.number, self.value)


def elements(plan: Plan, arriving: Interval) -> list[Element]:
    """Return the elements that arrive in an interval of units, in arrival order."""
    first, end = arriving.first - plan.points(plan.lateness), arriving.last + 1
    found: list[Element] = []
    for group in range(0, plan.stations, plan.contemporaneous):
        shared = list(moments(plan, group, first, end))
        for station in range(group, min(group + plan.contemporaneous, plan.stations)):
            found += (one for one in _sent(plan, station, shared) if arriving.first <= one.arrival < end)
    return sorted(found)


def _sent(plan: Plan, station: int, shared: list[Moment]) -> Iterator[Element]:
    thermometer = Thermometer(plan, station)
    repeated, late = int(plan.duplicates * WORDS), int(plan.out_of_order * WORDS)
    latest = plan.points(plan.lateness)
    for cell, nth, t in shared:
        drawn = words(b"element", plan.seed, station, cell, nth)
        value = thermometer.at(cell, drawn[0])
        delay = _delay(drawn, late, latest)
        yield Element(t + delay, delay, station, cell, nth, 0, value)
        if drawn[3] < repeated:
            delay = _delay(words(b"copy", plan.seed, station, cell, nth), late, latest)
            yield Element(t + delay, delay, station, cell, nth, 1, value)


def _delay(drawn: Words, late: int, latest: int) -> int:
    return 1 + below(drawn[2], latest) if drawn[1] < late else 0


def parts(plan: Plan) -> list[Interval]:
    """Return the times of arrival cut into intervals, by the plan alone.

    A part must look back as far as elements are late or bursts long, so it is no shorter than a
    fourth of that: what is made twice for that reason stays bounded.
    """
    start, back = plan.points(plan.start), plan.points(plan.lateness)
    end = start + plan.points(plan.duration) + back
    count = -(-plan.expected_triples // PART_TRIPLES) or 1
    looked_at = plan.points(plan.interval) + burst_length(plan) + back
    length = max(-(-(end - start) // count), looked_at // 4, 1)
    return [Interval(first, min(first + length, end) - 1) for first in range(start, end, length)]


def generated(plan: Plan) -> Iterator[Push]:
    """Yield the triples of a plan's stream in arrival order, times in ms; a graph is an element."""
    graph = 0
    for part in parts(plan):
        for element in elements(plan, part):
            t = element.t * plan.unit.nanoseconds / 10**6
            stream = plan.stream_of(element.station)
            for triple in element.triples:
                yield Push(t, stream, triple, graph)
            graph += 1
