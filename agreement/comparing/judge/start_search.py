"""Search for the start times of windows that fit a recording.

Many start times are excluded without a complete verdict. First, start times that do not fit the times of the
reports are excluded, without an evaluation of the query (`Bench`). If many start times remain, each is tested
report by report, and the first wrong report excludes it (`Sieve`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agreement.comparing.judge.assignment import ReportAssignment, assigned, belonging, slots
from agreement.comparing.judge.settings import with_rows_of
from agreement.comparing.judge.start_times import Starts, StartTimes
from agreement.comparing.judge.verdicts import Phase, Verdict, compare_reports, is_right
from agreement.comparing.matching.places import ReportMatch
from agreement.documents import recordings
from agreement.documents.requests import JudgeOptions
from agreement.engines import specifications
from agreement.engines.r2s import reported_rows
from lars.dataclass import dataclass
from solver.facts import Row
from solver.settings import Progress

FEW_STARTS: Final = 16
"""The number of start times that get a complete verdict, even if their first reports are wrong.

A guess: this number of verdicts takes little time, and the best of them explains a wrong recording.
"""
_DEAR: Final = 500
"""The number of evaluations above which the possible score is estimated before the verdict.

A guess: with fewer evaluations, the verdict takes about as long as the estimate.
"""
_SAMPLE: Final = 64
"""The number of evaluations in the first sample for estimating the expected rows; a guess.

A small sample often suffices to exclude a start time. `_more_and_more` yields the larger samples.
"""
_TOGETHER: Final = 64
"""The number of start times whose window contents are computed in one step.

A guess: start times share contents, and the deadline is checked only between two steps.
"""
_SOME: Final = (recordings.Report(0, ()),)
"""A report without rows, for evaluations of which only the time matters."""


@dataclass(frozen=True, slots=True)
class Bench:
    """The data for judging a recording with one choice of window bounds, for all start times to try.

    - `base` is the task and the specification with these bounds.
    - `starts` are the start times to try.
    - `recorded` is the recording, with its columns ordered as in the query.
    - `phase` is the interval of time in which evaluations decide the verdict.
    - `how` is the rule that assigns reports to evaluations.
    """

    base: specifications.FramedTask
    starts: Starts
    recorded: recordings.Recording
    options: JudgeOptions
    phase: Phase
    how: ReportAssignment

    def slots(self, schedule: specifications.ScheduledTask) -> list[ReportMatch]:
        """Return the deciding evaluations with their reports, which are assigned only by time."""
        length = schedule.task.unit.milliseconds
        due = [ReportMatch(t * length, _SOME) for t in dict.fromkeys(point.time for point in schedule.points)]
        places = slots(due, self.recorded.reports, self._assignment(schedule))
        return [place for place in places if self.phase.decides(place)]

    def _assignment(self, schedule: specifications.ScheduledTask) -> ReportAssignment:
        return belonging(schedule, self.options) if self.how.windows else self.how

    def odd(self, z: StartTimes) -> int:
        """Count the evaluations without a report and the reports without an evaluation.

        If the number is not 0, the recording excludes the start times `z`, whatever its rows are. If empty
        reports are ignored, the function counts only the reports that have rows and belong to no evaluation.
        """
        schedule = self.base.scheduled(z)
        # In this case, an evaluation without a report can be right, because its answer may be empty.
        if schedule.specification.empty == "silent" or self.options.empty == "ignored":
            length = schedule.task.unit.milliseconds
            times = [t * length for t in dict.fromkeys(point.time for point in schedule.points)]
            _, alone = assigned(times, self.recorded.reports, self._assignment(schedule))
            decisive = filter(self.phase.decides, alone)
            return sum(any(report.rows for report in place.came) for place in decisive)
        return sum(place.right is None or not place.came for place in self.slots(schedule))

    def hopeless(self, schedule: specifications.ScheduledTask) -> bool:
        """Return whether far more rows are expected than reported, so that the score would be too low.

        The expected rows are counted in larger and larger samples of the evaluations. The result is always
        false for ISTREAM and DSTREAM.
        """
        options, length = self.options, schedule.task.unit.milliseconds
        many = len(schedule.points) > _DEAR and options.match == "time"
        if not options.worth or not many or (answers := specifications.answers_of(schedule)) is None:
            return False
        # The rows of ISTREAM and DSTREAM also depend on the content before, so samples do not give them.
        if (schedule.task.query.to_stream or schedule.specification.stream) != "RSTREAM":
            return False
        # Without a report, evaluations up to `begin`, or from `edge` on, decide nothing.
        after, until, edge = max(self.phase.after, self.phase.begin), self.phase.until, self.phase.edge
        times = ((point, point.time * length) for point in schedule.points)
        points = [point for point, t in times if after < t <= until and t < edge]
        actual = sum(len(report.rows) for report in self.recorded.reports)
        expected = 0
        # A few samples often suffice to show that too many rows are missing.
        for part in _more_and_more(points):
            expected += sum(answers.sizes(list(map(schedule.content, part))))
            # At best, all reported rows are right: 2 * actual / (expected + actual) bounds the F1 score.
            if expected > actual and 2 * actual <= options.worth * (expected + actual):
                return True
        return False

    def prepare(self, schedules: Sequence[specifications.ScheduledTask]) -> None:
        """Evaluate the query at once over the contents of windows for several start times.

        The rows are kept for the verdicts. If this could take longer than one verdict, between which the
        deadline is checked, the function does nothing.
        """
        if sum(len(schedule.points) for schedule in schedules) <= _DEAR:
            answers = specifications.answers_of(self.base)
            if answers is not None:
                answers.rows([content for schedule in schedules for content in schedule.contents])

    def verdict(self, schedule: specifications.ScheduledTask) -> Verdict | None:
        """Return the verdict for the given schedule; None if the score cannot be high enough."""
        if self.hopeless(schedule):
            return None
        verdict = compare_reports(
            schedule, specifications.evaluations(schedule), self.recorded, self.phase, self.options
        )
        return replace(verdict, until=self.starts.until(schedule.choice.starts))


def _more_and_more(
    points: Sequence[specifications.EvaluationPoint],
) -> Iterator[Sequence[specifications.EvaluationPoint]]:
    """Yield samples of evaluations, spread over the whole time; each evaluation is in one sample.

    Each sample is about seven times as large as all samples before it.
    """
    step, begin, end = max(1, len(points) // _SAMPLE), 0, 1
    # Places modulo `step` give samples that are spread over the whole time.
    while begin < step:
        yield [point for place, point in enumerate(points) if begin <= place % step < end]
        begin, end = end, 8 * end


RuledOut = list[tuple[tuple[int, int, int], StartTimes]]
"""Excluded start times, each with a key; sorted by key, the start times that fit best come first.

