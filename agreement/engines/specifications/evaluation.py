"""The answers of a query over the content of windows: each content is evaluated once for all t0."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from itertools import accumulate, chain, pairwise
from typing import Final, Generic, TypeVar

import numpy as np

from agreement.documents.outputs import in_order, row_order
from agreement.documents.recordings import Push, Recording, Report, RowNumbers, RowsByNumber
from agreement.documents.requests import WindowSource, reads_graphs, sources, with_sources
from agreement.documents.traces import background
from agreement.engines.engine import columns, portions
from agreement.engines.specifications.parameters import Specification, Tick
from agreement.engines.specifications.reporting import (
    EvaluationPoint,
    EvaluationPoints,
    Frame,
    PushedTriple,
    ShownWindow,
    TickClock,
    Version,
    as_said,
    at_close,
    elements_of,
    evaluation_points,
    frame_of,
    heard_on,
    in_ticks,
    needed_tick,
    own_points,
    said_starts,
    shape,
    shift_of,
    stream_elements,
    tick_clock,
    windows_of,
    with_start,
)
from lars.analysis import literal_form
from lars.dataclass import dataclass
from lars.durations import SECOND, Duration
from lars.errors import LarsError
from lars.language.program import Program, Rule, formulas
from lars.language.stream import ToStream
from lars.language.terms import Atom, Iri, Signature, Variable
from lars.language.windows import Bounds, FixedWindow, Interval, SlidingWindow, Window
from solver import relational
from solver.columns import Array, Mask, TermCodes, among, distinct
from solver.facts import QUAD_PREDICATE, STREAM_PREDICATE, Fact, Row, Situation, Static, Triple
from solver.job import Question, answers_at
from solver.relational.shown_input import ShownContents, span_runs
from translate.model.query import EPOCH, Dataset, EngineQuery, Profile, Semantics, Setting
from translate.model.windows import Range, Rows
from translate.tau import NAMED, Output, lars_program, output_of

ShownSpans = tuple[range, ...]
"""The content of each window in the order of the query, as a range of elements of the window's stream."""
KeptPart = Callable[[Sequence[PushedTriple], range, int], range]
"""A function that returns the part of a window's content that the query reads at a time point."""
_TRIPLE: Final = (STREAM_PREDICATE, 4)
_QUAD: Final = (QUAD_PREDICATE, 5)
_GREATEST: Final = 2**62
_RUNS_AT_ONCE: Final = 500_000
"""The greatest number of runs of window contents in memory."""


