"""Whether a stream is an answer stream, and which rule or atom says no."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from agreement.answering.explain.candidates import Moments, candidate
from agreement.answering.explain.explaining import ProgramSituation
from lars import semantics
from lars.language.formulas import Expression
from lars.language.stream import Stream
from lars.language.terms import Constant
from lars.semantics import all_background, check_candidate
from solver.rdf import evaluate


@dataclass(frozen=True, slots=True)
class CheckReadings:
    """What the two readings say of one stream; LARS itself is `flp`."""

    flp: semantics.Verdict
    founded: semantics.Verdict

    @property
    def correct(self) -> bool:
        """Whether the stream is an answer stream."""
        return isinstance(self.flp, semantics.IsAnswerStream)

    @property
    def differs(self) -> bool:
        """Whether the readings say different things: only the founded one can then say yes."""
        return isinstance(self.founded, semantics.IsAnswerStream) != self.correct


def check(given: ProgramSituation, found: Moments, t: int) -> CheckReadings:
    """Return what both readings say of the atoms as a stream of the program at t."""
    background = all_background(given.program, given.background)
    stream = candidate(found, given.program, given.stream, background)
    flp = semantics.ReferencePoint(t, background)
    verdict = _judged(given, stream, flp)
    if isinstance(verdict, semantics.IsAnswerStream | semantics.NotAnInterpretation):
        return CheckReadings(verdict, verdict)
    return CheckReadings(
        verdict, _judged(given, stream, replace(flp, reading=semantics.NegationReading.FOUNDED))
    )


def _judged(given: ProgramSituation, stream: Stream, point: semantics.ReferencePoint) -> semantics.Verdict:
    value: Callable[[Expression], Constant | None] = partial(evaluate, binding={})
    return check_candidate(given.program, given.stream, stream, point, value)
