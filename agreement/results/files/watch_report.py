"""The output of `lars watch`: tables that grow, and one line for each period that disagrees."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agreement.comparing.agree.sides import RowDifference
from agreement.comparing.watch import JudgedPeriods
from agreement.documents.dates import Dates
from agreement.documents.outputs import quantity
from agreement.documents.table_files import Column, OutTable, TableValue, term_columns
from agreement.results.renderings.agreement_report import DIFFERENCES, PERIODS, counts_of, difference_of
from lars.durations import Duration
from lars.language.terms import Variable
from lars.language.windows import Interval

_OF_WHOLE: Final = "empty"
"""The column of the periods that is about the whole stream, which has no end here."""
_PUSHED: Final = "pushed"
_LATE: Final = (
    Column("t", int, "the time of the late element", is_time=True),
    Column("newest", int, "the time of the newest element that arrived before it", is_time=True),
    *(
        Column(name, str, f"the {name} of the late element")
        for name in ("subject", "predicate", "object", "stream")
    ),
)


def tables(judged: JudgedPeriods, variables: tuple[Variable, ...]) -> tuple[OutTable, ...]:
    """Return the rows that a batch adds to the tables `periods`, `differences` and `late`."""
    periods = tuple(column for column in PERIODS if column.name != _OF_WHOLE)
    rows = (
        (str(variant.pair), verdict.period, period.start, period.end, *counts_of(period))
        for variant, verdict, period in judged.new
    )
    different = (
        _in_period(difference_of(variant, found), found)
        for variant, _, period in judged.new
        if not period.agree
        for found in variant.differences(period)
    )
    return (
        OutTable("periods", periods, rows),
        OutTable("differences", (*map(_about_period, DIFFERENCES), *term_columns(variables)), different),
        OutTable("late", _LATE, ((t, newest, *row) for t, newest, row in judged.late)),
    )


def _about_period(column: Column) -> Column:
    if column.name != _PUSHED:
        return column
    return replace(
        column, description="when push last reported the row in the period; none: not in the period"
    )


def _in_period(row: Sequence[TableValue], difference: RowDifference) -> Sequence[TableValue]:
    """Return a row of the differences: a report of push before the period may be forgotten on a stream."""
    place = [column.name for column in DIFFERENCES].index(_PUSHED)
    pushed, start = difference.pushed, difference.interval.start
    pushed = pushed if pushed is not None and pushed > start else None
    return [*row[:place], pushed, *row[place + 1 :]]


def lines(judged: JudgedPeriods, dates: Dates) -> Iterator[str]:
    """Yield one line for each period of a batch that disagrees, and one line for its late elements."""
    for variant, verdict, period in judged.new:
        if not period.agree:
            causes = Counter((found.side, found.cause) for found in variant.differences(period))
            listed = "; ".join(
                f"only {side} reports {quantity(count, 'row')} ({cause})"
                for (side, cause), count in causes.most_common()
            )
            length = f"U = {verdict.period}, " if len(judged.state.judged) > 1 else ""
            here = dates.within(Interval(period.start + 1, period.end))
            yield f"{length}{here.period(period.start, period.end)}{here.caption} disagrees: {listed}"
    if judged.late:
        oldest = max(newest - t for t, newest, _ in judged.late)
        elements, behind = quantity(len(judged.late), "element"), Duration(oldest * dates.unit.nanoseconds)
        used = "was not used" if len(judged.late) == 1 else "were not used"
        late = f"{elements} came too late (up to {behind} behind the newest element)"
        yield f"{late} and {used}; see the table late"
