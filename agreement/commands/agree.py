"""`lars agree`: do the two engines agree."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from agreement.commands.app import DISAGREE, command, note, print_lines, print_parts, warn, working
from agreement.inputs import arguments, is_experiment, options, read_periods, time_option
from agreement.outputs import document_lines
from agreement.table_files import OutOptions
from lars.errors import LarsError
from translate.dialects import TITLES


@dataclass(frozen=True, slots=True)
class TimelineOptions:
    """When both engines are asked, and on which part of the trace."""

    period: Annotated[
        str | None,
        typer.Option(help="Pulling periods: 5, 5,10, 1..50, 1s..60s, 1m..2h..10m. [default: the STEP]"),
    ] = None
    first: Annotated[
        int | None, time_option("--from", "Where the timeline begins; no earlier input is seen.")
    ] = None
    last: Annotated[int | None, time_option("--to", "Where the timeline ends.")] = None


@dataclass(frozen=True, slots=True)
class NarrowingOptions:
    """Which of the rows that one side alone has are shown; the verdict is that of all."""

    only_period: Annotated[
        str | None,
        typer.Option(metavar="U", help="Show what these pulling periods find: 5 or 5,10 or 1..50."),
    ] = None
    cause: Annotated[str | None, typer.Option(help="Show the rows with this cause: blocked-later.")] = None
    side: Annotated[
        options.ExecutionMode | None, typer.Option(help="Show the rows that this side alone has.")
    ] = None


@command
def agree(
    *,
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="EXPERIMENT_DIR | QUERY [QUERY] TRACE..",
            help="A folder with experiment.toml; or queries in C-SPARQL and CQELS, one or both, and traces.",
        ),
    ] = None,
    times: TimelineOptions,
    given: options.InputOptions,
    bad_lines: options.BadLineOptions,
    reading: options.InterpretationOptions,
    assign: options.AssignOption = None,
    where: options.RunnerOptions,
    narrowing: NarrowingOptions,
    tables: OutOptions,
    as_json: options.JsonOption = False,
    full: Annotated[
        bool, typer.Option("--full", help="Show the model, both LARS programs and all answers too.")
    ] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the schema of experiment.toml.")] = False,
) -> None:
    """Decide per pulling period whether pull of C-SPARQL and push of CQELS agree; exit 1 if not.

    Example:
    lars agree samples/coupons --period 4..8
    """
    from agreement.agree import agreeing, report
    from agreement.agree.narrowing import narrowed
    from agreement.agree.report_json import as_json as report_as_json
    from agreement.agree.report_tables import tables as report_tables

    if schema:
        from agreement.experiments.schema import schema as experiment_schema

        print_lines([json.dumps(experiment_schema(), indent=2)])
        return
    tables.check()
    assigned, span = arguments.assignments(assign), (times.first, times.last)
    overrides = agreeing.Overrides(times.period, given.unit, reading, assigned, span)
    trace = given.trace(bad_lines=bad_lines)
    folder = inputs[0] if inputs and len(inputs) == 1 and is_experiment(inputs[0]) else None
    if folder is not None:
        from agreement.experiments.overridden import on_experiment

        asked = on_experiment(folder, trace, overrides, warn)
    else:
        asked = agreeing.on_files(tuple(inputs or ()), trace, overrides)
    if assigned and asked.cqels is not None:
        problem = "which says itself what is matched in which stream"
        raise LarsError(f"--assign: accepted without a query in {TITLES[asked.cqels.language]}, {problem}")
    named = () if narrowing.only_period is None else read_periods(narrowing.only_period)
    only = tuple(one.points(asked.setting.unit) for one in named) or None
    shown = narrowed(only, narrowing.cause, narrowing.side, agreeing.periods_of(asked))
    with working("comparing push and pull") as progress:
        trace = replace(asked.trace, runner=where.runner(note, progress))
        found = agreeing.run(replace(asked, trace=trace), warn)
    for message in found.warnings:
        warn(message)
    if not as_json:  # the document says it too
        note("certified: {} of {} time points by clingo, equal".format(*found.certified))
    in_full = None
    if full:
        from agreement.agree.full_report import FullReport

        in_full = FullReport(found, asked.setting, asked.trigger)
    tables.write(report_tables(found, shown))
    if as_json:
        content = report_as_json(found, asked.setting, shown) | (in_full.as_json() if in_full else {})
        print_lines(document_lines(content))
    else:
        # The unit fits both queries together; one of them alone may fit a longer one.
        fitted = given if folder is not None else replace(given, unit=str(asked.setting.unit))
        again = tuple(_written(fitted, bad_lines, reading))
        files = (
            agreeing.inputs_by_kind(inputs or (), asked.setting.unit)
            if folder is None
            else dict.fromkeys((True, False), (folder,))
        )
        asking = report.Asking(files, again, asked.csparql is not None, asked.cqels is not None)
        print_parts(
            (*(in_full.as_text() if in_full else ()), *report.as_text(found, asked.setting, shown, asking))
        )
    if any(verdict.agree is False for verdict in found.variants[0].verdicts):
        raise typer.Exit(DISAGREE)


def _written(*groups: Any) -> Iterator[str]:
    """Yield the options of groups that say something other than their default, with their values."""
    for group in groups:
        for field in fields(group):
            value, name = getattr(group, field.name), f"--{field.name.replace('_', '-')}"
            if value is True:
                yield name
            elif value != field.default:
                for one in value if isinstance(value, list) else [value]:
                    yield from (name, str(getattr(one, "value", one)))
