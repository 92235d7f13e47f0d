"""Questions to a program, and their answers at many evaluation times, by columns or by clingo."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice, pairwise
from math import lcm
from typing import Final, TypeVar

import numpy as np

from lars.analysis import reach, windows
from lars.errors import FailedRunError, LarsError
from lars.language.formulas import At, Diamond, Formula, In, Not, Truth
from lars.language.program import Program, formulas, nested
from lars.language.stream import Moment, moment_order, write_moment
from lars.language.terms import Atom, Signature
from lars.language.windows import Interval, TimeWindow, TupleWindow
from solver.columns import Array
from solver.facts import Background, NearSituation, Row, Situation, Span, unite
from solver.job.answer_runs import Answer, AnswerRuns, AtomRuns, Question, Stretch, Whole, atom_runs
from solver.pointwise import consequences, have_runs, models, rows, runs
from solver.relational import (
    EncodedSituation,
    Obstacle,
    RunTable,
    as_table,
    coalesce,
    concatenate,
    decode,
    empty,
    encode,
    evaluate_program,
    obstacle,
)
from solver.settings import Evaluator, Runner, tell

_KEPT: Final = 256
"""So many situations are remembered."""


class RepeatedSituations:
    """The rows of situations that were met before, for programs whose answers do not hang on the time.

    Without @ only windows know the time. Where each of them holds ◇ of atoms, or atoms, it matters
    which atoms lie in it, which come now, and in what order; else how far away they are, where the
    timeline ends and where the pivots lie.
    """

    def __init__(self, program: Program) -> None:
        self._known: dict[Hashable, list[Row]] = {}
        self._windows = sorted(windows(program), key=str)
        self._reach = reach(program)
        bodies = [part for rule in program.rules for part in formulas(rule.body)]
        self._tells_time = any(isinstance(rule.head, At) for rule in program.rules) or any(
            isinstance(inner, At) for part in bodies for inner in nested(part)
        )
        self._flat = all(map(_is_flat, bodies))
        steps = (window.step for window in self._windows if isinstance(window, TimeWindow))
        self._step = lcm(*steps)
        self._fixed = any(not isinstance(window, TimeWindow) for window in self._windows)

    def rows(self, situation: Situation, t: int, evaluate: Callable[[], Iterable[Row]]) -> Sequence[Row]:
        """Return what `evaluate` finds in a situation at t, found before or now."""
        if self._tells_time or (self._fixed and not self._flat):
            return list(evaluate())
        key = self._flat_key(situation, t) if self._flat else self._key(situation, t)
        if key not in self._known:
            if len(self._known) >= _KEPT:
                del self._known[next(iter(self._known))]
            self._known[key] = list(evaluate())
        return self._known[key]

    def _flat_key(self, situation: Situation, t: int) -> Hashable:
        intervals = [
            window.bounds(t, situation.timeline)
            for window in self._windows
            if not isinstance(window, TupleWindow)
        ]
        ranks = {u: rank for rank, u in enumerate(sorted({fact.t for fact in situation.facts}))}
        facts = tuple(
            (
                f.predicate,
                f.arguments,
                ranks[f.t],
                (f.t > t) - (f.t < t),
                *(f.t in interval for interval in intervals),
            )
            for f in situation.facts
        )
        return facts, *((t in interval, bool(interval)) for interval in intervals)

    def _key(self, situation: Situation, t: int) -> Hashable:
        past, future = t - situation.timeline.first, situation.timeline.last - t
        ends = (
            past if self._reach.past is None else min(past, self._reach.past),
            future if self._reach.future is None else min(future, self._reach.future),
        )
        facts = tuple((f.t - t, f.predicate, f.arguments) for f in situation.facts)
        return facts, ends, t % self._step


def _is_flat(part: Formula) -> bool:
    """Whether a formula is an atom, or ◇ of one, perhaps in a window and under ¬ that stands outside."""
    match part:
        case Not(inner):
            return _is_flat(inner)
        case In(_, inner) | inner:
            return isinstance(inner.inner if isinstance(inner, Diamond) else inner, Atom | Truth)


Outcome = TypeVar("Outcome")


def evaluate(
    questions: Sequence[Question],
    situation: Situation,
    within: Interval,
    evaluator: Evaluator = Evaluator.AUTO,
) -> Iterator[Answer]:
    """Yield each answer of each question at its evaluation times in the interval, once.

    The situation must hold all input that the programs' windows can see from there.
    """
    return answers_in(questions, encode(situation), within, evaluator)


def answers_in(
    questions: Sequence[Question],
    situation: EncodedSituation,
    within: Interval,
    evaluator: Evaluator = Evaluator.AUTO,
) -> Iterator[Answer]:
    """Yield the answers as `evaluate` does, of a situation in columns."""
    for number, times, row, first, last in _rows(questions, situation, within, evaluator):
        for t in times[first : last + 1]:
            yield Answer(number, t, row)


def stretches(
    questions: Sequence[Question],
    situation: Situation,
    within: Interval,
    evaluator: Evaluator = Evaluator.AUTO,
) -> Iterator[Stretch]:
    """Yield the answers as `evaluate` does, those of consecutive evaluation times as one."""
    result: dict[tuple[int, Row], tuple[Sequence[int], list[Span]]] = {}
    for number, times, row, first, last in _rows(questions, encode(situation), within, evaluator):
        unite(result.setdefault((number, row), (times, []))[1], (first, last))
    for (number, row), (times, spans) in result.items():
        yield from (Stretch(number, row, times[first], times[last]) for first, last in spans)


def _rows(
    questions: Sequence[Question], situation: EncodedSituation, within: Interval, evaluator: Evaluator
) -> Iterator[tuple[int, Sequence[int], Row, int, int]]:
    """Yield the rows of each question by its number, with its times, each row's runs apart."""
    for number, question in enumerate(questions):
        times = situation.times(question.gate, within).tolist()
        last_rows = None
        if by_columns(question, situation.background, evaluator):
            if evaluator is Evaluator.BOTH:
                check_alike_at(question, situation.decoded(), times)
            last_rows = _unless_refused(partial(_found_by_columns, question, situation, times), evaluator)
        if last_rows is None:
            last_rows = parts_by_clingo(question, situation, times)
        for row, first, last in last_rows:
            yield number, times, row, first, last


