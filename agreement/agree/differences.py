"""The rows that one side alone has in each period, with causes and what they rest on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.agree.causes import CAUSES, CauseSearch, DifferingRows, RowCause, Sides
from agreement.agree.periods import Compared, PeriodTables, PeriodVerdict, Side
from agreement.outputs import row_order
from agreement.traces import Trace
from solver.facts import Fact
from solver.runs import Row


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
        self._found: dict[tuple[int, Side], tuple[list[int], list[int]]] = {}

    def differences(self, period: Compared) -> Iterator[RowDifference]:
        """Yield each row that one side alone has in the period, with its cause."""
        for side in Side:
            causes, pushed = self._causes(period.tables, side)
            begin = int(period.tables.only(side).begins[period.number])
            rows = period.tables.only(side).rows(period.number)
            own = slice(begin, begin + len(rows))
            listed = zip(rows, causes[own], pushed[own], strict=True)
            for row, cause, t in sorted(listed, key=lambda one: row_order(one[0])):
                yield RowDifference(side, row, CAUSES[cause], None if t < 0 else t)

    def support(self, found: RowDifference, period: Compared) -> tuple[Fact, ...]:
        """Return the input atoms of one proof of the row, where the side that has it last gave it."""
        if found.side is Side.PUSH and found.pushed is not None:
            return self._search.asked(self._sides.push).support(found.row, found.pushed)
        return self._search.asked(self._sides.pull).support(found.row, period.end)

    def _causes(self, tables: PeriodTables, side: Side) -> tuple[list[int], list[int]]:
        """Return the place of each row's cause, period by period, and when push last had it; -1: never."""
        key = id(tables), side
        if key not in self._found:
            self._found[key] = self._all_causes(tables, side)
        return self._found[key]

    def _all_causes(self, tables: PeriodTables, side: Side) -> tuple[list[int], list[int]]:
        alone, pushed = tables.only(side), self._sides.pushed
        ends = np.full((alone.count, 2), -1, np.int64)
        for one in self._periods:
            if one.tables is tables:
                ends[one.number] = one.start, one.end
        start, end = np.repeat(ends, alone.sizes, axis=0).T
        columns = tuple(column[alone.places] for column in alone.table.columns)
        last = pushed.held_until(columns, pushed.until(end))
        # Where periods agree, blank nodes apart, nothing is asked.
        asked, causes = end >= 0, np.full(len(end), -1, np.int64)
        if asked.any():
            rows = DifferingRows(columns, start, end, last).take(asked)
            causes[asked] = self._search.causes(rows, side)
        return causes.tolist(), np.append(pushed.times, -1)[last].tolist()
