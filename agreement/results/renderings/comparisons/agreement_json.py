"""The report of `lars agree` as data: one document (--json), tables (--out), what it rests on (--full).

The document is made part by part. The tables have whole periods, rows that one side alone has, answers as
runs. What the verdict rests on are the model, both LARS programs and all answers.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.console import RenderableType
from rich.table import Table

from agreement.comparing.agree import PeriodComparison, Side, VariantReport
from agreement.comparing.agree.agreeing import AgreementReport
from agreement.comparing.agree.narrowing import FoundRow, RowFilter
from agreement.comparing.agree.periods import PeriodVerdict
from agreement.comparing.agree.sides import RowDifference
from agreement.documents.dates import Dates
from agreement.documents.outputs import (
    Json,
    atom_text,
    binding,
    bindings,
    encode,
    json_triple,
    row_order,
    short_row,
    table,
)
from agreement.documents.table_files import Column, OutTable, TableValue, term_columns
from lars.language.terms import Variable
from solver.facts import Fact
from translate.analysis import model_of_cqels
from translate.model.query import Query, Setting
from translate.tau import Trigger, lars_program, pull, push
from translate.writing import model_json, model_lines

if TYPE_CHECKING:
    from solver.spark import RowsByTime


def as_json(report: AgreementReport, setting: Setting, row_filter: RowFilter) -> Json:
    """Return the whole report: the first variant's periods at the top, all under `variants`.

    What can be long is an iterator, for `document_lines`.
    """
    dates = Dates(report.variants[0].trace.origin, setting.unit)
    derived = report.variants[0].pair.choices is not None
    return {
        "unit": encode(setting.unit),
        "origin": report.variants[0].trace.origin,
        "profile": encode(setting.profile),
        "bounds": encode(setting.bounds),
        "on": [f"?{variable.name}" for variable in report.variables],
        **_variant(report, report.variants[0], row_filter, dates),
        "variants": (
            _variant(report, variant_report, row_filter, dates)
            for variant_report in report.variants
            if derived
        ),
        "warnings": list(report.warnings),
        "certified": dict(zip(("times", "of"), report.certified, strict=True)),
    }


def _variant(report: AgreementReport, variant: VariantReport, row_filter: RowFilter, dates: Dates) -> Json:
    periods = (
        _period(report, variant, verdict, row_filter, dates) for verdict in row_filter.verdicts(variant)
    )
    return {"variant": str(variant.pair), "periods": periods}


def _period(
    report: AgreementReport,
    variant: VariantReport,
    verdict: PeriodVerdict,
    row_filter: RowFilter,
    dates: Dates,
) -> Json:
    intervals = _supported(variant, row_filter.intervals(variant, verdict))
    return {
        "period": verdict.period,
        "agree": verdict.agree,
        "intervals": (_interval(report, *interval, dates) for interval in intervals),
        "unfinished": verdict.unfinished
        and dates.with_dates(dict(zip(("from", "to"), verdict.unfinished, strict=True))),
    }


SupportedRow = tuple[FoundRow, tuple[Fact, ...]]
_AT_ONCE: Final = 1_000
"""Of so many rows, and the others of the last one's interval, the proofs are found together."""


def _supported(
    variant: VariantReport, intervals: Iterable[tuple[PeriodComparison, list[FoundRow]]]
) -> Iterator[tuple[PeriodComparison, list[SupportedRow]]]:
    """Yield the intervals with what their rows rest on."""
    waiting: list[tuple[PeriodComparison, list[FoundRow]]] = []
    count = 0
    for interval in intervals:
        waiting.append(interval)
        count += len(interval[1])
        if count >= _AT_ONCE:
            yield from _proved(variant, waiting)
            waiting, count = [], 0
    yield from _proved(variant, waiting)


def _proved(
    variant: VariantReport, intervals: Sequence[tuple[PeriodComparison, list[FoundRow]]]
) -> Iterator[tuple[PeriodComparison, list[SupportedRow]]]:
    comparisons = [(row.difference, interval) for interval, rows in intervals for row in rows]
    supports = iter(variant.supports(comparisons))
    for interval, rows in intervals:
        yield interval, [(row, next(supports)) for row in rows]


def _interval(
    report: AgreementReport, interval: PeriodComparison, facts: Sequence[SupportedRow], dates: Dates
) -> Json:
    names = report.variables
    return {
        **dates.with_dates({"from": interval.start, "to": interval.end}),
        "agree": interval.agree,
        "push": bindings(names, interval.push),
        "pull": bindings(names, interval.pull),
        "push_only": bindings(names, interval.only(Side.PUSH)),
        "pull_only": bindings(names, interval.only(Side.PULL)),
        "causes": [_difference(report, found_row.difference, support, dates) for found_row, support in facts],
    }


def _difference(
    report: AgreementReport, difference: RowDifference, support: Sequence[Fact], dates: Dates
) -> Json:
    return {
        "side": difference.side.value,
        "row": binding(report.variables, difference.row),
        "cause": difference.cause.value,
        "support": [json_triple(fact, dates) for fact in support],
        **dates.with_dates({"pushed": difference.pushed}),
    }


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


