"""A recording beside a query's answers: what is asked for, and the verdict for one choice of start times.

First its rows in their columns and its reports at their evaluations; then of each judged window whether it
is right, and what it is measured by.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Final

from agreement.comparing.matching.likeness import Likeness, RowMatch, match_rows, share
from agreement.comparing.matching.sequences import match_part, nearest
from agreement.documents.outputs import Json, pick, plain
from agreement.documents.recordings import SLACK, Recording, Report, number_rows, rows_of, together
from agreement.documents.requests import EmptyReports, MatchBy, sources
from agreement.engines.engine import columns
from agreement.engines.specifications import (
    EvaluationReport,
    FramedTask,
    OpenChoice,
    ScheduledTask,
    Task,
    Tick,
    needed_tick,
    shape,
)
from lars.language.terms import XSD
from lars.language.windows import Bounds
from solver.deadlines import NEVER, Deadline
from solver.facts import Row
from translate.model.query import EngineQuery, Form, Semantics

ANSWER: Final = "Answer"
"""The column in which engines report whether an ASK is true."""
# Where a format loses the kind of a term, a boolean is a text or a number.
_KINDS: Final = ("", f"^^<{XSD}boolean>", f"^^<{XSD}integer>")
_TRUE: Final = frozenset(f'"{text}"{kind}' for text in ("true", "1") for kind in _KINDS)
_FALSE: Final = frozenset(f'"{text}"{kind}' for text in ("false", "0") for kind in _KINDS)


def align(recording: Recording, names: Sequence[str], query: EngineQuery) -> Recording:
    """Return the recording with rows of these columns, then whatever else it has of values.

    A column that the recording lacks is unbound there. The rows of an ASK become () where it is
    true, and none where it is false, as the query's answers are.
    """
    if query.form is Form.ASK and recording.variables == (ANSWER,):
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


def recorded_for(task: Task, recording: Recording) -> Recording:
    """Return the recording with rows as a task's query answers them, by the numbers that those have."""
    return number_rows(align(recording, columns(task.query), task.query), task.numbers)


def oddities(recording: Recording, query: EngineQuery, *, correct: bool) -> Iterator[str]:
    """Yield what makes a recording unlike any answer of the query: no reports, or other columns."""
    if not recording.reports:
        yield "the answers have no report"
    if query.form is Form.ASK or not any(report.rows for report in recording.reports):
        return
    names = columns(query)
    more = [name for name in recording.variables if name not in names]
    # A column that is nowhere bound can be absent from all rows of correct answers.
    for name in names:
        if (more or not correct) and name not in recording.variables:
            yield f"the answers have no column {name}, which the query answers"
    for name in more:
        yield f"the answers have the column {name}, which the query does not"


