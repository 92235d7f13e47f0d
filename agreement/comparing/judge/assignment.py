"""Assign recorded reports to the evaluations that a specification expects.

A report is assigned by its time, or by the pushed triple that triggers the report. A report that belongs to
no evaluation is returned as a match of its own, with a description of the problem.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from math import inf
from typing import Final

from agreement.comparing.judge.start_times import by_arrival
from agreement.comparing.matching.places import ReportMatch
from agreement.documents import recordings
from agreement.documents.requests import JudgeOptions
from agreement.engines import specifications
from lars.dataclass import dataclass
from solver.deadlines import check_time
from translate.model.windows import Span


def by_time_point(
    of: specifications.ScheduledTask, evaluations: Sequence[specifications.EvaluationReport]
) -> list[ReportMatch]:
    """Return, for each time point with an evaluation, a match that contains only the expected report.

    The rows of all evaluations at one time point are joined to one expected report. If no evaluation at a
    time point reports, no report is expected at this time point.
    """
    milliseconds = of.task.unit.milliseconds
    return [_due(group, time * milliseconds) for time, group in _by_time(evaluations)]


def _by_time(
    evaluations: Sequence[specifications.EvaluationReport],
) -> list[tuple[int, list[specifications.EvaluationReport]]]:
    reports: dict[int, list[specifications.EvaluationReport]] = {}
    for report in evaluations:
        reports.setdefault(report.time, []).append(report)
    return sorted(reports.items())


def _due(group: Sequence[specifications.EvaluationReport], t: float) -> ReportMatch:
    check_time()
    rows = recordings.together([report.rows for report in group])
    return ReportMatch(t, (recordings.Report(t, rows),) if any(report.reported for report in group) else ())


def with_contents(
    of: specifications.ScheduledTask, matches: Sequence[ReportMatch]
) -> tuple[ReportMatch, ...]:
    """Return matches with the beginning and the size of the windows' content at each evaluation.

    A match of reports that belong to no evaluation is returned unchanged.
    """
    length = of.task.unit.milliseconds
    points = {point.time * length: point for point in of.points}

    def filled(match: ReportMatch) -> ReportMatch:
        if match.right is None or (shown := of.shown_at(points[match.at])) is None:
            return match
        first, triples = shown
        own = match.rows, match.problem, first * length, triples, match.delay, match.apart
        return ReportMatch(match.at, match.right, match.came, *own)

    return tuple(map(filled, matches))


@dataclass(frozen=True, slots=True)
class ReportAssignment:
    """A rule that assigns each recorded report to an evaluation.

    A report belongs to the last evaluation that is at most `early` ms after the report. The delay of the
    report must be less than `late` ms. If `late` is None, the delay must be less than the slide of a
    reporting window. If `late` is None and no window reports, any delay is allowed.

    - `options` contain the limits `early` and `late`.
    - `push_times` maps the number of a push to its time in ms. If given, a report counts at the time of the
      push that triggers the report.
    - `once` is true if all reports of one evaluation must have the same time. If `once` is false, each row of
      an evaluation may come in a report of its own, at any time.
    - `windows` are the windows that report.
    - `closes` is the time in ms at which the first window closes, or None if the clock closes no windows.
    - `unshown` are the time points at which a window closes that reports only with a triple, if its close
      alone causes an evaluation.
    - `wait` is the number of ms by which an evaluation takes place later than the time for which it is
      evaluated.
    """

    options: JudgeOptions = field(default_factory=JudgeOptions)
    push_times: Mapping[int | None, float] | None = None
    once: bool = False
    windows: tuple[specifications.ShownWindow, ...] = ()
    closes: float | None = None
    unshown: tuple[range, ...] = ()
    wait: float = 0

    @property
    def late(self) -> float | None:
        """The user's limit in ms for the delay of a report; None if unset."""
        late = self.options.late
        return None if late is None else late + recordings.SLACK

    def bounds(self) -> Callable[[float], float]:
        """Return a function of the time t of an evaluation, in ms.

        The function returns the smallest delay in ms that is too long for a report of this evaluation.
        """
        if self.late is not None or not self.windows:
            limit = inf if self.late is None else self.late
            return lambda _: limit
        length = self.windows[0].frame.task.unit.milliseconds
        slides = [(slide_of(window) * length, _report_times(window)) for window in self.windows]

        def bound(t: float) -> float:
            time = round(t / length)
            return max((slide for slide, times in slides if times is None or time in times), default=length)

        return bound

    def time_of(self, report: recordings.Report) -> float:
        """Return the time in ms at which a report counts: the time of its push, or its own time.

        Before a report's own time is used, the limit `early` is added to it, and the waiting time is
        subtracted.
        """
        # A report of a push that was rejected or lost counts at its own time.
        own = report.t + self.options.early - self.wait
        return own if self.push_times is None else self.push_times.get(report.trigger, own)

    def is_unshown(self, time: float) -> bool:
        """Return whether a window that reports only with a triple closes at a time in ms."""
        if not self.unshown:
            return False
        length = self.windows[0].frame.task.unit.milliseconds
        at = round(time / length)
        return _is_at(at * length, time) and any(at in times for times in self.unshown)


def one_report(report: recordings.Report, other: recordings.Report) -> bool:
    """Return whether two recorded reports can be parts of one report: both have rows and the same time."""
    return report.t == other.t and bool(report.rows) and bool(other.rows)


def slots(
    due: Sequence[ReportMatch], reports: Sequence[recordings.Report], how: ReportAssignment
) -> list[ReportMatch]:
    """Assign reports to evaluations; return the evaluations, and the reports without evaluation, by time.

    Args:
        due: The evaluations, ascending in time, with their expected reports only.
        reports: The recorded reports.
        how: The rule for the assignment.
    """
    own, alone = assigned([place.at for place in due], reports, how)
    # Not `replace`, which would take a third of the time of this function; the other fields are still unset.
    every = (
        ReportMatch(place.at, place.right, tuple(own[number])) if number in own else place
        for number, place in enumerate(due)
    )
    return sorted((*every, *alone), key=lambda place: place.at)


