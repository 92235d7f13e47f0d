"""Find alerts that a log lacks together: all alerts of a group, such as a sensor, or of a stretch of time.

A rule that predicts the other alerts of the log explains it apart from these (`judged_apart`).
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, groupby, pairwise
from math import inf
from typing import Final, Literal, TypeVar

from agreement.comparing.judge import Judgement, Verdict, best_first
from agreement.comparing.logs import AlertMatch, LogMatch
from agreement.comparing.matching.likeness import Key, is_number, row_key
from agreement.comparing.matching.numbers import Number, double
from agreement.comparing.matching.places import ReportMatch, odd_rows
from agreement.documents import outputs
from agreement.documents.dates import Dates
from agreement.documents.recordings import Recording
from solver.facts import Row

ColumnPlaces = tuple[int, ...]
"""The places of columns in a row; the values in these columns together name a group."""
GroupColumns = Mapping[ColumnPlaces, Literal["texts", "numbers", "events"]]
"""The columns whose values can name a group, with the kind of their values.

Numbers can be equal by chance. If a column is one of the events only, the values are those of the event.
"""
EventColumns = tuple[tuple[str, ...], Mapping[tuple[Key, float], Row]]
"""Names of columns that only the events have, and their values by the values and the time of an event."""
LostGroup = tuple[ColumnPlaces, Collection[Key], Sequence[AlertMatch], float]
"""Alerts that a log lacks: columns, their values, the alerts, and the first time in ms (-inf: all)."""
LostTogether = tuple[tuple[str, ...], Row, float, float]
"""Alerts that a log lacks together: names of columns, their values, and two times in ms.

