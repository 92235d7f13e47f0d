"""The legend of an export: what names, numbers and times of the reasoner's output stand for."""

import json
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from agreement.documents.placed import check_data
from agreement.documents.placed.json_text import json_of
from lars.files import read_file
from lars.language.terms import Signature, Variable
from translate.model.query import ToStream
from translate.tau import Output

LEGEND_FILE: Final = "legend.json"
_ACCEPTED: Final = f"the file {LEGEND_FILE} that `lars export` wrote"


class LegendPart(BaseModel):
    """An object of the legend."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class LegendName(LegendPart):
    """The predicate that a name of the output stands for; `timed`: a time is its last argument."""

    predicate: str
    arity: int
    timed: bool = False

    @property
    def signature(self) -> Signature:
        """Name and arity of the predicate."""
        return self.predicate, self.arity


class LegendOrder(LegendPart):
    """A column that ORDER BY sorts by."""

    column: int
    descending: bool


class LegendColumns(LegendPart):
    """How the rows of a query's answers are read, as `translate.tau.Output` says, and what is reported."""

    variables: list[str]
    width: int
    order: list[LegendOrder]
    bag: bool
    report: Literal["RSTREAM", "ISTREAM", "DSTREAM"]

    @property
    def output(self) -> Output:
        """The columns as the translation has them."""
        order = tuple((key.column, key.descending) for key in self.order)
        return Output(tuple(map(Variable, self.variables)), self.width, order, self.bag)


def columns_of(output: Output, report: ToStream) -> LegendColumns:
    """Return how a query's answers are read."""
    return LegendColumns(
        variables=[variable.name for variable in output.variables],
        width=output.width,
        order=[LegendOrder(column=column, descending=descending) for column, descending in output.order],
        bag=output.bag,
        report=report.value,
    )


class Legend(LegendPart):
    """What `lars export --read` has to know.

    `times` are the evaluation times, of which those from `first` on are shown. Of a query the rows
    have `columns`. `background` are atoms that hold anyway. Where one of `violations` is shown there is no
    answer set; `overflows` are shown where arithmetic left the reasoner's numbers. `origin` is the dateTime
    of time 0, null where times are numbers alone.
    """

    to: Literal["ticker", "asp"]
    times: list[int]
    first: int
    names: dict[str, LegendName]
    terms: dict[str, str] = {}
    background: list[str] = []
    columns: LegendColumns | None = None
    violations: list[str] = []
    overflows: list[str] = []
    origin: str | None = None

    def text(self) -> str:
        """Return the legend as JSON, a key a line."""
        keys = (
            f"{json.dumps(key)}: {json.dumps(value)}" for key, value in self.model_dump(mode="json").items()
        )
        return "{\n" + ",\n".join(keys) + "\n}\n"


def read_legend(path: Path) -> Legend:
    """Return the legend of a file; raises LarsError with the place of what is wrong."""
    return check_data(Legend, json_of(read_file(path, _ACCEPTED), _ACCEPTED))
