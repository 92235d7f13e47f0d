"""Rows of triple patterns, and their joins: terms as texts, a row as what its variables are bound to."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import chain
from typing import Final

from agreement.documents.recordings import Push, Recording, Report
from agreement.engines.engine import (
    AT_ITS_CLOSE,
    EACH_WINDOW,
    ENDS,
    SAME_INSTANT,
    Engine,
    EngineRule,
    Off,
    WrittenQuery,
    answers,
    columns,
)
from agreement.engines.r2s import reported_rows
from agreement.engines.versions.sliding import (
    LiveWindows,
    PastTriples,
    TimedTriple,
    WindowEnds,
    YasperWindow,
    check_triple_patterns,
    first_close,
    sliding_windows,
)
from lars.errors import LarsError
from lars.language.terms import Iri, Literal, Variable
from solver.facts import Row, Static, Triple, constant_of
from translate.analysis import children, parts
from translate.model import patterns as algebra
from translate.model.patterns import EMPTY, UNMODIFIED, TriplePattern, variables
from translate.model.query import EngineQuery, ToStream
from translate.strict import KolibrieText, KolibrieWindow, read_kolibrie
from translate.tau import in_order

TextBinding = Mapping[str, str]
"""What the variables of a row are bound to, by their names."""
NO_VARIABLES: Final[TextBinding] = {}


def plain_text(text: str) -> str:
    """Return a term of N-Triples as Kolibrie keeps it: without its kind.

    >>> plain_text('"1"^^<http://www.w3.org/2001/XMLSchema#integer>'), plain_text("<http://e/o>")
    ('1', 'http://e/o')
    """
    match constant_of(text):
        case Iri(value):
            return value
        case Literal(lexical, _, language):
            return f"{lexical}@{language}" if language else lexical
        case _:
            return text


@dataclass(frozen=True, slots=True)
class TextPattern:
    """A triple pattern: the names of its variables by place, None where a text stands."""

    names: tuple[str | None, ...]
    texts: tuple[str, ...]

    def row(self, triple: Triple) -> TextBinding | None:
        """Return what a triple binds, None where it does not match."""
        row: dict[str, str] = {}
        for term, name, text in zip(triple, self.names, self.texts, strict=True):
            if term != (text if name is None else row.setdefault(name, term)):
                return None
        return row


def text_pattern(pattern: TriplePattern, text_of: Callable[[str], str]) -> TextPattern:
    """Return a triple pattern whose constants are written as `text_of` writes terms."""
    names = tuple(term.name if isinstance(term, Variable) else None for term in pattern.terms)
    return TextPattern(names, tuple(text_of(str(term)) for term in pattern.terms))


def matches(patterns: Sequence[TextPattern], triples: Iterable[Triple]) -> list[TextBinding]:
    """Return the rows of a basic graph pattern over a set of triples."""
    rows: list[TextBinding] = [NO_VARIABLES]
    known = tuple(dict.fromkeys(triples))
    for pattern in patterns:
        rows = join_bindings(rows, [row for triple in known if (row := pattern.row(triple)) is not None])
    return rows


def join_bindings(left: Sequence[TextBinding], right: Sequence[TextBinding]) -> list[TextBinding]:
    """Return the natural join of two bags of rows, each side bound alike; it can be a cross product."""
    if not left or not right:
        return []
    shared = sorted(left[0].keys() & right[0].keys())
    by_key: dict[tuple[str, ...], list[TextBinding]] = {}
    for row in right:
        by_key.setdefault(tuple(row[name] for name in shared), []).append(row)
    return [{**row, **other} for row in left for other in by_key.get(tuple(row[name] for name in shared), ())]


NAME: Final = "kolibrie-846becb"
CLOSING, TIMED = "ON_WINDOW_CLOSE", "TIME_DRIVEN"
_IGNORED: Final = (algebra.Extend, algebra.Values, algebra.Group, algebra.Select)
_ACCEPTED: Final = "triple patterns in WINDOW, and outside of them also FILTER, BIND, VALUES and subqueries"
_ALL: Final = (TriplePattern(Variable("s"), Variable("p"), Variable("o")),)


@dataclass(frozen=True, slots=True)
class PlannedWindow:
    """A window with the patterns that are asked of it, and its strategies."""

    window: YasperWindow
    patterns: tuple[TextPattern, ...]
    report: str = CLOSING
    tick: str = TIMED


@dataclass(frozen=True, slots=True)
class KolibriePlan:
    """The windows in the order of the text, the patterns that are asked of the static data, the policy."""

    windows: tuple[PlannedWindow, ...]
    static: tuple[TextPattern, ...]
    steals: bool

    @property
    def joins(self) -> bool:
        """Whether rows of windows are joined, with each other or with those of the static data."""
        return len(self.windows) > 1 or bool(self.static)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all variables, sorted."""
        patterns = (*self.static, *(pattern for window in self.windows for pattern in window.patterns))
        return tuple(sorted({name for pattern in patterns for name in pattern.names if name is not None}))


