"""A recording beside a query's answers: its rows in their columns, its reports at their evaluations."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agreement.documents.outputs import plain
from agreement.documents.recordings import SLACK, Recording, Report, number_rows, together
from agreement.engines.engine import columns
from agreement.engines.specifications import EvaluationReport, FiredWindow, ScheduledTask, Task
from lars.language.terms import XSD
from solver.facts import Row
from translate.model.query import EngineQuery, Form

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

    `t` is the time point in milliseconds. Not `reported`: nothing is, since the answer is empty.
    """

    time: int
    t: float
    rows: Sequence[Row]
    reported: bool
    views: tuple[FiredWindow, ...]


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
            of.windows_at(group[-1].point),
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
