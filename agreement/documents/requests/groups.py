"""The options that several commands have, or a room below them reads, in groups; what they mean together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, StrEnum
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final

from agreement.documents.options import IdleOptions, argument, flags_of, has, has_not, option
from agreement.documents.requests import readers
from agreement.documents.requests.query_files import (
    PROGRAM_SUFFIX,
    durations_among,
    durations_in,
    fitting_unit,
    query_text,
    read_once,
)
from agreement.documents.values import Period, columns_by_stream, static_files
from lars.durations import MILLISECOND, SECOND, Duration
from lars.errors import LarsError
from lars.language.terms import Iri
from lars.language.windows import Bounds
from solver.settings import (
    BlankNodes,
    Certify,
    Evaluator,
    OnError,
    Progress,
    Runner,
    StaticFile,
    Time,
    TraceInput,
    TraceOptions,
    Warn,
    no_progress,
)
from translate.dialects import TITLES
from translate.model.query import EPOCH, EngineQuery, Language, Profile, Semantics, Setting
from translate.tau import Trigger

PULL_ONLY: Final = "accepted with --mode pull, which evaluates at its multiples"
PUSH_ONLY: Final = "accepted with --mode push, which input triggers"
"""Where --period says something, and where --trigger does."""
TIME = "int | str | datetime | None"


class ExecutionMode(StrEnum):
    """The execution modes."""

    PUSH = "push"
    PULL = "pull"


def program_argument(**default: Any) -> Any:
    """Return the field of a query or program."""
    return argument(
        "QUERY|PROGRAM.lars",
        "A file with a query in one of the four languages, or a LARS program.",
        source="trace",
        **default,
    )


def trace_argument() -> Any:
    """Return the field of traces."""
    return argument("TRACE..", "Trace files or folders.", default=(), source="trace")


def compared_inputs() -> Any:
    """Return the field of what pull and push of queries are compared on."""
    return argument(
        "EXPERIMENT_DIR | QUERY [QUERY] TRACE..",
        "A folder with experiment.toml; or queries in C-SPARQL and CQELS, one or both, and traces.",
        default=(),
        source="trace",
    )


def queries_argument() -> Any:
    """Return the field of what is asked without a trace."""
    return argument(
        "EXPERIMENT_DIR | QUERY [QUERY]",
        "A folder with experiment.toml; or queries: C-SPARQL, CQELS or both; or two of a kind.",
        default=(),
        source="trace",
    )


def periods_option(help_text: str, **more: Any) -> Any:
    """Return the field of pulling periods."""
    keyword = "int | str | Sequence[int] | None"
    return option((), help_text, readers.periods, keyword=keyword, **more)


def time_option(help_text: str, *, default: Any = None) -> Any:
    """Return the field of a time: a time point, or a dateTime, which the trace's origin makes one."""
    keyword = TIME if default is None else TIME.removesuffix(" | None")
    return option(default, help_text, readers.time, metavar="TIME", keyword=keyword)


def static_option(help_text: str) -> Any:
    """Return the field of static data."""
    return option((), help_text, static_files, metavar="[IRI=]FILE", source="static", repeated=True)


def first_time_option() -> Any:
    """Return the field of where the times begin at which answers are asked for."""
    return time_option("The first time point.")


def reference_time_option(default: Any = None) -> Any:
    """Return the field of the time t at which something is asked."""
    return time_option("The reference time.", default=default)


def unit_option() -> Any:
    """Return the field of how long a time point is."""
    return option(
        None,
        "One time point: 1min, 500ms. [default: the longest that fits, at most 1s]",
        readers.unit,
        metavar="LENGTH",
        keyword="str | None",
    )


def bounds_option() -> Any:
    """Return the field of the ends of windows."""
    return option(None, "Which ends a window contains.")


def semantics_option() -> Any:
    """Return the field of sets or multisets."""
    return option(None, "Whether answers are a set or a multiset.")


def assign_option() -> Any:
    """Return the field of predicates by stream."""
    return option(
        None,
        "In which stream a predicate is matched.",
        readers.assignments,
        metavar="STREAM=PREDICATE",
        keyword="Mapping[str, Sequence[str]] | None",
        repeated=True,
    )


@dataclass(frozen=True, slots=True)
class BadLineOptions:
    """What becomes of lines of a trace that cannot be read."""

    IDLE: ClassVar = (
        IdleOptions(
            has_not("--on-error", "skip"),
            ("--rejected",),
            "accepted with --on-error skip, which skips bad lines",
        ),
    )

    on_error: OnError = option(OnError.STOP, "Whether reading ends at a bad line or goes on without it.")
    rejected: Path | None = option(None, "The file that keeps skipped lines, with --on-error skip.")

    def check(self) -> None:
        """Raise LarsError where skipped lines would be lost."""
        if self.on_error is OnError.SKIP and self.rejected is None:
            raise LarsError(
                "--on-error skip: give --rejected FILE too, which keeps the lines that are skipped"
            )


