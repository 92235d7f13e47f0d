"""The function `compare`: the differences of two engines, and the rules of engines that cause them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from rich.console import RenderableType

from agreement.comparing import judge
from agreement.comparing.compare import (
    DifferenceWithRules,
    Divergence,
    Pairing,
    Reporter,
    check_reporter,
    divergence,
    named_reporter,
)
from agreement.comparing.matching.likeness import Likeness
from agreement.documents import requests
from agreement.documents.dates import Dates
from agreement.documents.options import IdleOptions, OptionValues, declared, flags_of
from agreement.documents.outputs import NO_ROWS, quantity
from agreement.documents.recordings import Case, is_log
from agreement.documents.table_files import Column, OutTable
from agreement.documents.traces import origin_in, point_in
from agreement.documents.values import Period, points_of
from agreement.engines.engine import Engine, columns
from agreement.engines.specifications import EngineRun, Specification, choice_at
from agreement.experiments.as_input import by_profile, experiment_query, query_files
from agreement.experiments.experiment import read_experiment
from agreement.results.base.library import Findings, Listeners, answering, offered_functions
from agreement.results.logs import compared
from agreement.results.renderings import parting_report
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError
from lars.files import exists, read_text
from lars.language.windows import Bounds
from lars.options import argument, option
from solver.memory import FAILED
from solver.settings import Time
from solver.traces import point_of
from translate.model.query import Semantics

if TYPE_CHECKING:
    from agreement.results.renderings.pages.page import Page


_LOG_OPTIONS: Final = (*declared(compared.LogOptions), *declared(requests.AnswersOptions))
_OF_SPECIFICATIONS: Final = ("--t0", "--bounds", "--wait", "--lateness")


def _are_logs(values: OptionValues) -> bool:
    return is_log(str(values["first"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest:
    """The arguments of `lars compare`.

    Prints the times at which the two engines report different rows.
    Also prints the rules of the engines that explain the differences.
    For two logs of alerts, prints the alerts in only one log, and the delays between the logs.
    With --events, also prints the times of evaluation and the windows that predict each log.

    Examples, in samples/judged/met:
    lars compare cqels cqels-1.x query.cqels.rq doors.nq
    lars compare answers.cqels.ndjson answers.csparql.ndjson --answers-unit 1ms
    """

    IDLE: ClassVar = (
        IdleOptions(_are_logs, ("--t0", "--bounds", "--semantics"), excludes="two logs of alerts"),
        IdleOptions(
            lambda values: not _are_logs(values),
            tuple(option.flag for option in _LOG_OPTIONS),
            requires="two logs of alerts: tables such as a.csv and b.csv in place of the engines",
        ),
    )

    first: str = argument(
        "ENGINE",
        "First engine: a specification (csparql, cqels, sparqlstream, rspql, or a .toml file), a "
        "simulated engine version, or adapter:COMMAND for a real engine. On the command line, the "
        "first engine can also be a log of alerts (.csv or another table).",
    )
    second: str = argument(
        "ENGINE",
        "Second engine, or second log of alerts. With two queries, the second engine runs the second query.",
    )
    inputs: tuple[Path, ...] = argument(
        "CASE.json.. | EXPERIMENT_DIR | QUERY [QUERY] TRACE..",
        "Recorded cases (.json); or a folder with an experiment.toml; or one query for both engines, or two "
        "queries, one for each engine; then recorded streams.",
        default=(),
        source="trace",
    )
    t0: Time | None = requests.time_option(
        "Time at which the first window of a specification opens. [default: a time with which windows"
        " close at multiples of the slide]"
    )
    bounds: Bounds | None = requests.bounds_option()
    semantics: Semantics | None = requests.semantics_option()
    tolerance: float = requests.tolerance_option("numbers")
    times: bool = option(
        True, "For two reports after the same element, compare not only the rows but also the times."
    )
    fail_on_empty: bool = requests.fail_on_empty_option()
    wait: Period = requests.wait_option()
    lateness: Period | None = requests.lateness_option()
    input_options: requests.InputOptions
    logs: compared.LogOptions
    recorded: requests.AnswersOptions


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CompareResult(Findings):
    """The result of `compare`: the differences between two engines, on a trace or on recorded cases."""

    verdict: ClassVar[str | None] = "same"

    comparisons: tuple[Divergence, ...]
    _refused: tuple[judge.RefusedCase, ...] = ()
    _fails_on_empty: bool = False

    @property
    def same(self) -> bool | None:
        """Whether both engines report the same rows.

        The value is None if no difference was found, but some cases cannot be compared.
        """
        same = all(comparison.same for comparison in self.comparisons)
        return None if same and self._refused else same

    @property
    def refused(self) -> Mapping[str, str]:
        """The cases that cannot be compared, each with the reason."""
        return {case.id: case.problem for case in self._refused}

    @property
    def incomparable(self) -> str | None:
        """A message with the number of cases that cannot be compared; None if all cases can be compared."""
        return judge.refusals_text(self._refused, len(self._refused) + len(self.comparisons))

    @property
    def differences(self) -> tuple[DifferenceWithRules, ...]:
        """The times or pushes at which the engines differ, each with the rules that cause the difference."""
        return tuple(parted for comparison in self.comparisons for parted in comparison.parted)

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code: 1 for a difference, 2 if cases cannot be compared, 3 with --fail-on-empty."""
        if self.incomparable is not None:
            return 2, self.incomparable
        empty = sum(comparison.is_empty for comparison in self.comparisons)
        if self._fails_on_empty and self.same and empty:
            several = quantity(len(self.comparisons), "comparison")
            return FAILED, f"--fail-on-empty{NO_ROWS} in {empty} of {several}"
        return int(not self.same), None

    @property
    def headline(self) -> str:
        """One line: where the engines differ, and the number of cases that cannot be compared."""
        left = f"; {quantity(len(self._refused), 'more case')} cannot be compared" if self._refused else ""
        return f"{parting_report.sentence(self.comparisons)}{left}"

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return parting_report.as_json(self.comparisons, self._refused)

    def parts(self) -> Iterable[RenderableType]:
        """Yield the texts and tables that the terminal shows."""
        return parting_report.as_text(self.comparisons, self._refused)

    def page(self) -> "Page":
        """Return the content of the HTML report."""
        # Loads what only pages need.
        from agreement.results.renderings.pages.blocks import text_page
        from agreement.results.renderings.pages.page import Page
        from agreement.results.renderings.parting_report import parting_timelines

        first, second = self.comparisons[0].names
        question = f"When do {first} and {second} report different rows, and which rules explain this?"
        head = Page(f"{first} and {second}", question, self.same, self.headline, self.warnings)
        if len(self.comparisons) > 1:
            return text_page(head, self.document(), self.parts())
        (comparison,) = self.comparisons
        left = map(parting_report.not_compared, self._refused)
        page = text_page(head, self.document(), chain(parting_report.page_parts(comparison), left))
        return replace(page, page=page.page | {"timelines": parting_timelines(comparison)})

    def tables(self) -> Sequence[OutTable]:
        """Return the table `differences`."""
        return (OutTable("differences", _COLUMNS, self._rows()),)

    def _rows(self) -> Iterable[tuple[str | None, int, str, int, int, str, bool]]:
        for comparison in self.comparisons:
            for parted in comparison.parted:
                causes = " ".join(cause.rule.name for cause in parted.causes)
                place, when = int(parted.difference.at), parting_report.time_of(parted, comparison)
                first, second = len(parted.difference.rows.missing), len(parted.difference.rows.extra)
                yield comparison.title, place, when, first, second, causes, parted.undone


