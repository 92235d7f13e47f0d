"""Table files of `--out DIR` in Parquet, CSV, JSON lines, Markdown or LaTeX, written atomically."""

import csv
import json
import math
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import chain, compress, count
from pathlib import Path
from typing import Any, Final, Literal, TextIO, assert_never

from agreement.documents.dates import NO_DATES, SUFFIX, Dates
from agreement.documents.outputs import names_apart
from lars.dataclass import dataclass
from lars.durations import TimedPoints
from lars.errors import DisputedAnswerError, FailedRunError, LarsError
from lars.files import check_own_folder, exists, replacement_folder, replacement_path, rewrite
from lars.language.terms import Variable

DESCRIPTION: Final = "columns.json"
"""The name of the file that describes the columns."""
_FOLDER: Final = "set of tables"
_ORIGIN: Final = "origin"
"""The key of the dateTime of time 0 in columns.json; present if times are dateTimes."""
TableValue = str | int | float | bool | None


TableFormat = Literal["parquet", "csv", "jsonl", "markdown", "latex"]
"""The format of table files."""


GrowingFormat = Literal["parquet", "csv", "jsonl"]
"""The format of a table to which rows are appended."""
FOR_PAPERS: Final = ("markdown", "latex")
"""The formats whose RDF terms are always short names."""


TermForm = Literal["n-triples", "values", "short"]
"""The form of RDF terms in a table: texts in N-Triples, typed values, or short names."""