class ContentAnswers:
    """A cache of the answers of a task's query over the contents of its windows."""

    def __init__(self, task: "Task", setting: Setting) -> None:
        windows = sources(task.query)
        self.output, self.program = _over_contents(_Same((id(task.query),), task.query), setting)
        self._static = background(task.run.static, task.query.dataset, lambda _: None, task.query.language)
        self._terms = TermCodes()
        self._background = {
            name: relational.encoded_rows(rows, name[1], self._terms) for name, rows in self._static.items()
        }
        clock = task.clock("instant")
        heard = [heard_on(clock, source.stream)[1] for source in windows]
        self._columns = [self._encoded(elements) for elements in heard]
        self._quads = list(map(self._encoded_quads, heard)) if reads_graphs(task.query) else []
        self._numbers = task.numbers
        self._room, self._ranks, self._row_numbers = 0, np.empty(0, np.int64), np.empty(0, np.int64)
        self._known: dict[ShownSpans, RowsByNumber] = {}

    @property
    def covers(self) -> bool:
        """Whether the windows' content determines the answer, independent of evaluation and arrival times."""
        return _is_covered(_Same((id(self.program),), self.program), frozenset(self._static))

    def rows(self, contents: Sequence[ShownSpans]) -> list[RowsByNumber]:
        """Return the rows of the query over each content, in the order of the contents."""
        new = sorted({ranges for ranges in contents if ranges not in self._known}, key=_ends)
        for part in portions(new, _RUNS_AT_ONCE, _added):
            self._known.update(zip(part, self._answered(part), strict=True))
        return [self._known[ranges] for ranges in contents]

    def _answered(self, contents: Sequence[ShownSpans]) -> Iterator[RowsByNumber]:
        """Yield the answer over each content; it equals the previous answer if no row begins or ends."""
        runs, numbers = self._runs(contents)
        borders = distinct(np.concatenate(([0], runs.first, runs.last + 1)))
        firsts, ends = np.searchsorted(borders, runs.first), np.searchsorted(borders, runs.last, "right")
        owners, places = relational.spread(firsts, ends)
        # Rows of each answer stay in their order.
        order = np.argsort(places, kind="stable")
        begins = np.searchsorted(places[order], np.arange(len(borders) + 1))
        lengths = np.diff(np.append(borders, len(contents)))
        for place, length in enumerate(lengths.tolist()):
            own = owners[order[begins[place] : begins[place + 1]]]
            yield from [self._in_order(runs.take(own), numbers[own])] * length

    def _in_order(self, runs: relational.RunTable, numbers: Array) -> RowsByNumber:
        if self.output.order:
            return self._numbers.numbered(in_order(self.output, relational.row_texts(runs, self._terms)))
        # Raw rows that answer the same follow each other.
        return RowsByNumber(self._numbers, numbers if self.output.bag else numbers[_differing(numbers)])

    def sizes(self, contents: Sequence[ShownSpans]) -> list[int]:
        """Return the number of rows of the answer over each content."""
        numbers: list[Array] = []
        for part in portions(contents, _RUNS_AT_ONCE, _added):
            runs, own = self._runs(part)
            table = relational.RunTable((own,), runs.first, runs.last)
            counted = table if self.output.bag else relational.coalesce(table, len(part))
            changes = np.bincount(counted.first, minlength=len(part) + 1)
            changes -= np.bincount(counted.last + 1, minlength=len(part) + 1)
            numbers.append(np.cumsum(changes)[:-1])
        return np.concatenate(numbers).tolist() if numbers else []

    def changes(self, kind: ToStream, contents: Sequence[ShownSpans]) -> dict[int, RowsByNumber]:
        """Return the new (ISTREAM) or removed (DSTREAM) rows at each content, by the content's number."""
        (runs, row_numbers), room = self._runs(contents), len(contents) + 1
        # A row's place in the order of all stands for it: equal rows follow each other.
        begins = _differing(row_numbers)
        places = np.cumsum(begins) - 1
        events, which = np.unique(
            np.concatenate((places * room + runs.first, places * room + runs.last + 1)), return_inverse=True
        )
        begun, ended = (np.bincount(part, minlength=len(events)) for part in np.split(which, 2))
        changes = begun - ended
        if not self.output.bag:
            counts = np.cumsum(changes)
            changes = (counts > 0).astype(np.int64) - (counts - changes > 0)
        owners, numbers = np.divmod(events, room)
        changes *= 1 if kind == "ISTREAM" else -1
        changes[(numbers == len(contents)) | (changes < 0)] = 0
        rows = np.repeat(row_numbers[begins][owners], changes)
        at = np.repeat(numbers, changes)
        order = np.argsort(at, kind="stable")
        times, starts = np.unique(at[order], return_index=True)
        ends = [*starts.tolist(), len(order)]
        return {
            number: RowsByNumber(self._numbers, rows[order[begin:end]])
            for number, (begin, end) in zip(times.tolist(), pairwise(ends), strict=True)
        }

    def _runs(self, contents: Sequence[ShownSpans]) -> tuple[relational.RunTable, Array]:
        """Return the raw rows of contents in textual order, and the numbers of the visible columns.

        Each raw row has a run of numbers: the consecutive contents that have the row.
        """
        atoms: dict[tuple[Signature, Window], relational.RunTable] = {
            (_TRIPLE, SlidingWindow(1, 1, number)): self._table(
                self._columns[number], [ranges[number] for ranges in contents]
            )
            for number in range(len(self._columns))
        }
        for number, (quads, before) in enumerate(self._quads):
            # Of each triple as many quads as it has graphs.
            own = [ranges[number] for ranges in contents]
            spans = [range(before[places.start], before[places.stop]) for places in own]
            atoms[_QUAD, SlidingWindow(1, 1, number)] = self._table(quads, spans)
        shown_contents = ShownContents(self._terms, len(contents), atoms, self._background)
        table = relational.evaluated_on(self.program, shown_contents, self.output.predicate)
        table = table.take(relational.text_order(table, self._terms))
        return table, self._shown_numbers(table.project(range(len(self.output.variables))))

    def _shown_numbers(self, table: relational.RunTable) -> Array:
        """Return the number of each row of a table; only rows without a number are decoded."""
        ranks, room = np.zeros(len(table), np.int64), 1
        for column in table.columns:
            room *= len(self._terms)
            ranks = ranks * len(self._terms) + column
        if room > _GREATEST:
            return self._numbers.numbered(relational.row_texts(table, self._terms)).numbers
        if self._room != room:
            # New terms change the numbers of rows.
            self._room, self._ranks, self._row_numbers = room, ranks[:0], ranks[:0]
        new = np.flatnonzero(~among(ranks, self._ranks))
        if len(new):
            _, first = np.unique(ranks[new], return_index=True)
            new = new[first]
            added = self._numbers.numbered(relational.row_texts(table.take(new), self._terms)).numbers
            known = np.concatenate((self._ranks, ranks[new]))
            order = np.argsort(known)
            self._ranks, self._row_numbers = known[order], np.concatenate((self._row_numbers, added))[order]
        return self._row_numbers[np.searchsorted(self._ranks, ranks)]

    def _table(self, columns: Sequence[Array], spans: Sequence[range]) -> relational.RunTable:
        table = span_runs([span.start for span in spans], [span.stop for span in spans])
        (places,) = table.columns
        return replace(table, columns=tuple(column[places] for column in columns))

    def _encoded_quads(self, elements: Sequence[PushedTriple]) -> tuple[list[Array], list[int]]:
        """Return the quads of the elements as columns, and the number of quads before each element."""
        quads = [(*each.triple, name, each.stream) for each in elements for name in each.named]
        codes = self._terms.codes(chain.from_iterable(quads)).reshape(len(quads), 5)
        return list(codes.T), [0, *accumulate(len(each.named) for each in elements)]

    def _encoded(self, elements: Sequence[PushedTriple]) -> list[Array]:
        texts = chain.from_iterable((*element.triple, element.stream) for element in elements)
        return list(self._terms.codes(texts).reshape(len(elements), 4).T)


