"""Simulations of YASPER and its ports RSP-JS 1.3.5 and rsp-rs 0.3.5: arrivals open and close windows.

YASPER for C-SPARQL reports a window when an arrival comes after the close of the window. YASPER for CQELS
reports the window [t - w, t] at every arrival. That YASPER for CQELS ignores STEP is not a fault: the
specification of CQELS also ignores STEP. The names of the rules are Y1, YC1, R1 and so on; missing numbers
have no meaning.

The ports have the windows of YASPER for C-SPARQL, but the data shift the windows. In RSP-JS, the answers
shift the borders of windows. Two effects are not modelled: the effect of delayed answers on t0, and a triple
object that two streams share. In rsp-rs, the windows of a stream begin with the first triple of the stream.
Races between pushes, and blocking, are not modelled. Times count the unit of the timestamps, which is also
the unit of the windows. Each push waits until the engine is idle.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from agreement.documents.recordings import Push, Recording, Report
from agreement.engines.engine import Content, Engine, EngineRule, Off, RspqlDefinition, answers, columns
from agreement.engines.r2s import relation_to_stream, reported_rows
from agreement.engines.versions import sliding
from agreement.engines.versions.processors import (
    with_distinct_alternatives,
    with_errors,
    with_late_conditions,
    with_texts_concatenated,
)
from lars.language.stream import ToStream
from solver.facts import Row, Static, Triple
from translate.model.query import EngineQuery

WINDOW_RULES: Final = (
    EngineRule("Y1", "a window that closes at c, a multiple of the step, shows [c - w, c), not (c - w, c]"),
    EngineRule("Y2", "an arrival before the last report is refused"),
    EngineRule("Y3", "a report has the time of the arrival that finds a window closed"),
    EngineRule("Y4", "then a window that closes at the very time of the arrival is closed too"),
    EngineRule(
        "Y5",
        "only an arrival in a window's own stream finds it closed, and only the latest of those that "
        "arrivals opened is reported, even if it is empty; older ones are skipped",
    ),
)
_RULES: Final = (
    *WINDOW_RULES,
    EngineRule("Y6", "a row has all variables of the pattern, and the rows are a set"),
    EngineRule("Y7", "an empty answer is not reported"),
)
_RULES_CQELS: Final = (
    EngineRule("YC1", "an arrival before the last report is refused"),
    EngineRule("YC2", "a row has all variables of the pattern, and the rows are a set"),
    EngineRule("YC3", "a query without an operator reports its full answers, not what is new"),
    EngineRule("YC4", "further arrivals at the instant of the first make no report"),
    EngineRule("YC5", "a triple that comes again at one instant is reported again"),
)

ContentReport = tuple[Report, Content]
"""A report without rows, and the window content that determines its rows."""


def _answered(
    query: EngineQuery,
    static: Static,
    evaluations: Iterable[ContentReport],
    operator: ToStream,
    *,
    whole: bool,
) -> Recording:
    """Return all reports.

    With `whole`, rows contain all variables of the pattern, and each report is a set.
    """
    engine_query = sliding.without_projection(query) if whole else query
    reports: list[Report] = []

    def contents() -> Iterator[Content]:
        for report, content in evaluations:
            reports.append(report)
            yield content

    row_sets = answers(engine_query, contents(), static)
    rows = {n: tuple(dict.fromkeys(row)) if whole else row for n, row in enumerate(row_sets)}
    streams = relation_to_stream(operator, range(len(reports)), rows).values()
    with_rows = (replace(report, rows=tuple(new)) for report, new in zip(reports, streams, strict=True))
    return Recording(columns(engine_query), tuple(with_rows))


def _with_rows(recording: Recording) -> Recording:
    return replace(recording, reports=tuple(report for report in recording.reports if report.rows))


def _at_closes(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return the reports of YASPER for C-SPARQL: the time of a report is the time of an arrival."""
    engine = ReportedWindows(sliding.sliding_windows(query, YASPER_CSPARQL.name, tumbling=True), off)
    sliding.check_triple_patterns(query, YASPER_CSPARQL.name)
    evaluations = (made for n, push in enumerate(pushes) for made in engine.arrive(n, push))
    operator = query.operator
    recording = _answered(query, static, evaluations, operator, whole="Y6" not in off)
    shown = recording if "Y7" in off else _with_rows(recording)
    return replace(shown, rejected=tuple(engine.rejected))


