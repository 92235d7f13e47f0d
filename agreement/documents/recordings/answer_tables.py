"""Answers in a table: a column of times, the others variables; terms as in N-Triples, values, or texts."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from agreement.documents.recordings.json_answers import TIME_VARIABLES
from agreement.documents.recordings.recording import (
    Answers,
    TimedRow,
    as_lexical,
    group_reports,
    of_text,
    recording_of,
)
from agreement.documents.recordings.value_types import AnswerTimes
from lars.errors import LarsError
from solver.rdf import NotATerm, canonical, read_term
from solver.traces.formats.arrow_files import plain_table
from solver.traces.formats.mapped_tables import cells_of_table

ACCEPTED_TABLE: Final = "a table with a column of times (t, time, timestamp) and one for each variable"
_TERMS: Final = ("<", '"', "_:")


def read_answer_table(path: Path, times: AnswerTimes, variable: str | None) -> Answers:
    """Return rows of one time that follow each other as a report; raises LarsError with the row.

    Columns that begin with ? are the variables where there are such. Texts that are no terms are lexical
    forms, and then all terms are compared by these.
    """
    cells = cells_of_table(str(path), plain_table(str(path), path))
    time = _time(path, list(cells), variable)
    named = [name for name in cells if name.startswith("?")] or [name for name in cells if name != time]
    exact = {name: _terms(cells[name][1]) for name in named}
    lexical = any(
        term is None and text
        for name in named
        for term, text in zip(exact[name], cells[name][1], strict=True)
    )
    if lexical:
        exact = {name: _texts(exact[name], cells[name][1]) for name in named}
    variables = [name.lstrip("?") for name in named]
    rows = zip(*(exact[name] for name in named), strict=True) if named else [()] * len(cells[time][1])
    timed = _timed(path, times, cells[time], [dict(zip(variables, row, strict=True)) for row in rows])
    return Answers(recording_of(variables, group_reports(timed)), lexical, rows_only=True)


def _time(path: Path, names: Sequence[str], variable: str | None) -> str:
    candidates = TIME_VARIABLES if variable is None else (variable,)
    for name in candidates:
        if name in names:
            return name
    found = f"found the columns {', '.join(names)}"
    raise LarsError(f"{path}: {found}; accepted: a time among them, {' or '.join(candidates)}")


def _terms(texts: Sequence[str | None]) -> list[str | None]:
    """Return the terms that cells write exactly, None for the others."""
    known: dict[str, str | None] = {}
    return [None if text is None else known.setdefault(text, _term(text)) for text in texts]


def _term(text: str) -> str | None:
    try:
        return canonical(text) if text.startswith(_TERMS) else None
    except NotATerm:
        return None


def _texts(terms: Sequence[str | None], texts: Sequence[str | None]) -> list[str | None]:
    """Return lexical forms in the place of terms."""
    return [
        None if text is None else of_text(text) if term is None else as_lexical(term)
        for term, text in zip(terms, texts, strict=True)
    ]


def _timed(
    path: Path,
    times: AnswerTimes,
    written: tuple[bool, list[str | None]],
    rows: Sequence[Mapping[str, str | None]],
) -> Iterator[TimedRow]:
    is_text, texts = written
    before = 0.0
    for number, (text, row) in enumerate(zip(texts, rows, strict=True), 1):
        try:
            lexical = text if is_text or text is None else str(getattr(read_term(text), "lexical", text))
            before = times.forwards(times.read(lexical or ""), before)
        except LarsError as error:
            raise LarsError(f"{path}: row {number}: {error}") from None
        yield before, row