def plan_query(
    query: EngineQuery, text_of: Callable[[str], str], *, parsed: bool, strategies: bool, steals: bool
) -> KolibriePlan:
    """Return what is run of a query; constants are written as `text_of` writes terms.

    `parsed`: names and lengths are as the engine's own parser takes them, if the query has its text;
    `strategies` and `steals`: its REPORT, TICK and WITH POLICY count. Raises LarsError for a query that
    the engine does not register, QueryError at the place in its text.
    """
    windows = sliding_windows(query, NAME, tumbling=True)
    check_triple_patterns(query, NAME, _IGNORED, _ACCEPTED)
    if any(
        isinstance(part, algebra.StreamBlock)
        for select in _subqueries(query.pattern)
        for part in parts(select)
    ):
        raise LarsError(f"{NAME} cannot run WINDOW in a subquery; accepted: {_ACCEPTED}")
    patterns = {window.source: _patterns(query.pattern, window) for window in windows}
    plain = [
        PlannedWindow(window, tuple(text_pattern(p, text_of) for p in patterns[window.source]))
        for window in windows
    ]
    static = tuple(text_pattern(pattern, text_of) for pattern in _outside(query.pattern))
    if not isinstance(query, WrittenQuery):
        return KolibriePlan(tuple(plain), static, steals=False)
    text = read_kolibrie(query.text, query.source)
    everything = tuple(text_pattern(pattern, text_of) for pattern in _ALL)
    planned_windows = tuple(
        _as_parsed(window, kolibrie_window, text, everything) if parsed else window
        for kolibrie_window in text.windows
        for window in plain
        if window.window.source.name == Iri(kolibrie_window.iri)
    )
    if strategies:
        reporting = {Iri(window.iri): (window.report, window.tick) for window in text.windows}
        planned_windows = tuple(
            replace(window, report=report, tick=tick)
            for window in planned_windows
            for report, tick in (reporting[_name(window)],)
        )
    policy = next((window.policy for window in text.windows if window.policy is not None), "wait")
    return KolibriePlan(planned_windows, static, steals and policy == "steal")


def _name(planned_window: PlannedWindow) -> Iri:
    name = planned_window.window.source.name
    assert name is not None
    return name


def _as_parsed(
    planned_window: PlannedWindow,
    kolibrie_window: KolibrieWindow,
    text: KolibrieText,
    everything: tuple[TextPattern, ...],
) -> PlannedWindow:
    """Return a window with the stream and the lengths that the parser reads.

    A block is found by its name as written; a window that none is found for asks for all triples.
    """
    if kolibrie_window.step == 0:
        raise LarsError(f"{NAME} stands still with STEP 0; accepted: an integer from 1 on")
    window = YasperWindow(
        planned_window.window.source,
        kolibrie_window.width,
        kolibrie_window.step,
        Iri(kolibrie_window.stream.removeprefix(":")),
    )
    patterns = planned_window.patterns if kolibrie_window.name in text.blocks else everything
    return replace(planned_window, window=window, patterns=patterns)


def _patterns(pattern: algebra.Pattern, window: YasperWindow) -> tuple[TriplePattern, ...]:
    patterns: list[TriplePattern] = []
    for part in parts(pattern):
        own = isinstance(part, algebra.StreamBlock) and part.name == window.source.name
        if own and isinstance(part, algebra.StreamBlock) and isinstance(part.pattern, algebra.Bgp):
            patterns += part.pattern.triples
    return tuple(patterns) or _ALL


def _outside(pattern: algebra.Pattern) -> Iterator[TriplePattern]:
    """Yield the triple patterns that stand in no WINDOW and no subquery."""
    if isinstance(pattern, algebra.Bgp):
        yield from pattern.triples
    elif not isinstance(pattern, algebra.StreamBlock | algebra.Select):
        for child in children(pattern):
            yield from _outside(child)


