"""`lars phase`: where on a trace two engines agree, by pulling period, window length and rate."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import check_report, command, note, print_parts, warn, working, write_report
from agreement.inputs import options
from agreement.outputs import json_text


@dataclass(frozen=True, slots=True)
class PhaseOptions:
    """What varies."""

    period: Annotated[
        str | None, typer.Option(help="Pulling periods: 1..50, 5,10, 1s..60s. [default: the STEP]")
    ] = None
    length: Annotated[str, typer.Option(help="Lengths of the window: 1..60, 5s..60s..5s.")] = "1..60"
    window: Annotated[
        str | None,
        typer.Option(metavar="IRI", help="The stream whose window it is. [default: the longest's]"),
    ] = None
    rate: Annotated[
        str, typer.Option(help="How many times as fast the stream is: 1,2,4, a diagram each.")
    ] = "1"


@command
def phase(
    *,
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="EXPERIMENT_DIR | QUERY [QUERY] TRACE..",
            help="A folder with experiment.toml; or queries in C-SPARQL and CQELS, one or both, and traces.",
        ),
    ] = None,
    varied: PhaseOptions,
    given: options.InputOptions,
    bad_lines: options.BadLineOptions,
    reading: options.InterpretationOptions,
    assign: options.AssignOption = None,
    picture: Annotated[
        Path | None, typer.Option(help="A picture of it: *.svg, *.png or *.pdf (needs matplotlib).")
    ] = None,
    report: options.ReportOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Show the share of periods on which push and pull agree, by period U and window length L.

    Example:
    lars phase samples/coupons --period 1..50 --length 1..60 --picture coupons.svg
    """
    from agreement.library.basis.boundary import Told
    from agreement.library.possible.phases import PhaseRequest, phase_found
    from agreement.phase import picture as pictures

    check_report(report)
    if picture is not None:
        pictures.check(picture)
    what = (varied.period, varied.length, varied.window, varied.rate)
    request = PhaseRequest(tuple(inputs or ()), given, reading, bad_lines, assign or (), *what)
    with working("comparing push and pull") as progress:
        found = phase_found(request, Told(warn, note, progress))
    write_report(report, found)
    if picture is not None:
        found.write_figure(picture)
    print_parts([json_text(found.document())] if as_json else found.parts())