@dataclass(frozen=True, slots=True)
class InputOptions:
    """The static data and streams of a command, and what times in them count."""

    static: tuple[StaticFile, ...] = static_option(
        "An RDF file with static data: FILE, IRI=FILE as a graph, cqels:FILE what CQELS alone has."
    )
    stream: Mapping[Path, str] | None = option(
        None,
        "The stream that a trace file holds; may be given several times.",
        readers.streams,
        metavar="IRI=FILE",
        keyword="Mapping[str, TraceSource] | None",
        source="streams",
        repeated=True,
    )
    unit: Duration | None = unit_option()
    trace_unit: Duration | None = option(
        None,
        "What integers in the trace count. [default: the unit]",
        readers.unit,
        metavar="LENGTH",
        keyword="str | None",
    )
    origin: datetime | None = option(
        None,
        "The dateTime that is time 0: 2026-01-31T12:00:00Z.",
        readers.moment,
        metavar="DATETIME",
        keyword="str | datetime | None",
    )
    sort: bool = option(False, "Sort a trace that is out of order.")
    blank_nodes: BlankNodes | None = option(
        None, "The scope of blank node labels in a trace file. [default: document]"
    )
    prefix: Mapping[str, str] | None = option(
        None,
        "What a prefix of IRIs in tables stands for; may be given several times.",
        readers.prefixes,
        metavar="PREFIX=IRI",
        keyword="Mapping[str, str] | None",
        repeated=True,
    )
    column: Mapping[str, Any] | None = option(
        None,
        "What a table's own columns become: t={time}, s=ex:bike/{bike}, ex:at=ex:station/{station}; one "
        "part each time.",
        readers.columns,
        metavar="PART=TEMPLATE",
        keyword="Mapping[str, str | Mapping[str, str]] | None",
        repeated=True,
    )

    @property
    def time_point(self) -> Duration:
        """The unit: how long one time point is."""
        return self.unit or SECOND

    def fitted(self, queries: Iterable[Path], note: Warn, *periods: Period | None) -> "InputOptions":
        """Return the options with a unit that fits the queries and the periods, where none is given."""
        if self.unit is not None:
            return self
        counted = () if self.trace_unit is None else (self.trace_unit,)
        lengths = durations_among(period for period in periods if period is not None)
        unit = fitting_unit((*durations_in(queries), *counted, *lengths))
        if unit != SECOND:
            note(f"one time point is {unit}, so that every duration is a multiple of it (--unit)")
        return replace(self, unit=unit)

    def as_engines_count(self, queries: Sequence[Path], note: Warn) -> "InputOptions":
        """Return the options with a unit that fits, where none is given, as engines count.

        Windows of RSP-QL without a unit count milliseconds: so do the times of their trace.
        """
        notes: list[str] = []
        fitted = self.fitted(queries, notes.append)
        plain = fitted.time_point < SECOND and any(
            read_once(query_text(path), str(path)).language is Language.RSPQL for path in queries
        )
        if self.unit is None and plain:
            return replace(self, unit=MILLISECOND)
        for text in notes:
            note(text)
        return fitted

    def trace(self, paths: Sequence[Path] = (), bad_lines: BadLineOptions | None = None) -> TraceInput:
        """Return the trace of the files; those that --stream names belong to it."""
        bad_lines, named = bad_lines or BadLineOptions(), self.stream or {}
        bad_lines.check()
        options = TraceOptions(
            self.time_point,
            self.trace_unit,
            self.origin,
            self.sort,
            bad_lines.on_error,
            bad_lines.rejected,
            named,
            blank_nodes=self.blank_nodes,
            prefixes=tuple((self.prefix or {}).items()),
            columns=columns_by_stream(self.column or {}),
        )
        every = (*paths, *(path for path in named if path not in paths))
        return TraceInput(every, options, self.static)


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """What is asked of the queries."""

    period: tuple[Period, ...] = periods_option(
        "Pulling periods: 5, 5,10, 1..50, 1s..60s. [default: the STEP, or 1..10]"
    )
    static: tuple[StaticFile, ...] = static_option("An RDF file with the static data. [default: any data]")
    unit: Duration | None = unit_option()


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """The language of a query, and when it is evaluated."""

    IDLE: ClassVar = (
        IdleOptions(has("--mode", "push"), ("--period",), PULL_ONLY),
        IdleOptions(has("--mode", "pull"), ("--trigger",), PUSH_ONLY),
    )

    engine: Language | None = option(None, "The language the query is in, or is to be turned into.")
    mode: ExecutionMode | None = option(
        None,
        "Evaluated when input arrives, or every U time points. "
        "[default: solve: as its engines do; translate: at every time]",
    )
    period: Period | None = option(
        None,
        "The pulling period. [default: the STEP]",
        readers.period,
        metavar="U",
        keyword="int | str | None",
    )


