"""Find causes of differences between two logs that no rule has: rounding, another unit, or another zone."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, Decimal
from functools import partial
from operator import itemgetter
from typing import Final, TypeVar

from agreement.comparing.logs import AlertMatch, LogMatch
from agreement.comparing.matching.likeness import Key, is_number, row_key
from agreement.documents.outputs import quantity
from agreement.documents.recordings import Recording
from lars.durations import Duration

_HALF_HOUR: Final = 30 * 60_000
_NEAR: Final = 60_000
"""The maximum number of ms by which a difference of two times may differ from whole half hours."""
_MOST: Final = 200
"""The maximum number of alerts with equal rows in a log whose times are compared with the other log."""
_FEWEST: Final = 3
_MANY: Final = 10
"""The least number of alerts whose times must all differ by one length, if it is no half hour."""
_SECOND: Final = 1000
_CORRECT: Final = "correct the times of one log, and compare again"
_ROUNDED: Final = 0.05
"""The maximum relative difference that counts as rounding."""
_UNITS: Final = (
    (1.8, 32.0, "°C", "°F"),
    (1.0, 273.15, "°C", "K"),
    (1000.0, 0.0, "a unit", "a thousandth of it"),
    (100.0, 0.0, "a unit", "a hundredth of it"),
    (60.0, 0.0, "a unit", "a sixtieth of it"),
    (3.6, 0.0, "m/s", "km/h"),
)
"""Changes of a unit: the factor and the summand of numbers, and the two units."""
_Number = TypeVar("_Number", float, Decimal)
_Pairs = Sequence[tuple[Decimal, Decimal]]
"""Pairs of numbers of two logs."""


def hints(
    names: tuple[str, str], match: LogMatch, again: Callable[[float], LogMatch], moved: tuple[int, str] | None
) -> Iterator[str]:
    """Yield sentences about rounding, another unit of a column, or times in another zone.

    Args:
        names: The names of the logs.
        match: The alerts of both logs.
        again: Returns the alerts of both logs with another tolerance.
        moved: The result of `moved_times`.
    """
    if moved is not None:
        yield moved[1]
    if min(map(len, match.only)) < _FEWEST:
        return
    for place, column in enumerate(match.variables):
        pairs = _pairs(match, place)
        if (told := _rounding(names, column, pairs, match, again)) is not None:
            yield told
        yield from _unit(names, column, pairs)


def moved_times(names: tuple[str, str], logs: tuple[Recording, Recording]) -> tuple[int, str] | None:
    """Return by how many ms most rows of the second log are later, and a sentence; None if they are not.

    The number of ms is negative if the rows are earlier. It is whole half hours, or that of nearly all rows.
    """
    mine, yours = map(_times, logs)
    votes, exact = Counter[int](), Counter[int]()
    for key, times in mine.items():
        # Several alerts of one log may have the same distance from one alert: a row votes once per alert.
        for t in times[:_MOST]:
            apart = [other - t for other in yours.get(key, ())[:_MOST]]
            halves = {(length, round(length / _HALF_HOUR)) for length in apart}
            votes.update({n for length, n in halves if abs(length - n * _HALF_HOUR) <= _NEAR})
            exact.update({round(length / _SECOND) for length in apart})
    least = min(sum(map(len, times.values())) for times in (mine, yours))
    for number, count in votes.most_common(1):
        if number and least >= _FEWEST and 5 * count >= 4 * least and 2 * votes[0] < count:
            times_differ = _later(names, number * _HALF_HOUR, min(count, least))
            why = "as if the logs have different time zones"
            return number * _HALF_HOUR, f"{times_differ}, {why}; {_CORRECT}"
    for number, count in exact.most_common(1):
        # Rows that hold for some minutes are repeated, so that many of them also have other distances.
        if number and least >= _MANY and 20 * count >= 19 * least and 10 * exact[0] <= 9 * count:
            times_differ = _later(names, number * _SECOND, min(count, least))
            why = "as if a clock is wrong, or all alerts come late"
            return number * _SECOND, f"{times_differ}, {why}; {_CORRECT}"
    return None


def _later(names: tuple[str, str], milliseconds: int, count: int) -> str:
    length, later = Duration(abs(milliseconds) * 10**6), "later" if milliseconds > 0 else "earlier"
    return (
        f"the times of {names[1]} are {length} {later} than those of {names[0]} at {quantity(count, 'alert')}"
    )


def _times(log: Recording) -> Mapping[Key, Sequence[float]]:
    times = defaultdict[Key, list[float]](list)
    for report in log.reports:
        for row in report.rows:
            times[row_key(row)].append(report.t)
    return times


def _pairs(match: LogMatch, place: int) -> _Pairs:
    """Return pairs of numbers in a column, from alerts of one log alone that agree in all other columns.

    A pair is nearest in time. If both logs have several such alerts at one time, the order of their numbers
    is the same; changes of the unit and rounding keep the order.
    """
    others = defaultdict[Key, dict[float, list[Decimal]]](dict)

    def parts(alert: AlertMatch) -> tuple[Key, float, Decimal] | None:
        key = row_key(alert.row)
        if not is_number(key[place]) or not Decimal(str(key[place])).is_finite():
            return None
        return (*key[:place], *key[place + 1 :]), alert.at, Decimal(str(key[place]))

    first, second = (sorted(filter(None, map(parts, side)), key=itemgetter(1, 2)) for side in match.only)
    for key, t, number in second:
        others[key].setdefault(t, []).append(number)
    pairs: list[tuple[Decimal, Decimal]] = []
    groups = defaultdict[tuple[Key, float], list[Decimal]](list)
    for key, t, number in first:
        groups[key, t].append(number)
    times = {key: [*there] for key, there in others.items()}
    for (key, t), numbers in groups.items():
        if there := others.get(key):
            near = there[_nearest(times[key], t)]
            if len(near) == len(numbers):
                pairs += zip(numbers, near, strict=True)
            else:
                pairs += ((number, _nearest(near, number)) for number in numbers)
    return pairs


def _nearest(ascending: Sequence[_Number], number: _Number) -> _Number:
    place = bisect_left(ascending, number)
    return min(ascending[max(place - 1, 0) : place + 1], key=lambda other: abs(other - number))


def _rounding(
    names: tuple[str, str], column: str, pairs: _Pairs, match: LogMatch, again: Callable[[float], LogMatch]
) -> str | None:
    """Return a sentence with the tolerance with which rounded numbers are equal; None without rounding."""
    places = [max((_places(pair[n]) for pair in pairs), default=0) for n in (0, 1)]
    # Truncated numbers differ by up to one unit of the last place.
    step = Decimal(1).scaleb(-min(places))
    if places[0] == places[1]:
        return None
    near = [(one, other) for one, other in pairs if abs(one - other) <= step]
    # Two zeros do not differ, and have no relative difference.
    apart = [abs(one - other) / (max(abs(one), abs(other)) or 1) for one, other in near]
    least = min(map(len, match.only))
    if 2 * len(apart) < least or not 0 < max(apart, default=0) <= _ROUNDED:
        return None
    enough = max(apart)
    wanted = float(enough.quantize(Decimal(1).scaleb(enough.adjusted() - 1), ROUND_CEILING))
    more = len(again(wanted).both) - len(match.both)
    if 2 * more < least:
        return None
    coarse = names[places.index(min(places))]
    return (
        f"the numbers in the column {column} of {coarse} are rounded: with --tolerance {wanted:g}, "
        f"{quantity(more, 'more alert')} {'is' if more == 1 else 'are'} in both logs"
    )


def _places(number: Decimal) -> int:
    exponent = number.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _unit(names: tuple[str, str], column: str, pairs: _Pairs) -> Iterator[str]:
    """Yield a sentence if a change of the unit explains the numbers of a column."""
    if len({one for one, _ in pairs}) < _FEWEST:
        return
    for factor, summand, small, large in _UNITS:
        for turned in (False, True):
            numbers = [(float(pair[turned]), float(pair[not turned])) for pair in pairs]
            fits = partial(_is_changed, factor, summand)
            if 10 * sum(fits(*pair) for pair in numbers) >= 9 * len(numbers):
                one, other = names[turned], names[not turned]
                more = f" + {summand:g}" if summand else ""
                yield (
                    f"the numbers in the column {column} of {other} are {factor:g} * the numbers of {one}"
                    f"{more}, such as {small} in {one} and {large} in {other}; convert the column of one "
                    "log, and compare again"
                )
                return


def _is_changed(factor: float, summand: float, one: float, other: float) -> bool:
    """Return whether a number has another unit: both numbers may be rounded."""
    return abs(factor * one + summand - other) <= max(abs(other), abs(factor * one)) / 200
