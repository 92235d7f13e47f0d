"""`lars phase`: where on a trace two engines agree, by pulling period, window length and rate."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import command, note, print_parts, warn, working
from agreement.inputs import arguments, is_experiment, options, read_periods
from lars.errors import LarsError


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
    reading: options.InterpretationOptions,
    assign: options.AssignOption = None,
    picture: Annotated[
        Path | None, typer.Option(help="A picture of it: *.svg, *.png or *.pdf (needs matplotlib).")
    ] = None,
    as_json: options.JsonOption = False,
) -> None:
    """Show the share of periods on which push and pull agree, by period U and window length L.

    Example:
    lars phase samples/coupons --period 1..50 --length 1..60 --picture coupons.svg
    """
    from agreement.agree import Overrides, on_files, periods_of
    from agreement.phase import draw, phase_task, phased, report
    from agreement.phase import picture as pictures

    if picture is not None:
        pictures.check(picture)
    overrides = Overrides(varied.period, given.unit, reading, arguments.assignments(assign))
    trace = given.trace()
    if inputs and len(inputs) == 1 and is_experiment(inputs[0]):
        from agreement.experiments.overridden import on_experiment

        asked = on_experiment(inputs[0], trace, overrides, warn)
    else:
        asked = on_files(tuple(inputs or ()), trace, overrides)
    unit = asked.setting.unit
    lengths = sorted({one.points(unit) for one in read_periods(varied.length)})
    rates = [one.written for one in read_periods(varied.rate) if isinstance(one.written, int)]
    if not rates:
        raise LarsError(f"--rate {varied.rate}: accepted: whole numbers from 1, as 1,2,4")
    in_process = replace(asked.trace, runner=replace(asked.trace.runner, in_process=True, said=note))
    task = phase_task(replace(asked, trace=in_process), varied.window, tuple(lengths), tuple(rates), warn)
    with working("comparing push and pull") as progress:
        found = list(phased(task, periods_of(asked), note, progress))
    shown = found, str(unit), task.stream.value
    if picture is not None:
        draw(picture, *shown)
    print_parts([json.dumps(report.as_json(*shown))] if as_json else report.as_text(*shown))
