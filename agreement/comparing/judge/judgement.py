"""Judge a recording by a specification: try every start time t0 and every choice of window bounds.

The search follows Definition 25 of RSP-QL (2014). First, the columns of the recording are ordered like the
columns of the query, and its reports are assigned to evaluations. For one choice of t0 and bounds, `Verdict`
compares the reports window by window. Start times t0 that contradict the first reports are excluded early.
`Judgement` contains the verdicts on the start times that remain.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from math import floor, inf
from operator import itemgetter
from typing import Final

from agreement.comparing.judge.start_times import (
    Starts,
    StartTimes,
    all_starts,
    by_arrival,
    given_starts,
    last_start,
)
from agreement.comparing.matching.likeness import Likeness, RowMatch, match_rows, share
from agreement.comparing.matching.places import ReportMatch, odd_rows
from agreement.comparing.matching.sequences import match_part, nearest
from agreement.documents import recordings
from agreement.documents.outputs import Json, pick, plain
from agreement.documents.requests import EmptyReports, MatchBy, sources
from agreement.engines import specifications
from agreement.engines.engine import columns
from agreement.engines.r2s import reported_rows
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.terms import XSD, Variable
from lars.language.windows import Bounds, misses_last
from solver.deadlines import NEVER, Deadline, check_time
from solver.facts import Row
from solver.settings import Progress, no_progress
from translate.model.query import EngineQuery, Semantics
from translate.model.windows import Span

_BOOLEAN: Final = f"^^<{XSD}boolean>"
# If a format loses the kinds of terms, a boolean is a text or a number.
_KINDS: Final = ("", _BOOLEAN, f"^^<{XSD}integer>")
TRUE: Final = frozenset(f'"{text}"{kind}' for text in ("true", "1") for kind in _KINDS)
BOOLEANS: Final = TRUE | {f'"{text}"{kind}' for text in ("false", "0") for kind in _KINDS}
"""The texts that mean true or false in a recorded answer of an ASK query."""
TYPED_BOOLEANS: Final = frozenset(text for text in BOOLEANS if text.endswith(_BOOLEAN))
"""The booleans in formats that keep the kinds of terms."""


def align(recording: recordings.Recording, names: Sequence[str], query: EngineQuery) -> recordings.Recording:
    """Return the recording with rows in the given columns, followed by its other columns.

    If the recording lacks a column, the variable is unbound in all rows. For an ASK query, a report of true
    contains one row (), and a report of false contains no row.
    """
    if query.form == "ASK" and recording.variables == (recordings.ANSWER,):
        return replace(recording, variables=(), reports=tuple(map(_in_asked_columns, recording.reports)))
    places = {name: place for place, name in enumerate(recording.variables)}
    places_of_names = [places.get(name) for name in column_names(recording, names)]
    if places_of_names == list(range(len(names))) == list(range(len(recording.variables))):
        return replace(recording, variables=tuple(names))
    reports = tuple(
        replace(report, rows=tuple(_row(row, places_of_names, len(names)) for row in report.rows))
        for report in recording.reports
    )
    return replace(recording, variables=tuple(names), reports=reports)


def recorded_for(task: specifications.Task, recording: recordings.Recording) -> recordings.Recording:
    """Return the recording with rows in the columns of the task's query, with the row numbers of the task."""
    return recordings.number_rows(align(recording, columns(task.query), task.query), task.numbers)


def oddities(recording: recordings.Recording, query: EngineQuery, *, correct: bool) -> Iterator[str]:
    """Yield a warning if the recording has no report, or columns that are not the query's variables."""
    if not recording.reports:
        yield "the answers have no report"
    if query.form == "ASK" or not any(report.rows for report in recording.reports):
        return
    names = columns(query)
    more = [name for name in recording.variables if name not in names]
    # A column that is nowhere bound can be absent from all rows of correct answers.
    for name in names:
        if (more or not correct) and name not in recording.variables:
            yield f"the answers have no column {name}, but the query returns this variable"
    for name in more:
        yield f"the answers have the column {name}, but the query does not return this variable"


