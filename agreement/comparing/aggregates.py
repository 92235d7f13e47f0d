"""Find the aggregate over a time window that a log of alerts reports, such as the mean of the last 5 minutes.

The search looks only at numbers, as doubles, and is quick. The query that it leads to is evaluated exactly.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import pairwise, product, repeat
from math import floor, gcd, isfinite
from typing import Final

import numpy as np
import numpy.typing as npt

from agreement.comparing.matching.likeness import Key, is_number, row_key
from agreement.comparing.matching.numbers import double
from agreement.documents.recordings import SLACK, Recording
from lars.dataclass import dataclass
from lars.durations import SECOND, Duration
from lars.language.terms import Literal
from solver.facts import constant_of

Doubles = npt.NDArray[np.float64]
_Points = tuple[Doubles, npt.NDArray[np.bool_], int]
"""The values of an aggregate at evaluations, whether the log has an alert with this value, and lost alerts.

Lost are the alerts at which the aggregate has no value: no limit predicts them.
"""
_Series = tuple[Doubles, Doubles]
"""The events of one group: times in ms, ascending, and the numbers of one column."""
_Groups = Mapping[Key, _Series]
_Ends = Mapping[Key, tuple[Doubles, npt.NDArray[np.bool_]]]
"""The times in ms at which each group is evaluated, and whether the log has an alert of the group then.

