"""The HTML report of `lars judge`: verdict, windows or steps over time, and start times that fit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from agreement.comparing.agree.narrowing import evenly
from agreement.comparing.judge import Judgement, Shift, Verdict
from agreement.comparing.judge.by_engine import VersionJudgement
from agreement.comparing.judge.judging import AnswersVerdict, starts_in_words
from agreement.documents.dates import Dates
from agreement.documents.outputs import Json, json_text, plain, quantity, share_text, short
from agreement.results.renderings.judged_windows import COUNTING, WindowVerdict, best_windows, fitting
from agreement.results.renderings.pages.blocks import page_blocks
from agreement.results.renderings.pages.page import Page
from lars.language.terms import Literal
from lars.language.windows import Interval
from solver.facts import Row, constant_of

_PLACES: Final = ("from", "to", "push", "time", "answer")
_MEASURES: Final = ("expected", "actual", "precision", "recall", "delay", "triples")
_SHARES: Final = frozenset(("precision", "recall"))
_TIMES: Final = frozenset(("from", "to", "time"))
_MARKS: Final = {"common": "✓", "missing": "✗ missing", "extra": "✗ extra"}
_WORDS: Final = {True: "Correct", False: "Incorrect", None: "Undecided"}
_MOST_WINDOWS: Final = 1_000
_ROWS_EACH: Final = 20
_LETTERS: Final = 250_000
"""The limits of shown windows, of rows of a window, and of characters; wrong windows are shown first."""


def cases_page(
    title: str,
    correct: bool | None,
    document: Mapping[str, object],
    parts: Iterable[RenderableType],
    notes: Sequence[str],
) -> Page:
    """Return the content of the HTML report of a verdict on recorded cases."""
    question = "Are the recorded answers correct for their engines?"
    page = {"windows": [], "fits": [], "left": 0, "blocks": page_blocks(parts)}
    return Page(
        title, question, correct, f"{_WORDS[correct]}.", notes, template="judge", document=document, page=page
    )


def answers_page(
    title: str,
    verdict: AnswersVerdict,
    document: Mapping[str, object],
    parts: Iterable[RenderableType],
    notes: Sequence[str],
) -> Page:
    """Return the content of the HTML report of a verdict on recorded answers.

    If several start times t0 fit, the report shows the windows for the best t0, as the text does.
    """
    judgement, windows = verdict.judgement, best_windows(verdict)
    last = ceil(max((window.end or 0 for window in windows), default=0))
    dates = verdict.dates.within(Interval(0, last))
    places = [name for name in _PLACES if any(name in window.at for window in windows)]
    by_version = not isinstance(judgement, Judgement)
    measures = list(_MEASURES[: -2 if by_version else None]) if windows else []
    all_windows = [_window(window, dates) for window in windows]
    shown = _some(all_windows)
    page: Json = {
        "windows": shown,
        "dates": dates.for_script(),
        "left": len(windows) - len(shown),
        "columns": [
            *places,
            "verdict",
            *("delay ms" if measure == "delay" else measure for measure in measures),
        ],
        "places": places,
        "measures": measures,
        "each": _each(judgement, dates),
        "blocks": page_blocks(_sentences(parts) if windows else parts),
        "fits": [_fit(match, dates) for match in judgement.matching]
        if isinstance(judgement, Judgement)
        else [],
    }
    engine = judgement.specification.name if isinstance(judgement, Judgement) else judgement.engine
    question = f"Are the recorded answers correct by {engine}?"
    return Page(
        title,
        question,
        verdict.correct,
        _answer(verdict, windows, dates),
        notes,
        template="judge",
        document=document,
        page=page,
    )


def _each(judgement: Judgement | VersionJudgement, dates: Dates) -> str:
    """Return the heading of the table of windows, with their start times if the specification has some."""
    if not isinstance(judgement, Judgement):
        return "Step by step"
    some = f" for t0 = {starts_in_words([judgement.best], dates)}" if judgement.best.choice.starts else ""
    return f"Window by window{some}"


def _answer(verdict: AnswersVerdict, windows: Sequence[WindowVerdict], dates: Dates) -> str:
    """Return a text with the verdict, the number of correct windows, and the start times that fit."""
    judgement, answer = verdict.judgement, _WORDS[verdict.correct]
    compared = [window for window in windows if window.phase == COUNTING]
    right = len(compared) - sum(window.is_wrong for window in compared)
    if not isinstance(judgement, Judgement):
        return f"{answer}: {_right_of(right, len(compared), 'step')}."
    # As in the text: an unexpected report is no window.
    stray = judgement.best.unexpected if judgement.choices else 0
    if count := len(compared) - stray:
        noun = "window" if judgement.choices else "evaluation"
        answer = f"{answer}: {_right_of(right, count, noun)}"
    if stray:
        answer = f"{answer}; {quantity(stray, 'report')} {'is' if stray == 1 else 'are'} not expected"
    fits = [one for one in fitting(judgement) if one.choice.starts]
    starts = starts_in_words(fits, dates) if fits else ""
    return f"{answer}. The start times t0 that fit: {starts}{dates.caption}." if starts else f"{answer}."


def _right_of(right: int, count: int, noun: str) -> str:
    """Return a text such as "1 of 2 windows is correct"."""
    return f"{right} of {quantity(count, noun)} {'is' if 1 in {right, count} else 'are'} correct"


def _some(windows: Sequence[Json]) -> list[Json]:
    """Return all windows if they are short, otherwise some windows in order with their first rows.

    If windows must be left out, wrong windows are kept first.
    """
    length = sum(len(json_text(window)) for window in windows)
    most = None if len(windows) <= _MOST_WINDOWS and length <= _LETTERS else _ROWS_EACH
    short_windows = [
        window | {"rows": window["rows"][:most], "more": len(window["rows"][most:]) if most else 0}
        for window in windows
    ]
    wrong = [place for place, window in enumerate(short_windows) if window["problem"]]
    right = [place for place, window in enumerate(short_windows) if not window["problem"]]
    chosen = evenly(wrong, _MOST_WINDOWS)
    chosen += evenly(right, _MOST_WINDOWS - len(chosen))
    room, kept = _LETTERS, []
    for place in chosen:
        room -= len(json_text(short_windows[place]))
        if room >= 0:
            kept.append(place)
    return [short_windows[place] for place in sorted(kept)]


def _sentences(parts: Iterable[RenderableType]) -> Iterator[str]:
    return (str(part).strip() for part in parts if isinstance(part, str | Text))


def _fit(verdict: Verdict, dates: Dates) -> Json:
    """Return matching start times as JSON; for one window, as a range of start times with equal verdict."""
    starts, last = verdict.choice.starts, verdict.until
    late = "" if verdict.late is None else " to ".join(dict.fromkeys(map(plain, verdict.late)))
    text = ", ".join(map(dates.text, starts)) or "any"
    if len(starts) == 1 and last is not None and last > starts[0]:
        text = f"{text}..{dates.text(last)}"
    return {"t0": text, "bounds": verdict.choice.bounds, "late": late}


def _window(window: WindowVerdict, dates: Dates) -> Json:
    measured = {name: getattr(window, name) for name in _MEASURES}
    numbers = {name: window.at.get(name) for name in _PLACES} | measured
    return {
        "phase": window.phase,
        **numbers,
        "problem": window.problem,
        "wrong": window.is_wrong,
        "cells": {
            name: dates.text(value)
            if dates.zero is not None and name in _TIMES and value is not None
            else _cell(name, value)
            for name, value in numbers.items()
        },
        "to": [*window.at.values()][-1],
        "rows": [
            {"mark": mark, "row": _row(window.columns, row)}
            for name, mark in _MARKS.items()
            for row in window.by_kind[name]
        ],
        "shift": None if window.shift is None else _shift_text(window.shift, dates),
    }


def _shift_text(shift: Shift, dates: Dates) -> str:
    counts = {"missing": len(shift.rows.missing), "extra": len(shift.rows.extra)}
    left = " and ".join(f"{count} {name}" for name, count in counts.items() if count)
    first, last = ("none" if t is None else dates.text(t) for t in (shift.first, shift.last))
    rows = f"rows would still be wrong: {left}" if left else "all rows would be correct"
    return f"If the window contained the times from {first} to {last}, {rows}."


def _cell(name: str, value: object) -> object:
    if not isinstance(value, float):
        return "" if value is None else value
    return share_text(value) if name in _SHARES else plain(value)


def _row(columns: Sequence[str], row: Row) -> str:
    pairs = zip(columns, row, strict=False)
    texts = (f"{name} = {_term(text)}" for name, text in pairs if text is not None)
    return ", ".join(texts) or "the row of no variable"


def _term(text: str) -> str:
    term = constant_of(text)
    return term.lexical if isinstance(term, Literal) else short(text)
