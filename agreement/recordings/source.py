"""A recording's text, and places in it."""

from dataclasses import dataclass
from pathlib import Path

from lars.errors import LarsError, Place, PlacedError, place_at

_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Source:
    """A file's name and text; offsets count its characters from 0."""

    name: str
    text: str

    def error(self, offset: int, problem: str) -> PlacedError:
        """Return the error at an offset; `problem` says what was found and what is accepted."""
        return PlacedError(place_at(self.name, self.text, offset), problem)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file, without its end; `number` counts from 1, `offset` is where it starts."""

    source: Source
    number: int
    offset: int
    text: str

    def error(self, problem: str, column: int = 1) -> PlacedError:
        """Return the error at a column, from 1."""
        return PlacedError(Place(self.source.name, self.number, column, self.text), problem)


def read_source(path: Path, accepted: str) -> Source:
    """Return a file with its text, which is UTF-8; raises LarsError that names what is accepted."""
    try:
        data = path.read_bytes().removeprefix(_MARK)
    except IsADirectoryError:
        raise LarsError(f"{path}: found a folder; accepted: {accepted}") from None
    except FileNotFoundError:
        raise LarsError(f"{path}: no such file; accepted: {accepted}") from None
    except (OSError, ValueError) as error:
        raise LarsError(f"{path}: cannot be read: {error}; accepted: {accepted}") from None
    try:
        return Source(str(path), data.decode())
    except UnicodeDecodeError as error:
        text = data.decode(errors="replace")
        problem = f"found a byte that is no text, {data[error.start]:#04x}; accepted: {accepted}, in UTF-8"
        place = place_at(str(path), text, len(data[: error.start].decode()))
        raise PlacedError(place, problem) from None


def lines_of(source: Source) -> list[Line]:
    """Return the lines that are not blank; they end with LF, CR LF or the file."""
    found, offset = [], 0
    for number, text in enumerate(source.text.split("\n"), 1):
        if text.strip():
            found.append(Line(source, number, offset, text.removesuffix("\r")))
        offset += len(text) + 1
    return found
