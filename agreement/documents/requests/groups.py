"""Declare groups of options that several commands share, and the meaning of their combinations."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, get_args

from agreement.documents.options import IdleOptions, flags_of, has, has_not
from agreement.documents.requests import query_files, readers
from agreement.documents.values import START_TIMES, Period, points_of, read_numbers, static_files
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, SECOND, Duration, time_unit
from lars.errors import LarsError
from lars.language.terms import Iri
from lars.language.windows import Bounds
from lars.options import argument, option
from solver import settings
from solver.deadlines import NEVER, Deadline
from translate import analysis
from translate.dialects import TITLES, UNVERSIONED, concerns_queries
from translate.model.query import EPOCH, EngineQuery, Language, Profile, Semantics, Setting, Trigger

PULL_ONLY: Final = "--mode pull"
PUSH_ONLY: Final = "--mode push"
"""The option with which --period has no effect, and without which --trigger has no effect."""


Side = Literal["push", "pull"]
"""The execution of a query: push or pull.

In a difference between two executions, the value is the execution that reports the row.
"""
SIDES: Final[tuple[Side, ...]] = get_args(Side)


def program_argument(**default: Any) -> Any:
    """Return the declaration of the argument for a query or program."""
    return argument(
        "QUERY|PROGRAM.lars|EXPERIMENT_DIR",
        f"Query ({', '.join(TITLES.values())}), LARS program, or folder with an experiment.toml.",
        source="trace",
        **default,
    )


def trace_argument() -> Any:
    """Return the declaration of the argument for traces."""
    return argument("TRACE..", "Recorded streams: files or folders.", default=(), source="trace")


def compared_inputs() -> Any:
    """Return the declaration of the arguments of a comparison of push and pull: queries and traces."""
    return argument(
        "EXPERIMENT_DIR | QUERY [QUERY] TRACE..",
        "Folder with an experiment.toml; or a C-SPARQL query, a CQELS query or both, then recorded "
        "streams. If one of the two queries is missing, lars derives it.",
        default=(),
        source="trace",
    )


def queries_argument() -> Any:
    """Return the declaration of the arguments of a question about all streams: queries, or an experiment."""
    return argument(
        "EXPERIMENT_DIR | QUERY [QUERY]",
        "Folder with an experiment.toml; or one or two queries, such as a C-SPARQL and a CQELS query.",
        default=(),
        source="trace",
    )


def periods_option(help_text: str, **more: Any) -> Any:
    """Return the declaration of the option --period."""
    return option((), help_text, readers.periods, **more)


def time_option(help_text: str, *, default: Any = None) -> Any:
    """Return the declaration of an option with a time: a time point, or a dateTime."""
    return option(default, help_text, readers.time)


def static_option(help_text: str) -> Any:
    """Return the declaration of the option --static."""
    return option((), help_text, static_files, metavar="[IRI=]FILE", source="static", repeated=True)


def experiment_argument() -> Any:
    """Return the declaration of the argument for an experiment."""
    return argument(
        "EXPERIMENT", "Experiment file (.toml), or a folder that contains an experiment.toml.", default=None
    )


def cells_at_once_option() -> Any:
    """Return the declaration of the option --jobs: the number of cells that run at the same time."""
    return option(
        1, "Number of cells (combinations of values) of the experiment to run in parallel.", least=1
    )


def wait_option(**more: Any) -> Any:
    """Return the declaration of the option --wait."""
    help_text = "Time that pull waits for late data: pull evaluates for the time t at the time t + W."
    return option(0, help_text, readers.length, metavar="W", **more)


def lateness_option(**more: Any) -> Any:
    """Return the declaration of --lateness, above which elements are dropped."""
    help_text = (
        "Drop each element that arrives more than L after its own time. [default: no element is dropped]"
    )
    return option(None, help_text, readers.length, metavar="L", **more)


def has_wait(wait: Period) -> bool:
    """Return whether a wait is longer than 0.

    >>> has_wait(0), has_wait(Duration(0)), has_wait(Duration(1))
    (False, False, True)
    """
    return wait not in (0, Duration(0))


def check_arrival(arrival: str | None, wait: Period, lateness: Period | None) -> None:
    """Raise LarsError for a wait or a lateness without times of arrival."""
    for flag, given in (("--wait", has_wait(wait)), ("--lateness", lateness is not None)):
        if given and arrival is None:
            raise LarsError(f"{flag} requires --arrival")


def fail_on_empty_option() -> Any:
    """Return the declaration of --fail-on-empty, which fails a run if no side reports any row."""
    return option(
        False, "End with exit code 3 if both sides report no row at all, or if no whole period is compared."
    )


def first_time_option() -> Any:
    """Return the declaration of --from: the first time at which answers are requested."""
    return time_option("First time point to evaluate.")


def reference_time_option(default: Any = None) -> Any:
    """Return the declaration of --at: the time t that a question is about."""
    return time_option("Time point of the evaluation.", default=default)


def period_option() -> Any:
    """Return the declaration of --period: the time between two evaluations by pull."""
    return option(
        None,
        "Time U between two evaluations, such as 5 (time points) or 5s. [default: the STEP of the query]",
        readers.period,
    )


_SPECIFIED: Final = "the value in the specification"


def bounds_option(default: str = _SPECIFIED) -> Any:
    """Return the declaration of --bounds: which of its two ends a window contains."""
    return option(
        None,
        "Time points in a window of length L at time t: closed [t-L, t], low-open (t-L, t], "
        f"high-open [t-L, t), open (t-L, t). [default: {default}]",
    )


def semantics_option(default: str = _SPECIFIED) -> Any:
    """Return the declaration of --semantics: whether answers are sets or multisets."""
    return option(
        None,
        "Compute with sets of rows, or with multisets (bags), which count equal rows separately. [default: "
        f"{default}]",
    )


def assign_option() -> Any:
    """Return the declaration of --assign: the predicates of the triple patterns that match each stream."""
    return option(
        None,
        "Match the triple patterns with PREDICATE in STREAM, if lars derives a CQELS query from the "
        "C-SPARQL query. Repeatable.",
        readers.assignments,
        repeated=True,
    )


@dataclass(frozen=True, slots=True)
class InputOptions:
    """The options for static data, for reading traces, and for reading queries."""

    HEADING: ClassVar = "Input data"
    IDLE: ClassVar = (
        IdleOptions(has_not("--on-error", "skip"), ("--rejected",), requires="--on-error skip"),
    )

    static: tuple[settings.StaticFile, ...] = static_option(
        "Static RDF data: FILE for the default graph, IRI=FILE for a named graph, cqels:FILE for "
        "CQELS only. Repeatable."
    )
    trace: settings.TraceOptions = field(default_factory=settings.TraceOptions)
    around: query_files.Around = field(default_factory=query_files.Around)

    @property
    def query_readings(self) -> tuple[str, ...] | None:
        """The names of the given readings (choices that query languages leave open) that concern queries."""
        return tuple(name for name in self.around.readings or () if concerns_queries(name)) or None

    def fitted(self, queries: Iterable[Path], note: settings.Warn, *periods: Period | None) -> "InputOptions":
        """Return the options with a unit.

        If no unit is given, the longest suitable unit that divides the durations of queries and periods is
        chosen.
        """
        if self.trace.unit is not None:
            return self
        counted = () if self.trace.trace_unit is None else (self.trace.trace_unit,)
        lengths = query_files.durations_among(period for period in periods if period is not None)
        unit = query_files.default_unit(query_files.queries_in(queries), (*counted, *lengths))
        if unit != SECOND:
            note(f"one time point is {unit}, so that every duration is a multiple of it (--unit)")
        return self.with_trace(unit=unit)

    def with_trace(self, **changes: Any) -> "InputOptions":
        """Return the options with other values of the given options for reading the trace."""
        return replace(self, trace=replace(self.trace, **changes))

    def as_engines_count(self, queries: Sequence[Path], note: settings.Warn) -> "InputOptions":
        """Return the options with a unit; by default, the unit in which an engine reads numbers in windows.

        The default unit is a millisecond if a query of Kolibrie has windows shorter than a second. Otherwise,
        the default unit divides the durations in the queries.
        """
        if self.trace.unit is None and any(map(query_files.has_short_numbers, queries)):
            return self.with_trace(unit=MILLISECOND)
        notes: list[str] = []
        fitted = self.fitted(queries, notes.append)
        for text in notes if fitted.trace.time_point != MILLISECOND else ():
            note(text)
        return fitted

    def trace_input(self, paths: Sequence[Path] = ()) -> settings.TraceInput:
        """Return the trace of the files, including the files that --stream names.

        Raises:
            LarsError: Invalid lines are skipped, but no file for skipped lines is given.
        """
        if self.trace.on_error == "skip" and self.trace.rejected is None:
            raise LarsError("--on-error skip requires --rejected FILE")
        unversioned = UNVERSIONED in query_files.current().meanings
        options = replace(
            self.trace, unit=self.trace.time_point, prefixes=self.around.prefixes, unversioned=unversioned
        )
        every = (*paths, *(path for path in options.streams if path not in paths))
        return settings.TraceInput(every, options, self.static)


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """The options for the query language and the evaluation times."""

    HEADING: ClassVar = "Query semantics"
    IDLE: ClassVar = (
        IdleOptions(has("--mode", "push"), ("--period",), requires=PULL_ONLY),
        IdleOptions(has("--mode", "pull"), ("--trigger",), requires=PUSH_ONLY),
    )

    engine: Language | None = option(
        None,
        "Query language of the query. In lars translate with --assign: query language of the query that "
        "lars derives. [default: detected from the window clauses]",
    )
    mode: Side | None = option(
        None,
        "Evaluate the query when data arrive (push), or every U time points (pull). [default: as the "
        "engines of the query do, such as push for CQELS; in lars translate: at every time point]",
    )
    period: Period | None = period_option()


@dataclass(frozen=True, slots=True)
class InterpretationOptions:
    """The options for the semantics of joins, windows and triggers."""

    HEADING: ClassVar = "Query semantics"

    profile: Profile | None = option(
        None,
        "Treat unbound variables and MINUS as in the paper (Dao-Tran et al., 2015) or as in SPARQL "
        "1.1. [default: paper2015]",
    )
    bounds: Bounds | None = bounds_option("the bounds of the query language, or closed")
    trigger: Trigger | None = option(
        None,
        "Triples whose arrival makes push evaluate: any triple (any), triples in a stream of the "
        "query (query-streams), or triples that match a pattern (matching). [default: any]",
    )

    def setting(
        self, unit: Duration, semantics: Semantics | None = None, origin: datetime | None = None
    ) -> Setting:
        """Return the settings of a translation; an option that is not given has its default value."""
        return Setting(
            self.profile or "paper2015",
            unit,
            self.bounds,
            semantics or "set",
            origin=origin_text(origin),
            trigger=self.trigger or "any",
        )


@dataclass(frozen=True, slots=True)
class ProgramOptions:
    """The options for reading a query or program and its input."""

    input_options: InputOptions
    evaluation: EvaluationOptions
    reading: InterpretationOptions
    semantics: Semantics | None = semantics_option("set")

    @property
    def setting(self) -> Setting:
        """The settings of a translation; an option that is not given has its default value."""
        trace = self.input_options.trace
        return self.reading.setting(trace.time_point, self.semantics, trace.origin)

    def fitted(self, query: Path, note: settings.Warn) -> "ProgramOptions":
        """Return the options with a unit that divides the durations of a query and the pull period."""
        options = self.input_options.fitted([query], note, self.evaluation.period)
        return replace(self, input_options=options)

    def check(self, path: Path, **others: object) -> None:
        """Raise LarsError if a LARS program is given with these options, or the query options `others`."""
        flags = flags_of(
            self.evaluation,
            self.reading,
            semantics=self.semantics,
            base=self.input_options.around.base,
            reading=self.input_options.query_readings,
            **others,
        )
        if flags and path.suffix in query_files.PROGRAM_SUFFIXES:
            raise LarsError(
                f"{path}: cannot combine {' and '.join(flags)} with a LARS program, because a program "
                "defines its own windows"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonOptions:
    """The options for reading two compared queries and their trace, and for comparing push and pull.

    If an experiment is given, an option that is not given changes nothing in the experiment.
    """

    HEADING: ClassVar = "Comparison"

    period: tuple[Period, ...] = periods_option(
        "Periods U between two pulls: one period (5), a list (5,10), a range (1..50 or 1s..60s), or a"
        " range with a step (1m..2h..10m). [default: the STEP of the query]"
    )
    assign: Mapping[Iri, tuple[Iri, ...]] | None = assign_option()
    on: tuple[str, ...] | None = option(
        None,
        "Compare only these variables of the rows. With none, compare only whether a row exists. "
        "[default: all variables that both queries return]",
        readers.variables,
    )
    input_options: InputOptions
    reading: InterpretationOptions

    @property
    def durations(self) -> tuple[Duration, ...]:
        """The additional durations that the unit must divide: pull periods and the trace's unit."""
        counted = self.input_options.trace.trace_unit
        return (*query_files.durations_among(self.period), *(() if counted is None else (counted,)))