def _subqueries(pattern: algebra.Pattern) -> Iterator[algebra.Select]:
    yield from (part for part in parts(pattern) if isinstance(part, algebra.Select))


@dataclass(frozen=True, slots=True)
class KolibrieHead:
    """The columns of the answers, and the rows that a bag of bindings becomes."""

    names: tuple[str, ...]
    rows: Callable[[Sequence[TextBinding]], tuple[Row, ...]]


def head_of(  # noqa: PLR0913  (what the rows are, and the two rules that a head depends on)
    query: EngineQuery,
    plan: KolibriePlan,
    static: Static,
    terms: Mapping[str, str],
    *,
    filters: bool,
    selects: bool,
) -> KolibrieHead:
    """Return the head of a query whose rows are texts, which `terms` are the terms of.

    With `filters` what stands outside of windows is honoured, with `selects` what SELECT says: then the
    rows are given to SPARQL as a table, in the place of the windows and of the static patterns.
    """

    def whole(bindings: Sequence[TextBinding]) -> tuple[Row, ...]:
        return tuple(tuple(terms[row[name]] for name in plan.names) for row in bindings)

    if not filters and not selects:
        return KolibrieHead(plan.names, whole)
    empty = _rows_of(query, plan, (), filters=filters, selects=selects)

    def evaluated(bindings: Sequence[TextBinding]) -> tuple[Row, ...]:
        engine_query = _rows_of(query, plan, whole(bindings), filters=filters, selects=selects)
        return answers(engine_query, [{}], static)[0]

    return KolibrieHead(columns(empty), evaluated)


def _rows_of(
    query: EngineQuery, plan: KolibriePlan, rows: Sequence[Row], *, filters: bool, selects: bool
) -> EngineQuery:
    names = tuple(map(Variable, plan.names))
    constants = (tuple(None if text is None else constant_of(text) for text in row) for row in rows)
    table = algebra.Values(names, tuple(constants))
    inner = _below_groups(query.pattern)
    body = _with_table(inner, [table]) if filters else table
    pattern = _above(query.pattern, inner, body) if selects else body
    result = query.result if selects else in_order(variables(body))
    modifiers = query.modifiers if selects else UNMODIFIED
    return replace(query, pattern=pattern, result=tuple(result), modifiers=modifiers, declared=())


