r"""YABench's recorded results, line by line.

    file      := start variables record*
    start     := the time in ms at which the engine was started
    variables := name (separator name)*, with or without ?; the first separator, a tab or a comma, holds
                 for the whole file
    record    := time row*
    time      := a line of digits, in ms on the clock of `start`; if the first time is before `start`,
                 all times count from `start`
    row       := value (separator value)*, one for each variable
    value     := a term as in N-Triples, also with a datatype without <>, nothing (unbound), or a bare text

If a text has no term syntax, its kind of term is unknown, and the recording is `lexical`. In a file with one
variable, a line of digits is a time, unless the number is less than the previous time. Values that are digits
must therefore be written as RDF terms, such as "5". Blank lines are ignored.

Source: YABench (2016), Section 3, of the files QR_*.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agreement.documents.recordings.answer_times import forwards, time_of_number
from agreement.documents.recordings.recording import Recording, made_lexical, of_text, recording_of
from agreement.documents.requests import AnswersOptions
from lars.errors import LarsError
from lars.files import TextFile, TextLine
from solver.rdf import canonical, short

ACCEPTED_YABENCH: Final = (
    "YABench results: a line with the start time in ms, a line with the variables, and for each "
    "report a line with its time in ms and a line per row; tabs or commas separate values"
)

_DIGITS = re.compile(r"[0-9]{1,18}")
_NAME = re.compile(r"[?$]?([^\W]\w*)")
_VALUE: Final = {
    separator: re.compile(
        r' *(<[^<>\s]*>|"[^"\\]*(?:\\.[^"\\]*)*"(?:\^\^(?:<[^<>\s]*>|[^<>\s,"]+)|@[A-Za-z0-9-]+)?'
        rf"|[^{separator}]*) *({separator}|\Z)"
    )
    for separator in ("\t", ",")
}
# As Jena and C-SPARQL print typed literals: the datatype without <>, the lexical form maybe without quotes.
_TYPED = re.compile(r'(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^"<]*?))\^\^([^<>\s"^]+)', re.DOTALL)
_TERM = re.compile(r'["<]|_:')

_Row = Mapping[str, str | None]
_Record = tuple[TextLine, int, list[_Row]]
"""A report: the line with its time, the time in the form of the file, and the rows."""


def read_yabench(source: TextFile, options: AnswersOptions) -> Recording:
    """Return each record as a report with its time since the start; raises LarsError with a place."""
    lines = source.lines()
    if len(lines) < 2:  # noqa: PLR2004  (the start and the variables)
        text = "nothing" if not lines else f"{len(lines)} line"
        problem = f"found {text}, because the text is cut off; expected {ACCEPTED_YABENCH}"
        raise source.error(len(source.text.rstrip()), problem)
    start, (separator, names) = _start(lines[0]), _variables(lines[1])
    kinds: list[bool] = []
    records = list(_records(lines[2:], names, _VALUE[separator], kinds))
    recording = recording_of(names, _timed(records, start, options))
    lexical = not all(kinds)
    return replace(made_lexical(recording), lexical=True) if lexical else recording


def _start(line: TextLine) -> int:
    if not _DIGITS.fullmatch(line.text.strip()):
        problem = f"found {short(line.text)} as the start time; expected {ACCEPTED_YABENCH}"
        raise line.error(problem)
    return int(line.text)


def _variables(line: TextLine) -> tuple[str, list[str]]:
    separator = "\t" if "\t" in line.text else ","
    names: list[str] = []
    column = 1
    for text in line.text.split(separator):
        match = _NAME.fullmatch(text.strip().strip('"'))
        if match is None or match[1] in names:
            what = "as the name of a variable" if match is None else "twice the variable"
            raise line.error(f"found {what} {short(text)}; expected {ACCEPTED_YABENCH}", column)
        names.append(match[1])
        column += len(text) + 1
    return separator, names


def _records(
    lines: Sequence[TextLine], names: list[str], value: re.Pattern[str], kinds: list[bool]
) -> Iterator[_Record]:
    record: _Record | None = None
    for line in lines:
        time = _time(line, None if record is None else record[1], names)
        if time is not None:
            if record is not None:
                yield record
            record = line, time, []
        elif record is None:
            problem = f"found {short(line.text)} before the first time; expected {ACCEPTED_YABENCH}"
            raise line.error(problem)
        else:
            record[2].append(_row(line, names, value, kinds))
    if record is not None:
        yield record


def _time(line: TextLine, before: int | None, names: list[str]) -> int | None:
    text = line.text.strip()
    if not _DIGITS.fullmatch(text):
        return None
    if before is not None and int(text) < before and len(names) == 1:
        return None
    return int(text)


def _timed(records: list[_Record], start: int, options: AnswersOptions) -> Iterator[tuple[float, list[_Row]]]:
    absolute = bool(records) and records[0][1] >= start
    before = 0.0
    for line, time, rows in records:
        if not absolute and time >= start:
            problem = f"found {time}, a time after the start {start}, but the first time is before the start"
            raise line.error(f"{problem}; expected times that all count from the same zero")
        try:
            before = forwards(time_of_number(time - start if absolute else time, options), before, options)
        except LarsError as error:
            raise line.error(str(error)) from None
        yield before, rows


def _row(line: TextLine, names: list[str], value: re.Pattern[str], kinds: list[bool]) -> _Row:
    values: list[str | None] = []
    at, separator = 0, ","
    while separator:
        match = value.match(line.text, at)
        if match is None:
            raise line.error(f"found {short(line.text[at:])}; expected a term as in N-Triples", at + 1)
        values.append(_term(line, match[1].rstrip(), match.start(1) + 1, kinds))
        at, separator = match.end(), match[2]
    if len(values) != len(names):
        problem = (
            f"found {len(values)} values; expected {len(names)} values ({', '.join(names)}), or a "
            "line of digits"
        )
        raise line.error(problem)
    return dict(zip(names, values, strict=True))


def _term(line: TextLine, text: str, column: int, kinds: list[bool]) -> str | None:
    if not text:
        return None
    try:
        if typed := _TYPED.fullmatch(text):
            return canonical(f'"{typed[1] or typed[2] or ""}"^^<{typed[3]}>')
        if _TERM.match(text):
            return canonical(text)
    except LarsError as error:
        raise line.error(str(error), column) from None
    kinds.append(False)
    return of_text(text)
