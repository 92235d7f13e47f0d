"""The page of `lars agree`: verdicts, timeline, differences with proofs, the queries and their rules.

The causes of a difference stand there in words, with what would have to be otherwise for both sides to be
the same.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from agreement.comparing.agree import RowCause, Side, VariantReport
from agreement.comparing.agree.agreeing import AgreementReport
from agreement.comparing.agree.narrowing import FoundRow, RowFilter, evenly
from agreement.comparing.agree.periods import PeriodVerdict
from agreement.comparing.agree.sides import CAUSES
from agreement.documents.outputs import (
    Json,
    clip_text,
    header,
    json_text,
    number_ranges,
    quantity,
    short_row,
)
from agreement.results.renderings.agreement_report import (
    NO_ROWS,
    ExplainOptions,
    dates_on,
    in_words,
)
from agreement.results.renderings.pages.blocks import MOST_RANGES
from agreement.results.renderings.pages.clause_links import side_by_side
from agreement.results.renderings.pages.page import LEFT_OUT, Page, PageHead
from agreement.results.renderings.pages.proofs import RowSelection, Tally, counts_json, proofs
from agreement.results.renderings.pages.timeline import (
    answers,
    bins_of,
    elements,
    evaluations,
    stream_sizes,
    strip_cells,
    term_texts,
    windows,
)
from lars.language.program import Program
from solver.columns import Numbering
from solver.facts import Fact, Row
from translate.dialects import TITLES
from translate.model.query import EngineQuery, Setting
from translate.tau import Trigger, lars_program, pull, push


def cause_words(cause: RowCause) -> tuple[str, str]:
    """Return what a cause says, and what would have to be otherwise."""
    match cause:
        case RowCause.AGGREGATE_OF_NOTHING:
            return (
                "An aggregate of no solution is a value in C-SPARQL, no row in CQELS.",
                "an answer without the row for no solution would not differ in it.",
            )
        case RowCause.DIFFERENT_STATIC_DATA:
            return (
                "The engines have static data of their own; with those of both the row is on both sides.",
                "both engines would have to have loaded the same static data.",
            )
        case RowCause.STATIC_ONLY:
            return (
                "Static data alone give the row; no input took part on the other side.",
                "the row would have to rest on input, or the other side to evaluate and have it.",
            )
        case RowCause.MERGED_SOURCES:
            return (
                "One engine merges streams and static data, the other keeps them apart.",
                "both sides would have to match a pattern in one source alone, or in all together.",
            )
        case RowCause.HIDDEN_BY_THE_PIVOT:
            return (
                "A window that slides, or ends before now, hides new input, which gives or blocks the row.",
                "the windows would have to show all input up to the evaluation.",
            )
        case RowCause.SILENT_PERIOD:
            return (
                "Pull still sees it, but no input made push evaluate in the period.",
                "some input would have to arrive in the period, so that push evaluates.",
            )
        case RowCause.EXPIRED_BEFORE_THE_PULL:
            return (
                "Push reported it, and its triples left the window before the pull.",
                "its triples would have to be in the windows at the pull: longer windows, earlier pulls.",
            )
        case RowCause.AGGREGATE_OF_OTHER_INPUT:
            return (
                "The other side has its group, but saw other input, so that the aggregate has another value.",
                "push and pull would have to see the same input: nothing may come or leave between them.",
            )
        case RowCause.BLOCKED_LATER:
            return (
                "Later input removed it (OPTIONAL, MINUS, NOT EXISTS, LIMIT).",
                "had nothing arrived after push's report, pull would have it too.",
            )
        case RowCause.BLOCKER_EXPIRED:
            return (
                "What blocked it has left the window.",
                "push would have to evaluate after the blocker has left, or never see it.",
            )
        case RowCause.DIFFERENT_WINDOWS:
            return (
                "The two queries have windows of their own, of different kind or length.",
                "both queries would have to read the stream through the same window.",
            )
        case _:
            assert_never(cause)


_DOCUMENT_ROWS: Final = 20_000
"""Of more rows and periods the document is not begun: what it would take could not stand on the page."""
_MOST_LINES: Final = 200
"""Of more pulling periods some are shown, evenly chosen."""
_LETTERS: Final = 200_000
"""So long are the rows that one side alone has, as JSON."""
_WRITTEN: Final = 20_000
_SUPPORT, _LESS_SUPPORT = 200, 20
"""So many elements behind a row are shown, and of examples."""


@dataclass(frozen=True, slots=True)
class AgreeContent:
    """What was asked and what was found, with the JSON document of it; `title` names it for readers."""

    title: str
    setting: Setting
    trigger: Trigger
    report: AgreementReport
    row_filter: RowFilter
    document: Mapping[str, object]
    explain_options: ExplainOptions | None = None
    queries: Sequence[tuple[str, str]] = ()


def agree_page(content: AgreeContent) -> Page:
    """Return the page; what is shown of variants is the first, the brave one."""
    variant, verdicts = content.report.variants[0], content.row_filter.verdicts(content.report.variants[0])
    dates = dates_on(variant, content.setting.unit)
    names = " and ".join(TITLES[query.language] for query in (variant.pair.csparql, variant.pair.cqels))
    periods = number_ranges([verdict.period for verdict in verdicts], MOST_RANGES)
    question = (
        f"Do pull and push of {names} report the same rows in each period, for "
        f"U = {periods} (unit {content.setting.unit}) "
        f"on {dates.interval(variant.trace.timeline)}{dates.caption}?{_reading(content.report)}"
    )
    agree, sentence = summary(verdicts)
    sentence = f"{sentence.removesuffix('.')}{NO_ROWS}." if agree and variant.sides.are_empty else sentence
    if (first := next(content.row_filter.rows(variant), None)) is not None:
        sentence = f"{in_words(first, dates)}. {sentence}"
    head = PageHead(content.title, question, agree, sentence, content.report.warnings)
    return Page(head, "agree", _document(content, verdicts), _content(content, variant, verdicts))


def _document(content: AgreeContent, verdicts: Sequence[PeriodVerdict]) -> Mapping[str, object]:
    """Return what --json prints, without what would be written of very many rows."""
    variants = len(content.report.variants)
    rows = sum(int(sizes.sum()) for verdict in verdicts for sizes in verdict.intervals.tables.sizes)
    if (rows + sum(len(verdict.intervals) for verdict in verdicts)) * variants <= _DOCUMENT_ROWS:
        return content.document
    return {
        key: LEFT_OUT if isinstance(value, Iterator) else value for key, value in content.document.items()
    }


def _reading(report: AgreementReport) -> str:
    first, *others = report.variants
    if first.pair.choices is None:
        return ""
    more = f"; {quantity(len(others), 'other reading')} in the JSON" if others else ""
    return f" The CQELS query is derived, read as {first.pair}{more}."


def summary(verdicts: Sequence[PeriodVerdict]) -> tuple[bool | None, str]:
    """Return whether all whole periods agree, None without any, and that in a sentence."""
    wrong = [verdict.period for verdict in verdicts if verdict.agree is False]
    whole = sum(len(verdict.intervals) for verdict in verdicts)
    bad = sum(not comparison.agree for verdict in verdicts for comparison in verdict.intervals)
    share = f"{whole - bad} of {quantity(whole, 'whole period')} agree" if whole else "No period is whole"
    sentence = f"{share}; U = {number_ranges(wrong, MOST_RANGES)} disagree." if wrong else f"{share}."
    return (False if wrong else True if whole else None), sentence


def _content(content: AgreeContent, variant: VariantReport, verdicts: Sequence[PeriodVerdict]) -> Json:
    setting, trace = content.setting, variant.trace
    csparql, cqels = variant.pair.csparql, variant.pair.cqels
    first = verdicts[0].period

    def pulling(query: EngineQuery) -> Program:
        return pull(lars_program(query, setting), first)

    def pushing(query: EngineQuery) -> Program:
        return push(lars_program(query, setting), content.trigger)

    asking = {Side.PUSH: (pushing(cqels), cqels), Side.PULL: (pulling(csparql), csparql)}
    rows = RowSelection(variant, content.row_filter)
    tally = rows.tally()
    sizes = stream_sizes(trace)
    drawn = _drawn(content, variant, sizes, rows, tally)
    seen = {row.period for row in drawn.rows}
    period_verdicts = sorted(
        {*evenly(verdicts, _MOST_LINES), *(verdict for verdict in verdicts if verdict.period in seen)},
        key=_period,
    )
    return {
        **drawn.page,
        "above": [],
        "written": [(name, clip_text(text, _WRITTEN)) for name, text in content.queries],
        "timeline": [trace.timeline.first, trace.timeline.last],
        "unit": str(setting.unit),
        "variables": header(content.report.variables),
        "columns": [variable.name for variable in content.report.variables],
        "causes": [
            {"name": cause.value, "says": says, "change": change}
            for cause, (says, change) in ((cause, cause_words(cause)) for cause in CAUSES)
        ],
        "strip": [_strip(variant, verdict, len(period_verdicts)) for verdict in period_verdicts],
        "lines_left": len(verdicts) - len(period_verdicts),
        "counts": counts_json(tally, period_verdicts),
        "windows": windows(
            ((csparql, "pull"), (cqels, "push")), setting, trace, sum(sizes.values()), _looked_at(drawn.rows)
        ),
        "dates": dates_on(variant, setting.unit).for_script(),
        "more": sum(count for count, _ in tally.values()) - len(drawn.rows),
        "proofs": proofs(variant, drawn.rows, asking, dates_on(variant, setting.unit)),
        "logic": [
            side_by_side(csparql, pulling, TITLES[csparql.language], f"pull, τ1, U = {first}", cqels),
            side_by_side(cqels, pushing, TITLES[cqels.language], "push, τ2", csparql),
        ],
    }


def _looked_at(rows: Iterable[FoundRow]) -> Iterator[int]:
    """Yield the times at which a reader looks at a row: when push last reported it, and its pull."""
    for row in rows:
        yield row.interval.end
        if row.difference.pushed is not None:
            yield row.difference.pushed


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The rows that are shown, and what the timeline draws of them and of the trace."""

    rows: Sequence[FoundRow]
    page: Json


