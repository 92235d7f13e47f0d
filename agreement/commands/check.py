"""`lars check`: whether a given stream is an answer stream, and if not, why."""

import json
from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import DISAGREE, command, note, print_lines, text_in, warn
from agreement.inputs import arguments, options, time_option
from solver.settings import Runner
from translate.tau import Trigger


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
    from agreement.explain import candidates, checking, explaining
    from agreement.solve.solving import SolvingTask

    arguments.check_for_queries(program, options.given(evaluation, reading, semantics=semantics))
    given = given.fitted([program], note, evaluation.period)
    wanted = SolvingTask(
        path=program,
        trace=given.trace(trace, bad_lines, Runner(in_process=True)),
        evaluation=evaluation,
        setting=reading.setting(given.time_point, semantics, given.origin),
        trigger=reading.trigger or Trigger.ANY,
        span=(None, at),
    )
    streams = candidates.read_candidates(text_in(answer, candidates.ACCEPTED), str(answer), at)
    met = explaining.situated(wanted, warn)
    found = [checking.check(met, one, at) for one in streams]
    document = checking.json_document(found, at)
    print_lines([json.dumps(document, ensure_ascii=False)] if as_json else checking.text_lines(found, at))
    if not document["correct"]:
        raise typer.Exit(DISAGREE)
