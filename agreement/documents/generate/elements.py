"""The elements of a synthetic stream or of an interval of the stream: weather observations in arrival order.

A name identifies each random number of a stream, such as the name of a cell of a station. The observation
times of a group of stations are whole units. Time is divided into cells; the length of a cell is the interval
between two observations of a station. Each random draw belongs to one cell, so any interval can be generated
without the earlier intervals. A draw is a digest of the seed and of its purpose (blake2b). The stream
therefore does not depend on the version of Python, the number of processes, or the order of draws. Any part
of a stream can be generated separately, on any machine.

The data model is YABench's: an air temperature observation in the vocabulary of LinkedSensorData.
"""

from collections.abc import Iterator
from decimal import Context, Decimal
from functools import cache
from hashlib import blake2b
from math import factorial
from struct import Struct
from typing import Final, NamedTuple, assert_never

from agreement.documents.generate.plan import Plan
from agreement.documents.recordings import Push
from lars.language.terms import RDF_TYPE, XSD
from lars.language.windows import Interval
from solver.facts import Triple

WORDS: Final = 2**64
"""The number of values of a random word, which is uniformly distributed on 0..2**64 - 1."""
STEPS: Final = 512
"""The number of bits of one draw; each bit is one step of a random walk."""
_MOST_EVENTS: Final = 24
_four_words = Struct("<4Q").unpack

RandomWords = tuple[int, int, int, int]


def words(what: bytes, seed: int, *name: int) -> RandomWords:
    """Return four independent random 64-bit numbers; `what` and `name` identify the draw."""
    return _four_words(blake2b(b"%b %d %a" % (what, seed, name), digest_size=32).digest())


def bits(what: bytes, seed: int, *name: int) -> int:
    """Return 512 independent random bits as one integer; `what` and `name` identify the draw."""
    return int.from_bytes(blake2b(b"%b %d %a" % (what, seed, name)).digest(), "little")


def below(word: int, count: int) -> int:
    """Convert a random 64-bit number to a number from 0 to count - 1; all results are almost equally likely.

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
    """Convert a random 64-bit number to a Poisson-distributed number with mean 1.

    >>> [poisson(share * 2**64 // 100) for share in (36, 37, 73, 74, 91, 92)]
    [0, 1, 1, 2, 2, 3]
    """
    return next((count for count, total in enumerate(_poisson()) if word < total), _MOST_EVENTS)


ObservationTime = tuple[int, int, int]
"""The number of a cell, the number of an observation in the cell (both from 0), and the time."""


def burst_length(plan: Plan) -> int:
    """Return the duration of a burst, in units."""
    size, gap = plan.burst
    return (size - 1) * plan.points(gap) if size > 1 else 0


def moments(plan: Plan, group: int, first: int, end: int) -> Iterator[ObservationTime]:
    """Yield the observation times of a group of stations in [first, end), interval by interval.

    A burst can be longer than the interval between two observations. All observations are in [start, start +
    duration).
    """
    start, interval = plan.points(plan.start), plan.points(plan.interval)
    size, length = plan.burst
    gap = plan.points(length) if size > 1 else 0
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
"""The approximate number of triples that are generated at once, and of triples in one table file."""


def observation(station: int, number: str, value: str) -> tuple[Triple, ...]:
    """Return the triples of an observation as canonical texts; stations are numbered from 0.

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
    """Return the text of value * 10 ** -decimals with this number of decimals.

    >>> decimal(-5, 1), decimal(54, 0)
    ('-0.5', '54')
    """
    if not decimals:
        return str(value)
    whole, rest = divmod(abs(value), 10**decimals)
    return f"{'-' * (value < 0)}{whole}.{rest:0{decimals}d}"


class Thermometer:
    """The temperatures of one station, which are computed in ascending order of time.

    One random draw gives the sum of 512 steps of the random walk, so that a late temperature is computed
    fast.
    """

    __slots__ = ("_block", "_name", "_scaled", "_sum", "_word")

    def __init__(self, plan: Plan, station: int) -> None:
        self._scaled = plan.scaled
        self._name = plan.seed, station
        self._block = self._sum = 0
        self._word = words(b"walk", *self._name)[0] if plan.walk is not None else 0

    def at(self, cell: int, word: int) -> str:
        """Return the temperature in the interval with the number `cell`.

        Without a random walk, the temperature is computed from the random number `word`.
        """
        low, high, step, decimals = self._scaled
        count = high - low + 1
        if step is None:
            return decimal(low + below(word, count), decimals)
        return decimal(reflect(low, high, below(self._word, count) + step * self._steps(cell)), decimals)

    def _steps(self, cell: int) -> int:
        while self._block < cell // STEPS:
            self._sum += 2 * bits(b"steps", *self._name, self._block).bit_count() - STEPS
            self._block += 1
        taken = cell % STEPS
        ups = bits(b"steps", *self._name, self._block) & ((1 << taken) - 1)
        return self._sum + 2 * ups.bit_count() - taken


def reflect(low: int, high: int, above: int) -> int:
    """Return the lowest value plus `above`, reflected at the lowest and highest value.

    >>> [reflect(0, 3, above) for above in (-2, -1, 0, 3, 4, 6, 7)]
    [2, 1, 0, 3, 2, 0, 1]
    """
    span = high - low
    if not span:
        return low
    turned = above % (2 * span)
    return low + min(turned, 2 * span - turned)


class Observation(NamedTuple):
    """An observation that a station sends; the order of observations is their arrival order.

    Times are in units. The field `late` is the delay of the arrival after the time t of the observation. The
    field `station` is the number of the station from 0. The field `copy` is 1 for a duplicate. If two
    observations arrive at the same time, the observation with the later time t comes first.
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
        """The time of the observation's triples."""
        return self.arrival - self.late

    @property
    def number(self) -> str:
        """The number that distinguishes the observations of a station."""
        return f"{self.cell}_{self.nth}" if self.nth else str(self.cell)

    @property
    def triples(self) -> tuple[Triple, ...]:
        """The triples of the observation in the order in which they are sent."""
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
    """Divide the arrival times of a stream into intervals that can be generated separately.

    To generate an interval, earlier observations are also computed, because elements can be late and bursts
    are long. Earlier observations are computed again for at most about four times the length of an interval.
    """
    start, back = plan.points(plan.start), plan.points(plan.lateness)
    end = start + plan.points(plan.duration) + back
    count = -(-plan.expected_triples // PART_TRIPLES) or 1
    looked_at = plan.points(plan.interval) + burst_length(plan) + back
    length = max(-(-(end - start) // count), looked_at // 4, 1)
    return [Interval(first, min(first + length, end) - 1) for first in range(start, end, length)]


def pushes_of(plan: Plan) -> Iterator[Push]:
    """Yield the triples of a plan's stream in arrival order with times in ms; each element is a graph."""
    graph = 0
    for part in plan_parts(plan):
        for element in elements(plan, part):
            t = element.t * plan.unit.nanoseconds / 10**6
            stream = plan.stream_of(element.station)
            for triple in element.triples:
                yield Push(t, stream, triple, graph)
            graph += 1
