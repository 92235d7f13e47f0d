"""What a specification says an engine should report: its query asked at its evaluation times.

What a program answers at ticks is asked with its windows placed on the clock, also where contents do not
decide. Of all that an engine was given the reports are a recording of it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

import numpy as np

from agreement.documents.outputs import in_order, row_order
from agreement.documents.recordings import Push, Recording, Report
from agreement.documents.requests import WindowSource, sources, with_sources
from agreement.documents.traces import background
from agreement.engines.engine import columns
from agreement.engines.specifications.contents import ContentAnswers, ShownSpans, Task
from agreement.engines.specifications.elements import Frame, TickClock, Version, elements_of, in_ticks, shape
from agreement.engines.specifications.parameters import Empty, Specification
from agreement.engines.specifications.reporting import (
    EvaluationPoint,
    EvaluationPoints,
    ShownWindow,
    evaluation_points,
    needed_tick,
    own_points,
    windows_of,
    with_start,
)
from lars.durations import SECOND, Duration
from lars.errors import LarsError
from lars.language.program import Program, Rule
from lars.language.terms import Atom, Variable
from lars.language.windows import Bounds, Interval
from solver.facts import STREAM_PREDICATE, ChosenTimes, Fact, Row, Situation, Static
from solver.job import Question, answers_at
from solver.relational import decode, encode
from translate.model.query import EPOCH, EngineQuery, Setting, ToStream
from translate.tau import NAMED, Output, lars_program, output_of

RowRun = tuple[Row, int, int]
"""A raw row with the first and last number of consecutive evaluations that it answers."""
VERSION: Final = "version"
"""The predicate of static triples that are there at some times only."""


def runs_at(
    task: Task, frame: Frame, windows: Sequence[ShownWindow], points: Sequence[EvaluationPoint]
) -> tuple[Output, Iterator[RowRun]]:
    """Return how answers are read, and raw rows with the first and last number of evaluations in a row.

    Two evaluations can be at one tick.
    """
    starts = {window.source: window.start for window in windows}
    query = with_sources(
        task.query, lambda source: replace(source, window=in_ticks(source, starts[source], frame))
    )
    specification, scale = frame.specification, frame.clock.scale
    setting = Setting(
        specification.profile,
        task.unit,
        semantics=specification.rows,
        origin=task.origin,
        ordered=True,
        ticks=scale,
    )
    program, output = _with_versions(lars_program(query, setting), task), output_of(query, setting)
    ticks = [point.tick for point in points]
    # A window can open before time 0, and show what arrives there.
    lowest = min(0, ticks[0], *frame.clock.ticks[:1])
    timeline = Interval(lowest, max(ticks[-1], *frame.clock.ticks[-1:], 0))
    known = background(task.static, task.query.dataset, lambda _: None, task.query.language)
    question = Question(program, output.predicate, ChosenTimes(tuple(ticks)))
    facts = sorted(_facts(task, frame, points), key=lambda fact: fact.t)
    answers = answers_at(question, encode(Situation(timeline, facts, known)), np.array(ticks))
    return output, decode(answers.runs, answers.terms)


def _with_versions(program: Program, task: Task) -> Program:
    """Return the program with rules that take what versions of static graphs hold at the time."""
    if not task.versions:
        return program
    triple, graph = tuple(map(Variable, "SPOG")), (Variable("G"),)
    holds = Rule(Atom("triple", triple), (Atom(VERSION, triple),))
    names = Rule(Atom(NAMED, graph), (Atom(f"{VERSION}_{NAMED}", graph),))
    return Program((*program.rules, holds, names))


def _facts(task: Task, frame: Frame, points: Sequence[EvaluationPoint]) -> Iterator[Fact]:
    for tick, triple in zip(frame.clock.ticks, frame.clock.elements, strict=True):
        yield Fact(tick, STREAM_PREDICATE, (*triple.triple, triple.stream))
    for version in task.versions:
        for point in points:
            if (version.first is None or version.first <= point.time) and (
                version.last is None or point.time <= version.last
            ):
                yield from _triples(version, point.tick)


def _triples(version: Version, tick: int) -> Iterator[Fact]:
    graph = version.graph or "default"
    if version.graph is not None:
        yield Fact(tick, f"{VERSION}_{NAMED}", (graph,))
    for triple in version.triples:
        yield Fact(tick, VERSION, (*triple, graph))


def changes(kind: ToStream, rows: Iterable[RowRun], count: int, output: Output) -> dict[int, list[Row]]:
    """Return what is new (ISTREAM) or gone (DSTREAM) at each of `count` evaluations, by its number.

    Equal rows are counted as the output says. Before the first evaluation there is no answer.
    """
    width = len(output.variables)
    deltas: dict[Row, Counter[int]] = {}
    for row, first, last in rows:
        own = deltas.setdefault(row[:width], Counter())
        own[first] += 1
        own[last + 1] -= 1
    reported: dict[int, list[Row]] = {}
    sign = 1 if kind is ToStream.ISTREAM else -1
    for row in sorted(deltas, key=row_order):
        for number, change in _counted(deltas[row], bag=output.bag):
            if number < count and change * sign > 0:
                reported.setdefault(number, []).extend([row] * abs(change))
    return reported


def _counted(deltas: Counter[int], *, bag: bool) -> Iterator[tuple[int, int]]:
    """Yield by how many a row's multiplicity changes at an evaluation; in a set it is 0 or 1."""
    count = 0
    for number in sorted(deltas):
        before, count = count, count + deltas[number]
        yield number, (count - before if bag else (count > 0) - (before > 0))


