"""What a command prints and writes of its result, as options of the command line."""

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Final

from agreement.documents.options import IdleOptions, alone, has, option
from agreement.documents.table_files import OutOptions

OUTPUT: Final = "Output"
"""The heading of the last options in the help: how much is printed, and how."""


def typed_command() -> tuple[str, ...]:
    """Return the command as it was typed."""
    return "lars", *sys.argv[1:]


@dataclass(frozen=True, slots=True)
class InsteadOutput(ABC):
    """What is printed or written."""

    HEADING: ClassVar[str] = OUTPUT

    @property
    def has_target(self) -> bool:
        """Whether something else is to be printed in place of an answer: its one option is given."""
        return any(getattr(self, field.name) for field in fields(self))

    @abstractmethod
    def text(self) -> str:
        """Return what is printed."""


@dataclass(frozen=True, slots=True)
class SchemaOutput(InsteadOutput):
    """What is printed or written."""

    IDLE: ClassVar = (alone("--schema"),)

    schema: bool = option(False, "Print the schema of experiment.toml.")

    def text(self) -> str:
        """Return the schema as JSON."""
        from agreement.experiments.schema import schema

        return json.dumps(schema(), indent=2)


@dataclass(frozen=True, slots=True)
class KeysOutput(InsteadOutput):
    """What is printed or written."""

    IDLE: ClassVar = (alone("--schema"),)

    schema: bool = option(False, "Print all tables and keys of such an experiment.")

    def text(self) -> str:
        """Return all tables and keys."""
        from agreement.experiments.schema import schema_text

        return schema_text()


@dataclass(frozen=True, slots=True)
class ProtocolOutput(InsteadOutput):
    """What is printed or written."""

    schema: bool = option(False, "Print the protocol of adapters as JSON schema.")

    def text(self) -> str:
        """Return the schema as JSON."""
        from agreement.engines.adapters import schema

        return json.dumps(schema(), indent=2)


@dataclass(frozen=True, slots=True)
class FieldsOutput(InsteadOutput):
    """What is printed or written."""

    IDLE: ClassVar = (alone("--fields"),)

    fields: bool = option(False, "Print what a specification's TOML file can say.")

    def text(self) -> str:
        """Return the fields of a specification."""
        from agreement.engines.specifications.parameters import fields_text

        return fields_text()


@dataclass(frozen=True, slots=True)
class JsonOutput:
    """What is printed or written."""

    HEADING: ClassVar[str] = OUTPUT
    IDLE: ClassVar = (
        IdleOptions(has("--as-stream"), ("--json",), "accepted without --as-stream, which prints N-Quads"),
    )

    as_json: bool = option(False, "Print JSON for machines and nothing else.", shell_name="--json")


@dataclass(frozen=True, slots=True)
class FullOutput:
    """What is printed or written."""

    HEADING: ClassVar[str] = OUTPUT

    full: bool = option(False, "Show the model, both LARS programs and all answers too.")


@dataclass(frozen=True, slots=True)
class FileOutput(ABC):
    """What is printed or written."""

    HEADING: ClassVar[str] = OUTPUT

    @property
    def path(self) -> Path | None:
        """The file of its one option."""
        path: Path | None = getattr(self, fields(self)[0].name)
        return path

    @property
    def has_target(self) -> bool:
        """Whether anything is to be written."""
        return self.path is not None

    @abstractmethod
    def checked(self) -> Callable[[Path], None]:
        """Return what raises LarsError for a file that could not be written at the end."""

    def check(self) -> None:
        """Raise LarsError now for what could not be written at the end."""
        if self.path is not None:
            self.checked()(self.path)

    # Any: the table of commands says which result comes to which outputs.
    def write(self, result: Any) -> None:
        """Write the result as a picture, or as what else the option says."""
        if self.path is not None:
            result.write_figure(self.path)


@dataclass(frozen=True, slots=True)
class PageOutput(FileOutput):
    """What is printed or written."""

    report: Path | None = option(
        None, "Write it as a page too: one file that works offline.", metavar="FILE.html"
    )

    def checked(self) -> Callable[[Path], None]:
        """Return what checks a page."""
        from agreement.results.renderings.pages.page import check_page

        return check_page

    def write_from(self, result: Any, request: object) -> None:
        """Write the page, with the command and the files that it is made of."""
        if self.report is not None:
            from agreement.results.renderings.pages.page import files_of, provenance, query_texts, write_page

            files = files_of(request)
            made = provenance(typed_command(), files)
            write_page(self.report, replace(result.page(), provenance=made, queries=query_texts(files)))


@dataclass(frozen=True, slots=True)
class FigureOutput(FileOutput):
    """What is printed or written."""

    figure: Path | None = option(
        None,
        "Write a picture of the periods over U and of the first difference shown; needs matplotlib.",
        metavar="FILE.svg|pdf|png",
    )

    def checked(self) -> Callable[[Path], None]:
        """Return what checks a picture."""
        from agreement.results.renderings.pages.figure import check_figure

        return check_figure


@dataclass(frozen=True, slots=True)
class PictureOutput(FileOutput):
    """What is printed or written."""

    picture: Path | None = option(None, "A picture of it: *.svg, *.png or *.pdf (needs matplotlib).")

    def checked(self) -> Callable[[Path], None]:
        """Return what checks a picture."""
        from agreement.results.renderings.phase_report import check

        return check


@dataclass(frozen=True, slots=True)
class TableOutput:
    """Where tables go, and how they are written."""

    tables: OutOptions

    @property
    def has_target(self) -> bool:
        """Whether tables are to be written."""
        return self.tables.out is not None

    def check(self) -> None:
        """Raise LarsError now for a folder that could not be written at the end."""
        self.tables.check()

    def write(self, result: Any) -> str:
        """Write the tables; return where they are."""
        files = self.tables.write(result.tables(), result.dates)
        return f"all rows are in {', '.join(map(str, files))}"


@dataclass(frozen=True, slots=True)
class RunsOutput(TableOutput):
    """Where tables go, and how they are written."""

    IDLE: ClassVar = (
        IdleOptions(
            lambda values: "--out" not in values, ("--runs",), "accepted with --out DIR: of its tables"
        ),
        IdleOptions(has("--as"), ("--runs",), "accepted without --as NAME, whose reports are events"),
    )

    runs: bool = option(
        False, "Write a row for each run of times, from first to last, in place of one for each time."
    )

    def write(self, result: Any) -> str:
        """Write the tables; return where they are."""
        files = self.tables.write(result.tables(runs=self.runs), result.dates)
        return f"all rows are in {', '.join(map(str, files))}"


@dataclass(frozen=True, slots=True)
class ExperimentOutput:
    """Where an experiment goes."""

    out: Path | None = option(
        None, "Write an experiment for lars agree; N: DIR/1, DIR/2 ..", short="-o", metavar="DIR"
    )

    @property
    def has_target(self) -> bool:
        """Whether an experiment is to be written."""
        return self.out is not None

    def check(self) -> None:
        """Accept every folder: what is in it is found out when it is written."""

    def write(self, result: Any) -> None:
        """Write the experiment, if something was found."""
        if self.out is not None:
            result.write_experiment(self.out)