@dataclass(frozen=True, slots=True)
class EngineRun:
    """A registered query with the input of an engine.

    Time points have the length `unit` and begin at `origin`.
    """

    query: EngineQuery
    static: Static
    pushes: tuple[Push, ...]
    unit: Duration = SECOND
    origin: str = EPOCH

    @property
    def last(self) -> int:
        """The time point of the last push; 0 without pushes."""
        return max((element.t for element in elements_of(self.pushes, self.unit)), default=0)


@dataclass(frozen=True, eq=False)
class Task:
    """A run as a specification evaluates it: its elements on the streams, at its time points.

    The last evaluation is at `until`. The task caches answers, because many specifications and start times
    request the same answers.
    """

    run: EngineRun
    elements: tuple[PushedTriple, ...]
    until: int
    versions: tuple[Version, ...] = ()
    kept: KeptPart | None = None
    """The function that returns the part of a window's content that the query reads.

    None means the whole content.
    """
    only_kept: bool = False
    """Whether a window without a part that the query reads does not cause an evaluation."""
    at_end: bool = False
    """Whether the query is also evaluated at the last element, over the windows that are still open."""
    numbers: RowNumbers = field(default_factory=RowNumbers, repr=False)
    """The numbers of rows, which answers of the query and reports of engines share."""
    _clocks: dict[Tick, TickClock] = field(default_factory=dict, init=False, repr=False)
    _answers: dict[tuple[Profile, Semantics], ContentAnswers | None] = field(
        default_factory=dict, init=False, repr=False
    )

    @property
    def query(self) -> EngineQuery:
        """The query of the run."""
        return self.run.query

    @property
    def unit(self) -> Duration:
        """The length of a time point."""
        return self.run.unit

    def with_query(self, query: EngineQuery) -> "Task":
        """Return the task with another query on the same input."""
        return replace(self, run=replace(self.run, query=query))

    @cached_property
    def last(self) -> int:
        """The arrival time of the last element; 0 without elements."""
        return max((element.t for element in self.elements), default=0)

    def clock(self, tick: Tick) -> TickClock:
        """Return the elements of the query's streams on the coarsest clock for the tick."""
        if tick not in self._clocks:
            self._clocks[tick] = tick_clock(self._elements, tick)
        return self._clocks[tick]

    def answers(self, profile: Profile, rows: Semantics) -> ContentAnswers | None:
        """Return the answers of the query by window content; None if the content does not determine them.

        The content does not determine the answers if static data change, or if a variable stream has tuple
        windows.
        """
        if (profile, rows) not in self._answers:
            self._answers[profile, rows] = self._content_answers(profile, rows)
        return self._answers[profile, rows]

    def _content_answers(self, profile: Profile, rows: Semantics) -> ContentAnswers | None:
        windows = sources(self.query)
        by_stream = any(isinstance(w.window, Rows) and isinstance(w.stream, Variable) for w in windows)
        if self.versions or by_stream:
            return None
        answers = ContentAnswers(self, Setting(profile, self.unit, semantics=rows, ordered=True))
        return answers if answers.covers else None

    @cached_property
    def _elements(self) -> tuple[PushedTriple, ...]:
        return stream_elements(self.query, self.elements)


