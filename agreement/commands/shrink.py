"""`lars shrink`: a disagreeing experiment made minimal."""

import json
from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import DISAGREE, command, note, print_lines, print_parts, warn, working
from agreement.inputs import arguments, options


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
    as_json: options.JsonOption = False,
) -> None:
    """Reduce a disagreement to a minimal one for the same cause; exit 1 if there is one, 0 if they agree.

    Example:
    lars shrink samples/minus
    """
    from agreement.agree import Overrides, cause_of, on_files
    from agreement.inputs import is_experiment
    from agreement.shrink import shrink as shrink_task
    from agreement.shrink import write_shrunk
    from agreement.shrink.shrink_report import as_json as report_as_json
    from agreement.shrink.shrink_report import as_text

    overrides = Overrides(period, given.unit, reading, arguments.assignments(assign))
    wanted = None if cause is None else cause_of(cause)
    trace = given.trace(bad_lines=bad_lines)
    if inputs and len(inputs) == 1 and is_experiment(inputs[0]):
        from agreement.experiments.overridden import on_experiment

        asked = on_experiment(inputs[0], trace, overrides, warn)
    else:
        asked = on_files(tuple(inputs or ()), trace, overrides)
    with working("shrinking") as progress:
        made = shrink_task(asked, wanted, warn, progress)
    if made is None:
        note("push and pull agree on the trace: there is nothing to shrink")
        return
    if out is not None:
        write_shrunk(out, *made)
    if as_json:
        print_lines([json.dumps(report_as_json(*made), ensure_ascii=False)])
    else:
        print_parts(as_text(*made))
    raise typer.Exit(DISAGREE)
