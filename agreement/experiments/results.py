"""The results of cells as tables of windows, periods and cells, and as a summary."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult

from agreement.comparing.agree import AgreementTask, periods_of
from agreement.documents.dates import Dates
from agreement.documents.outputs import NO_ROWS, Json, quantity, share_text, table
from agreement.documents.table_files import Column, OutTable, TableValue, as_frame
from agreement.documents.values import Scalar, placeholder_text
from agreement.experiments.cells import Cell, JudgingWork
from lars.dataclass import dataclass
from lars.durations import MILLISECOND
from lars.errors import LarsError, on_one_line

_MEASURES: Final = ("precision", "recall", "delay")
_PARTS: Final = ("mean", "min", "max")
_COUNTS: Final = ("push", "pull", "push_only", "pull_only")
_DATED: Final[Mapping[str, type]] = dict.fromkeys(("origin", "from_date", "to_date"), str)
"""The columns with the dateTimes of time 0 and of both ends.

If times are integers, the tables have no columns with dateTimes.
"""
WINDOWS: Final[Mapping[str, type]] = {
    **dict.fromkeys(("t0", "t0_date", "bounds", "phase"), str),
    **dict.fromkeys(("from", "to"), float),
    **dict.fromkeys(("expected", "actual"), int),
    **dict.fromkeys(_MEASURES, float),
    **dict.fromkeys(("triples", "shift_from", "shift_to"), int),
    "problem": str,
    **_DATED,
}
"""The columns of a window and the kinds of values: times and delay in ms, shifts in triples."""
VERDICTS: Final[Mapping[str, type]] = {
    "specification": str,
    "correct": bool,
    **dict.fromkeys(("t0", "t0_date", "bounds"), str),
    **dict.fromkeys(("matching", "choices", "windows", "wrong"), int),
    **dict.fromkeys((f"{name}_{part}" for name in _MEASURES for part in _PARTS), float),
    **dict.fromkeys(("expected", "actual"), int),
    "refused": str,
}
"""The columns of a judged cell.

