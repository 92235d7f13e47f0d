"""The model of Kolibrie at commit 846becb, in one thread: rules B of its documentation, and defects E.

Kolibrie handles a pushed triple in four steps. Waiting rows are joined and reported. Windows fire (report
their content). The content of each such window enters one common store. Rows are computed, and wait.

The file contains, in this order: rows of triple patterns and their joins, on terms as texts; the plan of a
query; the treatment of joined rows (all variables, or the rest of the query); the windows between two
arrivals (firing, content, deletion); and the rules. Times have the unit of the timestamps. With several
threads (E8), the reports are not determined, and the model does not cover them.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain
from typing import Final

from agreement.documents.recordings import Push, Recording, Report
from agreement.engines import engine
from agreement.engines.r2s import reported_rows
from agreement.engines.versions import sliding
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.terms import Iri, Literal, Variable
from solver.facts import Row, Static, Triple, constant_of
from translate.analysis import children, parts
from translate.model import patterns as algebra
from translate.model.patterns import EMPTY, UNMODIFIED, TriplePattern, variables
from translate.model.query import EngineQuery, Language
from translate.strict import read_kolibrie
from translate.tau import in_order

TextBinding = Mapping[str, str]
"""The values of a row's variables as texts, by the names of the variables."""


def plain_text(text: str) -> str:
    """Return the text that Kolibrie stores for a term of N-Triples: the term without its kind.

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
    """A triple pattern on texts: for each position the name of a variable, or None and a constant text."""

    names: tuple[str | None, ...]
    texts: tuple[str, ...]

    def row(self, triple: Triple) -> TextBinding | None:
        """Return the values of the pattern's variables for a triple; None if the triple does not match."""
        row: dict[str, str] = {}
        for term, name, text in zip(triple, self.names, self.texts, strict=True):
            if term != (text if name is None else row.setdefault(name, term)):
                return None
        return row


def text_pattern(pattern: TriplePattern, text_of: Callable[[str], str]) -> TextPattern:
    """Return a triple pattern whose constants are texts; `text_of` returns the text of a term."""
    names = tuple(term.name if isinstance(term, Variable) else None for term in pattern.terms)
    return TextPattern(names, tuple(text_of(str(term)) for term in pattern.terms))


def matches(patterns: Sequence[TextPattern], triples: Iterable[Triple]) -> list[TextBinding]:
    """Return the rows of several triple patterns, which must all match, over a set of triples."""
    rows: list[TextBinding] = [{}]
    known = tuple(dict.fromkeys(triples))
    for pattern in patterns:
        rows = join_bindings(rows, [row for triple in known if (row := pattern.row(triple)) is not None])
    return rows


def join_bindings(left: Sequence[TextBinding], right: Sequence[TextBinding]) -> list[TextBinding]:
    """Return the natural join of two multisets of rows; all rows of a multiset bind the same variables."""
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
    """A window of a query, with its triple patterns and its report strategies."""

    window: sliding.YasperWindow
    patterns: tuple[TextPattern, ...]
    report: str = CLOSING
    tick: str = TIMED


