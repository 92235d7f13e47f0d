"""The tables of results as files: Parquet for each window and period, CSV for each cell, a summary's text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult

from agreement.documents.outputs import Json, table
from agreement.documents.values import Scalar, placeholder_text
from agreement.experiments import Cell, tables
from agreement.experiments.tables import Results
from lars.errors import LarsError, on_one_line

_ANSWERS: Final = {True: "yes", False: "no", None: "-"}
_MOST_REFUSED: Final = 60


@dataclass(frozen=True, slots=True)
class SummaryTable:
    """Rows by the names of columns: as text, or for a page that is narrower each row as a few lines."""

    rows: Sequence[Mapping[str, str]]

    @property
    def _cells(self) -> list[list[str]]:
        columns = list(dict.fromkeys(name for row in self.rows for name in row))
        cells = [columns, *([row.get(name, "") for name in columns] for row in self.rows)]
        return [list(map(on_one_line, line)) for line in cells]

    def __str__(self) -> str:
        lines = self._cells
        widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
        return "\n".join(_lines(lines, widths))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the text where it fits."""
        text = str(self)
        if max(map(len, text.split("\n"))) <= options.max_width:
            yield text
            return
        columns, *rows = self._cells
        yield from table(None, columns, rows).__rich_console__(console, options)


SummaryParts = Sequence[str | SummaryTable]


def summary_of(
    title: str, grid: Mapping[str, tuple[Scalar, ...]], verdicts: Sequence[Json], agreements: Sequence[Json]
) -> SummaryParts:
    """Return the parts of the summary; parameters with one value are named above the tables."""
    fixed = ", ".join(
        f"{name} = {placeholder_text(values[0])}" for name, values in grid.items() if len(values) == 1
    )
    varied = [name for name, values in grid.items() if len(values) > 1]
    parts: list[str | SummaryTable] = [on_one_line(part) for part in (title, fixed) if part]
    if verdicts:
        parts.append(SummaryTable([_verdict(row, varied) for row in verdicts]))
        parts.append("delay in ms; precision, recall and delay of the windows that have rows")
    if agreements:
        parts.append(SummaryTable([_agreement(row, varied) for row in agreements]))
    return parts


def _shown_labels(row: Json, varied: Sequence[str], kind: str) -> dict[str, str]:
    parameters = {name: placeholder_text(row[name]) if name in row else "" for name in varied}
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
    measures = [row.get(f"{name}_{part}") for part in parts]
    return " / ".join(f"{measure:.{decimals}f}" for measure in measures if measure is not None) or "-"


def _agreement(row: Json, varied: Sequence[str]) -> dict[str, str]:
    labels = _shown_labels(row, varied, "comparison")
    if row.get("refused") is not None:
        return {**labels, "agree": f"refused: {_first_line(row['refused'])}"}
    counts = ("period", "intervals", "disagreeing", "push", "pull", "push_only", "pull_only")
    counts_text = {name.replace("_", " "): str(row[name]) for name in counts if name in row}
    return {**labels, "variant": row.get("variant", ""), "agree": _ANSWERS[row["agree"]], **counts_text}


def _first_line(text: str) -> str:
    line = text.split("\n", 1)[0]
    return line if len(line) <= _MOST_REFUSED else f"{line[: _MOST_REFUSED - 1]}…"


def _lines(lines: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        if not number:
            yield "  ".join("-" * width for width in widths)


SUMMARY: Final = "summary.txt"
_KINDS: Final = {bool: "boolean", int: "Int64", float: "Float64", str: "string"}
Grid = Mapping[str, tuple[Scalar, ...]]


def write(out: Path, title: str, cells: Sequence[Cell], results: Results, grid: Grid) -> SummaryParts:
    """Write all tables into a folder and return the summary; the same results, the same bytes."""
    parameters = {name: _KINDS[type(values[0])] for name, values in grid.items()}
    verdicts, agreements = list(tables.verdicts(cells, results)), list(tables.agreements(cells, results))
    summary = summary_of(title, grid, verdicts, agreements)
    text = "\n\n".join([*map(str, summary), ""])
    try:
        with TemporaryDirectory(dir=out, prefix=".tables.") as name:
            folder = Path(name)
            (folder / SUMMARY).write_text(text, encoding="utf-8")
            if verdicts:
                columns = _columns("engine", parameters)
                _frame(
                    tables.windows(cells, results), {**columns, **tables.WINDOWS}, folder / "windows.parquet"
                )
                _frame(verdicts, {**columns, **tables.VERDICTS}, folder / "verdicts.csv")
            if agreements:
                columns = _columns("comparison", parameters)
                _frame(
                    tables.periods(cells, results), {**columns, **tables.PERIODS}, folder / "periods.parquet"
                )
                _frame(agreements, {**columns, **tables.AGREEMENTS}, folder / "agreements.csv")
            for file in sorted(folder.iterdir()):
                file.replace(out / file.name)
    except OSError as error:
        raise LarsError(f"{out}: cannot be written: {error.strerror}") from None
    return summary


def _columns(kind: str, parameters: Mapping[str, str]) -> dict[str, str]:
    return {**dict.fromkeys(("cell", "query", "trace", kind), "string"), **parameters}


def _frame(documents: Iterable[Json], columns: Mapping[str, str], path: Path) -> None:
    """Write rows as a table; what a row lacks is missing there."""
    import pandas as pd  # type: ignore[import-untyped]

    held: list[dict[str, object]] = list(documents)
    frame = pd.DataFrame(
        {name: pd.array([row.get(name) for row in held], dtype=kind) for name, kind in columns.items()}
    )
    if path.suffix == ".csv":
        frame.to_csv(path, index=False, lineterminator="\n")
    else:
        frame.to_parquet(path, engine="pyarrow", index=False)