@dataclass(frozen=True, slots=True)
class OpenChoice:
    """What a specification leaves open: t0 of each window, in the order of the query, and the ends."""

    starts: tuple[int, ...]
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class FiredWindow:
    """What one window showed: from its opening to the time of evaluation, so many triples."""

    source: WindowSource
    first: int
    last: int
    triples: int


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """An evaluation, and what is reported; not `reported`: nothing is, since the answer is empty."""

    point: EvaluationPoint
    rows: Sequence[Row]
    reported: bool

    @property
    def time(self) -> int:
        """The time point that it is of."""
        return self.point.time

    @property
    def trigger(self) -> int | None:
        """The number of the push that caused it, None where the clock did."""
        return self.point.trigger


@dataclass(frozen=True, slots=True)
class FramedTask:
    """A specification applied to a task but for the start times of the windows."""

    task: Task
    specification: Specification
    frame: Frame
    windows: tuple[ShownWindow, ...]


@dataclass(frozen=True, slots=True)
class ScheduledTask(FramedTask):
    """A specification applied to a task: what its windows show, and when it evaluates."""

    choice: OpenChoice
    points: EvaluationPoints

    def content(self, point: EvaluationPoint) -> ShownSpans:
        """Return what the windows show at an evaluation."""
        return tuple(window.span(point.tick) for window in self.windows)

    def windows_at(self, point: EvaluationPoint) -> tuple[FiredWindow, ...]:
        """Return what the windows show at an evaluation, for readers."""
        tick = point.tick
        return tuple(
            FiredWindow(window.source, window.opening(tick), point.time, len(window.span(tick)))
            for window in self.windows
        )


def frame_task(task: Task, specification: Specification, bounds: Bounds) -> FramedTask:
    """Return what is the same for all start times."""
    read = sources(task.query)
    clock = task.clock(needed_tick(specification, read))
    frame = Frame(specification, task.unit, bounds, clock, task.until)
    windows = tuple(windows_of(source, n, 0, frame) for n, source in enumerate(read, 1))
    return FramedTask(task, specification, frame, windows)


class Timetable:
    """The evaluation times of a specification for each choice of start times."""

    def __init__(self, of: FramedTask) -> None:
        self.of = of
        says = of.specification.model_dump_json(include=_TIMING)
        self._timing = _Timing(of.task, says, of.frame.bounds, of.windows)
        self._begun: dict[tuple[int, int], tuple[ShownWindow, EvaluationPoints | None]] = {}

    def scheduled(self, starts: tuple[int, ...]) -> ScheduledTask:
        """Return the evaluation times for start times, in the order of the query's windows."""
        of = self.of
        numbers = range(len(of.windows))
        begun = [self._window(number, start) for number, start in zip(numbers, starts, strict=True)]
        reporting = [points for _, points in begun if points is not None]
        points = evaluation_points(reporting, of.specification, of.frame.until)
        choice = OpenChoice(starts, of.frame.bounds)
        windows = tuple(window for window, _ in begun)
        return ScheduledTask(of.task, of.specification, of.frame, windows, choice, points)

    def _window(self, number: int, start: int) -> tuple[ShownWindow, EvaluationPoints | None]:
        """Return a window that starts then, and when it reports; start times are combined in many ways."""
        if (number, start) not in self._begun:
            window = with_start(self.of.windows[number], start)
            points = _own_points(self._timing, number, start) if window.strategies else None
            self._begun[number, start] = window, points
        return self._begun[number, start]


_TIMING: Final = {"report", "windows", "period", "tick", "slide"}
"""What of a specification decides when each of its windows reports."""


@dataclass(frozen=True, slots=True)
class _Timing:
    """What decides when windows report: equal for specifications that differ in other things."""

    task: Task
    says: str
    bounds: Bounds
    windows: tuple[ShownWindow, ...] = field(compare=False)


