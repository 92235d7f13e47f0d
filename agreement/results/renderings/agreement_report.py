"""The report of `lars agree`: text, a JSON document (--json), tables (--out), and evidence (--full).

The JSON document is generated item by item. The tables contain the whole periods, the rows of only one side,
and the answers as intervals of times with equal rows. The evidence consists of the parsed query, both LARS
programs and all answers.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial
from itertools import starmap
from typing import TYPE_CHECKING, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from agreement.comparing.agree import Pair, PeriodComparison, VariantReport
from agreement.comparing.agree.agreeing import AgreementReport
from agreement.comparing.agree.narrowing import RowGroups, examples, row_groups, size
from agreement.comparing.agree.periods import PeriodVerdict, first_start
from agreement.comparing.agree.sides import RowDifference
from agreement.documents import outputs
from agreement.documents.dates import Dates
from agreement.documents.requests import SIDES, sources
from agreement.documents.table_files import Column, OutTable, TableValue, term_columns
from lars.durations import Duration
from lars.errors import on_one_line
from lars.language.windows import Bounds, Interval
from solver.facts import Fact, Row
from solver.job import rows_in_parts
from translate.analysis import model_of_cqels
from translate.dialects import TITLES
from translate.model.query import MERGING, EngineQuery, Language, Query
from translate.model.windows import Range
from translate.tau import columns, lars_program, pull, push

if TYPE_CHECKING:
    from agreement.comparing.agree.lateness import LateRow
    from agreement.experiments.junit import VerdictCase
    from solver.spark import RowsByTime


_ROWS_SHOWN: Final = 20
"""The maximum number of rows of only one side in the text."""
_MOST_COMPARED_ROWS: Final = 5_000
_ITEMS_NAMED: Final = 6
_LETTERS_SHOWN: Final = 120
_UP_TO: Final = "period to"
"""The header of the column with the end of a period as dateTime; the start is omitted to save width."""
_WHOLE: Final = frozenset(("U", "period", _UP_TO, "only in", "pushed", "first"))
_ALL: Final = "select rows by period, cause or side; the JSON output and the tables contain all rows"
_MODEL: Final = (
    "query (V, P, D, S): result variables, pattern, static graphs, streams with windows and patterns"
)
_CHOICES: Final = "brave: a part matches only its stream; cautious: also static data"
_STYLES: Final = {True: "green", False: "bold red", None: "yellow"}
_WORDS: Final = {True: "agree", False: "DISAGREE", None: "no whole period"}


def _reading(query: EngineQuery) -> str:
    """Return a title for a query's program, with the name of its translation to LARS (τ1 or τ2)."""
    translation = "τ1" if query.language in MERGING else "τ2"
    return f"LARS program of the {TITLES[query.language]} query ({translation})"


SupportedRow = tuple[RowDifference, tuple[Fact, ...]]


ExplainCommand = Callable[[Pair, "RowDifference | LateRow", Container[str] | None], str | None]
"""A function that returns the `lars explain` command for a row, quoted for a shell.

The container has the atoms whose short terms are ambiguous, so that the command must write them in full. None
means that all atoms are ambiguous. The result is None if no command can explain the row, because the query of
the side is derived and differs from the given query.
"""


def as_text(report: AgreementReport, asking: ExplainCommand) -> Iterator[RenderableType]:
    """Yield the text report: verdicts of periods, counts of causes, example rows, and commands about them."""
    yield headline(report)
    if report.remark is not None:
        yield Text(on_one_line(report.remark))
    if (sentence := _slides(report)) is not None:
        yield Text(on_one_line(sentence))
    for number, (variant, *others) in enumerate(_alike_variants(report)):
        if variant.pair.choices is not None:
            names = " · ".join(str(each.pair) for each in (variant, *others))
            same = "CQELS variants with the same rows" if others else "CQELS variant"
            same = same if number else f"{same} ({_CHOICES})"
            yield Text(on_one_line(f"{same}: {names}"), style="bold")
        dates = dates_on(variant, report.setting.unit)
        yield _verdicts(report, variant, dates)
        if groups := row_groups(report.row_filter, variant):
            yield from _details(report, variant, groups, asking, dates)


