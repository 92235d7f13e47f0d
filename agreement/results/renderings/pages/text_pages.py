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
    ends = [one.get("to") or 0 for one in _all(document)]
    named = dates.within(Interval(0, ceil(max(ends, default=0))))
    windows = [] if "cases" in document else [*_windows(document, named)]
    compared = [one for one in windows if one["phase"] == "windows"]
    wrong = sum(one["problem"] is not None for one in compared)
    right = {True: "Correct", False: "Incorrect", None: "NoModelKnown"}[correct]
    noun = "windows" if "transient" in document else "steps"
    answer = f"{right}: {len(compared) - wrong} of {len(compared)} {noun} are right" if compared else right
    starts = "; ".join(", ".join(map(named.text, one)) for one in document.get("t0", ()))
    fits = f" It fits for t0 = {starts}{named.caption}." if correct and starts else ""
    places = [name for name in _PLACES if any(name in one for one in _all(document))]
    measures = [name for name in _MEASURES if any(name in one for one in _all(document))]
    shown = _some(windows)
    page = {
        "windows": shown,
        "dates": named.for_script(),
        "left": len(windows) - len(shown),
        "columns": [*places, "verdict", *("delay ms" if one == "delay" else one for one in measures)],
        "places": places,
        "measures": measures,
        "each": "Window by window" if noun == "windows" else "Step by step",
        "blocks": page_blocks(_sentences(parts) if windows else parts),
        "fits": [_fit(one, named) for one in document.get("matching", ())],
    }
    asked = f"Is what was recorded what {document.get('engine', 'its engine')} should answer?"
    return Page(PageHead(title, asked, correct, f"{answer}.{fits}", notes), "judge", document, page)


_MOST: Final = 1_000
_ROWS_EACH: Final = 20
_LETTERS: Final = 250_000
"""Of more windows, of more rows of one, of longer ones some are shown, the wrong ones first."""


def _some(windows: Sequence[Json]) -> list[Json]:
    """Return all windows where they are short; else some, each with its first rows, in their order.

    Of many those that are wrong come before others.
    """
    most = None if len(windows) <= _MOST and _length(windows) <= _LETTERS else _ROWS_EACH
    short = [_with_rows(one, most) for one in windows]
    wrong = [place for place, one in enumerate(short) if one["problem"]]
    right = [place for place, one in enumerate(short) if not one["problem"]]
    chosen = evenly(wrong, _MOST)
    chosen += evenly(right, _MOST - len(chosen))
    room, kept = _LETTERS, []
    for place in chosen:
        room -= len(json_text(short[place]))
        if room >= 0:
            kept.append(place)
    return [short[place] for place in sorted(kept)]


def _with_rows(one: Json, most: int | None) -> Json:
    kept = one["rows"][:most]
    return one | {"rows": kept, "more": len(one["rows"]) - len(kept)}


def _length(windows: Sequence[Json]) -> int:
    return sum(len(json_text(one)) for one in windows)


def first_lines(lines: Sequence[str]) -> list[str]:
    """Return the first lines, and how many are left."""
    ends = accumulate(map(len, lines))
    kept = [line for line, end in zip(lines, ends, strict=True) if end <= _LETTERS]
    left = len(lines) - len(kept)
    return [*kept, f"… and {left} more lines: the command prints all"] if left else kept


def _sentences(parts: Iterable[RenderableType]) -> Iterator[str]:
    return (str(part).strip() for part in parts if isinstance(part, str | Text))


def _all(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one for phase in _PHASES for one in document.get(phase, ())]


def _fit(one: Mapping[str, Any], dates: Dates) -> Json:
    """Return start times that fit, with the last of those that an only window's stands for."""
    starts, last = one["t0"], one["until"]
    several = last is not None and len(starts) == 1 and last > starts[0]
    late = "" if one["late"] is None else " to ".join(dict.fromkeys(plain(float(t)) for t in one["late"]))
    told = ", ".join(map(dates.text, starts)) or "any"
    told = f"{told}..{dates.text(last)}" if several else told
    return {"t0": told, "bounds": one["bounds"], "late": late}


def _windows(document: Mapping[str, Any], dates: Dates) -> list[Json]:
    return [
        {
            "phase": phase,
            **{name: one.get(name) for name in (*_PLACES, *_MEASURES, "problem")},
            "wrong": phase == _PHASES[0] and one["problem"] is not None,
            "cells": {
                name: dates.text(one[name])
                if dates.zero is not None and name in _TIMES and one.get(name) is not None
                else _cell(one.get(name))
                for name in (*_PLACES, *_MEASURES)
            },
            "to": one.get("to", one.get("time", one.get("push", one.get("answer")))),
            "rows": [
                {"mark": mark, "row": _row(row)} for name, mark in _ROWS.items() for row in one.get(name, ())
            ],
            "shift": _shift(one["shift"], dates) if "shift" in one else None,
        }
        for phase in _PHASES
        for one in document.get(phase, ())
    ]


def _shift(one: Mapping[str, Any], dates: Dates) -> str:
    left = " and ".join(f"{one[name]} {name}" for name in ("missing", "extra") if one[name])
    ends = f"From {dates.text(one['from'])} to {dates.text(one['to'])}"
    return f"{ends} {f'{left} would be left' if left else 'all rows would fit'}."


def _cell(value: object) -> object:
    return "" if value is None else plain(value) if isinstance(value, float) else value


def _row(row: Mapping[str, Any]) -> str:
    named = (f"{name} = {_term(term)}" for name, term in row.items())
    return ", ".join(named) or "the row of no variable"


def _term(term: Mapping[str, str]) -> str:
    return short(f"<{term['value']}>") if term["type"] == "uri" else term["value"]


def text_page(said: PageHead, document: Mapping[str, object], parts: Iterable[RenderableType]) -> Page:
    """Return the page of a JSON document and of what a command prints."""
    page: Json = {
        "heading": said.heading,
        "blocks": page_blocks(parts),
        "proof": False,
        "lines": [],
        "timelines": [],
        "why": "",
        "rules": [],
        "dates": None,
    }
    return Page(said, "text", document, page)