_Kept = TypeVar("_Kept")


@dataclass(frozen=True, slots=True)
class _Same(Generic[_Kept]):
    """A value in a cache; two such values are equal if their keys `decisive` are equal."""

    decisive: tuple[object, ...]
    kept: _Kept = field(compare=False)


@lru_cache(maxsize=2**7)
def _over_contents(of: _Same[EngineQuery], setting: Setting) -> tuple[Output, Program]:
    """Return the output and the program of a query whose windows have given contents."""
    query = of.kept
    # The window's content is given: its name only has to be unique.
    windows = {source: SlidingWindow(1, 1, number) for number, source in enumerate(sources(query))}
    named = with_sources(query, lambda source: replace(source, window=windows[source]))
    return output_of(named, setting), lars_program(named, setting)


@lru_cache(maxsize=2**7)
def _is_covered(of: _Same[Program], background: frozenset[Signature]) -> bool:
    """Return whether the windows' content determines the answers of a program."""
    program = of.kept
    forms = (literal_form(part) for rule in program.rules for part in formulas(rule.body))
    by_content = all(form.window is None or form.mode == "◇" for form in forms)
    return by_content and relational.obstacle(program, background) is None


def _ends(content: ShownSpans) -> list[tuple[int, int]]:
    return [(span.stop, span.start) for span in content]


def _added(before: ShownSpans | None, now: ShownSpans) -> int:
    """Return the number of elements that enter windows if the content `now` follows the content `before`."""
    return sum(map(_begun, (range(0),) * len(now) if before is None else before, now))


def _begun(before: range, now: range) -> int:
    """Return the number of elements that enter a window if its content changes from `before` to `now`."""
    forward = before.start <= now.start and before.stop <= now.stop
    return now.stop - max(now.start, before.stop) if forward else len(now)


def _differing(numbers: Array) -> Mask:
    """Return a mask that selects the numbers that differ from the previous number."""
    return np.concatenate(([True], numbers[1:] != numbers[:-1]))[: len(numbers)]


RowRun = tuple[Row, int, int]
"""A raw row, and the first and last number of the consecutive evaluations that have the row."""
_DEFAULT: Final = "default"
"""The name of the default graph."""
VERSION: Final = "version"
"""The predicate of static triples that exist only at some times."""


def runs_at(
    task: Task, frame: Frame, windows: Sequence[ShownWindow], points: Sequence[EvaluationPoint]
) -> tuple[Output, Iterator[RowRun]]:
    """Return the output columns, and raw rows with the first and last number of a run of evaluations.

    Two evaluations can occur at one tick.
    """
    starts = {window.source: window.start for window in windows}

    def on_clock(source: WindowSource) -> WindowSource:
        window = in_ticks(source, starts[source], frame)
        last_closed = (
            len(windows) > 1 and isinstance(source.window, Range) and source.window.opens is not None
        )
        if isinstance(window, FixedWindow) or shift_of(source, frame) or last_closed:
            raise LarsError(
                f"cannot evaluate the window {source} with NOW() or --static-at: the window does not end at "
                "each time of evaluation; use lars solve"
            )
        return replace(source, window=window)

    query = with_sources(task.query, on_clock)
    specification, scale = frame.specification, frame.clock.scale
    setting = Setting(
        specification.profile,
        task.unit,
        semantics=specification.rows,
        origin=task.run.origin,
        ordered=True,
        ticks=scale,
    )
    program, output = _with_versions(lars_program(query, setting), task), output_of(query, setting)
    ticks = [point.tick for point in points]
    # A window can open before time 0, and show what arrives there.
    lowest = min(0, ticks[0], *frame.clock.ticks[:1])
    timeline = Interval(lowest, max(ticks[-1], *frame.clock.ticks[-1:], 0))
    static = (
        task.run.static
        if task.query.dataset == Dataset()
        else with_versions(task.run.static, task.versions, ())
    )
    known = background(static, task.query.dataset, lambda _: None, task.query.language)
    question = Question(program, output.predicate, tuple(ticks))
    facts = sorted(_facts(task, frame, points), key=lambda fact: fact.t)
    answers = answers_at(question, relational.encode(Situation(timeline, facts, known)), np.array(ticks))
    return output, relational.decode(answers.runs, answers.terms)


