"""Draft a query that could produce given alerts from given events; users edit the draft."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Final

from agreement.comparing.matching.likeness import Key, row_key
from agreement.comparing.matching.numbers import Number
from agreement.documents.initial import EACH_ROW, EXAMPLE
from agreement.documents.recordings import SLACK, Recording, in_columns
from lars.durations import SECOND, Duration
from lars.errors import LarsError

_NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
USUAL: Final = tuple(
    Duration(n * SECOND.nanoseconds) for n in (3600, 1800, 900, 600, 300, 120, 60, 30, 20, 15, 10, 5, 2, 1)
)
"""Durations that people often choose for windows: from one hour down to one second."""
_NEAR: Final = 0.05
"""The tolerance for rounding the greatest delay of alerts, as a share of the usual duration."""
_Times = Mapping[Key, Sequence[float]]


Draft = tuple[str, Mapping[str, str], Mapping[str, str]]
"""A CQELS query, its prefixes, and the columns that convert the table of events to its triples."""


def draft(events: Recording, alerts: Sequence[Recording], *, name: str, time: str, unit: Duration) -> Draft:
    """Return a draft query whose answers have the columns that all alerts and the events share.

    The draft is a CQELS query. The window of the query is about as long as the greatest delay between an
    alert and its event. The event of an alert is the latest event with the same values. The filter of the
    query uses the first column whose numbers separate events with an alert from all other events.

    Args:
        events: The table of events.
        alerts: One or more logs of alerts.
        name: The name of the stream in the query.
        time: The time column of the events.
        unit: The time unit; the length of the window is a multiple of it.

    Raises:
        LarsError: Alerts and events have no common column.
    """
    columns = shared_columns(events, alerts)
    repeated = _times(alerts, tuple(columns))
    every = _times([events], tuple(columns.values()))
    age = _greatest_age(every, repeated)
    length = window_length(age, unit)
    prefix, iri = EXAMPLE
    patterns = " ; ".join(f"{prefix}:{column} ?{variable}" for variable, column in columns.items())
    lines = (
        (
            "# This query is derived from the columns of the alerts and events. Edit it, and use it "
            "with --query."
        ),
        f"# An alert comes at most {age / 1000:g}s after its event.",
        *(
            f"# If alerts depend on the {column} of events, add: ; {prefix}:{column} ?{column} "
            f"FILTER (?{column} > ...)"
            for column in _other_numbers(events, (time, *columns.values()))
        ),
        f"PREFIX {prefix}: <{iri}>",
        f"SELECT {' '.join(f'?{variable}' for variable in columns)} WHERE {{",
        f"  STREAM {prefix}:{name} [RANGE {length}] {{ ?event {patterns} }}",
        *_filter(tuple(columns), set(every) & set(repeated), set(every) - set(repeated)),
        "}",
    )
    cells = {f"{prefix}:{column}": f"{{{column}}}" for column in columns.values()}
    return "\n".join(lines) + "\n", {prefix: iri}, {"t": f"{{{time}}}", "s": EACH_ROW, **cells}


def shared_columns(events: Recording, alerts: Sequence[Recording]) -> Mapping[str, str]:
    """Map each column that all alerts and the events share to the column's name in the events.

    A column of the alerts matches a column of the events without regard to upper and lower case. All logs of
    alerts must write the column in the same case.

    Raises:
        LarsError: Alerts and events have no common column.
    """
    known = {column.casefold(): column for column in events.variables if _NAME.fullmatch(column)}
    common = sorted(set.intersection(*(set(log.variables) for log in alerts)))
    columns = {
        column: known[column.casefold()]
        for column in common
        if column.casefold() in known and _NAME.fullmatch(column)
    }
    if not columns:
        names = ", ".join(common) or "no column", ", ".join(events.variables)
        problem = "alerts and events share no column: the alerts have {}, the events {}".format(*names)
        raise LarsError(f"cannot derive a query from the columns: {problem}; use --query FILE")
    return columns


def _times(logs: Iterable[Recording], columns: tuple[str, ...]) -> _Times:
    """Map the comparison key of each row to the times in ms at which one of the logs contains the row."""
    times: defaultdict[Key, list[float]] = defaultdict(list)
    for log in logs:
        for report in in_columns(log, columns).reports:
            for row in report.rows:
                times[row_key(row)].append(report.t)
    return times


def _greatest_age(events: _Times, alerts: _Times) -> float:
    """Return the greatest delay in ms between an alert and the latest event with the same values.

    Alerts without an earlier event with the same values are ignored.
    """
    ages = (
        min((alert - t for t in events.get(key, ()) if t <= alert + SLACK), default=0.0)
        for key, times in alerts.items()
        for alert in times
    )
    return max(ages, default=0.0)


def window_length(age: float, unit: Duration) -> Duration:
    """Return the length of a window, given the greatest delay `age` in ms between an event and its alert.

    The length is a usual duration, such as 10s, near the delay. If no usual duration is near, the length is
    the delay, rounded up to whole time units.
    """
    usual = (length for length in USUAL if length.nanoseconds % unit.nanoseconds == 0)
    near = (length for length in usual if abs(length.milliseconds - age) <= _NEAR * length.milliseconds)
    # Arrivals at the evaluation time are in each window.
    points = max(ceil(age / unit.milliseconds - SLACK), 1)
    return next(near, Duration(points * unit.nanoseconds))


def _other_numbers(events: Recording, known: Sequence[str]) -> Iterator[str]:
    """Yield the columns of numbers in the events, except the known columns."""
    for column in events.variables:
        if column not in known and _NAME.fullmatch(column):
            reports = in_columns(events, (column,)).reports
            values = {part for report in reports for row in report.rows for part in row_key(row)}
            if values - {None} and all(part is None or isinstance(part, Number) for part in values):
                yield column


def _filter(columns: Sequence[str], repeated: Iterable[Key], others: Iterable[Key]) -> Iterator[str]:
    for place, column in enumerate(columns):
        inside, outside = ([key[place] for key in keys] for keys in (repeated, others))
        numbers = [part for part in inside if isinstance(part, Number)]
        rest = [part for part in outside if isinstance(part, Number)]
        if not rest or not numbers or (len(numbers), len(rest)) != (len(inside), len(outside)):
            continue
        if min(numbers) > max(rest):
            yield (
                f"  FILTER (?{column} >= {min(numbers)})  # values of events without an alert: at most "
                f"{max(rest)}"
            )
            return
        if max(numbers) < min(rest):
            yield (
                f"  FILTER (?{column} <= {max(numbers)})  # values of events without an alert: at "
                f"least {min(rest)}"
            )
            return
