"""Times of reports as files of answers write them, in milliseconds from time 0."""

import math
import re
from dataclasses import dataclass
from typing import Final

from lars.durations import NANOSECONDS, Duration
from lars.errors import LarsError
from solver.rdf import short
from solver.trace_times import Instant, Kind, Malformed, read_time, show

MILLISECOND: Final = Duration(NANOSECONDS["ms"])
SECOND: Final = Duration(NANOSECONDS["s"])

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Times:
    """What a number counts, and what a dateTime counts from; without origin there are no dateTimes."""

    unit: Duration
    origin: Instant | None = None

    def read(self, text: str) -> float:
        """Return the milliseconds of a time; raises LarsError for what is none.

        >>> Times(Duration(10**9)).read("1.5")
        1500.0
        """
        if _NUMBER.fullmatch(text):
            return self.of_number(float(text))
        try:
            return self._since_origin(read_time(text))
        except Malformed:
            raise LarsError(f"found {short(text)}; accepted: {self._accepted()}") from None

    def of_number(self, number: float) -> float:
        """Return the milliseconds that a number counts."""
        found = number * (self.unit.milliseconds)
        if not math.isfinite(found) or found < 0:
            raise LarsError(f"found {number:g}; accepted: {self._accepted()}")
        return found

    def _since_origin(self, written: Instant) -> float:
        if self.origin is None:
            problem = f"found the dateTime {show(written)} and no origin that it counts from"
            raise LarsError(f"{problem}; accepted: {self._accepted()}, or dateTimes with --origin")
        if written.kind is Kind.INTEGER or written.kind is not self.origin.kind:
            problem = f"found {show(written)}: only one of it and the origin has a time zone"
            raise LarsError(f"{problem}; accepted: {self._accepted()}")
        return self.of_number((written.value - self.origin.value) / self.unit.nanoseconds)

    def _accepted(self) -> str:
        return f"a time from 0, a number of {self.unit} each"


def check_forwards(t: float, before: float) -> None:
    """Raise LarsError for a report before the one that stands before it; both in milliseconds."""
    if t < before:
        raise LarsError(f"found {t:g} ms after {before:g} ms; accepted: reports in the order of their times")
