"""`lars check`: whether a given stream is an answer stream, and if not, why."""

import json
from pathlib import Path
from typing import Annotated

import typer

from agreement import arguments, options
from agreement.app import DISAGREE, command, print_lines, warn
from agreement.options import EvaluationOptions, InputOptions, InterpretationOptions, JsonOption, time_option
from agreement.trace_input import Runner
from lars.files import read_input, read_text
from translate.triggers import Trigger

_STANDARD_INPUT = Path("-")


@command
def check(
    *,
    program: Annotated[Path, typer.Argument(metavar="QUERY|PROGRAM.lars")],
    answer: Annotated[
        Path, typer.Option("--answer", metavar="FILE", help="The stream; - is standard input.")
    ],
    at: Annotated[int, time_option("--at", "The reference time.")],
    trace: Annotated[
        list[Path] | None, typer.Argument(metavar="TRACE..", help="Trace files or folders.")
    ] = None,
    given: InputOptions,
    evaluation: EvaluationOptions,
    reading: InterpretationOptions,
    as_json: JsonOption = False,
) -> None:
    """Tell whether a stream is an answer stream at a time, and if not, which rule or atom says no."""
    from agreement import candidates, checking
    from agreement.situations import situated
    from agreement.solving import Wanted

    arguments.check_for_queries(program, options.given(evaluation, reading))
    wanted = Wanted(
        path=program,
        trace=given.trace(trace, runner=Runner(in_process=True)),
        engine=evaluation.engine,
        mode=evaluation.mode,
        period=evaluation.period,
        setting=reading.setting(given.time_point),
        trigger=reading.trigger or Trigger.ANY,
        span=(None, at),
    )
    accepted = candidates.ACCEPTED
    text = read_input(accepted) if answer == _STANDARD_INPUT else read_text(answer, accepted)
    streams = candidates.read_candidates(text, str(answer), at)
    met = situated(wanted, warn)
    found = [checking.check(met, one, at) for one in streams]
    document = checking.json_document(found, at)
    print_lines([json.dumps(document, ensure_ascii=False)] if as_json else checking.text_lines(found, at))
    if not document["correct"]:
        raise typer.Exit(DISAGREE)
