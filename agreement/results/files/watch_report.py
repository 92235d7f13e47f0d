"""The output of `lars watch`: tables to which each batch adds rows, and a line for each differing period."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from agreement.comparing.agree import VariantReport
from agreement.comparing.agree.periods import PeriodVerdict
from agreement.comparing.agree.sides import RowDifference
from agreement.comparing.watch import AnswerVerdict, JudgedPeriods, WatchState
from agreement.documents.dates import Dates
from agreement.documents.outputs import quantity, table
from agreement.documents.requests import SIDES
from agreement.documents.table_files import Column, OutTable, TableValue, term_columns
from agreement.results.renderings.agreement_report import DIFFERENCES, PERIODS, difference_of
from lars.durations import Duration
from lars.language.terms import Variable
from lars.language.windows import Interval

if TYPE_CHECKING:
    from agreement.results.renderings.pages.page import Page

_OF_WHOLE: Final = "empty"
"""The column of the table `periods` that concerns the whole stream; a watched stream has no end."""
_PUSHED: Final = "pushed"
_LATE: Final = (
    Column("t", int, "the time of the late element", is_time=True),
    Column("newest", int, "the time of the newest element that arrived before it", is_time=True),
    *(
        Column(name, str, f"the {name} of the late element")
        for name in ("subject", "predicate", "object", "stream")
    ),
)
MOST_RECENT: Final = 200
"""The maximum number of findings on the page."""
_PLACE: Final = (
    Column("log", str, "the system: push or pull"),
    Column("from", int, "the start of the period", is_time=True),
    Column("to", int, "the end of the period", is_time=True),
)
_WRONG: Final = (*_PLACE, Column("kind", str, "whether the row is missing in the log, or extra"))
_ANSWERS: Final = (
    *_PLACE,
    Column("right", bool, "whether the log has exactly the rows of the semantics; none: it begins later"),
    Column("rows", int, "how many rows the log has"),
    Column("missing", int, "how many rows the log lacks"),
    Column("extra", int, "how many rows only the log has, and not the semantics"),
    Column("only", int, "how many rows the other log lacks"),
    Column("since", int, "the start of the first wrong period that the same rules explain", is_time=True),
    Column("rules", str, "the rules that explain the wrong periods; none: no rule was found"),
)
_LATE_ANSWERS: Final = (
    Column("log", str, "the system: push or pull"),
    Column("t", int, "the time of the late answer", is_time=True),
    Column("newest", int, "the newest time of the log before it", is_time=True),
)


def tables(judged: JudgedPeriods, variables: tuple[Variable, ...]) -> tuple[OutTable, ...]:
    """Return the rows that a batch adds to the tables `periods`, `differences` and `too-late`.

    If logs of running systems are judged, further tables contain the verdicts on their answers.
    """
    periods = tuple(column for column in PERIODS if column.name != _OF_WHOLE)
    rows = (row for variant, verdict, numbers in judged.new for row in _rows(variant, verdict, numbers))
    different = (
        _in_period(difference_of(variant, found), found)
        for variant, _, period in judged.disagreeing
        for found in variant.differences(period)
    )
    return (
        OutTable("periods", periods, rows),
        OutTable("differences", (*map(_about_period, DIFFERENCES), *term_columns(variables)), different),
        OutTable("too-late", _LATE, ((t, newest, *row) for t, newest, row in judged.late)),
        *(_of_answers(judged, term_columns(variables)) if judged.state.logs else ()),
    )


def _rows(variant: VariantReport, verdict: PeriodVerdict, numbers: range) -> Iterator[Sequence[TableValue]]:
    """Yield the rows of the table `periods` for the periods of a verdict with the given numbers."""
    part, pair, period = slice(numbers.start, numbers.stop), str(variant.pair), verdict.period
    agreeing, sizes = verdict.agreeing[part], verdict.sizes
    only = (np.where(agreeing, 0, sizes.only(side)[part]) for side in SIDES)
    columns = agreeing, sizes.push[part], sizes.pull[part], *only
    for number, *counted in zip(numbers, *(column.tolist() for column in columns), strict=True):
        start = verdict.start + number * period
        yield pair, period, start, start + period, *counted


def _of_answers(judged: JudgedPeriods, terms: Sequence[Column]) -> Iterator[OutTable]:
    """Yield the tables about the answers of running systems."""
    yield OutTable("answers", _ANSWERS, map(_answers_row, judged.answers))
    wrong = (
        (verdict.side, verdict.start, verdict.end, kind, *row)
        for verdict in judged.answers
        if verdict.right is False
        for kind, rows in (("missing", verdict.match.missing), ("extra", verdict.match.extra))
        for row in rows
    )
    yield OutTable("wrong-rows", (*_WRONG, *terms), wrong)
    only = (
        (verdict.side, verdict.start, verdict.end, *row) for verdict in judged.answers for row in verdict.only
    )
    yield OutTable("one-log-rows", (*_PLACE, *terms), only)
    late = (
        (side, t, newest, *row) for side, every in judged.late_answers.items() for t, newest, row in every
    )
    yield OutTable("too-late-answers", (*_LATE_ANSWERS, *terms), late)


def _answers_row(verdict: AnswerVerdict) -> Sequence[TableValue]:
    missing, extra = len(verdict.match.missing), len(verdict.match.extra)
    return (
        *(verdict.side, verdict.start, verdict.end, verdict.right, verdict.rows, missing, extra),
        *(len(verdict.only), verdict.since, "; ".join(verdict.rules) or None),
    )


def _about_period(column: Column) -> Column:
    if column.name != _PUSHED:
        return column
    return replace(
        column, description="when push last reported the row in the period; none: not in the period"
    )


def _in_period(row: Sequence[TableValue], difference: RowDifference) -> Sequence[TableValue]:
    """Return a row of the table `differences`, without the time `pushed` if it is before the period."""
    place = [column.name for column in DIFFERENCES].index(_PUSHED)
    pushed, start = difference.pushed, difference.interval.start
    pushed = pushed if pushed is not None and pushed > start else None
    return [*row[:place], pushed, *row[place + 1 :]]


def findings(judged: JudgedPeriods, dates: Dates) -> Iterator[tuple[str, str]]:
    """Yield each finding of a batch: the period as text, and a text about the problem in this period."""
    for variant, verdict, period in judged.disagreeing:
        causes = Counter((found.side, found.cause) for found in variant.differences(period))
        listed = "; ".join(
            f"only {side} reports {quantity(count, 'row')} ({cause})"
            for (side, cause), count in causes.most_common()
        )
        several = judged.report is not None and len(judged.report.variants) > 1
        named = f"variant {variant.pair}: " if several else ""
        length = f"U = {verdict.period}, " if len(judged.state.judged) > 1 else ""
        here = dates.within(Interval(period.start + 1, period.end))
        where = f"{named}{length}{here.period(period.start, period.end)}{here.caption}"
        yield where, f"disagrees: {listed}"
    for wrong in judged.answers:
        if wrong.right is False:
            here = dates.within(Interval(wrong.start + 1, wrong.end))
            where = f"{here.period(wrong.start, wrong.end)}{here.caption}"
            yield where, f"answers of {wrong.side} are wrong: {_fault(wrong, dates)}"


def lines(judged: JudgedPeriods, dates: Dates) -> Iterator[str]:
    """Yield one line for each finding of a batch, and one line for its late elements and answers."""
    for where, sentence in findings(judged, dates):
        yield f"{where} {sentence}"
    if judged.late:
        oldest = max(newest - t for t, newest, _ in judged.late)
        elements, behind = quantity(len(judged.late), "element"), Duration(oldest * dates.unit.nanoseconds)
        used = "was not used" if len(judged.late) == 1 else "were not used"
        late = f"{elements} came too late (up to {behind} behind the newest element)"
        yield f"{late} and {used}; see the table too-late"
    for side, log in judged.state.logs.items():
        left = sum(verdict.side == side and verdict.right is None for verdict in judged.answers)
        if left and log.oldest is not None:
            is_not = "is not" if left == 1 else "are not"
            earlier = f"{quantity(left, 'earlier period')} with missing rows"
            yield f"the log of {side} begins at {dates.text(log.oldest)}: {earlier} {is_not} judged"
    for side, every in judged.late_answers.items():
        if every:
            count = quantity(len(every), "answer")
            # One wrong time makes all later answers late.
            t, newest, _ = max(every, key=lambda answer: answer[1] - answer[0])
            behind = Duration((newest - t) * dates.unit.nanoseconds)
            where = f"up to {behind} behind the answer at {dates.text(newest)}"
            used = "was not used" if len(every) == 1 else "were not used"
            yield f"{count} of {side} came too late ({where}) and {used}; see the table too-late-answers"


def _fault(verdict: AnswerVerdict, dates: Dates) -> str:
    """Return a text about a period with wrong answers: wrong rows, explaining rules, and since when."""
    missing, extra = verdict.match.missing, verdict.match.extra
    parts = [
        f"{quantity(len(rows), 'row')} {word}"
        for rows, word in ((missing, "missing"), (extra, "too many"))
        if rows
    ]
    if verdict.only:
        parts.append(f"{quantity(len(verdict.only), 'row')} that the other log lacks")
    if verdict.cut and not verdict.rules:
        return f"{', '.join(parts)}; {verdict.cut}"
    rules = " or ".join(verdict.rules) or "no known rule"
    since = "" if verdict.since is None else f", since {dates.text(verdict.since)}"
    return f"{', '.join(parts)}; explained by {rules}{since}"


def counts(state: WatchState, dates: Dates) -> Iterator[tuple[str, str]]:
    """Yield the counts of a watch, such as the number of judged periods, each with its name."""
    newest = None if state.newest is None else dates.text(state.newest)
    yield "judged periods", str(state.periods)
    yield "periods that disagree", str(state.disagreeing)
    yield "periods with a row", str(state.with_rows)
    for period, end in state.judged.items():
        yield (
            f"end of the last judged period, U = {Duration(int(period) * dates.unit.nanoseconds)}",
            dates.text(end),
        )
    yield "elements", str(state.elements)
    yield "newest time of an element", newest or "none"
    yield "elements that came too late", str(state.late)
    yield "rejected elements", str(state.rejected)
    yield "batches", str(state.batch + 1)
    for side, log in state.logs.items():
        yield f"answers of {side}", str(log.read)
        yield f"answers of {side} that came too late", str(log.late)
        yield f"periods in which {side} is wrong", str(log.wrong)
    if state.logs:
        yield "end of the last period with judged answers", dates.text(state.compared)


def periods_text(state: WatchState, queries: int) -> str:
    """Return the number of judged periods, which is a sum if several CQELS queries are compared."""
    of = f" of {quantity(queries, 'CQELS query')}" if queries > 1 else ""
    return f"{quantity(state.periods, 'period')}{of}"


def page(
    state: WatchState, dates: Dates, pace: Sequence[tuple[str, str]], question: str, queries: int
) -> "Page":
    """Return the content of the HTML report of a watch: the numbers and the last findings.

    `pace` contains further numbers: durations of the watch, each with its name. `queries` is the number of
    CQELS queries that are compared.
    """
    # Loads what only pages need.
    from agreement.results.renderings.pages.blocks import text_page
    from agreement.results.renderings.pages.page import Page

    numbers = [*counts(state, dates), *pace]
    wrong = state.disagreeing + sum(log.wrong for log in state.logs.values())
    verdict = not wrong if state.periods else None
    verb = "disagrees" if 1 in (state.periods, state.disagreeing) else "disagree"
    several = periods_text(state, queries)
    answer = f"{state.disagreeing} of {several} {verb}." if state.periods else "No period is judged yet."
    answer += "".join(
        f" {side.capitalize()} is wrong in {quantity(log.wrong, 'period')}."
        for side, log in state.logs.items()
    )
    found = [(where, sentence) for where, sentence in reversed(state.recent)]
    parts = [
        table("numbers", ("", "number"), numbers, right=("number",)),
        table("last periods that disagree or have wrong answers", ("period", "finding"), found)
        if found
        else "No period disagrees or has wrong answers.",
    ]
    head = Page("A watched stream", question, verdict, answer, heading="Results so far")
    return text_page(head, {"numbers": dict(numbers), "recent": found}, parts)
