"""The data of a timeline in an HTML report: windows, periods, elements, evaluation times and answers.

The interval of a window over time is encoded as a list of runs. During a run, each end of the window is
constant or moves with the time. The periods of one pull period U are drawn as a limited number of cells; each
cell contains the causes of its differences. For a long trace, elements and evaluation times are counted in
bins of time, and only the answers of some rows are drawn.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, assert_never

import numpy as np

from agreement.comparing.agree import VariantReport
from agreement.comparing.agree.periods import BothAnswers, PeriodVerdict
from agreement.comparing.agree.sides import CAUSES
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.outputs import NO_ROWS, Json, names_apart, quantity
from agreement.documents.requests import sources
from agreement.documents.traces import Trace
from agreement.results.renderings.pages.page import render
from lars.language.terms import Iri
from lars.language.windows import Interval, IntervalWindow, TupleWindow
from solver.columns import Numbering, TimeBins
from solver.facts import Fact, Row, is_triple
from solver.job import AnswerParts
from translate.model.query import EngineQuery, Setting
from translate.model.windows import window_operator

Ends = Callable[[int], Interval | None]
Run = list[int] | list[int | None]

_MOST_POINTS: Final = 20_000
_MOST_STRETCHES: Final = 2_000
_MOST_SEEN: Final = 20_000
"""The maximum number of time points, and of changes of a window, for which windows are drawn.

Beyond this number, windows are drawn only at rows.
"""


def windows(
    queries: Iterable[tuple[EngineQuery, str]],
    setting: Setting,
    trace: Trace,
    count: int,
    periods: Iterable[int],
) -> list[Json]:
    """Return the windows of the queries, each with its side and its interval over time.

    The key `runs` lists the runs [t, first, last, by, by]. At the time t, the window is [first, last]. Until
    the next run, each end of the window moves by its number `by` (0 or 1) per time point. The run [t, None]
    is an empty window. If the key `alone` is true, intervals are given only at the times of the shown rows.

    Args:
        queries: The queries, each with its side (push or pull).
        setting: The time unit and the bounds of windows.
        trace: The trace.
        count: The number of elements of the trace.
        periods: The times of the shown rows.
    """
    some = sorted({t for t in periods if t in trace.timeline})
    windows_json = []
    for query, side in queries:
        for source in sources(query):
            stream = source.stream.value if isinstance(source.stream, Iri) else None
            window = window_operator(source.window, source.stream, setting.unit, setting.bounds)
            ends = _ends(window, stream, trace, count)
            head = {"side": side, "stream": stream, "label": str(source.window)}
            windows_json.append(
                head | ({"runs": [], "alone": True} if ends is None else _ends_json(ends, trace, some))
            )
    return windows_json


def _ends_json(ends: Ends, trace: Trace, some: Sequence[int]) -> Json:
    timeline = trace.timeline
    if timeline.last - timeline.first < _MOST_POINTS:
        runs = runs_of(ends, range(timeline.first, timeline.last + 1))
        if len(runs) <= _MOST_STRETCHES:
            return {"runs": runs, "alone": False}
    return {"runs": [_run(t, ends(t)) for t in some], "alone": True}


def _ends(window: IntervalWindow | TupleWindow, stream: str | None, trace: Trace, count: int) -> Ends | None:
    """Return a function that maps a time point to a window's interval; None if it would be too slow."""
    match window:
        case IntervalWindow():
            return lambda t: window.bounds(t, trace.timeline)
        case TupleWindow(size, ties=ties):
            if count > _MOST_SEEN:
                return None
            own = None if stream is None else str(Iri(stream))
            facts = trace.facts(trace.timeline)
            times = [fact.t for fact in facts if is_triple(fact) and own in {None, fact.arguments[3]}]
            times = [*dict.fromkeys(times)] if ties == "elements" else times

            def newest(t: int) -> Interval | None:
                end = bisect_right(times, t)
                return Interval(times[max(0, end - size)], t) if end and size else None

            return newest
        case _:
            assert_never(window)


