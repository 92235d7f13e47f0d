"""`lars check`: whether a given stream is an answer stream, and if not, why."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from agreement import arguments
from agreement.app import DISAGREE, app, print_lines, reported, warn
from agreement.experiment_values import LARGEST, cut
from agreement.options import (
    BoundsOption,
    EngineOption,
    JsonOption,
    ModeOption,
    OriginOption,
    PeriodOption,
    ProfileOption,
    SortOption,
    StaticOption,
    StreamOption,
    TraceUnitOption,
    TriggerOption,
    UnitOption,
)
from lars.errors import LarsError
from lars.files import read_input, read_text
from translate.triggers import Trigger

_STANDARD_INPUT = Path("-")


def _time_point(text: str) -> int:
    try:
        return arguments.time_point(text)
    except LarsError:
        raise LarsError(f"--at {cut(text)}: no time point; accepted: 0..{LARGEST}") from None


@app.command()
@reported
def check(
    program: Annotated[Path, typer.Argument(metavar="QUERY|PROGRAM.lars")],
    answer: Annotated[
        Path, typer.Option("--answer", metavar="FILE", help="The stream; - is standard input.")
    ],
    at: Annotated[
        int,
        typer.Option("--at", metavar="TIME", parser=_time_point, help="The reference time."),
    ],
    trace: Annotated[
        list[Path] | None, typer.Argument(metavar="TRACE..", help="Trace files or folders.")
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
    profile: ProfileOption = None,
    bounds: BoundsOption = None,
    trigger: TriggerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell whether a stream is an answer stream at a time, and if not, which rule or atom says no."""
    from agreement import candidates, checking
    from agreement.inputs import Runner
    from agreement.situations import situated
    from agreement.solving import Wanted

    arguments.for_queries(
        program, engine=engine, mode=mode, period=period, profile=profile, bounds=bounds, trigger=trigger
    )
    setting = arguments.setting(unit, profile, bounds)
    given = arguments.trace_input(
        trace or (), static, stream, setting.unit, trace_unit, origin, sort, "stop", None
    )
    local = replace(given, runner=Runner(in_process=True))
    shown_mode = mode and mode.value
    wanted = Wanted(program, local, engine, shown_mode, period, setting, trigger or Trigger.ANY, (None, at))
    accepted = candidates.ACCEPTED
    text = read_input(accepted) if answer == _STANDARD_INPUT else read_text(answer, accepted)
    streams = candidates.read_candidates(text, str(answer), at)
    met = situated(wanted, warn)
    found = [checking.check(met, one, at) for one in streams]
    document = checking.json_document(found, at)
    print_lines([json.dumps(document, ensure_ascii=False)] if as_json else checking.text_lines(found, at))
    if not document["correct"]:
        raise typer.Exit(DISAGREE)
