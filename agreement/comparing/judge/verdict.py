"""What judging is asked for, and the verdict on a recording for one choice of start times and ends.

A verdict tells of each judged window whether it is right, and what it is measured by.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Final

from agreement.comparing.judge.alignment import (
    ExpectedReport,
    ReportAssignment,
    Slot,
    by_time_point,
    one_report,
    slots,
)
from agreement.comparing.matching.likeness import Likeness, RowMatch, match_rows, share
from agreement.comparing.matching.sequences import match_part, nearest
from agreement.documents.outputs import Json, pick
from agreement.documents.recordings import SLACK, Recording, Report, rows_of
from agreement.documents.requests import EmptyReports, MatchBy, sources
from agreement.engines.specifications import (
    EvaluationReport,
    FramedTask,
    OpenChoice,
    ScheduledTask,
    Tick,
    needed_tick,
    shape,
)
from lars.language.windows import Bounds
from solver.deadlines import NEVER, Deadline
from translate.model.query import Semantics

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
    views = expected.views if expected else ()
    return JudgedWindow(
        first=views[0].first * how.milliseconds if views else None,
        last=slot.t,
        rows=common,
        delay=slot.delay,
        triples=sum(view.triples for view in views) if views else None,
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
