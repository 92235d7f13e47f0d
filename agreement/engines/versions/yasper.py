"""YASPER: its configuration for C-SPARQL, which reports closed windows, and that for CQELS, each arrival.

C-SPARQL: a window is reported when a later arrival finds it closed. CQELS: every arrival is a report
over [t - w, t]. Source: the page of engine versions, sections 3 and 4; Y1 to Y7 and YC1 to YC4 are its
statements in its order; YC5 is what `each arrival` says of equal ones. That CQELS ignores STEP is no
fault: its specification does so too.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agreement.documents.recordings import Push, Recording, Report
from agreement.engines.engine import Content, Engine, EngineRule, Off, answers, columns
from agreement.engines.r2s import relation_to_stream
from agreement.engines.versions.sliding import (
    LiveWindows,
    PastTriples,
    WindowEnds,
    YasperWindow,
    check_triple_patterns,
    first_close,
    sliding_windows,
    without_projection,
)
from solver.facts import Row, Static, Triple
from translate.model.query import EngineQuery, ToStream

_OPENING: Final = EngineRule(
    "Y1", "a window that closes at c, a multiple of the step, shows [c - w, c), not (c - w, c]"
)
_LATE: Final = EngineRule("Y2", "an arrival before the last report is refused")
_ARRIVAL: Final = EngineRule("Y3", "a report has the time of the arrival that finds a window closed")
_TOUCHING: Final = EngineRule("Y4", "then a window that closes at the very time of the arrival is closed too")
_LATEST: Final = EngineRule(
    "Y5",
    "only an arrival in a window's own stream finds it closed, and only the latest of those that arrivals "
    "opened is reported, even if it is empty; older ones are skipped",
)
_PATTERN: Final = EngineRule("Y6", "a row has all variables of the pattern, and the rows are a set")
_SILENT: Final = EngineRule("Y7", "an empty answer is not reported")

_LATE_ARRIVAL: Final = EngineRule("YC1", "an arrival before the last report is refused")
_WHOLE_PATTERN: Final = EngineRule("YC2", "a row has all variables of the pattern, and the rows are a set")
_FULL: Final = EngineRule("YC3", "a query without an operator reports its full answers, not what is new")
_FIRST: Final = EngineRule("YC4", "further arrivals at the instant of the first make no report")
_AGAIN: Final = EngineRule("YC5", "a triple that comes again at one instant is reported again")

_AT_ONCE: Final = 100_000
"""How many triples are evaluated together, counted in each content."""


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """The query over a content during a push: `t` is the time its report is stamped with."""

    t: float
    trigger: int
    content: Content


@dataclass(frozen=True, slots=True)
class _Reporting:
    """How answers become reports: by which operator, and whether an empty one is silent.

    With `whole` a row has all variables of the pattern, and the rows are a set.
    """

    operator: ToStream
    whole: bool
    silent: bool


def _recorded(
    query: EngineQuery,
    static: Static,
    pushes: Sequence[Push],
    engine: "_CsparqlWindows | _Arrivals",
    reporting: _Reporting,
) -> Recording:
    """Return the reports of what the pushes make an engine evaluate, in their order."""
    evaluations = (made for n, push in enumerate(pushes) for made in engine.arrive(n, push))
    engine_query = without_projection(query) if reporting.whole else query
    places: list[tuple[float, int]] = []
    rows: list[tuple[Row, ...]] = []
    for batch in _batches(evaluations):
        places += [(evaluation.t, evaluation.trigger) for evaluation in batch]
        rows += answers(engine_query, [evaluation.content for evaluation in batch], static)
    row_sets = {n: tuple(dict.fromkeys(row)) if reporting.whole else row for n, row in enumerate(rows)}
    streams = relation_to_stream(reporting.operator, range(len(places)), row_sets).values()
    reports = (Report(t, tuple(new), n) for (t, n), new in zip(places, streams, strict=True))
    shown = tuple(report for report in reports if report.rows or not reporting.silent)
    return Recording(columns(engine_query), shown, tuple(engine.rejected))


def _batches(evaluations: Iterable[_Evaluation]) -> Iterator[list[_Evaluation]]:
    batch: list[_Evaluation] = []
    size = 0
    for evaluation in evaluations:
        batch.append(evaluation)
        size += sum(map(len, evaluation.content.values()))
        if size >= _AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _at_closes(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return what YASPER for C-SPARQL reports: windows of external time, reports stamped by arrivals."""
    engine = _CsparqlWindows(sliding_windows(query, YASPER_CSPARQL.name, tumbling=True), off)
    check_triple_patterns(query, YASPER_CSPARQL.name)
    operator = query.to_stream or ToStream.RSTREAM
    reporting = _Reporting(operator, _PATTERN.name not in off, _SILENT.name not in off)
    return _recorded(query, static, pushes, engine, reporting)


YASPER_CSPARQL: Final = Engine(
    "yasper-csparql",
    "csparql",
    (_OPENING, _LATE, _ARRIVAL, _TOUCHING, _LATEST, _PATTERN, _SILENT),
    _at_closes,
)