Numbers and measures exclude the windows of the transient phase. Measures use only windows with rows.
"""
PERIODS: Final[Mapping[str, type]] = {
    "variant": str,
    **dict.fromkeys(("period", "from", "to"), int),
    "agree": bool,
    **dict.fromkeys(_COUNTS, int),
    "causes": str,
    **_DATED,
}
"""The columns of a whole pull period (from, to]: times in time points from `origin`, and numbers of rows."""
AGREEMENTS: Final[Mapping[str, type]] = {
    "variant": str,
    "period": int,
    **dict.fromkeys(("agree", "empty"), bool),
    **dict.fromkeys(("intervals", "disagreeing", *_COUNTS), int),
    **dict.fromkeys(("causes", "refused"), str),
}
_LABELS: Final = ("cell", "query", "trace", "engine", "comparison")
RESERVED: Final = frozenset((*_LABELS, *WINDOWS, *VERDICTS, *PERIODS, *AGREEMENTS))
"""The names of columns, which a parameter of a grid cannot have."""
SUMMARY: Final = "summary.txt"


@dataclass(frozen=True)
class CellResults:
    """The cells of an experiment, and the results of cells by key."""

    title: str
    grid: Mapping[str, tuple[Scalar, ...]]
    cells: Sequence[Cell]
    results: Mapping[str, Json]

    @property
    def varied(self) -> tuple[str, ...]:
        """The parameters that have several values in the cells."""
        return tuple(name for name, values in self.grid.items() if len(values) > 1)

    @cached_property
    def verdicts(self) -> Sequence[Json]:
        """The rows of the table `verdicts`: one row for each judged cell."""
        return [
            _verdict_row(cell, cell.work, self.results[cell.key])
            for cell in self.cells
            if isinstance(cell.work, JudgingWork)
        ]

    @cached_property
    def agreements(self) -> Sequence[Json]:
        """The rows of the table `agreements`: one row for each variant and pull period of each comparison."""
        return [
            row
            for cell in self.cells
            if isinstance(cell.work, AgreementTask)
            for row in _agreement_rows(cell, cell.work, self.results[cell.key])
        ]

    @property
    def counts(self) -> tuple[int, int]:
        """The number of negative verdicts, and the number of positive verdicts."""
        every = [*(row["correct"] for row in self.verdicts), *(row["agree"] for row in self.agreements)]
        return sum(verdict is False for verdict in every), sum(verdict is True for verdict in every)

    @property
    def sentence(self) -> str:
        """The number of cells, and of positive, negative and missing verdicts."""
        wrong, good = self.counts
        empty = sum(row["empty"] for row in self.agreements)
        without = f" ({empty}{NO_ROWS})" if empty else ""
        left = len(self.verdicts) + len(self.agreements) - good - wrong
        verdicts = f"{quantity(good, 'verdict')} yes{without}, {wrong} no"
        undecided = f", {left} without a verdict" if left else ""
        return f"{quantity(len(self.cells), 'cell')}: {verdicts}{undecided}."

    def windows(self) -> Iterator[Json]:
        """Yield a row for each window of each judged cell."""
        for cell in self.cells:
            if isinstance(cell.work, JudgingWork):
                result = self.results[cell.key]
                dates = Dates(result.get("origin"), MILLISECOND)
                start = _start(cell.work, result)
                choice = {**start, "bounds": result.get("bounds"), "origin": result.get("origin")}
                for window in result.get("windows", ()):
                    yield _labels(cell, "engine") | choice | window | _ends(window, dates)

    def periods(self) -> Iterator[Json]:
        """Yield a row for each whole period of each comparison."""
        for cell in self.cells:
            if isinstance(cell.work, AgreementTask):
                result = self.results[cell.key]
                dates = Dates(result.get("origin"), cell.work.setting.unit)
                for interval in result.get("intervals", ()):
                    causes = {"causes": _counts_text(interval["causes"]), "origin": dates.zero}
                    yield _labels(cell, "comparison") | interval | causes | _ends(interval, dates)

    def tables(self) -> Sequence[OutTable]:
        """Return the tables `verdicts` and `agreements`, with the columns of their written files."""
        return (
            _table("verdicts", self.verdicts, self._labels("engine"), VERDICTS),
            _table("agreements", self.agreements, self._labels("comparison"), AGREEMENTS),
        )

    def _labels(self, kind: str) -> Mapping[str, type]:
        """Return the columns of the labels and parameters of cells; `kind` is "engine" or "comparison"."""
        parameters = {name: type(values[0]) for name, values in self.grid.items()}
        return dict.fromkeys(("cell", "query", "trace", kind), str) | parameters

    def write(self, out: Path) -> None:
        """Write all tables and the summary to a folder; equal results give files with equal bytes."""
        text = "\n\n".join([*map(str, self.summary()), ""])
        written = (
            ("engine", "windows.parquet", self.windows, WINDOWS, self.verdicts),
            ("engine", "verdicts.csv", lambda: self.verdicts, VERDICTS, self.verdicts),
            ("comparison", "periods.parquet", self.periods, PERIODS, self.agreements),
            ("comparison", "agreements.csv", lambda: self.agreements, AGREEMENTS, self.agreements),
        )
        try:
            with TemporaryDirectory(dir=out, prefix=".tables.") as name:
                folder = Path(name)
                (folder / SUMMARY).write_text(text, encoding="utf-8")
                for kind, file, rows, columns, cells in written:
                    if cells:
                        _write(_table(file, rows(), self._labels(kind), columns), folder / file)
                for path in sorted(folder.iterdir()):
                    path.replace(out / path.name)
                for _, file, _, _, cells in written:
                    if not cells:
                        # A table of an earlier experiment would be mistaken for a current one.
                        (out / file).unlink(missing_ok=True)
        except OSError as error:
            raise LarsError(f"{out}: cannot write the file: {error.strerror}") from None

    def summary(self) -> Sequence["str | SummaryTable"]:
        """Return the parts of the summary; a line above the tables lists the parameters with one value."""
        fixed = ", ".join(
            f"{name} = {placeholder_text(values[0])}"
            for name, values in self.grid.items()
            if len(values) == 1
        )
        parts: list[str | SummaryTable] = [on_one_line(part) for part in (self.title, fixed) if part]
        if self.verdicts:
            parts.append(SummaryTable([_verdict(row, self.varied) for row in self.verdicts]))
            parts.append("delay in ms; precision, recall and delay of the windows that have rows")
        if self.agreements:
            parts.append(SummaryTable([_agreement(row, self.varied) for row in self.agreements]))
        return parts


def _table(
    name: str, rows: Iterable[Json], labels: Mapping[str, type], columns: Mapping[str, type]
) -> OutTable:
    every = (
        *(Column(label, kind, "a label of the cell") for label, kind in labels.items()),
        *(Column(column, kind, column.replace("_", " ")) for column, kind in columns.items()),
    )
    return OutTable(name, every, ([_value(row.get(one.name), one.kind) for one in every] for row in rows))


def _value(value: TableValue, kind: type) -> TableValue:
    return str(value) if kind is str and value is not None else value


def _write(out_table: OutTable, path: Path) -> None:
    frame = as_frame(out_table)
    if path.suffix == ".csv":
        frame.to_csv(path, index=False, lineterminator="\n")
    else:
        frame.to_parquet(path, engine="pyarrow", index=False)


def _labels(cell: Cell, kind: str) -> Json:
    named = {"cell": cell.key, "query": cell.query, "trace": cell.trace, kind: cell.name}
    return named | dict(cell.parameters)


def _verdict_row(cell: Cell, work: JudgingWork, result: Json) -> Json:
    stable = [window for window in result.get("windows", ()) if window["phase"] == "stable"]
    return {
        **_labels(cell, "engine"),
        "specification": work.by.name,
        "correct": result.get("correct"),
        **_start(work, result),
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


def _start(work: JudgingWork, result: Json) -> Json:
    """Return the start times of a verdict, with dateTimes if time 0 is a dateTime."""
    if "t0" not in result:
        return {}
    dates = Dates(result.get("origin"), work.unit)
    dated = None if dates.zero is None else " ".join(map(dates.option, result["t0"]))
    return {"t0": " ".join(map(str, result["t0"])), "t0_date": dated}


def _measures(windows: Sequence[Json]) -> Json:
    """Return mean, minimum and maximum of each measure over the windows with expected or reported rows."""
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


def _ends(row: Json, dates: Dates) -> Json:
    """Return the dateTimes of both ends of an interval as columns; empty if times are integers."""
    ends = {f"{name}_date": None if row[name] is None else dates.date(row[name]) for name in ("from", "to")}
    return {name: date for name, date in ends.items() if date is not None}


def _agreement_rows(cell: Cell, work: AgreementTask, result: Json) -> Iterator[Json]:
    labels = _labels(cell, "comparison")
    # If the timeline is shorter than the pull period U, nothing is compared: no interval, and no verdict.
    groups: dict[tuple[str, int], list[Json]] = {tuple(key): [] for key in result.get("compared", ())}
    for interval in result.get("intervals", ()):
        groups.setdefault((interval["variant"], interval["period"]), []).append(interval)
    # The files of cells contain periods as integers; the table shows them as in experiment.toml.
    written = {int(each): each for each in (periods_of(work) if groups else ())}
    for (variant, period), own in groups.items():
        disagreeing = sum(not interval["agree"] for interval in own)
        counts = {name: sum(interval[name] for interval in own) for name in _COUNTS}
        yield {
            **labels,
            "variant": variant,
            "period": written.get(period, period),
            "agree": not disagreeing if own else None,
            "empty": bool(own) and not any(counts.values()),
            "intervals": len(own),
            "disagreeing": disagreeing,
            **counts,
            "causes": _counts_text(sum((Counter(interval["causes"]) for interval in own), Counter())),
        }
    if not groups:
        yield labels | {"agree": None, "empty": False, "refused": result.get("refused")}


def _counts_text(causes: Mapping[str, int]) -> str | None:
    """Return the text of causes with numbers of rows; None without causes."""
    return ", ".join(f"{cause} ({number})" for cause, number in sorted(causes.items())) or None


_ANSWERS: Final = {True: "yes", False: "no", None: "-"}
_MOST_REFUSED: Final = 60


@dataclass(frozen=True, slots=True)
class SummaryTable:
    """A table of rows, printed as aligned text, or as a Rich table if the page is too narrow."""

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
        """Yield the rows as aligned text if the text fits the page, otherwise as a Rich table."""
        text = str(self)
        if max(map(len, text.split("\n"))) <= options.max_width:
            yield text
            return
        columns, *rows = self._cells
        yield from table(None, columns, rows).__rich_console__(console, options)


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
        "precision mean/min": _measure(row, "precision", ("mean", "min"), share_text),
        "recall mean/min": _measure(row, "recall", ("mean", "min"), share_text),
        "delay mean/min/max": _measure(row, "delay", ("mean", "min", "max"), "{:.1f}".format),
    }


def _measure(row: Json, name: str, parts: Sequence[str], written: Callable[[float], str]) -> str:
    measures = [row.get(f"{name}_{part}") for part in parts]
    return " / ".join(written(measure) for measure in measures if measure is not None) or "-"


def _agreement(row: Json, varied: Sequence[str]) -> dict[str, str]:
    labels = _shown_labels(row, varied, "comparison")
    if row.get("refused") is not None:
        return {**labels, "agree": f"refused: {_first_line(row['refused'])}"}
    counts = ("period", "intervals", "disagreeing", "push", "pull", "push_only", "pull_only")
    counts_text = {name.replace("_", " "): str(row[name]) for name in counts if name in row}
    agree = _ANSWERS[row["agree"]] + (NO_ROWS if row["empty"] else "")
    return {**labels, "variant": row.get("variant", ""), "agree": agree, **counts_text}


def _first_line(text: str) -> str:
    line = text.split("\n", 1)[0]
    return line if len(line) <= _MOST_REFUSED else f"{line[: _MOST_REFUSED - 1]}…"


def _lines(lines: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        if not number:
            yield "  ".join("-" * width for width in widths)
