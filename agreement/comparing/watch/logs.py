"""Read growing logs of answers: the answers that a running system has appended since the last batch."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from math import floor, ulp
from pathlib import Path
from typing import BinaryIO, Final

from agreement.comparing.judge.alignment import BOOLEANS, TRUE
from agreement.documents.initial import SINCE_1970, ZEROS
from agreement.documents.recordings import ANSWER, SLACK, Recording, in_columns, read_recording, rows_of
from agreement.documents.requests import AnswersOptions
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import FailedRunError, LarsError, system_error
from lars.files import BYTE_ORDER_MARK, temporary_folder
from solver.facts import Row
from solver.traces import read_time
from solver.traces.formats.csv_lines import DELIMITERS, delimiter_of
from solver.traces.input_files import ARROW

Place = tuple[int, int, str]
"""The position up to which a file has been read: bytes, lines, and a digest of the last bytes."""
Answer = tuple[int, float, Row]
"""An answer: its time point, the time of its report in ms, and its row.

Blank nodes belong to one report.
"""
LateAnswer = tuple[int, int, Row]
"""A late answer: its time point, the newest time point of the answers before it, and its row."""
_CHUNK: Final = 2**18
_LONGEST: Final = 2**26
"""The maximum number of bytes of one record."""
_TAIL: Final = 2**10
_WHOLE: Final = frozenset(("case", "csrbench", "yabench"))
"""The formats in which a file is one document."""
_KEYS: Final = frozenset(("relations", "engine", "output"))
"""The keys of a JSON document that contains all answers of a file."""
_BEFORE: Final = (0, 0, "")
_SUFFIXES: Final = re.compile(r"\.(csv|tsv|srj|jsonl?|ndjson|parquet|arrow|feather)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LogState:
    """The state of a log of answers between two batches.

    - `files` maps the name of each file to the position up to which the file has been read.
    - `oldest` and `newest` are the time points of the oldest and the newest answer.
    - `answers` are the answers to periods that are not judged yet.
    - `lexical` is true if the files omit the kinds of RDF terms (IRI, literal or blank node).
    - `read` is the number of answers that were read, and `late` is the number of late answers.
    - `wrong` is the number of wrong periods.
    - `rules` are the rules that explain the last wrong periods; empty if no known rule explains these
      periods.
    - `since` is the start of the first of the last wrong periods; None if no period was wrong.
    - `starts` are the start times t0 of windows in those of the `rules` that change t0.
    """

    files: Mapping[str, Place] = field(default_factory=dict)
    oldest: int | None = None
    newest: int | None = None
    answers: Sequence[Answer] = ()
    lexical: bool = False
    read: int = 0
    late: int = 0
    wrong: int = 0
    since: int | None = None
    rules: Sequence[str] = ()
    starts: Sequence[int] = ()


Reading = tuple[AnswersOptions, tuple[str, ...] | None, Duration, str | None]
"""How a log is read: options, columns, the length of a time point, and the dateTime of time 0 or None.

Without columns, an answer is a boolean.
"""


def read_further(
    path: Path, state: LogState, how: Reading, enough: int, delay: int
) -> tuple[LogState, list[LateAnswer]]:
    """Read further answers of a log; return the new state of the log, and the answers that came too late.

    The log is a file or a folder of files. Reading ends at the end of the log, or at an answer that is more
    than `delay` time points later than the time point `enough`.

    Args:
        path: The file or the folder.
        state: The state of the log after the previous batch.
        how: The options, columns and units for reading the log.
        enough: The time point up to which answers are needed.
        delay: The number of time points by which an answer may be older than an answer before it; older
            answers do not count.

    Raises:
        LarsError: A file cannot be read, or has other columns than the query.
        FailedRunError: A file was replaced, and the file with its earlier text is not found.
    """
    late: list[LateAnswer] = []

    def is_enough() -> bool:
        return state.newest is not None and state.newest - delay > enough

    if path.is_dir():
        state = replace(state, files=_renamed(path, state))
    for file, place in _places(path, state):
        at = place
        while not is_enough():
            part = _next_part(file, at, how[0])
            if part is None:
                break
            _, at = part
            reports, lexical = _reports(path, file, part, how)
            answers, oldest, newest, count = list(state.answers), state.oldest, state.newest, 0
            for t, exact, rows in reports:
                newest = t if newest is None else max(newest, t)
                count += len(rows)
                if newest - t > delay:
                    late += ((t, newest, row) for row in rows)
                    continue
                oldest = t if oldest is None else min(oldest, t)
                if t > 0:
                    answers += ((t, exact, row) for row in rows)
            state = replace(state, oldest=oldest, newest=newest, answers=answers, read=state.read + count)
            state = replace(state, lexical=state.lexical or lexical)
        if not at[0]:
            at = 0, 0, str(file.stat().st_ino)
        kept = {file.name: at} if path.is_file() else {**state.files, file.name: at}
        state = replace(state, files=kept)
        if is_enough():
            break
    return state, late


def _places(log: Path, state: LogState) -> Iterator[tuple[Path, Place]]:
    """Yield the files of a log that may have new answers, each with the position up to which it was read."""
    if log.is_dir():
        yield from ((path, state.files.get(path.name, _BEFORE)) for path in sorted(_in_folder(log), key=_age))
        return
    if not log.exists():
        # A log that rotates may be absent for a moment.
        yield from ()
        return
    if not state.files:
        yield log, _BEFORE
        return
    ((_, place),) = state.files.items()
    if _continues(log, place):
        yield log, place
        return
    others = [path for path in log.parent.iterdir() if path.name.startswith(f"{log.name}.")]
    ordered = sorted((path for path in others if path.is_file()), key=_age)
    for number, path in enumerate(ordered):
        if _continues(path, place):
            yield path, place
            yield from ((later, _BEFORE) for later in ordered[number + 1 :])
            yield log, _BEFORE
            return
    raise _replaced(log)


def _in_folder(log: Path) -> list[Path]:
    return [path for path in log.iterdir() if path.is_file() and path.name[0] not in "_."]


def _renamed(log: Path, state: LogState) -> Mapping[str, Place]:
    """Return the position in each file of a folder up to which it was read, by the file's present name."""
    there, known, found = _in_folder(log), dict(state.files), dict[str, Place]()
    for path in there:
        if path.name in known and _continues(path, known[path.name]):
            found[path.name] = known.pop(path.name)
    for path in there:
        if path.name not in found:
            moved = (name for name, place in known.items() if place[0] and _continues(path, place))
            if (earlier := next(moved, None)) is not None:
                found[path.name] = known.pop(earlier)
    for path in there:
        if path.name not in found and known.pop(path.name, _BEFORE)[0]:
            raise _replaced(path)
    return known | found