def answer_runs(
    questions: Sequence[Question],
    situation: EncodedSituation,
    within: Interval,
    evaluator: Evaluator = Evaluator.AUTO,
) -> list[AnswerRuns]:
    """Return the answers of each question, which asks for a predicate, at its times in the interval."""
    return [
        answers_at(question, situation, situation.times(question.gate, within), None, evaluator)
        for question in questions
    ]


def answers_at(
    question: Question,
    situation: EncodedSituation,
    times: Array,
    newest: Array | None = None,
    evaluator: Evaluator = Evaluator.AUTO,
) -> AnswerRuns:
    """Return the answers of a question at times of one's own, whatever its gate.

    Neither times nor `newest`, of which there are as many, move back: at each evaluation nothing that
    arrived after its newest is seen.
    """
    assert question.predicate is not None, "answer streams have rows of no width"
    result, listed = None, times.tolist()
    if by_columns(question, situation.background, evaluator):
        if evaluator is Evaluator.BOTH and newest is None:
            check_alike_at(question, situation.decoded(), listed)
        latest = None if newest is None else newest.tolist()
        result = _unless_refused(partial(_by_columns, question, situation, listed, latest), evaluator)
    if result is None:
        rows = _by_clingo_as_if(question, situation, listed, newest)
        result = coalesce(as_table(rows, question.predicate[1], situation.terms), len(listed))
    return AnswerRuns(times, result, situation.terms)


def _unless_refused(outcome_of: Callable[[], Outcome], evaluator: Evaluator) -> Outcome | None:
    """Return what columns find, None where they meet a number or a constraint that they cannot answer.

    clingo, time by time, answers what comes before, and says at which time it cannot.
    """
    try:
        return outcome_of()
    except FailedRunError:
        raise
    except LarsError:
        if evaluator is Evaluator.RELATIONAL:
            raise
        return None


