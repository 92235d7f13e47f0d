"""Errors about invalid input, with place, problem and expected form, and errors of failed runs.

Text from users is escaped before printing. Control characters could move the cursor, directional characters
could reverse the line, and zero-width characters would be invisible. Control, directional and zero-width
characters are escaped as in N-Triples, Turtle, SPARQL and LARS programs.
"""

import errno
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import Final, Self

from lars.dataclass import dataclass

_SHORT: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_BASIC: Final = 0xFFFF


def printable(text: str) -> str:
    r"""Return a text in which invisible characters are escaped, except spaces and line feeds.

    >>> print(printable("a\x1b[2J \u202eb"))
    a\u001B[2J \u202Eb
    """
    lines = text.split("\n")
    return text if all(map(str.isprintable, lines)) else "\n".join(map(on_one_line, lines))


def on_one_line(text: str) -> str:
    r"""Return a text in which invisible characters and line feeds are escaped.

    >>> print(on_one_line("a\nb"))
    a\nb
    """
    return text if text.isprintable() else "".join(map(_printable, text))


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    code = ord(text)
    return _SHORT.get(text) or (f"\\u{code:04X}" if code <= _BASIC else f"\\U{code:08X}")


class LarsError(Exception):
    """The base class of all errors that input can cause.

    The text of a LarsError is the complete message, in which invisible characters are escaped.
    """

    def __str__(self) -> str:
        return printable(super().__str__())


class FailedRunError(LarsError):
    """A failure of the run on valid input, such as missing memory, disk space, or Spark."""


class DisputedAnswerError(FailedRunError):
    """The error that two independent evaluations of one program compute different answers.

    The field `files` contains the smallest program and input found that show the difference. The field maps
    the names of the two files to their texts, first the program, then the input. The command `lars solve`
    with `options` and the files reproduces the difference.
    """

    def __init__(self, sentence: str, files: Mapping[str, str], options: str) -> None:
        super().__init__(sentence)
        self.files = files
        self.options = options


def about(path: Path | str, error: LarsError) -> LarsError:
    """Return the error with the path of a file in front of its message.

    If the error is a DisputedAnswerError or an OutOfMemoryError, or begins with a place in the file, the
    function returns the error unchanged.
    """
    # Of missing memory a rule is said, not what is wrong with the file.
    if isinstance(error, DisputedAnswerError | OutOfMemoryError) or str(error).startswith(f"{path}:"):
        return error
    return (FailedRunError if isinstance(error, FailedRunError) else LarsError)(f"{path}: {error}")


_EXHAUSTED: Final = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
)
"""System errors for a lack of disk space, memory or open files, and for a failing disk.

All other errors mean a wrong name or a missing permission.
"""


def pip_install(*packages: str) -> str:
    """Return the command that installs packages for the Python that runs this program."""
    return f"{quote(sys.executable)} -m pip install {' '.join(packages)}"


def system_error(path: Path | str, error: OSError, what: str = "cannot be used") -> LarsError:
    """Return the error for an OSError at a path, such as a missing permission."""
    kind = FailedRunError if error.errno in _EXHAUSTED else LarsError
    return kind(f"{path}: {what}: {_cause_of(error)}")


def _cause_of(error: OSError) -> str:
    """Return the system's text for an error, without the text of Arrow before it."""
    text = error.strerror or str(error)
    return text.rpartition("] ")[2] if "Detail: [errno" in text else text


def short_of(path: Path | str, error: Exception) -> None:
    """Raise FailedRunError if reading a path failed for lack of memory or disk space.

    If the disk is full, the message names the temporary folder, which contains copies of the input.
    """
    if isinstance(error, MemoryError):
        raise FailedRunError(f"{path}: memory is short; expected a smaller trace, or more memory") from None
    if isinstance(error, OSError) and error.errno in _EXHAUSTED:
        folder = tempfile.gettempdir()
        problem = f"{_cause_of(error)}, for temporary files in {folder}"
        raise FailedRunError(
            f"{path}: {problem}; use another folder for temporary files, with the environment variable TMPDIR"
        ) from None


_UNDER_WAY: Final[list[Callable[[], str]]] = []


