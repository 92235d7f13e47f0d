"""A recording's rows in the columns of a query's answers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agreement.recordings.recording import Recording, Report, Row
from lars.terms import XSD
from translate.query import EngineQuery, Form

ANSWER: Final = "Answer"
"""The column in which engines report whether an ASK is true."""
_TRUE: Final = frozenset(f'"{text}"^^<{XSD}boolean>' for text in ("true", "1"))
_FALSE: Final = frozenset(f'"{text}"^^<{XSD}boolean>' for text in ("false", "0"))


def aligned(recording: Recording, columns: Sequence[str], query: EngineQuery) -> Recording:
    """Return the recording with rows of these columns, then whatever else it has of values.

    A column that the recording lacks is unbound there. The rows of an ASK become () where it is
    true, and none where it is false, as the query's answers are.
    """
    if query.form is Form.ASK and recording.variables == (ANSWER,):
        return replace(recording, variables=(), reports=tuple(map(_asked, recording.reports)))
    places = {name: place for place, name in enumerate(recording.variables)}
    others = [name for name in recording.variables if name not in columns]
    wanted = [places.get(name) for name in (*columns, *others)]
    reports = tuple(
        replace(report, rows=tuple(_row(row, wanted, len(columns)) for row in report.rows))
        for report in recording.reports
    )
    return replace(recording, variables=tuple(columns), reports=reports)


def _row(row: Row, wanted: Sequence[int | None], width: int) -> Row:
    terms = [None if place is None else row[place] for place in wanted]
    # Unbound beyond the columns says nothing; a value there is more than the query answers.
    return tuple(terms if any(term is not None for term in terms[width:]) else terms[:width])


def _asked(report: Report) -> Report:
    true = [row for row in report.rows if row[0] in _TRUE]
    odd = [row for row in report.rows if row[0] not in _TRUE | _FALSE]
    return replace(report, rows=(*[() for _ in true], *odd))