@lru_cache(maxsize=2**12)
def _own_points(timing: _Timing, number: int, start: int) -> EvaluationPoints:
    """Return when a window that starts then reports: asked for by many choices of start times."""
    return own_points(with_start(timing.windows[number], start), timing.windows)


def evaluated_windows(task: Task, specification: Specification, choice: OpenChoice) -> ScheduledTask:
    """Return the evaluation times of a task under a specification, and what is shown at them."""
    return Timetable(frame_task(task, specification, choice.bounds)).scheduled(choice.starts)


def answers_of(of: FramedTask) -> ContentAnswers | None:
    """Return the answers to what windows show, None where that does not decide."""
    return of.task.answers(of.specification.profile, of.specification.rows)


def evaluations(of: ScheduledTask) -> tuple[EvaluationReport, ...]:
    """Return what is evaluated and reported, ascending in time.

    The last ones of a task are kept: a recording is judged again and again, as it is and moved in time.
    """
    if len(of.points) > _MOST_KEPT:
        return _evaluated(of)
    says = of.specification.model_dump_json(exclude={"name", "description"})
    return _reports(_Occasion(of.task, says, of.choice, of))


_MOST_KEPT: Final = 100_000


@dataclass(frozen=True, slots=True)
class _Occasion:
    """A task under what a specification says, whatever its name is."""

    task: Task
    says: str
    choice: OpenChoice
    scheduled: ScheduledTask = field(compare=False)


@lru_cache(maxsize=8)
def _reports(occasion: _Occasion) -> tuple[EvaluationReport, ...]:
    return _evaluated(occasion.scheduled)


def _evaluated(of: ScheduledTask) -> tuple[EvaluationReport, ...]:
    if not of.points:
        return ()
    reported, always = _reported(of), of.specification.empty is Empty.REPORTED
    rows = (reported.get(number, ()) for number in range(len(of.points)))
    pairs = zip(of.points, rows, strict=True)
    return tuple(EvaluationReport(point, own, always or bool(own)) for point, own in pairs)


def _reported(of: ScheduledTask) -> Mapping[int, Sequence[Row]]:
    """Return what is reported at each evaluation, by its number."""
    kind, answers = of.task.query.to_stream or of.specification.stream, answers_of(of)
    if answers is None:
        output, runs = runs_at(of.task, of.frame, of.windows, of.points)
        if kind is ToStream.RSTREAM:
            return _whole(runs, output)
        return changes(kind, runs, len(of.points), output)
    contents = list(map(of.content, of.points))
    if kind is ToStream.RSTREAM:
        return dict(enumerate(answers.rows(contents)))
    return answers.changes(kind, contents)


def _whole(runs: Iterable[RowRun], output: Output) -> Mapping[int, Sequence[Row]]:
    rows_at: dict[int, list[Row]] = {}
    for row, first, last in runs:
        for number in range(first, last + 1):
            rows_at.setdefault(number, []).append(row)
    return {number: in_order(output, rows) for number, rows in rows_at.items()}


@dataclass(frozen=True, slots=True)
class EngineRun:
    """A query as registered, and all that was given to the engine; time points are `unit`s from `origin`.

    `zero` is the dateTime of time 0, if the trace's times have one.
    """

    query: EngineQuery
    static: Static
    pushes: tuple[Push, ...]
    unit: Duration = SECOND
    origin: str = EPOCH
    zero: str | None = None

    @property
    def last(self) -> int:
        """The time point of the last push, 0 without any."""
        return max((element.t for element in elements_of(self.pushes, self.unit)), default=0)


def specified_answers(
    engine_run: EngineRun, specification: Specification, choice: OpenChoice, until: int
) -> Recording:
    """Return what a specification reports up to the time point `until`, included.

    A report that a push caused has the number and the time of the push, others have no trigger.
    Raises LarsError for a query that reads no stream, as it is never evaluated.
    """
    if not sources(engine_run.query):
        raise LarsError("the query reads no stream, so it is never evaluated; accepted: one with a window")
    elements = elements_of(engine_run.pushes, engine_run.unit)
    task = Task(
        engine_run.query, elements, engine_run.static, engine_run.unit, until, origin=engine_run.origin
    )
    profile = evaluated_windows(task, specification, choice)
    reports = (_report(report, engine_run) for report in evaluations(profile) if report.reported)
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
    """Return what a specification leaves open as it is wished: the ends of windows, and where they begin.

    Without `start` windows close at the multiples of their slides, as those of engine versions do.
    """
    chosen = bounds or specification.bounds[0]
    frame = Frame(specification, engine_run.unit, chosen, TickClock(1, (), ()), 0)
    shapes = (shape(source, frame) for source in sources(engine_run.query))
    aligned = (0 if window_shape is None else -window_shape.width for window_shape in shapes)
    return OpenChoice(tuple(number if start is None else start for number in aligned), chosen)
