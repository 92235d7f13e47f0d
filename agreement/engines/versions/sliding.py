"""The sliding windows of RSP-QL queries in YASPER, RSP-JS, rsp-rs and similar engines.

RSP-JS and rsp-rs read the windows of a query line by line, and read lengths in their own number syntax.
"""

import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import Final

from agreement.documents.recordings import Push
from agreement.documents.requests import WindowSource, sources
from agreement.engines.engine import Content, WrittenQuery
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.terms import Iri, Variable
from solver.facts import Triple
from translate.analysis import parts, rebuild, tests_of
from translate.dialects.by_lines import LineWindow, read_lines
from translate.model import patterns as algebra
from translate.model.patterns import variables
from translate.model.query import EngineQuery, Language
from translate.model.windows import Range
from translate.tau import in_order

_NANOSECONDS: Final = 10**6
_WINDOWS: Final = "FROM NAMED WINDOW <name> ON <stream> [RANGE length STEP length]"
_BLANK: Final = re.compile(r"_+b\d+")
_NOT_RUN: Final = {
    algebra.Extend: "an expression that binds a variable (AS)",
    algebra.Graph: "GRAPH",
    algebra.Group: "an aggregate",
    algebra.LeftJoin: "OPTIONAL",
    algebra.Minus: "MINUS",
    algebra.PathPattern: "a property path",
    algebra.Select: "a subquery",
    algebra.Service: "SERVICE",
    algebra.Union: "UNION, or a variable in the place of a window",
    algebra.Values: "VALUES",
}


EVERY_STREAM: Final = Iri("urn:x-lars:every-stream")
"""The stream of a window that receives the triples of all streams."""


@dataclass(frozen=True, slots=True)
class YasperWindow:
    """A window of a query: its length, and the time from one close to the next, in milliseconds.

    `stream` is the name of the stream as the parser of the engine reads it, if this parser is known.
    """

    source: WindowSource
    width: float
    step: float
    stream: Iri | None = None

    def reads(self, push: Push) -> bool:
        """Return whether a pushed triple belongs to the stream of the window."""
        stream = self.stream or self.source.stream
        return stream == EVERY_STREAM or push.stream == str(stream)


def sliding_windows(query: EngineQuery, engine: str, *, tumbling: bool) -> tuple[YasperWindow, ...]:
    """Return the windows of the query in the order of its text; with `tumbling`, STEP may be missing.

    Lengths without a unit are milliseconds, like the timestamps of RSP-JS.

    Raises:
        LarsError: The query is not a SELECT query over windows of RSP-QL.
    """
    if query.language is not Language.RSPQL:
        raise LarsError(f"{engine} cannot run a query in {query.language.value}; expected rspql")
    if query.form != "SELECT":
        raise LarsError(f"{engine} cannot run {query.form}; expected SELECT")
    window_sources = sources(query)
    if query.merged or not window_sources:
        problem = "a window without a name" if query.merged else "a query without a window"
        raise LarsError(f"{engine} cannot run {problem}; expected {_WINDOWS}")
    return tuple(_sliding(source, engine, tumbling=tumbling) for source in window_sources)


def _sliding(source: WindowSource, engine: str, *, tumbling: bool) -> YasperWindow:
    match source.window:
        case Range(length, slide, None) if tumbling or slide:
            return YasperWindow(source, milliseconds(length), milliseconds(slide or length))
        case other:
            raise LarsError(f"{engine} cannot run the window {other}; expected {_WINDOWS}")


def milliseconds(length: Duration) -> float:
    """Return a duration in milliseconds, as an integer if possible.

    >>> milliseconds(Duration(2_000_000)), milliseconds(Duration(1_500_000))
    (2, 1.5)
    """
    whole, rest = divmod(length.nanoseconds, _NANOSECONDS)
    return length.nanoseconds / _NANOSECONDS if rest else whole


def check_triple_patterns(
    query: EngineQuery,
    engine: str,
    others: tuple[type[algebra.Pattern], ...] = (),
    accepted: str = "triple patterns and FILTER",
) -> None:
    """Raise LarsError if a query has patterns other than triple patterns, FILTER, and `others`."""
    for part in parts(query.pattern):
        construct = "EXISTS" if tests_of(part) else _NOT_RUN.get(type(part))
        if construct is not None and not isinstance(part, others):
            raise LarsError(f"{engine} cannot run {construct}; expected {accepted}")


