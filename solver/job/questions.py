"""Questions to a program, and single answers."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from lars.language.program import Program
from lars.language.terms import Atom, Signature
from solver.facts import Gate, Row, split
from solver.pointwise import Consequences

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
