"""Judge periods of a stream as soon as no later element can change them, batch by batch.

An element is late if it is more than `delay` time points older than an element that arrived before it. Late
elements are ignored. After an element at time T has arrived, all further elements that are not late are at T
- delay or later, so the input before T - delay is complete. A period is judged when all input of its
evaluations is complete. The verdicts therefore depend on the order of arrival, and not on how the stream is
divided into batches.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Final

import numpy as np

from agreement.comparing.agree import (
    AgreementTask,
    Pair,
    PeriodComparison,
    VariantReport,
    compare_pairs,
    periods_of,
    queries_of,
    sides_of,
)
from agreement.comparing.agree.agreeing import AgreementReport
from agreement.comparing.agree.periods import PeriodVerdict
from agreement.comparing.watch.answers import (
    BEHIND,
    LATE,
    AnswerVerdict,
    PeriodSemantics,
    is_own,
    judged_answers,
    last_end,
)
from agreement.comparing.watch.logs import LateAnswer, LogState, read_further
from agreement.comparing.watch.pending import delays, joined, needed_after, with_own_blanks
from agreement.comparing.watch.state import WatchState
from agreement.documents.dates import Dates
from agreement.documents.requests import TOLERANCE, AnswersOptions, Side
from agreement.documents.traces import MOST_TIMES, LocalTrace, with_dates
from lars.analysis import reach
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.program import Program
from lars.language.terms import Signature, Variable
from lars.language.windows import Interval
from solver.columns import Array, Mask, TraceColumns, distinct
from solver.facts import STREAM_PREDICATE, Background, Row
from solver.settings import Runner, Warn
from solver.traces import read_static
from translate.model.query import EngineQuery
from translate.tau import lars_program

LateElement = tuple[int, int, Row]
"""The time of a late element, the time of the newest element before it, and its stream and triple."""


_CERTIFIED: Final = 10
"""Clingo checks a sample of the answers of each batch whose number is a multiple of this number."""


@dataclass(frozen=True, slots=True)
class JudgedPeriods:
    """The result of a batch of elements: the newly judged periods, and the state for the next batch.

    - `state` is the state of the watch after the batch. `pending` are the elements that later batches may
      need.
    - `report` is the comparison of push and pull; None if no period is complete.
    - `new` contains, for each pull period, the numbers of the newly judged periods.
    - `late` are the late elements.
    - `answers` are the verdicts on the answers in the logs of running systems.
    - `late_answers` are the answers that came too late, for push and pull.
    """

    state: WatchState
    pending: TraceColumns
    report: AgreementReport | None
    new: tuple[tuple[VariantReport, PeriodVerdict, range], ...]
    late: tuple[LateElement, ...]
    answers: tuple[AnswerVerdict, ...] = ()
    late_answers: Mapping[Side, Sequence[LateAnswer]] = field(default_factory=dict)

    @property
    def disagreeing(self) -> Iterator[tuple[VariantReport, PeriodVerdict, PeriodComparison]]:
        """The newly judged periods in which push and pull disagree."""
        for variant, verdict, numbers in self.new:
            for number in _wrong(verdict, numbers):
                yield variant, verdict, verdict[number]


class Watcher:
    """A comparison of push and pull on a stream that does not end, and of the answers of running systems.

    - `logs` are the logs of push and pull, and `reading` are the options for reading them.
    - `answers_delay` is the number of time points by which an answer may be late and still count.
    - `new` is true if push reports only the rows that it did not report at its previous evaluation.
    """

    def __init__(self, task: AgreementTask, delay: int, warn: Warn) -> None:
        """Prepare the comparison of a task, for a stream whose elements can be late by `delay` time points.

        Raises:
            LarsError: A query must be derived from the whole trace, or a window needs the end of the stream.
        """
        if task.cqels is None and not task.assigned:
            raise LarsError(
                "cannot derive the CQELS query: the stream of each triple pattern depends on the "
                "predicates of the whole trace; use both queries, or --assign STREAM=PREDICATE"
            )
        static = read_static(task.trace.static)
        self._pairs, self._pulled, self._pushed = sides_of(task, static, frozenset(), warn)
        self._task, self._delay, self.periods = task, delay, periods_of(task)
        compared = (self._pairs[0].csparql, *(pair.cqels for pair in self._pairs))
        rules = tuple(rule for query in compared for rule in lars_program(query, task.setting).rules)
        future = reach(Program(rules)).future
        if future is None:
            raise LarsError("cannot watch a query whose windows need the end of the stream; use lars agree")
        self._ahead = future
        # The command sets these four if it watches logs of answers; the defaults watch none.
        self.logs: Mapping[Side, Path] = {}
        self.reading = AnswersOptions()
        self.answers_delay = 0
        self.new = False

    @property
    def queries(self) -> Sequence[EngineQuery]:
        """The queries that the user gives; they determine how files are read."""
        return queries_of(self._task)

    @property
    def pairs(self) -> Sequence[Pair]:
        """The compared pairs of queries."""
        return self._pairs

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of the compared rows."""
        return self._pairs[0].variables

    @property
    def _log_columns(self) -> tuple[str, ...] | None:
        """The columns of a log; None if an answer is a boolean."""
        if self._pairs[0].csparql.form == "ASK":
            return None
        return tuple(variable.name for variable in self.variables)

    @property
    def statics(self) -> tuple[Background, Background]:
        """The static data of pull, and of push."""
        return self._pulled, self._pushed

    def step(self, state: WatchState, pending: TraceColumns, new: TraceColumns, files: int) -> JudgedPeriods:
        """Judge each period that becomes complete with the new elements.

        Args:
            state: The state after the previous batch.
            pending: The pending elements of earlier batches.
            new: The new elements in the order of arrival.
            files: The number of files that contain the new elements.
        """
        new = with_own_blanks(new, state.files)
        behind = delays(new, state.newest)
        late, on_time = self._late(new, behind), self._on_time(new, behind)
        pending = joined(pending, self._with_late(new, on_time, behind) if self.logs else on_time)
        state = replace(
            state,
            newest=_newest(on_time, state.newest),
            files=state.files + files,
            elements=state.elements + _elements(new),
            late=state.late + len(late),
        )
        if state.newest is None:
            return JudgedPeriods(state, pending, None, (), late)
        # An element exactly `delay` older than the newest is still on time, so its time point is open.
        complete = state.newest - self._delay - 1
        ends = {period: max(complete - self._ahead, 0) // period * period for period in self.periods}
        judged = {period: state.judged.get(str(int(period)), 0) for period in self.periods}
        if all(ends[period] <= judged[period] for period in self.periods):
            return JudgedPeriods(state, pending, None, (), late)
        within = Interval(min(judged.values()) + 1, max(ends.values()))
        report = self._compared(state, pending, complete, within)
        verdicts = tuple(
            (variant, verdict, _numbers(verdict, judged[verdict.period], ends[verdict.period]))
            for variant in report.variants
            for verdict in variant.verdicts
        )
        wrong = (len(_wrong(verdict, numbers)) for _, verdict, numbers in verdicts)
        with_rows = (_with_rows(verdict, numbers) for _, verdict, numbers in verdicts)
        state = replace(
            state,
            judged={str(int(period)): max(ends[period], judged[period]) for period in self.periods},
            periods=state.periods + sum(len(numbers) for *_, numbers in verdicts),
            disagreeing=state.disagreeing + sum(wrong),
            with_rows=state.with_rows + sum(with_rows),
        )
        return JudgedPeriods(state, pending, report, verdicts, late)

    def _on_time(self, new: TraceColumns, behind: Mapping[Signature, Array]) -> TraceColumns:
        """Return the new elements that are at most `delay` time points older than an element before them."""
        atoms = {name: some.take(behind[name] <= self._delay) for name, some in new.atoms.items()}
        return replace(new, atoms=atoms)

    def _with_late(
        self, new: TraceColumns, on_time: TraceColumns, behind: Mapping[Signature, Array]
    ) -> TraceColumns:
        """Return elements with copies of the late elements under predicates of their own.

        A running system may drop all late elements, or use all late elements. To test both rules, the late
        elements are kept.
        """
        late = {
            (f"{kind}{name}", arity): some.take(mask)
            for (name, arity), some in new.atoms.items()
            for kind, mask in _by_delay(behind[name, arity], self._delay)
        }
        return replace(
            new, atoms={**on_time.atoms, **{name: some for name, some in late.items() if len(some.t)}}
        )

    def _compared(
        self, state: WatchState, pending: TraceColumns, complete: int, within: Interval
    ) -> AgreementReport:
        """Compare push and pull in an interval, on the elements up to the time point `complete`."""
        if (within.last - within.first) // min(self.periods) > MOST_TIMES:
            shown = Dates(state.origin, self._task.setting.unit).text
            through = f"{shown(within.first)} to {shown(within.last)}"
            raise LarsError(
                f"cannot judge more than {MOST_TIMES} periods at once, {through}; use a longer --period, and "
                "look for a wrong time in the files"
            )
        columns = replace(pending, atoms={name: some for name, some in pending.atoms.items() if is_own(name)})
        runner = self._runner(state.batch)
        trace = LocalTrace(columns, Interval(0, complete), self._pulled, runner, origin=state.origin)
        setting = with_dates(self._task.setting, trace)
        return compare_pairs(self._pairs, self.periods, trace, setting, self._pushed, within=within)

    def with_answers(self, step: JudgedPeriods) -> JudgedPeriods:
        """Read further answers in the logs; return the result of a batch with verdicts on the answers."""
        state = step.state
        if state.newest is None or not self.logs:
            return step
        complete = state.newest - self._delay - 1
        logs: dict[Side, LogState] = {}
        late: dict[Side, list[LateAnswer]] = {}
        for side, path in self.logs.items():
            how = self.reading, self._log_columns, self._task.setting.unit, state.origin
            before = state.logs.get(side, LogState())
            logs[side], late[side] = read_further(path, before, how, complete, self.answers_delay)
        semantics = self._semantics(step)
        times = semantics.times("push", 0)
        last = last_end(logs, self.answers_delay, state.compared, semantics, times)
        span = state.compared, last
        after, verdicts, more = judged_answers(logs, span, semantics, times, TOLERANCE)
        for side in logs:
            after[side] = replace(after[side], late=after[side].late + len(late[side]))
        state = replace(state, logs=after, compared=last)
        every = {side: (*late[side], *more[side]) for side in logs}
        return replace(step, state=state, answers=verdicts, late_answers=every)

    def _semantics(self, step: JudgedPeriods) -> PeriodSemantics:
        """Return the object that computes the rows of push and pull on the elements stored after a batch."""
        assert step.state.newest is not None
        return PeriodSemantics(
            self._pairs[0],
            replace(self._task.setting, semantics="set"),
            self._pulled,
            self._pushed,
            step.pending,
            step.state.newest - self._delay - 1 - self._ahead,
            step.state.origin,
            self.periods[0],
            self.new,
            max(self.answers_delay, self.periods[0]),
        )

    def _runner(self, batch: int) -> Runner:
        runner = self._task.trace.runner
        rests = runner.certify == "some" and batch % _CERTIFIED != 0
        return replace(runner, certify="none") if rests else runner

    def pruned(self, step: JudgedPeriods) -> TraceColumns:
        """Return those of the pending elements that later batches need."""
        if step.report is None:
            return step.pending
        end, before = min(step.state.judged.values()), frozenset[int]()
        if self.logs:
            semantics, end = self._semantics(step), min(end, step.state.compared)
            before = frozenset(semantics.before(end, semantics.times("push", 0)))
        return needed_after(step.pending, end, max(self.periods), step.report.variants, before)

    def _late(self, new: TraceColumns, behind: Mapping[Signature, Array]) -> tuple[LateElement, ...]:
        name = STREAM_PREDICATE, 4
        if name not in new.atoms:
            return ()
        numbers = (behind[name] > self._delay).nonzero()[0]
        chosen, by = new.atoms[name].take(numbers), behind[name][numbers].tolist()
        rows = zip(*(new.terms.atom_texts(column) for column in chosen.columns), strict=True)
        return tuple((t, t + more, row) for t, more, row in zip(chosen.t.tolist(), by, rows, strict=True))


def _numbers(verdict: PeriodVerdict, judged: int, end: int) -> range:
    """Return the numbers of a verdict's periods that end after `judged` and up to `end`."""
    first, last = ((t - verdict.start) // verdict.period for t in (judged, end))
    return range(max(first, 0), max(first, last, 0))


def _wrong(verdict: PeriodVerdict, numbers: range) -> Sequence[int]:
    """Return those of the given numbers whose periods are periods in which push and pull disagree."""
    found: list[int] = (
        np.flatnonzero(~verdict.agreeing[numbers.start : numbers.stop]) + numbers.start
    ).tolist()
    return found


def _with_rows(verdict: PeriodVerdict, numbers: range) -> int:
    sizes = verdict.sizes
    rows = (sizes.push + sizes.pull)[numbers.start : numbers.stop]
    return int(np.count_nonzero(rows))


def _by_delay(behind: Array, delay: int) -> Iterator[tuple[str, Mask]]:
    yield LATE, behind > delay
    yield BEHIND, (behind > 0) & (behind <= delay)


def _newest(columns: TraceColumns, before: int | None) -> int | None:
    """Return the newest time of the elements, or the time `before` if it is newer; None without both."""
    times = [int(some.t.max()) for some in columns.atoms.values() if len(some.t)]
    return max([*times, *(() if before is None else (before,))], default=None)


def _elements(columns: TraceColumns) -> int:
    """Return the number of arrived triples; atoms with the same arrival number count once."""
    some = columns.atoms.get((STREAM_PREDICATE, 4))
    return 0 if some is None else len(distinct(some.arrival))
