"""Cases in files: a query, static data, the pushes into an engine, and the reports of the engine.

A case is one JSON file, which `read_case` reads.
"""

import json
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from pydantic import Field

from agreement.documents.outputs import plain
from agreement.documents.placed import PlacedData, check_data, json_of, shown_json
from agreement.documents.recordings.answer_times import ACCEPTED_LATEST, LATEST
from agreement.documents.recordings.recording import Push, Recording, Report, made_lexical, names_of, rows_in
from agreement.documents.recordings.term_entries import (
    Finite,
    Index,
    QuadLine,
    RecordingPart,
    StreamIri,
    TermText,
    TripleLine,
    static_of,
    triple_of,
)
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.files import TextFile, TextLine, read_file, replacement_path
from solver.facts import Static, Triple
from solver.rdf import short

ACCEPTED_CASE: Final = (
    "a case: an object with id, engine, mode, family, query, stream or stream_ref, and output"
)


class PushEntry(RecordingPart):
    """A triple of time t that is pushed into the engine; `came` is its time of arrival, if it is known."""

    t: Finite
    stream: StreamIri
    triple: TripleLine
    came: Finite | None = None


class Burst(RecordingPart):
    """The pushes of lines `first` to `last` of a stream file, from time `t` to time `t_last`."""

    second: Index
    t: Finite
    t_last: Finite
    first_index: Index
    last_index: Index


class StreamReference(RecordingPart):
    """A reference to a stream file; the path of the file starts at the folder above the engine's folder."""

    file: str
    stream: StreamIri
    bursts: list[Burst]


class FlushEntry(RecordingPart):
    """A report that the end of a run causes, with the bounds of its window if the engine reports them."""

    t: Finite
    rows: list[dict[str, TermText | None]]
    window_from: Finite | None = None
    window_to: Finite | None = None


class ReportEntry(FlushEntry):
    """An answer, and the number of the push during which the engine reported the answer."""

    trigger: Index


class RefusedEntry(RecordingPart):
    """A push that the engine rejected."""

    trigger: Index
    message: str = ""


class CaseFile(RecordingPart):
    """The content of a case's file."""

    id: str
    engine: str
    mode: str
    family: str
    query: str
    notes: str = ""
    dialect: str | None = None
    kinds: bool = True
    static: list[QuadLine] = Field(default_factory=list)
    static_graph: StreamIri | None = None
    stream: list[PushEntry] | None = None
    stream_ref: StreamReference | None = None
    engine_window: str | None = None
    engine_stdout: Any = None
    refused: str | None = None
    output: list[ReportEntry]
    flush: list[FlushEntry] = Field(default_factory=list)
    exceptions: list[RefusedEntry] = Field(default_factory=list)


ACCEPTED_STREAM: Final = "lines with a second, a tab, and a triple as in N-Triples"

_Timed = tuple[int, Triple]
_DIGITS: Final = 3
"""The number of decimals of times in ms between two pushes."""


def pushes_of_case(document: PlacedData, content: CaseFile, folder: Path) -> tuple[Push, ...]:
    """Return the pushes of a case in order; a separate stream file is in `folder`."""
    match content.stream, content.stream_ref:
        case list() as entries, None:
            late = next(
                (
                    (place, key)
                    for place, push in enumerate(entries)
                    for key, time in (("t", push.t), ("came", push.came or 0))
                    if time >= LATEST
                ),
                None,
            )
            if late is not None:
                raise document.error(("stream", *late), f"the time is too late; {ACCEPTED_LATEST}")
            early = next(
                (n for n, push in enumerate(entries) if push.came is not None and push.came < push.t), None
            )
            if early is not None:
                problem = "the time of arrival is before the time t; expected a time that is not before t"
                raise document.error(("stream", early, "came"), problem)
            pushes = (Push(push.t, push.stream, triple_of(push.triple), came=push.came) for push in entries)
            return tuple(push.as_element() for push in pushes)
        case None, StreamReference() as reference:
            return _referred(document, reference, folder)
        case _:
            both = "both stream and stream_ref" if content.stream is not None else "no stream"
            raise document.error((), f"found {both}; expected either stream or stream_ref")


