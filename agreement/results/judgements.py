"""The function `judge`: whether an engine's answers are correct, and which fault explains wrong answers.

A specification leaves the start time t0 of windows open; the function also finds the start times that fit.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from rich.console import RenderableType

from agreement.comparing.judge import Judgement, RefusedCase, case_files, judging
from agreement.comparing.judge.alignment import beyond, check_columns, column_names, oddities
from agreement.comparing.judge.diagnosis import FaultExplanation, RecordingToJudge
from agreement.comparing.judge.judging import SOLVE, AnswersVerdict, CaseVerdict
from agreement.documents import requests
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.options import IdleOptions, flags_of, has, has_not, names_of, shell_words
from agreement.documents.outputs import quantity
from agreement.documents.recordings import Recording, is_log, read_recording
from agreement.documents.table_files import OutTable
from agreement.documents.traces import check_graphs, counted_from, origin_in, point_in
from agreement.documents.values import Period, points_of
from agreement.engines.engine import columns
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import (
    EngineRun,
    Specification,
    is_clocked,
    specification,
    with_versions,
)
from agreement.experiments.as_input import experiment_query
from agreement.experiments.junit import VerdictCase
from agreement.results.base.library import Findings, Listeners, offered_functions
from agreement.results.renderings import verdict_report
from agreement.results.renderings.judged_windows import (
    WindowVerdict,
    best_windows,
    cases_table,
    judged_windows,
    recorded_cases,
    windows_cases,
    windows_table,
)
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, Duration
from lars.errors import LarsError
from lars.files import read_text
from lars.options import argument, option
from solver.settings import TraceInput, TraceOptions, Warn
from solver.traces import SkippedLine, instant_of, keep_skipped, point_of, read_static
from translate.model.query import MERGING, EngineQuery
from translate.model.windows import Range

if TYPE_CHECKING:
    from agreement.results.renderings.pages.page import Page


_OF_FILES: Final = (names_of(requests.AnswersOptions, requests.InputOptions) - {"--unit"}) | {
    "--gracious",
    "--lateness",
    "--static-at",
    "--wait",
}
_OF_SPECIFICATIONS: Final = frozenset(
    (
        "--t0",
        "--registered",
        "--until",
        "--bounds",
        "--early",
        "--late",
        "--gracious",
        "--lateness",
        "--static-at",
        "--time-limit",
        "--wait",
    )
)
_OF_TIMES: Final = frozenset(("--until", "--early", "--late", "--wait"))


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """The arguments of `lars judge`.

    Tries each time t0 at which the first window may open.
    If the answers are wrong for every t0, prints the wrong windows and the engine fault that explains them.

    Example, in samples/judged/met:
    lars judge query.csparql.rq doors.nq --answers answers.csparql.ndjson --answers-unit 1ms
    """

    IDLE: ClassVar = (
        IdleOptions(has_not("--engine", SOLVE), ("--mode", "--period"), requires=f"--engine {SOLVE}"),
        IdleOptions(
            has("--engine", SOLVE),
            (
                "--arrival",
                "--bounds",
                "--empty",
                "--gracious",
                "--match",
                "--registered",
                "--static-at",
                "--t0",
            ),
            excludes=f"--engine {SOLVE}, which compares rows at their times, and has no open parameters",
        ),
    )

    inputs: tuple[Path, ...] = argument(
        "CASE.json.. | EXPERIMENT_DIR | QUERY TRACE..",
        "Recorded cases (.json files or folders of .json files); or, with --answers, a folder with an "
        "experiment.toml, or a query and recorded streams.",
        default=(),
        source="trace",
    )
    answers: Path | None = option(
        None,
        "File with the recorded answers of the engine to QUERY on TRACE.",
        source="trace",
        keyword="TextSource | ArrowTable | None",
    )
    engine: str | None = option(
        None,
        "Specification (csparql, cqels, sparqlstream, rspql, or a .toml file) or simulated engine "
        "version that defines the correct answers. With the value solve, the answers of lars solve count "
        "as correct. For recorded cases, the value specification means the specification of the engine "
        "that the case names. [default for cases: the engine that the case names]",
        metavar="NAME",
    )
    mode: requests.Side | None = option(
        None,
        "With --engine solve: evaluate when data arrive (push), or every U time points (pull). "
        "[default: as the engines of the query do, such as push for CQELS]",
    )
    period: Period | None = requests.period_option()
    how: requests.JudgeOptions
    recorded: requests.AnswersOptions
    input_options: requests.InputOptions
    wait: Period = requests.wait_option()
    lateness: Period | None = requests.lateness_option()
    static_at: tuple[str, ...] = option(
        (), "Static data that are valid only from time FROM to time TO.", metavar="FROM..TO=FILE"
    )


def _check_said(flags: Sequence[str], match: requests.MatchBy, *, cases: bool, version: bool) -> None:
    """Raise LarsError if the user gives an option that has no effect on the requested judgement.

    Because a recorded case contains its own query and stream, options that name files have no effect on the
    case. Because an engine version has no open parameters, options that set parameters have no effect on it.
    Because a comparison by sequence ignores times, options of times have no effect on the comparison.
    """
    sequence = match == "sequence"
    refusals = (
        (cases, _OF_FILES, "a recorded case, which contains its query, stream and answers"),
        (version, _OF_SPECIFICATIONS, "an engine version, which has no open parameters; use a specification"),
        (sequence, _OF_TIMES, "--match sequence, which compares no times"),
    )
    for refuses, names, other in refusals:
        if refuses and (refused := [flag for flag in flags if flag in names]):
            raise LarsError(f"cannot combine {' and '.join(refused)} with {other}")


def _title(query: Path, traces: Sequence[Path]) -> str:
    return f"Answers to {query.name} on {', '.join(path.name for path in traces) or 'named streams'}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JudgeResult(Findings):
    """The result of `judge`: the verdict on recorded answers, or on recorded cases.

    If `correct` is None, `undecided` contains the reason.
    """

    verdict: ClassVar[str | None] = "correct"

    _verdict: AnswersVerdict | None = None
    _title: str = "Recorded cases"
    _cases: tuple[CaseVerdict, ...] = ()
    _only: AnswersVerdict | None = None
    _refused: tuple[RefusedCase, ...] = ()
    _other_command: str = ""

    @property
    def correct(self) -> bool | None:
        """Whether the answers, or the answers of all cases, are correct; None if the verdict is undecided."""
        if self._verdict is not None:
            return self._verdict.correct
        return judging.overall([*(case.correct for case in self._cases), *(None for _ in self._refused)])

    @property
    def dates(self) -> Dates:
        """The object that maps time points to dateTimes; maps nothing for integer times or several cases."""
        return NO_DATES if self._verdict is None else self._verdict.dates

    @property
    def refused(self) -> Mapping[str, str]:
        """The cases that cannot be judged, each with the reason."""
        return {case.id: case.problem for case in self._refused}

    @property
    def undecided(self) -> str | None:
        """The reason why the answers are neither correct nor incorrect; None for a verdict."""
        return judging.undecided_cases(self._cases) if self._verdict is None else self._verdict.undecided

    @property
    def incomparable(self) -> str | None:
        """A sentence with the number of cases that cannot be judged, and the first reason.

        If all cases can be judged and no case is incorrect, the sentence contains the number of cases in
        which no report can be compared. The value is None if every case has compared reports, or if some case
        is incorrect.
        """
        if self._refused:
            return judging.refusals_text(self._refused, len(self._refused) + len(self._cases))
        return judging.cases_without_reports(self._cases)

    @property
    def verdicts(self) -> tuple[WindowVerdict, ...]:
        """The verdict on each window, or on each step of an engine version; empty for several cases."""
        return () if self._verdict is None else tuple(judged_windows(self._verdict))

    @property
    def differences(self) -> tuple[WindowVerdict, ...]:
        """The compared windows whose rows are wrong."""
        return tuple(verdict for verdict in self.verdicts if verdict.is_wrong)

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code: 1 if answers are incorrect, 2 if nothing can be compared, 3 if undecided, else 0."""
        if self.incomparable is not None and (self.refused or self.undecided is None):
            return 2, self.incomparable
        return (3, str(self.undecided)) if self.correct is None else (int(not self.correct), None)

    @property
    def headline(self) -> str:
        """One line with the verdict; for recorded cases, with the number of cases that are as predicted."""
        if self._verdict is None:
            return verdict_report.cases_sentence(self._cases, self._refused)
        return super(JudgeResult, self).headline  # noqa: UP008  (with slots, a second class is made)

    def cases(self) -> Iterator[VerdictCase]:
        """Yield a test case for each compared window of the best t0, or for each recorded case."""
        if self._verdict is not None:
            return windows_cases(best_windows(self._verdict), self.dates)
        return recorded_cases(self._cases, self._refused)

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        if self._verdict is not None:
            return verdict_report.answers_json(self._verdict)
        return verdict_report.cases_json(self._cases, self._refused)

    def parts(self) -> Iterable[RenderableType]:
        """Yield the texts and tables of the verdict."""
        if self._verdict is not None:
            yield from verdict_report.of_answers(self._verdict)
            yield from verdict_report.by_other_command(self._verdict, self._other_command)
            return
        yield from verdict_report.text_of_cases(self._cases, self._refused)
        if self._only is not None:
            yield from verdict_report.of_answers(self._only)

    def page(self) -> "Page":
        """Return the content of the HTML report."""
        # Loads what only pages need.
        from agreement.results.renderings.pages.judge_page import answers_page, cases_page

        what = self.document(), self.parts(), self.warnings
        if self._verdict is None:
            return cases_page(self._title, self.correct, *what)
        return answers_page(self._title, self._verdict, *what)

    def tables(self) -> Sequence[OutTable]:
        """Return one table: `windows` (by a specification), `steps` (by an engine version), or `cases`."""
        if self._verdict is None:
            return (cases_table(self._cases, self._refused),)
        return (windows_table(self._verdict),)