def without_projection(query: EngineQuery) -> EngineQuery:
    """Return the query with all variables of its pattern as columns; blank nodes are left out."""
    named = {variable for variable in variables(query.pattern) if not _BLANK.fullmatch(variable.name)}
    return replace(query, result=tuple(in_order(named | set(query.result))))


def with_window_graphs(query: EngineQuery, windows: Iterable[YasperWindow]) -> EngineQuery:
    """Return the query in which GRAPH also matches in windows, which SPARQL processors store as named graphs.

    GRAPH :w { P } becomes WINDOW :w { P }. GRAPH ?g { P } matches in each window, with the name of the window
    as ?g, and in each static graph.
    """
    named = {window.source.name: window.source for window in windows if window.source.name is not None}

    def read(source: WindowSource) -> Callable[[algebra.Pattern], algebra.Pattern | None]:
        def block(part: algebra.Pattern) -> algebra.Pattern | None:
            if isinstance(part, algebra.Bgp | algebra.PathPattern):
                return algebra.StreamBlock(source.stream, source.window, part, source.name)
            return part if isinstance(part, algebra.StreamBlock | algebra.Graph) else None

        return block

    def change(part: algebra.Pattern) -> algebra.Pattern | None:
        match part:
            case algebra.Graph(name, inner) if isinstance(name, Iri) and name in named:
                return rebuild(inner, read(named[name]))
            case algebra.Graph(Variable() as name, inner):
                whole: algebra.Pattern = part
                for iri, source in named.items():
                    bound = algebra.Values((name,), ((iri,),))
                    whole = algebra.Union(whole, algebra.Join(rebuild(inner, read(source)), bound))
                return whole
            case _:
                return None

    return replace(query, pattern=rebuild(query.pattern, change))


_MOST_OPEN: Final = 100_000
"""The maximum number of open windows; each arrival visits all open windows."""

TimedTriple = tuple[float, Triple]
"""A triple with its time."""


@dataclass(slots=True)
class OpenedWindows:
    """The open windows of one window declaration, by the times at which they close.

    A window contains [o, c) with `include_opening`, otherwise (o, c]. `start` is t0; in rsp-rs, the value 0
    means that t0 is not set. `fired` is the last time at which a window fired. `past` contains the triples
    that a later window can still contain.
    """

    window: YasperWindow
    include_opening: bool = True
    start: float = 0
    fired: float = 0
    contents: dict[float, list[TimedTriple]] = field(default_factory=dict)
    past: deque[TimedTriple] = field(default_factory=deque)

    def shows(self, opening: float, close: float, t: float) -> bool:
        """Return whether the window from `opening` to `close` contains an arrival at `t`."""
        return opening <= t < close if self.include_opening else opening < t <= close

    def open(self, first: float, t: float, least: float = -math.inf, *, always: bool = True) -> None:
        """Open the windows that close at `first`, first + step, and so on, and that open at or before `t`.

        With `always`, the first window is opened even if it opens after `t`. Windows that close before
        `least` are not opened.

        Raises:
            LarsError: Too many windows would be open.
        """
        if self.window.width > _MOST_OPEN * self.window.step:
            raise LarsError(
                f"a window of {self.window.width:.0f} ms with a step of {self.window.step} ms has "
                f"more than {_MOST_OPEN} windows open at once; use a longer STEP, or a shorter "
                "RANGE"
            )
        close = first
        while (always and close == first) or self._opens(close - self.window.width, t):
            if close >= least:
                self.contents.setdefault(close, [])
            close += self.window.step

    def _opens(self, opening: float, t: float) -> bool:
        return opening < t or (opening == t and self.include_opening)

    def add(self, t: float, triple: Triple) -> None:
        """Add a triple to the open windows that contain its time."""
        for close, elements in self.contents.items():
            if self.shows(close - self.window.width, close, t):
                elements.append((t, triple))

    def delete(self, t: float) -> None:
        """Delete the windows that closed before `t`."""
        for close in [close for close in self.contents if close < t]:
            del self.contents[close]

    def filled(self) -> list[float]:
        """Return the times at which windows with a triple close."""
        return [close for close, elements in self.contents.items() if elements]

    def latest(self, t: float, *, touching: bool = False) -> float | None:
        """Return the closing time of the last open window that closes before `t`; None if no window does.

        With `touching`, the time `t` itself counts.
        """
        closes = (close for close in self.contents if close < t or (touching and close == t))
        return max(closes, default=None)

    def next_close(self, t: float) -> float | None:
        """Return the earliest time at which a window closes that contains `t` or begins or ends at `t`."""
        closes = (close for close in self.contents if close - self.window.width <= t <= close)
        return min(closes, default=None)

    def triples(self, close: float | None) -> list[Triple]:
        """Return the triples in the window that closes at `close`, in order of arrival.

        If `close` is None, the result is empty.
        """
        return [] if close is None else [triple for _, triple in self.contents[close]]

    def keep(self, t: float, triple: Triple, now: float) -> None:
        """Store a triple, and delete stored triples that are in no window that closes at `now` or later."""
        self.past.append((t, triple))
        while self.past[0][0] < now - self.window.width - self.window.step:
            self.past.popleft()

    def active(self, t: float, start: float = 0) -> list[Triple]:
        """Return the triples in the active window at `t`: the earliest window that has not closed.

        The argument `start` is any time at which a window closes.
        """
        opening = start + first_close(t - start, self.window.step) - self.window.width
        return [triple for at, triple in self.past if self.shows(opening, t, at)]

    def up_to(self, t: float) -> list[Triple]:
        """Return the triples that arrived in [t - width, t], both ends included."""
        return [triple for at, triple in self.past if t - self.window.width <= at <= t]


