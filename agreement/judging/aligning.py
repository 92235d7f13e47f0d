"""A recording's rows in the columns of a query's answers."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agreement.engines.contents import columns
from agreement.recordings.recording import Recording, Report, Row
from lars.terms import XSD
from translate.query import EngineQuery, Form

ANSWER: Final = "Answer"
"""The column in which engines report whether an ASK is true."""
# Where a format loses the kind of a term, a boolean is a text or a number.
_KINDS: Final = ("", f"^^<{XSD}boolean>", f"^^<{XSD}integer>")
_TRUE: Final = frozenset(f'"{text}"{kind}' for text in ("true", "1") for kind in _KINDS)
_FALSE: Final = frozenset(f'"{text}"{kind}' for text in ("false", "0") for kind in _KINDS)


def aligned(recording: Recording, names: Sequence[str], query: EngineQuery) -> Recording:
    """Return the recording with rows of these columns, then whatever else it has of values.

    A column that the recording lacks is unbound there. The rows of an ASK become () where it is
    true, and none where it is false, as the query's answers are.
    """
    if query.form is Form.ASK and recording.variables == (ANSWER,):
        return replace(recording, variables=(), reports=tuple(map(_asked, recording.reports)))
    places = {name: place for place, name in enumerate(recording.variables)}
    wanted = [places.get(name) for name in named(recording, names)]
    reports = tuple(
        replace(report, rows=tuple(_row(row, wanted, len(names)) for row in report.rows))
        for report in recording.reports
    )
    return replace(recording, variables=tuple(names), reports=reports)


def oddities(recording: Recording, query: EngineQuery) -> Iterator[str]:
    """Yield what makes a recording unlike any answer of the query: no reports, or other columns."""
    if not recording.reports:
        yield "the answers have no report"
    if query.form is Form.ASK or not any(report.rows for report in recording.reports):
        return
    asked = columns(query)
    more = [name for name in recording.variables if name not in asked]
    # A column that is nowhere bound can be absent from all rows.
    for name in asked:
        if more and name not in recording.variables:
            yield f"the answers have no column {name}, which the query answers"
    for name in more:
        yield f"the answers have the column {name}, which the query does not"


def named(recording: Recording, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns of a recording that is aligned, and of what else it has."""
    return (*names, *(name for name in recording.variables if name not in names))


def _row(row: Row, wanted: Sequence[int | None], width: int) -> Row:
    terms = [None if place is None else row[place] for place in wanted]
    # Unbound beyond the columns says nothing; a value there is more than the query answers.
    return tuple(terms if any(term is not None for term in terms[width:]) else terms[:width])


def _asked(report: Report) -> Report:
    true = [row for row in report.rows if row[0] in _TRUE]
    odd = [row for row in report.rows if row[0] not in _TRUE | _FALSE]
    return replace(report, rows=(*[() for _ in true], *odd))
