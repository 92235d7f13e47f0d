"""`lars translate`: the LARS program of a query."""

from pathlib import Path
from typing import Annotated

import typer

from agreement import arguments
from agreement.app import app, print_lines, reported, warn
from agreement.options import (
    AssignOption,
    BoundsOption,
    EngineOption,
    Format,
    ModeOption,
    PeriodOption,
    ProfileOption,
    TriggerOption,
    UnitOption,
)
from translate.triggers import Trigger


@app.command()
@reported
def translate(
    query: Annotated[Path, typer.Argument(help="A file with a C-SPARQL or CQELS query.")],
    engine: EngineOption = None,
    mode: ModeOption = None,
    period: PeriodOption = None,
    unit: UnitOption = None,
    profile: ProfileOption = None,
    bounds: BoundsOption = None,
    trigger: TriggerOption = None,
    assign: AssignOption = None,
    shape: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.LARS,
) -> None:
    """Print the LARS program of a query, or of the other engine's query that says the same."""
    from agreement import translating

    wanted = translating.Wanted(
        query,
        engine,
        mode and mode.value,
        period,
        arguments.setting(unit, profile, bounds),
        trigger or Trigger.ANY,
        arguments.assignments(assign or ()),
    )
    print_lines(translating.lines(wanted, shape.value, warn))
