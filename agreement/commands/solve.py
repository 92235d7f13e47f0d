"""`lars solve`: answers per time point."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import command, note, print_lines, warn, working
from agreement.inputs import arguments, options, time_option
from agreement.table_files import OutOptions
from translate.tau import Trigger


@dataclass(frozen=True, slots=True)
class AnswerStreamOptions:
    """Which answer streams of a program are shown, or what follows from all of them together."""

    models: Annotated[
        int | None,
        typer.Option(
            metavar="all|N",
            parser=arguments.models,
            help="How many answer streams of a program to show. [default: all]",
        ),
    ] = None
    brave: Annotated[bool, typer.Option("--brave", help="Show what some answer stream derives.")] = False
    cautious: Annotated[bool, typer.Option("--cautious", help="Show what every answer stream derives.")] = (
        False
    )
    show: Annotated[
        str | None,
        typer.Option(metavar="NAME/N", help="Show only these predicates of a program: alarm/1,other/2."),
    ] = None


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What reports, as --as names it, leaves open."""

    t0: Annotated[
        int | None, time_option("--t0", "Where windows of a specification begin; 0 by default.")
    ] = None
    until: Annotated[
        int | None,
        time_option("--until", "The last time point reported at; by default that of the last element."),
    ] = None
    as_stream: Annotated[
        str | None,
        typer.Option(
            metavar="IRI", help="Print the triples of CONSTRUCT as a trace of this stream, in timed N-Quads."
        ),
    ] = None


@command
def solve(
    *,
    program: Annotated[Path, options.PROGRAM],
    trace: Annotated[
        list[Path] | None, typer.Argument(metavar="TRACE..", help="Trace files or folders.")
    ] = None,
    given: options.InputOptions,
    bad_lines: options.BadLineOptions,
    evaluation: options.EvaluationOptions,
    reading: options.InterpretationOptions,
    semantics: options.SemanticsOption = None,
    first: Annotated[int | None, time_option("--from", "The first time point.")] = None,
    last: Annotated[int | None, time_option("--to", "The last time point.")] = None,
    where: options.RunnerOptions,
    streams: AnswerStreamOptions,
    profile_name: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="NAME",
            help="Print what this profile reports: csparql, cqels, sparqlstream, rspql, a file *.toml, or an "
            "engine version. An empty report is `-`, in JSON no rows; silence is no line. Reports of "
            "engine versions can come between two time points: in JSON `t` is then the one before, and `ms` "
            "the exact time in milliseconds.",
        ),
    ] = None,
    reports: ReportOptions,
    tables: OutOptions,
    as_json: options.JsonOption = False,
) -> None:
    """Print the answers of a query or program per time point, or what --as NAME reports of a query.

    Examples:
    lars solve samples/crowd/query.rspql.rq samples/crowd/doors.trig --static samples/crowd/building.ttl
    lars solve samples/door/door.lars samples/door/door.atoms --to 3
    """
    from agreement.solve import answer_tables, answer_texts, engine_reports, solving

    tables.check()
    read = options.given(evaluation, reading)
    alone = options.given(semantics=semantics, **{"as": profile_name})
    arguments.check_for_queries(program, [*read, *alone])
    without = [option for option in read if option != "--bounds"]
    engine_reports.check_only_as(profile_name, options.given(reports), without)
    arguments.check_for_programs(program, options.given(streams))
    given = given.fitted([program], note, evaluation.period)
    setting = replace(reading.setting(given.time_point, semantics, given.origin), ordered=True)
    met = given.trace(trace, bad_lines)
    if profile_name is not None:
        asked = engine_reports.ReportsTask(
            path=program,
            trace=met,
            unit=setting.unit,
            name=profile_name,
            start=reports.t0,
            bounds=reading.bounds,
            rows=semantics,
            until=reports.until,
            span=(first, last),
            stream=reports.as_stream,
        )
        found_as = engine_reports.reports_as(asked, warn)
        tables.write(answer_tables.tables(found_as))
        print_lines(engine_reports.lines(found_as, warn, as_json=as_json))
        return
    with working("solving") as progress:
        wanted = solving.SolvingTask(
            path=program,
            trace=replace(met, runner=where.runner(note, progress)),
            evaluation=evaluation,
            setting=setting,
            trigger=reading.trigger or Trigger.ANY,
            span=(first, last),
            whole=solving.whole(streams.models, brave=streams.brave, cautious=streams.cautious),
            shown=None if streams.show is None else solving.read_shown(streams.show),
        )
        found = solving.answers(wanted, warn)
    if tables.out is not None:
        found = found.kept()
        tables.write(answer_tables.tables(found))
    # Evaluated while it is printed: whoever reads has the first lines before the last is known.
    print_lines(answer_texts.json_lines(found) if as_json else answer_texts.text_lines(found), at_once=True)
