"""Judge the engines in [[engines]] of an experiment: engines, answers, and verdicts."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import assert_never

from agreement.comparing import judge
from agreement.comparing.matching.places import ReportMatch
from agreement.documents import recordings
from agreement.documents.generate import Plan
from agreement.documents.generate.elements import pushes_of
from agreement.documents.outputs import Json
from agreement.documents.requests import (
    JudgeOptions,
    absolute_text,
    check_comparable,
    check_generated,
    read_once,
    reading_as,
    sources,
)
from agreement.documents.traces import counted_from, origin_in, point_in
from agreement.engines import specifications
from agreement.engines.adapters.client import RunningAdapter
from agreement.engines.adapters.messages import accepted_answers, open_message
from agreement.engines.engine import with_text
from agreement.engines.registry import ENGINES, engine
from agreement.experiments.cells import AdaptedEngine, EngineVersion, JudgingWork, RecordedAnswers
from agreement.experiments.experiment import Experiment, ExperimentEntry
from agreement.experiments.schema import EngineTable
from lars.errors import LarsError
from solver.settings import TraceInput, TraceOptions, Warn
from translate.model.query import EngineQuery

Subject = EngineVersion | specifications.Specification | AdaptedEngine | RecordedAnswers
"""The judged engine: an engine version, a specification, an adapter, or recorded answers."""
JudgedTable = tuple[Subject, specifications.Specification, JudgeOptions]
"""The judged engine, the judging specification, and the options."""


def judged_of(experiment: Experiment, entry: ExperimentEntry, table: EngineTable) -> JudgedTable:
    """Return the judged engine, the judging specification and the options; raises LarsError with a place."""
    subject = _subject(experiment, entry, table)
    options = replace(table.judging, early=table.early)
    return subject, _judge(experiment, entry, table, subject), options


def _judge(
    experiment: Experiment, entry: ExperimentEntry, table: EngineTable, subject: Subject
) -> specifications.Specification:
    if table.off and not isinstance(subject, EngineVersion):
        raise experiment.error((*entry.path, "off"), "allowed only with an engine version")
    if table.options and not isinstance(subject, AdaptedEngine):
        raise experiment.error((*entry.path, "options"), "requires the key adapter")
    if table.specification is not None:
        return _placed(experiment, entry, "specification", table.specification)
    match subject:
        case EngineVersion(name, _):
            return specifications.specification(ENGINES[name].specification)
        case specifications.Specification():
            return subject
        case AdaptedEngine() if table.language is not None and table.language.value in specifications.NAMES:
            return specifications.specification(table.language.value)
        case AdaptedEngine():
            remedy = f"use one of these keys with {specifications.ACCEPTED}"
            problem = f"missing keys `specification` and `language` for an adapter; {remedy}"
            raise experiment.error(entry.path, problem)
        case _:
            problem = f"missing key `specification` for recorded answers; expected {specifications.ACCEPTED}"
            raise experiment.error(entry.path, problem)


def _subject(experiment: Experiment, entry: ExperimentEntry, table: EngineTable) -> Subject:
    if [table.engine, table.adapter, table.answers].count(None) != 2:  # noqa: PLR2004 - one of three
        problem = (
            "use exactly one of these keys: `engine` (an engine version or specification), "
            "`adapter` (a command that starts an adapter), `answers` (a file of recorded answers)"
        )
        raise experiment.error(entry.path, problem)
    if table.adapter is not None:
        return AdaptedEngine(table.adapter, table.options, experiment.folder)
    if table.answers is not None:
        file: Path = experiment.file_path(table.answers, (*entry.path, "answers"))
        return RecordedAnswers(file, replace(table.recorded, unit=experiment.unit))
    assert table.engine is not None
    if table.engine not in ENGINES:
        return _placed(experiment, entry, "engine", table.engine)
    rules = [rule.name for rule in ENGINES[table.engine].rules]
    for rule in table.off:
        if rule not in rules:
            problem = f"found the rule {rule}; expected {', '.join(rules)}"
            raise experiment.error((*entry.path, "off"), problem, rule)
    return EngineVersion(table.engine, frozenset(table.off))


def _placed(
    experiment: Experiment, entry: ExperimentEntry, key: str, name: str
) -> specifications.Specification:
    """Return a specification by name, or by a TOML file; the path is relative to the experiment's folder."""
    try:
        return specifications.specification(
            str(experiment.folder / name) if name.endswith(specifications.SUFFIX) else name
        )
    except LarsError as error:
        versions = f", or an engine version: {', '.join(ENGINES)}" if key == "engine" else ""
        raise experiment.error((*entry.path, key), f"{error}{versions}", name) from None


def pushes_in(
    work: JudgingWork, query: EngineQuery, warn: Warn
) -> tuple[tuple[recordings.Push, ...], str | None]:
    """Return the triples of a trace in arrival order, and the dateTime of time 0, or None for integer times.

    Raises LarsError if the trace has no triple.
    """
    zero = None
    match work.trace:
        case Plan():
            check_generated((query,))
            pushes = tuple(pushes_of(work.trace))
        case TraceInput(paths, options):
            # Recorded answers count as the trace does.
            trace = TraceInput(paths, replace(options, absolute=True))
            pushes, zero = judge.read_pushes(trace, query, work.unit, warn)
        case _:
            assert_never(work.trace)
    if not pushes:
        raise LarsError("the trace has no element; expected at least one element")
    if isinstance(work.subject, AdaptedEngine):  # it parses what each message has by itself
        pushes = tuple(push.as_element() for push in pushes)
    return pushes, zero


