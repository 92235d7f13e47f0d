"""Match a sequence of reports with consecutive answers of a longer sequence, by content and order.

The program csrbench-oracle compares in this way (Dell'Aglio, Calbimonte, Balduini, Corcho, Della Valle: *On
Correctness in RDF Stream Processor Benchmarking*, 2013). The recorded answers must be consecutive expected
answers: expected answers may be missing only at the beginning and at the end.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import reduce
from itertools import accumulate, chain, zip_longest
from operator import or_

import numpy as np

from agreement.comparing.matching.likeness import Likeness, keys_of, match_rows, row_key
from agreement.documents.recordings import Report, RowsByNumber, rows_of, together
from solver.facts import Row

Rows = Sequence[Row]
Together = Callable[[Report, Report], bool]
"""A function that returns whether a report and the next report can be parts of the same answer."""
Pair = tuple[int | None, tuple[Report, ...]]
"""The number of an answer and its reports; the number is None for reports that belong to no answer."""


def match_part(
    answers: Sequence[Rows], reports: Sequence[Report], joint: Together, how: Likeness
) -> list[Pair] | None:
    """Return consecutive answers with their reports; None if the reports do not match.

    An empty sequence of reports matches any sequence of answers. The function `joint` returns whether a
    report and the next report can be parts of the same answer.
    >>> a, b, c = ((("a",),), (("b",),), (("c",),))
    >>> match_part([a, b, c], [Report(7, b), Report(7.5, c)], lambda one, other: False, Likeness())
    [(1, (Report(t=7, rows=(('b',),), trigger=None),)), (2, (Report(t=7.5, rows=(('c',),), trigger=None),))]
    """
    if not reports:
        return []
    return _Search(answers, reports, joint, how).path()


class _Search:
    """The search for an assignment of reports to answers.

    A set of answers is an integer: bit n is 1 if the set contains answer n. `came[k]` contains the answers
    that can begin after k reports. For each of these answers, the first report of the preceding answer is
    stored; if several first reports are possible, only the earliest is stored.
    """

    def __init__(
        self, answers: Sequence[Rows], reports: Sequence[Report], joint: Together, how: Likeness
    ) -> None:
        self.answers, self.reports, self.joint, self.how = answers, reports, joint, how
        self.came: list[list[tuple[int, int]]] = [[] for _ in range(len(reports) + 1)]
        self._sizes = [self._size([answer]) for answer in answers]
        self._keys = list(map(_as_they_are, answers))
        self._places: dict[int, dict[Hashable, int]] = {}
        """For each number of rows, the answers with this number of rows, grouped by content."""
        for number, (size, key) in enumerate(zip(self._sizes, self._keys, strict=True)):
            alike = self._places.setdefault(size, {})
            alike[key] = alike.get(key, 0) | 1 << number
        self._greater: dict[int, int] = {}
        self._equal: dict[tuple[Hashable, Hashable], bool] = {}

    def path(self) -> list[Pair] | None:
        begun = [(1 << len(self.answers)) - 1, *(0 for _ in self.reports)]
        for first in range(len(self.reports)):
            for end, ended in self._ends(first, begun[first]):
                # After answer n, answer n + 1 begins: a shift moves all bits at once.
                if new := (ended << 1) & ~begun[end]:
                    self.came[end].append((first, new))
                    begun[end] |= new
        # The lowest bit: among several matches, the one with the earliest answers.
        least = begun[-1] & -begun[-1]
        return list(self._path(least.bit_length() - 1))[::-1] if least else None

    def _path(self, number: int) -> Iterator[Pair]:
        end = len(self.reports)
        while end:
            first = next(first for first, answers in self.came[end] if answers >> number & 1)
            yield number - 1, tuple(self.reports[first:end])
            number, end = number - 1, first

    def _ends(self, first: int, begun: int) -> Iterator[tuple[int, int]]:
        """Yield the possible ends of answers of the set `begun` that begin with the report `first`.

        Each result contains the number of reports up to the end, and the set of the answers that can end
        there.
        """
        equal, parts = 0, list[Rows]()
        for end in range(first + 1, len(self.reports) + 1):
            rows = self.reports[end - 1].rows
            if end > first + 1 and not self.joint(self.reports[end - 2], self.reports[end - 1]):
                return
            # A further report without rows does not change the joined rows, so the result stays valid.
            if rows or not parts:
                parts.append(rows)
                size = self._size(parts)
                begun &= self._of_size_from(size)
                equal = self._answers_equal(parts, size, begun)
            if not begun:
                return
            if equal:
                yield end, equal

    def _size(self, parts: Sequence[Rows]) -> int:
        if self.how.semantics == "bag":
            return sum(map(len, parts))
        return len({key for rows in parts for key in _keys(rows, self.how)})

    def _of_size_from(self, least: int) -> int:
        if least not in self._greater:
            large = [alike.values() for size, alike in self._places.items() if size >= least]
            self._greater[least] = reduce(or_, chain.from_iterable(large), 0)
        return self._greater[least]

    def _answers_equal(self, parts: Sequence[Rows], size: int, among: int) -> int:
        """Return the answers of the set `among` that equal the joined rows of several reports."""
        alike = self._places.get(size, {})
        # The smaller of two sets is walked: the candidates, or the different contents of this size.
        if among.bit_count() < len(alike):
            numbers = [number for number in _bits(among) if self._sizes[number] == size]
            alike = {self._keys[number]: alike[self._keys[number]] for number in numbers}
        keys = {key: among & own for key, own in alike.items() if among & own}
        if not keys:
            return 0
        rows = together(parts)
        shown = _as_they_are(rows)
        for key, own in keys.items():
            if (key, shown) not in self._equal:
                answer = self.answers[own.bit_length() - 1]
                self._equal[key, shown] = match_rows(answer, rows, self.how).equal
        return reduce(or_, (own for key, own in keys.items() if self._equal[key, shown]), 0)


def _bits(number: int) -> Iterator[int]:
    """Yield the positions of the bits that are 1."""
    while number:
        yield (number & -number).bit_length() - 1
        number &= number - 1


def nearest(answers: Sequence[Rows], reports: Sequence[Report], joint: Together, how: Likeness) -> list[Pair]:
    """Return answers with their reports, aligned by a longest common subsequence of equal contents.

    Answers before the first report and after the last report are omitted.
    """
    groups = list(_groups(reports, joint))
    ours = [_key(rows, how) for rows in answers]
    theirs = [_key(rows_of(group), how) for group in groups]
    pairs: list[Pair] = []
    before, behind = 0, 0
    for place, other in (*_common(ours, theirs), (len(ours), len(theirs))):
        for number, group in zip_longest(range(before, place), groups[behind:other], fillvalue=None):
            pairs.append((number, group or ()))
        pairs += [(place, groups[other])] if place < len(ours) else []
        before, behind = place + 1, other + 1
    with_reports = [place for place, (_, group) in enumerate(pairs) if group]
    return pairs[with_reports[0] : with_reports[-1] + 1] if with_reports else []


def _common(ours: Sequence[Hashable], theirs: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the positions of a longest common subsequence in both sequences (Hirschberg 1975)."""
    if not ours or not theirs:
        return []
    if len(ours) == 1:
        return [(0, theirs.index(ours[0]))] if ours[0] in theirs else []
    half = len(ours) // 2
    left = _lengths(ours[:half], theirs)
    right = _lengths(ours[half:][::-1], theirs[::-1])[::-1]
    sums = [one + other for one, other in zip(left, right, strict=True)]
    cut = sums.index(max(sums))
    behind = _common(ours[half:], theirs[cut:])
    return [*_common(ours[:half], theirs[:cut]), *((place + half, other + cut) for place, other in behind)]


