"""`lars compare`: where two profiles part on a trace, and which rule parts them."""

import json
from pathlib import Path
from typing import Annotated

import typer

from agreement import arguments
from agreement.app import DISAGREE, app, print_parts, reported, warn, working
from agreement.options import (
    BoundsOption,
    JsonOption,
    OnErrorOption,
    OriginOption,
    RejectedOption,
    SemanticsOption,
    SortOption,
    StaticOption,
    StreamOption,
    TraceUnitOption,
    UnitOption,
    time_of,
)
from lars.errors import LarsError


@app.command()
@reported
def compare(
    first: Annotated[
        str,
        typer.Argument(
            metavar="PROFILE",
            help="A specification (csparql, cqels, sparqlstream, rspql, a file *.toml) or an engine version.",
        ),
    ],
    second: Annotated[
        str,
        typer.Argument(
            metavar="PROFILE", help="What it is compared with; of two queries the second is its own."
        ),
    ],
    inputs: Annotated[
        list[Path] | None, typer.Argument(metavar="CASE.json.. | QUERY [QUERY] TRACE..")
    ] = None,
    t0: Annotated[
        int | None,
        typer.Option(
            "--t0",
            metavar="TIME",
            parser=time_of("--t0"),
            help="Where windows of specifications begin; by default they close at multiples of the slide.",
        ),
    ] = None,
    bounds: BoundsOption = None,
    semantics: SemanticsOption = None,
    tolerance: Annotated[
        float, typer.Option("--tolerance", min=0, max=1, help="By which share numbers may differ.")
    ] = 1e-9,
    times: Annotated[
        bool,
        typer.Option("--times/--no-times", help="Compare also when in the course of a push reports come."),
    ] = True,
    static: StaticOption = None,
    stream: StreamOption = None,
    unit: UnitOption = None,
    trace_unit: TraceUnitOption = None,
    origin: OriginOption = None,
    sort: SortOption = False,
    on_error: OnErrorOption = "stop",
    rejected: RejectedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show where two profiles, specifications or engine versions, part, and why; exit 1 if they do."""
    from agreement.judging.likeness import Likeness
    from agreement.parting import command, parting_report
    from agreement.parting.sides import Placing
    from translate.profiles import Semantics

    cases = command.are_cases(inputs or ())
    queries, traces = ([], []) if cases else command.queries_and_traces(inputs or ())
    read = arguments.unit_of(unit)
    given = arguments.trace_input(traces, static, stream, read, trace_unit, origin, sort, on_error, rejected)
    likeness = Likeness(semantics or Semantics.BAG, tolerance)
    asked = command.Asked((first, second), given, read, Placing(t0, bounds), likeness, times)
    with working("comparing") as progress:
        if cases:
            named = {"--static": static, "--stream": stream, "--unit": unit, "--trace-unit": trace_unit}
            wrong = [option for option, value in named.items() if value]
            if wrong:
                raise LarsError(f"{', '.join(wrong)}: accepted with a query and a trace; a case has its own")
            found = command.on_cases(asked, inputs or (), progress)
        else:
            found = [command.on_trace(asked, queries, warn, progress)]
    print_parts([json.dumps(parting_report.as_json(found))] if as_json else parting_report.as_text(found))
    if not all(one.parting.same for one in found):
        raise typer.Exit(DISAGREE)
