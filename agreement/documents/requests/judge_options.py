"""The options of `lars judge` in groups, and which of them say something of what is judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final

from agreement.documents.options import names_of, option
from agreement.documents.requests import readers
from agreement.documents.requests.groups import (
    BadLineOptions,
    InputOptions,
    bounds_option,
    semantics_option,
    time_option,
)
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.windows import Bounds
from solver.settings import Time
from translate.model.query import Semantics


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

    t0: tuple[int, ...] | str | None = option(
        None,
        "Start times of windows to try: 0..9 or 0,5. [default: all]",
        readers.dated_start_times,
        keyword="int | str | Sequence[int] | None",
    )
    match: MatchBy = option(
        MatchBy.TIME, "Compare reports at their times, or their sequence whatever their times."
    )
    registered: Time = time_option("The time at which the query was registered.", default=0)
    until: Time | None = time_option("The last time to compare.")
    bounds: Bounds | None = bounds_option()
    semantics: Semantics | None = semantics_option()
    gracious: bool = option(False, "Find the window borders that fit wrong windows best.")
    diagnosis: bool = option(True, "Look for the fault that explains it.")
    tolerance: float = option(
        TOLERANCE, "By which share numbers may differ that are no integers.", least=0, most=1
    )
    empty: EmptyReports = option(EmptyReports.COMPARED, "Reports without rows.")
    early: float = option(0, "How early reports may come.", metavar="MS", least=0)
    late: float | None = option(
        None, "How late at most. [default: less than the slide]", metavar="MS", least=0
    )
    time_limit: float | None = option(
        None, "How long start times are tried at most.", metavar="SECONDS", least=0
    )


@dataclass(frozen=True, slots=True)
class AnswersOptions:
    """How a file of answers is read."""

    answers_format: AnswersFormat | None = option(None, "How answers are written. [default: recognised]")
    answers_unit: Duration | None = option(
        None,
        "What a time in the answers counts. [default: 1ms in the formats csrbench and yabench, else the "
        "unit]",
        readers.unit,
        keyword="str | None",
    )
    time_variable: str | None = option(None, "The column of times in SPARQL results.")


_OF_FILES: Final = names_of(AnswersOptions, InputOptions, BadLineOptions) | {"--gracious", "--static-at"}
_OF_SPECIFICATIONS: Final = frozenset(
    (
        "--t0",
        "--registered",
        "--until",
        "--bounds",
        "--early",
        "--late",
        "--gracious",
        "--static-at",
        "--time-limit",
    )
)
_OF_TIMES: Final = frozenset(("--until", "--early", "--late"))


def check_said(flags: Sequence[str], match: MatchBy, *, cases: bool, version: bool) -> None:
    """Raise for an option that is given and would say nothing.

    A case says itself what was asked and streamed; an engine version leaves nothing open; of a
    sequence no times are compared.
    """
    sequence = match is MatchBy.SEQUENCE
    refusals = (
        (cases, _OF_FILES, "accepted with --answers FILE; a case has its query, stream and answers"),
        (version, _OF_SPECIFICATIONS, "accepted with a specification; an engine version leaves nothing open"),
        (sequence, _OF_TIMES, "accepted with --match time; a sequence has no times"),
    )
    for refuses, names, accepted in refusals:
        if refuses and (refused := [flag for flag in flags if flag in names]):
            raise LarsError(f"{', '.join(refused)}: {accepted}")
