"""What a specification says an engine should report: its query asked at its evaluation times."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from agreement.documents.outputs import in_order
from agreement.documents.requests import WindowSource, sources
from agreement.engines.specifications.by_ticks import RowRun, changes, runs_at
from agreement.engines.specifications.contents import ContentAnswers, ShownSpans, Task
from agreement.engines.specifications.elements import Frame
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
from lars.language.windows import Bounds
from solver.facts import Row
from translate.model.query import ToStream
from translate.tau import Output


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
            FiredWindow(one.source, one.opening(tick), point.time, len(one.span(tick)))
            for one in self.windows
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
    return _kept(_Occasion(of.task, says, of.choice, of))


_MOST_KEPT: Final = 100_000


@dataclass(frozen=True, slots=True)
class _Occasion:
    """A task under what a specification says, whatever its name is."""

    task: Task
    says: str
    choice: OpenChoice
    scheduled: ScheduledTask = field(compare=False)


@lru_cache(maxsize=8)
def _kept(occasion: _Occasion) -> tuple[EvaluationReport, ...]:
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
    found: dict[int, list[Row]] = {}
    for row, first, last in runs:
        for number in range(first, last + 1):
            found.setdefault(number, []).append(row)
    return {number: in_order(output, rows) for number, rows in found.items()}
