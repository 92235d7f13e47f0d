"""Findings as JSON and as text: what `lars agree` prints."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from agreement.causes import Difference
from agreement.compare import Report, VariantReport
from agreement.outputs import binding, bindings, json_triple, short, short_row
from agreement.pushpull import Compared, PeriodVerdict, Side, first_start
from lars.durations import Duration
from lars.windows import Interval
from solver.facts import Fact
from translate.profiles import Setting

Json = dict[str, Any]


def as_json(report: Report, setting: Setting) -> Json:
    """Return the whole report: the first variant's periods at the top, all under `variants`."""
    variants = [
        {"variant": str(variant.pair), "periods": [_period(report, variant, v) for v in variant.verdicts]}
        for variant in report.variants
    ]
    return {
        "unit": str(setting.unit),
        "profile": setting.profile.value,
        "bounds": setting.bounds.value,
        **variants[0],
        "variants": variants if report.variants[0].pair.choices is not None else [],
        "warnings": list(report.warnings),
    }


def _period(report: Report, variant: VariantReport, verdict: PeriodVerdict) -> Json:
    unfinished = verdict.unfinished
    return {
        "period": verdict.period,
        "agree": verdict.agree,
        "intervals": [_interval(report, variant, interval) for interval in verdict.intervals],
        "unfinished": None if unfinished is None else {"from": unfinished[0], "to": unfinished[1]},
    }


def _interval(report: Report, variant: VariantReport, interval: Compared) -> Json:
    found = variant.differences(interval)
    return {
        "from": interval.start,
        "to": interval.end,
        "agree": interval.agree,
        "push": bindings(report.variables, interval.push),
        "pull": bindings(report.variables, interval.pull),
        "push_only": bindings(report.variables, interval.only(Side.PUSH)),
        "pull_only": bindings(report.variables, interval.only(Side.PULL)),
        "causes": [
            {
                "side": difference.side.value,
                "row": binding(report.variables, difference.row),
                "cause": difference.cause.value,
                "support": [json_triple(fact) for fact in difference.support],
            }
            for difference in found
        ],
    }


def as_text(report: Report, setting: Setting) -> RenderableType:
    """Return tables for a reader: the verdict of each period, then every difference with its cause."""
    parts: list[RenderableType] = []
    for variant in report.variants:
        if variant.pair.choices is not None:
            parts.append(Text(f"CQELS variant: {variant.pair}", style="bold"))
        parts += [_verdicts(variant, setting.unit), *_details(report, variant)]
    return Group(*parts)


def _verdicts(variant: VariantReport, unit: Duration) -> Table:
    table = Table(
        title=f"push and pull on {variant.trace.timeline}, time in units of {unit}", title_justify="left"
    )
    table.add_column("period U", justify="right")
    for name in ("verdict", "whole periods", "disagreeing", "not compared"):
        table.add_column(name)
    for verdict in variant.verdicts:
        wrong = [f"({i.start}, {i.end}]" for i in verdict.intervals if not i.agree]
        listed = ", ".join(wrong[:_FEW]) + (", …" if len(wrong) > _FEW else "")
        rest = ", ".join(f"({start}, {end}]" for start, end in _outside(verdict, variant.trace.timeline))
        table.add_row(str(verdict.period), verdict_word(verdict), str(len(verdict.intervals)), listed, rest)
    return table


def _outside(verdict: PeriodVerdict, timeline: Interval) -> Iterator[tuple[int, int]]:
    """Yield the parts of the timeline that lie in no whole period; time 0 lies in no period at all."""
    start = first_start(verdict.period, timeline)
    if max(timeline.first - 1, 0) < min(start, timeline.last):
        yield max(timeline.first - 1, 0), min(start, timeline.last)
    if verdict.unfinished is not None:
        yield verdict.unfinished


def verdict_word(verdict: PeriodVerdict) -> str:
    """Return the verdict in words."""
    return {True: "agree", False: "DISAGREE", None: "no whole period"}[verdict.agree]


def _details(report: Report, variant: VariantReport) -> Iterator[RenderableType]:
    intervals = [(v.period, interval) for v in variant.verdicts for interval in v.intervals]
    count = sum(len(interval.only(side)) for _, interval in intervals if not interval.agree for side in Side)
    if not count:
        return
    # Causes cost time: only those of the rows that are shown are found.
    found = (
        (period, interval, one) for period, interval in intervals for one in variant.differences(interval)
    )
    names = ", ".join(f"?{variable.name}" for variable in report.variables)
    table = Table(title=f"rows that one side alone has: ({names})", title_justify="left")
    for name in ("U", "period", "only in", "row", "cause", "supported by"):
        table.add_column(name, overflow="fold")
    for period, interval, difference in islice(found, _MOST):
        table.add_row(str(period), f"({interval.start}, {interval.end}]", *_difference(difference))
    yield table
    if count > _MOST:
        yield Text(f"… and {count - _MOST} more rows: --json lists all")


_MOST: Final = 40
_FEW: Final = 6
_WIDE: Final = 120


def _difference(difference: Difference) -> tuple[str, str, str, str]:
    support = _supported_by(difference.support)
    return difference.side.value, short_row(difference.row), difference.cause.value, support


def _supported_by(support: tuple[Fact, ...]) -> str:
    text = " · ".join(map(_triple, support)) or "static data"
    if len(text) <= _WIDE:
        return text
    counts = Counter(fact.t for fact in support)
    return "triples at " + ", ".join(f"{t} ({n})" for t, n in sorted(counts.items())) + ": --json lists them"


def _triple(fact: Fact) -> str:
    s, p, o, _ = map(short, fact.arguments)
    return f"{fact.t}: {s} {p} {o}"
