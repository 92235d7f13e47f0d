"""How many rows two answers share: numbers by value, blank nodes up to their names."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from math import isnan
from typing import Final

from agreement.isomorphism import alike_rows
from agreement.recordings.lexical import as_lexical
from agreement.recordings.recording import Row
from solver.facts import constant_of
from solver.values import value
from translate.profiles import Semantics

TOLERANCE: Final = 1e-9
"""How far two numbers may lie apart, relative to the larger one, and count as equal."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How rows are compared: as a multiset or a set, with a tolerance, or by lexical forms alone.

    `lexical` is for formats that lose what kind of term a value is (SPARQL 1.1 CSV).
    """

    semantics: Semantics = Semantics.BAG
    tolerance: float = TOLERANCE
    lexical: bool = False


@dataclass(frozen=True, slots=True)
class Matched:
    """How many rows two answers share, those expected that are missing, and those that are extra."""

    common: int
    missing: tuple[Row, ...]
    extra: tuple[Row, ...]

    @property
    def equal(self) -> bool:
        """Whether the answers are the same."""
        return not self.missing and not self.extra


def matched(expected: Sequence[Row], actual: Sequence[Row], how: Likeness) -> Matched:
    """Return how the actual rows match the expected ones."""
    if how.semantics is Semantics.SET:
        expected, actual = _distinct(expected, how), _distinct(actual, how)
    missing, extra = _without_equal(expected, actual, how)
    missing, extra = _without_near(missing, extra, how)
    missing, extra = _without_renamed(missing, extra)
    return Matched(len(expected) - len(missing), tuple(missing), tuple(extra))


def _distinct(rows: Iterable[Row], how: Likeness) -> list[Row]:
    return list({row_key(row, how): row for row in reversed(list(rows))}.values())[::-1]


def _without_equal(
    expected: Sequence[Row], actual: Sequence[Row], how: Likeness
) -> tuple[list[Row], list[Row]]:
    wanted = Counter(row_key(row, how) for row in expected)
    found = Counter(row_key(row, how) for row in actual)
    return _left(expected, wanted - found, how), _left(actual, found - wanted, how)


def _left(rows: Sequence[Row], left: Counter[tuple[Hashable, ...]], how: Likeness) -> list[Row]:
    kept = []
    for row in rows:
        if left[key := row_key(row, how)]:
            left[key] -= 1
            kept.append(row)
    return kept


def row_key(row: Row, how: Likeness) -> tuple[Hashable, ...]:
    """Return what equal rows have in common: numbers by their value."""
    return tuple(_lexical(text) if how.lexical else _value(text) for text in row)


@lru_cache(maxsize=2**16)
def _value(text: str | None) -> Hashable:
    number = _number(text)
    return text if number is None else number


def _lexical(text: str | None) -> Hashable:
    return _value(as_lexical(text))


@lru_cache(maxsize=2**16)
def _number(text: str | None) -> int | Decimal | float | None:
    """Return the value of a number's text; NaN, which equals nothing, stays a text."""
    if text is None or not text.startswith('"') or "^^" not in text:
        return None
    found = value(constant_of(text))
    if isinstance(found, bool) or not isinstance(found, int | Decimal | float):
        return None
    return None if isnan(found) else found


def _without_near(missing: list[Row], extra: list[Row], how: Likeness) -> tuple[list[Row], list[Row]]:
    left = list(extra)
    kept = []
    for row in missing:
        near = next((other for other in left if _near(row, other, how)), None)
        if near is None:
            kept.append(row)
        else:
            left.remove(near)
    return kept, left


def _near(row: Row, other: Row, how: Likeness) -> bool:
    return all(_close(one, two, how) for one, two in zip(row_key(row, how), row_key(other, how), strict=True))


def _close(one: object, other: object, how: Likeness) -> bool:
    if one == other or (isinstance(one, int) and isinstance(other, int)):
        return one == other
    if isinstance(one, int | Decimal | float) and isinstance(other, int | Decimal | float):
        return abs(float(one) - float(other)) <= how.tolerance * max(abs(float(one)), abs(float(other)))
    return False


def _without_renamed(missing: list[Row], extra: list[Row]) -> tuple[list[Row], list[Row]]:
    """Leave out rows that differ by the names of blank nodes only: all of them, or none."""
    one, other = ([row for row in rows if _has_blank(row)] for rows in (missing, extra))
    if not one or not alike_rows(one, other):
        return missing, extra
    return [row for row in missing if not _has_blank(row)], [row for row in extra if not _has_blank(row)]


def _has_blank(row: Row) -> bool:
    return any(text is not None and text.startswith("_:") for text in row)
