"""The summary of an experiment as text: a line for each cell, columns aligned."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agreement.encoding import Json
from agreement.experiment_values import Scalar, written

_ANSWERS: Final = {True: "yes", False: "no", None: "-"}
_MOST_REFUSED: Final = 60


def text_of(
    title: str, grid: Mapping[str, tuple[Scalar, ...]], verdicts: Sequence[Json], agreements: Sequence[Json]
) -> str:
    """Return the whole summary; parameters with one value are named above the tables."""
    fixed = ", ".join(f"{name} = {written(values[0])}" for name, values in grid.items() if len(values) == 1)
    varied = [name for name, values in grid.items() if len(values) > 1]
    parts = [part for part in (title, fixed) if part]
    if verdicts:
        parts.append(_table([_verdict(row, varied) for row in verdicts]))
        parts.append("delay in ms; precision, recall and delay of the windows that have rows")
    if agreements:
        parts.append(_table([_agreement(row, varied) for row in agreements]))
    return "\n\n".join([*parts, ""])


def _shown_labels(row: Json, varied: Sequence[str], kind: str) -> dict[str, str]:
    parameters = {name: written(row[name]) if name in row else "" for name in varied}
    return {"query": row["query"], "trace": row["trace"], kind: row[kind], **parameters}


def _verdict(row: Json, varied: Sequence[str]) -> dict[str, str]:
    labels = _shown_labels(row, varied, "engine")
    if row["refused"] is not None:
        return {**labels, "correct": f"refused: {_first_line(row['refused'])}"}
    return {
        **labels,
        "correct": _ANSWERS[row["correct"]],
        "windows": str(row["windows"]),
        "wrong": str(row["wrong"]),
        "expected": str(row["expected"]),
        "actual": str(row["actual"]),
        "precision mean/min": _measure(row, "precision", ("mean", "min"), 3),
        "recall mean/min": _measure(row, "recall", ("mean", "min"), 3),
        "delay mean/min/max": _measure(row, "delay", ("mean", "min", "max"), 1),
    }


def _measure(row: Json, name: str, parts: Sequence[str], decimals: int) -> str:
    found = [row.get(f"{name}_{part}") for part in parts]
    return " / ".join(f"{one:.{decimals}f}" for one in found if one is not None) or "-"


def _agreement(row: Json, varied: Sequence[str]) -> dict[str, str]:
    labels = _shown_labels(row, varied, "comparison")
    if row.get("refused") is not None:
        return {**labels, "agree": f"refused: {_first_line(row['refused'])}"}
    counts = ("period", "intervals", "disagreeing", "push", "pull", "push_only", "pull_only")
    shown = {name.replace("_", " "): str(row[name]) for name in counts if name in row}
    return {**labels, "variant": row.get("variant", ""), "agree": _ANSWERS[row["agree"]], **shown}


def _first_line(text: str) -> str:
    line = text.split("\n", 1)[0]
    return line if len(line) <= _MOST_REFUSED else f"{line[: _MOST_REFUSED - 1]}…"


def _table(rows: Sequence[Mapping[str, str]]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines = [columns, *([row.get(name, "") for name in columns] for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
    return "\n".join(_lines(lines, widths))


def _lines(lines: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        if not number:
            yield "  ".join("-" * width for width in widths)