def in_points(periods: Iterable[Period], unit: Duration) -> tuple[int, ...]:
    """Return pull periods as numbers of time points, each number once."""
    return tuple(dict.fromkeys(points_of(period, unit) for period in periods))


@dataclass(frozen=True, slots=True, kw_only=True)
class TracelessOptions:
    """The queries that are compared on all streams, and the options for reading these queries."""

    HEADING: ClassVar = "Comparison"

    period: tuple[Period, ...] = periods_option(
        "Periods U between two pulls: one period (5), a list (5,10) or a range (1..50 or 1s..60s). "
        "[default: the STEP of the query, or 1..10]"
    )
    static: tuple[settings.StaticFile, ...] = static_option(
        "Static RDF data: the verdict holds for all streams, with these static data. Repeatable. "
        "[default: the verdict holds for all static data]"
    )
    unit: Duration | None = settings.unit_option()
    around: query_files.Around
    reading: InterpretationOptions
    assign: Mapping[Iri, tuple[Iri, ...]] | None = assign_option()


def origin_text(origin: datetime | None) -> str:
    """Return the dateTime of time 0, from which NOW() counts."""
    return EPOCH if origin is None else origin.isoformat().replace("+00:00", "Z")


def check_for_programs(path: Path, flags: Sequence[str]) -> None:
    """Raise LarsError if options about several answer streams are given for a query, which has only one."""
    if flags and path.suffix not in query_files.PROGRAM_SUFFIXES:
        reason = "these options are only for LARS programs (.lars)"
        raise LarsError(f"{path}: cannot combine {' and '.join(flags)} with a query; {reason}")