def runs_of(ends: Ends, times: Iterable[int]) -> list[Run]:
    """Return the intervals of a window at consecutive times as a list of few runs.

    >>> runs_of(lambda t: Interval(max(0, t - 2), t), range(6))
    [[0, 0, 0, 0, 1], [3, 1, 3, 1, 1]]
    """
    runs: list[Run] = []
    before: tuple[int, Interval | None] | None = None
    for t in times:
        here = ends(t) or None
        known = before is not None and _goes_on(runs[-1], t, here)
        if not known and not (before and _turned(runs[-1], before, (t, here))):
            runs.append(_run(t, here))
        before = t, here
    return runs


def _run(t: int, interval: Interval | None) -> Run:
    return [t, None] if not interval else [t, interval.first, interval.last, 0, 0]


def _goes_on(run: Run, t: int, here: Interval | None) -> bool:
    start, first, *others = run
    if first is None or here is None or start is None:
        return first is None and here is None
    last, by, moved = (int(item or 0) for item in others)
    return (first + (t - start) * by, last + (t - start) * moved) == (here.first, here.last)


def _turned(run: Run, before: tuple[int, Interval | None], here: tuple[int, Interval | None]) -> bool:
    """Extend a run of one time point by the next time point, if each end of the window moves by 0 or 1.

    Returns:
        Whether the run was extended.
    """
    (t, old), (now, new) = before, here
    if run[0] != t or old is None or new is None or now != t + 1:
        return False
    by, moved = new.first - old.first, new.last - old.last
    if by not in {0, 1} or moved not in {0, 1}:
        return False
    run[3:] = [by, moved]
    return True


_CELLS: Final = 300
_ALL_CELLS: Final = 6_000
_FEWEST: Final = 10
"""The greatest number of cells of a line and of all lines, and the number of cells of each of many lines."""
AGREES: Final = -1


class StripCell(NamedTuple):
    """A cell of the timeline: consecutive periods, of one pull period U, that are drawn together.

    - `start` and `end` are the ends of the interval (start, end].
    - `cause` is the number of the most frequent cause, or AGREES if all periods agree. A number after the
      numbers of all causes means that push and pull differ only in names of blank nodes.
    - `periods` is the number of periods, and `disagreeing` is the number of disagreeing periods.
    - `causes` is the number of different causes in these periods.
    """

    start: int
    end: int
    cause: int
    periods: int
    disagreeing: int
    causes: int

    @property
    def agreeing_share(self) -> float:
        """The share of the periods in which push and pull agree, from 0 to 1."""
        return 1 - self.disagreeing / self.periods


def strip_cells(variant: VariantReport, verdict: PeriodVerdict, lines: int = 1) -> list[StripCell]:
    """Return the periods of a verdict in at most `_CELLS` cells; in fewer cells if many lines are drawn.

    A line of cells is drawn for each pull period; `lines` is the number of lines.
    """
    return [cell for cell, _ in cells_and_causes(variant, verdict, lines)]


