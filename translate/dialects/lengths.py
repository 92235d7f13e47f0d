"""Durations as each language writes them: 1m30s, 10 SECONDS, PT1M30S, and bare milliseconds."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from lars.durations import NANOSECONDS, Duration
from translate.dialects.reader import COUNT, Reader, reader_at

UNITS: Final = ", ".join(NANOSECONDS)
WORDS: Final = {
    **NANOSECONDS,
    **dict.fromkeys(("sec", "second", "seconds"), NANOSECONDS["s"]),
    **dict.fromkeys(("minute", "minutes"), NANOSECONDS["m"]),
    **dict.fromkeys(("hr", "hour", "hours"), NANOSECONDS["h"]),
    **dict.fromkeys(("day", "days"), NANOSECONDS["d"]),
}
_CALENDAR: Final = ("MONTH", "MONTHS", "YEAR", "YEARS")
_DAYS: Final = "durations of days, hours, minutes and seconds: a month or a year has no fixed length"
_ISO: Final = re.compile(
    r"P(?:(?P<Y>\d+)Y)?(?:(?P<MO>\d+)M)?(?:(?P<W>\d{1,18})W)?(?:(?P<D>\d{1,18})D)?"
    r"(?:T(?=\d)(?:(?P<H>\d{1,18})H)?(?:(?P<M>\d{1,18})M)?(?:(?P<S>\d{1,18}(?:\.\d{1,9})?)S)?)?(?![\w.])",
    re.IGNORECASE | re.ASCII,
)
_PARTS: Final = {
    "W": 7 * NANOSECONDS["d"],
    "D": NANOSECONDS["d"],
    "H": NANOSECONDS["h"],
    "M": NANOSECONDS["m"],
    "S": NANOSECONDS["s"],
}

ReadLength = Callable[[Reader, str], tuple[Duration, Reader]]


def read_length(reader: Reader, word: str, others: str = "") -> tuple[Duration, Reader]:
    """Return the duration after a keyword, as in 1m30s, 1m 30s or 10 s; it is longer than zero."""
    first, nanoseconds = reader, 0
    while COUNT.fullmatch(reader.text):
        count, reader = int(reader.text), reader.next()
        if reader.text.lower() not in NANOSECONDS:
            raise reader.found(f"a unit of time: {UNITS}")
        nanoseconds, reader = nanoseconds + count * NANOSECONDS[reader.text.lower()], reader.next()
    if reader is first:
        raise reader.found(f"a duration after {word}: an integer and a unit, as in 30s{others}")
    if nanoseconds == 0:
        raise first.found(f"a duration after {word} that is longer than zero")
    return Duration(nanoseconds), reader


def read_words(reader: Reader, word: str) -> tuple[Duration, Reader]:
    """Return the duration of SPARQLstream: an integer and a unit, as in 10 S or 5 MINUTES.

    The grammar lets the unit out, but does not say which one is meant then: only zero needs none.
    """
    first = reader
    if not COUNT.fullmatch(reader.text):
        raise reader.found(f"a duration after {word}: an integer and a unit, as in 10 S")
    count, reader = int(reader.text), reader.next()
    if reader.text in _CALENDAR:
        raise reader.unsupported(f"the unit {reader.text}", _DAYS)
    if reader.text.lower() in WORDS:
        return Duration(count * WORDS[reader.text.lower()]), reader.next()
    if reader.text not in ("TO", "SLIDE", "]"):
        raise reader.found("a unit of time: MS, S, SECONDS, MIN, MINUTES, HR, HOURS or DAY")
    if count:
        raise first.unsupported("a duration without a unit", "an integer and a unit, as in 10 S")
    return Duration(0), reader


def read_iso(reader: Reader, word: str) -> tuple[Duration, Reader]:
    """Return the duration of RSP-QL, of XML Schema (PT1M30S); the drafts write 90s too."""
    if COUNT.fullmatch(reader.text) and reader.next().text.lower() in NANOSECONDS:
        return read_length(reader, word)
    if COUNT.fullmatch(reader.text):
        raise reader.unsupported("a duration without a unit", "PT10S, and milliseconds after ON STREAM")
    if reader.text in ("?", "$"):
        raise reader.unsupported("a parameter in the place of a duration", "durations, as in PT10S")
    found = _ISO.match(reader.document.text, reader.start)
    if found is None or not any(found.groupdict().values()):
        written = re.compile(r"[\w.+-]*").match(reader.document.text, reader.start)
        whole = Reader(reader.document, reader.start, "", max(reader.end, written.end() if written else 0))
        raise whole.found(f"a duration after {word}, as in PT10S, PT1H30M or P1D")
    if found["Y"] or found["MO"]:
        raise reader.unsupported(f"the duration {found.group()}", _DAYS)
    nanoseconds = sum(int(Fraction(found[part] or 0) * length) for part, length in _PARTS.items())
    if nanoseconds == 0:
        raise reader.found(f"a duration after {word} that is longer than zero")
    return Duration(nanoseconds), reader_at(reader.document, found.end())


def read_milliseconds(reader: Reader, word: str) -> tuple[Duration, Reader]:
    """Return the duration of RSP-JS, an integer of milliseconds; other durations are read as such."""
    if COUNT.fullmatch(reader.text) and reader.next().text.lower() not in NANOSECONDS:
        count, after = reader.count(f"the milliseconds after {word}")
        return Duration(count * NANOSECONDS["ms"]), after
    return read_iso(reader, word)
