"""The report of `lars agree --out`: whole periods, rows that one side alone has, answers as runs."""

from collections.abc import Iterator, Sequence

from agreement.comparing.agree import Side
from agreement.comparing.agree.narrowing import RowFilter
from agreement.comparing.agree.verdicts import AgreementReport
from agreement.documents.outputs import atom_text
from agreement.documents.table_files import Column, OutTable, TableValue, term_columns

_VARIANT = Column("variant", str, "the CQELS query: given, or brave or cautious for each part")
_PERIOD = Column("period", int, "the pulling period U")
_INTERVAL = (
    Column("from", int, "the period (from, to] in time points", is_time=True),
    Column("to", int, "its end, when pull evaluates", is_time=True),
)
_PERIODS = (
    _VARIANT,
    _PERIOD,
    *_INTERVAL,
    Column("agree", bool, "whether both sides have the same rows"),
    Column("push", int, "how many rows push reported"),
    Column("pull", int, "how many rows pull reports"),
    Column("push_only", int, "how many push alone has"),
    Column("pull_only", int, "how many pull alone has"),
)
_DIFFERENCES = (
    _VARIANT,
    _PERIOD,
    *_INTERVAL,
    Column("side", str, "the side that alone has the row: push or pull"),
    Column("cause", str, "why"),
    Column(
        "pushed", int, "when push last reported the row, up to the period's end; none: never", is_time=True
    ),
    Column("atom", str, "the row as an atom, for lars explain"),
)
_ANSWERS = (
    _VARIANT,
    Column("side", str, "push or pull"),
    Column(
        "first",
        int,
        "the row is an answer at all evaluations of the side from this time point on,",
        is_time=True,
    ),
    Column("last", int, "to this one, both included", is_time=True),
)


def tables(report: AgreementReport, shown: RowFilter) -> tuple[OutTable, ...]:
    """Return the tables; rows are made when they are written."""
    terms = term_columns(report.variables)
    return (
        OutTable("periods", _PERIODS, _periods(report, shown)),
        OutTable("differences", (*_DIFFERENCES, *terms), _differences(report, shown)),
        OutTable("answers", (*_ANSWERS, *terms), _answers(report)),
    )


def _periods(report: AgreementReport, shown: RowFilter) -> Iterator[Sequence[TableValue]]:
    for variant in report.variants:
        for verdict in shown.verdicts(variant):
            for one in verdict.intervals:
                only = (0 if one.agree else one.count(side) for side in Side)
                counts = (*one.sizes, *only)
                yield str(variant.pair), verdict.period, one.start, one.end, one.agree, *counts


def _differences(report: AgreementReport, shown: RowFilter) -> Iterator[Sequence[TableValue]]:
    for variant in report.variants:
        for found in shown.rows(variant):
            one, interval = found.difference, found.interval
            told = (one.side.value, one.cause.value, one.pushed, atom_text("ans1", one.row))
            yield str(variant.pair), found.period, interval.start, interval.end, *told, *one.row


def _answers(report: AgreementReport) -> Iterator[Sequence[TableValue]]:
    for variant in report.variants:
        sides = variant.sides
        for side, found in ((Side.PUSH, sides.pushed), (Side.PULL, sides.pulled)):
            for row, first, last in found.whole().rows():
                yield str(variant.pair), side.value, first, last, *row
