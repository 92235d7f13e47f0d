"""The plan of a synthetic stream: the generator gen(s, i, d, r, n) of YABench, and irregular arrivals."""

import re
from dataclasses import field
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar, Final, Literal

from agreement.documents.values import LARGEST
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, SECOND, Duration, read_duration
from lars.errors import LarsError, cut
from lars.language.terms import ABSOLUTE_IRI
from lars.options import option

NOTHING: Final = Duration(0)
HALF_A_MINUTE: Final = Duration(30 * 10**9)
STREAM: Final = "http://example.org/observations"
TRIPLES: Final = 7
"""The number of triples of an observation."""


WrittenFormat = Literal["nquads", "ntriples", "yabench", "trig", "turtle", "csv", "parquet"]
"""The formats of written streams; every command with a trace reads all these formats."""
ArrivalProcess = Literal["regular", "poisson"]
"""The times of a station's observations: one in every interval, or a Poisson process of the same rate."""


@dataclass(frozen=True, slots=True)
class TemperatureRange:
    """Temperatures from `low` to `high`, both included; all three numbers have the unit 10 ** -decimals.

    Without `step`, temperatures are uniform and independent. With `step`, the temperature of each station is
    a random walk from a random start. In each interval, the temperature moves one step up or down with equal
    probability, reflected at both bounds.
    """

    low: int = 400
    high: int = 1000
    decimals: int = 1
    step: int | None = None


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """The options of a synthetic stream."""

    HEADING: ClassVar = "Stream"

    stations: int = option(1, "Number of weather stations.")
    interval: str = option(
        "1s",
        "Time between two observations of a station. The first observation is at a random time within"
        " the first interval.",
        metavar="LENGTH",
    )
    duration: str = option("30s", "Length of the stream.", metavar="LENGTH")
    seed: int = option(0, "Seed of the random numbers. The same seed gives the same stream.")
    values: str = option(
        "40.0..100.0",
        "Lowest and highest temperature. lars draws each temperature at random from this range.",
        metavar="LOW..HIGH",
    )
    walk: str | None = option(
        None,
        "Change of the temperature of a station from one interval to the next: STEP up or STEP down.",
        metavar="STEP",
    )
    arrivals: ArrivalProcess = option(
        "regular",
        "Times of the observations of a station: one in each interval (regular), or random times at "
        "the same rate (poisson).",
    )
    bursts: str | None = option(
        None,
        "Replace each observation by SIZE observations. The time between two of these observations is GAP.",
        metavar="SIZExGAP",
    )
    contemporaneous: int = option(1, "Number of stations that observe at the same times.", metavar="K")
    duplicates: str = option(
        "0", "Share of the elements that the stream contains twice, such as 0.1.", metavar="SHARE"
    )
    out_of_order: str = option("0", "Share of the elements that arrive late, such as 0.1.", metavar="SHARE")
    delay: str | None = option(
        None,
        "Maximum delay of a late element. [default: the time between two observations]",
        metavar="LENGTH",
    )
    streams: int = option(
        1,
        "Number of streams. Each weather station sends its observations to one stream. The IRIs of "
        "the streams end in 1, 2 and so on.",
    )
    stream_iri: str = option(STREAM, "IRI of the stream.", metavar="IRI")
    start: str = option(
        "0s", "Time between time point 0 and the start of the stream, such as 10s.", metavar="LENGTH"
    )


