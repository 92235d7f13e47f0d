"""Compute the expected reports of a query over a stream, for each choice of the parameters of RSP-QL."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import accumulate, chain
from typing import Final

from agreement.documents.recordings import ANSWER, Push
from agreement.documents.requests import WindowSource, sources
from agreement.engines import specifications
from agreement.engines.engine import columns
from agreement.engines.r2s import reported_rows
from agreement.engines.specifications.reporting import CLOCKED
from agreement.proving.suite.vectors import (
    FIRST_OF_STREAM,
    OWN_STARTS,
    STARTS,
    Equivalents,
    ParameterVector,
    Start,
    alike_by_starts,
    vectors,
)
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.stream import ToStream
from lars.language.terms import XSD
from lars.language.windows import misses_last
from solver.facts import Row, Static
from translate.model.query import EngineQuery, Language

TimedRows = tuple[int, tuple[Row, ...]]
"""A report: its time point, and its rows in the order of the query's columns."""
Reports = tuple[TimedRows, ...]
Place = tuple[int, int]
"""The tick and the time point of an evaluation."""
MILLISECONDS: Final[Mapping[Language, int]] = {
    Language.RSPQL: 1,
    Language.CSPARQL: 1000,
    Language.CQELS: 1000,
    Language.SPARQLSTREAM: 1000,
}
"""The length in ms of a time point in tests, for the queries of each language."""


def unit_of(language: Language) -> Duration:
    """Return the length of a time point in tests of the suite, for queries of the given language."""
    return Duration(MILLISECONDS[language] * 10**6)


