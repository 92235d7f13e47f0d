"""Numbers in experiments and options: `a..b` ranges, periods, time points, shares, lengths of time.

Where nobody says how long one time point is, it is the longest of which every duration is a multiple.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from math import gcd
from pathlib import Path
from typing import Final

from agreement.documents.requests.query_files import PROGRAM_SUFFIX, query_text, read_once, sources
from agreement.documents.values import LARGEST, WrongValueError, cut, message_text, wrong
from lars.durations import NANOSECONDS, SECOND, Duration, read_duration
from lars.errors import LarsError
from translate.model.query import EngineQuery
from translate.model.windows import Range

MOST_NUMBERS: Final = 10_000
"""How many numbers one list or range may name."""
_NUMBER = re.compile(r"[0-9]+")
_MOST_ENDS: Final = 3
"""Of a range: the first, the last and the step."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What whole numbers are called in messages, the least of them, and how they are written."""

    name: str
    least: int
    accepted: str


PERIODS: Final = Numbers(
    "period",
    1,
    "time points from 1 on or durations: one as 5 or 5s, several as 5,10, a range as 1..50 or 1s..60s, "
    "with a step as 5..50..5 or 1m..2h..10m",
)
LENGTHS: Final = replace(PERIODS, name="length")
START_TIMES: Final = Numbers(
    "start time", 0, "time points from 0 on: one as 0, several as 0,5, a range as 0..9"
)
PARAMETERS: Final = Numbers("value", 0, "whole numbers, a range as 1..50")


@dataclass(frozen=True, slots=True)
class Period:
    """A pulling period as written: time points, or a duration."""

    source: int | Duration

    def __str__(self) -> str:
        return str(self.source)

    def points(self, unit: Duration) -> int:
        """Return its time points; raises LarsError for a duration that is no whole number of units."""
        if isinstance(self.source, int):
            return self.source
        try:
            return self.source.points(unit)
        except LarsError as error:
            raise LarsError(f"the period {self}: {error}") from None


def read_periods(text: str, kind: Numbers = PERIODS) -> tuple[Period, ...]:
    """Return the periods, or lengths, that a text names, each once; raises as read_numbers does.

    A range of durations without a step goes by the smallest unit that it is written with.

    >>> print(*read_periods("1..3,10..30..10"), *read_periods("58s..1m"), *read_periods("1m..3m..1m"))
    1 2 3 10 20 30 58s 59s 1m 1m 2m 3m
    """
    ranges = _ranges(text, kind)
    return tuple(
        dict.fromkeys(
            Period(Duration(number) if timed else number) for listed, timed in ranges for number in listed
        )
    )


def read_numbers(text: str, kind: Numbers) -> tuple[int, ...]:
    """Return the numbers that the text names, each once, in the order of the text.

    Raises LarsError for fractions, words, reversed ranges, those that are too small or large, and
    more than MOST_NUMBERS.

    >>> read_numbers("5,10", START_TIMES), read_numbers("0..4,2,10..30..10", START_TIMES)
    ((5, 10), (0, 1, 2, 3, 4, 10, 20, 30))
    """
    return tuple(dict.fromkeys(number for listed, _ in _ranges(text, kind) for number in listed))


def _ranges(text: str, kind: Numbers) -> Iterator[tuple[range, bool]]:
    """Yield the numbers of each part of a text, and whether they are nanoseconds."""
    named = 0
    for part in text.split(","):
        first, last, step, timed = _range_of(part, kind)
        if first > last:
            shown_ends = part.strip().split("..")
            reversed_ends = "..".join((*(name.strip() for name in shown_ends[1::-1]), *shown_ends[2:]))
            raise LarsError(f"the range of {kind.name}s {part.strip()} is reversed: write {reversed_ends}")
        named += (last - first) // step + 1
        if named > MOST_NUMBERS:
            raise LarsError(f"{message_text(text)} names more than {MOST_NUMBERS} {kind.name}s: name fewer")
        yield range(first, last + 1, step), timed


def _range_of(part: str, kind: Numbers) -> tuple[int, int, int, bool]:
    """Return first, last and step of a part, and whether they are nanoseconds."""
    texts = [text.strip() for text in part.split("..")]
    if len(texts) <= _MOST_ENDS and all(map(_NUMBER.fullmatch, texts)):
        first, last, *step = (_number(text, kind) for text in (*texts, *texts)[: max(2, len(texts))])
        if step != [0]:
            return first, last, step[0] if step else 1, False
    try:
        ends = [read_duration(text).nanoseconds for text in texts] if kind is PERIODS else []
    except LarsError:
        ends = []
    if not 0 < len(ends) <= _MOST_ENDS or not all(0 < end <= LARGEST for end in ends):
        raise LarsError(f"{message_text(part.strip())} is no {kind.name}; accepted: {kind.accepted}")
    smallest = min(NANOSECONDS[name] for name in re.findall("[a-z]+", part))
    return ends[0], ends[min(1, len(ends) - 1)], ends[-1] if len(ends) == _MOST_ENDS else smallest, True


