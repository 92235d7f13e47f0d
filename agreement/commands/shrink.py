"""`lars shrink`: a disagreeing experiment made minimal."""

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
from agreement.inputs import options
from agreement.outputs import json_text


@command
def shrink(
    *,
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="EXPERIMENT_DIR | QUERY [QUERY] TRACE..",
            help="A folder with experiment.toml; or queries in C-SPARQL and CQELS, one or both, and traces.",
        ),
    ] = None,
    period: Annotated[
        str | None,
        typer.Option(help="Pulling periods, of which the first that disagrees counts. [default: the STEP]"),
    ] = None,
    cause: Annotated[
        str | None, typer.Option(help="The cause that is kept: blocked-later. [default: the first]")
    ] = None,
    given: options.InputOptions,
    bad_lines: options.BadLineOptions,
    reading: options.InterpretationOptions,
    assign: options.AssignOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="Write the experiment that is left.")
    ] = None,
    report: options.ReportOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Reduce a disagreement to a minimal one for the same cause; exit 1 if there is one, 0 if they agree.

    Example:
    lars shrink samples/minus
    """
    from agreement.agree import cause_of
    from agreement.library.basis.boundary import Told
    from agreement.library.possible.shrunk import ShrinkRequest, shrunk_found

    check_report(report)
    wanted = None if cause is None else cause_of(cause)
    request = ShrinkRequest(tuple(inputs or ()), given, bad_lines, reading, assign or (), period, wanted)
    with working("shrinking") as progress:
        found = shrunk_found(request, Told(warn, note, progress))
    write_report(report, found)
    if not found.disagree:
        return
    if out is not None:
        found.write_experiment(out)
    if as_json:
        print_lines([json_text(found.document())])
    else:
        print_parts(found.parts())
    raise typer.Exit(DISAGREE)
