"""The report of `lars agree --json`: one document, made part by part."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from agreement.comparing.agree import PeriodComparison, Side, VariantReport
from agreement.comparing.agree.narrowing import FoundRow, RowFilter
from agreement.comparing.agree.periods import PeriodVerdict
from agreement.comparing.agree.sides import RowDifference
from agreement.comparing.agree.verdicts import AgreementReport
from agreement.documents.dates import Dates
from agreement.documents.outputs import Json, binding, bindings, encode, json_triple
from solver.facts import Fact
from translate.model.query import Setting


def as_json(report: AgreementReport, setting: Setting, shown: RowFilter) -> Json:
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
        "on": [f"?{one.name}" for one in report.variables],
        **_variant(report, report.variants[0], shown, dates),
        "variants": (_variant(report, one, shown, dates) for one in report.variants if derived),
        "warnings": list(report.warnings),
        "certified": dict(zip(("times", "of"), report.certified, strict=True)),
    }


def _variant(report: AgreementReport, variant: VariantReport, shown: RowFilter, dates: Dates) -> Json:
    periods = (_period(report, variant, verdict, shown, dates) for verdict in shown.verdicts(variant))
    return {"variant": str(variant.pair), "periods": periods}


def _period(
    report: AgreementReport, variant: VariantReport, verdict: PeriodVerdict, shown: RowFilter, dates: Dates
) -> Json:
    intervals = _supported(variant, shown.intervals(variant, verdict))
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
    for one in intervals:
        waiting.append(one)
        count += len(one[1])
        if count >= _AT_ONCE:
            yield from _proved(variant, waiting)
            waiting, count = [], 0
    yield from _proved(variant, waiting)


def _proved(
    variant: VariantReport, intervals: Sequence[tuple[PeriodComparison, list[FoundRow]]]
) -> Iterator[tuple[PeriodComparison, list[SupportedRow]]]:
    asked = [(row.difference, interval) for interval, rows in intervals for row in rows]
    found = iter(variant.supports(asked))
    for interval, rows in intervals:
        yield interval, [(row, next(found)) for row in rows]


def _interval(
    report: AgreementReport, interval: PeriodComparison, found: Sequence[SupportedRow], dates: Dates
) -> Json:
    names = report.variables
    return {
        **dates.with_dates({"from": interval.start, "to": interval.end}),
        "agree": interval.agree,
        "push": bindings(names, interval.push),
        "pull": bindings(names, interval.pull),
        "push_only": bindings(names, interval.only(Side.PUSH)),
        "pull_only": bindings(names, interval.only(Side.PULL)),
        "causes": [_difference(report, one.difference, support, dates) for one, support in found],
    }


def _difference(report: AgreementReport, one: RowDifference, support: Sequence[Fact], dates: Dates) -> Json:
    return {
        "side": one.side.value,
        "row": binding(report.variables, one.row),
        "cause": one.cause.value,
        "support": [json_triple(fact, dates) for fact in support],
        **dates.with_dates({"pushed": one.pushed}),
    }
