"""Compare the answers to late data, as the data came, with the answers if all data were on time.

An element has an event time t and an arrival time a ≥ t. The answers *on time* are the answers of `lars
agree` without `--late`, which uses only event times. *As it came*, an evaluation at the moment T for the
reference time r sees the elements with a ≤ T, each dated with its event time, and windows end at r.

- Pull evaluates for r = kU at the moment T = kU + W, where W is the wait.
- Push evaluates at each arrival that fires it, for r = T.

Elements have times from 1 on, because time 0 is in no period. A row of pull belongs to the period that ends
at kU, and a row of push to the period of r.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import pairwise
from math import lcm

from agreement.documents.outputs import row_order
from agreement.documents.requests import Side
from agreement.proving.decisions import trace_on
from agreement.proving.disjuncts import Quad, Stock, arrival, background_of
from agreement.proving.lateness.theorems import ChangeKind, LatenessQuestion
from lars.analysis import windows, with_windows
from lars.dataclass import dataclass
from lars.language.program import Program
from lars.language.terms import Iri, Variable
from lars.language.windows import (
    Interval,
    IntervalWindow,
    LastWindow,
    SlidingWindow,
    TimeWindow,
    TupleWindow,
    Window,
)
from solver.deadlines import check_time
from solver.facts import Fact, Row, with_triples
from solver.job import Question
from translate.analysis import parts
from translate.model.patterns import PathPattern
from translate.tau import TRIGGER, push

LateArrival = tuple[int, int, Quad]
"""The event time and the arrival time of a triple, in time points, and the triple with its stream."""
LateStream = tuple[LateArrival, ...]
Snapshot = tuple[tuple[int, Quad], ...]
"""The triples that an evaluation sees, each with its event time, in order of event times."""
Moments = list[tuple[Sequence[int], Snapshot]]
"""The times for which a query is evaluated, in groups, each with the triples that the evaluations see."""
Rows = Mapping[int, frozenset[Row]]
"""The rows of a query at each time point; a time point without rows can be absent."""


@dataclass(frozen=True, slots=True)
class LateWitness:
    """A stream with late data, and static data, on which late data change a row in the period (start, end].

    `kind` is the kind of the change: the row is lost, lost for good, or invented.
    """

    kind: ChangeKind
    start: int
    end: int
    row: Row
    stream: LateStream
    static: Stock


@dataclass
class Replay:
    """Evaluates many streams with late data together, with the same static data.

    The streams are placed one after the other on one timeline. The event times of a stream begin at `lead`,
    so that no window contains elements of two streams.
    """

    question: LatenessQuestion
    static: Stock
    alone: bool = False
    """Whether each stream is evaluated on a separate timeline, to confirm a change."""

    @cached_property
    def step(self) -> int:
        """The number of time points by which a stream can be moved without a change of its answers."""
        return lcm(self.question.period, *(window.stride for window in self._windows))

    @cached_property
    def _every(self) -> Sequence[Window]:
        programs = self.question.programs.values()
        return list(dict.fromkeys(window for program in programs for window in windows(program)))

    @property
    def _windows(self) -> Sequence[IntervalWindow]:
        return [window for window in self._every if isinstance(window, IntervalWindow)]

    @cached_property
    def reach(self) -> int:
        """The greatest distance, in time points, from an evaluation to a time point in one of its windows."""
        ends = (end for window in self._windows for end in window.reach)
        return max((end for end in ends if end is not None), default=0)

    @cached_property
    def lead(self) -> int:
        """The first multiple of `step` that is so late that all windows at this time begin after time 0."""
        opened = (w.start + w.width for w in self._every if isinstance(w, LastWindow | SlidingWindow))
        return -(-(max((0, *opened)) + self.reach + 1) // self.step) * self.step

    @property
    def pulls(self) -> int:
        """The number of pulls that evaluate one stream."""
        return (self.lead + 2 * (self.reach + self.step)) // self.question.period

    def changes(self, streams: Sequence[LateStream], side: Side) -> Iterator[list[LateWitness]]:
        """Yield, for each stream, at most one row for each kind of change that late data cause.

        `side` is push or pull.
        """
        needed: dict[Snapshot, set[int]] = {}
        moments = []
        for stream in streams:
            check_time()
            end = self._end(stream)
            both = self._on_time(side, stream, end), self._as_it_came(side, stream, end)
            moments.append(both)
            for times, snapshot in (each for way in both for each in way):
                needed.setdefault(snapshot, set()).update(times)
        rows = self._evaluated(self.question.programs[side], needed)
        for stream, (on_time, came) in zip(streams, moments, strict=True):
            check_time()
            yield list(self._compared(stream, self._by_period(on_time, rows), self._by_period(came, rows)))

    def _end(self, stream: LateStream) -> int:
        """Return a time after which the late data of a stream change no answer of pull."""
        last = max((t + self.reach for t, _, _ in stream), default=0)
        if not all(map(_is_bounded, self._every)):
            # Old elements are shown whenever they arrive.
            last = max(last, *(came for _, came, _ in stream))
        return -(-(last + 2 * self.step) // self.step) * self.step

    def _on_time(self, side: Side, stream: LateStream, end: int) -> Moments:
        whole = _seen(stream)
        if side == "pull":
            return [(range(self.question.period, end + 1, self.question.period), whole)]
        return [(self._fired((t, quad) for t, _, quad in stream), whole)]

    def _as_it_came(self, side: Side, stream: LateStream, end: int) -> Moments:
        """Return the evaluation times between each two arrivals, with the triples that have arrived."""
        wait, period = (self.question.wait, self.question.period) if side == "pull" else (0, 1)
        fired = None if side == "pull" else self._fired((came, quad) for _, came, quad in stream)
        borders = sorted({came - wait for _, came, _ in stream})
        moments: Moments = []
        for first, last in pairwise((0, *(max(0, at) for at in borders), end + 1)):
            begin = max(period, -(-first // period) * period)
            times = (
                range(begin, min(last, end + 1), period)
                if fired is None
                else [t for t in fired if first <= t < last]
            )
            if times:
                moments.append((times, _seen(each for each in stream if each[1] <= times[0] + wait)))
        return moments

    def _fired(self, dated: Iterable[tuple[int, Quad]]) -> list[int]:
        """Return the time points at which the arrival of a triple makes push evaluate."""
        return sorted({t for t, quad in dated if self._fires(quad)})

    def _fires(self, quad: Quad) -> bool:
        if self.question.trigger == "any":
            return True
        if quad not in self._firing:
            program = push(self.question.programs["push"], self.question.trigger)
            trace = trace_on(with_triples((arrival(0, quad),)), background_of(self.static), Interval(0, 0))
            (runs,) = trace.answers([Question(program, (TRIGGER.predicate, 0), None)])
            self._firing[quad] = bool(runs.by_time().get(0))
        return self._firing[quad]

    @cached_property
    def _firing(self) -> dict[Quad, bool]:
        return {}

    def _evaluated(self, program: Program, needed: Mapping[Snapshot, set[int]]) -> dict[Snapshot, Rows]:
        """Return the rows of a program at the needed times, for each set of triples that have arrived."""
        ends = {snapshot: max((*times, *(t for t, _ in snapshot))) for snapshot, times in needed.items()}
        if not self.is_batched:
            alone: dict[Snapshot, Rows] = {}
            for snapshot, times in needed.items():
                check_time()
                alone[snapshot] = self._rows(program, [(snapshot, 0)], sorted(times), ends[snapshot])
            return alone
        whole = max(ends.values(), default=0) + 1
        finite = with_windows(program, partial(_finite, past=whole))
        room = max(self.reach, whole) if finite != program else self.reach
        placed: list[tuple[Snapshot, int]] = []
        evaluated: list[int] = []
        begin = 0
        for snapshot, end in ends.items():
            placed.append(((*self._fillers, *snapshot), begin))
            evaluated += (begin + t for t in sorted(needed[snapshot]))
            begin += -(-(end + 1 + room) // self.step) * self.step
        every = self._rows(finite, placed, evaluated, begin)
        rows: dict[Snapshot, dict[int, frozenset[Row]]] = {snapshot: {} for snapshot in ends}
        firsts = [first for _, first in placed]
        for t, here in every.items():
            number = bisect_right(firsts, t) - 1
            snapshot = placed[number][0][len(self._fillers) :]
            rows[snapshot][t - firsts[number]] = here
        return dict(rows)

    @cached_property
    def is_batched(self) -> bool:
        """Whether streams can share one timeline without a window that contains triples of two streams."""
        counted = any(isinstance(window, TupleWindow) for window in self._every)
        return (
            not self.alone
            and all(_is_movable(window) for window in self._every)
            and not (counted and self._reads_anything)
        )

    @property
    def _reads_anything(self) -> bool:
        """Whether the predicate of some pattern is a variable or a path, so that any triple may match it."""
        agreement = self.question.agreement
        paths = any(isinstance(part, PathPattern) for part in parts(agreement.pattern))
        return paths or any(isinstance(edge.triple.predicate, Variable) for edge in agreement.edges)

    @cached_property
    def _fillers(self) -> Snapshot:
        """The triples at the start of a stream that push triples of earlier streams out of tuple windows.

        No pattern of the query matches the triples at the start of a stream.
        """
        counted = [window for window in self._every if isinstance(window, TupleWindow)]
        size = max((window.size for window in counted), default=0)
        names = dict.fromkeys(window.source for window in counted if isinstance(window.source, Iri))
        subject = "http://example.org/before"
        return tuple(
            (0, (Iri(f"{subject}{n}"), Iri(subject), Iri(subject), name))
            for name in names
            for n in range(size)
        )

    def _rows(
        self, program: Program, placed: Sequence[tuple[Snapshot, int]], times: Sequence[int], end: int
    ) -> Rows:
        facts: list[Fact] = [arrival(t + first, quad) for snapshot, first in placed for t, quad in snapshot]
        trace = trace_on(with_triples(tuple(facts)), background_of(self.static), Interval(0, end))
        (runs,) = trace.answers([Question(program, self.question.output, tuple(times))])
        return {t: frozenset(rows) for t, rows in runs.by_time().items()}

    def _by_period(self, moments: Moments, rows: Mapping[Snapshot, Rows]) -> Rows:
        """Return the reported rows of each pull period, by the last time point of the period."""
        periods: dict[int, frozenset[Row]] = {}
        for times, snapshot in moments:
            for r, here in rows[snapshot].items():
                if here and r in times:
                    end = -(-r // self.question.period) * self.question.period
                    periods[end] = periods.get(end, frozenset()) | here
        return periods

    def _compared(self, stream: LateStream, on_time: Rows, came: Rows) -> Iterator[LateWitness]:
        """Yield the first row that is lost, the first that is lost for good, and the first invented row."""
        period, found = self.question.period, set[ChangeKind]()
        if on_time == came:
            return
        for end in sorted({*on_time, *came}):
            here, there = on_time.get(end, frozenset()), came.get(end, frozenset())
            before = frozenset[Row]().union(*(rows for e, rows in on_time.items() if e <= end))
            after = frozenset[Row]().union(*(rows for e, rows in came.items() if e > end))
            rows_by_kind: dict[ChangeKind, frozenset[Row]] = {
                "lost": here - there,
                "lost for good": here - there - after,
                "invented": there - before,
            }
            for kind, rows in rows_by_kind.items():
                if rows and kind not in found:
                    found.add(kind)
                    yield LateWitness(kind, end - period, end, min(rows, key=row_order), stream, self.static)


def _is_movable(window: Window) -> bool:
    """Return whether streams that use this window can be placed one after the other on one timeline."""
    match window:
        case TimeWindow():
            return True
        case TupleWindow(source=source, ties=ties, by=by):
            return isinstance(source, Iri) and ties == "arrival" and by is None
        case _:
            return False


def _is_bounded(window: Window) -> bool:
    """Return whether each element leaves the window after a bounded time."""
    return isinstance(window, IntervalWindow) and window.reach[0] is not None


def _finite(window: Window, *, past: int) -> Window:
    """Return the window; if its past is unlimited, return a window that contains only `past` time points."""
    return replace(window, past=past) if isinstance(window, TimeWindow) and window.past is None else window


def _seen(stream: Iterable[LateArrival]) -> Snapshot:
    return tuple(sorted(((t, quad) for t, _, quad in stream), key=lambda each: each[0]))
