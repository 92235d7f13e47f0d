"""The rows that one side alone has in each period, with causes and what they rest on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from agreement.agree.causes import CAUSES, CauseSearch, DifferingRows, RowCause, Sides
from agreement.agree.periods import Compared, PeriodVerdict, Side
from agreement.outputs import row_order
from agreement.traces import Trace
from solver.columns import Array
from solver.facts import Fact, Row
from solver.relational import concatenated


@dataclass(frozen=True, slots=True)
class RowDifference:
    """A row that one side alone has in a period, why, and when push last reported it, if ever."""

    side: Side
    row: Row
    cause: RowCause
    pushed: int | None


class Explanation:
    """The causes of every difference in some periods, over one trace."""

    def __init__(self, sides: Sides, trace: Trace, verdicts: Sequence[PeriodVerdict]) -> None:
        self._sides = sides
        self._periods = [one for verdict in verdicts for one in verdict.intervals if not one.agree]
        self._search = CauseSearch(sides, trace, self._periods)
        self._causes: dict[Side, Mapping[Compared, tuple[Array, Array]]] = {}

    def differences(self, period: Compared) -> Iterator[RowDifference]:
        """Yield each row that one side alone has in the period, with its cause."""
        for side in Side:
            if side not in self._causes:
                self._causes[side] = self._all_causes(side)
            causes, pushed = (found.tolist() for found in self._causes[side][period])
            rows = period.tables.only(side).rows(period.number)
            # Of rows without null their texts are the order.
            keys = map(row_order, rows) if any(None in row for row in rows) else rows
            found = sorted(zip(keys, rows, causes, pushed, strict=True), key=itemgetter(0))
            for _, row, cause, t in found:
                yield RowDifference(side, row, CAUSES[cause], None if t < 0 else t)

    def supports(self, found: Sequence[tuple[RowDifference, Compared]]) -> list[tuple[Fact, ...]]:
        """Return of each row, in its period, the input atoms of one proof: where its side last gave it."""
        at = [
            one.pushed if one.side is Side.PUSH and one.pushed is not None else period.end
            for one, period in found
        ]
        proved: dict[int, tuple[Fact, ...]] = {}
        for side, program in ((Side.PUSH, self._sides.push), (Side.PULL, self._sides.pull)):
            own = [place for place, (one, _) in enumerate(found) if one.side is side]
            rows, times = [found[place][0].row for place in own], [at[place] for place in own]
            if own:
                proved |= zip(own, self._search.asked(program).supports(rows, times), strict=True)
        return [proved[place] for place in range(len(found))]

    def _all_causes(self, side: Side) -> Mapping[Compared, tuple[Array, Array]]:
        """Return the places of the causes of each period's rows, and when push last had them, -1: never.

        Of all periods at once, in the order in which a period has its rows.
        """
        pushed = self._sides.pushed
        parts = [period.tables.only(side).of(period.number) for period in self._periods]
        sizes = [len(part) for part in parts]
        ends = [(period.start, period.end) for period in self._periods]
        start, end = np.repeat(np.array(ends, np.int64), sizes, axis=0).T
        columns = concatenated(parts, len(pushed.found.columns)).columns
        rows = DifferingRows(columns, start, end, pushed.held_until(columns, pushed.until(end)))
        causes, times = self._search.causes(rows, side), np.append(pushed.times, -1)[rows.pushed]
        borders = np.cumsum(sizes)[:-1]
        split = zip(np.split(causes, borders), np.split(times, borders), strict=True)
        return dict(zip(self._periods, split, strict=True))
