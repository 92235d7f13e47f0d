"""`solve`: what a query or program answers at each time point, or what an engine reports of a query."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import ceil, floor
from pathlib import Path
from typing import ClassVar, Final, Self

from rich.console import RenderableType

from agreement.answering.solve import engine_reports, solving
from agreement.answering.solve.engine_reports import EngineReports
from agreement.answering.solve.solving import AnswerRows, Streams
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.options import IdleOptions, flags_of, has, option
from agreement.documents.outputs import plain, quantity, short, table
from agreement.documents.requests import (
    BadLineOptions,
    EvaluationOptions,
    InputOptions,
    InterpretationOptions,
    RunnerOptions,
    check_for_programs,
    check_for_queries,
    first_time_option,
    is_experiment,
    program_argument,
    readers,
    semantics_option,
    time_option,
    trace_argument,
)
from agreement.documents.table_files import OutTable
from agreement.results.base.boundary import Listeners, offered_functions
from agreement.results.base.findings import Findings
from agreement.results.renderings import answer_lines
from lars.durations import SECOND, Duration
from lars.language.windows import Interval
from solver.facts import Row
from solver.settings import Time
from translate.model.query import Semantics
from translate.tau import Trigger


@dataclass(frozen=True, slots=True)
class AnswerStreamOptions:
    """Which answer streams of a program are shown, or what follows from all of them together."""

    models: int | None = option(
        None,
        "How many answer streams of a program to show. [default: all]",
        readers.models,
        metavar="all|N",
        keyword='int | Literal["all"] | None',
    )
    brave: bool = option(False, "Show what some answer stream derives.")
    cautious: bool = option(False, "Show what every answer stream derives.")
    show: str | None = option(
        None, "Show only these predicates of a program: alarm/1,other/2.", metavar="NAME/N"
    )


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What reports, as --as names it, leaves open."""

    t0: Time | None = time_option("Where windows of a specification begin; 0 by default.")
    until: Time | None = time_option("The last time point reported at; by default that of the last element.")
    as_stream: str | None = option(
        None, "Print the triples of CONSTRUCT as a trace of this stream, in timed N-Quads.", metavar="IRI"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveRequest:
    """Print the answers of a query or program per time point, or what --as NAME reports of a query.

    Examples:
    lars solve samples/crowd/query.rspql.rq samples/crowd/doors.trig --static samples/crowd/building.ttl
    lars solve samples/door/door.lars samples/door/door.atoms --to 3
    """

    IDLE: ClassVar = (
        IdleOptions(
            has("--as"), ("--master",), "accepted without --as NAME, whose reports are made in this process"
        ),
    )

    program: Path = program_argument()
    trace: tuple[Path, ...] = trace_argument()
    input_options: InputOptions
    bad_lines: BadLineOptions
    evaluation: EvaluationOptions
    reading: InterpretationOptions
    semantics: Semantics | None = semantics_option()
    from_: Time | None = first_time_option()
    to: Time | None = time_option("The last time point.")
    where: RunnerOptions
    streams: AnswerStreamOptions
    as_: str | None = option(
        None,
        "Print what this profile reports: csparql, cqels, sparqlstream, rspql, a file *.toml, or an "
        "engine version. An empty report is `-`, in JSON no rows; silence is no line. Reports of "
        "engine versions can come between two time points: in JSON `t` is then the one before, and `ms` "
        "the exact time in milliseconds.",
        metavar="NAME",
    )
    reports: ReportOptions

    def check(self) -> None:
        """Raise LarsError for options that say nothing of what is asked."""
        read = flags_of(self.evaluation, self.reading)
        alone = flags_of(semantics=self.semantics, **{"as": self.as_})
        check_for_queries(self.program, [*read, *alone])
        without = [option for option in read if option != "--bounds"]
        engine_reports.check_only_as(self.as_, flags_of(self.reports), without)
        check_for_programs(self.program, flags_of(self.streams))


_IN_NOTEBOOKS: Final = 40
"""Of more rows notebooks show these."""


@dataclass(frozen=True, slots=True)
class AnswerAt:
    """What is answered at time point `t`, or `ms` milliseconds where a report comes between two of them.

    A query has `rows`, whose terms are as in N-Triples, None where unbound; a program has `streams`,
    each with its derived atoms (`@_u` before one: at time u). `t_date` is the dateTime of `t`, None where
    the trace has none.
    """

    t: int
    rows: tuple[Row, ...] = ()
    streams: tuple[tuple[str, ...], ...] = ()
    ms: float | None = None
    _dates: Dates = field(default=NO_DATES, repr=False, compare=False)

    @property
    def t_date(self) -> datetime | None:
        """When it is answered, where times are dateTimes."""
        return self._dates.moment(self.t)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SolveResult(Findings):
    """What `solve` returns: the answer at each time point, in their order."""

    _answered: AnswerRows | Streams | EngineReports
    _unit: Duration = SECOND
    streamed: ClassVar[bool] = True

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the columns of a query's rows; none for a program."""
        return (
            ()
            if isinstance(self._answered, Streams)
            else tuple(variable.name for variable in self._answered.variables)
        )

    @property
    def origin(self) -> str | None:
        """The dateTime of time 0; None where times are numbers alone."""
        return self._answered.origin

    @property
    def headline(self) -> str:
        """How many times there are at which something is answered, and of how many rows."""
        if isinstance(self._answered, Streams):
            most = self._answered.whole.most
            counts, what = [min(most or count, count) for _, count in self._answered.counts], "answer stream"
        else:
            counts, what = [len(answer.rows) for answer in self.answers], "row"
        return f"{quantity(sum(counts), what)} at {quantity(len(counts), 'time')}"

    @property
    def dates(self) -> Dates:
        """What dateTimes the time points are, where they are any."""
        return Dates(self.origin, self._unit)

    @property
    def answers(self) -> tuple[AnswerAt, ...]:
        """The answer at each time point at which there is one, which may be empty."""
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
        """Return what `lars solve --json` prints, a line for each time point, as the list `answers`."""
        return {"answers": answer_lines.json_objects(self._answered, self.dates)}

    def json_lines(self) -> Iterable[str]:
        """Yield what the command prints: an object for each time point.

        Each object has `t` and `rows`, or `answer_streams`; and the `origin`, where there is one.
        """
        return answer_lines.json_lines(self._answered, self.dates)

    def evaluate(self) -> Self:
        """Return the answers, all evaluated now."""
        outcome = self._answered
        return self if isinstance(outcome, EngineReports) else replace(self, _answered=outcome.evaluate())

    def parts(self) -> Iterable[str]:
        """Yield the answers for a reader, or as the trace of a stream."""
        return answer_lines.text_lines(self._answered, self.dates)

    def summary(self) -> Iterable[str]:
        """Yield how much is answered, without the rows."""
        yield self.headline

    def for_notebooks(self) -> Iterable[RenderableType]:
        """Yield how much is answered, and the first rows as a table; of a program its answer streams."""
        yield self.headline
        if isinstance(self._answered, Streams):
            yield from self.parts()
            return
        rows = [(one, row) for one in self.answers for row in one.rows]
        times = [self._point(one) for one, _ in rows] or [0.0]
        dates = self.dates.within(Interval(floor(min(times)), ceil(max(times))))
        points = ((self._point(answer), row) for answer, row in rows[:_IN_NOTEBOOKS])
        cells = ((plain(t) if dates.zero is None else dates.text(t), *map(short, row)) for t, row in points)
        columns = ("t", *(f"?{name}" for name in self.variables))
        yield table(dates.caption.strip() or None, columns, cells, right=("t",))
        if len(rows) > _IN_NOTEBOOKS:
            yield f"… {len(rows) - _IN_NOTEBOOKS} more"

    def _point(self, answer: AnswerAt) -> float:
        """Return when something is answered, in time points, also between two of them."""
        return answer.t if answer.ms is None else answer.ms / self._unit.milliseconds

    def tables(self, *, runs: bool = False) -> Sequence[OutTable]:
        """Return the tables `answers`, or `runs`, and `evaluations`."""
        return answer_lines.tables(self._answered, runs=runs)

    def _table(self, name: str | None) -> OutTable:
        if name != "runs":
            return super(SolveResult, self)._table(name)
        return self.tables(runs=True)[0]


def _unfolded(request: SolveRequest, listeners: Listeners) -> SolveRequest:
    """Return a request with the query and the input of an experiment in its place, if one is named."""
    if not is_experiment(request.program):
        return request
    # Loads what compares, which no other question needs.
    from agreement.experiments.grid import experiment_query, wanted_of

    inputs = (request.program, *request.trace)
    query = experiment_query(inputs, request.input_options, wanted_of(request.evaluation), listeners.note)
    if query is None:
        return request
    first, last = query.within(request.from_, request.to)
    return replace(
        request,
        program=query.query,
        trace=query.traces,
        input_options=query.input_options,
        from_=first,
        to=last,
    )


@offered_functions(SolveRequest)
def solve(request: SolveRequest, listeners: Listeners) -> SolveResult:
    """Return what a query or program answers per time point, or what the profile `as_` reports of a query.

    >>> result = solve("samples/door/door.lars", "samples/door/door.atoms", from_=2, to=2)
    >>> [(answer.t, answer.streams) for answer in result.answers]
    [(2, (('greet(ann)', 'guard(ann)', 'inside(ann)'),))]
    """
    request = _unfolded(request, listeners)
    request.check()
    options = request.input_options.fitted([request.program], listeners.note, request.evaluation.period)
    reading, streams = request.reading, request.streams
    setting = replace(reading.setting(options.time_point, request.semantics, options.origin), ordered=True)
    met = options.trace(request.trace, request.bad_lines)
    if request.as_ is not None:
        task = engine_reports.ReportsTask(
            path=request.program,
            trace=met,
            unit=setting.unit,
            name=request.as_,
            start=request.reports.t0,
            bounds=reading.bounds,
            rows=request.semantics,
            until=request.reports.until,
            span=(request.from_, request.to),
            stream=request.reports.as_stream,
        )
        reported = engine_reports.reports_as(task, listeners.warn)
        engine_reports.check_labels(reported, listeners.warn)
        return SolveResult(reported, setting.unit)
    solving_task = solving.SolvingTask(
        path=request.program,
        trace=replace(met, runner=request.where.runner(listeners.note, listeners.progress)),
        evaluation=request.evaluation,
        setting=setting,
        trigger=reading.trigger or Trigger.ANY,
        span=(request.from_, request.to),
        whole=solving.whole(streams.models, brave=streams.brave, cautious=streams.cautious),
        predicates=None if streams.show is None else solving.read_shown(streams.show),
    )
    return SolveResult(solving.answers(solving_task, listeners.warn), setting.unit)
