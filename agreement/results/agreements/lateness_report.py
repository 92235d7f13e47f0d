"""The report of `lars agree --late`: text, JSON and tables."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from agreement.comparing.agree.agreeing import AgreementReport
from agreement.comparing.agree.lateness import LATE_CAUSES, LATE_KINDS, LateRow, LateSide
from agreement.comparing.agree.narrowing import evenly
from agreement.documents import outputs
from agreement.documents.dates import Dates
from agreement.documents.requests import SIDES
from agreement.documents.table_files import Column, OutTable, TableValue, term_columns
from agreement.results.renderings.agreement_report import ExplainCommand
from lars.durations import Duration
from solver.facts import Fact

_ROWS_SHOWN: Final = 20
"""The maximum number of changed rows in the text."""
_COMMANDS_SHOWN: Final = 3
_STEPS: Final = 6
"""The number of equal steps in which waits from 0 to the longest delay are shown."""
_LATENESSES: Final = 3
WaitCounts = tuple[int, int | None, int, int, int]
"""A wait and a lateness (in time points), and three numbers of rows of pull.

These are the rows that are late, that are lost for good, and that are invented.
"""


def headline(sides: Sequence[LateSide]) -> str:
    """Return a sentence about the changed rows of push, and of pull."""
    if not any(side.whole for side in sides):
        return "nothing to compare: the timeline contains no whole period"
    said = [_sentence(side, [one for one in sides if one.side == side]) for side in SIDES]
    return f"as the data came, {'; '.join(said)}"


def _sentence(side: str, own: Sequence[LateSide]) -> str:
    kinds = Counter(row.kind for each in own for row in each.changes)
    every = sum(each.rows for each in own)
    lost = kinds["late"] + kinds["lost for good"]
    if not every and not kinds:
        return f"{side} has no row, also if no element is late"
    if not kinds:
        return f"{side} reported {every} of {outputs.quantity(every, 'row')} in time"
    texts = []
    if lost:
        ways = (kinds["late"], "came later"), (kinds["lost for good"], "never came")
        split = ", ".join(f"{count} {way}" for count, way in ways if count)
        texts.append(f"missed {lost} of {outputs.quantity(every, 'row')} ({split})")
    if kinds["invented"]:
        texts.append(f"reported {outputs.quantity(kinds['invented'], 'wrong row')}")
    return f"{side} {' and '.join(texts)}"


def as_text(
    report: AgreementReport, sides: Sequence[LateSide], rows: Sequence[LateRow], asking: ExplainCommand
) -> Iterator[RenderableType]:
    """Yield the number of changed rows by cause, examples, and the number of pull's lost rows by its wait."""
    changed = any(side.changes for side in sides)
    yield Text(headline(sides), style="bold red" if changed else "green")
    one = sides[0]
    unit = report.setting.unit.nanoseconds
    delays = (
        f"{outputs.quantity(one.late_elements, 'element')} came late, by at most {_length(one.delay, unit)}"
        if one.late_elements
        else "no element came late"
    )
    waits = f"pull waits {_length(next(side.wait for side in sides if side.side == 'pull'), unit)}"
    dropped = (
        "" if one.lateness is None else f"; {outputs.quantity(one.dropped(one.lateness), 'element')} dropped"
    )
    yield f"{delays}; {waits}{dropped}; time in units of {report.setting.unit}"
    if (choices := report.first.pair.choices) is not None and len(choices) and one.side == "push":
        yield f"CQELS variant: {report.first.pair}"
    dates = report.dates.within(one.trace.timeline)
    if rows:
        yield _causes(rows)
        yield _examples(report, sides, rows, dates)
        pair, some = report.first.pair, evenly(rows, _COMMANDS_SHOWN)
        if commands := [text for row in some if (text := asking(pair, row, None)) is not None]:
            yield "\n".join(("to see why the row is an answer on time, run:", *dict.fromkeys(commands)))
    for side in sides:
        if side.side == "pull" and side.whole:
            yield _waits(side, unit)


def _length(points: int, unit: int) -> str:
    return str(Duration(points * unit)) if points else "0"


