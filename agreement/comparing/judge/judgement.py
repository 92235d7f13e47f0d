"""Judge a recording by a specification, for each start time of windows and each choice of bounds.

RSP-QL (2014, Definition 25) does not determine the start time t0 of the first window. A specification may
also leave the bounds of windows (closed or open) undetermined. A recording is correct if it is correct for
one choice of t0 and bounds. First, the columns of the recording are ordered like the columns of the query.
The reports are then assigned to evaluations. Start times that contradict the first reports are excluded
early. For each remaining choice of t0 and bounds, a `Verdict` compares the reports window by window. A
`Judgement` contains all verdicts.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import floor, inf
from operator import itemgetter
from typing import Final

from agreement.comparing.judge.alignment import recorded_for
from agreement.comparing.judge.assignment import ReportAssignment, belonging, clock_driven, slide_of
from agreement.comparing.judge.start_search import FEW_STARTS, Bench, RuledOut, Sieve
from agreement.comparing.judge.start_times import Starts, StartTimes, all_starts, given_starts, last_start
from agreement.comparing.judge.verdicts import Phase, Verdict, phase_of
from agreement.comparing.matching.places import ReportMatch
from agreement.documents import recordings
from agreement.documents.requests import JudgeOptions, MatchBy, sources
from agreement.engines import specifications
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.terms import Variable
from lars.language.windows import Bounds
from solver.settings import Progress, no_progress

_MOST_IDLE_STARTS: Final = 1000
"""The number of start times up to which all are tried, even if none of them can be compared.

A guess: to try more start times without a result would take longer than a user waits.
"""
_TRIED: Final = 4
"""The number of excluded choices that still get a verdict if no choice is correct.

A guess: one of these verdicts is shown to the user, and each verdict takes a complete evaluation.
"""
_MOST_CLOSES: Final = 1_000_000
"""The maximum number of closes of a window that are evaluated.

A guess: if a unit is too fine by mistake, such as 1 ms for a trace of a year, the user gets a message.
"""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on a recording, best verdict first, for the tried start times t0 and window bounds.

    - `choices` is the number of possible choices of start times and bounds; 0 if nothing is open, because the
      answers of `lars solve` are the correct answers.
    - `tried_choices` is the number of choices that were tried.
    - `match` is the way in which reports are matched: by time or in sequence.
    - `time_limit` is the time limit in seconds that ended the search; None if the search was not ended.
    """

    specification: specifications.Specification
    verdicts: tuple[Verdict, ...]
    choices: int
    tried_choices: int
    match: MatchBy = "time"
    time_limit: float | None = None

    @property
    def matching(self) -> tuple[Verdict, ...]:
        """The verdicts that find the recording correct."""
        return tuple(verdict for verdict in self.verdicts if verdict.correct)

    @property
    def correct(self) -> bool | None:
        """Whether the recording is correct for at least one choice of start times and bounds.

        The value is None if no tried choice fits, but some choices were not tried, or for some choice no
        report can be compared.
        """
        if self.matching:
            return True
        return None if self.vacuous or self.tried_choices < self.choices else False

    @property
    def vacuous(self) -> tuple[Verdict, ...]:
        """The verdicts of the choices for which no report can be compared."""
        return tuple(verdict for verdict in self.verdicts if verdict.correct is None)

    @property
    def undecided(self) -> bool:
        """Whether no tried choice of start times and bounds fits, and some choices were not tried."""
        return self.correct is None and not self.vacuous

    @property
    def silent(self) -> bool:
        """Whether the specification expects no row under any choice with a complete verdict."""
        windows = (
            window
            for verdict in self.verdicts
            for window in (*verdict.transient, *verdict.windows, *verdict.later)
        )
        return not any(window.rows.expected for window in windows)

    @property
    def best(self) -> Verdict:
        """The verdict that fits the recording best."""
        return self.verdicts[0]