def _reports(
    log: Path, path: Path, part: tuple[bytes, Place], how: Reading
) -> tuple[list[tuple[int, float, list[Row]]], bool]:
    """Return the reports in a part of a file, and whether the file omits the kinds of terms.

    Each report consists of a time point, a time in ms, and rows.
    """
    options, names, unit, zero = how
    zoned = zero is not None and re.search(r"(Z|[+-][0-9]{2}:[0-9]{2})$", zero) is not None
    # DateTimes count from 1970, because a log may begin before time 0.
    origin = None if zero is None else read_time(ZEROS[zoned])
    begin = 0.0 if zero is None or origin is None else (read_time(zero).value - origin.value) / 10**6
    text, place = part
    with temporary_folder() as folder:
        suffix = _SUFFIXES.search(path.name) or _SUFFIXES.search(log.name)
        copied = folder / f"answers{suffix[0] if suffix else ''}"
        copied.write_bytes(text)
        try:
            # Another column must not become the column of times because of the values of one batch.
            settled = replace(options, unit=unit, origin=origin, ordered=False, guesses_time=False)
            recording = read_recording(copied, settled)
        except LarsError as error:
            raise LarsError(_at(path, place, text, copied, str(error))) from None
    _check_columns(path, recording, (ANSWER,) if names is None else names)
    columns = names
    if columns is None:
        columns = (ANSWER,) if ANSWER in recording.variables else ()
    reports = []
    for report in in_columns(recording, columns).reports:
        dated = zero is not None and report.t >= SINCE_1970
        since = report.t - begin if dated else report.t
        rows = [tuple(row) for row in report.rows]
        if names is None:
            rows = _true(path, rows)
        # Since 1970, milliseconds have a resolution of a fourth of a microsecond, and both terms are rounded.
        slack = SLACK + ulp(report.t) if dated else SLACK
        reports.append((floor((since + slack) / unit.milliseconds), since, rows))
    return reports, recording.lexical


def _check_columns(path: Path, recording: Recording, names: Sequence[str]) -> None:
    """Raise LarsError if rows have values in unknown columns, or in no column of the query."""
    rows = rows_of(recording.reports)
    others = ((place, name) for place, name in enumerate(recording.variables) if name not in names)
    # A boolean is always bound.
    asked = names == (ANSWER,) and ANSWER not in recording.variables
    for place, name in others:
        if any(asked or row[place] is not None for row in rows):
            expected = ", ".join(names if names == (ANSWER,) else (f"?{each}" for each in names))
            raise LarsError(
                f"{path}: cannot be compared with the query: its column {name} is none of the columns of the "
                f"answer ({expected}); remove or rename the column"
            )


def _true(path: Path, rows: Sequence[Row]) -> list[Row]:
    """Return a report of booleans as rows: true as a row without columns, and false as no row."""
    odd = [row[0] or '""' for row in rows if row and row[0] not in BOOLEANS]
    if odd:
        raise LarsError(f"{path}: cannot read the answer {odd[0]} to a query with ASK; use true or false")
    return [() for row in rows if not row or row[0] in TRUE]


def _age(path: Path) -> tuple[int, str]:
    return path.stat().st_mtime_ns, path.name


def _replaced(path: Path) -> FailedRunError:
    problem = "was replaced or cut, and the rest of its earlier text is not found"
    return FailedRunError(
        f"{path}: {problem}; put the earlier file next to it, or use a new --checkpoint and a new --out"
    )


