"""The function `phase`: agreement of push and pull on a trace for many pull periods, lengths and rates."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from rich.console import RenderableType

from agreement.comparing.agree import NO_ROW, no_whole_period, periods_of
from agreement.documents.options import shell_words
from agreement.documents.outputs import NO_ROWS
from agreement.documents.requests import ComparisonOptions, compared_inputs, fail_on_empty_option, readers
from agreement.documents.table_files import Column, OutTable
from agreement.documents.values import Period, points_of
from agreement.proving.phase import PhaseDiagram, diagrams, phase_task
from agreement.results.base.library import Findings, Listeners, comparison_on, offered_functions, title_of
from agreement.results.renderings import phase_report
from agreement.results.renderings.pages.figure import check_figure, write_figure
from agreement.results.renderings.phase_report import check, figure_of
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.options import option
from solver.memory import FAILED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from agreement.results.renderings.pages.page import Page


_USUAL_LENGTHS: Final = range(1, 61)


_VARIED: Final = "Parameters"
"""The heading in the help text of the options for the varied parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseRequest:
    """The arguments of `lars phase`.

    Prints a table with one row for each pull period U.
    A row contains, for each window length L, the number of whole periods on which push and pull agree.

    Example:
    lars phase samples/coupons --period 1..50 --length 1..60 --picture coupons.svg
    """

    HEADING: ClassVar = "Comparison"
    WITHOUT: ClassVar = ("on",)

    inputs: tuple[Path, ...] = compared_inputs()
    length: tuple[Period, ...] = option(
        (),
        "Window lengths L to compare: a range (1..60), or a range with a step (5s..60s..5s).",
        readers.lengths,
        default_text="1..60",
        heading=_VARIED,
    )
    window: str | None = option(
        None,
        "IRI of the stream whose window length varies (--length). [default: the stream with the "
        "longest window]",
        metavar="IRI",
        heading=_VARIED,
    )
    rate: tuple[int, ...] = option(
        (1,),
        "Factors by which the stream becomes faster, such as 1,2,4. lars prints one table for each factor.",
        readers.speedups,
        default_text="1",
        heading=_VARIED,
    )
    options: ComparisonOptions
    fail_on_empty: bool = fail_on_empty_option()

    def command(self, name: str, *more: str) -> str:
        """Return the command line of the command `name` for the same inputs, without the varied options."""
        options = self.options
        again = chain(*map(shell_words, (options.input_options, options.reading)))
        assigned = (
            f"--assign={iri}={one}" for iri, several in (options.assign or {}).items() for one in several
        )
        return shlex.join(("lars", name, *map(str, self.inputs), *again, *assigned, *more))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PhaseResult(Findings):
    """The result of `phase`: for each rate, a diagram with the number of agreeing periods.

    A diagram contains the number of agreeing periods for each pull period and window length. The rate is the
    factor by which the stream becomes faster.
    """

    diagrams: tuple[PhaseDiagram, ...]
    origin: str | None = field()  # not the property of the base
    _title: str
    _commands: tuple[str, ...]
    _fails_on_empty: bool

    @property
    def unit(self) -> str:
        """The length of one time point."""
        return str(self.diagrams[0].unit)

    @property
    def window(self) -> str:
        """The IRI of the stream whose window varies."""
        return self.diagrams[0].stream.value

    @property
    def own_length(self) -> int:
        """The length of the varied window in the given query, in time points."""
        return self.diagrams[0].own_length

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code: 3 with --fail-on-empty if neither side has a row, otherwise 0."""
        if self._fails_on_empty and all(row.is_empty for diagram in self.diagrams for row in diagram.rows):
            return FAILED, f"--fail-on-empty{NO_ROWS} in any whole period"
        return 0, None

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return phase_report.as_json(self.diagrams, self.origin)

    def parts(self) -> Iterable[RenderableType]:
        """Yield a summary, then a title and a table for each rate (speed) of the stream."""
        return phase_report.as_text(self.diagrams)

    def page(self) -> "Page":
        """Return the content of the HTML report."""
        about = self._title, self.diagrams, self._commands
        return phase_report.phase_page(*about, self.document(), self.warnings)

    def notebook_html(self) -> str:
        """Return the HTML for a notebook: each diagram as a heat map."""
        return phase_report.notebook_phases(self.diagrams)

    def plot(
        self, *, font_size: float | None = None, width: float | None = None, height: float | None = None
    ) -> "Figure":
        """Return a matplotlib figure with all diagrams.

        Args:
            font_size: The size of all texts in points. By default, texts have the sizes of matplotlib's
                rcParams.
            width: The width of the figure in inches. By default, each diagram is 6.4 inches wide.
            height: The height of the figure in inches. By default, the height fits the width and the font
                size.
        """
        return figure_of(self.diagrams, (font_size, width, height))

    def write_figure(
        self,
        path: str | Path,
        *,
        font_size: float | None = None,
        width: float | None = None,
        height: float | None = None,
    ) -> None:
        """Write the figure of `plot` as .svg, .pdf or .png, with the arguments of `plot`."""
        check(Path(path))
        check_figure(Path(path))
        write_figure(Path(path), self.plot(font_size=font_size, width=width, height=height))

    def tables(self) -> Sequence[OutTable]:
        """Return the table `shares`: the number of agreeing periods for each range of window lengths."""
        return (OutTable("shares", _COLUMNS, self._rows()),)

    def _rows(self) -> Iterable[tuple[int, int, int, int, int, int, int]]:
        for diagram in self.diagrams:
            for row in diagram.rows:
                for run in diagram.counts(row):
                    yield diagram.rate, row.period, *run, row.whole


_COLUMNS = (
    Column("rate", int, "factor that makes the stream faster"),
    Column("period", int, "pull period U, in time points"),
    Column("from", int, "first of consecutive window lengths with the same result"),
    Column("to", int, "last of these window lengths"),
    Column("agreeing", int, "number of periods that agree, for each of these window lengths"),
    Column("empty", int, "number of periods in which neither side has a row"),
    Column("whole", int, "number of whole periods"),
)


@offered_functions(PhaseRequest)
def phase(request: PhaseRequest, listeners: Listeners) -> PhaseResult:
    """Return the number of agreeing periods on a trace, by pull period and one window's length.

    >>> result = phase("samples/coupons", period=[7, 8], length="1..60")
    >>> [list(result.diagrams[0].runs(row)) for row in result.diagrams[0].rows]
    [[(1, 2, 7), (3, 5, 6), (6, 60, 7)], [(1, 2, 6), (3, 60, 5)]]
    """
    agreement_task = comparison_on(request.inputs, request.options, listeners.warn)
    unit = agreement_task.setting.unit
    usual = tuple(Duration(n * unit.nanoseconds) for n in _USUAL_LENGTHS)
    lengths = tuple(sorted({points_of(period, unit) for period in request.length or usual}))
    in_process = replace(
        agreement_task.trace,
        runner=replace(agreement_task.trace.runner, in_process=True, notice=listeners.note),
        options=replace(agreement_task.trace.options, lengths=(min(lengths), max(lengths))),
    )
    task = phase_task(
        replace(agreement_task, trace=in_process), request.window, lengths, request.rate, listeners.warn
    )
    phase_diagrams = tuple(diagrams(task, periods_of(agreement_task), listeners.note, listeners.progress))
    rows = [row for diagram in phase_diagrams for row in diagram.rows]
    if short := sorted({row.period for row in rows if not row.whole}):
        listeners.warn(no_whole_period(short, task.trace.timeline))
    if any(row.whole for row in rows) and all(row.is_empty for row in rows):
        listeners.warn(f"{NO_ROW} lars agree names the parts of the query without a match")
    window = () if request.window is None else ("--window", request.window)
    again = request.command("phase", *window), request.command("agree")
    files = listeners.source_files
    # No shell has the values of a Python program as files.
    commands = () if files is not None and any(files.plain(line) != line for line in again) else again
    title = title_of(request.inputs)
    origin = task.trace.origin
    return PhaseResult(
        diagrams=phase_diagrams,
        origin=origin,
        _title=title,
        _commands=commands,
        _fails_on_empty=request.fail_on_empty,
    )
