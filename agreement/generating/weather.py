"""YABench's data model: an air temperature observation in the vocabulary of LinkedSensorData."""

from typing import Final

from agreement.generating.draws import STEPS, below, bits, words
from agreement.generating.plan import Plan, Values
from agreement.recordings.recording import Triple
from lars.terms import XSD

DATA: Final = "http://knoesis.wright.edu/ssw/"
OBSERVATION: Final = f"{DATA}ont/sensor-observation.owl#"
WEATHER: Final = f"{DATA}ont/weather.owl#"
_TYPE: Final = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
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


def observation(station: int, number: str, value: str) -> tuple[Triple, ...]:
    """Return the graph of an observation, in canonical texts; stations count from 0.

    `number` tells the observations of a station apart, `value` is a decimal number.
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
        """Return what is observed in a cell; uniform values come from the word."""
        values = self._values
        count = values.high - values.low + 1
        if values.step is None:
            return decimal(values.low + below(word, count), values.decimals)
        return decimal(
            reflected(values, below(self._word, count) + values.step * self._steps(cell)), values.decimals
        )

    def _steps(self, cell: int) -> int:
        while self._block < cell // STEPS:
            self._sum += 2 * bits(b"steps", *self._name, self._block).bit_count() - STEPS
            self._block += 1
        taken = cell % STEPS
        ups = bits(b"steps", *self._name, self._block) & ((1 << taken) - 1)
        return self._sum + 2 * ups.bit_count() - taken


def reflected(values: Values, above: int) -> int:
    """Return the value of a free walk, `above` the lowest one, after reflection at both bounds.

    >>> [reflected(Values(0, 3, 0, 1), above) for above in (-2, -1, 0, 3, 4, 6, 7)]
    [2, 1, 0, 3, 2, 0, 1]
    """
    span = values.high - values.low
    if not span:
        return values.low
    turned = above % (2 * span)
    return values.low + min(turned, 2 * span - turned)
