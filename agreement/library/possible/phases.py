"""`phase`: where on a trace push and pull agree, by pulling period, window length and rate."""

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Unpack

from rich.console import RenderableType

from agreement.agree import Overrides, periods_of
from agreement.inputs import InputOptions, InterpretationOptions, arguments, read_periods
from agreement.inputs.options import BadLineOptions
from agreement.library.basis.agree_request import comparison_of, title_of, written_options
from agreement.library.basis.boundary import Heard, Told, offered
from agreement.library.basis.findings import Findings, JsonObject
from agreement.library.basis.keywords import (
    ComparisonKeywords,
    assign_texts,
    bad_lines,
    input_options,
    interpretation,
    numbers_text,
    periods_text,
)
from agreement.library.basis.sources import Desk, TraceSource
from agreement.phase import PhaseDiagram, draw, own_length, phase_task, phased, report
from agreement.table_files import Column, OutTable
from lars.errors import LarsError

if TYPE_CHECKING:
    from agreement.report import Page


@dataclass(frozen=True, slots=True)
class PhaseRequest:
    """What is compared on what, and what varies: periods, lengths of one window, rates of the stream."""

    inputs: tuple[Path, ...]
    given: InputOptions
    reading: InterpretationOptions
    bad_lines: BadLineOptions
    assign: Sequence[str]
    period: str | None
    length: str
    window: str | None
    rate: str

    def command(self, name: str, *more: str) -> str:
        """Return the command of that name for the same inputs, without what varies."""
        again = written_options(self.given, self.bad_lines, self.reading)
        assigned = (f"--assign={one}" for one in self.assign)
        return shlex.join(("lars", name, *map(str, self.inputs), *again, *assigned, *more))


def phase_found(request: PhaseRequest, told: Told) -> "Phased":
    """Return the diagrams that a request asks for."""
    overrides = Overrides(
        request.period, request.given.unit, request.reading, arguments.assignments(request.assign)
    )
    asked = comparison_of(request.inputs, request.given.trace((), request.bad_lines), overrides, told)
    unit = asked.setting.unit
    lengths = sorted({one.points(unit) for one in read_periods(request.length)})
    rates = [one.written for one in read_periods(request.rate) if isinstance(one.written, int)]
    if not rates:
        raise LarsError(f"--rate {request.rate}: accepted: whole numbers from 1, as 1,2,4")
    in_process = replace(asked.trace, runner=replace(asked.trace.runner, in_process=True, said=told.note))
    task = phase_task(
        replace(asked, trace=in_process), request.window, tuple(lengths), tuple(rates), told.warn
    )
    found = tuple(phased(task, periods_of(asked), told.note, told.progress))
    window = () if request.window is None else ("--window", request.window)
    again = request.command("phase", *window), request.command("agree")
    named = title_of(request.inputs)
    origin = task.trace.origin
    return Phased((), (), found, str(unit), origin, task.stream.value, own_length(task), named, again)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Phased(Findings):
    """What `phase` returns: for each rate a diagram, whose rows say at each length how many periods agree."""

    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    diagrams: tuple[PhaseDiagram, ...]
    unit: str
    origin: str | None
    window: str
    own_length: int
    _title: str = field()
    _commands: tuple[str, str] = field()
    _main: ClassVar[str] = "shares"

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return report.as_json(self.diagrams, self.unit, self.window, self.origin)

    def to_json(self) -> JsonObject:
        """Return the document that `lars phase --json` prints."""
        found: JsonObject = json.loads(json.dumps(self.document()))
        return found

    def parts(self) -> Iterable[RenderableType]:
        """Yield a table for each rate."""
        return report.as_text(self.diagrams, self.unit, self.window)

    def page(self) -> "Page":
        """Return what the page of the diagrams says."""
        # Loads what only pages need.
        from agreement.report import PhaseContent, phase_page

        shown = self.diagrams, self.unit, self.window, self.own_length
        content = PhaseContent(self._title, self._commands, *shown)
        return phase_page(content, self.document(), self.warnings)

    def write_figure(self, path: str | Path) -> None:
        """Write the diagrams as a picture: .svg, .pdf or .png."""
        draw(Path(path), self.diagrams, self.unit, self.window)

    def tables(self) -> Sequence[OutTable]:
        """Return the table `shares`: runs of lengths at which as many periods agree."""
        return (OutTable("shares", _COLUMNS, self._rows()),)

    def _rows(self) -> Iterable[tuple[int, int, int, int, int, int]]:
        for one in self.diagrams:
            for row in one.rows:
                for first, last, agreeing in one.runs(row):
                    yield one.rate, row.period, first, last, agreeing, row.whole


_COLUMNS = (
    Column("rate", int, "how many times as fast the stream is"),
    Column("period", int, "the pulling period, in time points"),
    Column("from", int, "the first length of the window of the run"),
    Column("to", int, "the last length"),
    Column("agreeing", int, "how many periods agree at each of them"),
    Column("whole", int, "how many whole periods there are"),
)


@offered
def phase(
    *inputs: TraceSource,
    period: int | str | Sequence[int] | None = None,
    length: int | str | Sequence[int] = "1..60",
    window: str | None = None,
    rate: int | str | Sequence[int] = 1,
    assign: Mapping[str, Sequence[str]] | None = None,
    **options: Unpack[ComparisonKeywords],
) -> Phased:
    """Return how many periods agree, by pulling period and length of one window, on a trace.

    >>> found = phase("samples/coupons", period=[7, 8], length="1..60")
    >>> [list(found.diagrams[0].runs(row)) for row in found.diagrams[0].rows]
    [[(1, 2, 7), (3, 5, 6), (6, 60, 7)], [(1, 2, 6), (3, 60, 5)]]
    """
    desk, heard = Desk(), Heard()
    with desk.naming():
        request = PhaseRequest(
            tuple(map(desk.given, inputs)),
            input_options(desk, options),
            interpretation(options),
            bad_lines(options),
            assign_texts(assign),
            periods_text(period),
            periods_text(length) or "1..60",
            window,
            numbers_text(rate) or "1",
        )
        found = phase_found(request, heard.told(options.get("progress")))
    return replace(found, warnings=tuple(map(desk.plain, heard.warnings)), notes=tuple(heard.notes))
