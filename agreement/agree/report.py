"""Findings as JSON and as text: what `lars agree` prints, and what it shows before with `--full`."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from agreement.agree.periods import Compared, PeriodVerdict, Side, first_start
from agreement.agree.verdicts import AgreementReport, VariantReport
from agreement.outputs import (
    Json,
    binding,
    bindings,
    encoded,
    header,
    json_triple,
    record,
    row_order,
    short,
    short_row,
    table,
)
from agreement.traces import Outputs
from lars.durations import Duration
from lars.terms import Variable
from lars.windows import Interval
from solver.facts import Fact
from translate.analysis import model_of_cqels
from translate.query import Query, Setting
from translate.tau import Trigger, pull, push, translated
from translate.writing import model_json, model_lines

_MOST: Final = 40
"""Of more rows that one side alone has these are shown."""
_FEW: Final = 6
_WIDE: Final = 120
_WORDS: Final = {True: "agree", False: "DISAGREE", None: "no whole period"}


def as_json(report: AgreementReport, setting: Setting) -> Json:
    """Return the whole report: the first variant's periods at the top, all under `variants`."""
    variants = [
        {"variant": str(variant.pair), "periods": [_period(report, variant, v) for v in variant.verdicts]}
        for variant in report.variants
    ]
    return {
        "unit": encoded(setting.unit),
        "profile": encoded(setting.profile),
        "bounds": encoded(setting.bounds),
        **variants[0],
        "variants": variants if report.variants[0].pair.choices is not None else [],
        "warnings": list(report.warnings),
    }


def _period(report: AgreementReport, variant: VariantReport, verdict: PeriodVerdict) -> Json:
    return {
        "period": verdict.period,
        "agree": verdict.agree,
        "intervals": [_interval(report, variant, interval) for interval in verdict.intervals],
        "unfinished": verdict.unfinished and dict(zip(("from", "to"), verdict.unfinished, strict=True)),
    }


def _interval(report: AgreementReport, variant: VariantReport, interval: Compared) -> Json:
    names = report.variables
    return {
        "from": interval.start,
        "to": interval.end,
        "agree": interval.agree,
        "push": bindings(names, interval.push),
        "pull": bindings(names, interval.pull),
        "push_only": bindings(names, interval.only(Side.PUSH)),
        "pull_only": bindings(names, interval.only(Side.PULL)),
        "causes": [
            record(one, row=binding(names, one.row), support=list(map(json_triple, one.support)))
            for one in variant.differences(interval)
        ],
    }


def as_text(report: AgreementReport, setting: Setting) -> RenderableType:
    """Return tables for a reader: the verdict of each period, then every difference with its cause."""
    parts: list[RenderableType] = []
    for variant in report.variants:
        if variant.pair.choices is not None:
            parts.append(Text(f"CQELS variant: {variant.pair}", style="bold"))
        parts += [_verdicts(variant, setting.unit), *_details(report, variant)]
    return Group(*parts)


def _verdicts(variant: VariantReport, unit: Duration) -> Table:
    title = f"push and pull on {variant.trace.timeline}, time in units of {unit}"
    columns = ("period U", "verdict", "whole periods", "disagreeing", "not compared")
    found = table(title, *columns, right=("period U",))
    for verdict in variant.verdicts:
        wrong = [f"({i.start}, {i.end}]" for i in verdict.intervals if not i.agree]
        listed = ", ".join(wrong[:_FEW]) + (", …" if len(wrong) > _FEW else "")
        rest = ", ".join(f"({start}, {end}]" for start, end in _outside(verdict, variant.trace.timeline))
        found.add_row(str(verdict.period), _WORDS[verdict.agree], str(len(verdict.intervals)), listed, rest)
    return found


def _outside(verdict: PeriodVerdict, timeline: Interval) -> Iterator[tuple[int, int]]:
    """Yield the parts of the timeline that lie in no whole period; time 0 lies in no period at all."""
    start = first_start(verdict.period, timeline)
    if max(timeline.first - 1, 0) < min(start, timeline.last):
        yield max(timeline.first - 1, 0), min(start, timeline.last)
    if verdict.unfinished is not None:
        yield verdict.unfinished


def _details(report: AgreementReport, variant: VariantReport) -> Iterator[RenderableType]:
    intervals = [(v.period, interval) for v in variant.verdicts for interval in v.intervals]
    count = sum(len(interval.only(side)) for _, interval in intervals if not interval.agree for side in Side)
    if not count:
        return
    # Causes cost time: only those of the rows that are shown are found.
    found = (
        (period, interval, one) for period, interval in intervals for one in variant.differences(interval)
    )
    title = f"rows that one side alone has: {header(report.variables)}"
    shown = table(title, "U", "period", "only in", "row", "cause", "supported by")
    for period, interval, difference in islice(found, _MOST):
        said = (difference.side.value, short_row(difference.row), difference.cause.value)
        support = _supported_by(difference.support)
        shown.add_row(str(period), f"({interval.start}, {interval.end}]", *said, support)
    yield shown
    if count > _MOST:
        yield Text(f"… and {count - _MOST} more rows: --json lists all")


def _supported_by(support: tuple[Fact, ...]) -> str:
    text = " · ".join(map(_triple, support)) or "static data"
    if len(text) <= _WIDE:
        return text
    counts = Counter(fact.t for fact in support)
    return "triples at " + ", ".join(f"{t} ({n})" for t, n in sorted(counts.items())) + ": --json lists them"


def _triple(fact: Fact) -> str:
    s, p, o, _ = map(short, fact.arguments)
    return f"{fact.t}: {s} {p} {o}"


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
                "push": [{"variant": str(one.pair), "rules": self._push_rules(one)} for one in variants],
            },
            "answers": [
                {
                    "variant": str(one.pair),
                    "push": _by_time(names, one.sides.pushed),
                    "pull": _by_time(names, one.sides.pulled),
                }
                for one in variants
            ],
        }

    @property
    def _model(self) -> Query:
        return model_of_cqels(self.report.variants[0].pair.cqels)

    def _pull_rules(self) -> tuple[int, list[str]]:
        # Programs of two periods differ in one number: the first period stands for all.
        first = self.report.variants[0]
        period = first.verdicts[0].period
        program = pull(translated(first.pair.csparql, self.setting), period)
        return period, [str(rule) for rule in program.rules]

    def _push_rules(self, variant: VariantReport) -> list[str]:
        return [str(rule) for rule in push(translated(variant.pair.cqels, self.setting), self.trigger).rules]

    def _answers(self, variant: VariantReport) -> Table:
        shown = table("answers per time point", "t", "push", "pull", right=("t",))
        pushed, pulled = variant.sides.pushed, variant.sides.pulled
        for t in sorted({*pushed, *pulled}):
            shown.add_row(str(t), _rows(pushed, t), _rows(pulled, t))
        return shown


def _rows(outputs: Outputs, t: int) -> str:
    return " ".join(map(short_row, sorted(outputs.get(t, ()), key=row_order)))


def _by_time(names: tuple[Variable, ...], outputs: Outputs) -> list[Json]:
    return [{"t": t, "rows": bindings(names, outputs[t])} for t in sorted(outputs)]
