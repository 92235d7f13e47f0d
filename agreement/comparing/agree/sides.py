"""What is compared: two programs, what each answers, and how a row that one side alone has is named."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from agreement.comparing.agree.periods import BothAnswers, Side
from lars.language.program import Program
from lars.language.terms import Signature
from solver.columns import Array, TraceColumns
from solver.facts import Background, EveryTime, Row
from solver.job import AnswerParts, Question
from solver.job.pipeline import used_background
from solver.relational import EncodedSituation, situation_of


class SideStatic(Enum):
    """Whose static data a program is asked with; where one side has its own, that matters."""

    PUSH = "push"
    PULL = "pull"
    BOTH = "both"


class RowCause(Enum):
    """The causes of a difference, in the order in which reports count them.

    They are tried in this order too, but for different windows: after the pivot, and before all that
    time alone explains. A row of push has no silent period and no blocker that expired; one of pull has
    nothing that expired before the pull or was blocked later.
    """

    AGGREGATE_OF_NOTHING = "aggregate of nothing"
    DIFFERENT_STATIC_DATA = "different static data"
    STATIC_ONLY = "static only"
    MERGED_SOURCES = "merged sources"
    HIDDEN_BY_THE_PIVOT = "hidden by the pivot"
    SILENT_PERIOD = "silent period"
    EXPIRED_BEFORE_THE_PULL = "expired before the pull"
    AGGREGATE_OF_OTHER_INPUT = "aggregate of other input"
    BLOCKED_LATER = "blocked later"
    BLOCKER_EXPIRED = "blocker expired"
    DIFFERENT_WINDOWS = "different windows"


CAUSES = tuple(RowCause)


@dataclass(frozen=True)
class SidePrograms:
    """The two programs without their triggers.

    `push_static` is the background that push meets; of None it is pull's too, the trace's.
    """

    push: Program
    pull: Program
    output: Signature
    push_static: Background | None = None

    @property
    def questions(self) -> tuple[Question, ...]:
        """What is asked of both; with other windows, or without some rules, they use the same atoms."""
        return tuple(Question(program, self.output, EveryTime()) for program in (self.push, self.pull))

    def statics(self, here: EncodedSituation) -> Mapping[SideStatic, EncodedSituation]:
        """Return what the sides meet, where pull meets `here`."""
        if self.push_static is None:
            return dict.fromkeys(SideStatic, here)
        known = used_background(self.push_static, self.questions)
        theirs = situation_of(TraceColumns(here.terms, {}, 0), here.timeline, known)
        every = {*here.background, *theirs.background}
        both = {name: _united(here.background.get(name), theirs.background.get(name)) for name in every}
        backgrounds = (
            (SideStatic.PUSH, theirs.background),
            (SideStatic.PULL, here.background),
            (SideStatic.BOTH, both),
        )
        return {static: replace(here, background=background) for static, background in backgrounds}


@dataclass(frozen=True)
class Sides:
    """The two sides, and what they answer at their evaluation times."""

    programs: SidePrograms
    answers: BothAnswers

    @property
    def pushed(self) -> AnswerParts:
        """What push answers."""
        return self.answers.push

    @property
    def pulled(self) -> AnswerParts:
        """What pull answers."""
        return self.answers.pull

    @property
    def are_empty(self) -> bool:
        """Whether neither has any row, so that they agree on nothing."""
        return not any(size for own in (self.pushed, self.pulled) for _, size in own.parts)


@dataclass(frozen=True, slots=True)
class RowDifference:
    """A row that one side alone has in a period, why, and when push last reported it, if ever."""

    side: Side
    row: Row
    cause: RowCause
    pushed: int | None


def _united(one: Array | None, other: Array | None) -> Array:
    """Return the rows of two tables of codes, each once."""
    tables = [table for table in (one, other) if table is not None]
    return np.unique(np.concatenate(tables), axis=0)