@dataclass(frozen=True, slots=True)
class KolibriePlan:
    """The plan of a query in Kolibrie: windows in the order of the text, and patterns over static data.

    If `steals` is true (WITH POLICY steal), the engine keeps the rows of a window forever.
    """

    windows: tuple[PlannedWindow, ...]
    static: tuple[TextPattern, ...]
    steals: bool = False

    @property
    def joins(self) -> bool:
        """Whether rows of windows are joined, with each other or with rows of the static data."""
        return len(self.windows) > 1 or bool(self.static)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all variables, in alphabetical order."""
        patterns = (*self.static, *(pattern for window in self.windows for pattern in window.patterns))
        return tuple(sorted({name for pattern in patterns for name in pattern.names if name is not None}))


def plan_query(query: EngineQuery, text_of: Callable[[str], str], off: engine.Off) -> KolibriePlan:
    """Return the plan of a query; `text_of` returns the text of a constant.

    If the text of the query is available, names, lengths, REPORT, TICK and WITH POLICY are read as the
    engine's parser reads them. A block belongs to the window with the same name in the text. A window without
    a block matches all triples.

    Raises:
        LarsError: The engine does not register the query; a QueryError contains the place in the text.
    """
    windows = {window.source.name: window for window in sliding.sliding_windows(query, NAME, tumbling=True)}
    sliding.check_triple_patterns(query, NAME, _IGNORED, _ACCEPTED)
    selects = (part for part in parts(query.pattern) if isinstance(part, algebra.Select))
    if any(isinstance(part, algebra.StreamBlock) for select in selects for part in parts(select)):
        raise LarsError(f"{NAME} cannot run WINDOW in a subquery; expected {_ACCEPTED}")

    def in_texts(patterns: Iterable[TriplePattern]) -> tuple[TextPattern, ...]:
        return tuple(text_pattern(pattern, text_of) for pattern in patterns)

    plain = {
        name: PlannedWindow(window, in_texts(_patterns(query.pattern, name)))
        for name, window in windows.items()
    }
    static = in_texts(_outside(query.pattern))
    if not isinstance(query, engine.WrittenQuery):
        return KolibriePlan(tuple(plain.values()), static)
    (clauses, blocks), planned = read_kolibrie(query.text, query.source), []
    for clause in clauses:
        if (window := plain.get(Iri(clause.iri))) is None:
            continue
        if "B13" not in off:
            if clause.step == 0:
                raise LarsError(f"{NAME} does not terminate with STEP 0; use an integer STEP of at least 1")
            stream = Iri(clause.stream.removeprefix(":"))
            parsed = sliding.YasperWindow(window.window.source, clause.width, clause.step, stream)
            patterns = window.patterns if clause.name in blocks else in_texts(_ALL)
            window = PlannedWindow(parsed, patterns)
        if "E7" not in off:
            window = replace(window, report=clause.report, tick=clause.tick)
        planned.append(window)
    policy = next((clause.policy for clause in clauses if clause.policy is not None), "wait")
    return KolibriePlan(tuple(planned), static, steals="E6" not in off and policy == "steal")


def _patterns(pattern: algebra.Pattern, name: Iri | None) -> Sequence[TriplePattern]:
    """Return the triple patterns in the blocks of a window; without blocks, the pattern of all triples."""
    blocks = (part for part in parts(pattern) if isinstance(part, algebra.StreamBlock) and part.name == name)
    inside = (block.pattern for block in blocks)
    return [triple for part in inside if isinstance(part, algebra.Bgp) for triple in part.triples] or _ALL


def _outside(pattern: algebra.Pattern) -> Iterator[TriplePattern]:
    """Yield the triple patterns that are outside WINDOW and outside subqueries."""
    if isinstance(pattern, algebra.Bgp):
        yield from pattern.triples
    elif not isinstance(pattern, algebra.StreamBlock | algebra.Select):
        for child in children(pattern):
            yield from _outside(child)


def _query_of(query: EngineQuery, plan: KolibriePlan, rows: Sequence[Row], off: engine.Off) -> EngineQuery:
    """Return the query with a table of rows in place of its windows and its patterns over static data.

    If rule E4 is off, patterns outside windows are applied; if rule E5 is off, SELECT is applied.
    """
    constants = (tuple(None if text is None else constant_of(text) for text in row) for row in rows)
    table = algebra.Values(tuple(map(Variable, plan.names)), tuple(constants))
    inner = _below_groups(query.pattern)
    body = table if "E4" not in off else _with_table(inner, [table])
    if "E5" in off:
        return replace(query, pattern=_above(query.pattern, inner, body), declared=())
    result = tuple(in_order(variables(body)))
    return replace(query, pattern=body, result=result, modifiers=UNMODIFIED, declared=())


def _below_groups(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return the pattern that GROUP BY groups; for a query without aggregates, return the whole pattern."""
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
    """Return the pattern in which the table replaces the first triple patterns; all others are removed."""
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


