"""The input of a search (two sides, and the triples to choose from) and its results."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Final

from lars.dataclass import dataclass
from lars.language.program import Program
from lars.language.stream import ToStream
from lars.language.terms import Atom, Constant, Term
from lars.language.windows import Interval
from solver.facts import Background, Fact, Multiples
from solver.job import Question


@dataclass(frozen=True, slots=True)
class Contest:
    """The task to find a stream on which the reports of two programs differ in a period (iU, (i+1)U].

    - `left` and `right` are the programs (sides), as questions. The gate of a side defines its evaluation
      times: times with input (push), the end of the period (pull: `Multiples` of the period only), or every
      time point.
    - `period` is the length U of the period in time points.
    - If `contained` is true, only a row that the left side alone reports counts as a difference.
    - If `same_input` is true, the windows of both sides must contain the same triples over all evaluations of
      the period. For this comparison, windows include both ends and do not slide.
    - `kinds` are the relation-to-stream operators of the two sides; they matter if single time points are
      compared.
    """

    left: Question
    right: Question
    period: int
    contained: bool = False
    same_input: bool = False
    kinds: tuple[ToStream, ToStream] = ("RSTREAM", "RSTREAM")

    @property
    def looks_back(self) -> bool:
        """Whether a report of a side depends on the previous evaluation of the side."""
        return self.kinds != ("RSTREAM", "RSTREAM")

    @property
    def compared_period(self) -> int | None:
        """The length of the compared periods, or None for single time points."""
        gates = self.left.gate, self.right.gate
        return self.period if any(isinstance(gate, Multiples) for gate in gates) or self.period > 1 else None

    @property
    def programs(self) -> tuple[Program, Program]:
        """The programs of both sides."""
        return self.left.program, self.right.program


@dataclass(frozen=True)
class Candidates:
    """The atoms from which a search chooses a stream and static data.

    - `arrivals` are input atoms, and `static` are atoms for the background.
    - `background` is the fixed part of the background.
    - `alike` are groups of exchangeable terms: if two terms of a group are exchanged in a stream on which the
      sides differ, the sides still differ.
    """

    arrivals: tuple[Atom, ...]
    static: tuple[Atom, ...] = ()
    background: Background = field(default_factory=dict)
    alike: tuple[tuple[Constant, ...], ...] = ()

    @cached_property
    def ranks(self) -> Mapping[Term, tuple[int, int]]:
        """The group of each exchangeable term, and the index of the term in its group."""
        groups = enumerate(self.alike)
        return {term: (group, place) for group, terms in groups for place, term in enumerate(terms)}


@dataclass(frozen=True, slots=True)
class ChosenStream:
    """A stream on which two sides differ in the period (start, end], with the chosen static atoms.

    The stream ends with the period, or with the last later arrival that a window can contain.
    """

    facts: tuple[Fact, ...]
    static: tuple[Atom, ...]
    start: int
    end: int

    @property
    def timeline(self) -> Interval:
        """The timeline from time 0 to the end of the stream."""
        return timeline_of(self.facts, self.end)

    @property
    def cost(self) -> tuple[int, int, int, int]:
        """The sort key of the stream: numbers of arrivals and static atoms, end, and last arrival."""
        return len(self.facts), len(self.static), self.end, self.facts[-1].t if self.facts else 0


def timeline_of(facts: Sequence[Fact], end: int) -> Interval:
    """Return the timeline of a stream, up to `end` or up to a later last arrival."""
    return Interval(0, max((end, *(fact.t for fact in facts))))


TIME_IS_UP: Final = "the time is up"
TOO_MANY: Final = "streams are tried one by one, and with more triples there are too many"
TOO_LARGE: Final = "with more triples the rules have too many instances"
"""The reason for an end of the search if clingo cannot list the rule instances in time."""
FEW_STATIC: Final = "streams are tried one by one, with at most two static triples"


class StoppedSearchError(Exception):
    """The error that a search stopped, for a `reason`, before it tried all streams of `arrivals` arrivals.

    The search tried all streams with fewer arrivals. The attribute `best` is the best stream that the search
    found, or None.
    """

    def __init__(self, arrivals: int, reason: str, best: ChosenStream | None = None) -> None:
        super().__init__(arrivals, reason)
        self.arrivals, self.reason, self.best = arrivals, reason, best
