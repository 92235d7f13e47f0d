"""`lars check`: whether a given stream is an answer stream, and if not, why."""

from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import DISAGREE, command, note, print_lines, print_parts, text_in, warn
from agreement.inputs import options, time_option
from agreement.outputs import json_text


@command
def check(
    *,
    program: Annotated[Path, options.PROGRAM],
    answer: Annotated[
        Path, typer.Option("--answer", metavar="FILE", help="The stream; - is standard input.")
    ],
    at: Annotated[int, time_option("--at", "The reference time.")],
    trace: Annotated[
        list[Path] | None, typer.Argument(metavar="TRACE..", help="Trace files or folders.")
    ] = None,
    given: options.InputOptions,
    bad_lines: options.BadLineOptions,
    evaluation: options.EvaluationOptions,
    reading: options.InterpretationOptions,
    semantics: options.SemanticsOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Tell whether a stream is an answer stream at a time, and if not, which rule or atom says no.

    Example, of an answer that was printed before:
    lars solve samples/door/door.lars samples/door/door.atoms --to 3 > answers.txt
    lars check samples/door/door.lars samples/door/door.atoms --at 3 --answer answers.txt
    """
    from agreement.explain.candidates import ACCEPTED
    from agreement.library.basis.boundary import Told
    from agreement.library.checks import CheckRequest, answer_checked

    text = text_in(answer, ACCEPTED)
    read = (given, bad_lines, evaluation, reading, semantics)
    request = CheckRequest(program, tuple(trace or ()), text, str(answer), at, *read)
    found = answer_checked(request, Told(warn, note))
    if as_json:
        print_lines([json_text(found.document())])
    else:
        print_parts(found.parts())
    if not found.correct:
        raise typer.Exit(DISAGREE)
