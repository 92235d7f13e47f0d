"""SPARQL 1.1 CSV and TSV results with a column of times.

TSV writes terms; CSV leaves their kinds out, so its answers are `lexical`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from agreement.documents.recordings.json_answers import TIME_VARIABLES, read_time_term
from agreement.documents.recordings.recording import Answers, TimedRow, group_reports, of_text, recording_of
from agreement.documents.recordings.value_types import AnswerTimes
from lars.errors import LarsError
from lars.files import TextFile
from solver.rdf import canonical, short, unquote

ACCEPTED_CSV: Final = "SPARQL 1.1 CSV results, the variables in the first line, one of them the time"
ACCEPTED_TSV: Final = "SPARQL 1.1 TSV results, the ?variables in the first line, one of them the time"

_QUOTED = re.compile(r'"([^"]*(?:""[^"]*)*)"(?!")')
_BARE = re.compile(r'[^",\r\n]*')
_END = re.compile(r",|\r?\n|\Z")
_NAME = re.compile(r"[^\W]\w*")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Field:
    """The text of a field, without quotes around it, and the offset where it starts."""

    text: str
    offset: int


@dataclass(frozen=True, slots=True)
class _Table:
    """The variables of a table, and which of them is the time; how its fields are read."""

    source: TextFile
    names: list[str]
    time: int
    read: Callable[[str], str | None]
    read_time: Callable[[str], float]
    times: AnswerTimes

    def answers(self, records: list[list[Field]], *, lexical: bool) -> Answers:
        """Return the records below the names, grouped by their times."""
        return Answers(
            recording_of(self._variables(), group_reports(self._rows(records))), lexical, rows_only=True
        )

    def _variables(self) -> list[str]:
        return self.names[: self.time] + self.names[self.time + 1 :]

    def _rows(self, records: list[list[Field]]) -> Iterator[TimedRow]:
        before = 0.0
        for record in records:
            check_width(self.source, record, self.names)
            others = record[: self.time] + record[self.time + 1 :]
            before = self._at(record[self.time], partial(self._forwards, before))
            terms = [self._at(field, self.read) for field in others]
            yield before, dict(zip(self._variables(), terms, strict=True))

    def _forwards(self, before: float, text: str) -> float:
        return self.times.forwards(self.read_time(text), before)

    def _at(self, field: Field, read: Callable[[str], _Value]) -> _Value:
        try:
            return read(field.text)
        except LarsError as error:
            raise self.source.error(field.offset, str(error)) from None


def read_csv(source: TextFile, times: AnswerTimes, variable: str | None) -> Answers:
    """Return rows of one time that follow each other as a report; raises LarsError with its place.

    The column `variable` is the time, by default the first there is of t, time and timestamp.
    """
    records = csv_records(source)
    names = _names(source, records, ACCEPTED_CSV)
    table = _Table(source, names, names.index(_column(source, names, variable)), of_text, times.read, times)
    return table.answers(records[1:], lexical=True)


def read_tsv(source: TextFile, times: AnswerTimes, variable: str | None) -> Answers:
    """Return rows of one time that follow each other as a report, as `read_csv` does, with exact terms."""
    records = tsv_records(source)
    names = _names(source, records, ACCEPTED_TSV)
    column = _column(source, names, variable)

    def time(text: str) -> float:
        return read_time_term(tsv_term(text), column, times)

    return _Table(source, names, names.index(column), tsv_term, time, times).answers(
        records[1:], lexical=False
    )


def _names(source: TextFile, records: list[list[Field]], accepted: str) -> list[str]:
    """Return the variables, without ? or $."""
    if not records:
        raise source.error(0, f"found nothing, the file is empty; accepted: {accepted}")
    names: list[str] = []
    for field in records[0]:
        name = field.text.strip()
        name = name[1:] if name[:1] in ("?", "$") else name
        if not _NAME.fullmatch(name) or name in names:
            what = "twice the variable" if name in names else "as the name of a variable"
            raise source.error(field.offset, f"found {what} {short(field.text)}; accepted: {accepted}")
        names.append(name)
    return names


def _column(source: TextFile, names: list[str], variable: str | None) -> str:
    candidates = TIME_VARIABLES if variable is None else (variable,)
    for name in candidates:
        if name in names:
            return name
    problem = f"found the columns {', '.join(names)}; accepted: a time among them, {' or '.join(candidates)}"
    raise source.error(0, problem)


def tsv_term(text: str) -> str | None:
    """Return the term that a field of TSV holds, as Turtle writes it; nothing is unbound.

    >>> tsv_term("01"), tsv_term("<http://e/a>"), tsv_term("")
    ('"01"^^<http://www.w3.org/2001/XMLSchema#integer>', '<http://e/a>', None)
    """
    text = text.strip(" ")
    return unquote(text) or (canonical(text) if text else None)


def csv_records(source: TextFile) -> list[list[Field]]:
    """Return the records of a CSV text, without blank lines; raises LarsError with its place."""
    found: list[list[Field]] = []
    record: list[Field] = []
    text, at = source.text, 0
    while at < len(text) or record:
        field, at = _csv_field(source, at)
        record.append(field)
        end = _END.match(text, at)
        if end is None:
            problem = f"found {short(text[at : at + 20])} after a field; accepted: a comma, or the line's end"
            raise source.error(at, problem)
        at = end.end()
        if end[0] != ",":
            found.append(record)
            record = []
    return [record for record in found if len(record) > 1 or record[0].text.strip()]


def _csv_field(source: TextFile, at: int) -> tuple[Field, int]:
    if not source.text.startswith('"', at):
        found = _BARE.match(source.text, at)
        end = at if found is None else found.end()
        return Field(source.text[at:end], at), end
    quoted = _QUOTED.match(source.text, at)
    if quoted is None:
        problem = 'found a quoted field that does not end, the text is cut off; accepted: "..", with "" for "'
        raise source.error(at, problem)
    return Field(quoted[1].replace('""', '"'), at), quoted.end()


def tsv_records(source: TextFile) -> list[list[Field]]:
    """Return the records of a TSV text, without blank lines."""
    found = []
    for line in source.lines():
        record, offset = [], line.offset
        for text in line.text.split("\t"):
            record.append(Field(text, offset))
            offset += len(text) + 1
        found.append(record)
    return found


def check_width(source: TextFile, record: list[Field], names: list[str]) -> None:
    """Raise LarsError for a record that has more or fewer fields than there are columns."""
    if len(record) != len(names):
        last = record[min(len(record), len(names) + 1) - 1]
        cut = (
            ", the text is cut off" if not source.text[last.offset + len(last.text) :].strip('"\r\n ') else ""
        )
        problem = f"found {len(record)} fields{cut if len(record) < len(names) else ''}"
        raise source.error(last.offset, f"{problem}; accepted: {len(names)}, {', '.join(names)}")
