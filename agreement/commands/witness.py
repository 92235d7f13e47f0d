"""`lars witness`: the smallest stream on which two sides differ."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from agreement.commands.app import (
    DISAGREE,
    check_report,
    command,
    note,
    print_lines,
    print_parts,
    warn,
    working,
    write_report,
)
from agreement.inputs import options
from agreement.inputs.question_options import QueriesArgument, QuestionOptions
from agreement.outputs import json_text
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
            help="Push read in two ways: closed,high-open, rstream,istream .. [default: push, pull]",
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
    inputs: QueriesArgument = None,
    given: QuestionOptions,
    reading: options.InterpretationOptions,
    assign: options.AssignOption = None,
    wanted: WitnessOptions,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="DIR", help="Write an experiment for lars agree; N: DIR/1, DIR/2 .."
        ),
    ] = None,
    report: options.ReportOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Find the smallest stream on which push and pull, or two queries, differ; exit 1 if there is one.

    Exit code 0: there is none on any stream; 3: none was found.

    Example:
    lars witness samples/coupons --period 5
    """
    from agreement.agree import cause_of
    from agreement.library.basis.boundary import Told
    from agreement.library.possible.witnesses import WitnessRequest, witnesses_found
    from agreement.witness import WitnessWishes, read_sides

    check_report(report)
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
    request = WitnessRequest(tuple(inputs or ()), given, reading, assign or (), wishes)
    task = request.task(Told(warn, note))
    if out is not None and len(task.periods) > 1:
        raise LarsError(f"--out {out}: accepted with one period")
    with working("choosing streams") as progress:
        found = witnesses_found(request, task, Told(warn, note, progress))
    if out is not None:
        found.write_experiment(out)
    write_report(report, found)
    if as_json:
        print_lines([json_text(found.document())])
    else:
        print_parts(found.parts())
    if found.differ:
        raise typer.Exit(DISAGREE)
    if found.differ is None:
        raise typer.Exit(OPEN)