YASPER_CSPARQL: Final = Engine("yasper-csparql", "csparql", _RULES, _at_closes)


class ReportedWindows:
    """The windows between two arrivals: `last` is the time of the last report, `now` of the latest arrival.

    An arrival enters the windows one after the other. If an evaluation fails, the caller sets `failed`, and
    the push causes no further evaluation.
    """

    failed = False

    def __init__(self, windows: Sequence[sliding.YasperWindow], off: Off) -> None:
        self.off = off
        self.opened = [sliding.OpenedWindows(window, include_opening="Y1" not in off) for window in windows]
        self.last = self.now = self.reported = -math.inf
        self.rejected: list[int] = []
        self.touching = "Y4" not in off

    def arrive(self, number: int, push: Push) -> Iterator[ContentReport]:
        """Process a push, and yield YASPER's evaluations during the push."""
        read = [opened for opened in self.opened if opened.window.reads(push)]
        if read and push.t < self.last and "Y2" not in self.off:
            self.rejected.append(number)
        else:
            yield from (self._each if "Y5" in self.off else self._latest)(read, number, push)
        self.now = max(self.now, push.t)

    def _latest(
        self, read: Sequence[sliding.OpenedWindows], number: int, push: Push
    ) -> Iterator[ContentReport]:
        """Yield at most one evaluation, because YASPER does not report twice at the same time."""
        for opened in read:
            self._enter(push, opened)
            close = opened.latest(push.t, touching=self.touching)
            if close is not None and opened.latest(push.t) is not None and push.t > self.last:
                self.last = push.t
                content = {
                    window.window.source: window.triples(window.latest(push.t, touching=self.touching))
                    for window in self.opened
                }
                yield self._report(close, number, push), content
                if self.failed:
                    self.failed = False
                    return
            opened.delete(push.t)

    def _each(
        self, read: Sequence[sliding.OpenedWindows], number: int, push: Push
    ) -> Iterator[ContentReport]:
        """Yield an evaluation for each close of a nonempty window since the last arrival."""
        for opened in read:
            self._enter(push, opened)
            opened.keep(push.t, push.triple, min(push.t, self.now))
        for close in self._closes(push.t):
            self.reported, self.last = close, push.t
            content = {opened.window.source: opened.active(close) for opened in self.opened}
            yield self._report(close, number, push), content
        for opened in self.opened:
            opened.delete(push.t)

    def _closes(self, t: float) -> list[float]:
        filled = {close for opened in self.opened for close in opened.filled()}
        closed = sorted(close for close in filled if self.reported < close < t)
        return [*closed, t] if closed and t in filled and self.touching else closed

    def _enter(self, push: Push, opened: sliding.OpenedWindows) -> None:
        """Open windows for a push, and add the triple to the windows that contain the time of the push."""
        # In the specification, which rejects no arrival, a closed window stays closed.
        least = -math.inf if self.off.isdisjoint({"Y2", "Y5"}) else self.now
        opened.open(sliding.first_close(push.t, opened.window.step), push.t, least)
        opened.add(push.t, push.triple)

    def _report(self, close: float, number: int, push: Push) -> Report:
        return Report(close if "Y3" in self.off else push.t, (), number)