def _slides(report: AgreementReport) -> str | None:
    """Return a sentence about the slide of push's windows, if it hides the input of some row.

    A derived CQELS query keeps the windows of the C-SPARQL query, as in the paper, so its SLIDE is a STEP.
    """
    pair = report.first.pair
    windows = [source.window for source in sources(pair.cqels) if pair.cqels.language is Language.CQELS]
    slides = dict.fromkeys(
        window.slide
        for window in windows
        if isinstance(window, Range) and window.slide and window.slide.points(report.setting.unit) > 1
    )
    groups = row_groups(report.row_filter, report.first)
    hidden = sum(
        size(parts)
        for (_, side, cause), parts in groups.items()
        if (side, cause) == ("pull", "hidden by the pivot")
    )
    if not slides or not hidden:
        return None
    count = outputs.quantity(sum(map(size, groups.values())), "differing row")
    lengths = " or ".join(map(str, slides))
    ends = f"a window of push ends at the last multiple of its SLIDE ({lengths}), before the newest input"
    given = "lars derived SLIDE from the STEP of the given query, and " if pair.derived == "push" else ""
    why = f"{ends} (hidden by the pivot); {given}the engine CQELS ignores SLIDE"
    return f"only pull reports {hidden} of {count}, because {why}"


def _alike_variants(report: AgreementReport) -> Iterator[tuple[VariantReport, ...]]:
    """Yield the forms of the CQELS query in groups; the forms of a group have the same verdicts and rows."""
    groups: dict[object, list[VariantReport]] = {}
    for number, variant in enumerate(report.variants):
        verdicts = report.row_filter.verdicts(variant)
        counts = tuple((verdict.period, len(verdict), *_row_counts(verdict)) for verdict in verdicts)
        few = sum(alone for *_, one, other in counts for alone in (one, other)) <= _MOST_COMPARED_ROWS
        rows = (
            (row.period, row.interval.start, row.side, row.row, row.cause, row.pushed)
            for row in report.row_filter.rows(variant)
        )
        groups.setdefault((counts, tuple(rows)) if few else number, []).append(variant)
    return map(tuple, groups.values())


def headline(report: AgreementReport) -> Text:
    """Return the verdict in one sentence, with the side, period and cause of the first shown row."""
    variant = report.first
    first = next(iter(report.row_filter.rows(variant)), None)
    if first is None:
        whole = sum(len(verdict) for verdict in variant.verdicts)
        verdicts = [verdict.agree for verdict in variant.verdicts]
        if False in verdicts:
            return Text("push and pull disagree, only in rows that are not shown", style=_STYLES[False])
        if not whole:
            return Text("nothing to compare: the timeline contains no whole period", style=_STYLES[None])
        # Of a period U that is longer than the timeline, nothing is known.
        several = outputs.number_ranges([verdict.period for verdict in variant.verdicts if len(verdict)])
        periods = "" if len(verdicts) == 1 else f", U = {several}"
        nothing = outputs.NO_ROWS if variant.is_empty else ""
        sentence = f"push and pull agree on {outputs.quantity(whole, 'whole period')}{periods}{nothing}"
        return Text(sentence, style=_STYLES[True])
    more = sum(map(size, row_groups(report.row_filter, variant).values())) - 1
    others = f"; {outputs.quantity(more, 'more difference')} in {_all_of(report)}" if more else ""
    words = difference_text(first, dates_on(variant, report.setting.unit))
    return Text(on_one_line(f"{words}{others}"), style=_STYLES[False])


def _all_of(report: AgreementReport) -> str:
    """Return a text for the periods over which the headline counts rows."""
    several = len(report.row_filter.verdicts(report.first)) > 1
    return "all periods of all U" if several else "all periods"


def _verdicts(report: AgreementReport, variant: VariantReport, dates: Dates) -> Table:
    timeline = variant.trace.timeline
    title = f"push and pull on {dates.interval(timeline)}{dates.caption}"
    # As below: of dated periods their ends, which begin U before.
    wrong_ones = "disagreeing" if dates.zero is None else "disagreeing up to"
    columns = ("period U", "verdict", "whole periods", wrong_ones, "not compared")
    rows = []
    for verdict in report.row_filter.verdicts(variant):
        wrong = list(verdict.disagreeing)
        texts = [_period(comparison, dates) for comparison in wrong[:_ITEMS_NAMED]]
        rest = [_left(pair, timeline, dates) for pair in _outside(verdict, timeline)]
        nothing = outputs.NO_ROWS if verdict.is_empty else ""
        word = Text(f"{_WORDS[verdict.agree]}{nothing}", style=_STYLES[verdict.agree])
        disagreeing = ", ".join((*texts, *["…"] * (len(wrong) > _ITEMS_NAMED)))
        rows.append((str(verdict.period), word, str(len(verdict)), disagreeing, ", ".join(rest)))
    return outputs.table(
        f"{title}, time in units of {report.setting.unit}", columns, rows, right=("period U",)
    )