@dataclass(slots=True)
class VectorReports:
    """The expected reports of a query on one stream, for each parameter vector.

    A parameter vector contains a value for each parameter that RSP-QL leaves open, such as the window bounds.
    Times are time points. The reports are from time 0 until before the time of the last element, because an
    engine may give later reports only after this element. If t0 depends on the first element of a window's
    own stream, and this stream is empty, two results are correct: t0 depends on the first element of any
    stream, or the window never opens.
    """

    query: EngineQuery
    static: Static
    stream: Sequence[Push]
    until: int = field(init=False)
    """The time of the last element."""
    late: tuple[Push, ...] = field(init=False)
    """The elements that arrive after an element with a later time."""
    _task: specifications.Task = field(init=False)
    _sources: tuple[WindowSource, ...] = field(init=False)
    _kind: ToStream = field(init=False)
    _widths: tuple[int, ...] = field(init=False)
    _starts: dict[tuple[Start, bool], tuple[int, ...]] = field(default_factory=dict, init=False)
    _frames: dict[tuple[object, ...], specifications.FramedTask] = field(default_factory=dict, init=False)
    _windows: dict[
        tuple[object, ...], tuple[specifications.ShownWindow, Sequence[specifications.EvaluationPoint]]
    ] = field(default_factory=dict, init=False)
    """The candidates of a window, by clock or arrivals, showing, number of the window, and start time t0."""
    _places: dict[tuple[int, int, int], frozenset[Place]] = field(default_factory=dict, init=False)
    """The evaluations at which a window reports, by timing, number of the window, and start time t0."""
    _combined: dict[tuple[object, ...], frozenset[Place]] = field(default_factory=dict, init=False)
    _answers: dict[tuple[object, ...], Reports] = field(default_factory=dict, init=False)
    _shared: dict[tuple[object, ...], Reports] = field(default_factory=dict, init=False)
    _shown: dict[tuple[object, ...], dict[int, tuple[Row, ...]]] = field(default_factory=dict, init=False)
    """The rows of the query at each evaluation, by the parameters that determine the content of windows."""
    _spans: dict[tuple[int, int, int], tuple[specifications.ShownWindow, dict[int, range]]] = field(
        default_factory=dict, init=False
    )
    """The content of a window at ticks, by showing, number of the window, and start time t0."""
    _interned: dict[tuple[Row, ...], tuple[Row, ...]] = field(default_factory=dict, init=False)
    _changes: dict[tuple[int, int], tuple[Row, ...]] = field(default_factory=dict, init=False)
    _distinct: dict[tuple[tuple[int, int], ...], Reports] = field(default_factory=dict, init=False)
    _silent: dict[int, Reports] = field(default_factory=dict, init=False)
    _contents: specifications.ContentAnswers | None = field(init=False)
    _others: dict[tuple[Push, ...], "VectorReports"] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.until = int(max((push.t for push in self.stream), default=0))
        before = accumulate((push.t for push in self.stream), max)
        self.late = tuple(push for push, latest in zip(self.stream, before, strict=True) if push.t < latest)
        if len(self.late) > 1:
            raise LarsError(
                f"cannot compute the correct reports for {len(self.late)} late elements, because the "
                "reports are defined only for one late element; use a stream with at most one late "
                "element"
            )
        unit = unit_of(self.query.language)
        length = unit.milliseconds
        in_order = sorted(self.stream, key=lambda push: push.t)
        pushes = tuple(Push(push.t * length, push.stream, push.triple) for push in in_order)
        run = specifications.EngineRun(self.query, self.static, pushes, unit)
        self._task = specifications.Task(run, specifications.elements_of(pushes, unit), self.until)
        self._sources = sources(self.query)
        of = self._framed(vectors()[0], vectors()[0].report)
        self._contents = specifications.answers_of(of)
        self._kind = self.query.to_stream or of.specification.stream
        shapes = (specifications.shape(source, of.frame) for source in self._sources)
        self._widths = tuple(0 if window_shape is None else window_shape.width for window_shape in shapes)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of reported rows.

        An ASK query has only the column `Answer`.
        """
        return (ANSWER,) if self._asks else columns(self.query)

    @property
    def _asks(self) -> bool:
        return self.query.form == "ASK"

    @property
    def repeats(self) -> bool:
        """Whether an element arrives twice at one time.

        RSP-QL does not define whether an element that arrives twice at one time counts twice.
        """
        every = [(push.t, push.stream, push.triple) for push in self.stream]
        return len(set(every)) < len(every)

    def choices(self) -> Mapping[Reports, tuple[int, ...]]:
        """Return each correct sequence of reports, with the numbers of the parameter vectors for it."""
        alike = self._alike()
        if not self.late and self._contents is not None:
            firsts = (vector for (vector, _), *_ in alike)
            self._look((vector, starts) for vector in firsts for starts in self._correct_starts(vector))
        # Vectors share reports: those that are one object are one without being looked at.
        shared: dict[int, tuple[Reports, list[int]]] = {}
        repeats = self.repeats
        for vector, numbers in chain.from_iterable(alike):
            if vector.by_clock or not repeats:
                for reports in self.admissible(vector):
                    shared.setdefault(id(reports), (reports, []))[1].extend(numbers)
        result: dict[Reports, list[int]] = {}
        for reports, own in shared.values():
            result.setdefault(reports, []).extend(own)
        in_order = sorted(result.items(), key=lambda item: min(item[1]))
        return {reports: tuple(sorted(numbers)) for reports, numbers in in_order}

    def _alike(self) -> Sequence[Equivalents]:
        """Return one parameter vector of each set with the same reports, grouped by evaluation times."""
        begins = dict[object, int]()
        kinds = (start if self.late else (self._starts_of(start), start in OWN_STARTS) for start in STARTS)
        places = tuple(begins.setdefault(kind, len(begins)) for kind in kinds)
        return alike_by_starts(self.query.language, places, several=len(self._sources) > 1)

    def admissible(self, vector: ParameterVector) -> tuple[Reports, ...]:
        """Return the sequences of reports that are correct for a parameter vector.

        Several sequences are correct if RSP-QL leaves a choice open that is not a parameter of the vector.
        For example, an ASK query without a solution may report false or nothing.
        """
        # A window that opened before time 0 can close at time 0, when some engines have not begun.
        begins = (False, True) if vector.by_clock and min(self.starts(vector)) < 0 else (False,)
        return tuple(dict.fromkeys(chain.from_iterable(self._admissible(vector, begun) for begun in begins)))

    def _admissible(self, vector: ParameterVector, begun: bool) -> tuple[Reports, ...]:
        """Return the correct sequences of reports of an engine that begins at time 0, or after time 0.

        If `begun` is true, the engine evaluates nothing at time 0.
        """
        if self.late:
            return self._of_late(vector, begun)
        if not self._asks:
            return tuple(
                self._reports_from(vector, starts, begun=begun) for starts in self._correct_starts(vector)
            )
        reports = self.reports(vector, begun=begun)
        whole = self.reports(replace(vector, empty="reported"), begun=begun)
        truths = tuple((t, _truth(rows)) for t, rows in whole)
        silent = tuple((t, _truth(rows)) for t, rows in whole if rows)
        empty = tuple((t, _truth(rows) if rows else ()) for t, rows in reports)
        return silent, truths, empty

    def _of_late(self, vector: ParameterVector, begun: bool) -> tuple[Reports, ...]:
        """Return the correct sequences of reports for a stream with one late element.

        In one sequence, the late element is lost. In another sequence, the late element is in the windows
        that close after its arrival. RSP-QL defines neither sequence, because RSP-QL requires streams in
        order of time. If windows do not contain their last time point, a third sequence is correct: a window
        that closes at the time of the preceding element still receives the late element. If arrivals trigger
        reports, the sequence with the late element in later windows is not correct. If the late element is in
        order within its own stream, the reports for the elements in order of time are also correct.
        """
        (late,) = self.late
        lost = self._like([push for push in self.stream if push is not late]).reports(vector, begun=begun)
        counted = self._like(sorted(self.stream, key=lambda push: push.t)).reports(vector, begun=begun)
        in_time = (counted,) if self._each_in_order else ()
        if not vector.by_clock or "content-change" in vector.report:
            return tuple(dict.fromkeys((lost, *in_time)))
        came = max(push.t for push in self.stream[: self.stream.index(late)])
        admitted = (
            (*(pair for pair in lost if pair[0] < first), *(pair for pair in counted if pair[0] >= first))
            for first in (came + misses_last(vector.bounds), came)
        )
        return tuple(dict.fromkeys((lost, *admitted, *in_time)))

    @property
    def _each_in_order(self) -> bool:
        """Whether the elements of each single stream are in order of time, as RSP-QL requires."""
        latest: dict[str, float] = {}
        for push in self.stream:
            if push.t < latest.get(push.stream, push.t):
                return False
            latest[push.stream] = push.t
        return True

    def _like(self, stream: Sequence[Push]) -> "VectorReports":
        own = tuple(stream)
        if own not in self._others:
            self._others[own] = VectorReports(self.query, self.static, own)
        return self._others[own]

    def reports(self, vector: ParameterVector, *, begun: bool = False) -> Reports:
        """Return the expected reports for a parameter vector, before the time of the last element.

        In the expected reports, a late element is in no window. If `begun` is true, nothing is evaluated at
        time 0.
        """
        if self.late:
            return self._of_late(vector, begun)[0]
        return self._reports_from(vector, self.starts(vector), begun=begun)

    def _reports_from(
        self, vector: ParameterVector, starts: tuple[int, ...], *, begun: bool = False
    ) -> Reports:
        """Return the expected reports for a parameter vector if windows have the given start times t0."""
        own = *self._place(vector, starts), begun
        if own not in self._answers:
            self._answers[own] = self._reports(vector, starts, begun)
        every = self._answers[own]
        if vector.empty == "reported":
            return every
        if id(every) not in self._silent:
            self._silent[id(every)] = self._one(pair for pair in every if pair[1])
        return self._silent[id(every)]

    def starts(self, vector: ParameterVector) -> tuple[int, ...]:
        """Return the start time t0 of each window for a parameter vector."""
        return self._starts_of(vector.start)

    def _correct_starts(self, vector: ParameterVector) -> tuple[tuple[int, ...], ...]:
        """Return the correct choices of start times t0 of the windows.

        If the own stream of a window is empty, two choices can be correct.
        """
        starts = self._starts_of(vector.start)
        if vector.start not in OWN_STARTS or self._asks:
            return (starts,)
        return tuple(dict.fromkeys((starts, self._starts_of(vector.start, never=True))))

    def _starts_of(self, start: Start, *, never: bool = False) -> tuple[int, ...]:
        """Return the start time t0 of each window.

        If `never` is true, a window whose own stream is empty never opens.
        """
        if (start, never) not in self._starts:
            self._starts[start, never] = self._begins(start, never=never)
        return self._starts[start, never]

    def _begins(self, start: Start, *, never: bool) -> tuple[int, ...]:
        first = int(min((push.t for push in self.stream), default=0))
        match start:
            case "aligned":
                return tuple(-width for width in self._widths)
            case "first":
                return (first,) * len(self._widths)
            case "first-aligned":
                return tuple(first - width for width in self._widths)
            case "own-aligned":
                own = self._begins(FIRST_OF_STREAM, never=never)
                return tuple(begin - width for begin, width in zip(own, self._widths, strict=True))
            case "own":
                return tuple(self._begin(source, self.until if never else first) for source in self._sources)
            case int(t):
                return (t,) * len(self._widths)
            case written:
                parts = [int(text) for text in written.split("/")]
                return tuple(parts[n % len(parts)] for n in range(len(self._widths)))

    def _begin(self, source: WindowSource, otherwise: int) -> int:
        own = (push.t for push in self.stream if push.stream == str(source.stream))
        return int(min(own, default=otherwise))

    def scheduled(self, vector: ParameterVector) -> specifications.ScheduledTask:
        """Return the query and the stream, together with the evaluation times for a parameter vector."""
        return self._framed(vector, vector.report).scheduled(self.starts(vector))

    def _place(self, vector: ParameterVector, starts: tuple[int, ...]) -> tuple[int, bool, tuple[int, ...]]:
        """Return a key for a parameter vector: vectors with equal keys report at the same times.

        The parameter `combination` is part of the key only if the query has several windows.
        """
        return vector.timing, self._combines and vector.combination == "all", starts

    @property
    def _combines(self) -> bool:
        return len(self._sources) > 1

    def _framed(
        self, vector: ParameterVector, report: frozenset[specifications.Strategy]
    ) -> specifications.FramedTask:
        """Return the query and stream with the values of a parameter vector, but another report policy."""
        own = report, vector.bounds, vector.tick, self._combines and vector.combination == "all"
        if own not in self._frames:
            specification = replace(vector, report=report).specification(self.query.language, self._task.unit)
            self._frames[own] = specifications.frame_task(self._task, specification, vector.bounds)
        return self._frames[own]

    def _reports(self, vector: ParameterVector, starts: tuple[int, ...], begun: bool) -> Reports:
        if self._contents is None:
            of = self._framed(vector, vector.report).scheduled(starts)
            reports = ((report.time, self._same(report.rows)) for report in specifications.evaluations(of))
            return self._one(pair for pair in reports if begun <= pair[0] < self.until)
        places = self._evaluations(vector, starts)
        if begun:
            places = frozenset(place for place in places if place[1] > 0)
        own = vector.showing, starts, places
        if own not in self._shared:
            self._shared[own] = self._reports_at(vector, starts, sorted(places))
        return self._shared[own]

    def _reports_at(
        self, vector: ParameterVector, starts: tuple[int, ...], places: Sequence[Place]
    ) -> Reports:
        shown = self._shown.setdefault((vector.showing, starts), {})
        if any(tick not in shown for tick, _ in places):
            self._look(((vector, starts),))
        kind = self._kind
        every = [(time, shown[tick]) for tick, time in places]
        if kind != "RSTREAM":
            before = ((), *(rows for _, rows in every))
            every = [
                (time, self._changed(kind, old, rows))
                for old, (time, rows) in zip(before, every, strict=False)
            ]
        return self._one(pair for pair in every if pair[0] >= 0)

    def _evaluations(self, vector: ParameterVector, starts: tuple[int, ...]) -> frozenset[Place]:
        """Return the evaluations of the query before the time of the last element, for a parameter vector."""
        own = self._place(vector, starts)
        if own not in self._combined:
            by_window = [self._evaluations_of(vector, number, start) for number, start in enumerate(starts)]
            first, *others = by_window
            union = vector.combination == "any"
            self._combined[own] = first.union(*others) if union else first.intersection(*others)
        return self._combined[own]

    def _evaluations_of(self, vector: ParameterVector, number: int, start: int) -> frozenset[Place]:
        """Return the evaluations at which a window reports before the time of the last element.

        The function computes possible evaluations once for several report policies, and each policy selects
        some of them.
        """
        own = vector.timing, number, start
        if own not in self._places:
            window, points = self._candidates(vector, number, start)
            conditions = specifications.conditions_of(vector.report)
            if conditions:
                spans = self._spans_at(vector.showing, number, start, [point.tick for point in points])
                for one in conditions:
                    points = [
                        point
                        for point in points
                        if specifications.holds(one, window, point, spans[point.tick])
                    ]
            self._places[own] = frozenset([(point.tick, point.time) for point in points])
        return self._places[own]

    def _candidates(
        self, vector: ParameterVector, number: int, start: int
    ) -> tuple[specifications.ShownWindow, Sequence[specifications.EvaluationPoint]]:
        report = vector.report & CLOCKED or vector.report
        own = report, vector.showing, number, start
        if own not in self._windows:
            framed = self._framed(vector, report)
            window = specifications.with_start(framed.windows[number], start)
            points = specifications.candidates(window, framed.windows)
            self._windows[own] = window, [point for point in points if point.time < self.until]
            self._spans.setdefault((vector.showing, number, start), (window, {}))
        return self._windows[own]

    def _one(self, pairs: Iterable[TimedRows]) -> Reports:
        """Return a sequence of reports.

        To save memory, equal sequences are the same object.
        """
        reports = tuple(pairs)
        return self._distinct.setdefault(tuple((t, id(rows)) for t, rows in reports), reports)

    def _changed(self, kind: ToStream, old: tuple[Row, ...], rows: tuple[Row, ...]) -> tuple[Row, ...]:
        place = id(old), id(rows)
        if place not in self._changes:
            self._changes[place] = self._same(reported_rows(kind, old, rows))
        return self._changes[place]

    def _same(self, rows: Iterable[Row]) -> tuple[Row, ...]:
        """Return a sequence of rows.

        To save memory, equal sequences are the same object.
        """
        own = tuple(rows)
        return self._interned.setdefault(own, own)

    def look(self, under: Iterable[ParameterVector]) -> None:
        """Evaluate the query for several parameter vectors together, to save time.

        The rows are kept in memory, so that later calls of `reports` for these vectors are fast.
        """
        if self._contents is not None:
            self._look((vector, self.starts(vector)) for vector in under)

    def _look(self, under: Iterable[tuple[ParameterVector, tuple[int, ...]]]) -> None:
        wanted: dict[tuple[int, tuple[int, ...]], set[frozenset[Place]]] = {}
        for vector, starts in under:
            wanted.setdefault((vector.showing, starts), set()).add(self._evaluations(vector, starts))
        new: list[tuple[dict[int, tuple[Row, ...]], int, specifications.ShownSpans]] = []
        for (showing, starts), asked in wanted.items():
            shown = self._shown.setdefault((showing, starts), {})
            ticks = {tick for tick, _ in frozenset[Place]().union(*asked)} - shown.keys()
            by_window = [self._spans_at(showing, number, start, ticks) for number, start in enumerate(starts)]
            contents = zip(*([spans[tick] for tick in ticks] for spans in by_window), strict=True)
            new += [(shown, tick, content) for tick, content in zip(ticks, contents, strict=True)]
        if new and self._contents is not None:
            answered = self._contents.rows([content for *_, content in new])
            rows = {id(own): own for own in answered}
            texts = {own: self._same(found) for own, found in rows.items()}
            for (shown, tick, _), found in zip(new, answered, strict=True):
                shown[tick] = texts[id(found)]

    def _spans_at(self, showing: int, number: int, start: int, ticks: Iterable[int]) -> Mapping[int, range]:
        """Return the content of a window at each of the given ticks, as ranges of the stream's elements.

        The content of a window is kept in memory, because several parameter vectors need the same window.
        """
        window, spans = self._spans[showing, number, start]
        spans.update((tick, window.span(tick)) for tick in ticks if tick not in spans)
        return spans


def _truth(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return ((f'"{"true" if rows else "false"}"^^<{XSD}boolean>',),)
