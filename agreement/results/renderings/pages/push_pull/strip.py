"""The periods of one U over time, as many cells as can be told apart, with what parts the engines there."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from agreement.comparing.agree import VariantReport
from agreement.comparing.agree.periods import PeriodVerdict
from agreement.comparing.agree.sides import CAUSES
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.outputs import Json
from agreement.results.renderings.pages.page import render

_CELLS: Final = 300
_ALL_CELLS: Final = 6_000
_FEWEST: Final = 10
"""So many cells a line, and in all lines together; so many where there are very many lines."""
AGREES: Final = -1


class StripCell(NamedTuple):
    """Periods in a row, (start, end]: the place among the causes of that which most rows have.

    AGREES if all agree. A place beyond the causes: they disagree in the names of blank nodes alone, row
    by row alike. `causes`: how many different ones there are.
    """

    start: int
    end: int
    cause: int
    periods: int
    disagreeing: int
    causes: int


def strip_cells(variant: VariantReport, verdict: PeriodVerdict, lines: int = 1) -> list[StripCell]:
    """Return the periods of a verdict in at most so many cells, of as many lines."""
    most = min(_CELLS, max(_ALL_CELLS // lines, _FEWEST))
    size = -(-len(verdict.intervals) // most) or 1
    return [_cell(variant, verdict, start, size) for start in range(0, len(verdict.intervals), size)]


def _cell(variant: VariantReport, verdict: PeriodVerdict, start: int, size: int) -> StripCell:
    own = verdict.intervals[start : start + size]
    wrong = [one for one in own if not one.agree]
    if not wrong:
        return StripCell(own[0].start, own[-1].end, AGREES, len(own), 0, 0)
    counts = variant.explanation.cause_counts(wrong)
    cause = int(counts.argmax()) if counts.any() else len(CAUSES)
    return StripCell(own[0].start, own[-1].end, cause, len(own), len(wrong), int((counts > 0).sum()))


_MOST: Final = 50
"""Of more verdicts a notebook shows the first."""


def small_html(
    variant: VariantReport, verdicts: Sequence[PeriodVerdict], said: str, dates: Dates = NO_DATES
) -> str:
    """Return what a notebook shows: the verdict, and for each U the strip of its periods."""
    timeline = variant.trace.timeline
    span = max(timeline.last - timeline.first, 1) / 1000
    strip = [
        {
            "period": one.period,
            "agree": one.agree,
            "whole": len(one.intervals),
            "wrong": sum(1 for _ in one.intervals.disagreeing),
            "cells": [_drawn(cell, timeline.first, span, dates) for cell in strip_cells(variant, one)],
        }
        for one in verdicts[:_MOST]
    ]
    left = max(0, len(verdicts) - _MOST)
    return render(
        "small", said=said, timeline=f"{dates.interval(timeline)}{dates.caption}", strip=strip, left=left
    )


def _drawn(cell: StripCell, first: int, span: float, dates: Dates) -> Json:
    named = [*(cause.value for cause in CAUSES), "names of blank nodes"]
    most = "most rows " if cell.causes > 1 else ""
    why = (
        "agree"
        if cell.cause == AGREES
        else f"{cell.disagreeing} of {cell.periods}: {most}{named[cell.cause]}"
    )
    return {
        "x": round((cell.start - first) / span, 2),
        "width": round(max((cell.end - cell.start) / span - 1.5, 0.8), 2),
        "good": cell.cause == AGREES,
        "said": f"{dates.period(cell.start, cell.end)}: {why}",
    }
