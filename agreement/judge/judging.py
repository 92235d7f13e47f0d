"""What `lars judge` does, between its options and its output."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from agreement.engines.engine import columns
from agreement.engines.registry import ENGINES
from agreement.inputs import (
    LARGEST,
    PROGRAM_SUFFIX,
    AnswersOptions,
    InputOptions,
    JudgeOptions,
    cut,
    load_query,
    moment,
    sources,
    start_times,
    unit_of,
)
from agreement.judge import verdict_json, verdict_text
from agreement.judge.alignment import named, oddities
from agreement.judge.by_engine import EngineRun, Pushwise, VersionJudgement, judged_by
from agreement.judge.cases import ACCEPTED_JUDGES, SPECIFICATION, is_judge
from agreement.judge.diagnosis import Diagnosis, Recorded, by_borders, diagnosed
from agreement.judge.judge_inputs import ANSWERS_FORM, read_judged_query, read_pushes, recorded
from agreement.judge.judgement import Judgement, Options, judged
from agreement.judge.verdict import EmptyReports
from agreement.likeness import Likeness
from agreement.recordings import Answers, AnswersFormat, ReadingOptions, read_recording
from agreement.specifications import Version, specification
from lars.durations import Duration
from lars.errors import LarsError
from solver.facts import read_static
from solver.settings import Progress, TraceInput
from solver.traces import instant_of
from translate.query import Semantics


@dataclass(frozen=True, slots=True)
class JudgedAnswers:
    """A query, a trace and an answers file, the engine that judges, and what else is wanted."""

    query: Path
    trace: TraceInput
    answers: Path
    reading: ReadingOptions
    engine: str
    options: Options
    gracious: bool
    diagnosis: bool
    versions: tuple[Version, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgedFound:
    """The verdict on a file of answers, and what explains it; `names` are those of a row's columns."""

    judgement: Judgement | VersionJudgement
    names: tuple[str, ...]
    milliseconds: float
    diagnosis: Diagnosis | None = None

    @property
    def correct(self) -> bool:
        """Whether the answers are correct; not where there is nothing to compare."""
        return self.judgement.correct is True

    def as_text(self) -> Iterator[RenderableType]:
        """Yield the verdict for a reader."""
        if isinstance(self.judgement, Judgement):
            return verdict_text.by_specification(self.judgement, self.milliseconds, self.diagnosis)
        return verdict_text.by_version(self.judgement)

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as JSON."""
        if isinstance(self.judgement, Judgement):
            return verdict_json.by_specification(
                self.judgement, self.names, self.milliseconds, self.diagnosis
            )
        return verdict_json.by_version(self.judgement)


def judge_answers(asked: JudgedAnswers, warn: Callable[[str], None], progress: Progress) -> JudgedFound:
    """Return the verdict on recorded answers, with an explanation where they are incorrect."""
    _check_judge(asked.engine)
    answers = read_recording(asked.answers, asked.reading)
    heard: list[str] = []
    given = _recorded(asked, answers, heard.append)
    found = _found(asked, given, progress)
    # Only now: a warning does not come before an error.
    for message in (*heard, *oddities(given.recording, given.task.query)):
        warn(message)
    return found


def _recorded(asked: JudgedAnswers, answers: Answers, warn: Callable[[str], None]) -> Recorded:
    """Return recorded answers with all that they are judged by; warns of streams not read."""
    unit = asked.reading.unit
    query = read_judged_query(asked.query, unit)
    if not sources(query):
        raise LarsError(f"{asked.query}: the query has no window on a stream; accepted: {ANSWERS_FORM}")
    # As the answers count: both since the same time 0.
    trace = replace(asked.trace, options=replace(asked.trace.options, absolute=True))
    pushes = read_pushes(trace, query, unit, warn)
    _check_triggers(answers, len(pushes))
    run = EngineRun(query, read_static(asked.trace.static), pushes, unit)
    found = recorded(run, unit, answers, asked.options)
    return replace(found, task=replace(found.task, versions=asked.versions))


def _check_triggers(answers: Answers, pushed: int) -> None:
    triggers = (report.trigger for report in answers.recording.reports)
    latest = max((trigger for trigger in triggers if trigger is not None), default=-1)
    if latest >= pushed:
        raise LarsError(
            f"the answers name push {latest}, the trace has {pushed}; accepted: the trace they answer"
        )


def _found(asked: JudgedAnswers, given: Recorded, progress: Progress) -> JudgedFound:
    length = asked.reading.unit.milliseconds
    if asked.engine in ENGINES:
        how = Pushwise(given.options.likeness, empty=given.options.empty)
        return JudgedFound(judged_by(ENGINES[asked.engine], given.run, given.recording, how), (), length)
    wanted = specification(asked.engine)
    if given.options.bounds is not None:
        # Part of the specification now, so that a variation of it can be other bounds.
        wanted = wanted.model_copy(update={"bounds": given.options.bounds})
        given = replace(given, options=replace(given.options, bounds=None))
    found = judged(given.task, wanted, given.recording, given.options, progress)
    names = named(given.recording, columns(given.task.query))
    diagnosis = None
    if found.correct is False and asked.diagnosis:
        diagnosis = diagnosed(given, found, progress)
    elif found.correct is False and asked.gracious:
        diagnosis = by_borders(given, found)
    return JudgedFound(found, names, length, diagnosis)


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


def options_of(given: JudgeOptions) -> Options:
    """Return how a recording is judged."""
    if given.empty not in {choice.value for choice in EmptyReports}:
        raise LarsError(f"--empty {cut(given.empty)}: accepted: compared, ignored")
    for name, value in (("tolerance", given.tolerance), ("early", given.early), ("late", given.late or 0)):
        if not isfinite(value):
            raise LarsError(f"--{name} {value}: accepted: a finite number")
    if given.registered > LARGEST:
        raise LarsError(f"--registered {given.registered}: accepted: 0..{LARGEST}")
    return Options(
        starts=None if given.t0 is None else start_times(given.t0),
        until=given.until,
        registered=given.registered,
        bounds=None if given.bounds is None else (given.bounds,),
        rows=given.semantics,
        likeness=Likeness(given.semantics or Semantics.BAG, given.tolerance),
        empty=EmptyReports(given.empty),
        early=given.early,
        late=given.late,
    )


def reading_of(recorded: AnswersOptions, given: InputOptions) -> ReadingOptions:
    """Return how a file of answers is read."""
    kind, origin = recorded.answers_format, moment(given.origin)
    if kind is not None and kind not in {choice.value for choice in AnswersFormat}:
        accepted = ", ".join(choice.value for choice in AnswersFormat)
        raise LarsError(f"--answers-format {cut(kind)}: accepted: {accepted}")
    return ReadingOptions(
        kind=None if kind is None else AnswersFormat(kind),
        unit=given.time_point,
        time_unit=None if recorded.answers_unit is None else unit_of(recorded.answers_unit, "--answers-unit"),
        time_variable=recorded.time_variable,
        origin=None if origin is None else instant_of(origin),
    )
