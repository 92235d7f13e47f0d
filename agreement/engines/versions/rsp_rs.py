"""rsp-rs 0.3.5: windows as in YASPER for C-SPARQL, whose grids begin with the first triple of their stream.

Source: the page of living engines, section A, and the engine's own. D1 to D7 are what it calls defects,
A3 to A11 its other statements, A14 and A15 are of its processor, Oxigraph 0.5. Times are in the unit of
the timestamps, in which its windows are written too.
Each push is taken once the engine is at rest: how it then races and can stand still (D8) is not modelled.

Oxigraph answers otherwise than SPARQL 1.1 to alternatives of paths (A14) and GROUP_CONCAT (A15); a query is
first written as what that is in SPARQL 1.1:

  ?x :p|:q ?y   =   { SELECT DISTINCT ?x ?y { ?x :p|:q ?y } }
  GROUP_CONCAT(?x)   =   GROUP_CONCAT(IF(?x is a text, ?x, an error))
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

from agreement.documents.recordings import Push, Recording, Report
from agreement.engines.engine import (
    AT_ITS_CLOSE,
    DECLARED,
    EACH_WINDOW,
    ENDS,
    GRID,
    IN_ORDER,
    NON_EMPTY,
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
from agreement.engines.r2s import relation_to_stream
from agreement.engines.versions.sliding import (
    EngineWindows,
    FiringWindow,
    WindowEnds,
    engine_windows,
    first_close,
    rust_integer,
)
from lars.language.formulas import Call
from lars.language.terms import XSD, Iri, Literal, Term, Variable
from solver.facts import Static
from translate.analysis import fresh_variables, rebuild
from translate.model import patterns as algebra
from translate.model.patterns import (
    Alternative,
    Duplicates,
    Inverse,
    Modifiers,
    Path,
    PathSequence,
    variables,
)
from translate.model.query import EngineQuery, ToStream
from translate.tau import in_order

_DISTINCT: Final = Modifiers(Duplicates.DISTINCT)
_STRING: Final = Iri(XSD + "string")


def with_distinct_alternatives(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern in which what several alternatives of a path connect is one solution."""
    fresh = fresh_variables(pattern, "made_")

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        match part:
            case algebra.StreamBlock(_, _, algebra.PathPattern(subject, path, object_)):
                steps = _steps(subject, path, object_, fresh)
                return reduce(algebra.Join, (_once(replace(part, pattern=step), step.path) for step in steps))
            case algebra.PathPattern(subject, path, object_):
                steps = _steps(subject, path, object_, fresh)
                return reduce(algebra.Join, (_once(step, step.path) for step in steps))
            case _:
                return None

    return rebuild(pattern, change)


def _steps(
    subject: Term, path: Path, object_: Term, fresh: Iterator[Variable]
) -> Iterator[algebra.PathPattern]:
    """Yield what a path becomes, whose sequences are joins."""
    if isinstance(path, PathSequence):
        between = next(fresh)
        yield from _steps(subject, path.left, between, fresh)
        yield from _steps(between, path.right, object_, fresh)
    else:
        yield algebra.PathPattern(subject, path, object_)


def _once(pattern: algebra.Pattern, path: Path) -> algebra.Pattern:
    while isinstance(path, Inverse):
        path = path.path
    if not isinstance(path, Alternative):
        return pattern
    return algebra.Select(pattern, tuple(in_order(variables(pattern))), _DISTINCT)