def tables(report: AgreementReport, row_filter: RowFilter) -> tuple[OutTable, ...]:
    """Return the tables; rows are made when they are written."""
    terms = term_columns(report.variables)
    return (
        OutTable("periods", _PERIODS, _periods(report, row_filter)),
        OutTable("differences", (*_DIFFERENCES, *terms), _differences(report, row_filter)),
        OutTable("answers", (*_ANSWERS, *terms), _answers(report)),
    )


def _periods(report: AgreementReport, row_filter: RowFilter) -> Iterator[Sequence[TableValue]]:
    for variant in report.variants:
        for verdict in row_filter.verdicts(variant):
            for comparison in verdict.intervals:
                only = (0 if comparison.agree else comparison.count(side) for side in Side)
                counts = (*comparison.sizes, *only)
                yield (
                    str(variant.pair),
                    verdict.period,
                    comparison.start,
                    comparison.end,
                    comparison.agree,
                    *counts,
                )


def _differences(report: AgreementReport, row_filter: RowFilter) -> Iterator[Sequence[TableValue]]:
    for variant in report.variants:
        for found_row in row_filter.rows(variant):
            difference, interval = found_row.difference, found_row.interval
            cells = (
                difference.side.value,
                difference.cause.value,
                difference.pushed,
                atom_text("ans1", difference.row),
            )
            yield str(variant.pair), found_row.period, interval.start, interval.end, *cells, *difference.row


def _answers(report: AgreementReport) -> Iterator[Sequence[TableValue]]:
    for variant in report.variants:
        sides = variant.sides
        for side, answer_parts in ((Side.PUSH, sides.pushed), (Side.PULL, sides.pulled)):
            for row, first, last in answer_parts.whole().rows():
                yield str(variant.pair), side.value, first, last, *row


@dataclass(frozen=True, slots=True)
class FullReport:
    """A report with what its verdict rests on: the model, both LARS programs, all answers."""

    report: AgreementReport
    setting: Setting
    trigger: Trigger

    def as_text(self) -> Iterator[RenderableType]:
        """Yield the model, then for each variant its programs and its answers per time point."""
        yield "\n".join(("The query (V, P, D, S)", *model_lines(self._model)))
        period, rules = self._pull_rules()
        yield "\n".join((f"\nC-SPARQL under pull, τ1, U = {period}", *rules))
        for variant in self.report.variants:
            yield "\n".join((f"\nCQELS under push, τ2, {variant.pair}", *self._push_rules(variant)))
            yield self._answers(variant)

    def as_json(self) -> Json:
        """Return the keys that --full adds: model, programs, answers."""
        names, variants = self.report.variables, self.report.variants
        period, rules = self._pull_rules()
        return {
            "model": model_json(self._model),
            "programs": {
                "pull": {"period": period, "rules": rules},
                "push": [
                    {"variant": str(report.pair), "rules": self._push_rules(report)} for report in variants
                ],
            },
            "answers": [
                {
                    "variant": str(report.pair),
                    "push": _by_time(names, report.sides.pushed.whole().by_time(), self._dates(report)),
                    "pull": _by_time(names, report.sides.pulled.whole().by_time(), self._dates(report)),
                }
                for report in variants
            ],
        }

    @property
    def _model(self) -> Query:
        return model_of_cqels(self.report.variants[0].pair.cqels)

    def _pull_rules(self) -> tuple[int, list[str]]:
        # Programs of two periods differ in one number: the first period stands for all.
        first = self.report.variants[0]
        period = first.verdicts[0].period
        program = pull(lars_program(first.pair.csparql, self.setting), period)
        return period, [str(rule) for rule in program.rules]

    def _push_rules(self, variant: VariantReport) -> list[str]:
        return [
            str(rule) for rule in push(lars_program(variant.pair.cqels, self.setting), self.trigger).rules
        ]

    def _answers(self, variant: VariantReport) -> Table:
        dates = self._dates(variant).within(variant.trace.timeline)
        title = f"answers per time point{dates.caption}"
        pushed, pulled = (own.whole().by_time() for own in (variant.sides.pushed, variant.sides.pulled))
        times = sorted({*pushed, *pulled})
        rows = ((dates.text(t), _rows(pushed, t), _rows(pulled, t)) for t in times)
        return table(title, ("t", "push", "pull"), rows, right=("t",), whole=("t",))

    def _dates(self, variant: VariantReport) -> Dates:
        return Dates(variant.trace.origin, self.setting.unit)


def _rows(outputs: "RowsByTime", t: int) -> str:
    return " ".join(map(short_row, sorted(outputs.get(t, ()), key=row_order)))


def _by_time(names: tuple[Variable, ...], outputs: "RowsByTime", dates: Dates) -> list[Json]:
    return [{**dates.with_dates({"t": t}), "rows": bindings(names, outputs[t])} for t in sorted(outputs)]
