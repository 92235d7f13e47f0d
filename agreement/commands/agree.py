"""`lars agree`: do the two engines agree."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType

from agreement import arguments
from agreement.app import DISAGREE, app, print_lines, print_parts, reported, warn, working
from agreement.options import (
    AssignOption,
    BoundsOption,
    EndOption,
    InProcessOption,
    JsonOption,
    MasterOption,
    OnErrorOption,
    OriginOption,
    PeriodsOption,
    ProfileOption,
    RejectedOption,
    SortOption,
    StartOption,
    StaticOption,
    StreamOption,
    TraceUnitOption,
    TriggerOption,
    UnitOption,
)


@app.command()
@reported
def agree(
    inputs: Annotated[
        list[Path] | None, typer.Argument(metavar="EXPERIMENT_DIR | QUERY [QUERY] TRACE..")
    ] = None,
    period: PeriodsOption = None,
    static: StaticOption = None,
    stream: StreamOption = None,
    unit: UnitOption = None,
    trace_unit: TraceUnitOption = None,
    origin: OriginOption = None,
    sort: SortOption = False,
    on_error: OnErrorOption = "stop",
    rejected: RejectedOption = None,
    profile: ProfileOption = None,
    bounds: BoundsOption = None,
    trigger: TriggerOption = None,
    assign: AssignOption = None,
    first: StartOption = None,
    last: EndOption = None,
    master: MasterOption = "local[*]",
    in_process: InProcessOption = False,
    as_json: JsonOption = False,
    full: Annotated[
        bool, typer.Option("--full", help="Show the model, both LARS programs and all answers too.")
    ] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the schema of experiment.toml.")] = False,
) -> None:
    """Decide per pulling period whether pull of C-SPARQL and push of CQELS agree; exit 1 if not."""
    from agreement import agreeing, report
    from agreement.full import Shown
    from agreement.inputs import Runner

    if schema:
        from agreement.experiment_schema import schema as experiment_schema

        print_lines([json.dumps(experiment_schema(), indent=2)])
        return
    given = arguments.trace_input((), static, stream, None, trace_unit, origin, sort, on_error, rejected)
    overrides = agreeing.Overrides(
        period, unit, profile, bounds, trigger, arguments.assignments(assign or ()), first, last
    )
    experiment = agreeing.experiment(tuple(inputs or ()), given, overrides)
    with working("comparing push and pull") as progress:
        runner = Runner(master, in_process, progress=progress)
        found = agreeing.run(replace(experiment, trace=replace(experiment.trace, runner=runner)), warn)
        shown = Shown(found, experiment.setting, experiment.trigger)
        # The causes are found while the report is made: it belongs to the work that takes time.
        if as_json:
            content = report.as_json(found, experiment.setting) | (shown.as_json() if full else {})
            parts: list[RenderableType] = [json.dumps(content, ensure_ascii=False)]
        else:
            parts = [*(shown.as_text() if full else ()), report.as_text(found, experiment.setting)]
    for message in found.warnings:
        warn(message)
    print_parts(parts)
    if any(verdict.agree is False for verdict in found.variants[0].verdicts):
        raise typer.Exit(DISAGREE)
