"""`lars judge`: is what an engine answered correct, and if not, why."""

from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import (
    DISAGREE,
    check_report,
    command,
    fail,
    note,
    print_lines,
    print_parts,
    warn,
    working,
    write_report,
)
from agreement.inputs import AnswersOptions, JudgeOptions, options
from agreement.outputs import json_text
from agreement.table_files import OutOptions
from lars.errors import LarsError


@command
def judge(
    *,
    context: typer.Context,
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="CASE.json.. | QUERY TRACE..",
            help="Recorded runs; or a query and traces, with --answers what an engine answered.",
        ),
    ] = None,
    answers: Annotated[Path | None, typer.Option(help="The recorded answers of QUERY to TRACE.")] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What judges: csparql, cqels, sparqlstream, rspql, a file *.toml, or an engine version; for "
            "cases also `specification`, that of the case's engine. [cases: the case's own engine]",
        ),
    ] = None,
    how: JudgeOptions,
    recorded: AnswersOptions,
    given: options.InputOptions,
    static_at: Annotated[
        list[str] | None,
        typer.Option(metavar="FROM..TO=FILE", help="Static data that are there at these times only."),
    ] = None,
    bad_lines: options.BadLineOptions,
    fields: Annotated[
        bool, typer.Option("--fields", help="Print what a specification's TOML file can say.")
    ] = False,
    tables: OutOptions,
    report: options.ReportOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Judge recorded answers: correct for which start times, how far off, and why; exit 1 if incorrect.

    Example, in samples/judged/met:
    lars judge query.csparql.rq doors.nq --answers answers.csparql.ndjson --answers-unit 1ms
    """
    from agreement.library.basis.boundary import Told
    from agreement.library.judgements import JudgeRequest, judgement
    from agreement.specifications.parameters import fields_text

    if fields:
        print_lines([fields_text()])
        return
    tables.check()
    check_report(report)
    request = JudgeRequest(
        tuple(inputs or ()),
        answers,
        engine,
        how,
        recorded,
        given,
        bad_lines,
        static_at or (),
        [name for name in context.params if _is_said(context, name)],
    )
    with working("judging") as progress:
        found = judgement(request, Told(warn, note, progress))
    write_report(report, found)
    if tables.out is not None:
        tables.write(found.tables())
    print_parts([json_text(found.document())] if as_json else found.parts())
    if found.incomparable is not None and (found.refused or found.undecided is None):
        raise LarsError(found.incomparable)
    if found.correct is None:
        raise typer.Exit(fail(str(found.undecided)))
    if not found.correct:
        raise typer.Exit(DISAGREE)


def _is_said(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
