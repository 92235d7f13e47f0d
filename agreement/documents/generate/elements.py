"""The elements of a stream, or of an interval of it, in arrival order: observations of the weather.

Random numbers have names; the observation times of a group of stations are in whole units. Time is cut into
cells of one interval. Random draws belong to one cell, so any interval can be made without the time before
it. A draw is a digest of the seed and of its purpose (blake2b). So neither Python's version, nor the number
of processes, nor the order of draws matters: any part of a stream can be made alone, on any machine.

The data model is YABench's: an air temperature observation in the vocabulary of LinkedSensorData.
"""

from collections.abc import Iterator
from decimal import Context, Decimal
from functools import cache
from hashlib import blake2b
from math import factorial
from struct import Struct
from typing import Final, NamedTuple, assert_never

from agreement.documents.generate.plan import Plan, TemperatureRange
from agreement.documents.recordings import Push
from lars.language.terms import RDF_TYPE, XSD
from lars.language.windows import Interval
from solver.facts import Triple

WORDS: Final = 2**64
"""A word is uniform on 0..2**64 - 1."""
STEPS: Final = 512
"""The number of bits of one draw; each bit is a step of a walk."""
_MOST_EVENTS: Final = 24
_four_words = Struct("<4Q").unpack

RandomWords = tuple[int, int, int, int]


def words(what: bytes, seed: int, *name: int) -> RandomWords:
    """Return four independent words for a name."""
    return _four_words(blake2b(b"%b %d %a" % (what, seed, name), digest_size=32).digest())


def bits(what: bytes, seed: int, *name: int) -> int:
    """Return 512 independent bits for a name."""
    return int.from_bytes(blake2b(b"%b %d %a" % (what, seed, name)).digest(), "little")


def below(word: int, count: int) -> int:
    """Return a number of 0..count-1 from a word; counts far below 2**64 are equally likely.

    >>> below(0, 6), below(2**63, 6), below(2**64 - 1, 6)
    (0, 3, 5)
    """
    return word * count >> 64


@cache
def _poisson() -> tuple[int, ...]:
    # exp is rounded correctly in decimal, in floats it is the platform's.
    exact = Context(prec=60)
    none = exact.exp(Decimal(-1))
    chances = [exact.divide(none, Decimal(factorial(count))) for count in range(_MOST_EVENTS)]
    sums = [sum(chances[: count + 1], Decimal(0)) for count in range(_MOST_EVENTS)]
    return tuple(int(exact.multiply(total, Decimal(WORDS))) for total in sums)


def poisson(word: int) -> int:
    """Return a number that is Poisson distributed with mean 1, from a word.

    >>> [poisson(share * 2**64 // 100) for share in (36, 37, 73, 74, 91, 92)]
    [0, 1, 1, 2, 2, 3]
    """
    return next((count for count, total in enumerate(_poisson()) if word < total), _MOST_EVENTS)


ObservationTime = tuple[int, int, int]
"""A cell, the number of an observation in it, both counted from 0, and the observation's time."""


def burst_length(plan: Plan) -> int:
    """Return the duration of a burst, in units."""
    return (plan.burst - 1) * plan.points(plan.gap) if plan.burst > 1 else 0


