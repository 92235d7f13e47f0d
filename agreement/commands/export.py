"""`lars export`: files for another reasoner, and what it answered."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import command, note, print_lines, warn
from agreement.inputs import options, time_option
from lars.errors import LarsError
from lars.ticker import Reasoner


class Target(StrEnum):
    """What an export is for."""

    TICKER = "ticker"
    ASP = "asp"


@command
def export(
    *,
    program: Annotated[Path | None, options.PROGRAM] = None,
    trace: Annotated[
        list[Path] | None, typer.Argument(metavar="TRACE..", help="Trace files or folders.")
    ] = None,
    to: Annotated[Target | None, typer.Option(help="The reasoner that is to run it.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="The folder to write.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an export.")] = False,
    reasoner: Annotated[
        Reasoner | None, typer.Option(help="Which reasoner of Ticker's. [default: clingo]")
    ] = None,
    clock: Annotated[
        str | None, typer.Option(help="How long a time point lasts in Ticker. [default: the unit]")
    ] = None,
    read: Annotated[
        Path | None, typer.Option(metavar="OUTPUT", help="Print what it answered, as solve --json does.")
    ] = None,
    legend: Annotated[Path | None, typer.Option(help="With --read: legend.json of the export.")] = None,
    given: options.InputOptions,
    bad_lines: options.BadLineOptions,
    evaluation: options.EvaluationOptions,
    reading: options.InterpretationOptions,
    semantics: options.SemanticsOption = None,
    first: Annotated[int | None, time_option("--from", "The first time point.")] = None,
    until: Annotated[int | None, time_option("--until", "The last time point.")] = None,
) -> None:
    """Write a program and its trace as files that Ticker or clingo runs, or read what these answered.

    Example:
    lars export samples/door/door.lars samples/door/door.atoms --to asp --out door
    """
    from agreement.export import answer_lines
    from agreement.library.basis.boundary import Told
    from agreement.library.made.exports import ExportRequest, export_made

    if read is not None or legend is not None:
        if program is not None or to is not None or out is not None or read is None or legend is None:
            raise LarsError(
                "accepted: --read OUTPUT --legend legend.json, or PROGRAM TRACE.. --to WHOM -o DIR"
            )
        print_lines(list(answer_lines(read, legend)))
        return
    if program is None or to is None or out is None:
        raise LarsError(
            "accepted: PROGRAM TRACE.. --to ticker|asp -o DIR, or --read OUTPUT --legend legend.json"
        )
    request = ExportRequest(
        program,
        tuple(trace or ()),
        to is Target.TICKER,
        reasoner,
        clock,
        given,
        bad_lines,
        evaluation,
        reading,
        semantics,
        (first, until),
    )
    print_lines([export_made(request, out, Told(warn, note), overwrite=overwrite).text])
