"""Why a recording is incorrect: the fault, of those that are known, that predicts most of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from agreement.comparing.judge.by_engine import Pushwise, judged_by
from agreement.comparing.judge.gracious import Shift, border_shifts, early_matches
from agreement.comparing.judge.judgement import Judgement, judge_recording, narrow_options
from agreement.comparing.judge.verdict import UNCLOSED, Options, Verdict
from agreement.comparing.matching.likeness import RowMatch, join_rows, share
from agreement.documents.outputs import plain, quantity
from agreement.documents.recordings import Recording
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import (
    Empty,
    EngineRun,
    Slide,
    Specification,
    Strategy,
    Task,
    Tick,
    in_words,
)
from lars.errors import LarsError
from lars.language.windows import Bounds
from solver.settings import Progress, no_progress
from translate.model.query import Semantics, ToStream

_ROWS: Final = {
    Semantics.SET: "equal rows of prediction and record counted once",
    Semantics.BAG: "each of equal rows counted",
}


def variations(of: Specification) -> Iterator[tuple[str, Specification]]:
    """Yield the specification with each other value of each of its parameters, and what that is in words."""
    reports = (
        {Strategy.WINDOW_CLOSE},
        {Strategy.WINDOW_CLOSE, Strategy.NON_EMPTY},
        {Strategy.CONTENT_CHANGE},
    )
    changes: dict[str, tuple[object, ...]] = {
        "report": tuple(map(frozenset, reports)),
        "bounds": tuple((bounds,) for bounds in Bounds),
        "slide": tuple(Slide),
        "tick": (Tick.INSTANT, Tick.TRIPLE),
        "stream": tuple(ToStream),
        "empty": tuple(Empty),
        "rows": tuple(Semantics),
    }
    for name, values in changes.items():
        now = getattr(of, name)
        for value in values:
            if value != now and not (isinstance(value, tuple) and set(value) <= set(of.bounds)):
                says = _ROWS[value] if isinstance(value, Semantics) else f"{name} = {in_words(value)}"
                yield says, of.model_copy(update={name: value})


_DUE: Final = 4
"""How many windows are tried as the one that the first report answers."""


@dataclass(frozen=True, slots=True)
class FaultExplanation:
    """A fault that would explain the recording, in words.

    `predicted` is the share of recorded rows that it predicts at their time, `score` the harmonic
    mean of that and the share of predicted rows that are recorded; `complete` if nothing differs.
    """

    sentence: str
    predicted: float
    score: float
    complete: bool


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The specification's own score, the explanations that are better, best first, and the borders."""

    specification: FaultExplanation
    explanations: tuple[FaultExplanation, ...]
    shifts: dict[float, Shift]


@dataclass(frozen=True, slots=True)
class RecordingToJudge:
    """A recording with what it is judged by: the task of a specification, the run of an engine.

    Explanations have to account for so many `rows` at least.
    """

    task: Task
    run: EngineRun
    recording: Recording
    options: Options
    rows: int = 0

    def judge(self, says: str, specification: Specification, options: Options) -> FaultExplanation | None:
        """Return how well a specification explains the recording; None where no verdict was worth it."""
        judgement = judge_recording(self.task, specification, self.recording, options)
        return _of_verdict(says, judgement.best, self.rows) if judgement.verdicts else None

    def by_engine(self, name: str) -> FaultExplanation | None:
        """Return how well an engine version does; None where it cannot run the query at all."""
        numbers = self.task.numbers
        options = self.options
        how = Pushwise(options.likeness, False, options.empty, match=options.match, numbers=numbers)
        try:
            judgement = judged_by(ENGINES[name], self.run, self.recording, how)
        except LarsError:
            return None
        complete = judgement.correct is True
        return FaultExplanation(
            f"the engine {name}", judgement.rows.precision, judgement.rows.score, complete
        )

    def earlier(self, milliseconds: float) -> "RecordingToJudge":
        """Return what is recorded, its reports so many ms earlier."""
        reports = (replace(report, t=report.t - milliseconds) for report in self.recording.reports)
        return replace(self, recording=replace(self.recording, reports=tuple(reports)))


def by_borders(recorded: RecordingToJudge, judgement: Judgement) -> Diagnosis:
    """Return what the borders of single windows explain, and nothing else."""
    arguments = (recorded.task, judgement.specification, recorded.recording, recorded.options, judgement.best)
    own = _of_verdict(f"the specification {judgement.specification.name}", judgement.best)
    shifts, early = border_shifts(*arguments), early_matches(*arguments)
    return Diagnosis(own, (by_shifts(judgement.best, shifts, early),) if shifts or early else (), shifts)


