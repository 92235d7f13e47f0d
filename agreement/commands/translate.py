"""`lars translate`: the LARS program of a query, and the texts of any program."""

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
    StaticOption,
    TriggerOption,
    UnitOption,
)
from translate.triggers import Trigger


@app.command()
@reported
def translate(
    query: Annotated[
        Path,
        typer.Argument(
            metavar="QUERY|PROGRAM.lars", help="A file with a C-SPARQL or CQELS query, or a LARS program."
        ),
    ],
    engine: EngineOption = None,
    mode: ModeOption = None,
    period: PeriodOption = None,
    unit: UnitOption = None,
    profile: ProfileOption = None,
    bounds: BoundsOption = None,
    trigger: TriggerOption = None,
    assign: AssignOption = None,
    static: StaticOption = None,
    shape: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.LARS,
) -> None:
    """Print the LARS program of a query, or of the other engine's query that says the same.

    A program written by hand is printed in any format but model; ticker and laser are the languages
    of stream reasoners.
    """
    from agreement import translating

    wanted = translating.Wanted(
        query,
        engine,
        mode and mode.value,
        period,
        arguments.setting(unit, profile, bounds),
        trigger or Trigger.ANY,
        arguments.assignments(assign or ()),
        tuple(static or ()),
    )
    print_lines(translating.lines(wanted, shape.value, warn))
