"""`lars translate`: the LARS program of a query, and the texts of any program."""

from pathlib import Path
from typing import Annotated

import typer

from agreement import arguments
from agreement.app import app, print_lines, reported, warn
from agreement.options import (
    AssignOption,
    AtOption,
    BoundsOption,
    EngineOption,
    Format,
    ModeOption,
    OriginOption,
    PeriodOption,
    ProfileOption,
    RewriteOption,
    SemanticsOption,
    SortOption,
    StaticOption,
    StreamOption,
    StrictOption,
    TraceUnitOption,
    TriggerOption,
    UnitOption,
)
from lars.errors import LarsError
from translate.triggers import Trigger


@app.command()
@reported
def translate(
    query: Annotated[
        Path,
        typer.Argument(
            metavar="QUERY|PROGRAM.lars",
            help="A file with a query in one of the four languages, or a LARS program.",
        ),
    ],
    trace: Annotated[
        list[Path] | None,
        typer.Argument(metavar="TRACE..", help="The input, for --format asp: the file then runs by itself."),
    ] = None,
    engine: EngineOption = None,
    mode: ModeOption = None,
    period: PeriodOption = None,
    unit: UnitOption = None,
    profile: ProfileOption = None,
    bounds: BoundsOption = None,
    trigger: TriggerOption = None,
    semantics: SemanticsOption = None,
    to: RewriteOption = None,
    strict: StrictOption = None,
    assign: AssignOption = None,
    static: StaticOption = None,
    stream: StreamOption = None,
    trace_unit: TraceUnitOption = None,
    origin: OriginOption = None,
    sort: SortOption = False,
    at: AtOption = None,
    shape: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.LARS,
) -> None:
    """Print the LARS program of a query, or of the other engine's query that says the same.

    A program written by hand is printed in any format but model; ticker is the language of the
    stream reasoner Ticker.
    """
    from agreement import translating

    arguments.for_queries(
        query,
        engine=engine,
        mode=mode,
        period=period,
        profile=profile,
        bounds=bounds,
        trigger=trigger,
        semantics=semantics,
        to=to,
        strict=strict,
    )
    wanted = translating.Wanted(
        query,
        engine,
        mode and mode.value,
        period,
        arguments.setting(unit, profile, bounds, semantics, origin),
        trigger or Trigger.ANY,
        arguments.assignments(assign or ()),
        tuple(static or ()),
    )
    if strict is not None:
        translating.check_strict_file(query, strict)
    if to is not None:
        from agreement import rewriting

        print_lines(rewriting.lines(wanted, to, warn))
        return
    setting = wanted.setting
    given = (
        arguments.trace_input(
            trace or (), static, stream, setting.unit, trace_unit, origin, sort, "stop", None
        )
        if trace or stream
        else None
    )
    if given is None:
        print_lines(translating.lines(wanted, shape.value, warn))
        return
    if shape is not Format.ASP:
        raise LarsError(f"--format {shape.value}: a trace is accepted with --format asp alone")
    from agreement import standing_alone

    print_lines(list(standing_alone.lines(wanted, given, at, warn)))
