"""What windows show at each time point of a timeline: intervals, as runs in which each end stays or moves."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Final, assert_never

from agreement.documents.outputs import Json
from agreement.documents.requests import sources
from agreement.documents.traces import Trace
from agreement.results.renderings.pages.push_pull.timeline import bins_of
from lars.language.terms import Iri
from lars.language.windows import Interval, SlidingWindow, TimeWindow, TupleWindow
from solver.facts import is_triple
from translate.model.query import EngineQuery, Setting
from translate.model.windows import window_operator

Ends = Callable[[int], Interval | None]
Run = list[int] | list[int | None]

_MOST_POINTS: Final = 20_000
_MOST_RUNS: Final = 2_000
_MOST_ELEMENTS: Final = 20_000
"""On longer timelines, and where windows change more often, they are told at the times of rows alone."""


def windows(
    queries: Iterable[tuple[EngineQuery, str]], setting: Setting, trace: Trace, asked: Iterable[int]
) -> list[Json]:
    """Return the windows of queries, each with its side, and what it shows when.

    `runs` are [t, first, last, by, by]: from t on up to the next run the window shows [first, last], each end
    the same or one later at each time point; [t, None] where it shows nothing. `alone`: at these t only,
    those of the rows that are `asked` for.
    """
    some = sorted({t for t in asked if t in trace.timeline})
    found = []
    for query, side in queries:
        for source in sources(query):
            stream = source.stream.value if isinstance(source.stream, Iri) else None
            window = window_operator(source.window, source.stream, setting.unit, setting.bounds)
            ends = _ends(window, stream, trace)
            told = {"side": side, "stream": stream, "label": str(source.window)}
            found.append(told | ({"runs": [], "alone": True} if ends is None else _told(ends, trace, some)))
    return found


def _told(ends: Ends, trace: Trace, some: Sequence[int]) -> Json:
    timeline = trace.timeline
    if timeline.last - timeline.first < _MOST_POINTS:
        runs = runs_of(ends, range(timeline.first, timeline.last + 1))
        if len(runs) <= _MOST_RUNS:
            return {"runs": runs, "alone": False}
    return {"runs": [_run(t, ends(t)) for t in some], "alone": True}


def _ends(window: TimeWindow | SlidingWindow | TupleWindow, stream: str | None, trace: Trace) -> Ends | None:
    """Return what a window shows at a time point; None where a page would look at too many elements."""
    match window:
        case TimeWindow() | SlidingWindow():
            return lambda t: window.bounds(t, trace.timeline)
        case TupleWindow(size):
            facts = trace.facts(trace.timeline) if _elements(trace) <= _MOST_ELEMENTS else None
            if facts is None:
                return None
            own = None if stream is None else str(Iri(stream))
            times = [one.t for one in facts if is_triple(one) and own in {None, one.arguments[3]}]

            def newest(t: int) -> Interval | None:
                end = bisect_right(times, t)
                return Interval(times[max(0, end - size)], t) if end and size else None

            return newest
        case _:
            assert_never(window)


def _elements(trace: Trace) -> int:
    return sum(int(counts.sum()) for counts in trace.arrivals(bins_of(trace, 1)).values())


def runs_of(ends: Ends, times: Iterable[int]) -> list[Run]:
    """Return what is shown at times that follow one another, as few runs.

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


def _run(t: int, shown: Interval | None) -> Run:
    return [t, None] if not shown else [t, shown.first, shown.last, 0, 0]


def _goes_on(run: Run, t: int, here: Interval | None) -> bool:
    start, first, *others = run
    if first is None or here is None or start is None:
        return first is None and here is None
    last, by, moved = (int(one or 0) for one in others)
    return (first + (t - start) * by, last + (t - start) * moved) == (here.first, here.last)


def _turned(run: Run, before: tuple[int, Interval | None], here: tuple[int, Interval | None]) -> bool:
    """Let a run of one time point so far go on to the next in another way; return whether it can."""
    (t, old), (now, new) = before, here
    if run[0] != t or old is None or new is None or now != t + 1:
        return False
    by, moved = new.first - old.first, new.last - old.last
    if by not in {0, 1} or moved not in {0, 1}:
        return False
    run[3:] = [by, moved]
    return True