@offered_functions(JudgeRequest)
def judge(request: JudgeRequest, listeners: Listeners) -> JudgeResult:
    """Return whether recorded answers are correct, for a query and traces or for recorded cases in JSON.

    >>> met = "samples/judged/met/"
    >>> recorded = {"answers": met + "answers.csparql.ndjson", "answers_unit": "1ms"}
    >>> result = judge(met + "query.csparql.rq", met + "doors.nq", **recorded)
    >>> windows = [verdict for verdict in result.verdicts if verdict.phase == "windows"]
    >>> result.correct, [(verdict.start, verdict.end, verdict.delay) for verdict in windows]
    (True, [(2, 12, 1.0), (12, 22, 1.0), (22, 32, 1.0)])
    """
    options = request.how.started()
    cases = request.answers is None
    # Without a name, the engine of a case decides what judges it, and whether options are open.
    version = request.engine in ENGINES
    _check_said(flags_of(request), request.how.match, cases=cases, version=version)
    read_alone = (
        None
        if request.answers is None
        else experiment_query(request.inputs, request.input_options, [request.engine], listeners.note)
    )
    if read_alone is not None:
        inputs = (read_alone.query, *read_alone.traces)
        request = replace(request, inputs=inputs, input_options=read_alone.input_options)
    if request.answers is None:
        if request.engine == SOLVE:
            raise LarsError(f"--engine {SOLVE} requires --answers")
        judging.check_case_judge(request.engine)
        paths = case_files(request.inputs)
        options = options.at_times(lambda time: point_of(time, None, MILLISECOND))
        left_open = [flag for flag in flags_of(request) if flag in _OF_SPECIFICATIONS]
        unit = request.input_options.trace.unit
        work = partial(
            judging.judged_case, judge=request.engine, options=options, open_options=left_open, unit=unit
        )
        every = list(judging.each_case(paths, work, listeners.progress))
        verdicts = tuple(verdict for verdict in every if isinstance(verdict, CaseVerdict))
        refused = tuple(verdict for verdict in every if isinstance(verdict, RefusedCase))
        only = None
        if len(verdicts) == len(paths) == 1:
            only = judging.explained_case(verdicts[0], options, listeners.progress, unit, _hunted_faults)
        return JudgeResult(_cases=verdicts, _refused=refused, _only=only)
    query, traces = judging.paths_of(request.inputs)
    given = request.input_options
    requests.check_arrival(given.trace.arrival, request.wait, request.lateness)
    # Without a unit, the numbers of Kolibrie count what `lars record` gives to the engine.
    by_number = given.trace.unit is None and requests.as_engines_read(query) is not None
    lengths = request.wait, request.lateness
    fitted = (
        given.as_engines_count([query], listeners.note)
        if by_number
        else given.fitted([query], listeners.note, *lengths)
    )
    request = replace(request, inputs=(query, *traces), input_options=fitted)
    period = None if read_alone is None else read_alone.period
    verdict = _judged(request, options, listeners, period, by_number=by_number)
    # The command counts time by itself.
    command = _comparing(replace(request, input_options=given), listeners)
    return JudgeResult(verdict, _title(query, traces), _other_command=command)


