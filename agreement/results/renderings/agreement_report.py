"""The report of `lars agree`: text, one document (--json), tables (--out), what it rests on (--full).

The document is made part by part. The tables have whole periods, rows that one side alone has, answers as
runs. What the verdict rests on are the model, both LARS programs and all answers.
"""

import shlex
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from agreement.comparing.agree import Pair, PeriodComparison, Side, VariantReport
from agreement.comparing.agree.agreeing import AgreementReport
from agreement.comparing.agree.narrowing import FoundRow, RowFilter, RowGroup, examples, row_groups
from agreement.comparing.agree.periods import PeriodVerdict, first_start
from agreement.comparing.agree.sides import RowDifference
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.outputs import (
    Json,
    asked_atom,
    atom_text,
    binding,
    bindings,
    encode,
    first_few,
    header,
    json_triple,
    number_ranges,
    quantity,
    row_order,
    short,
    short_atom,
    short_row,
    table,
)
from agreement.documents.table_files import Column, OutTable, TableValue, term_columns
from lars.durations import Duration
from lars.errors import on_one_line
from lars.language.terms import Variable
from lars.language.windows import Interval
from solver.facts import Fact
from translate.analysis import model_of_cqels
from translate.model.query import Query, Setting
from translate.tau import Trigger, columns, lars_program, pull, push
from translate.writing import model_json, model_lines

if TYPE_CHECKING:
    from solver.spark import RowsByTime


_MOST: Final = 20
"""Of more rows that one side alone has these are shown."""
_COMPARED: Final = 5_000
_FEW: Final = 6
_WIDE: Final = 120
_STYLES: Final = {True: "green", False: "bold red", None: "yellow"}
_WORDS: Final = {True: "agree", False: "DISAGREE", None: "no whole period"}


@dataclass(frozen=True, slots=True)
class ExplainOptions:
    """How `lars explain` is asked about a row: of which experiment, with which options of `lars agree`.

    `inputs` are those of the queries that merge their windows (True), and of those that keep them apart.
    `merging` and `apart`: which query was given.
    """

    inputs: Mapping[bool, tuple[Path, ...]]
    options: tuple[str, ...]
    merging: bool
    apart: bool
    dates: Dates = NO_DATES

    def command(self, pair: Pair, row: FoundRow, alike: Container[str] | None = ()) -> str:
        """Return the command, quoted for a shell; of what looks `alike` in short terms it has the whole.

        None: of whatever there is.
        """
        pulled = row.difference.side is Side.PULL
        pushed = row.difference.pushed
        t = row.interval.end if pulled or pushed is None else pushed
        inputs = map(str, self.inputs[self.merging if pulled else not self.apart])
        rest = [*self._mode(pair, row.period, pulled=pulled), "--at", self.dates.option(t)]
        atom = short_atom(row.difference.row)
        if atom is None or alike is None or atom in alike:
            atom = asked_atom("ans1", row.difference.row)
        return shlex.join(["lars", "explain", *inputs, *rest, atom])

    def _mode(self, pair: Pair, period: int, *, pulled: bool) -> Sequence[str]:
        """Return the options by which the query that was given is evaluated as on that side."""
        if not pulled:
            return [*self.options, *([] if self.apart else ["--mode", "push"])]
        options = ["--engine", pair.csparql.language.value] if self.apart else []
        mode = options if self.merging else ["--mode", "pull"]
        return [*_untriggered(self.options), *mode, "--period", str(period)]


def _untriggered(options: Sequence[str]) -> Sequence[str]:
    """Return the options without --trigger, which says nothing of a query that is pulled."""
    at = options.index("--trigger") if "--trigger" in options else len(options)
    return [*options[:at], *options[at + 2 :]]


def as_text(
    report: AgreementReport, setting: Setting, row_filter: RowFilter, asking: ExplainOptions
) -> Iterator[RenderableType]:
    """Yield the verdict of each period, how often which cause, some of the rows, how to ask about them."""
    yield headline(report, row_filter, setting.unit)
    if report.remark is not None:
        yield Text(on_one_line(report.remark))
    for variant in report.variants:
        if variant.pair.choices is not None:
            yield Text(on_one_line(f"CQELS variant: {variant.pair}"), style="bold")
        yield _verdicts(variant, row_filter.verdicts(variant), setting.unit)
        yield from _details(report, variant, row_filter, asking, dates_on(variant, setting.unit))


NO_ROWS: Final = ": neither has any row"


