"""`lars translate`: the LARS program of a query, and the texts of any program."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import command, note, print_lines, warn
from agreement.inputs import arguments, options, time_option
from lars.errors import LarsError
from translate.query import Language
from translate.strict import StrictEngine
from translate.tau import Trigger


class ProgramFormat(StrEnum):
    """What `translate` prints."""

    LARS = "lars"
    ASCII = "ascii"
    ASP = "asp"
    MODEL = "model"
    JSON = "json"
    SQL = "sql"
    TICKER = "ticker"


@command
def translate(
    *,
    query: Annotated[
        Path,
        options.PROGRAM,
    ],
    trace: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="TRACE..", help="The input, for --format asp or sql: the file then runs by itself."
        ),
    ] = None,
    evaluation: options.EvaluationOptions,
    reading: options.InterpretationOptions,
    semantics: options.SemanticsOption = None,
    to: Annotated[Language | None, typer.Option(help="Print the query in this language, no program.")] = None,
    strict: Annotated[
        StrictEngine | None, typer.Option(help="Accept only what this engine's own parser accepts.")
    ] = None,
    assign: options.AssignOption = None,
    given: options.InputOptions,
    at: Annotated[int | None, time_option("--at", "The reference time.")] = None,
    shape: Annotated[ProgramFormat, typer.Option("--format", help="What to print.")] = ProgramFormat.LARS,
) -> None:
    """Print the LARS program of a query, or of the other engine's query that says the same.

    A program written by hand is printed in any format but model; sql is a script for SQLite and
    DuckDB, ticker the language of the stream reasoner Ticker.

    Example:
    lars translate samples/coupons/query.cqels.rq --mode push --unit 1min
    """
    from agreement.solve import translating

    arguments.check_for_queries(
        query, options.given(evaluation, reading, semantics=semantics, to=to, strict=strict, assign=assign)
    )
    given = given.fitted([query], note, evaluation.period)
    wanted = translating.TranslatingTask(
        path=query,
        evaluation=evaluation,
        setting=reading.setting(given.time_point, semantics, given.origin),
        trigger=reading.trigger or Trigger.ANY,
        assigned=arguments.assignments(assign),
        static=tuple(given.static or ()),
        solved=bool(trace or given.stream),
    )
    if strict is not None:
        translating.check_strict_file(query, strict)
    if to is not None:
        print_lines(translating.rewritten(wanted, to, warn))
        return
    if shape is ProgramFormat.SQL:
        from agreement.solve.sql_file import sql_lines

        print_lines(list(sql_lines(wanted, given.trace(trace) if wanted.solved else None, at, warn)))
        return
    if not wanted.solved:
        print_lines(translating.lines(wanted, shape, warn))
        return
    met = given.trace(trace)
    if shape is not ProgramFormat.ASP:
        raise LarsError(f"--format {shape}: a trace is accepted with --format asp and sql")
    from agreement.solve.asp_file import standing_alone_lines

    print_lines(list(standing_alone_lines(wanted, met, at, warn)))
