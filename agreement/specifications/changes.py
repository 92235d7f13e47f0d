"""ISTREAM and DSTREAM of many evaluations: only where an answer begins or ends, not at each of them."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from agreement.recordings.recording import Row
from solver.evaluate import Stretch
from translate.answers import Output
from translate.query import ToStream


def changes(
    kind: ToStream, ticks: Sequence[int], found: Iterable[Stretch], output: Output
) -> dict[int, list[Row]]:
    """Return what is new (ISTREAM) or gone (DSTREAM) at each evaluation, by its number from 0.

    `ticks` are the evaluations, ascending; of two at one tick the first counts. Equal rows are
    counted as the output says. Before the first evaluation there is no answer.
    """
    width = len(output.variables)
    deltas: dict[Row, Counter[int]] = {}
    for stretch in found:
        own = deltas.setdefault(stretch.row[:width], Counter())
        own[bisect_left(ticks, stretch.first)] += 1
        own[bisect_left(ticks, stretch.last + 1)] -= 1
    reported: dict[int, list[Row]] = {}
    sign = 1 if kind is ToStream.ISTREAM else -1
    for row in sorted(deltas, key=lambda row: tuple((text is not None, text or "") for text in row)):
        for number, change in _counted(deltas[row], bag=output.bag):
            if number < len(ticks) and change * sign > 0:
                reported.setdefault(number, []).extend([row] * abs(change))
    return reported


def _counted(deltas: Counter[int], *, bag: bool) -> Iterator[tuple[int, int]]:
    """Yield by how many a row's multiplicity changes at an evaluation; in a set it is 0 or 1."""
    count = 0
    for number in sorted(deltas):
        before, count = count, count + deltas[number]
        yield number, (count - before if bag else (count > 0) - (before > 0))
