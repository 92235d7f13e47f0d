"""The verdict on a recording, window by window, for one choice of start times and bounds."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Final

from agreement.comparing.judge.assignment import (
    belonging,
    by_time_point,
    clock_driven,
    one_report,
    slots_of,
    undue,
    with_contents,
)
from agreement.comparing.judge.settings import likeness_of, with_rows_of
from agreement.comparing.matching.likeness import RowMatch, match_rows, share
from agreement.comparing.matching.places import ReportMatch, odd_rows
from agreement.comparing.matching.sequences import match_part, nearest
from agreement.documents import recordings
from agreement.documents.outputs import Json, pick
from agreement.documents.requests import JudgeOptions
from agreement.engines import specifications
from lars.dataclass import dataclass
from lars.language.windows import misses_last
from solver.deadlines import check_time

NO_EMPTY_ANSWER: Final = "no report of the empty answer"
"""The problem of an evaluation at which a report without rows is missing."""


@dataclass(frozen=True, slots=True)
class Phase:
    """The stable phase (after, until] in ms: only evaluations in this interval decide the verdict.

    The field `edge` is the time of the end of the trace. From the time `edge` on, an evaluation in the phase
    counts only if the engine reported, because no element triggers an evaluation. Up to the time `begin`, an
    evaluation also counts only if the engine reported: the engine may have begun later.
    """

    after: float
    until: float
    edge: float
    begin: float = -inf

    def decides(self, place: ReportMatch) -> bool:
        """Return whether an evaluation is in the stable phase and decides the verdict."""
        return self.after < place.at <= self.until and (bool(place.came) or self.begin < place.at < self.edge)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a recording by a specification, for one choice of start times and bounds.

    The recording is correct if every window of the stable phase is right (RSP-QL 2014, Definition 26).

    - `transient` are the windows up to the start of the stable phase.
    - `windows` are the windows of the stable phase.
    - `later` are the windows after the end of the trace, whose input is unknown.
    - `until` is the last start time with the same verdict, if the query has only one window.
    """

    choice: specifications.OpenChoice
    phase: Phase
    transient: tuple[ReportMatch, ...]
    windows: tuple[ReportMatch, ...]
    later: tuple[ReportMatch, ...]
    until: int | None = None

    @property
    def correct(self) -> bool | None:
        """Whether every window of the stable phase is right; None if the stable phase has no window."""
        return all(window.problem is None for window in self.windows) if self.windows else None

    @property
    def wrong(self) -> int:
        """The number of wrong windows of the stable phase."""
        return sum(window.problem is not None for window in self.windows)

    @property
    def unexpected(self) -> int:
        """The number of items of `windows` that are wrong reports at times without a window to report."""
        return sum(window.right is None and window.problem is not None for window in self.windows)

    @property
    def unreported(self) -> Sequence[ReportMatch]:
        """The wrong windows of the stable phase, if none of them has a report; empty otherwise."""
        wrong = [window for window in self.windows if window.problem is not None]
        return () if any(window.came for window in wrong) else wrong

    @property
    def late(self) -> tuple[float, float] | None:
        """The smallest and the largest delay of reports in the stable phase, in ms; None without reports."""
        delays = [window.delay for window in self.windows if window.delay is not None]
        return (min(delays), max(delays)) if delays else None

    @property
    def score(self) -> float:
        """The F1 score (harmonic mean of precision and recall) of all rows in the stable phase.

        The score is 1 if the stable phase has no rows.
        """
        rows = [window.rows for window in self.windows]
        return share(
            2 * sum(match.common for match in rows), sum(match.expected + match.actual for match in rows)
        )


def verdict(
    choice: specifications.OpenChoice, phase: Phase, every: Sequence[ReportMatch], options: JudgeOptions
) -> Verdict:
    """Return the verdict on evaluations to which reports are already assigned."""
    compared = [place for place in every if not _is_ignored(place, options)]
    stable = [place for place in compared if phase.decides(place)]
    others = [place for place in compared if not phase.decides(place)]
    start = max(phase.after, phase.begin)
    transient, later = ([place for place in others if (place.at > start) is late] for late in (False, True))
    early, decisive, late = (
        tuple(matched(place, options) for place in part) for part in (transient, stable, later)
    )
    return Verdict(choice, phase, early, decisive, late)


def is_right(place: ReportMatch, options: JudgeOptions) -> bool:
    """Return whether the reports of an evaluation are right, or the evaluation is ignored."""
    return _is_ignored(place, options) or matched(place, options).problem is None


