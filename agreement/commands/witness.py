"""`lars witness`: the smallest stream on which two sides differ."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from agreement.commands.app import DISAGREE, command, print_lines, print_parts, warn, working
from agreement.inputs import arguments, options
from lars.errors import LarsError

OPEN: Final = 3
"""Neither a witness nor a reason why there is none."""


@dataclass(frozen=True, slots=True)
class WitnessOptions:
    """Which witnesses are wanted, and how far the search goes."""

    enumerate_: Annotated[
        int,
        typer.Option(
            "--enumerate", min=1, metavar="N", help="So many, no two alike up to names and waiting."
        ),
    ] = 1
    cause: Annotated[
        str | None, typer.Option(help="One with this cause: blocked-later. [default: any cause]")
    ] = None
    triples: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="N", help="Of at most so many triples. [default: what is enough, else 4]"
        ),
    ] = None
    any_source: Annotated[
        bool,
        typer.Option(
            "--any-source", help="A triple may come from each stream and be static, whatever its pattern."
        ),
    ] = False
    same_input: Annotated[
        bool,
        typer.Option(
            "--same-input", help="One that shows push in the period, in total, what pull sees at its end."
        ),
    ] = False
    sides: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Push read in two ways: closed,high-open or any,matching. [default: push, pull]",
        ),
    ] = None
    time_limit: Annotated[
        float | None,
        typer.Option(min=0, metavar="SECONDS", help="Then give the best so far, for each period."),
    ] = None
    contained: Annotated[
        bool,
        typer.Option("--contained", help="Of two queries: where the first has a row that the second lacks."),
    ] = False


@command
def witness(
    *,
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="EXPERIMENT_DIR | QUERY [QUERY]",
            help="A folder with experiment.toml; or queries: one or both of push and pull, or two of a kind.",
        ),
    ] = None,
    period: Annotated[
        str | None, typer.Option(help="Pulling periods: 5, 5,10, 1..50, 1s..60s. [default: the STEP]")
    ] = None,
    static: Annotated[
        list[Path] | None, typer.Option(help="An RDF file with the static data. [default: chosen too]")
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH", help="One time point: 1min, 500ms. [default: the longest that fits, at most 1s]"
        ),
    ] = None,
    reading: options.InterpretationOptions,
    assign: options.AssignOption = None,
    wanted: WitnessOptions,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="DIR", help="Write an experiment for lars agree; N: DIR/1, DIR/2 .."
        ),
    ] = None,
    as_json: options.JsonOption = False,
) -> None:
    """Find the smallest stream on which push and pull, or two queries, differ; exit 1 if there is one.

    Exit code 0: there is none on any stream; 3: none was found.

    Example:
    lars witness samples/coupons --period 5
    """
    from agreement.agree import Overrides, cause_of
    from agreement.witness import (
        NoWitness,
        WitnessWishes,
        read_sides,
        witness_task,
        witnesses,
        write_experiments,
    )
    from agreement.witness.witness_report import as_json as report_as_json
    from agreement.witness.witness_report import as_text

    wishes = WitnessWishes(
        wanted.enumerate_,
        None if wanted.cause is None else cause_of(wanted.cause),
        wanted.triples,
        wanted.time_limit,
        wanted.any_source,
        wanted.contained,
        wanted.same_input,
        None if wanted.sides is None else read_sides(wanted.sides),
    )
    given = options.InputOptions(static=static, unit=unit).trace()
    asked = Overrides(period, unit, reading, arguments.assignments(assign))
    task = witness_task(tuple(inputs or ()), given, asked, wishes, warn)
    if out is not None and len(task.periods) > 1:
        raise LarsError(f"--out {out}: accepted with one period")
    found = []
    for one in task.periods:
        with working(f"choosing streams, U = {one}") as progress:
            found.append(witnesses(task, one, progress))
    if out is not None and found[0].found:
        write_experiments(out, task, found[0])
    if as_json:
        print_lines([json.dumps(report_as_json(task, found), ensure_ascii=False)])
    else:
        print_parts(as_text(task, found))
    if any(one.found for one in found):
        raise typer.Exit(DISAGREE)
    if not all(isinstance(one.ended, NoWitness) for one in found):
        raise typer.Exit(OPEN)
