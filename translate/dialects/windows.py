"""The window in brackets after a stream's name, in the syntax of the papers and of both engines."""

import re
from dataclasses import dataclass
from typing import Final

from lars.durations import NANOSECONDS, Duration
from translate.dialects.tokens import Document, Token
from translate.errors import QueryError, UnsupportedError
from translate.windows import Now, Range, Rows, Unbounded, WindowExpression

_PIECE: Final = re.compile(r"(?:\s|#[^\r\n]*)*([0-9]*\.[0-9]+|[0-9]+|[A-Za-z]+|.|$)", re.DOTALL)
_DIGITS: Final = "[0-9]{1,18}"
UNITS: Final = ", ".join(NANOSECONDS)
WINDOWS: Final = "NOW, RANGE, TRIPLES, ROWS or ALL"


@dataclass(frozen=True, slots=True)
class Reader:
    """A position in the text of a window; `text` is the piece that stands there, in upper case."""

    document: Document
    start: int
    text: str
    end: int

    def next(self) -> "Reader":
        """Return the reader at the piece after this one."""
        return reader_at(self.document, self.end)

    def found(self, accepted: str) -> QueryError:
        """Return the error that says what stands here and what is accepted."""
        shown = self.document.text[self.start : self.end] or "the end of the query"
        return QueryError(self.document.place(self.start), f"found {shown}; expected {accepted}")

    def expect(self, text: str, accepted: str) -> "Reader":
        """Return the reader after this text, or raise what is accepted here."""
        if self.text != text:
            raise self.found(accepted)
        return self.next()


def reader_at(document: Document, offset: int) -> Reader:
    """Return the reader at the first piece of the text from a character on."""
    piece = _PIECE.match(document.text, offset)
    assert piece is not None
    return Reader(document, piece.start(1), piece.group(1).upper(), piece.end(1))


def read_window(document: Document, token: Token) -> tuple[WindowExpression, int]:
    """Return the window whose [ the token is, and the first character after its ].

    Raises QueryError where the window is wrong, UnsupportedError for a tuple window that slides.
    """
    if not token.says("["):
        raise document.unexpected(token, "[ and a window, as in [RANGE 30s SLIDE 5s]")
    reader = reader_at(document, token.end)
    match reader.text:
        case "NOW":
            window, reader = _close(Now(), reader.next())
        case "ALL":
            window, reader = _close(Unbounded(), reader.next())
        case "RANGE":
            window, reader = _read_range(reader.next())
        case "TRIPLES" | "ROWS":
            window, reader = _read_rows(reader)
        case _:
            raise reader.found(WINDOWS)
    return window, reader.start


def _close(window: WindowExpression, reader: Reader, accepted: str = "]") -> tuple[WindowExpression, Reader]:
    if reader.text != "]":
        raise reader.found(accepted)
    after = Reader(reader.document, reader.end, "", reader.end)
    return window, after


def _read_rows(reader: Reader) -> tuple[WindowExpression, Reader]:
    word, reader = reader.text, reader.next()
    if not re.fullmatch(_DIGITS, reader.text) or int(reader.text) == 0:
        raise reader.found(f"the number of triples after {word}, an integer from 1 on, of at most 18 digits")
    size, reader = int(reader.text), reader.next()
    if reader.text in ("STEP", "SLIDE"):
        raise UnsupportedError(
            f"a tuple window with {reader.text}", reader.document.place(reader.start), covered=f"[{word} n]"
        )
    return _close(Rows(size), reader)


def _read_range(reader: Reader) -> tuple[WindowExpression, Reader]:
    if reader.text in ("TRIPLES", "ROWS"):
        return _read_rows(reader)
    if reader.text == "UNBOUNDED":
        return _close(Unbounded(), reader.next())
    length, reader = read_length(reader, "RANGE", ", UNBOUNDED or TRIPLES n")
    if reader.text in ("STEP", "SLIDE"):
        slide, reader = read_length(reader.next(), reader.text)
        return _close(Range(length, slide), reader, "] or another part of the duration")
    if reader.text == "TUMBLING":
        return _close(Range(length, length), reader.next())
    return _close(Range(length), reader, "STEP, SLIDE, TUMBLING, ] or another part of the duration")


def read_length(reader: Reader, word: str, others: str = "") -> tuple[Duration, Reader]:
    """Return the duration after a keyword, as in 1m30s, 1m 30s or 10 s; it is longer than zero."""
    first, nanoseconds = reader, 0
    while re.fullmatch(_DIGITS, reader.text):
        count, reader = int(reader.text), reader.next()
        if reader.text.lower() not in NANOSECONDS:
            raise reader.found(f"a unit of time: {UNITS}")
        nanoseconds, reader = nanoseconds + count * NANOSECONDS[reader.text.lower()], reader.next()
    if reader is first:
        raise reader.found(f"a duration after {word}: an integer and a unit, as in 30s{others}")
    if nanoseconds == 0:
        raise first.found(f"a duration after {word} that is longer than zero")
    return Duration(nanoseconds), reader
