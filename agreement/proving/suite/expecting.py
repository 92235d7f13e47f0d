"""What a query over a stream has to report under each parameter vector, by the specification."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Final

from agreement.documents.recordings import Push
from agreement.documents.requests import WindowSource, sources
from agreement.engines.engine import columns
from agreement.engines.r2s import reported_rows
from agreement.engines.specifications import (
    Empty,
    EvaluationReport,
    ScheduledTask,
    ShownSpans,
    Strategy,
    Task,
    Tick,
    Timetable,
    answers_of,
    elements_of,
    evaluations,
    frame_task,
    shape,
)
from agreement.engines.specifications.parameters import Combination
from agreement.proving.suite.vectors import (
    FIRST_OF_STREAM,
    STREAM_ALIGNED,
    ParameterVector,
    Start,
    numbers_of,
    vectors,
)
from lars.durations import Duration
from lars.language.terms import XSD
from solver.facts import Row, Static
from translate.model.query import EngineQuery, Form, Language, ToStream

TimedRows = tuple[int, tuple[Row, ...]]
"""A report: its time point, and its rows in the order of the query's columns."""
Reports = tuple[TimedRows, ...]
ANSWER: Final = "Answer"
"""The column of what ASK reports."""
MILLISECONDS: Final[Mapping[Language, int]] = {
    Language.RSPQL: 1,
    Language.CSPARQL: 1000,
    Language.CQELS: 1000,
    Language.SPARQLSTREAM: 1000,
}
"""How long a time point of a test is in the queries of each language."""


def unit_of(language: Language) -> Duration:
    """Return what a time point of a test is in the queries of a language."""
    return Duration(MILLISECONDS[language] * 10**6)