def _at_arrivals(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return the reports of YASPER for CQELS: one report at each arrival."""
    engine = _Arrivals(sliding.sliding_windows(query, YASPER_CQELS.name, tumbling=True), off)
    sliding.check_triple_patterns(query, YASPER_CQELS.name)
    evaluations = (made for n, push in enumerate(pushes) for made in engine.arrive(n, push))
    operator = query.to_stream or ("ISTREAM" if "YC3" in off else "RSTREAM")
    recording = _answered(query, static, evaluations, operator, whole="YC2" not in off)
    return replace(_with_rows(recording), rejected=tuple(engine.rejected))


YASPER_CQELS: Final = Engine("yasper-cqels", "cqels", _RULES_CQELS, _at_arrivals)


class _Arrivals:
    """The arrivals so far: `first` and `now` are the times of the first and of the latest arrival."""

    def __init__(self, windows: Sequence[sliding.YasperWindow], off: Off) -> None:
        self.off = off
        self.opened = [sliding.OpenedWindows(window) for window in windows]
        self.first: float | None = None
        self.now = -math.inf
        self.rejected: list[int] = []
        self.seen: set[tuple[float, str, Triple]] = set()

    def arrive(self, number: int, push: Push) -> Iterator[ContentReport]:
        """Process a push, and yield YASPER's evaluations during the push."""
        read = [opened for opened in self.opened if opened.window.reads(push)]
        if read and push.t < self.now and "YC1" not in self.off:
            self.rejected.append(number)
            return
        known = (push.t, push.stream, push.triple)
        if not read or (known in self.seen and "YC5" in self.off):
            return
        self.seen.add(known)
        for opened in read:
            opened.keep(push.t, push.triple, min(push.t, self.now))
        again = push.t == self.first
        self.first = push.t if self.first is None else self.first
        self.now = max(self.now, push.t)
        if not again or "YC4" in self.off:
            content = {opened.window.source: opened.up_to(push.t) for opened in self.opened}
            yield Report(push.t, (), number), content


_RULES_JS: Final = (
    EngineRule(
        "R1",
        "a window that closes at c, a multiple of the step, shows [c - w, c), not (c - w, c]",
        RspqlDefinition.ENDS,
    ),
    EngineRule(
        "R2", "an arrival that is late opens windows again that have been reported", RspqlDefinition.IN_ORDER
    ),
    EngineRule(
        "R3", "a report has the time of the arrival that finds a window closed", RspqlDefinition.AT_ITS_CLOSE
    ),
    EngineRule(
        "R4",
        "only an arrival in a window's own stream finds it closed, and only the latest of those that "
        "arrivals opened fires, if it closed after 0 and is not empty; older ones are skipped",
        RspqlDefinition.EACH_WINDOW,
    ),
    EngineRule(
        "R5",
        "each other window adds the content of its earliest one that is open, both ends included, at the "
        "last triple of the one that fires",
        RspqlDefinition.SAME_INSTANT,
    ),
    EngineRule(
        "R6",
        "the operator of REGISTER is not looked at: each answer is reported in full",
        RspqlDefinition.OPERATORS,
    ),
    EngineRule(
        "R7",
        "each row is a report of its own, said to be from t0 to t0 + step",
        "Definition 24: the rows of an instant are one answer",
    ),
    EngineRule(
        "R8", "each row moves t0 by a step, from which on arrivals open windows", RspqlDefinition.GRID
    ),
    EngineRule(
        "S1", "a stream is fed to one window only, the last that names it", RspqlDefinition.OWN_STREAM
    ),
    EngineRule(
        "S2",
        "COUNT and SAMPLE of an expression that has no value for some solution of a group are unbound",
        "SPARQL 1.1, 18.5.1: errors are left out; Count of none is 0",
    ),
    EngineRule(
        "S5",
        "only windows in a line of their own are seen; a window whose length is not a number never closes",
        RspqlDefinition.DECLARED,
    ),
    EngineRule(
        "S6",
        "a solution is lost where OPTIONAL finds matches for it, but its FILTER rejects all of them",
        "SPARQL 1.1, 18.5, LeftJoin: a solution without a match that passes stays",
    ),
)

ContentKey = tuple[tuple[Triple, ...], ...]
"""The sorted triples of each window: contents with equal keys have equal answers."""


def _recorded_js(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return the reports of RSP-JS; raises LarsError unless the query is SELECT over sliding windows."""
    by_lines = "S5" not in off
    declared = sliding.engine_windows(
        query, RSP_JS_135.name, sliding.javascript_number, by_lines=by_lines, each_word=False
    )
    operator = query.operator if "R6" in off else "RSTREAM"
    rules = sliding.FiringRules(
        include_opening="R1" not in off,
        late="R2" not in off,
        latest="R4" not in off,
        beside="R5" not in off,
        last_fed="S1" not in off,
        empty=False,
        always=True,
        one_by_one=True,
    )
    known: dict[ContentKey, tuple[Row, ...]] = {}
    while True:
        unknown: dict[ContentKey, Content] = {}
        made: list[tuple[Report, tuple[float, float]]] = []
        now: tuple[Row, ...] = ()
        moved: dict[sliding.YasperWindow, float] = dict.fromkeys(declared.alive, 0)
        for firing in sliding.FiringWindows(declared, rules, partial(_first_js, moved, off)).of(pushes):
            key = tuple(tuple(sorted(set(triples))) for triples in firing.content.values())
            if key not in known:
                unknown[key] = firing.content
            before, now = now, known.get(key, ())
            rows = reported_rows(operator, before, now)
            made += _reports(firing, moved, rows, off)
            for opened in firing.windows:
                moved[opened.window] += opened.window.step * len(rows)
        if not unknown:
            reports = tuple(report for report, _ in made)
            return Recording(columns(query), reports, (), tuple(bounds for _, bounds in made))
        # How far t0 moved depends on the answers: what follows an unknown one is a guess until then.
        asked = _by_comunica(sliding.with_window_graphs(query, declared.windows), off)
        known |= zip(unknown, answers(asked, [*unknown.values()], static), strict=True)


def _first_js(
    moved: Mapping[sliding.YasperWindow, float], off: Off, opened: sliding.OpenedWindows, t: float
) -> float:
    """Return the close of the first window that an arrival opens, if t0 is `moved`."""
    distance = t if "R8" in off else abs(t - moved[opened.window])
    return sliding.first_close(distance, opened.window.step)


def _reports(
    firing: sliding.Firing, moved: Mapping[sliding.YasperWindow, float], rows: Sequence[Row], off: Off
) -> Iterator[tuple[Report, tuple[float, float]]]:
    """Yield the reports of a firing, each with the bounds that the engine prints."""
    window, t = firing.windows[0].window, firing.close if "R3" in off else firing.t
    if "R7" in off:
        if rows:
            yield Report(t, tuple(rows), firing.push), (firing.close - window.width, firing.close)
        return
    for n, row in enumerate(rows):
        start = 0 if "R8" in off else moved[window] + n * window.step
        yield Report(t, (row,), firing.push), (start, start + window.step)


def _by_comunica(query: EngineQuery, off: Off) -> EngineQuery:
    """Return a query whose answers in SPARQL 1.1 are Comunica's answers of the given query."""
    pattern = query.pattern if "S2" in off else with_errors(query.pattern)
    return replace(query, pattern=pattern if "S6" in off else with_late_conditions(pattern))


RSP_JS_135: Final = Engine("rsp-js-1.3.5", "rspql", _RULES_JS, _recorded_js, parser="rsp-js")


_RULES_RS: Final = (
    EngineRule(
        "D1",
        "windows close at steps from the first triple of their own stream, not from 0; after a first "
        "triple at 0 they are counted from the next one",
        RspqlDefinition.GRID,
    ),
    EngineRule(
        "D2",
        "an arrival that is late opens windows again that have been reported; before the first triple it "
        "opens their mirror image, which does not show it",
        RspqlDefinition.IN_ORDER,
    ),
    EngineRule(
        "D3",
        "only windows in a line of their own are seen; a length that is no integer is 0, and a window with "
        "the step 0 never reports",
        RspqlDefinition.DECLARED,
    ),
    EngineRule(
        "D4",
        "only an arrival in a window's own stream finds it closed, and only the latest of those that "
        "arrivals opened fires, if it closed after 0; older ones are skipped",
        RspqlDefinition.EACH_WINDOW,
    ),
    EngineRule(
        "D5", "a stream is fed to one window only, the last that names it", RspqlDefinition.OWN_STREAM
    ),
    EngineRule(
        "D6",
        "each other window adds the content of its earliest one that is open, both ends included, at the "
        "last triple of the one that fires, at 0 if that is empty",
        RspqlDefinition.SAME_INSTANT,
    ),
    EngineRule(
        "D7",
        "an empty window fires too, as the one that closes at the first triple, or those behind a gap",
        RspqlDefinition.NON_EMPTY,
    ),
    EngineRule("A3", "a window that closes at c shows [c - w, c), not (c - w, c]", RspqlDefinition.ENDS),
    EngineRule(
        "A4", "a report has the time of the arrival that finds a window closed", RspqlDefinition.AT_ITS_CLOSE
    ),
    EngineRule(
        "A8",
        "the operator of REGISTER is left out: each answer is reported in full",
        RspqlDefinition.OPERATORS,
    ),
    EngineRule(
        "A11",
        "a report is said to be of [T, T + w), T the time of its last triple (0 if it is empty)",
        "Definition 12: a window has an opening and a closing time",
    ),
    EngineRule(
        "A14",
        "what several alternatives of a property path connect is one solution",
        "SPARQL 1.1, 18.4: each alternative of a path has its own solutions",
    ),
    EngineRule(
        "A15",
        "GROUP_CONCAT of anything but texts, numbers too, is unbound",
        "SPARQL 1.1, 18.5.1.7: GROUP_CONCAT of the texts of all values",
    ),
)


def _recorded_rs(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return the reports of rsp-rs; raises LarsError unless the query is SELECT over sliding windows."""
    by_lines = "D3" not in off
    declared = sliding.engine_windows(
        query, RSP_RS_035.name, sliding.rust_integer, by_lines=by_lines, each_word=True
    )
    rules = sliding.FiringRules(
        include_opening="A3" not in off,
        late="D2" not in off,
        latest="D4" not in off,
        beside="D6" not in off,
        last_fed="D5" not in off,
        empty="D7" not in off,
        always=False,
        one_by_one=False,
    )
    firings = list(sliding.FiringWindows(declared, rules, partial(_first_rs, off)).of(pushes))
    operator = query.operator if "A8" in off else "RSTREAM"
    contents = [firing.content for firing in firings]
    asked = _by_oxigraph(sliding.with_window_graphs(query, declared.windows), off)
    rows_of = dict(enumerate(answers(asked, contents, static)))
    rows = relation_to_stream(operator, range(len(firings)), rows_of)
    with_rows = [(firing, tuple(rows[n])) for n, firing in enumerate(firings) if rows[n]]
    reports = (
        Report(firing.close if "A4" in off else firing.t, new, firing.push) for firing, new in with_rows
    )
    bounds = tuple(_bounds(firing, off) for firing, _ in with_rows)
    return Recording(columns(query), tuple(reports), (), bounds)


def _first_rs(off: Off, opened: sliding.OpenedWindows, t: float) -> float:
    """Return the close of the first window that an arrival opens; windows begin at the first arrival."""
    if "D1" not in off and opened.start == 0:
        opened.start = t
    distance = t - opened.start
    return opened.start + sliding.first_close(distance if "D2" in off else abs(distance), opened.window.step)


def _bounds(firing: sliding.Firing, off: Off) -> tuple[float, float]:
    """Return the bounds that rsp-rs prints for a report."""
    width = firing.windows[-1].window.width
    return (firing.close - width, firing.close) if "A11" in off else (firing.last, firing.last + width)


def _by_oxigraph(query: EngineQuery, off: Off) -> EngineQuery:
    """Return a query whose answers in SPARQL 1.1 are Oxigraph's answers of the given query."""
    pattern = query.pattern if "A14" in off else with_distinct_alternatives(query.pattern)
    return replace(query, pattern=pattern if "A15" in off else with_texts_concatenated(pattern))


RSP_RS_035: Final = Engine("rsp-rs-0.3.5", "rspql", _RULES_RS, _recorded_rs, parser="rsp-rs")
