"""`lars run`: an experiment with many queries, traces, engines and values of parameters."""

from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import (
    UNUSABLE,
    check_report,
    command,
    note,
    print_lines,
    print_parts,
    refuse,
    warn,
    working,
    write_report,
)
from agreement.inputs import options


@command
def run(
    *,
    experiment: Annotated[
        Path | None,
        typer.Argument(metavar="EXPERIMENT", help="A TOML file, or a folder with experiment.toml."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="The folder of the results. [default: results beside it]"),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="How many cells run at the same time.")] = 1,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run also what has been finished before.")] = False,
    master: Annotated[
        str | None, typer.Option("--master", help="Run the cells as tasks of Spark on this master.")
    ] = None,
    report: options.ReportOption = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print all tables and keys of such an experiment.")
    ] = False,
) -> None:
    """Run an experiment cell by cell, continuing where an earlier run stopped; write and print its tables.

    Example:
    lars run samples/crowd --out results
    """
    from agreement.experiments.schema import schema_text
    from agreement.library.basis.boundary import Told
    from agreement.library.made.runs import RunRequest, run_made

    if schema:
        print_lines([schema_text()])
        return
    check_report(report)
    said: list[str] = []  # after the tables
    with working("running cells") as progress:
        found = run_made(RunRequest(experiment, out, jobs, fresh, master), Told(said.append, note, progress))
    write_report(report, found)
    print_parts(found.parts())
    note(f"these tables and all results are in {found.folder}")
    for message in said:
        warn(message)
    # The others are done.
    for name, problem in found.refused.items():
        refuse(f"{len(found.refused)} of {len(found.cells)} cells cannot be run, as {name}: {problem}")
        raise typer.Exit(UNUSABLE)