def _with_versions(program: Program, task: Task) -> Program:
    """Return the program with rules that select the versions of static graphs at the evaluation time."""
    if not task.versions:
        return program
    triple, graph = tuple(map(Variable, "SPOG")), (Variable("G"),)
    holds = Rule(Atom("triple", triple), (Atom(VERSION, triple),))
    names = Rule(Atom(NAMED, graph), (Atom(f"{VERSION}_{NAMED}", graph),))
    return Program((*program.rules, holds, names))


def _facts(task: Task, frame: Frame, points: Sequence[EvaluationPoint]) -> Iterator[Fact]:
    for tick, triple in zip(frame.clock.ticks, frame.clock.elements, strict=True):
        yield from triple.facts(tick)
    named = with_versions(task.run.static, task.versions, ()).named
    for version in task.versions:
        graphs = _read_as(version, task.query.dataset, named)
        for point in points:
            if (version.first is None or version.first <= point.time) and (
                version.last is None or point.time <= version.last
            ):
                yield from (fact for graph in graphs for fact in _triples(version, graph, point.tick))


def _read_as(version: Version, dataset: Dataset, named: Container[str]) -> list[str]:
    """Return the graphs of the query that contain the triples of a version, by FROM and FROM NAMED."""
    if dataset == Dataset():
        return [version.graph or _DEFAULT]

    def reads(graph: Iri) -> bool:
        # A name that no graph has at any time stands for the data's own default graph, as in static data.
        return version.graph == (str(graph) if str(graph) in named else None)

    default = [_DEFAULT] if any(map(reads, dataset.default)) else []
    return [*default, *(str(graph) for graph in dataset.named if reads(graph))]


def _triples(version: Version, graph: str, tick: int) -> Iterator[Fact]:
    if graph != _DEFAULT:
        yield Fact(tick, f"{VERSION}_{NAMED}", (graph,))
    for triple in version.triples:
        yield Fact(tick, VERSION, (*triple, graph))


def with_versions(static: Static, versions: Sequence[Version], present: Container[Version]) -> Static:
    """Return static data with the named graphs of all versions, and the triples of the present versions."""
    default, named = set[Triple](), {version.graph: set[Triple]() for version in versions if version.graph}
    for version in versions:
        if version in present:
            (named[version.graph] if version.graph else default).update(version.triples)
    graphs = {name: {*own, *static.named.get(name, ())} for name, own in named.items()}
    return replace(static, default={*static.default, *default}, named={**static.named, **graphs})


def changes(kind: ToStream, rows: Iterable[RowRun], count: int, output: Output) -> dict[int, list[Row]]:
    """Return the new (ISTREAM) or removed (DSTREAM) rows of each of `count` evaluations, by its number.

    If the output is a multiset, equal rows count separately. Before the first evaluation the answer is empty.
    """
    width = len(output.variables)
    deltas: dict[Row, Counter[int]] = {}
    for row, first, last in rows:
        own = deltas.setdefault(row[:width], Counter())
        own[first] += 1
        own[last + 1] -= 1
    reported: dict[int, list[Row]] = {}
    sign = 1 if kind == "ISTREAM" else -1
    for row in sorted(deltas, key=row_order):
        for number, change in _counted(deltas[row], bag=output.bag):
            if number < count and change * sign > 0:
                reported.setdefault(number, []).extend([row] * abs(change))
    return reported


def _counted(deltas: Counter[int], *, bag: bool) -> Iterator[tuple[int, int]]:
    """Yield the changes of a row's multiplicity by evaluation; in a set, the multiplicity is 0 or 1."""
    count = 0
    for number in sorted(deltas):
        before, count = count, count + deltas[number]
        yield number, (count - before if bag else (count > 0) - (before > 0))