@dataclass(frozen=True, slots=True)
class InterpretationOptions:
    """How joins, windows and the push trigger of a query are read."""

    profile: Profile | None = option(
        None, "Unbound variables and MINUS as in the paper or in SPARQL 1.1. [default: paper2015]"
    )
    bounds: Bounds | None = bounds_option()
    trigger: Trigger | None = option(None, "What input makes push evaluate. [default: any]")

    def setting(
        self, unit: Duration, semantics: Semantics | None = None, origin: datetime | None = None
    ) -> Setting:
        """Return what a translation depends on, defaults where an option is not given."""
        return Setting(
            self.profile or Profile.PAPER2015,
            unit,
            self.bounds or Bounds.CLOSED,
            semantics or Semantics.SET,
            origin=origin_text(origin),
        )


@dataclass(frozen=True, slots=True)
class ProgramOptions:
    """How a query or program is read, and the input that it meets."""

    HEADING: ClassVar = ""

    input_options: InputOptions
    bad_lines: BadLineOptions
    evaluation: EvaluationOptions
    reading: InterpretationOptions
    semantics: Semantics | None = semantics_option()

    def check(self, path: Path, **others: object) -> None:
        """Raise LarsError where they, or others about queries, are given for a program."""
        flags = flags_of(self.evaluation, self.reading, semantics=self.semantics, **others)
        check_for_queries(path, flags)


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """How the queries that are compared are read, and the trace that both meet."""

    HEADING: ClassVar = ""

    input_options: InputOptions
    bad_lines: BadLineOptions
    reading: InterpretationOptions
    assign: Mapping[Iri, tuple[Iri, ...]] | None = assign_option()


@dataclass(frozen=True, slots=True)
class TracelessOptions:
    """How queries are read of which something is decided on any stream."""

    HEADING: ClassVar = ""

    question: QuestionOptions
    reading: InterpretationOptions
    assign: Mapping[Iri, tuple[Iri, ...]] | None = assign_option()


@dataclass(frozen=True, slots=True)
class RunnerOptions:
    """Where a job runs, and what evaluates it."""

    master: str | None = option(None, "The Spark master. [default: this process, for large input local[*]]")
    in_process: bool = option(False, "Run in this process, without Spark.")
    evaluator: Evaluator = option(
        Evaluator.AUTO, "What evaluates: columns where they cover a program, clingo, or both, compared."
    )
    certify: Certify | int = option(
        Certify.SOME,
        "At how many times clingo has to find the same. [default: some]",
        readers.certify,
        metavar="all|N|none",
        keyword='Literal["all", "some", "none"] | int | None',
    )
    resume: Path | None = option(
        None,
        "Run on Spark; keep finished parts here, and go on from those of a run that ended.",
        metavar="DIR",
    )

    def runner(self, note: Warn, progress: Progress = no_progress) -> Runner:
        """Return where the job runs, who is told why there, and who watches it."""
        if self.in_process and self.master is not None:
            raise LarsError("accepted: one of --master and --in-process")
        if self.in_process and self.resume is not None:
            raise LarsError("--resume: accepted on Spark, without --in-process")
        return Runner(
            self.master,
            self.in_process,
            progress=progress,
            notice=cache(note),  # many questions meet one hindrance
            evaluator=self.evaluator,
            certify=self.certify,
            resume=self.resume,
        )


def origin_text(origin: datetime | None) -> str:
    """Return the dateTime of time 0 as NOW() counts from it."""
    return EPOCH if origin is None else origin.isoformat().replace("+00:00", "Z")


def check_for_queries(path: Path, flags: Sequence[str]) -> None:
    """Raise when options that say how a query is read are given for a program."""
    if flags and path.suffix == PROGRAM_SUFFIX:
        raise LarsError(
            f"{path}: {', '.join(flags)}: accepted for queries; a program says its windows and rules itself"
        )


def check_for_programs(path: Path, flags: Sequence[str]) -> None:
    """Raise when options about answer streams are given for a query, which has one."""
    if flags and path.suffix != PROGRAM_SUFFIX:
        raise LarsError(f"{path}: {', '.join(flags)}: accepted for LARS programs; a query has one answer")


def is_pushed(query: EngineQuery, evaluation: EvaluationOptions) -> bool:
    """Return whether a query is evaluated when input arrives: as is wanted, else as its engine does."""
    natural = ExecutionMode.PUSH if query.language is Language.CQELS else ExecutionMode.PULL
    return (evaluation.mode or natural) == ExecutionMode.PUSH


def check_evaluated(query: EngineQuery, evaluation: EvaluationOptions, trigger: Trigger) -> None:
    """Raise LarsError for a period where input makes the query evaluate, for a trigger where time does."""
    title, pushed = TITLES[query.language], is_pushed(query, evaluation)
    if pushed and evaluation.period is not None:
        raise LarsError(f"--period: accepted with --mode pull; by default a query in {title} is pushed")
    if not pushed and trigger is not Trigger.ANY:
        raise LarsError(f"--trigger: accepted with --mode push; by default a query in {title} is pulled")


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
