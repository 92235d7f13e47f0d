"""The pages of verdicts that are mostly text: judging, with its measures over time; all others."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agreement.outputs import Json, plain
from agreement.report.page import Page

_COLUMNS: Final = ("from", "to", "expected", "actual", "precision", "recall", "delay")
_EXPLAINS: Final = " predicts "
_PHASES: Final = ("windows", "transient", "later")


def judge_page(
    title: str, correct: bool | None, document: Mapping[str, Any], text: str, notes: Sequence[str]
) -> Page:
    """Return the page of a verdict on recorded answers, or on recorded cases."""
    windows = [] if "cases" in document else [*_windows(document)]
    wrong = sum(one["phase"] == "windows" and one["problem"] is not None for one in windows)
    right = {True: "Correct", False: "Incorrect", None: "Undecided"}[correct]
    counted = [one for one in windows if one["phase"] == "windows"]
    answer = f"{right}: {len(counted) - wrong} of {len(counted)} windows are right" if counted else right
    starts = ", ".join(str(one) for one in document.get("t0", ()))
    fits = f" It fits for t0 = {starts}." if correct and starts else ""
    names = [*_COLUMNS, "verdict"]
    faults = [line.strip() for line in text.split("\n") if _EXPLAINS in line]
    page = {"windows": windows, "columns": names, "text": text, "faults": faults}
    asked = f"Is what was recorded what {document.get('engine', 'its engine')} should answer?"
    return Page(title, asked, correct, f"{answer}.{fits}", "judge", document, page, notes)


def _windows(document: Mapping[str, Any]) -> list[Json]:
    return [
        {
            "phase": phase,
            **{name: one.get(name) for name in (*_COLUMNS, "problem")},
            "cells": [_cell(one.get(name, one.get("time"))) for name in _COLUMNS[:2]]
            + [_cell(one.get(name)) for name in _COLUMNS[2:]],
            "missing": list(map(_row, one["missing"])),
            "extra": list(map(_row, one["extra"])),
        }
        for phase in _PHASES
        for one in document.get(phase, ())
    ]


def _cell(value: Any) -> Any:
    return plain(value) if isinstance(value, float) else value


def _row(row: Mapping[str, Any]) -> str:
    return ", ".join(f"?{name} = {term['value']}" for name, term in row.items())


def text_page(
    title: str, asked: str, verdict: bool | None, answer: str, found: tuple[Mapping[str, object], str]
) -> Page:
    """Return the page of a JSON document and of what a command prints."""
    document, text = found
    return Page(title, asked, verdict, answer, "text", document, {"text": text})