class WrongOptionError(LarsError):
    """The error that an option of a synthetic stream is invalid, with its name, value and expected form."""

    def __init__(self, option: str, problem: str, value: object = None) -> None:
        sentence = problem if value is None else f"{value}: {problem}"
        super().__init__(f"--{option.replace('_', '-')}{':' if value is None else ''} {sentence}")
        self.option, self.found = option, f"found {sentence}"


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan of a synthetic stream, with observations on [start, start + duration) (YABench, Section 3.2).

    Each station makes one observation per `interval`. The first observation is at a random offset below
    `interval`. Groups of `contemporaneous` stations observe at the same instants. The groups are assigned to
    the streams in turn. Each observation is replaced by `burst` observations with the time `gap` between
    them. A share `duplicates` of the elements is sent twice, with the same time. A share `out_of_order` of
    the elements arrives late, with a delay of at most `delay`. If `delay` is None, the greatest delay is one
    interval. All times of a plan are multiples of `unit`. Raises LarsError for an invalid plan; the message
    names the wrong option.
    """

    stations: int = 1
    interval: Duration = SECOND
    duration: Duration = HALF_A_MINUTE
    seed: int = 0
    values: TemperatureRange = field(default_factory=TemperatureRange)
    streams: int = 1
    stream: str = STREAM
    burst: int = 1
    gap: Duration = NOTHING
    arrivals: ArrivalProcess = "regular"
    contemporaneous: int = 1
    duplicates: Fraction = Fraction(0)
    out_of_order: Fraction = Fraction(0)
    delay: Duration | None = None
    unit: Duration = MILLISECOND
    start: Duration = NOTHING

    def __post_init__(self) -> None:
        _check_counts(self)
        _check_shares(self)
        _check_times(self)
        if not ABSOLUTE_IRI.fullmatch(self.stream):
            raise WrongOptionError("stream_iri", "expected an absolute IRI", cut(self.stream))
        if not self.values.low <= self.values.high:
            raise WrongOptionError("values", "the first value is above the second; expected LOW..HIGH")

    def points(self, length: Duration) -> int:
        """Return a duration as a number of this plan's time units."""
        return length.points(self.unit)

    @property
    def lateness(self) -> Duration:
        """The greatest delay of an element."""
        if not self.out_of_order:
            return NOTHING
        return self.interval if self.delay is None else self.delay

    @property
    def expected_triples(self) -> int:
        """The number of triples in the stream; the mean number if arrivals are random."""
        # A burst ends with the stream.
        size = min(self.burst, self.duration.nanoseconds // max(1, self.gap.nanoseconds) + 1)
        observations = self.stations * size * self.duration.nanoseconds * TRIPLES
        return int((1 + self.duplicates) * observations) // self.interval.nanoseconds

    def stream_of(self, station: int) -> str:
        """Return the IRI of the stream that a station, counted from 0, sends to."""
        if self.streams == 1:
            return f"<{self.stream}>"
        return f"<{self.stream}{1 + station // self.contemporaneous % self.streams}>"


def _check_counts(plan: Plan) -> None:
    groups = -(-plan.stations // max(plan.contemporaneous, 1))
    for name, number, most, accepted in (
        ("stations", plan.stations, LARGEST, "from 1"),
        ("bursts", plan.burst, LARGEST, "a burst of at least 1 observation"),
        ("contemporaneous", plan.contemporaneous, plan.stations, f"1..{plan.stations}, the stations"),
        ("streams", plan.streams, groups, f"1..{groups}, because each stream needs at least one station"),
    ):
        if not 1 <= number <= most:
            raise WrongOptionError(name, f"expected {accepted}", number)


def _check_shares(plan: Plan) -> None:
    for name, share in (("duplicates", plan.duplicates), ("out_of_order", plan.out_of_order)):
        if not 0 <= share <= 1:
            raise WrongOptionError(name, "expected a share from 0 to 1", float(share))
    if plan.delay is not None and not plan.out_of_order:
        raise WrongOptionError("delay", "requires --out-of-order SHARE")


def _check_times(plan: Plan) -> None:
    zero = [("start", plan.start)] + [("bursts", plan.gap)] * (plan.burst > 1)
    delayed = [("delay", plan.lateness)] * bool(plan.out_of_order)
    for name, found in (
        ("unit", plan.unit),
        ("interval", plan.interval),
        ("duration", plan.duration),
        *delayed,
    ):
        if not found.nanoseconds:
            raise WrongOptionError(name, "expected a duration above zero, such as 1s or 500ms", found)
    for name, found in (
        ("interval", plan.interval),
        ("duration", plan.duration),
        *delayed,
        *zero,
    ):
        if found.nanoseconds % plan.unit.nanoseconds:
            raise WrongOptionError(name, f"expected a whole number of the unit {plan.unit}", found)
    if plan.start.nanoseconds + plan.duration.nanoseconds > LARGEST * plan.unit.nanoseconds:
        raise WrongOptionError("start", f"expected times up to {LARGEST} units", plan.start)


_NUMBER: Final = r"-?[0-9]{1,15}(?:\.[0-9]{1,9})?"
_STEP: Final = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,9})?")
_RANGE: Final = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_BURSTS: Final = re.compile(r"([0-9]{1,9})x(.+)")
_SHARE: Final = re.compile(r"[0-9](?:\.[0-9]{1,18})?|\.[0-9]{1,18}")