_COLUMNS = (
    Column("case", str, "name of the recorded case; none: the input is a trace"),
    Column("place", int, "number of the push or of the time unit at which the engines differ"),
    Column("time", str, "time of the push or of the time unit, as in the text output"),
    Column("only_first", int, "number of rows that only the first engine reports"),
    Column("only_second", int, "number of rows that only the second engine reports"),
    Column("parted_by", str, "rules or fields that cause the difference"),
    Column("undone", bool, "whether the difference disappears without these rules"),
)


def _unfolded(request: CompareRequest, listeners: Listeners) -> CompareRequest:
    """Return a request in which the queries and traces of an experiment replace the experiment."""
    if not any(exists(path / requests.EXPERIMENT_FILE) or path.suffix == ".toml" for path in request.inputs):
        return request
    profiles = [request.first, request.second]
    read = experiment_query(request.inputs, request.input_options, profiles, listeners.note)
    if read is None:
        raise LarsError("an experiment contains queries and traces; use the experiment without other inputs")
    files = query_files(read_experiment(request.inputs[0]), profiles)
    queries = tuple(dict.fromkeys(by_profile(files, name) for name in profiles))
    return replace(request, inputs=(*queries, *read.traces), input_options=read.input_options)


@offered_functions(CompareRequest, without=[option.name for option in _LOG_OPTIONS])
def compare(request: CompareRequest, listeners: Listeners) -> CompareResult:
    """Return the differences of two engines on a query and traces, or on recorded cases.

    >>> met = "samples/judged/met/"
    >>> result = compare("cqels", "cqels-1.x", met + "query.cqels.rq", met + "doors.nq")
    >>> result.same, [parted.difference.at for parted in result.differences]
    (False, [6])
    """
    request = _unfolded(request, listeners)
    for name in (request.first, request.second):
        check_reporter(name)
    if not _are_cases(request.inputs):
        return CompareResult((_on_trace(request, listeners),), (), request.fail_on_empty)
    wrong = (
        *flags_of(request.input_options),
        *(flag for flag in flags_of(request) if flag in ("--wait", "--lateness")),
    )
    if wrong:
        raise LarsError(
            f"cannot combine {' and '.join(wrong)} with a recorded case, which contains its query and trace"
        )
    work = partial(_on_case, request)
    every = list(judge.each_case(judge.case_files(request.inputs), work, listeners.progress))
    comparisons = tuple(comparison for comparison in every if isinstance(comparison, Divergence))
    refused = tuple(comparison for comparison in every if isinstance(comparison, judge.RefusedCase))
    if not comparisons:
        raise LarsError(str(judge.refusals_text(refused, len(refused))))
    return CompareResult(comparisons, refused, request.fail_on_empty)