def cells_and_causes(
    variant: VariantReport, verdict: PeriodVerdict, lines: int = 1
) -> list[tuple[StripCell, tuple[int, ...]]]:
    """Return the cells of `strip_cells`, each with the numbers of all its causes, the most frequent first.

    The numbers are empty if no cause applies: all periods agree, or only names of blank nodes differ.
    """
    most = min(_CELLS, max(_ALL_CELLS // lines, _FEWEST))
    size = -(-len(verdict) // most) or 1
    return [_cell(variant, verdict, start, size) for start in range(0, len(verdict), size)]


def _cell(
    variant: VariantReport, verdict: PeriodVerdict, start: int, size: int
) -> tuple[StripCell, tuple[int, ...]]:
    own = verdict[start : start + size]
    wrong = [comparison for comparison in own if not comparison.agree]
    if not wrong:
        return StripCell(own[0].start, own[-1].end, AGREES, len(own), 0, 0), ()
    counts = variant.explanation.cause_counts(wrong).tolist()
    ranked = tuple(sorted(filter(counts.__getitem__, range(len(counts))), key=lambda each: -counts[each]))
    cause = ranked[0] if ranked else len(CAUSES)
    return StripCell(own[0].start, own[-1].end, cause, len(own), len(wrong), len(ranked)), ranked


_VERDICTS_SHOWN: Final = 50
"""The maximum number of verdicts that a notebook shows."""


def small_html(
    variant: VariantReport, verdicts: Sequence[PeriodVerdict], sentence: str, dates: Dates = NO_DATES
) -> str:
    """Return the HTML for a notebook: the verdict, and a strip of periods for each pull period U."""
    timeline = variant.trace.timeline
    span = max(timeline.last - timeline.first, 1) / 1000
    strip = [
        {
            "period": verdict.period,
            "agree": verdict.agree,
            "but": NO_ROWS if verdict.is_empty else "",
            "whole": len(verdict),
            "wrong": sum(1 for _ in verdict.disagreeing),
            "cells": [_drawn(cell, timeline.first, span, dates) for cell in strip_cells(variant, verdict)],
        }
        for verdict in verdicts[:_VERDICTS_SHOWN]
    ]
    left = max(0, len(verdicts) - _VERDICTS_SHOWN)
    return render(
        "small", said=sentence, timeline=f"{dates.interval(timeline)}{dates.caption}", strip=strip, left=left
    )


def _drawn(cell: StripCell, first: int, span: float, dates: Dates) -> Json:
    names = [*CAUSES, "names of blank nodes"]
    most = "most rows " if cell.causes > 1 else ""
    why = (
        "agree"
        if cell.cause == AGREES
        else f"{cell.disagreeing} of {cell.periods}: {most}{names[cell.cause]}"
    )
    return {
        "x": round((cell.start - first) / span, 2),
        "width": round(max((cell.end - cell.start) / span - 1.5, 0.8), 2),
        "good": cell.cause == AGREES,
        # Bars of disagreeing periods are 18 high: the lower part is the share of periods that agree.
        "agreeing": round(18 * cell.agreeing_share, 2),
        "said": f"{dates.period(cell.start, cell.end)}: {why}",
    }


_MOST_ELEMENTS: Final = 4_000
_MOST_LETTERS: Final = 60_000
"""The greatest number of elements that are drawn one by one, and of characters of their terms."""
_MOST_TIMES: Final = 4_000
_MOST_RUNS: Final = 3_000
_BINS: Final = 1_000
_ALL_BINS: Final = 40_000
"""The greatest number of bins for one stream, and for all streams together."""
_MOST_STREAMS: Final = 200


def elements(
    trace: Trace, sizes: Mapping[str, int], terms: Numbering[str], behind: Iterable[Fact]
) -> tuple[Json, dict[Fact, int], list[str]]:
    """Return the elements of a trace as columns of term numbers, their indexes, and notes about omissions.

    For a long trace, only the elements that support shown rows are listed, and all elements are counted in
    bins of time.

    Args:
        trace: The trace.
        sizes: The number of elements of each stream.
        terms: The numbers of terms, which the function extends.
        behind: The elements that support the shown rows, and are always listed.
    """
    if sum(sizes.values()) <= _MOST_ELEMENTS:
        every = [fact for fact in trace.facts(trace.timeline) if is_triple(fact)]
        if sum(map(len, {term for fact in every for term in fact.arguments})) <= _MOST_LETTERS:
            return *_columns(every, terms), []
    columns, places = _columns(sorted(dict.fromkeys(behind)), terms)
    bins, sentences = _binned(trace, sizes)
    return columns | {"bins": bins}, places, sentences


def _columns(facts: Sequence[Fact], terms: Numbering[str]) -> tuple[Json, dict[Fact, int]]:
    columns = {
        name: [terms[fact.arguments[place]] for fact in facts]
        for place, name in enumerate(("s", "p", "o", "stream"))
    }
    places = {fact: place for place, fact in reversed(list(enumerate(facts)))}
    return {"t": [fact.t for fact in facts], **columns, "bins": None}, places


def _binned(trace: Trace, sizes: Mapping[str, int]) -> tuple[Json, list[str]]:
    """Return the number of elements by stream and bin, for the streams with the most elements."""
    fullest = sorted(sizes, key=lambda stream: (-sizes[stream], stream))[:_MOST_STREAMS]
    bins = bins_of(trace, len(fullest))
    counts = trace.arrivals(bins)
    each = f"{sum(sizes.values()):,} elements are counted in bins of {quantity(bins.width, 'time point')}"
    sentences = [f"{each}; the elements of the rows below are drawn one by one"]
    if len(sizes) > len(fullest):
        sentences.append(f"of {len(sizes):,} streams the {len(fullest)} with the most elements are drawn")
    streams = {stream.strip("<>"): counts[stream].tolist() for stream in fullest}
    return {"first": bins.first, "width": bins.width, "streams": streams}, sentences


def stream_sizes(trace: Trace) -> dict[str, int]:
    """Return the number of elements of each stream; for a trace on Spark, this starts a Spark job."""
    arrivals = trace.arrivals(TimeBins(trace.timeline.first, _span(trace), 1))
    return {stream: int(counts.sum()) for stream, counts in arrivals.items()}


def _span(trace: Trace) -> int:
    return max(trace.timeline.last - trace.timeline.first + 1, 1)


def bins_of(trace: Trace, lanes: int) -> TimeBins:
    """Return equal intervals (bins) of the timeline; fewer bins if the timeline has many rows (lanes)."""
    width = -(-_span(trace) // min(_BINS, _ALL_BINS // max(lanes, 1)))
    return TimeBins(trace.timeline.first, width, -(-_span(trace) // width))


def evaluations(answer_parts: AnswerParts, bins: TimeBins) -> Json:
    """Return the evaluation times; for very many evaluations, only the number of evaluations in each bin."""
    if answer_parts.evaluations <= _MOST_TIMES:
        return {"times": answer_parts.whole().times.tolist(), "bins": None}
    counts = sum(
        (bins.counts(part.times) for part in answer_parts.each_part()), np.zeros(bins.count, np.int64)
    )
    return {"times": [], "bins": {"first": bins.first, "width": bins.width, "counts": counts.tolist()}}


def answers(
    sides: BothAnswers, rows: Numbering[Row], first: Sequence[Row]
) -> tuple[Mapping[str, Json], list[str]]:
    """Return the times of each answer row of push and of pull, and notes about omissions.

    For each row, the result contains either all times or none. If very many rows exist, the result contains
    only the rows `first`, up to a limit.
    """
    answer_parts = {"push": sides.push, "pull": sides.pull}
    many = sum(size for own in answer_parts.values() for _, size in own.parts) > _MOST_RUNS
    drawable = {name: own.of_rows(first) if many else own.whole() for name, own in answer_parts.items()}
    runs = {name: list(own.rows()) for name, own in drawable.items()}
    first_rows = dict.fromkeys(first)
    sizes = Counter(row for own in runs.values() for row, _, _ in own)
    drawn, room = set(), _MOST_RUNS
    for row, size in sorted(sizes.items(), key=lambda pair: (pair[0] not in first_rows, pair[1])):
        room -= size
        if room < 0:
            break
        drawn.add(row)
    drawing = {
        name: {"runs": [[rows[row], begin, end] for row, begin, end in _in_order(own, drawn, first_rows)]}
        for name, own in runs.items()
    }
    sentences = [f"answers are drawn of {quantity(len(drawn), 'row')} below, not of all"] if many else []
    return drawing, sentences


def _in_order(
    runs: Iterable[tuple[Row, int, int]], drawn: set[Row], first_rows: Mapping[Row, None]
) -> list[tuple[Row, int, int]]:
    return sorted(
        (run for run in runs if run[0] in drawn), key=lambda run: (run[0] not in first_rows, run[1])
    )


def term_texts(terms: Sequence[str]) -> list[str]:
    """Return terms as short texts; terms that look equal show their kinds."""
    return list(map(names_apart(terms).__getitem__, terms))
