"""`lars explain`: the proof of an atom, or what it lacks."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import STANDARD_INPUT, command, note, print_lines, warn
from agreement.inputs import EXPERIMENT_FILE, arguments, is_experiment, options, time_option
from lars.errors import LarsError
from lars.files import exists
from solver.settings import Runner
from translate.tau import Trigger

_ACCEPTED = (
    "accepted: lars explain QUERY|PROGRAM.lars TRACE.. --at TIME 'ans(25,rayban,b)', "
    "or the folder of an experiment in place of QUERY and TRACE"
)


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
    as_json: options.JsonOption = False,
) -> None:
    """Print why an atom is in the answer stream at a time, or what it lacks to be there.

    Examples:
    lars explain samples/coupons --at 18 'ans(25,rayban,b)'
    lars explain samples/door/door.lars samples/door/door.atoms --at 4 'guard(bob)'
    """
    from agreement.agree import Overrides
    from agreement.explain import explaining, explanation_json, explanation_text
    from agreement.solve import solving

    paths, atom = _told_apart(inputs or [])
    if at is None:
        raise LarsError(f"--at TIME is missing; {_ACCEPTED}")
    arguments.check_for_queries(paths[0], options.given(evaluation, reading, semantics=semantics))
    arguments.check_for_programs(paths[0], options.given(model=model))
    if exists(paths[0], folder=True) and not exists(paths[0] / EXPERIMENT_FILE):
        raise LarsError(f"{paths[0]}: a folder without {EXPERIMENT_FILE}; {_ACCEPTED}")
    if not is_experiment(paths[0]):
        given = given.fitted(paths[:1], note, evaluation.period)
    wanted = solving.SolvingTask(
        path=paths[0],
        trace=given.trace(paths[1:], bad_lines, Runner(in_process=True)),
        evaluation=evaluation,
        setting=reading.setting(given.time_point, semantics, given.origin),
        trigger=reading.trigger or Trigger.ANY,
        span=(None, at),
    )
    if is_experiment(paths[0]):
        from agreement.experiments.overridden import on_experiment

        period = None if evaluation.period is None else str(evaluation.period)
        overrides = Overrides(period, given.unit, reading, {})
        asked = on_experiment(paths[0], wanted.trace, overrides, warn)
        if semantics is not None:
            asked = replace(asked, setting=replace(asked.setting, semantics=semantics))
        here = explaining.compared(asked, wanted, warn)
    else:
        here = explaining.situated(wanted, warn)
    found = explaining.explained(here, at, atom, model, paths[0])
    if as_json:
        print_lines([json.dumps(explanation_json.as_json(found), ensure_ascii=False)])
    else:
        print_lines(explanation_text.text_lines(found))


def _told_apart(inputs: list[str]) -> tuple[list[Path], str]:
    """Return the paths, and the atom that stands behind them."""
    if not inputs:
        raise LarsError(f"nothing to explain; {_ACCEPTED}")
    paths = [Path(text) for text in inputs[:-1]]
    if inputs[-1] and exists(Path(inputs[-1])):
        raise LarsError(f"{inputs[-1]} is a file or folder: the atom is missing; {_ACCEPTED}")
    if not paths:
        raise LarsError(f"{inputs[-1]}: no such file, and no atom behind it; {_ACCEPTED}")
    for path in paths:
        if path != STANDARD_INPUT and not exists(path):
            raise LarsError(f"{path}: no such file or folder; {_ACCEPTED}")
    return paths, inputs[-1]