def _is_ignored(place: ReportMatch, options: JudgeOptions) -> bool:
    has_rows = any(report.rows for report in (*(place.right or ()), *place.came))
    return options.empty == "ignored" and not has_rows


def matched(place: ReportMatch, options: JudgeOptions) -> ReportMatch:
    """Return an evaluation with matched rows, the problem (if any), and the delay of its first report.

    Raises:
        TimeLimitError: The time limit is over.
    """
    check_time()
    right = recordings.rows_of(place.right or ())
    rows = match_rows(right, recordings.rows_of(place.came), likeness_of(options))
    delay = place.came[0].t - place.at if place.right is not None and place.came else None
    problem = place.problem or _problem(place, rows, options)
    # Not `replace`, which is slow, because this runs for each evaluation of each tried start time.
    content = place.first, place.triples
    return ReportMatch(
        place.at, place.right, place.came, rows, problem, *content, delay, place.apart, place.unshown
    )


def _problem(place: ReportMatch, rows: RowMatch, options: JudgeOptions) -> str | None:
    if rows.missing and rows.extra:
        return odd_rows(rows)
    if rows.missing or rows.extra:
        return f"{len(rows.missing)} missing" if rows.missing else f"{len(rows.extra)} extra"
    if options.empty == "compared":
        if place.right and not place.came:
            return NO_EMPTY_ANSWER
        if place.came and not place.right:
            return "a report of an empty answer"
    return None


def compare_reports(
    scheduled: specifications.ScheduledTask,
    reports: Sequence[specifications.EvaluationReport],
    recorded: recordings.Recording,
    phase: Phase,
    options: JudgeOptions,
) -> Verdict:
    """Return the verdict on a recording, given the answers that the specification expects."""
    options = with_rows_of(scheduled.specification, options)
    if options.match == "sequence":
        found = _in_sequence(scheduled, by_time_point(scheduled, reports), recorded.reports, options)
    else:
        found = verdict(scheduled.choice, phase, slots_of(scheduled, reports, recorded, options), options)
    # Contents are computed last, only for compared evaluations, which can be few among many.
    return replace(
        found,
        transient=with_contents(scheduled, found.transient),
        windows=with_contents(scheduled, found.windows),
        later=with_contents(scheduled, found.later),
    )


def _in_sequence(
    scheduled: specifications.ScheduledTask,
    due: Sequence[ReportMatch],
    reports: Sequence[recordings.Report],
    options: JudgeOptions,
) -> Verdict:
    """Return the verdict if reports are compared with the answers by order, not by time.

    The reports must be a contiguous part of the sequence of answers. If arrivals trigger reports, each answer
    can come in several reports.
    """
    answered = [place for place in due if place.right and not _is_ignored(place, options)]
    ignored = options.empty == "ignored"
    given = [report for report in reports if not (ignored and not report.rows)]
    by_clock, how = clock_driven(scheduled), belonging(scheduled, options)

    def joint(report: recordings.Report, other: recordings.Report) -> bool:
        return one_report(report, other) if by_clock else True

    rows = [recordings.rows_of(place.right or ()) for place in answered]
    likeness = likeness_of(options)
    # Without a complete match, the nearest alignment shows which reports are wrong.
    pairs = match_part(rows, given, joint, likeness) or nearest(rows, given, joint, likeness)
    places = (undue(own, how) if n is None else replace(answered[n], came=own) for n, own in pairs)
    # Answers that are compared by their order have no delay.
    windows = tuple(replace(matched(place, options), delay=None) for place in places)
    return Verdict(scheduled.choice, Phase(-inf, inf, inf), (), windows, ())


def phase_of(of: specifications.FramedTask, started: int, options: JudgeOptions) -> Phase:
    """Return the stable phase: from time point `started` to the last time at which a window can close.

    If windows exclude their closing time, the stable phase ends one time point after the last element.
    """
    length = of.task.unit.milliseconds
    last = of.task.last
    high_open = misses_last(of.frame.bounds)
    end = last + high_open if options.last is None else options.last
    known = clock_driven(of) and options.last is None
    edge = (last + high_open) * length if known else inf
    return Phase(started * length, end * length, edge, options.first * length if options.aligned else -inf)


def measures(window: ReportMatch) -> Json:
    """Return the numbers of one window: rows, precision, recall, the delay in ms, and the problem."""
    return {**counts(window.rows), **pick(window, "delay", "triples"), "problem": window.problem_text}


def counts(rows: RowMatch) -> Json:
    """Return the numbers of expected and reported rows, precision and recall."""
    return pick(rows, "expected", "actual", "precision", "recall")
