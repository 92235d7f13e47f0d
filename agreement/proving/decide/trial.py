"""Evaluate push and pull on a given stream, and find shifts in time for which the two sides differ."""

from collections.abc import Iterator
from dataclasses import field
from math import gcd, lcm
from typing import Final

from agreement.comparing.agree import Pair
from agreement.documents.requests import sources
from agreement.proving.decisions import PairOnStream, Witness, trace_on
from agreement.proving.disjuncts import Candidate, UncountedError, background_of
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.windows import Interval
from solver.facts import Row
from solver.job import Question
from translate.model.query import Setting
from translate.model.windows import Range
from translate.tau import TRIGGER, lars_program, output_of, push

LONGEST: Final = 100_000
"""The maximum number of time points at which both queries are evaluated on a tried stream."""
Rows = dict[int, frozenset[Row]]


@dataclass
class Trial:
    """A stream on which push and pull may differ, with the rows of both queries at each time.

    All times are time points after the first arrival of the stream. `push_times` are the times at which input
    makes push evaluate.
    """

    pair: Pair
    setting: Setting
    candidate: Candidate
    pull_rows: Rows = field(init=False)
    push_rows: Rows = field(init=False)
    push_times: frozenset[int] = field(init=False)
    last: int = field(init=False)
    step: int = field(init=False)
    """The least common multiple of the windows' slides, in time points.

    If a stream is shifted by a multiple of this number, its windows contain the same triples.
    """

    def __post_init__(self) -> None:
        """Evaluate the pushed and the pulled query at every time until the rows no longer change.

        Raises:
            LarsError: The windows are longer than `LONGEST` time points.
            UncountedError: The slides have a common multiple that is too large.
        """
        pair, setting, candidate = self.pair, self.setting, self.candidate
        windows = [source.window for query in (pair.csparql, pair.cqels) for source in sources(query)]
        ranges = [window for window in windows if isinstance(window, Range)]
        slides = (window.slide.points(setting.unit) for window in ranges if window.slide is not None)
        reach, self.step = (
            max((each.length.points(setting.unit) for each in ranges), default=0),
            lcm(1, *slides),
        )
        covered = candidate.last + reach + 1
        # From here on, no window contains a triple, wherever its pivot is, so that rows no longer change.
        self.last = covered + 2 * self.step
        if covered > LONGEST:
            raise LarsError(
                f"the windows cover {covered} time points; use a coarser --unit, so that windows "
                f"cover at most {LONGEST} time points"
            )
        if self.last > LONGEST:
            raise UncountedError(
                f"the windows begin together only every {self.step} time points, but the "
                f"search tries a stream at no more than {LONGEST} time points"
            )
        output = output_of(pair.csparql, setting).predicate
        pushing = lars_program(pair.cqels, setting)
        questions = [
            Question(lars_program(pair.csparql, setting), output, None),
            Question(pushing, output, None),
            Question(push(pushing, setting.trigger), (TRIGGER.predicate, 0), None),
        ]
        # A whole number of steps keeps all pivots, and no window reaches back before time 0.
        self.start = -(-(reach + 1) // self.step) * self.step
        timeline = Interval(0, self.start + self.last)
        trace = trace_on(candidate.facts(self.start), background_of(candidate.static), timeline)
        rows_by_time = [runs.by_time() for runs in trace.answers(questions)]
        self.pull_rows, self.push_rows, fired = (
            {t - self.start: frozenset(rows) for t, rows in rows_of.items() if t >= self.start}
            for rows_of in rows_by_time
        )
        self.push_times = frozenset(t for t, rows in fired.items() if rows)

    def difference(self, period: int) -> Witness | None:
        """Return a witness with the stream shifted in time so that push and pull differ, or None.

        `period` is the number of time points between two pulls.
        """
        static, about = background_of(self.candidate.static), (self.pair, self.setting, period)
        for shift, noise, end in self.guesses(period):
            witness = PairOnStream(*about, self.candidate.facts(shift, noise), static, end).witness()
            if witness is not None:
                return witness
        return None

    def guesses(self, period: int) -> Iterator[tuple[int, int | None, int]]:
        """Yield shifts of the stream in time for which a pull may report other rows than push in its period.

        Each result contains the shift, the time of an additional unrelated triple (or None), and the time of
        the pull. Only times at which an answer changes, and times one period later, are tried.
        """
        changes = self._changes()
        # Rows are constant between changes, so only the times next to a change can differ.
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
        """Return a shift of the stream, after which time `end` is the time of a pull.

        After the shift, all times of the stream are positive. The shift is a multiple of all slides, because
        another shift would change the answers. If no multiple of all slides moves `end` to a pull, the
        function returns None.
        """
        step = self.step
        least = max(period - end, 1)
        common = gcd(step, period)
        if end % common:
            return None
        # step · k + end ≡ 0 (mod period), from the first k with step · k >= least.
        every, first = period // common, -(-least // step)
        k = -end // common * pow(step // common, -1, every) % every
        return step * (first + (k - first) % every)
