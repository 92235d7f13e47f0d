"""`lars agree`: do the two engines agree."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType

from agreement.commands.app import DISAGREE, command, note, print_lines, print_parts, warn, working
from agreement.inputs import arguments, is_experiment, options, time_option


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
        list[Path] | None, typer.Argument(metavar="EXPERIMENT_DIR | QUERY [QUERY] TRACE..")
    ] = None,
    times: TimelineOptions,
    given: options.InputOptions,
    bad_lines: options.BadLineOptions,
    reading: options.InterpretationOptions,
    assign: options.AssignOption = None,
    where: options.RunnerOptions,
    as_json: options.JsonOption = False,
    full: Annotated[
        bool, typer.Option("--full", help="Show the model, both LARS programs and all answers too.")
    ] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the schema of experiment.toml.")] = False,
) -> None:
    """Decide per pulling period whether pull of C-SPARQL and push of CQELS agree; exit 1 if not."""
    from agreement.agree import agreeing, report

    if schema:
        from agreement.experiments.schema import schema as experiment_schema

        print_lines([json.dumps(experiment_schema(), indent=2)])
        return
    assigned, span = arguments.assignments(assign), (times.first, times.last)
    overrides = agreeing.Overrides(times.period, given.unit, reading, assigned, span)
    trace = given.trace(bad_lines=bad_lines)
    if inputs and len(inputs) == 1 and is_experiment(inputs[0]):
        from agreement.experiments.overridden import on_experiment

        asked = on_experiment(inputs[0], trace, overrides, warn)
    else:
        asked = agreeing.on_files(tuple(inputs or ()), trace, overrides)
    with working("comparing push and pull") as progress:
        trace = replace(asked.trace, runner=where.runner(note, progress))
        found = agreeing.run(replace(asked, trace=trace), warn)
        shown = report.FullReport(found, asked.setting, asked.trigger)
        # The causes are found while the report is made: it belongs to the work that takes time.
        if as_json:
            content = report.as_json(found, asked.setting) | (shown.as_json() if full else {})
            parts: list[RenderableType] = [json.dumps(content, ensure_ascii=False)]
        else:
            parts = [*(shown.as_text() if full else ()), report.as_text(found, asked.setting)]
    for message in found.warnings:
        warn(message)
    print_parts(parts)
    if any(verdict.agree is False for verdict in found.variants[0].verdicts):
        raise typer.Exit(DISAGREE)