def _causes(rows: Sequence[LateRow]) -> Table:
    counts = Counter((row.side, row.period, row.kind, row.cause) for row in rows)
    order = sorted(
        counts,
        key=lambda key: (SIDES.index(key[0]), key[1], LATE_KINDS.index(key[2]), LATE_CAUSES.index(key[3])),
    )
    listed = ((str(key[1]), key[0], key[2], key[3], str(counts[key])) for key in order)
    columns = ("U", "side", "row is", "cause", "rows")
    return outputs.table("rows that changed", columns, listed, right=("U", "rows"))


def _examples(
    report: AgreementReport, sides: Sequence[LateSide], rows: Sequence[LateRow], dates: Dates
) -> Table:
    chosen = evenly(rows, _ROWS_SHOWN)
    listed = []
    proved = list(_proved(sides, chosen))
    texts = outputs.short_rows([row.row for row, *_ in proved])
    for text, (row, facts, arrivals) in zip(texts, proved, strict=True):
        moved = "" if row.late_by is None else f" (after {dates.text(row.reported or 0)})"
        proof = " · ".join(_fact(fact, arrivals, dates) for fact in facts) or "no input"
        period = dates.period(row.start, row.end)
        listed.append((period, row.side, text, f"{row.kind}{moved}", row.cause, proof))
    more = len(rows) - len(chosen)
    rest = f"; the JSON document and the tables contain {more} more" if more else ""
    title = f"changed rows: {outputs.header(report.variables)}{dates.caption}{rest}"
    columns = ("period", "side", "row", "row is", "cause", "supported by")
    return outputs.table(title, columns, listed, whole=("period", "side"))


def _fact(fact: Fact, arrivals: dict[Fact, int], dates: Dates) -> str:
    s, p, o, *_ = map(outputs.short, fact.arguments)
    came = arrivals[fact]
    late = f", arrived at {dates.text(came)}" if came > fact.t else ""
    return f"{dates.text(fact.t)}: {s} {p} {o}{late}"


def _proved(
    sides: Sequence[LateSide], rows: Sequence[LateRow]
) -> Iterator[tuple[LateRow, tuple[Fact, ...], dict[Fact, int]]]:
    """Yield each row with the input atoms of a proof of the row, and the arrival times of these atoms."""
    proofs: dict[LateRow, tuple[Fact, ...]] = {}
    for side in sides:
        own = [row for row in rows if (row.side, row.period) == (side.side, side.period)]
        proofs |= zip(own, side.supports(own), strict=True)
    arrivals = sides[0].arrivals({fact for facts in proofs.values() for fact in facts})
    for row in rows:
        yield row, proofs[row], {fact: arrivals[fact] for fact in proofs[row]}