def judge_recording(
    task: specifications.Task,
    specification: specifications.Specification,
    recording: recordings.Recording,
    options: JudgeOptions,
    progress: Progress = no_progress,
) -> Judgement:
    """Judge a recording by a specification, for all start times and window bounds that it allows.

    Raises:
        LarsError: A window closes too often, or the specification names a window that the query lacks.
    """
    _check_times(task, specification, options)
    if options.semantics is not None:
        specification = specification.model_copy(update={"rows": options.semantics})
    _check_windows(task, specification)
    recorded = recorded_for(task, recording)
    every = specification.bounds if options.bounds is None else (options.bounds,)
    benches = [_bench(task, specification, bounds, recorded, options) for bounds in every]
    # The only choice needs no search: its complete verdict tells what each evaluation lacks.
    is_only = sum(bench.starts.count for bench in benches) == 1
    parts = [_outcome(bench, progress, is_only=is_only) for bench in benches]
    verdicts = [verdict for found, _, _ in parts for verdict in found]
    if not any(verdict.correct for verdict in verdicts):
        ruled_out = (
            ((odd, right, n, number), z)
            for n, part in enumerate(parts)
            for (odd, right, number), z in part[1]
        )
        best = sorted(ruled_out, key=itemgetter(0))
        tasks = ((benches[n], benches[n].base.scheduled(z)) for (*_, n, _), z in best[:_TRIED])
        verdicts += filter(None, (bench.verdict(task) for bench, task in tasks))
    choices, tried = sum(bench.starts.count for bench in benches), sum(count for _, _, count in parts)
    ordered = _despite_gaps(sorted(verdicts, key=_fit), recorded)
    limit = _passed_limit(options, choices, tried)
    return Judgement(specification, ordered, choices, tried, options.match, limit)


def _passed_limit(options: JudgeOptions, choices: int, tried: int) -> float | None:
    """Return the time limit in seconds if it passed before all choices were tried."""
    return options.deadline.seconds if tried < choices and options.deadline.is_over else None


def best_first(judgement: Judgement) -> Judgement:
    """Return a judgement with its best verdict first, after its verdicts have changed."""
    return replace(judgement, verdicts=tuple(sorted(judgement.verdicts, key=_fit)))


def _despite_gaps(ordered: Sequence[Verdict], recorded: recordings.Recording) -> tuple[Verdict, ...]:
    """Return verdicts, with another first verdict if the first is only better inside gaps of the recording.

    A gap is the time between two consecutive reports with rows. The function ignores the better score of
    start times with fewer expected rows in a gap, because the engine did not report in the gap. If several
    verdicts are wrong only in the same gaps, the verdict with the smallest delays comes first.
    """
    best = next(iter(ordered), None)
    if best is None or not best.unreported:
        return tuple(ordered)
    times = sorted(report.t for report in recorded.reports if report.rows)

    def gaps(verdict: Verdict) -> set[int]:
        return {bisect_right(times, each.at + recordings.SLACK) for each in verdict.unreported}

    known = gaps(best)
    alike = [one for one in ordered if len(one.unreported) == one.wrong > 0 and gaps(one) <= known]
    first = min(alike, key=_total_delay, default=best)
    return (first, *(one for one in ordered if one is not first))


