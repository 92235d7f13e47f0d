"""Order a recording's columns as in the query, and warn if it may be a recording of another query.

The warnings are about the reports, the columns and the times of the recording. The query is not evaluated.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agreement.documents import recordings
from agreement.documents.outputs import plain
from agreement.engines import specifications
from agreement.engines.engine import columns
from lars.errors import LarsError
from lars.language.terms import XSD
from solver.facts import Row
from solver.traces import read_time, show
from translate.model.query import EngineQuery

_BOOLEAN: Final = f"^^<{XSD}boolean>"
# In formats without the kinds of terms, a boolean is read as a text or as a number.
_KINDS: Final = ("", _BOOLEAN, f"^^<{XSD}integer>")
TRUE: Final = frozenset(f'"{text}"{kind}' for text in ("true", "1") for kind in _KINDS)
BOOLEANS: Final = TRUE | {f'"{text}"{kind}' for text in ("false", "0") for kind in _KINDS}
"""The texts that mean true or false in a recorded answer of an ASK query."""
TYPED_BOOLEANS: Final = frozenset(text for text in BOOLEANS if text.endswith(_BOOLEAN))
"""The texts that mean true or false, with the datatype xsd:boolean."""


def align(recording: recordings.Recording, names: Sequence[str], query: EngineQuery) -> recordings.Recording:
    """Return the recording with its columns in the order `names`, followed by its other columns.

    Variables without a column are unbound in all rows. For an ASK query, a report of true is replaced by one
    row without columns, and a report of false by a report without rows.
    """
    if query.form == "ASK" and recording.variables == (recordings.ANSWER,):
        return replace(recording, variables=(), reports=tuple(map(_in_asked_columns, recording.reports)))
    places = {name: place for place, name in enumerate(recording.variables)}
    places_of_names = [places.get(name) for name in column_names(recording, names)]
    if places_of_names == list(range(len(names))) == list(range(len(recording.variables))):
        return replace(recording, variables=tuple(names))
    reports = tuple(
        replace(report, rows=tuple(_row(row, places_of_names, len(names)) for row in report.rows))
        for report in recording.reports
    )
    return replace(recording, variables=tuple(names), reports=reports)


def recorded_for(task: specifications.Task, recording: recordings.Recording) -> recordings.Recording:
    """Return a recording with its columns in the order of the task's query, and with numbered rows."""
    return recordings.number_rows(align(recording, columns(task.query), task.query), task.numbers)


def check_columns(
    recording: recordings.Recording, query: EngineQuery, renamed: Mapping[str, str], place: str
) -> None:
    """Raise LarsError if the answers lack a `renamed` column, or have no column for a variable of the query.

    The name of the file of the answers is `place`.
    """
    names = columns(query)
    for column, variable in renamed.items():
        if recording.variables and variable not in recording.variables:
            raise LarsError(
                f"--rename {column}={variable}: {place} has no column {column}; found "
                f"{', '.join(recording.variables)}"
            )
    if query.form == "ASK" or not names or not recording.variables or {*names} & {*recording.variables}:
        return
    found = ", ".join(recording.variables)
    raise LarsError(
        f"{place}: no column has the name of a variable of the query; found {found}; "
        f"use {', '.join(names)} as the names of columns, or --rename {recording.variables[0]}={names[0]}"
    )


def oddities(recording: recordings.Recording, query: EngineQuery, *, correct: bool) -> Iterator[str]:
    """Yield warnings if a recording has no reports, or if its columns are not the variables of the query.

    If `correct` is true (the recording is correct), a missing column gives no warning, because the variable
    can be unbound in all rows.
    """
    if not recording.reports:
        yield "the answers contain no report"
    if query.form == "ASK" or not any(report.rows for report in recording.reports):
        return
    names = columns(query)
    more = [name for name in recording.variables if name not in names]
    # If a variable is unbound in all rows, correct answers may have no column for it.
    for name in names:
        if (more or not correct) and name not in recording.variables:
            yield f"the answers contain no column {name}, but the query returns this variable"
    for name in more:
        yield f"the answers contain the column {name}, but the query does not return this variable"


def beyond(recording: recordings.Recording, task: specifications.Task) -> Iterator[str]:
    """Yield a warning if most reports are later than the trace, or if all reports are earlier."""
    times = sorted(report.t / task.unit.milliseconds for report in recording.reports)
    if not times or not task.elements:
        return
    first, last = task.elements[0].t, task.elements[-1].t
    text = f"(in units of {task.unit})"
    says = "Check the units of times: --answers-unit for the answers, --trace-unit for the trace"
    origin = read_time(task.run.origin)
    since_1970 = origin.value / task.unit.nanoseconds
    if since_1970 and first <= times[0] - since_1970 <= task.until + 1:
        says = (
            f"The numbers seem to count from 1970, but time 0 is {show(origin)}; use dateTimes as the times "
            "of the answers"
        )
    if times[len(times) // 2] > task.until + 1:
        yield f"the last answer is at {plain(times[-1])} {text}, but the trace ends at {last}. {says}"
    elif times[-1] < first:
        yield f"the last answer is at {plain(times[-1])} {text}, but the trace begins at {first}. {says}"


def column_names(recording: recordings.Recording, names: Sequence[str]) -> tuple[str, ...]:
    """Return the given column names, followed by the names of the recording's other columns."""
    return (*names, *(name for name in recording.variables if name not in names))


def _row(row: Row, places: Sequence[int | None], width: int) -> Row:
    terms = [None if place is None else row[place] for place in places]
    # A row with a value in an extra column keeps this value, so that it differs from each expected row.
    return tuple(terms if any(term is not None for term in terms[width:]) else terms[:width])


def _in_asked_columns(report: recordings.Report) -> recordings.Report:
    true = [row for row in report.rows if row[0] in TRUE]
    odd = [row for row in report.rows if row[0] not in BOOLEANS]
    return replace(report, rows=(*[() for _ in true], *odd))
