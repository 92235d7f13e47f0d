"""The plan of a synthetic stream: the generator gen(s, i, d, r, n) of YABench, and irregular arrivals."""

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar, Final, Literal

from agreement.documents.values import LARGEST
from lars import durations
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, SECOND, Duration
from lars.errors import LarsError
from lars.language.terms import absolute_iri
from lars.options import kind_of_value, option

NOTHING: Final = Duration(0)
HALF_A_MINUTE: Final = Duration(30 * 10**9)
STREAM: Final = "http://example.org/observations"
TRIPLES: Final = 7
"""The number of triples of an observation."""


WrittenFormat = Literal["nquads", "ntriples", "yabench", "trig", "turtle", "csv", "parquet"]
"""The formats of written streams; every command with a trace reads all these formats."""
ArrivalProcess = Literal["regular", "poisson"]
"""The times of a station's observations: one in every interval, or a Poisson process of the same rate."""

_NUMBER: Final = r"-?[0-9]{1,15}(?:\.[0-9]{1,9})?"
_STEP: Final = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,9})?")
_RANGE: Final = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_BURSTS: Final = re.compile(r"([0-9]{1,9})x(.+)")
_SHARE: Final = re.compile(r"[0-9](?:\.[0-9]{1,18})?|\.[0-9]{1,18}")


@kind_of_value("LOW..HIGH", "str")
def temperatures(text: str) -> tuple[Decimal, Decimal]:
    """Return the lowest and the highest temperature of a text `LOW..HIGH`.

    >>> temperatures("-5..40.0")
    (Decimal('-5'), Decimal('40.0'))
    """
    match = _RANGE.fullmatch(text)
    if match is None:
        raise LarsError("expected LOW..HIGH, such as 40.0..100.0 or -5..35")
    low, high = Decimal(match[1]), Decimal(match[2])
    if low > high:
        raise LarsError("the first value is above the second; expected LOW..HIGH")
    return low, high


@kind_of_value("STEP", "float | str")
def step(value: str | float) -> Decimal:
    """Return the step of a random walk.

    >>> step(0.00001), step("0.5")
    (Decimal('0.00001'), Decimal('0.5'))
    """
    text = _digits(value)
    if not _STEP.fullmatch(text):
        raise LarsError("expected a step of at least 0, such as 0.5")
    return Decimal(text)


def _digits(value: str | float) -> str:
    """Return a number as text without an exponent, such as 0.00001; a text is unchanged."""
    return value if isinstance(value, str) else f"{Decimal(str(value)):f}"


@kind_of_value("SIZExGAP", "str")
def bursts(text: str) -> tuple[int, Duration]:
    """Return the size of a burst, and the gap between its observations, from a text `SIZExGAP`.

    >>> bursts("5x100ms")
    (5, Duration(nanoseconds=100000000))
    """
    match = _BURSTS.fullmatch(text)
    if match is None:
        raise LarsError("expected SIZExGAP, such as 5x100ms")
    return int(match[1]), durations.duration(match[2])


@kind_of_value("SHARE", "float | str")
def share(value: str | float) -> Fraction:
    """Return a share from 0 to 1 as an exact fraction.

    >>> share(0.00001), share("1")
    (Fraction(1, 100000), Fraction(1, 1))
    """
    text = _digits(value)
    if not _SHARE.fullmatch(text) or Fraction(text) > 1:
        raise LarsError("expected a share from 0 to 1, such as 0.05")
    return Fraction(text)