def _by_clingo_as_if(
    question: Question, situation: EncodedSituation, times: Sequence[int], newest: Array | None
) -> Iterator[tuple[Row, int, int]]:
    if newest is None:
        yield from parts_by_clingo(question, situation, times)
        return
    decoded = situation.decoded()
    for index, (t, latest) in enumerate(zip(times, newest.tolist(), strict=True)):
        for row, _, _ in by_clingo(question, replace(decoded, newest=latest), [t]):
            yield row, index, index


def parts_by_clingo(
    question: Question, situation: EncodedSituation, times: Sequence[int]
) -> Iterator[tuple[Row, int, int]]:
    """Yield what `by_clingo` does, of one part of the times after another: runs end where it ends."""
    for begin, end, part in _portions(question.program, situation, times) if times else ():
        for row, first, last in by_clingo(question, part.decoded(), times[begin:end]):
            yield row, begin + first, begin + last


def check_alike_at(question: Question, situation: Situation, times: Sequence[int]) -> None:
    """Raise DisputedAnswerError where columns and clingo answer a question differently."""
    from solver.job.both_ways import PosedProgram, check_alike

    def columns(case: PosedProgram) -> Iterator[tuple[Row, int, int]]:
        return _found_by_columns(_of_program(case.program), encode(case.situation), case.times)

    def clingo(case: PosedProgram) -> Iterator[tuple[Row, int, int]]:
        return by_clingo(_of_program(case.program), case.situation, case.times)

    def _of_program(program: Program) -> Question:
        return replace(question, program=program)

    check_alike(PosedProgram(question.program, situation, times), columns, clingo)


def by_columns(question: Question, background: Iterable[Signature], evaluator: Evaluator) -> bool:
    """Whether the relational evaluation answers the question; raises LarsError when it must, and cannot."""
    if evaluator is Evaluator.CLINGO:
        return False
    obstacle_found = hindrance(question, frozenset(background))
    if obstacle_found is not None and evaluator is Evaluator.RELATIONAL:
        raise LarsError(f"--evaluator relational: accepted with what columns cover, not: {obstacle_found}")
    return obstacle_found is None


def hindrance(question: Question, background: frozenset[Signature]) -> Obstacle | None:
    """Return what keeps a question from the relational evaluation, None when it is covered."""
    return _obstacle(question.program, background, whole=question.predicate is None)


def say_hindrances(questions: Sequence[Question], background: Background, runner: Runner) -> None:
    """Say what part of a program keeps a question from being evaluated by columns."""
    for question in questions:
        if (hindering := hindrance(question, frozenset(background))) is not None:
            runner.notice(f"evaluated by clingo, not by columns: {hindering}")


@lru_cache(maxsize=256)
def _obstacle(program: Program, background: frozenset[Signature], *, whole: bool) -> Obstacle | None:
    hindering = obstacle(program, background)
    constraint = next((rule for rule in program.rules if whole and rule.head is None), None)
    if hindering is None and constraint is not None:
        return Obstacle("it can leave a time point without answer stream", constraint)
    return hindering


def _found_by_columns(
    question: Question, situation: EncodedSituation, times: Sequence[int]
) -> Iterator[tuple[Row, int, int]]:
    if question.predicate is None:
        runs_of_atoms = _stream_runs(question, situation, times)
        return ((row, index, index) for index, row in enumerate(runs_of_atoms.by_index(len(times))))
    table = coalesce(_by_columns(question, situation, times), len(times))
    return decode(table, situation.terms)


def stream_runs(
    question: Question, situation: EncodedSituation, times: Sequence[int], evaluator: Evaluator
) -> AtomRuns | None:
    """Return the atoms of the only answer stream at each of the times; None where clingo has to answer."""
    if evaluator is Evaluator.BOTH or not by_columns(question, situation.background, evaluator):
        return None
    return _unless_refused(partial(_stream_runs, question, situation, times), evaluator)


