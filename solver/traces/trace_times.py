"""Times in the notation of traces, and the clock that converts each time to a time point."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from enum import IntEnum
from functools import lru_cache
from math import gcd, isfinite
from typing import Final

import numpy as np
import numpy.typing as npt

from lars.dataclass import dataclass
from lars.durations import NANOSECONDS, Duration
from lars.errors import LarsError
from lars.language.terms import XSD
from lars.language.windows import LARGEST_TIME
from solver.rdf import ZONE, short

LARGEST: Final = 2**63 - 1
"""The latest instant, in nanoseconds since 1970; time points must be smaller numbers."""
ACCEPTED_TIMES: Final = "an integer of at least 0 or an xsd:dateTime such as 2024-05-01T12:00:00Z"

SKIPPING: Final = "--on-error skip --rejected FILE"
"""The options that skip invalid rows."""
NO_TIME: Final = f"found no time; expected a time in each row, or {SKIPPING}"

_DECIMALS: Final = 9
_INTEGER = re.compile(r"[+-]?([0-9]+)")
_FRACTION: Final = re.compile(r"[+-]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?[0-9]+[eE][+-]?[0-9]+")
WHOLE_TIMES: Final = "expected whole numbers, such as milliseconds with --trace-unit 1ms, or timestamps"
_DATE_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]+))?(Z|[+-][0-9]{2}:[0-9]{2})?"
)
_INTEGER_TYPES = frozenset(
    XSD + name
    for name in (
        *("integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger"),
        *("unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
    )
)
_DATE_TYPES = frozenset({XSD + "dateTime", XSD + "dateTimeStamp"})
_IN_TABLES: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2}(?:\.[0-9]+)?)?"
    r"(?: ?(?:(Z|UTC)|([+-][0-9]{2})(?::?([0-9]{2}))?))?)?"
)
_DAY: Final = 86400 * 10**9
_END_OF_DAY: Final = "T24:00:00"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class MalformedPart(Exception):  # noqa: N818  (never leaves the readers: they give it its place)
    """The error that a part of a trace, such as a term, cannot be read.

    The attribute `line` is None if the caller knows the line. The attribute `no_time` is true if the part is
    a missing time, such as an empty cell.
    """

    def __init__(
        self,
        problem: str,
        column: int = 1,
        line: int | None = None,
        *,
        fatal: bool = False,
        no_time: bool = False,
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.column = column
        self.line = line
        self.fatal = fatal
        self.no_time = no_time

    def at(self, column: int = 1, line: int | None = None) -> "MalformedPart":
        """Return the same error with the given column and line."""
        return MalformedPart(self.problem, column, line, fatal=self.fatal, no_time=self.no_time)


class TimeKind(IntEnum):
    """The notation of a time in a trace: an integer, or a dateTime with or without a time zone."""

    INTEGER = 0
    ZONED = 1
    LOCAL = 2


@dataclass(frozen=True, slots=True)
class Instant:
    """A time as written in a trace.

    - `value` is the time: an integer counts the trace's units, and a dateTime counts nanoseconds since 1970.
    - `zone` is the time zone of a dateTime in minutes ahead of UTC.
    """

    kind: TimeKind
    value: int
    zone: int = 0


def instant_of(moment: datetime) -> Instant:
    """Return the instant of a Python datetime, with or without time zone."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    difference = aware - _EPOCH
    micro = (difference.days * 86400 + difference.seconds) * 10**6 + difference.microseconds
    zone = (moment.utcoffset() or timedelta()) // timedelta(minutes=1)
    return Instant(TimeKind.ZONED if moment.tzinfo else TimeKind.LOCAL, micro * 1000, zone)


_MOST_DIGITS: Final = 60
_LOCAL_DATE: Final = re.compile(r"[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{4}")


