"""What a command prints and writes of its result, as options of the command line."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

from agreement.options import option
from agreement.table_files import OutOptions

OUTPUT: Final = "Output"
"""The heading of the last options in the help: how much is printed, and how."""


class Writer(Protocol):
    """A group of options that writes a result somewhere, too."""

    @property
    def wanted(self) -> bool:
        """Whether anything is to be written."""
        ...

    def check(self) -> None:
        """Raise LarsError now for what could not be written at the end."""
        ...

    def write(self, result: Any) -> None:
        """Write it."""
        ...


class InsteadOutput(ABC):
    """An option that prints something else in place of an answer."""

    __slots__ = ()

    @property
    @abstractmethod
    def wanted(self) -> bool:
        """Whether that is to be printed."""

    @abstractmethod
    def lines(self) -> Iterable[str]:
        """Yield what is printed."""


@dataclass(frozen=True, slots=True)
class SchemaOutput(InsteadOutput):
    """What is printed or written."""

    HEADING: ClassVar[str] = OUTPUT

    schema: bool = option(False, "Print the schema of experiment.toml.")

    @property
    def wanted(self) -> bool:
        """Whether the schema is to be printed."""
        return self.schema

    def lines(self) -> Iterable[str]:
        """Yield the schema as JSON."""
        from agreement.experiments.schema import schema

        yield json.dumps(schema(), indent=2)


@dataclass(frozen=True, slots=True)
class KeysOutput(InsteadOutput):
    """What is printed or written."""

    HEADING: ClassVar[str] = OUTPUT

    schema: bool = option(False, "Print all tables and keys of such an experiment.")

    @property
    def wanted(self) -> bool:
        """Whether the keys are to be printed."""
        return self.schema

    def lines(self) -> Iterable[str]:
        """Yield all tables and keys."""
        from agreement.experiments.schema import schema_text

        yield schema_text()


@dataclass(frozen=True, slots=True)
class FieldsOutput(InsteadOutput):
    """What is printed or written."""

    HEADING: ClassVar[str] = OUTPUT

    fields: bool = option(False, "Print what a specification's TOML file can say.")

    @property
    def wanted(self) -> bool:
        """Whether the fields are to be printed."""
        return self.fields

    def lines(self) -> Iterable[str]:
        """Yield the fields of a specification."""
        from agreement.specifications.parameters import fields_text

        yield fields_text()


@dataclass(frozen=True, slots=True)
class JsonOutput:
    """What is printed or written."""

    HEADING: ClassVar[str] = OUTPUT

    as_json: bool = option(False, "Print JSON for machines and nothing else.", written="--json")


@dataclass(frozen=True, slots=True)
class FullOutput:
    """What is printed or written."""

    HEADING: ClassVar[str] = OUTPUT

    full: bool = option(False, "Show the model, both LARS programs and all answers too.")


@dataclass(frozen=True, slots=True)
class PageOutput:
    """What is printed or written."""

    HEADING: ClassVar[str] = OUTPUT

    report: Path | None = option(
        None, "Write it as a page too: one file that works offline.", metavar="FILE.html"
    )

    @property
    def wanted(self) -> bool:
        """Whether a page is to be written."""
        return self.report is not None

    def check(self) -> None:
        """Raise LarsError now for a page that could not be written at the end."""
        if self.report is not None:
            from agreement.report import check_page

            check_page(self.report)

    def write(self, result: Any) -> None:
        """Write the page."""
        if self.report is not None:
            result.write_report(self.report)


@dataclass(frozen=True, slots=True)
class FigureOutput:
    """What is printed or written."""

    HEADING: ClassVar[str] = OUTPUT

    figure: Path | None = option(
        None,
        "Write a picture of the periods over U and of the first difference shown; needs matplotlib.",
        metavar="FILE.svg|pdf|png",
    )

    @property
    def wanted(self) -> bool:
        """Whether a picture is to be written."""
        return self.figure is not None

    def check(self) -> None:
        """Raise LarsError now for a picture that could not be written at the end."""
        if self.figure is not None:
            from agreement.report import check_figure

            check_figure(self.figure)

    def write(self, result: Any) -> None:
        """Write the picture."""
        if self.figure is not None:
            result.write_figure(self.figure)


@dataclass(frozen=True, slots=True)
class PictureOutput:
    """What is printed or written."""

    HEADING: ClassVar[str] = OUTPUT

    picture: Path | None = option(None, "A picture of it: *.svg, *.png or *.pdf (needs matplotlib).")

    @property
    def wanted(self) -> bool:
        """Whether a picture is to be written."""
        return self.picture is not None

    def check(self) -> None:
        """Raise LarsError now for a picture that could not be written at the end."""
        if self.picture is not None:
            from agreement.phase import picture

            picture.check(self.picture)

    def write(self, result: Any) -> None:
        """Write the picture."""
        if self.picture is not None:
            result.write_figure(self.picture)


@dataclass(frozen=True, slots=True)
class TableOutput:
    """Where tables go, and how they are written."""

    tables: OutOptions

    @property
    def wanted(self) -> bool:
        """Whether tables are to be written."""
        return self.tables.out is not None

    def check(self) -> None:
        """Raise LarsError now for a folder that could not be written at the end."""
        self.tables.check()

    def write(self, result: Any) -> None:
        """Write the tables."""
        if self.wanted:
            self.tables.write(result.tables())


@dataclass(frozen=True, slots=True)
class ExperimentOutput:
    """Where an experiment goes."""

    out: Path | None = option(
        None, "Write an experiment for lars agree; N: DIR/1, DIR/2 ..", short="-o", metavar="DIR"
    )

    @property
    def wanted(self) -> bool:
        """Whether an experiment is to be written."""
        return self.out is not None

    def check(self) -> None:
        """Accept every folder: what is in it is found out when it is written."""

    def write(self, result: Any) -> None:
        """Write the experiment, if something was found."""
        if self.out is not None:
            result.write_experiment(self.out)
