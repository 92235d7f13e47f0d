"""From answers back to streams: RSTREAM, ISTREAM and DSTREAM (Arasu, Babu, Widom: CQL, 2006).

At each evaluation RSTREAM gives all answers, ISTREAM the answers that the previous evaluation lacked, and
DSTREAM the previous answers that are gone. Before the first evaluation there are no answers.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from lars.language.stream import ToStream
from solver.facts import Row


def relation_to_stream(
    kind: ToStream, times: Iterable[int], answers: Mapping[int, Sequence[Row]]
) -> dict[int, list[Row]]:
    """Return the reports at the ascending evaluation times; equal rows are counted.

    >>> relation_to_stream("DSTREAM", [1, 2, 3], {1: [("a",), ("b",)], 2: [("b",)]})
    {1: [], 2: [('a',)], 3: [('b',)]}
    """
    rows: dict[int, list[Row]] = {}
    before: Sequence[Row] = ()
    for t in times:
        now = answers.get(t, ())
        rows[t] = reported_rows(kind, before, now)
        before = now
    return rows


def reported_rows(kind: ToStream, before: Sequence[Row], now: Sequence[Row]) -> list[Row]:
    """Return the report of an answer, given the previous one; equal rows are counted."""
    match kind:
        case "RSTREAM":
            return list(now)
        case "ISTREAM":
            return _without(now, before)
        case "DSTREAM":
            return _without(before, now)
        case _:
            assert_never(kind)


def _without(rows: Sequence[Row], others: Sequence[Row]) -> list[Row]:
    left, kept = Counter(others), list[Row]()
    for row in rows:
        if left[row]:
            left[row] -= 1
        else:
            kept.append(row)
    return kept
