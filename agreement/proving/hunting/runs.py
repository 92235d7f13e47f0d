"""A run of a hunt, and how it was judged."""

from dataclasses import dataclass

from agreement.comparing.judge.verdict import UNCLOSED
from agreement.documents.recordings import Answers
from agreement.engines.adapters import EngineAnswers
from agreement.engines.specifications import EngineRun
from agreement.proving.hunting.hunted_queries import HuntedQuery
from agreement.proving.hunting.streams import Stream
from lars.durations import MILLISECOND
from solver.facts import Row


@dataclass(frozen=True, slots=True)
class HuntedRun:
    """What an engine answered to a query on a stream."""

    query: HuntedQuery
    pushes: Stream
    answers: EngineAnswers

    @property
    def run(self) -> EngineRun:
        """What the engine was given."""
        return EngineRun(self.query.read, self.query.static, self.pushes, MILLISECOND)

    @property
    def engine(self) -> str:
        """What the engine calls itself."""
        return "" if self.answers.profile is None else self.answers.profile.engine

    @property
    def typed_answers(self) -> Answers:
        """What it answered; lexical where the adapter does not keep the kinds of terms."""
        profile = self.answers.profile
        return Answers(self.answers.recording(), profile is not None and not profile.kinds)


@dataclass(frozen=True, slots=True)
class WrongPlace:
    """What is right and what came at one place, as `at 4 ms` or `push 3`."""

    where: str
    right: tuple[Row, ...]
    came: tuple[Row, ...]
    problem: str | None


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """Whether a run is right, None where nothing can be compared; place by place what is right and came.

    `choice` says for which t0 and ends of windows that is right, where several were tried.
    """

    correct: bool | None
    places: tuple[WrongPlace, ...] = ()
    choice: str = ""

    @property
    def early(self) -> bool:
        """Whether something is reported before the first window closes that is right."""
        return any(one.problem == UNCLOSED for one in self.places)

    @property
    def symptom(self) -> str:
        """The first problem without its numbers."""
        first = next((one.problem for one in self.places if one.problem is not None), "")
        return " ".join(word for word in first.replace(",", " and").split() if not word.isdecimal())
