"""A slice of the timeline → answers per time point: the one function that Spark and a process run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from lars.errors import LarsError
from lars.program import Program
from lars.terms import Atom, Signature, signature
from lars.windows import Interval
from solver.gate import Gate, split
from solver.intervals import Row, is_covered, runs
from solver.plain import Derived, models
from solver.situation import Situation

TRIGGER: Final = Atom("trigger")


@dataclass(frozen=True, slots=True)
class Question:
    """A program without its trigger, the predicate asked for, and the evaluation times.

    Without a predicate the answers are whole answer streams: each row is one stream's derived
    atoms as texts, `@_u a` where a holds at another time than the reference time.
    """

    program: Program
    output: Signature | None
    gate: Gate


class Answer(NamedTuple):
    """A row that question number `question` has at time t."""

    question: int
    t: int
    row: Row


def ask(program: Program, output: Signature | None, gate: Gate | None = None) -> Question:
    """Return the question for the atoms of `output`; the gate is the program's own unless given."""
    own, ungated = split(program, TRIGGER)
    return Question(ungated if gate is None else program, output, own if gate is None else gate)


def evaluate(questions: Sequence[Question], situation: Situation, within: Interval) -> Iterator[Answer]:
    """Yield each answer of each question at its evaluation times in the interval, once.

    The situation must hold all input that the programs' windows can see from there.
    """
    for number, question in enumerate(questions):
        times = question.gate.times(situation.facts, within.meet(situation.timeline))
        for t, row in _rows(question, situation, times):
            yield Answer(number, t, row)


def _rows(question: Question, situation: Situation, times: Sequence[int]) -> Iterator[tuple[int, Row]]:
    if question.output is None:
        yield from ((t, _stream(model, t)) for t in times for model in models(question.program, situation, t))
        return
    if not is_covered(question.program, situation.background):
        yield from ((t, row) for t in times for row in _plain_rows(question, situation, t))
        return
    found: dict[Row, list[range]] = {}
    for row, first, last in runs(question.program, situation, times, question.output):
        found.setdefault(row, []).append(range(first, last + 1))
    for row, spans in found.items():
        for index in spans[0] if len(spans) == 1 else set().union(*spans):
            yield times[index], row


def _stream(model: frozenset[Derived], t: int) -> Row:
    return tuple(sorted(str(atom) if u == t else f"@_{u} {atom}" for u, atom in model))


def _plain_rows(question: Question, situation: Situation, t: int) -> Iterator[Row]:
    found = list(models(question.program, situation, t))
    if len(found) != 1:
        raise LarsError(f"the program has {len(found)} answer streams at {t}, so no one answer")
    for when, atom in found[0]:
        if when == t and signature(atom) == question.output:
            yield tuple(None if text == "null" else text for text in map(str, atom.arguments))