_CASE: Final = ".json"
_ACCEPTED: Final = (
    f"QUERY [QUERY] TRACE.. (queries: {', '.join(requests.QUERY_SUFFIXES)}), "
    f"or recorded cases (*{_CASE}, or folders of them)"
)


def _are_cases(inputs: Sequence[Path]) -> bool:
    """Return whether the inputs are recorded cases.

    Raises:
        LarsError: No input is given, or only some inputs are cases.
    """
    if not inputs:
        raise LarsError(f"missing input; expected {_ACCEPTED}")
    cases = [path for path in inputs if path.suffix == _CASE or exists(path, folder=True)]
    if cases and inputs[0] in cases and len(cases) < len(inputs):
        other = next(path for path in inputs if path not in cases)
        raise LarsError(f"{other}: not a recorded case; expected {_ACCEPTED}")
    return inputs[0] in cases


def _on_trace(request: CompareRequest, listeners: Listeners) -> Divergence:
    """Return the differences of two engines on a trace.

    If two queries are given, the second engine runs the second query.
    """
    split = 2 if len(request.inputs) > 1 and requests.is_query(request.inputs[1]) else 1
    queries = request.inputs[:split]
    given = request.input_options
    requests.check_arrival(given.trace.arrival, request.wait, request.lateness)
    # Without a wait or a lateness, the unit is the one by which engines read numbers in windows.
    lengths = [each for each in (request.wait, request.lateness) if isinstance(each, Duration)]
    read = (
        given.fitted(queries, listeners.note, *lengths)
        if lengths
        else given.as_engines_count(queries, listeners.note)
    )
    trace, unit = read.trace_input(request.inputs[split:]), read.trace.time_point
    wait, lateness = (
        points_of(request.wait, unit),
        None if request.lateness is None else points_of(request.lateness, unit),
    )
    texts = [requests.absolute_text(read_text(path, judge.ANSWERS_FORM), str(path)) for path in queries]
    _check_columns(queries, unit)
    warnings: list[str] = []
    sides = named_reporter(request.first, texts[0]), named_reporter(request.second, texts[-1])
    who = [side.who for side in sides]
    runs, zero = [], None
    for path, reader in zip((queries[0], queries[-1]), who, strict=True):
        query = judge.read_judged_query(path, unit, reader, by_number=True)
        warnings += judge.remarks_on(query, path)
        pushes, zero = judge.read_pushes(trace, query, unit, warnings.append)
        static = judge.static_of_run(trace.static, query, warnings.append)
        origin = origin_in(zero, trace.options)
        runs.append(EngineRun(query, static, pushes, unit, origin, wait, lateness))
    for reader, run in zip(who, runs, strict=True):
        if not isinstance(reader, Specification):
            judge.check_order(run.pushes, warnings.append)
    start = None if request.t0 is None else point_in(zero, request.t0, trace.options, runs[0].last)
    pairing = _paired(request, sides, (runs[0], runs[1]), start)
    found = replace(divergence(pairing, listeners.progress), dates=Dates(zero, unit))
    for reader, run, silent in zip(who, runs, found.silent, strict=True):
        choices = []
        if isinstance(reader, Specification):
            choices.append(choice_at(run, reader, start, request.bounds))
        warnings += judge.why_silent(reader, run, choices) if silent else ()
    for message in dict.fromkeys(warnings):
        listeners.warn(message)
    return found