def _number(digits: str, kind: Numbers) -> int:
    # int() itself refuses texts of some thousand digits, in words of its own.
    number = int(digits) if len(digits.lstrip("0")) <= len(str(LARGEST)) else LARGEST + 1
    if not kind.least <= number <= LARGEST:
        raise LarsError(
            f"the {kind.name} {cut(digits)} is not in {kind.least}..{LARGEST}; accepted: {kind.accepted}"
        )
    return number


def numbers(kind: Numbers) -> Callable[[object], tuple[int, ...]]:
    """Return the reader of a number, a list of numbers or a text such as 1..50."""
    return lambda value: read_part(_listed_text(value, kind), kind)


def periods(value: object) -> tuple[Period, ...]:
    """Read a period, a list of periods or a text such as 1..50."""
    try:
        return read_periods(_listed_text(value, PERIODS))
    except LarsError as error:
        raise WrongValueError(str(error)) from None


def _listed_text(value: object, kind: Numbers) -> str:
    values = value if isinstance(value, list) else [value]
    timed = [kind is PERIODS and isinstance(one, str) and one[-1:].isalpha() for one in values]
    listed = all(type(item) is int or of_time for item, of_time in zip(values, timed, strict=True))
    if isinstance(value, str) or (values and listed):
        return ",".join(map(str, values))
    raise wrong(value, f"{kind.accepted}; in TOML 5, [5, 10] or '1..50'")


def read_part(text: str, kind: Numbers, part: str | None = None) -> tuple[int, ...]:
    """Return the numbers of a text in a file; raises WrongValueError, which points at the part."""
    try:
        return read_numbers(text, kind)
    except LarsError as error:
        raise WrongValueError(str(error), part=part) from None


def time_point(value: object) -> int:
    """Read a whole number from 0, or a text of one."""
    text = str(value) if type(value) is int else value
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{1,19}", text) or int(text) > LARGEST:
        raise wrong(value, f"a whole number of time points, 0..{LARGEST}")
    return int(text)


def share(value: object) -> float:
    """Read a number from 0 to 1."""
    try:
        number = float(value) if isinstance(value, str | int | float) and type(value) is not bool else -1.0
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise wrong(value, "a number from 0 to 1, as 1e-9")
    return number


def milliseconds(value: object) -> float:
    """Read a duration as milliseconds; zero is one."""
    try:
        if isinstance(value, str):
            return read_duration(value).milliseconds
    except LarsError:
        pass
    raise wrong(value, "a duration in quotes, as in '300ms'")


def fitting_unit(durations: Iterable[Duration]) -> Duration:
    """Return the longest unit of which all durations are multiples, at most a second.

    >>> print(fitting_unit([Duration(3 * 10**9), Duration(200 * 10**6)]), fitting_unit([]))
    200ms 1s
    """
    return Duration(reduce(gcd, (duration.nanoseconds for duration in durations), SECOND.nanoseconds))


def durations_of(query: EngineQuery) -> Iterator[Duration]:
    """Yield the lengths and slides of a query's windows, and how often it is computed."""
    for source in sources(query):
        if isinstance(source.window, Range):
            yield from (
                part for part in (source.window.length, source.window.slide, source.window.until) if part
            )
    if query.every is not None:
        yield query.every


def durations_in(queries: Iterable[Path]) -> Iterator[Duration]:
    """Yield the durations of the queries in files; what cannot be read is said where it is wanted."""
    for path in queries:
        try:
            if path.suffix != PROGRAM_SUFFIX:
                yield from durations_of(read_once(query_text(path), str(path)))
        except LarsError:
            continue


def durations_among(periods: Iterable[Period]) -> Iterator[Duration]:
    """Yield the periods that are written as durations."""
    return (period.source for period in periods if isinstance(period.source, Duration))


def finer_units(unit: Duration, durations: Iterable[Duration]) -> Iterator[Duration]:
    """Yield the units finer than one that divides all durations, with which windows can show other times.

    A quarter of what divides all durations is fine enough: then each gap between ends of windows has a time.

    >>> [str(unit) for unit in finer_units(Duration(10**9), [Duration(5 * 10**9), Duration(9 * 10**9)])]
    ['500ms', '250ms']
    """
    common = reduce(gcd, (duration.nanoseconds for duration in durations), 0)
    for many in _FINER.get(common // unit.nanoseconds, ()):
        if common % many == 0:
            yield Duration(common // many)


_FINER: Final = {1: (2, 3, 4), 2: (4,), 3: (6,)}
"""Into how many parts what divides all durations is cut further, by how many units it has."""