@dataclass(slots=True, kw_only=True)
class KolibrieWindows(sliding.OpenedWindows):
    """The open windows of one window declaration, which slides.

    The field `now` is the time of the latest arrival, and `memory` is the last reported content. Windows
    report before an arrival enters them. With `include_opening`, windows that close at the time of the
    arrival also report. With `drops`, an arrival deletes each window that does not contain it, even a window
    that opens later.
    """

    planned: PlannedWindow
    drops: bool
    memory: Sequence[sliding.TimedTriple] | None = None
    now: float = -math.inf

    def begin(self, t: float, triple: Triple) -> None:
        """Open windows for an arrival at time `t`; a late arrival opens no window that has closed."""
        self.open(sliding.first_close(t, self.window.step), t, -math.inf if self.drops else self.now)
        self.keep(t, triple, min(t, self.now, *self.contents))
        if not self.include_opening:
            self.add(t, triple)

    def enter(self, t: float, triple: Triple) -> None:
        """Add an arrival to the open windows, unless they already contain it."""
        if self.include_opening:
            self.add(t, triple)

    def fire(self, t: float) -> float | None:
        """Choose the last window that may report, and return its closing time; None if none may report."""
        reporting = [close for close in self.contents if self._ask_strategy(close, t)]
        if not reporting or t <= self.fired or self.planned.tick != TIMED:
            return None
        self.fired = t
        return max(reporting)

    def _ask_strategy(self, close: float, t: float) -> bool:
        """Return whether the report strategy lets a window report at `t`, and update its last content."""
        content = self.contents[close]
        match self.planned.report:
            case "NON_EMPTY_CONTENT":
                return bool(content)
            case "PERIODIC":
                return t % 1000 == 0
            case "ON_CONTENT_CHANGE":
                # One memory for all windows, and equal contents report, not changed ones.
                before, self.memory = self.memory, tuple(content)
                return before == self.memory
            case _:
                return self.closed(close, t)

    def closed(self, close: float, t: float) -> bool:
        """Return whether the window that closes at `close` has closed when a triple arrives at `t`."""
        return close < t or (close == t and self.include_opening)

    def drop(self, t: float, *, entered: bool = True) -> None:
        """Delete the windows that have closed at time `t`.

        If an arrival entered the windows and `drops` is true, delete all windows that do not contain `t`.
        """
        for close in tuple(self.contents):
            shown = self.shows(close - self.window.width, close, t)
            if not shown if self.drops and entered else self.closed(close, t):
                del self.contents[close]
        if entered or not self.drops:
            self.now = max(self.now, t)


_RULES: Final = (
    engine.EngineRule(
        "E1",
        "all windows share one store of triples: a window removes only its own old triples, "
        "so its patterns also match the triples of other windows",
        "Definition 14: each window is a separate graph",
    ),
    engine.EngineRule(
        "E2",
        "a closed window fires only when an element arrives in its stream. Only the window "
        "that closed last fires, even if it is empty, and older closed windows are lost. An "
        "arrival at a multiple of the step opens a window that is already closed",
        engine.RspqlDefinition.EACH_WINDOW,
    ),
    engine.EngineRule(
        "E3",
        "an arrival deletes each window that does not contain it, even a younger window. It "
        "opens windows again that were already reported",
        "Definitions 9 and 13: the content of a window depends only on its ends",
    ),
    engine.EngineRule(
        "E4",
        "FILTER, BIND, VALUES and subqueries outside of windows are ignored",
        "SPARQL 1.1, 18.2.2: all elements of a group count",
    ),
    engine.EngineRule(
        "E5",
        "SELECT is ignored: each row has all variables, without aggregates and without DISTINCT",
        "SPARQL 1.1, 18.2.4 and 18.2.5: aggregates, projection, DISTINCT",
    ),
    engine.EngineRule(
        "E6",
        "with POLICY steal, the rows of a window are never deleted, and are joined with the "
        "rows of all later windows",
        engine.RspqlDefinition.SAME_INSTANT,
    ),
    engine.EngineRule(
        "E7",
        "REPORT and TICK have their defined meaning only for ON_WINDOW_CLOSE and "
        "NON_EMPTY_CONTENT with TIME_DRIVEN",
        "Definition 23: the policy of the query determines when windows report",
    ),
    engine.EngineRule(
        "B2a",
        "a window that closes at c, a multiple of the step, contains [c - w, c), not (c - w, "
        "c]. An arrival at c finds the window closed",
        engine.RspqlDefinition.ENDS,
    ),
    engine.EngineRule(
        "B2b",
        "a report has the time of the arrival that triggers it",
        engine.RspqlDefinition.AT_ITS_CLOSE,
    ),
    engine.EngineRule(
        "B8",
        "if a query has several windows or static patterns, rows wait until all windows have "
        "fired, and are then joined (without the server: at the next push). If a window fires "
        "twice, the rows of both reports are joined",
        "Definitions 16 and 23: an evaluation joins the contents of all windows at its time",
    ),
    engine.EngineRule(
        "B10",
        "ISTREAM and DSTREAM compare only whether a row occurs in the other answer, not how often",
        "Definitions 21 and 22: differences of multisets",
    ),
    engine.EngineRule(
        "B13",
        "names of streams and windows are compared as text, so that :S differs from its IRI. "
        "PT4S means 4, in any unit of the timestamps",
        "names are equal if their IRIs are equal; PT4S is a duration",
    ),
    engine.EngineRule(
        "B14",
        'terms are texts without a kind: 1 and "1" are equal, also in joins',
        "RDF 1.1, 3.3: literals are equal only if text, datatype and language are equal",
    ),
)