def _details(
    report: AgreementReport, variant: VariantReport, groups: RowGroups, asking: ExplainCommand, dates: Dates
) -> Iterator[RenderableType]:
    yield _counts(groups, dates)
    yield _shares(report.row_filter.verdicts(variant))
    chosen = examples(groups, variant, _ROWS_SHOWN)
    rows = []
    supports = variant.supports(chosen)
    texts = outputs.short_rows([row.row for row in chosen])
    for row, text, support in zip(chosen, texts, supports, strict=True):
        pushed = "-" if row.pushed is None else dates.text(row.pushed)
        cells = (row.side, pushed, text, row.cause)
        rows.append((str(row.period), _period(row.interval, dates), *cells, _supported_by(support, dates)))
    title = f"rows that only one side reports: {outputs.header(report.variables)}"
    period = "period" if dates.zero is None else _UP_TO
    columns = ("U", period, "only in", "pushed", "row", "cause", "supported by")
    yield outputs.table(title, columns, rows, whole=_WHOLE)
    count = sum(map(size, groups.values()))
    if more := count - len(chosen):
        yield Text(f"… and {outputs.quantity(more, 'more row')}: {_ALL}")
    # What looks alike among very many rows is not looked for: then each is written in full.
    alike = _alike(report.row_filter.rows(variant)) if count <= _MOST_COMPARED_ROWS else None
    whole = (row for row in chosen if _has_all(report, variant, row))
    asked = (asking(variant.pair, row, alike) for row in whole)
    if commands := [command for command in dict.fromkeys(asked) if command is not None]:
        each = "each of these rows" if len(commands) == len(chosen) else "some of these rows"
        yield "\n".join((f"to see why one side reports {each}, run:", *commands))
    # The other side lacks all rows of a group for one reason.
    groups_shown = dict.fromkeys(row.group for row in chosen)
    firsts = (next(row for row in chosen if row.group == group) for group in groups_shown)
    others = (row.elsewhere for row in firsts)
    lacking = (asking(variant.pair, row, alike) for row in others if _has_all(report, variant, row))
    if commands := [command for command in dict.fromkeys(lacking) if command is not None]:
        yield "\n".join(
            ("to see why the other side does not report the first row of each cause, run:", *commands)
        )


def _has_all(report: AgreementReport, variant: VariantReport, row: RowDifference) -> bool:
    """Return whether a row contains all columns of the query, so that `lars explain` can explain the row."""
    query = variant.pair.cqels if row.side == "push" else variant.pair.csparql
    return columns(query) == report.variables


def _own_bounds(report: AgreementReport) -> Bounds | None:
    """Return the bounds of all time windows of both queries; None if windows have different bounds."""
    queries = report.first.pair.cqels, report.first.pair.csparql
    of_windows = [source.window for query in queries for source in sources(query)]
    own = {window.own_ends for window in of_windows if isinstance(window, Range)}
    return next(iter(own or {"closed"})) if len(own) <= 1 else None


def as_json(report: AgreementReport) -> outputs.Json:
    """Return the JSON document.

    The key `variants` contains the periods for all forms of the CQELS query; the document itself contains the
    periods for the first form. Long lists are iterators, which `document_lines` writes item by item.
    """
    derived = report.variants if report.first.pair.choices is not None else ()
    return {
        "unit": outputs.encode(report.setting.unit),
        "origin": report.first.trace.origin,
        "profile": outputs.encode(report.setting.profile),
        "bounds": outputs.encode(report.setting.bounds or _own_bounds(report)),
        "on": [f"?{variable.name}" for variable in report.variables],
        **_variant(report, report.first),
        "variants": map(partial(_variant, report), derived),
        "warnings": list(report.warnings),
        "certified": dict(zip(("times", "of"), report.certified, strict=True)),
    }


