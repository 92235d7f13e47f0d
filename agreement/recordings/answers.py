"""What a file of answers holds, once it is read: the recording, and what its format leaves out."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from agreement.recordings.recording import Recording, Report
from lars.terms import XSD, Blank, Iri, Literal
from solver.rdf import read_term

_NUMBERS: Final = (
    (re.compile(r"[+-]?[0-9]+"), "integer"),
    (re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+)"), "decimal"),
    (re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+"), "double"),
)
_BLANK = re.compile(r"_:[A-Za-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Answers:
    """A recording; `lexical` where its format does not tell the kinds of terms.

    Then its terms are those of `of_text`, and what is compared with them goes through `as_lexical`
    first: `30` may have been a number, a string or part of an IRI. `rows_only` where it has no way to
    say that an answer was empty.
    """

    recording: Recording
    lexical: bool = False
    rows_only: bool = False


TimedRow = tuple[float, Mapping[str, str | None]]
"""A row with the time of its report; a variable that is left out is unbound."""


def recording_of(
    variables: Iterable[str], reports: Iterable[tuple[float, Iterable[Mapping[str, str | None]]]]
) -> Recording:
    """Return the recording of reports with their times in milliseconds."""
    names = tuple(sorted(set(variables)))
    found = (Report(t, tuple(tuple(map(row.get, names)) for row in rows)) for t, rows in reports)
    return Recording(names, tuple(found))


def names_of(rows: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Return the names that rows have, sorted."""
    return tuple(sorted({name for row in rows for name in row}))


def grouped(rows: Iterable[TimedRow]) -> list[tuple[float, list[Mapping[str, str | None]]]]:
    """Return rows that follow each other at one time as one report."""
    found: list[tuple[float, list[Mapping[str, str | None]]]] = []
    for t, row in rows:
        if not found or found[-1][0] != t:
            found.append((t, []))
        found[-1][1].append(row)
    return found


def made_lexical(recording: Recording) -> Recording:
    """Return a recording with the kinds of its terms left out."""
    reports = (
        replace(report, rows=tuple(tuple(map(as_lexical, row)) for row in report.rows))
        for report in recording.reports
    )
    return replace(recording, reports=tuple(reports))


def of_text(text: str) -> str | None:
    """Return the term that a text of unknown kind stands for.

    What looks like a number is one, by its value, `_:b` is a blank node, nothing is unbound, and
    everything else is a plain literal.

    >>> of_text("90."), of_text("http://e/a"), of_text("_:b0"), of_text("")
    ('"90."^^<http://www.w3.org/2001/XMLSchema#decimal>', '"http://e/a"', '_:b0', None)
    """
    if not text or _BLANK.fullmatch(text):
        return text or None
    for pattern, name in _NUMBERS:
        if pattern.fullmatch(text):
            return str(Literal(text, XSD + name))
    return str(Literal(text))


def as_lexical(term: str | None) -> str | None:
    """Return what is left of a term, a canonical text, when its kind is not recorded.

    >>> as_lexical('"30"'), as_lexical("<http://e/a>")
    ('"30"^^<http://www.w3.org/2001/XMLSchema#integer>', '"http://e/a"')
    """
    if term is None:
        return None
    match read_term(term):
        case Iri(value):
            return of_text(value)
        case Literal(lexical):
            return of_text(lexical)
        case Blank():
            return term