class _CsparqlWindows:
    """The windows between two arrivals: `last` is the time of the last report, `now` the latest arrival's."""

    def __init__(self, windows: Sequence[YasperWindow], off: Off) -> None:
        self.off = off
        self.ends = WindowEnds(includes_opening=_OPENING.name not in off)
        self.live = [LiveWindows(window, self.ends) for window in windows]
        self.past = [PastTriples(window) for window in windows]
        self.last = self.now = self.reported = -math.inf
        self.rejected: list[int] = []

    def arrive(self, number: int, push: Push) -> Iterator[_Evaluation]:
        """Take a push, and yield what it makes YASPER evaluate."""
        read = any(live.window.reads(push) for live in self.live)
        if read and push.t < self.last and _LATE.name not in self.off:
            self.rejected.append(number)
        elif _LATEST.name not in self.off:
            yield from self._latest(number, push)
        else:
            yield from self._each(number, push)
        self.now = max(self.now, push.t)

    def _latest(self, number: int, push: Push) -> Iterator[_Evaluation]:
        """Yield one evaluation at most: after it there has been a report at this time."""
        for live in self.live:
            if not live.window.reads(push):
                continue
            self._enter(push, live)
            close = live.latest(push.t, touching=self._touching)
            if close is not None and live.closed(push.t) and push.t > self.last:
                self.last = push.t
                yield _Evaluation(self._stamp(close, push.t), number, self._contents(push.t))
            live.delete(push.t)

    def _contents(self, t: float) -> Content:
        return {
            live.window.source: live.triples(live.latest(t, touching=self._touching)) for live in self.live
        }

    def _each(self, number: int, push: Push) -> Iterator[_Evaluation]:
        """Yield an evaluation for each close since the last arrival at which a window shows something."""
        for live, past in zip(self.live, self.past, strict=True):
            if live.window.reads(push):
                self._enter(push, live)
                past.add(push.t, push.triple, min(push.t, self.now))
        for close in self._closes(push.t):
            self.reported, self.last = close, push.t
            content = {past.window.source: past.active(close, self.ends) for past in self.past}
            yield _Evaluation(self._stamp(close, push.t), number, content)
        for live in self.live:
            live.delete(push.t)

    def _closes(self, t: float) -> list[float]:
        filled = {close for live in self.live for close in live.filled()}
        closed = sorted(close for close in filled if self.reported < close < t)
        return [*closed, t] if closed and t in filled and self._touching else closed

    def _enter(self, push: Push, live: LiveWindows) -> None:
        """Open windows for a push, and add its triple to those that show its time."""
        literal = self.off.isdisjoint({_LATE.name, _LATEST.name})
        # What has closed stays closed in the specification, which refuses no arrival.
        least = -math.inf if literal else self.now
        live.open(first_close(push.t, live.window.step), push.t, least)
        live.add(push.t, push.triple)

    def _stamp(self, close: float, t: float) -> float:
        return t if _ARRIVAL.name not in self.off else close

    @property
    def _touching(self) -> bool:
        return _TOUCHING.name not in self.off


def _at_arrivals(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return what YASPER for CQELS reports: something at each arrival."""
    engine = _Arrivals(sliding_windows(query, YASPER_CQELS.name, tumbling=True), off)
    check_triple_patterns(query, YASPER_CQELS.name)
    operator = query.to_stream or (ToStream.ISTREAM if _FULL.name in off else ToStream.RSTREAM)
    reporting = _Reporting(operator, _WHOLE_PATTERN.name not in off, silent=True)
    return _recorded(query, static, pushes, engine, reporting)


YASPER_CQELS: Final = Engine(
    "yasper-cqels", "cqels", (_LATE_ARRIVAL, _WHOLE_PATTERN, _FULL, _FIRST, _AGAIN), _at_arrivals
)


class _Arrivals:
    """What has come: `first` and `now` are the times of the first and of the latest arrival."""

    def __init__(self, windows: Sequence[YasperWindow], off: Off) -> None:
        self.off = off
        self.past = [PastTriples(window) for window in windows]
        self.first: float | None = None
        self.now = -math.inf
        self.rejected: list[int] = []
        self.seen: set[tuple[float, str, Triple]] = set()

    def arrive(self, number: int, push: Push) -> Iterator[_Evaluation]:
        """Take a push, and yield what it makes YASPER evaluate."""
        read = [past for past in self.past if past.window.reads(push)]
        if read and push.t < self.now and _LATE_ARRIVAL.name not in self.off:
            self.rejected.append(number)
            return
        known = (push.t, push.stream, push.triple)
        if not read or (known in self.seen and _AGAIN.name in self.off):
            return
        self.seen.add(known)
        for past in read:
            past.add(push.t, push.triple, min(push.t, self.now))
        again = push.t == self.first
        self.first = push.t if self.first is None else self.first
        self.now = max(self.now, push.t)
        if not (again and _FIRST.name not in self.off):
            content = {past.window.source: past.up_to(push.t) for past in self.past}
            yield _Evaluation(push.t, number, content)
