"""The function `run`: run all cells of an experiment.

An experiment is a grid of queries, traces, engines and parameters. Each combination is a cell.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.console import RenderableType

from agreement.documents.options import IdleOptions, has, has_not
from agreement.documents.outputs import Json, quantity
from agreement.documents.requests import cells_at_once_option, experiment_argument, fail_on_empty_option
from agreement.documents.table_files import OutTable
from agreement.experiments import Cell, execution
from agreement.experiments.experiment import ACCEPTED, in_fitting_units, read_experiment
from agreement.experiments.grid import cells_of
from agreement.experiments.results import CellResults
from agreement.results.base.library import Findings, Listeners, offered_functions
from lars.dataclass import dataclass
from lars.durations import SECOND
from lars.errors import LarsError
from lars.options import option
from solver.memory import FAILED

if TYPE_CHECKING:
    from agreement.results.renderings.pages.page import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """The arguments of `lars run`.

    A cell is one combination of query, trace, engine and parameters.
    Prints a table with one row for each cell.

    Example:
    lars run samples/crowd --out results
    """

    IDLE: ClassVar = (
        IdleOptions(
            has("--check"),
            ("--out", "--fresh", "--master", "--fail-on-empty", "--report"),
            excludes="--check, which writes nothing",
        ),
        IdleOptions(has_not("--check"), ("--json",), requires="--check"),
    )

    experiment: Path | None = experiment_argument()
    out: Path | None = option(
        None,
        "Folder for the results. [default: the folder results next to the experiment file]",
        metavar="DIR",
    )
    jobs: int = cells_at_once_option()
    fresh: bool = option(False, "Run all cells (combinations of values) again, also finished cells.")
    check: bool = option(
        False,
        "Run a packed experiment (lars pack) again, and compare the results with the packed results. "
        "lars writes no file.",
    )
    master: str | None = option(
        None, "Run the cells of the experiment as tasks on the Spark master with this URL.", metavar="URL"
    )
    fail_on_empty: bool = fail_on_empty_option()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RunResult(Findings):
    """The result of `run`: a table with a row for each cell; the folder `folder` contains all results."""

    folder: Path
    _results: CellResults
    _fails_on_empty: bool

    @property
    def title(self) -> str:
        """The title of the experiment."""
        return self._results.title

    @property
    def cells(self) -> tuple[str, ...]:
        """The names of the cells."""
        return tuple(map(str, self._results.cells))

    @property
    def refused(self) -> Mapping[str, str]:
        """The cells that could not be run, each with the reason."""
        return dict(self._refused)

    @property
    def _refused(self) -> Sequence[tuple[str, str]]:
        """The names of the cells that could not be run, each with the reason.

        The value is a list and not a mapping, because two cells may have the same name.
        """
        own = self._results
        reasons = ((str(cell), own.results[cell.key].get("refused")) for cell in own.cells)
        return [(name, problem) for name, problem in reasons if problem is not None]

    @property
    def headline(self) -> str:
        """One line with the numbers of cells and verdicts."""
        return self._results.sentence

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code: 2 if a cell cannot be run, 3 with --fail-on-empty if no row exists, otherwise 0."""
        for name, problem in self._refused:
            count = f"{len(self._refused)} of {quantity(len(self.cells), 'cell')} cannot be run"
            such = ", such as " if len(self._refused) > 1 else ": "
            return 2, f"{count}{such}{name}: {problem}"
        without = [row for row in self._results.agreements if row["agree"] is None]
        empty = [row for row in self._results.agreements if row["empty"]] or without
        if self._fails_on_empty and empty:
            of = f"{len(empty)} of {quantity(len(self._results.agreements), 'comparison')}"
            why = f"in {of}, such as U = {empty[0].get('period')}"
            if empty[0]["agree"] is None:
                return FAILED, f"--fail-on-empty: no whole period is compared {why}"
            return FAILED, f"--fail-on-empty: neither side reports a row {why}"
        return 0, None

    def document(self) -> Mapping[str, object]:
        """Return the JSON document: one row for each judged cell and for each comparison of push and pull."""
        return {
            "title": self.title,
            "verdicts": self._results.verdicts,
            "agreements": self._results.agreements,
        }

    def parts(self) -> Iterable[RenderableType]:
        """Yield the parts of the summary of the experiment."""
        first, *others = self._results.summary()
        return (first, *(part for other in others for part in ("", other)))

    def page(self) -> "Page":
        """Return the content of the HTML report: an index of the cells, and each cell's results over time."""
        # Loads what only pages need.
        from agreement.results.renderings.run_report import run_page

        return run_page(self._results, self.document())

    def tables(self) -> Sequence[OutTable]:
        """Return the tables `verdicts` of judged cells and `agreements` of comparisons, if any."""
        return self._results.tables()


def _warnings(cells: Sequence[Cell], cell_results: Mapping[str, Json]) -> Iterator[str]:
    """Yield the warnings of all cells of an experiment; a warning of several cells is yielded once.

    If only some cells have a warning, the warning names these cells.
    """
    warned: dict[str, list[str]] = {}
    for cell in cells:
        for message in dict.fromkeys(cell_results[cell.key].get("warnings", ())):
            warned.setdefault(message, []).append(str(cell))
    for message, names in warned.items():
        first, others = names[0], len(names) - 1
        more = f" and {quantity(others, 'other')}" if others else ""
        yield message if len(names) == len(cells) else f"{first}{more}: {message}"


@offered_functions(RunRequest, without=("check",))
def run(request: RunRequest, listeners: Listeners) -> RunResult:
    """Run an experiment cell by cell, resume an interrupted run, and return its tables.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     result = run("samples/coupons", out=folder)
    >>> [(row["period"], row["agree"]) for row in result.to_json()["agreements"]]
    [(5, True)]
    """
    if request.experiment is None:
        raise LarsError(f"nothing to run; expected {ACCEPTED}")
    if request.master is not None and request.jobs > 1:
        raise LarsError("cannot combine --jobs and --master; use one of them")
    written = read_experiment(request.experiment)
    read = in_fitting_units(written)
    if written.file.input_options.trace.unit != read.unit != SECOND:
        listeners.note(f"one time point is {read.unit}, so that every duration is a multiple of it (`unit`)")
    cells = cells_of(read)
    folder = request.out or read.folder / "results"
    where = request.jobs if request.master is None else request.master
    cell_results = execution.run(cells, folder, where, listeners.progress, fresh=request.fresh)
    for message in _warnings(cells, cell_results):
        listeners.warn(message)
    results = CellResults(read.file.title, read.file.grid, cells, cell_results)
    results.write(folder)
    listeners.note(f"the folder {folder} contains these tables and all results")
    return RunResult(folder, results, request.fail_on_empty)