def assigned(
    times: Sequence[float], reports: Sequence[recordings.Report], how: ReportAssignment
) -> tuple[Mapping[int, Sequence[recordings.Report]], Sequence[ReportMatch]]:
    """Return the reports of each evaluation by its place, and the reports without evaluation.

    If empty answers are ignored, reports without rows are left out.

    Args:
        times: The times of the evaluations in ms, ascending.
        reports: The recorded reports.
        how: The rule for the assignment.
    """
    bound, early = how.bounds(), how.options.early
    belonging: dict[int, list[recordings.Report]] = {}
    alone: list[ReportMatch] = []
    ignored = how.options.empty == "ignored"
    for report in reports:
        # An ignored report must not be the report of an evaluation whose rows come later.
        if ignored and not report.rows:
            continue
        time = how.time_of(report)
        number = bisect_right(times, time + recordings.SLACK) - 1
        # A report of a known push counts at the push, but its delay ends at its own time.
        delayed = time - early if how.push_times is None or how.late is None else report.t - how.wait
        if number < 0 or delayed - times[number] >= bound(times[number]):
            alone.append(undue((report,), how))
        elif how.once and number in belonging and not one_report(belonging[number][0], report):
            unshown = not _is_at(time, times[number]) and how.is_unshown(time)
            alone.append(ReportMatch(report.t, None, (report,), problem="a second report", unshown=unshown))
        else:
            belonging.setdefault(number, []).append(report)
    return belonging, alone


def undue(reports: tuple[recordings.Report, ...], how: ReportAssignment) -> ReportMatch:
    """Return the match of reports that belong to no evaluation, with the reason why the reports are wrong."""
    time = how.time_of(reports[0])
    early = how.closes is not None and time < how.closes
    problem, unshown = (_UNCLOSED, False) if early else (_UNDUE, how.is_unshown(time))
    return ReportMatch(reports[0].t, None, reports, problem=problem, unshown=unshown)


def _is_at(time: float, other: float) -> bool:
    return abs(time - other) <= recordings.SLACK


_UNCLOSED: Final = "a report before the first window closes"
_UNDUE: Final = "a report at a time without an evaluation"


def slots_of(
    scheduled: specifications.ScheduledTask,
    reports: Sequence[specifications.EvaluationReport],
    recorded: recordings.Recording,
    options: JudgeOptions,
) -> list[ReportMatch]:
    """Assign the reports of a recording to the evaluations of a specification; return evaluations by time.

    If empty answers are ignored, the result omits evaluations without rows and without a report.
    """
    milliseconds, groups = scheduled.task.unit.milliseconds, _by_time(reports)
    times = [time * milliseconds for time, _ in groups]
    own, alone = assigned(times, recorded.reports, belonging(scheduled, options))
    every = (
        ReportMatch(at, _due(group, at).right, tuple(own.get(number, ())))
        for number, ((_, group), at) in enumerate(zip(groups, times, strict=True))
        if options.empty != "ignored" or number in own or any(report.rows for report in group)
    )
    return sorted((*every, *alone), key=lambda place: place.at)


def clock_driven(of: specifications.FramedTask) -> bool:
    """Return whether the clock triggers all evaluations, and no evaluation is triggered by an arrival."""
    return not any(map(by_arrival, of.windows))


def belonging(of: specifications.FramedTask, options: JudgeOptions) -> ReportAssignment:
    """Return the rule that assigns reports to evaluations for this task.

    If the clock triggers evaluations, the rule limits the delays of reports. If arrivals trigger evaluations,
    a report counts at the time of its push.
    """
    length = of.task.unit.milliseconds
    if not clock_driven(of):
        times: dict[int | None, float] = {each.number: each.arrival * length for each in of.task.elements}
        # Windows that look ahead report later than the push, so their reports count at their own times.
        return ReportAssignment(options, None if of.frame.lead else times)
    reporting = tuple(window for window in of.windows if window.strategies)
    wait = of.task.run.wait * length
    alone = of.specification.combination == "any"
    closes = (_report_times(window) for window in reporting if alone and "non-empty" in window.strategies)
    unshown = tuple(times for times in closes if times is not None)
    first = first_close(of)
    return ReportAssignment(options, once=True, windows=reporting, closes=first, unshown=unshown, wait=wait)


def slide_of(window: specifications.ShownWindow) -> int:
    """Return the smallest distance in time points between two evaluations of a window by the clock."""
    if "periodic" in window.strategies and "window-close" not in window.strategies:
        return specifications.period_of(window.frame)
    if isinstance(window.source.window, Span):
        return window.frame.task.until + 1  # A window of fixed times has one answer, right at any later time.
    own = window.shape
    return 1 if own is None else own.slide


def _report_times(window: specifications.ShownWindow) -> range | None:
    """Return the time points at which a window may report, or None if it may report at any time.

    Windows that report on closing may report only when they close; other windows may report at any time.
    """
    own = window.shape
    if own is None or "window-close" not in window.strategies:
        return None
    return own.closes(window.start, window.frame.task.until)


def first_close(of: specifications.FramedTask) -> float | None:
    """Return the time in ms at which the first window closes; None if arrivals trigger reports."""
    if not clock_driven(of):
        return None
    closes = [
        window.start + window.shape.due
        for window in of.windows
        if window.shape is not None and not of.frame.is_quiet(window.source)
    ]
    return min(closes) * of.task.unit.milliseconds if closes else None