def duration(option: str, text: str) -> Duration:
    """Return the duration of an option."""
    try:
        return read_duration(text)
    except LarsError as error:
        raise WrongOptionError(option, str(error)) from None


def values(text: str, step: str | None) -> TemperatureRange:
    """Return the temperature range of a text `LOW..HIGH`; `step` is the value of --walk.

    The number of decimals is the greatest number of decimals in the two texts.

    >>> values("40.0..100", None)
    TemperatureRange(low=400, high=1000, decimals=1, step=None)
    >>> values("-5..5", "0.25")
    TemperatureRange(low=-500, high=500, decimals=2, step=25)
    """
    match = _RANGE.fullmatch(text)
    if match is None:
        raise WrongOptionError("values", "expected LOW..HIGH, such as 40.0..100.0 or -5..35", cut(text))
    if step is not None and not _STEP.fullmatch(step):
        raise WrongOptionError("walk", "expected a step of at least 0, such as 0.5", cut(step))
    low, high, walk = Decimal(match[1]), Decimal(match[2]), None if step is None else Decimal(step)
    decimals = max(_decimals(number) for number in (low, high, walk) if number is not None)
    scaled = [None if number is None else int(number.scaleb(decimals)) for number in (low, high, walk)]
    return TemperatureRange(scaled[0] or 0, scaled[1] or 0, decimals, scaled[2])


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def bursts(text: str | None) -> tuple[int, Duration]:
    """Return the size of a burst, and the gap between its observations, from a text `SIZExGAP`.

    >>> bursts("5x100ms")
    (5, Duration(nanoseconds=100000000))
    """
    if text is None:
        return 1, NOTHING
    match = _BURSTS.fullmatch(text)
    if match is None:
        raise WrongOptionError("bursts", "expected SIZExGAP, such as 5x100ms", cut(text))
    return int(match[1]), duration("bursts", match[2])


def share(option: str, text: str) -> Fraction:
    """Return the value of an option, a share from 0 to 1, as an exact fraction."""
    if not _SHARE.fullmatch(text) or Fraction(text) > 1:
        raise WrongOptionError(option, "expected a share from 0 to 1, such as 0.05", cut(text))
    return Fraction(text)


def plan_of(options: StreamOptions, unit: Duration) -> Plan:
    """Return the plan of a stream with the given options; all its times are multiples of `unit`."""
    burst, gap = bursts(options.bursts)
    return Plan(
        stations=options.stations,
        interval=duration("interval", options.interval),
        duration=duration("duration", options.duration),
        seed=options.seed,
        values=values(options.values, options.walk),
        streams=options.streams,
        stream=options.stream_iri,
        burst=burst,
        gap=gap,
        arrivals=options.arrivals,
        contemporaneous=options.contemporaneous,
        duplicates=share("duplicates", options.duplicates),
        out_of_order=share("out_of_order", options.out_of_order),
        delay=None if options.delay is None else duration("delay", options.delay),
        unit=unit,
        start=duration("start", options.start),
    )
