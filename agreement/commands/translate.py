"""`lars translate`: the LARS program of a query, and the texts of any program."""

from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import command, note, print_lines, warn
from agreement.inputs import options, time_option
from agreement.inputs.options import ProgramFormat
from translate.query import Language
from translate.strict import StrictEngine


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
    from agreement.library.basis.boundary import Told
    from agreement.library.translations import TranslateRequest, translated_lines

    told = Told(warn, note)
    asked = (evaluation, reading, semantics, assign or (), strict, to, at, shape)
    print_lines(
        translated_lines(TranslateRequest(query, tuple(trace or ()), given, *asked).fitted(told), told)
    )