def _recorded(query: EngineQuery, static: Static, pushes: Sequence[Push], off: engine.Off) -> Recording:
    """Return the reports of Kolibrie as a library.

    Raises:
        LarsError: Kolibrie rejects the query.
    """
    machine = _Machine(query, static, pushes, off)
    reports = [report for number, push in enumerate(pushes) for report in machine.arrive(number, push)]
    return Recording(machine.names, tuple(report for report in reports if report.rows))


def _recorded_of_server(
    query: EngineQuery, static: Static, pushes: Sequence[Push], off: engine.Off
) -> Recording:
    """Return the reports of Kolibrie's HTTP server, which also joins waiting rows after each triple."""
    machine, reports = _Machine(query, static, pushes, off), list[Report]()
    for number, push in enumerate(pushes):
        reports += machine.arrive(number, push)
        reports.append(Report(push.t, machine.joined(), number))
    return Recording(machine.names, tuple(report for report in reports if report.rows))


_REGISTER: Final = re.compile(r"(\bREGISTER\s+)(?!(?:RSTREAM|ISTREAM|DSTREAM)\s)[\w-]+")
_ANY_STREAM: Final = re.compile(r"(\bWINDOW\s+\S+\s+ON\s+)[?$]\w+")
_AGGREGATE: Final = re.compile(r"\b(?:SUM|MIN|MAX|AVG)\(([?]\w+)\)(?:[ \t]+AS[ \t]+[?]\w+)?")
_NAMES: Final = re.compile(r"""<[^<>\s]*>|"(?:\\.|[^"\\])*"|\#[^\n]*|([\w-]*):(?=[\w-])""")
_WHERE: Final = re.compile(r"""<[^<>\s]*>|"(?:\\.|[^"\\])*"|\#[^\n]*|(\bWHERE\b)""")
_DECLARED: Final = re.compile(r"\bPREFIX\s+([\w-]*):", re.IGNORECASE)


def read_kolibrie_query(text: str, source: str) -> EngineQuery:
    """Read a query as Kolibrie reads it.

    Constructs that RSP-QL does not have are rewritten: another operator becomes RSTREAM, and a window on a
    variable reads every stream. A name with an undeclared prefix gets an IRI that matches no data. In RSP-QL,
    integers in the query count milliseconds, like the timestamps. Kolibrie has no unit for integers in the
    query and for timestamps.

    Raises:
        QueryError: The parser of Kolibrie rejects the text.
    """
    read_kolibrie(text, source)
    text = _REGISTER.sub(r"\1RSTREAM", text, count=1)
    begin = next((match.start(1) for match in _WHERE.finditer(text) if match[1] is not None), len(text))
    head = _AGGREGATE.sub(r"\1", _ANY_STREAM.sub(rf"\1{sliding.EVERY_STREAM}", text[:begin]))
    text = head + text[begin:]
    unknown = {match[1] for match in _NAMES.finditer(text) if match[1] is not None}
    unknown -= set(_DECLARED.findall(text))
    declared = "".join(f"PREFIX {name}: <urn:x-lars:undeclared:{name}:> " for name in sorted(unknown))
    return engine.read_with_text(declared + text, source, Language.RSPQL)


KOLIBRIE_SESSION: Final = engine.Engine(
    NAME, "rspql", _RULES, _recorded, build="as a library", own_parser=read_kolibrie_query
)
"""Kolibrie as a library.

The rows of windows that have reported are joined only when the next triple is pushed.
"""
KOLIBRIE_846BECB: Final = engine.Engine(
    NAME, "rspql", _RULES, _recorded_of_server, builds=(KOLIBRIE_SESSION,), own_parser=read_kolibrie_query
)
"""Kolibrie with its HTTP server."""

Fired = Mapping[int, Sequence[sliding.TimedTriple]]
"""The contents of windows that report at the same time, by the number of the window."""


