"""The models of YASPER for C-SPARQL and for CQELS: arrivals open and close windows.

YASPER for C-SPARQL reports a window when an arrival comes after the close of the window. YASPER for CQELS
reports the window [t - w, t] at every arrival. YASPER for CQELS ignores STEP. This is not a fault, because
the specification of CQELS also ignores STEP. The rules have the names Y1, YC1 and so on; a gap between the
numbers has no meaning.

The ports RSP-JS (`rsp_js.py`) and rsp-rs (`rsp_rs.py`) have the windows of YASPER for C-SPARQL, but the data
shift the windows. The model does not cover races between pushed triples, and triples that block. Times have
the unit of the timestamps, which is also the unit of the windows. Each triple waits until the engine is idle.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from agreement.documents.recordings import Push, Recording, Report
from agreement.engines.engine import Content, Engine, EngineRule, Off, answers, columns
from agreement.engines.r2s import relation_to_stream
from agreement.engines.versions import sliding
from lars.language.stream import ToStream
from solver.facts import Static, Triple
from translate.model.query import EngineQuery

WINDOW_RULES: Final = (
    EngineRule(
        "Y1", "a window that closes at c, a multiple of the step, contains [c - w, c), not (c - w, c]"
    ),
    EngineRule("Y2", "an arrival before the last report is rejected"),
    EngineRule("Y3", "a report has the time of the arrival that triggers it"),
    EngineRule(
        "Y4",
        "when an arrival triggers a report, a window that closes exactly at the time of the "
        "arrival counts as closed",
    ),
    EngineRule(
        "Y5",
        "a closed window fires only when an element arrives in its stream. Of the windows "
        "that arrivals opened, only the window that closed last is reported, even if it is "
        "empty. Older closed windows are skipped",
    ),
)
_RULES: Final = (
    *WINDOW_RULES,
    EngineRule("Y6", "a row has all variables of the pattern, and the rows are a set"),
    EngineRule("Y7", "an empty answer is not reported"),
)
_RULES_CQELS: Final = (
    EngineRule("YC1", "an arrival before the last report is rejected"),
    EngineRule("YC2", "a row has all variables of the pattern, and the rows are a set"),
    EngineRule("YC3", "a query without an operator reports its full answers, not only new rows"),
    EngineRule("YC4", "further arrivals at the time of the first arrival cause no report"),
    EngineRule("YC5", "a triple that arrives again at the same time is reported again"),
)

ContentReport = tuple[Report, Content]
"""A report without rows, and the window contents from which its rows are computed."""


def _answered(
    query: EngineQuery,
    static: Static,
    evaluations: Iterable[ContentReport],
    operator: ToStream,
    *,
    whole: bool,
) -> Recording:
    """Return the reports of evaluations, with the rows that `operator` reports.

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
    """Return the reports of YASPER for C-SPARQL; the time of a report is the time of an arrival."""
    engine = ReportedWindows(sliding.sliding_windows(query, YASPER_CSPARQL.name, tumbling=True), off)
    sliding.check_triple_patterns(query, YASPER_CSPARQL.name)
    evaluations = (made for n, push in enumerate(pushes) for made in engine.arrive(n, push))
    operator = query.operator
    recording = _answered(query, static, evaluations, operator, whole="Y6" not in off)
    shown = recording if "Y7" in off else _with_rows(recording)
    return replace(shown, rejected=tuple(engine.rejected))


YASPER_CSPARQL: Final = Engine("yasper-csparql", "csparql", _RULES, _at_closes)


class ReportedWindows:
    """The state of YASPER's windows between two arrivals.

    The field `last` is the time of the last report, and `now` is the time of the latest arrival. An arrival
    enters the windows one after the other. If an evaluation fails, the caller sets `failed`, and the arrival
    causes no further evaluation.
    """

    failed = False

    def __init__(self, windows: Sequence[sliding.YasperWindow], off: Off) -> None:
        self.off = off
        self.opened = [sliding.OpenedWindows(window, include_opening="Y1" not in off) for window in windows]
        self.last = self.now = self.reported = -math.inf
        self.rejected: list[int] = []
        self.touching = "Y4" not in off

    def arrive(self, number: int, push: Push) -> Iterator[ContentReport]:
        """Process a pushed triple, and yield the evaluations that it causes."""
        read = [opened for opened in self.opened if opened.window.reads(push)]
        if read and push.t < self.last and "Y2" not in self.off:
            self.rejected.append(number)
        else:
            yield from (self._each if "Y5" in self.off else self._latest)(read, number, push)
        self.now = max(self.now, push.t)

    def _latest(
        self, read: Sequence[sliding.OpenedWindows], number: int, push: Push
    ) -> Iterator[ContentReport]:
        """Yield at most one evaluation for an arrival, because YASPER does not report twice at one time."""
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
        """Yield an evaluation for each nonempty window that closes after the last arrival, as specified."""
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
        """Open windows for an arrival, and add its triple to the windows that contain its time."""
        # In the specification, which rejects no arrival, a closed window stays closed.
        least = -math.inf if self.off.isdisjoint({"Y2", "Y5"}) else self.now
        opened.open(sliding.first_close(push.t, opened.window.step), push.t, least)
        opened.add(push.t, push.triple)

    def _report(self, close: float, number: int, push: Push) -> Report:
        return Report(close if "Y3" in self.off else push.t, (), number)


def _at_arrivals(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return the reports of YASPER for CQELS: one report at each arrival."""
    windows = sliding.sliding_windows(query, YASPER_CQELS.name, tumbling=True)
    sliding.check_triple_patterns(query, YASPER_CQELS.name)
    rejected: list[int] = []
    evaluations = _evaluations([*map(sliding.OpenedWindows, windows)], pushes, off, rejected)
    operator = query.to_stream or ("ISTREAM" if "YC3" in off else "RSTREAM")
    recording = _answered(query, static, evaluations, operator, whole="YC2" not in off)
    return replace(_with_rows(recording), rejected=tuple(rejected))


YASPER_CQELS: Final = Engine("yasper-cqels", "cqels", _RULES_CQELS, _at_arrivals)


def _evaluations(
    windows: Sequence[sliding.OpenedWindows], pushes: Sequence[Push], off: Off, rejected: list[int]
) -> Iterator[ContentReport]:
    """Yield the evaluation that each arrival causes.

    The numbers of rejected pushes are added to `rejected`.
    """
    first: float | None = None
    now = -math.inf
    seen: set[tuple[float, str, Triple]] = set()
    for number, push in enumerate(pushes):
        read = [opened for opened in windows if opened.window.reads(push)]
        if read and push.t < now and "YC1" not in off:
            rejected.append(number)
            continue
        known = (push.t, push.stream, push.triple)
        if not read or (known in seen and "YC5" in off):
            continue
        seen.add(known)
        for opened in read:
            opened.keep(push.t, push.triple, min(push.t, now))
        again = push.t == first
        first = push.t if first is None else first
        now = max(now, push.t)
        if not again or "YC4" in off:
            yield (
                Report(push.t, (), number),
                {opened.window.source: opened.up_to(push.t) for opened in windows},
            )