def _variant(report: AgreementReport, variant: VariantReport) -> outputs.Json:
    verdicts = report.row_filter.verdicts(variant)
    periods = (
        {
            "period": verdict.period,
            "agree": verdict.agree,
            "empty": verdict.is_empty,
            "intervals": starmap(
                partial(_interval, report), _supported(variant, report.row_filter.intervals(variant, verdict))
            ),
            "unfinished": verdict.unfinished
            and report.dates.with_dates(dict(zip(("from", "to"), verdict.unfinished, strict=True))),
        }
        for verdict in verdicts
    )
    return {"variant": str(variant.pair), "periods": periods}


def _interval(
    report: AgreementReport, interval: PeriodComparison, rows: Sequence[SupportedRow]
) -> outputs.Json:
    names, dates = report.variables, report.dates
    return {
        **dates.with_dates({"from": interval.start, "to": interval.end}),
        "agree": interval.agree,
        "push": outputs.bindings(names, interval.push),
        "pull": outputs.bindings(names, interval.pull),
        "push_only": outputs.bindings(names, interval.only("push")),
        "pull_only": outputs.bindings(names, interval.only("pull")),
        "causes": [
            {
                "side": row.side,
                "row": outputs.binding(names, row.row),
                "cause": row.cause,
                "support": [outputs.json_triple(fact, dates) for fact in support],
                **dates.with_dates({"pushed": row.pushed}),
            }
            for row, support in rows
        ],
    }


def cases(report: AgreementReport) -> "Iterator[VerdictCase]":
    """Yield a passed test case for each agreeing pull period, and a failed one for each differing row."""
    from agreement.experiments.junit import VerdictCase

    for verdict in report.first.verdicts:
        name = f"U = {verdict.period}"
        if verdict.agree is None:
            yield VerdictCase("agree", name, skipped="no whole period is compared")
        elif verdict.agree:
            empty = "neither side reports a row in any whole period" if verdict.is_empty else None
            yield VerdictCase("agree", name, skipped=empty)
        else:
            for comparison in verdict.disagreeing:
                for row in report.first.differences(comparison):
                    place = f"{name}, {_period(comparison, report.dates)}, only {row.side}"
                    text = f"{row.cause}\n{difference_text(row, report.dates)}"
                    atom = outputs.atom_text("ans1", row.row)
                    yield VerdictCase("agree", f"{place}: {atom}", row.cause, text=text)


def tables(report: AgreementReport) -> tuple[OutTable, ...]:
    """Return the tables of --out; the rows of a table are computed when the table is written."""
    terms = term_columns(report.variables)
    return (
        OutTable("summary", _SUMMARY, _summary(report)),
        OutTable("causes", _CAUSES, _causes(report)),
        OutTable("periods", PERIODS, _periods(report)),
        OutTable("differences", (*DIFFERENCES, *terms), _differences(report)),
        OutTable("answers", (*_ANSWERS, *terms), _answers(report)),
    )


def _summary(report: AgreementReport) -> Iterator[Sequence[TableValue]]:
    for variant in report.variants:
        for verdict in report.row_filter.verdicts(variant):
            wrong = int((~verdict.agreeing).sum())
            about = _WORDS[verdict.agree].lower(), verdict.is_empty, len(verdict), wrong
            yield str(variant.pair), verdict.period, *about, *_row_counts(verdict)


def _causes(report: AgreementReport) -> Iterator[Sequence[TableValue]]:
    for variant in report.variants:
        for group, parts in row_groups(report.row_filter, variant).items():
            _, first, _ = parts[0]
            yield str(variant.pair), *group, size(parts), len(parts), first.start, first.end


def _periods(report: AgreementReport) -> Iterator[Sequence[TableValue]]:
    for variant in report.variants:
        for verdict in report.row_filter.verdicts(variant):
            for interval in verdict:
                agree, *counts = _counts_of(interval)
                interval_of = str(variant.pair), verdict.period, interval.start, interval.end
                yield *interval_of, agree, verdict.is_empty, *counts


def _counts_of(interval: PeriodComparison) -> Sequence[TableValue]:
    """Return whether a period agrees, and the numbers of rows of push, pull, push only, and pull only."""
    only = (0 if interval.agree else interval.count(side) for side in SIDES)
    return interval.agree, *interval.sizes, *only


def _differences(report: AgreementReport) -> Iterator[Sequence[TableValue]]:
    for variant in report.variants:
        for found in report.row_filter.rows(variant):
            yield difference_of(variant, found)