The times are the first and the last one of the lost alerts; -inf and inf if the log has no such alert before
and after them. Without names, all alerts between the times are lost.
"""
_Cell = TypeVar("_Cell")
_NAMED: Final = 4
_FEWEST: Final = 3
"""The least number of alerts of a group, or of a stretch of time, that are named as lost together."""
_CHANCE: Final = 1e-6
"""The greatest probability of a named loss of a group, if its alerts are lost as often as the others."""
_NEARLY: Final = 0.98
"""The least share of the lost alerts that stretches of time at an end, or of a group, must have."""


def columns_of_events(events: Recording, known: Recording) -> EventColumns:
    """Return the columns of texts of events that alerts do not have, such as the line of a machine.

    Args:
        events: The events with all their columns.
        known: The same events with the columns of the alerts, and with the times of the alerts.
    """
    cells = [*zip(*(row for report in events.reports for row in report.rows), strict=True)]
    shared = {name.casefold() for name in known.variables}
    places = [
        place
        for place, (name, own) in enumerate(zip(events.variables, cells, strict=bool(cells)))
        if name.casefold() not in shared and not any(map(is_number, row_key(tuple({*own}))))
    ]
    found = defaultdict[tuple[Key, float], set[Row]](set)
    for report, own_report in zip(events.reports, known.reports, strict=True):
        for row, own_row in zip(report.rows, own_report.rows, strict=True):
            found[row_key(own_row), own_report.t].add(_at(row, places))
    # If two events with the same values at one time differ in these columns, the alert has no unique event.
    rows = {event: next(iter(own)) for event, own in found.items() if len(own) == 1}
    return tuple(f"the event's {events.variables[place]}" for place in places), rows


def with_columns_of_events(match: LogMatch, events: EventColumns) -> LogMatch:
    """Return a match whose rows also have the values of their event in some columns of events."""
    names, rows = events
    none = (None,) * len(names)
    alerts = (
        replace(
            alert,
            row=(
                *alert.row,
                *(none if alert.event is None else rows.get((row_key(alert.row), alert.event), none)),
            ),
        )
        for alert in match.alerts
    )
    return LogMatch((*match.variables, *names), tuple(alerts)) if names else match


def group_columns(match: LogMatch, grouped: Collection[str] | None, events: EventColumns) -> GroupColumns:
    """Return the columns whose values can name a group, such as a sensor, alone or with one of the events.

    Measured numbers are no groups: numbers that the query computes, and numbers with decimal places.

    Args:
        match: The alerts of both logs.
        grouped: The variables of GROUP BY if the query has an aggregate, otherwise None.
        events: The columns of the events, which are the last ones of the alerts in `match`.
    """
    own, others = (match.variables[: -len(events[0]) or None], events[0])
    keys = [row_key(alert.row) for alert in match.alerts]
    found: dict[ColumnPlaces, Literal["texts", "numbers", "events"]] = {}
    for place, name in enumerate(own):
        numbers = [part for key in keys if isinstance(part := key[place], Number)]
        is_group = grouped is not None and name in grouped
        is_measured = grouped is not None or any(not double(number).is_integer() for number in numbers)
        if is_group or not numbers or not is_measured:
            found[place,] = "numbers" if numbers and not is_group else "texts"
    places = range(len(own), len(own) + len(others))
    groups = [one for one, kind in found.items() if kind == "texts"]
    return found | {(*group, place): "events" for group in ((), *groups) for place in places}


def lost_groups(
    n: int, match: LogMatch, lost: Sequence[AlertMatch], columns: GroupColumns
) -> Sequence[LostGroup]:
    """Return the groups of which log `n` lacks all alerts, or all from a time on.

    A group is the alerts with one value in one of the columns. Groups that lack all alerts count if they have
    at least half of the lost alerts; numbers, which measured values repeat by chance, only if few have all
    of them. Other groups count if their loss is no chance.
    """
    found, left = list[LostGroup](), lost
    every = [alert for alert in match.alerts if (alert.first, alert.second)[1 - n] is not None]
    for places, kind in columns.items():
        if kind == "events":
            continue
        is_chance = kind == "numbers"
        alerts = Counter(_key(alert, places) for alert in match.alerts)
        counts = Counter(_key(alert, places) for alert in left)
        values = {v: None for v, count in counts.items() if count >= _FEWEST and count == alerts[v]}
        part = [alert for alert in left if _key(alert, places) in values]
        others = any(_key(alert, places) not in values for alert in every)
        if is_chance and len(values) > _NAMED:
            continue
        if part and others and len(part) >= len(left) / (1 if is_chance else 2):
            found.append((places, values, part, -inf))
            left = [alert for alert in left if _key(alert, places) not in values]
    gone = {id(alert) for _, _, part, _ in found for alert in part}
    rest = replace(match, alerts=tuple(alert for alert in match.alerts if id(alert) not in gone))
    unlikely = [
        group
        for places, kind in columns.items()
        if kind != "numbers"
        for group in _unlikely(n, places, rest, {id(alert) for alert in left})
    ]
    for group in sorted(unlikely, key=lambda group: -len(group[2])):
        own = {id(alert) for alert in group[2]}
        if own & gone:  # The same alerts can be a group in two ways, such as the only sensor of a line.
            continue
        gone |= own
        same = [k for k, one in enumerate(found) if one[0] == group[0] and one[3] == group[3] == -inf]
        if same:
            places, known, before, _ = found[same[0]]
            found[same[0]] = places, [*known, *group[1]], [*before, *group[2]], -inf
        elif len(found) < _NAMED:
            found.append(group)
    return sorted(found, key=lambda group: group[3])


def _key(alert: AlertMatch, places: ColumnPlaces) -> Key:
    return _at(row_key(alert.row), places)


def _at(cells: Sequence[_Cell], places: Sequence[int]) -> tuple[_Cell, ...]:
    return tuple(cells[place] for place in places)


def _unlikely(n: int, places: ColumnPlaces, match: LogMatch, lost: Collection[int]) -> Iterator[LostGroup]:
    """Yield groups whose last alerts, or all, log `n` lacks, if the alerts of other groups are lost less.

    Another limit loses successive alerts of a group together, so that a run of them counts as one loss.
    """
    every = sorted(match.alerts, key=lambda alert: (time_in(1 - n, alert), id(alert) not in lost))
    of_value = defaultdict[Key, list[AlertMatch]](list)
    for alert in every:
        of_value[_key(alert, places)].append(alert)
    runs = {
        value: [[*run] for is_lost, run in groupby(own, lambda alert: id(alert) in lost) if is_lost]
        for value, own in of_value.items()
    }
    times = [time_in(1 - n, alert) for alert in every]
    totals = [0, *accumulate(id(alert) in lost for alert in every)]
    number = sum(map(len, runs.values()))
    for value, own in of_value.items():
        if None in value:
            continue
        tail = runs[value][-1] if id(own[-1]) in lost else []
        if len({alert.at for alert in tail}) < _FEWEST or len(of_value) == 1:
            continue
        of_group = sum(map(len, runs[value]))
        since = bisect_left(times, time_in(1 - n, tail[0]))
        # The share of lost alerts of other groups, in the whole log and in the time of this loss; the 1 and
        # the 2 keep a share between 0 and 1 if there are few other alerts (rule of succession).
        shares = (
            (totals[-1] - of_group + 1) / (len(every) - len(own) + 2),
            (totals[-1] - totals[since] - len(tail) + 1) / (len(every) - since - len(tail) + 2),
        )
        length = (totals[-1] - of_group) / max(number - len(runs[value]), 1)
        if max(shares) ** (len(tail) / max(length, 1)) < _CHANCE:
            yield places, (value,), tail, -inf if len(tail) == len(own) else tail[0].at


def _silences(
    n: int, match: LogMatch, lost: Sequence[AlertMatch], columns: GroupColumns
) -> Sequence[tuple[ColumnPlaces, Sequence[AlertMatch]]]:
    """Return stretches of time in which log `n` lacks all alerts, or those with the values in some columns.

    A stretch has nearly all lost alerts. Between two alerts of the log, half of the lost alerts are enough.
    """
    most = max(_FEWEST, _NEARLY * len(lost))
    known = {id(alert) for alert in lost}
    whole = _stretch(n, match.alerts, known)
    if len(whole) >= most:
        return [((), whole)]
    # Columns of numbers come last, because measured numbers can be equal by chance.
    are_numbers = {
        places: any(is_number(part) for alert in match.alerts for part in _key(alert, places))
        for places, kind in columns.items()
        if kind != "events"
    }
    for places in sorted(are_numbers, key=lambda places: (are_numbers[places], places)):
        of_value = defaultdict[Key, list[AlertMatch]](list)
        for alert in match.alerts:
            of_value[_key(alert, places)].append(alert)
        values = dict.fromkeys(_key(alert, places) for alert in lost)
        found = [part for value in values if (part := _stretch(n, of_value[value], known))]
        if sum(map(len, found)) >= most and len(found) <= (1 if are_numbers[places] else _NAMED):
            return [(places, part) for part in found]
    times = [t for t, _ in match.sides[n]]
    is_inside = whole and min(times, default=inf) < whole[0].at and whole[-1].at < max(times, default=-inf)
    return [((), whole)] if is_inside and len(whole) >= len(lost) / 2 else []


def _stretch(n: int, alerts: Sequence[AlertMatch], lost: Collection[int]) -> Sequence[AlertMatch]:
    """Return most of the successive lost alerts, by their ids, in `alerts`; empty if they have few times."""
    runs: list[list[AlertMatch]] = [[]]
    for _, group in groupby(sorted(alerts, key=partial(time_in, 1 - n)), partial(time_in, 1 - n)):
        own = [*group]
        if all(id(alert) in lost for alert in own):
            runs[-1] += own
        else:
            runs.append([])
    best = max(runs, key=len)
    return best if len({alert.at for alert in best}) >= _FEWEST else ()


def time_in(n: int, alert: AlertMatch) -> float:
    """Return the time of an alert in log `n`, or in the other log if log `n` lacks it."""
    t = (alert.first, alert.second)[n]
    return alert.at if t is None else t


def losses_of(
    n: int, match: LogMatch, groups: Sequence[LostGroup], columns: GroupColumns
) -> Sequence[LostTogether]:
    """Return the lost groups of log `n`, and the stretches of time in which it lacks other alerts."""
    rest, left = _others(n, match, groups)
    found = [
        (places, [alert for alert in part if _key(alert, places) == value])
        for places, values, part, _ in groups
        for value in values
    ]
    losses = list[LostTogether]()
    for places, part in (*found, *_silences(n, rest, left, columns)):
        key, row = _key(part[0], places), part[0].row
        times = [time_in(1 - n, alert) for alert in match.alerts if _key(alert, places) == key]
        first, last = part[0].at, part[-1].at
        begin, end = first if min(times) < first else -inf, last if last < max(times) else inf
        losses.append((_at(match.variables, places), _at(row, places), begin, end))
    return losses


def _others(n: int, match: LogMatch, groups: Sequence[LostGroup]) -> tuple[LogMatch, Sequence[AlertMatch]]:
    """Return the alerts that are in no lost group, and those of them that log `n` lacks."""
    gone = {id(alert) for _, _, part, _ in groups for alert in part}
    rest = replace(match, alerts=tuple(alert for alert in match.alerts if id(alert) not in gone))
    return rest, rest.only[1 - n]


def all_lost(  # noqa: PLR0913, PLR0917 - a log and what it lacks, and how both are shown
    name: str, n: int, match: LogMatch, groups: Sequence[LostGroup], columns: GroupColumns, dates: Dates
) -> Iterator[str]:
    """Yield a sentence about each group, or the stretch of time, of which log `n` lacks all alerts."""
    for places, values, part, start in groups:
        own = [alert for alert in match.alerts if _key(alert, places) in values]
        when = "" if start == -inf else f" {_when(n, own, part, dates)}"
        count, what = outputs.quantity(len(part), "alert"), _which(match, places, part)
        yield f"{name} lacks all {count}{what}{when}"
    rest, left = _others(n, match, groups)
    what = "other alert" if groups else "alert"
    silences = _silences(n, rest, left, columns)
    for places, part in silences:
        own = [alert for alert in rest.alerts if _key(alert, places) == _key(part[0], places)]
        shared = "" if places else _all_with(rest, part)
        count, which = outputs.quantity(len(part), what), _which(match, places, part)
        yield f"{name} lacks all {count}{which} {_when(n, own, part, dates)}{shared}"
    if groups and left and not silences:
        yield f"{name} also lacks {outputs.quantity(len(left), what)}"


def _which(match: LogMatch, places: ColumnPlaces, part: Sequence[AlertMatch]) -> str:
    """Return a text about groups, such as " with room hall"; empty for all alerts."""
    return which(_at(match.variables, places), [_at(alert.row, places) for alert in part])


def which(names: Sequence[str], rows: Sequence[Row]) -> str:
    """Return a text about groups with these values in some columns, such as " with room hall, attic".

    >>> which(["machine", "line"], [('"m3"', '"L1"'), ('"m4"', '"L1"')])
    ' with machine m3 and line L1, machine m4 and line L1'
    """
    if not names:
        return ""
    cells = [[outputs.short(term) for term in row] for row in {row_key(row): row for row in rows}.values()]
    if len(names) == 1:
        return f" with {names[0]} {outputs.first_few([cell for (cell,) in cells], _NAMED, ', ')}"
    pairs = [" and ".join(map(" ".join, zip(names, row, strict=True))) for row in cells]
    return f" with {outputs.first_few(pairs, _NAMED, ', ')}"


def _when(n: int, alerts: Sequence[AlertMatch], part: Sequence[AlertMatch], dates: Dates) -> str:
    """Return a text about the times of a stretch of the alerts that log `n` lacks."""
    times = [time_in(1 - n, alert) for alert in alerts]
    first, last = (dates.text(t) if dates.zero is not None else seconds(t) for t in (part[0].at, part[-1].at))
    return span(first, last, begins=part[0].at <= min(times), ends=part[-1].at >= max(times))


def span(first: str, last: str, *, begins: bool, ends: bool) -> str:
    """Return a text about a stretch of time between two times, which may begin or end a log.

    >>> span("08:00", "09:00", begins=False, ends=True)
    'from 08:00 on'
    """
    when = f"from {first} on" if ends else f"from {first} to {last}"
    return f"up to {last}" if begins else when


def seconds(milliseconds: float) -> str:
    """Return a time in ms as a text in seconds."""
    return f"{outputs.plain(milliseconds / 1000)}s"


def _all_with(match: LogMatch, part: Sequence[AlertMatch]) -> str:
    """Return a text about the values that all alerts of a stretch have, and not all alerts of the logs."""
    shared = []
    for place, name in enumerate(match.variables):
        own, every = ({row_key(alert.row)[place] for alert in alerts} for alerts in (part, match.alerts))
        if len(own) == 1 < len(every):
            shared.append(f"{name} {outputs.short(part[0].row[place])}")
    return f", all with {' and '.join(shared)}" if shared else ""


def judged_apart(
    judgement: Judgement, columns: Sequence[str], losses: Sequence[LostTogether]
) -> tuple[Judgement, list[LostTogether]]:
    """Return a judgement without the expected rows that a log lost, and the losses of the best verdict.

    Between two evaluations, or from an end of the log to one, the log has no row of the group: the expected
    rows of the group are lost. The times of the returned losses are the first and the last evaluation
    with a lost row; -inf and inf if the log has no row of the group before and after them.
    """
    every = [[*_lost_rows(verdict, columns, losses)] for verdict in judgement.verdicts]
    kept = [
        _without_lost(verdict, {row for *_, rows in lost for row in rows})
        for verdict, lost in zip(judgement.verdicts, every, strict=True)
    ]
    apart = best_first(replace(judgement, verdicts=tuple(kept)))
    place = next(n for n, one in enumerate(judgement.verdicts) if one.choice == apart.best.choice)
    best, used = judgement.verdicts[place], list[LostTogether]()
    for (names, row, *_), (low, high), rows in every[place]:
        if ends := [best.windows[n].at for n, _ in rows]:
            used.append((names, row, min(ends) if low > -inf else low, max(ends) if high < inf else high))
    return apart, used


def _lost_rows(
    verdict: Verdict, columns: Sequence[str], losses: Sequence[LostTogether]
) -> Iterator[tuple[LostTogether, tuple[float, float], Collection[tuple[int, int]]]]:
    """Yield each loss, the evaluations around it, and its rows: places of windows and of missing rows."""
    windows = [*enumerate(verdict.windows)]
    came = [(one.at, row_key(row, lexical=True)) for _, one in windows for row in one.came_rows]
    missing = [
        (n, one.at, k, row_key(row, lexical=True))
        for n, one in windows
        for k, row in enumerate(one.rows.missing)
    ]
    for loss in losses:
        names, row, first, last = loss
        if not {*names} <= {*columns}:
            continue
        places = [columns.index(name) for name in names]
        value = row_key(row, lexical=True)
        ends = sorted({at for at, key in came if _at(key, places) == value})
        if ends and first == -last == -inf:
            continue  # alerts that are not compared
        gaps = pairwise((-inf, *ends, inf))
        low, high = max(gaps, key=lambda gap: min(gap[1], last) - max(gap[0], first))
        own = {(n, k) for n, at, k, key in missing if low < at < high and _at(key, places) == value}
        yield loss, (low, high), own


def _without_lost(verdict: Verdict, lost: Collection[tuple[int, int]]) -> Verdict:
    """Return a verdict without its lost rows, and without the evaluations that then have no rows."""
    of_window = defaultdict[int, set[int]](set)
    for n, k in lost:
        of_window[n].add(k)
    windows = [
        _without(window, of_window[n]) if n in of_window else window
        for n, window in enumerate(verdict.windows)
    ]
    return replace(verdict, windows=tuple(w for w in windows if w.rows.expected or w.rows.actual))


def _without(window: ReportMatch, lost: Collection[int]) -> ReportMatch:
    """Return an evaluation without its lost rows, by their places among the missing rows."""
    missing = [row for k, row in enumerate(window.rows.missing) if k not in lost]
    rows = replace(window.rows, missing=missing)
    return replace(window, rows=rows, problem=None if rows.equal else odd_rows(rows))
