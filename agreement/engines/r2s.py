"""The operators RSTREAM, ISTREAM and DSTREAM, which turn answers into reports (CQL, 2006).

At each evaluation, RSTREAM returns all rows. ISTREAM returns the rows that the previous evaluation did not
have. DSTREAM returns the rows that only the previous evaluation had. Before the first evaluation, the answer
is empty. Source: Arasu, Babu, Widom.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from lars.language.stream import ToStream
from solver.facts import Row


def relation_to_stream(
    kind: ToStream, times: Iterable[int], answers: Mapping[int, Sequence[Row]]
) -> dict[int, list[Row]]:
    """Return the report at each of the ascending evaluation times; equal rows count separately.

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
    """Return the report of an evaluation with rows `now`, after an evaluation with rows `before`.

    Equal rows count separately.
    """
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