class OutOfMemoryError(FailedRunError):
    """The error that the next step would need more memory than the memory limit of the run."""


class TimeLimitError(FailedRunError):
    """The error that a search has reached its time limit."""


@contextmanager
def under_way(what: Callable[[], str]) -> Iterator[None]:
    """Register the description of a task while the block runs, so that an error can name the task."""
    _UNDER_WAY.append(what)
    try:
        yield
    finally:
        _UNDER_WAY.pop()


def what_is_under_way() -> str:
    """Return the description of the innermost registered task, or "" if no task is registered."""
    return _UNDER_WAY[-1]() if _UNDER_WAY else ""


_WIDTH: Final = 118
"""The greatest number of characters of an excerpt."""


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a text: its line and column, both counted from 1, and the text of the line.

    >>> print(Place("q.rq", 2, 3, "a b c"))
    q.rq:2:3
    """

    source: str
    line: int
    column: int
    line_text: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"

    def excerpt(self) -> str:
        """Return the line with a caret (^) under the place; a long line is shortened around the place."""
        start, place = max(0, self.column - 60), self.column - 1
        before, behind = (
            on_one_line(self.line_text[begin:end].expandtabs(1))
            for begin, end in ((start, place), (place, start + 110))
        )
        # Escapes of invisible characters are longer than the characters.
        before = before[-_WIDTH // 2 :]
        return f"  {before}{behind[: _WIDTH - len(before)]}\n  {' ' * len(before)}^"


def place_at(source: str, text: str, offset: int) -> Place:
    r"""Return the place of the character at `offset` (counted from 0), or of the end of the text.

    If no line ends with LF, each CR ends a line.

    >>> str(place_at("q.rq", "ab\ncd", 4))
    'q.rq:2:2'
    """
    if "\n" not in text:
        text = text.replace("\r", "\n")
    line_start = text.rfind("\n", 0, offset) + 1
    line_end = text.find("\n", offset)
    line_text = text[line_start : len(text) if line_end < 0 else line_end].rstrip("\r")
    return Place(source, text.count("\n", 0, offset) + 1, offset - line_start + 1, line_text)


class PlacedText(str):
    """A part of a text, together with its place, which `placed_at` adds to errors about the part."""

    __slots__ = ("place",)
    place: Place | None

    def __new__(cls, text: str, place: Place | None = None) -> Self:
        """Return the text with its place."""
        made = super().__new__(cls, text)
        made.place = place
        return made


@contextmanager
def placed_at(text: str) -> Iterator[None]:
    """Add the place of `text` to each LarsError that the block raises, if the text is a PlacedText."""
    try:
        yield
    except LarsError as error:
        place = text.place if isinstance(text, PlacedText) else None
        if place is None or isinstance(error, PlacedError):
            raise
        raise PlacedError(place, str(error)) from None


class PlacedError(LarsError):
    """An error at a place of a text; `problem` describes the text that was found and the expected form."""

    def __init__(self, place: Place, problem: str) -> None:
        # Of an empty line, and of bytes that are no lines, there is nothing to show.
        excerpt = f"\n{place.excerpt()}" if place.line_text.strip() else ""
        super().__init__(f"{place}: {problem}{excerpt}")
        self.place = place
        self.problem = problem


_LONGEST_SHOWN = 60


class WrongValueError(ValueError):
    """An error for an invalid value of an option or key; `part` is the wrong part of the value.

    The class is a ValueError, so that pydantic collects the errors. The reader of the file adds the place.
    """

    def __init__(self, problem: str, *, part: str | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.part = part


def cut(text: str) -> str:
    """Return the text for a message; a long text is shortened."""
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def message_text(value: object) -> str:
    """Return a value in TOML syntax for a message; a long value is shortened."""
    try:
        return cut(json.dumps(value, default=str, ensure_ascii=False))
    except Exception:  # noqa: BLE001 - a type of others may raise anything
        return type(value).__name__


def wrong(value: object, accepted: str, part: str | None = None) -> WrongValueError:
    """Return the error with the value and the expected form."""
    return WrongValueError(f"found {message_text(value)}; expected {accepted}", part=part)
