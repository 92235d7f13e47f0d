"""The periods of one U over time, as many cells as can be told apart, with what parts the engines there."""

from typing import Final, NamedTuple

from agreement.agree import VariantReport
from agreement.agree.causes import CAUSES
from agreement.agree.periods import PeriodVerdict

_CELLS: Final = 300
AGREES: Final = -1


class StripCell(NamedTuple):
    """Periods in a row, (start, end]: the place of the first cause among the causes, AGREES if they agree.

    A place beyond the causes: they disagree in the names of blank nodes alone, row by row alike.
    """

    start: int
    end: int
    cause: int
    periods: int
    disagreeing: int


def strip_cells(variant: VariantReport, verdict: PeriodVerdict) -> list[StripCell]:
    """Return the periods of a verdict in at most so many cells."""
    size = -(-len(verdict.intervals) // _CELLS) or 1
    return [_cell(variant, verdict, start, size) for start in range(0, len(verdict.intervals), size)]


def _cell(variant: VariantReport, verdict: PeriodVerdict, start: int, size: int) -> StripCell:
    own = verdict.intervals[start : start + size]
    wrong = [one for one in own if not one.agree]
    first = next((found for one in wrong for found in variant.differences(one)), None)
    cause = AGREES if not wrong else len(CAUSES) if first is None else CAUSES.index(first.cause)
    return StripCell(own[0].start, own[-1].end, cause, len(own), len(wrong))
