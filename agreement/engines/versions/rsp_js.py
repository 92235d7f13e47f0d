"""RSP-JS 1.3.5: windows as in YASPER for C-SPARQL, but its answers move their borders.

Source: the page of engine versions, section 5, and the engine's own; R1 to R8 are its statements in
its order, S1, S2 and S5 those of the page of living engines, section C, S6 one more of its processor.
Times are in the unit of the timestamps, in which its windows are written too. Each push is taken once the
engine is at rest: how answers that come later move t0 (S4) is not modelled, nor a triple given to two
streams as one object (S3).

Its processor, Comunica 2.10.2, differs from SPARQL 1.1 in errors in aggregates (S2) and FILTER in OPTIONAL
(S6); a query is first written as what that is in SPARQL 1.1:

  (COUNT(?x) AS ?n) .. GROUP BY ?k   =   n := IF(COUNT(?x) = COUNT(*), COUNT(?x), an error) in each group
SPARQL leaves out what has no value in COUNT, and in SAMPLE; in all other aggregates it is an error as well.
  P OPTIONAL { Q FILTER R }   =   P OPTIONAL { Q } FILTER (a variable of Q is unbound || R)
So a solution whose matches all fail the condition is lost, where SPARQL leaves it without a match.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agreement.documents.recordings import Push, Recording, Report
from agreement.engines.engine import (
    AT_ITS_CLOSE,
    DECLARED,
    EACH_WINDOW,
    ENDS,
    GRID,
    IN_ORDER,
    OPERATORS,
    OWN_STREAM,
    SAME_INSTANT,
    Content,
    Engine,
    EngineRule,
    Off,
    answers,
    columns,
)
from agreement.engines.r2s import reported_rows
from agreement.engines.versions.sliding import (
    EngineWindows,
    FiringWindow,
    WindowEnds,
    YasperWindow,
    engine_windows,
    first_close,
    javascript_number,
)
from lars.language.formulas import Aggregation, Call
from lars.language.terms import Variable
from solver.facts import Row, Static, Triple
from translate.analysis import fresh_variables, rebuild
from translate.model import patterns as algebra
from translate.model.patterns import variables
from translate.model.query import EngineQuery, ToStream
from translate.tau import in_order

_LENIENT: Final = ("COUNT", "SAMPLE")
_ALL: Final = Aggregation("COUNT")


def with_errors(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern in whose groups, those of subqueries too, errors are errors of all aggregates."""
    fresh = fresh_variables(pattern, "all_")

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        if not isinstance(part, algebra.Group) or not any(
            _is_lenient(aggregation) for _, aggregation in part.aggregates
        ):
            return None
        return _strict(part, rebuild(part.pattern, change), fresh)

    return rebuild(pattern, change)


