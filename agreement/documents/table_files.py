"""Tables as files: `--out DIR` of several commands, in Parquet, CSV or JSON lines, whole or not at all."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Final, assert_never

from agreement.documents.idle_options import IdleOptions
from agreement.documents.options import option
from lars.errors import DisputedAnswerError, FailedRunError, LarsError
from lars.files import appearing, rewrite

DESCRIPTION: Final = "columns.json"
"""The file that says what the columns are: a folder that has it, and nothing else than it names, is ours."""
_ORIGIN: Final = "origin"
"""In it the dateTime of time 0, where times have one."""
Value = str | int | float | bool | None


class TableFormat(StrEnum):
    """How tables are written."""

    PARQUET = "parquet"
    CSV = "csv"
    JSON_LINES = "jsonl"


@dataclass(frozen=True, slots=True)
class OutOptions:
    """Where tables go, and how they are written."""

    IDLE: ClassVar = (
        IdleOptions(
            lambda said: "--out" not in said,
            ("--out-format",),
            "accepted with --out DIR, which writes tables",
        ),
    )

    out: Path | None = option(None, "Write all of it as tables to this folder, too.", metavar="DIR")
    out_format: TableFormat = option(TableFormat.PARQUET, "How tables are written.")

    def check(self) -> None:
        """Raise LarsError now for a folder that could not be written at the end."""
        if self.out is not None:
            _check(self.out)

    def write(self, tables: Sequence["OutTable"], origin: str | None = None) -> None:
        """Write the tables, if they are wanted; what an earlier run wrote there is replaced at once.

        `origin` is the dateTime of time 0, which the description of the columns says too.
        """
        if self.out is None:
            return
        named = {f"{one.name}.{self.out_format.value}": one for one in tables}
        told: dict[str, object] = {file: dict(one.told) for file, one in named.items()}
        if origin is not None:
            told[_ORIGIN] = origin
        with self._folder(told) as new:
            for file, one in named.items():
                _written(new / file, one, self.out_format)

    def kept(self, error: DisputedAnswerError) -> FailedRunError:
        """Write the case to the folder, else to the working directory; return what is said of it."""
        if self.out is None:
            for name, text in error.files.items():
                rewrite(Path(name), text)
        else:
            with self._folder(dict.fromkeys(error.files, "where two evaluations differ")) as new:
                for name, text in error.files.items():
                    (new / name).write_text(text, encoding="utf-8")
        files = " ".join(str((self.out or Path()) / name) for name in error.files)
        return FailedRunError(f"{error}; the smallest case: lars solve {files} {error.options}")

    @contextmanager
    def _folder(self, told: Mapping[str, object]) -> Iterator[Path]:
        """Give a folder with a description of its files, which comes to the wanted place at the end."""
        assert self.out is not None, "nothing is wanted"
        _check(self.out)
        with appearing(self.out, folders=True) as new:
            new.mkdir()
            description = json.dumps(told, indent=2, ensure_ascii=False)
            (new / DESCRIPTION).write_text(f"{description}\n", encoding="utf-8")
            yield new


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name, the kind of its values (str, int, float, bool), and what they are."""

    name: str
    kind: type
    says: str


@dataclass(frozen=True, slots=True)
class OutTable:
    """A table: its file's name without extension, its columns, its rows as they are made."""

    name: str
    columns: tuple[Column, ...]
    rows: Iterable[Sequence[Value]]

    @property
    def told(self) -> Iterator[tuple[str, str]]:
        """What each column says, for readers of the files."""
        return ((column.name, f"{column.kind.__name__}: {column.says}") for column in self.columns)


def _check(out: Path) -> None:
    accepted = "accepted: a folder that is new, empty, or was written by --out"
    if not out.parent.is_dir():
        raise LarsError(f"--out {out}: its folder {out.parent} is not there; {accepted}")
    if not out.exists():
        return
    if not out.is_dir():
        raise LarsError(f"--out {out}: found a file; {accepted}")
    found = {path.name for path in out.iterdir()}
    foreign = sorted(found - _ours(out / DESCRIPTION))
    if foreign:
        raise LarsError(f"--out {out}: found {foreign[0]}, which --out has not written; {accepted}")


def _ours(description: Path) -> set[str]:
    try:
        return {DESCRIPTION, *json.loads(description.read_text(encoding="utf-8"))} - {_ORIGIN}
    except (OSError, ValueError, TypeError):
        return set()


def _written(path: Path, table: OutTable, kind: TableFormat) -> None:
    names = [column.name for column in table.columns]
    match kind:
        case TableFormat.PARQUET:
            framed(table).to_parquet(path, engine="pyarrow", index=False)
        case TableFormat.CSV:
            with path.open("w", encoding="utf-8", newline="") as file:
                lines = csv.writer(file, lineterminator="\n")
                lines.writerow(names)
                lines.writerows(table.rows)
        case TableFormat.JSON_LINES:
            with path.open("w", encoding="utf-8") as file:
                for row in table.rows:
                    found = dict(zip(names, row, strict=True))
                    file.write(f"{json.dumps(found, ensure_ascii=False)}\n")
        case _:
            assert_never(kind)


_KINDS: Final = {bool: "boolean", int: "Int64", float: "Float64", str: "string"}


def framed(table: OutTable) -> Any:
    """Return a table as a data frame, its values of the kinds that the columns say."""
    import pandas as pd  # type: ignore[import-untyped]

    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    told = zip(table.columns, columns, strict=True)
    return pd.DataFrame({one.name: pd.array(values, dtype=_KINDS[one.kind]) for one, values in told})
