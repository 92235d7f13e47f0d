"""Draft a query that could produce given alerts from given events; users edit the draft."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil, isfinite
from statistics import median_low
from typing import Final

from agreement.comparing.aggregates import NAME, USUAL, AggregateRule, common_columns, shared_columns
from agreement.comparing.matching.likeness import Key, row_key
from agreement.comparing.matching.numbers import Number
from agreement.documents.initial import EACH_ROW, EXAMPLE
from agreement.documents.recordings import SLACK, Recording, in_columns
from lars.durations import Duration
from lars.errors import LarsError

_NEAR: Final = 0.05
"""The tolerance for rounding the greatest delay of alerts, as a share of the usual duration."""
_WORDS: Final = {"AVG": "mean", "MAX": "maximum", "MIN": "minimum", "SUM": "sum"}
_REMOVE: Final = (
    "# If alerts depend on other columns of the events, remove # from lines below and correct the numbers.",
    "# The first line of a column is about the event of the alert, the second line about another event.",
)
_FIRST: Final = (
    "# This query is derived from the columns of the alerts and events. Edit it, and use it with --query."
)
_Times = Mapping[Key, Sequence[float]]

Draft = tuple[str, Mapping[str, str], Mapping[str, str]]
"""A CQELS query, its prefixes, and the columns that convert the table of events to its triples."""


def draft(  # noqa: PLR0913 - two tables, and what the query calls them
    events: Recording,
    alerts: Sequence[Recording],
    rule: AggregateRule | None,
    *,
    names: Sequence[str],
    name: str,
    time: str,
    unit: Duration,
) -> Draft:
    """Return a draft query whose answers have the columns that all alerts and the events share.

    The draft is a CQELS query. If the alerts follow a rule with an aggregate, this is the query of the rule.
    Otherwise, the window of the query is about as long as the greatest delay between an alert and its event.
    The event of an alert is the latest event with the same values. The filter of the query uses the first
    column whose numbers separate events with an alert from all other events.

    Args:
        events: The table of events.
        alerts: One or more logs of alerts.
        rule: The rule of the alerts with an aggregate, if it is known.
        names: The names of the logs, which comments of the query contain.
        name: The name of the stream in the query.
        time: The time column of the events.
        unit: The time unit; the length of the window is a multiple of it.

    Raises:
        LarsError: Alerts and events have no common column.
    """
    prefix, iri = EXAMPLE
    if rule is not None:
        _, column, only = rule.quantity
        read = dict.fromkeys((*rule.groups.values(), column or events.variables[0], *(only or ())[:1]))
        cells = {f"{prefix}:{column}": f"{{{column}}}" for column in read}
        names = [" ".join(name.split()) for name in names]  # a comment ends with its line
        lines = _FIRST, *_aggregated(rule, events, names, f"STREAM {prefix}:{name}")
        return "\n".join(lines) + "\n", {prefix: iri}, {"t": f"{{{time}}}", "s": EACH_ROW, **cells}
    columns = _shared_columns(events, alerts)
    repeated = _times(alerts, tuple(columns))
    every = _times([events], tuple(columns.values()))
    age = _greatest_age(every, repeated)
    length = window_length(age, unit)
    taken = {*events.variables, *columns}
    event = _fresh("event", taken)
    pattern = f"?{event} " + " ; ".join(
        f"{prefix}:{column} ?{variable}" for variable, column in columns.items()
    )
    stream = f"  STREAM {prefix}:{name} [RANGE {length}] {{"
    parts = tuple(_conditions(events, columns, (time, *columns.values()), event))
    lines = (
        _FIRST,
        f"# An alert comes at most {age / 1000:g}s after its event.",
        *(_REMOVE if parts else ()),
        f"PREFIX {prefix}: <{iri}>",
        f"SELECT {' '.join(f'?{variable}' for variable in columns)} WHERE {{",
        *((stream, f"    {pattern} .", *parts, "  }") if parts else (f"{stream} {pattern} }}",)),
        *_filter(tuple(columns), set(every) & set(repeated), set(every) - set(repeated)),
        "}",
    )
    cells = {f"{prefix}:{column}": f"{{{column}}}" for column in columns.values()}
    return "\n".join(lines) + "\n", {prefix: iri}, {"t": f"{{{time}}}", "s": EACH_ROW, **cells}


def _aggregated(rule: AggregateRule, events: Recording, names: Sequence[str], stream: str) -> Iterator[str]:
    """Yield the lines of the query of a rule with an aggregate; `names` are the names of the logs."""
    prefix, iri = EXAMPLE
    (function, column, only), groups = rule.quantity, " ".join(f"?{variable}" for variable in rule.groups)
    taken = {*rule.groups, *([rule.variable] if rule.variable else [])}
    event, trigger = _fresh("event", taken), _fresh("trigger", taken)
    number = _fresh(column, taken) if column else event
    value = f"{function}(?{number})"
    same = [f"{prefix}:{own} ?{variable}" for variable, own in rule.groups.items()]
    if only is not None:
        same.append(f"{prefix}:{only[0]} {only[1]}")
    read = [f"{prefix}:{column} ?{number}"] if column else []
    if not same and not read:
        read = [f"{prefix}:{events.variables[0]} ?{_fresh('value', taken)}"]
    if rule.variable:
        fitting = f"{rule.fitting} of the {rule.looked} alerts of {names[rule.valued]} that lars looked at"
        yield f"# In {fitting}, {rule.variable} is {quantity_in_words(rule).rstrip(',')}."
    else:
        # Terms and names of columns keep their case.
        what = quantity_in_words(rule)
        parts = "most evaluations" if rule.against else "the evaluations"
        yield f"# {what[0].upper()}{what[1:]} separates {parts} with and without an alert."
    yield f"PREFIX {prefix}: <{iri}>"
    selected = f"({value} AS ?{rule.variable})" if rule.variable else ""
    yield f"SELECT {' '.join(filter(None, (groups, selected)))} WHERE {{"
    if rule.is_triggered:
        yield f"  {stream} [NOW] {{ ?{trigger} {' ; '.join(same)} }}  # only events of a group evaluate it"
    yield f"  {stream} [RANGE {rule.lengths[0]}] {{ ?{event} {' ; '.join((*same, *read))} }}"
    yield "}"
    if groups:
        yield f"GROUP BY {groups}"
    if rule.limit is not None:
        symbol, limit = rule.limit
        wrong = f"wrong at {rule.against} of {rule.evaluations} evaluations of {names[rule.limited]}"
        yield f"HAVING ({value} {symbol} {limit})  # {wrong}"


def quantity_in_words(rule: AggregateRule) -> str:
    """Return a text such as "the mean of bar in the last 5m"."""
    function, column, only = rule.quantity
    what = f"the {_WORDS[function]} of {column}" if column else "the number of events"
    where = f" with {only[0]} {only[1]}" if only else ""
    when = ", at events of the group," if rule.is_triggered else ""
    return f"{what} in the last {rule.lengths[0]}{where}{when}"


def _shared_columns(events: Recording, alerts: Sequence[Recording]) -> Mapping[str, str]:
    """Map each column that all alerts and the events share to the column's name in the events.

    Raises:
        LarsError: Alerts and events have no common column.
    """
    columns = shared_columns(events, alerts)
    if not columns:
        names = ", ".join(common_columns(alerts)) or "no column", ", ".join(events.variables)
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

    The length is a usual duration, such as 10s, near the delay. Otherwise it is a multiple of a usual
    duration which is a little longer than the delay. If no multiple is near, the length is the delay, rounded
    up to whole time units.
    """
    usual = [length for length in USUAL if length.nanoseconds % unit.nanoseconds == 0]
    # A system that pulls each minute has windows of whole minutes, such as 3m for a delay of 179s.
    whole = (Duration(max(ceil(age / each.milliseconds), 1) * each.nanoseconds) for each in usual)
    near = (one for one in (*usual, *whole) if abs(one.milliseconds - age) <= _NEAR * one.milliseconds)
    # Arrivals at the evaluation time are in each window.
    points = max(ceil(age / unit.milliseconds - SLACK), 1)
    return next(near, Duration(points * unit.nanoseconds))


