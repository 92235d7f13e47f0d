"""Evaluate a query by a specification: evaluation times, contents of the windows, and reports."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Final

from agreement.documents.outputs import in_order
from agreement.documents.recordings import Recording, Report
from agreement.documents.requests import sources
from agreement.engines.engine import columns
from agreement.engines.specifications.clock_answers import RowRun, changes, runs_at
from agreement.engines.specifications.content_answers import ContentAnswers, Same, ShownSpans
from agreement.engines.specifications.elements import TickClock
from agreement.engines.specifications.frames import (
    Frame,
    at_close,
    frame_of,
    query_starts,
    shape,
    with_query_bounds,
)
from agreement.engines.specifications.parameters import Specification
from agreement.engines.specifications.reporting import (
    EvaluationPoint,
    EvaluationPoints,
    ShownWindow,
    evaluation_points,
    needed_tick,
    own_points,
    push_count_at,
    windows_of,
    with_start,
)
from agreement.engines.specifications.tasks import EngineRun, Task
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.windows import Bounds
from solver.facts import Row
from translate.tau import Output


@dataclass(frozen=True, slots=True)
class OpenChoice:
    """A choice for the parameters that a specification leaves open: start times t0 and bounds.

    `starts` are the start times of the windows, in the order of the query.
    """

    starts: tuple[int, ...]
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """An evaluation with its rows; `reported` is false if an empty answer causes no report."""

    point: EvaluationPoint
    rows: Sequence[Row]
    reported: bool

    @property
    def time(self) -> int:
        """The time point of the evaluation."""
        return self.point.time

    @property
    def trigger(self) -> int | None:
        """The number of the pushed triple that caused the evaluation; None if the clock caused it."""
        return self.point.trigger


@dataclass(frozen=True)
class FramedTask:
    """A query, its input and a specification, before the start times t0 of the windows are chosen."""

    frame: Frame
    windows: tuple[ShownWindow, ...]

    @property
    def task(self) -> Task:
        """The query and its input."""
        return self.frame.task

    @property
    def specification(self) -> Specification:
        """The specification that evaluates the query."""
        return self.frame.specification

    def scheduled(self, starts: tuple[int, ...]) -> "ScheduledTask":
        """Return the evaluation times for the given start times t0, in the order of the query's windows."""
        numbers = range(len(self.windows))
        begun = [self._window(number, start) for number, start in zip(numbers, starts, strict=True)]
        reporting = [points for _, points in begun if points is not None]
        points = evaluation_points(reporting, self.specification, self.frame.task.until)
        if self.task.at_end and all(point.time < self.task.last for point in points):
            last = EvaluationPoint(at_close(self.task.last, self.frame), self.task.last)
            points = [*points, last]
        choice = OpenChoice(starts, self.frame.bounds)
        windows = tuple(window for window, _ in begun)
        scheduled = ScheduledTask(self.frame, windows, choice, points)
        if self.task.only_kept:
            return replace(scheduled, points=[one for one in points if any(scheduled.content(one))])
        return scheduled

    def _window(self, number: int, start: int) -> "tuple[ShownWindow, EvaluationPoints | None]":
        """Return a window with a start time t0, and its report times; the result is cached."""
        if (number, start) not in self._begun:
            self._begun[number, start] = _window_of(self._timing, number, start)
        return self._begun[number, start]

    @cached_property
    def _begun(self) -> "dict[tuple[int, int], tuple[ShownWindow, EvaluationPoints | None]]":
        return {}

    @cached_property
    def _timing(self) -> "Same[tuple[ShownWindow, ...]]":
        says = self.specification.model_dump_json(include=_TIMING)
        return Same((self.task, says, self.frame.bounds), self.windows)


@dataclass(frozen=True, slots=True)
class ScheduledTask(FramedTask):
    """The evaluation times and window contents of a query, for one specification and given start times t0."""

    choice: OpenChoice
    points: EvaluationPoints

    def content(self, point: EvaluationPoint) -> ShownSpans:
        """Return the content of each window at an evaluation; the result is cached."""
        content = self._contents.get(point)
        if content is None:
            content = self._contents[point] = self._content(point)
        return content

    # Rows, sizes, and what a verdict shows of its windows all ask for the same contents.
    @cached_property
    def _contents(self) -> dict[EvaluationPoint, ShownSpans]:
        return {}

    def _content(self, point: EvaluationPoint) -> ShownSpans:
        push_count = push_count_at(self.frame, point)
        spans = tuple(window.span(point.tick, push_count) for window in self.windows)
        if push_count is not None and any(map(len, self._hidden(spans, push_count))):
            return *spans, range(push_count, push_count + 1)
        kept = self.task.kept
        if kept is None:
            return spans
        pairs = zip(self.windows, spans, strict=True)
        return tuple(kept(window.elements, span, point.time) for window, span in pairs)

    @cached_property
    def contents(self) -> Sequence[ShownSpans]:
        """The content of each window at each evaluation."""
        return list(map(self.content, self.points))

    def shown_at(self, point: EvaluationPoint) -> tuple[int, int] | None:
        """Return the time at which the first window's content begins, and how many triples all windows have.

        For a query without windows, the result is None.
        """
        if not self.windows:
            return None
        spans, push_count = self.content(point)[: len(self.windows)], push_count_at(self.frame, point)
        shown = sum(map(len, spans))
        if push_count is not None:
            shown -= sum(map(len, self._hidden(spans, push_count)))
        return self.windows[0].opening(point.tick, push_count), shown

    def _hidden(self, spans: Sequence[range], push_count: int) -> Iterator[Sequence[int]]:
        """Yield for each window the positions of elements in its content that have not arrived yet."""
        pairs = zip(self.windows, spans, strict=True)
        return (window.hidden(span, push_count) for window, span in pairs)