def first_close(t: float, step: float) -> float:
    """Return the first multiple of `step` at or after `t`.

    >>> first_close(3110, 2000), first_close(4000, 2000)
    (4000, 4000)
    """
    return math.ceil(t / step) * step


@dataclass(frozen=True, slots=True)
class FiringRules:
    """The rules by which windows fire (report their content) in RSP-JS and rsp-rs.

    If a rule is switched off, the windows follow the specification.
    """

    include_opening: bool
    """Whether windows contain [o, c) instead of (o, c]."""
    late_reopens: bool
    """Whether late arrivals open windows again that were already reported."""
    only_latest_fires: bool
    """Whether only the window that closed last reports, at an arrival in its stream.

    If the rule is off, each window reports when it closes.
    """
    others_at_last_triple: bool
    """Whether other windows are read at the last triple of the window that fires (reports).

    Their content is then the content of their earliest window that is open at this time.
    """
    only_last_is_fed: bool
    """Whether only the last declared window on a stream receives the triples of the stream."""
    empty_fires: bool
    """Whether windows without a triple also report."""
    always_opens: bool
    """Whether each arrival opens a window, even if the window begins after the arrival."""
    fires_one_by_one: bool
    """Whether a window reports before the next window receives the same arrival."""


@dataclass(frozen=True, slots=True)
class Firing:
    """The windows that report together at a triple pushed at `t`, with their closing time and contents.

    - `content` contains the contents of all windows, also of windows that do not report.
    - `last` is the time of the last triple in the last of the reporting windows; 0 if this window is empty.
    """

    push: int
    t: float
    windows: Sequence[OpenedWindows]
    close: float
    last: float
    content: Content


class FiringWindows:
    """The state of all windows of a query in RSP-JS or rsp-rs.

    The function `first` receives a window and the time of an arrival. The function `first` returns the
    closing time of the earliest window that the arrival opens.
    """

    def __init__(
        self, declared: "EngineWindows", rules: FiringRules, first: Callable[[OpenedWindows, float], float]
    ) -> None:
        self.declared, self.rules, self.first = declared, rules, first
        self.opened = {window: OpenedWindows(window, rules.include_opening) for window in declared.alive}
        self.now = -math.inf

    def of(self, pushes: Sequence[Push]) -> Iterator[Firing]:
        """Process pushed triples, and yield the windows that report, with the contents of all windows."""
        for number, push in enumerate(pushes if self.declared.answers else ()):
            yield from self._arrive(number, push)
            self.now = max(self.now, push.t)

    def _arrive(self, number: int, push: Push) -> Iterator[Firing]:
        rules = self.rules
        fed = [self.opened[window] for window in self.declared.fed(push, last=rules.only_last_is_fed)]
        for part in (
            [[opened] for opened in fed] if rules.fires_one_by_one and rules.only_latest_fires else [fed]
        ):
            for opened in part:
                self._enter(opened, push)
            for opened in part if rules.only_latest_fires else ():
                yield from self._fire_latest(opened, number, push.t)
        if not rules.only_latest_fires:
            yield from self._fire_each(number, push.t)

    def _waiting(self) -> Iterator[float]:
        """Yield the times at which the open windows close."""
        return (close for window in self.opened.values() for close in window.contents)

    def _enter(self, window: OpenedWindows, push: Push) -> None:
        least = -math.inf if self.rules.late_reopens else self.now
        window.open(self.first(window, push.t), push.t, least, always=self.rules.always_opens)
        window.add(push.t, push.triple)
        window.keep(push.t, push.triple, min(push.t, self.now, *self._waiting()))

    def _fires(self, window: OpenedWindows, close: float) -> bool:
        return close in window.contents and bool(window.contents[close] or self.rules.empty_fires)

    def _fire_latest(self, window: OpenedWindows, number: int, t: float) -> Iterator[Firing]:
        close = window.latest(t)
        if close is not None and close > 0 and t > window.fired:
            window.fired = t
            if self._fires(window, close):
                yield self._firing([window], close, number, t)
        window.delete(t)

    def _fire_each(self, number: int, t: float) -> Iterator[Firing]:
        for close in sorted({close for close in self._waiting() if close < t}):
            if firing := [window for window in self.opened.values() if self._fires(window, close)]:
                yield self._firing(firing, close, number, t)
        for window in self.opened.values():
            window.delete(t)

    def _firing(self, firing: Sequence[OpenedWindows], close: float, number: int, t: float) -> Firing:
        elements = firing[-1].contents[close]
        last = elements[-1][0] if elements else 0
        content = {
            window.window.source: window.triples(close)
            if window in firing
            else window.triples(window.next_close(last))
            if self.rules.others_at_last_triple
            else window.active(close, window.start)
            for window in self.opened.values()
        }
        return Firing(number, t, firing, close, last, content)


