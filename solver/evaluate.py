"""A slice of the timeline → answers per time point: the one function that Spark and a process run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from lars.errors import LarsError
from lars.program import Program
from lars.stream import Moment, moment_order, write_moment
from lars.terms import Atom, Signature, signature
from lars.windows import Interval
from solver.around import Around
from solver.gate import Gate, split
from solver.intervals import Row, is_covered, runs
from solver.plain import Consequences, consequences, models
from solver.situation import Situation

TRIGGER: Final = Atom("trigger")


@dataclass(frozen=True, slots=True)
class Whole:
    """Ask for whole answer streams: at most `most` of them, or what some or all of them derive.

    Each row is then the derived atoms of one answer stream (or the consequences) as texts,
    `@_u a` where a holds at another time than the reference time. No row: no answer stream.
    """

    most: int | None = None
    consequences: Consequences | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A program without its trigger, what is asked for, and the evaluation times.

    A predicate asks for its rows in the one answer stream that there is.
    """

    program: Program
    output: Signature | Whole
    gate: Gate

    @property
    def predicate(self) -> Signature | None:
        """The predicate that is asked for; None when whole answer streams are."""
        return None if isinstance(self.output, Whole) else self.output


class Answer(NamedTuple):
    """A row that question number `question` has at time t."""

    question: int
    t: int
    row: Row


def ask(program: Program, output: Signature | Whole, gate: Gate | None = None) -> Question:
    """Return the question for the atoms of `output`; the gate is the program's own unless given."""
    own, ungated = split(program, TRIGGER)
    return Question(ungated if gate is None else program, output, own if gate is None else gate)


class Stretch(NamedTuple):
    """A row that question number `question` has at each of its evaluation times from first to last."""

    question: int
    row: Row
    first: int
    last: int


def evaluate(questions: Sequence[Question], situation: Situation, within: Interval) -> Iterator[Answer]:
    """Yield each answer of each question at its evaluation times in the interval, once.

    The situation must hold all input that the programs' windows can see from there.
    """
    for number, question in enumerate(questions):
        times = question.gate.times(situation.facts, within.meet(situation.timeline))
        for row, first, end in _rows(question, situation, times):
            for t in times[first:end]:
                yield Answer(number, t, row)


def stretches(questions: Sequence[Question], situation: Situation, within: Interval) -> Iterator[Stretch]:
    """Yield the answers as `evaluate` does, those of consecutive evaluation times as one."""
    for number, question in enumerate(questions):
        times = question.gate.times(situation.facts, within.meet(situation.timeline))
        for row, first, end in _rows(question, situation, times):
            yield Stretch(number, row, times[first], times[end - 1])


def _rows(question: Question, situation: Situation, times: Sequence[int]) -> Iterator[tuple[Row, int, int]]:
    """Yield each row with the first and the end of the indexes at which it is an answer, all apart."""
    whole = question.output
    if isinstance(whole, Whole) or not is_covered(question.program, situation.background):
        around = Around(question.program, situation)
        for index, t in enumerate(times):
            seen = around.at(t)
            if isinstance(whole, Whole):
                yield from (
                    (_stream(model, t), index, index + 1) for model in _wholes(question, whole, seen, t)
                )
            else:
                yield from ((row, index, index + 1) for row in _plain_rows(question, seen, t))
        return
    found: dict[Row, list[tuple[int, int]]] = {}
    for row, first, last in runs(question.program, situation, times, whole):
        found.setdefault(row, []).append((first, last + 1))
    for row, spans in found.items():
        yield from ((row, first, end) for first, end in _apart(spans))


def _apart(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    if len(spans) == 1:
        yield spans[0]
        return
    spans.sort()
    first, end = spans[0]
    for next_first, next_end in spans[1:]:
        if next_first > end:
            yield first, end
            first, end = next_first, next_end
        else:
            end = max(end, next_end)
    yield first, end


def _wholes(question: Question, wanted: Whole, situation: Situation, t: int) -> Iterator[frozenset[Moment]]:
    if wanted.consequences is None:
        yield from islice(models(question.program, situation, t), wanted.most)
        return
    found = consequences(question.program, situation, t, wanted.consequences)
    if found is not None:
        yield found


def _stream(model: frozenset[Moment], t: int) -> Row:
    return tuple(write_moment(moment, t) for moment in sorted(model, key=lambda one: moment_order(one, t)))


def _plain_rows(question: Question, situation: Situation, t: int) -> Iterator[Row]:
    found = list(models(question.program, situation, t))
    if len(found) != 1:
        raise LarsError(f"the program has {len(found)} answer streams at {t}, so no one answer")
    for when, atom in found[0]:
        if when == t and signature(atom) == question.output:
            yield tuple(None if text == "null" else text for text in map(str, atom.arguments))