def frame_task(task: Task, specification: Specification, bounds: Bounds) -> FramedTask:
    """Combine a query and its input with a specification; the start times t0 are chosen later."""
    read = sources(task.query)
    clock = task.clock(needed_tick(specification, read))
    frame = frame_of(task, specification, bounds, clock)
    windows = tuple(windows_of(source, n, 0, frame) for n, source in enumerate(read, 1))
    return FramedTask(frame, windows)


_TIMING: Final = {"report", "windows", "period", "tick", "slide"}
"""The parameters of a specification that determine the report times of each window."""


@lru_cache(maxsize=2**12)
def _window_of(
    timing: Same[tuple[ShownWindow, ...]], number: int, start: int
) -> tuple[ShownWindow, EvaluationPoints | None]:
    """Return a window with a start time t0, and its report times; the result is cached."""
    window = with_start(timing.kept[number], start)
    return window, own_points(window, timing.kept) if window.strategies else None


def evaluated_windows(task: Task, specification: Specification, choice: OpenChoice) -> ScheduledTask:
    """Return the evaluation times and window contents of a query under a specification."""
    return frame_task(task, specification, choice.bounds).scheduled(choice.starts)


def answers_of(of: FramedTask) -> ContentAnswers | None:
    """Return the rows of a query by window contents; None if the contents do not determine the rows."""
    return of.task.answers(of.specification.profile, of.specification.rows)


def evaluations(of: ScheduledTask) -> tuple[EvaluationReport, ...]:
    """Return the evaluations with their rows, in ascending order of time.

    The latest results are cached, because the same recording is judged several times.
    """
    if len(of.points) > _MOST_KEPT:
        return _evaluated(of)
    says = of.specification.model_dump_json(exclude={"name", "description"})
    return _reports(Same((of.task, says, of.choice), of))


_MOST_KEPT: Final = 100_000


@lru_cache(maxsize=8)
def _reports(occasion: Same[ScheduledTask]) -> tuple[EvaluationReport, ...]:
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
        output, runs = runs_at(of.frame, of.windows, of.points)
        if kind == "RSTREAM":
            return _whole(runs, output)
        return changes(kind, runs, len(of.points), output)
    if kind == "RSTREAM":
        return dict(enumerate(answers.rows(of.contents)))
    return answers.changes(kind, of.contents)


def _whole(runs: Iterable[RowRun], output: Output) -> Mapping[int, Sequence[Row]]:
    rows_at: dict[int, list[Row]] = {}
    for row, first, last in runs:
        for number in range(first, last + 1):
            rows_at.setdefault(number, []).append(row)
    return {number: in_order(output, rows) for number, rows in rows_at.items()}


def specified_answers(
    engine_run: EngineRun, specification: Specification, choice: OpenChoice, until: int
) -> Recording:
    """Return the reports that a specification requires, up to and including the time point `until`.

    A report that a pushed triple causes has the number and the time of the triple; any other report has no
    trigger.

    Raises:
        LarsError: The query reads no stream, so it is never evaluated.
    """
    if not sources(engine_run.query):
        raise LarsError("the query reads no stream, so it is never evaluated; expected a query with a window")
    task = Task(engine_run, engine_run.elements, until)
    scheduled = evaluated_windows(task, specification, choice)
    reports = (_report(report, engine_run) for report in evaluations(scheduled) if report.reported)
    return Recording(columns(engine_run.query), tuple(reports))


def _report(report: EvaluationReport, engine_run: EngineRun) -> Report:
    if report.trigger is None:
        return Report((report.time + engine_run.wait) * engine_run.unit.milliseconds, report.rows)
    push = engine_run.pushes[report.trigger]
    return Report(push.t if push.came is None else push.came, report.rows, report.trigger)


def choice_at(
    engine_run: EngineRun,
    specification: Specification,
    start: int | None = None,
    bounds: Bounds | None = None,
) -> OpenChoice:
    """Return bounds and start times t0 of the windows, for the parameters that a specification leaves open.

    Without `start`, the query defines the start times, or windows close at multiples of their slides, as in
    models of engine versions.
    """
    read = sources(engine_run.query)
    chosen = bounds or with_query_bounds(specification, engine_run.query).bounds[0]
    said = query_starts(read, engine_run.unit) if start is None else None
    if said is not None:
        return OpenChoice(said, chosen)
    frame = frame_of(Task(engine_run, (), 0), specification, chosen, TickClock(1, (), ()))
    shapes = (shape(source, frame) for source in read)
    aligned = (0 if window_shape is None else frame.lead - window_shape.due for window_shape in shapes)
    return OpenChoice(tuple(number if start is None else start for number in aligned), chosen)
