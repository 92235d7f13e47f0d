"""Verdicts as JSON: what `lars judge --json` prints."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from agreement.judging.diagnosis import Diagnosis
from agreement.judging.gracious import Shift
from agreement.judging.judgement import Judgement
from agreement.judging.verdict import Verdict, Window
from agreement.judging.versions import Step, VersionJudgement
from agreement.outputs import json_term
from agreement.recordings.recording import Row
from solver.facts import constant_of

Json = dict[str, Any]
_MANY: Final = 10_000
"""So many start times in a row are not listed one by one."""


def by_specification(
    found: Judgement, columns: Sequence[str], milliseconds: float, diagnosis: Diagnosis | None
) -> Json:
    """Return a specification's verdict: windows of each choice that matches, else of the best one."""
    best = found.best
    same = [one for one in found.matching if one.choice.bounds is best.choice.bounds]
    alike = sorted(same, key=lambda one: one.choice.starts) or [best]
    shifts = diagnosis.shifts if diagnosis else {}
    windows = _Windows(columns, milliseconds, shifts)
    return {
        "engine": found.specification.name,
        "correct": found.correct,
        "t0": [start for one in alike if one.correct for start in _alike(one)],
        "bounds": best.choice.bounds.value,
        "matching": [
            {
                "t0": _start(one),
                "until": one.until,
                "bounds": one.choice.bounds.value,
                "late": one.late and list(one.late),
            }
            for one in found.matching
        ],
        "choices": found.choices,
        "tried": found.tried,
        "stable_from": _points(best.phase.after, milliseconds),
        "windows": [row for one in alike for row in windows.of(one, one.windows)],
        "transient": windows.of(best, best.transient),
        "later": windows.of(best, best.later),
        "explanations": _explanations(diagnosis),
    }


def _alike(verdict: Verdict) -> list[int | list[int]]:
    """Return t0, and the following ones that it stands for."""
    first = _start(verdict)
    if isinstance(first, list) or verdict.until is None or verdict.until - first >= _MANY:
        return [first]
    return list(range(first, verdict.until + 1))


def _start(verdict: Verdict) -> int | list[int]:
    """Return t0: a number when all windows have the same one."""
    starts = verdict.choice.starts
    return starts[0] if len(set(starts)) == 1 else list(starts)


def _points(t: float, milliseconds: float) -> float:
    found = t / milliseconds
    return int(found) if found == int(found) else found


class _Windows:
    """Windows as JSON: times in time points, delays in ms."""

    def __init__(self, columns: Sequence[str], milliseconds: float, shifts: Mapping[float, Shift]) -> None:
        self.columns, self.milliseconds, self.shifts = columns, milliseconds, shifts

    def of(self, verdict: Verdict, windows: Iterable[Window]) -> list[Json]:
        """Return windows of a verdict."""
        return [{"t0": _start(verdict), **self._window(window)} for window in windows]

    def _window(self, window: Window) -> Json:
        first = None if window.first is None else _points(window.first, self.milliseconds)
        shift = self.shifts.get(window.last)
        return {
            "from": first,
            "to": _points(window.last, self.milliseconds),
            "expected": window.expected,
            "actual": window.actual,
            "precision": window.precision,
            "recall": window.recall,
            "delay": window.delay,
            "triples": window.triples,
            "problem": window.problem,
            "missing": _rows(self.columns, window.missing),
            "extra": _rows(self.columns, window.extra),
            **({} if shift is None else {"shift": _shift(shift)}),
        }


def _shift(shift: Shift) -> Json:
    wrong = {"missing": len(shift.rows.missing), "extra": len(shift.rows.extra)}
    return {
        "window": shift.window,
        "start": shift.start,
        "end": shift.end,
        "from": shift.first,
        "to": shift.last,
        **wrong,
    }


def _explanations(diagnosis: Diagnosis | None) -> list[Json]:
    if diagnosis is None:
        return []
    every = (diagnosis.own, *diagnosis.explanations)
    return [
        {"says": one.says, "predicted": one.predicted, "score": one.score, "complete": one.complete}
        for one in every
    ]


def by_version(found: VersionJudgement) -> Json:
    """Return an engine version's verdict: each push, or each time unit, with what it reported."""
    return {
        "engine": found.engine,
        "correct": found.correct,
        "t0": [],
        "score": found.score,
        "windows": [_step(found, step) for step in found.steps],
    }


def _step(found: VersionJudgement, step: Step) -> Json:
    actual = step.rows.common + len(step.rows.extra)
    expected = step.rows.common + len(step.rows.missing)
    return {
        ("push" if found.by_push else "time"): step.place,
        "predicted_at": [report.t for report in step.predicted],
        "recorded_at": [report.t for report in step.recorded],
        "expected": expected,
        "actual": actual,
        "precision": step.rows.common / actual if actual else 1.0,
        "recall": step.rows.common / expected if expected else 1.0,
        "problem": step.problem,
        "missing": _rows(found.columns, step.rows.missing),
        "extra": _rows(found.columns, step.rows.extra),
    }


def _rows(columns: Sequence[str], rows: Iterable[Row]) -> list[Json]:
    # A row is longer than the query's columns only where it has values there.
    return [
        {name: json_term(constant_of(text)) for name, text in zip(columns, row, strict=False) if text}
        for row in rows
    ]
