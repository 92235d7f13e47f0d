"""`solve`: what a query or program answers at each time point, or what an engine reports of a query."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal, Unpack

from rich.console import RenderableType

from agreement.inputs import (
    EvaluationOptions,
    InputOptions,
    InterpretationOptions,
    arguments,
    options,
)
from agreement.inputs.options import BadLineOptions, RunnerOptions
from agreement.inputs.solve_options import AnswerStreamOptions, ReportOptions
from agreement.library.basis.boundary import Heard, Told, offered
from agreement.library.basis.findings import Findings, JsonObject, JsonValue
from agreement.library.basis.keywords import (
    QueryKeywords,
    RunningKeywords,
    bad_lines,
    evaluation,
    input_options,
    interpretation,
    running,
    semantics,
)
from agreement.library.basis.sources import Desk, TextSource, TraceSource
from agreement.solve import answer_tables, answer_texts, engine_reports, solving
from agreement.solve.engine_reports import Reported
from agreement.solve.solving import AnswerRows, Streams
from agreement.table_files import OutTable
from solver.facts import Row
from translate.query import Semantics
from translate.tau import Trigger


@dataclass(frozen=True, slots=True)
class SolveRequest:
    """What is asked on which trace, as the options say it."""

    program: Path
    trace: tuple[Path, ...]
    given: InputOptions
    bad_lines: BadLineOptions
    evaluation: EvaluationOptions
    reading: InterpretationOptions
    semantics: Semantics | None
    span: tuple[int | None, int | None]
    where: RunnerOptions
    streams: AnswerStreamOptions
    profile: str | None
    reports: ReportOptions

    def check(self) -> None:
        """Raise LarsError for options that say nothing of what is asked."""
        read = options.given(self.evaluation, self.reading)
        alone = options.given(semantics=self.semantics, **{"as": self.profile})
        arguments.check_for_queries(self.program, [*read, *alone])
        without = [option for option in read if option != "--bounds"]
        engine_reports.check_only_as(self.profile, options.given(self.reports), without)
        arguments.check_for_programs(self.program, options.given(self.streams))


def solved(request: SolveRequest, told: Told) -> AnswerRows | Streams | Reported:
    """Return the answers, evaluated as they are asked for; raises LarsError for what cannot be read."""
    request.check()
    given = request.given.fitted([request.program], told.note, request.evaluation.period)
    reading, streams = request.reading, request.streams
    setting = replace(reading.setting(given.time_point, request.semantics, given.origin), ordered=True)
    met = given.trace(request.trace, request.bad_lines)
    if request.profile is not None:
        asked = engine_reports.ReportsTask(
            path=request.program,
            trace=met,
            unit=setting.unit,
            name=request.profile,
            start=request.reports.t0,
            bounds=reading.bounds,
            rows=request.semantics,
            until=request.reports.until,
            span=request.span,
            stream=request.reports.as_stream,
        )
        return engine_reports.reports_as(asked, told.warn)
    wanted = solving.SolvingTask(
        path=request.program,
        trace=replace(met, runner=request.where.runner(told.note, told.progress)),
        evaluation=request.evaluation,
        setting=setting,
        trigger=reading.trigger or Trigger.ANY,
        span=request.span,
        whole=solving.whole(streams.models, brave=streams.brave, cautious=streams.cautious),
        shown=None if streams.show is None else solving.read_shown(streams.show),
    )
    return solving.answers(wanted, told.warn)


@dataclass(frozen=True, slots=True)
class AnswerAt:
    """What is answered at time point `t`, or `ms` milliseconds where a report comes between two of them.

    A query has `rows`, whose terms are as in N-Triples, None where unbound; a program has `streams`,
    each with its derived atoms (`@_u` before one: at time u).
    """

    t: int
    rows: tuple[Row, ...] = ()
    streams: tuple[tuple[str, ...], ...] = ()
    ms: float | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Solved(Findings):
    """What `solve` returns: the answer at each time point, in their order."""

    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    _found: AnswerRows | Streams | Reported
    _main: ClassVar[str] = "answers"

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the columns of a query's rows; none for a program."""
        return () if isinstance(self._found, Streams) else tuple(one.name for one in self._found.variables)

    @property
    def answers(self) -> tuple[AnswerAt, ...]:
        """The answer at each time point at which there is one, which may be empty."""
        match self._found:
            case AnswerRows(_, at):
                return tuple(AnswerAt(t, tuple(rows)) for t, rows in at)
            case Streams(at, whole):
                return tuple(AnswerAt(t, streams=streams[: whole.most]) for t, streams in at)
            case Reported(_, reports, length):
                return tuple(AnswerAt(int(one.t // length), one.rows, (), one.t) for one in reports)

    def to_json(self) -> JsonObject:
        """Return what `lars solve --json` prints, a line for each time point, as the list `answers`."""
        answers: list[JsonValue] = list(map(json.loads, self._json_lines()))
        return {"answers": answers}

    def _json_lines(self) -> Iterable[str]:
        if isinstance(self._found, Reported):
            return engine_reports.json_lines(self._found)
        return answer_texts.json_lines(self._found)

    def parts(self) -> Iterable[RenderableType]:
        """Yield the answers for a reader."""
        if isinstance(self._found, Reported):
            return engine_reports.text_lines(self._found)
        return answer_texts.text_lines(self._found)

    def tables(self) -> Sequence[OutTable]:
        """Return the tables `answers` and `evaluations`."""
        return answer_tables.tables(self._found)


class SolveKeywords(QueryKeywords, RunningKeywords):
    """The keywords of `solve` that other functions have too."""


@offered
def solve(
    program: TextSource,
    *trace: TraceSource,
    from_: int | None = None,
    to: int | None = None,
    models: int | Literal["all"] | None = None,
    brave: bool = False,
    cautious: bool = False,
    show: str | None = None,
    as_: str | None = None,
    t0: int | None = None,
    until: int | None = None,
    **options: Unpack[SolveKeywords],
) -> Solved:
    """Return what a query or program answers per time point, or what the profile `as_` reports of a query.

    >>> found = solve("samples/door/door.lars", "samples/door/door.atoms", from_=2, to=2)
    >>> [(one.t, one.streams) for one in found.answers]
    [(2, (('greet(ann)', 'guard(ann)', 'inside(ann)'),))]
    """
    desk, heard = Desk(), Heard()
    with desk.naming():
        most = None if models is None else arguments.models(str(models))
        request = SolveRequest(
            desk.given(program),
            tuple(map(desk.given, trace)),
            input_options(desk, options),
            bad_lines(options),
            evaluation(options),
            interpretation(options),
            semantics(options),
            (from_, to),
            running(options),
            AnswerStreamOptions(most, brave, cautious, show),
            as_,
            ReportOptions(t0, until),
        )
        found = solved(request, heard.told(options.get("progress")))
        kept = found if isinstance(found, Reported) else found.kept()
    return Solved(tuple(map(desk.plain, heard.warnings)), tuple(map(desk.plain, heard.notes)), kept)
