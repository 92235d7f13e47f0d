"""Compare two logs of alerts: find the common rows with their times, and the rows of only one log.

An alert is a row with its time. If a log lacks a row, either the system did not report the row, or the system
did not log its report.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import takewhile
from math import inf
from statistics import median

from agreement.comparing.matching.likeness import Key, Near, close, is_number, pair_rows, row_key, shape_of
from agreement.comparing.matching.numbers import Close
from agreement.documents.recordings import SLACK, Recording
from lars.dataclass import dataclass
from lars.durations import NANOSECONDS, Duration
from solver.facts import Row

_Times = Sequence[Sequence[float]]
"""The times in ms of rows, ascending for each row."""
_BLANK = "_:"
_FEW = 20
"""Of so many common alerts, one may have another delay than the delay that all nearly have."""
_NEARLY = 60_000
"""The difference in ms below which delays are nearly equal."""
_FEW_KEYS = 100
"""The number of keys that may be near a key up to which all of them are compared."""


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

    @property
    def shift(self) -> float:
        """The delay in ms that all common alerts nearly have, as if a clock is wrong; 0 without one.

        Of delays that differ a little, this is the smallest, because no alert comes before its evaluation.
        """
        delays = sorted(alert.delay for alert in self.both if alert.delay is not None)
        few = len(delays) // _FEW
        kept = delays[few : len(delays) - few]
        is_constant = len(kept) >= _FEW and kept[-1] - kept[0] < min(_NEARLY, abs(kept[0]) / 2)
        return kept[0] if is_constant else 0.0

    def same(self, *, times: bool) -> bool:
        """Return whether both logs have the same alerts; if `times` is true, also at the same times."""
        moved = times and any(abs(alert.delay or 0) > SLACK for alert in self.alerts)
        return not moved and all(alert.delay is not None for alert in self.alerts)


def match_logs(  # noqa: PLR0913, PLR0917 - two logs, and when their alerts count as the same
    first: Recording,
    second: Recording,
    tolerance: float,
    within: float = inf,
    events: Recording | None = None,
    shift: float = 0.0,
) -> LogMatch:
    """Compare the alerts of two logs with the same columns: alerts with equal rows can form a pair.

    Two alerts with equal rows form a pair if each alert is nearest in time to the other. If events are known,
    both alerts must follow the same latest event with this row, and each alert is the nearest of those that
    follow this event. Of the alerts at two such times, as many as possible form pairs. All blank nodes count
    as equal.

    Args:
        first: The first log.
        second: The second log.
        tolerance: The relative difference up to which two numbers count as equal.
        within: The greatest difference in time of a pair, in ms, by the times before a correction.
        events: The log of events with the columns of the alerts, if known.
        shift: The number of ms by which the times of the second log were corrected: they were later.
    """
    alike = partial(close, tolerance=tolerance)
    came = _by_key(_rows(events) if events is not None else (), alike)
    sides = [
        [(key, t, _latest(came(key, t + SLACK), t), row) for key, t, row in _rows(log)]
        for log in (first, second)
    ]
    after = [_by_key((((*key, (event,)), t, row) for key, t, event, row in side), alike) for side in sides]
    every = [_by_key(((key, t, row) for key, t, _, row in side), alike) for side in sides]
    near = [
        [_nearest(t, after[1 - n]((*key, (event,)), t)) for key, t, event, _ in side]
        for n, side in enumerate(sides)
    ]
    groups: defaultdict[tuple[float | None, float, float], tuple[list[int], list[int]]]
    groups = defaultdict(lambda: ([], []))
    for n, side in enumerate(sides):
        for place, ((_, t, event, _), other) in enumerate(zip(side, near[n], strict=True)):
            if other is not None and abs((t - other if n else other - t) + shift) <= within + SLACK:
                groups[event, *((other, t) if n else (t, other))][n].append(place)
    pairs: dict[int, int] = {}
    for mine, yours in groups.values():
        keys, others = ([side[n][0] for n in own] for side, own in zip(sides, (mine, yours), strict=True))
        pairs |= {mine[one]: yours[other] for one, other in pair_rows(keys, others, alike).items()}
    taken = {*pairs}, {*pairs.values()}
    alerts = [
        AlertMatch(sides[0][one][3], sides[0][one][1], sides[1][other][1], event=sides[0][one][2])
        for one, other in pairs.items()
    ]
    for n, side in enumerate(sides):
        for place, ((key, t, event, row), other) in enumerate(zip(side, near[n], strict=True)):
            if place not in taken[n]:
                first_t, second_t = (None, t) if n else (t, None)
                nearest = _nearest(t, every[1 - n](key, t)) if other is None else other
                alerts.append(AlertMatch(row, first_t, second_t, nearest, other is not None, event))
    return LogMatch(first.variables, tuple(sorted(alerts, key=lambda alert: alert.at)))


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


def _rows(log: Recording) -> Iterator[tuple[Key, float, Row]]:
    """Yield the key, the time in ms and the terms of each row of a log; all blank nodes have one key."""
    for report in log.reports:
        for row in report.rows:
            yield tuple(map(_plain, row_key(row))), report.t, row


def _by_key(rows: Iterable[tuple[Key, float, Row]], alike: Close) -> Callable[[Key, float], _Times]:
    """Return a function that returns ascending times of the keys that count as equal to a key.

    Among these times are the latest one up to a time, and the nearest one after it if it is nearer.
    """
    # An integer and a decimal of one value are near different numbers.
    found: defaultdict[tuple[Key, Key], set[float]] = defaultdict(set)
    for key, t, _ in rows:
        found[key, tuple(map(type, key))].add(t)
    times = [sorted(own) for own in found.values()]
    near = Near([key for key, _ in found], alike)
    texts = {key: own for (key, _), own in zip(found, times, strict=True)}

    @cache
    def every(key: Key, _: Key) -> _Times:
        return [times[n] for n in near.of(key)]

    @cache
    def ordered(shape: Key) -> tuple[Sequence[float], Sequence[Key]]:
        own = [(t, n) for _, n in near.places[shape] for t in times[n]]
        return [t for t, _ in sorted(own)], [near.keys[n] for _, n in sorted(own)]

    def of(key: Key, t: float) -> _Times:
        if not any(map(is_number, key)):  # the index has only keys with numbers
            return [texts[key]] if key in texts else []
        if (most := near.most(key)) <= _FEW_KEYS:
            return every(key, tuple(map(type, key)))
        # Of many keys that may be near, one is often found sooner by its time.
        at, others = ordered(shape_of(key))
        middle = bisect_right(at, t)
        before, after = (
            range(middle - 1, max(middle - most, 0) - 1, -1),
            range(middle, min(middle + most, len(at))),
        )
        down = next((n for n in before if near.are_near(key, others[n])), None)
        if down is None and before and before[-1] > 0:
            return every(key, tuple(map(type, key)))
        last = inf if down is None else 2 * t - at[down]
        near_after = takewhile(lambda n: at[n] <= last, after)
        up = next((n for n in near_after if near.are_near(key, others[n])), None)
        if up is None and after and after[-1] + 1 < len(at) and at[after[-1]] <= last:
            return every(key, tuple(map(type, key)))
        return [[at[n] for n in (down, up) if n is not None]]

    return of


def _latest(times: _Times, t: float) -> float | None:
    """Return the latest of the times up to `t`; None without one."""
    places = ((own, bisect_right(own, t + SLACK)) for own in times)
    return max((own[place - 1] for own, place in places if place), default=None)


def _nearest(t: float, times: _Times) -> float | None:
    """Return the time that is nearest to `t`, of several the earliest; None without times."""
    places = ((own, bisect_left(own, t)) for own in times)
    near = (other for own, place in places for other in own[max(place - 1, 0) : place + 1])
    return min(near, key=lambda other: (abs(other - t), other), default=None)


def _plain(part: Hashable) -> Hashable:
    return _BLANK if isinstance(part, str) and part.startswith(_BLANK) else part