The key has three numbers: the number of evaluations without report and reports without evaluation, minus the
number of right reports before the first wrong report, and the position in the order of trying.
"""
NumberedStarts = list[tuple[int, StartTimes]]


@dataclass(frozen=True, slots=True)
class _Trial:
    """A choice of start times that no report has excluded so far.

    - `number` is the position of these start times in the order of trying.
    - `schedule` contains the evaluations for these start times.
    - `decisive` are the evaluations that decide the verdict, with their reports.
    """

    number: int
    schedule: specifications.ScheduledTask
    decisive: list[ReportMatch]

    @property
    def numbered(self) -> tuple[int, StartTimes]:
        return self.number, self.schedule.choice.starts

    def shown(
        self, place: int, *, changes: bool
    ) -> list[tuple[specifications.ShownSpans | None, specifications.ShownSpans]]:
        """Return the contents of the windows before and at each evaluation of the given time.

        Each pair contains the contents at the preceding evaluation and at the evaluation. The first item of a
        pair is None for the first evaluation of all, and if `changes` is false.
        """
        slot, points = self.decisive[place], self.schedule.points
        length = self.schedule.task.unit.milliseconds
        at = (
            n for n, point in enumerate(points) if slot.right is not None and point.time * length == slot.at
        )
        content = self.schedule.content
        return [(content(points[n - 1]) if changes and n else None, content(points[n])) for n in at]


class Sieve:
    """Excludes start times for which a recorded report contradicts the contents of the windows."""

    def __init__(self, bench: Bench, answers: specifications.ContentAnswers) -> None:
        self.bench, self.of, self.answers = bench, bench.base, answers
        self.kind = self.of.task.query.to_stream or self.of.specification.stream
        self.options = with_rows_of(self.of.specification, bench.options)

    def sift(self, fitting: NumberedStarts, progress: Progress) -> tuple[NumberedStarts, RuledOut]:
        """Return the start times that remain, and the excluded start times.

        The test ends if few start times are left, or at the deadline.
        """
        base, ruled_out = self.bench.base, RuledOut()
        schedules = ((number, base.scheduled(z)) for number, z in fitting)
        left = [_Trial(number, task, self.bench.slots(task)) for number, task in schedules]
        place = 0
        while len(left) > FEW_STARTS and any(place < len(trial.decisive) for trial in left):
            kept: list[_Trial] = []
            for first in range(0, len(left), _TOGETHER):
                if self.bench.options.deadline.is_over:
                    return [trial.numbered for trial in (*kept, *left[first:])], ruled_out
                progress(first, len(left))
                for trial, right in self._judged(left[first : first + _TOGETHER], place):
                    if right:
                        kept.append(trial)
                    else:
                        ruled_out.append(((0, -place, trial.number), trial.schedule.choice.starts))
            left, place = kept, place + 1
        return [trial.numbered for trial in left], ruled_out

    def _judged(self, part: Sequence[_Trial], place: int) -> Iterator[tuple[_Trial, bool]]:
        """Yield pairs of a trial and a boolean: true if its reports at the index `place` are right."""
        changes = self.kind != "RSTREAM"
        ranges = [
            trial.shown(place, changes=changes) if place < len(trial.decisive) else [] for trial in part
        ]
        contents = dict.fromkeys(
            span for pairs in ranges for pair in pairs for span in pair if span is not None
        )
        rows = dict(zip(contents, self.answers.rows(tuple(contents)), strict=True))
        for trial, pairs in zip(part, ranges, strict=True):
            answered = [(() if before is None else rows[before], rows[now]) for before, now in pairs]
            yield trial, place >= len(trial.decisive) or self._is_right(trial.decisive[place], answered)

    def _is_right(self, place: ReportMatch, answered: Sequence[tuple[Sequence[Row], Sequence[Row]]]) -> bool:
        if place.right is None:
            return is_right(place, self.options)
        rows = tuple(row for before, now in answered for row in reported_rows(self.kind, before, now))
        expects = bool(rows) or self.of.specification.empty == "reported"
        right = (recordings.Report(place.at, rows),) if expects else ()
        return is_right(replace(place, right=right), self.options)