def with_late_conditions(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern in which what OPTIONAL finds is filtered only once it has been joined."""

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        if not isinstance(part, algebra.LeftJoin) or part.condition is None:
            return None
        left, right = rebuild(part.left, change), rebuild(part.right, change)
        condition = part.condition
        for variable in reversed(in_order(variables(right))):
            condition = Call("||", (Call("!", (Call("BOUND", (variable,)),)), condition))
        return algebra.Filter(algebra.LeftJoin(left, right), condition, part.exists)

    return rebuild(pattern, change)


def _is_lenient(aggregation: Aggregation) -> bool:
    return aggregation.function in _LENIENT and len(aggregation.arguments) == 1


def _strict(group: algebra.Group, inner: algebra.Pattern, fresh: Iterator[Variable]) -> algebra.Pattern:
    everything, nothing = next(fresh), next(fresh)
    aggregates, checks = [(everything, _ALL)], []
    for variable, aggregation in group.aggregates:
        if not _is_lenient(aggregation):
            aggregates.append((variable, aggregation))
            continue
        value, bound = next(fresh), next(fresh)
        aggregates += [(value, aggregation), (bound, Aggregation("COUNT", aggregation.arguments))]
        # What never has a value is an error wherever its value is asked for.
        checks.append((variable, Call("IF", (Call("=", (bound, everything)), value, nothing))))
    pattern: algebra.Pattern = algebra.Group(inner, group.keys, tuple(aggregates))
    for variable, expression in checks:
        pattern = algebra.Extend(pattern, variable, expression)
    seen = {*group.keys, *(variable for variable, _ in group.aggregates)}
    return algebra.Select(pattern, tuple(in_order(seen)))


_OPENING: Final = EngineRule(
    "R1", "a window that closes at c, a multiple of the step, shows [c - w, c), not (c - w, c]", ENDS
)
_LATE: Final = EngineRule(
    "R2", "an arrival that is late opens windows again that have been reported", IN_ORDER
)
_ARRIVAL: Final = EngineRule(
    "R3", "a report has the time of the arrival that finds a window closed", AT_ITS_CLOSE
)
_LATEST: Final = EngineRule(
    "R4",
    "only an arrival in a window's own stream finds it closed, and only the latest of those that arrivals "
    "opened fires, if it closed after 0 and is not empty; older ones are skipped",
    EACH_WINDOW,
)
_OTHERS: Final = EngineRule(
    "R5",
    "each other window adds the content of its earliest one that is open, both ends included, at the last "
    "triple of the one that fires",
    SAME_INSTANT,
)
_OPERATOR: Final = EngineRule(
    "R6", "the operator of REGISTER is not looked at: each answer is reported in full", OPERATORS
)
_ROWS: Final = EngineRule(
    "R7",
    "each row is a report of its own, said to be from t0 to t0 + step",
    "Definition 24: the rows of an instant are one answer",
)
_MOVING: Final = EngineRule("R8", "each row moves t0 by a step, from which on arrivals open windows", GRID)
_FED: Final = EngineRule("S1", "a stream is fed to one window only, the last that names it", OWN_STREAM)
_ERRORS: Final = EngineRule(
    "S2",
    "COUNT and SAMPLE of an expression that has no value for some solution of a group are unbound",
    "SPARQL 1.1, 18.5.1: errors are left out; Count of none is 0",
)
_LINES: Final = EngineRule(
    "S5",
    "only windows in a line of their own are seen; a window whose length is no number never closes",
    DECLARED,
)
_CONDITIONS: Final = EngineRule(
    "S6",
    "a solution is lost where OPTIONAL finds matches for it, but its FILTER rejects all of them",
    "SPARQL 1.1, 18.5, LeftJoin: a solution without a match that passes stays",
)

ContentKey = tuple[tuple[Triple, ...], ...]
"""A content as the triples of each window, sorted: equal keys have equal answers."""


def _recorded(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return what RSP-JS reports; raises LarsError for what is no SELECT over sliding windows."""
    sliding = engine_windows(query, RSP_JS_135.name, javascript_number, by_lines=_LINES.name not in off)
    stated = query.to_stream if _OPERATOR.name in off else None
    engine_query = _as_processed(query, off)
    known: dict[ContentKey, tuple[Row, ...]] = {}
    while True:
        windows = _FiringWindows(sliding, known, stated or ToStream.RSTREAM, off)
        arrivals = enumerate(pushes if sliding.answers else ())
        firings = [firing for n, push in arrivals for firing in windows.arrive(n, push)]
        contents = {_key(firing.content): firing.content for firing in firings}
        unknown = [key for key in contents if key not in known]
        if not unknown:
            made = [report for firing in firings if firing.rows for report in _reports(firing, off)]
            reports = tuple(report for report, _ in made)
            return Recording(columns(query), reports, (), tuple(bounds for _, bounds in made))
        # How far t0 moved depends on the answers: what follows an unknown one is a guess until then.
        rows = answers(engine_query, [contents[key] for key in unknown], static)
        known.update(zip(unknown, rows, strict=True))


def _as_processed(query: EngineQuery, off: Off) -> EngineQuery:
    """Return the query that answers in SPARQL 1.1 what Comunica answers."""
    pattern = query.pattern if _ERRORS.name in off else with_errors(query.pattern)
    return replace(query, pattern=pattern if _CONDITIONS.name in off else with_late_conditions(pattern))


RSP_JS_135: Final = Engine(
    "rsp-js-1.3.5",
    "rspql",
    (
        _OPENING,
        _LATE,
        _ARRIVAL,
        _LATEST,
        _OTHERS,
        _OPERATOR,
        _ROWS,
        _MOVING,
        _FED,
        _ERRORS,
        _LINES,
        _CONDITIONS,
    ),
    _recorded,
)


@dataclass(frozen=True, slots=True)
class WindowFiring:
    """A window that fired during a push: what was asked over its content, and the rows of the answer.

    `start` is t0 before the rows moved it, `close` is when the window closed.
    """

    push: int
    t: float
    window: YasperWindow
    start: float
    close: float
    content: Content
    rows: Sequence[Row]


def _reports(firing: WindowFiring, off: Off) -> Iterator[tuple[Report, tuple[float, float]]]:
    """Yield the reports of a firing, each with the bounds that it is said to be of."""
    t = firing.close if _ARRIVAL.name in off else firing.t
    if _ROWS.name in off:
        bounds = firing.close - firing.window.width, firing.close
        yield Report(t, tuple(firing.rows), firing.push), bounds
        return
    step = firing.window.step
    for n, row in enumerate(firing.rows):
        start = firing.start + (0 if _MOVING.name in off else n * step)
        yield Report(t, (row,), firing.push), (start, start + step)


def _key(content: Content) -> ContentKey:
    return tuple(tuple(sorted(set(triples))) for triples in content.values())


class _FiringWindows:
    """All windows of a query between two arrivals; `now` is the time of the latest.

    `known` are the answers that are known up to now, as the operator reports them one after
    another: of an answer that is not known yet nothing.
    """

    def __init__(
        self,
        declared: EngineWindows,
        known: Mapping[ContentKey, tuple[Row, ...]],
        operator: ToStream,
        off: Off,
    ) -> None:
        self.ends = WindowEnds(includes_opening=_OPENING.name not in off)
        self.declared = declared
        self.by_window = {window: FiringWindow.of(window, self.ends) for window in declared.alive}
        self.windows = tuple(self.by_window.values())
        self.known, self.operator, self.off = known, operator, off
        self.moves = _MOVING.name not in off
        self.before: tuple[Row, ...] = ()
        self.now = -math.inf

    def arrive(self, number: int, push: Push) -> Iterator[WindowFiring]:
        """Take a push, and yield what fires."""
        yield from (self._each if _LATEST.name in self.off else self._latest)(number, push)
        self.now = max(self.now, push.t)

    def _fed(self, push: Push) -> list[FiringWindow]:
        """Return the windows that a push enters."""
        return [self.by_window[window] for window in self.declared.fed(push, last=_FED.name not in self.off)]

    def _latest(self, number: int, push: Push) -> Iterator[WindowFiring]:
        for window in self._fed(push):
            self._enter(window, push)
            close = window.live.latest(push.t, touching=False)
            if close is not None and close > 0 and push.t > window.fired:
                window.fired = push.t
                if window.live.contents[close]:
                    yield self._fire([window], close, number, push.t)
            window.live.delete(push.t)

    def _each(self, number: int, push: Push) -> Iterator[WindowFiring]:
        for window in self._fed(push):
            self._enter(window, push)
        closes = {
            close for firing_window in self.windows for close in firing_window.live.filled() if close < push.t
        }
        for close in sorted(closes):
            closing = [
                firing_window for firing_window in self.windows if firing_window.live.contents.get(close)
            ]
            yield self._fire(closing, close, number, push.t)
        for window in self.windows:
            window.live.delete(push.t)

    def _enter(self, window: FiringWindow, push: Push) -> None:
        distance = abs(push.t - window.start) if self.moves else push.t
        least = self.now if _LATE.name in self.off else -math.inf
        window.live.open(first_close(distance, window.window.step), push.t, least)
        window.live.add(push.t, push.triple)
        waiting = (close for other in self.windows for close in other.live.contents)
        window.past.add(push.t, push.triple, min(self.now, push.t, *waiting))

    def _fire(self, firing: Sequence[FiringWindow], close: float, number: int, t: float) -> WindowFiring:
        content = self._content(firing, close)
        before, self.before = self.before, self.known.get(_key(content), ())
        rows = reported_rows(self.operator, before, self.before)
        window_firing = WindowFiring(number, t, firing[0].window, firing[0].start, close, content, rows)
        if self.moves:
            for window in firing:
                window.start += window.window.step * len(rows)
        return window_firing

    def _content(self, firing: Sequence[FiringWindow], close: float) -> Content:
        last = firing[-1].live.contents[close][-1][0]
        return {
            window.window.source: window.live.triples(close)
            if window in firing
            else self._beside(window, close, last)
            for window in self.windows
        }

    def _beside(self, window: FiringWindow, close: float, last: float) -> list[Triple]:
        """Return what a window shows when another fires whose last triple came at `last`."""
        if _OTHERS.name in self.off:
            return window.past.active(close, self.ends)
        return window.live.triples(window.live.next_close(last))
