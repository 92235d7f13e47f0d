"""Reading a trace in Spark's tasks: text and Parquet in parallel, graphs one file a task."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import count, groupby, pairwise
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql

from lars.errors import LarsError
from solver.columns import TermCodes, numbers_of
from solver.facts.rows import batch_of
from solver.settings import TraceOptions
from solver.traces.blocks import RAW, TaskBlock, exact_rows, line_block, lines_of_batch, table_block
from solver.traces.file_readers import Raw, graph_rows
from solver.traces.formats.tables import table_columns, table_kind
from solver.traces.summaries import Summary
from solver.traces.survey import Survey, report, survey
from solver.traces.trace_elements import FileFormat, TraceFile

Batches = Iterator[pa.RecordBatch]
Files = Mapping[str, TraceFile]

_SUMMARY: Final = (
    "position long, stream string, rows long, skipped long, fatal boolean, kind int, first long, "
    "earliest long, latest long, mixed boolean, ordered boolean, even boolean, gap long"
)
_READINGS: Final = count()
_LINES: Final = (FileFormat.LINES, FileFormat.CSV, FileFormat.ATOMS)


@dataclass(frozen=True)
class _Part:
    """Files of one format: what Spark reads, and how a task reads its blocks."""

    frame: DataFrame
    parse: Callable[[Batches], Iterator[TaskBlock]]


def _path_of(url: str) -> str:
    return unquote(urlsplit(url).path)


def _line_blocks(files: Files, batches: Batches) -> Iterator[TaskBlock]:
    # A line may hold several atoms, so they are numbered here: a block lies in one task, in order.
    numbered, block, lines_before = 1, None, 0
    for path, start, batch in _blocks(batches):
        lines_before = lines_before if block == (path, start) else 0
        block, source, terms = (path, start), files[path], TermCodes()
        # Only the first line of a file has nothing before it.
        lines = lines_of_batch(batch.column("value"))
        found = line_block(source, lines, terms, start + lines_before)
        lines_before += len(lines)
        others, position = [*found.others], source.position(start)
        numbers = found.numbers(others) + numbered
        numbered = int(numbers[-1])
        rows = [*exact_rows(position, others, numbers)]
        yield TaskBlock(position, terms, found.triples, numbers[found.triples.places], rows)


def _table_blocks(files: Files, names: Sequence[str], batches: Batches) -> Iterator[TaskBlock]:
    for path, start, batch in _blocks(batches):
        source, terms = files[path], TermCodes()
        found = table_block(source, batch.select(list(names)), terms, 0)
        numbers, position = numbers_of(batch.column("seq")), source.position(start)
        rows = [*exact_rows(position, found.others, numbers)]
        yield TaskBlock(position, terms, found.triples, numbers[found.triples.places], rows)


def _blocks(batches: Batches) -> Iterator[tuple[str, int, pa.RecordBatch]]:
    """Yield the parts of batches that lie in one block of a file, with its path and where it starts."""
    for batch in batches:
        paths, starts = batch.column("path").dictionary_encode(), numbers_of(batch.column("start"))
        files = numbers_of(paths.indices)
        borders = np.flatnonzero((files[1:] != files[:-1]) | (starts[1:] != starts[:-1])) + 1
        for begin, end in pairwise([0, *borders.tolist(), batch.num_rows]):
            if begin < end:
                path = _path_of(paths.dictionary[int(files[begin])].as_py())
                yield path, int(starts[begin]), batch.slice(begin, end - begin)


def _graph_blocks(files: Files, batches: Batches) -> Iterator[TaskBlock]:
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in ("path", "content"))
        for path, content in zip(*columns, strict=True):
            source = files[_path_of(path)]
            rows = [row for row, _ in graph_rows(source, content)]
            yield TaskBlock.of_rows(source.position(), rows)


def _as_batches(parse: Callable[[Batches], Iterator[TaskBlock]], batches: Batches) -> Batches:
    for block in parse(batches):
        yield from block.batches()


def _as_summaries(parse: Callable[[Batches], Iterator[TaskBlock]], unit: int, batches: Batches) -> Batches:
    for block in parse(batches):
        yield batch_of([*block.summaries(unit)], _SUMMARY)


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
    # Of equal plans Spark takes the rows that it keeps: those of files that have changed since.
    reader = reader.option("reading", next(_READINGS))
    lines = [source for source in sources if source.format in _LINES]
    graphs = [source for source in sources if source.format in (FileFormat.TRIG, FileFormat.TURTLE)]
    tables = [source for source in sources if source.format is FileFormat.PARQUET]
    if lines:
        text = reader.option("lineSep", "\n").text(_locations(lines))
        value = sql.col("value").cast("binary").alias("value")
        yield _Part(text.select(value, *_place()), partial(_line_blocks, files))
    if graphs:
        content = reader.format("binaryFile").load(_locations(graphs))
        path = sql.col("_metadata.file_path").alias("path")
        yield _Part(content.select(path, "content"), partial(_graph_blocks, files))
    for _, alike in groupby(sorted(tables, key=table_kind), key=table_kind):
        group = list(alike)
        names = table_columns(group[0])
        table = reader.parquet(*_locations(group)).select(*names, *_place())
        yield _Part(table, partial(_table_blocks, files, names))


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
        [part.frame.mapInArrow(partial(_as_batches, part.parse), RAW) for part in parts],
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
