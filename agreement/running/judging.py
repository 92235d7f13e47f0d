"""A cell that judges: the verdict that fits best, window by window, as it is kept."""

from collections.abc import Iterator
from dataclasses import replace

from agreement.encoding import Json
from agreement.judging.gracious import Shift, borders
from agreement.judging.inputs import recorded, with_text
from agreement.judging.judgement import Judgement, judged
from agreement.judging.judging_json import measures
from agreement.judging.verdict import JudgedWindow, Verdict
from agreement.judging.versions import Run
from agreement.running.answering import answered, pushes_in
from agreement.running.cells import JudgingWork
from solver.static import read_static
from translate.dialects import read_query


def judge(work: JudgingWork) -> Json:
    """Return the verdict that fits best, and all start times and bounds that make it correct."""
    text, source = work.query.text, work.query.source
    query = with_text(read_query(text, source, work.query.language), text, source)
    unit = work.input.unit
    run = Run(query, read_static(work.input.static), pushes_in(work.input), unit)
    found = recorded(run, unit, answered(work, run), work.options)
    judgement = judged(found.task, work.by, found.recording, found.options)
    given = (found.task, work.by, found.recording, found.options, judgement.best)
    return _kept(judgement, borders(*given) if work.gracious else {})


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


def _window(window: JudgedWindow) -> Json:
    return {"from": window.first, "to": window.last, **measures(window)}


def _shifted(window: JudgedWindow, shift: Shift | None) -> Json:
    """Return what better borders change: the rows expected, and how far each border moved, in triples."""
    if shift is None:
        return {"shift_from": None, "shift_to": None}
    found = replace(window, rows=shift.rows, problem=None if shift.rows.equal else window.problem)
    return {**_window(found), "shift_from": shift.start, "shift_to": shift.end}
