"""`lars solve`: answers per time point."""

from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import command, note, print_lines, stream_lines, warn, working
from agreement.inputs import options, time_option
from agreement.inputs.solve_options import AnswerStreamOptions, ReportOptions
from agreement.table_files import OutOptions


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
    from agreement.library.basis.boundary import Told
    from agreement.library.solutions import SolveRequest, solved
    from agreement.solve import answer_tables, answer_texts, engine_reports

    tables.check()
    request = SolveRequest(
        program,
        tuple(trace or ()),
        given,
        bad_lines,
        evaluation,
        reading,
        semantics,
        (first, last),
        where,
        streams,
        profile_name,
        reports,
    )
    with working("solving") as progress:
        found = solved(request, Told(warn, note, progress))
    if isinstance(found, engine_reports.Reported):
        tables.write(answer_tables.tables(found))
        print_lines(engine_reports.lines(found, warn, as_json=as_json))
        return
    if tables.out is not None:
        found = found.kept()
        tables.write(answer_tables.tables(found))
    # Evaluated while it is printed: whoever reads has the first lines before the last is known.
    stream_lines(answer_texts.json_lines(found) if as_json else answer_texts.text_lines(found))