def _lengths(ours: Sequence[Hashable], theirs: Sequence[Hashable]) -> list[int]:
    """Return the length of a longest common subsequence of `ours` with each beginning of `theirs`.

    Each position of `theirs` has a bit; the bit is 0 if the length grows at this position (Hyyrö 2004).
    """
    places: dict[Hashable, int] = {}
    for place, key in enumerate(theirs):
        places[key] = places.get(key, 0) | 1 << place
    whole = (1 << len(theirs)) - 1
    same = whole
    for key in ours:
        met = same & places.get(key, 0)
        same = ((same + met) | (same - met)) & whole
    bits = f"{same:0{len(theirs)}b}"
    return list(accumulate((bit == "0" for bit in reversed(bits)), initial=0))


def _groups(reports: Sequence[Report], joint: Together) -> Iterator[tuple[Report, ...]]:
    group: list[Report] = []
    for report in reports:
        if group and not (report.t == group[-1].t and joint(group[-1], report)):
            yield tuple(group)
            group = []
        group.append(report)
    if group:
        yield tuple(group)


def _as_they_are(rows: Rows) -> Hashable:
    return rows.numbers.tobytes() if isinstance(rows, RowsByNumber) else tuple(rows)


def _keys(rows: Rows, how: Likeness) -> Sequence[Hashable]:
    """Return the key of each row; equal rows have the same key."""
    if isinstance(rows, RowsByNumber):
        return list(keys_of(rows.of, lexical=how.lexical).of(rows).tolist())
    return [row_key(row, lexical=how.lexical) for row in rows]


def _key(rows: Rows, how: Likeness) -> Hashable:
    """Return the key of an answer; answers with equal rows have the same key."""
    if isinstance(rows, RowsByNumber):
        keys = keys_of(rows.of, lexical=how.lexical).of(rows)
        return (np.unique(keys) if how.semantics == "set" else np.sort(keys)).tobytes()
    result = sorted(_keys(rows, how), key=repr)
    return tuple(dict.fromkeys(result)) if how.semantics == "set" else tuple(result)