def _drawn(
    content: AgreeContent, variant: VariantReport, sizes: Mapping[str, int], every: RowSelection, tally: Tally
) -> _Drawn:
    """Return all rows and what is behind them; where that is too long for a page, examples of each cause."""
    for rows, most in ((every.rows(tally), _SUPPORT), (every.examples(tally), _LESS_SUPPORT)):
        supports = variant.supports([(row.difference, row.interval) for row in rows]) if rows else []
        drawing = _Drawn(rows, _on_timeline(content, variant, sizes, rows, [own[:most] for own in supports]))
        kept = drawing.page["differences"]
        for difference, own in zip(kept, supports, strict=True):
            difference["support_left"] = max(0, len(own) - most)
        if len(json_text(kept)) <= _LETTERS:
            break
    return drawing


def _on_timeline(
    content: AgreeContent,
    variant: VariantReport,
    sizes: Mapping[str, int],
    rows: Sequence[FoundRow],
    supports: Sequence[Sequence[Fact]],
) -> Json:
    terms, numbers = Numbering[str](), Numbering[Row]()
    timeline, places, left = elements(variant.trace, sizes, terms, (fact for own in supports for fact in own))
    runs, undrawn = answers(variant.sides, numbers, [row.difference.row for row in rows])
    bins = bins_of(variant.trace, 1)
    pushes, pulls = (evaluations(own, bins) for own in (variant.sides.pushed, variant.sides.pulled))
    counts = (
        [f"evaluations of push are counted in bins of {bins.width} time points"] if pushes["bins"] else []
    )
    return {
        "elements": timeline,
        "push": runs["push"] | pushes,
        "pull": runs["pull"] | pulls,
        "left_out": [*left, *counts, *undrawn],
        "terms": term_texts(list(terms)),
        "full": [text.strip("<>") if text[:1] == "<" else text for text in terms],
        "differences": list(_differences(content, rows, supports, places, numbers)),
        "rows": list(map(short_row, numbers)),
    }


def _period(verdict: PeriodVerdict) -> int:
    return verdict.period


def _strip(variant: VariantReport, verdict: PeriodVerdict, lines: int) -> Json:
    wrong = sum(not comparison.agree for comparison in verdict.intervals)
    named = {
        "period": verdict.period,
        "agree": verdict.agree,
        "whole": len(verdict.intervals),
        "wrong": wrong,
    }
    return named | {"cells": strip_cells(variant, verdict, lines)}


def _differences(
    content: AgreeContent,
    rows: Sequence[FoundRow],
    supports: Sequence[Sequence[Fact]],
    places: Mapping[Fact, int],
    numbers: Numbering[Row],
) -> Iterator[Json]:
    for row, support in zip(rows, supports, strict=True):
        difference = row.difference
        command = (
            {}
            if content.explain_options is None
            else {"command": content.explain_options.command(content.report.variants[0].pair, row)}
        )
        yield {
            "period": row.period,
            "from": row.interval.start,
            "to": row.interval.end,
            "side": difference.side.value,
            "row": short_row(difference.row),
            "number": numbers[difference.row],
            "terms": difference.row,
            "cause": CAUSES.index(difference.cause),
            "pushed": difference.pushed,
            "support": [places[fact] for fact in support],
            **command,
        }