@dataclass(frozen=True, slots=True)
class OpenChoice:
    """The open choices of a specification: t0 of each window in the order of the query, and the bounds."""

    starts: tuple[int, ...]
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """An evaluation with its report; `reported` is false if an empty answer causes no report."""

    point: EvaluationPoint
    rows: Sequence[Row]
    reported: bool

    @property
    def time(self) -> int:
        """The time point of the evaluation."""
        return self.point.time

    @property
    def trigger(self) -> int | None:
        """The number of the push that caused the evaluation; None for the clock."""
        return self.point.trigger


@dataclass(frozen=True)
class FramedTask:
    """A specification applied to a task, for any start times of the windows."""

    task: Task
    specification: Specification
    frame: Frame
    windows: tuple[ShownWindow, ...]

    def scheduled(self, starts: tuple[int, ...]) -> "ScheduledTask":
        """Return the evaluation times for start times, which are in the order of the query's windows."""
        numbers = range(len(self.windows))
        begun = [self._window(number, start) for number, start in zip(numbers, starts, strict=True)]
        reporting = [points for _, points in begun if points is not None]
        points = evaluation_points(reporting, self.specification, self.frame.until)
        if self.task.at_end and all(point.time < self.task.last for point in points):
            last = EvaluationPoint(at_close(self.task.last, self.frame), self.task.last)
            points = [*points, last]
        choice = OpenChoice(starts, self.frame.bounds)
        windows = tuple(window for window, _ in begun)
        scheduled = ScheduledTask(self.task, self.specification, self.frame, windows, choice, points)
        if self.task.only_kept:
            return replace(scheduled, points=[one for one in points if any(scheduled.content(one))])
        return scheduled

    def _window(self, number: int, start: int) -> "tuple[ShownWindow, EvaluationPoints | None]":
        """Return a window with this start time, and its report times; all choices share the result."""
        if (number, start) not in self._begun:
            self._begun[number, start] = _window_of(self._timing, number, start)
        return self._begun[number, start]

    @cached_property
    def _begun(self) -> "dict[tuple[int, int], tuple[ShownWindow, EvaluationPoints | None]]":
        return {}

    @cached_property
    def _timing(self) -> "_Same[tuple[ShownWindow, ...]]":
        says = self.specification.model_dump_json(include=_TIMING)
        return _Same((self.task, says, self.frame.bounds), self.windows)


@dataclass(frozen=True, slots=True)
class ScheduledTask(FramedTask):
    """A specification applied to a task: the evaluation times, and the content of the windows."""

    choice: OpenChoice
    points: EvaluationPoints

    def content(self, point: EvaluationPoint) -> ShownSpans:
        """Return the content of the windows at an evaluation."""
        spans = tuple(window.span(point.tick) for window in self.windows)
        kept = self.task.kept
        if kept is None:
            return spans
        pairs = zip(self.windows, spans, strict=True)
        return tuple(kept(window.elements, span, point.time) for window, span in pairs)

    def shown_at(self, point: EvaluationPoint) -> tuple[int, int] | None:
        """Return the beginning of the first window's content, and the number of triples in all windows."""
        if not self.windows:
            return None
        return self.windows[0].opening(point.tick), sum(map(len, self.content(point)))


def frame_task(task: Task, specification: Specification, bounds: Bounds) -> FramedTask:
    """Return the part of a specification's evaluation that all start times share."""
    read = sources(task.query)
    clock = task.clock(needed_tick(specification, read))
    frame = frame_of(task.query, Frame(specification, task.unit, bounds, clock, task.until))
    windows = tuple(windows_of(source, n, 0, frame) for n, source in enumerate(read, 1))
    return FramedTask(task, specification, frame, windows)


_TIMING: Final = {"report", "windows", "period", "tick", "slide"}
"""The parameters of a specification that determine the report times of each window."""


@lru_cache(maxsize=2**12)
def _window_of(
    timing: _Same[tuple[ShownWindow, ...]], number: int, start: int
) -> tuple[ShownWindow, EvaluationPoints | None]:
    """Return a window with this start time, and its report times; the result is cached."""
    window = with_start(timing.kept[number], start)
    return window, own_points(window, timing.kept) if window.strategies else None