def judge_either(
    task: specifications.Task,
    lost: frozenset[int],
    specification: specifications.Specification,
    recording: recordings.Recording,
    options: JudgeOptions,
) -> Judgement:
    """Judge a recording with late elements: a window is right if it is right with or without late elements.

    RSP-QL (2014) defines an RDF stream as a sequence in order of time, so the effect of late elements is
    undefined.

    Args:
        task: The task with all elements.
        lost: The numbers of the late pushes, whose time is earlier than the time of an earlier push.
        specification: The specification to judge by.
        recording: The recording to judge.
        options: The settings for judging.
    """
    if options.semantics is not None:
        specification = specification.model_copy(update={"rows": options.semantics})
    left = tuple(element for element in task.elements if element.number not in lost)
    every = specification.bounds if options.bounds is None else (options.bounds,)
    verdicts, choices, tried = list[Verdict](), 0, 0
    for bounds in every:
        taken, ignoring = (
            _bench(each, specification, bounds, recorded_for(each, recording), options)
            for each in (task, replace(task, elements=left))
        )
        choices += taken.starts.count
        for z in _worthwhile(taken):
            if tried and options.deadline.is_over:
                break
            tried += 1
            both = (bench.verdict(bench.base.scheduled(z)) for bench in (taken, ignoring))
            pair = [verdict for verdict in both if verdict]
            verdicts += [_either(pair[0], pair[-1])] if pair else []
    ordered, limit = tuple(sorted(verdicts, key=_fit)), _passed_limit(options, choices, tried)
    return Judgement(specification, ordered, choices, tried, options.match, limit)


def _either(taken: Verdict, ignoring: Verdict) -> Verdict:
    """Combine two verdicts: a window is right if one of the verdicts finds it right.

    If both verdicts find a window wrong, the result contains the window with fewer wrong rows. A wrong
    evaluation without reported rows, or a wrong report without evaluation, is omitted if only one of the
    verdicts contains it.
    """
    both = [{(each.at, each.right is None): each for each in one.windows} for one in (taken, ignoring)]
    windows = []
    for place in both[0].keys() | both[1].keys():
        known = [each[place] for each in both if place in each]
        right = next((window for window in known if window.problem is None), None)
        came = any(window.right is None or window.rows.actual for window in known)
        if right is not None or len(known) > 1 or (came and known[0].right is not None):
            windows.append(right or min(known, key=_wrong_rows))
    return replace(taken, windows=tuple(sorted(windows, key=lambda window: window.at)))


def _wrong_rows(window: ReportMatch) -> int:
    return len(window.rows.missing) + len(window.rows.extra)


def _bench(
    task: specifications.Task,
    specification: specifications.Specification,
    bounds: Bounds,
    recorded: recordings.Recording,
    options: JudgeOptions,
) -> Bench:
    base = specifications.frame_task(task, specification, bounds)
    how = belonging(base, options)
    read = sources(task.query)
    said = specifications.query_starts(read, task.unit)
    if options.starts is not None:
        starts = given_starts(read, base.frame, options.starts)
    elif options.aligned:
        # Start times that the query itself defines take precedence, as in models of engine versions.
        z = specifications.choice_at(task.run, specification, bounds=bounds).starts
        # All windows exist from time 0 on, so the stable phase begins at -1, and all reports are compared.
        starts = Starts((z,), 1, -1)
    elif said is not None:
        starts = Starts((said,), 1, max(said))
    else:
        phase = phase_of(base, last_start(base, options.first), options)
        starts = all_starts(base, options.first, partial(_compared_times, recorded, phase, options, how))
    phase = phase_of(base, starts.last, options)
    return Bench(base, starts, recorded, options, phase, how)


def _compared_times(
    recorded: recordings.Recording,
    phase: Phase,
    options: JudgeOptions,
    how: ReportAssignment,
    window: specifications.ShownWindow,
) -> Iterator[int]:
    """Yield the time points of window closes at which the comparison with the recording can change.

    From one yielded time point to the next, the report that belongs to a window's close can change.
    """
    length = window.frame.task.unit.milliseconds
    yield window.frame.task.until + 1
    yield from (round(t / length) + more for t in (phase.after, phase.until) for more in (0, 1))
    yield from () if phase.edge == inf else (round(phase.edge / length),)
    if options.match == "sequence":
        return
    late = slide_of(window) * length if how.late is None else how.late
    for report in recorded.reports:
        time = how.time_of(report)
        due = floor((time + recordings.SLACK) / length)
        # The close that gets the report changes at the report, and at the earliest close for which the report
        # is not too late. The latter is rounded to both sides.
        yield from (due, due + 1)
        yield from (
            floor((time - options.early - late + more) / length) + 1
            for more in (-recordings.SLACK, recordings.SLACK)
        )


