"""The options of `lars judge` in groups, and which of them say something of what is judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Annotated, Final

from typer import Option

from agreement.inputs.number_readers import START_TIMES, read_numbers
from agreement.inputs.options import (
    BadLineOptions,
    BoundsOption,
    InputOptions,
    SemanticsOption,
    names_of,
    time_option,
)
from agreement.inputs.values import cut
from lars.errors import LarsError


class MatchBy(StrEnum):
    """How reports are told to be right: each at its time, or their contents in order alone."""

    TIME = "time"
    SEQUENCE = "sequence"

    @property
    def other(self) -> "MatchBy":
        """The other of the two."""
        return MatchBy.SEQUENCE if self is MatchBy.TIME else MatchBy.TIME


class EmptyReports(Enum):
    """Whether reports without rows are compared: as the profile says, or not at all."""

    COMPARED = "compared"
    IGNORED = "ignored"


class AnswersFormat(Enum):
    """A format of recorded answers."""

    CASE = "case"
    CSRBENCH = "csrbench"
    YABENCH = "yabench"
    SPARQL_JSON = "sparql-json"
    CSV = "csv"
    TSV = "tsv"
    SOLVED = "solve"


TOLERANCE: Final = 1e-9
"""How far two numbers may lie apart, relative to the larger one, and count as equal."""


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """What is left open and tried, what is compared and how, and what is looked for in wrong answers."""

    t0: Annotated[str | None, Option(help="Start times of windows to try: 0..9 or 0,5. [default: all]")] = (
        None
    )
    match: Annotated[
        MatchBy, Option(help="Compare reports at their times, or their sequence whatever their times.")
    ] = MatchBy.TIME
    registered: Annotated[int, Option(min=0, help="The time point at which the query was registered.")] = 0
    until: Annotated[int | None, time_option("--until", "The last time to compare.")] = None
    bounds: BoundsOption = None
    semantics: SemanticsOption = None
    gracious: Annotated[
        bool, Option("--gracious", help="Find the window borders that fit wrong windows best.")
    ] = False
    diagnosis: Annotated[
        bool, Option("--diagnosis/--no-diagnosis", help="Look for the fault that explains it.")
    ] = True
    tolerance: Annotated[
        float, Option(min=0, max=1, help="By which share numbers may differ that are no integers.")
    ] = TOLERANCE
    empty: Annotated[str, Option(metavar="compared|ignored", help="Reports without rows.")] = "compared"
    early: Annotated[float, Option(metavar="MS", min=0, help="How early reports may come.")] = 0
    late: Annotated[
        float | None, Option(metavar="MS", min=0, help="How late at most. [default: less than the slide]")
    ] = None
    time_limit: Annotated[
        float | None, Option(metavar="SECONDS", min=0, help="How long start times are tried at most.")
    ] = None


@dataclass(frozen=True, slots=True)
class AnswersOptions:
    """How a file of answers is read."""

    answers_format: Annotated[
        str | None, Option(help="case, csrbench, yabench, sparql-json, csv, tsv or solve.")
    ] = None
    answers_unit: Annotated[
        str | None,
        Option(
            help="What a time in the answers counts. [default: 1ms in the formats csrbench and yabench, "
            "else the unit]"
        ),
    ] = None
    time_variable: Annotated[str | None, Option(help="The column of times in SPARQL results.")] = None


_OF_FILES: Final = names_of(AnswersOptions, InputOptions, BadLineOptions) | {"gracious", "static-at"}
_OF_SPECIFICATIONS: Final = frozenset(
    ("t0", "registered", "until", "bounds", "early", "late", "gracious", "static-at", "time-limit")
)
_OF_TIMES: Final = frozenset(("until", "early", "late"))


def start_times(text: str) -> tuple[int, ...]:
    """Return the time points that --t0 names.

    >>> start_times("0..3,7")
    (0, 1, 2, 3, 7)
    """
    try:
        return read_numbers(text, START_TIMES)
    except LarsError as error:
        raise LarsError(f"--t0 {cut(text)}: {error}") from None


def check_said(said: Sequence[str], match: MatchBy, *, cases: bool, version: bool) -> None:
    """Raise for an option that is said and would say nothing.

    A case says itself what was asked and streamed; an engine version leaves nothing open; of a
    sequence no times are compared.
    """
    given = [name.replace("_", "-") for name in said]
    sequence = match is MatchBy.SEQUENCE
    refusals = (
        (cases, _OF_FILES, "accepted with --answers FILE; a case has its query, stream and answers"),
        (version, _OF_SPECIFICATIONS, "accepted with a specification; an engine version leaves nothing open"),
        (sequence, _OF_TIMES, "accepted with --match time; a sequence has no times"),
    )
    for refuses, names, accepted in refusals:
        if refuses and (refused := [f"--{name}" for name in given if name in names]):
            raise LarsError(f"{', '.join(refused)}: {accepted}")