def _below_groups(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return what is grouped by a query with aggregates, else its whole pattern."""
    part = pattern
    while isinstance(part, algebra.Extend | algebra.Filter | algebra.Group):
        if isinstance(part, algebra.Group):
            return part.pattern
        part = part.pattern
    return pattern


def _above(pattern: algebra.Pattern, inner: algebra.Pattern, body: algebra.Pattern) -> algebra.Pattern:
    if pattern == inner:
        return body
    assert isinstance(pattern, algebra.Extend | algebra.Filter | algebra.Group)
    return replace(pattern, pattern=_above(pattern.pattern, inner, body))


def _with_table(pattern: algebra.Pattern, table: list[algebra.Pattern]) -> algebra.Pattern:
    """Return the pattern with the table in the place of its first triples, and nothing for the others."""
    match pattern:
        case algebra.Bgp() | algebra.StreamBlock():
            return table.pop() if table else EMPTY
        case algebra.Join(left, right):
            first = _with_table(left, table)
            return algebra.Join(first, _with_table(right, table))
        case algebra.Filter(inner) | algebra.Extend(inner) | algebra.Group(inner):
            return replace(pattern, pattern=_with_table(inner, table))
        case _:
            return pattern


TimedTriples = Sequence[TimedTriple]
"""What a window shows, in the order of arrival."""


@dataclass(frozen=True, slots=True)
class WindowRules:
    """How windows fire: `before` an arrival enters, at its very time too; or only those that closed earlier.

    `drops`: every window that does not show the arrival is dropped, younger ones too.
    """

    before: bool = True
    drops: bool = True

    @property
    def ends(self) -> WindowEnds:
        """Which end a window contains."""
        return WindowEnds(includes_opening=self.before)


@dataclass(slots=True)
class KolibrieWindows:
    """The windows of one sliding window; `last_firing` is when one fired last, `now` the latest arrival."""

    planned: PlannedWindow
    rules: WindowRules
    live: LiveWindows = field(init=False)
    past: PastTriples = field(init=False)
    memory: tuple[str, TimedTriples] = ("", ())
    last_firing: float = 0
    now: float = -math.inf

    def __post_init__(self) -> None:
        self.live = LiveWindows(self.planned.window, self.rules.ends)
        self.past = PastTriples(self.planned.window)

    def open(self, t: float, triple: Triple) -> None:
        """Open windows for an arrival; what comes too late for a window that has closed opens none."""
        least = -math.inf if self.rules.drops else self.now
        self.live.open(first_close(t, self.planned.window.step), t, least)
        self.past.add(t, triple, min(t, self.now, *self.live.contents))
        if not self.rules.before:
            self.live.add(t, triple)

    def fire(self, t: float) -> float | None:
        """Fire the last of the windows that their strategy lets report; return its close, None of none."""
        reporting = [close for close in self.live.contents if self._ask_strategy(close, t)]
        if not reporting or t <= self.last_firing or self.planned.tick != TIMED:
            return None
        self.last_firing = t
        return max(reporting)

    def _ask_strategy(self, close: float, t: float) -> bool:
        """Ask the strategy of a window, which remembers what it was asked about."""
        content = self.live.contents[close]
        match self.planned.report:
            case "NON_EMPTY_CONTENT":
                return bool(content)
            case "PERIODIC":
                return t % 1000 == 0
            case "ON_CONTENT_CHANGE":
                # One memory for all windows, and equal contents report, not changed ones.
                before, self.memory = self.memory, ("known", tuple(content))
                return before == self.memory
            case _:
                return self.closed(close, t)

    def closed(self, close: float, t: float) -> bool:
        """Return whether an arrival finds a window closed."""
        return close < t or (close == t and self.rules.before)

    def closes(self, t: float) -> Iterator[float]:
        """Yield when the windows closed that show something and an arrival finds closed."""
        return (close for close in self.live.filled() if self.closed(close, t))

    def enter(self, t: float, triple: Triple) -> None:
        """Let an arrival in, and drop windows."""
        if self.rules.before:
            self.live.add(t, triple)

    def drop(self, t: float) -> None:
        """Drop the windows that an arrival finds closed, or all that do not show it."""
        for close in tuple(self.live.contents):
            opening = close - self.planned.window.width
            gone = (
                not self.rules.ends.contains(opening, close, t) if self.rules.drops else self.closed(close, t)
            )
            if gone:
                del self.live.contents[close]
        self.now = max(self.now, t)

    def forget(self, t: float) -> None:
        """Drop the windows that an arrival on another stream finds closed."""
        for close in tuple(self.live.contents):
            if self.closed(close, t):
                del self.live.contents[close]

    def active(self, t: float) -> list[Triple]:
        """Return what the active window shows at `t`: of those that have not closed, the earliest."""
        return self.past.active(t, self.rules.ends)


_STORE: Final = EngineRule(
    "E1",
    "one store serves all windows: each takes out what it put in before, and is asked over what all others "
    "left there",
    "Definition 14: each window is a graph of its own",
)
_LATEST: Final = EngineRule(
    "E2",
    "only an arrival in a window's own stream finds it closed, and only the latest one fires, even if it is "
    "empty: an arrival at a multiple of the step opens one that has closed, and older ones are lost",
    EACH_WINDOW,
)
_DROPPED: Final = EngineRule(
    "E3",
    "an arrival drops every window that does not show it, younger ones too, and opens windows again that "
    "have been reported",
    "Definitions 9 and 13: what a window shows depends on its ends alone",
)
_FILTERS: Final = EngineRule(
    "E4",
    "FILTER, BIND, VALUES and subqueries outside of windows are left out",
    "SPARQL 1.1, 18.2.2: all of the group counts",
)
_HEAD: Final = EngineRule(
    "E5",
    "SELECT is not looked at: each row has all variables, equal rows and aggregates are as they come",
    "SPARQL 1.1, 18.2.4 and 18.2.5: aggregates, projection, DISTINCT",
)
_STEAL: Final = EngineRule(
    "E6",
    "WITH POLICY steal forgets no row of any window: all are joined with whatever fires later",
    SAME_INSTANT,
)
_STRATEGIES: Final = EngineRule(
    "E7",
    "of the strategies that REPORT and TICK name, only ON_WINDOW_CLOSE and NON_EMPTY_CONTENT with "
    "TIME_DRIVEN report as they say",
    "Definition 23: what the policy of the query says",
)
_ENDS: Final = EngineRule(
    "B2a",
    "a window that closes at c, a multiple of the step, shows [c - w, c), not (c - w, c], and an arrival at "
    "c finds it closed",
    ENDS,
)
_ARRIVAL: Final = EngineRule(
    "B2b", "a report has the time of the arrival that finds a window closed", AT_ITS_CLOSE
)
_WAITING: Final = EngineRule(
    "B8",
    "rows of several windows, or beside static patterns, wait until all windows have fired, and are joined "
    "at the next push; those of a window that fired twice are added up",
    "Definitions 16 and 23: an evaluation joins what all windows show at its instant",
)
_OPERATOR: Final = EngineRule(
    "B10",
    "ISTREAM and DSTREAM ask whether the other answer has a row at all, not how often",
    "Definitions 21 and 22: differences of multisets",
)
_PARSER: Final = EngineRule(
    "B13",
    "streams and blocks are found by their names as written, so that :S is not its IRI; PT4S is 4, in "
    "whatever unit the timestamps are",
    "names are IRIs, whatever they are written as; PT4S is a duration",
)
_KINDS: Final = EngineRule(
    "B14",
    'terms are texts without a kind: 1 and "1" are one, also in joins',
    "RDF 1.1, 3.3: literals are equal with equal text, datatype and language",
)


def _recorded(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return what Kolibrie reports up to its last push; raises LarsError for what it does not register."""
    return _of_run(query, static, pushes, off, joins_after=False)


def _recorded_of_server(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return what Kolibrie's HTTP server reports: it joins the rows that wait after each push, too."""
    return _of_run(query, static, pushes, off, joins_after=True)


def _of_run(
    query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off, *, joins_after: bool
) -> Recording:
    machine, answers_made = _machine(query, static, pushes, off), list[_Answer]()
    for number, push in enumerate(pushes):
        answers_made += machine.arrive(number, push)
        if joins_after:
            answers_made.append(_Answer(push.t, number, machine.joined()))
    reports = (Report(answer.t, answer.rows, answer.push) for answer in answers_made if answer.rows)
    return Recording(machine.head.names, tuple(reports))


KOLIBRIE_846BECB: Final = Engine(
    NAME,
    "rspql",
    (
        _STORE,
        _LATEST,
        _DROPPED,
        _FILTERS,
        _HEAD,
        _STEAL,
        _STRATEGIES,
        _ENDS,
        _ARRIVAL,
        _WAITING,
        _OPERATOR,
        _PARSER,
        _KINDS,
    ),
    _recorded,
)
KOLIBRIE_SERVER: Final = replace(KOLIBRIE_846BECB, recorded=_recorded_of_server)
"""The same behind its HTTP server."""


def _machine(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> "_Machine":
    text_of = str if _KINDS.name in off else plain_text
    plan = plan_query(
        query,
        text_of,
        parsed=_PARSER.name not in off,
        strategies=_STRATEGIES.name not in off,
        steals=_STEAL.name not in off,
    )
    terms: dict[str, str] = {}
    for triple in chain((push.triple for push in pushes), sorted(static.default)):
        for term in triple:
            terms.setdefault(text_of(term), term)
    head = head_of(query, plan, static, terms, filters=_FILTERS.name in off, selects=_HEAD.name in off)
    known = [_in_texts(triple, text_of) for triple in static.default]
    operator = query.to_stream or ToStream.RSTREAM
    stream = _Operator(operator, sets=_OPERATOR.name not in off)
    return _Machine(plan, off, text_of, head, matches(plan.static, known), stream)


def _in_texts(triple: Triple, text_of: Callable[[str], str]) -> Triple:
    subject, predicate, object_ = triple
    return text_of(subject), text_of(predicate), text_of(object_)


@dataclass(slots=True)
class _Operator:
    """The operator, of each answer and the one before it: on sets, or with equal rows counted."""

    operator: ToStream
    sets: bool
    before: Sequence[Row] = ()

    def report(self, rows: Sequence[Row]) -> list[Row]:
        """Return what is reported of an answer."""
        before, self.before = self.before, rows
        if not self.sets or self.operator is ToStream.RSTREAM:
            return reported_rows(self.operator, before, rows)
        if self.operator is ToStream.ISTREAM:
            return [row for row in rows if row not in set(before)]
        return [row for row in dict.fromkeys(before) if row not in set(rows)]


@dataclass(frozen=True, slots=True)
class _Answer:
    """Rows that are reported during a push; `t` is the report's time."""

    t: float
    push: int
    rows: tuple[Row, ...]


@dataclass(slots=True)
class _Machine:
    """The engine between two pushes: `inside` is what each window put into the store."""

    plan: KolibriePlan
    off: Off
    text_of: Callable[[str], str]
    head: KolibrieHead
    static: Sequence[TextBinding]
    operator: _Operator
    windows: tuple[KolibrieWindows, ...] = field(init=False)
    store: dict[Triple, None] = field(default_factory=dict)
    inside: dict[int, list[Triple]] = field(default_factory=dict)
    queue: list[tuple[int, Sequence[TextBinding]]] = field(default_factory=list)
    waiting: dict[int, list[TextBinding]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rules = WindowRules(before=_ENDS.name not in self.off, drops=_DROPPED.name not in self.off)
        self.windows = tuple(KolibrieWindows(window, rules) for window in self.plan.windows)

    @property
    def waits(self) -> bool:
        """Whether rows wait for the next push."""
        return self.plan.joins and _WAITING.name not in self.off

    def arrive(self, number: int, push: Push) -> Iterator[_Answer]:
        """Take a push, and yield what is reported during it."""
        if rows := self.joined():
            yield _Answer(push.t, number, rows)
        triple = _in_texts(push.triple, self.text_of)
        entering = [n for n, windows in enumerate(self.windows) if windows.planned.window.reads(push)]
        method = self._each if _LATEST.name in self.off else self._latest
        for close, contents in method(entering, push.t, triple):
            if rows := self._fired(contents, close):
                yield _Answer(close if _ARRIVAL.name in self.off else push.t, number, rows)

    def _latest(
        self, entering: Sequence[int], t: float, triple: Triple
    ) -> Iterator[tuple[float, Mapping[int, TimedTriples]]]:
        for n in entering:
            windows = self.windows[n]
            windows.open(t, triple)
            close = windows.fire(t)
            if close is not None:
                yield close, {n: tuple(windows.live.contents[close])}
            windows.enter(t, triple)
            windows.drop(t)

    def _each(
        self, entering: Sequence[int], t: float, triple: Triple
    ) -> Iterator[tuple[float, Mapping[int, TimedTriples]]]:
        for n in entering:
            self.windows[n].open(t, triple)
            self.windows[n].enter(t, triple)
        closes = {close for kolibrie_windows in self.windows for close in kolibrie_windows.closes(t)}
        for close in sorted(closes):
            contents = {
                n: kolibrie_windows.live.contents.get(close, ())
                for n, kolibrie_windows in enumerate(self.windows)
            }
            yield close, {n: tuple(content) for n, content in contents.items() if content}
        for n, windows in enumerate(self.windows):
            windows.drop(t) if n in entering else windows.forget(t)

    def _fired(self, contents: Mapping[int, TimedTriples], close: float) -> tuple[Row, ...]:
        """Return what is reported at once of windows that fire together."""
        if self.waits:
            for n, content in contents.items():
                self.queue.append((n, self._rows_of(n, [triple for _, triple in content])))
            return ()
        firings = []
        for n, windows in enumerate(self.windows):
            active = [triple for _, triple in contents[n]] if n in contents else windows.active(close)
            firings.append(self._rows_of(n, active))
        return self._reported(firings)

    def _rows_of(self, number: int, triples: Sequence[Triple]) -> Sequence[TextBinding]:
        """Return the rows of a window over what it shows, or over a store with what others left there."""
        patterns = self.plan.windows[number].patterns
        if _STORE.name in self.off:
            return matches(patterns, triples)
        for triple in self.inside.get(number, ()):
            self.store.pop(triple, None)
        self.inside[number] = list(triples)
        self.store.update(dict.fromkeys(triples))
        return matches(patterns, self.store)

    def joined(self) -> tuple[Row, ...]:
        """Return what is reported of the rows that wait, once all windows have fired."""
        if not self.queue:
            return ()
        for n, rows in self.queue:
            self.waiting.setdefault(n, []).extend(rows)
        self.queue.clear()
        if len(self.waiting) < len(self.windows):
            return ()
        waiting = [tuple(self.waiting[n]) for n in range(len(self.windows))]
        if not self.plan.steals:
            self.waiting.clear()
        return self._reported(waiting)

    def _reported(self, binding_sets: Sequence[Sequence[TextBinding]]) -> tuple[Row, ...]:
        sides = (*binding_sets, self.static) if self.plan.static else binding_sets
        return tuple(self.operator.report(self.head.rows(reduce(join_bindings, sides))))