def _on_case(request: CompareRequest, case: Case) -> Divergence:
    """Return the differences of two engines on the query and the stream of a recorded case."""
    sides = named_reporter(request.first, case.query), named_reporter(request.second, case.query)
    first, second = (
        judge.run_of_case(case, side.who if isinstance(side.who, Engine) else None) for side in sides
    )
    unit = judge.unit_of(first.query, first.pushes)
    start = (
        None if request.t0 is None else point_of(request.t0, None, request.input_options.trace.time_point, 0)
    )
    pairing = _paired(request, sides, (replace(first, unit=unit), replace(second, unit=unit)), start)
    return replace(divergence(pairing), title=case.id)


def _paired(
    request: CompareRequest,
    sides: tuple[Reporter, Reporter],
    runs: tuple[EngineRun, EngineRun],
    start: int | None,
) -> Pairing:
    fixed = not any(isinstance(side.who, Specification) for side in sides)
    if fixed and (wrong := [flag for flag in flags_of(request) if flag in _OF_SPECIFICATIONS]):
        raise LarsError(f"{wrong[0]} requires a specification; engine versions determine their windows")
    lexical = any(side.lexical for side in sides)
    likeness = Likeness(request.semantics or "bag", request.tolerance, lexical=lexical)
    first, second = (replace(side, start=start, bounds=request.bounds) for side in sides)
    return Pairing((first, second), runs, likeness, request.times)


def _check_columns(paths: Sequence[Path], unit: Duration) -> None:
    """Raise LarsError if the two queries return different variables, so that every row would differ."""
    named = [
        sorted(columns(requests.as_engines_read(path) or requests.load_query(path, unit, graphs=True)))
        for path in paths
    ]
    if named[0] != named[-1]:
        one, other = (", ".join(f"?{name}" for name in names) or "none" for names in (named[0], named[-1]))
        raise LarsError(
            f"{paths[-1]}: the query returns the variables {other}, {paths[0]} returns {one}; "
            "expected the same variables"
        )


@offered_functions(CompareRequest)
def compare_either(request: CompareRequest, listeners: Listeners) -> CompareResult | compared.LogsResult:
    """Run `lars compare`, for two engines or for two logs of alerts."""
    if not is_log(request.first):
        return answering(compare).answer(request, listeners)
    if request.inputs:
        raise LarsError(
            f"{request.inputs[0]}: cannot compare this file with the logs of alerts {request.first} and "
            f"{request.second}; use one command for each pair of logs, and --events FILE for a log of events"
        )
    logs_request = compared.LogsRequest(
        first=Path(request.first),
        second=Path(request.second),
        logs=request.logs,
        recorded=request.recorded,
        tolerance=request.tolerance,
        times=request.times,
        fail_on_empty=request.fail_on_empty,
        wait=request.wait,
        lateness=request.lateness,
        input_options=request.input_options,
    )
    return answering(compared.compare_logs).answer(logs_request, listeners)
