"""Windows are read piece by piece, since their durations are no tokens: 30s, PT0.5S, NOW-1."""

import re
from dataclasses import dataclass
from typing import Final

from translate.dialects.tokens import Document
from translate.errors import QueryError, UnsupportedError

_PIECE: Final = re.compile(r"(?:\s|#[^\r\n]*)*([0-9]*\.[0-9]+|[0-9]+|[A-Za-z]+|.|$)", re.DOTALL)
COUNT: Final = re.compile("[0-9]{1,18}")


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

    def unsupported(self, construct: str, covered: str) -> UnsupportedError:
        """Return the error that names the construct that begins here."""
        return UnsupportedError(construct, self.document.place(self.start), covered=covered)

    def expect(self, text: str, accepted: str) -> "Reader":
        """Return the reader after this text, or raise what is accepted here."""
        if self.text != text:
            raise self.found(accepted)
        return self.next()

    def count(self, what: str) -> tuple[int, "Reader"]:
        """Return the integer from 1 on that stands here, and the reader after it."""
        if not COUNT.fullmatch(self.text) or int(self.text) == 0:
            raise self.found(f"{what}, an integer from 1 on, of at most 18 digits")
        return int(self.text), self.next()

    def close(self, accepted: str = "]") -> int:
        """Return the first character after the ] that must stand here."""
        if self.text != "]":
            raise self.found(accepted)
        return self.end


def reader_at(document: Document, offset: int) -> Reader:
    """Return the reader at the first piece of the text from a character on."""
    piece = _PIECE.match(document.text, offset)
    assert piece is not None
    return Reader(document, piece.start(1), piece.group(1).upper(), piece.end(1))
