"""What a file of answers holds, once it is read: the recording, and what its format leaves out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from agreement.recordings.lexical import as_lexical
from agreement.recordings.recording import Recording, Report


@dataclass(frozen=True, slots=True)
class Answers:
    """A recording; `lexical` where its format does not tell the kinds of terms.

    Then its terms are those of `lexical.of_text`, and what is compared with them goes through
    `lexical.as_lexical` first. `rows_only` where it has no way to say that an answer was empty.
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
