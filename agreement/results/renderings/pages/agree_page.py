"""The HTML report of `lars agree`: verdicts, timeline, differences with proofs, queries and rules.

For each difference, the report describes the cause, and a change with which push and pull would agree. If few
rows differ, the report shows all differing rows, otherwise examples for each cause. The number of shown
proofs is limited by their size.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Final

import numpy as np

from agreement.answering import explaining
from agreement.comparing.agree import Pair, RowCause, VariantReport
from agreement.comparing.agree.agreeing import AgreementReport, RowFilter
from agreement.comparing.agree.narrowing import evenly
from agreement.comparing.agree.periods import PeriodVerdict
from agreement.comparing.agree.sides import CAUSE_LETTERS, CAUSES, RowDifference
from agreement.documents import outputs
from agreement.documents.dates import Dates
from agreement.documents.requests import SIDES, Side
from agreement.documents.traces import Trace
from agreement.documents.values import written_lengths
from agreement.results.renderings import explanation_report
from agreement.results.renderings.agreement_report import ExplainCommand, difference_text
from agreement.results.renderings.pages.blocks import MOST_RANGES
from agreement.results.renderings.pages.clause_links import side_by_side
from agreement.results.renderings.pages.page import LEFT_OUT, Page
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
from lars.analysis import reach
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.program import Program
from lars.language.stream import stream_of
from lars.language.windows import Interval
from solver.columns import Array, Numbering, TermCodes
from solver.facts import STREAM_PREDICATE, Fact, Row, Situation, atom_of, atoms_of, is_triple
from translate.dialects import TITLES
from translate.model.query import EngineQuery
from translate.tau import lars_program, pull, push

_ALL: Final = 1000
"""The number of differing rows above which only examples are shown."""
EXAMPLES: Final = 20
"""The maximum number of examples of each cause."""
Tally = Mapping[tuple[int, Side, int], tuple[int, int]]
"""The number of rows, and of periods with such rows, by pull period, side and number of the cause."""


@dataclass(frozen=True)
class RowSelection:
    """The rows of only one side that the user selects; the rows are counted without being listed."""

    variant: VariantReport
    row_filter: RowFilter

    def tally(self) -> Tally:
        """Return how many rows are selected, and in how many periods, by pull period, side and cause."""
        sizes: dict[tuple[int, Side, int], tuple[int, int]] = {}
        for side, own in self._counts():
            for period in np.unique(self._lengths).tolist():
                some = own[self._lengths == period]
                rows, periods = some.sum(axis=0).tolist(), (some > 0).sum(axis=0).tolist()
                for cause in np.flatnonzero(rows).tolist():
                    sizes[period, side, cause] = rows[cause], periods[cause]
        return dict(sorted(sizes.items(), key=lambda pair: (pair[0][0], pair[0][1] != "push", pair[0][2])))

    @cached_property
    def _lengths(self) -> Array:
        """The length (the pull period U) of each period in which push and pull disagree."""
        return np.array(
            [comparison.end - comparison.start for comparison in self.variant.explanation.periods], np.int64
        )

    def _counts(self) -> Iterator[tuple[Side, Array]]:
        """Yield, for each selected side, the numbers of its selected rows by period and cause."""
        if not len(self._lengths):
            return
        for side in SIDES:
            if self.row_filter.side in (None, side):
                counts = self.variant.explanation.counts(side)
                if self.row_filter.cause is not None:
                    counts[:, [cause != self.row_filter.cause for cause in CAUSES]] = 0
                if self.row_filter.periods:
                    counts[~np.isin(self._lengths, self.row_filter.periods)] = 0
                yield side, counts

    def rows(self, tally: Tally) -> list[RowDifference]:
        """Return the selected rows by period and time; of very many rows, only examples of each cause."""
        if sum(rows for rows, _ in tally.values()) <= _ALL:
            return list(self.row_filter.rows(self.variant))
        return self.examples(tally)

    def examples(self, tally: Tally) -> list[RowDifference]:
        """Return examples of each cause from many periods and both sides, sorted by period and time."""
        found_rows = [row for cause in range(len(CAUSES)) for row in self._of_cause(tally, cause)]
        return sorted(found_rows, key=lambda row: (row.period, row.interval.start, row.group, str(row.row)))

    def _of_cause(self, tally: Tally, cause: int) -> Iterator[RowDifference]:
        every = [(period, side, rows) for (period, side, own), (rows, _) in tally.items() if own == cause]
        chosen = sorted(evenly(every, EXAMPLES), key=lambda group: group[2])
        left = EXAMPLES
        for number, (period, side, _) in enumerate(chosen):
            # What small groups do not need is left to larger ones.
            share = left // (len(chosen) - number)
            places = evenly(self._places(period, side, cause), share)
            left -= len(places)
            for place in places:
                yield self.variant.explanation.difference(side, int(place))

    def _places(self, period: int, side: Side, cause: int) -> Sequence[int]:
        explanation = self.variant.explanation
        own = (explanation.causes(side) == cause) & (self._lengths[explanation.owners(side)] == period)
        places: list[int] = np.flatnonzero(own).tolist()
        return places


def counts_json(tally: Tally, verdicts: Sequence[PeriodVerdict]) -> outputs.Json:
    """Return the numbers of rows as JSON: a line for each disagreeing U, a column for each side and cause.

    Pull periods without a verdict in `verdicts` are omitted.
    """
    columns = sorted({(side != "push", cause) for _, side, cause in tally})
    pairs = [("pull" if pulled else "push", cause) for pulled, cause in columns]
    lines: dict[int, outputs.Json] = {
        verdict.period: {
            "period": verdict.period,
            "whole": len(verdict),
            "wrong": sum(1 for _ in verdict.disagreeing),
            "cells": [[0, 0]] * len(pairs),
        }
        for verdict in verdicts
        if verdict.agree is False
    }
    for (period, side, cause), (rows, periods) in tally.items():
        if period not in lines:
            continue
        cells = list(lines[period]["cells"])
        cells[pairs.index((side, cause))] = [rows, periods]
        lines[period]["cells"] = cells
    return {"columns": pairs, "lines": list(lines.values())}


_PROOFS: Final = 20
_ATOMS: Final = 6_000
"""The maximum number of input triples for all proofs together; the first proof alone may use more."""
_FIRST: Final = 10_000
"""The maximum number of input triples for the first proof."""
_PROOF_LETTERS: Final = 120_000
_LONGEST_PROOFS: Final = 60_000
"""The maximum number of characters in the JSON of all proofs together, and of one proof."""
PeriodPrograms = Callable[[int], Mapping[Side, tuple[Program, EngineQuery]]]
"""A function that returns the program and the query of each side for a pull period."""


@dataclass(frozen=True, slots=True)
class _AtomQuestion:
    """A question about an atom: whether and why the program of push or pull derives it at time point `t`."""

    program: Program
    query: EngineQuery
    t: int
    atom: str

    def seen(self, trace: Trace) -> Interval:
        """Return the part of the timeline that the windows of the program can contain."""
        own, timeline = reach(self.program), trace.timeline
        first = timeline.first if own.past is None or own.tuples else self.t - own.past
        last = timeline.last if own.future is None else self.t + own.future
        return Interval(first, last).meet(timeline)

    def told(self, trace: Trace, dates: Dates) -> outputs.Json:
        """Return the explanation of the atom as JSON; if the atom does not hold, also as lines of text."""
        try:
            situated = _around(self, trace, dates)
            explanation = explaining.explain_atom(situated, self.atom, None, Path("query"))
        except LarsError as error:
            return {"lines": [str(error)], "document": None}
        document = explanation_report.as_json(explanation, dates)
        lines = [] if document.get("proof") else list(explanation_report.text_lines(explanation, dates))
        return {"lines": lines, "document": document}


def _around(question: _AtomQuestion, trace: Trace, dates: Dates) -> explaining.ProgramSituation:
    """Return the program together with the input that its windows can contain."""
    timeline = trace.timeline
    facts: list[Fact] = list(trace.facts(question.seen(trace)))
    stream = stream_of(timeline, ((fact.t, atom_of(fact)) for fact in facts))
    background = frozenset(atoms_of(trace.background))
    situation = Situation(timeline, facts, trace.background)
    return explaining.ProgramSituation(
        question.program, stream, background, situation, question.query, dates, question.t
    )


def proofs(
    variant: VariantReport, rows: Sequence[RowDifference], sides: PeriodPrograms, dates: Dates
) -> outputs.Json:
    """Return, for rows of only one side, a proof on this side, and the missing premises on the other side.

    The result maps indexes of rows to proofs. One row of each pull period, side and cause comes first,
    because the size of all proofs is limited.
    """
    trace = variant.trace
    proofs_json: outputs.Json = {}
    arrived = _arrived_on(trace)
    atoms, letters = _ATOMS, _PROOF_LETTERS
    for place in _one_of_each(rows):
        why, lacks = _questions_of(variant, rows[place], sides)
        size = sum(arrived(question.seen(trace)) for question in (why, lacks))
        if size > (_FIRST if not proofs_json else atoms):
            continue
        proof = {
            "at": why.t,
            "why": why.told(trace, dates),
            "other_at": lacks.t,
            "lacks": lacks.told(trace, dates),
        }
        atoms -= size
        length = len(outputs.json_text(proof))
        if length <= min(letters, _LONGEST_PROOFS):
            letters -= length
            proofs_json[str(place)] = proof
        if len(proofs_json) >= _PROOFS or atoms <= 0:
            break
    return proofs_json


def _one_of_each(rows: Sequence[RowDifference]) -> Iterator[int]:
    """Yield the indexes of rows: of the first row of each group, then of the second row, and so on.

    A group contains the rows with the same pull period, side and cause.
    """
    seen: dict[tuple[int, str, str], int] = {}
    turns: list[tuple[int, int]] = []
    for place, row in enumerate(rows):
        seen[row.group] = seen.get(row.group, 0) + 1
        turns.append((seen[row.group], place))
    return (place for _, place in sorted(turns))


def _questions_of(
    variant: VariantReport, row: RowDifference, programs: PeriodPrograms
) -> tuple[_AtomQuestion, _AtomQuestion]:
    """Return two questions: why one side reports a row, and why the other side does not report the row."""
    end, sides = row.interval.end, programs(row.period)
    other: Side = "pull" if row.side == "push" else "push"
    times = variant.answers.push.within(Interval(row.interval.start + 1, end), TermCodes()).times
    before = [int(t) for t in times[(times > row.interval.start) & (times <= end)][-1:]]
    time = end if other == "pull" else before[0] if before else end
    atom = outputs.atom_text("ans1", row.row)
    return _AtomQuestion(*sides[row.side], row.at, atom), _AtomQuestion(*sides[other], time, atom)


def _arrived_on(trace: Trace) -> Callable[[Interval], int]:
    """Return a function that returns an upper bound of the number of triples in an interval.

    The returned function counts the triples in all bins of time that overlap the interval, and all static
    triples.
    """
    bins = bins_of(trace, 1)
    counts = sum(trace.arrivals(bins).values(), np.zeros(bins.count, np.int64))
    static = sum(sum(1 for _ in rows) for rows in trace.background.values())

    def among(within: Interval) -> int:
        first, last = ((t - bins.first) // bins.width for t in (within.first, within.last))
        return static + int(counts[max(first, 0) : max(last + 1, 0)].sum())

    return among


CAUSE_WORDS: Final[Mapping[RowCause, tuple[str, str]]] = {
    "aggregate of nothing": (
        (
            "If no solution exists, C-SPARQL reports a row with the value of the aggregate, and "
            "CQELS reports no row."
        ),
        "C-SPARQL would have to report no row for an aggregate without solutions.",
    ),
    "different static data": (
        (
            "The engines have different static data. With the static data of both engines, both "
            "sides would have the row."
        ),
        "both engines would have to load the same static data.",
    ),
    "static only": (
        (
            "Static data alone give the row on one side. The other side did not evaluate, or "
            "does not report the row."
        ),
        "the row would have to depend on input, or the other side would have to evaluate and report the row.",
    ),
    "different queries": (
        "The two queries ask for different rows, even if both engines merge all sources.",
        "both queries would have to contain the same pattern over the same streams.",
    ),
    "merged sources": (
        "One engine merges streams and static data. The other engine matches each pattern in one source.",
        "both sides would have to match each pattern in one source, or both in the union of all sources.",
    ),
    "hidden by the pivot": (
        (
            "A window with a slide, an open end or an end before the evaluation does not contain new input, "
            "which would add or block the row."
        ),
        "the windows would have to contain all input up to the evaluation.",
    ),
    "silent period": (
        "The row still holds at the pull, but no input made push evaluate in the period.",
        "input would have to arrive in the period, so that push evaluates.",
    ),
    "expired before the pull": (
        "Push reported the row, and the triples of the row left the window before the pull.",
        (
            "the windows of the pull would have to contain the triples of the row (longer "
            "windows, or earlier pulls)."
        ),
    ),
    "aggregate of other input": (
        (
            "The other side has a row for the same group, but with another value, because it "
            "aggregates other input."
        ),
        "push and pull would have to read the same input: no triple may enter or leave a window in between.",
    ),
    "blocked later": (
        "Input after the push removed the row (OPTIONAL, MINUS, NOT EXISTS, LIMIT).",
        "no input may arrive between the report of push and the pull.",
    ),
    "blocker expired": (
        "The input that blocked the row has left the window.",
        "push would have to evaluate after the blocking input has left the window, or never read this input.",
    ),
    "different windows": (
        "The windows of the two queries have different kinds or lengths.",
        "both queries would have to read the stream through the same window.",
    ),
}
"""The meaning of each cause, and the change that would remove it."""
_DOCUMENT_ROWS: Final = 20_000
"""The maximum number of rows and periods for which the report contains the JSON document."""
_MOST_LINES: Final = 200
"""The maximum number of shown pull periods; of more periods, evenly chosen periods are shown."""
_LETTERS: Final = 200_000
"""The maximum number of characters in the JSON of all rows of only one side."""
_WRITTEN: Final = 20_000
_SUPPORT, _LESS_SUPPORT = 200, 20
"""The maximum number of elements that are shown as support of a row, if all rows or examples are shown."""


def agree_page(
    title: str,
    report: AgreementReport,
    document: Mapping[str, object],
    asking: ExplainCommand | None = None,
    queries: Sequence[tuple[str, str]] = (),
) -> Page:
    """Return the content of the HTML report with its JSON document and its `title`.

    If the CQELS query is derived, the report shows only its first form, whose patterns match only streams.
    """
    variant, verdicts = report.first, report.row_filter.verdicts(report.first)
    dates = report.dates.within(variant.trace.timeline)
    names = " and ".join(TITLES[query.language] for query in (variant.pair.csparql, variant.pair.cqels))
    # The verdict is about all rows, also if only some periods, causes or one side are shown.
    periods = outputs.number_ranges([verdict.period for verdict in variant.verdicts], MOST_RANGES)
    question = (
        f"Do pull and push of {names} report the same rows in each period, for "
        f"U = {periods} (unit {report.setting.unit}) "
        f"on {dates.interval(variant.trace.timeline)}{dates.caption}?{_reading(report)}"
    )
    agree, sentence = summary(variant.verdicts)
    sentence = f"{sentence.removesuffix('.')}{outputs.NO_ROWS}." if agree and variant.is_empty else sentence
    if (first := next(report.row_filter.rows(variant), None)) is not None:
        sentence = f"{difference_text(first, dates)}. {sentence}"
    elif agree is False:
        sentence = f"Push and pull disagree, only in rows that are not shown. {sentence}"
    content = _content(report, verdicts, asking, queries)
    rows = sum(int(sizes.sum()) for verdict in verdicts for sizes in verdict.sizes)
    every = rows + sum(len(verdict) for verdict in verdicts)
    if every * len(report.variants) > _DOCUMENT_ROWS:
        document = {
            key: LEFT_OUT if isinstance(value, Iterator) else value for key, value in document.items()
        }
    return Page(title, question, agree, sentence, template="agree", document=document, page=content)


def _reading(report: AgreementReport) -> str:
    first, *others = report.variants
    if first.pair.choices is None:
        return ""
    more = f"; {outputs.quantity(len(others), 'other reading')} in the JSON" if others else ""
    return f" The CQELS query is derived, read as {first.pair}{more}."


def summary(verdicts: Sequence[PeriodVerdict]) -> tuple[bool | None, str]:
    """Return whether all whole periods agree (None without whole periods), and a sentence with counts."""
    wrong = [verdict.period for verdict in verdicts if verdict.agree is False]
    whole = sum(len(verdict) for verdict in verdicts)
    bad = sum(not comparison.agree for verdict in verdicts for comparison in verdict)
    agreeing = f"{whole - bad} of {outputs.quantity(whole, 'whole period')} agree{'s' * (whole == 1)}"
    share = agreeing if whole else "No period is whole"
    periods = f"U = {outputs.number_ranges(wrong, MOST_RANGES)} disagree{'s' * (len(wrong) == 1)}"
    sentence = f"{share}; {periods}." if wrong else f"{share}."
    return (False if wrong else True if whole else None), sentence


def _whose(pair: Pair, side: Side) -> str:
    """Return a text that states whether the query of push or pull is given or derived from the other one."""
    if side != pair.derived:
        return "the given query, in a standard layout"
    other = pair.csparql if side == "push" else pair.cqels
    return f"derived by lars from the {TITLES[other.language]} query (this text is not in the input)"


def _content(
    report: AgreementReport,
    verdicts: Sequence[PeriodVerdict],
    asking: ExplainCommand | None,
    queries: Sequence[tuple[str, str]],
) -> outputs.Json:
    variant, setting = report.first, report.setting
    trace, dates = variant.trace, report.dates.within(variant.trace.timeline)
    csparql, cqels = variant.pair.csparql, variant.pair.cqels
    first = verdicts[0].period

    def pulling(query: EngineQuery) -> Program:
        return pull(lars_program(query, setting), first)

    def pushing(query: EngineQuery) -> Program:
        return push(lars_program(query, setting), setting.trigger)

    pushed, pulled = pushing(cqels), lars_program(csparql, setting)

    @cache
    def sides(period: int) -> Mapping[Side, tuple[Program, EngineQuery]]:
        return {"push": (pushed, cqels), "pull": (pull(pulled, period), csparql)}

    selection = RowSelection(variant, report.row_filter)
    tally = selection.tally()
    sizes = stream_sizes(trace)
    rows, timeline = _drawn(variant, sizes, selection, tally, asking)
    seen = {row.period for row in rows}
    period_verdicts = sorted(
        {*evenly(verdicts, _MOST_LINES), *(verdict for verdict in verdicts if verdict.period in seen)},
        key=lambda verdict: verdict.period,
    )
    # A reader looks at a row when push last reported it, and at its pull.
    looked_at = {t for row in rows for t in (row.interval.end, row.pushed) if t is not None}
    strips = [strip_cells(variant, verdict, len(period_verdicts)) for verdict in period_verdicts]
    return {
        **timeline,
        "above": [],
        "written": [(name, outputs.clip_text(text, _WRITTEN)) for name, text in queries],
        "timeline": [trace.timeline.first, trace.timeline.last],
        "unit": str(setting.unit),
        "variables": outputs.header(report.variables),
        "columns": [variable.name for variable in report.variables],
        "causes": [
            {"name": cause, "letter": CAUSE_LETTERS[cause], "says": says, "change": change}
            for cause, (says, change) in ((cause, CAUSE_WORDS[cause]) for cause in CAUSES)
        ],
        "strip": [
            {
                "period": verdict.period,
                "agree": verdict.agree,
                "but": outputs.NO_ROWS if verdict.is_empty else "",
                "whole": len(verdict),
                "wrong": sum(not comparison.agree for comparison in verdict),
                "cells": cells,
            }
            for verdict, cells in zip(period_verdicts, strips, strict=True)
        ],
        "shares": any(0 < cell.agreeing_share < 1 for cells in strips for cell in cells),
        "named": written_lengths(verdict.period for verdict in period_verdicts),
        "lines_left": len(verdicts) - len(period_verdicts),
        "counts": counts_json(tally, period_verdicts),
        "windows": windows(
            ((csparql, "pull"), (cqels, "push")), setting, trace, sum(sizes.values()), looked_at
        ),
        "dates": dates.for_script(),
        "more": sum(count for count, _ in tally.values()) - len(rows),
        "proofs": proofs(variant, rows, sides, dates),
        "logic": [
            side_by_side(csparql, pulling, TITLES[csparql.language], f"pull, τ1, U = {first}", cqels)
            | {"whose": _whose(variant.pair, "pull")},
            side_by_side(cqels, pushing, TITLES[cqels.language], "push, τ2", csparql)
            | {"whose": _whose(variant.pair, "push")},
        ],
    }


def _drawn(
    variant: VariantReport,
    sizes: Mapping[str, int],
    selection: RowSelection,
    tally: Tally,
    asking: ExplainCommand | None,
) -> tuple[Sequence[RowDifference], outputs.Json]:
    """Return the shown rows, and the data of a timeline that shows the trace and these rows.

    If the report remains small, the timeline shows all rows and their supporting triples, otherwise examples
    of each cause.
    """
    for rows, most in ((selection.rows(tally), _SUPPORT), (selection.examples(tally), _LESS_SUPPORT)):
        supports = variant.supports(rows) if rows else []
        drawn = [[_without_graph(fact) for fact in own[:most]] for own in supports]
        drawing = _on_timeline(variant, sizes, rows, drawn, asking)
        kept = drawing["differences"]
        for difference, own in zip(kept, supports, strict=True):
            difference["support_left"] = max(0, len(own) - most)
        if len(outputs.json_text(kept)) <= _LETTERS:
            break
    return rows, drawing


def _without_graph(fact: Fact) -> Fact:
    """Return a triple of a named graph as a triple of its stream, because the timeline draws only streams."""
    if is_triple(fact):
        return fact
    *triple, _, stream = fact.arguments
    return Fact(fact.t, STREAM_PREDICATE, (*triple, stream))


def _on_timeline(
    variant: VariantReport,
    sizes: Mapping[str, int],
    rows: Sequence[RowDifference],
    supports: Sequence[Sequence[Fact]],
    asking: ExplainCommand | None,
) -> outputs.Json:
    terms, numbers = Numbering[str](), Numbering[Row]()
    timeline, places, left = elements(variant.trace, sizes, terms, (fact for own in supports for fact in own))
    runs, undrawn = answers(variant.answers, numbers, [row.row for row in rows])
    alone = [numbers[row.row] for row in rows]
    row_texts = outputs.short_rows(list(numbers))
    bins = bins_of(variant.trace, 1)
    pushes, pulls = (evaluations(own, bins) for own in (variant.answers.push, variant.answers.pull))
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
        "differences": [
            {
                "period": row.period,
                "from": row.interval.start,
                "to": row.interval.end,
                "side": row.side,
                "row": row_texts[number],
                "number": number,
                "terms": row.row,
                "cause": CAUSES.index(row.cause),
                "pushed": row.pushed,
                "support": [places[fact] for fact in support],
                **({"command": command} if asking and (command := asking(variant.pair, row, ())) else {}),
            }
            for row, number, support in zip(rows, alone, supports, strict=True)
        ],
        "rows": row_texts,
    }