class _Machine:
    """The state of a query in Kolibrie between two pushed triples.

    `inside` contains the triples of each window in the common store. The field `terms` maps each text in a
    row to its RDF term.
    """

    def __init__(self, query: EngineQuery, static: Static, pushes: Sequence[Push], off: engine.Off) -> None:
        self.query, self.static_data, self.off = query, static, off
        self.text_of: Callable[[str], str] = str if "B14" in off else plain_text
        self.plan = plan_query(query, self.text_of, off)
        self.terms: dict[str, str] = {}
        known = sorted(static.default)
        for triple in chain((push.triple for push in pushes), known):
            for term in triple:
                self.terms.setdefault(self.text_of(term), term)
        self.reads_rest = not off.isdisjoint({"E4", "E5"})
        names = self.plan.names
        self.names = engine.columns(_query_of(query, self.plan, (), off)) if self.reads_rest else names
        self.static = matches(self.plan.static, map(self._in_texts, known))
        self.operator = query.operator
        self.before: tuple[Row, ...] = ()
        before, drops = "B2a" not in off, "E3" not in off
        self.windows = [
            KolibrieWindows(window.window, before, planned=window, drops=drops)
            for window in self.plan.windows
        ]
        self.waits = self.plan.joins and "B8" not in off
        self.store: dict[Triple, None] = {}
        self.inside: dict[int, list[Triple]] = {}
        self.queue: list[tuple[int, Sequence[TextBinding]]] = []
        self.waiting: dict[int, list[TextBinding]] = {}

    def _in_texts(self, triple: Triple) -> Triple:
        subject, predicate, object_ = map(self.text_of, triple)
        return subject, predicate, object_

    def arrive(self, number: int, push: Push) -> Iterator[Report]:
        """Process a pushed triple, and yield the reports that it causes."""
        yield Report(push.t, self.joined(), number)
        triple = self._in_texts(push.triple)
        entering = [n for n, windows in enumerate(self.windows) if windows.window.reads(push)]
        method = self._each if "E2" in self.off else self._latest
        for close, contents in method(entering, push.t, triple):
            rows = self._fired(contents, close)
            yield Report(close if "B2b" in self.off else push.t, rows, number)

    def _latest(self, entering: Sequence[int], t: float, triple: Triple) -> Iterator[tuple[float, Fired]]:
        for n in entering:
            windows = self.windows[n]
            windows.begin(t, triple)
            close = windows.fire(t)
            if close is not None:
                yield close, {n: tuple(windows.contents[close])}
            windows.enter(t, triple)
            windows.drop(t)

    def _each(self, entering: Sequence[int], t: float, triple: Triple) -> Iterator[tuple[float, Fired]]:
        for n in entering:
            self.windows[n].begin(t, triple)
            self.windows[n].enter(t, triple)
        filled = ((windows, close) for windows in self.windows for close in windows.filled())
        for close in sorted({close for windows, close in filled if windows.closed(close, t)}):
            contents = {n: tuple(windows.contents.get(close, ())) for n, windows in enumerate(self.windows)}
            yield close, {n: content for n, content in contents.items() if content}
        for n, windows in enumerate(self.windows):
            windows.drop(t, entered=n in entering)

    def _fired(self, contents: Fired, close: float) -> tuple[Row, ...]:
        """Return the rows that are reported when windows close, without rows that wait for other windows."""
        fired = {n: [triple for _, triple in content] for n, content in contents.items()}
        if self.waits:
            self.queue += [(n, self._rows_of(n, content)) for n, content in fired.items()]
            return ()
        return self._reported(
            [
                self._rows_of(n, fired[n] if n in fired else windows.active(close))
                for n, windows in enumerate(self.windows)
            ]
        )

    def _rows_of(self, number: int, triples: Sequence[Triple]) -> Sequence[TextBinding]:
        """Return the rows of the window with the given number.

        With rule E1, all windows share one store, so triples of other windows match too.
        """
        patterns = self.plan.windows[number].patterns
        if "E1" in self.off:
            return matches(patterns, triples)
        for triple in self.inside.get(number, ()):
            self.store.pop(triple, None)
        self.inside[number] = list(triples)
        self.store.update(dict.fromkeys(triples))
        return matches(patterns, self.store)

    def joined(self) -> tuple[Row, ...]:
        """Return the rows to report from the waiting rows, if all windows have reported."""
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
        """Join the rows of all windows, and return the rows that the stream operator reports."""
        sides = (*binding_sets, self.static) if self.plan.static else binding_sets
        before, now = self.before, self._answered(reduce(join_bindings, sides))
        self.before = now
        if "B10" in self.off or self.operator == "RSTREAM":
            return tuple(reported_rows(self.operator, before, now))
        if self.operator == "ISTREAM":
            return tuple(row for row in now if row not in set(before))
        return tuple(row for row in dict.fromkeys(before) if row not in set(now))

    def _answered(self, bindings: Sequence[TextBinding]) -> tuple[Row, ...]:
        """Return the joined rows with all variables, or the result of the rest of the query on these rows."""
        rows = tuple(tuple(self.terms[row[name]] for name in self.plan.names) for row in bindings)
        if not self.reads_rest:
            return rows
        query = _query_of(self.query, self.plan, rows, self.off)
        return engine.answers(query, [{}], self.static_data)[0]