def _comparing(request: JudgeRequest, listeners: Listeners) -> str:
    """Return the `lars compare` command that reads the answers of a request as a log of alerts."""
    query, *traces = map(str, request.inputs)
    answers, given = str(request.answers), request.input_options
    if listeners.source_files is not None or not is_log(answers):
        return "lars compare ALERTS ALERTS --events FILE --query QUERY"
    events = (("--events", name) for name in dict.fromkeys((*traces, *map(str, given.trace.streams))))
    late = (("--wait", request.wait), ("--lateness", request.lateness))
    waits = ((flag, str(length)) for flag, length in late if length)
    options = chain(*events, *waits, shell_words(request.recorded), shell_words(given))
    return shlex.join(("lars", "compare", answers, answers, "--query", query, *options))


def _judged(
    request: JudgeRequest,
    options: requests.JudgeOptions,
    listeners: Listeners,
    period: Period | None,
    *,
    by_number: bool,
) -> AnswersVerdict:
    """Return the verdict on recorded answers, with an explanation if they are incorrect.

    If nothing can be compared, the function first warns about possible reasons.

    Args:
        request: The request.
        options: The settings for judging.
        listeners: The functions that receive warnings and progress.
        period: The pull period of the experiment; None without an experiment.
        by_number: Whether integers in the windows of a Kolibrie query have the unit of the trace.

    Raises:
        LarsError: Nothing can be compared.
    """
    unit, messages, skipped = request.input_options.trace.time_point, list[str](), list[SkippedLine]()
    name = judging.language_of(request.inputs[0], unit) if request.engine is None else request.engine
    if name != SOLVE:
        judging.check_judge(name)
    trace = request.input_options.trace_input(request.inputs[1:])
    query = judged_query(request.inputs[0], name, unit, by_number=by_number)
    messages += judging.remarks_on(query, request.inputs[0])
    run, zero = judged_run(query, name, trace, unit, messages.append)
    counted = counted_from(zero, trace.options, run.last)
    run = replace(
        run,
        wait=points_of(request.wait, unit),
        lateness=None if request.lateness is None else points_of(request.lateness, unit),
        origin=origin_in(zero, counted),
    )
    if trace.options.origin not in (None, counted.origin):
        messages.append(_KEPT)
    if run.wait and name != SOLVE and not is_clocked(specification(name)):
        raise LarsError(
            f"--wait has no effect, because the specification {name} reports when elements arrive; use a "
            "specification with window-close or periodic"
        )
    if period is not None and name != SOLVE and name not in ENGINES:
        run = replace(run, query=_pulled(run.query, period, unit, listeners.note))
    assert request.answers is not None
    reading = _reading(request, counted, skipped).since(zero)
    given = read_recording(request.answers, reading)
    check_columns(given, run.query, reading.rename or {}, str(request.answers))
    _check_triggers(given, len(run.pushes))
    count = partial(point_in, zero, options=counted, last=run.last)
    options = options.at_times(count)
    versions = judging.read_versions(requests.in_time_points(text, count) for text in request.static_at)
    everything = with_versions(run.static, versions, versions)
    check_graphs(everything, run.query.dataset, messages.append)
    recording = judging.recording_to_judge(run, unit, given, options, versions)
    if name == SOLVE:
        judgement = _judged_by_solve(request, recording, trace, period, messages.append)
        names = column_names(recording.recording, columns(query))
        verdict = AnswersVerdict(judgement, names, Dates(zero, unit), lexical=recording.options.lexical)
    else:
        verdict = judging.verdict_on(name, recording, listeners.progress, zero, _hunted_faults)
    messages += _remarks(verdict, recording)
    messages += _unexpanded(verdict, request.inputs[0])
    if verdict.judgement.silent and name != SOLVE:
        tried = (
            verdict.judgement.verdicts[: judging.NAMED] if isinstance(verdict.judgement, Judgement) else ()
        )
        choices = [each.choice for each in tried]
        silent = judging.why_silent(judging.judge_named(name), replace(run, static=everything), choices)
        verdict = replace(verdict, silent=tuple(silent))
        messages += verdict.silent
    if verdict.correct is False and name != SOLVE and name not in ENGINES and not request.static_at:
        # Loads what evaluates queries, which only wrong answers need.
        from agreement.answering.solve.solved_answers import nearer_to_solve

        assert isinstance(verdict.judgement, Judgement)
        messages += nearer_to_solve(request.inputs[0], trace, recording, verdict.judgement)
    # Only now: each reading of the trace writes its own invalid lines.
    _keep_answers(request.answers, skipped, trace.options.rejected, messages.append)
    # Only now: a warning does not come before an error.
    for message in dict.fromkeys(messages):
        listeners.warn(message)
    if problem := judging.nothing_to_compare(verdict.judgement, verdict.dates):
        raise LarsError(problem)
    return verdict