def is_pushed(query: EngineQuery, evaluation: EvaluationOptions) -> bool:
    """Return whether input triggers a query, by the requested mode, otherwise by the query language."""
    mode = evaluation.mode
    return analysis.is_pushed(query) if mode is None else mode == "push"


def check_evaluated(query: EngineQuery, evaluation: EvaluationOptions, trigger: Trigger) -> None:
    """Raise LarsError for --period if input triggers the query, and for --trigger if time triggers it."""
    title, pushed = TITLES[query.language], is_pushed(query, evaluation)
    if pushed and evaluation.period is not None:
        raise LarsError(
            f"--period requires --mode pull, because a {title} query is evaluated by push if no mode is given"
        )
    if not pushed and trigger != "any":
        raise LarsError(
            f"--trigger requires --mode push, because a {title} query is evaluated by pull if no mode "
            "is given"
        )


def tolerance_option(what: str) -> Any:
    """Return the declaration of --tolerance: the greatest difference at which two numbers count as equal."""
    help_text = f"Relative difference up to which two {what} count as equal, such as 0.001 for 0.1 %."
    return option(TOLERANCE, help_text, least=0, most=1)


def late_option() -> Any:
    """Return the declaration of --late: the greatest delay of a report in milliseconds."""
    help_text = (
        "Maximum number of milliseconds from an evaluation to its report. [default: any delay shorter"
        " than the slide]"
    )
    return option(None, help_text, metavar="MS", least=0)


