"""Compare two logs of alerts: find the common rows with their times, and the rows of only one log.

An alert is a row with its time. If a log lacks a row, either the system did not report the row, or the system
did not log its report.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from math import inf
from statistics import median

from agreement.comparing.matching.likeness import Key, close, row_key
from agreement.comparing.matching.numbers import Number, nearest_close
from agreement.comparing.matching.places import nearest_pairs
from agreement.documents.recordings import SLACK, Recording
from lars.dataclass import dataclass
from lars.durations import NANOSECONDS, Duration
from solver.facts import Row

_Times = Mapping[float, int]
"""The times in ms of a row, each with the number of the row's occurrences at this time."""
_Context = tuple[int, Key]
"""The column of a number, and the terms of its row without numbers."""
_BLANK = "_:"


@dataclass(frozen=True, slots=True)
class AlertMatch:
    """An alert: a row with its times in ms in two logs.

    - `first` and `second` are its times in both logs; a time is None if the log lacks the alert.
    - `near` is the nearest time in ms at which the log without the alert contains the same row; None if this
      log does not contain the row. If events are known, rows after the same event are preferred.
    - `again` is true if the row at the time `near` follows the same event. If events are unknown, `again` is
      true for each row.
    - `event` is the time in ms of the latest event with the same values before the alert, or None.
    """

    row: Row
    first: float | None
    second: float | None
    near: float | None = None
    again: bool = False
    event: float | None = None

    @property
    def elsewhere(self) -> bool:
        """Whether the log without the alert contains the same row at another time."""
        return self.near is not None

    @property
    def delay(self) -> float | None:
        """The delay in ms of the second log after the first log; None if one log does not contain the row."""
        return None if self.first is None or self.second is None else self.second - self.first

    @property
    def at(self) -> float:
        """The time of the alert in ms; if both logs contain it, the earlier time."""
        return min(t for t in (self.first, self.second) if t is not None)


@dataclass(frozen=True, slots=True)
class LogMatch:
    """The alerts of two logs, sorted by time."""

    variables: tuple[str, ...]
    alerts: tuple[AlertMatch, ...]

    @property
    def both(self) -> tuple[AlertMatch, ...]:
        """The alerts that both logs contain."""
        return tuple(alert for alert in self.alerts if alert.delay is not None)

    @property
    def only(self) -> tuple[tuple[AlertMatch, ...], tuple[AlertMatch, ...]]:
        """The alerts that only the first log contains, and the alerts that only the second log contains."""
        first = tuple(alert for alert in self.alerts if alert.second is None)
        return first, tuple(alert for alert in self.alerts if alert.first is None)

    @property
    def sides(self) -> tuple[Sequence[tuple[float, Row]], Sequence[tuple[float, Row]]]:
        """The alerts of each log, as pairs of a time and a row."""
        first, second = (
            [(t, alert.row) for alert in self.alerts if (t := (alert.first, alert.second)[n]) is not None]
            for n in (0, 1)
        )
        return first, second

    @property
    def delays(self) -> tuple[float, float, float] | None:
        """The smallest, median and largest delay in ms; None without common alerts."""
        delays = [alert.delay for alert in self.both if alert.delay is not None]
        return (min(delays), median(delays), max(delays)) if delays else None

    def same(self, *, times: bool) -> bool:
        """Return whether both logs have the same alerts; if `times` is true, also at the same times."""
        moved = times and any(abs(alert.delay or 0) > SLACK for alert in self.alerts)
        return not moved and all(alert.delay is not None for alert in self.alerts)


def match_logs(
    first: Recording,
    second: Recording,
    tolerance: float,
    within: float = inf,
    events: Recording | None = None,
) -> LogMatch:
    """Compare the alerts of two logs with the same columns: alerts with equal rows can form a pair.

    Two alerts with equal rows form a pair if each alert is nearest in time to the other. If events are known,
    both alerts must follow the same latest event with this row, and each alert is the nearest of those that
    follow this event. All blank nodes count as equal.

    Args:
        first: The first log.
        second: The second log.
        tolerance: The relative difference up to which numbers count as equal.
        within: The greatest difference in time of a pair, in ms.
        events: The log of events with the columns of the alerts, if known.
    """
    keys = _keys((first, second) if events is None else (first, second, events), tolerance)
    came = {} if events is None else _times(events, keys)
    known = {key: sorted(times) for key, times in came.items()}
    whole = _times(first, keys), _times(second, keys)
    times = tuple(_after_events(each, known) for each in whole)
    every = tuple({key: sorted(own) for key, own in each.items()} for each in whole)
    rows = {keys[row]: row for report in (*second.reports, *first.reports) for row in report.rows}
    alerts = chain.from_iterable(
        _matched(_with_event(rows, known, place), times[0].get(place, {}), times[1].get(place, {}), within)
        for place in dict.fromkeys((*times[0], *times[1]))
    )
    shown = (_after_another(alert, *(each.get(keys[alert.row], ()) for each in every)) for alert in alerts)
    return LogMatch(first.variables, tuple(sorted(shown, key=lambda alert: alert.at)))