def headline(report: AgreementReport, row_filter: RowFilter, unit: Duration) -> Text:
    """Return the verdict in one sentence: of the first row that is shown which side, period, why."""
    variant = report.variants[0]
    first = next(iter(row_filter.rows(variant)), None)
    if first is None:
        whole = sum(len(verdict.intervals) for verdict in variant.verdicts)
        verdicts = [verdict.agree for verdict in variant.verdicts]
        if False in verdicts:
            return Text("push and pull disagree, in what is not shown", style=_STYLES[False])
        if not whole:
            return Text("no whole period lies on the timeline: nothing to compare", style=_STYLES[None])
        several = number_ranges([verdict.period for verdict in variant.verdicts])
        periods = "" if len(verdicts) == 1 else f", U = {several}"
        nothing = NO_ROWS if variant.sides.are_empty else ""
        sentence = f"push and pull agree on {quantity(whole, 'whole period')}{periods}{nothing}"
        return Text(sentence, style=_STYLES[True])
    more = sum(map(len, row_groups(row_filter, variant))) - 1
    others = f"; {quantity(more, 'row')} more" if more else ""
    return Text(on_one_line(f"{in_words(first, dates_on(variant, unit))}{others}"), style=_STYLES[False])


def dates_on(variant: VariantReport, unit: Duration) -> Dates:
    """Return what the times of a trace are called."""
    return Dates(variant.trace.origin, unit).within(variant.trace.timeline)


def in_words(row: FoundRow, dates: Dates) -> str:
    """Return which row one side alone has, in which period, and why."""
    difference, interval = row.difference, row.interval
    where = f"U = {row.period}, {dates.period(interval.start, interval.end)}{dates.caption}"
    row_text = f"{difference.side.value} alone reports {short_row(difference.row)}"
    return f"{where}: {row_text}, {difference.cause.value}"


def _shares(verdicts: Sequence[PeriodVerdict]) -> str:
    """Return, of the periods that disagree, how many of their rows both sides have."""
    shares = []
    for verdict in verdicts:
        if verdict.agree is False:
            tables = verdict.intervals.tables
            pushed, pulled = int(tables.sizes.push.sum()), int(tables.sizes.pull.sum())
            alone = int(tables.sizes.push_only[~tables.agreeing].sum())
            both, every = pushed - alone, pulled + alone
            shares.append(f"U = {verdict.period}: {both} of {every} ({both / every:.0%})")
    return f"rows that both sides have, of all: {first_few(shares, _FEW, ' · ')}"


def _verdicts(variant: VariantReport, verdicts: Sequence[PeriodVerdict], unit: Duration) -> Table:
    dates = dates_on(variant, unit)
    title = (
        f"push and pull on {dates.interval(variant.trace.timeline)}{dates.caption}, time in units of {unit}"
    )
    undated = dates.zero is None
    # As below: of dated periods their ends, which begin U before.
    wrong_ones = "disagreeing" if undated else "disagreeing up to"
    columns = ("period U", "verdict", "whole periods", wrong_ones, "not compared")
    rows = []
    for verdict in verdicts:
        wrong = list(verdict.intervals.disagreeing)
        texts = [_period(comparison, dates) for comparison in wrong[:_FEW]]
        timeline = variant.trace.timeline
        rest = [_left(pair, timeline, dates) for pair in _outside(verdict, timeline)]
        word = Text(_WORDS[verdict.agree], style=_STYLES[verdict.agree])
        more = ["…"] * (len(wrong) > _FEW)
        periods = str(len(verdict.intervals))
        rows.append((str(verdict.period), word, periods, ", ".join((*texts, *more)), ", ".join(rest)))
    return table(title, columns, rows, right=("period U",))


def _period(comparison: PeriodComparison, dates: Dates) -> str:
    return (
        dates.period(comparison.start, comparison.end) if dates.zero is None else dates.text(comparison.end)
    )


def _left(part: tuple[int, int], timeline: Interval, dates: Dates) -> str:
    """Return a part of the timeline before its first whole period, or after its last."""
    start, end = part
    if dates.zero is None:
        return dates.period(start, end)
    return f"after {dates.text(start)}" if end == timeline.last else f"up to {dates.text(end)}"


def _outside(verdict: PeriodVerdict, timeline: Interval) -> Iterator[tuple[int, int]]:
    """Yield the parts of the timeline that lie in no whole period; time 0 lies in no period at all."""
    start = first_start(verdict.period, timeline)
    if max(timeline.first - 1, 0) < min(start, timeline.last):
        yield max(timeline.first - 1, 0), min(start, timeline.last)
    if verdict.unfinished is not None:
        yield verdict.unfinished


