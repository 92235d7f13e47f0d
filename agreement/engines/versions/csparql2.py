"""The model of C-SPARQL 2 of RSP4J (commit c46e0f67), with windows of Esper and answers of Jena.

The steps are: arrival, clock, due events of each window in order of time, reports, answers.

A reporting window reads the last content of all other windows, and keeps the read locks of these windows. The
process therefore blocks at the next arrival or due event of another window. A hash map determines the order
in which windows report. ISTREAM and DSTREAM depend on the order of Jena's rows.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from functools import lru_cache
from itertools import chain
from typing import Final

from agreement.documents.recordings import Push, Recording, Report, in_common_columns
from agreement.documents.requests import sources
from agreement.engines import engine
from agreement.engines.r2s import reported_rows
from agreement.engines.versions import sliding
from agreement.engines.versions.processors import with_equal_values
from agreement.engines.versions.yasper_text import read_head
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.stream import ToStream
from lars.language.terms import Iri
from solver.facts import Row, Static, Triple, constant_of
from solver.rdf import value
from translate.model.query import Dataset, EngineQuery, Language
from translate.strict import check_strict

NAME: Final = "csparql2-rsp4j-c46e0f67"
_RULES: Final = (
    engine.EngineRule("CS1", "a late element is lost, in all windows", engine.RspqlDefinition.IN_ORDER),
    engine.EngineRule(
        "CS2",
        "after the first arrival of its stream, a window is due to report once per step, with "
        "the content of (o, c). The next arrival of any stream triggers one report, even if "
        "several are due. Each other window keeps the content of its last report, and is "
        "locked",
        engine.RspqlDefinition.EACH_WINDOW,
    ),
    engine.EngineRule(
        "CS8",
        "patterns outside of windows read only the files of FROM",
        "SPARQL 1.1, 13.2: the given dataset determines the default graph",
    ),
    engine.EngineRule(
        "CS9",
        "ISTREAM reports rows only up to the first row that the last answer contains",
        engine.RspqlDefinition.OPERATORS,
    ),
    engine.EngineRule(
        "CS10",
        "DSTREAM reports rows that are still answers, up to the first row that the last "
        "answer does not contain",
        engine.RspqlDefinition.OPERATORS,
    ),
    engine.EngineRule(
        "CS11",
        "numbers in patterns and joins match by value",
        "RDF 1.1, 3.3: literals are equal only if text, datatype and language are equal",
    ),
)
_AS_SPECIFIED: Final = sliding.FiringRules(
    include_opening=False,
    late_reopens=False,
    only_latest_fires=False,
    others_at_last_triple=False,
    only_last_is_fed=False,
    empty_fires=False,
    always_opens=True,
    fires_one_by_one=False,
)


@dataclass(slots=True)
class EsperWindow:
    """A window of the engine, with its triples, the time of its next report, and its read lock.

    `last` is the content at the last report, and `last_at` the time of this report.
    """

    window: sliding.YasperWindow
    held: list[sliding.TimedTriple] = field(default_factory=list)
    due: float | None = None
    last: tuple[Triple, ...] = ()
    last_at: float = -1
    locked: bool = False

    def enter(self, t: float, triple: Triple) -> None:
        """Add a triple to the window; the first triple determines the times of reports."""
        self.due = t + self.window.step if self.due is None else self.due
        self.held.append((t, triple))

    def events(self, t: float) -> Iterator[tuple[float, int, Callable[[float], tuple[Triple, ...] | None]]]:
        """Yield the events of the window that are due up to time `t` (ms): expiry of triples, and reports.

        An event consists of its time, its order among events at the same time, and its action.
        """
        if self.held and self.held[0][0] + self.window.width <= t:
            yield self.held[0][0] + self.window.width, 0, self._go
        if self.due is not None and self.due <= t:
            yield self.due, 1, self._report

    def _go(self, t: float) -> None:
        self.held = [(at, triple) for at, triple in self.held if at > t - self.window.width]

    def _report(self, t: float) -> tuple[Triple, ...]:
        assert self.due is not None
        # Several due times in one step of the clock are one report.
        self.due += sliding.first_close(t - self.due, self.window.step)
        self.due += self.window.step if self.due <= t else 0
        return tuple(triple for _, triple in self.held)


DueAnswer = tuple[Report, engine.Content]
"""A report without rows, and the window contents from which its rows are computed."""


class _Esper:
    """All windows of a query, in the order of their reports, and the clock."""

    def __init__(self, windows: Sequence[sliding.YasperWindow], off: engine.Off) -> None:
        self.windows, self.off, self.now = [EsperWindow(window) for window in windows], off, 0.0
        self.blocked = False

    def evaluations(self, pushes: Sequence[Push]) -> Iterator[DueAnswer]:
        """Process pushed triples until a triple blocks the engine, and yield the evaluations."""
        for number, push in enumerate(pushes):
            fed = [window for window in self.windows if window.window.reads(push)]
            if not fed or (push.t < self.now and "CS1" not in self.off):
                continue
            evaluated = list(self._step(number, push.t)) if push.t > self.now else []
            # A change of a locked window waits forever: nothing releases its lock.
            if self.blocked or any(window.locked for window in fed):
                return
            for window in fed:
                window.enter(push.t, push.triple)
            yield from evaluated

    def _step(self, number: int, t: float) -> Iterator[DueAnswer]:
        """Execute the events that are due up to `t` (ms), and yield the evaluations of reporting windows.

        The engine blocks if an event of a window is due while the read lock of the window is held.
        """
        self.now, reporting = t, dict[int, tuple[Triple, ...]]()
        due = [(*event, place) for place, window in enumerate(self.windows) for event in window.events(t)]
        self.blocked = any(self.windows[place].locked for *_, place in due)
        if self.blocked:
            return
        for *_, happens, place in sorted(due, key=lambda event: (event[0], event[1], event[3])):
            shown = happens(t)
            if shown is not None:
                reporting[place] = shown
        for place in sorted(reporting):
            window = self.windows[place]
            window.last, window.last_at = reporting[place], t
            if window.last:
                for other in self.windows:
                    other.locked = other.locked or other.last_at < t
                content = {other.window.source: other.last for other in self.windows}
                yield Report(t, (), number), content


@lru_cache
def read_csparql2(text: str, source: str) -> EngineQuery:
    """Read a query as the engine reads it.

    Raises:
        LarsError: The engine rejects the text.
    """
    check_strict(text, source, "rsp4j")
    query = engine.read_with_text(text, source, Language.RSPQL)
    if query.form not in ("SELECT", "ASK") or query.to_stream is None:
        found = "a query without REGISTER" if query.to_stream is None else query.form
        raise LarsError(f"{NAME} does not take {found}; use REGISTER RSTREAM <iri> AS SELECT")
    sliding.sliding_windows(replace(query, form="SELECT"), NAME, tumbling=False)
    return query


def _names(query: EngineQuery) -> list[Iri | None]:
    """Return the names of the windows, in the order of the text.

    Raises:
        LarsError: The engine rejects the text.
    """
    if not isinstance(query, engine.WrittenQuery):
        return [source.name for source in sources(query)]
    read_csparql2(query.text, query.source)
    return [window.source.name for window in read_head(query.text)[1]]


def _answered(
    query: EngineQuery, static: Static, evaluations: Sequence[DueAnswer], off: engine.Off
) -> list[tuple[Row, ...]]:
    contents = [content for _, content in evaluations]
    query = sliding.with_window_graphs(query, sliding.sliding_windows(query, NAME, tumbling=False))
    if "CS8" not in off:
        static = Static(static.default if query.dataset.default else frozenset(), {})
        query = replace(query, dataset=Dataset())
    if "CS11" not in off:
        shown = chain.from_iterable(triples for content in contents for triples in content.values())
        query = replace(query, pattern=with_equal_values(query.pattern, chain(shown, static.default)))
    return engine.answers(query, contents, static)


def _operator(query: EngineQuery) -> ToStream:
    """Return the stream operator as the engine reads it; an operator in small letters counts as RSTREAM."""
    if isinstance(query, engine.WrittenQuery):
        return read_head(query.text)[0] or "RSTREAM"
    return query.operator


@dataclass(frozen=True, slots=True)
class _Streamed:
    """The state of ISTREAM or DSTREAM: the rows of the current evaluation time and of the previous one."""

    before: frozenset[Row] = frozenset()
    now: frozenset[Row] = frozenset()
    t: float = -1

    def at(self, t: float) -> "_Streamed":
        """Return the state of the operator when time moves to `t`."""
        return _Streamed(self.now, frozenset(), t) if self.t < t else self

    def outcomes(
        self, kind: ToStream, rows: Sequence[Row], wanted: Counter[Row] | None
    ) -> Iterator[tuple[list[Row], "_Streamed"]]:
        """Yield the possible reports for the rows of an evaluation, each with the next state of the operator.

        The operator stops at the first row that it does not report, and this row depends on Jena's order. If
        `wanted` is given, the reported rows are chosen among `wanted`.
        """
        gives = (lambda row: row not in self.before) if kind == "ISTREAM" else self.before.__contains__
        kept = [row for row in rows if gives(row)]
        ending = list(dict.fromkeys(row for row in rows if not gives(row)))
        if not ending:
            yield kept, replace(self, now=self.now | set(kept))
            return
        if wanted is None:
            kept, ending = list(rows[: rows.index(ending[0])]), ending[:1]
        else:
            left = Counter(wanted)
            kept = [row for row in kept if left[_by_value(row)] > 0 and not left.subtract((_by_value(row),))]
        for last in ending:
            yield kept, replace(self, now=self.now | {*kept, last})


def _in_turn(
    kind: ToStream,
    evaluations: Sequence[DueAnswer],
    row_sets: Sequence[Sequence[Row]],
    wanted: Sequence[Counter[Row] | None],
) -> list[list[Row]]:
    """Return the report of ISTREAM or DSTREAM at each evaluation.

    If the order of rows permits several results, the function chooses a result that equals `wanted` at most
    times.
    """
    states: dict[_Streamed, list[list[Row]]] = {_Streamed(): []}
    for (report, _), rows, want in zip(evaluations, row_sets, wanted, strict=True):
        if not rows:
            states = {state: [*given, []] for state, given in states.items()}
            continue
        following = {
            after: [*given, kept]
            for state, given in states.items()
            for kept, after in state.at(report.t).outcomes(kind, rows, want)
        }
        good = {
            state: given
            for state, given in following.items()
            if want is None or Counter(map(_by_value, given[-1])) == want
        }
        states = good or following
    return next(iter(states.values()))


def _by_value(row: Row) -> Row:
    """Return a row with its numbers in one notation, because engines write equal numbers differently."""

    def text(term: str | None) -> str | None:
        number = value(constant_of(term)) if term is not None and term.startswith('"') else None
        return term if number is None or isinstance(number, str) else f"{number}"

    return tuple(map(text, row))


_Order = Callable[[Sequence[sliding.YasperWindow]], Sequence[sliding.YasperWindow]]
"""The order in which the windows of an engine report."""


def _evaluations(
    order: _Order, query: EngineQuery, pushes: Sequence[Push], off: engine.Off
) -> Sequence[DueAnswer]:
    names = _names(query)
    windows = sliding.sliding_windows(query, NAME, tumbling=False)
    in_order = sorted(windows, key=lambda window: names.index(window.source.name))
    if "CS2" not in off:
        return list(_Esper(order(in_order), off).evaluations(pushes))
    firings = sliding.FiringWindows(sliding.EngineWindows(tuple(in_order)), _AS_SPECIFIED, _first).of(pushes)
    return [(Report(firing.close, (), firing.push), firing.content) for firing in firings]


def _first(window: sliding.OpenedWindows, t: float) -> float:
    return sliding.first_close(t, window.window.step)


def _given(
    query: EngineQuery,
    evaluations: Sequence[DueAnswer],
    row_sets: Sequence[tuple[Row, ...]],
    off: engine.Off,
    near: Recording | None,
) -> Sequence[Sequence[Row]]:
    """Return the reported rows of each evaluation under RSTREAM, ISTREAM or DSTREAM."""
    kind = _operator(query)
    if kind == "RSTREAM":
        return row_sets
    if ("CS9" if kind == "ISTREAM" else "CS10") in off:
        before = [(), *row_sets[:-1]]
        return [reported_rows(kind, old, new) for old, new in zip(before, row_sets, strict=False)]
    wanted: list[Counter[Row] | None] = [None] * len(evaluations)
    if near is not None:
        mine, theirs = in_common_columns(Recording(engine.columns(query), ()), near)
        if mine.variables == engine.columns(query):
            by_push: dict[int | None, Counter[Row]] = {}
            for report in theirs.reports:
                by_push.setdefault(report.trigger, Counter()).update(map(_by_value, report.rows))
            wanted = [by_push.get(report.trigger, Counter()) for report, _ in evaluations]
    return _in_turn(kind, evaluations, row_sets, wanted)


def _merged(reports: Iterator[Report]) -> Iterator[Report]:
    """Yield reports, after merging the reports of different windows at the same pushed triple."""
    last: Report | None = None
    for report in reports:
        if last is not None and (last.t, last.trigger) == (report.t, report.trigger):
            last = replace(last, rows=(*last.rows, *report.rows))
            continue
        if last is not None:
            yield last
        last = report
    if last is not None:
        yield last


def _engine(order: _Order, *builds: engine.Engine, build: str = "") -> engine.Engine:
    """Return the engine whose windows report in the given order."""

    def recorded(
        query: EngineQuery,
        static: Static,
        pushes: Sequence[Push],
        off: engine.Off,
        near: Recording | None = None,
    ) -> Recording:
        """Return the reports of the engine; if possible, ISTREAM and DSTREAM report the rows of `near`."""
        if query.form == "ASK":
            query = sliding.without_projection(replace(query, form="SELECT"))
        evaluations = _evaluations(order, query, pushes, off)
        row_sets = _answered(query, static, evaluations, off)
        given = _given(query, evaluations, row_sets, off, near)
        reports = (
            replace(report, rows=tuple(rows))
            for (report, _), rows in zip(evaluations, given, strict=True)
            if rows
        )
        return Recording(engine.columns(query), tuple(_merged(reports)))

    return engine.Engine(
        NAME,
        "rspql",
        _RULES,
        recorded,
        builds=builds,
        build=build,
        own_parser=read_csparql2,
        nearest=recorded,
    )


CSPARQL_2: Final = _engine(tuple, _engine(lambda windows: windows[::-1], build="windows in reverse order"))