class WrongOptionError(LarsError):
    """The error that an option of a synthetic stream is invalid, with its name, value and expected form."""

    def __init__(self, option: str, problem: str, value: object = None) -> None:
        sentence = problem if value is None else f"{value}: {problem}"
        super().__init__(f"--{option.replace('_', '-')}{':' if value is None else ''} {sentence}")
        self.option, self.found = option, f"found {sentence}"


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of a synthetic stream: observations on [start, start + duration) (YABench, Section 3.2).

    Each station makes one observation per `interval`. The first observation is at a random offset below
    `interval`. Groups of `contemporaneous` stations observe at the same instants. The groups are assigned to
    the streams in turn. Without `walk`, temperatures are uniform and independent. With `walk`, the
    temperature of each station is a random walk from a random start: in each interval, it moves one step up
    or down with equal probability, reflected at both bounds. All times are multiples of `unit`, which
    commands set.
    """

    HEADING: ClassVar = "Stream"

    stations: int = option(1, "Number of weather stations.")
    interval: Duration = option(
        SECOND,
        "Time between two observations of a station. The first observation is at a random time within"
        " the first interval.",
        durations.duration,
    )
    duration: Duration = option(HALF_A_MINUTE, "Length of the stream.", durations.duration)
    seed: int = option(0, "Seed of the random numbers. The same seed gives the same stream.")
    values: tuple[Decimal, Decimal] = option(
        (Decimal("40.0"), Decimal("100.0")),
        "Lowest and highest temperature. lars draws each temperature at random from this range.",
        temperatures,
        default_text="40.0..100.0",
    )
    walk: Decimal | None = option(
        None,
        "Change of the temperature of a station from one interval to the next: STEP up or STEP down.",
        step,
    )
    arrivals: ArrivalProcess = option(
        "regular",
        "Times of the observations of a station: one in each interval (regular), or random times at "
        "the same rate (poisson).",
    )
    bursts: tuple[int, Duration] | None = option(
        None,
        "Replace each observation by SIZE observations. The time between two of these observations is GAP.",
        bursts,
    )
    contemporaneous: int = option(1, "Number of stations that observe at the same times.", metavar="K")
    duplicates: Fraction = option(
        Fraction(0), "Share of the elements that the stream contains twice, such as 0.1.", share
    )
    out_of_order: Fraction = option(
        Fraction(0), "Share of the elements that arrive late, such as 0.1.", share
    )
    delay: Duration | None = option(
        None,
        "Maximum delay of a late element. [default: the time between two observations]",
        durations.duration,
    )
    streams: int = option(
        1,
        "Number of streams. Each weather station sends its observations to one stream. The IRIs of "
        "the streams end in 1, 2 and so on.",
    )
    stream_iri: str = option(STREAM, "IRI of the stream.", absolute_iri)
    start: Duration = option(
        NOTHING, "Time between time point 0 and the start of the stream, such as 10s.", durations.duration
    )
    unit: Duration = MILLISECOND

    def in_unit(self, unit: Duration) -> "Plan":
        """Return the plan with time points of the length `unit`.

        Raises:
            WrongOptionError: A time is no multiple of the unit, or the options do not fit together.
        """
        plan = replace(self, unit=unit)
        _check_counts(plan)
        if plan.delay is not None and not plan.out_of_order:
            raise WrongOptionError("delay", "requires --out-of-order SHARE")
        _check_times(plan)
        return plan

    def points(self, length: Duration) -> int:
        """Return a duration as a number of this plan's time units."""
        return length.points(self.unit)

    @property
    def burst(self) -> tuple[int, Duration]:
        """The number of observations in place of one, and the time between two of them."""
        return self.bursts or (1, NOTHING)

    @property
    def scaled(self) -> tuple[int, int, int | None, int]:
        """Lowest and highest temperature, and step, in units of 10 ** -decimals; and these decimals.

        >>> Plan(values=(Decimal(-5), Decimal("5.0")), walk=Decimal("0.25")).scaled
        (-500, 500, 25, 2)
        """
        exponents = (one.as_tuple().exponent for one in (*self.values, self.walk) if one is not None)
        decimals = max(-exponent for exponent in exponents if isinstance(exponent, int))
        low, high = (int(one.scaleb(decimals)) for one in self.values)
        return low, high, None if self.walk is None else int(self.walk.scaleb(decimals)), decimals

    @property
    def lateness(self) -> Duration:
        """The greatest delay of an element."""
        if not self.out_of_order:
            return NOTHING
        return self.interval if self.delay is None else self.delay

    @property
    def expected_triples(self) -> int:
        """The number of triples in the stream; the mean number if arrivals are random."""
        count, gap = self.burst
        # A burst ends with the stream.
        size = min(count, self.duration.nanoseconds // max(1, gap.nanoseconds) + 1)
        observations = self.stations * size * self.duration.nanoseconds * TRIPLES
        return int((1 + self.duplicates) * observations) // self.interval.nanoseconds

    def stream_of(self, station: int) -> str:
        """Return the IRI of the stream that a station, counted from 0, sends to."""
        if self.streams == 1:
            return f"<{self.stream_iri}>"
        return f"<{self.stream_iri}{1 + station // self.contemporaneous % self.streams}>"


def _check_counts(plan: Plan) -> None:
    groups = -(-plan.stations // max(plan.contemporaneous, 1))
    for name, number, most, accepted in (
        ("stations", plan.stations, LARGEST, "a number of at least 1"),
        ("bursts", plan.burst[0], LARGEST, "a burst of at least 1 observation"),
        ("contemporaneous", plan.contemporaneous, plan.stations, f"1..{plan.stations}, the stations"),
        ("streams", plan.streams, groups, f"1..{groups}, because each stream needs at least one station"),
    ):
        if not 1 <= number <= most:
            raise WrongOptionError(name, f"expected {accepted}", number)


def _check_times(plan: Plan) -> None:
    size, gap = plan.burst
    zero = [("start", plan.start)] + [("bursts", gap)] * (size > 1)
    delayed = [("delay", plan.lateness)] * bool(plan.out_of_order)
    positive = [("interval", plan.interval), ("duration", plan.duration), *delayed]
    for name, length in positive:
        if not length.nanoseconds:
            raise WrongOptionError(name, "expected a duration above zero, such as 1s or 500ms", length)
    for name, length in (*positive, *zero):
        if length.nanoseconds % plan.unit.nanoseconds:
            raise WrongOptionError(name, f"expected a whole number of the unit {plan.unit}", length)
    if plan.start.nanoseconds + plan.duration.nanoseconds > LARGEST * plan.unit.nanoseconds:
        raise WrongOptionError("start", f"expected times up to {LARGEST} units", plan.start)
