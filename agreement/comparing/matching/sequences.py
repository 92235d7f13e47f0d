"""Match a sequence of reports with a part of a sequence of answers, by content and order.

csrbench-oracle compares in this way (Dell'Aglio, Calbimonte, Balduini, Corcho, Della Valle: *On Correctness
in RDF Stream Processor Benchmarking*, 2013). The recording must be a contiguous part of the expected answers.
Answers may be missing only at the beginning and at the end.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import field
from difflib import SequenceMatcher

import numpy as np

from agreement.comparing.matching.likeness import Likeness, keys_of, match_rows, row_key
from agreement.documents.recordings import Report, RowsByNumber, rows_of
from lars.dataclass import dataclass
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

    An empty sequence of reports matches any sequence of answers.

    >>> a, b, c = ((("a",),), (("b",),), (("c",),))
    >>> match_part([a, b, c], [Report(7, b), Report(7.5, c)], lambda one, other: False, Likeness())
    [(1, (Report(t=7, rows=(('b',),), trigger=None),)), (2, (Report(t=7.5, rows=(('c',),), trigger=None),))]
    """
    if not reports:
        return []
    return _Search(answers, reports, joint, how).path()


@dataclass(slots=True)
class _Search:
    """The search for an assignment of reports to answers.

    `came` maps (n, k) to a report: with this report answer n - 1 began, if the first k reports are assigned
    to answers up to n - 1.
    """

    answers: Sequence[Rows]
    reports: Sequence[Report]
    joint: Together
    how: Likeness
    came: dict[tuple[int, int], int] = field(default_factory=dict)
    _equal: dict[tuple[Hashable, Hashable], bool] = field(default_factory=dict)

    def path(self) -> list[Pair] | None:
        ends: dict[int, set[int]] = {0: set(range(len(self.answers)))}
        for first in range(len(self.reports)):
            for number in sorted(ends.pop(first, ())):
                for end in self._ends(number, first):
                    self.came.setdefault((number + 1, end), first)
                    if number + 1 < len(self.answers) or end == len(self.reports):
                        ends.setdefault(end, set()).add(number + 1)
        last = min(ends.get(len(self.reports), ()), default=None)
        return None if last is None else list(self._path(last))[::-1]

    def _path(self, number: int) -> Iterator[Pair]:
        end = len(self.reports)
        while end:
            first = self.came[number, end]
            yield number - 1, tuple(self.reports[first:end])
            number, end = number - 1, first

    def _ends(self, number: int, first: int) -> Iterator[int]:
        """Yield the numbers of reports with which an answer that begins at report `first` can end."""
        answer = self.answers[number]
        for end in range(first + 1, len(self.reports) + 1):
            if end > first + 1 and not self.joint(self.reports[end - 2], self.reports[end - 1]):
                return
            rows = rows_of(self.reports[first:end])
            if (more := self._size(rows) - self._size(answer)) > 0:
                return
            if not more and self._is_equal(answer, rows):
                yield end

    def _size(self, rows: Sequence[Row]) -> int:
        bag = self.how.semantics == "bag"
        return len(rows) if bag else len(set(_keys(rows, self.how)))

    def _is_equal(self, wanted: Rows, rows: Sequence[Row]) -> bool:
        key = _as_they_are(wanted), _as_they_are(rows)
        if key not in self._equal:
            self._equal[key] = match_rows(wanted, rows, self.how).equal
        return self._equal[key]


def nearest(answers: Sequence[Rows], reports: Sequence[Report], joint: Together, how: Likeness) -> list[Pair]:
    """Return answers and reports side by side, aligned by a longest common subsequence.

    Answers before the first report and after the last report are omitted.
    """
    groups = list(_groups(reports, joint))
    ours = [_key(rows, how) for rows in answers]
    theirs = [_key(rows_of(group), how) for group in groups]
    pairs: list[Pair] = []
    for _, first, last, start, end in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        for n in range(max(last - first, end - start)):
            number = first + n if first + n < last else None
            pairs.append((number, groups[start + n] if start + n < end else ()))
    with_reports = [place for place, (_, group) in enumerate(pairs) if group]
    return pairs[with_reports[0] : with_reports[-1] + 1] if with_reports else []


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
    """Return the keys of rows; equal rows have the same key."""
    if isinstance(rows, RowsByNumber):
        return list(keys_of(rows.of, lexical=how.lexical).of(rows).tolist())
    return [row_key(row, lexical=how.lexical) for row in rows]


def _key(rows: Rows, how: Likeness) -> Hashable:
    """Return the key of an answer; equal answers have the same key."""
    if isinstance(rows, RowsByNumber):
        keys = keys_of(rows.of, lexical=how.lexical).of(rows)
        return (np.unique(keys) if how.semantics == "set" else np.sort(keys)).tobytes()
    result = sorted(_keys(rows, how), key=repr)
    return tuple(dict.fromkeys(result)) if how.semantics == "set" else tuple(result)