def _stream_runs(question: Question, situation: EncodedSituation, times: Sequence[int]) -> AtomRuns:
    run_tables: dict[Signature, list[RunTable]] = {}
    for begin, end, part in _portions(question.program, situation, times) if times else ():
        for name, table in evaluate_program(question.program, part, times[begin:end], None).items():
            run_tables.setdefault(name, []).append(table.moved(begin))
    derived = {
        name: tables[0] if len(tables) == 1 else coalesce(concatenate(tables, name[1]), len(times))
        for name, tables in run_tables.items()
    }
    return atom_runs(question.program, situation, derived)


def _by_columns(
    question: Question,
    situation: EncodedSituation,
    times: Sequence[int],
    newest: Sequence[int] | None = None,
) -> RunTable:
    output = question.predicate
    assert output is not None, "whole answer streams are clingo's"
    if not times:
        return empty(output[1])
    parts = list(_portions(question.program, situation, times))
    run_tables: list[RunTable] = []
    for begin, end, part in parts:
        tell(len(run_tables), len(parts))
        latest = None if newest is None else newest[begin:end]
        tables = evaluate_program(question.program, part, times[begin:end], output, latest)
        run_tables.append(tables.get(output, empty(output[1])))
    if len(run_tables) == 1:
        return run_tables[0]
    moved = [table.moved(begin) for table, (begin, _, _) in zip(run_tables, parts, strict=True)]
    return coalesce(concatenate(moved, output[1]), len(times))


ATOMS_AT_ONCE: Final = 250_000
_SPREAD: Final = 50_000_000
"""Atoms times evaluation times of one clingo program: what is negated is told of each time by itself."""


def _portions(
    program: Program, situation: EncodedSituation, times: Sequence[int]
) -> Iterator[tuple[int, int, EncodedSituation]]:
    """Yield ranges of the times, each with the input that it needs: joins of a part stay in memory."""
    seen = reach(program)
    arrived = np.zeros(len(times), np.int64)
    for some in situation.atoms.values():
        arrived += np.searchsorted(some.t, times, "right")
    total = int(arrived[-1])
    if seen.past is None or seen.future is None or seen.tuples:
        # Tuple windows count what came long before.
        yield 0, len(times), situation
        return
    length = times[-1] + 1 - times[0]
    count = min(1 + total // ATOMS_AT_ONCE, 1 + length // (seen.past + seen.future + 1))
    number = np.maximum(arrived - 1, 0) * count // max(total, 1)
    borders = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(times)]
    for begin, end in pairwise(borders):
        yield begin, end, situation.within(Interval(times[begin] - seen.past, times[end - 1] + seen.future))


def by_clingo(
    question: Question, situation: Situation, times: Sequence[int]
) -> Iterator[tuple[Row, int, int]]:
    """Yield each row with the first and the last of the indexes at which it is an answer, all apart."""
    program, output = question.program, question.output
    if len(times) > 1 and isinstance(output, tuple) and have_runs(program, situation.background):
        step = max(2, _SPREAD // (1 + len(situation.facts)))
        for begin in range(0, len(times), step):
            for row, (first, last) in runs(program, situation, times[begin : begin + step], output):
                yield row, begin + first, begin + last
        return
    around, repeats = NearSituation(program, situation), RepeatedSituations(program)
    for index, t in enumerate(times):
        seen = around.at(t)
        found = repeats.rows(seen, t, partial(_rows_at, question, seen, t))
        yield from ((row, index, index) for row in found)


def _rows_at(question: Question, situation: Situation, t: int) -> Iterable[Row]:
    if isinstance(question.output, Whole):
        return _whole_rows(question, situation, t, question.output)
    return rows(question.program, situation, t, question.output)


def _whole_rows(question: Question, situation: Situation, t: int, whole: Whole) -> Iterator[Row]:
    found: Iterable[frozenset[Moment] | None]
    if whole.consequences is None:
        found = islice(models(question.program, situation, t), whole.most)
    else:
        found = (consequences(question.program, situation, t, whole.consequences),)
    for model in found:
        if model is not None:
            moments = sorted(model, key=lambda moment: moment_order(moment, t))
            yield tuple(write_moment(moment, t) for moment in moments)