def _referred(document: PlacedData, reference: StreamReference, folder: Path) -> tuple[Push, ...]:
    lines = _lines(document, folder / reference.file)
    pushes: list[Push] = []
    for number, burst in enumerate(reference.bursts):
        _check(document, number, burst, len(pushes), lines)
        span = burst.t_last - burst.t
        steps = max(1, burst.last_index - burst.first_index)
        for step, (_, triple) in enumerate(lines[burst.first_index : burst.last_index + 1]):
            # Only the first and the last triple of a burst were clocked.
            t = round(burst.t + span * step / steps, _DIGITS)
            pushes.append(Push(t, reference.stream, triple).as_element())
    return tuple(pushes)


def _lines(document: PlacedData, path: Path) -> tuple[_Timed, ...]:
    try:
        status = path.stat()
    except (OSError, ValueError):
        at = ("stream_ref", "file")
        raise document.error(at, f"cannot find the file {path}; expected {ACCEPTED_STREAM}") from None
    return _stream_file(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _stream_file(path: Path, changed: int, size: int) -> tuple[_Timed, ...]:
    # Many cases share one stream: modification time and size show whether it is unchanged.
    del changed, size
    return tuple(_timed(line) for line in read_file(path, ACCEPTED_STREAM).lines())


def _timed(line: TextLine) -> _Timed:
    second, tab, triple = line.text.partition("\t")
    if not tab or not (second.isascii() and second.isdecimal()) or len(second) > len(str(2**31)):
        raise line.error(f"found {short(line.text)}; expected {ACCEPTED_STREAM}")
    try:
        return int(second), triple_of(triple)
    except LarsError as error:
        raise line.error(str(error), len(second) + 2) from None


def _check(document: PlacedData, number: int, burst: Burst, before: int, lines: tuple[_Timed, ...]) -> None:
    path = ("stream_ref", "bursts", number)
    if burst.first_index != before:
        problem = (
            f"found {burst.first_index} as the first line of a burst; expected {before}, the number "
            "of the line after the preceding burst"
        )
        raise document.error((*path, "first_index"), problem)
    if not burst.first_index <= burst.last_index < len(lines):
        accepted = (
            f"a line from {burst.first_index} to {len(lines) - 1}, the last line of the file; lines "
            "count from 0"
        )
        raise document.error((*path, "last_index"), f"found {burst.last_index}; expected {accepted}")
    if burst.t_last < burst.t:
        problem = (
            f"found {plain(burst.t_last)} as the last time of a burst; expected a time that is not "
            f"before the time t of the burst, {plain(burst.t)}"
        )
        raise document.error((*path, "t_last"), problem)
    seconds = sorted({second for second, _ in lines[burst.first_index : burst.last_index + 1]})
    if seconds != [burst.second]:
        problem = (
            f"found {burst.second} as the second of a burst; expected {seconds[0]}, the second in all "
            "lines of the burst"
        )
        raise document.error((*path, "second"), problem)


WindowBounds = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Case:
    """A recorded run of an engine; `query` is a text in the query language of the engine.

    The field `windows` contains the bounds that the engine prints for the window of each report, or None. The
    field `engine_window` is C-SPARQL's window statement. If no report has a row, the recording has no
    variables. Terms are canonical texts. Times are not converted: they are the numbers in the file. The field
    `dialect` is the query language that the engine declared. The field `refused` is the reason why the engine
    rejected the query. The field `flush` contains the reports that the close of the run caused, in the
    columns of the recording. The field `lexical` is true if the engine does not return the kinds of RDF
    terms.
    """

    path: Path
    id: str
    engine: str
    family: str
    query: str
    engine_window: str | None
    static: Static
    pushes: tuple[Push, ...]
    recording: Recording
    windows: tuple[WindowBounds | None, ...]
    dialect: str | None = None
    refused: str | None = None
    flush: tuple[Report, ...] = ()
    lexical: bool = False


def read_case(path: Path) -> Case:
    """Return the case of a file; a separate stream file is next to the folder of the case file.

    Raises LarsError with the file, line and column of an error, and the expected form.
    """
    return case_of(path, read_file(path, ACCEPTED_CASE))


def case_of(path: Path, source: TextFile) -> Case:
    """Return the case in the text of a case file; `path` is the path of this file."""
    document = json_of(source, ACCEPTED_CASE)
    _check_keys(document)
    content = check_data(CaseFile, document)
    pushes = pushes_of_case(document, content, path.parent.parent)
    _check_triggers(document, content, len(pushes))
    recording = _recording(content)
    return Case(
        path=path,
        id=content.id,
        engine=content.engine,
        family=content.family,
        query=content.query,
        engine_window=content.engine_window,
        static=static_of(content.static, content.static_graph),
        pushes=pushes,
        recording=made_lexical(recording) if not content.kinds else recording,
        windows=tuple(_window(document, n, report) for n, report in enumerate(content.output)),
        dialect=content.dialect,
        refused=content.refused,
        flush=tuple(Report(entry.t, rows_in(recording.variables, entry.rows)) for entry in content.flush),
        lexical=not content.kinds,
    )


def _check_keys(document: PlacedData) -> None:
    """Raise LarsError for a misspelt key, because the reader ignores unknown keys without a message."""
    if not isinstance(document.content, dict):
        raise document.error((), f"found {shown_json(document.content)}; expected {ACCEPTED_CASE}")
    absent = [name for name in CaseFile.model_fields if name not in document.content]
    for key in document.content:
        if key not in CaseFile.model_fields and (meant := get_close_matches(key, absent, 1, 0.8)):
            problem = f"found an unknown key; expected {meant[0]}"
            raise document.error((key,), problem, at_key=True)


def _check_triggers(document: PlacedData, content: CaseFile, pushed: int) -> None:
    triggers = [report.trigger for report in content.output]
    refused = [entry.trigger for entry in content.exceptions]
    for name, numbers in (("output", triggers), ("exceptions", refused)):
        for n, trigger in enumerate(numbers):
            least = numbers[n - 1] if n else 0
            if not least <= trigger < pushed:
                accepted = f"the number of a push, from {least} (numbers never decrease) to {pushed - 1}"
                raise document.error((name, n, "trigger"), f"found {trigger}; expected {accepted}")


def _recording(content: CaseFile) -> Recording:
    variables = names_of(row for report in (*content.output, *content.flush) for row in report.rows)
    reports = tuple(
        Report(entry.t, rows_in(variables, entry.rows), entry.trigger) for entry in content.output
    )
    return Recording(variables, reports, tuple(entry.trigger for entry in content.exceptions))


def _window(document: PlacedData, number: int, report: ReportEntry) -> WindowBounds | None:
    match report.window_from, report.window_to:
        case float() as first, float() as last:
            return first, last
        case None, None:
            return None
        case _:
            problem = "found only one of window_from and window_to; expected both keys, or neither"
            raise document.error(("output", number), problem)


CaseContent = Mapping[str, object]
"""The content of a case's file, with the keys of CaseFile."""


def write_case(path: Path, content: CaseContent) -> None:
    """Write a case atomically; each push and each report is one line."""
    with replacement_path(path) as place:
        place.write_text(case_text(content), encoding="utf-8")


_SLUG: Final = 40
"""The maximum number of characters in the words of a fault's folder."""


def slug(text: str) -> str:
    """Return the words of a text that are part of the name of a fault's folder, and of its case.

    >>> slug("ISTREAM: all rows")
    'istream-all-rows'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_SLUG].strip("-")


HUNT_FILE: Final = "hunt.json"
"""The name of the file that describes a hunt, in the folder above the cases of its faults."""


def case_text(content: CaseContent) -> str:
    """Return the text of a case's file; keys with default values are omitted.

    >>> print(case_text({"id": "e/1", "engine": "e", "mode": "", "family": "", "query": "Q", "output": []}))
    {
     "id": "e/1",
     "engine": "e",
     "mode": "",
     "family": "",
     "query": "Q",
     "output": []
    }
    """
    CaseFile.model_validate(content)
    document = {
        name: content[name]
        for name, field in CaseFile.model_fields.items()
        if name in content
        if field.is_required() or content[name] != field.get_default(call_default_factory=True)
    }
    return "{\n" + ",\n".join(_entries(document)) + "\n}\n"


def _entries(document: Mapping[str, object]) -> Iterator[str]:
    for name, value in document.items():
        if isinstance(value, list) and value:
            lines = ",\n".join(f"  {_json(item)}" for item in value)
            yield f" {_json(name)}: [\n{lines}\n ]"
        else:
            yield f" {_json(name)}: {_json(value)}"


def _json(value: object) -> str:
    return json.dumps(_whole(value), ensure_ascii=False)


def _whole(value: object) -> object:
    """Return a JSON value with whole floats as integers, and without keys whose value is None."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {name: _whole(part) for name, part in value.items() if part is not None}
        case list() | tuple():
            return [_whole(part) for part in value]
        case _:
            return value
