"""JSON files of answers whose rows are SPARQL 1.1 bindings.

The first format is SPARQL 1.1 JSON results with a time, as one document or as one document per line. The
other formats are CSRBench's relations, and the output of `lars solve --json` for a query.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Final, Generic, TypeVar

from pydantic import Field

from agreement.documents import placed
from agreement.documents.recordings import answer_times, recording, term_entries
from agreement.documents.requests import AnswersOptions
from lars.durations import MILLISECOND
from lars.errors import LarsError
from lars.files import TextFile, TextLine
from lars.language.terms import Literal
from solver.rdf import read_term

TIME_VARIABLES: Final = ("t", "time", "timestamp")
ACCEPTED_SPARQL_JSON: Final = (
    'SPARQL 1.1 JSON results, {"head": {"vars": [..]}, "results": {"bindings": [..]}}, with a time '
    "in each row or next to head"
)
ACCEPTED_CSRBENCH: Final = (
    'CSRBench JSON, {"relations": [{"head": {"vars": [..]}, "timestamp": 1000, '
    '"results": {"bindings": [{"binding": {..}}]}}]}'
)
ACCEPTED_SOLVED: Final = 'lines {"t": 5, "rows": [..]} as lars solve --json prints for a query'

_Rows = list[dict[str, str | None]]
_Report = tuple[float, _Rows]
_Entry = TypeVar("_Entry")


class _Head(term_entries.RecordingPart):
    vars: list[str] = Field(default_factory=list)


class _Results(term_entries.RecordingPart, Generic[_Entry]):
    bindings: list[_Entry]


class _File(term_entries.RecordingPart):
    head: _Head
    results: _Results[term_entries.SolutionEntry] | None = None
    boolean: bool | None = None


class _Binding(term_entries.RecordingPart):
    binding: term_entries.SolutionEntry


class _Relation(term_entries.RecordingPart):
    head: _Head
    timestamp: term_entries.Finite
    results: _Results[_Binding]


class _Relations(term_entries.RecordingPart):
    relations: list[_Relation]


class _Solved(term_entries.RecordingPart):
    t: term_entries.Index
    rows: list[term_entries.SolutionEntry]
    ms: term_entries.Finite | None = None
    origin: str | None = None

    def milliseconds(self, options: AnswersOptions) -> float:
        number: float = self.t
        if self.ms is not None:
            number, options = self.ms, replace(options, answers_unit=MILLISECOND)
        return answer_times.time_of_number(number + answer_times.moved_by(self.origin, options), options)


def read_sparql_json(source: TextFile, options: AnswersOptions) -> recording.Recording:
    """Return the reports in SPARQL 1.1 JSON results: consecutive rows with equal times form one report.

    The column `time_variable` contains the time. By default, the column with the time is the first column
    with the name t, time or timestamp. A key with the name of this column, next to `head`, may also contain
    the time. If a document has a time next to `head`, the document is one report: rows, no rows, or a
    boolean. The boolean true is read as the row (), which has no columns. Raises LarsError with the place of
    an error.
    """
    lines = source.lines()
    if one_a_line(lines):
        documents = [placed.json_of_line(line, ACCEPTED_SPARQL_JSON) for line in lines]
    else:
        documents = [placed.json_of(source, ACCEPTED_SPARQL_JSON)]
    variables: list[str] = []
    reports: list[_Report] = []
    for document in documents:
        names, reports_read = _read(document, options, reports[-1][0] if reports else 0.0)
        variables += names
        reports += reports_read
    return replace(recording.recording_of(variables, reports), rows_only=not one_a_line(lines))


def one_a_line(lines: Sequence[TextLine]) -> bool:
    """Return whether each line is a JSON object, judging by the first two lines."""
    first, *others = [line.text.strip() for line in lines[:2]] or [""]
    if not others or first[0] != "{":
        return False
    if others[0][0] == "{":
        return first[-1] not in "{[,:"
    # The second line may be invalid.
    with suppress(ValueError, RecursionError):
        return isinstance(json.loads(first), dict)
    return False


def time_variables(chosen: Sequence[str]) -> Sequence[str]:
    """Return the possible names of the variable with the time, without ?; `chosen` are the user's names."""
    return tuple(name.removeprefix("?") for name in chosen) or TIME_VARIABLES


