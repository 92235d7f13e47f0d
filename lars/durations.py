"""Durations: lengths of time in queries, traces and options, and their numbers of time points; dateTimes."""

import re
from datetime import UTC, datetime, timedelta
from math import gcd
from typing import Final, Self

from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.windows import LARGEST_TIME
from lars.options import kind_of_value

NANOSECONDS: Final = {
    "ns": 1,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86400 * 10**9,
}

_DIGITS: Final = "[0-9]{1,18}"


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A length of time in a query; `nanoseconds` is the exact length.

    >>> str(Duration(90 * 10**9)), str(Duration(1500 * 10**6)), str(Duration(0))
    ('90s', '1500ms', '0s')
    """

    nanoseconds: int

    def __str__(self) -> str:
        (text,) = in_one_unit(self)
        return text

    @property
    def milliseconds(self) -> float:
        """The length in milliseconds, which recordings of engines use as unit."""
        return self.nanoseconds / NANOSECONDS["ms"]

    def points(self, unit: "Duration") -> int:
        """Return the number of time points in this duration, if one time point lasts one `unit`.

        Raises LarsError if the duration is not a multiple of the unit, or has more than `LARGEST_TIME` time
        points.
        """
        count, rest = divmod(self.nanoseconds, unit.nanoseconds)
        if rest:
            message = (
                f"the duration {self} is not a multiple of the unit {unit}; use a unit that divides {self}"
            )
            raise LarsError(message)
        if count > LARGEST_TIME:
            message = f"the duration {self} is {count} time points of {unit}; expected up to {LARGEST_TIME}"
            raise LarsError(f"{message}, so choose a coarser unit")
        return count

    def timed(self, unit: "Duration") -> "TimedPoints":
        """Return the result of `points` as a number that is printed as this duration."""
        return TimedPoints(self.points(unit), self)


class TimedPoints(int):
    """A number of time points that is printed as the duration that the user wrote.

    >>> period = TimedPoints(8, Duration(4 * 10**9))
    >>> f"U = {period}", period + 1
    ('U = 4s', 9)
    """

    duration: Duration

    def __new__(cls, points: int, duration: Duration) -> Self:
        """Return the number `points`, which is printed as the duration that the user wrote.

        Arithmetic with a TimedPoints gives a plain integer, which is not printed as a duration.
        """
        length = super().__new__(cls, points)
        length.duration = duration
        return length

    def __getnewargs__(self) -> tuple[int, Duration]:  # type: ignore[override]
        """Return the arguments that rebuild this value in another process (pickle)."""
        return int(self), self.duration

    def __str__(self) -> str:
        return str(self.duration)


def in_one_unit(*durations: Duration) -> tuple[str, ...]:
    """Return the texts of durations in the longest unit of which all durations are multiples.

    >>> in_one_unit(Duration(120 * 10**9), Duration(122 * 10**9)), in_one_unit(Duration(120 * 10**9))
    (('120s', '122s'), ('2m',))
    """
    common = gcd(*(duration.nanoseconds for duration in durations))
    units = ("d", "h", "m", "s", "ms", "ns") if common else ("s",)
    unit = next(unit for unit in units if not common % NANOSECONDS[unit])
    return tuple(f"{duration.nanoseconds // NANOSECONDS[unit]}{unit}" for duration in durations)


MILLISECOND: Final = Duration(NANOSECONDS["ms"])
SECOND: Final = Duration(NANOSECONDS["s"])


def read_duration(text: str) -> Duration:
    """Return the duration of a text such as 1m30s; each number has the unit ns, ms, s, m, min, h or d.

    >>> str(read_duration("1m30s")), str(read_duration("1min"))
    ('90s', '1m')
    """
    if not re.fullmatch(rf"\s*({_DIGITS}\s*(ns|ms|s|min|m|h|d)\s*)+", text):
        message = (
            f"{text[:60]!r} is not a duration; expected a number of at most 18 digits "
            "and one of ns, ms, s, m, min, h, d, such as 30s or 1min"
        )
        raise LarsError(message)
    parts = re.findall(rf"({_DIGITS})\s*(ns|ms|s|min|m|h|d)", text)
    return Duration(sum(int(count) * NANOSECONDS[unit] for count, unit in parts))


@kind_of_value("LENGTH", "str")
def duration(value: str | Duration) -> Duration:
    """Return a duration, which may be zero; 0 needs no unit.

    >>> str(duration("90s")), duration("0s").nanoseconds, duration("0").nanoseconds
    ('90s', 0, 0)
    """
    return value if isinstance(value, Duration) else read_duration("0s" if value == "0" else value)


@kind_of_value("LENGTH", "str")
def time_unit(value: str | Duration) -> Duration:
    """Return the length of a time point."""
    length = duration(value)
    if not length.nanoseconds:
        raise LarsError("expected a duration above zero, such as 1s or 500ms")
    return length


_END_OF_DAY: Final = re.compile(r"(?<=[T ])24:00:00(?!\.0*[1-9])")
_LAST_ZONE: Final = timedelta(hours=14)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_REACH: Final = timedelta(microseconds=2**63 // 1000)


def date_time(value: str | datetime) -> datetime:
    """Return the XSD dateTime of a text; 24:00:00 is the first instant of the next day.

    Raises ValueError for an invalid dateTime, and for a dateTime whose nanoseconds since 1970 exceed 64 bits.

    >>> str(date_time("2024-02-28T24:00:00Z"))
    '2024-02-29 00:00:00+00:00'
    """
    begin = _END_OF_DAY.sub("00:00:00", value) if isinstance(value, str) else value
    moment = datetime.fromisoformat(begin) if isinstance(begin, str) else begin
    if abs(moment.utcoffset() or timedelta()) > _LAST_ZONE:
        raise ValueError("its time zone is more than 14:00 from UTC")
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH + timedelta(begin != value)
    if abs(since) > _REACH:
        raise ValueError("expected dateTimes from 1678 to 2261")
    return moment + timedelta(begin != value)


@kind_of_value("DATETIME", "str | datetime")
def moment(value: str | datetime) -> datetime:
    """Return a dateTime; raises LarsError if it is invalid or too far from 1970."""
    try:
        return date_time(value)
    except ValueError:
        accepted = "a dateTime from 1678 to 2261 with a zone up to 14:00, such as 2026-01-31T12:00:00Z"
        raise LarsError(f"expected {accepted}") from None
