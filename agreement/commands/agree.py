"""`lars agree`: do the two engines agree."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import (
    DISAGREE,
    check_report,
    command,
    note,
    print_lines,
    print_parts,
    warn,
    working,
    write_report,
)
from agreement.inputs import options, time_option
from agreement.outputs import document_lines
from agreement.table_files import OutOptions


@dataclass(frozen=True, slots=True)
class TimelineOptions:
    """When both engines are asked, and on which part of the trace."""

    period: Annotated[
        str | None,
        typer.Option(help="Pulling periods: 5, 5,10, 1..50, 1s..60s, 1m..2h..10m. [default: the STEP]"),
    ] = None
    first: Annotated[
        int | None, time_option("--from", "Where the timeline begins; no earlier input is seen.")
    ] = None
    last: Annotated[int | None, time_option("--to", "Where the timeline ends.")] = None


@command
def agree(
    *,
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="EXPERIMENT_DIR | QUERY [QUERY] TRACE..",
            help="A folder with experiment.toml; or queries in C-SPARQL and CQELS, one or both, and traces.",
        ),
    ] = None,
    times: TimelineOptions,
    given: options.InputOptions,
    bad_lines: options.BadLineOptions,
    reading: options.InterpretationOptions,
    assign: options.AssignOption = None,
    where: options.RunnerOptions,
    narrowing: options.NarrowingOptions,
    tables: OutOptions,
    report: options.ReportOption = None,
    figure: options.FigureOption = None,
    as_json: options.JsonOption = False,
    full: Annotated[
        bool, typer.Option("--full", help="Show the model, both LARS programs and all answers too.")
    ] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the schema of experiment.toml.")] = False,
) -> None:
    """Decide per pulling period whether pull of C-SPARQL and push of CQELS agree; exit 1 if not.

    Example:
    lars agree samples/coupons --period 4..8
    """
    from agreement.library.agreements import agreement
    from agreement.library.basis.agree_request import AgreeRequest
    from agreement.library.basis.boundary import Told

    if schema:
        from agreement.experiments.schema import schema as experiment_schema

        print_lines([json.dumps(experiment_schema(), indent=2)])
        return
    tables.check()
    check_report(report)
    if figure is not None:
        from agreement.report import check_figure

        check_figure(figure)
    request = AgreeRequest(
        tuple(inputs or ()),
        given,
        reading,
        bad_lines,
        where,
        times.period,
        (times.first, times.last),
        assign or (),
        narrowing,
    )
    asked = request.asked(Told(warn, note))
    with working("comparing push and pull") as progress:
        found = agreement(request, asked, Told(warn, note, progress))
    if not as_json:  # the document says it too
        note("certified: {} of {} time points by clingo, equal".format(*found.certified))
    tables.write(found.tables())
    write_report(report, found)
    if figure is not None:
        found.write_figure(figure)
    if as_json:
        print_lines(document_lines(found.document(full=full)))
    else:
        print_parts(found.parts(full=full))
    if found.agree is False:
        raise typer.Exit(DISAGREE)
