"""`lars explain`: the proof of an atom, or what it lacks."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from agreement import arguments
from agreement.app import app, print_lines, reported, warn
from agreement.options import (
    BoundsOption,
    EngineOption,
    JsonOption,
    ModeOption,
    OnErrorOption,
    OriginOption,
    PeriodOption,
    ProfileOption,
    RejectedOption,
    SortOption,
    StaticOption,
    StreamOption,
    TraceUnitOption,
    TriggerOption,
    UnitOption,
)
from lars.errors import LarsError
from translate.triggers import Trigger

_ACCEPTED = (
    "accepted: lars explain QUERY|PROGRAM.lars TRACE.. --at TIME 'ans(25,rayban,b)', "
    "or the folder of an experiment in place of QUERY and TRACE"
)


def _time(text: str) -> int:
    try:
        return arguments.time_point(text)
    except LarsError:
        raise LarsError(f"--at {text[:40]}: accepted: a time point, as 18") from None


def _model(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,8}", text):
        raise LarsError(f"--model {text[:40]}: accepted: a number from 1")
    return int(text)


@app.command()
@reported
def explain(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUERY|PROGRAM.lars|EXPERIMENT_DIR TRACE.. ATOM", help="The atom is last."),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="TIME", parser=_time, help="The time of the answer stream."),
    ] = None,
    static: StaticOption = None,
    engine: EngineOption = None,
    mode: ModeOption = None,
    period: PeriodOption = None,
    stream: StreamOption = None,
    unit: UnitOption = None,
    trace_unit: TraceUnitOption = None,
    origin: OriginOption = None,
    sort: SortOption = False,
    on_error: OnErrorOption = "stop",
    rejected: RejectedOption = None,
    profile: ProfileOption = None,
    bounds: BoundsOption = None,
    trigger: TriggerOption = None,
    model: Annotated[
        int | None,
        typer.Option("--model", metavar="K", parser=_model, help="Which of several answer streams."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print why an atom is in the answer stream at a time, or what it lacks to be there."""
    from agreement import agreeing, explaining, explanation_json, explanation_text, situations, solving
    from agreement.experiment_schema import FILE_NAME
    from agreement.inputs import Runner

    paths, atom = _told_apart(inputs or [])
    if at is None:
        raise LarsError(f"--at TIME is missing; {_ACCEPTED}")
    arguments.for_queries(
        paths[0], engine=engine, mode=mode, period=period, profile=profile, bounds=bounds, trigger=trigger
    )
    experiment = explaining.experiment_of(paths[0])
    if experiment is not None and experiment.is_dir() and not _exists(experiment / FILE_NAME):
        raise LarsError(f"{experiment}: a folder without {FILE_NAME}; {_ACCEPTED}")
    setting = arguments.setting(None if experiment else unit, profile, bounds)
    given = arguments.trace_input(
        paths[1:], static, stream, setting.unit, trace_unit, origin, sort, on_error, rejected
    )
    given = replace(given, runner=Runner(in_process=True))
    name = mode and mode.value
    wanted = solving.Wanted(
        paths[0], given, engine, name, period, setting, trigger or Trigger.ANY, (None, at)
    )
    if experiment is None:
        here = situations.situated(wanted, warn)
    else:
        chosen = None if period is None else str(period)
        overrides = agreeing.Overrides(chosen, unit, profile, bounds, trigger, {}, None, None)
        here = explaining.from_experiment(experiment, wanted, overrides, warn)
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
    if inputs[-1] and _exists(Path(inputs[-1])):
        raise LarsError(f"{inputs[-1]} is a file or folder: the atom is missing; {_ACCEPTED}")
    if not paths:
        raise LarsError(f"{inputs[-1]}: no such file, and no atom behind it; {_ACCEPTED}")
    for path in paths:
        if not _exists(path):
            raise LarsError(f"{path}: no such file or folder; {_ACCEPTED}")
    return paths, inputs[-1]


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