@dataclass(slots=True)
class VectorReports:
    """A query with its static data and a stream in time points, asked what each vector reports.

    What counts ends before the last element: nothing later need have been reported when it arrives. It
    begins at 0, also where windows close at multiples of their slide, as if they had always been there.
    Where t0 is the time of the first element of the window's stream and nothing comes in that, it is as
    that of any stream; or the window is `never` there.
    """

    query: EngineQuery
    static: Static
    stream: Sequence[Push]
    never: bool = False
    until: int = field(init=False)
    """The time of the last element."""
    late: tuple[Push, ...] = field(init=False)
    """The elements that come after one with a later time."""
    _task: Task = field(init=False)
    _sources: tuple[WindowSource, ...] = field(init=False)
    _widths: tuple[int, ...] = field(init=False)
    _starts: dict[Start, tuple[int, ...]] = field(default_factory=dict, init=False)
    _timetables: dict[tuple[object, ...], Timetable] = field(default_factory=dict, init=False)
    _answers: dict[tuple[object, ...], Reports] = field(default_factory=dict, init=False)
    _scheduled: dict[tuple[object, ...], ScheduledTask] = field(default_factory=dict, init=False)
    _shown: dict[tuple[object, ...], dict[int, tuple[Row, ...]]] = field(default_factory=dict, init=False)
    """What the query answers at a tick, by what decides what windows show then."""
    _others: dict[tuple[Push, ...], "VectorReports"] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.until = int(max((push.t for push in self.stream), default=0))
        before = accumulate((push.t for push in self.stream), max)
        self.late = tuple(push for push, latest in zip(self.stream, before, strict=True) if push.t < latest)
        unit = unit_of(self.query.language)
        length = unit.milliseconds
        in_order = sorted(self.stream, key=lambda push: push.t)
        pushes = [Push(push.t * length, push.stream, push.triple) for push in in_order]
        self._task = Task(self.query, elements_of(pushes, unit), self.static, unit, self.until)
        self._sources = sources(self.query)
        frame = self._timetable(vectors()[0]).of.frame
        shapes = (shape(source, frame) for source in self._sources)
        self._widths = tuple(0 if window_shape is None else window_shape.width for window_shape in shapes)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of rows; that of ASK is Answer."""
        return (ANSWER,) if self._asks else columns(self.query)

    @property
    def _asks(self) -> bool:
        return self.query.form is Form.ASK

    @property
    def repeats(self) -> bool:
        """Whether an element comes twice at one time, of which nothing says how often arrivals count it."""
        every = [(push.t, push.stream, push.triple) for push in self.stream]
        return len(set(every)) < len(every)

    def choices(self) -> Mapping[Reports, tuple[int, ...]]:
        """Return each sequence of reports that a vector demands, with the numbers of these vectors."""
        # Vectors share reports: those that are one object are one without being looked at.
        shared: dict[int, tuple[Reports, list[int]]] = {}
        repeats = self.repeats
        if not self.late:
            self.look(map(vectors().__getitem__, numbers_of(self.query.language)))
        for number in numbers_of(self.query.language):
            vector = vectors()[number]
            if vector.by_clock or not repeats:
                for reports in self.admissible(vector):
                    shared.setdefault(id(reports), (reports, []))[1].append(number)
        result: dict[Reports, list[int]] = {}
        for reports, numbers in shared.values():
            result.setdefault(reports, []).extend(numbers)
        return {reports: tuple(sorted(numbers)) for reports, numbers in result.items()}

    def admissible(self, vector: ParameterVector) -> tuple[Reports, ...]:
        """Return the reports that a vector admits: more than one where RSP-QL leaves open what is not in it.

        Whether ASK says that there is nothing, or is silent, is no matter of empty answers.
        """
        if self.late:
            return self._of_late(vector)
        reports = self.reports(vector)
        if not self._asks:
            others = (
                (self._waiting.reports(vector),) if vector.start in (FIRST_OF_STREAM, STREAM_ALIGNED) else ()
            )
            return tuple(dict.fromkeys((reports, *others)))
        whole = self.reports(replace(vector, empty=Empty.REPORTED))
        truths = tuple((t, _truth(rows)) for t, rows in whole)
        silent = tuple((t, _truth(rows)) for t, rows in whole if rows)
        empty = tuple((t, _truth(rows) if rows else ()) for t, rows in reports)
        return tuple(dict.fromkeys((silent, truths, empty)))

    def _of_late(self, vector: ParameterVector) -> tuple[Reports, ...]:
        """Return the reports without the one late element; with it those of windows that close after it came.

        Streams are in order, so that RSP-QL says neither; where arrivals report, it is left out. Where its
        own stream is in order, no definition calls it late: the reports by times alone are right too.
        """
        (late,) = self.late
        lost = self._like([push for push in self.stream if push is not late]).reports(vector)
        counted = self._like(sorted(self.stream, key=lambda push: push.t)).reports(vector)
        in_time = (counted,) if self._each_in_order else ()
        if not vector.by_clock or Strategy.CONTENT_CHANGE in vector.report:
            return tuple(dict.fromkeys((lost, *in_time)))
        came = max(push.t for push in self.stream[: self.stream.index(late)])
        admitted = came + vector.bounds.misses_last
        after = (pair for pair in counted if pair[0] >= admitted)
        return tuple(
            dict.fromkeys((lost, (*(pair for pair in lost if pair[0] < admitted), *after), *in_time))
        )

    @property
    def _each_in_order(self) -> bool:
        """Whether the elements of each stream come in the order of their times, as Definition 9 has it."""
        latest: dict[str, float] = {}
        for push in self.stream:
            if push.t < latest.get(push.stream, push.t):
                return False
            latest[push.stream] = push.t
        return True

    @property
    def _waiting(self) -> "VectorReports":
        """The same where windows of streams in which nothing comes never begin."""
        if () not in self._others:
            streams = {push.stream for push in self.stream}
            same = self.never or all(str(source.stream) in streams for source in self._sources)
            self._others[()] = self if same else replace(self, never=True)
        return self._others[()]

    def _like(self, stream: Sequence[Push]) -> "VectorReports":
        own = tuple(stream)
        if own not in self._others:
            self._others[own] = VectorReports(self.query, self.static, own)
        return self._others[own]

    def reports(self, vector: ParameterVector) -> Reports:
        """Return what a vector reports before the last element's time, without what is late."""
        if self.late:
            return self._of_late(vector)[0]
        own = self._place(vector)
        if own not in self._answers:
            self._answers[own] = self._reports(vector)
        every = self._answers[own]
        if vector.empty is Empty.REPORTED:
            return every
        if (silent := (*own, "silent")) not in self._answers:
            self._answers[silent] = tuple(pair for pair in every if pair[1])
        return self._answers[silent]

    def starts(self, vector: ParameterVector) -> tuple[int, ...]:
        """Return t0 of each window under a vector."""
        if vector.start not in self._starts:
            self._starts[vector.start] = self._begins(vector.start)
        return self._starts[vector.start]

    def _begins(self, start: Start) -> tuple[int, ...]:
        first = int(min((push.t for push in self.stream), default=0))
        match start:
            case "aligned":
                return tuple(-width for width in self._widths)
            case "first":
                return (first,) * len(self._widths)
            case "first-aligned":
                return tuple(first - width for width in self._widths)
            case "own-aligned":
                own = self._begins(FIRST_OF_STREAM)
                return tuple(begin - width for begin, width in zip(own, self._widths, strict=True))
            case "own":
                return tuple(self._begin(source, first) for source in self._sources)
            case int(t):
                return (t,) * len(self._widths)
            case written:
                parts = [int(text) for text in written.split("/")]
                return tuple(parts[n % len(parts)] for n in range(len(self._widths)))

    def _begin(self, source: WindowSource, otherwise: int) -> int:
        own = (push.t for push in self.stream if push.stream == str(source.stream))
        return int(min(own, default=self.until if self.never else otherwise))

    def scheduled(self, vector: ParameterVector) -> ScheduledTask:
        """Return when a vector evaluates the query."""
        own = self._place(vector)
        if own not in self._scheduled:
            self._scheduled[own] = self._timetable(vector).scheduled(self.starts(vector))
        return self._scheduled[own]

    def _place(self, vector: ParameterVector) -> tuple[object, ...]:
        """Return what decides when the windows report; of one window there is nothing to combine."""
        combined = len(self._sources) > 1 and vector.combination is Combination.ALL
        return vector.timing, combined, self.starts(vector)

    def _timetable(self, vector: ParameterVector) -> Timetable:
        own = (vector.timing, vector.combination is Combination.ALL)
        if own not in self._timetables:
            specification = vector.specification(self.query.language, self._task.unit)
            self._timetables[own] = Timetable(frame_task(self._task, specification, vector.bounds))
        return self._timetables[own]

    def _reports(self, vector: ParameterVector) -> Reports:
        of = self.scheduled(vector)
        if answers_of(of) is None:
            return tuple(_timed(evaluations(of), self.until))
        shown = self.look((vector,))
        kind = self.query.to_stream or of.specification.stream
        before: tuple[Row, ...] = ()
        timed_rows: list[TimedRows] = []
        for point in of.points:
            now = shown[point.tick]
            if 0 <= point.time < self.until:
                plain = kind is ToStream.RSTREAM
                timed_rows.append((point.time, now if plain else tuple(reported_rows(kind, before, now))))
            before = now
        return tuple(timed_rows)

    def look(self, under: Iterable[ParameterVector]) -> Mapping[int, tuple[Row, ...]]:
        """Answer what windows show under vectors, all at once as that costs less; return that of the last.

        Windows show the same at a tick whatever makes them report.
        """
        shown: dict[int, tuple[Row, ...]] = {}
        new: list[tuple[dict[int, tuple[Row, ...]], int, ShownSpans]] = []
        for vector in under:
            of = self.scheduled(vector)
            clock = Tick.INSTANT if vector.by_clock else vector.tick
            shown = self._shown.setdefault((vector.bounds, clock, self.starts(vector)), {})
            for point in of.points:
                if point.tick not in shown:
                    shown[point.tick] = ()
                    new.append((shown, point.tick, of.content(point)))
        answers = answers_of(self._timetable(vectors()[0]).of)
        if new and answers is not None:
            rows = answers.rows([content for *_, content in new])
            for (found, tick, _), own in zip(new, rows, strict=True):
                found[tick] = tuple(own)
        return shown


def _truth(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return ((f'"{"true" if rows else "false"}"^^<{XSD}boolean>',),)


def _timed(reports: Sequence[EvaluationReport], until: int) -> Iterator[TimedRows]:
    yield from ((report.time, tuple(report.rows)) for report in reports if 0 <= report.time < until)
