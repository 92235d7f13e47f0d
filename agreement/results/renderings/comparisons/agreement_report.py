"""Findings as text: what `lars agree` prints."""

import shlex
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from agreement.comparing.agree import Pair, PeriodComparison, Side, VariantReport
from agreement.comparing.agree.agreeing import AgreementReport
from agreement.comparing.agree.narrowing import FoundRow, RowFilter, RowGroup, examples, row_groups
from agreement.comparing.agree.periods import PeriodVerdict, first_start
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.outputs import (
    asked_atom,
    first_few,
    header,
    number_ranges,
    quantity,
    short,
    short_atom,
    short_row,
    table,
)
from lars.durations import Duration
from lars.errors import on_one_line
from lars.language.windows import Interval
from solver.facts import Fact
from translate.model.query import Setting
from translate.tau import columns

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
