"""Reading a trace in Spark's tasks: text and Parquet in parallel, graphs one file a task."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import count, groupby
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql

from lars.errors import LarsError
from solver.facts.rows import batch_of
from solver.settings import TraceOptions
from solver.traces.file_readers import Raw, graph_rows, read_text, row_of
from solver.traces.summaries import Summary, summarise
from solver.traces.survey import Survey, report, survey
from solver.traces.tables import batch_records, read_row, table_columns, table_kind
from solver.traces.trace_elements import FileFormat, TraceFile
from solver.traces.trace_times import Malformed

Batches = Iterator[pa.RecordBatch]
Files = Mapping[str, TraceFile]

_RAW: Final = (
    "kind int, time long, position long, seq long, stream string, predicate string, "
    "arguments array<string>, problem string, fatal boolean"
)
_SUMMARY: Final = (
    "position long, stream string, rows long, skipped long, fatal boolean, kind int, first long, "
    "earliest long, latest long, mixed boolean, ordered boolean, even boolean, gap long"
)
_LINES: Final = (FileFormat.LINES, FileFormat.CSV, FileFormat.ATOMS)
_BATCH_ROWS: Final = 8192
_BATCH_CHARACTERS: Final = 2**24


@dataclass(frozen=True)
class _Part:
    """Files of one format: what Spark reads, and how a task makes rows of it."""

    frame: DataFrame
    parse: Callable[[Batches], Iterator[Raw]]


def _path_of(url: str) -> str:
    return unquote(urlsplit(url).path)


def _line_rows(files: Files, batches: Batches) -> Iterator[Raw]:
    # A line may hold several atoms, so they are numbered here: a block lies in one task, in order.
    seq = count(1)
    block: tuple[str, int] | None = None
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in ("value", "path", "start"))
        for value, path, start in zip(*columns, strict=True):
            source = files[_path_of(path)]
            first = start == 0 and block != (path, start)
            block = (path, start)
            position = source.position(start)
            for found in read_text(source, value, first=first):
                bad = isinstance(found, Malformed)
                text = value.decode("utf-8", "backslashreplace").rstrip("\r") if bad else ""
                yield row_of(found, position, next(seq), text)


def _table_rows(files: Files, names: Sequence[str], batches: Batches) -> Iterator[Raw]:
    for batch in batches:
        for record in batch_records(batch):
            source = files[_path_of(record["path"])]
            cells = {name: record[name] for name in names}
            found = read_row(source, cells)
            text = str(cells) if isinstance(found, Malformed) else ""
            yield row_of(found, source.position(record["start"]), record["seq"], text)


def _graph_rows(files: Files, batches: Batches) -> Iterator[Raw]:
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in ("path", "content"))
        for path, content in zip(*columns, strict=True):
            yield from (row for row, _ in graph_rows(files[_path_of(path)], content))


def _as_batches(parse: Callable[[Batches], Iterator[Raw]], batches: Batches) -> Batches:
    rows: list[Raw] = []
    characters = 0
    for row in parse(batches):
        rows.append(row)
        characters += sum(map(len, row.arguments))
        if len(rows) == _BATCH_ROWS or characters > _BATCH_CHARACTERS:
            yield batch_of(rows, _RAW)
            rows, characters = [], 0
    if rows:
        yield batch_of(rows, _RAW)


def _as_summaries(parse: Callable[[Batches], Iterator[Raw]], unit: int, batches: Batches) -> Batches:
    if summaries := list(summarise(parse(batches), unit)):
        yield batch_of(summaries, _SUMMARY)


def _locations(sources: Iterable[TraceFile]) -> list[str]:
    """Return the files as Spark wants them named; it takes some characters as wildcards."""
    located = []
    for source in sources:
        name = source.file.name
        if name[0] in "._" or ":" in name or "\\" in name:
            raise LarsError(
                f"{source.path}: Spark cannot read a file whose name starts with . or _ or has a : or \\; "
                "rename it"
            )
        located.append("file:" + re.sub(r"([{}\[\]*?])", r"\\\1", os.path.abspath(source.file)))  # noqa: PTH100
    return located


def _place() -> list[Any]:
    return [
        sql.col("_metadata.file_path").alias("path"),
        sql.col("_metadata.file_block_start").alias("start"),
        sql.monotonically_increasing_id().alias("seq"),
    ]


def _parts(spark: SparkSession, sources: Sequence[TraceFile]) -> Iterator[_Part]:
    files = {os.path.abspath(source.file): source for source in sources}  # noqa: PTH100
    reader = spark.read.option("recursiveFileLookup", "true")  # no columns from folders named a=b
    lines = [source for source in sources if source.format in _LINES]
    graphs = [source for source in sources if source.format in (FileFormat.TRIG, FileFormat.TURTLE)]
    tables = [source for source in sources if source.format is FileFormat.PARQUET]
    if lines:
        text = reader.option("lineSep", "\n").text(_locations(lines))
        value = sql.col("value").cast("binary").alias("value")
        yield _Part(text.select(value, *_place()), partial(_line_rows, files))
    if graphs:
        content = reader.format("binaryFile").load(_locations(graphs))
        path = sql.col("_metadata.file_path").alias("path")
        yield _Part(content.select(path, "content"), partial(_graph_rows, files))
    for _, alike in groupby(sorted(tables, key=table_kind), key=table_kind):
        group = list(alike)
        names = table_columns(group[0])
        table = reader.parquet(*_locations(group)).select(*names, *_place())
        yield _Part(table, partial(_table_rows, files, names))


def read_in_tasks(spark: SparkSession, sources: Sequence[TraceFile], options: TraceOptions) -> DataFrame:
    """Return the rows of the files; checks them first, without collecting them."""
    parts = list(_parts(spark, sources))
    unit = options.unit.nanoseconds
    summaries = reduce(
        DataFrame.unionAll,
        [part.frame.mapInArrow(partial(_as_summaries, part.parse, unit), _SUMMARY) for part in parts],
    )
    found = survey((Summary(*row) for row in summaries.toLocalIterator()), sources, options)
    rows = reduce(
        DataFrame.unionAll,
        [part.frame.mapInArrow(partial(_as_batches, part.parse), _RAW) for part in parts],
    )
    skipped = rows.where("problem is not null").orderBy("position", "seq")
    kept = (Raw(*row) for row in skipped.toLocalIterator()) if found.skipped else ()
    report(found, kept, sources, options)
    return _timed(rows.where("problem is null"), found, options)


def _timed(rows: DataFrame, found: Survey, options: TraceOptions) -> DataFrame:
    time = sql.expr(f"time - {found.shift}L")
    if found.origin is not None:
        time = sql.expr(f"(time - {found.origin}L) div {options.unit.nanoseconds}L")
    timed = rows.select(time.alias("t"), "position", "seq", "predicate", "arguments")
    if not options.sort:
        return timed
    # Sorted rows arrive in the order of their times: a new arrival order says so.
    in_order = timed.orderBy("t", "position", "seq")
    number = sql.monotonically_increasing_id()
    return in_order.select(
        "t", sql.lit(0).cast("long").alias("position"), number.alias("seq"), *timed.columns[3:]
    )
