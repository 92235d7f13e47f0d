"""The function `solve`: the answers of a query or program by time point, or the reports of an engine."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import partial
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Self

from rich.console import RenderableType

from agreement.answering.solve import solving
from agreement.answering.solve.solving import (
    Answered,
    AnswerRows,
    AnswerStreamOptions,
    EngineReports,
    ReportOptions,
    SolvingTask,
    Streams,
)
from agreement.documents import requests
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.options import IdleOptions, flags_of, has
from agreement.documents.outputs import names_apart, plain, quantity, table
from agreement.documents.table_files import OutTable
from agreement.documents.traces import Trace
from agreement.documents.values import Period
from agreement.results.base.library import Findings, Listeners, name_of, offered_functions
from agreement.results.renderings import answer_lines
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, SECOND, Duration
from lars.language.program import Program
from lars.language.windows import Interval
from lars.options import option
from solver.facts import Row
from solver.settings import Runner, Time, TraceOptions, Warn, unsaid
from solver.traces.input_files import STANDARD_INPUT

if TYPE_CHECKING:
    from agreement.answering.explaining import ProgramSituation
    from agreement.results.base.sources import SourceFiles
    from agreement.results.renderings.pages.page import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveRequest:
    """The arguments of `lars solve`.

    Prints one line for each evaluation time. With --as, prints the reports of an engine.

    Examples:
    lars solve samples/crowd/query.rspql.rq samples/crowd/doors.trig --static samples/crowd/building.ttl
    lars solve samples/door/door.lars samples/door/door.atoms --to 3
    """

    IDLE: ClassVar = (
        IdleOptions(has("--as"), ("--master",), excludes="--as NAME, which runs in this process"),
    )

    program: Path = requests.program_argument()
    trace: tuple[Path, ...] = requests.trace_argument()
    how: requests.ProgramOptions
    from_: Time | None = requests.first_time_option()
    to: Time | None = requests.time_option("Last time point. [default: the last element of the trace]")
    where: str | None = option(
        None,
        "Print only the rows or atoms of this form, such as 'ans(?avg,A6)' or 'guard(_)'. A variable or _ "
        "fits every term.",
        metavar="ATOM",
    )
    runner: Runner
    streams: AnswerStreamOptions
    as_: str | None = option(
        None,
        "Print the reports of an engine: a specification (csparql, cqels, sparqlstream, rspql, or a "
        ".toml file) or a simulated engine version. The output contains `-` for a report without "
        "rows. With --json, if a report is between two time points, the key `ms` contains its time.",
        metavar="NAME",
    )
    reports: ReportOptions


_IN_NOTEBOOKS: Final = 40
"""The maximum number of rows that a notebook shows."""


@dataclass(frozen=True, slots=True)
class AnswerAt:
    """The answers of a query or program at time point `t`.

    - `rows` are the rows of a query, with terms in N-Triples syntax, and None for unbound variables.
    - `streams` contains the derived atoms of each answer stream of a program. If the time u of an atom is not
      `t`, the atom is written with `@_u` before it.
    - `ms` is the time of an engine's report in milliseconds; None for other answers.
    - `t_date` is the dateTime of `t`; None if the times of the trace are integers.
    """

    t: int
    rows: tuple[Row, ...] = ()
    streams: tuple[tuple[str, ...], ...] = ()
    ms: float | None = None
    _dates: Dates = field(default=NO_DATES, repr=False, compare=False)

    @property
    def t_date(self) -> datetime | None:
        """The dateTime of `t`; None if the times of the trace are integers."""
        return self._dates.moment(self.t)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SolveResult(Findings):
    """The result of `solve`: the answers in the order of their time points."""

    _answered: Answered
    _unit: Duration = SECOND
    _task: SolvingTask | None = None
    """The task from which the HTML report computes steps; None for the reports of an engine."""
    _source_files: "SourceFiles | None" = None
    _sizes: list[tuple[int, int]] = field(default_factory=list)
    """The times with the numbers of rows that tables have read from answers that can be read only once."""
    streamed: ClassVar[bool] = True

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the columns of a query; empty for a program."""
        return (
            ()
            if isinstance(self._answered, Streams)
            else tuple(variable.name for variable in self._answered.variables)
        )

    @property
    def headline(self) -> str:
        """One line with the number of rows or answer streams, and the number of times."""
        if isinstance(self._answered, Streams):
            most = self._answered.whole.most
            counts, what = [min(most or count, count) for _, count in self._answered.counts], "answer stream"
        else:
            counts, what = [size for _, size in self._sizes] or [len(one.rows) for one in self.answers], "row"
        return f"{quantity(sum(counts), what)} at {quantity(len(counts), 'time')}"

    @property
    def dates(self) -> Dates:
        """The mapping of time points to dateTimes, if the trace has dateTimes."""
        return Dates(self._answered.origin, self._unit)

    @property
    def answers(self) -> tuple[AnswerAt, ...]:
        """The answers in the order of their time points; an answer may have no rows."""
        dates = self.dates
        match self._answered:
            case AnswerRows(_, at, _):
                return tuple(AnswerAt(t, tuple(rows), _dates=dates) for t, rows in at)
            case Streams(whole=whole, at=at):
                return tuple(AnswerAt(t, (), streams[: whole.most], _dates=dates) for t, streams in at)
            case EngineReports(_, reports, length):
                return tuple(
                    AnswerAt(int(report.t // length), tuple(report.rows), (), report.t, dates)
                    for report in reports
                )

    def document(self) -> Mapping[str, object]:
        """Return the JSON of `lars solve --json`; `answers` generates the object of each time point."""
        return {"answers": answer_lines.json_objects(self._answered, self.dates)}

    def json_lines(self) -> Iterable[str]:
        """Yield the JSON lines of the command: one object for each time point.

        Each JSON object contains `t`, and `rows` or `answer_streams`. If the trace has dateTimes, each JSON
        object also contains `origin`.
        """
        return answer_lines.json_lines(self._answered, self.dates)

    def evaluate(self, *, read_once: bool = False) -> Self:
        """Evaluate all answers, unless rows will be read only once, and return the result."""
        outcome = self._answered
        if isinstance(outcome, EngineReports) or (read_once and isinstance(outcome, AnswerRows)):
            return self
        return replace(self, _answered=outcome.evaluate())

    def parts(self) -> Iterable[str]:
        """Yield the lines of answers, or an engine's reports as lines of a trace."""
        return answer_lines.text_lines(self._answered, self.dates)

    def summary(self) -> Iterable[str]:
        """Yield only the number of answers and times, without the rows."""
        yield self.headline

    def for_notebooks(self) -> Iterable[RenderableType]:
        """Yield the number of answers, and a table with the first rows, or a program's answer streams."""
        yield self.headline
        if isinstance(self._answered, Streams):
            yield from self.parts()
            return
        rows = [(one, row) for one in self.answers for row in one.rows]
        times = [self._point(one) for one, _ in rows] or [0.0]
        dates = self.dates.within(Interval(floor(min(times)), ceil(max(times))))
        first = [(self._point(answer), row) for answer, row in rows[:_IN_NOTEBOOKS]]
        names = [names_apart(terms) for terms in zip(*(row for _, row in first), strict=True)]
        cells = (
            (plain(t) if dates.zero is None else dates.text(t), *map(dict.__getitem__, names, row))
            for t, row in first
        )
        columns = ("t", *(f"?{name}" for name in self.variables))
        yield table(dates.caption.strip() or None, columns, cells, right=("t",))
        if len(rows) > _IN_NOTEBOOKS:
            yield f"… {len(rows) - _IN_NOTEBOOKS} more"

    def situation(self) -> "tuple[ProgramSituation, Interval]":
        """Return the query or program with its input, and the requested time points."""
        # Loads what proves answers, which only pages need.
        from agreement.answering import explaining

        assert self._task is not None
        here, span = explaining.situation_in(self._task.in_process(), unsaid)
        if self._task.predicates is not None:
            here = replace(here, program=replace(here.program, answers=self._task.predicates))
        return here, span

    def page(self) -> "Page":
        """Return the content of the HTML report: the program step by step, and the first rows."""
        # Loads what only pages need.
        from agreement.results.renderings.pages.blocks import text_page
        from agreement.results.renderings.pages.moving import moving
        from agreement.results.renderings.pages.page import Page

        task = self._task
        title = "Reports" if task is None else f"{name_of(task.path)}, solved"
        question = "What holds at each time, and why?"
        head = Page(title, question, None, self.headline, self.warnings, "The answers")
        page = text_page(head, self.document(), self.for_notebooks())
        steps = None
        if task is not None and STANDARD_INPUT not in (task.path, *task.trace.paths):
            here, span = self.situation()
            steps = moving(here, span, span.first, task.path)
            page.page["dates"] = here.dates.within(here.stream.timeline).for_script()
        return replace(page, template="solve", page=page.page | {"moving": steps})

    def _point(self, answer: AnswerAt) -> float:
        """Return the time of an answer as a number of time points, which can have a fraction."""
        return answer.t if answer.ms is None else answer.ms / self._unit.milliseconds

    def tables(self, *, runs: bool = False) -> Sequence[OutTable]:
        """Return the tables `answers` and `evaluations`; if `runs` is true, `runs` and `evaluations`."""
        return answer_lines.tables(self._answered, self._sizes, runs=runs)

    def _table(self, name: str | None) -> OutTable:
        if name != "runs":
            return super(SolveResult, self)._table(name)  # noqa: UP008  (with slots, a second class is made)
        return self.tables(runs=True)[0]


def _counted_by(profile: str, path: Path, how: requests.ProgramOptions) -> requests.ProgramOptions:
    """Return the options with the time unit that an engine version assumes for numbers in windows.

    If the user gives a unit, or if the reports are not those of an engine version, the options are unchanged.
    """
    # Loads engines, which no other question needs.
    from agreement.engines.registry import ENGINES

    given = how.input_options.trace.unit
    if given is not None or profile not in ENGINES or not requests.has_short_numbers(path):
        return how
    return replace(how, input_options=how.input_options.with_trace(unit=MILLISECOND))


@offered_functions(SolveRequest)
def solve(request: SolveRequest, listeners: Listeners) -> SolveResult:
    """Return the answers of a query or program by time point, or (with `as_`) the reports of an engine.

    >>> result = solve("samples/door/door.lars", "samples/door/door.atoms", from_=2, to=2)
    >>> [(answer.t, answer.streams) for answer in result.answers]
    [(2, (('greet(ann)', 'guard(ann)', 'inside(ann)'),))]
    """
    path, traces, how, span = request.program, request.trace, request.how, (request.from_, request.to)
    period: Period | None = None
    if requests.is_experiment(path):
        # Loads what compares, which no other question needs.
        from agreement.experiments.as_input import selected, unfold

        if request.as_ is None:
            path, traces, how, span = unfold(path, traces, how, span, listeners.note)
        else:
            # The period of an experiment replaces only the STEP of a query.
            single, how, span = selected(path, traces, how, span, listeners.note)
            path, traces, period = single.query, single.traces, single.period
    how.check(path, **{"as": request.as_})
    said_by_profiles = [flag for flag in flags_of(how.evaluation, how.reading) if flag != "--bounds"]
    solving.check_only_as(request.as_, flags_of(request.reports), said_by_profiles)
    requests.check_for_programs(path, flags_of(request.streams))
    if request.as_ is not None and not requests.is_experiment(path):
        how = _counted_by(request.as_, path, how)
    task = solving.solving_task(path, traces, how, span, listeners.note)
    if request.as_ is not None:
        task = _in_periods(task, request.as_, period, listeners.note)
        reported = solving.reports_as(request.as_, task, request.reports, how, listeners.warn)
        return SolveResult(_restricted(reported, request.where, listeners), task.setting.unit)
    task = replace(
        task,
        trace=replace(task.trace, runner=request.runner.telling(listeners.note, listeners.progress)),
        setting=replace(task.setting, ordered=True),
        whole=request.streams.whole,
        predicates=request.streams.predicates,
        unanswered=partial(_unanswered, path, task.trace.options),
    )
    answered = _restricted(solving.answers(task, listeners.warn), request.where, listeners)
    return SolveResult(answered, task.setting.unit, task, listeners.source_files)


def _in_periods(task: SolvingTask, name: str, period: Period | None, note: Warn) -> SolvingTask:
    """Return a task whose query, if it lacks a STEP, reports at each period, as in `lars judge`."""
    # Loads judges, which no other question needs.
    from agreement.comparing.judge import AT_EACH_PERIOD, lacks_step
    from agreement.engines.registry import ENGINES

    if period is None or name in ENGINES:
        return task
    if not lacks_step(requests.load_query(task.path, task.setting.unit, graphs=True)):
        return task
    note(AT_EACH_PERIOD.format(period))
    return replace(task, evaluation=replace(task.evaluation, period=period))


def _unanswered(path: Path, options: TraceOptions, program: Program, trace: Trace, t: int) -> str:
    """Return the reason why a program has no answer stream at a time."""
    # Loads what proves answers.
    from agreement.answering.explaining import situation_on, unanswered_at
    from agreement.results.renderings.explanation_report import no_answer_stream

    here = situation_on(program, None, trace, None, options)
    return no_answer_stream(unanswered_at(here, t, path), here.dates)


def _restricted(answered: Answered, where: str | None, listeners: Listeners) -> Answered:
    """Return only the answers of the form of --where, if the option is given."""
    if where is None:
        return answered
    # Loads the reader of atoms, which other questions do not need.
    from agreement.answering.asked_atoms import restricted

    return restricted(answered, where, listeners.warn)
