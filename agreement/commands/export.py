"""`lars export`: files for another reasoner, and what it answered."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import command, note, print_lines, warn
from agreement.inputs import arguments, options, time_option, unit_of
from lars.errors import LarsError
from lars.ticker import Reasoner
from translate.tau import Trigger


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
    from agreement.export import ExportTask, answer_lines, export_to
    from agreement.solve.solving import SolvingTask

    if read is not None or legend is not None:
        if program is not None or to is not None or out is not None or read is None or legend is None:
            raise LarsError(
                "accepted: --read OUTPUT --legend legend.json, or PROGRAM TRACE.. --to WHOM -o DIR"
            )
        print_lines(list(answer_lines(read, legend, warn)))
        return
    if program is None or to is None or out is None:
        raise LarsError(
            "accepted: PROGRAM TRACE.. --to ticker|asp -o DIR, or --read OUTPUT --legend legend.json"
        )
    options_of_queries = options.given(evaluation, reading, semantics=semantics)
    arguments.check_for_queries(program, options_of_queries)
    given = given.fitted([program], note, evaluation.period)
    if to is Target.ASP and (for_ticker := options.given(reasoner=reasoner, clock=clock)):
        raise LarsError(f"{for_ticker[0]}: accepted with --to ticker")
    solving = SolvingTask(
        path=program,
        trace=given.trace(trace, bad_lines),
        evaluation=evaluation,
        setting=replace(reading.setting(given.time_point, semantics, given.origin), ordered=True),
        trigger=reading.trigger or Trigger.ANY,
        span=(first, until),
    )
    chosen = None if to is Target.ASP else reasoner or Reasoner.CLINGO
    wanted = ExportTask(solving, chosen, given.time_point if clock is None else unit_of(clock, "--clock"))
    print_lines([export_to(out, wanted, warn, overwrite=overwrite)])