The time of an alert at which its group is not evaluated is -inf.
"""
_Evaluations = tuple[bool, _Ends]
"""Whether only events of a group evaluate this group, and evaluations."""
_Columns = Mapping[str, str]
"""Columns of the alerts, each with the column of the events that has its values."""

NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
"""Names of columns that can be names of variables, and of local names."""
Only = tuple[str, str] | None
"""A column of the events, and a term: only events with this term in the column count. None for all events."""
Quantity = tuple[str, str, Only]
"""AVG, COUNT, MAX, MIN or SUM, the column of the events that it reads (empty for COUNT), and which events."""
_Tried = Mapping[Quantity, _Groups]
"""The quantities that are tried, each with the events that it reads."""
USUAL: Final = tuple(
    Duration(n * SECOND.nanoseconds) for n in (3600, 1800, 900, 600, 300, 120, 60, 30, 20, 15, 10, 5, 2, 1)
)
"""Durations that people often choose for windows: from one hour down to one second."""
COUNT: Final = "COUNT"
_WHOLE: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 45, 50)
LENGTHS: Final = tuple(
    Duration(n * unit * SECOND.nanoseconds)
    for unit, numbers in ((1, _WHOLE), (60, (*_WHOLE, 90)), (3600, (1, 2, 3, 4, 6, 8, 12, 24)))
    for n in numbers
)
"""The lengths of windows that are tried, ascending."""
_MOST: Final = 400
"""The maximum number of alerts, and of evaluation times, with which rules are chosen, spread over the log."""
_EVERY: Final = 100_000
"""The maximum number of evaluation times with which the limit of a rule is chosen."""
_FEWEST: Final = 10
"""The least number of evaluations with an alert, and of those without, that can show a limit."""
_FITTING: Final = 0.5
"""The least share of alerts whose value an aggregate must have. A system can depart from its rule."""
_WRONG: Final = 0.05
"""The greatest share of evaluations that may contradict a limit."""
_EXACT: Final = 1e-9
"""The relative difference of doubles up to which they count as one number."""
_TRIGGERED: Final = 0.95
"""The least share of alerts at the times of events that shows that events cause them."""
_FEW_TERMS: Final = 6
"""The greatest number of different texts in a column of the events that are tried as a condition."""
_SURE: Final = 0.9
"""The least share of alerts of a log with the values of another aggregate than those of the other log."""
_IDLE: Final = 20
"""The greatest number of ticks for each time with an alert, up to which a clock is likely."""
_FINEST: Final = -13
"""The exponent of the digits of limits ends before this one."""


@dataclass(frozen=True, slots=True)
class AggregateRule:
    """A rule of alerts: an aggregate over a time window, for each group, is beyond a limit.

    - `groups` are the columns of the alerts by which events are grouped, with their columns in the events.
    - `quantity` is the aggregate.
    - `variable` is the column of the alerts with the value; None if the alerts do not contain it.
    - `lengths` are the lengths of the windows that fit the logs best: first the length of the rule, then the
      lengths of the other logs.
    - `fitting` is the number of alerts with the value of the rule, of `looked` alerts of the log at place
      `valued`; all are 0 if `variable` is None.
    - `limit` is a comparison with a number, such as (">", 6.5); None if no limit is known.
    - `against` is the number of evaluations of the log at place `limited` that contradict the limit, of
      `evaluations`: the log has an alert and the rule predicts none, or the reverse.
    - `is_triggered` is true if only an event of a group leads to an alert of this group.
    """

    groups: _Columns
    quantity: Quantity
    variable: str | None
    lengths: tuple[Duration, ...]
    fitting: int = 0
    looked: int = 0
    valued: int = 0
    limit: tuple[str, Decimal] | None = None
    against: int = 0
    evaluations: int = 0
    limited: int = 0
    is_triggered: bool = False


def shared_columns(events: Recording, alerts: Sequence[Recording]) -> _Columns:
    """Map each column that all alerts and the events share to the column's name in the events.

    A column of the alerts matches a column of the events without regard to upper and lower case. All logs of
    alerts must write the column in the same case. Only names that can name a variable count.
    """
    known = {column.casefold(): column for column in events.variables if NAME.fullmatch(column)}
    return {
        column: known[column.casefold()]
        for column in common_columns(alerts)
        if column.casefold() in known and NAME.fullmatch(column)
    }


def common_columns(logs: Sequence[Recording]) -> Sequence[str]:
    """Return the names of the columns that all logs share, sorted."""
    return sorted(set.intersection(*(set(log.variables) for log in logs)))


def aggregate_rules(
    events: Recording, alerts: Sequence[Recording], time: str, unit: Duration
) -> Sequence[AggregateRule]:
    """Return a rule with an aggregate for each log of alerts, or no rule.

    If alerts contain a column of numbers that no column of the events explains, a rule has the values of this
    column. If the alerts contain no numbers, the aggregate separates evaluations with and without an alert.
    The rule that explains a log best is that of all logs, but for logs with the values of another aggregate.

    Args:
        events: The table of events.
        alerts: One or more logs of alerts.
        time: The time column of the events.
        unit: The time unit; the length of the window is a multiple of it.
    """
    lengths = [length for length in LENGTHS if length.nanoseconds % unit.nanoseconds == 0]
    if not lengths:  # such as for a unit of 11s
        return ()
    shared = shared_columns(events, alerts)
    named = filter(NAME.fullmatch, common_columns(alerts))
    values = [name for name in named if is_computed(name, events, alerts)]
    if not values:
        names = [name for name in shared if any(_are_numbers(log, name) for log in alerts)]
        return _by_limit(events, alerts, shared, time, lengths) if shared and not names else ()
    found = (_by_values(events, alerts, _without(shared, name), name, time, lengths) for name in values)
    return max(found, key=lambda rules: max((one.fitting / one.looked for one in rules), default=0.0))


def _without(shared: _Columns, name: str) -> _Columns:
    return {own: column for own, column in shared.items() if own != name}


def _are_numbers(table: Recording, column: str) -> bool:
    parts = _parts(table, column)
    return bool(parts) and all(map(is_number, parts))


def _column(table: Recording, column: str) -> Sequence[Hashable]:
    """Return the values of a column in all rows of a table, in the form for comparison."""
    place = table.variables.index(column)
    return [part for report in table.reports for row in report.rows for part in row_key((row[place],))]


def _times(table: Recording) -> Sequence[float]:
    """Return the times in ms of all rows of a table."""
    return [report.t for report in table.reports for _ in report.rows]


def _parts(table: Recording, column: str) -> Key:
    return tuple(dict.fromkeys(_column(table, column)))


def is_computed(name: str, events: Recording, alerts: Sequence[Recording]) -> bool:
    """Return whether a column of the alerts has numbers, and most are not in its column of the events."""
    column = shared_columns(events, alerts).get(name)
    if not all(_are_numbers(log, name) for log in alerts if log.reports):
        return False
    if column is None:
        return True
    known = {*_parts(events, column)}
    return any(2 * len({*_parts(log, name)} - known) > len(_parts(log, name)) for log in alerts)


def _over(series: _Series, function: str, length: Duration, ends: Doubles) -> Doubles:
    """Return the aggregate over the window (end - length, end] for each end; NaN for no events."""
    times, numbers = series
    high = np.searchsorted(times, ends + SLACK, "right")
    low = np.searchsorted(times, ends - length.milliseconds + SLACK, "right")
    count = high - low
    with np.errstate(all="ignore"):
        if function in {"MAX", "MIN"}:
            # Between two places of a pair, reduceat works on the numbers from the first up to the second.
            merge, last = (np.maximum, -np.inf) if function == "MAX" else (np.minimum, np.inf)
            pairs = np.stack((low, high), axis=1).ravel()
            values = merge.reduceat(np.append(numbers, last), pairs)[::2]
        elif function == COUNT:
            values = count.astype(np.float64)
        else:
            sums = np.append(0.0, np.cumsum(numbers))
            values = sums[high] - sums[low]
            values = values / count if function == "AVG" else values
    return np.where(count > 0, values, np.nan)


def _series(rows: Iterable[tuple[float, Key, float, bool]]) -> _Groups:
    """Return the events of each group, from times, groups and numbers, and whether the events count."""
    pairs: defaultdict[Key, list[tuple[float, float]]] = defaultdict(list)
    for t, key, number, is_counted in rows:
        if is_counted and isfinite(number):
            pairs[key].append((t, number))
    series = {}
    for key, own in pairs.items():
        times, numbers = np.array(sorted(own), np.float64).T
        series[key] = times, numbers
    return series


def _double(part: object) -> float:
    return double(part) if isinstance(part, int | Decimal | float) else float("nan")


def _tried(events: Recording, groups: _Columns, time: str) -> _Tried:
    """Return quantities with their series: of all events, and of those with one of few texts in a column."""
    free = [
        name for name in events.variables if NAME.fullmatch(name) and name not in {time, *groups.values()}
    ]
    numbers = {name: _column(events, name) for name in free if any(map(is_number, _parts(events, name)))}
    texts = {name: _texts(events, name) for name in free if name not in numbers}
    terms = {name: sorted(filter(None, {*own})) for name, own in texts.items()}
    # A blank node in a query would be a variable.
    few = (
        (name, term)
        for name, own in terms.items()
        if len(own) <= _FEW_TERMS
        for term in own
        if not term.startswith("_:")
    )
    times, keys = _times(events), _keys(events, groups.values())
    tried: dict[Quantity, _Groups] = {}
    for only in (None, *few):
        counts = [only is None or term == only[1] for term in texts[only[0]]] if only else repeat(True)
        for column, parts in numbers.items():
            series = _series(zip(times, keys, map(_double, parts), counts, strict=False))
            tried |= {(function, column, only): series for function in ("AVG", "MAX", "MIN", "SUM")}
        tried[COUNT, "", only] = _series(zip(times, keys, repeat(1.0), counts, strict=False))
    return tried


def _keys(table: Recording, columns: Iterable[str]) -> Sequence[Key]:
    """Return the values of some columns in each row of a table."""
    parts = [_column(table, column) for column in columns]
    return [*zip(*parts, strict=True)] if parts else [()] * len(_times(table))


def _texts(table: Recording, column: str) -> Sequence[str | None]:
    """Return the terms of a column in all rows of a table, in N-Triples syntax."""
    place = table.variables.index(column)
    return [row[place] for report in table.reports for row in report.rows]


def words_among(events: Recording, column: str) -> Sequence[str]:
    """Return the texts in a column of numbers, such as n/a; empty if they are many."""
    terms = {term for term in _texts(events, column) if term and not is_number(*row_key((term,)))}
    literals = [term for term in map(constant_of, terms) if isinstance(term, Literal)]
    return sorted(term.lexical for term in literals) if len(terms) <= _FEW_TERMS else ()


def _alerts_of(log: Recording, groups: _Columns, name: str) -> Mapping[Key, Sequence[tuple[float, float]]]:
    """Return the times and values of the alerts of each group, spread over the log."""
    every = [*zip(_times(log), map(_double, _column(log, name)), _keys(log, groups), strict=True)]
    found: defaultdict[Key, list[tuple[float, float]]] = defaultdict(list)
    for t, number, key in every[:: _step(len(every))]:
        found[key].append((t, number))
    return found


def _step(number: int, most: int = _MOST) -> int:
    """Return the step with which at most `most` of a number of values are looked at."""
    return max(-(-number // most), 1)


def _by_values(  # noqa: PLR0913, PLR0917 - two tables, and what their columns mean
    events: Recording,
    alerts: Sequence[Recording],
    shared: _Columns,
    name: str,
    time: str,
    lengths: Sequence[Duration],
) -> Sequence[AggregateRule]:
    """Return rules whose aggregates have the values of a column of the alerts; empty if none has half."""
    texts = {own: column for own, column in shared.items() if not _are_numbers(events, column)}
    for groups in (shared, texts) if len(texts) < len(shared) else (shared,):
        tried = _tried(events, groups, time)
        best: list[AggregateRule] = []
        for place, log in enumerate(alerts):
            wanted, near = _alerts_of(log, groups, name), _rounding(log, name)
            looked = sum(map(len, wanted.values()))
            fits = (
                AggregateRule(
                    groups,
                    quantity,
                    name,
                    (length,),
                    _fitting(series, quantity[0], length, wanted, near),
                    looked,
                    place,
                )
                for (quantity, series), length in product(tried.items(), lengths)
            )
            best.append(max(fits, key=lambda rule: (rule.fitting, rule.lengths[0] in USUAL)))
        first, main = max(
            zip(best, alerts, strict=True),
            key=lambda pair: (pair[0].fitting / max(pair[0].looked, 1), pair[0].looked),
        )
        if first.looked and first.fitting >= _FITTING * first.looked:
            of_first = [own.lengths[0] for own in best if own.quantity == first.quantity]
            first = replace(first, lengths=tuple(dict.fromkeys((first.lengths[0], *of_first))))
            # The other log can have another limit, or windows of another length.
            limited = _with_limit(first, tried, {first.valued: main})
            first = _with_limit(first, tried, dict(enumerate(alerts))) if limited.limit is None else limited
            return [
                _with_limit(own, tried, {own.valued: log})
                if own.quantity != first.quantity and own.fitting >= _SURE * own.looked > 0
                else _evaluated(first, tried, log)
                for own, log in zip(best, alerts, strict=True)
            ]
    return ()


def _rounding(log: Recording, name: str) -> float:
    """Return half of the last decimal place of the numbers in a column of alerts."""
    return 0.5 * 10.0 ** -decimals(log, name)


def decimals(log: Recording, name: str) -> int:
    """Return the greatest number of decimal places of the numbers in a column."""
    exponents = [Decimal(str(part)).as_tuple().exponent for part in _parts(log, name) if is_number(part)]
    return max((-exponent for exponent in exponents if isinstance(exponent, int)), default=0)


def greatest(log: Recording, name: str) -> float:
    """Return the greatest absolute value of the numbers in a column; 0 without numbers."""
    return max((size for part in _parts(log, name) if (size := abs(_double(part))) > 0), default=0.0)


def _fitting(
    series: _Groups,
    function: str,
    length: Duration,
    wanted: Mapping[Key, Sequence[tuple[float, float]]],
    near: float,
) -> int:
    """Return how many alerts have the value of an aggregate, but for rounding."""
    number = 0
    for key, alerts in wanted.items():
        if key in series:
            times, values = np.array(alerts, np.float64).T
            with np.errstate(invalid="ignore"):
                wrong = np.abs(_over(series[key], function, length, times) - values)
            number += int(np.count_nonzero(wrong <= near * (1 + 1e-6) + _EXACT * np.abs(values)))
    return number


def _by_limit(
    events: Recording, alerts: Sequence[Recording], shared: _Columns, time: str, lengths: Sequence[Duration]
) -> Sequence[AggregateRule]:
    """Return rules whose aggregate separates the evaluations of a log with and without an alert.

    The rule that separates those of one log best is that of all logs, but for logs that it does not separate.
    """
    rules: list[list[AggregateRule]] = [[] for _ in alerts]
    tried = _tried(events, shared, time)
    known = {
        only: [_evaluations(shared, tried[COUNT, "", only], log, _MOST) for log in alerts]
        for only in dict.fromkeys(only for *_, only in tried)
    }
    for quantity, series in tried.items():
        only = quantity[2]
        for place, (own, evaluations) in enumerate(zip(rules, known[only], strict=True)):
            own.extend(
                _limited(AggregateRule(shared, quantity, None, (length,)), series, {place: evaluations})
                for length in lengths
            )
    limited = [[rule for rule in own if rule.limit is not None] for own in rules]
    best = [min(own, key=_errors, default=None) for own in limited]
    first = min(filter(None, best), key=_errors, default=None)
    if first is None:
        return ()
    shown = _with_limit(first, tried, {first.limited: alerts[first.limited]})
    return [
        _evaluated(shown, tried, log)
        if rule is None or any(one.quantity == first.quantity for one in own)
        else _with_limit(rule, tried, {rule.limited: log})
        for rule, own, log in zip(best, limited, alerts, strict=True)
    ]


def _errors(rule: AggregateRule) -> float:
    return rule.against / rule.evaluations


def _with_limit(rule: AggregateRule, tried: _Tried, alerts: Mapping[int, Recording]) -> AggregateRule:
    """Return a rule with its limit, if known: all evaluations count, also those nearest to the limit."""
    every = tried[COUNT, "", rule.quantity[2]]
    evaluations = {place: _evaluations(rule.groups, every, log, _EVERY) for place, log in alerts.items()}
    return _limited(rule, tried[rule.quantity], evaluations)


def _evaluated(rule: AggregateRule, tried: _Tried, log: Recording) -> AggregateRule:
    """Return the rule itself, or with the events that evaluate the groups of this log, if they are others."""
    own = _with_limit(rule, tried, {rule.limited: log})
    if own.limit is None or own.is_triggered == rule.is_triggered:
        return rule
    return replace(rule, is_triggered=own.is_triggered)


def _limited(
    rule: AggregateRule, series: _Groups, evaluations: Mapping[int, Sequence[_Evaluations]]
) -> AggregateRule:
    """Return a rule with the limit that the log with the clearest limit has; without one, none is known.

    The evaluations are those of each log, by the place of the log.
    """
    found: list[AggregateRule] = []
    for place, of_log in evaluations.items():
        for is_triggered, ends in of_log:
            values, inside, lost = _points(rule, series, ends)
            fewer = min(np.count_nonzero(inside), np.count_nonzero(~inside))
            # A quantity that is known by its values needs few evaluations to show its limit.
            if fewer < (1 if rule.variable else _FEWEST):
                continue
            against, limit = _cut(values, inside)
            if against + lost <= _WRONG * fewer:
                found.append(
                    replace(
                        rule,
                        limit=limit,
                        against=against + lost,
                        evaluations=len(values) + lost,
                        limited=place,
                        is_triggered=is_triggered,
                    )
                )
                break
    return min(found, key=_errors, default=rule)


def _points(rule: AggregateRule, series: _Groups, ends: _Ends) -> _Points:
    none: _Series = np.empty(0), np.empty(0)
    parts = [
        (_over(series.get(key, none), rule.quantity[0], rule.lengths[0], at), inside)
        for key, (at, inside) in ends.items()
    ]
    if not parts:
        return np.empty(0), np.empty(0, np.bool_), 0
    values, inside = map(np.concatenate, zip(*parts, strict=True))
    known = np.isfinite(values)
    return values[known], inside[known], int(np.count_nonzero(inside & ~known))


def _evaluations(groups: _Columns, series: _Groups, log: Recording, most: int) -> Sequence[_Evaluations]:
    """Return evaluations of a log, the most likely ones first.

    A pushing system evaluates at every event, and others at the ticks of a clock. If the evaluations between
    alerts are unknown, the times of alerts are evaluations, and show which groups have no alert then.
    """
    alerted: defaultdict[Key, set[float]] = defaultdict(set)
    for t, key in zip(_times(log), _keys(log, groups), strict=True):
        alerted[key].add(t)
    every_event = sorted({t for own, _ in series.values() for t in own.tolist()})
    if not alerted or not every_event:
        return []
    times = sorted({t for own in alerted.values() for t in own})
    found: list[_Evaluations] = []

    def add(is_triggered: bool, ends: Mapping[Key, Sequence[float]]) -> None:
        shown: dict[Key, tuple[Doubles, npt.NDArray[np.bool_]]] = {}
        for key in (*series, *(key for key in alerted if key not in series)):
            own, known = ends.get(key, ()), alerted.get(key, ())
            every = sorted({*own, *known}) if is_triggered else own
            at = np.array(every[:: _step(len(every), most)], np.float64)
            shown[key] = np.where(_are_in(at, own), at, -np.inf), _are_in(at, known)
        found.append((is_triggered, shown))

    pushed = np.count_nonzero(_are_in(np.array(times), every_event)) >= _TRIGGERED * len(times)
    # A log that was cut lacks alerts before its first and after its last one.
    for first, last in ((every_event[0], every_event[-1]), (times[0], times[-1])):
        likely = [t for t in every_event if first <= t <= last] if pushed else _ticks(times, first, last)
        add(False, dict.fromkeys((*series, *alerted), sorted({*times, *likely})))
    add(False, dict.fromkeys((*series, *alerted), times))
    own = {key: [t for t in at.tolist() if times[0] <= t <= times[-1]] for key, (at, _) in series.items()}
    meeting = (_are_in(np.array(sorted(at)), own.get(key, ())) for key, at in alerted.items())
    if sum(map(np.count_nonzero, meeting)) >= _TRIGGERED * sum(map(len, alerted.values())):
        add(True, own)
    return found


def _ticks(times: Sequence[float], begin: float, end: float) -> Sequence[float]:
    """Return the ticks from `begin` to `end` of the clock of times in ms; empty if most have no alert."""
    period = gcd(*(round(after - before) for before, after in pairwise(times)))
    if not period or (times[-1] - times[0]) / period > _IDLE * len(times):
        return ()
    first, last = (floor((t - times[0]) / period + SLACK) for t in (begin, end))
    return [times[0] + n * period for n in range(max(first, -_EVERY), min(last, _EVERY) + 1)]


def _are_in(times: Doubles, known: Sequence[float] | set[float]) -> npt.NDArray[np.bool_]:
    """Return whether each time in ms is one of the known times."""
    if not len(known):
        return np.zeros(len(times), np.bool_)
    ordered = np.array(sorted(known), np.float64)
    place = np.searchsorted(ordered, times - SLACK)
    return np.abs(ordered[np.minimum(place, len(ordered) - 1)] - times) <= SLACK


def _cut(values: Doubles, inside: npt.NDArray[np.bool_]) -> tuple[int, tuple[str, Decimal]]:
    """Return the comparison that separates values with and without an alert, and the number of its errors."""
    order = np.argsort(values, kind="stable")
    ordered, alert = values[order], inside[order]
    different = np.flatnonzero(ordered[1:] > ordered[:-1] * (1 + _EXACT * np.sign(ordered[:-1]))) + 1
    if not len(different):
        return len(values), (">", _roundest(float(ordered[0]), float(ordered[-1]) + 1, up=True))
    before = np.append(0, np.cumsum(alert))[different]
    above = before + (len(alert) - different - (alert.sum() - before))
    below = len(alert) - above
    best, up = (above, True) if above.min() <= below.min() else (below, False)
    place = different[int(best.argmin())]
    limit = _roundest(float(ordered[place - 1]), float(ordered[place]), up=up)
    return int(best.min()), (">" if up else "<", limit)


def _roundest(low: float, high: float, *, up: bool) -> Decimal:
    """Return the number with the fewest digits in [low, high), or in (low, high] if `up` is false.

    >>> _roundest(6.4917, 6.5083, up=True), _roundest(6.5, 6.51, up=True), _roundest(19.2, 20.0, up=False)
    (Decimal('6.5'), Decimal('6.5'), Decimal('20'))
    """
    one, other = (Decimal(repr(round(number, 12))) for number in (low, high))
    highest = max(one.adjusted(), other.adjusted(), 0) + 1
    for exponent in range(highest, _FINEST, -1):
        for factor in (5, 1):
            step = Decimal(factor).scaleb(exponent)
            number = ((one if up else other) / step).to_integral_value(
                ROUND_CEILING if up else ROUND_FLOOR
            ) * step
            if (one <= number < other) if up else (one < number <= other):
                return Decimal(f"{number:f}").normalize() + 0
    return one if up else other