_KEPT: Final = (
    "--origin does not change the times of the trace, because integers in the trace and in the answers count "
    "from 1970"
)


def _reading(
    request: JudgeRequest, options: TraceOptions, skipped: list[SkippedLine]
) -> requests.AnswersOptions:
    """Return the options for reading the answers to a trace with the given options."""
    return replace(
        request.recorded,
        unit=options.time_point,
        origin=None if options.origin is None else instant_of(options.origin),
        ordered=request.how.match == "time",
        skipped=skipped if options.on_error == "skip" else None,
    )


def _keep_answers(path: Path, skipped: Sequence[SkippedLine], kept: Path | None, warn: Warn) -> None:
    """Add the invalid lines of the answers to the file of --rejected, which has those of the trace."""
    if skipped and kept is not None:
        keep_skipped(kept, skipped, more=True)
        them = "it" if len(skipped) == 1 else "them"
        warn(f"skipped {quantity(len(skipped), 'invalid line')} of {path} and wrote {them} to {kept}")


def _judged_by_solve(
    request: JudgeRequest, recording: RecordingToJudge, trace: TraceInput, period: Period | None, warn: Warn
) -> Judgement:
    """Return the judgement by the answers of `lars solve`; `period` is the pull period of the experiment."""
    # Loads what evaluates queries.
    from agreement.answering.solve.solved_answers import solved_judgement

    how = requests.EvaluationOptions(mode=request.mode, period=request.period)
    if request.period is None and not requests.is_pushed(recording.run.query, how):
        how = replace(how, period=period)
    return solved_judgement(request.inputs[0], trace, how, recording, warn)