_TERMS: Final = {
    "n-triples": "str: the term, as in N-Triples; none: unbound",
    "values": "any: the term's value, where all terms have one of a type, else a text; none: unbound",
    "short": "str: the term, short for readers; none: unbound",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: name, kind of the values (str, int, float, bool), and description.

    The field `is_time` means that the values are time points, for which a column of dateTimes may be added.
    `in_papers` converts a value for Markdown and LaTeX tables. The field `is_term` means that the values are
    RDF terms.
    """

    name: str
    kind: type
    description: str
    is_time: bool = False
    in_papers: Callable[[str], str] = str
    is_term: bool = False


def term_columns(variables: Iterable[Variable]) -> tuple[Column, ...]:
    """Return a column of RDF terms for each variable."""
    return tuple(Column(f"?{variable.name}", str, "a term", is_term=True) for variable in variables)


@dataclass(frozen=True, slots=True)
class OutTable:
    """A table: the name of its file without extension, its columns, and an iterator of its rows.

    If `shows_dates` is true, and time 0 is a dateTime, files contain dateTimes in place of time points.
    """

    name: str
    columns: tuple[Column, ...]
    rows: Iterable[Sequence[TableValue]]
    shows_dates: bool = False

    def with_dates(self, dates: Dates) -> "OutTable":
        """Return the table; if time 0 is a dateTime, add a column of dateTimes after each column of times."""
        if dates.zero is None or not any(column.is_time for column in self.columns):
            return self
        times = [column.is_time for column in self.columns]
        columns = tuple(
            each
            for column in self.columns
            for each in (column, Column(f"{column.name}{SUFFIX}", str, f"the dateTime of {column.name}"))
            if each is column or column.is_time
        )
        dated = replace(
            self, columns=columns, rows=(list(_with_dates(row, times, dates)) for row in self.rows)
        )
        return dated.in_dates() if self.shows_dates else dated

    def in_dates(self) -> "OutTable":
        """Return the table without each column of times that is followed by a column of dateTimes."""
        dated = {column.name.removesuffix(SUFFIX) for column in self.columns if column.name.endswith(SUFFIX)}
        shown = [column.name not in dated for column in self.columns]
        texts = {column.name: column.description for column in self.columns}
        columns = tuple(
            replace(column, name=name, description=texts.get(name, column.description))
            for column in compress(self.columns, shown)
            for name in (column.name.removesuffix(SUFFIX),)
        )
        return replace(self, columns=columns, rows=(list(compress(row, shown)) for row in self.rows))

    def for_papers(self) -> "OutTable":
        """Return the table with spaces in the names of columns, and without a variant that all rows share."""
        rows = list(self.rows)
        shared = [
            column.name == "variant" and len({row[place] for row in rows}) <= 1
            for place, column in enumerate(self.columns)
        ]
        columns = tuple(
            column if column.is_term else replace(column, name=column.name.replace("_", " "))
            for column, flag in zip(self.columns, shared, strict=True)
            if not flag
        )
        kept = ([cell for cell, flag in zip(row, shared, strict=True) if not flag] for row in rows)
        return OutTable(self.name, columns, list(kept))

    def descriptions(self, terms: TermForm) -> Iterator[tuple[str, str]]:
        """Yield the description of each column for readers of the files; `terms` is the form of RDF terms."""
        for column in self.columns:
            description = f"{column.kind.__name__}: {column.description}"
            yield column.name, _TERMS[terms] if column.is_term else description


def write_tables(
    folder: Path,
    tables: Sequence[OutTable],
    dates: Dates = NO_DATES,
    kind: TableFormat = "parquet",
    terms: TermForm = "n-triples",
) -> Sequence[Path]:
    """Write tables to a folder, and replace the files of an earlier run in one step.

    The function returns the paths of the written files. If time 0 is a dateTime, each column of times is
    followed by a column of dateTimes. The description of the columns then contains the dateTime of time 0.
    """
    suffix = {"markdown": "md", "latex": "tex"}.get(kind, kind)
    dated = (table.with_dates(dates) for table in tables)
    written = (table.in_dates().for_papers() if kind in FOR_PAPERS else table for table in dated)
    by_file = {f"{table.name}.{suffix}": table for table in written}
    form = "short" if kind in FOR_PAPERS else terms
    manifest: dict[str, object] = {file: dict(table.descriptions(form)) for file, table in by_file.items()}
    if dates.zero is not None:
        manifest[_ORIGIN] = dates.zero
    with _new_folder(folder, manifest) as new:
        for file, table in by_file.items():
            _written(new / file, table, kind, terms)
    return [folder / file for file in by_file]


def write_case(folder: Path | None, error: DisputedAnswerError) -> FailedRunError:
    """Write the input on which two evaluations differ; return an error with a command that reproduces it."""
    written = [(folder or Path()) / name for name in error.files]
    if folder is None:
        numbered = ([path.with_stem(f"{path.stem}-{n}") for path in written] for n in count(2))
        written = next(paths for paths in chain((written,), numbered) if not any(map(exists, paths)))
        for path, text in zip(written, error.files.values(), strict=True):
            rewrite(path, text)
    else:
        with _new_folder(folder, dict.fromkeys(error.files, "where two evaluations differ")) as new:
            for name, text in error.files.items():
                (new / name).write_text(text, encoding="utf-8")
    files = shlex.join(map(str, written))
    return FailedRunError(f"{error}; to reproduce the difference, run: lars solve {files} {error.options}")


def append_rows(folder: Path, table: OutTable, kind: GrowingFormat, size: int) -> int:
    """Append the rows of a table to its file in a folder, and return the new size of the file.

    The argument `size` is the size of the file in bytes after the last append. In Parquet, the table is a
    folder with one file for each append that has rows. The size of a table in Parquet is the number of files.
    """
    cut_back(folder, table.name, kind, size)
    if kind == "parquet":
        rows = list(table.rows)
        if not rows:
            return size
        with replacement_path(folder / table.name / f"{size:08}.parquet") as new:
            _written(new, replace(table, rows=rows), kind, "n-triples")
        return size + 1
    path = folder / f"{table.name}.{kind}"
    with path.open("a", encoding="utf-8", newline="") as file:
        _put_rows(file, table, kind, "n-triples", header=size == 0)
        file.flush()
        os.fsync(file.fileno())
    return path.stat().st_size


def cut_back(folder: Path, name: str, kind: GrowingFormat, size: int) -> None:
    """Remove the bytes after `size`, which an unfinished `append_rows` has written to a table."""
    path = folder / (name if kind == "parquet" else f"{name}.{kind}")
    if kind == "parquet":
        path.mkdir(exist_ok=True)
        there = sorted(path.glob("*.parquet"))
        for part in there[size:]:
            part.unlink()
        length = len(there)
    else:
        with path.open("ab") as file:
            length = file.tell()
            file.truncate(min(size, length))
    if length < size:
        problem = "is shorter than the checkpoint says"
        raise FailedRunError(f"{path}: {problem}; use a new folder for the tables, and a new checkpoint")


@contextmanager
def _new_folder(folder: Path, manifest: Mapping[str, object]) -> Iterator[Path]:
    """Yield a temporary folder for tables; at the end of the block, move the folder to its destination."""
    with replacement_folder(folder, _FOLDER) as new:
        description = json.dumps(manifest, indent=2, ensure_ascii=False)
        (new / DESCRIPTION).write_text(f"{description}\n", encoding="utf-8")
        yield new


def _with_dates(row: Sequence[TableValue], times: Sequence[bool], dates: Dates) -> Iterator[TableValue]:
    for value, is_time in zip(row, times, strict=True):
        yield value
        if is_time:
            yield dates.date(value) if isinstance(value, int | float) else None


def check_folder(out: Path) -> None:
    """Raise LarsError before a run if the run cannot write its tables to the folder."""
    if not exists(out.parent, folder=True):
        raise LarsError(f"--out {out}: the folder {out.parent} does not exist; use an existing folder")
    check_own_folder(out, _FOLDER, "--out ")


def _written(path: Path, table: OutTable, kind: TableFormat, terms: TermForm) -> None:
    names = [column.name for column in table.columns]
    match kind:
        case "parquet" if terms == "n-triples":
            # Loads Arrow.
            from solver.columns.parquet_files import write_parquet

            write_parquet(path, [(column.name, column.kind) for column in table.columns], table.rows)
        case "parquet":
            as_frame(table, terms).to_parquet(path, engine="pyarrow", index=False)
        case "csv" | "jsonl":
            with path.open("w", encoding="utf-8", newline="") as file:
                _put_rows(file, table, kind, terms, header=True)
        case "markdown" | "latex":
            from agreement.documents.text_tables import latex_lines, markdown_lines

            lines = markdown_lines if kind == "markdown" else latex_lines
            right = [column.kind in (int, float) for column in table.columns]
            every = list(table.rows)
            names_of = [
                names_apart(values) if column.is_term else {}
                for column, values in zip(table.columns, zip(*every, strict=True), strict=False)
            ]
            rows = (list(map(_for_readers, table.columns, names_of, row)) for row in every)
            with path.open("w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in lines(names, right, rows))
        case _:
            assert_never(kind)


def json_records(table: OutTable, size: int) -> Iterator[tuple[str, str]]:
    """Yield a key and a JSON object for each row of a table.

    If a sink repeats a record, both copies have the same key. The key is the name of the table with the
    number of the row. The argument `size` is the number of earlier rows.

    >>> table = OutTable("late", (Column("t", int, "time"),), [(5,), (6,)])
    >>> list(json_records(table, 3))
    [('late/3', '{"table": "late", "t": 5}'), ('late/4', '{"table": "late", "t": 6}')]
    """
    names = ["table", *(column.name for column in table.columns)]
    for number, row in enumerate(_rows(table, "n-triples"), size):
        yield f"{table.name}/{number}", _json_line(names, (table.name, *row))


def _put_rows(
    file: TextIO, table: OutTable, kind: Literal["csv", "jsonl"], terms: TermForm, *, header: bool
) -> None:
    names, rows = [column.name for column in table.columns], _rows(table, terms)
    if kind == "csv":
        writer = csv.writer(file, lineterminator="\n")
        if header:
            writer.writerow(names)
        writer.writerows(rows if terms == "n-triples" else map(_without_formulas, rows))
        return
    file.writelines(f"{_json_line(names, row)}\n" for row in rows)


def _json_line(names: Sequence[str], row: Sequence[object]) -> str:
    cells = dict(zip(names, map(_in_json, row), strict=True))
    return json.dumps(cells, ensure_ascii=False, default=str)


def _rows(table: OutTable, terms: TermForm) -> Iterable[Sequence[object]]:
    """Return the rows of a table for a text format, with RDF terms in the form `terms`."""
    if terms == "n-triples":
        # A length is a number of time points here; Markdown and LaTeX tables contain the duration instead.
        return ([int(cell) if cell.__class__ is TimedPoints else cell for cell in row] for row in table.rows)
    frame = as_frame(table, terms)
    # Tested before values become objects, which would hide NaN.
    bound = frame.notna()
    rows: Iterable[Sequence[object]] = (
        frame.astype(object).where(bound, None).itertuples(index=False, name=None)
    )
    return rows


_FORMULA: Final = re.compile(r"[=@\t\r]|[+\-](?![0-9.]+(?:[eE][+-]?[0-9]+)?$)")


def _without_formulas(row: Sequence[object]) -> list[object]:
    """Return a row for CSV; an apostrophe precedes each text that a spreadsheet would read as a formula."""
    return [f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell for cell in row]


def _in_json(value: object) -> object:
    """Return a value for JSON; NaN and infinite numbers become texts in XSD syntax."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"
    return value


def _for_readers(column: Column, term_names: Mapping[str | None, str], value: TableValue) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case str() if column.is_term:
            return term_names[value]
        case str():
            return column.in_papers(value)
        case _:
            return str(value)


_KINDS: Final = {bool: "boolean", int: "Int64", float: "Float64", str: "string"}


def as_frame(table: OutTable, terms: TermForm = "n-triples", dated: Dates = NO_DATES) -> Any:
    """Return a table as a data frame whose column types follow the kinds of the columns."""
    import pandas as pd  # type: ignore[import-untyped]

    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    pairs = zip(table.columns, columns, strict=True)
    return pd.DataFrame({column.name: _column(column, values, terms, dated) for column, values in pairs})


def _column(column: Column, values: Sequence[TableValue], terms: TermForm, dated: Dates) -> Any:
    import pandas as pd

    if column.is_time and dated.zero is not None:
        return _moments(values, dated)
    if terms == "n-triples" or not column.is_term:
        return pd.array(values, dtype=_KINDS[column.kind])
    texts = [None if value is None else str(value) for value in values]
    if terms == "short":
        short_names = names_apart(texts)
        return pd.array([text and short_names[text] for text in texts], dtype="string")
    # Loads SPARQL's values, which other forms do not need.
    from agreement.documents.term_values import term_values

    return term_values(texts)


def _moments(values: Sequence[TableValue], dated: Dates) -> Any:
    import pandas as pd

    zero = pd.Timestamp(str(dated.zero))
    # A time between two time points is a fraction.
    exact = [value and round(Fraction(value) * dated.unit.nanoseconds) for value in values]
    return zero + pd.to_timedelta(pd.Series(pd.array(exact, dtype="Int64")), unit="ns")