def read_time(text: str, datatype: str | None = None) -> Instant:
    """Return the time that a text denotes: an integer or a dateTime, unless `datatype` allows only one.

    Raises:
        MalformedPart: The text is not a time.

    >>> read_time("1970-01-01T00:00:01.5+00:00")
    Instant(kind=<TimeKind.ZONED: 1>, value=1500000000, zone=0)
    """
    plain = datatype in (None, XSD + "string")
    if (integer := _INTEGER.fullmatch(text)) and (plain or datatype in _INTEGER_TYPES):
        # Python reads at most 4300 digits; the first 4000 of more digits are out of range in any unit.
        number = int(integer[1].lstrip("0")[:4000] or "0")
        return Instant(TimeKind.INTEGER, -number if text[0] == "-" else number)
    match = _DATE_TIME.fullmatch(text)
    if plain and _FRACTION.fullmatch(text):
        raise MalformedPart(f"{short(text)} is not a time: found a fraction; {WHOLE_TIMES}")
    if match is None or not (plain or datatype in _DATE_TYPES):
        as_type = "" if plain else f" of type <{datatype}>"
        local = "; write the year first, then month and day" if _LOCAL_DATE.match(text) else ""
        if plain and not text:
            raise MalformedPart(NO_TIME, no_time=True)
        raise MalformedPart(f"{short(text)}{as_type} is not a time; expected {ACCEPTED_TIMES}{local}")
    if datatype == XSD + "dateTimeStamp" and not match[3]:
        raise MalformedPart(
            f"{text!r} is not an xsd:dateTimeStamp: it has no time zone; expected one ending in Z or +hh:mm"
        )
    return _date_time(text, match)


def _shown(number: int) -> str:
    text = str(number)
    return text if len(text) <= _MOST_DIGITS else f"{text[: _MOST_DIGITS - 3]}..."


def _date_time(text: str, match: re.Match[str]) -> Instant:
    fraction = (match[2] or "").rstrip("0")
    # 24:00:00 is the first instant of the next day (XSD 1.1 Part 2, 3.3.7).
    is_end = match[1].endswith(_END_OF_DAY) and not fraction
    begin = match[1].replace(_END_OF_DAY, "T00:00:00") if is_end else match[1]
    if "T24" in begin:  # Python 3.14 reads it as the next day, also before a fraction
        problem = "hour must be in 0..23, or the time 24:00:00"
        raise MalformedPart(f"{text!r} is not a dateTime: {problem}; expected {ACCEPTED_TIMES}")
    if not re.fullmatch(ZONE, match[3] or ""):
        raise MalformedPart(
            f"{text!r} is not a dateTime: its time zone is more than 14:00 from UTC; "
            f"expected {ACCEPTED_TIMES}"
        )
    try:
        whole = instant_of(datetime.fromisoformat(begin + (match[3] or "")))
    except ValueError as error:
        raise MalformedPart(f"{text!r} is not a dateTime: {error}; expected {ACCEPTED_TIMES}") from None
    if len(fraction) > _DECIMALS:
        raise MalformedPart(f"{text!r} is finer than a nanosecond; expected at most nine decimals")
    value = whole.value + int(fraction.ljust(_DECIMALS, "0")) + is_end * _DAY
    if not -LARGEST <= value <= LARGEST:
        raise MalformedPart(f"{text!r} is out of range; expected dateTimes from 1678 to 2261")
    return Instant(whole.kind, value, whole.zone)


_USUAL: Final = re.compile(
    r"((?:19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2})[T ]([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])"
    r"(?:\.([0-9]{1,9}))?(Z|([+-](?:0[0-9]|1[0-3])):([0-5][0-9]))?"
)
"""The dateTimes that most tables contain; `read_time` reads all others, and takes ten times as long."""


def cell_time(text: str) -> Instant:
    """Return the time in a cell, in the notation of N-Triples or of tables.

    Raises:
        MalformedPart: The text is not a time.

    >>> cell_time("2026-05-04 08:00:00+0000") == cell_time("2026-05-04T08:00:00Z")
    True
    """
    usual = _USUAL.fullmatch(text)
    if usual is None or (midnight := _midnight(usual[1])) is None:
        return read_time(cell_date_time(text) or text)
    _, hours, minutes, seconds, fraction, zone, zone_hours, zone_minutes = usual.groups()
    ahead = 0
    if zone_hours is not None:
        ahead = int(zone_hours) * 60 + (-int(zone_minutes) if zone_hours[0] == "-" else int(zone_minutes))
    since_midnight = ((int(hours) * 60 + int(minutes) - ahead) * 60 + int(seconds)) * 10**_DECIMALS
    value = midnight + since_midnight + (int(fraction.ljust(_DECIMALS, "0")) if fraction else 0)
    return Instant(TimeKind.ZONED if zone else TimeKind.LOCAL, value, ahead)


