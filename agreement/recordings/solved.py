"""What `lars solve --json` prints for a query: the rows of each time of evaluation, one object a line."""

from typing import Final

from agreement.placed import checked, json_of_line
from agreement.recordings.answers import Answers, recording_of
from agreement.recordings.case import names_of
from agreement.recordings.times import Times, check_forwards
from agreement.recordings.value_types import Finite, Index, Solution, Strict, row_of
from lars.errors import LarsError
from lars.files import TextFile

ACCEPTED_SOLVED: Final = 'lines {"t": 5, "rows": [..]} as lars solve --json prints for a query'


class _Solved(Strict):
    t: Index
    rows: list[Solution]
    ms: Finite | None = None


def read_solved(source: TextFile, times: Times) -> Answers:
    """Return each line as a report, at `ms` where that is given; else `t` counts time points.

    Raises LarsError with its place.
    """
    reports, before = [], 0.0
    for line in source.lines():
        document = json_of_line(line, ACCEPTED_SOLVED)
        content = checked(_Solved, document)
        try:
            t = times.of_number(content.t) if content.ms is None else content.ms
            check_forwards(t, before)
        except LarsError as error:
            raise document.error(("t",), str(error)) from None
        reports.append((t, [row_of(row) for row in content.rows]))
        before = t
    if not reports:
        raise source.error(0, f"found nothing, the file is empty; accepted: {ACCEPTED_SOLVED}")
    return Answers(recording_of(names_of(row for _, rows in reports for row in rows), reports))