def diagnose(recorded: RecordingToJudge, judgement: Judgement, progress: Progress = no_progress) -> Diagnosis:
    """Return what explains a recording that the specification of a judgement does not."""
    moved = by_borders(recorded, judgement)
    rows = sum(window.rows.actual for window in judgement.best.windows)
    hints = replace(narrow_options(recorded.options, recorded.task), worth=moved.specification.score)
    trying = replace(recorded, rows=rows, options=hints)
    late, others = list(_delays(trying, judgement)), list(_attempts(trying, judgement.specification))
    explained: list[FaultExplanation | None] = []
    # Moved in time first: what is expected is still known then.
    for done, attempt in enumerate((*late, *others)):
        if recorded.options.deadline.is_over:
            break
        progress(done, len(late) + len(others) + 1)
        explained.append(attempt())
    found_in_order = (*moved.explanations, *explained[len(late) :], *explained[: len(late)])
    tried = [explanation for explanation in found_in_order if explanation is not None]
    better = [
        explanation
        for explanation in tried
        if explanation.complete or explanation.score > moved.specification.score
    ]
    # Of equally good ones a fault that is known comes before borders that fit each window by itself.
    better.sort(
        key=lambda explanation: (
            not explanation.complete,
            -explanation.score,
            explanation in moved.explanations,
        )
    )
    return replace(moved, explanations=tuple(better))


_Attempt = Callable[[], FaultExplanation | None]


def _attempts(recorded: RecordingToJudge, of: Specification) -> Iterator[_Attempt]:
    """Yield what tries the engine versions that claim a specification, and its variations."""
    for name, engine in ENGINES.items():
        if engine.specification == of.name:
            yield partial(recorded.by_engine, name)
    free = replace(recorded.options, bounds=None)
    for changed, specification in variations(of):
        yield partial(recorded.judge, f"{of.name} with {changed}", specification, free)


def _delays(recorded: RecordingToJudge, judgement: Judgement) -> Iterator[_Attempt]:
    """Yield what tries the specification on reports that are all late, or early."""
    of = judgement.specification
    for offset in sorted(_offsets(recorded, judgement.best), key=lambda number: (abs(number), number)):
        says = f"{of.name} with every report {plain(abs(offset))} ms {'late' if offset > 0 else 'early'}"
        yield partial(recorded.earlier(offset).judge, says, of, recorded.options)


def _offsets(recorded: RecordingToJudge, verdict: Verdict) -> set[float]:
    """Return by how many ms all reports can be late: what moves the first one with rows to a window."""
    length = recorded.task.unit.milliseconds
    first = next((report.t for report in recorded.recording.reports if report.rows), None)
    due = [window.last for window in verdict.windows if window.rows.expected][:_DUE]
    usual = {points * length for points in (-2, -1, 1, 2)}
    return {first - t for t in due if t != first} if first is not None and due else usual


def _of_verdict(says: str, verdict: Verdict, rows: int = 0) -> FaultExplanation:
    """Return how well a verdict explains; of a record of so many rows, those it leaves out are not."""
    match = join_rows([window.rows for window in verdict.windows])
    all_rows = max(match.actual, rows)
    score = share(2 * match.common, match.expected + all_rows)
    complete = verdict.correct is True and match.actual == all_rows
    return FaultExplanation(says, share(match.common, all_rows), score, complete)


def by_shifts(verdict: Verdict, shifts: dict[float, Shift], early: dict[float, RowMatch]) -> FaultExplanation:
    """Return how much better borders explain, and reports that answer windows not closed yet."""
    matches: list[RowMatch] = []
    complete = True
    for window in verdict.windows:
        shift = shifts.get(window.last)
        own = early.get(window.last) if window.problem == UNCLOSED else shift and shift.rows
        matches.append(own or window.rows)
        complete = complete and matches[-1].equal and (own is not None or window.problem is None)
    rows = join_rows(matches)
    says = " and ".join(_moved(len(shifts), len(early)))
    return FaultExplanation(says, rows.precision, rows.score, complete)


def _moved(shifts: int, early: int) -> Iterator[str]:
    if shifts:
        yield f"shifting the borders of {quantity(shifts, 'window')}"
    if early:
        yield f"reporting {quantity(early, 'time')} before the first window closes"
