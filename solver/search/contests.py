"""What a search is given, two sides and what streams may be made of, and what it finds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from lars.language.program import Program
from lars.language.stream import ToStream
from lars.language.terms import Atom, Constant, Term
from lars.language.windows import Interval
from solver.deadlines import NEVER, Deadline
from solver.facts import Background, Fact, Multiples
from solver.job import Question


@dataclass(frozen=True, slots=True)
class Contest:
    """Two sides that are to differ in a period (iU, (i+1)U]: what each reports there, in total.

    A side evaluates when its gate says: with input (push), at the period's end (pull: `Multiples` of
    the period alone), or at every time point. With `contained` only a row that the left side alone has
    is a difference. With `same_input` the windows, were they closed and did they not slide, show both sides
    the same triples at their evaluations in the period, in total. `kinds` are what each side
    reports of an answer, where single time points are compared.
    """

    left: Question
    right: Question
    period: int
    contained: bool = False
    same_input: bool = False
    kinds: tuple[ToStream, ToStream] = (ToStream.RSTREAM, ToStream.RSTREAM)

    @property
    def looks_back(self) -> bool:
        """Whether what a side reports depends on its evaluation before."""
        return self.kinds != (ToStream.RSTREAM, ToStream.RSTREAM)

    @property
    def compared_period(self) -> int | None:
        """The length of the periods that are compared; None where single time points are."""
        gates = self.left.gate, self.right.gate
        return self.period if any(isinstance(gate, Multiples) for gate in gates) or self.period > 1 else None

    @property
    def programs(self) -> tuple[Program, Program]:
        """The programs of both sides."""
        return self.left.program, self.right.program


@dataclass(frozen=True)
class Candidates:
    """What a stream and static data may be made of: input atoms, and atoms that B may hold.

    `background` is what B holds anyway. Of a group that is `alike` the terms can be exchanged: whatever
    differs on a stream does so on the stream with two of them exchanged.
    """

    arrivals: tuple[Atom, ...]
    static: tuple[Atom, ...] = ()
    background: Background = field(default_factory=dict)
    alike: tuple[tuple[Constant, ...], ...] = ()

    @cached_property
    def ranks(self) -> Mapping[Term, tuple[int, int]]:
        """The group and the place in it of each term that is like others."""
        groups = enumerate(self.alike)
        return {term: (group, place) for group, terms in groups for place, term in enumerate(terms)}


@dataclass(frozen=True, slots=True)
class ChosenStream:
    """A stream on which two sides differ in (start, end], and the static atoms that were chosen.

    It ends with the period, or with the last arrival that windows see ahead.
    """

    facts: tuple[Fact, ...]
    static: tuple[Atom, ...]
    start: int
    end: int

    @property
    def timeline(self) -> Interval:
        """From time 0 to the end of the stream."""
        return timeline_of(self.facts, self.end)

    @property
    def cost(self) -> tuple[int, int, int, int]:
        """What orders streams: arrivals, static atoms, horizon, last arrival."""
        return len(self.facts), len(self.static), self.end, self.facts[-1].t if self.facts else 0


def timeline_of(facts: Sequence[Fact], end: int) -> Interval:
    """Return the timeline of a stream that ends at a time, or with what arrives after it."""
    return Interval(0, max((end, *(fact.t for fact in facts))))


TIME_IS_UP: Final = "the time is up"
TOO_MANY: Final = "streams are tried one by one, and with more triples there are too many"
TOO_LARGE: Final = "with more triples the rules have too many instances"
"""Clingo cannot list them in time."""
FEW_STATIC: Final = "streams are tried one by one, with at most two static triples"


class StoppedSearchError(Exception):
    """Not all streams of so many arrivals are tried, for a `reason`; those of fewer were.

    `best` is the best stream that was found so far.
    """

    def __init__(self, arrivals: int, reason: str, best: ChosenStream | None = None) -> None:
        super().__init__(arrivals, reason)
        self.arrivals, self.reason, self.best = arrivals, reason, best


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """How far a search goes: the most arrivals, when it ends; it begins with the `fewest` arrivals."""

    arrivals: int
    deadline: Deadline = NEVER
    fewest: int = 0
