"""`lars solve`: answers per time point."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from agreement import arguments
from agreement.app import app, print_lines, reported, warn, working
from agreement.options import (
    AsOption,
    AsStreamOption,
    BoundsOption,
    BraveOption,
    CautiousOption,
    EngineOption,
    FromOption,
    InProcessOption,
    JsonOption,
    MasterOption,
    ModelsOption,
    ModeOption,
    OnErrorOption,
    OneStartOption,
    OriginOption,
    PeriodOption,
    ProfileOption,
    RejectedOption,
    SemanticsOption,
    SortOption,
    StaticOption,
    StreamOption,
    ToOption,
    TraceUnitOption,
    TriggerOption,
    UnitOption,
    UntilOption,
)
from translate.triggers import Trigger


@app.command()
@reported
def solve(
    program: Annotated[Path, typer.Argument(metavar="QUERY|PROGRAM.lars")],
    trace: Annotated[
        list[Path] | None, typer.Argument(metavar="TRACE..", help="Trace files or folders.")
    ] = None,
    static: StaticOption = None,
    engine: EngineOption = None,
    mode: ModeOption = None,
    period: PeriodOption = None,
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
    semantics: SemanticsOption = None,
    first: FromOption = None,
    last: ToOption = None,
    master: MasterOption = "local[*]",
    in_process: InProcessOption = False,
    models: ModelsOption = None,
    brave: BraveOption = False,
    cautious: CautiousOption = False,
    name: AsOption = None,
    t0: OneStartOption = None,
    until: UntilOption = None,
    as_stream: AsStreamOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the answers of a query or program per time point, or what --as NAME reports of a query."""
    from agreement import solving, solving_as
    from agreement.inputs import Runner

    arguments.for_queries(
        program,
        engine=engine,
        mode=mode,
        period=period,
        profile=profile,
        bounds=bounds,
        trigger=trigger,
        semantics=semantics,
        **{"as": name},
    )
    solving_as.check_only_as(
        name,
        {"--t0": t0, "--until": until, "--as-stream": as_stream},
        {"--engine": engine, "--mode": mode, "--period": period, "--profile": profile, "--trigger": trigger},
    )
    wishes = {"--models": models is not None, "--brave": brave, "--cautious": cautious}
    arguments.for_programs(program, wishes)
    setting = replace(arguments.setting(unit, profile, bounds, semantics, origin), ordered=True)
    given = arguments.trace_input(
        trace or (), static, stream, setting.unit, trace_unit, origin, sort, on_error, rejected
    )
    if name is not None:
        asked = solving_as.WantedAs(
            program, given, setting.unit, name, t0, bounds, semantics, until, (first, last), as_stream
        )
        reports = solving_as.reports_as(asked, warn)
        print_lines(solving_as.lines(reports, warn, as_json=as_json))
        return
    wanted = solving.Wanted(
        program,
        given,
        engine,
        mode and mode.value,
        period,
        setting,
        trigger or Trigger.ANY,
        (first, last),
        arguments.whole(models, brave, cautious),
    )
    with working("solving") as progress:
        runner = Runner(master, in_process, progress=progress)
        found = solving.answers(replace(wanted, trace=replace(given, runner=runner)), warn)
    print_lines(solving.json_lines(found) if as_json else solving.text_lines(found))