def _details(
    report: AgreementReport,
    variant: VariantReport,
    row_filter: RowFilter,
    asking: ExplainOptions,
    dates: Dates,
) -> Iterator[RenderableType]:
    groups = row_groups(row_filter, variant)
    if not groups:
        return
    yield _counts(groups, dates)
    yield _shares(row_filter.verdicts(variant))
    chosen = examples(groups, variant, _MOST)
    rows = []
    supports = variant.supports([(row.difference, row.interval) for row in chosen])
    for row, support in zip(chosen, supports, strict=True):
        difference = row.difference
        pushed = "-" if difference.pushed is None else dates.text(difference.pushed)
        cells = (difference.side.value, pushed, short_row(difference.row), difference.cause.value)
        rows.append((str(row.period), _period(row.interval, dates), *cells, _supported_by(support, dates)))
    title = f"rows that one side alone has: {header(report.variables)}"
    yield table(title, _columns(dates), rows, whole=_WHOLE)
    count = sum(map(len, groups))
    if more := count - len(chosen):
        yield Text(f"… and {more} more rows: {_ALL}")
    # What looks alike among very many rows is not looked for: then each is written in full.
    alike = _alike(row_filter.rows(variant)) if count <= _COMPARED else None
    commands = [asking.command(variant.pair, row, alike) for row in chosen if _has_all(report, variant, row)]
    if commands:
        yield "\n".join(("why, of each of these rows:", *dict.fromkeys(commands)))


def _alike(rows: Iterable[FoundRow]) -> set[str]:
    """Return the atoms in short terms of which some term could be another one of these rows."""
    distinct = {row.difference.row for row in rows}
    terms = Counter(map(short, {term for row in distinct for term in row}))
    unclear = {row for row in distinct if any(terms[short(term)] > 1 for term in row)}
    return {text for text in map(short_atom, unclear) if text is not None}


def _has_all(report: AgreementReport, variant: VariantReport, row: FoundRow) -> bool:
    """Whether a row is a whole row of its side's query, which `lars explain` is asked about."""
    query = variant.pair.cqels if row.difference.side is Side.PUSH else variant.pair.csparql
    return columns(query) == report.variables


_COLUMNS: Final = ("U", "period", "only in", "pushed", "row", "cause", "supported by")
_UP_TO: Final = "period to"
"""A period ends at its dateTime, and begins U before it: both together would fill a terminal."""
_WHOLE: Final = frozenset(("U", "period", _UP_TO, "only in", "pushed", "first"))
_ALL: Final = "--only-period, --cause and --side narrow them, --json and --out list all"


def _columns(dates: Dates) -> Sequence[str]:
    return [_UP_TO if name == "period" and dates.zero is not None else name for name in _COLUMNS]


def _counts(groups: Sequence[RowGroup], dates: Dates) -> Table:
    columns = ("U", "only in", "cause", "rows", "periods", "first")
    title = "how many rows one side alone has"
    rows = (
        (
            str(group.period),
            group.side.value,
            group.cause.value,
            str(len(group)),
            str(len(group.parts)),
            dates.period(group.parts[0].interval.start, group.parts[0].interval.end),
        )
        for group in groups
    )
    return table(title, columns, rows, right=("U", "rows", "periods"), whole=_WHOLE)


def _supported_by(support: tuple[Fact, ...], dates: Dates) -> str:
    # A triple takes more than a letter.
    text = " · ".join(_triple(fact, dates) for fact in support[:_WIDE]) or "no input"
    if len(text) <= _WIDE:
        return text
    counts = Counter(fact.t for fact in support)
    return (
        "triples at "
        + ", ".join(f"{dates.text(t)} ({n})" for t, n in sorted(counts.items()))
        + ": --json lists them"
    )


def _triple(fact: Fact, dates: Dates) -> str:
    s, p, o, _ = map(short, fact.arguments)
    return f"{dates.text(fact.t)}: {s} {p} {o}"


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
        _period_json(report, variant, verdict, row_filter, dates) for verdict in row_filter.verdicts(variant)
    )
    return {"variant": str(variant.pair), "periods": periods}


def _period_json(
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
        OutTable("periods", _PERIODS, _periods_rows(report, row_filter)),
        OutTable("differences", (*_DIFFERENCES, *terms), _differences_rows(report, row_filter)),
        OutTable("answers", (*_ANSWERS, *terms), _answers_rows(report)),
    )


def _periods_rows(report: AgreementReport, row_filter: RowFilter) -> Iterator[Sequence[TableValue]]:
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


def _differences_rows(report: AgreementReport, row_filter: RowFilter) -> Iterator[Sequence[TableValue]]:
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


def _answers_rows(report: AgreementReport) -> Iterator[Sequence[TableValue]]:
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
            yield self._answers_table(variant)

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

    def _answers_table(self, variant: VariantReport) -> Table:
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