def beyond(recording: recordings.Recording, task: specifications.Task) -> Iterator[str]:
    """Yield a warning if most reports come after the trace, or all reports come before the trace."""
    times = sorted(report.t / task.unit.milliseconds for report in recording.reports)
    if not times or not task.elements:
        return
    first, last = task.elements[0].t, task.elements[-1].t
    text = f"in time points of {task.unit}"
    says = "--answers-unit sets the unit of times in the answers, --trace-unit the unit of times in the trace"
    if times[len(times) // 2] > task.until + 1:
        yield f"the answers go on to {plain(times[-1])} {text}, but the trace ends at {last}. {says}"
    elif times[-1] < first:
        yield f"the answers end at {plain(times[-1])} {text}, but the trace begins at {first}. {says}"


def column_names(recording: recordings.Recording, names: Sequence[str]) -> tuple[str, ...]:
    """Return the given column names, followed by the names of the recording's other columns."""
    return (*names, *(name for name in recording.variables if name not in names))


def _row(row: Row, places: Sequence[int | None], width: int) -> Row:
    terms = [None if place is None else row[place] for place in places]
    # An extra column is harmless if unbound; a value in it is more than the query answers.
    return tuple(terms if any(term is not None for term in terms[width:]) else terms[:width])


def _in_asked_columns(report: recordings.Report) -> recordings.Report:
    true = [row for row in report.rows if row[0] in TRUE]
    odd = [row for row in report.rows if row[0] not in BOOLEANS]
    return replace(report, rows=(*[() for _ in true], *odd))


def by_time_point(
    of: specifications.ScheduledTask, evaluations: Sequence[specifications.EvaluationReport]
) -> list[ReportMatch]:
    """Return one expected report per time point, ascending; evaluations at the same time point are joined."""
    milliseconds = of.task.unit.milliseconds
    reports: dict[int, list[specifications.EvaluationReport]] = {}
    for report in evaluations:
        reports.setdefault(report.time, []).append(report)
    return [_due(of, group, time * milliseconds) for time, group in sorted(reports.items())]


def _due(
    of: specifications.ScheduledTask, group: Sequence[specifications.EvaluationReport], t: float
) -> ReportMatch:
    check_time()
    rows = recordings.together([report.rows for report in group])
    right = (recordings.Report(t, rows),) if any(report.reported for report in group) else ()
    first, triples = of.shown_at(group[-1].point) or (None, None)
    return ReportMatch(
        t, right, first=None if first is None else first * of.task.unit.milliseconds, triples=triples
    )


@dataclass(frozen=True, slots=True)
class ReportAssignment:
    """The rule that assigns each report to the last evaluation that is at most `early` ms after the report.

    With `once`, an evaluation gets only its first report, and other reports with the same time as the first
    report. Without `once`, each row of an evaluation may come in its own report. A report must come less than
    `late` ms after its evaluation. If `late` is None, the delay must be less than the slide of one of the
    reporting `windows`. If `late` is None and no window reports, any delay is allowed. `push_times` maps push
    numbers to times in ms; with `push_times`, a report counts at the time of its push. `closes` is the time
    in ms at which the first of all windows closes, or None if the clock does not close windows.
    """

    late: float | None = None
    early: float = 0
    push_times: Mapping[int | None, float] | None = None
    once: bool = False
    windows: tuple[specifications.ShownWindow, ...] = ()
    closes: float | None = None

    def bound(self, t: float) -> float:
        """Return the delay in ms from which on a report does not belong to an evaluation at time `t`."""
        if self.late is not None or not self.windows:
            return inf if self.late is None else self.late
        length = self.windows[0].frame.unit.milliseconds
        time = round(t / length)
        slides = (slide_of(window) for window in self.windows if _may_report(window, time))
        return max(slides, default=1) * length

    def time_of(self, report: recordings.Report) -> float:
        """Return the time in ms at which the rule assigns the report: its push's time, or its own time."""
        # A push that was refused, or lost, has no time of its own: yet something came during it.
        own = report.t + self.early
        return own if self.push_times is None else self.push_times.get(report.trigger, own)


def one_report(report: recordings.Report, other: recordings.Report) -> bool:
    """Return whether two entries form one report: both have the same time and at least one row."""
    return report.t == other.t and bool(report.rows) and bool(other.rows)


def slots(
    due: Sequence[ReportMatch], reports: Sequence[recordings.Report], how: ReportAssignment
) -> list[ReportMatch]:
    """Return each evaluation with its reports, and each report without an evaluation, ascending in time."""
    times = [place.at for place in due]
    belonging: list[list[recordings.Report]] = [[] for _ in due]
    alone: list[ReportMatch] = []
    for report in reports:
        time = how.time_of(report)
        number = bisect_right(times, time + recordings.SLACK) - 1
        if number < 0 or time - how.early - times[number] >= how.bound(times[number]):
            alone.append(_undue((report,), how))
        elif how.once and belonging[number] and not one_report(belonging[number][0], report):
            alone.append(replace(_undue((report,), how), problem="a second report"))
        else:
            belonging[number].append(report)
    every = (
        replace(place, came=tuple(own)) if own else place for place, own in zip(due, belonging, strict=True)
    )
    return sorted((*every, *alone), key=lambda place: place.at)


def _undue(reports: tuple[recordings.Report, ...], how: ReportAssignment) -> ReportMatch:
    """Return an entry for reports that belong to no evaluation."""
    early = how.closes is not None and reports[0].t < how.closes - how.early
    return ReportMatch(reports[0].t, None, reports, problem=UNCLOSED if early else UNDUE)


UNCLOSED: Final = "a report before the first window closes"
UNDUE: Final = "a report where nothing is evaluated"


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of a user for judging: start times, the registration time, and the comparison.

    - `starts` are the start times to try. If None, all start times that can change the verdict are tried.
    - `registered` is the time point at which the query was registered.
    - `until` is the last time point to compare. By default, comparison ends at the last element.
    - `early`: reports may come up to this many ms before their evaluation.
    - `late`: reports must come less than this many ms after their evaluation. If None, the slide is the
      limit.
    - `bounds` and `rows` replace the window bounds and the row semantics of the specification.
    - `times`: for an engine version, the times of reports are compared too, if they are comparable.
    - `pushes`: for an engine version, rejected pushes and printed window bounds are compared too.
    - `numbers` are the numbers of rows, which all judging engines share.
    - `most` is the maximum number of combinations of start times to try, before the `deadline`.
    - `whole` is the number of combinations to judge completely, even if none fits.
    - `worth`: with very many evaluations, a choice gets no verdict if its score cannot exceed `worth`.
    """

    starts: tuple[int, ...] | None = None
    until: int | None = None
    registered: int = 0
    bounds: tuple[Bounds, ...] | None = None
    rows: Semantics | None = None
    likeness: Likeness = field(default_factory=Likeness)
    empty: EmptyReports = "compared"
    early: float = 0
    late: float | None = None
    match: MatchBy = "time"
    times: bool = True
    pushes: bool = False
    most: int | None = None
    whole: int = 256
    deadline: Deadline = NEVER
    worth: float = 0
    numbers: recordings.RowNumbers | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Phase:
    """The stable phase (after, until] in milliseconds.

    Only evaluations in the stable phase decide the verdict.

    `edge` is the end of the trace. No element after `edge` can make the engine evaluate. An evaluation at
    `edge` or later counts only if the engine reported.
    """

    after: float
    until: float
    edge: float

    def decides(self, place: ReportMatch) -> bool:
        """Return whether a place is in the stable phase and decides the verdict."""
        return self.after < place.at <= self.until and (place.at < self.edge or bool(place.came))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a recording by a specification for one choice of start times, window by window.

    `transient` are the windows up to the start of the stable phase. `later` are the windows after the end of
    the trace, whose input is unknown. `windows` are the windows of the stable phase. The recording is correct
    if every window of the stable phase is right (RSP-QL 2014, Definition 26). If the query has only one
    window, each start time from the chosen t0 up to `until` gives the same verdict.
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
    def late(self) -> tuple[float, float] | None:
        """The smallest and largest delay of reports in the stable phase, in ms.

        The result is None if nothing was reported.
        """
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
    choice: specifications.OpenChoice, phase: Phase, every: Sequence[ReportMatch], options: Options
) -> Verdict:
    """Return the verdict for evaluations that already have their reports assigned."""
    compared = [place for place in every if not _is_ignored(place, options)]
    transient = [place for place in compared if place.at <= phase.after]
    stable = [place for place in compared if phase.decides(place)]
    later = [place for place in compared if place.at > phase.after and not phase.decides(place)]
    early, decisive, late = (
        tuple(_timed(matched(place, options)) for place in part) for part in (transient, stable, later)
    )
    return Verdict(choice, phase, early, decisive, late)


def is_right(place: ReportMatch, options: Options) -> bool:
    """Return whether an evaluation's reports are right, or whether an unassigned report may be ignored."""
    return _is_ignored(place, options) or matched(place, options).problem is None


def _is_ignored(place: ReportMatch, options: Options) -> bool:
    has_rows = any(report.rows for report in (*(place.right or ()), *place.came))
    return options.empty == "ignored" and not has_rows


def matched(place: ReportMatch, options: Options) -> ReportMatch:
    """Return a place with its matched rows and its problem.

    Raises:
        TimeLimitError: The time limit is over.
    """
    check_time()
    right = recordings.rows_of(place.right or ())
    rows = match_rows(right, recordings.rows_of(place.came), options.likeness)
    return replace(place, rows=rows, problem=place.problem or _problem(place, rows, options))


def _timed(place: ReportMatch) -> ReportMatch:
    is_late = place.right is not None and place.came
    return replace(place, delay=place.came[0].t - place.at) if is_late else place


def _problem(place: ReportMatch, rows: RowMatch, options: Options) -> str | None:
    if rows.missing and rows.extra:
        return odd_rows(rows)
    if rows.missing or rows.extra:
        return f"{len(rows.missing)} missing" if rows.missing else f"{len(rows.extra)} extra"
    if options.empty == "compared":
        if place.right and not place.came:
            return "no report of the empty answer"
        if place.came and not place.right:
            return "a report of an empty answer"
    return None


def compare_reports(
    scheduled: specifications.ScheduledTask,
    reports: Sequence[specifications.EvaluationReport],
    recorded: recordings.Recording,
    phase: Phase,
    options: Options,
) -> Verdict:
    """Return the verdict on a recording, given the evaluations of the specification."""
    options = with_rows_of(scheduled.specification, options)
    if options.match == "sequence":
        return _in_sequence(scheduled, by_time_point(scheduled, reports), recorded.reports, options)
    return verdict(scheduled.choice, phase, slots_of(scheduled, reports, recorded, options), options)


def with_rows_of(specification: specifications.Specification, options: Options) -> Options:
    """Return the options with the row semantics (set or multiset) of the specification."""
    return replace(options, likeness=replace(options.likeness, semantics=specification.rows))


def _in_sequence(
    scheduled: specifications.ScheduledTask,
    due: Sequence[ReportMatch],
    reports: Sequence[recordings.Report],
    options: Options,
) -> Verdict:
    """Return the verdict if the reports are compared with the answers by order, not by time.

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
    pairs = match_part(rows, given, joint, options.likeness) or nearest(rows, given, joint, options.likeness)
    places = (_undue(own, how) if n is None else replace(answered[n], came=own) for n, own in pairs)
    windows = tuple(matched(place, options) for place in places)
    return Verdict(scheduled.choice, Phase(-inf, inf, inf), (), windows, ())


def slots_of(
    scheduled: specifications.ScheduledTask,
    reports: Sequence[specifications.EvaluationReport],
    recorded: recordings.Recording,
    options: Options,
) -> list[ReportMatch]:
    """Return each evaluation with the reports that belong to the evaluation, ascending in time."""
    due = by_time_point(scheduled, reports)
    return slots(due, recorded.reports, belonging(scheduled, options))


def phase_of(of: specifications.FramedTask, started: int, options: Options) -> Phase:
    """Return the stable phase, from the given start to the last time at which a window can close.

    If the bounds are high-open, the phase ends one time point after the last element.
    """
    length = of.task.unit.milliseconds
    last = of.task.last
    high_open = misses_last(of.frame.bounds)
    end = last + high_open if options.until is None else options.until
    known = clock_driven(of) and options.until is None
    return Phase(started * length, end * length, (last + high_open) * length if known else inf)


def clock_driven(of: specifications.FramedTask) -> bool:
    """Return whether the clock triggers all evaluations, and arrivals trigger none."""
    return not any(map(by_arrival, of.windows))


def belonging(of: specifications.FramedTask, options: Options) -> ReportAssignment:
    """Return the assignment of reports to evaluations.

    If the clock triggers evaluations, delays are limited.
    """
    length = of.task.unit.milliseconds
    if not clock_driven(of):
        times: dict[int | None, float] = {each.number: each.t * length for each in of.task.elements}
        # The report of windows that look ahead is due later than the push.
        return ReportAssignment(None, options.early, None if of.frame.lead else times)
    allowed = None if options.late is None else options.late + recordings.SLACK
    reporting = tuple(window for window in of.windows if window.strategies)
    return ReportAssignment(allowed, options.early, once=True, windows=reporting, closes=first_close(of))


def slide_of(window: specifications.ShownWindow) -> int:
    """Return the smallest distance in time points between two clock-driven evaluations of a window."""
    if "periodic" in window.strategies and "window-close" not in window.strategies:
        return specifications.period_of(window.frame)
    if isinstance(window.source.window, Span):
        return window.frame.until + 1  # Its only answer is right at any time after the window.
    own = specifications.shape(window.source, window.frame)
    return 1 if own is None else own.slide


def _may_report(window: specifications.ShownWindow, time: int) -> bool:
    """Return whether a window may report at a time.

    A window that reports on closing reports at closes only.
    """
    own = specifications.shape(window.source, window.frame)
    if own is None or "window-close" not in window.strategies:
        return True
    return time in own.closes(window.start, window.frame.until)


def first_close(of: specifications.FramedTask) -> float | None:
    """Return the time in ms at which the first window closes; None if arrivals trigger reports."""
    if not clock_driven(of):
        return None
    placed = ((specifications.shape(window.source, of.frame), window) for window in of.windows)
    closes = [
        window.start + own.due
        for own, window in placed
        if own is not None and not of.frame.is_quiet(window.source)
    ]
    return min(closes) * of.task.unit.milliseconds if closes else None


def measures(window: ReportMatch) -> Json:
    """Return the numbers of rows, precision, recall, the delay in ms, and the problem of a window."""
    return {**counts(window.rows), **pick(window, "delay", "triples", "problem")}


def counts(rows: RowMatch) -> Json:
    """Return the numbers of expected and reported rows, precision and recall."""
    return pick(rows, "expected", "actual", "precision", "recall")


_FEW_STARTS: Final = 16
"""The number of start times that are judged completely, even if their first reports are wrong."""
_DEAR: Final = 500
"""If more evaluations than this exist, the possible score is estimated before a verdict is computed."""
_SAMPLE: Final = 64
"""The number of evaluations whose rows are counted in the first step of the estimate."""
_TOGETHER: Final = 64
"""The number of start times whose window contents are computed in one step."""


_SOME: Final = (recordings.Report(0, ()),)
"""A report without rows, for evaluations of which only the time matters."""


@dataclass(frozen=True, slots=True)
class Bench:
    """The data that all start times share, for one choice of window bounds."""

    base: specifications.FramedTask
    starts: Starts
    recorded: recordings.Recording
    options: Options
    phase: Phase
    how: ReportAssignment

    def slots(self, schedule: specifications.ScheduledTask) -> list[ReportMatch]:
        """Return the evaluations that decide the verdict, with their reports, assigned by time only."""
        length = schedule.task.unit.milliseconds
        due = [ReportMatch(t * length, _SOME) for t in dict.fromkeys(point.time for point in schedule.points)]
        how = belonging(schedule, self.options) if self.how.windows else self.how
        return [place for place in slots(due, self.recorded.reports, how) if self.phase.decides(place)]

    def odd(self, z: StartTimes) -> int:
        """Return the number of evaluations without a report plus reports without an evaluation.

        If the number is 0, only the rows can exclude the start times. If the number is not 0, the start times
        are excluded without an evaluation of the query.
        """
        schedule = self.base.scheduled(z)
        decisive = self.slots(schedule)
        if schedule.specification.empty == "silent" or self.options.empty == "ignored":
            return sum(
                place.right is None and any(report.rows for report in place.came) for place in decisive
            )
        return sum(place.right is None or not place.came for place in decisive)

    def hopeless(self, schedule: specifications.ScheduledTask) -> bool:
        """Return whether far more rows are expected than were reported, so that the score must be low."""
        options, length = self.options, schedule.task.unit.milliseconds
        many = len(schedule.points) > _DEAR and options.match == "time"
        if not options.worth or not many or (answers := specifications.answers_of(schedule)) is None:
            return False
        if (schedule.task.query.to_stream or schedule.specification.stream) != "RSTREAM":
            return False
        after, until, edge = self.phase.after, self.phase.until, self.phase.edge
        times = ((point, point.time * length) for point in schedule.points)
        points = [point for point, t in times if after < t <= until and t < edge]
        actual = sum(len(report.rows) for report in self.recorded.reports)
        expected = 0
        # Few of them can have enough rows already.
        for part in _more_and_more(points):
            expected += sum(answers.sizes(list(map(schedule.content, part))))
            if expected > actual and 2 * actual <= options.worth * (expected + actual):
                return True
        return False

    def verdict(self, z: StartTimes) -> Verdict | None:
        """Return the verdict for the given start times; None if the score cannot be high enough."""
        schedule = self.base.scheduled(z)
        if self.hopeless(schedule):
            return None
        verdict = compare_reports(
            schedule, specifications.evaluations(schedule), self.recorded, self.phase, self.options
        )
        return replace(verdict, until=self.starts.until(z))


def _more_and_more(
    points: Sequence[specifications.EvaluationPoint],
) -> Iterator[Sequence[specifications.EvaluationPoint]]:
    """Yield a sample of evaluations over the whole time, then samples eight times as large."""
    step, begin, end = max(1, len(points) // _SAMPLE), 0, 1
    while begin < step:
        yield [point for place, point in enumerate(points) if begin <= place % step < end]
        begin, end = end, 8 * end


RuledOut = list[tuple[tuple[int, int, int], StartTimes]]
"""Excluded start times, each with a key that sorts the best fit first.

The key has three numbers: the number of odd evaluations and reports, minus the number of right reports before
the first wrong report, and the place of the start times in the order of trying.
"""
NumberedStarts = list[tuple[int, StartTimes]]


@dataclass(frozen=True, slots=True)
class _Trial:
    """Start times that no report has excluded yet, with their number, evaluations, and decisive reports."""

    number: int
    schedule: specifications.ScheduledTask
    decisive: list[ReportMatch]

    @property
    def numbered(self) -> tuple[int, StartTimes]:
        return self.number, self.schedule.choice.starts

    def shown(
        self, place: int, *, changes: bool
    ) -> list[tuple[specifications.ShownSpans | None, specifications.ShownSpans]]:
        """Return the windows' content at each evaluation of a slot and at the preceding evaluation.

        The preceding content is None at the first evaluation, and if `changes` is false.
        """
        slot, points = self.decisive[place], self.schedule.points
        length = self.schedule.task.unit.milliseconds
        at = (
            n for n, point in enumerate(points) if slot.right is not None and point.time * length == slot.at
        )
        content = self.schedule.content
        return [(content(points[n - 1]) if changes and n else None, content(points[n])) for n in at]


class Sieve:
    """The exclusion of start times by the first report that contradicts the content of the windows."""

    def __init__(self, bench: Bench, answers: specifications.ContentAnswers) -> None:
        self.bench, self.of, self.answers = bench, bench.base, answers
        self.kind = self.of.task.query.to_stream or self.of.specification.stream
        self.options = with_rows_of(self.of.specification, bench.options)

    def sift(self, fitting: NumberedStarts, progress: Progress) -> tuple[NumberedStarts, RuledOut]:
        """Return the start times that remain, and the excluded start times.

        The exclusion stops when few start times remain, or at the deadline.
        """
        base, ruled_out = self.bench.base, RuledOut()
        schedules = ((number, base.scheduled(z)) for number, z in fitting)
        left = [_Trial(number, task, self.bench.slots(task)) for number, task in schedules]
        place = 0
        while len(left) > _FEW_STARTS and any(place < len(trial.decisive) for trial in left):
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
        """Yield each trial with a boolean: whether the reports at the given place are right."""
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


_MOST_IDLE_STARTS: Final = 1000
"""The number of start times up to which all are tried, even if none of them leaves anything to compare."""
_TRIED: Final = 4
"""The number of excluded choices that still get a verdict if no choice is correct."""
_MOST_CLOSES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on a recording, best verdict first; `choices` is the number of all choices."""

    specification: specifications.Specification
    verdicts: tuple[Verdict, ...]
    choices: int
    tried_choices: int
    match: MatchBy = "time"

    @property
    def matching(self) -> tuple[Verdict, ...]:
        """The verdicts that find the recording correct."""
        return tuple(verdict for verdict in self.verdicts if verdict.correct)

    @property
    def correct(self) -> bool | None:
        """Whether the recording is correct for at least one choice of start times and bounds.

        The value is None if no choice fits, but a choice has nothing to compare or some choices were not
        tried.
        """
        if self.matching:
            return True
        return None if self.vacuous or self.tried_choices < self.choices else False

    @property
    def vacuous(self) -> tuple[Verdict, ...]:
        """The verdicts of choices for which nothing can be compared."""
        return tuple(verdict for verdict in self.verdicts if verdict.correct is None)

    @property
    def undecided(self) -> bool:
        """Whether no tried choice fits, and some choices were not tried."""
        return self.correct is None and not self.vacuous

    @property
    def silent(self) -> bool:
        """Whether the specification expects no row under any completely judged choice."""
        windows = (
            window
            for verdict in self.verdicts
            for window in (*verdict.transient, *verdict.windows, *verdict.later)
        )
        return not any(window.rows.expected for window in windows)

    @property
    def best(self) -> Verdict:
        """The verdict with the best fit."""
        return self.verdicts[0]


def judge_recording(
    task: specifications.Task,
    specification: specifications.Specification,
    recording: recordings.Recording,
    options: Options,
    progress: Progress = no_progress,
) -> Judgement:
    """Return the verdicts on a recording under every choice that the specification leaves open."""
    _check_times(task, specification, options)
    if options.rows is not None:
        specification = specification.model_copy(update={"rows": options.rows})
    _check_windows(task, specification)
    recorded = recorded_for(task, recording)
    every = options.bounds or specification.bounds
    benches = [_bench(task, specification, bounds, recorded, options) for bounds in every]
    parts = [_outcome(bench, progress) for bench in benches]
    verdicts = [verdict for found, _, _ in parts for verdict in found]
    if not any(verdict.correct for verdict in verdicts):
        ruled_out = (
            ((odd, right, n, number), z)
            for n, part in enumerate(parts)
            for (odd, right, number), z in part[1]
        )
        best = sorted(ruled_out, key=itemgetter(0))
        verdicts += filter(None, (benches[n].verdict(z) for (*_, n, _), z in best[:_TRIED]))
    choices, tried = sum(bench.starts.count for bench in benches), sum(count for _, _, count in parts)
    return Judgement(specification, tuple(sorted(verdicts, key=_fit)), choices, tried, options.match)


def judge_either(
    task: specifications.Task,
    lost: frozenset[int],
    specification: specifications.Specification,
    recording: recordings.Recording,
    options: Options,
) -> Judgement:
    """Return the verdicts under which each window is right either with the late elements or without them.

    A stream has its triples in order of time (RSP-QL 2014, RDF stream), so the effect of late elements is
    undefined. `lost` are the numbers of the pushes that go back in time.
    """
    if options.rows is not None:
        specification = specification.model_copy(update={"rows": options.rows})
    left = tuple(element for element in task.elements if element.number not in lost)
    every = options.bounds or specification.bounds
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
            pair = [verdict for bench in (taken, ignoring) if (verdict := bench.verdict(z))]
            verdicts.append(_either(pair[0], pair[-1]))
    return Judgement(specification, tuple(sorted(verdicts, key=_fit)), choices, tried, options.match)


def _either(taken: Verdict, ignoring: Verdict) -> Verdict:
    """Return a verdict in which a window is right if the window is right in one of two verdicts.

    A wrong evaluation without reported rows is dropped if only one verdict contains the evaluation. A wrong
    unassigned report is dropped if only one verdict contains the report.
    """
    both = [{(each.at, each.right is None): each for each in one.windows} for one in (taken, ignoring)]
    windows = []
    for place in both[0].keys() | both[1].keys():
        known = [each[place] for each in both if place in each]
        right = next((window for window in known if window.problem is None), None)
        came = any(window.right is None or window.rows.actual for window in known)
        if right is not None or len(known) > 1 or (came and known[0].right is not None):
            windows.append(right or known[0])
    return replace(taken, windows=tuple(sorted(windows, key=lambda window: window.at)))


def _bench(
    task: specifications.Task,
    specification: specifications.Specification,
    bounds: Bounds,
    recorded: recordings.Recording,
    options: Options,
) -> Bench:
    base = specifications.frame_task(task, specification, bounds)
    how = belonging(base, options)
    read = sources(task.query)
    said = specifications.said_starts(read, task.unit)
    if options.starts is not None:
        starts = given_starts(read, base.frame, options.starts)
    elif said is not None:
        starts = Starts((said,), 1, max(said))
    else:
        phase = phase_of(base, last_start(base, options.registered), options)
        starts = all_starts(base, options.registered, partial(_compared_times, recorded, phase, options, how))
    phase = phase_of(base, starts.last, options)
    return Bench(base, starts, recorded, options, phase, how)


def _compared_times(
    recorded: recordings.Recording,
    phase: Phase,
    options: Options,
    how: ReportAssignment,
    window: specifications.ShownWindow,
) -> Iterator[int]:
    """Yield the time points at which the result of comparing a window's close can change."""
    length = window.frame.unit.milliseconds
    yield window.frame.until + 1
    yield from (round(t / length) + more for t in (phase.after, phase.until) for more in (0, 1))
    yield from () if phase.edge == inf else (round(phase.edge / length),)
    if options.match == "sequence":
        return
    late = slide_of(window) * length if how.late is None else how.late
    for report in recorded.reports:
        time = how.time_of(report)
        due = floor((time + recordings.SLACK) / length)
        # At its time, which is the likeliest, and behind it; on both sides of a bound, for its rounding.
        yield from (due, due + 1)
        yield from (
            floor((time - how.early - late + more) / length) + 1
            for more in (-recordings.SLACK, recordings.SLACK)
        )


def _outcome(bench: Bench, progress: Progress) -> tuple[list[Verdict], RuledOut, int]:
    """Return the verdicts on possible start times, the excluded start times, and the number of tried ones."""
    options = bench.options
    fitting: list[tuple[int, StartTimes]] = []
    ruled_out: RuledOut = []
    for number, z in enumerate(_worthwhile(bench)):
        if number and options.deadline.is_over:
            break
        progress(number, bench.starts.count)
        odd = 0 if options.match == "sequence" else bench.odd(z)
        if odd:
            ruled_out.append(((odd, 0, number), z))
        else:
            fitting.append((number, z))
    several = len(fitting) > options.whole and options.match == "time"
    # Where the clock does not drive, or contents do not decide, each is judged in whole.
    answers = specifications.answers_of(bench.base) if several and clock_driven(bench.base) else None
    if answers is not None:
        fitting, wrong = Sieve(bench, answers).sift(fitting, progress)
        ruled_out += wrong
    verdicts: list[Verdict | None] = []
    for done, (_, z) in enumerate(fitting):
        if done and options.deadline.is_over:
            break
        progress(done, len(fitting))
        verdicts.append(bench.verdict(z))
    return [verdict for verdict in verdicts if verdict], ruled_out, len(ruled_out) + len(verdicts)


def _worthwhile(bench: Bench) -> Iterator[StartTimes]:
    """Yield the start times to try.

    If the trace ends before all windows start, and very many start times exist, only the first is tried.
    """
    starts, options = bench.starts, bench.options
    last = bench.base.task.last
    end = last + 1 if options.until is None else options.until
    pointless = options.match == "time" and starts.last > end and starts.count > _MOST_IDLE_STARTS
    return iter(starts.combinations[: 1 if pointless else options.most])


_HINT: Final = 128
"""The number of combinations of start times of several windows that are tried for a hint."""
_WHOLE: Final = 16


def narrow_options(options: Options, task: specifications.Task) -> Options:
    """Return the options with fewer start times, for a judgement that only explains another judgement."""
    return replace(options, most=_HINT if len(sources(task.query)) > 1 else None, whole=_WHOLE)


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
    task: specifications.Task, specification: specifications.Specification, options: Options
) -> None:
    """Raise LarsError if the windows close more often than can be evaluated."""
    base = specifications.frame_task(task, specification, "closed")
    shapes = specifications.shapes(sources(task.query), base.frame)
    first = min(options.starts or (options.registered,))
    closes = max((len(own.closes(first, task.until)) for own in shapes), default=0)
    if closes > _MOST_CLOSES and clock_driven(base):
        raise LarsError(
            f"windows close {closes} times up to time point {task.until}, more than the maximum "
            f"{_MOST_CLOSES}; use a coarser --unit, a later --registered (or --t0), or dateTimes "
            "with --origin"
        )


def _fit(verdict: Verdict) -> tuple[object, ...]:
    delays = [window.delay for window in verdict.windows if window.delay is not None]
    total = sum(map(abs, delays)) if delays else 0
    return not verdict.correct, -verdict.score, verdict.wrong, total
