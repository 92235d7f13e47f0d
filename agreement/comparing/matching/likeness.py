"""Match the rows of two answers: numbers are compared by value, and names of blank nodes are ignored.

As many rows as possible are paired. Each row has a key, its form for comparison; rows that count as equal
have the same key. The keys of very many rows are numbered, and the numbers are compared as arrays.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache, partial
from itertools import islice
from math import isfinite, isnan, nextafter
from operator import attrgetter
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from agreement.comparing.matching.blank_nodes import blanks, opened
from agreement.comparing.matching.numbers import Close, Number, double
from agreement.documents.recordings import RowNumbers, RowsByNumber, as_lexical, together
from agreement.documents.requests import TOLERANCE
from lars.dataclass import dataclass
from lars.language.terms import Iri, Literal
from solver.columns import Array, Mask, Numbering
from solver.facts import Row, constant_of
from solver.rdf import blanks_in, value, with_blanks
from translate.model.query import Semantics

Key = tuple[Hashable, ...]
Doubles = npt.NDArray[np.float64]
_ROUNDED: Final = 1e-9
"""The relative tolerance that comparisons of columns add; closer numbers are compared exactly."""
_EXACT_FROM: Final = 1e-290
"""Numbers below this one, and above its reciprocal, are not compared as doubles."""
_DOUBT: Final = 1e-14
"""The relative error of a comparison of two exact numbers as doubles."""


def row_key(row: Row, *, lexical: bool = False) -> Key:
    """Return the key of a row: rows whose numbers and booleans have the same values have the same key.

    If `lexical` is true, only the lexical forms of terms count, because the recorded format omits their
    kinds.
    """
    return tuple(map(_lexical_value if lexical else _value, row))


@lru_cache(maxsize=2**16)
def _value(text: str | None) -> Hashable:
    """Return a term in the form for comparison: a number, a pair for a boolean, or a text.

    NaN remains a text.
    """
    if text is None or not text.startswith('"') or "^^" not in text:
        return text
    number = value(constant_of(text))
    if isinstance(number, bool):
        return "boolean", number
    if isinstance(number, float) and isnan(number):
        return text
    return number if isinstance(number, int | Decimal | float) else text


@lru_cache(maxsize=2**16)
def _lexical_value(text: str | None) -> Hashable:
    return _value(as_lexical(text))


def close(one: Hashable, other: Hashable, tolerance: float, rounding: float = 0.0) -> bool:
    """Return whether two parts of keys count as equal, with a relative tolerance for numbers.

    Two integers count as equal only if they have the same value. Other numbers may also differ by `rounding`
    in addition to the tolerance. If one of two numbers is a double, both are compared as doubles.
    """
    if one == other:
        return True
    if not isinstance(one, int | Decimal | float) or not isinstance(other, int | Decimal | float):
        return False
    if isinstance(one, int) and isinstance(other, int):
        return False
    if isinstance(one, float) or isinstance(other, float):
        mine, yours = double(one), double(other)
        if isfinite(mine) and isfinite(yours):
            return abs(mine - yours) <= tolerance * max(abs(mine), abs(yours)) + rounding
        if not all(isinstance(number, int | Decimal) or isfinite(number) for number in (one, other)):
            return False
    else:
        # Fractions are exact but slow: doubles decide all cases but those within their own error.
        mine, yours = double(one), double(other)
        greatest = max(abs(mine), abs(yours))
        if _EXACT_FROM < greatest < 1 / _EXACT_FROM:
            apart, most = abs(mine - yours), tolerance * greatest + rounding
            if abs(apart - most) > _DOUBT * (greatest + most):
                return apart < most
    exact = Fraction(one), Fraction(other)
    return abs(exact[0] - exact[1]) <= Fraction(tolerance) * max(map(abs, exact)) + Fraction(rounding)


def is_number(part: Hashable) -> bool:
    """Return whether a part of a key is a number."""
    return isinstance(part, int | Decimal | float)


def _part(text: str | None, *, lexical: bool) -> Hashable:
    """Return the form of a term for comparison, such as a number."""
    (part,) = row_key((text,), lexical=lexical)
    return part


class RowKeys:
    """The keys of numbered rows, as integers: rows that count as equal have the same integer."""

    def __init__(self, *, lexical: bool) -> None:
        self._part = cache(partial(_part, lexical=lexical))
        self._keys: Numbering[Key] = Numbering()
        self._numbers = np.empty(0, np.int64)
        self._blank: list[int] = []
        self._numeric: list[tuple[int, Number]] = []
        self._fractions: set[Number] = set()
        """The numbers that occur in some term as a decimal, float or double."""
        self._lone: dict[tuple[float, float, int], Mask] = {}

    def of(self, rows: RowsByNumber) -> Array:
        """Return, for each row, the integer of its key."""
        self._grow(rows.of)
        return self._numbers[rows.numbers]

    def lone(self, rows: RowsByNumber, tolerance: float, rounding: float = 0.0) -> Mask:
        """Return a mask of the rows that can be equal only to rows with the same key.

        The rows outside the mask have blank nodes, or numbers that are near other numbers.
        """
        keys, now = self.of(rows), (tolerance, rounding, len(rows.of))
        if now not in self._lone:
            self._lone = {now: self._alone(tolerance, rounding)}
        return self._lone[now][keys]

    def _grow(self, of: RowNumbers) -> None:
        if len(self._numbers) == len(of):
            return
        rows, before = of.rows[len(self._numbers) :], len(self._keys)
        keys = [tuple(map(self._part, row)) for row in rows]
        self._numbers = np.concatenate((self._numbers, [self._keys[key] for key in keys]))
        self._fractions.update(part for key in keys for part in key if isinstance(part, Decimal | float))
        for number, key in enumerate(islice(self._keys, before, None), before):
            if any(isinstance(part, str) and blanks_in(part) for part in key):
                self._blank.append(number)
            self._numeric += ((number, part) for part in key if isinstance(part, int | Decimal | float))

    def _alone(self, tolerance: float, rounding: float) -> Mask:
        mask = np.ones(len(self._keys), np.bool_)
        mask[self._blank] = False
        if self._numeric:
            values = {value: place for place, value in enumerate({value for _, value in self._numeric})}
            fractional = [value in self._fractions for value in values]
            near = _near_others(list(values), fractional, tolerance, rounding)
            owners, places = zip(*((owner, values[value]) for owner, value in self._numeric), strict=True)
            mask[np.array(owners)[near[np.array(places)]]] = False
        return mask


def _near_others(
    values: Sequence[Number], fractional: Sequence[bool], tolerance: float, rounding: float = 0.0
) -> Mask:
    """Return a mask of the numbers that may be near another number; two integers are never near.

    Numbers are near if their difference is at most the relative tolerance and `rounding` together. A number
    that is near any other number is also near its neighbor in ascending order. `fractional` is true for each
    number that some term writes as a decimal, float or double.
    """
    doubles = np.array(list(map(double, values)), np.float64)
    order = np.argsort(doubles)
    ascending, parts = doubles[order], np.array(fractional, np.bool_)[order]
    neighbours = _may_be_near(ascending[:-1], ascending[1:], tolerance, rounding)
    near: Mask = np.zeros(len(order), np.bool_)
    near[order] = parts & (np.append(neighbours, False) | np.insert(neighbours, 0, False))
    # Two integers are never near, so an integer is compared with the nearest fractional numbers only.
    fractions = ascending[parts]
    for side in (0, 1) if len(fractions) else ():
        places = np.searchsorted(fractions, ascending) - side
        others = fractions[np.clip(places, 0, len(fractions) - 1)]
        near[order] |= ~parts & _may_be_near(ascending, others, tolerance, rounding)
    return near


def _may_be_near(ones: Doubles, others: Doubles, tolerance: float, rounding: float) -> Mask:
    with np.errstate(invalid="ignore", over="ignore"):
        greatest = np.maximum(np.abs(ones), np.abs(others))
        apart: Mask = np.abs(ones - others) > (tolerance + _ROUNDED) * greatest + rounding
    # If the difference is NaN, as of two infinities, the comparison is false: the numbers may be near.
    return ~apart


_KEYS: Final = WeakKeyDictionary[RowNumbers, dict[bool, RowKeys]]()
"""The cached keys of rows; a key is kept as long as its row numbers are in memory."""


def keys_of(rows: RowNumbers, *, lexical: bool) -> RowKeys:
    """Return the keys of numbered rows; the keys are cached, and keys of new rows are added later."""
    known = _KEYS.setdefault(rows, {})
    if lexical not in known:
        known[lexical] = RowKeys(lexical=lexical)
    return known[lexical]


_FEW_ROWS: Final = 64
"""The number of rows below which a comparison row by row is faster."""
_MARKS: Final = 32
"""The number of counts per row up to which a table of counts is cheaper than sorting the rows."""
_NUMBER: Final = object()
_ROUNDINGS: Final = 4
"""The number of adjacent doubles by which rounding can change the difference of two numbers."""


def pair_rows(expected: Sequence[Key], actual: Sequence[Key], close: Close) -> dict[int, int]:
    """Return a maximum matching of expected and actual keys, as pairs of indexes.

    Equal keys are paired first, then keys with nearly equal numbers in ascending order. Pairs are added by
    changing earlier ones along augmenting paths, until no pair can be added (Berge 1957).
    """
    pairs = _equal(expected, actual)
    left = [place for place, key in enumerate(expected) if place not in pairs and _has_number(key)]
    if not left or len(pairs) == len(actual):
        return pairs
    near = Near(actual, close)
    taken = {other: place for place, other in pairs.items()}
    for place, other in near.in_order({place: expected[place] for place in left}, taken):
        pairs[place], taken[other] = other, place
    kinds = [(key, tuple(map(type, key))) for key in expected]
    places = cache(lambda kind: near.of(kind[0]))
    lost, seen = set[Hashable](), set[int]()
    for place in left:
        if place not in pairs and len(pairs) < len(actual):
            _add(place, pairs, taken, (kinds, places), (lost, seen))
    return pairs


def _equal(expected: Sequence[Key], actual: Sequence[Key]) -> dict[int, int]:
    places: dict[Key, deque[int]] = defaultdict(deque)
    for place, key in enumerate(actual):
        places[key].append(place)
    return {place: places[key].popleft() for place, key in enumerate(expected) if places.get(key)}


def _add(
    start: int,
    pairs: dict[int, int],
    taken: dict[int, int],
    near: tuple[Sequence[Hashable], Callable[[Hashable], Sequence[int]]],
    lost: tuple[set[Hashable], set[int]],
) -> None:
    """Pair the key with index `start`, and pair other keys again along an augmenting path if necessary.

    Args:
        start: The index of an expected key without a pair.
        pairs: The pairs, by the index of the expected key.
        taken: The pairs, by the index of the actual key.
        near: The kind of each expected key, and a function that returns the indexes of its near keys.
        lost: The kinds and the indexes of actual keys from which no path leads to a free key: a search that
            fails shows this, and later pairs do not change it.
    """
    kinds, places = near
    came: dict[int, int] = {}
    passed = set[Hashable]()
    waiting = deque([start])
    while waiting:
        place = waiting.popleft()
        # Equal keys have the same near keys, so one of them represents all.
        if kinds[place] in passed or kinds[place] in lost[0]:
            continue
        passed.add(kinds[place])
        for other in places(kinds[place]):
            if other in came or other in lost[1]:
                continue
            came[other] = place
            if other not in taken:
                _move(other, came, pairs, taken)
                return
            waiting.append(taken[other])
    lost[0].update(passed)
    lost[1].update(came)


def _move(free: int, came: dict[int, int], pairs: dict[int, int], taken: dict[int, int]) -> None:
    other: int | None = free
    while other is not None:
        place = came[other]
        taken[other] = place
        before = pairs.get(place)
        pairs[place] = other
        other = before


class Near:
    """An index of keys with numbers: in a group, keys differ only in numbers and are sorted by one of them.

    This is the number with the most values.
    """

    def __init__(self, keys: Sequence[Key], close: Close) -> None:
        self.keys, self.close = keys, close
        groups: dict[Key, list[int]] = defaultdict(list)
        for place, key in enumerate(keys):
            if _has_number(key):
                groups[shape_of(key)].append(place)
        # Sorted by the number with the most values, a range of near numbers contains the fewest keys.
        self.columns: dict[Key, int] = {}
        for shape, places in groups.items():
            values = [len({keys[place][n] for place in places}) for n in range(len(shape))]
            numbers = [n for n, part in enumerate(shape) if part is _NUMBER]
            self.columns[shape] = max(numbers, key=values.__getitem__)
        self.places = {
            shape: sorted((self._number(keys[place], shape), place) for place in places)
            for shape, places in groups.items()
        }

    def of(self, key: Key) -> list[int]:
        """Return the indexes of the keys whose numbers are nearly equal to those of the given key."""
        own, low, high = self._range(key)
        return [place for _, place in own[low:high] if self.are_near(key, self.keys[place])]

    def most(self, key: Key) -> int:
        """Return the maximum number of keys whose numbers are nearly equal to those of the given key."""
        _, low, high = self._range(key)
        return high - low

    def are_near(self, one: Key, other: Key) -> bool:
        """Return whether all parts of two keys are nearly equal."""
        return all(map(self.close, one, other))

    def in_order(self, keys: Mapping[int, Key], taken: Collection[int]) -> Iterator[tuple[int, int]]:
        """Yield pairs of near keys in ascending order: an index of `keys`, and an index that is not taken."""
        groups: dict[Key, list[tuple[float, int]]] = defaultdict(list)
        for place, key in keys.items():
            if (shape := shape_of(key)) in self.columns:
                groups[shape].append((self._number(key, shape), place))
        for shape, every in groups.items():
            waiting = deque((number, other) for number, other in self.places[shape] if other not in taken)
            for number, place in sorted(every):
                while waiting and waiting[0][0] < number and not self._may_be_near(waiting[0][0], number):
                    waiting.popleft()
                if waiting and self.are_near(keys[place], self.keys[waiting[0][1]]):
                    yield place, waiting.popleft()[1]

    def _number(self, key: Key, shape: Key) -> float:
        number = key[self.columns[shape]]
        assert isinstance(number, Number)
        return double(number)

    def _range(self, key: Key) -> tuple[Sequence[tuple[float, int]], int, int]:
        """Return a sorted list, and the range of its numbers that may be near the number of a key."""
        shape = shape_of(key)
        if (own := self.places.get(shape)) is None:
            return (), 0, 0
        number = self._number(key, shape)
        # The entries with exactly this number, extended on both sides while numbers may be near.
        low, high = bisect_left(own, (number, -1)), bisect_right(own, (number, len(self.keys)))
        low = bisect_left(own, True, 0, low, key=lambda item: self._may_be_near(item[0], number))
        high = bisect_left(own, True, high, key=lambda item: not self._may_be_near(item[0], number))
        return own, low, high

    def _may_be_near(self, one: float, other: float) -> bool:
        """Return whether numbers that round to these doubles can be near each other."""
        # Both numbers were rounded to doubles, so they can be nearer than the doubles are.
        for _ in range(_ROUNDINGS):
            one = nextafter(one, other)
        return self.close(one, other)


def _has_number(key: Key) -> bool:
    return any(map(is_number, key))


def shape_of(key: Key) -> Key:
    """Return a key with one mark in place of each number."""
    return tuple(_NUMBER if is_number(part) else part for part in key)


@dataclass(frozen=True, slots=True)
class Likeness:
    """The settings for comparing rows.

    - `semantics` is the comparison as multisets (`bag`) or as sets.
    - `tolerance` is the relative difference up to which numbers count as equal. Two integers must be equal.
    - `lexical` is true if only lexical forms of terms count. Formats that omit the kinds of terms, such as
      SPARQL 1.1 CSV, need this comparison.
    - `rounding` is the difference that numbers may have in addition, whatever their size: half of the last
      digit of rounded numbers.
    """

    semantics: Semantics = "bag"
    tolerance: float = TOLERANCE
    lexical: bool = False
    rounding: float = 0.0

    @property
    def close(self) -> Close:
        """The function that returns whether two parts of keys count as equal."""
        return partial(close, tolerance=self.tolerance, rounding=self.rounding)


@dataclass(frozen=True, slots=True)
class RowMatch:
    """A comparison of two answers: the shared rows, and the missing and extra rows of the second answer."""

    shared: Sequence[Row] = ()
    missing: Sequence[Row] = ()
    extra: Sequence[Row] = ()

    @property
    def common(self) -> int:
        """The number of rows that both answers share."""
        return len(self.shared)

    @property
    def equal(self) -> bool:
        """Whether both answers have the same rows."""
        return not self.missing and not self.extra

    @property
    def expected(self) -> int:
        """The number of expected rows."""
        return self.common + len(self.missing)

    @property
    def actual(self) -> int:
        """The number of reported rows."""
        return self.common + len(self.extra)

    @property
    def precision(self) -> float:
        """The share of the reported rows that are right; 1 if no row is reported."""
        return share(self.common, self.actual)

    @property
    def recall(self) -> float:
        """The share of the right rows that are reported; 1 if no row is right."""
        return share(self.common, self.expected)

    @property
    def score(self) -> float:
        """The harmonic mean of precision and recall; 1 if both answers are empty."""
        return share(2 * self.common, self.expected + self.actual)


_NO_ROWS: Final = RowMatch()


def share(part: int, whole: int) -> float:
    """Return `part` divided by `whole`, or 1 if `whole` is 0."""
    return part / whole if whole else 1.0


def join_rows(matches: Sequence[RowMatch]) -> RowMatch:
    """Return one match with the shared, missing and extra rows of several matches."""
    return RowMatch(
        together([match.shared for match in matches]),
        together([match.missing for match in matches]),
        together([match.extra for match in matches]),
    )


def match_rows(expected: Sequence[Row], actual: Sequence[Row], how: Likeness) -> RowMatch:
    """Pair as many actual rows as possible with equal expected rows.

    Blank nodes are renamed one to one if this makes the answers equal. Otherwise, blank nodes that share the
    most rows get the same name.
    """
    if not expected and not actual:
        return _NO_ROWS
    if len(expected) + len(actual) < _FEW_ROWS:
        return _known_match(tuple(expected), tuple(actual), how)
    known = next((rows.of for rows in (expected, actual) if isinstance(rows, RowsByNumber)), RowNumbers())
    return _by_numbers(known.numbered(expected), known.numbered(actual), how)


def _by_numbers(expected: RowsByNumber, actual: RowsByNumber, how: Likeness) -> RowMatch:
    """Match numbered rows: most rows by the integers of their keys, rows with near numbers one by one."""
    keys = keys_of(expected.of, lexical=how.lexical)
    if how.semantics == "set":
        expected, actual = (rows.chosen(_first_of_each(keys.of(rows))) for rows in (expected, actual))
    if np.array_equal(expected.numbers, actual.numbers):
        return RowMatch(expected)
    lone = [keys.lone(rows, how.tolerance, how.rounding) for rows in (expected, actual)]
    others = [np.flatnonzero(~mask) for mask in lone]
    shared, known = _in_common(keys.of(expected), keys.of(actual))
    shared, known = shared & lone[0], known & lone[1]
    if len(others[0]) and len(others[1]):
        pairs = _pairs(expected.chosen(others[0]), actual.chosen(others[1]), how)
        shared[others[0][list(pairs)]] = True
        known[others[1][list(pairs.values())]] = True
    return RowMatch(expected.chosen(shared), expected.chosen(~shared), actual.chosen(~known))


def _first_of_each(keys: Array) -> Array:
    """Return the index of the first row with each key, ordered by the last row with the key.

    This is the order of `_distinct`, so that results do not depend on the number of rows.
    """
    _, first = np.unique(keys, return_index=True)
    _, last = np.unique(keys[::-1], return_index=True)
    return first[np.argsort(-last)]


def _in_common(ours: Array, theirs: Array) -> tuple[Mask, Mask]:
    """Return a mask for each side: the keys that both sides share, counted as multisets.

    If a side contains a key more often than the other side, its first occurrences count as shared.
    """
    sides, room = (ours, theirs), 1 + max(ours.max(initial=0), theirs.max(initial=0))
    if room > _MARKS * (len(ours) + len(theirs)):
        distinct, both = np.unique(np.concatenate(sides), return_inverse=True)
        sides, room = (both[: len(ours)], both[len(ours) :]), len(distinct)
    counts = [np.bincount(side, minlength=room) for side in sides]
    if max(int(count.max(initial=0)) for count in counts) <= 1:
        return counts[1][sides[0]] > 0, counts[0][sides[1]] > 0
    return _nth(sides[0]) < counts[1][sides[0]], _nth(sides[1]) < counts[0][sides[1]]


def _nth(keys: Array) -> Array:
    """Return, for each key, the number of equal keys before it."""
    order = np.argsort(keys, kind="stable")
    ascending = keys[order]
    numbers = np.empty_like(order)
    numbers[order] = np.arange(len(keys)) - np.searchsorted(ascending, ascending)
    return numbers


def matched_by_keys(expected: Sequence[Row], actual: Sequence[Row], how: Likeness) -> RowMatch:
    """Match two answers row by row; `match_rows` uses this function for few rows."""
    if how.semantics == "set":
        expected, actual = _distinct(expected, how), _distinct(actual, how)
    pairs = _pairs(expected, actual, how)
    taken = set(pairs.values())
    missing = tuple(row for place, row in enumerate(expected) if place not in pairs)
    extra = tuple(row for place, row in enumerate(actual) if place not in taken)
    shared = tuple(row for place, row in enumerate(expected) if place in pairs)
    return RowMatch(shared, missing, extra)


# Start times and causes that are tried one after another often compare the same two answers again.
_known_match = lru_cache(maxsize=2**14)(matched_by_keys)


def _pairs(expected: Sequence[Row], actual: Sequence[Row], how: Likeness) -> dict[int, int]:
    alike = how.close
    keys, others = (
        [opened(row_key(row, lexical=how.lexical)) for row in rows] for rows in (expected, actual)
    )
    if any(map(blanks, others)):
        # Loaded on demand, because most answers have no blank nodes.
        from agreement.comparing.matching.blank_names import rename_blanks

        others = rename_blanks(keys, others, alike)
    return pair_rows(keys, others, alike)


_MOST_NAMED: Final = 300
"""The number of rows of reports with blank nodes up to which each report has labels of its own."""


def named_rows(expected: Sequence[Row], reports: Sequence[Sequence[Row]], how: Likeness) -> list[Row]:
    """Return the rows of several reports, with their blank nodes renamed to expected blank nodes.

    A label is valid only in its report: in two reports, the same label can mean two blank nodes, and two
    labels can mean the same blank node. If very many rows have blank nodes, the function does not rename
    them.
    """
    blank = [report for report in reports if any(blanks_in(text) for row in report for text in row if text)]
    if not blank or sum(map(len, blank)) > _MOST_NAMED:
        return [row for report in reports for row in report]
    # Loaded on demand, because most answers have no blank nodes.
    from agreement.comparing.matching.blank_names import names_by_report

    alike = how.close
    keys, *own = (
        [opened(row_key(row, lexical=how.lexical)) for row in rows] for rows in (expected, *reports)
    )
    names = names_by_report(keys, own, alike)
    return [
        tuple(text and with_blanks(text, partial(_named, own_names, number)) for text in row)
        for number, (report, own_names) in enumerate(zip(reports, names, strict=True))
        for row in report
    ]


def _named(names: Mapping[str, str], report: int, label: str) -> str:
    # The names of nodes without a counterpart differ between reports, and are labels that can be read again.
    return names.get(label, f"_:lars-report.{report}.{label.removeprefix('_:')}")


def _distinct(rows: Iterable[Row], how: Likeness) -> list[Row]:
    return list({row_key(row, lexical=how.lexical): row for row in reversed(list(rows))}.values())[::-1]


def kinds_apart(differences: Iterable[RowMatch]) -> Iterator[tuple[str, str]]:
    """Yield pairs of an IRI and a literal in the same place: one is in an extra row, one in a missing row.

    The extra row and the missing row must have the same lexical forms; the last part of an IRI counts as its
    lexical form.
    """
    for rows in differences:
        expected = {tuple(map(_bare_value, row)): row for row in rows.missing}
        for row in rows.extra:
            other = expected.get(tuple(map(_bare_value, row)), row)
            terms = zip(other, row, strict=True)
            yield from islice((pair for pair in terms if _is_iri(pair[0]) != _is_iri(pair[1])), 1)


def only_kinds_apart(differences: Sequence[RowMatch]) -> bool:
    """Return whether all wrong rows have an IRI in place of a literal, or a literal in place of an IRI."""
    wrong = [rows for rows in differences if rows.missing or rows.extra]
    pairs = sum(1 for _ in kinds_apart(wrong))
    return pairs > 0 and all(pairs == sum(len(side(rows)) for rows in wrong) for side in _SIDES)


_SIDES: Final = (attrgetter("missing"), attrgetter("extra"))


def _is_iri(term: str | None) -> bool:
    return term is not None and term.startswith("<") and not term.startswith("<<")


def _bare_value(term: str | None) -> str | None:
    """Return the lexical form of a literal, or the last part of an IRI."""
    match None if term is None else constant_of(term):
        case Iri(iri):
            return re.split("[/#:]", iri)[-1]
        case Literal(lexical):
            return lexical
        case _:
            return term
