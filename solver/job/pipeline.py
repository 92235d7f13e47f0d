"""The job: a trace's facts → slices with their halo → answers, in this process."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lars.language.windows import Interval
from solver.facts import Background, Fact, Relevance, Situation, relevant_background
from solver.job.evaluation import evaluate
from solver.job.questions import Answer, Question
from solver.job.slices import Halo, cut_evenly, sliced
from solver.settings import Certify, Evaluator, Progress, unwatched

FACTS_PER_SLICE: Final = 20_000


@dataclass(frozen=True, slots=True)
class Job:
    """What to evaluate: questions over one timeline and background.

    `slices` None lets the job choose their number; `within` None evaluates the whole timeline.
    """

    questions: tuple[Question, ...]
    timeline: Interval
    background: Background
    slices: int | None = None
    within: Interval | None = None
    evaluator: Evaluator = Evaluator.AUTO
    certify: Certify | int = Certify.NONE

    @property
    def span(self) -> Interval:
        """The part of the timeline in which evaluation times are wanted."""
        return self.timeline if self.within is None else self.timeline.meet(self.within)

    def relevant(self) -> Background:
        """Return the part of the background that the questions can use."""
        return used_background(self.background, self.questions)


def used_background(background: Background, questions: Sequence[Question]) -> Background:
    """Return the part of a background that questions can use."""
    return relevant_background(background, [Relevance(q.program, q.predicate) for q in questions])


def in_process(job: Job, facts: Sequence[Fact], progress: Progress = unwatched) -> Iterator[Answer]:
    """Yield the answers of the job's questions to the facts, which are in arrival order."""
    for answers in by_slice(job, facts, progress):
        yield from answers


def by_slice(job: Job, facts: Sequence[Fact], progress: Progress = unwatched) -> Iterator[Iterator[Answer]]:
    """Yield the answers as `in_process` does, for each slice of the timeline by itself, ascending."""
    for within, situation in _parts(job, facts, progress):
        yield evaluate(job.questions, situation, within, job.evaluator)


def _parts(job: Job, facts: Sequence[Fact], progress: Progress) -> Iterator[tuple[Interval, Situation]]:
    ordered = sorted((fact for fact in facts if fact.t in job.timeline), key=lambda fact: fact.t)
    count = job.slices or fitting_count(len(ordered), job.timeline, Halo(job.questions))
    slices = cut_evenly(job.span, [fact.t for fact in ordered], count)
    background = job.relevant()
    parts = sliced(ordered, slices, Halo(job.questions))
    for done, (within, part) in enumerate(zip(slices, parts, strict=True)):
        progress(done, len(slices))
        yield within, Situation(job.timeline, part, background)


def fitting_count(facts: int, timeline: Interval, halo: Halo) -> int:
    """Return how many slices suit so many facts: each facts enough, and no shorter than its halo.

    Shorter slices would mostly repeat what others do, and yet hold the whole halo in memory.
    """
    past, future = halo.reach.past, halo.reach.future
    if past is None or future is None:
        return 1
    length = timeline.last + 1 - timeline.first
    return min(1 + facts // FACTS_PER_SLICE, 1 + length // (past + future + 1))
