"""A cell that judges: the verdict that fits best, window by window, as it is kept."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from agreement.judging.gracious import Shift, borders
from agreement.judging.judgement import Judgement, Options, judged
from agreement.judging.verdict import Verdict, Window
from agreement.running.answering import answered, milliseconds, pushes_in
from agreement.running.cells import Judging
from agreement.specifications.elements import elements_of
from agreement.specifications.evaluation import Task
from solver.static import read_static
from translate.dialects import read_query

Json = dict[str, Any]


def judge(work: Judging) -> Json:
    """Return the verdict that fits best, and all start times and bounds that make it correct."""
    query = read_query(work.query.text, work.query.source, work.query.language)
    pushes = pushes_in(work.input)
    unit = work.input.unit
    elements = elements_of(pushes, unit)
    # A window that is open at its upper end closes after the last element.
    last = max(elements[-1].t + 1, work.options.until or 0)
    task = Task(query, elements, read_static(work.input.static), unit, last)
    found = answered(work, task, pushes)
    recording = found.recording
    latest = int(max((report.t for report in recording.reports), default=0) / milliseconds(unit))
    task = replace(task, until=max(last, latest))
    options = _options(work.options, lexical=found.lexical)
    judgement = judged(task, work.by, recording, options)
    shifts = borders(task, work.by, recording, options, judgement.best) if work.gracious else {}
    return _kept(judgement, shifts)


def _options(options: Options, *, lexical: bool) -> Options:
    return replace(options, likeness=replace(options.likeness, lexical=lexical))


def _kept(judgement: Judgement, shifts: dict[float, Shift]) -> Json:
    best = judgement.best
    return {
        "correct": judgement.correct,
        "choices": judgement.choices,
        "matching": [_choice(verdict) for verdict in judgement.matching],
        "t0": list(best.choice.starts),
        "bounds": best.choice.bounds.value,
        "windows": list(_windows(best, shifts)),
    }


def _choice(verdict: Verdict) -> str:
    return f"{' '.join(map(str, verdict.choice.starts))} {verdict.choice.bounds.value}"


def _windows(verdict: Verdict, shifts: dict[float, Shift]) -> Iterator[Json]:
    phases = {"transient": verdict.transient, "stable": verdict.windows, "later": verdict.later}
    for phase, windows in phases.items():
        for window in windows:
            yield {"phase": phase, **_window(window), **_shifted(window, shifts.get(window.last))}


def _window(window: Window) -> Json:
    return {
        "from": window.first,
        "to": window.last,
        "expected": window.expected,
        "actual": window.actual,
        "precision": window.precision,
        "recall": window.recall,
        "delay": window.delay,
        "triples": window.triples,
        "problem": window.problem,
    }


def _shifted(window: Window, shift: Shift | None) -> Json:
    """Return what better borders change: the rows expected, and how far each border moved, in triples."""
    if shift is None:
        return {"shift_from": None, "shift_to": None}
    common = shift.rows.common
    found = replace(
        window,
        expected=common + len(shift.rows.missing),
        actual=common + len(shift.rows.extra),
        common=common,
        problem=None if shift.rows.equal else window.problem,
    )
    return {**_window(found), "shift_from": shift.start, "shift_to": shift.end}