@lru_cache(maxsize=16)
def _counts(side: LateSide) -> tuple[tuple[WaitCounts, ...], int | None]:
    """Count pull's changed rows for several waits of pull and several limits of the lateness.

    Returns:
        The numbers of changed rows, and a wait with which pull loses no row, or None.
    """
    most, least = side.delay + side.reach_ahead, side.least_wait()
    waits = {most * step // _STEPS for step in range(_STEPS + 1)} | {side.wait, *filter(None, [least])}
    limits = {side.delay * step // _LATENESSES for step in range(_LATENESSES)} - {side.delay}
    latenesses: list[int | None] = [None, *sorted({*limits, *filter(None, [side.lateness])})]
    counts = (
        (wait, lateness, *side.counts(wait, lateness)) for lateness in latenesses for wait in sorted(waits)
    )
    return tuple(counts), least


def _waits(side: LateSide, unit: int) -> Table:
    counts, least = _counts(side)
    latenesses = list(dict.fromkeys(lateness for _, lateness, *_ in counts))
    waits = list(dict.fromkeys(wait for wait, *_ in counts))
    lost = {(wait, lateness): (late + good, added) for wait, lateness, late, good, added in counts}

    def cell(wait: int, lateness: int | None) -> str:
        missed, added = lost[wait, lateness]
        return f"{missed}{f' (+{added})' if added else ''}"

    columns = [
        "wait",
        *("all data" if each is None else f"lateness {_length(each, unit)}" for each in latenesses),
    ]
    rows = [(_length(wait, unit), *(cell(wait, lateness) for lateness in latenesses)) for wait in waits]
    enough = "" if least is None else f"; with a wait of {_length(least, unit)}, pull misses no row"
    invented = " (+ wrong rows)" if any(added for *_, added in counts) else ""
    title = (
        f"U = {side.period}: rows that pull misses{invented}, of {outputs.quantity(side.rows, 'row')}{enough}"
    )
    return outputs.table(title, columns, rows, right=columns)


def as_json(report: AgreementReport, sides: Sequence[LateSide], rows: Sequence[LateRow]) -> outputs.Json:
    """Return the report as a JSON document; all lengths and times are time points."""
    one, pulls = sides[0], [side for side in sides if side.side == "pull"]
    names, dates = report.variables, report.dates
    return {
        "unit": outputs.encode(report.setting.unit),
        "origin": report.first.trace.origin,
        "delay": one.delay,
        "wait": pulls[0].wait,
        "lateness": one.lateness,
        "late_elements": one.late_elements,
        "dropped": 0 if one.lateness is None else one.dropped(one.lateness),
        "rows": [
            {"side": side.side, "period": side.period, "whole_periods": side.whole, "rows": side.rows}
            for side in sides
        ],
        "late": [
            {
                "side": row.side,
                "period": row.period,
                **dates.with_dates({"start": row.start, "end": row.end}),
                "row": outputs.binding(names, row.row),
                "kind": row.kind,
                "cause": row.cause,
                **dates.with_dates({"reported": row.reported}),
                "late_by": row.late_by,
                "support": [
                    {**outputs.json_triple(fact, dates), **dates.with_dates({"arrival": arrivals[fact]})}
                    for fact in facts
                ],
            }
            for row, facts, arrivals in _proved(sides, rows)
        ],
        "waits": [
            {
                "period": side.period,
                "least_wait": _counts(side)[1],
                "counts": [dict(zip(_COUNTED, counts, strict=True)) for counts in _counts(side)[0]],
            }
            for side in pulls
            if side.whole
        ],
    }


_COUNTED: Final = ("wait", "lateness", "late", "lost_for_good", "invented")
_LATE = (
    Column("side", str, "push or pull"),
    Column("period", int, "the pull period U"),
    Column("start", int, "start of the period (start, end], in time points", is_time=True),
    Column("end", int, "end of the period, for which pull evaluates", is_time=True),
    Column("kind", str, "kind of change: late, lost for good, or invented"),
    Column("cause", str, "cause of the change"),
    Column("reported", int, "when a late row was reported, after the period", is_time=True),
    Column("late_by", int, "time points from the end of the period to this report"),
)
_WAITS = (
    Column("period", int, "the pull period U"),
    Column("wait", int, "wait of pull, in time points"),
    Column("lateness", int, "the delay above which data are dropped; none: no data are dropped"),
    Column("late", int, "number of rows that pull reports only in a later period"),
    Column("lost_for_good", int, "number of rows that pull never reports"),
    Column("invented", int, "number of rows that pull reports although they are not answers on time"),
)


def tables(
    report: AgreementReport, sides: Sequence[LateSide], rows: Sequence[LateRow]
) -> tuple[OutTable, ...]:
    """Return the tables `late` and `waits`; the rows of a table are computed when the table is written."""
    return (
        OutTable("late", (*_LATE, *term_columns(report.variables)), _rows(rows)),
        OutTable("waits", _WAITS, _wait_rows(sides)),
    )


def _rows(rows: Sequence[LateRow]) -> Iterator[Sequence[TableValue]]:
    for row in rows:
        about = row.side, row.period, row.start, row.end, row.kind, row.cause, row.reported, row.late_by
        yield *about, *row.row


def _wait_rows(sides: Sequence[LateSide]) -> Iterator[Sequence[TableValue]]:
    for side in sides:
        if side.side == "pull" and side.whole:
            yield from ((side.period, *counts) for counts in _counts(side)[0])
