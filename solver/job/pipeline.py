"""The job: a trace's facts → slices with their halo → answers, in this process."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Final

from lars.language.windows import Interval, TupleWindow
from solver.columns import Atoms, TraceColumns, in_time_order, trace_columns
from solver.facts import Background, Fact, Relevance, relevant_background
from solver.job.evaluation import answers_in
from solver.job.questions import Answer, Question
from solver.job.slices import carried_by_part, cut, join_atoms, needs_of
from solver.relational import EncodedSituation, situation_of
from solver.settings import Certify, Evaluator, Progress, no_progress

ATOMS_PER_SLICE: Final = 20_000


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


def in_process(job: Job, facts: Sequence[Fact], progress: Progress = no_progress) -> Iterator[Answer]:
    """Yield the answers of the job's questions to the facts, which are in arrival order."""
    for answers in by_slice(job, trace_columns(facts), progress):
        yield from answers


def by_slice(job: Job, columns: TraceColumns, progress: Progress = no_progress) -> Iterator[Iterator[Answer]]:
    """Yield the answers as `in_process` does, for each slice of the timeline by itself, ascending."""
    slices = slices_of(job, columns)
    for done, (within, situation) in enumerate(zip(slices, situations(job, columns, slices), strict=True)):
        progress(done, len(slices))
        yield answers_in(job.questions, situation, within, job.evaluator)


def slices_of(job: Job, columns: TraceColumns) -> list[Interval]:
    """Return the slices in which a job has its answers in this process."""
    wanted = needs_of(job.questions)
    counts = wanted.among(columns.atoms, columns.terms, job.timeline).counts()
    return cut(counts, job.span, wanted.halo, job.slices, ATOMS_PER_SLICE)


def situations(job: Job, columns: TraceColumns, slices: Sequence[Interval]) -> Iterator[EncodedSituation]:
    """Yield for each of consecutive slices all that the job's questions need there."""
    wanted = needs_of(job.questions)
    given = wanted.among(columns.atoms, columns.terms, job.timeline)
    static = situation_of(replace(columns, atoms={}), job.timeline, job.relevant())
    before = _kept_before(slices, columns, job.timeline, tuple(wanted.reach.tuples))
    for within, kept in zip(slices, before, strict=True):
        yield replace(static, atoms=in_time_order(join_atoms(kept, given.of(within))))


def _kept_before(
    slices: Sequence[Interval], columns: TraceColumns, timeline: Interval, windows: tuple[TupleWindow, ...]
) -> Iterator[Atoms]:
    """Return for each slice what tuple windows keep from before it."""
    if not windows:
        return repeat({}, len(slices))
    ends = Interval(timeline.first, slices[0].first - 1), *slices
    parts = [{name: some.within(one) for name, some in columns.atoms.items()} for one in ends]
    return carried_by_part(windows, parts, columns.terms)
