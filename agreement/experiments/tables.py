"""What the results of cells say, as rows of tables: windows, periods, and one summary for each cell."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agreement.comparing.agree import AgreementTask
from agreement.documents.dates import Dates
from agreement.documents.outputs import Json
from agreement.experiments.cells import Cell, JudgingWork
from lars.durations import MILLISECOND

Results = Mapping[str, Json]

_MEASURES: Final = ("precision", "recall", "delay")
WINDOWS: Final[Mapping[str, str]] = {
    "t0": "string",
    "t0_date": "string",
    "bounds": "string",
    "phase": "string",
    "from": "Float64",
    "to": "Float64",
    "expected": "Int64",
    "actual": "Int64",
    "precision": "Float64",
    "recall": "Float64",
    "delay": "Float64",
    "triples": "Int64",
    "shift_from": "Int64",
    "shift_to": "Int64",
    "problem": "string",
    "origin": "string",
    "from_date": "string",
    "to_date": "string",
}
"""The columns of a window and the kinds of their values: times and delay in ms, shifts in triples.

`origin` is the dateTime of time 0; it and the dates of both ends are missing where times are numbers alone.
"""
VERDICTS: Final[Mapping[str, str]] = {
    "specification": "string",
    "correct": "boolean",
    "t0": "string",
    "t0_date": "string",
    "bounds": "string",
    "matching": "Int64",
    "choices": "Int64",
    "windows": "Int64",
    "wrong": "Int64",
    **{f"{name}_{what}": "Float64" for name in _MEASURES for what in ("mean", "min", "max")},
    "expected": "Int64",
    "actual": "Int64",
    "refused": "string",
}
"""The columns of a judged cell: numbers are of the stable phase, measures of its windows with rows."""
PERIODS: Final[Mapping[str, str]] = {
    "variant": "string",
    "period": "Int64",
    "from": "Int64",
    "to": "Int64",
    "agree": "boolean",
    "push": "Int64",
    "pull": "Int64",
    "push_only": "Int64",
    "pull_only": "Int64",
    "causes": "string",
    "origin": "string",
    "from_date": "string",
    "to_date": "string",
}
"""The columns of a whole pulling period (from, to], in time points from `origin`; numbers of rows."""
AGREEMENTS: Final[Mapping[str, str]] = {
    "variant": "string",
    "period": "Int64",
    "agree": "boolean",
    "intervals": "Int64",
    "disagreeing": "Int64",
    "push": "Int64",
    "pull": "Int64",
    "push_only": "Int64",
    "pull_only": "Int64",
    "causes": "string",
    "refused": "string",
}
LABELS: Final = ("cell", "query", "trace", "engine", "comparison")
RESERVED: Final = frozenset((*LABELS, *WINDOWS, *VERDICTS, *PERIODS, *AGREEMENTS))
"""Names that no parameter of a grid can have, as they are columns."""
_SUMMED: Final = ("push", "pull", "push_only", "pull_only")


def judging_cells(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells that judge."""
    return [cell for cell in cells if isinstance(cell.work, JudgingWork)]


def comparing_cells(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells that compare."""
    return [cell for cell in cells if isinstance(cell.work, AgreementTask)]


def _labels(cell: Cell) -> Json:
    kind = "engine" if isinstance(cell.work, JudgingWork) else "comparison"
    named = {"cell": cell.key, "query": cell.query, "trace": cell.trace, kind: cell.name}
    return named | dict(cell.parameters)


def windows(cells: Sequence[Cell], results: Results) -> Iterator[Json]:
    """Yield a row for each window of each judged cell."""
    for cell in judging_cells(cells):
        result = results[cell.key]
        choice = {**_start(cell, result), "bounds": result.get("bounds"), "origin": result.get("origin")}
        for window in result.get("windows", ()):
            yield _labels(cell) | choice | window | _dates(window, Dates(result.get("origin"), MILLISECOND))


def verdicts(cells: Sequence[Cell], results: Results) -> Iterator[Json]:
    """Yield a row for each judged cell."""
    for cell in judging_cells(cells):
        assert isinstance(cell.work, JudgingWork)
        result = results[cell.key]
        stable = [window for window in result.get("windows", ()) if window["phase"] == "stable"]
        yield {
            **_labels(cell),
            "specification": cell.work.by.name,
            "correct": result.get("correct"),
            **_start(cell, result),
            "bounds": result.get("bounds"),
            "matching": len(result.get("matching", ())),
            "choices": result.get("choices"),
            "windows": len(stable),
            "wrong": sum(window["problem"] is not None for window in stable),
            **_measures(stable),
            "expected": sum(window["expected"] for window in stable),
            "actual": sum(window["actual"] for window in stable),
            "refused": result.get("refused"),
        }


def _start(cell: Cell, result: Json) -> Json:
    """Return the start times, and their dateTimes where time 0 is one."""
    if "t0" not in result:
        return {}
    assert isinstance(cell.work, JudgingWork)
    dates = Dates(result.get("origin"), cell.work.input.unit)
    dated = None if dates.zero is None else " ".join(map(dates.option, result["t0"]))
    return {"t0": " ".join(map(str, result["t0"])), "t0_date": dated}


def _measures(windows: Sequence[Json]) -> Json:
    """Return mean, least and largest measures of the windows in which rows are expected or reported."""
    measures: Json = {}
    full = [window for window in windows if window["expected"] or window["actual"]]
    for name in _MEASURES:
        own = [window[name] for window in full if window[name] is not None]
        if own:
            measures |= {
                f"{name}_mean": sum(own) / len(own),
                f"{name}_min": min(own),
                f"{name}_max": max(own),
            }
    return measures


def periods(cells: Sequence[Cell], results: Results) -> Iterator[Json]:
    """Yield a row for each whole period of each comparison."""
    for cell in comparing_cells(cells):
        result = results[cell.key]
        assert isinstance(cell.work, AgreementTask)
        dates = Dates(result.get("origin"), cell.work.setting.unit)
        for interval in result.get("intervals", ()):
            causes = {"causes": _counts_text(interval["causes"]), "origin": dates.zero}
            yield _labels(cell) | interval | causes | _dates(interval, dates)


def _dates(row: Json, dates: Dates) -> Json:
    """Return what both ends of an interval are called; nothing where times are numbers alone."""
    ends = {f"{name}_date": None if row[name] is None else dates.date(row[name]) for name in ("from", "to")}
    return {name: date for name, date in ends.items() if date is not None}


def agreements(cells: Sequence[Cell], results: Results) -> Iterator[Json]:
    """Yield a row for each variant and pulling period of each comparison."""
    for cell in comparing_cells(cells):
        result = results[cell.key]
        groups: dict[tuple[str, int], list[Json]] = {}
        for interval in result.get("intervals", ()):
            groups.setdefault((interval["variant"], interval["period"]), []).append(interval)
        for (variant, period), own in groups.items():
            disagreeing = sum(not interval["agree"] for interval in own)
            yield {
                **_labels(cell),
                "variant": variant,
                "period": period,
                "agree": not disagreeing,
                "intervals": len(own),
                "disagreeing": disagreeing,
                **{name: sum(interval[name] for interval in own) for name in _SUMMED},
                "causes": _counts_text(sum((Counter(interval["causes"]) for interval in own), Counter())),
            }
        if not groups:
            yield _labels(cell) | {"agree": None, "refused": result.get("refused")}


def _counts_text(causes: Mapping[str, int]) -> str | None:
    """Return causes with their numbers, None where there is none."""
    return ", ".join(f"{cause} ({number})" for cause, number in sorted(causes.items())) or None
