"""Numbers in experiments and options: `a..b` ranges, time points, shares, lengths of time."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from agreement.inputs.values import LARGEST, WrongValueError, cut, shown, wrong
from lars.durations import read_duration
from lars.errors import LarsError

MOST_NUMBERS: Final = 10_000
"""How many numbers one list or range may name."""
_PART_OF_NUMBERS = re.compile(r"\s*([0-9]+)\s*(?:\.\.\s*([0-9]+)\s*)?")


@dataclass(frozen=True, slots=True)
class Numbers:
    """What whole numbers are called in messages, the least of them, and how they are written."""

    name: str
    least: int
    accepted: str


PERIODS: Final = Numbers(
    "period", 1, "whole numbers of time points from 1 on: one as 5, several as 5,10, a range as 1..50"
)
START_TIMES: Final = Numbers(
    "start time", 0, "time points from 0 on: one as 0, several as 0,5, a range as 0..9"
)
PARAMETERS: Final = Numbers("value", 0, "whole numbers, a range as 1..50")


def read_periods(text: str) -> tuple[int, ...]:
    """Return the periods that a text names; raises as read_numbers does."""
    return read_numbers(text, PERIODS)


def read_numbers(text: str, kind: Numbers) -> tuple[int, ...]:
    """Return the numbers that the text names, each once, in the order of the text.

    Raises LarsError for fractions, words, reversed ranges, those that are too small or large, and
    more than MOST_NUMBERS.

    >>> read_numbers("5,10", PERIODS), read_numbers("1..4,2", PERIODS)
    ((5, 10), (1, 2, 3, 4))
    """
    found: dict[int, None] = {}
    named = 0
    for part in text.split(","):
        first, last = _first_and_last(part, kind)
        named += last - first + 1
        if named > MOST_NUMBERS:
            raise LarsError(f"{shown(text)} names more than {MOST_NUMBERS} {kind.name}s: name fewer")
        found.update(dict.fromkeys(range(first, last + 1)))
    return tuple(found)


def _first_and_last(part: str, kind: Numbers) -> tuple[int, int]:
    match = _PART_OF_NUMBERS.fullmatch(part)
    if not match:
        raise LarsError(f"{shown(part.strip())} is no {kind.name}; accepted: {kind.accepted}")
    first, last = (_number(text, kind) for text in (match[1], match[2] or match[1]))
    if first > last:
        raise LarsError(f"the range of {kind.name}s {part.strip()} is reversed: write {last}..{first}")
    return first, last


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

    def read(value: object) -> tuple[int, ...]:
        values = value if isinstance(value, list) else [value]
        if isinstance(value, str):
            text = value
        elif values and all(type(one) is int for one in values):
            text = ",".join(map(str, values))
        else:
            raise wrong(value, f"{kind.accepted}; in TOML 5, [5, 10] or '1..50'")
        return read_part(text, kind)

    return read


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
        found = float(value) if isinstance(value, str | int | float) and type(value) is not bool else -1.0
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise wrong(value, "a number from 0 to 1, as 1e-9")
    return found


def milliseconds(value: object) -> float:
    """Read a duration as milliseconds; zero is one."""
    try:
        if isinstance(value, str):
            return read_duration(value).milliseconds
    except LarsError:
        pass
    raise wrong(value, "a duration in quotes, as in '300ms'")