def difference_of(variant: VariantReport, difference: RowDifference) -> Sequence[TableValue]:
    """Return a row of the table `differences`."""
    span = difference.period, difference.interval.start, difference.interval.end
    why = (difference.side, difference.cause, difference.pushed)
    return str(variant.pair), *span, *why, outputs.atom_text("ans1", difference.row), *difference.row


def _answers(report: AgreementReport) -> Iterator[Sequence[TableValue]]:
    for variant in report.variants:
        name = str(variant.pair)
        for row, first, last in rows_in_parts(variant.answers.push):
            yield name, None, "push", first, last, *row
        pulled: Iterable[tuple[Row, int, int]] = rows_in_parts(variant.answers.pull)
        if len(variant.verdicts) > 1:
            pulled = list(pulled)
        for verdict in variant.verdicts:
            # Pull evaluates only for its one period, so its intervals are those of the table.
            one = len(variant.verdicts) == 1
            for row, first, last in pulled if one else _pulled_every(verdict.period, pulled):
                yield name, verdict.period, "pull", first, last, *row


def _pulled_every(period: int, runs: Iterable[tuple[Row, int, int]]) -> list[tuple[Row, int, int]]:
    """Return the intervals of rows at the multiples of a pull period, from the intervals for all periods.

    >>> _pulled_every(4, [(("a",), 3, 4), (("a",), 8, 10), (("a",), 13, 15), (("b",), 9, 10)])
    [(('a',), 4, 8)]
    """
    found: list[tuple[Row, int, int]] = []
    newest: dict[Row, int] = {}
    for row, begin, end in runs:
        first, last = begin + -begin % period, end - end % period
        if first > last:
            continue
        place = newest.get(row)
        # Between two intervals, pull may evaluate only for other periods.
        if place is not None and found[place][2] + period == first:
            found[place] = row, found[place][1], last
        else:
            newest[row] = len(found)
            found.append((row, first, last))
    return found


def basis_text(report: AgreementReport) -> Iterator[RenderableType]:
    """Yield the parsed query, and for each CQELS query the programs and the answers at each time point."""
    # Queries are written as text for it alone; so below.
    from translate.writing import model_lines

    yield "\n".join((f"{_MODEL}:", *model_lines(_model(report))))
    period, rules = _pull_rules(report)
    yield "\n".join((f"\n{_reading(report.first.pair.csparql)}, pull, U = {period}:", *rules))
    for variant in report.variants:
        title = f"{_reading(variant.pair.cqels)}, push, {variant.pair}:"
        yield "\n".join((f"\n{title}", *_push_rules(report, variant)))
        dates = dates_on(variant, report.setting.unit)
        pushed, pulled = _by_time(variant)
        texts = {
            t: outputs.told_apart(
                *(sorted(own.get(t, ()), key=outputs.row_order) for own in (pushed, pulled))
            )
            for t in sorted({*pushed, *pulled})
        }
        rows = ((dates.text(t), *map(" ".join, both)) for t, both in texts.items())
        title = f"answers per time point{dates.caption}"
        yield outputs.table(title, ("t", "push", "pull"), rows, right=("t",), whole=("t",))


def basis_json(report: AgreementReport) -> outputs.Json:
    """Return the JSON keys that --full adds: parsed query, programs, answers."""
    from translate.writing import model_json

    names, dates = report.variables, report.dates
    period, rules = _pull_rules(report)
    return {
        "model": model_json(_model(report)),
        "programs": {
            "pull": {"period": period, "rules": rules},
            "push": [
                {"variant": str(variant.pair), "rules": _push_rules(report, variant)}
                for variant in report.variants
            ],
        },
        "answers": [
            {"variant": str(variant.pair)}
            | {
                side: [
                    {**dates.with_dates({"t": t}), "rows": outputs.bindings(names, own[t])}
                    for t in sorted(own)
                ]
                for side, own in zip(("push", "pull"), _by_time(variant), strict=True)
            }
            for variant in report.variants
        ],
    }


def _model(report: AgreementReport) -> Query:
    return model_of_cqels(report.first.pair.cqels, with_graphs=True)


def _pull_rules(report: AgreementReport) -> tuple[int, list[str]]:
    # Programs of two periods differ in one number: the first period stands for all.
    period = report.first.verdicts[0].period
    program = pull(lars_program(report.first.pair.csparql, report.setting), period)
    return period, list(map(str, program.rules))