def _numbers(events: Recording, column: str) -> Sequence[Number]:
    """Return the different numbers of a column of the events; empty if another value is not a number."""
    reports = in_columns(events, (column,)).reports
    values = {part for report in reports for row in report.rows for part in row_key(row)} - {None}
    numbers = {part for part in values if isinstance(part, Number) and isfinite(part)}
    return sorted(numbers) if len(numbers) == len(values) else ()


def _conditions(
    events: Recording, columns: Mapping[str, str], known: Sequence[str], event: str
) -> Iterator[str]:
    """Yield commented lines of a query: conditions on the columns of numbers in the events, except `known`.

    For each column, a condition is about the event of the alert. Another condition is about an event of its
    own, with the same values in the columns of the alerts that are not numbers.
    """
    prefix, _ = EXAMPLE
    kept = {variable: column for variable, column in columns.items() if not _numbers(events, column)}
    same = "".join(f"{prefix}:{column} ?{variable} ; " for variable, column in kept.items())
    taken = {*events.variables, *columns, event}
    for column in events.variables:
        if column not in known and NAME.fullmatch(column) and (numbers := _numbers(events, column)):
            other = _fresh("event", taken)
            value = _fresh(column, taken)
            own = column if column not in columns else value
            limit = median_low(numbers)
            yield f"    # ?{event} {prefix}:{column} ?{own} . FILTER (?{own} > {limit})"
            yield f"    # ?{other} {same}{prefix}:{column} ?{value} . FILTER (?{value} > {limit})"


def _fresh(name: str, taken: set[str]) -> str:
    """Return a name that is not taken, with a number if necessary, and add this name to the taken names."""
    names = (name, *(f"{name}{n}" for n in range(2, len(taken) + 3)))
    found = next(one for one in names if one not in taken)
    taken.add(found)
    return found


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
