"""Show times to readers: if time 0 is a dateTime, each time point is shown as a dateTime."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from lars.dataclass import dataclass
from lars.durations import SECOND, Duration
from lars.language.windows import Interval

SUFFIX: Final = "_date"
"""The suffix of the key of a dateTime in JSON and tables, after the key of the time."""
_WHOLE: Final = ":00"
_ZONE: Final = re.compile(r"(Z|[+-][0-9]{2}:[0-9]{2})?$")
_DAY, _YEAR = len("2026-05-04T"), len("2026-")


@dataclass(frozen=True, slots=True)
class Dates:
    """The texts of time points, computed from the dateTime `zero` of time 0 and the unit.

    Without `zero`, the texts are integers. The field `stem` is the common beginning of all dateTimes in a
    text (their day or year), which `caption` prints once. The field `tail` is the common end of all dateTimes
    in a text: seconds are omitted if all times are whole minutes. Times are in the time zone of `zero`. If
    the field `timed` is true, times without a trace are shown as durations such as 90s, like the lengths in
    the queries.

    >>> dates = Dates("2026-05-04T07:59:59Z").within(Interval(0, 60))
    >>> dates.text(21), dates.period(20, 30), dates.date(21), dates.caption
    ('08:00:20', '(08:00:19, 08:00:29]', '2026-05-04T08:00:20Z', ' on 2026-05-04 (UTC)')
    >>> Dates("2026-05-04T07:59:59+05:30").within(Interval(0, 60)).caption
    ' on 2026-05-04 (+05:30)'
    >>> Dates().text(21), Dates().period(20, 30), Dates().date(21), Dates().caption
    ('21', '(20, 30]', None, '')
    >>> Dates(timed=True).period(0, 90)
    '(0s, 90s]'
    """

    zero: str | None = None
    unit: Duration = SECOND
    stem: str = ""
    tail: str = ""
    timed: bool = False

    def within(self, timeline: Interval) -> "Dates":
        """Return the texts of times for an output with times in `timeline` only; dateTimes are shortened."""
        first, last = self.date(max(timeline.first - 1, 0)), self.date(timeline.last)
        if first is None or last is None:
            return self
        same = next((first[:size] for size in (_DAY, _YEAR) if first[:size] == last[:size]), "")
        minutes = not self.unit.nanoseconds % (60 * SECOND.nanoseconds) and same
        tail = _WHOLE if minutes and _ZONE.sub("", first).endswith(_WHOLE) else ""
        return replace(self, stem=same, tail=tail)

    def date(self, t: float) -> str | None:
        """Return the dateTime of a time point; None if times are integers."""
        return None if self.zero is None else _date(t, self.zero, self.unit)

    def moment(self, t: float) -> datetime | None:
        """Return the dateTime of a time point as a value, to the microsecond; None if times are integers.

        >>> Dates("2026-05-04T08:00:00Z").moment(5)
        datetime.datetime(2026, 5, 4, 8, 0, 5, tzinfo=datetime.timezone.utc)
        """
        date = self.date(t)
        return None if date is None else datetime.fromisoformat(date)

    def text(self, t: float) -> str:
        """Return the text of a time point for a reader."""
        date = self.date(t)
        if date is None:
            return str(Duration(int(t) * self.unit.nanoseconds) if self.timed else t)
        return _ZONE.sub("", date.removeprefix(self.stem)).removesuffix(self.tail) if self.stem else date

    def period(self, start: int, end: int) -> str:
        """Return the text of the interval (start, end]."""
        return f"({self.text(start)}, {self.text(end)}]"

    def interval(self, span: Interval) -> str:
        """Return the text of a closed interval."""
        return f"[{self.text(span.first)}, {self.text(span.last)}]" if span else str(span)

    @property
    def zone(self) -> str:
        """The time zone of all dateTimes in XSD's spelling, or ""."""
        found = _ZONE.search((self.zero or "").partition("T")[2])
        return "" if found is None else found[0]

    @property
    def caption(self) -> str:
        """The caption of a text with shortened times: the common day or year, and the time zone."""
        zone = f" ({'UTC' if self.zone == 'Z' else self.zone})" if self.zone else ""
        where = {_DAY: " on", _YEAR: " in"}.get(len(self.stem))
        return "" if where is None else f"{where} {self.stem.rstrip('T-')}{zone}"

    def option(self, t: int) -> str:
        """Return a time point as the value of an option of `lars`, such as --from."""
        return self.date(t) or str(t)

    def with_dates(self, times: Mapping[str, float | None]) -> dict[str, float | str | None]:
        """Return the given times, each followed by its dateTime under a key that ends with `_date`.

        >>> Dates("2026-05-04T08:00:00Z").with_dates({"t": 5, "pushed": None})
        {'t': 5, 't_date': '2026-05-04T08:00:05Z', 'pushed': None, 'pushed_date': None}
        """
        if self.zero is None:
            return dict(times)
        dated: dict[str, float | str | None] = {}
        for name, t in times.items():
            dated[name] = t
            dated[f"{name}{SUFFIX}"] = None if t is None else self.date(t)
        return dated

    def for_script(self) -> dict[str, float | str] | None:
        """Return the time settings of an HTML report's script: time 0, and the length of a time point, in ms.

        >>> Dates("1970-01-01T02:00:00+02:00").for_script()
        {'zero': 7200000.0, 'unit': 1000.0, 'stem': '', 'tail': '', 'zone': '+02:00'}
        >>> Dates(unit=Duration(5 * 10**8), timed=True).for_script()
        {'unit': 500, 'suffix': 'ms', 'stem': ''}
        """
        if self.zero is None:
            if not self.timed:
                return None
            count = str(self.unit).rstrip("dhmns")
            return {"unit": int(count), "suffix": str(self.unit).removeprefix(count), "stem": ""}
        return {
            "zero": datetime.fromisoformat(self.zero).replace(tzinfo=UTC).timestamp() * 1000,
            "unit": self.unit.milliseconds,
            "stem": self.stem,
            "tail": self.tail,
            "zone": "" if self.stem else self.zone,
        }


NO_DATES: Final = Dates()
"""The texts of times that are integers without dateTimes."""


@lru_cache(maxsize=2**16)
def _date(t: float, zero: str, unit: Duration) -> str | None:
    # The import loads readers of traces, which starting the program does not need.
    from solver.traces import date_of

    return date_of(t, zero, unit)