def _hunted_faults(recorded: RecordingToJudge, of: Specification) -> Iterator[FaultExplanation]:
    """Yield the faults that `lars hunt` would name for a recording, in the order of `lars hunt`."""
    # Loads what only wrong answers need.
    from agreement.proving.hunting.switches import faults_of_recording

    yield from faults_of_recording(recorded, of)


def _remarks(verdict: AnswersVerdict, recording: RecordingToJudge) -> Iterator[str]:
    """Yield warnings about unusual properties of the recorded answers, such as reports after the trace."""
    yield from oddities(recording.recording, recording.task.query, correct=verdict.correct is True)
    if verdict.lost:
        known = "answers are correct" if verdict.correct else "windows that are not wrong are right"
        yield f"some triples go back in time. The {known} if the engine lost some of them."
    if recording.options.match == "time":
        yield from beyond(recording.recording, recording.task)
        yield from _repeated(verdict)
    if verdict.correct is False and recording.options.deadline.is_over:
        yield "--time-limit has ended the search for the fault that explains it"


def _repeated(verdict: AnswersVerdict) -> Iterator[str]:
    """Yield a warning if a row comes again at a later time for one evaluation, and sets ignore the row."""
    judgement, length = verdict.judgement, verdict.dates.unit.milliseconds
    if not isinstance(judgement, Judgement) or judgement.specification.rows != "set":
        return
    for window in judgement.best.windows:
        first = {row: report.t for report in reversed(window.came) for row in report.rows}
        pairs = ((report.t, row) for report in window.came for row in report.rows)
        again = [t for t, row in pairs if t >= first[row] + length]
        if again:
            late, at = (judging.in_points(t, length, verdict.dates) for t in (again[0], window.at))
            yield (
                f"{quantity(len(again), 'row')} came again later, at {late}, for the evaluation at {at}; "
                "sets ignore equal rows. To reject later reports, use --late 0"
            )
            return


