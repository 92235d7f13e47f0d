"""The window in brackets after a stream, and the durations in it, as the papers and the engines write them.

1m30s, 10 SECONDS, PT1M30S, bare milliseconds: windows are read piece by piece, since their durations are no
tokens: 30s, PT0.5S, NOW-1.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from lars.durations import NANOSECONDS, Duration
from translate.errors import QueryError, UnsupportedError
from translate.model.windows import Now, Range, Rows, Unbounded, WindowExpression
from translate.sparql import Document, Token

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
        text = self.document.text[self.start : self.end] or "the end of the query"
        return QueryError(self.document.place(self.start), f"found {text}; expected {accepted}")

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
    match = _ISO.match(reader.document.text, reader.start)
    if match is None or not any(match.groupdict().values()):
        written = re.compile(r"[\w.+-]*").match(reader.document.text, reader.start)
        whole = WindowReader(
            reader.document, reader.start, "", max(reader.end, written.end() if written else 0)
        )
        raise whole.unexpected(f"a duration after {word}, as in PT10S, PT1H30M or P1D")
    if match["Y"] or match["MO"]:
        raise reader.unsupported(f"the duration {match.group()}", _DAYS)
    nanoseconds = sum(int(Fraction(match[part] or 0) * length) for part, length in _PARTS.items())
    if nanoseconds == 0:
        raise reader.unexpected(f"a duration after {word} that is longer than zero")
    return Duration(nanoseconds), reader_at(reader.document, match.end())


def read_milliseconds(reader: WindowReader, word: str) -> tuple[Duration, WindowReader]:
    """Return the duration of RSP-JS and Kolibrie, an integer of milliseconds; others are read as such."""
    if COUNT.fullmatch(reader.text) and reader.next().text.lower() not in NANOSECONDS:
        count, after = reader.count(f"the milliseconds after {word}")
        return Duration(count * NANOSECONDS["ms"]), after
    return read_iso(reader, word)


WINDOWS: Final = "NOW, RANGE, TRIPLES, ROWS or ALL"
_ROWS: Final = ("TRIPLES", "ROWS", "ELEMENTS", "ITEM")
_RANGES: Final = ("RANGE", "SLIDING", "TUMBLING")  # the last two are Kolibrie's, and mean the same there
_STRATEGIES: Final = {
    "REPORT": ("ON_WINDOW_CLOSE", "ON_CONTENT_CHANGE", "NON_EMPTY_CONTENT", "PERIODIC"),
    "TICK": ("TIME_DRIVEN", "TUPLE_DRIVEN", "BATCH_DRIVEN"),
}
_STRATEGY: Final = re.compile(r"\w+")
_LOG: Final = ("START", "OFFSET")


def open_window(document: Document, token: Token, example: str) -> WindowReader:
    """Return the reader after the [ that the token must be."""
    if not token.is_word("["):
        raise document.unexpected(token, f"[ and a window, as in {example}")
    return reader_at(document, token.end)


def read_window(document: Document, token: Token) -> tuple[WindowExpression, int]:
    """Return the window of C-SPARQL or CQELS whose [ the token is, and the first character after it.

    Raises QueryError where the window is wrong, UnsupportedError for a tuple window that slides.
    """
    reader = open_window(document, token, "[RANGE 30s SLIDE 5s]")
    match reader.text:
        case "NOW":
            return Now(), reader.next().close()
        case "ALL":
            return Unbounded(), reader.next().close()
        case "RANGE":
            return _read_range(reader.next())
        case "TRIPLES" | "ROWS":
            return _read_rows(reader)
        case _:
            raise reader.unexpected(WINDOWS)


def _read_rows(reader: WindowReader) -> tuple[WindowExpression, int]:
    """Return a tuple window; one that slides by one is the window that does not slide."""
    word, reader = reader.text, reader.next()
    if reader.text in ("?", "$"):
        raise reader.unsupported("a parameter in the place of a number", f"[{word} n]")
    size, reader = reader.count(f"the number of triples after {word}")
    if reader.text in ("STEP", "SLIDE"):
        slide, after = reader.next().count(f"the number of triples after {reader.text}")
        if slide != 1:
            raise reader.unsupported(f"a tuple window with {reader.text}", f"[{word} n]")
        reader = after
    return Rows(size), reader.close()


def _read_range(reader: WindowReader) -> tuple[WindowExpression, int]:
    if reader.text in _ROWS:
        return _read_rows(reader)
    if reader.text == "UNBOUNDED":
        return Unbounded(), reader.next().close()
    length, reader = read_length(reader, "RANGE", ", UNBOUNDED or TRIPLES n")
    if reader.text in ("STEP", "SLIDE"):
        slide, reader = read_length(reader.next(), reader.text)
        return Range(length, slide), reader.close("] or another part of the duration")
    if reader.text == "TUMBLING":
        return Range(length, length, tumbling=True), reader.next().close()
    return Range(length), reader.close("STEP, SLIDE, TUMBLING, ] or another part of the duration")


def read_now_window(document: Document, token: Token) -> tuple[WindowExpression, int]:
    """Return the window of SPARQLstream, as [NOW - 10 S TO NOW - 5 S SLIDE 5 S] or [TRIPLES 5]."""
    reader = open_window(document, token, "[NOW - 10 S SLIDE 5 S]")
    if reader.text in _ROWS:
        return _read_rows(reader)
    return _read_interval(reader, read_words)


def _read_interval(reader: WindowReader, read: ReadLength) -> tuple[WindowExpression, int]:
    """Return a window between two times before now: `until` is how long before it ends."""
    first = reader
    past, reader = _before_now(reader, read, "NOW or TRIPLES")
    now = until = Duration(0)
    if reader.text == "TO":
        until, reader = _before_now(reader.next(), read, "NOW after TO")
    slide, end = _read_slide(reader, read)
    if until != now and past <= until:
        lengths = "" if past == now else f": {past} and {until} before NOW"
        raise first.unexpected(f"a window that begins before it ends{lengths}")
    if past != now:
        return Range(past, slide, None if until == now else until), end
    if slide is not None:
        raise first.unsupported("a slide of [NOW]", "[NOW], and a slide of longer windows")
    return Now(), end


def _before_now(reader: WindowReader, read: ReadLength, accepted: str) -> tuple[Duration, WindowReader]:
    reader = reader.expect("NOW", accepted)
    if reader.text != "-":
        return Duration(0), reader
    reader = reader.next()
    if reader.text in ("?", "$"):
        raise reader.unsupported("a parameter in the place of a duration", "durations")
    return read(reader, "NOW -")


def _read_slide(reader: WindowReader, read: ReadLength) -> tuple[Duration | None, int]:
    """Return the slide and the end of the window; SLIDE alone is a slide by time points."""
    if reader.text not in ("SLIDE", "STEP"):
        return None, reader.close("-, TO NOW, SLIDE or ]")
    word, reader = reader.text, reader.next()
    if reader.text == "]":
        return None, reader.close()
    first = reader
    slide, reader = read(reader, word)
    if slide == Duration(0):
        raise first.unexpected(f"a duration after {word} that is longer than zero")
    return slide, reader.close()


def read_named_window(document: Document, token: Token, read: ReadLength) -> tuple[WindowExpression, int]:
    """Return the window of RSP-QL, as [RANGE PT10S STEP PT5S], [ELEMENTS 5] or [FROM NOW-PT2H TO NOW-PT1H].

    Of Kolibrie's its strategies are read too, and left out: [RANGE 4 STEP 2 REPORT PERIODIC TICK
    TIME_DRIVEN]. Raises UnsupportedError for the windows of Janus, which are another language.
    """
    reader = open_window(document, token, "[RANGE PT10S STEP PT5S]")
    if reader.text in _ROWS:
        return _read_rows(reader)
    if reader.text == "FROM":
        return _read_interval(reader.next(), read)
    if reader.text in _LOG:
        raise reader.unsupported(f"the window {reader.text} of Janus", "[RANGE duration STEP duration]")
    word = reader.text
    if word not in _RANGES:
        raise reader.unexpected("RANGE, ELEMENTS or FROM NOW-")
    reader = reader.next()
    if reader.text == "TRIPLES":
        return _read_rows(reader)
    length, reader = read(reader, word)
    if reader.text == ",":  # as the drafts of RSP-QL wrote
        reader = reader.next()
    slide = None
    if reader.text in ("STEP", "SLIDE"):
        slide, reader = read(reader.next(), reader.text)
    for word, accepted in _STRATEGIES.items():
        if reader.text == word:
            reader = _after_strategy(reader.next(), accepted)
    return Range(length, slide), reader.close("STEP or ]")


def _after_strategy(reader: WindowReader, accepted: tuple[str, ...]) -> WindowReader:
    """Return the reader after the name of a strategy, whose parts are no pieces of their own."""
    name = _STRATEGY.match(reader.document.text, reader.start)
    if name is None or name.group() not in accepted:
        raise reader.unexpected(", ".join(accepted))
    return reader_at(reader.document, name.end())