def missed(events: Iterable[float], period: Duration, width: Duration) -> int:
    """Return the number of events that no window of a pull system contains.

    The system evaluates at all multiples t of the period, over the window (t - width, t].

    Args:
        events: The times of the events in ms.
        period: The time between two evaluations.
        width: The width of the windows.
    """
    times = (round(t * NANOSECONDS["ms"]) for t in events)
    return sum(-t % period.nanoseconds >= width.nanoseconds for t in times)


def _times(log: Recording, keys: Mapping[Row, Key]) -> Mapping[Key, _Times]:
    times: defaultdict[Key, Counter[float]] = defaultdict(Counter)
    for report in log.reports:
        for row in report.rows:
            times[keys[row]][report.t] += 1
    return times


def _after_events(
    times: Mapping[Key, _Times], events: Mapping[Key, Sequence[float]]
) -> Mapping[tuple[Key, int], _Times]:
    """Return the times of each row, grouped by the number of events with this row before the time."""
    parts: defaultdict[tuple[Key, int], Counter[float]] = defaultdict(Counter)
    for key, counted in times.items():
        for t, count in counted.items():
            parts[key, bisect_right(events.get(key, ()), t + SLACK)][t] = count
    return parts


def _with_event(
    rows: Mapping[Key, Row], events: Mapping[Key, Sequence[float]], place: tuple[Key, int]
) -> AlertMatch:
    """Return an alert without times for a row; `place` names the row and the number of events before it."""
    key, count = place
    return AlertMatch(rows[key], None, None, event=events[key][count - 1] if count else None)


def _matched(one: AlertMatch, first: _Times, second: _Times, within: float) -> Iterator[AlertMatch]:
    """Yield the pairs and the single alerts of one row; if events are known, only after one event."""
    ascending = sorted(first), sorted(second)
    for n, m in nearest_pairs(*ascending):
        mine = None if n is None else ascending[0][n]
        yours = None if m is None else ascending[1][m]
        both = 0
        if mine is not None and yours is not None and abs(mine - yours) <= within + SLACK:
            both = min(first[mine], second[yours])
        yield from [replace(one, first=mine, second=yours)] * both
        if mine is not None:
            near = _nearest(mine, ascending[1])
            alone = replace(one, first=mine, near=near, again=near is not None)
            yield from [alone] * (first[mine] - both)
        if yours is not None:
            near = _nearest(yours, ascending[0])
            alone = replace(one, second=yours, near=near, again=near is not None)
            yield from [alone] * (second[yours] - both)


def _after_another(alert: AlertMatch, first: Sequence[float], second: Sequence[float]) -> AlertMatch:
    """Return an alert with the nearest time of its row in the log that lacks it, after whichever event.

    The result is the alert itself if both logs contain it, or if the row follows the same event in both.
    """
    if alert.delay is not None or alert.again:
        return alert
    return replace(alert, near=_nearest(alert.at, second if alert.second is None else first))


def _nearest(t: float, times: Sequence[float]) -> float | None:
    """Return the time that is nearest to `t`, of several the earliest; None without times."""
    place = bisect_left(times, t)
    return min(times[max(place - 1, 0) : place + 1], key=lambda other: abs(other - t), default=None)


def _keys(logs: Sequence[Recording], tolerance: float) -> Mapping[Row, Key]:
    """Map each row to a key, so that rows of different logs that count as equal have the same key.

    The nearest number of the earlier logs replaces a number if both differ by at most the tolerance. The
    other terms of both rows must be equal.
    Different numbers of one log stay different.
    """
    rows: dict[Row, Key] = {}
    same: dict[_Context, dict[Number, Number]] = defaultdict(dict)
    known: dict[_Context, list[Number]] = defaultdict(list)
    alike = partial(close, tolerance=tolerance)
    for log in logs:
        new = {row: row_key(row) for report in log.reports for row in report.rows}
        numbers: defaultdict[_Context, set[Number]] = defaultdict(set)
        for key in new.values():
            for context, number in _numbers(key):
                numbers[context].add(number)
        for context, found in numbers.items():
            own, before = same[context], known[context]
            for number in found - own.keys():
                nearest = nearest_close(before, number, alike)
                own[number] = number if nearest is None else nearest
            known[context] = sorted({*before, *(number for number in found if own[number] == number)})
        for row, key in new.items():
            equal = {context[0]: same[context][number] for context, number in _numbers(key)}
            rows[row] = tuple(_plain(equal.get(place, part)) for place, part in enumerate(key))
    return rows


def _numbers(key: Key) -> Iterator[tuple[_Context, Number]]:
    """Yield the numbers of a row, each with its column and with the other terms of the row.

    A number of another room that is nearer by chance must not replace a number.
    """
    others = tuple(None if isinstance(part, Number) else _plain(part) for part in key)
    yield from (((place, others), part) for place, part in enumerate(key) if isinstance(part, Number))


def _plain(part: Hashable) -> Hashable:
    return _BLANK if isinstance(part, str) and part.startswith(_BLANK) else part
