"""The options of several commands in groups: each field is an option, methods read what they say together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final

from typer import Argument, Option

from agreement.inputs import arguments
from agreement.inputs.number_readers import Period
from agreement.inputs.units import durations_among, durations_in, fitting_unit
from agreement.inputs.values import cut
from lars.durations import Duration
from lars.errors import LarsError
from lars.windows import Bounds
from solver.settings import (
    Certify,
    Evaluator,
    OnError,
    Progress,
    Runner,
    TraceInput,
    TraceOptions,
    Warn,
    unwatched,
)
from translate.query import SECOND, Language, Profile, Semantics, Setting
from translate.tau import Trigger

_DIGITS: Final = 10
OUTPUT: Final = "Output"
"""The heading of the last options in the help: how much is printed, and how."""
JsonOption = Annotated[
    bool, Option("--json", help="Print JSON for machines and nothing else.", rich_help_panel=OUTPUT)
]
ReportOption = Annotated[
    Path | None,
    Option("--report", metavar="FILE.html", help="Write it as a page too: one file that works offline."),
]
FigureOption = Annotated[
    Path | None,
    Option(
        "--figure",
        metavar="FILE.svg|pdf|png",
        help="Write a picture of the periods over U and of the first difference shown; needs matplotlib.",
    ),
]
PROGRAM: Final = Argument(
    metavar="QUERY|PROGRAM.lars",
    help="A file with a query in one of the four languages, or a LARS program.",
    show_default=False,
)
BoundsOption = Annotated[Bounds | None, Option(help="Which ends a window contains.")]
SemanticsOption = Annotated[Semantics | None, Option(help="Whether answers are a set or a multiset.")]
AssignOption = Annotated[
    list[str] | None, Option(metavar="STREAM=PREDICATE", help="In which stream a predicate is matched.")
]


def time_option(name: str, help_text: str) -> Any:
    """Return the option of a time point."""
    return Option(name, metavar="TIME", parser=arguments.time_of(name), help=help_text)


class ExecutionMode(StrEnum):
    """The execution modes."""

    PUSH = "push"
    PULL = "pull"


class ProgramFormat(StrEnum):
    """What `translate` prints."""

    LARS = "lars"
    ASCII = "ascii"
    ASP = "asp"
    MODEL = "model"
    JSON = "json"
    SQL = "sql"
    TICKER = "ticker"


@dataclass(frozen=True, slots=True)
class BadLineOptions:
    """What becomes of lines of a trace that cannot be read."""

    on_error: Annotated[
        str, Option(metavar="stop|skip", help="Whether reading ends at a bad line or goes on without it.")
    ] = "stop"
    rejected: Annotated[
        Path | None, Option(help="The file that keeps skipped lines, with --on-error skip.")
    ] = None

    def checked(self) -> OnError:
        """Return what a bad line leads to; raises LarsError where skipped lines would be lost."""
        if self.on_error not in {choice.value for choice in OnError}:
            raise LarsError(f"--on-error {self.on_error}: accepted: stop, skip")
        if self.on_error == OnError.SKIP.value and self.rejected is None:
            raise LarsError(
                "--on-error skip: give --rejected FILE too, which keeps the lines that are skipped"
            )
        return OnError(self.on_error)


@dataclass(frozen=True, slots=True)
class InputOptions:
    """The static data and streams of a command, and what times in them count."""

    static: Annotated[
        list[Path] | None, Option(help="An RDF file with static data; may be given several times.")
    ] = None
    stream: Annotated[
        list[str] | None,
        Option(metavar="IRI=FILE", help="The stream that a trace file holds; may be given several times."),
    ] = None
    unit: Annotated[
        str | None,
        Option(
            metavar="LENGTH", help="One time point: 1min, 500ms. [default: the longest that fits, at most 1s]"
        ),
    ] = None
    trace_unit: Annotated[
        str | None, Option(metavar="LENGTH", help="What integers in the trace count. [default: the unit]")
    ] = None
    origin: Annotated[
        str | None, Option(metavar="DATETIME", help="The dateTime that is time 0: 2026-01-31T12:00:00Z.")
    ] = None
    sort: Annotated[bool, Option("--sort", help="Sort a trace that is out of order.")] = False

    @property
    def time_point(self) -> Duration:
        """The unit: how long one time point is."""
        return arguments.unit_of(self.unit)

    def fitted(self, queries: Iterable[Path], note: Warn, period: Period | None = None) -> "InputOptions":
        """Return the options with a unit that fits the queries, where none is given."""
        if self.unit is not None:
            return self
        counted = () if self.trace_unit is None else (arguments.unit_of(self.trace_unit, "--trace-unit"),)
        periods = durations_among(() if period is None else (period,))
        unit = fitting_unit((*durations_in(queries), *counted, *periods))
        if unit != SECOND:
            note(f"one time point is {unit}, so that every duration is a multiple of it (--unit)")
        return replace(self, unit=str(unit))

    def trace(
        self,
        paths: Sequence[Path] | None = None,
        bad_lines: BadLineOptions | None = None,
        runner: Runner | None = None,
    ) -> TraceInput:
        """Return the trace of the files; those that --stream names belong to it."""
        bad_lines = bad_lines or BadLineOptions()
        on_error, named = bad_lines.checked(), arguments.streams(self.stream)
        options = TraceOptions(
            self.time_point,
            None if self.trace_unit is None else arguments.unit_of(self.trace_unit, "--trace-unit"),
            arguments.moment(self.origin),
            self.sort,
            on_error,
            bad_lines.rejected,
            named,
        )
        paths = paths or ()
        every = (*paths, *(path for path in named if path not in paths))
        return TraceInput(every, options, tuple(self.static or ()), runner=runner or Runner())


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """The language of a query, and when it is evaluated."""

    engine: Annotated[
        Language | None, Option(help="The language the query is in, or is to be turned into.")
    ] = None
    mode: Annotated[
        ExecutionMode | None,
        Option(help="Evaluated when input arrives, or every U time points. [default: as the language is]"),
    ] = None
    period: Annotated[
        Period | None,
        Option(metavar="U", parser=arguments.period, help="The pulling period. [default: the STEP]"),
    ] = None


@dataclass(frozen=True, slots=True)
class InterpretationOptions:
    """How joins, windows and the push trigger of a query are read."""

    profile: Annotated[
        Profile | None,
        Option(help="Unbound variables and MINUS as in the paper or in SPARQL 1.1. [default: paper2015]"),
    ] = None
    bounds: BoundsOption = None
    trigger: Annotated[Trigger | None, Option(help="What input makes push evaluate. [default: any]")] = None

    def setting(
        self, unit: Duration, semantics: Semantics | None = None, origin: str | None = None
    ) -> Setting:
        """Return what a translation depends on, defaults where an option is not given."""
        return Setting(
            self.profile or Profile.PAPER2015,
            unit,
            self.bounds or Bounds.CLOSED,
            semantics or Semantics.SET,
            origin=arguments.origin_text(arguments.moment(origin)),
        )


@dataclass(frozen=True, slots=True)
class RunnerOptions:
    """Where a job runs, and what evaluates it."""

    master: Annotated[
        str | None, Option(help="The Spark master. [default: this process, for large input local[*]]")
    ] = None
    in_process: Annotated[bool, Option("--in-process", help="Run in this process, without Spark.")] = False
    evaluator: Annotated[
        Evaluator,
        Option(help="What evaluates: columns where they cover a program, clingo, or both, compared."),
    ] = Evaluator.AUTO
    certify: Annotated[
        str,
        Option(metavar="all|N|none", help="At how many times clingo has to find the same. [default: some]"),
    ] = "some"
    resume: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Run on Spark; keep finished parts here, and go on from those of a run that ended.",
        ),
    ] = None

    def runner(self, note: Warn, progress: Progress = unwatched) -> Runner:
        """Return where the job runs, who is told why there, and who watches it."""
        if self.in_process and self.master is not None:
            raise LarsError("accepted: one of --master and --in-process")
        if self.in_process and self.resume is not None:
            raise LarsError("--resume: accepted on Spark, without --in-process")
        return Runner(
            self.master,
            self.in_process,
            progress=progress,
            said=cache(note),  # many questions meet one hindrance
            evaluator=self.evaluator,
            certify=_certify(self.certify),
            resume=self.resume,
        )


@dataclass(frozen=True, slots=True)
class NarrowingOptions:
    """Which of the rows that one side alone has are shown; the verdict is that of all."""

    only_period: Annotated[
        str | None,
        Option(metavar="U", help="Show what these pulling periods find: 5 or 5,10 or 1..50."),
    ] = None
    cause: Annotated[str | None, Option(help="Show the rows with this cause: blocked-later.")] = None
    side: Annotated[ExecutionMode | None, Option(help="Show the rows that this side alone has.")] = None


def _certify(text: str) -> Certify | int:
    if text in {one.value for one in Certify}:
        return Certify(text)
    if text.isascii() and text.isdecimal() and len(text) < _DIGITS:
        return int(text)
    raise LarsError(f"--certify {cut(text)}: accepted: all, none, some, or a number of time points")


def names_of(*groups: type[Any]) -> frozenset[str]:
    """Return the names of the options of groups, without --."""
    return frozenset(_name(field.name) for group in groups for field in fields(group))


def given(*groups: Any, **options: object) -> list[str]:
    """Return the options that say something other than their default, written as a user does."""
    in_groups = [
        one.name for group in groups for one in fields(group) if getattr(group, one.name) != one.default
    ]
    alone = [name for name, value in options.items() if value is not None]
    return [f"--{_name(name)}" for name in (*in_groups, *alone)]


def _name(field: str) -> str:
    return field.replace("_", "-")
