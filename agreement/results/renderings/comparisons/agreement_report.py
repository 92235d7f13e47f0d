"""Findings as text: what `lars agree` prints."""

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from agreement.comparing.agree import Pair, Side, VariantReport
from agreement.comparing.agree.narrowing import FoundRow, RowFilter
from agreement.comparing.agree.periods import PeriodVerdict, first_start
from agreement.comparing.agree.row_groups import RowGroup, examples, row_groups
from agreement.comparing.agree.verdicts import AgreementReport
from agreement.documents.outputs import asked_atom, header, short, short_row, table
from lars.durations import Duration
from lars.errors import on_one_line
from lars.language.windows import Interval
from solver.facts import Fact
from translate.model.query import Setting
from translate.tau import columns

_MOST: Final = 20
"""Of more rows that one side alone has these are shown."""
_FEW: Final = 6
_WIDE: Final = 120
_WORDS: Final = {True: "agree", False: "DISAGREE", None: "no whole period"}


@dataclass(frozen=True, slots=True)
class Asking:
    """How `lars explain` is asked about a row: of which experiment, with which options of `lars agree`.

    `inputs` are those of the queries that merge their windows (True), and of those that keep them apart.
    `merging` and `apart`: which query was given.
    """

    inputs: Mapping[bool, tuple[Path, ...]]
    options: tuple[str, ...]
    merging: bool
    apart: bool

    def command(self, pair: Pair, row: FoundRow) -> str:
        """Return the command, quoted for a shell."""
        pulled = row.difference.side is Side.PULL
        t = row.interval.end if pulled else row.difference.pushed
        inputs = map(str, self.inputs[self.merging if pulled else not self.apart])
        rest = [*self._mode(pair, row.period, pulled=pulled), "--at", str(t)]
        return shlex.join(["lars", "explain", *inputs, *rest, asked_atom("ans1", row.difference.row)])

    def _mode(self, pair: Pair, period: int, *, pulled: bool) -> Sequence[str]:
        """Return the options by which the query that was given is evaluated as on that side."""
        if not pulled:
            return [*self.options, *([] if self.apart else ["--mode", "push"])]
        named = ["--engine", pair.csparql.language.value] if self.apart else []
        mode = named if self.merging else ["--mode", "pull"]
        return [*_untriggered(self.options), *mode, "--period", str(period)]


def _untriggered(options: Sequence[str]) -> Sequence[str]:
    """Return the options without --trigger, which says nothing of a query that is pulled."""
    at = options.index("--trigger") if "--trigger" in options else len(options)
    return [*options[:at], *options[at + 2 :]]


def as_text(
    report: AgreementReport, setting: Setting, shown: RowFilter, asking: Asking
) -> Iterator[RenderableType]:
    """Yield the verdict of each period, how often which cause, some of the rows, how to ask about them."""
    if report.remark is not None:
        yield Text(on_one_line(report.remark))
    for variant in report.variants:
        if variant.pair.choices is not None:
            yield Text(on_one_line(f"CQELS variant: {variant.pair}"), style="bold")
        yield _verdicts(variant, shown.verdicts(variant), setting.unit)
        yield from _details(report, variant, shown, asking)


def _verdicts(variant: VariantReport, verdicts: Sequence[PeriodVerdict], unit: Duration) -> Table:
    origin = "" if variant.trace.origin is None else f" from {variant.trace.origin}"
    title = f"push and pull on {variant.trace.timeline}, time in units of {unit}{origin}"
    columns = ("period U", "verdict", "whole periods", "disagreeing", "not compared")
    found = table(title, *columns, right=("period U",))
    for verdict in verdicts:
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


def _details(
    report: AgreementReport, variant: VariantReport, shown: RowFilter, asking: Asking
) -> Iterator[RenderableType]:
    groups = row_groups(shown, variant)
    if not groups:
        return
    yield _counts(groups)
    chosen = examples(groups, variant, _MOST)
    title = f"rows that one side alone has: {header(report.variables)}"
    found = table(title, *_COLUMNS)
    supports = variant.supports([(row.difference, row.interval) for row in chosen])
    for row, support in zip(chosen, supports, strict=True):
        one, interval = row.difference, row.interval
        pushed = "-" if one.pushed is None else str(one.pushed)
        said = (one.side.value, pushed, short_row(one.row), one.cause.value)
        found.add_row(str(row.period), f"({interval.start}, {interval.end}]", *said, _supported_by(support))
    yield found
    if more := sum(map(len, groups)) - len(chosen):
        yield Text(f"… and {more} more rows: {_ALL}")
    commands = [asking.command(variant.pair, row) for row in chosen if _has_all(report, variant, row)]
    if commands:
        yield "\n".join(("why, of each of these rows:", *commands))


def _has_all(report: AgreementReport, variant: VariantReport, row: FoundRow) -> bool:
    """Whether a row is a whole row of its side's query, which `lars explain` is asked about."""
    query = variant.pair.cqels if row.difference.side is Side.PUSH else variant.pair.csparql
    return columns(query) == report.variables


_COLUMNS: Final = ("U", "period", "only in", "pushed", "row", "cause", "supported by")
_ALL: Final = "--only-period, --cause and --side narrow them, --json and --out list all"


def _counts(groups: Sequence[RowGroup]) -> Table:
    columns = ("U", "only in", "cause", "rows", "periods", "first")
    found = table("how many rows one side alone has", *columns, right=("U", "rows", "periods"))
    for group in groups:
        first = group.parts[0].interval
        said = (str(group.period), group.side.value, group.cause.value, str(len(group)))
        found.add_row(*said, str(len(group.parts)), f"({first.start}, {first.end}]")
    return found


def _supported_by(support: tuple[Fact, ...]) -> str:
    # A triple takes more than a letter.
    text = " · ".join(map(_triple, support[:_WIDE])) or "no input"
    if len(text) <= _WIDE:
        return text
    counts = Counter(fact.t for fact in support)
    return "triples at " + ", ".join(f"{t} ({n})" for t, n in sorted(counts.items())) + ": --json lists them"


def _triple(fact: Fact) -> str:
    s, p, o, _ = map(short, fact.arguments)
    return f"{fact.t}: {s} {p} {o}"
