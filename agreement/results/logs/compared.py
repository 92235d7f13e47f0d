"""The function `compare_logs`: the differences and delays of two logs of alerts.

If the events are known, the function also finds the query semantics that predicts each log.
"""

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches
from functools import partial
from itertools import islice, product
from math import ceil, inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar, Final

from agreement.comparing.aggregates import (
    AggregateRule,
    aggregate_rules,
    common_columns,
    decimals,
    greatest,
    is_computed,
    words_among,
)
from agreement.comparing.drafts import Draft, draft, quantity_in_words
from agreement.comparing.judge.judging import AnswersVerdict
from agreement.comparing.logs import LogMatch, match_logs, missed
from agreement.comparing.matching.likeness import is_number, row_key
from agreement.documents import initial, recordings, requests
from agreement.documents.dates import Dates
from agreement.documents.options import shell_words
from agreement.documents.outputs import quantity
from agreement.documents.recordings import Recording, answer_tables
from agreement.documents.values import Period, points_of
from agreement.engines.engine import columns
from agreement.results.base.library import Listeners, offered_functions
from agreement.results.logs import reading, report
from agreement.results.logs.hints import hints, moved_times
from agreement.results.logs.limits import grouped, in_words, limits_of
from agreement.results.logs.lost import columns_of_events
from agreement.results.logs.predicting import JudgedLogs, later
from agreement.results.logs.report import LogsResult, Missed, Prediction
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, Duration, duration
from lars.errors import LarsError
from lars.files import rewrite
from lars.options import argument, option
from solver.settings import IN_ORDER, Warn, no_progress, share, unsaid
from solver.traces import SkippedLine, check_side_file
from solver.traces.input_files import bare

_LOGS: Final = 2
_WIDE: Final = 0.01
"""The relative tolerance from which a note says what it means: some users mean 0.05 as a difference."""
_MANY_EVENTS: Final = 50_000
"""The number of events from which notes name the steps of a comparison, because each step takes long."""
_Logs = tuple[Recording, Recording]
_Matched = tuple[LogMatch, str, bool]
"""The alerts of two logs, a note, and whether the alerts are matched by corrected times."""
_Tables = Sequence[tuple[str, Recording]]
"""Tables of events, each with the name of its column of times."""


