"""Read the files of `lars compare` for two logs: times in one notation, missing numbers, invalid lines."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Final

import numpy as np

from agreement.comparing.matching.likeness import is_number, row_key
from agreement.documents import initial, requests
from agreement.documents.outputs import quantity
from agreement.documents.recordings import SLACK, Recording, read_recording
from agreement.documents.recordings.answer_tables import EPOCH_DIGITS
from agreement.documents.recordings.answer_times import ACCEPTED_LATEST, KINDS
from agreement.documents.recordings.recording import with_rows
from lars.durations import NANOSECONDS, Duration
from lars.errors import LarsError
from lars.language.terms import Literal
from solver.facts import Row
from solver.rdf import read_term
from solver.settings import Warn
from solver.traces import (
    MalformedPart,
    SkippedLine,
    TimeKind,
    are_calendar,
    calendar_warning,
    cell_time,
    keep_skipped,
    show,
)
from solver.traces.formats.mapped_tables import NULL_WORDS

_FINER: Final = tuple(Duration(10**power) for power in (6, 3, 0))
"""The units of times that are tried if times in the unit of the trace are after the last dateTime."""
_DECIMAL_COMMA: Final = re.compile(r"[+-]?[0-9]+,[0-9]+")

Notations = dict[Path, tuple[TimeKind, str, float]]
"""The first time of each file that contains times: its kind, its text, and the earliest time in ms."""
Skipped = dict[Path, Sequence[SkippedLine]]
"""The lines that were skipped, by file."""


def read_log(path: Path, reading: requests.AnswersOptions) -> Recording:
    """Return the alerts of a file, ordered by time.

    Without a unit of times, numbers that would be after the last dateTime in seconds are milliseconds or
    finer units since 1970.

    Raises:
        LarsError: The file cannot be read.
    """
    late: LarsError | None = None
    for unit in (reading.answers_unit, *(() if reading.answers_unit else _FINER)):
        if reading.skipped is not None:
            reading.skipped.clear()
        try:
            recording = read_recording(path, replace(reading, answers_unit=unit))
        except LarsError as error:
            if ACCEPTED_LATEST not in str(error):
                raise
            late = late or error
            continue
        if not reading.answers_unit and _are_skipped_as_late(reading, recording):
            continue
        if reading.answers_unit or all(report.t <= initial.LATEST for report in recording.reports[:1]):
            break
    else:
        if late is not None:
            raise late
    return replace(recording, reports=tuple(sorted(recording.reports, key=lambda report: report.t)))


def _are_skipped_as_late(reading: requests.AnswersOptions, recording: Recording) -> bool:
    """Return whether more lines were skipped because their times are too late than alerts were read."""
    late = sum(ACCEPTED_LATEST in problem for *_, problem in reading.skipped or ())
    return late > sum(len(report.rows) for report in recording.reports)


def check_year(first: float) -> None:
    """Raise LarsError if a time in ms since 1970 is after the last dateTime that lars reads."""
    if first > initial.LATEST:
        problem = f"the first time is {first / 1000:.0f} s, beyond the year 2261"
        raise LarsError(
            f"{problem}; use --answers-unit 1ms and --trace-unit 1ms if the times are in milliseconds"
        )


def own_reading(
    paths: Sequence[Path], reading: requests.AnswersOptions
) -> Mapping[Path, requests.AnswersOptions]:
    """Return the options for each file, with the names in --time-variable that are columns of the file.

    Raises:
        LarsError: No file has a column with a name in --time-variable.
    """
    headers = {path: {name.lstrip("?$") for name in _header(path)} for path in paths}
    given = reading.time_variable
    for name in given:
        if all(headers.values()) and not any(name.lstrip("?") in names for names in headers.values()):
            raise LarsError(f"--time-variable {name}: no log has the column {name}")
    # A file without a header, such as JSON that is not a table, keeps all names.
    own = {
        path: tuple(name for name in given if not names or name.lstrip("?") in names)
        for path, names in headers.items()
    }
    return {path: replace(reading, time_variable=names) for path, names in own.items()}


def _header(path: Path) -> Sequence[str]:
    with suppress(LarsError, OSError):  # the reader of the file reports the error
        return initial.header(path)
    return ()


def read_file(
    path: Path, reading: requests.AnswersOptions, notations: Notations, skipped: Skipped | None
) -> Recording:
    """Return the rows of a file of alerts or events, ordered by time; dateTimes count from 1970.

    Args:
        path: The file.
        reading: The options for reading the file.
        notations: Receives the first time of the file.
        skipped: Receives the invalid lines of the file, which are skipped; None if they are errors.

    Raises:
        LarsError: The file cannot be read.
    """
    first = list[tuple[TimeKind, str]]()
    lines = None if skipped is None else list[SkippedLine]()
    log = read_log(path, replace(reading, notation=first, skipped=lines))
    if log.reports and first:
        notations[path] = (*first[0], log.reports[0].t)
    if skipped is not None and lines:
        skipped[path] = lines
    return log


def column_of_times(path: Path, log: Recording, reading: requests.AnswersOptions) -> str | None:
    """Return the column of a table that contains the times of a log; None if the file is not a table."""
    renamed = reading.rename or {}
    names = [name.strip() for name in _header(path)]
    left = [name for name in names if renamed.get(name, name.lstrip("?$")) not in log.variables]
    return left[0] if len(left) == 1 else None


def zero_of(notations: Notations) -> str | None:
    """Return the dateTime of time 0 of all files: a beginning of 1970; None if times are small numbers.

    Raises:
        LarsError: The notations of the files differ, or a number is after the last dateTime that lars reads.
    """
    since: dict[TimeKind, tuple[Path, str]] = {}
    for path, (kind, text, t) in notations.items():
        if kind is TimeKind.INTEGER and t >= initial.SINCE_1970:
            check_year(t)
            continue
        since.setdefault(kind, (path, text))
    if len(since) > 1:
        _raise_different(since)
    if not since:
        return initial.ZEROS[1] if notations else None
    kind = next(iter(since))
    return None if kind is TimeKind.INTEGER else initial.ZEROS[kind is TimeKind.ZONED]


def _raise_different(firsts: Mapping[TimeKind, tuple[Path, str]]) -> None:
    """Raise LarsError for files with different notations of times."""
    (kind, (path, text)), (other, (other_path, other_text)) = islice(firsts.items(), 2)
    remedy = "use times with a time zone in both files, or in neither file"
    if TimeKind.INTEGER in {kind, other}:
        remedy = "use one notation in both files"
    else:
        local = text if kind is TimeKind.LOCAL else other_text
        remedy += f", such as {show(cell_time(local))}Z in place of {local} if the times are in UTC"
    raise LarsError(
        f"{other_path}: cannot compare its times with the times of {path}: {other_text} {KINDS[other]}, and "
        f"{text} {KINDS[kind]}; {remedy}"
    )


def are_after(times: Sequence[float], cells: Sequence[str | None]) -> bool:
    """Return whether cells are dateTimes or numbers since 1970, never before `times`, and once after.

    Args:
        times: The times of the rows, in ms since 1970.
        cells: The terms of a column, one for each row.
    """
    is_after = False
    for t, term in zip(times, cells, strict=True):
        try:
            moment = cell_time(_lexical(term))
        except MalformedPart:
            return False
        came = moment.value / NANOSECONDS["ms"]
        if moment.kind is TimeKind.INTEGER:
            text = str(moment.value)
            came = moment.value * EPOCH_DIGITS.get(len(text), Duration(0)).milliseconds
        if came < t - SLACK:
            return False
        is_after = is_after or came > t + SLACK
    return is_after


def gaps(
    paths: Sequence[Path], logs: Sequence[Recording], names: Collection[str], note: Warn
) -> frozenset[str]:
    """Return the columns of numbers in which alerts lack a number, or have a word such as n/a in its place.

    The function `note` receives a note for each log with such a column.
    """
    found = set[str]()
    for name in sorted(names):
        counts = [Counter(row[log.variables.index(name)] for row in _rows(log)) for log in logs]
        terms = {term for count in counts for term in count}
        others = {term for term in terms if not is_number(*row_key((term,)))}
        words = {term: lexical for term in others if (lexical := _lexical(term)) in NULL_WORDS or not lexical}
        if not words or len(words) < len(others) or len(others) == len(terms):
            continue
        found.add(name)
        for path, count in zip(paths, counts, strict=True):
            own = [(word, count[term]) for term, word in words.items() if term in count]
            if own:
                listed = ", ".join(f"{word or 'an empty cell'} in {quantity(n, 'alert')}" for word, n in own)
                note(
                    f"{path.name}: the column {name} contains numbers, but for {listed}, which counts as no "
                    "value"
                )
    return frozenset(found)


def note_commas(path: Path, log: Recording, note: Warn) -> None:
    """Call `note` for each column in which all numbers have a comma before their decimal places."""
    for place, name in enumerate(log.variables):
        texts = {_lexical(row[place]) for row in _rows(log)} - NULL_WORDS - {""}
        if texts and all(map(_DECIMAL_COMMA.fullmatch, texts)):
            note(
                f"{path.name}: the column {name} contains numbers with a comma, such as {min(texts)}, which "
                "count as texts. Use a point in place of the comma to compare them as numbers"
            )


def note_dates(path: Path, log: Recording, notations: Notations, note: Warn) -> None:
    """Call `note` if all times of a log are integers that look like dates without separators."""
    kind, text, first = notations.get(path, (None, "", 0.0))
    if kind is not TimeKind.INTEGER or not text.isdecimal() or not first:
        return
    unit = first / int(text)
    if are_calendar(np.array([round(report.t / unit) for report in log.reports])):
        note(f"{path.name}: {calendar_warning(text, Duration(round(unit * NANOSECONDS['ms'])))}")


def unit_of_numbers(path: Path, notations: Notations) -> Duration | None:
    """Return the unit of integers in a file that count from 1970; None for other times."""
    kind, text, _ = notations.get(path, (None, "", 0.0))
    return EPOCH_DIGITS.get(len(text)) if kind is TimeKind.INTEGER and text.isdecimal() else None


def _rows(log: Recording) -> Iterator[Row]:
    return (row for report in log.reports for row in report.rows)


def _lexical(term: str | None) -> str:
    read = None if term is None else read_term(term)
    return read.lexical.strip() if isinstance(read, Literal) else "" if term is None else str(term)


def without_words(log: Recording, names: Collection[str]) -> Recording:
    """Return a log without the words such as n/a in the columns of numbers `names`."""
    places = [place for place, name in enumerate(log.variables) if name in names]

    def changed(row: Row) -> Row:
        cells = list(row)
        for place in places:
            if not is_number(*row_key((row[place],))):
                cells[place] = None
        return tuple(cells)

    return with_rows(log, lambda rows: tuple(map(changed, rows))) if places else log


def without_gaps(log: Recording, names: Collection[str]) -> Recording:
    """Return a log without the alerts that lack a number in one of the columns `names`."""
    places = [place for place, name in enumerate(log.variables) if name in names]

    def whole(rows: Sequence[Row]) -> Sequence[Row]:
        return tuple(row for row in rows if all(row[place] is not None for place in places))

    kept = with_rows(log, whole) if places else log
    return replace(kept, reports=tuple(report for report in kept.reports if report.rows))


def keep_lines(kept: Path, skipped: Skipped, note: Warn, *, more: bool) -> None:
    """Write skipped lines to the file of --rejected; `note` receives their number and the names of files.

    If `more` is true, the file already contains invalid lines of the events.
    """
    for path, lines in skipped.items():
        many, them = ("line", "it") if len(lines) == 1 else ("lines", "them")
        note(f"skipped {len(lines)} invalid {many} of {path.name} and wrote {them} to {kept}")
    keep_skipped(kept, chain.from_iterable(skipped.values()), more=more)