def judged_answers(
    work: JudgingWork, run: specifications.EngineRun, zero: str | None
) -> recordings.Recording:
    """Return the answers to judge: of an engine version, a specification or an adapter, or recorded answers.

    dateTimes in recorded answers count from `zero`, the dateTime of time 0, if it is known.
    """
    if isinstance(work.subject, EngineVersion | AdaptedEngine):
        check_comparable(run.query, work.query.source)
    match work.subject:
        case EngineVersion(name, off):
            return engine(name).run(run.query, run.static, run.pushes, off)
        case specifications.Specification():
            return _specified(work.subject, run, work)
        case AdaptedEngine():
            query = work.query
            text = absolute_text(query.text, query.source, query.around.base)
            return _adapted(work.subject, text, run)
        case RecordedAnswers(path, options):
            return recordings.read_recording(path, options.since(zero))
        case _:
            assert_never(work.subject)


def _adapted(judged: AdaptedEngine, text: str, run: specifications.EngineRun) -> recordings.Recording:
    """Return the answers of a real engine; raises LarsError if the engine rejects the query."""
    registration = open_message(text, recordings.static_lines(run.static), judged.options)
    with RunningAdapter(judged.command, folder=judged.folder) as adapter:
        answers = accepted_answers(adapter, registration, run.pushes)
    return replace(answers.recording(), lexical=answers.lexical)


def _specified(
    specification: specifications.Specification, run: specifications.EngineRun, work: JudgingWork
) -> recordings.Recording:
    """Return the answers of a specification for its first t0 and its first bounds."""
    choice = _choice(specification, run, work)
    # A window that is open at its upper end closes after the last element.
    return specifications.specified_answers(
        run, specification, choice, max(run.last + 1, work.options.last or 0)
    )


def _choice(
    specification: specifications.Specification, run: specifications.EngineRun, work: JudgingWork
) -> specifications.OpenChoice:
    read = sources(run.query)
    first = (work.options.starts or (work.options.first,))[0]
    said = None if work.options.starts else specifications.query_starts(read, run.unit)
    bounds = (work.bounds or specifications.with_query_bounds(specification, run.query).bounds)[0]
    return specifications.OpenChoice(said or tuple(first for _ in read), bounds)


def judged_cell(work: JudgingWork) -> Json:
    """Return the best verdict on a cell, and all start times and bounds for which the answers are right."""
    text, source = work.query.text, work.query.source
    base = work.query.around.base
    with reading_as(work.query.around):
        query = with_text(read_once(text, source, work.query.language, base), text, source, base)
    unit = work.unit
    warnings: list[str] = []
    pushes, zero = pushes_in(work, query, warnings.append)
    if isinstance(work.subject, EngineVersion):
        judge.check_order(pushes, warnings.append)
    static = judge.static_of_run(work.static, query, warnings.append)
    options = TraceOptions(unit=unit) if isinstance(work.trace, Plan) else work.trace.options
    run = specifications.EngineRun(query, static, pushes, unit)
    options = counted_from(zero, options, run.last)
    run = replace(run, origin=origin_in(zero, options))
    count = partial(point_in, zero, options=options, last=run.last)
    work = replace(work, options=work.options.at_times(count))
    answers = judged_answers(work, run, zero if options.origin is None else run.origin)
    if isinstance(work.subject, (EngineVersion, specifications.Specification)) and not any(
        report.rows for report in answers.reports
    ):
        if isinstance(work.subject, specifications.Specification):
            warnings += judge.why_silent(work.subject, run, [_choice(work.subject, run, work)])
        else:
            warnings += judge.why_silent(engine(work.subject.name), run)
    recording = judge.recording_to_judge(run, unit, answers, work.options)
    by = specifications.with_query_bounds(work.by, query)
    if work.bounds is not None:
        by = by.model_copy(update={"bounds": work.bounds})
    judgement = judge.judge_recording(recording.task, by, recording.recording, recording.options)
    arguments = (recording.task, by, recording.recording, recording.options, judgement.best)
    shifts = judge.border_shifts(*arguments) if work.options.gracious else {}
    return {**_windows_json(judgement, shifts), "origin": zero, "warnings": warnings}


def _windows_json(judgement: judge.Judgement, shifts: dict[float, judge.Shift]) -> Json:
    best = judgement.best
    return {
        "correct": judgement.correct,
        "choices": judgement.choices,
        "matching": [
            f"{' '.join(map(str, verdict.choice.starts))} {verdict.choice.bounds}"
            for verdict in judgement.matching
        ],
        "t0": list(best.choice.starts),
        "bounds": best.choice.bounds,
        "windows": list(_windows(best, shifts)),
    }


def _windows(verdict: judge.Verdict, shifts: dict[float, judge.Shift]) -> Iterator[Json]:
    phases = {"transient": verdict.transient, "stable": verdict.windows, "later": verdict.later}
    for phase, windows in phases.items():
        for window in windows:
            yield {"phase": phase, **_window(window), **_shifted(window, shifts.get(window.at))}


def _window(window: ReportMatch) -> Json:
    return {"from": window.first, "to": window.at, **judge.measures(window)}


def _shifted(window: ReportMatch, shift: judge.Shift | None) -> Json:
    """Return the expected rows of a window with shifted borders, and the shift of each border in triples."""
    if shift is None:
        return {"shift_from": None, "shift_to": None}
    judged_window = replace(window, rows=shift.rows, problem=None if shift.rows.equal else window.problem)
    return {**_window(judged_window), "shift_from": shift.start, "shift_to": shift.end}
