"""Times in recorded answers: numbers in a unit, or dateTimes from an origin, as milliseconds."""

import math
import re
from typing import Final

from agreement.documents.outputs import plain
from agreement.documents.requests import AnswersOptions
from lars.errors import LarsError
from solver import traces
from solver.rdf import short

LATEST: Final = 2**53
"""The time in ms from which floating-point milliseconds do not distinguish all times."""
_BEYOND: Final = 2.0**200
"""A number that is too large for a time in every unit."""
ACCEPTED_LATEST: Final = f"expected times below {LATEST} ms"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

KINDS: Final = {
    traces.TimeKind.ZONED: "has a time zone",
    traces.TimeKind.LOCAL: "has no time zone",
    traces.TimeKind.INTEGER: "is a number",
}
"""What distinguishes the kinds of times, as parts of a sentence."""
_DATE_TIMES: Final = "a dateTime such as 2024-05-01T12:00:00Z or 2024-05-01 12:00"

_DATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def time_of_text(text: str, options: AnswersOptions) -> float:
    """Return the time of a text in milliseconds; raises LarsError for an invalid time.

    Numbers have the unit of the options, and dateTimes count from the origin of the options.

    >>> time_of_text("1.5", AnswersOptions())
    1500.0
    """
    if _NUMBER.fullmatch(text):
        _check_notation(traces.TimeKind.INTEGER, text, options)
        return time_of_number(float(text), options)
    try:
        written = traces.cell_time(text)
        _check_notation(written.kind, text, options)
        return _since_origin(written, options)
    except traces.MalformedPart as error:
        if _DATED.match(text):  # a day that does not exist, or a time that is too fine or too late
            raise LarsError(error.problem) from None
        raise LarsError(f"found {short(text)}; expected {_accepted(options)}, or {_DATE_TIMES}") from None


def time_of_number(number: float, options: AnswersOptions) -> float:
    """Return the time of a number in milliseconds; the options contain the unit of the number."""
    # JSON has whole numbers that no float reaches.
    amount = max(-_BEYOND, min(number, _BEYOND)) * options.number_unit.milliseconds
    if not math.isfinite(amount) or amount < 0:
        raise LarsError(f"found {number!r}; expected {_accepted(options)}")
    if amount >= LATEST:
        raise LarsError(f"the time is too late; {ACCEPTED_LATEST}")
    # To the nanosecond: 1.001 s would be 1000.9999999999999 ms, and no time of any window.
    return round(amount, 6)


def moved_by(begin: str | None, options: AnswersOptions) -> float:
    """Return the time from the origin of the options to the dateTime `begin`, in the unit of numbers.

    The result is 0 if one of the dateTimes is unknown, or if only one of them has a time zone.

    Raises:
        LarsError: The text `begin` is no dateTime.
    """
    origin: traces.Instant | None = options.origin
    if begin is None or origin is None:
        return 0
    try:
        since = traces.read_time(begin)
    except traces.MalformedPart:
        raise LarsError(f"the key origin has {short(begin)}; expected {_DATE_TIMES}") from None
    if since.kind is not origin.kind:
        return 0
    return (since.value - origin.value) / options.number_unit.nanoseconds


def forwards(t: float, before: float, options: AnswersOptions) -> float:
    """Return the time of a report in ms; raises LarsError if the time precedes the previous report."""
    if options.ordered and t < before:
        problem = f"found {plain(t)} ms, which is before the preceding time {plain(before)} ms"
        accepted = "reports in the order of their times, or --match sequence"
        raise LarsError(f"{problem}; expected {accepted}")
    return t


def _check_notation(kind: traces.TimeKind, text: str, options: AnswersOptions) -> None:
    """Keep the kind of the first time of a file, and raise LarsError for a time of another kind."""
    if (notation := options.notation) is None:
        return
    if not notation:
        notation.append((kind, text))
    first, before = notation[0]
    if first is not kind:
        raise LarsError(
            f"found {text}, which {KINDS[kind]}, but the first time of the file, {before}, "
            f"{KINDS[first]}; use one notation for all times"
        )


def _since_origin(written: traces.Instant, options: AnswersOptions) -> float:
    origin: traces.Instant | None = options.origin
    if origin is None and options.notation is not None:
        origin = traces.Instant(written.kind, 0)
    if origin is None:
        raise LarsError(
            f"found the dateTime {traces.show(written)}, but the dateTime of time 0 is unknown; "
            f"use integers from 0 in units of {options.number_unit}, or set this dateTime with --origin"
        )
    if written.kind is traces.TimeKind.INTEGER or written.kind is not origin.kind:
        raise LarsError(
            f"found {traces.show(written)}, which {KINDS[written.kind]}, but time 0, "
            f"{traces.show(origin)}, {KINDS[origin.kind]}; use a time zone in both, or in neither"
        )
    if written.value < origin.value:
        begin = traces.show(origin)
        problem = f"found {traces.show(written)}, which is before time 0, {begin}"
        if options.origin is None:
            raise LarsError(f"found {traces.show(written)}; expected dateTimes from 1970")
        raise LarsError(
            f"{problem}; use --origin with a dateTime that is not after the earliest time of the answers"
        )
    return time_of_number((written.value - origin.value) / options.number_unit.nanoseconds, options)


def _accepted(options: AnswersOptions) -> str:
    return f"a time from 0 that counts {options.number_unit}"