_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INTEGER: Final = re.compile("[+-]?[0-9]+")
_LARGEST: Final = 2**63
_UNUSED: Final = Range(Duration(1))


def javascript_number(text: str) -> float:
    """Return the number that JavaScript reads from a decimal numeral; NaN for any other text."""
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    return int(number) if number.is_integer() else number


def rust_integer(text: str) -> float:
    """Return the 64-bit integer that rsp-rs reads from a text; 0 for any other text."""
    number = int(text) if _INTEGER.fullmatch(text) else 0
    return number if -_LARGEST <= number < _LARGEST else 0


@dataclass(frozen=True, slots=True)
class EngineWindows:
    """The windows of a query in the order of the text, as an engine reads them.

    If `answers` is false, the engine never answers, because the text without window clauses is invalid
    SPARQL.
    """

    windows: tuple[YasperWindow, ...]
    answers: bool = True

    @property
    def alive(self) -> tuple[YasperWindow, ...]:
        """The windows that can open: their step is above 0, and their width is a number."""
        return tuple(window for window in self.windows if window.step > 0 and not math.isnan(window.width))

    def fed(self, push: Push, *, last: bool) -> tuple[YasperWindow, ...]:
        """Return the windows that a pushed triple enters: all windows on its stream, or only the last one."""
        windows = [window for window in self.windows if window.reads(push)]
        return tuple(window for window in (windows[-1:] if last else windows) if window in self.alive)


def engine_windows(
    query: EngineQuery, engine: str, length: Callable[[str], float], *, by_lines: bool, each_word: bool
) -> EngineWindows:
    """Return the windows of a query as an engine reads them; without `by_lines`, as the language defines.

    The engine reads lines if the text of the query is available. `length` reads a number as the engine does,
    and `each_word` is an argument of `read_lines`.

    Raises:
        LarsError: The query is not a SELECT query over windows with STEP.
    """
    windows = sliding_windows(query, engine, tumbling=False)
    if not isinstance(query, WrittenQuery):
        return EngineWindows(windows)
    clauses = tuple(read_lines(query.text, each_word=each_word))
    line_windows = [clause for clause in clauses if isinstance(clause, LineWindow)]
    if by_lines:
        lost = [clause for clause in clauses if not isinstance(clause, LineWindow)]
        broken = any(not (taken_out and clause[0].startswith("FROM")) for clause, taken_out in lost)
        return EngineWindows(tuple(_window(window, windows, length) for window in line_windows), not broken)
    order = [window.names[0] for window in line_windows]
    return EngineWindows(tuple(sorted(windows, key=lambda window: _place(window.source, order))))


def _place(source: WindowSource, order: Sequence[str]) -> int:
    name = "" if source.name is None else source.name.value
    return order.index(name) if name in order else len(order)


def _window(
    window: LineWindow, windows: Sequence[YasperWindow], length: Callable[[str], float]
) -> YasperWindow:
    name, stream = window.names
    read = (yasper_window.source for yasper_window in windows if yasper_window.source.name == Iri(name))
    source = next(read, WindowSource(Iri(stream), _UNUSED, Iri(name)))
    return YasperWindow(source, length(window.width[0]), length(window.step[0]), Iri(stream))
