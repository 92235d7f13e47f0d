"""`lars explain`: the proof of an atom, or what it lacks."""

from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import (
    STANDARD_INPUT,
    check_report,
    command,
    note,
    print_lines,
    print_parts,
    warn,
    write_report,
)
from agreement.inputs import arguments, options, time_option
from agreement.outputs import json_text
from lars.errors import LarsError
from lars.files import exists


@command
def explain(
    *,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUERY|PROGRAM.lars|EXPERIMENT_DIR TRACE.. ATOM",
            help="What is asked, its input, and the atom last, in quotes.",
        ),
    ] = None,
    at: Annotated[int | None, time_option("--at", "The time of the answer stream.")] = None,
    given: options.InputOptions,
    bad_lines: options.BadLineOptions,
    evaluation: options.EvaluationOptions,
    reading: options.InterpretationOptions,
    semantics: options.SemanticsOption = None,
    model: Annotated[
        int | None,
        typer.Option(
            metavar="K", parser=arguments.number_of("--model"), help="Which of several answer streams."
        ),
    ] = None,
    report: options.ReportOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Print why an atom is in the answer stream at a time, or what it lacks to be there.

    Examples:
    lars explain samples/coupons --at 18 'ans(25,rayban,b)'
    lars explain samples/door/door.lars samples/door/door.atoms --at 4 'guard(bob)'
    """
    from agreement.library.basis.boundary import Told
    from agreement.library.explanations import ACCEPTED, ExplainRequest, explanation

    paths, atom = _told_apart(inputs or [], ACCEPTED)
    if at is None:
        raise LarsError(f"--at TIME is missing; {ACCEPTED}")
    check_report(report)
    asked = (given, bad_lines, evaluation, reading, semantics, model)
    found = explanation(ExplainRequest(tuple(paths), atom, at, *asked), Told(warn, note))
    write_report(report, found)
    if as_json:
        print_lines([json_text(found.document())])
    else:
        print_parts(found.parts())


def _told_apart(inputs: list[str], accepted: str) -> tuple[list[Path], str]:
    """Return the paths, and the atom that stands behind them."""
    if not inputs:
        raise LarsError(f"nothing to explain; {accepted}")
    paths = [Path(text) for text in inputs[:-1]]
    if inputs[-1] and exists(Path(inputs[-1])):
        raise LarsError(f"{inputs[-1]} is a file or folder: the atom is missing; {accepted}")
    if not paths:
        raise LarsError(f"{inputs[-1]}: no such file, and no atom behind it; {accepted}")
    for path in paths:
        if path != STANDARD_INPUT and not exists(path):
            raise LarsError(f"{path}: no such file or folder; {accepted}")
    return paths, inputs[-1]
