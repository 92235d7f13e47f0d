"""What a cell finds: its input, what an engine answers on it, the verdict of judging or comparing."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import assert_never

from agreement.comparing import judge
from agreement.comparing.agree import AgreementTask, PeriodComparison, Side, VariantReport, run
from agreement.comparing.judge import (
    border_shifts,
    check_order,
    judge_recording,
    measures,
    read_pushes,
    recording_to_judge,
    static_of_run,
    why_silent,
    with_text,
)
from agreement.comparing.judge.judging import JudgeTimes
from agreement.documents.generate import Plan
from agreement.documents.generate.elements import pushes_of
from agreement.documents.outputs import Json
from agreement.documents.recordings import Answers, Push, Recording, read_recording, static_lines
from agreement.documents.requests import origin_text, sources
from agreement.documents.traces import point_in
from agreement.engines.adapters import Registration, RunningAdapter, answers_of
from agreement.engines.registry import engine
from agreement.engines.specifications import EngineRun, OpenChoice, Specification, specified_answers
from agreement.experiments import (
    AdaptedEngine,
    CellInput,
    EngineVersion,
    JudgingWork,
    RecordedAnswers,
    TraceFiles,
)
from lars.errors import LarsError
from solver.settings import TraceInput, TraceOptions, Warn
from translate.dialects import read_query
from translate.model.query import EngineQuery


def pushes_in(cell_input: CellInput, query: EngineQuery, warn: Warn) -> tuple[tuple[Push, ...], str | None]:
    """Return the triples of a trace in arrival order, and the dateTime of time 0, if times have one.

    Raises LarsError when there is no triple.
    """
    zero = None
    match cell_input.trace:
        case Plan():
            pushes = tuple(pushes_of(cell_input.trace))
        case TraceFiles(paths, options):
            # Recorded answers count as the trace does.
            trace = TraceInput(paths, replace(options, absolute=True))
            pushes, zero = read_pushes(trace, query, cell_input.unit, warn)
        case _:
            assert_never(cell_input.trace)
    if not pushes:
        raise LarsError("the trace has no element; accepted: one at least")
    return pushes, zero


def judged_answers(work: JudgingWork, run: EngineRun) -> Answers:
    """Return what is judged: what an engine version or a specification answers, or recorded answers."""
    match work.subject:
        case EngineVersion(name, off):
            return Answers(engine(name).run(run.query, run.static, run.pushes, off))
        case Specification():
            return Answers(_specified(work.subject, run, work))
        case AdaptedEngine():
            return _adapted(work.subject, work.query.text, run)
        case RecordedAnswers(path, options):
            return read_recording(path, options.since(run.zero))
        case _:
            assert_never(work.judged)


def _adapted(judged: AdaptedEngine, text: str, run: EngineRun) -> Answers:
    """Return what a real engine answers; raises LarsError for a query that it refuses."""
    registration = Registration(text, static_lines(run.static), judged.options)
    with RunningAdapter(judged.command, folder=judged.folder) as adapter:
        answers = answers_of(adapter, registration, run.pushes)
    if answers.profile is None:
        raise LarsError(f"the engine refuses the query: {answers.refused}")
    return Answers(answers.recording(), not answers.profile.kinds)


def _specified(specification: Specification, run: EngineRun, work: JudgingWork) -> Recording:
    """Return what a specification reports with the first t0 and the first of its bounds."""
    first = (work.options.starts or (work.options.registered,))[0]
    bounds = (work.options.bounds or specification.bounds)[0]
    choice = OpenChoice(tuple(first for _ in sources(run.query)), bounds)
    # A window that is open at its upper end closes after the last element.
    return specified_answers(run, specification, choice, max(run.last + 1, work.options.until or 0))


def comparison(work: AgreementTask) -> Json:
    """Return the verdict of each variant, period and interval, and what it warns of."""
    warnings: list[str] = []
    report = run(work, warnings.append)
    rows = [row for variant in report.variants for row in _rows(variant)]
    agree = [verdict.agree for variant in report.variants for verdict in variant.verdicts]
    origin = report.variants[0].trace.origin
    sentences = [*warnings, *report.warnings]
    return {"correct": _all(agree), "origin": origin, "warnings": sentences, "intervals": rows}


def _all(agree: list[bool | None]) -> bool | None:
    if False in agree:
        return False
    return True if True in agree else None


def _rows(variant: VariantReport) -> Iterator[Json]:
    for verdict in variant.verdicts:
        for interval in verdict.intervals:
            yield {
                "variant": str(variant.pair),
                "period": verdict.period,
                "from": interval.start,
                "to": interval.end,
                "agree": interval.agree,
                **dict(zip(("push", "pull"), interval.sizes, strict=True)),
                "push_only": 0 if interval.agree else interval.count(Side.PUSH),
                "pull_only": 0 if interval.agree else interval.count(Side.PULL),
                "causes": _causes(variant, interval),
            }


def _causes(variant: VariantReport, interval: PeriodComparison) -> Json:
    """Return how many differences have which cause."""
    counter = Counter(difference.cause.value for difference in variant.differences(interval))
    return dict(sorted(counter.items()))


def judged_cell(work: JudgingWork) -> Json:
    """Return the verdict that fits best, and all start times and bounds that make it correct."""
    text, source = work.query.text, work.query.source
    query = with_text(read_query(text, source, work.query.language), text, source)
    unit = work.input.unit
    warnings: list[str] = []
    pushes, zero = pushes_in(work.input, query, warnings.append)
    if isinstance(work.subject, EngineVersion):
        check_order(pushes, warnings.append)
    static = static_of_run(work.input.static, query, warnings.append)
    run = EngineRun(query, static, pushes, unit, _origin(work.input), zero)
    options = TraceOptions(unit) if isinstance(work.input.trace, Plan) else work.input.trace.options
    times = JudgeTimes(work.options.starts, work.options.registered, work.until)
    count = partial(point_in, zero, options=options, last=run.last)
    work = replace(work, options=times.on(work.options, count))
    answers = judged_answers(work, run)
    if isinstance(work.subject, (EngineVersion, Specification)) and not any(
        report.rows for report in answers.recording.reports
    ):
        who = work.subject if isinstance(work.subject, Specification) else engine(work.subject.name)
        warnings += why_silent(who, run)
    recording = recording_to_judge(run, unit, answers, work.options)
    judgement = judge_recording(recording.task, work.by, recording.recording, recording.options)
    arguments = (recording.task, work.by, recording.recording, recording.options, judgement.best)
    shifts = border_shifts(*arguments) if work.gracious else {}
    return {**_windows_json(judgement, shifts), "origin": zero, "warnings": warnings}


def _origin(cell_input: CellInput) -> str:
    return origin_text(cell_input.trace.options.origin if isinstance(cell_input.trace, TraceFiles) else None)


def _windows_json(judgement: judge.Judgement, shifts: dict[float, judge.Shift]) -> Json:
    best = judgement.best
    return {
        "correct": judgement.correct,
        "choices": judgement.choices,
        "matching": [_choice(verdict) for verdict in judgement.matching],
        "t0": list(best.choice.starts),
        "bounds": best.choice.bounds.value,
        "windows": list(_windows(best, shifts)),
    }


def _choice(verdict: judge.Verdict) -> str:
    return f"{' '.join(map(str, verdict.choice.starts))} {verdict.choice.bounds.value}"


def _windows(verdict: judge.Verdict, shifts: dict[float, judge.Shift]) -> Iterator[Json]:
    phases = {"transient": verdict.transient, "stable": verdict.windows, "later": verdict.later}
    for phase, windows in phases.items():
        for window in windows:
            yield {"phase": phase, **_window(window), **_shifted(window, shifts.get(window.last))}


def _window(window: judge.JudgedWindow) -> Json:
    return {"from": window.first, "to": window.last, **measures(window)}


def _shifted(window: judge.JudgedWindow, shift: judge.Shift | None) -> Json:
    """Return what better borders change: the rows expected, and how far each border moved, in triples."""
    if shift is None:
        return {"shift_from": None, "shift_to": None}
    judged_window = replace(window, rows=shift.rows, problem=None if shift.rows.equal else window.problem)
    return {**_window(judged_window), "shift_from": shift.start, "shift_to": shift.end}
