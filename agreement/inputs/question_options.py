"""The inputs and options of what is asked without a trace: queries, periods, static data, the unit."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from agreement.inputs.options import InputOptions
from solver.settings import TraceInput

QueriesArgument = Annotated[
    list[Path] | None,
    Argument(
        metavar="EXPERIMENT_DIR | QUERY [QUERY]",
        help="A folder with experiment.toml; or queries: C-SPARQL, CQELS or both; or two of a kind.",
    ),
]


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """What is asked of the queries."""

    period: Annotated[
        str | None,
        Option(help="Pulling periods: 5, 5,10, 1..50, 1s..60s. [default: the STEP, or 1..10]"),
    ] = None
    static: Annotated[
        list[Path] | None, Option(help="An RDF file with the static data. [default: any data]")
    ] = None
    unit: Annotated[
        str | None,
        Option(
            metavar="LENGTH", help="One time point: 1min, 500ms. [default: the longest that fits, at most 1s]"
        ),
    ] = None

    def trace(self) -> TraceInput:
        """Return a trace without streams: its static data and unit."""
        return InputOptions(static=self.static, unit=self.unit).trace()
