"""Durations as each language writes them: 1m30s, 10 SECONDS, PT1M30S, and bare milliseconds.

Windows are read piece by piece, since their durations are no tokens: 30s, PT0.5S, NOW-1.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from lars.durations import NANOSECONDS, Duration
from translate.errors import QueryError, UnsupportedError
from translate.sparql import Document

_PIECE: Final = re.compile(r"(?:\s|#[^\r\n]*)*([0-9]*\.[0-9]+|[0-9]+|[A-Za-z]+|.|$)", re.DOTALL)
COUNT: Final = re.compile("[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class WindowReader:
    """A position in the text of a window; `text` is the piece that stands there, in upper case."""

    document: Document
    start: int
    text: str
    end: int

    def next(self) -> "WindowReader":
        """Return the reader at the piece after this one."""
        return reader_at(self.document, self.end)

    def unexpected(self, accepted: str) -> QueryError:
        """Return the error that says what stands here and what is accepted."""
        shown = self.document.text[self.start : self.end] or "the end of the query"
        return QueryError(self.document.place(self.start), f"found {shown}; expected {accepted}")

    def unsupported(self, construct: str, covered: str) -> UnsupportedError:
        """Return the error that names the construct that begins here."""
        return UnsupportedError(construct, self.document.place(self.start), covered=covered)

    def expect(self, text: str, accepted: str) -> "WindowReader":
        """Return the reader after this text, or raise what is accepted here."""
        if self.text != text:
            raise self.unexpected(accepted)
        return self.next()

    def count(self, what: str) -> tuple[int, "WindowReader"]:
        """Return the integer from 1 on that stands here, and the reader after it."""
        if not COUNT.fullmatch(self.text) or int(self.text) == 0:
            raise self.unexpected(f"{what}, an integer from 1 on, of at most 18 digits")
        return int(self.text), self.next()

    def close(self, accepted: str = "]") -> int:
        """Return the first character after the ] that must stand here."""
        if self.text != "]":
            raise self.unexpected(accepted)
        return self.end


def reader_at(document: Document, offset: int) -> WindowReader:
    """Return the reader at the first piece of the text from a character on."""
    piece = _PIECE.match(document.text, offset)
    assert piece is not None
    return WindowReader(document, piece.start(1), piece.group(1).upper(), piece.end(1))


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

ReadLength = Callable[[WindowReader, str], tuple[Duration, WindowReader]]


def read_length(reader: WindowReader, word: str, others: str = "") -> tuple[Duration, WindowReader]:
    """Return the duration after a keyword, as in 1m30s, 1m 30s or 10 s; it is longer than zero."""
    first, nanoseconds = reader, 0
    while COUNT.fullmatch(reader.text):
        count, reader = int(reader.text), reader.next()
        if reader.text.lower() not in NANOSECONDS:
            raise reader.unexpected(f"a unit of time: {UNITS}")
        nanoseconds, reader = nanoseconds + count * NANOSECONDS[reader.text.lower()], reader.next()
    if reader is first:
        raise reader.unexpected(f"a duration after {word}: an integer and a unit, as in 30s{others}")
    if nanoseconds == 0:
        raise first.unexpected(f"a duration after {word} that is longer than zero")
    return Duration(nanoseconds), reader


def read_words(reader: WindowReader, word: str) -> tuple[Duration, WindowReader]:
    """Return the duration of SPARQLstream: an integer and a unit, as in 10 S or 5 MINUTES.

    The grammar lets the unit out, but does not say which one is meant then: only zero needs none.
    """
    first = reader
    if not COUNT.fullmatch(reader.text):
        raise reader.unexpected(f"a duration after {word}: an integer and a unit, as in 10 S")
    count, reader = int(reader.text), reader.next()
    if reader.text in _CALENDAR:
        raise reader.unsupported(f"the unit {reader.text}", _DAYS)
    if reader.text.lower() in WORDS:
        return Duration(count * WORDS[reader.text.lower()]), reader.next()
    if reader.text not in ("TO", "SLIDE", "]"):
        raise reader.unexpected("a unit of time: MS, S, SECONDS, MIN, MINUTES, HR, HOURS or DAY")
    if count:
        raise first.unsupported("a duration without a unit", "an integer and a unit, as in 10 S")
    return Duration(0), reader


def read_iso(reader: WindowReader, word: str) -> tuple[Duration, WindowReader]:
    """Return the duration of RSP-QL, of XML Schema (PT1M30S); the drafts write 90s too."""
    if COUNT.fullmatch(reader.text) and reader.next().text.lower() in NANOSECONDS:
        return read_length(reader, word)
    if COUNT.fullmatch(reader.text):
        raise reader.unsupported("a duration without a unit", "PT10S, and milliseconds after ON and a stream")
    if reader.text in ("?", "$"):
        raise reader.unsupported("a parameter in the place of a duration", "durations, as in PT10S")
    found = _ISO.match(reader.document.text, reader.start)
    if found is None or not any(found.groupdict().values()):
        written = re.compile(r"[\w.+-]*").match(reader.document.text, reader.start)
        whole = WindowReader(
            reader.document, reader.start, "", max(reader.end, written.end() if written else 0)
        )
        raise whole.unexpected(f"a duration after {word}, as in PT10S, PT1H30M or P1D")
    if found["Y"] or found["MO"]:
        raise reader.unsupported(f"the duration {found.group()}", _DAYS)
    nanoseconds = sum(int(Fraction(found[part] or 0) * length) for part, length in _PARTS.items())
    if nanoseconds == 0:
        raise reader.unexpected(f"a duration after {word} that is longer than zero")
    return Duration(nanoseconds), reader_at(reader.document, found.end())


def read_milliseconds(reader: WindowReader, word: str) -> tuple[Duration, WindowReader]:
    """Return the duration of RSP-JS and Kolibrie, an integer of milliseconds; others are read as such."""
    if COUNT.fullmatch(reader.text) and reader.next().text.lower() not in NANOSECONDS:
        count, after = reader.count(f"the milliseconds after {word}")
        return Duration(count * NANOSECONDS["ms"]), after
    return read_iso(reader, word)
