"""Reports as `lars solve --as` prints them: for a reader, one JSON object a line, or as a stream."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import floor
from typing import Any

from agreement.outputs import binding, short_row
from agreement.recordings.recording import Report, Row
from lars.terms import Iri, Variable


@dataclass(frozen=True, slots=True)
class Reported:
    """Reports in the order of their times; `milliseconds` is the length of a time point."""

    variables: tuple[Variable, ...]
    reports: tuple[Report, ...]
    milliseconds: float
    stream: Iri | None


def lines(found: Reported, warn: Callable[[str], None], *, as_json: bool) -> Iterator[str]:
    """Return the reports as a trace of their stream if they are to be one, else as JSON or text."""
    if found.stream is not None:
        return stream_lines(found, warn)
    return json_lines(found) if as_json else text_lines(found)


def json_lines(found: Reported) -> Iterator[str]:
    """Yield an object a line for each report.

    `t` is its time point; where it comes between two of them, `t` is the one before, and `ms` its
    time in milliseconds.
    """
    for report in found.reports:
        rows = [binding(found.variables, row) for row in report.rows]
        yield json.dumps(_time(report.t, found.milliseconds) | {"rows": rows})


def _time(t: float, milliseconds: float) -> dict[str, Any]:
    nearest = round(t / milliseconds)
    if nearest * milliseconds == t:
        return {"t": nearest}
    return {"t": floor(t / milliseconds), "ms": int(t) if t == int(t) else t}


def text_lines(found: Reported) -> Iterator[str]:
    """Yield the reports for a reader, `-` for an empty one; times are time points and their fractions."""
    yield f"t: ({', '.join(f'?{variable.name}' for variable in found.variables)})"
    for report in found.reports:
        yield f"{report.t / found.milliseconds:.12g}: {' '.join(map(short_row, report.rows)) or '-'}"


def stream_lines(found: Reported, warn: Callable[[str], None]) -> Iterator[str]:
    """Yield the triples that are reported as timed N-Quads; integers count time points."""
    labels = Counter(label for report in found.reports for row in report.rows for label in _blank(row))
    if any(count > 1 for count in labels.values()):
        warn("blank nodes stand in several triples; in N-Quads each line is an element with its own ones")
    for report in found.reports:
        t = round(report.t / found.milliseconds)
        for row in report.rows:
            yield f'{" ".join(text or "" for text in row)} {found.stream} "{t}" .'


def _blank(row: Row) -> set[str]:
    return {text for text in row if text is not None and text.startswith("_:")}
