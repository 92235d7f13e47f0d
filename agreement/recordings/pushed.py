"""The pushes of a case, from itself or from the stream's own file."""

from functools import lru_cache
from pathlib import Path
from typing import Final

from agreement.placed import PlacedData
from agreement.recordings.case_schema import Burst, CaseFile, StreamReference
from agreement.recordings.recording import Push, Triple
from agreement.recordings.value_types import triple_of
from lars.errors import LarsError
from lars.files import TextLine, read_file
from solver.rdf import short

ACCEPTED_STREAM: Final = "lines of a second, a tab, and a triple as in N-Triples"

_Timed = tuple[int, Triple]
_DIGITS: Final = 3
"""Times in between are taken at a microsecond."""


def pushes_of_case(document: PlacedData, content: CaseFile, folder: Path) -> tuple[Push, ...]:
    """Return what was pushed, in push order; a stream's own file is looked for in `folder`."""
    match content.stream, content.stream_ref:
        case list() as entries, None:
            return tuple(Push(push.t, push.stream, triple_of(push.triple)) for push in entries)
        case None, StreamReference() as reference:
            return _referred(document, reference, folder)
        case _:
            both = "both stream and stream_ref" if content.stream is not None else "no stream"
            raise document.error((), f"found {both}; accepted: either stream or stream_ref")


def _referred(document: PlacedData, reference: StreamReference, folder: Path) -> tuple[Push, ...]:
    lines = _lines(document, folder / reference.file)
    found: list[Push] = []
    for number, burst in enumerate(reference.bursts):
        _check(document, number, burst, len(found), lines)
        span = burst.t_last - burst.t
        steps = max(1, burst.last_index - burst.first_index)
        for step, (_, triple) in enumerate(lines[burst.first_index : burst.last_index + 1]):
            # Only the first and the last triple of a burst were clocked.
            found.append(Push(round(burst.t + span * step / steps, _DIGITS), reference.stream, triple))
    return tuple(found)


def _lines(document: PlacedData, path: Path) -> tuple[_Timed, ...]:
    try:
        status = path.stat()
    except (OSError, ValueError):
        at = ("stream_ref", "file")
        raise document.error(at, f"the file {path} cannot be found; accepted: {ACCEPTED_STREAM}") from None
    return _stream_file(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _stream_file(path: Path, changed: int, size: int) -> tuple[_Timed, ...]:
    # Many cases share one stream: time of change and size tell whether it still is the same.
    del changed, size
    return tuple(_timed(line) for line in read_file(path, ACCEPTED_STREAM).lines())


def _timed(line: TextLine) -> _Timed:
    second, tab, triple = line.text.partition("\t")
    if not tab or not (second.isascii() and second.isdecimal()) or len(second) > len(str(2**31)):
        raise line.error(f"found {short(line.text)}; accepted: {ACCEPTED_STREAM}")
    try:
        return int(second), triple_of(triple)
    except LarsError as error:
        raise line.error(str(error), len(second) + 2) from None


def _check(document: PlacedData, number: int, burst: Burst, before: int, lines: tuple[_Timed, ...]) -> None:
    path = ("stream_ref", "bursts", number)
    if burst.first_index != before:
        problem = f"found {burst.first_index}; accepted: {before}, the line after the burst before"
        raise document.error((*path, "first_index"), problem)
    if not burst.first_index <= burst.last_index < len(lines):
        accepted = f"a line from {burst.first_index} to {len(lines) - 1}, the file's last, counted from 0"
        raise document.error((*path, "last_index"), f"found {burst.last_index}; accepted: {accepted}")
    if burst.t_last < burst.t:
        problem = f"found {burst.t_last:g}; accepted: a time not before the burst's t, {burst.t:g}"
        raise document.error((*path, "t_last"), problem)
    seconds = sorted({second for second, _ in lines[burst.first_index : burst.last_index + 1]})
    if seconds != [burst.second]:
        problem = f"found {burst.second}; accepted: the second that the burst's lines have, {seconds[0]}"
        raise document.error((*path, "second"), problem)