def _read(
    document: placed.PlacedData, options: AnswersOptions, before: float
) -> tuple[list[str], list[_Report]]:
    content = placed.check_data(_File, document)
    candidates = time_variables(options.time_variable)
    own = next((name for name in candidates if name in document.content), None)
    if content.results is None and content.boolean is None:
        raise document.error((), f"found neither results nor boolean; expected {ACCEPTED_SPARQL_JSON}")
    if own is not None:
        rows = [] if content.results is None else list(_rows(document, content))
        if content.boolean:
            rows.append({})
        return content.head.vars, [(time_at(document, (own,), document.content[own], options, before), rows)]
    column = next((name for name in candidates if name in content.head.vars), None)
    if column is None:
        text = f"found the variables {', '.join(content.head.vars) or 'none'}"
        accepted = f"a variable {' or '.join(candidates)} with the time, or a key of this name next to head"
        raise document.error(("head",), f"{text}; expected {accepted}")
    return _by_column(document, content, column, options, before)


def _rows(document: placed.PlacedData, content: _File) -> Iterator[dict[str, str | None]]:
    bindings = () if content.results is None else content.results.bindings
    for number, solution in enumerate(bindings):
        term_entries.check_named(document, ("results", "bindings", number), solution, content.head.vars)
        yield term_entries.row_of(solution)


def time_at(
    document: placed.PlacedData, path: placed.KeyPath, value: object, options: AnswersOptions, before: float
) -> float:
    """Return a time in a document, in milliseconds; `before` is the previous time.

    Raises:
        LarsError: The value is no time, or times must not decrease and the time precedes the previous time.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        raise document.error(
            path, f"found {placed.shown_json(value)}; expected a time, a number or a dateTime"
        )
    read = partial(answer_times.time_of_text, str(value), options)
    return _placed_time(document, path, options, before, read)


def _placed_time(
    document: placed.PlacedData,
    path: placed.KeyPath,
    options: AnswersOptions,
    before: float,
    read: Callable[[], float],
) -> float:
    """Return the time at a place in a document; raises LarsError if it is earlier than the previous time."""
    try:
        return answer_times.forwards(read(), before, options)
    except LarsError as error:
        raise document.error(path, str(error)) from None


def _by_column(
    document: placed.PlacedData, content: _File, column: str, options: AnswersOptions, before: float
) -> tuple[list[str], list[_Report]]:
    result = []
    for number, row in enumerate(_rows(document, content)):
        read = partial(read_time_term, row.pop(column, None), column, options)
        before = _placed_time(document, ("results", "bindings", number, column), options, before, read)
        result.append((before, row))
    reports = [(t, [dict(row) for row in rows]) for t, rows in recording.group_reports(result)]
    return [name for name in content.head.vars if name != column], reports


def read_time_term(term: str | None, column: str, options: AnswersOptions) -> float:
    """Return the time, in milliseconds, of an RDF term; raises LarsError for an invalid time."""
    match None if term is None else read_term(term):
        case Literal(lexical):
            return answer_times.time_of_text(lexical, options)
        case _:
            problem = f"found {term or 'no time'} in the column {column}"
            raise LarsError(f"{problem}; expected a literal with a time")


def read_csrbench(source: TextFile, options: AnswersOptions) -> recording.Recording:
    """Return CSRBench's relations as reports; the times of single bindings are ignored.

    The times of successive relations may be equal, but must not decrease. Raises LarsError with the place of
    an error.
    """
    document = placed.json_of(source, ACCEPTED_CSRBENCH)
    content = placed.check_data(_Relations, document)
    reports, before = [], 0.0
    for number, relation in enumerate(content.relations):
        path = ("relations", number)
        read = partial(answer_times.time_of_number, relation.timestamp, options)
        before = _placed_time(document, (*path, "timestamp"), options, before, read)
        for place, entry in enumerate(relation.results.bindings):
            at = (*path, "results", "bindings", place, "binding")
            term_entries.check_named(document, at, entry.binding, relation.head.vars)
        reports.append((before, [term_entries.row_of(entry.binding) for entry in relation.results.bindings]))
    variables = (name for relation in content.relations for name in relation.head.vars)
    return recording.recording_of(variables, reports)


def read_solved(source: TextFile, options: AnswersOptions) -> recording.Recording:
    """Return each line of the output of `lars solve --json` as a report.

    Raises LarsError with the place of an error.
    """
    reports, before = [], 0.0
    for line in source.lines():
        document = placed.json_of_line(line, ACCEPTED_SOLVED)
        content = placed.check_data(_Solved, document)
        path = ("t",) if content.ms is None else ("ms",)
        before = _placed_time(document, path, options, before, partial(content.milliseconds, options))
        reports.append((before, [term_entries.row_of(row) for row in content.rows]))
    if not reports:
        raise source.error(0, f"the file is empty; expected {ACCEPTED_SOLVED}")
    return recording.recording_of(recording.names_of(row for _, rows in reports for row in rows), reports)