def t0_option(default: str, read: Callable[[Any], Any], windows: str = "the first window") -> Any:
    """Return the declaration of --t0: the times at which the first window may open."""
    help_text = (
        f"Times at which {windows} may open: a range (0..9) or a list (0,5); or {readers.ALIGNED}: "
        f"windows close at multiples of their slide. [default: {default}]"
    )
    return option(None, help_text, read)


MatchBy = Literal["time", "sequence"]
"""The comparison of reports: by time and content, or by content in order."""
EmptyReports = Literal["compared", "ignored"]
"""The treatment of reports without rows: such reports are compared, or ignored."""
AnswersFormat = Literal["case", "csrbench", "yabench", "sparql-json", "csv", "tsv", "solve", "json"]
"""A format of recorded answers."""


TOLERANCE: Final = 1e-9
"""The greatest difference of two equal numbers, relative to the larger number."""


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """The options for judging answers: the choices to try, the data to compare, and the faults to search for.

    Without `late`, the delay of a report must be shorter than the slide. The fields from `rounding` on are
    set by commands, and not by the user.

    - The field `rounding` is the difference that numbers may have in addition to the tolerance: half of the
      last digit of rounded numbers.
    - The field `lexical` is true if the format of the answers omits the kinds of RDF terms.
    - The field `times` is true if the times of an engine version's reports are compared too.
    - The field `pushes` is true if an engine version's rejected pushes and printed bounds are compared too.
    - The field `most` is the maximum number of combinations of start times to try before the `deadline`.
    - The field `whole` is the number of combinations to judge completely, even if no combination fits the
      answers.
    - The field `worth` is a score: in a run with very many evaluations, start times whose score cannot exceed
      it get no verdict.
    """

    HEADING: ClassVar = "Comparison"

    t0: tuple[int, ...] | str | None = t0_option(
        "all times that can lead to different verdicts", readers.dated_start_times
    )
    match: MatchBy = option(
        "time",
        "Compare the times and the rows of reports (time), or only the rows in their order (sequence).",
    )
    registered: settings.Time = time_option("Time at which the engine received the query.", default=0)
    until: settings.Time | None = time_option(
        "Compare the reports up to TIME. [default: the time of the last element]"
    )
    bounds: Bounds | None = bounds_option()
    semantics: Semantics | None = semantics_option()
    gracious: bool = option(
        False,
        "With --no-diagnosis, find for each wrong window the start and end that fit the recorded rows best.",
    )
    diagnosis: bool = option(
        True, "If answers are wrong, search for a fault of the engine that explains them."
    )
    tolerance: float = tolerance_option("non-integer numbers")
    empty: EmptyReports = option("compared", "Reports without rows are compared, or ignored.")
    early: float = option(
        0,
        "Maximum number of milliseconds from a report to its evaluation, if the report comes earlier.",
        metavar="MS",
        least=0,
    )
    late: float | None = late_option()
    time_limit: float | None = option(
        None,
        "Time limit, in seconds, of the search for the times t0 at which the first window opens.",
        metavar="SECONDS",
        least=0,
    )
    rounding: float = 0.0
    lexical: bool = False
    times: bool = True
    pushes: bool = False
    most: int | None = None
    whole: int = 256
    deadline: Deadline = NEVER
    worth: float = 0

    @property
    def starts(self) -> tuple[int, ...] | None:
        """Return the start times t0 to try, in time points.

        The value is None if all start times that can change the verdict are tried, or if windows are aligned.
        """
        assert not isinstance(self.t0, str) or self.aligned
        return None if isinstance(self.t0, str) else self.t0

    @property
    def aligned(self) -> bool:
        """Whether windows close at multiples of their slide, so that they also open before time 0."""
        return self.t0 == readers.ALIGNED

    @property
    def first(self) -> int:
        """The time point at which the engine received the query."""
        assert isinstance(self.registered, int)
        return self.registered

    @property
    def last(self) -> int | None:
        """The last time point to compare. By default, comparison ends at the last element."""
        assert self.until is None or isinstance(self.until, int)
        return self.until

    def started(self) -> "JudgeOptions":
        """Return the options with the deadline of the time limit; raise LarsError for an infinite number."""
        numbers = {"tolerance": self.tolerance, "early": self.early, "late": self.late or 0}
        for name, value in (*numbers.items(), ("time-limit", self.time_limit or 0)):
            if not isfinite(value):
                raise LarsError(f"--{name} {value}: expected a finite number")
        return replace(self, deadline=Deadline.after(self.time_limit))

    def at_times(self, count: Callable[[settings.Time], int]) -> "JudgeOptions":
        """Return the options with times in time points; the function `count` converts each time."""
        starts = self.t0
        if isinstance(starts, str) and not self.aligned:
            starts = read_numbers(readers.in_time_points(starts, count), START_TIMES)
        until = None if self.until is None else count(self.until)
        return replace(self, t0=starts, registered=count(self.registered), until=until)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersOptions:
    """The options for reading a file of recorded answers.

    If a time in the answers is a number, its unit is `answers_unit`. The default of `answers_unit` is ms in
    files of CSRBench and YABench, and one time point (`unit`) in other files. The field `time_variable`
    contains names of the column of times; dateTimes in this column count from `origin`. The field `rename`
    maps names of columns to variables of the query. If `ordered` is false, the time of a report may be
    earlier than the time of the previous report. If `guesses_time` is true, the values of a table without a
    usual name of times determine the column of times, which is none of the columns `other_times`.

    - If `notation` is a list, it receives the kind and the text of the first time. Without an origin,
      dateTimes then count from 1970.
    - If `skipped` is a list, it receives the invalid lines (place, text, problem), which are skipped.
    """

    HEADING: ClassVar = "Recorded answers"

    answers_format: AnswersFormat | None = option(None, "File format of the answers. [default: detected]")
    answers_unit: Duration | None = option(
        None,
        "Unit of the times in the answers. [default: 1ms for csrbench and yabench, otherwise the "
        "value of --unit]",
        time_unit,
    )
    time_variable: tuple[str, ...] = option(
        (),
        "Name of the column with the times. Repeatable: one name for each file. [default: t, time, timestamp "
        "or a similar name, otherwise the only column in which all values are dateTimes]",
        metavar="NAME",
        keyword="str | Sequence[str] | None",
        repeated=True,
    )
    rename: Mapping[str, str] | None = option(
        None,
        "Compare COLUMN of the answers with VARIABLE of the query, such as unit=pump. Repeatable. "
        "[default: the variable with the name of the column]",
        readers.renamed_columns,
        repeated=True,
    )
    unit: Duration = SECOND
    # Any: an Instant or None; its module loads numpy, which few commands need to read their arguments.
    origin: Any = None
    ordered: bool = True
    guesses_time: bool = True
    other_times: tuple[str, ...] = ()
    notation: list[tuple[Any, str]] | None = None
    skipped: list[tuple[str, str, str]] | None = None

    @property
    def number_unit(self) -> Duration:
        """The unit of times that are numbers."""
        return self.answers_unit or self.unit

    def since(self, zero: str | None) -> "AnswersOptions":
        """Return the options; if no origin is given, `zero` (the dateTime of time 0) becomes the origin."""
        if zero is None or self.origin is not None:
            return self
        from solver.traces import read_time

        return replace(self, origin=read_time(zero))
