"""What `lars judge` does, between its options and its output."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from pathlib import Path

from agreement.comparing.judge.alignment import beyond, column_names, oddities
from agreement.comparing.judge.by_engine import Pushwise, VersionJudgement, judged_by
from agreement.comparing.judge.cases import ACCEPTED_JUDGES, SPECIFICATION, is_judge
from agreement.comparing.judge.comparability import nothing_to_compare, undecided_text
from agreement.comparing.judge.diagnosis import Diagnosis, RecordingToJudge, by_borders, diagnose
from agreement.comparing.judge.judge_inputs import (
    ANSWERS_FORM,
    check_order,
    read_judged_query,
    read_pushes,
    read_versions,
    recording_to_judge,
    static_of_run,
    why_silent,
)
from agreement.comparing.judge.judgement import Judgement, judge_recording, narrow_options
from agreement.comparing.judge.verdict import Options
from agreement.comparing.matching.likeness import Likeness
from agreement.documents.dates import Dates
from agreement.documents.recordings import Answers, ReadingOptions, read_recording
from agreement.documents.requests import (
    PROGRAM_SUFFIX,
    AnswersOptions,
    InputOptions,
    JudgeOptions,
    MatchBy,
    in_time_points,
    load_query,
    origin_text,
    sources,
)
from agreement.documents.traces import point_in
from agreement.documents.values import START_TIMES, read_numbers
from agreement.engines.engine import Engine, columns
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import EngineRun, Specification, specification
from lars.durations import NANOSECONDS, Duration
from lars.errors import LarsError
from solver.deadlines import Deadline
from solver.settings import Progress, Time, TraceInput
from solver.traces import instant_of
from translate.model.query import Semantics


@dataclass(frozen=True, slots=True)
class JudgeTimes:
    """Times as asked for: when windows may begin, as time points or a text with dateTimes, and the last."""

    starts: tuple[int, ...] | str | None = None
    registered: Time = 0
    until: Time | None = None

    def on(self, options: Options, count: Callable[[Time], int]) -> Options:
        """Return the options with these times as time points, which `count` makes them."""
        starts = self.starts
        if isinstance(starts, str):
            starts = read_numbers(in_time_points(starts, count), START_TIMES)
        until = None if self.until is None else count(self.until)
        return replace(options, starts=starts, registered=count(self.registered), until=until)


@dataclass(frozen=True, slots=True)
class JudgedAnswers:
    """A query, a trace and an answers file, the engine that judges, and what else is wanted.

    `until` is the last time to compare, as it was asked for.
    """

    query: Path
    trace: TraceInput
    answers: Path
    reading: ReadingOptions
    engine: str
    options: Options
    gracious: bool
    diagnosis: bool
    times: JudgeTimes
    static_at: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswersVerdict:
    """The verdict on a file of answers, and what explains it; `names` are those of a row's columns.

    `other` is the verdict by the other match on answers that are not correct. `silent`: why no row
    is expected at any time, where none is. `origin` is the dateTime of time 0, if times have one.
    """

    judgement: Judgement | VersionJudgement
    names: tuple[str, ...]
    milliseconds: float
    diagnosis: Diagnosis | None = None
    other: Judgement | VersionJudgement | None = None
    silent: tuple[str, ...] = ()
    origin: str | None = None

    @property
    def dates(self) -> Dates:
        """What dateTimes the time points are, where they are any."""
        unit = Duration(round(self.milliseconds * NANOSECONDS["ms"]))
        return Dates(self.origin, unit)

    @property
    def correct(self) -> bool | None:
        """Whether the answers are correct; None where that is undecided."""
        return self.judgement.correct

    @property
    def undecided(self) -> str | None:
        """Why it is neither correct nor incorrect; None where it is one of them."""
        if isinstance(self.judgement, Judgement) and self.judgement.undecided:
            return undecided_text(self.judgement)
        return None


def judge_answers(
    judged_answers: JudgedAnswers, warn: Callable[[str], None], progress: Progress
) -> AnswersVerdict:
    """Return the verdict on recorded answers, with an explanation where they are incorrect.

    Raises LarsError where there is nothing to compare, once what may be the reason has been told.
    """
    _check_judge(judged_answers.engine)
    messages: list[str] = []
    run = _run(judged_answers, messages.append)
    answers = read_recording(judged_answers.answers, judged_answers.reading.since(run.zero))
    _check_triggers(answers, len(run.pushes))
    count = partial(point_in, run.zero, options=judged_answers.trace.options, last=run.last)
    options = judged_answers.times.on(judged_answers.options, count)
    versions = read_versions(in_time_points(text, count) for text in judged_answers.static_at)
    recording = recording_to_judge(run, judged_answers.reading.unit, answers, options, versions)
    verdict = replace(_verdict(judged_answers, recording, answers, progress), origin=recording.run.zero)
    messages += oddities(recording.recording, recording.task.query, correct=verdict.correct is True)
    if judged_answers.options.match is MatchBy.TIME:
        messages += beyond(recording.recording, recording.task)
    if verdict.correct is False and judged_answers.options.deadline.is_over:
        messages.append("--time-limit has ended the search for the fault that explains it")
    if verdict.judgement.silent:
        verdict = replace(verdict, silent=tuple(why_silent(_judge(judged_answers.engine), recording.run)))
        messages += verdict.silent
    # Only now: a warning does not come before an error.
    for message in messages:
        warn(message)
    if problem := nothing_to_compare(verdict.judgement, verdict.dates):
        raise LarsError(problem)
    return verdict


def _judge(name: str) -> Specification | Engine:
    return ENGINES[name] if name in ENGINES else specification(name)


def _run(answers: JudgedAnswers, warn: Callable[[str], None]) -> EngineRun:
    """Return what was given to the engine; warns of streams not read."""
    unit = answers.reading.unit
    query = read_judged_query(answers.query, unit)
    if not sources(query):
        raise LarsError(f"{answers.query}: the query has no window on a stream; accepted: {ANSWERS_FORM}")
    # As the answers count: both since the same time 0.
    trace = replace(answers.trace, options=replace(answers.trace.options, absolute=True))
    pushes, zero = read_pushes(trace, query, unit, warn)
    if answers.engine in ENGINES:
        check_order(pushes, warn)
    origin = origin_text(answers.trace.options.origin)
    return EngineRun(query, static_of_run(answers.trace.static, query, warn), pushes, unit, origin, zero)


def _check_triggers(answers: Answers, pushed: int) -> None:
    triggers = (report.trigger for report in answers.recording.reports)
    latest = max((trigger for trigger in triggers if trigger is not None), default=-1)
    if latest >= pushed:
        raise LarsError(
            f"the answers name push {latest}, the trace has {pushed}; accepted: the trace they answer"
        )


def _verdict(
    judged_answers: JudgedAnswers, recording: RecordingToJudge, answers: Answers, progress: Progress
) -> AnswersVerdict:
    length = judged_answers.reading.unit.milliseconds
    turned = replace(recording.options, match=recording.options.match.other)
    if judged_answers.engine in ENGINES:
        ours = _by_engine(judged_answers.engine, recording, recording.options.match)
        others = None if ours.correct else _by_engine(judged_answers.engine, recording, turned.match)
        return AnswersVerdict(ours, (), length, other=others)
    reference = specification(judged_answers.engine)
    if recording.options.bounds is not None:
        # Part of the specification now, so that a variation of it can be other bounds.
        reference = reference.model_copy(update={"bounds": recording.options.bounds})
        recording = replace(recording, options=replace(recording.options, bounds=None))
    judgement = judge_recording(recording.task, reference, recording.recording, recording.options, progress)
    names = column_names(recording.recording, columns(recording.task.query))
    if judgement.correct is not False:
        return AnswersVerdict(judgement, names, length)
    diagnosis = None
    if judged_answers.diagnosis:
        diagnosis = diagnose(recording, judgement, progress)
    elif judged_answers.gracious:
        diagnosis = by_borders(recording, judgement)
    again = recording_to_judge(
        recording.run,
        judged_answers.reading.unit,
        answers,
        replace(turned, bounds=None),
        recording.task.versions,
    )
    other = judge_recording(
        again.task, reference, again.recording, narrow_options(again.options, again.task), progress
    )
    return AnswersVerdict(judgement, names, length, diagnosis, other)


def _by_engine(name: str, recording: RecordingToJudge, match: MatchBy) -> VersionJudgement:
    how = Pushwise(recording.options.likeness, empty=recording.options.empty, match=match)
    return judged_by(ENGINES[name], recording.run, recording.recording, how)


def paths_of(inputs: Sequence[Path]) -> tuple[Path, tuple[Path, ...]]:
    """Return the query and the trace files that a command line names, in this order."""
    if not inputs:
        raise LarsError("give a query, its trace and --answers FILE, or case files")
    query, *trace = inputs
    if query.suffix == PROGRAM_SUFFIX:
        raise LarsError(f"{query}: a program, which no engine answers; accepted: a query")
    return query, tuple(trace)


def is_version(name: str | None, answers: Path | None) -> bool:
    """Return whether an engine version judges; without a name it does where cases are judged."""
    return answers is None if name is None else name in ENGINES


def check_case_judge(name: str | None) -> None:
    """Raise where a name is nothing that can judge recorded cases."""
    if name is not None and name != SPECIFICATION:
        _check_judge(name)


def _check_judge(name: str) -> None:
    if not is_judge(name):
        raise LarsError(f"--engine {name}: accepted: {ACCEPTED_JUDGES}")


def language_of(query: Path, unit: Duration) -> str:
    """Return the specification that a query's language stands for."""
    return load_query(query, unit).language.value


def options_of(options: JudgeOptions) -> Options:
    """Return how a recording is judged."""
    limit = options.time_limit
    numbers = {"tolerance": options.tolerance, "early": options.early, "late": options.late or 0}
    for name, value in (*numbers.items(), ("time-limit", limit or 0)):
        if not isfinite(value):
            raise LarsError(f"--{name} {value}: accepted: a finite number")
    return Options(
        bounds=None if options.bounds is None else (options.bounds,),
        rows=options.semantics,
        likeness=Likeness(options.semantics or Semantics.BAG, options.tolerance),
        empty=options.empty,
        early=options.early,
        late=options.late,
        match=options.match,
        deadline=Deadline.after(limit),
    )


def reading_of(recorded: AnswersOptions, options: InputOptions, match: MatchBy) -> ReadingOptions:
    """Return how a file of answers is read."""
    origin = options.origin
    return ReadingOptions(
        kind=recorded.answers_format,
        unit=options.time_point,
        time_unit=recorded.answers_unit,
        time_variable=recorded.time_variable,
        origin=None if origin is None else instant_of(origin),
        ordered=match is MatchBy.TIME,
    )
