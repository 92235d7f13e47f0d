"""Two sides tried on a stream: where, for a period, it has to be moved so that they differ there."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import gcd, lcm
from typing import Final

from agreement.comparing.agree import ComparedInput, Pair, compare_pairs
from agreement.documents.requests import sources
from agreement.documents.traces import LocalTrace, background
from agreement.proving.disjuncts import Candidate, Stock
from lars.errors import LarsError
from lars.language.terms import DEFAULT
from lars.language.windows import Interval
from solver.columns import trace_columns
from solver.facts import Background, EveryTime, Fact, Row, Static, constant_of
from solver.job import Question
from solver.settings import Certify, Runner
from translate.model.query import Dataset, Setting
from translate.model.windows import Range
from translate.tau import TRIGGER, Trigger, lars_program, output_of, push

LONGEST: Final = 100_000
Rows = dict[int, frozenset[Row]]


@dataclass(frozen=True, slots=True)
class StreamWitness:
    """A stream and static data on which push and pull differ in a period: `lars agree` has said so."""

    facts: tuple[Fact, ...]
    static: Stock
    timeline: Interval
    period: tuple[int, int]
    side: str
    row: Row
    cause: str


@dataclass(frozen=True, slots=True)
class PushAndPull:
    """A pull query and a push query, as `lars agree` compares them."""

    pair: Pair
    setting: Setting
    trigger: Trigger

    @property
    def steps(self) -> int:
        """The time by which streams can be moved: pivots stay where they are."""
        both = (*sources(self.pair.csparql), *sources(self.pair.cqels))
        return lcm(1, *(_slide(source.window, self.setting) for source in both))

    @property
    def reach(self) -> int:
        """How long the longest finite window shows what arrived."""
        both = (*sources(self.pair.csparql), *sources(self.pair.cqels))
        lengths = [
            source.window.length.points(self.setting.unit)
            for source in both
            if isinstance(source.window, Range)
        ]
        return max(lengths, default=0)

    def difference(self, tried: "Trial", period: int) -> StreamWitness | None:
        """Return how the trial's stream shows a difference for a period, None where it does not."""
        for shift, noise, end in tried.guesses(period):
            witness = self.confirmed(tried.candidate, shift, noise, period, end)
            if witness is not None:
                return witness
        return None

    def confirmed(
        self, candidate: Candidate, shift: int, noise: int | None, period: int, end: int
    ) -> StreamWitness | None:
        """Return the difference in the period up to `end` that `lars agree` finds on the moved stream."""
        return self.difference_on(candidate.facts(shift, noise), candidate.static, period, end)

    def difference_on(
        self, facts: tuple[Fact, ...], static: Stock, period: int, end: int
    ) -> StreamWitness | None:
        """Return the difference in a period up to `end` that `lars agree` finds, None where there is none."""
        trace = trace_on(facts, static, end)
        report = compare_pairs(
            [self.pair], [period], ComparedInput(trace), self.setting, self.trigger
        ).variants[0]
        (verdict,) = report.verdicts
        for interval in verdict.intervals:
            for difference in () if interval.agree else report.differences(interval):
                times = (interval.start, interval.end)
                about = difference.side.value, difference.row, difference.cause.value
                return StreamWitness(facts, static, trace.timeline, times, *about)
        return None


def _slide(window: object, setting: Setting) -> int:
    slide = window.slide if isinstance(window, Range) else None
    return 1 if slide is None else slide.points(setting.unit)


def trace_on(facts: tuple[Fact, ...], static: Stock, last: int) -> LocalTrace:
    """Return a trace of facts up to a time, evaluated in this process."""
    runner = Runner(in_process=True, certify=Certify.NONE)
    return LocalTrace(trace_columns(list(facts)), Interval(0, last), background_of(static), runner)


def background_of(static: Stock) -> Background:
    """Return static triples as the background of a program."""
    default = frozenset(_texts(quad) for quad in static if quad[3] == DEFAULT)
    names = dict.fromkeys(str(quad[3]) for quad in static if quad[3] != DEFAULT)
    named = {name: frozenset(_texts(quad) for quad in static if str(quad[3]) == name) for name in names}
    return background(Static(default, named), Dataset(), lambda _: None)


def _texts(quad: tuple[object, ...]) -> tuple[str, str, str]:
    subject, predicate, object_ = map(str, quad[:3])
    return subject, predicate, object_