def _push_rules(report: AgreementReport, variant: VariantReport) -> list[str]:
    program = push(lars_program(variant.pair.cqels, report.setting), report.setting.trigger)
    return list(map(str, program.rules))


def _by_time(variant: VariantReport) -> tuple["RowsByTime", "RowsByTime"]:
    """Return the answers of push and pull by time."""
    return variant.answers.push.whole().by_time(), variant.answers.pull.whole().by_time()


def dates_on(variant: VariantReport, unit: Duration) -> Dates:
    """Return the object that maps time points to dateTimes, written as short as the timeline allows."""
    return Dates(variant.trace.origin, unit).within(variant.trace.timeline)


def difference_text(row: RowDifference, dates: Dates) -> str:
    """Return a sentence with a row of only one side: its period, side and cause."""
    where = f"U = {row.period}, {dates.period(row.interval.start, row.interval.end)}{dates.caption}"
    return f"{where}: only {row.side} reports {outputs.short_row(row.row)}; cause: {row.cause}"


def _shares(verdicts: Sequence[PeriodVerdict]) -> str:
    """Return a text with the share of rows that both sides report, for each disagreeing pull period."""
    shares = []
    for verdict in verdicts:
        if verdict.agree is False:
            both, *alone = _row_counts(verdict)
            every = both + sum(alone)
            shares.append(f"U = {verdict.period}: {both} of {every} ({outputs.percent_text(both / every)})")
    return f"rows that both sides report, of all rows: {outputs.first_few(shares, _ITEMS_NAMED, ' · ')}"


def _row_counts(verdict: PeriodVerdict) -> tuple[int, int, int]:
    """Return three numbers of rows in whole periods: reported by both sides, by push only, by pull only."""
    pushed, pulled = int(verdict.sizes.push.sum()), int(verdict.sizes.pull.sum())
    # Sizes of what one side alone has are counted where a period disagrees, and stand for nothing elsewhere.
    alone = int(verdict.sizes.push_only[~verdict.agreeing].sum())
    return pushed - alone, alone, pulled - pushed + alone


def _period(comparison: PeriodComparison, dates: Dates) -> str:
    return (
        dates.period(comparison.start, comparison.end) if dates.zero is None else dates.text(comparison.end)
    )


def _left(part: tuple[int, int], timeline: Interval, dates: Dates) -> str:
    """Return a text for an interval before the first whole period, or after the last whole period."""
    start, end = part
    if dates.zero is None:
        return dates.period(start, end)
    return f"after {dates.text(start)}" if end == timeline.last else f"up to {dates.text(end)}"


def _outside(verdict: PeriodVerdict, timeline: Interval) -> Iterator[tuple[int, int]]:
    """Yield the parts of the timeline that belong to no whole period; time 0 belongs to no period."""
    start = first_start(verdict.period, timeline)
    if max(timeline.first - 1, 0) < min(start, timeline.last):
        yield max(timeline.first - 1, 0), min(start, timeline.last)
    if verdict.unfinished is not None:
        yield verdict.unfinished


def _alike(rows: Iterable[RowDifference]) -> set[str]:
    """Return short atoms that are ambiguous: another term of the rows has the same short form."""
    distinct = {row.row for row in rows}
    terms = Counter(map(outputs.short, {term for row in distinct for term in row}))
    unclear = {row for row in distinct if any(terms[outputs.short(term)] > 1 for term in row)}
    return {text for text in map(outputs.short_atom, unclear) if text is not None}


def _counts(groups: RowGroups, dates: Dates) -> Table:
    columns = ("U", "only in", "cause", "rows", "periods", "first")
    title = "number of rows that only one side reports"
    rows = (
        (
            str(period),
            side,
            cause,
            str(size(parts)),
            str(len(parts)),
            dates.period(parts[0][1].start, parts[0][1].end),
        )
        for (period, side, cause), parts in groups.items()
    )
    return outputs.table(title, columns, rows, right=("U", "rows", "periods"), whole=_WHOLE)