def moments(plan: Plan, group: int, first: int, end: int) -> Iterator[ObservationTime]:
    """Yield the observation times of a group in [first, end), cell by cell; bursts can overlap the next cell.

    Nothing is observed outside of [start, start + duration).
    """
    start, interval = plan.points(plan.start), plan.points(plan.interval)
    size = plan.burst
    gap = plan.points(plan.gap) if size > 1 else 0
    first, end = max(first, start), min(end, start + plan.points(plan.duration))
    lowest = max(0, (first - start - burst_length(plan)) // interval)
    for cell, nth, t in _starts(plan, group, range(lowest, -(-(end - start) // interval))):
        inside = (
            range(max(0, -(-(first - t) // gap)), min(size, -(-(end - t) // gap))) if gap else range(size)
        )
        for number in inside:
            if first <= (at := t + number * gap) < end:
                yield cell, nth * size + number, at


def _starts(plan: Plan, group: int, cells: range) -> Iterator[ObservationTime]:
    start, interval = plan.points(plan.start), plan.points(plan.interval)
    match plan.arrivals:
        case "regular":
            offset = start + below(words(b"offset", plan.seed, group)[0], interval)
            for cell in cells:
                yield cell, 0, offset + cell * interval
        case "poisson":
            # Given their number, the points of a Poisson process in a cell are uniform.
            for cell in cells:
                count = poisson(words(b"count", plan.seed, group, cell)[0])
                drawn = (words(b"time", plan.seed, group, cell, nth)[0] for nth in range(count))
                for nth, at in enumerate(sorted(below(word, interval) for word in drawn)):
                    yield cell, nth, start + cell * interval + at
        case _:
            assert_never(plan.arrivals)


DATA: Final = "http://knoesis.wright.edu/ssw/"
OBSERVATION: Final = f"{DATA}ont/sensor-observation.owl#"
WEATHER: Final = f"{DATA}ont/weather.owl#"
_TYPE: Final = str(RDF_TYPE)
_PROPERTY: Final = f"<{OBSERVATION}observedProperty>"
_PROCEDURE: Final = f"<{OBSERVATION}procedure>"
_RESULT: Final = f"<{OBSERVATION}result>"
_VALUE: Final = f"<{OBSERVATION}floatValue>"
_UOM: Final = f"<{OBSERVATION}uom>"
_MEASURE: Final = f"<{OBSERVATION}MeasureData>"
_OBSERVED: Final = f"<{WEATHER}TemperatureObservation>"
_TEMPERATURE: Final = f"<{WEATHER}_AirTemperature>"
_FAHRENHEIT: Final = f"<{WEATHER}fahrenheit>"
_DOUBLE: Final = f"^^<{XSD}double>"

PART_TRIPLES: Final = 250_000
"""The approximate number of triples that are created at once, and that are in one file of a table."""


def observation(station: int, number: str, value: str) -> tuple[Triple, ...]:
    """Return the graph of an observation, in canonical texts; stations count from 0.

    `number` distinguishes the observations of a station, `value` is a decimal number.
    """
    name = f"AirTemperature_S{station + 1}_{number}>"
    observed, result = f"<{DATA}Observation_{name}", f"<{DATA}MeasureData_{name}"
    return (
        (observed, _TYPE, _OBSERVED),
        (observed, _PROPERTY, _TEMPERATURE),
        (observed, _PROCEDURE, f"<{DATA}System_S{station + 1}>"),
        (observed, _RESULT, result),
        (result, _TYPE, _MEASURE),
        (result, _VALUE, f'"{value}"{_DOUBLE}'),
        (result, _UOM, _FAHRENHEIT),
    )


def decimal(value: int, decimals: int) -> str:
    """Return value * 10 ** -decimals with that many decimals.

    >>> decimal(-5, 1), decimal(54, 0)
    ('-0.5', '54')
    """
    if not decimals:
        return str(value)
    whole, rest = divmod(abs(value), 10**decimals)
    return f"{'-' * (value < 0)}{whole}.{rest:0{decimals}d}"


class Thermometer:
    """The temperatures of one station, asked for cell by cell in ascending order.

    The sum of 512 steps is read off one draw, so that a late cell is reached without its past.
    """

    __slots__ = ("_block", "_name", "_sum", "_values", "_word")

    def __init__(self, plan: Plan, station: int) -> None:
        self._values = plan.values
        self._name = plan.seed, station
        self._block = self._sum = 0
        self._word = words(b"walk", *self._name)[0] if plan.values.step is not None else 0

    def at(self, cell: int, word: int) -> str:
        """Return the value observed in a cell; uniform values come from the word."""
        values = self._values
        count = values.high - values.low + 1
        if values.step is None:
            return decimal(values.low + below(word, count), values.decimals)
        return decimal(
            reflect(values, below(self._word, count) + values.step * self._steps(cell)), values.decimals
        )

    def _steps(self, cell: int) -> int:
        while self._block < cell // STEPS:
            self._sum += 2 * bits(b"steps", *self._name, self._block).bit_count() - STEPS
            self._block += 1
        taken = cell % STEPS
        ups = bits(b"steps", *self._name, self._block) & ((1 << taken) - 1)
        return self._sum + 2 * ups.bit_count() - taken


def reflect(values: TemperatureRange, above: int) -> int:
    """Return the value of a free walk, `above` the lowest one, after reflection at both bounds.

    >>> [reflect(TemperatureRange(0, 3, 0, 1), above) for above in (-2, -1, 0, 3, 4, 6, 7)]
    [2, 1, 0, 3, 2, 0, 1]
    """
    span = values.high - values.low
    if not span:
        return values.low
    turned = above % (2 * span)
    return values.low + min(turned, 2 * span - turned)


class Observation(NamedTuple):
    """An observation as it is sent; the order of elements is their arrival order.

    Times are in units; `late` is the delay of its arrival after its time t, `station` counts from 0, `copy`
    is 1 for a duplicate. At equal arrival the later time comes first.
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
        """The number that distinguishes the observations of its station."""
        return f"{self.cell}_{self.nth}" if self.nth else str(self.cell)

    @property
    def triples(self) -> tuple[Triple, ...]:
        """Its triples in the order of sending."""
        return observation(self.station, self.number, self.value)


def elements(plan: Plan, arriving: Interval) -> list[Observation]:
    """Return the elements that arrive in an interval of units, in arrival order."""
    first, end = arriving.first - plan.points(plan.lateness), arriving.last + 1
    observations: list[Observation] = []
    for group in range(0, plan.stations, plan.contemporaneous):
        shared = list(moments(plan, group, first, end))
        for station in range(group, min(group + plan.contemporaneous, plan.stations)):
            observations += (
                one for one in _sent(plan, station, shared) if arriving.first <= one.arrival < end
            )
    return sorted(observations)


def _sent(plan: Plan, station: int, shared: list[ObservationTime]) -> Iterator[Observation]:
    thermometer = Thermometer(plan, station)
    repeated, late = int(plan.duplicates * WORDS), int(plan.out_of_order * WORDS)
    latest = plan.points(plan.lateness)
    for cell, nth, t in shared:
        drawn = words(b"element", plan.seed, station, cell, nth)
        value = thermometer.at(cell, drawn[0])
        delay = _delay(drawn, late, latest)
        yield Observation(t + delay, delay, station, cell, nth, 0, value)
        if drawn[3] < repeated:
            delay = _delay(words(b"copy", plan.seed, station, cell, nth), late, latest)
            yield Observation(t + delay, delay, station, cell, nth, 1, value)


def _delay(drawn: RandomWords, late: int, latest: int) -> int:
    return 1 + below(drawn[2], latest) if drawn[1] < late else 0


def plan_parts(plan: Plan) -> list[Interval]:
    """Return the arrival times cut into intervals, which depend only on the plan.

    A part looks back as far as elements are late or bursts long. So it is at least a fourth of that, which
    bounds repeated work.
    """
    start, back = plan.points(plan.start), plan.points(plan.lateness)
    end = start + plan.points(plan.duration) + back
    count = -(-plan.expected_triples // PART_TRIPLES) or 1
    looked_at = plan.points(plan.interval) + burst_length(plan) + back
    length = max(-(-(end - start) // count), looked_at // 4, 1)
    return [Interval(first, min(first + length, end) - 1) for first in range(start, end, length)]


def pushes_of(plan: Plan) -> Iterator[Push]:
    """Yield the triples of a plan's stream in arrival order, times in ms; a graph is an element."""
    graph = 0
    for part in plan_parts(plan):
        for element in elements(plan, part):
            t = element.t * plan.unit.nanoseconds / 10**6
            stream = plan.stream_of(element.station)
            for triple in element.triples:
                yield Push(t, stream, triple, graph)
            graph += 1