def beyond(recording: Recording, task: Task) -> Iterator[str]:
    """Yield that most reports come where the trace is over, or all of them before it begins."""
    times = sorted(report.t / task.unit.milliseconds for report in recording.reports)
    if not times or not task.elements:
        return
    first, last = task.elements[0].t, task.elements[-1].t
    text = f"in time points of {task.unit}"
    says = "--answers-unit says what the answers' times count, --trace-unit the trace's"
    if times[len(times) // 2] > task.until + 1:
        yield f"the answers go on to {plain(times[-1])} {text}, the trace ends at {last}: {says}"
    elif times[-1] < first:
        yield f"the answers end at {plain(times[-1])} {text}, the trace begins at {first}: {says}"


def column_names(recording: Recording, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns of a recording that is aligned, and of what else it has."""
    return (*names, *(name for name in recording.variables if name not in names))


def _row(row: Row, places: Sequence[int | None], width: int) -> Row:
    terms = [None if place is None else row[place] for place in places]
    # Unbound beyond the columns says nothing; a value there is more than the query answers.
    return tuple(terms if any(term is not None for term in terms[width:]) else terms[:width])


def _in_asked_columns(report: Report) -> Report:
    true = [row for row in report.rows if row[0] in _TRUE]
    odd = [row for row in report.rows if row[0] not in _TRUE | _FALSE]
    return replace(report, rows=(*[() for _ in true], *odd))


@dataclass(frozen=True, slots=True)
class ExpectedReport:
    """What a specification reports at one time point: the rows of all its evaluations there.

    `t` is the time point in milliseconds. Not `reported`: nothing is, since the answer is empty. `shown` is
    when what the first window showed begins, and how many triples all showed.
    """

    time: int
    t: float
    rows: Sequence[Row]
    reported: bool
    shown: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """An evaluation and the recorded reports that belong to it.

    Without evaluation it is a report of its own; `again` is the time in ms of the evaluation that
    has another one already.
    """

    expected: ExpectedReport | None
    reports: tuple[Report, ...]
    again: float | None = None

    @property
    def t(self) -> float:
        """The time in milliseconds at which this is to be compared."""
        return self.reports[0].t if self.expected is None else self.expected.t

    @property
    def delay(self) -> float | None:
        """How many milliseconds after its time the first report came; None without report."""
        if self.expected is None or not self.reports:
            return None
        return self.reports[0].t - self.expected.t


def by_time_point(of: ScheduledTask, evaluations: Sequence[EvaluationReport]) -> list[ExpectedReport]:
    """Return what is expected at each time point, ascending: evaluations inside one instant are joined."""
    milliseconds = of.task.unit.milliseconds
    reports: dict[int, list[EvaluationReport]] = {}
    for report in evaluations:
        reports.setdefault(report.time, []).append(report)
    return [
        ExpectedReport(
            time,
            time * milliseconds,
            together([evaluation_report.rows for evaluation_report in group]),
            any(evaluation_report.reported for evaluation_report in group),
            of.shown_at(group[-1].point),
        )
        for time, group in sorted(reports.items())
    ]


@dataclass(frozen=True, slots=True)
class ReportAssignment:
    """When a report belongs to an evaluation: to the last that is not more than `early` ms after it.

    `once`: the first report is its only one, or those of the same time; else each row may come alone.
    Unless it is `late` ms after that or more (None: however late). `push_times` are the times in ms of
    the pushes where those tell, not the reports' own times.
    """

    late: float | None = None
    early: float = 0
    push_times: tuple[float, ...] | None = None
    once: bool = False

    def time_of(self, report: Report) -> float:
        """Return the time that decides."""
        if self.push_times is None or report.trigger is None or report.trigger >= len(self.push_times):
            # A push that was refused, or lost, has no time of its own: yet something came during it.
            return report.t + self.early
        return self.push_times[report.trigger]


def one_report(report: Report, other: Report) -> bool:
    """Whether two entries can be one report: of one time, each with some of its rows."""
    return report.t == other.t and bool(report.rows) and bool(other.rows)


def slots(expected: Sequence[ExpectedReport], reports: Sequence[Report], how: ReportAssignment) -> list[Slot]:
    """Return each evaluation with its reports, and each report that belongs to none, ascending in time."""
    times = [expected_report.t for expected_report in expected]
    belonging: list[list[Report]] = [[] for _ in expected]
    alone: list[Slot] = []
    for report in reports:
        time = how.time_of(report)
        place = bisect_right(times, time + SLACK) - 1
        if place < 0 or (how.late is not None and time - how.early - times[place] >= how.late):
            alone.append(Slot(None, (report,)))
        elif how.once and belonging[place] and not one_report(belonging[place][0], report):
            alone.append(Slot(None, (report,), times[place]))
        else:
            belonging[place].append(report)
    all_slots = [
        Slot(expected_report, tuple(own)) for expected_report, own in zip(expected, belonging, strict=True)
    ]
    return sorted((*all_slots, *alone), key=lambda slot: slot.t)


UNCLOSED: Final = "a report before the first window closes"


@dataclass(frozen=True, slots=True)
class Options:
    """What a user fixes: start times (None: all that differ), the registration time a, and comparing.

    `until` is the last time point to compare, by default that of the last element: what closes
    before the next one. `early`: reports may come so many ms before their time,
    `late` less than so many ms after it (None: than the slide).
    `bounds` and `rows`: instead of the specification's. At most `most` combinations of start times
    are tried, until `deadline`, so many `whole` though they do not fit.
    Of very many evaluations no verdict is made that cannot score more than `worth`.
    """

    starts: tuple[int, ...] | None = None
    until: int | None = None
    registered: int = 0
    bounds: tuple[Bounds, ...] | None = None
    rows: Semantics | None = None
    likeness: Likeness = field(default_factory=Likeness)
    empty: EmptyReports = EmptyReports.COMPARED
    early: float = 0
    late: float | None = None
    match: MatchBy = MatchBy.TIME
    most: int | None = None
    whole: int = 256
    deadline: Deadline = NEVER
    worth: float = 0


@dataclass(frozen=True, slots=True)
class JudgedWindow:
    """One evaluation against its record: times in ms, how the rows match, what is wrong in words.

    `first` and `last` are the ends of what the first window showed, and `triples` what all showed.
    Without `problem` all is right.
    """

    first: float | None
    last: float
    rows: RowMatch
    delay: float | None
    triples: int | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class Phase:
    """The stable phase (after, until] in milliseconds: what lies in it decides.

    An evaluation from `edge` on, at which the trace ends, decides only where it was reported: nothing
    came after it that could have told the engine that it was due.
    """

    after: float
    until: float
    edge: float

    def decides(self, slot: Slot) -> bool:
        """Whether a slot counts."""
        return self.after < slot.t <= self.until and (slot.t < self.edge or bool(slot.reports))


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a recording meets a specification for one choice, window by window.

    `transient` are windows up to t_s, `later` those after the end of the trace, where nobody knows
    the input. Correct: every window in between is right (RSP-QL 2014, Definition 26); None: there
    is nothing to compare. Up to `until` every t0 of the only window gives the same.
    """

    choice: OpenChoice
    phase: Phase
    transient: tuple[JudgedWindow, ...]
    windows: tuple[JudgedWindow, ...]
    later: tuple[JudgedWindow, ...]
    until: int | None = None

    @property
    def correct(self) -> bool | None:
        """Whether every window of the stable phase is right; None without any."""
        return all(window.problem is None for window in self.windows) if self.windows else None

    @property
    def wrong(self) -> int:
        """How many windows of the stable phase are wrong."""
        return sum(window.problem is not None for window in self.windows)

    @property
    def late(self) -> tuple[float, float] | None:
        """The smallest and the largest delay of the stable phase, in ms; None without any report."""
        delays = [window.delay for window in self.windows if window.delay is not None]
        return (min(delays), max(delays)) if delays else None

    @property
    def score(self) -> float:
        """The harmonic mean of precision and recall over all rows of the stable phase; 1 without rows."""
        rows = [window.rows for window in self.windows]
        return share(
            2 * sum(match.common for match in rows), sum(match.expected + match.actual for match in rows)
        )


@dataclass(frozen=True, slots=True)
class Comparing:
    """How reports are compared: rows, empty answers, and the length of a time point in ms.

    `closes` is when the first window of all closes, in ms; None where no clock closes windows.
    """

    likeness: Likeness
    empty: EmptyReports
    milliseconds: float
    closes: float | None = None


def verdict(choice: OpenChoice, phase: Phase, all_slots: Sequence[Slot], how: Comparing) -> Verdict:
    """Return the verdict on evaluations and the reports that belong to them."""
    ignoring = how.empty is EmptyReports.IGNORED
    compared = [slot for slot in all_slots if not (ignoring and _is_empty(slot))]
    transient = [slot for slot in compared if slot.t <= phase.after]
    stable = [slot for slot in compared if phase.decides(slot)]
    later = [slot for slot in compared if slot.t > phase.after and not phase.decides(slot)]
    early, decisive, late = (
        tuple(_window(slot, how) for slot in part) for part in (transient, stable, later)
    )
    return Verdict(choice, phase, early, decisive, late)


def is_right(slot: Slot, how: Comparing) -> bool:
    """Return whether what belongs to one evaluation, or is a report without one, is right."""
    ignored = how.empty is EmptyReports.IGNORED and _is_empty(slot)
    return ignored or _window(slot, how).problem is None


def _is_empty(slot: Slot) -> bool:
    return not (slot.expected and slot.expected.rows) and not any(report.rows for report in slot.reports)


def _window(slot: Slot, how: Comparing) -> JudgedWindow:
    expected = slot.expected
    common = match_rows(expected.rows if expected else (), rows_of(slot.reports), how.likeness)
    first, triples = (expected and expected.shown) or (None, None)
    return JudgedWindow(
        first=None if first is None else first * how.milliseconds,
        last=slot.t,
        rows=common,
        delay=slot.delay,
        triples=triples,
        problem=_problem(slot, common, how),
    )


def _problem(slot: Slot, common: RowMatch, how: Comparing) -> str | None:
    if slot.expected is None:
        if slot.again is not None:
            return "a second report"
        early = how.closes is not None and slot.t < how.closes
        return UNCLOSED if early else "a report where nothing is evaluated"
    if common.missing and common.extra:
        return f"{len(common.missing)} missing, {len(common.extra)} extra"
    if common.missing or common.extra:
        return f"{len(common.missing)} missing" if common.missing else f"{len(common.extra)} extra"
    if how.empty is EmptyReports.COMPARED:
        if slot.expected.reported and not slot.reports:
            return "no report of the empty answer"
        if slot.reports and not slot.expected.reported:
            return "a report of an empty answer"
    return None


def compare_reports(
    profile: ScheduledTask,
    reports: Sequence[EvaluationReport],
    recorded: Recording,
    phase: Phase,
    options: Options,
) -> Verdict:
    """Return the verdict on a recording, given what is evaluated."""
    how = comparing(profile, options)
    if options.match is MatchBy.SEQUENCE:
        return _in_sequence(profile, by_time_point(profile, reports), recorded.reports, how)
    return verdict(profile.choice, phase, slots_of(profile, reports, recorded, options), how)


def comparing(of: FramedTask, options: Options) -> Comparing:
    """Return how reports are compared with what is evaluated."""
    length = of.task.unit.milliseconds
    likeness = replace(options.likeness, semantics=of.specification.rows)
    closes = first_close(of)
    return Comparing(likeness, options.empty, length, None if closes is None else closes - options.early)


def _in_sequence(
    profile: ScheduledTask,
    expected_reports: Sequence[ExpectedReport],
    reports: Sequence[Report],
    how: Comparing,
) -> Verdict:
    """Return the verdict on reports as a part without gaps of the answers in their order.

    Where arrivals are what reports, each answer can come in several reports.
    """
    ignored = how.empty is EmptyReports.IGNORED
    answered = [
        report for report in expected_reports if report.reported and not (ignored and not report.rows)
    ]
    given = [report for report in reports if not (ignored and not report.rows)]
    by_clock = clock_driven(profile)

    def joint(report: Report, other: Report) -> bool:
        return one_report(report, other) if by_clock else True

    rows = [report.rows for report in answered]
    pairs = match_part(rows, given, joint, how.likeness) or nearest(rows, given, joint, how.likeness)
    slots_in_order = (Slot(None if n is None else answered[n], own) for n, own in pairs)
    windows = (replace(_window(slot, how), delay=None) for slot in slots_in_order)
    return Verdict(profile.choice, Phase(-inf, inf, inf), (), tuple(windows), ())


def slots_of(
    profile: ScheduledTask, reports: Sequence[EvaluationReport], recorded: Recording, options: Options
) -> list[Slot]:
    """Return each evaluation with the reports that belong to it."""
    expected = by_time_point(profile, reports)
    return slots(expected, recorded.reports, belonging(profile, options))


def phase_of(of: FramedTask, started: int, options: Options) -> Phase:
    """Return the stable phase: from t_s to the end, at which a high-open window can still close."""
    length = of.task.unit.milliseconds
    last = of.task.last
    high_open = of.frame.bounds is Bounds.HIGH_OPEN
    end = last + high_open if options.until is None else options.until
    known = clock_driven(of) and options.until is None
    return Phase(started * length, end * length, (last + high_open) * length if known else inf)


def clock_driven(of: FramedTask) -> bool:
    """Whether evaluations come from the clock, not from arrivals."""
    return needed_tick(of.specification, sources(of.task.query)) is Tick.INSTANT


def belonging(of: FramedTask, options: Options) -> ReportAssignment:
    """Return when a report belongs to an evaluation: within the slide, where the clock drives."""
    length = of.task.unit.milliseconds
    if not clock_driven(of):
        pushed = {element.number: element.t * length for element in of.task.elements}
        times = tuple(pushed.get(number, 0.0) for number in range(max(pushed, default=-1) + 1))
        return ReportAssignment(None, options.early, times)
    shapes = (shape(source, of.frame) for source in sources(of.task.query))
    slides = [window_shape.slide for window_shape in shapes if window_shape is not None]
    late = min(slides, default=1) * length
    allowed = late if options.late is None else min(late, options.late + SLACK)
    return ReportAssignment(allowed, options.early, once=True)


def first_close(of: FramedTask) -> float | None:
    """Return when the first window of all closes, in ms; None where arrivals are what reports."""
    if not clock_driven(of):
        return None
    shapes = ((shape(window.source, of.frame), window.start) for window in of.windows)
    closes = [start + own.width for own, start in shapes if own is not None]
    return min(closes) * of.task.unit.milliseconds if closes else None


def measures(window: JudgedWindow) -> Json:
    """Return numbers of rows, precision and recall, the delay in ms, what is wrong in words."""
    return {**counts(window.rows), **pick(window, "delay", "triples", "problem")}


def counts(rows: RowMatch) -> Json:
    """Return how many rows are expected and reported, precision and recall."""
    return pick(rows, "expected", "actual", "precision", "recall")