def _digest(path: Path, size: int) -> str:
    with path.open("rb") as file:
        file.seek(max(0, size - _TAIL))
        return hashlib.sha256(file.read(min(size, _TAIL))).hexdigest()


def _continues(path: Path, place: Place) -> bool:
    """Return whether a file still begins with the text that has been read from it.

    If nothing has been read, the function compares the file's number in the file system (inode).
    """
    size, _, digest = place
    try:
        found = path.stat()
        if not size:
            return digest in ("", str(found.st_ino))
        return found.st_size >= size and _digest(path, size) == digest
    except OSError as error:
        raise system_error(path, error, "cannot be read") from None


def _next_part(path: Path, place: Place, reading: AnswersOptions) -> tuple[bytes, Place] | None:
    """Return the complete records of a file after a position, and the position after them.

    The result is None if no complete record follows. For a table, the result begins with the header.
    """
    size, lines, _ = place
    try:
        if path.stat().st_size <= size:
            return None
        with path.open("rb") as file:
            head = file.readline(_LONGEST)
            kind = _kind(head, reading)
            if kind is None:
                return None
            if kind == "whole":
                if size:
                    raise LarsError(f"{path}: has changed after it was read; move complete files only")
                file.seek(0)
                text = file.read()
                return text, (len(text), text.count(b"\n"), hashlib.sha256(text[-_TAIL:]).hexdigest())
            quoted = kind == "table" and not _is_tsv(path, head, reading)
            mark = delimiter_of(head.decode("utf-8", "replace")) if quoted else None
            text = _records(file, max(size, len(head) if kind == "table" else 0), path, mark)
    except OSError as error:
        raise system_error(path, error, "cannot be read") from None
    if not text:
        return None
    begin = max(size, len(head)) if kind == "table" else size
    end = begin + len(text)
    seen = lines if size else int(kind == "table")
    after = end, seen + text.count(b"\n"), _digest(path, end)
    return (head + text if kind == "table" else text), after


def _records(file: BinaryIO, begin: int, path: Path, mark: str | None) -> bytes:
    """Return the complete records of a file from a position (in bytes) on.

    If `mark` separates the fields of a record, a line break may be inside a quoted field.
    """
    length = _CHUNK
    while True:
        file.seek(begin)
        data: bytes = file.read(length)
        end = data.rfind(b"\n") + 1
        if mark is not None and b'"' in data:
            end = 0
            while (record := _RECORD[mark].match(data, end)) is not None:
                end = record.end()
        if end or len(data) < length:
            return data[:end]
        if length >= _LONGEST:
            raise LarsError(f"{path}: cannot be read: an answer has more than {_LONGEST} bytes")
        length *= 4


def _record(mark: str) -> re.Pattern[bytes]:
    """Return the pattern of a record whose fields are separated by `mark`.

    Line breaks can be inside a field only if the field begins with a quote. The pattern does not check other
    quotes, because the reader of the file reports them as errors.
    """
    field = rf'(?:"[^"]*+(?>(?:""[^"]*+)*)"|(?!"))[^{mark}\n]*+'
    # (?>(?:..)*) is (?:..)*+, which Python 3.11.2 gets wrong.
    return re.compile(rf"(?>(?:{field}{mark})*){field}\n".encode())


_RECORD: Final = {mark: _record(mark) for mark in DELIMITERS}


def _is_tsv(path: Path, head: bytes, reading: AnswersOptions) -> bool:
    """Return whether a table is TSV, in which tabs separate terms, and quotes do not enclose line breaks."""
    if reading.answers_format is not None:
        return reading.answers_format == "tsv"
    suffix = _SUFFIXES.search(path.name)
    kind = suffix[1].lower() if suffix else None
    return kind == "tsv" or (kind != "csv" and (b"\t" in head or head.startswith(b"?")))


def _kind(head: bytes, reading: AnswersOptions) -> str | None:
    """Return the form of a file: `whole`, `lines`, or `table` (with a header); None if not yet known.

    The form `whole` is a file that must be read at once, such as one JSON document.
    """
    if reading.answers_format in _WHOLE or head.startswith((b"PAR1", *ARROW)):
        return "whole"
    first = head.removeprefix(BYTE_ORDER_MARK).strip()
    if first[:1] in (b"{", b"["):
        try:
            keys = json.loads(first)
        except ValueError:
            return "whole" if head.endswith(b"\n") else None
        if isinstance(keys, list) or _KEYS & set(keys):
            return "whole"
        return "lines" if head.endswith(b"\n") else None
    if not head.endswith(b"\n"):
        return None
    return "whole" if first.isdigit() else "table"


def _at(path: Path, place: Place, text: bytes, part: Path, message: str) -> str:
    """Return an error message about a copied part of a file with the name and line numbers of the file."""
    before = place[1] - text.count(b"\n")

    def numbered(match: re.Match[str]) -> str:
        return f"{path}:{int(match[1]) + max(before, 0)}"

    return re.sub(rf"{re.escape(str(part))}:([0-9]+)", numbered, message).replace(str(part), str(path))