def evaluated_windows(task: Task, specification: Specification, choice: OpenChoice) -> ScheduledTask:
    """Return the evaluation times of a task under a specification, and the content of the windows."""
    return frame_task(task, specification, choice.bounds).scheduled(choice.starts)


def answers_of(of: FramedTask) -> ContentAnswers | None:
    """Return the answers by window content; None if the content does not determine the answers."""
    return of.task.answers(of.specification.profile, of.specification.rows)


def evaluations(of: ScheduledTask) -> tuple[EvaluationReport, ...]:
    """Return the evaluations with their reports in ascending order of time.

    The last results of a task are cached, because a recording is judged many times, also with shifted times.
    """
    if len(of.points) > _MOST_KEPT:
        return _evaluated(of)
    says = of.specification.model_dump_json(exclude={"name", "description"})
    return _reports(_Same((of.task, says, of.choice), of))


_MOST_KEPT: Final = 100_000


@lru_cache(maxsize=8)
def _reports(occasion: _Same[ScheduledTask]) -> tuple[EvaluationReport, ...]:
    return _evaluated(occasion.kept)


def _evaluated(of: ScheduledTask) -> tuple[EvaluationReport, ...]:
    if not of.points:
        return ()
    reported, always = _reported(of), of.specification.empty == "reported"
    rows = (reported.get(number, ()) for number in range(len(of.points)))
    pairs = zip(of.points, rows, strict=True)
    return tuple(EvaluationReport(point, own, always or bool(own)) for point, own in pairs)


def _reported(of: ScheduledTask) -> Mapping[int, Sequence[Row]]:
    """Return the reported rows of each evaluation, by the number of the evaluation."""
    kind, answers = of.task.query.to_stream or of.specification.stream, answers_of(of)
    if answers is None:
        output, runs = runs_at(of.task, of.frame, of.windows, of.points)
        if kind == "RSTREAM":
            return _whole(runs, output)
        return changes(kind, runs, len(of.points), output)
    contents = list(map(of.content, of.points))
    if kind == "RSTREAM":
        return dict(enumerate(answers.rows(contents)))
    return answers.changes(kind, contents)


def _whole(runs: Iterable[RowRun], output: Output) -> Mapping[int, Sequence[Row]]:
    rows_at: dict[int, list[Row]] = {}
    for row, first, last in runs:
        for number in range(first, last + 1):
            rows_at.setdefault(number, []).append(row)
    return {number: in_order(output, rows) for number, rows in rows_at.items()}


def specified_answers(
    engine_run: EngineRun, specification: Specification, choice: OpenChoice, until: int
) -> Recording:
    """Return the reports of a specification up to and including the time point `until`.

    A report that a push causes has the number and the time of the push; any other report has no trigger.
    Raises LarsError for a query without a stream, because such a query is never evaluated.
    """
    if not sources(engine_run.query):
        raise LarsError("the query reads no stream, so it is never evaluated; expected a query with a window")
    elements = elements_of(engine_run.pushes, engine_run.unit)
    task = Task(engine_run, elements, until)
    scheduled = evaluated_windows(task, specification, choice)
    reports = (_report(report, engine_run) for report in evaluations(scheduled) if report.reported)
    return Recording(columns(engine_run.query), tuple(reports))


def _report(report: EvaluationReport, engine_run: EngineRun) -> Report:
    t = (
        report.time * engine_run.unit.milliseconds
        if report.trigger is None
        else engine_run.pushes[report.trigger].t
    )
    return Report(t, report.rows, report.trigger)


def choice_at(
    engine_run: EngineRun,
    specification: Specification,
    start: int | None = None,
    bounds: Bounds | None = None,
) -> OpenChoice:
    """Return values for the open choices of a specification: bounds and start times of the windows.

    Without `start`, the query defines the start times, or windows close at multiples of their slides, like in
    engine versions.
    """
    read = sources(engine_run.query)
    chosen = bounds or as_said(specification, engine_run.query).bounds[0]
    said = said_starts(read, engine_run.unit) if start is None else None
    if said is not None:
        return OpenChoice(said, chosen)
    base = Frame(specification, engine_run.unit, chosen, TickClock(1, (), ()), 0)
    frame = frame_of(engine_run.query, base)
    shapes = (shape(source, frame) for source in read)
    aligned = (0 if window_shape is None else frame.lead - window_shape.due for window_shape in shapes)
    return OpenChoice(tuple(number if start is None else start for number in aligned), chosen)
