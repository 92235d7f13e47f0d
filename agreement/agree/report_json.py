"""The report of `lars agree --json`: one document, written as it is made."""

from agreement.agree.narrowing import FoundRow, Narrowed
from agreement.agree.periods import Compared, PeriodVerdict, Side
from agreement.agree.verdicts import AgreementReport, VariantReport
from agreement.outputs import Json, binding, bindings, encoded, json_triple
from translate.query import Setting


def as_json(report: AgreementReport, setting: Setting, shown: Narrowed) -> Json:
    """Return the whole report: the first variant's periods at the top, all under `variants`.

    What can be long is an iterator, for `document_lines`.
    """
    derived = report.variants[0].pair.choices is not None
    return {
        "unit": encoded(setting.unit),
        "profile": encoded(setting.profile),
        "bounds": encoded(setting.bounds),
        **_variant(report, report.variants[0], shown),
        "variants": (_variant(report, one, shown) for one in report.variants if derived),
        "warnings": list(report.warnings),
        "certified": dict(zip(("times", "of"), report.certified, strict=True)),
    }


def _variant(report: AgreementReport, variant: VariantReport, shown: Narrowed) -> Json:
    periods = (_period(report, variant, verdict, shown) for verdict in shown.verdicts(variant))
    return {"variant": str(variant.pair), "periods": periods}


def _period(report: AgreementReport, variant: VariantReport, verdict: PeriodVerdict, shown: Narrowed) -> Json:
    intervals = shown.intervals(variant, verdict)
    return {
        "period": verdict.period,
        "agree": verdict.agree,
        "intervals": (_interval(report, variant, *interval) for interval in intervals),
        "unfinished": verdict.unfinished and dict(zip(("from", "to"), verdict.unfinished, strict=True)),
    }


def _interval(
    report: AgreementReport, variant: VariantReport, interval: Compared, found: list[FoundRow]
) -> Json:
    names = report.variables
    return {
        "from": interval.start,
        "to": interval.end,
        "agree": interval.agree,
        "push": bindings(names, interval.push),
        "pull": bindings(names, interval.pull),
        "push_only": bindings(names, interval.only(Side.PUSH)),
        "pull_only": bindings(names, interval.only(Side.PULL)),
        "causes": [_difference(report, variant, one) for one in found],
    }


def _difference(report: AgreementReport, variant: VariantReport, found: FoundRow) -> Json:
    one = found.difference
    return {
        "side": one.side.value,
        "row": binding(report.variables, one.row),
        "cause": one.cause.value,
        "support": list(map(json_triple, variant.support(one, found.interval))),
        "pushed": one.pushed,
    }