_PREFIX: Final = re.compile(r"\bPREFIX\s+([\w.-]*):\s*<([^<>\s]*)>", re.IGNORECASE)
_SHORT_NAME: Final = re.compile(r"""["<]([\w.-]*):([^"<>:/#]+)[">]""")


def _unexpanded(verdict: AnswersVerdict, query: Path) -> Iterator[str]:
    """Yield a warning if wrong rows are expected rows with IRIs written as PREFIX:NAME.

    A text such as "ex:ann" is not replaced by an IRI, because it can be a literal of the data.
    """
    if verdict.correct is not False:
        return
    prefixes = {**(requests.current().prefix or {}), **dict(_PREFIX.findall(read_text(query, "a query")))}

    def iri(term: str | None) -> str | None:
        match = _SHORT_NAME.fullmatch(term or "")
        return term if match is None or match[1] not in prefixes else f"<{prefixes[match[1]]}{match[2]}>"

    for window in judged_windows(verdict):
        for row in window.rows.extra:
            written = tuple(map(iri, row))
            if written != row and written in window.rows.missing:
                short, full = next(both for both in zip(row, written, strict=True) if both[0] != both[1])
                assert short is not None
                assert full is not None
                yield (
                    f"the answers have the expected values with prefixes in place of full IRIs; write "
                    f"{full[1:-1]} in place of {short[1:-1]} in the answers"
                )
                return


def _pulled(query: EngineQuery, period: Period, unit: Duration, note: Warn) -> EngineQuery:
    """Return a query that is evaluated at each pull period, from a query of a pull engine without STEP.

    A query with STEP, or of a push engine, is returned unchanged.
    """
    if judging.lacks_step(query):
        note(judging.AT_EACH_PERIOD.format(period))
        return replace(query, every=Duration(points_of(period, unit) * unit.nanoseconds))
    windows = [source.window for source in requests.sources(query)]
    if query.language not in MERGING or query.every is not None:
        return query
    steps = {window.slide for window in windows if isinstance(window, Range) and window.slide is not None}
    length = Duration(period * unit.nanoseconds) if isinstance(period, int) else period
    if steps - {length}:
        note("`period` of the experiment does not count here, because the query reports at its STEP")
    return query


def judged_query(path: Path, name: str, unit: Duration, *, by_number: bool = False) -> EngineQuery:
    """Return a query in the form that its judge (an engine version or a specification) reads.

    Raises:
        LarsError: The query has no window on a stream.
    """
    read = judging.read_judged_query(path, unit, ENGINES.get(name), by_number=by_number)
    if not requests.sources(read):
        raise LarsError(f"{path}: the query has no window on a stream; expected {judging.ANSWERS_FORM}")
    return read


def judged_run(  # noqa: PLR0913, PLR0917 - a query and its judge, its input, and what was read of it before
    read: EngineQuery,
    name: str,
    trace: TraceInput,
    unit: Duration,
    warn: Warn,
    known: judging.KnownPushes | None = None,
) -> tuple[EngineRun, str | None]:
    """Return the input of the engine, and the dateTime of time 0 (None for integer times).

    The function warns about streams that the query does not read. Pushes in `known` are not read again.
    """
    # As the answers count: both since the same time 0.
    trace = replace(trace, options=replace(trace.options, absolute=True))
    pushes, zero = judging.read_pushes(trace, read, unit, warn, known)
    if name in ENGINES:
        judging.check_order(pushes, warn)
    return EngineRun(read, read_static(trace.static), pushes, unit, origin_in(zero, trace.options)), zero


def _check_triggers(answers: Recording, pushed: int) -> None:
    triggers = (report.trigger for report in answers.reports)
    latest = max((trigger for trigger in triggers if trigger is not None), default=-1)
    if latest >= pushed:
        raise LarsError(
            f"the answers name push {latest}, but the trace has only {quantity(pushed, 'push')}; use the "
            "trace of these answers"
        )
