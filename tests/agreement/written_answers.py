"""Answers written as rows by time, as the product has them: runs over every time point."""

import numpy as np

from agreement.comparing.agree import periods
from solver.columns import TermCodes
from solver.job import AnswerRuns
from solver.relational import as_table, coalesce


def verdict(period, timeline, push, pull):
    """Return the verdict of a period on rows by time."""
    terms, times = TermCodes(), range(max((0, timeline.last, *push, *pull)) + 1)
    widths = [len(row) for side in (push, pull) for rows in side.values() for row in rows]
    sides = (runs(side, terms, times, next(iter(widths), 0)) for side in (push, pull))
    (found,) = periods.verdicts([period], timeline, periods.BothAnswers(*sides, period))
    return found


def runs(rows_at, terms, times, width):
    """Return rows by time as answers at all the times."""
    listed = [(row, t, t) for t, rows in rows_at.items() for row in rows]
    table = coalesce(as_table(listed, width, terms), len(times))
    return AnswerRuns(np.array(times, np.int64), table, terms)
