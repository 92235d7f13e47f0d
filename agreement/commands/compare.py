"""`lars compare`: where two profiles part on a trace, and which rule parts them."""

from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import (
    DISAGREE,
    check_report,
    command,
    note,
    print_parts,
    warn,
    working,
    write_report,
)
from agreement.inputs import options, time_option
from agreement.outputs import json_text
from lars.errors import LarsError
from translate.query import Semantics


@command
def compare(
    *,
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
        list[Path] | None,
        typer.Argument(
            metavar="CASE.json.. | QUERY [QUERY] TRACE..",
            help="Recorded runs; or a query, or one in the language of each profile, and traces.",
        ),
    ] = None,
    t0: Annotated[
        int | None,
        time_option(
            "--t0", "Where windows of specifications begin; by default they close at multiples of the slide."
        ),
    ] = None,
    bounds: options.BoundsOption = None,
    semantics: options.SemanticsOption = None,
    tolerance: Annotated[
        float, typer.Option("--tolerance", min=0, max=1, help="By which share numbers may differ.")
    ] = 1e-9,
    times: Annotated[
        bool,
        typer.Option("--times/--no-times", help="Compare also when in the course of a push reports come."),
    ] = True,
    given: options.InputOptions,
    bad_lines: options.BadLineOptions,
    report: options.ReportOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Show where two profiles, specifications or engine versions, part, and why; exit 1 if they do.

    Example, in samples/judged/met:
    lars compare cqels cqels-1.x query.cqels.rq doors.nq
    """
    from agreement.compare.sides import Placing
    from agreement.library.basis.boundary import Told
    from agreement.library.comparisons import CompareRequest, comparison
    from agreement.matching.likeness import Likeness

    check_report(report)
    likeness = Likeness(semantics or Semantics.BAG, tolerance)
    asked = ((first, second), tuple(inputs or ()), given, bad_lines, Placing(t0, bounds), likeness, times)
    with working("comparing") as progress:
        found = comparison(CompareRequest(*asked), Told(warn, note, progress))
    write_report(report, found)
    print_parts([json_text(found.document())] if as_json else found.parts())
    if found.incomparable is not None:
        raise LarsError(found.incomparable)
    if not found.same:
        raise typer.Exit(DISAGREE)