@dataclass(frozen=True, slots=True)
class LogOptions:
    """The options for explaining the alerts of two logs by a query on the events."""

    HEADING: ClassVar = "Two logs of alerts"

    events: tuple[Path, ...] = option(
        (),
        "File with the log of the events that caused the alerts. Repeatable.",
        metavar="FILE",
        source="trace",
        keyword="TraceSource | Sequence[TraceSource]",
        repeated=True,
    )
    query: tuple[Path, ...] = option(
        (),
        "File with the query whose answers are the alerts. Repeatable: one query for each log. "
        "[default: lars derives a query from the columns of the logs]",
        metavar="FILE",
        source="trace",
        keyword="TextSource | Sequence[TextSource]",
        repeated=True,
    )
    period: tuple[Period, ...] = requests.periods_option(
        "Periods U to try as the time between two pulls. [default: the STEP of the query, and periods"
        " that fit the times of the alerts]"
    )
    window: tuple[Period, ...] = option(
        (),
        "Window widths W to try. For each width W and each period U, lars prints how many alerts of "
        "the first log a pulling system would miss.",
        requests.readers.lengths,
        metavar="WIDTHS",
    )
    within: Duration | None = option(
        None,
        "Maximum time between an alert of one log and an equal alert of the other log, if both count as "
        "the same alert. [default: no limit, or half of the time between two evaluations of both systems]",
        duration,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LogsRequest:
    """The arguments of `compare_logs`."""

    first: Path = argument("ALERTS", "First log of alerts: a table with a column of times.", source="trace")
    second: Path = argument("ALERTS", "Second log of alerts: a table with a column of times.", source="trace")
    logs: LogOptions
    recorded: requests.AnswersOptions
    tolerance: float = requests.tolerance_option("numbers that are not both integers")
    times: bool = option(True, "Also compare the times of the alerts.")
    fail_on_empty: bool = requests.fail_on_empty_option()
    wait: Period = requests.wait_option()
    lateness: Period | None = requests.lateness_option()
    input_options: requests.InputOptions


def _alike(mine: Sequence[str], yours: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of columns, one of each log, that have similar names.

    If each list has only one column, these two columns form a pair, whatever their names are.
    """
    if len(mine) == len(yours) == 1:
        yield mine[0], yours[0]
        return
    for name in mine:
        yield from ((name, other) for other in get_close_matches(name, yours, 1))


@offered_functions(LogsRequest)
def compare_logs(request: LogsRequest, listeners: Listeners) -> LogsResult:
    r"""Return the alerts that both logs contain, and the query semantics that predicts each log.

    >>> result = compare_logs("time,room\n2,hall\n9,hall\n", "time,room\n10,hall\n")
    >>> [(alert.first, alert.second) for alert in result.match.alerts]
    [(2000.0, None), (9000.0, 10000.0)]
    """
    paths, asked = (request.first, request.second), request.logs
    _check(request)
    rejected = request.input_options.trace.rejected
    notations: reading.Notations = {}
    skipped: reading.Skipped | None = None if request.input_options.trace.on_error == "stop" else {}
    readings = reading.own_reading((*paths, *request.logs.events), _reading(request))
    logs = _read_logs(paths, readings, (notations, skipped), listeners.note)
    variables, typed = _variables(request), request
    request, logs = _in_one_case(request, logs, variables, listeners.note)
    tables = list(_event_tables(request, readings, (notations, skipped), listeners.note))
    zero = reading.zero_of(notations)
    units = {reading.unit_of_numbers(path, notations) for path in asked.events}
    if request.input_options.trace.trace_unit is None and len(units) == 1:
        options = request.input_options.with_trace(trace_unit=next(iter(units)))
        request = replace(request, input_options=options)
    known = [name for _, table in tables for name in table.variables]
    common, lacking = _compared_columns(paths, logs, variables, known, listeners.note)
    gaps = reading.gaps(paths, logs, common, listeners.note)
    _note_width(request.tolerance, listeners.note)
    logs = reading.without_words(logs[0], gaps), reading.without_words(logs[1], gaps)
    begin = _minute(
        zero, (report.t for table in (*logs, *(events for _, events in tables)) for report in table.reports)
    )
    shown = None if zero is None else _shown(initial.in_zone_of(paths, initial.since(zero, begin)))
    first, second = (later(recordings.in_columns(log, common), -begin * initial.MINUTE) for log in logs)
    events = _events_in(common, tables)
    moved = None if events is None else later(events, -begin * initial.MINUTE)
    names, shift = _names(paths), moved_times(_names(paths), (first, second))

    tolerated = asked.within, request.tolerance
    matched = partial(_matched, (first, second), moved, *tolerated, None if shift is None else shift[0])
    predictions: report.Predictions = ((), ())
    aparts: report.Predictions = ((), ())
    text, distinction = None, _distinction(asked.query, request)
    arrivals: Sequence[str] = ()
    # No query is derived from a log without alerts, because each query without answers would predict it.
    has_alerts = [bool(log.reports) for log in (first, second)]
    if asked.events and (any(has_alerts) if asked.query else all(has_alerts)):
        since = None if zero is None else _shown(initial.since(zero, begin))
        predictions, aparts, text, different, arrivals = _explained(
            request, zero, tables, logs, (lacking, gaps), readings, listeners, (matched, since)
        )
        distinction = different or distinction
    match, note, is_shifted = matched(predictions)
    if note:
        listeners.note(note)
    if rejected is not None and skipped:
        # The reader of traces writes the invalid lines of the events.
        own = {path: lines for path, lines in skipped.items() if path in paths or not any(predictions)}
        reading.keep_lines(rejected, own, listeners.warn, more=any(predictions))
    causes = _no_alerts(names, (first, second), predictions) or hints(
        names,
        match,
        lambda tolerance: _matched((first, second), moved, asked.within, tolerance, None, predictions)[0],
        shift,
    )
    return LogsResult(
        names=names,
        match=match,
        hints=(*causes, *arrivals) if any(match.only) or not match.alerts or is_shifted else tuple(arrivals),
        _dates=Dates(shown, MILLISECOND),
        _times=request.times,
        _fails_on_empty=request.fail_on_empty,
        _distinction=distinction,
        _whole=_whole(typed, listeners),
        _events=((), {}) if moved is None else columns_of_events(tables[0][1], moved),
        missed=_missed(request, match),
        predictions=predictions,
        aparts=aparts,
        draft=text,
    )


def _no_alerts(names: tuple[str, str], logs: _Logs, predictions: report.Predictions) -> tuple[str, ...]:
    """Return a sentence about logs without alerts, if no rule predicts a log that has none."""
    numbers = [sum(len(one.rows) for one in log.reports) for log in logs]
    tried = predictions[numbers.index(0)] if 0 in numbers else ()
    if all(numbers) or any(one.fits for one in tried):
        return ()
    (empty, _), (full, number) = sorted(zip(names, numbers, strict=True), key=lambda log: log[1])
    if not number:
        return ("neither log contains an alert, so lars looks for no rule",)
    return (f"{empty} contains no alert, and {full} contains {quantity(number, 'alert')}",)


def _matched(  # noqa: PLR0913, PLR0917 - as in `match_logs`, and what the rules of the logs tell
    logs: _Logs,
    events: Recording | None,
    within: Duration | None,
    tolerance: float,
    shift: int | None,
    predictions: report.Predictions,
) -> _Matched:
    """Return the alerts of both logs, a note about their greatest difference in time, and if it is shifted.

    The alerts are matched by corrected times if this matches more alerts of logs that are `shift` ms apart.
    """
    most = inf if within is None else within.milliseconds
    match = match_logs(*logs, tolerance, most, events)
    # If all alerts are late by more than their distance, their own times would pair them with wrong alerts.
    shifted = None if shift is None else _shifted(*logs, shift, tolerance, most, events)
    if shifted is not None and len(shifted.both) > len(match.both):
        return shifted, "", True
    clock = _clock(*predictions) if all(predictions) and within is None else None
    if clock is None:
        return match, "", False
    length, why = clock
    nearer = match_logs(*logs, tolerance, length.milliseconds, events)
    note = (
        f"{why}, so alerts that are more than {length} apart are of two evaluations, and are not matched. "
        "Use --within LENGTH to change this"
    )
    return (nearer, note, False) if len(nearer.both) < len(match.both) else (match, "", False)


def _shifted(  # noqa: PLR0913, PLR0917 - as in `match_logs`, and a shift
    first: Recording, second: Recording, shift: int, tolerance: float, within: float, events: Recording | None
) -> LogMatch | None:
    """Return the alerts of two logs, matched as if the second log was earlier by `shift` ms.

    The result is None if alerts with this difference are too far apart.
    """
    if abs(shift) > within:
        return None
    match = match_logs(first, later(second, -shift), tolerance, within, events, shift)

    def moved(t: float | None) -> float | None:
        return None if t is None else round(t + shift, 6)

    alerts = (
        replace(
            alert, second=moved(alert.second), near=alert.near if alert.first is None else moved(alert.near)
        )
        for alert in match.alerts
    )
    return replace(match, alerts=tuple(sorted(alerts, key=lambda alert: alert.at)))


def _clock(*logs: Sequence[Prediction]) -> tuple[Duration, str] | None:
    """Return the greatest time between two alerts of one evaluation by the rules of two logs, and the reason.

    If both systems have a clock, this is half of the shorter period. If only one has a clock, an alert comes
    at most one period after its event. The result is None if no rule has a period, or one predicts little.
    """
    rules: list[Prediction] = []
    for tried in logs:
        departure = report.departure_of(tried)
        change = report.change_of(tried) if departure is not None else None
        own = tried[:1] if departure is None else (departure,) if change is None else change[:2]
        if not all(rule.fits or rule.close or change is not None for rule in own):
            return None
        rules += own
    known = [rule.period for rule in rules if rule.period is not None]
    if len(known) == len(rules):
        least = min(known)
        return Duration(least.nanoseconds // 2), f"both systems evaluate at every {least} or more"
    if not known:
        return None
    late = max(rule.late for rule in rules)
    most = Duration(max(known).nanoseconds + ceil(late) * MILLISECOND.nanoseconds)
    return most, f"one system evaluates at every event, and the other at least every {max(known)}"


def _whole(request: LogsRequest, listeners: Listeners) -> str:
    """Return a sentence with the command that writes all alerts of the logs of a request to a table."""
    if listeners.source_files is not None:
        return 'all alerts are in the data frame of .to_pandas("alerts")'
    # The first four words are the two logs with flags that the command line does not have.
    words = islice(shell_words(request), 4, None)
    into = ("--out", "compared", "--out-format", "csv", "--out-terms", "values")
    command = shlex.join(("lars", "compare", str(request.first), str(request.second), *words, *into))
    return f"to write all alerts to compared/alerts.csv, run: {command}"


def _query_names(queries: Sequence[Path]) -> Sequence[str]:
    names = [path.name for path in queries]
    return names if len({*names}) == len(names) else [*map(str, queries)]


def _distinction(queries: Sequence[Path], request: LogsRequest) -> str:
    """Return a text with the windows and limits by which the queries of two logs differ; empty for one."""
    if len(queries) < _LOGS:
        return ""
    options = request.input_options.fitted(queries, unsaid, request.wait, request.lateness)
    features = []
    for path in queries:
        query = requests.load_query(path, options.trace.time_point, graphs=True)
        windows = (str(source.window) for source in requests.sources(query))
        own = limits_of(query)
        features.append([*dict.fromkeys((*windows, *(in_words(query, limit) for limit in own)))])
    differing = [[one for one in mine if one not in yours] for mine, yours in (features, reversed(features))]
    if not any(differing):
        return "the windows and the limits of both queries are equal"
    names = _query_names(queries)
    told = (f"{', '.join(own) or 'no other'} in {name}" for name, own in zip(names, differing, strict=True))
    return f"the queries differ: {', and '.join(told)}"


def _variables(request: LogsRequest) -> Sequence[str]:
    """Return the variables of the queries; empty if the user gives no query."""
    queries = request.logs.query
    options = request.input_options.fitted(queries, unsaid, request.wait, request.lateness)
    read = (requests.load_query(path, options.trace.time_point, graphs=True) for path in queries)
    return tuple(dict.fromkeys(name for query in read for name in columns(query)))


def _in_one_case(
    request: LogsRequest, logs: _Logs, variables: Sequence[str], note: Warn
) -> tuple[LogsRequest, _Logs]:
    """Return the request and the logs with one name for columns that differ only in upper and lower case.

    The name is that of the variable of the query, or of the column of the first log. A column keeps its name
    if a log or the query has two such names.
    """
    forms = defaultdict[str, list[str]](list)
    for name in dict.fromkeys((*variables, *logs[0].variables, *logs[1].variables)):
        forms[name.casefold()].append(name)
    renamed: dict[str, str] = {}
    for names in forms.values():
        sides = (variables, *(log.variables for log in logs))
        if all(len({*names} & {*side}) <= 1 for side in sides):
            renamed |= dict.fromkeys(names[1:], names[0])
    if not renamed:
        return request, logs
    for name, other in renamed.items():
        note(f"the columns {name} and {other} differ only in upper and lower case, and count as one column")
    given = {column: renamed.get(name, name) for column, name in (request.recorded.rename or {}).items()}
    request = replace(request, recorded=replace(request.recorded, rename=renamed | given))
    first, second = (
        replace(log, variables=tuple(renamed.get(name, name) for name in log.variables)) for log in logs
    )
    return request, (first, second)


def _compared_columns(
    paths: tuple[Path, Path], logs: _Logs, variables: Sequence[str], known: Sequence[str], note: Warn
) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the columns that are compared, and the variables of the query that are not compared.

    Names in `known` are columns of the events. A variable is not compared if a log has no column for it, and
    no other column with its values.

    Raises:
        LarsError: The logs share no column, or another column seems to contain the values of a variable.
    """
    common = set(logs[0].variables) & set(logs[1].variables)
    if not common:
        both = "; ".join(f"{path}: {', '.join(log.variables)}" for path, log in zip(paths, logs, strict=True))
        one, other = next(_alike(logs[0].variables, logs[1].variables), ("NAME", "COLUMN"))
        renamed = _renaming(one, other, {*variables, *known})
        raise LarsError(f"the logs share no column: {both}; use --rename {renamed} to rename a column")
    asked = common & set(variables) or common
    free = [[name for name in log.variables if name not in {*common, *variables}] for log in logs]
    lacking = frozenset(variables) - asked if asked & set(variables) else frozenset[str]()
    for name in sorted(lacking):
        lacks = [n for n, log in enumerate(logs) if name not in log.variables]
        others = [log for log in logs if name in log.variables]
        if any(_has_values(logs[n], each, name, log) for n in lacks for each in free[n] for log in others):
            # The predictions then raise an error that names the option for this column.
            return tuple(sorted(asked)), frozenset()
        which = " and ".join(str(paths[n]) for n in lacks)
        note(
            f"{which}: no column has the name of the variable ?{name} of the query, so ?{name} is not "
            f"compared. Use --rename COLUMN={name} if another column contains its values"
        )
    for path, log, own in zip(paths, logs, free, strict=True):
        unasked = [name for name in log.variables if name in common - asked]
        for names, why in ((own, "the other log"), (unasked, "the query")):
            if names:
                note(f"{path}: not compared are the columns {', '.join(names)}, which {why} does not have")
    for one, two in _alike(*free):
        note(
            f"the columns {one} of {paths[0]} and {two} of {paths[1]} may mean the same; to compare them, "
            f"use --rename {_renaming(one, two, {*variables, *known})}"
        )
    return tuple(sorted(asked)), lacking


def _renaming(one: str, other: str, known: Collection[str]) -> str:
    """Return the value of --rename that gives two columns one name: a known or the first one."""
    kept, renamed = (other, one) if other in known and one not in known else (one, other)
    return f"{renamed}={kept}"


def _has_values(log: Recording, column: str, name: str, other: Recording) -> bool:
    """Return whether most values of a column of a log are values of the column `name` of the other log."""
    mine, yours = (
        {row_key(row) for report in recordings.in_columns(one, (each,)).reports for row in report.rows}
        for one, each in ((log, column), (other, name))
    )
    return 2 * len(mine & yours) > len(mine)


def _check(request: LogsRequest) -> None:
    """Raise LarsError if the user gives an option without another option that it requires."""
    logs, options = request.logs, request.input_options.trace
    if options.on_error == "skip":
        if options.rejected is None:
            raise LarsError("--on-error skip requires --rejected FILE")
        check_side_file(options.rejected, (request.first, request.second, *logs.events))
    for flag, given in (
        ("--wait", requests.has_wait(request.wait)),
        ("--lateness", request.lateness is not None),
    ):
        if given and not logs.events:
            raise LarsError(f"{flag} requires --events FILE, the log of the events, and --arrival")
    requests.check_arrival(options.arrival, request.wait, request.lateness)
    if logs.query and not logs.events:
        raise LarsError("--query requires --events FILE, the log of the events that the query reads")
    if not logs.events and (extra := logs.period):
        raise LarsError(f"--period {', '.join(map(str, extra))} requires --events FILE")
    if logs.window and not (logs.events and logs.period):
        raise LarsError("--window requires --events FILE and --period PERIODS")
    if len(logs.query) > _LOGS:
        raise LarsError(f"--query: found {len(logs.query)} queries; expected one, or one for each log")


def _missed(request: LogsRequest, match: LogMatch) -> Missed:
    """Return how many alerts of the first log a pull system would miss, by pull period and window width."""
    if not request.logs.window:
        return {}
    events = [alert.event for alert in match.alerts if alert.first is not None and alert.event is not None]
    if not events:
        problem = "no alert of the first log has the values of a row of the events"
        raise LarsError(
            f"cannot count alerts by --window: {problem}; use a log whose columns are also "
            "columns of the events"
        )
    queries, lengths_given = request.logs.query, (request.wait, request.lateness)
    # The same unit as for the predictions, which have already printed a note about it.
    unit = request.input_options.fitted(queries, unsaid, *lengths_given).trace.time_point
    for path in queries:
        query = requests.load_query(path, unit)
        if grouped(query) is not None:
            raise LarsError(
                f"{path}: cannot count alerts by --window: the query has an aggregate, so that an alert "
                "depends on several events; leave out --window, and give a query for each log to try other "
                "windows"
            )
    lengths = (
        (_duration(u, unit), _duration(w, unit)) for u, w in product(request.logs.period, request.logs.window)
    )
    return {(period, width): missed(events, period, width) for period, width in lengths}


def _duration(length: Period, unit: Duration) -> Duration:
    return length if isinstance(length, Duration) else Duration(length * unit.nanoseconds)


def _names(paths: tuple[Path, Path]) -> tuple[str, str]:
    first, second = (path.name for path in paths)
    return (first, second) if first != second else (str(paths[0]), str(paths[1]))


def _read_logs(
    paths: tuple[Path, Path],
    readings: Mapping[Path, requests.AnswersOptions],
    collected: tuple[reading.Notations, reading.Skipped | None],
    note: Warn,
) -> _Logs:
    """Return two logs; a log without alerts has the columns of the other log."""
    first, second = (reading.read_file(path, readings[path], *collected) for path in paths)
    _check_renamed(readings[paths[0]].rename or {}, first, second)
    for path, log in dict(zip(paths, (first, second), strict=True)).items():
        time = reading.column_of_times(path, log, readings[path])
        reading.note_commas(path, log, note)
        reading.note_dates(path, log, collected[0], note)
        if log.reports and time is not None and not answer_tables.time_column([time]):
            note(f"{path.name}: the times are in the column {time} (--time-variable)")
    if not first.reports:
        return replace(first, variables=second.variables), second
    return first, second if second.reports else replace(second, variables=first.variables)


def _check_renamed(renamed: Mapping[str, str], *logs: Recording) -> None:
    for column, variable in renamed.items():
        if not any(variable in log.variables for log in logs):
            raise LarsError(
                f"--rename {column}={variable}: no log has the column {column}; --rename changes names of "
                "columns of alerts, not of events"
            )


def _minute(zero: str | None, times: Iterable[float]) -> int:
    """Return the last whole minute before all times, in ms since the dateTime `zero`.

    The result is 0 if `zero` is None, because times are numbers.
    """
    return 0 if zero is None else initial.minute_before(times)


def _shown(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _reading(request: LogsRequest) -> requests.AnswersOptions:
    """Return the options for reading logs before the dateTime of time 0 is known."""
    return replace(request.recorded, unit=request.input_options.trace.time_point, ordered=False)


def _skips(request: LogsRequest) -> list[SkippedLine] | None:
    """Return a list for the invalid lines of a log that was read before; None if they are errors."""
    return None if request.input_options.trace.on_error == "stop" else []


def _explained(  # noqa: PLR0913, PLR0915, PLR0917 - what is asked, and what was read
    request: LogsRequest,
    zero: str | None,
    tables: _Tables,
    logs: _Logs,
    columns_of_logs: tuple[frozenset[str], frozenset[str]],
    readings: Mapping[Path, requests.AnswersOptions],
    listeners: Listeners,
    matching: tuple[Callable[[report.Predictions], _Matched], str | None],
) -> tuple[report.Predictions, report.Predictions, str | None, str, Sequence[str]]:
    """Return the predictions of both logs, of both apart from lost alerts, and the drafted queries or None.

    The result also contains a text about how the numbers of the logs differ, and sentences about times of
    arrival with which a rule predicts a log. The argument `columns_of_logs` contains the variables without a
    column, and the columns with gaps. The argument `matching` contains the function that matches the alerts,
    and the dateTime of time 0 of its times.
    """
    lacking, gaps = columns_of_logs
    logs = reading.without_gaps(logs[0], gaps), reading.without_gaps(logs[1], gaps)
    asked, names = request.logs, _names((request.first, request.second))
    options = _timed(request.input_options, zero, [table for _, table in tables], logs)
    with TemporaryDirectory(prefix="lars-") as folder:
        text, queries, different = None, asked.query, ""
        size = sum(len(report.rows) for _, table in tables for report in table.reports)
        # With many events, the next steps take long and show no progress, so notes name them.
        long = listeners.note if size > _MANY_EVENTS else unsaid
        if not queries:
            long(f"lars compares the alerts with aggregates of {quantity(size, 'event')}")
        rules = _rules(options, tables, logs, is_pulled=bool(asked.period))
        if not queries:
            drafts = _drafted(names, asked.events, options, tables, logs, rules)
            for message in () if rules else _aggregates(logs, tables):
                listeners.note(message)
            text = "\n".join(draft for draft, _, _ in drafts)
            for column in dict.fromkeys(rule.quantity[1] for rule in rules if rule.quantity[1]):
                if words := words_among(tables[0][1], column):
                    # A column with texts is read as texts, and not as numbers that a query can compare.
                    options = options.with_trace(null=(*options.trace.null, *words))
                    listeners.note(
                        f"the column {column} of the events has numbers, but for {', '.join(words)}, which "
                        f"counts as no value, as with {' '.join(f'--null {word}' for word in words)}"
                    )
            queries = tuple(Path(folder) / f"{number}.rq" for number in range(len(drafts)))
            if len(drafts) == _LOGS:
                told = (f"{quantity_in_words(rule)} in {log}" for rule, log in zip(rules, names, strict=True))
                what = (
                    f"the numbers in the column {rules[0].variable} are"
                    if rules[0].variable
                    else "alerts depend on"
                )
                different = f"{what} {', and '.join(told)}"
            for query, (draft, prefixes, templates) in zip(queries, drafts, strict=True):
                rewrite(query, draft)
                columns_of = {**(options.trace.column or {}), **templates}
                options = replace(options, around=replace(options.around, prefix=prefixes))
                options = options.with_trace(column=columns_of)
        lengths = tuple(dict.fromkeys(length for rule in rules for length in rule.lengths))
        roundings = _roundings(request, names, logs, tables, listeners.note)
        named = [f"for {log}" for log in names] if text else _query_names(queries)
        named = [""] if len(queries) < _LOGS else named
        notes: list[str] = []

        def judges(arrival: str | None, note: Warn) -> Sequence[JudgedLogs]:
            arrived = options.with_trace(arrival=arrival)
            return [
                replace(
                    _judged(request, query, arrived, note),
                    lacking=lacking,
                    name=name,
                    lengths=lengths,
                    gaps=gaps,
                )
                for query, name in zip(queries, named, strict=True)
            ]

        def of_logs(judged: Sequence[JudgedLogs]) -> Sequence[JudgedLogs]:
            own = (judged[min(n, len(judged) - 1)] for n in range(_LOGS))
            times = [readings[log].time_variable for log in (request.first, request.second)]
            verdicts: list[dict[Hashable, AnswersVerdict]] = [{}, {}]
            if len(judged) == 1 and times[0] == times[1] and _are_copies(request.first, request.second):
                verdicts[1] = verdicts[0]
            return [
                replace(one, reading=replace(one.reading, time_variable=given), rounding=half, verdicts=known)
                for one, given, half, known in zip(own, times, roundings, verdicts, strict=True)
            ]

        def predicted(judge: JudgedLogs, n: int, likely: str = "") -> tuple[Prediction, ...]:
            warn, log = unsaid if n else listeners.warn, (request.first, request.second)[n]
            progress = share(listeners.progress, n, n + 1, _LOGS)
            long(f"lars compares {names[n]} with the answers of the query at the times of several rules")
            return judge.predictions(log, warn, progress, likely)

        judged = of_logs(judges(options.trace.arrival, notes.append))
        for note in dict.fromkeys(notes):
            listeners.note(note)
        first = predicted(judged[0], 0)
        second = predicted(judged[1], 1, first[0].name if first[0].fits else "")
        # One rule for both logs is more likely than two, so the rule of the second log is tried on the first.
        is_chance = (first[0].changed and not second[0].changed) or not (first[0].fits or first[0].close)
        if second[0].fits and is_chance:
            first = predicted(judged[0], 0, second[0].name)
        predictions, (matched, since) = (first, second), matching
        likely = [tried[0].name if tried[0].fits else "" for tried in reversed(predictions)]
        aparts: list[tuple[Prediction, ...]] = [(), ()]
        unruled = [n for n, tried in enumerate(predictions) if not report.is_explained(tried)]
        match = matched(predictions)[0] if unruled else None
        apart = 0.0 if match is None else match.shift
        losses = ((), ()) if match is None else report.losses_in(predictions, match)
        for n, shift in product(unruled, dict.fromkeys((0.0, apart))):
            for own in dict.fromkeys(((), tuple(losses[n]))):
                if (own or shift) and not (aparts[n] and aparts[n][0].fits):
                    verdicts = {} if shift else judged[n].verdicts
                    moved = shift if n == 0 else -shift
                    judge = replace(judged[n], losses=own, zero=since, shift=moved, verdicts=verdicts)
                    log = (request.first, request.second)[n]
                    aparts[n] = judge.predictions(log, unsaid, no_progress, likely[n])
        departing = [n for n, tried in enumerate((first, second)) if not tried[0].fits]
        arrivals: list[str] = []
        if departing and options.trace.arrival is None and size <= _MANY_EVENTS:
            for arrival in _arrivals(tables, is_sorted=not judged[0].trace.options.sort):
                late = of_logs(judges(arrival, unsaid))
                best = {n: predicted(late[n], n)[0] for n in departing}
                arrivals += [
                    f"with --arrival {arrival}, the times of arrival of the events, the rule "
                    f'"{rule.name}" predicts all alerts of {names[n]}'
                    for n, rule in best.items()
                    if rule.fits
                ]
        return predictions, (aparts[0], aparts[1]), text, different, arrivals


def _are_copies(first: Path, second: Path) -> bool:
    """Return whether two logs are the same file, or equal files of one format."""
    return first.suffix == second.suffix and first.read_bytes() == second.read_bytes()


def _arrivals(tables: _Tables, *, is_sorted: bool) -> Sequence[str]:
    """Return values of --arrival that the events allow: columns of times that are never before their rows.

    If no such column exists, and the rows are not in the order of their times, their order may be that of
    their arrival.
    """
    if len(tables) != 1:
        return ()
    ((_, table),) = tables
    every = [(report.t, row) for report in table.reports for row in report.rows]
    columns = zip(*(row for _, row in every), strict=True)
    found = [
        name
        for name, cells in zip(table.variables, columns, strict=True)
        if reading.are_after([t for t, _ in every], cells)
    ]
    return found or ([] if is_sorted else [IN_ORDER])


def _note_width(tolerance: float, note: Warn) -> None:
    if tolerance >= _WIDE:
        note(
            f"--tolerance {tolerance:g} is relative: numbers that differ by up to {100 * tolerance:g} % "
            "count as equal"
        )


def _roundings(
    request: LogsRequest, names: tuple[str, str], logs: _Logs, tables: _Tables, note: Warn
) -> tuple[float, float]:
    """Return, for each log, half of the last digit of its computed numbers; 0 if the user gives a tolerance.

    Systems often write computed numbers, such as means, with few decimal places; lars computes them exactly.
    """
    halves = [0.0, 0.0]
    if request.tolerance != requests.TOLERANCE or not tables:
        return 0.0, 0.0
    computed = [
        name for name in common_columns(logs) if all(is_computed(name, table, logs) for _, table in tables)
    ]
    for name in computed:
        for n, log in enumerate(logs):
            half = 0.5 * 10.0 ** -decimals(log, name)
            exact = (decimals(log, other) for other in common_columns(logs) if other not in computed)
            # The rounding applies to all columns, and would hide differences in columns of finer numbers.
            is_too_wide = any(places > 0 and half >= 10.0**-places for places in exact)
            if is_too_wide or not log.reports or half <= request.tolerance * greatest(log, name):
                continue
            halves[n] = max(halves[n], half)
            note(
                f"{names[n]}: the numbers in the column {name} have at most "
                f"{quantity(decimals(log, name), 'decimal place')}, so numbers of predicted alerts count as "
                f"equal up to a difference of {half:g}. Use --tolerance NUMBER, a relative difference such "
                "as 0.001 for 0.1 %, to change this"
            )
    return halves[0], halves[1]


def _judged(request: LogsRequest, query: Path, options: requests.InputOptions, note: Warn) -> JudgedLogs:
    """Return the data for predicting logs of alerts: a query, and the events on which it is evaluated."""
    asked = request.logs
    options = options.fitted([query], note, request.wait, request.lateness)
    options = initial.initial(query.parent, (query, *asked.events), options, as_text=True).mapped(note)
    trace = options.trace_input(asked.events)
    how = replace(_reading(request), unit=options.trace.time_point, skipped=_skips(request))
    periods, unit = () if asked.window else asked.period, options.trace.time_point
    lateness = None if request.lateness is None else points_of(request.lateness, unit)
    late = points_of(request.wait, unit), lateness
    return JudgedLogs(query, trace, unit, how, periods, request.tolerance, *late)


def _events_in(names: Sequence[str], tables: _Tables) -> Recording | None:
    """Return the only table of events if it has these columns (ignoring case), otherwise None."""
    if len(tables) != 1:
        return None
    ((_, table),) = tables
    known = {name.casefold(): name for name in table.variables}
    own = [known.get(name.casefold()) for name in names]
    if None in own:
        return None
    return replace(recordings.in_columns(table, tuple(map(str, own))), variables=tuple(names))


def _event_tables(
    request: LogsRequest,
    readings: Mapping[Path, requests.AnswersOptions],
    collected: tuple[reading.Notations, reading.Skipped | None],
    note: Warn,
) -> Iterator[tuple[str, Recording]]:
    """Yield the logs of events that are tables with a time column, each with the name of this column."""
    options = request.input_options
    for path in request.logs.events:
        if not (names := initial.header(path)):
            continue
        given = readings[path].time_variable
        time = next(iter(given), None) or _mapped_time(options) or answer_tables.time_column(names)
        own = requests.AnswersOptions(
            answers_unit=options.trace.trace_unit,
            time_variable=() if time is None else (time,),
            unit=options.trace.time_point,
            ordered=False,
            other_times=() if options.trace.arrival is None else (options.trace.arrival,),
        )
        try:
            table = reading.read_file(path, own, *collected)
        except LarsError:
            if time is None and request.logs.query:
                continue  # a column that only the trace can name
            raise
        if (time := reading.column_of_times(path, table, own)) is not None:
            reading.note_commas(path, table, note)
            yield time, table


def _mapped_time(options: requests.InputOptions) -> str | None:
    """Return the column that --column maps to the times of the events, if it maps one."""
    template = (options.trace.column or {}).get("t")
    return template[1:-1] if isinstance(template, str) and re.fullmatch(r"{[^{}]+}", template) else None


def _timed(
    options: requests.InputOptions, zero: str | None, tables: Sequence[Recording], logs: _Logs
) -> requests.InputOptions:
    """Return options with a time unit that divides the times of events, and with a whole minute as time 0.

    Time 0 is the last whole minute before all times. The function changes nothing if times are numbers, and
    keeps a unit or a time 0 that the user gives.
    """
    times = [report.t for table in tables for report in table.reports]
    if zero is None or not times:
        return options
    if options.trace.unit is None:
        options = options.with_trace(unit=initial.fitting_unit(times))
    if options.trace.origin is None:
        alerts = (report.t for log in logs for report in log.reports)
        options = options.with_trace(origin=initial.since(zero, initial.minute_before([*times, *alerts])))
    return options


def _aggregates(logs: _Logs, tables: _Tables) -> Iterator[str]:
    """Yield a note for each column of numbers in the alerts, most of which no event contains.

    These numbers can be values of an aggregate, which a drafted query does not have.
    """
    known = {
        row_key((term,))
        for _, table in tables
        for report in table.reports
        for row in report.rows
        for term in row
    }
    for name in sorted(set(logs[0].variables) & set(logs[1].variables)):
        own = (recordings.in_columns(log, (name,)) for log in logs)
        keys = {row_key(row) for log in own for report in log.reports for row in report.rows}
        numbers = [key for key in keys if all(map(is_number, key))]
        if len(numbers) == len(keys) and 2 * len(keys - known) > len(keys):
            yield (
                f"most numbers in the column {name} of the alerts are in no event, so the alerts may contain "
                "an aggregate. No AVG, COUNT, MAX, MIN or SUM over a usual window has these numbers, so use "
                f"--query FILE with ?{name}"
            )


def _rules(
    options: requests.InputOptions, tables: _Tables, logs: _Logs, *, is_pulled: bool
) -> Sequence[AggregateRule]:
    """Return the rules of the logs with an aggregate, if any, and if the events are one table."""
    if len(tables) != 1:
        return ()
    ((time, table),) = tables
    rules = aggregate_rules(table, logs, time, options.trace.time_point)
    if not is_pulled:
        return rules
    # A query with [NOW] is evaluated by arrivals, which contradicts the periods that the user gives.
    pulled = [replace(rule, is_triggered=False) for rule in rules]
    return [pulled[0] if rule == pulled[0] else rule for rule in pulled]


def _drafted(  # noqa: PLR0913, PLR0917 - what is read, and what it is called
    names: tuple[str, str],
    events: Sequence[Path],
    options: requests.InputOptions,
    tables: _Tables,
    logs: _Logs,
    rules: Sequence[AggregateRule],
) -> Sequence[Draft]:
    """Return a drafted query for each different rule of the logs; without a rule, one for both logs."""
    if len(events) > 1 or options.trace.column:
        given = "--column" if options.trace.column else "several files of --events"
        raise LarsError(
            f"{given}: a query can be drafted only from the columns of one file; use --query FILE"
        )
    if not tables:
        raise LarsError(
            f"{events[0]}: cannot draft a query: not a table with a column of times; use --query FILE"
        )
    ((time, table),) = tables
    name = re.sub(r"\W+", "_", bare(events[0]).stem, flags=re.ASCII)
    unit = options.trace.time_point
    different = rules if rules and rules[0] is not rules[1] else (rules[:1] or (None,))
    return [draft(table, logs, rule, names=names, name=name, time=time, unit=unit) for rule in different]
