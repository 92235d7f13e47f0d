"""The pages of verdicts that are mostly text: judging, with its measures over time; all others."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import ceil
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from agreement.comparing.agree.narrowing import evenly
from agreement.documents.dates import Dates
from agreement.documents.outputs import Json, json_text, plain, short
from agreement.results.renderings.pages.blocks import page_blocks
from agreement.results.renderings.pages.page import Page, PageHead
from lars.language.windows import Interval

_MEASURES: Final = ("expected", "actual", "precision", "recall", "delay", "triples")
_PHASES: Final = ("windows", "transient", "later")
_TIMES: Final = frozenset(("from", "to", "time"))
_PLACES: Final = ("from", "to", "push", "time", "answer")
_ROWS: Final = {"common": "✓", "missing": "✗ missing", "extra": "✗ extra"}


def judge_page(
    title: str,
    document: Mapping[str, Any],
    parts: Iterable[RenderableType],
    notes: Sequence[str],
    dates: Dates,
) -> Page:
    """Return the page of a verdict on recorded answers, or on recorded cases."""
    correct: bool | None = document["correct"]
    ends = [window.get("to") or 0 for window in _all(document)]
    named = dates.within(Interval(0, ceil(max(ends, default=0))))
    windows = [] if "cases" in document else [*_windows(document, named)]
    compared = [window for window in windows if window["phase"] == "windows"]
    wrong = sum(window["problem"] is not None for window in compared)
    right = {True: "Correct", False: "Incorrect", None: "Undecided"}[correct]
    noun = "windows" if "transient" in document else "steps"
    answer = f"{right}: {len(compared) - wrong} of {len(compared)} {noun} are right" if compared else right
    starts = "; ".join(", ".join(map(named.text, times)) for times in document.get("t0", ()))
    fits = f" It fits for t0 = {starts}{named.caption}." if correct and starts else ""
    places = [name for name in _PLACES if any(name in window for window in _all(document))]
    measures = [name for name in _MEASURES if any(name in window for window in _all(document))]
    listed_windows = _some(windows)
    page = {
        "windows": listed_windows,
        "dates": named.for_script(),
        "left": len(windows) - len(listed_windows),
        "columns": [
            *places,
            "verdict",
            *("delay ms" if measure == "delay" else measure for measure in measures),
        ],
        "places": places,
        "measures": measures,
        "each": "Window by window" if noun == "windows" else "Step by step",
        "blocks": page_blocks(_sentences(parts) if windows else parts),
        "fits": [_fit(match, named) for match in document.get("matching", ())],
    }
    question = f"Is what was recorded what {document.get('engine', 'its engine')} should answer?"
    return Page(PageHead(title, question, correct, f"{answer}.{fits}", notes), "judge", document, page)


_MOST: Final = 1_000
_ROWS_EACH: Final = 20
_LETTERS: Final = 250_000
"""Of more windows, of more rows of one, of longer ones some are shown, the wrong ones first."""


def _some(windows: Sequence[Json]) -> list[Json]:
    """Return all windows where they are short; else some, each with its first rows, in their order.

    Of many those that are wrong come before others.
    """
    most = None if len(windows) <= _MOST and _length(windows) <= _LETTERS else _ROWS_EACH
    short = [_with_rows(window, most) for window in windows]
    wrong = [place for place, window in enumerate(short) if window["problem"]]
    right = [place for place, window in enumerate(short) if not window["problem"]]
    chosen = evenly(wrong, _MOST)
    chosen += evenly(right, _MOST - len(chosen))
    room, kept = _LETTERS, []
    for place in chosen:
        room -= len(json_text(short[place]))
        if room >= 0:
            kept.append(place)
    return [short[place] for place in sorted(kept)]


def _with_rows(window: Json, most: int | None) -> Json:
    kept = window["rows"][:most]
    return window | {"rows": kept, "more": len(window["rows"]) - len(kept)}


def _length(windows: Sequence[Json]) -> int:
    return sum(len(json_text(window)) for window in windows)


def first_lines(lines: Sequence[str]) -> list[str]:
    """Return the first lines, and how many are left."""
    ends = accumulate(map(len, lines))
    kept = [line for line, end in zip(lines, ends, strict=True) if end <= _LETTERS]
    left = len(lines) - len(kept)
    return [*kept, f"… and {left} more lines: the command prints all"] if left else kept


def _sentences(parts: Iterable[RenderableType]) -> Iterator[str]:
    return (str(part).strip() for part in parts if isinstance(part, str | Text))


def _all(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [window for phase in _PHASES for window in document.get(phase, ())]


def _fit(match: Mapping[str, Any], dates: Dates) -> Json:
    """Return start times that fit, with the last of those that an only window's stands for."""
    starts, last = match["t0"], match["until"]
    several = last is not None and len(starts) == 1 and last > starts[0]
    late = "" if match["late"] is None else " to ".join(dict.fromkeys(plain(float(t)) for t in match["late"]))
    text = ", ".join(map(dates.text, starts)) or "any"
    text = f"{text}..{dates.text(last)}" if several else text
    return {"t0": text, "bounds": match["bounds"], "late": late}


def _windows(document: Mapping[str, Any], dates: Dates) -> list[Json]:
    return [
        {
            "phase": phase,
            **{name: window.get(name) for name in (*_PLACES, *_MEASURES, "problem")},
            "wrong": phase == _PHASES[0] and window["problem"] is not None,
            "cells": {
                name: dates.text(window[name])
                if dates.zero is not None and name in _TIMES and window.get(name) is not None
                else _cell(window.get(name))
                for name in (*_PLACES, *_MEASURES)
            },
            "to": window.get("to", window.get("time", window.get("push", window.get("answer")))),
            "rows": [
                {"mark": mark, "row": _row(row)}
                for name, mark in _ROWS.items()
                for row in window.get(name, ())
            ],
            "shift": _shift(window["shift"], dates) if "shift" in window else None,
        }
        for phase in _PHASES
        for window in document.get(phase, ())
    ]


def _shift(shift: Mapping[str, Any], dates: Dates) -> str:
    left = " and ".join(f"{shift[name]} {name}" for name in ("missing", "extra") if shift[name])
    ends = f"From {dates.text(shift['from'])} to {dates.text(shift['to'])}"
    return f"{ends} {f'{left} would be left' if left else 'all rows would fit'}."


def _cell(value: object) -> object:
    return "" if value is None else plain(value) if isinstance(value, float) else value


def _row(row: Mapping[str, Any]) -> str:
    names = (f"{name} = {_term(term)}" for name, term in row.items())
    return ", ".join(names) or "the row of no variable"


def _term(term: Mapping[str, str]) -> str:
    return short(f"<{term['value']}>") if term["type"] == "uri" else term["value"]


def text_page(head: PageHead, document: Mapping[str, object], parts: Iterable[RenderableType]) -> Page:
    """Return the page of a JSON document and of what a command prints."""
    page: Json = {
        "heading": head.heading,
        "blocks": page_blocks(parts),
        "proof": False,
        "lines": [],
        "timelines": [],
        "why": "",
        "rules": [],
        "dates": None,
    }
    return Page(head, "text", document, page)
