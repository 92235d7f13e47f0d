"""`lars run`: an experiment with many queries, traces, engines and values of parameters."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import UNUSABLE, check_report, command, note, print_lines, refuse, warn, working
from agreement.inputs import options
from lars.errors import LarsError
from translate.query import SECOND


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
    from agreement.experiments.experiment import ACCEPTED, read_experiment
    from agreement.experiments.fitted_unit import in_fitting_units
    from agreement.experiments.grid import cells_of
    from agreement.experiments.schema import schema_text
    from agreement.report import run_page, write_page
    from agreement.run import execution, results

    if schema:
        print_lines([schema_text()])
        return
    if experiment is None:
        raise LarsError(f"nothing to run; accepted: {ACCEPTED}")
    if master is not None and jobs > 1:
        raise LarsError("accepted: one of --jobs and --master")
    check_report(report)
    written = read_experiment(experiment)
    read = in_fitting_units(written)
    if written.file.unit != read.unit != SECOND:
        note(f"one time point is {read.unit}, so that every duration is a multiple of it (`unit`)")
    cells = cells_of(read)
    folder = out or read.folder / "results"
    with working("running cells") as progress:
        found = execution.run(cells, folder, execution.RunOptions(jobs, master, fresh, progress))
    text = results.write(folder, read.file.title, cells, found, read.file.grid)
    if report is not None:
        varied = [name for name, values in read.file.grid.items() if len(values) > 1]
        write_page(report, run_page(read.file.title, cells, found, varied))
    print_lines([text.rstrip("\n")])
    note(f"these tables and all results are in {folder}")
    for message in dict.fromkeys(text for one in found.values() for text in one.get("warnings", ())):
        warn(message)
    _check_refused({str(cell): found[cell.key].get("refused") for cell in cells})


def _check_refused(cells: Mapping[str, str | None]) -> None:
    """Say which cells could not be run, the others being done."""
    refused = {name: problem for name, problem in cells.items() if problem is not None}
    for name, problem in refused.items():
        refuse(f"{len(refused)} of {len(cells)} cells cannot be run, as {name}: {problem}")
        raise typer.Exit(UNUSABLE)
