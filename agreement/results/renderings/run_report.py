"""The HTML report of `lars run`: the cells with their verdicts, and the results of each cell over time.

A cell is one combination of query, trace, engine and parameters.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Any, Final

from agreement.comparing.agree import AgreementTask
from agreement.documents.dates import Dates
from agreement.documents.outputs import NO_ROWS, Json, share_text
from agreement.experiments import Cell, JudgingWork
from agreement.experiments.results import CellResults
from agreement.results.renderings.pages.page import Page
from agreement.results.renderings.phase_report import percent
from lars.durations import SECOND, TimedPoints
from lars.language.windows import Interval

_WINDOWS_OF_A_CELL: Final = 2000
"""The maximum number of windows that are drawn for one cell; a guess that keeps the page small."""
_WINDOWS_DRAWN: Final = 2500
"""The maximum number of cells with windows; their windows share about this number, at least 1 each."""
_MOST_ROWS: Final = 800
"""The maximum number of verdicts that are shown; negative verdicts are first."""
_MOST_PERIODS, _MOST_HEAT = 100, 2_000
"""The maximum number of pull periods of a heat map, and of shown cells of all heat maps."""
_MEASURED: Final = ("to", "expected", "actual", "precision", "recall", "delay", "problem")
_SHARES: Final = ("precision", "recall")
_COLUMNS: Final = {
    "windows": ("windows", "wrong", "precision_mean", "recall_mean", "delay_mean"),
    "intervals": ("period", "intervals", "disagreeing", "push_only", "pull_only"),
}


def run_page(results: CellResults, document: Mapping[str, object]) -> Page:
    """Return the content of the HTML report of an experiment."""
    verdicts, agreements = results.verdicts, results.agreements
    cells, varied = results.cells, results.varied
    wrong, good = results.counts
    each = "for each query, trace and parameter"
    question = f"Are the answers correct, and do the engines agree, {each}?"
    # Of one variant alone every row says the same.
    named = ("comparison", *(("variant",) if len({row.get("variant") for row in agreements}) > 1 else ()))
    page: Json = {
        "matrix": _matrix(verdicts, varied),
        "index": [
            *_table("Correct", verdicts, varied, ("engine",)),
            *_table("Agree", agreements, varied, named),
        ],
        "heat": _heat(agreements, (*named, *varied)),
        "matrix_left": max(0, len(verdicts) - _MOST_ROWS),
        "cells": _cells(cells, results.results),
    }
    verdict = not wrong if wrong or good else None
    notes = [*_origins(cells, results.results)]
    return Page(
        results.title or "An experiment",
        question,
        verdict,
        results.sentence,
        notes,
        template="run",
        document=document,
        page=page,
    )


def _origins(cells: Sequence[Cell], results: Mapping[str, Json]) -> Iterator[str]:
    """Yield a text with the dateTime of time 0 for each trace with dateTimes."""
    origins = {(cell.trace, results[cell.key].get("origin")): None for cell in cells}
    for trace, origin in origins:
        if origin is not None:
            yield f"time 0 of {trace} is {origin}"


def _table(name: str, rows: Sequence[Json], varied: Sequence[str], kinds: Sequence[str]) -> Iterator[Json]:
    if not rows:
        return
    measures = _COLUMNS["windows" if "engine" in kinds else "intervals"]
    # Of very many those that are no come before others.
    many = len(rows) > _MOST_ROWS
    shown = sorted(rows, key=lambda row: row[name.lower()] is not False) if many else rows
    yield {
        "title": name,
        "columns": [
            "query",
            "trace",
            *kinds,
            *varied,
            name.lower(),
            *(measure.replace("_", " ") for measure in measures),
        ],
        "rows": [
            {
                "cell": row["cell"],
                "good": row[name.lower()],
                "refused": row.get("refused"),
                "but": NO_ROWS if row.get("empty") else "",
                "labels": [row["query"], row["trace"], *(row.get(text, "") for text in (*kinds, *varied))],
                "measures": [_cell_text(measure, row.get(measure)) for measure in measures],
            }
            for row in shown[:_MOST_ROWS]
        ],
        "left": max(0, len(rows) - _MOST_ROWS),
    }


def _matrix(verdicts: Sequence[Json], varied: Sequence[str]) -> Json | None:
    """Return a table of verdicts with a column for each engine; None for fewer than two engines.

    If very many verdicts exist, rows with a wrong verdict of some engine come first.
    """

    def labels_of(row: Json) -> tuple[str, ...]:
        return row["query"], row["trace"], *(str(row.get(text, "")) for text in varied)

    if len(verdicts) > _MOST_ROWS:
        bad = {labels_of(row) for row in verdicts if row["correct"] is False}
        verdicts = sorted(verdicts, key=lambda row: labels_of(row) not in bad)[:_MOST_ROWS]
    engines = list(dict.fromkeys(row["engine"] for row in verdicts))
    if len(engines) < 2:  # noqa: PLR2004 - one is a column of the table
        return None
    rows: dict[tuple[str, ...], dict[str, Json]] = {}
    for row in verdicts:
        wrong = "refused" if row["refused"] is not None else f"{row['wrong']} of {row['windows']} wrong"
        rows.setdefault(labels_of(row), {})[row["engine"]] = {"good": row["correct"], "said": wrong}
    return {
        "labels": ["query", "trace", *varied],
        "engines": engines,
        "rows": [
            {"labels": labels, "cells": [own.get(engine) for engine in engines]}
            for labels, own in rows.items()
        ],
    }


def _heat(agreements: Sequence[Json], named: Sequence[str]) -> Json | None:
    """Return the share of agreeing periods by U and by the columns `named`; None for fewer than two U."""
    result = [row for row in agreements if row.get("intervals")]
    periods = sorted({row["period"] for row in result})
    if len(periods) < 2 or len(periods) > _MOST_PERIODS:  # noqa: PLR2004 - one is a column of the table
        return None
    rows: dict[tuple[str, ...], dict[int, Json]] = {}
    for row in result:
        labels = (row["query"], row["trace"], *(str(row.get(text, "")) for text in named))
        agreeing, whole = row["intervals"] - row["disagreeing"], row["intervals"]
        counts = {"agreeing": agreeing, "of": whole, "share": percent(agreeing, whole)}
        alike = f"all agree{NO_ROWS if row['empty'] else ''}"
        rows.setdefault(labels, {})[row["period"]] = counts | {"causes": row["causes"] or alike}
    drawn, most = list(rows.items()), _MOST_HEAT // len(periods)
    if len(drawn) > most:
        drawn.sort(key=lambda row: all(cell["agreeing"] == cell["of"] for cell in row[1].values()))
        del drawn[most:]
    return {
        "labels": ["query", "trace", *named],
        "periods": list(map(str, periods)),
        "rows": [
            {"labels": labels, "cells": [own.get(period) for period in periods]} for labels, own in drawn
        ],
        "left": len(rows) - len(drawn),
    }


def _cell_text(measure: str, value: object) -> object:
    match value:
        case float() if measure.startswith(_SHARES):
            return share_text(value)
        case float():
            return f"{value:.3f}"
        case TimedPoints():
            return str(value)
        case _:
            return value


def _cells(cells: Sequence[Cell], results: Mapping[str, Json]) -> list[Json]:
    drawn = [cell for cell in cells if not isinstance(cell.work, AgreementTask)][:_WINDOWS_DRAWN]
    most = min(_WINDOWS_OF_A_CELL, max(_WINDOWS_DRAWN // max(len(drawn), 1), 1))
    cells_json = [_cell(cell, results[cell.key], most) for cell in drawn]
    wrong = [cell for cell in cells_json if any(window["problem"] for window in cell["windows"])]
    return [cell | {"first_wrong": cell in (wrong or cells_json)[:1]} for cell in cells_json]


def _cell(cell: Cell, result: Mapping[str, Any], most: int) -> Json:
    """Return the windows of a cell, with the ends of the windows in time points and with dateTimes."""
    unit = cell.work.unit if isinstance(cell.work, JudgingWork) else SECOND
    windows = [
        {name: window[name] for name in _MEASURED}
        | {"phase": "windows", "to": _points(window["to"] / unit.milliseconds)}
        for window in result.get("windows", ())
        if window["phase"] == "stable"
    ]
    last = max((window["to"] for window in windows), default=0)
    dates = Dates(result.get("origin"), unit).within(Interval(0, ceil(last)))
    return {
        "key": cell.key,
        "name": f"{cell}{dates.caption}",
        "unit": "" if dates.zero else str(unit),
        "dates": dates.for_script(),
        "windows": windows[:most],
        "more": max(0, len(windows) - most),
    }


def _points(t: float) -> float:
    return int(t) if t == int(t) else t