def _outcome(bench: Bench, progress: Progress, *, is_only: bool) -> tuple[list[Verdict], RuledOut, int]:
    """Return the verdicts for possible start times, the excluded start times, and how many were tried."""
    options = bench.options
    fitting: list[tuple[int, StartTimes]] = []
    ruled_out: RuledOut = []
    for number, z in enumerate(_worthwhile(bench)):
        # The first choice is always tried, so that at least one verdict exists.
        if number and options.deadline.is_over:
            break
        progress(number, bench.starts.count)
        odd = 0 if is_only or options.match == "sequence" else bench.odd(z)
        if odd:
            ruled_out.append(((odd, 0, number), z))
        else:
            fitting.append((number, z))
    several = len(fitting) > options.whole and options.match == "time"
    # If arrivals cause evaluations, or contents do not determine answers, each choice gets its verdict.
    answers = specifications.answers_of(bench.base) if several and clock_driven(bench.base) else None
    if answers is not None:
        fitting, wrong = Sieve(bench, answers).sift(fitting, progress)
        ruled_out += wrong
    verdicts: list[Verdict | None] = []
    schedules: Iterable[specifications.ScheduledTask] = (bench.base.scheduled(z) for _, z in fitting)
    if 1 < len(fitting) <= FEW_STARTS:
        schedules = [*schedules]
        bench.prepare(schedules)
    for done, schedule in enumerate(schedules):
        if done and options.deadline.is_over:
            break
        progress(done, len(fitting))
        verdicts.append(bench.verdict(schedule))
    return [verdict for verdict in verdicts if verdict], ruled_out, len(ruled_out) + len(verdicts)


def _worthwhile(bench: Bench) -> Iterator[StartTimes]:
    """Yield the start times of windows to try.

    Only the first start times are tried if very many exist, and the trace ends before all windows start.
    """
    starts, options = bench.starts, bench.options
    last = bench.base.task.last
    end = last + 1 if options.last is None else options.last
    pointless = options.match == "time" and starts.last > end and starts.count > _MOST_IDLE_STARTS
    return iter(starts.combinations[: 1 if pointless else options.most])


def _check_windows(task: specifications.Task, specification: specifications.Specification) -> None:
    """Raise LarsError if the specification refers to a window that the query does not have."""
    read = sources(task.query)
    known = {
        *(str(getattr(source.stream, "value", "")) for source in read),
        *map(str, range(1, len(read) + 1)),
    }
    for name in specification.windows:
        if name not in known and not any(isinstance(source.stream, Variable) for source in read):
            raise LarsError(
                f"the specification {specification.name} names the window {name}, which the query "
                "does not have; use a stream or a window number of the query: "
                f"{', '.join(sorted(known))}"
            )


def _check_times(
    task: specifications.Task, specification: specifications.Specification, options: JudgeOptions
) -> None:
    """Raise LarsError if the windows close more often than can be evaluated."""
    base = specifications.frame_task(task, specification, "closed")
    shapes = specifications.shapes(sources(task.query), base.frame)
    first = min(options.starts or (options.first,))
    closes = max((len(own.closes(first, task.until)) for own in shapes), default=0)
    if closes > _MOST_CLOSES and clock_driven(base):
        raise LarsError(
            f"windows close {closes} times up to time point {task.until}, more than the maximum "
            f"{_MOST_CLOSES}; use a coarser --unit, a later --registered (or --t0), or dateTimes "
            "with --origin"
        )


def _fit(verdict: Verdict) -> tuple[object, ...]:
    return not verdict.correct, -verdict.score, verdict.wrong, _total_delay(verdict)


def _total_delay(verdict: Verdict) -> float:
    return sum(abs(window.delay) for window in verdict.windows if window.delay is not None)
