"""What every result of the library offers: JSON as the command prints it, tables, text, HTML."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from rich.console import RenderableType

from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.outputs import json_text, table_text
from agreement.documents.table_files import Column, OutTable, TableValue, TermForm, as_frame
from lars.errors import LarsError, printable

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped]
    import polars as pl  # type: ignore[import-not-found]
    import pyarrow as pa

    from agreement.results.renderings.pages.page import Page

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
JsonObject = dict[str, JsonValue]
TermsAs = Literal["n-triples", "values", "short"]
TimesAs = Literal["given", "points"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Result(ABC):
    """What a command gives: what it prints for a reader, and how it ends; what was said on the way."""

    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    streamed: ClassVar[bool] = False
    """Whether what is printed is made while somebody reads it."""

    @abstractmethod
    def parts(self) -> Iterable[RenderableType]:
        """Yield what the command prints for a reader."""

    @property
    def remarks(self) -> Iterable[str]:
        """What is said beside it to a reader; a document has it in itself."""
        return ()

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code of the command, and what is said of it where it is no verdict."""
        return 0, None

    def evaluate(self) -> Self:
        """Return the result, all of it evaluated."""
        return self


class Findings(Result):
    """A result: values that do not change, and the same as JSON, as tables and for readers."""

    __slots__ = ()
    _main: ClassVar[str] = ""
    """The table that is meant where none is named."""
    verdict: ClassVar[str | None] = None
    """The name of what is true or false of the result; None where nothing is."""

    @property
    def ending(self) -> tuple[int, str | None]:
        """Of a verdict 0 where it is true, 1 where it is false, 3 where it is open."""
        verdict = True if self.verdict is None else getattr(self, self.verdict)
        return {True: 0, False: 1, None: 3}[verdict], None

    @abstractmethod
    def document(self) -> Mapping[str, object]:
        """Return the JSON document, of which what can be long is made as it is written."""

    def to_json(self) -> JsonObject:
        """Return the document that the command prints with --json."""
        document: JsonObject = {key: plain(value) for key, value in self.document().items()}
        return document

    def json_lines(self) -> Iterable[str]:
        """Yield the lines of the document as the command prints it."""
        yield json_text(self.document())

    @abstractmethod
    def tables(self) -> Sequence[OutTable]:
        """Return the tables that the command writes with --out."""

    @property
    def dates(self) -> Dates:
        """What dateTimes the time points are, where they are any."""
        return NO_DATES

    @property
    def origin(self) -> str | None:
        """The dateTime of time 0; None where times are numbers alone."""
        return self.dates.zero

    def to_pandas(
        self, table: str | None = None, *, terms: TermsAs = "n-triples", times: TimesAs = "given"
    ) -> "pd.DataFrame":
        """Return a table, the main one where none is named, as a data frame of pandas.

        `terms` are as in N-Triples; or `values`: numbers, booleans, dateTimes where a column has one
        type, else lexical forms and IRIs; or `short`, for readers. `times` are dateTimes where the trace
        had them; or `points`.
        """
        dated = NO_DATES if times == "points" else self.dates
        return as_frame(self._table(table), TermForm(terms), dated)

    def to_arrow(
        self, table: str | None = None, *, terms: TermsAs = "n-triples", times: TimesAs = "given"
    ) -> "pa.Table":
        """Return a table, as `to_pandas` does, as a table of Arrow."""
        # Loads pyarrow, which no query needs.
        from solver.traces.formats.tables import arrow_table

        return arrow_table(self.to_pandas(table, terms=terms, times=times))

    def to_polars(
        self, table: str | None = None, *, terms: TermsAs = "n-triples", times: TimesAs = "given"
    ) -> "pl.DataFrame":
        """Return a table, as `to_pandas` does, as a data frame of polars, which has to be installed."""
        try:
            polars = import_module("polars")
        except ImportError:
            problem = "to_polars needs polars; accepted: pip install polars, or to_arrow()"
            raise LarsError(problem) from None
        return polars.from_arrow(self.to_arrow(table, terms=terms, times=times))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand the main table to whoever reads Arrow, as `polars.DataFrame(found)` does."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _table(self, name: str | None) -> OutTable:
        tables = {table.name: table for table in self.tables()}
        text = name or (self._main if self._main in tables else next(iter(tables)))
        if text not in tables:
            raise LarsError(f"table={text!r}: accepted: {', '.join(tables)}")
        return tables[text]

    def page(self) -> "Page":
        """Return what the page of the result says."""
        # Loads what evaluates, which no translation needs.
        from agreement.results.renderings.pages.blocks import text_page
        from agreement.results.renderings.pages.page import PageHead

        head = PageHead("What was found", "", None, self.text.partition("\n")[0])
        return text_page(head, self.to_json(), self.parts())

    def write_report(self, path: str | Path) -> None:
        """Write the result as one HTML file, as the commands do with --report."""
        from agreement.results.renderings.pages.page import provenance, write_page

        write_page(Path(path), replace(self.page(), provenance=provenance((), ())))

    @property
    def text(self) -> str:
        """What the command prints for a reader."""
        return "\n".join(
            printable(part) if isinstance(part, str) else table_text(part).rstrip("\n")
            for part in self.parts()
        )

    def summary(self) -> Iterable[RenderableType]:
        """Yield what the command prints for a reader whose rows are in tables."""
        return self.parts()

    @property
    def headline(self) -> str:
        """What is found, in one line."""
        first = next(iter(self.parts()), "")
        text = printable(first) if isinstance(first, str) else table_text(first)
        return text.strip().partition("\n")[0].rstrip()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.headline}>"

    def __bool__(self) -> bool:
        if self.verdict is None:
            return True
        # That there is a result says nothing of what it is.
        raise TypeError(f"{type(self).__name__} is neither true nor false; ask for .{self.verdict}")

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """Return what a notebook shows: sentences, and tables with their first rows."""
        # Loads what evaluates, which no translation needs.
        from agreement.results.renderings.pages.blocks import notebook_html

        return notebook_html(self.for_notebooks())

    def to_markdown(self) -> str:
        """Return what a notebook shows as Markdown: for the summary of a job, an issue, a wiki."""
        from agreement.results.renderings.pages.blocks import markdown

        return markdown(self.for_notebooks())

    def for_notebooks(self) -> Iterable[RenderableType]:
        """Yield what notebooks show."""
        return self.parts()


def text_table(name: str, keys: Sequence[str], rows: Iterable[Sequence[TableValue]]) -> Sequence[OutTable]:
    """Return a table of texts, whose columns are called by their keys."""
    return (OutTable(name, tuple(Column(key, str, key) for key in keys), rows),)


def lines_table(parts: Iterable[RenderableType], description: str) -> Sequence[OutTable]:
    """Return the table `lines` of what is printed line by line."""
    column = Column("line", str, description)
    return (OutTable("lines", (column,), ((str(line),) for line in parts)),)


def plain(value: Any) -> JsonValue:
    """Return a value as it is read back from JSON: what is made as it is written becomes a list."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Mapping():
            return {str(key): plain(part) for key, part in value.items()}
        case _:
            return list(map(plain, value))
