"""The tables of results as files: Parquet for each window and period, CSV for each cell, a text."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from agreement.encoding import Json
from agreement.experiment_values import Scalar
from agreement.running import rows
from agreement.running.cells import Cell
from agreement.running.rows import Results
from agreement.running.summary import text_of
from lars.errors import LarsError

SUMMARY: Final = "summary.txt"
_KINDS: Final = {bool: "boolean", int: "Int64", float: "Float64", str: "string"}
Grid = Mapping[str, tuple[Scalar, ...]]


def write(out: Path, title: str, cells: Sequence[Cell], results: Results, grid: Grid) -> str:
    """Write all tables into a folder and return the summary as text; the same results, the same bytes."""
    parameters = {name: _KINDS[type(values[0])] for name, values in grid.items()}
    verdicts, agreements = list(rows.verdicts(cells, results)), list(rows.agreements(cells, results))
    text = text_of(title, grid, verdicts, agreements)
    try:
        with TemporaryDirectory(dir=out, prefix=".tables.") as name:
            folder = Path(name)
            (folder / SUMMARY).write_text(text, encoding="utf-8")
            if verdicts:
                columns = _columns("engine", parameters)
                _frame(rows.windows(cells, results), {**columns, **rows.WINDOWS}, folder / "windows.parquet")
                _frame(verdicts, {**columns, **rows.VERDICTS}, folder / "verdicts.csv")
            if agreements:
                columns = _columns("comparison", parameters)
                _frame(rows.periods(cells, results), {**columns, **rows.PERIODS}, folder / "periods.parquet")
                _frame(agreements, {**columns, **rows.AGREEMENTS}, folder / "agreements.csv")
            for file in sorted(folder.iterdir()):
                file.replace(out / file.name)
    except OSError as error:
        raise LarsError(f"{out}: cannot be written: {error.strerror}") from None
    return text


def _columns(kind: str, parameters: Mapping[str, str]) -> dict[str, str]:
    return {**dict.fromkeys(("cell", "query", "trace", kind), "string"), **parameters}


def _frame(found: Iterable[Json], columns: Mapping[str, str], path: Path) -> None:
    """Write rows as a table; what a row lacks is missing there."""
    import pandas as pd  # type: ignore[import-untyped]

    held: list[dict[str, Any]] = list(found)
    frame = pd.DataFrame(
        {name: pd.array([row.get(name) for row in held], dtype=kind) for name, kind in columns.items()}
    )
    if path.suffix == ".csv":
        frame.to_csv(path, index=False, lineterminator="\n")
    else:
        frame.to_parquet(path, engine="pyarrow", index=False)