def _supported_by(support: tuple[Fact, ...], dates: Dates) -> str:
    # A triple takes more than a letter.
    text = " · ".join(_triple(fact, dates) for fact in support[:_LETTERS_SHOWN]) or "no input"
    if len(text) <= _LETTERS_SHOWN:
        return text
    counts = Counter(fact.t for fact in support)
    return (
        "triples at "
        + ", ".join(f"{dates.text(t)} ({n})" for t, n in sorted(counts.items()))
        + ", listed in the JSON document"
    )


def _triple(fact: Fact, dates: Dates) -> str:
    s, p, o, *graph, _ = map(outputs.short, fact.arguments)
    return " ".join((f"{dates.text(fact.t)}: {s} {p} {o}", *(f"in {name}" for name in graph)))


_ROWS_AT_ONCE: Final = 1_000
"""The number of rows whose proofs are computed together, rounded up to whole periods."""


def _supported(
    variant: VariantReport, intervals: Iterable[tuple[PeriodComparison, list[RowDifference]]]
) -> Iterator[tuple[PeriodComparison, list[SupportedRow]]]:
    """Yield each period with the rows of only one side, each row with the triples that support the row."""
    waiting: list[tuple[PeriodComparison, list[RowDifference]]] = []
    count = 0
    for interval in intervals:
        waiting.append(interval)
        count += len(interval[1])
        if count >= _ROWS_AT_ONCE:
            yield from _proved(variant, waiting)
            waiting, count = [], 0
    yield from _proved(variant, waiting)


def _proved(
    variant: VariantReport, intervals: Sequence[tuple[PeriodComparison, list[RowDifference]]]
) -> Iterator[tuple[PeriodComparison, list[SupportedRow]]]:
    supports = iter(variant.supports([row for _, rows in intervals for row in rows]))
    for interval, rows in intervals:
        yield interval, [(row, next(supports)) for row in rows]


_VARIANT = Column("variant", str, "CQELS query: given, or derived with each part brave or cautious")
_PERIOD = Column("period", int, "the pull period U")
_INTERVAL = (
    Column("from", int, "start of the period (from, to], in time points", is_time=True),
    Column("to", int, "end of the period, at which pull evaluates", is_time=True),
)
_SUMMARY = (
    _VARIANT,
    _PERIOD,
    Column("verdict", str, "verdict on the period U: agree, disagree, or no whole period"),
    Column("empty", bool, "whether no whole period of this U has a row of push or pull"),
    Column("whole_periods", int, "number of whole periods in the timeline"),
    Column("disagreeing", int, "number of whole periods in which only one side has some row"),
    Column("both", int, "number of rows that both sides have, in all whole periods"),
    Column("push_only", int, "number of rows that only push has"),
    Column("pull_only", int, "number of rows that only pull has"),
)
_CAUSES = (
    _VARIANT,
    _PERIOD,
    Column("side", str, "the only side that has the rows: push or pull"),
    Column("cause", str, "cause of the difference"),
    Column("rows", int, "number of rows with this cause"),
    Column("periods", int, "number of periods with such rows"),
    Column("first_from", int, "start of the first such period (first_from, first_to]", is_time=True),
    Column("first_to", int, "end of the first such period", is_time=True),
)
PERIODS = (
    _VARIANT,
    _PERIOD,
    *_INTERVAL,
    Column("agree", bool, "whether push and pull have the same rows in the period"),
    Column("empty", bool, "whether no whole period of this U has a row of push or pull"),
    Column("push", int, "number of rows that push reports in the period"),
    Column("pull", int, "number of rows that pull reports at the end of the period"),
    Column("push_only", int, "number of rows that only push has"),
    Column("pull_only", int, "number of rows that only pull has"),
)
DIFFERENCES = (
    _VARIANT,
    _PERIOD,
    *_INTERVAL,
    Column("side", str, "the only side that has the row: push or pull"),
    Column("cause", str, "cause of the difference"),
    Column(
        "pushed",
        int,
        "last time up to the end of the period at which push reports the row, also before the period; "
        "none: push never reports the row",
        is_time=True,
    ),
    Column("atom", str, "the row as an atom, to explain it", in_papers=outputs.shorten),
)
_ANSWERS = (
    _VARIANT,
    Column("period", int, "the pull period U of an answer of pull; none: an answer of push"),
    Column("side", str, "push or pull"),
    Column(
        "first",
        int,
        "first time point of an interval: the row is an answer at all evaluations of the side in it",
        is_time=True,
    ),
    Column("last", int, "last time point of the interval (included)", is_time=True),
)
