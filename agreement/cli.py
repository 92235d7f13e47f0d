"""The command `lars`: translate, solve, agree. Results on standard output, everything else on error."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.progress import Progress as ProgressBar

from agreement import arguments
from agreement.options import (
    AssignOption,
    BoundsOption,
    EndOption,
    EngineOption,
    Format,
    FromOption,
    InProcessOption,
    JsonOption,
    MasterOption,
    ModeOption,
    OnErrorOption,
    OriginOption,
    PeriodOption,
    PeriodsOption,
    ProfileOption,
    RejectedOption,
    SortOption,
    StartOption,
    StaticOption,
    StreamOption,
    ToOption,
    TraceUnitOption,
    TriggerOption,
    UnitOption,
)
from lars.errors import LarsError
from solver.progress import Progress, unwatched
from translate.triggers import Trigger

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Continuous RDF queries as LARS programs: what they mean, what they answer, do engines agree.",
)
_DISAGREE = 1
_UNREAD = 1
_UNUSABLE = 2
_STOPPED = 130
_WIDTH = 120


def warn(message: str) -> None:
    """Print a warning on standard error."""
    print(f"warning: {message}", file=sys.stderr)  # noqa: T201


def _console() -> Console:
    """Return the console of standard output; a file or pipe gets lines wide enough for tables."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDTH)


@contextmanager
def working(what: str) -> Iterator[Progress]:
    """Show on a terminal how far a long job is; elsewhere show nothing."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield unwatched
        return
    with ProgressBar(*ProgressBar.get_default_columns(), console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _refuse(problem: str) -> int:
    print(f"lars: {problem}", file=sys.stderr)  # noqa: T201
    return _UNUSABLE


def _reported(command: Callable[..., None]) -> Callable[..., None]:
    """Turn what is wrong with the input into one message and exit code 2."""

    @wraps(command)
    def run(*given: Any, **options: Any) -> None:
        try:
            command(*given, **options)
        except LarsError as error:
            raise typer.Exit(_refuse(str(error))) from None

    return run


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")


def _print_parts(parts: Iterable[RenderableType]) -> None:
    console = _console()
    for part in parts:
        # A rule is one line, however long: only tables are fitted to the width.
        if isinstance(part, str):
            _print_lines([part])
        else:
            console.print(part, markup=False)
            console.file.flush()


@app.command()
@_reported
def translate(
    query: Annotated[Path, typer.Argument(help="A file with a C-SPARQL or CQELS query.")],
    engine: EngineOption = None,
    mode: ModeOption = None,
    period: PeriodOption = None,
    unit: UnitOption = None,
    profile: ProfileOption = None,
    bounds: BoundsOption = None,
    trigger: TriggerOption = None,
    assign: AssignOption = None,
    shape: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.LARS,
) -> None:
    """Print the LARS program of a query, or of the other engine's query that says the same."""
    from agreement import translating

    wanted = translating.Wanted(
        query,
        engine,
        mode and mode.value,
        period,
        arguments.setting(unit, profile, bounds),
        trigger or Trigger.ANY,
        arguments.assignments(assign or ()),
    )
    _print_lines(translating.lines(wanted, shape.value, warn))


@app.command()
@_reported
def solve(
    program: Annotated[Path, typer.Argument(metavar="QUERY|PROGRAM.lars")],
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
    on_error: OnErrorOption = "stop",
    rejected: RejectedOption = None,
    profile: ProfileOption = None,
    bounds: BoundsOption = None,
    trigger: TriggerOption = None,
    first: FromOption = None,
    last: ToOption = None,
    master: MasterOption = "local[*]",
    in_process: InProcessOption = False,
    as_json: JsonOption = False,
) -> None:
    """Print the answers of a query or program per time point."""
    from agreement import solving
    from agreement.inputs import Runner

    setting = arguments.setting(unit, profile, bounds)
    given = arguments.trace_input(
        trace or (), static, stream, setting.unit, trace_unit, origin, sort, on_error, rejected
    )
    wanted = solving.Wanted(
        program,
        given,
        engine,
        mode and mode.value,
        period,
        setting,
        trigger or Trigger.ANY,
        (first, last),
    )
    with working("solving") as progress:
        runner = Runner(master, in_process, progress=progress)
        found = solving.answers(replace(wanted, trace=replace(given, runner=runner)), warn)
    _print_lines(solving.json_lines(found) if as_json else solving.text_lines(found))


@app.command()
@_reported
def agree(
    inputs: Annotated[
        list[Path] | None, typer.Argument(metavar="EXPERIMENT_DIR | QUERY [QUERY] TRACE..")
    ] = None,
    period: PeriodsOption = None,
    static: StaticOption = None,
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
    assign: AssignOption = None,
    first: StartOption = None,
    last: EndOption = None,
    master: MasterOption = "local[*]",
    in_process: InProcessOption = False,
    as_json: JsonOption = False,
    full: Annotated[
        bool, typer.Option("--full", help="Show the model, both LARS programs and all answers too.")
    ] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the schema of experiment.toml.")] = False,
) -> None:
    """Decide per pulling period whether pull of C-SPARQL and push of CQELS agree; exit 1 if not."""
    from agreement import agreeing, report
    from agreement.full import Shown
    from agreement.inputs import Runner

    if schema:
        from agreement.experiment import schema as experiment_schema

        _print_lines([json.dumps(experiment_schema(), indent=2)])
        return
    given = arguments.trace_input((), static, stream, None, trace_unit, origin, sort, on_error, rejected)
    overrides = agreeing.Overrides(
        period, unit, profile, bounds, trigger, arguments.assignments(assign or ()), first, last
    )
    experiment = agreeing.experiment(tuple(inputs or ()), given, overrides)
    with working("comparing push and pull") as progress:
        runner = Runner(master, in_process, progress=progress)
        found = agreeing.run(replace(experiment, trace=replace(experiment.trace, runner=runner)), warn)
        shown = Shown(found, experiment.setting, experiment.trigger)
        # The causes are found while the report is made: it belongs to the work that takes time.
        if as_json:
            content = report.as_json(found, experiment.setting) | (shown.as_json() if full else {})
            parts: list[RenderableType] = [json.dumps(content, ensure_ascii=False)]
        else:
            parts = [*(shown.as_text() if full else ()), report.as_text(found, experiment.setting)]
    for message in found.warnings:
        warn(message)
    _print_parts(parts)
    if any(verdict.agree is False for verdict in found.variants[0].verdicts):
        raise typer.Exit(_DISAGREE)


def main() -> None:
    """Run the command; an unusable input or option is one message and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = app(standalone_mode=False, prog_name="lars")
        sys.stdout.flush()
    except LarsError as error:
        code = _refuse(str(error))
    except typer.TyperException as error:
        # Without a command there is no message: the help has been printed instead.
        problem = arguments.usage_problem(error.format_message())
        code = _refuse(problem) if problem else _UNUSABLE
    except BrokenPipeError:
        # Who reads the output has gone, as `head` does: nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = _UNREAD
    except typer.Abort:
        code = _STOPPED
    sys.exit(code)