def stock_of(known: Background) -> Stock:
    """Return the static triples of a program's background."""
    triples = (tuple(map(constant_of, quad[:3])) for quad in known.get(("triple", 4), ()))
    graphs = (
        DEFAULT if quad[3] == DEFAULT.name else constant_of(quad[3]) for quad in known.get(("triple", 4), ())
    )
    return tuple((s, p, o, graph) for (s, p, o), graph in zip(triples, graphs, strict=True))


@dataclass
class Trial:
    """A candidate stream with what both sides would answer at each time, were they asked then."""

    sides: PushAndPull
    candidate: Candidate
    pull_rows: Rows = field(init=False)
    push_rows: Rows = field(init=False)
    push_times: frozenset[int] = field(init=False)
    last: int = field(init=False)

    def __post_init__(self) -> None:
        """Evaluate both queries at every time up to where nothing changes any more."""
        sides, candidate = self.sides, self.candidate
        self.last = candidate.last + sides.reach + 2 * sides.steps + 1
        if self.last > LONGEST:
            raise LarsError(
                f"the windows reach over {self.last} time points; expected at most {LONGEST}, so give a "
                "coarser --unit"
            )
        pair, setting = sides.pair, sides.setting
        output = output_of(pair.csparql, setting).predicate
        pushing = lars_program(pair.cqels, setting)
        questions = [
            Question(lars_program(pair.csparql, setting), output, EveryTime()),
            Question(pushing, output, EveryTime()),
            Question(push(pushing, sides.trigger), (TRIGGER.predicate, 0), EveryTime()),
        ]
        # Moved by a whole number of steps, so that windows reach back as far as they can.
        self.start = -(-(sides.reach + 1) // sides.steps) * sides.steps
        trace = trace_on(candidate.facts(self.start), candidate.static, self.start + self.last)
        rows_by_time = [runs.by_time() for runs in trace.answers(questions)]
        self.pull_rows, self.push_rows, fired = (
            {t - self.start: frozenset(rows) for t, rows in rows_of.items() if t >= self.start}
            for rows_of in rows_by_time
        )
        self.push_times = frozenset(t for t, rows in fired.items() if rows)

    def guesses(self, period: int) -> Iterator[tuple[int, int | None, int]]:
        """Yield how far to move the stream, when noise comes and which pull may differ then.

        Only times at which an answer changes, and those a period later, need be tried.
        """
        changes = self._changes()
        ends = sorted({t for c in changes for t in (c - 1, c)} | {t + period for t in self.push_times | {0}})
        for noisy in (False, True):
            for end in ends:
                if end < 0:
                    continue
                pulled = self._at(self.pull_rows, end)
                begin = end - period + 1
                rows = [self._at(self.push_rows, t) for t in self.push_times if begin <= t <= end]
                for noise in self._noises(changes, begin, end) if noisy else (None,):
                    more = [] if noise is None else [self._at(self.push_rows, noise)]
                    if frozenset().union(*rows, *more) == pulled:
                        continue
                    shift = self._shift(end, period)
                    if shift is not None:
                        yield shift, noise, end + shift

    def _noises(self, changes: list[int], begin: int, end: int) -> Iterator[int]:
        times = dict.fromkeys(t for c in reversed(changes) for t in (c - 1, c))
        yield from (t for t in (*times, begin) if max(begin, 0) <= t <= end)

    def _changes(self) -> list[int]:
        times = range(self.last + 2)
        return [
            t
            for t in times
            if self._at(self.pull_rows, t) != self._at(self.pull_rows, t - 1)
            or self._at(self.push_rows, t) != self._at(self.push_rows, t - 1)
        ]

    def _at(self, rows: Rows, t: int) -> frozenset[Row]:
        return rows.get(min(t, self.last), frozenset())

    def _shift(self, end: int, period: int) -> int | None:
        """Return by how much to move the stream so that `end` is a pull, and nothing precedes its period."""
        step = self.sides.steps
        least = max(period - end, 1)
        common = gcd(step, period)
        if end % common:
            return None
        # step · k + end ≡ 0 (mod period), from the first k with step · k >= least.
        every, first = period // common, -(-least // step)
        k = -end // common * pow(step // common, -1, every) % every
        return step * (first + (k - first) % every)