@lru_cache(maxsize=2**12)
def _midnight(day: str) -> int | None:
    """Return the beginning of a day in nanoseconds since 1970; None if no such day exists."""
    try:
        return (date.fromisoformat(day).toordinal() - _EPOCH.toordinal()) * _DAY
    except ValueError:
        return None


def cell_date_time(text: str) -> str | None:
    """Return a dateTime of a table ("2026-05-04 08:00:00") in the notation of XSD; None for other texts.

    >>> cell_date_time("2026-05-04 08:00:00+02"), cell_date_time("2026-05-04T08:00"), cell_date_time("noon")
    ('2026-05-04T08:00:00+02:00', '2026-05-04T08:00:00', None)
    """
    match = _IN_TABLES.fullmatch(text)
    if match is None:
        return None
    day, time, seconds, utc, hours, minutes = match.groups()
    zone = f"{hours}:{minutes or '00'}" if hours else "Z" if utc else ""
    return f"{day}T{time or '00:00'}{seconds or ':00'}{zone}"


_TO_SECONDS: Final = {8: 10**6, 12: 10**2, 14: 1}
"""The factor that completes YYYYMMDD, YYYYMMDDhhmm and YYYYMMDDhhmmss to 14 digits, by the number of digits.

Ten digits are missing, because they can also be seconds since 1970.
"""
_WITH_MILLISECONDS: Final = 17
_YEARS: Final = 1990, 2100
_DAYS: Final = np.array([31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


def are_calendar(numbers: npt.NDArray[np.int64]) -> bool:
    """Return whether all integers look like dates of our time without separators, such as 20240201120005.

    >>> are_calendar(np.array([20240201120005, 20240201120107])), are_calendar(np.array([20240201, 20240232]))
    (True, False)
    """
    lengths = {len(str(int(number))) for number in (numbers.min(initial=2**63 - 1), numbers.max(initial=0))}
    digits = lengths.pop()
    if digits == _WITH_MILLISECONDS:
        numbers, digits = numbers // 1000, 14
    if lengths or digits not in _TO_SECONDS:
        return False
    days, clock = np.divmod(numbers * _TO_SECONDS[digits], 10**6)
    years, months, dates = days // 10_000, days // 100 % 100, days % 100
    hours, minutes, seconds = clock // 10_000, clock // 100 % 100, clock % 100
    fits = (years >= _YEARS[0]) & (years <= _YEARS[1]) & (months >= 1) & (months <= len(_DAYS))
    fits &= (dates >= 1) & (dates <= _DAYS[np.clip(months, 1, len(_DAYS)) - 1])
    return bool((fits & (hours < 24) & (minutes < 60) & (seconds < 60)).all())  # noqa: PLR2004


def calendar_warning(text: str, unit: Duration) -> str:
    """Return a warning about times of which `text` is the first, if they look like dates without separators.

    >>> calendar_warning("202402011205", Duration(10**9)).split("; ")[1]
    'write them as dateTimes, such as 2024-02-01T12:05:00'
    """
    clock = text[8:14].ljust(6, "0")
    dated = f"{text[:4]}-{text[4:6]}-{text[6:8]}T{clock[:2]}:{clock[2:4]}:{clock[4:]}"
    return (
        f"the times look like dates without separators, but lars reads integers such as {text} as multiples "
        f"of {unit}; write them as dateTimes, such as {dated}"
    )


@dataclass(frozen=True, slots=True)
class Clock:
    """Converts the times of a trace (Instant) to numbers of time points, which last one `unit` each.

    - An integer in the trace counts units of `integer_unit`.
    - dateTimes count from `zero`, the instant of time point 0. If `zero` is None, dateTimes remain
      nanoseconds, until the survey of the whole trace finds time point 0.
    - `kind` is the only notation of times that the clock accepts; None means that it accepts every notation.
    """

    unit: Duration
    integer_unit: Duration
    zero: Instant | None = None
    kind: TimeKind | None = None

    def integers(self, points: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the integers of the trace for time points; empty if they have too many digits."""
        common = gcd(self.unit.nanoseconds, self.integer_unit.nanoseconds)
        factor = self.unit.nanoseconds // common
        in_range = points[points <= LARGEST_TIME // factor]
        return in_range * factor // (self.integer_unit.nanoseconds // common)

    def stamp(self, written: Instant) -> Instant:
        """Return the instant with its value in time points; if `zero` is None, a dateTime is unchanged.

        Raises:
            MalformedPart: The time is before 0, after the largest time point, or not a multiple of the unit,
                or the clock does not accept its notation.
        """
        if self.kind not in (None, written.kind):
            raise MalformedPart(different_kinds(written.kind, self.kind))
        if written.kind is TimeKind.INTEGER:
            return self._counted(written, written.value * self.integer_unit.nanoseconds)
        if self.zero is None:
            return written
        if written.kind is not self.zero.kind:
            text = self._text(written)
            raise MalformedPart(
                f"{text} cannot be a time point: only one of the two dateTimes has a time zone"
            )
        return self._counted(written, written.value - self.zero.value)

    def _counted(self, written: Instant, nanoseconds: int) -> Instant:
        points, rest = divmod(nanoseconds, self.unit.nanoseconds)
        if nanoseconds < 0:
            remedy = "expected times from 0"
            if written.kind is not TimeKind.INTEGER and self.zero is not None:
                remedy = f"use an --origin (or the key origin of experiment.toml) up to {show(written)}"
            raise MalformedPart(f"{self._text(written)} is negative; {remedy}")
        if rest:
            text = f"{self._text(written)} is not a multiple of the unit {self.unit}"
            raise MalformedPart(f"{text}: {dividing(nanoseconds)}")
        if points > LARGEST_TIME:
            text = f"{self._text(written)} is too late"
            raise MalformedPart(f"{text}; expected up to {LARGEST_TIME} time points")
        return Instant(written.kind, points, written.zone)

    def _text(self, written: Instant) -> str:
        if written.kind is TimeKind.INTEGER:
            return f"the time {_shown(written.value)} (of {self.integer_unit} each)"
        since = "" if self.zero is None else f", counted from {show(self.zero)},"
        return f"the time {show(written)}{since}"


_SPELLING: Final = {
    TimeKind.INTEGER: "an integer",
    TimeKind.ZONED: "a dateTime with time zone",
    TimeKind.LOCAL: "a dateTime without time zone",
}


def different_kinds(kind: TimeKind, first: TimeKind) -> str:
    """Return the problem with a time whose notation differs from the notation of the first time."""
    text, before = _SPELLING[kind], _SPELLING[first]
    return f"found {text} after {before}; use the same kind of times in the whole trace"


def dividing(nanoseconds: int) -> str:
    """Return a sentence that advises the user to choose the longest usual unit that divides the time.

    >>> dividing(1_500_000_000)
    'use a unit that divides this time, such as --unit 1ms, or set --trace-unit'
    """
    unit = next((text for text in ("s", "ms", "ns") if not nanoseconds % NANOSECONDS[text]), "ns")
    return f"use a unit that divides this time, such as --unit 1{unit}, or set --trace-unit"


def show(instant: Instant) -> str:
    """Return an instant in the notation of a trace: an integer, or a dateTime in its time zone.

    >>> show(read_time("2026-05-04T24:00:00-03:30"))
    '2026-05-05T00:00:00-03:30'
    """
    if instant.kind is TimeKind.INTEGER:
        return str(instant.value)
    seconds, fraction = divmod(instant.value, 10**9)
    text = datetime.fromtimestamp(seconds + 60 * instant.zone, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    decimals = f".{fraction:09d}".rstrip("0") if fraction else ""
    return text + decimals + (zone_text(instant.zone) if instant.kind is TimeKind.ZONED else "")


def zone_text(minutes: int) -> str:
    """Return a time zone, given in minutes ahead of UTC, in the notation of XSD, such as +02:00."""
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}" if minutes else "Z"


def date_of(point: float, zero: str, unit: Duration) -> str | None:
    """Return the dateTime of a time point, if time 0 is the dateTime `zero`; None if it is out of range.

    >>> from lars.durations import read_duration
    >>> date_of(8, "2026-05-04T08:00:00Z", read_duration("1s"))
    '2026-05-04T08:00:08Z'
    """
    try:
        begin = read_time(zero)
    except MalformedPart:
        return None
    if not isfinite(point):
        return None
    value = begin.value + round(point * unit.nanoseconds)
    return show(replace(begin, value=value)) if abs(value) <= LARGEST else None


def point_of(moment: int | datetime | time | Instant, zero: str | None, unit: Duration, last: int = 0) -> int:
    """Return the time point of a time; a dateTime is counted from `zero`, the dateTime of time 0.

    A time of day without a date means the time, in the time zone of `zero`, on the day of the trace that
    contains it; the trace ends at the time point `last`.

    Raises:
        LarsError: A dateTime is given and `zero` is None, or the dateTime is before `zero` or between time
            points. The error is also raised for a time of day that is on several days or before time 0.

    >>> from lars.durations import read_duration
    >>> point_of(datetime(2026, 5, 4, 8, 1, tzinfo=UTC), "2026-05-04T08:00:00Z", read_duration("1s"))
    60
    >>> point_of(time(8, 0, 22), "2026-05-04T07:59:59Z", read_duration("1s"), last=96)
    23
    """
    if isinstance(moment, int):
        return moment
    if zero is None:
        what = f"time of day {moment}" if isinstance(moment, time) else f"dateTime {show(_instant(moment))}"
        problem = f"found the {what}, but all times of the input are integers"
        raise LarsError(f"{problem}; expected time points, or dateTimes with --origin")
    begin = read_time(zero)
    end = replace(begin, value=begin.value + last * unit.nanoseconds)
    written = _on_its_day(moment, begin, end) if isinstance(moment, time) else _instant(moment)
    if written.kind is begin.kind and written.value < begin.value:
        raise _too_early(f"dateTime {show(replace(written, zone=begin.zone))}", begin, end)
    if written.kind is not begin.kind:
        raise LarsError(_in_other_zone(written, begin))
    try:
        return Clock(unit, unit, begin).stamp(written).value
    except MalformedPart as error:
        raise LarsError(f"{error.problem} (time 0 is {zero}; --origin sets another time 0)") from None


def _instant(moment: datetime | Instant) -> Instant:
    return moment if isinstance(moment, Instant) else instant_of(moment)


def _too_early(what: str, begin: Instant, end: Instant) -> LarsError:
    end = replace(end, value=min(end.value, LARGEST))
    times = f"the trace's times, [{show(begin)}, {show(end)}]" if end != begin else f"time 0, {show(begin)}"
    problem = f"found the {what}, which is before {times}"
    return LarsError(f"{problem}; expected a dateTime from {show(begin)} on, or an earlier --origin")


def _in_other_zone(written: Instant, begin: Instant) -> str:
    """Return the error about a dateTime with a time zone on a trace without time zones, or the reverse."""
    text, problem, remedy = show(written), "has no time zone", "add the time zone"
    if written.kind is TimeKind.ZONED:
        problem, remedy = "has a time zone", "leave out the time zone"
    better = show(Instant(begin.kind, written.value + (written.zone - begin.zone) * 60 * 10**9, begin.zone))
    return f"the time {text} {problem}, unlike the times of the trace; {remedy}, such as {better}"


def _on_its_day(moment: time, begin: Instant, end: Instant) -> Instant:
    """Return the first dateTime at or after `begin` that has the time of day `moment`.

    The dateTime may be after `end` if it is on the day of `end`.

    Raises:
        LarsError: The dateTime is after the day of `end`, or several days of the trace contain the time of
            day.
    """
    ahead = begin.zone * 60 * 10**9
    since = ((moment.hour * 60 + moment.minute) * 60 + moment.second) * 10**9 + moment.microsecond * 1000
    first = begin.value + (since - begin.value - ahead) % _DAY
    instant, other = (replace(begin, value=value) for value in (first, first + _DAY))
    if other.value <= end.value:
        problem = f"found the time of day {moment}, which the trace has on several days"
        raise LarsError(f"{problem}; expected a dateTime, such as {show(instant)} or {show(other)}")
    if instant.value > end.value and (instant.value + ahead) // _DAY > (end.value + ahead) // _DAY:
        raise _too_early(f"time of day {moment}", begin, end)
    return instant