def with_texts_concatenated(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern in whose groups, those of subqueries too, only texts can be concatenated."""
    fresh = fresh_variables(pattern, "made_")

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        if not isinstance(part, algebra.Group):
            return None
        inner, aggregates = rebuild(part.pattern, change), []
        for variable, aggregation in part.aggregates:
            if aggregation.function == "GROUP_CONCAT":
                (given,) = aggregation.arguments
                text, nothing = next(fresh), next(fresh)
                inner = algebra.Extend(inner, text, Call("IF", (_is_text(given), given, nothing)))
                aggregates.append((variable, replace(aggregation, arguments=(text,))))
            else:
                aggregates.append((variable, aggregation))
        return replace(part, pattern=inner, aggregates=tuple(aggregates))

    return rebuild(pattern, change)


def _is_text(variable: Variable) -> Call:
    plain = Call("=", (Call("DATATYPE", (variable,)), _STRING))
    return Call("||", (plain, Call("!=", (Call("LANG", (variable,)), Literal("")))))


_FIRST: Final = EngineRule(
    "D1",
    "windows close at steps from the first triple of their own stream, not from 0; after a first triple at 0 "
    "they are counted from the next one",
    GRID,
)
_LATE: Final = EngineRule(
    "D2",
    "an arrival that is late opens windows again that have been reported; before the first triple it opens "
    "their mirror image, which does not show it",
    IN_ORDER,
)
_LINES: Final = EngineRule(
    "D3",
    "only windows in a line of their own are seen; a length that is no integer is 0, and a window with the "
    "step 0 never reports",
    DECLARED,
)
_LATEST: Final = EngineRule(
    "D4",
    "only an arrival in a window's own stream finds it closed, and only the latest of those that arrivals "
    "opened fires, if it closed after 0; older ones are skipped",
    EACH_WINDOW,
)
_FED: Final = EngineRule("D5", "a stream is fed to one window only, the last that names it", OWN_STREAM)
_OTHERS: Final = EngineRule(
    "D6",
    "each other window adds the content of its earliest one that is open, both ends included, at the last "
    "triple of the one that fires, at 0 if that is empty",
    SAME_INSTANT,
)
_EMPTY: Final = EngineRule(
    "D7",
    "an empty window fires too, as the one that closes at the first triple, or those behind a gap",
    NON_EMPTY,
)
_OPENING: Final = EngineRule("A3", "a window that closes at c shows [c - w, c), not (c - w, c]", ENDS)
_ARRIVAL: Final = EngineRule(
    "A4", "a report has the time of the arrival that finds a window closed", AT_ITS_CLOSE
)
_OPERATOR: Final = EngineRule(
    "A8", "the operator of REGISTER is left out: each answer is reported in full", OPERATORS
)
_BOUNDS: Final = EngineRule(
    "A11",
    "a report is said to be of [T, T + w), T the time of its last triple (0 if it is empty)",
    "Definition 12: a window has an opening and a closing time",
)

_PATHS: Final = EngineRule(
    "A14",
    "what several alternatives of a property path connect is one solution",
    "SPARQL 1.1, 18.4: each alternative of a path has its own solutions",
)
_TEXTS: Final = EngineRule(
    "A15",
    "GROUP_CONCAT of anything but texts, numbers too, is unbound",
    "SPARQL 1.1, 18.5.1.7: GROUP_CONCAT of the texts of all values",
)


def _recorded(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return what rsp-rs reports; raises LarsError for what is no SELECT over sliding windows."""
    declared = engine_windows(query, RSP_RS_035.name, rust_integer, by_lines=_LINES.name not in off)
    windows = _FiringWindows(declared, off)
    arrivals = enumerate(pushes if declared.answers else ())
    firings = [firing for number, push in arrivals for firing in windows.arrive(number, push)]
    operator = (query.to_stream if _OPERATOR.name in off else None) or ToStream.RSTREAM
    rows_of = dict(
        enumerate(answers(_as_processed(query, off), [firing.content for firing in firings], static))
    )
    rows = relation_to_stream(operator, range(len(firings)), rows_of)
    with_rows = [(firing, tuple(rows[n])) for n, firing in enumerate(firings) if rows[n]]
    reports = tuple(Report(firing.t, new, firing.push) for firing, new in with_rows)
    return Recording(columns(query), reports, (), tuple(firing.bounds for firing, _ in with_rows))


def _as_processed(query: EngineQuery, off: Off) -> EngineQuery:
    """Return the query that answers in SPARQL 1.1 what Oxigraph answers."""
    pattern = query.pattern if _PATHS.name in off else with_distinct_alternatives(query.pattern)
    return replace(query, pattern=pattern if _TEXTS.name in off else with_texts_concatenated(pattern))


RSP_RS_035: Final = Engine(
    "rsp-rs-0.3.5",
    "rspql",
    (
        _FIRST,
        _LATE,
        _LINES,
        _LATEST,
        _FED,
        _OTHERS,
        _EMPTY,
        _OPENING,
        _ARRIVAL,
        _OPERATOR,
        _BOUNDS,
        _PATHS,
        _TEXTS,
    ),
    _recorded,
)


@dataclass(frozen=True, slots=True)
class _Firing:
    """What is asked over a content during a push; `t` is the report's time, `bounds` its window's as told."""

    push: int
    t: float
    bounds: tuple[float, float]
    content: Content


class _FiringWindows:
    """All windows of a query between two arrivals; `now` is the time of the latest."""

    def __init__(self, declared: EngineWindows, off: Off) -> None:
        self.declared, self.off = declared, off
        self.ends = WindowEnds(includes_opening=_OPENING.name not in off)
        self.windows = {window: FiringWindow.of(window, self.ends) for window in declared.alive}
        self.now = -math.inf

    def arrive(self, number: int, push: Push) -> Iterator[_Firing]:
        """Take a push, and yield what fires."""
        fed = [
            self.windows[yasper_window]
            for yasper_window in self.declared.fed(push, last=_FED.name not in self.off)
        ]
        for window in fed:
            self._enter(window, push)
        yield from self._each(number, push) if _LATEST.name in self.off else self._latest(fed, number, push)
        self.now = max(self.now, push.t)

    def _enter(self, window: FiringWindow, push: Push) -> None:
        if _FIRST.name not in self.off and window.start == 0:
            window.start = push.t
        late = _LATE.name not in self.off
        distance = push.t - window.start
        first = window.start + first_close(abs(distance) if late else distance, window.window.step)
        window.live.open(first, push.t, -math.inf if late else self.now, always=False)
        window.live.add(push.t, push.triple)
        window.past.add(push.t, push.triple, min(push.t, self.now, *self._waiting()))

    def _waiting(self) -> Iterator[float]:
        """Yield the closes of all windows that are open, or have not fired."""
        yield from (close for window in self.windows.values() for close in window.live.contents)

    def _latest(self, fed: Sequence[FiringWindow], number: int, push: Push) -> Iterator[_Firing]:
        for window in fed:
            close = window.live.latest(push.t, touching=False)
            if close is not None and close > 0 and push.t > window.fired and self._reports_at(window, close):
                window.fired = push.t
                yield self._fire([window], close, number, push.t)
            window.live.delete(push.t)

    def _each(self, number: int, push: Push) -> Iterator[_Firing]:
        closed = {close for close in self._waiting() if close < push.t}
        for close in sorted(closed):
            closing = [
                firing_window
                for firing_window in self.windows.values()
                if close in firing_window.live.contents and self._reports_at(firing_window, close)
            ]
            if closing:
                yield self._fire(closing, close, number, push.t)
        for window in self.windows.values():
            window.live.delete(push.t)

    def _reports_at(self, window: FiringWindow, close: float) -> bool:
        return bool(window.live.contents[close]) or _EMPTY.name not in self.off

    def _fire(self, firing: Sequence[FiringWindow], close: float, number: int, t: float) -> _Firing:
        content = firing[-1].live.contents[close]
        width = firing[-1].window.width
        last = content[-1][0] if content else 0
        bounds = (close - width, close) if _BOUNDS.name in self.off else (last, last + width)
        contents = {
            window.window.source: window.live.triples(close)
            if window in firing
            else self._beside(window, close, last)
            for window in self.windows.values()
        }
        return _Firing(number, close if _ARRIVAL.name in self.off else t, bounds, contents)

    def _beside(self, window: FiringWindow, close: float, last: float) -> Sequence[tuple[str, str, str]]:
        """Return what a window shows when another fires whose last triple came at `last`."""
        if _OTHERS.name in self.off:
            return window.past.active(close, self.ends, window.start)
        return window.live.triples(window.live.next_close(last))
