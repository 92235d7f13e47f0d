"""Batches of files from a folder that grows, by Spark Structured Streaming."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import Empty, Queue
from typing import Final, TypeVar

from pyspark.sql import DataFrame, SparkSession

from lars.errors import LarsError
from solver.spark.session import failure, spark_context

_SCHEMA: Final = "path string, modificationTime timestamp, length long, content binary"
_PAUSE: Final = 0.2
"""Seconds between two looks at the events of a stream."""
_GLOB: Final = re.compile(r"[\\*?\[\]{}]")
"""The characters of a path that Spark reads as a pattern."""
Said = TypeVar("Said")


def local_path(name: str) -> Path:
    """Return the path of a local file from its name in Spark, in which no character is escaped.

    >>> local_path("file:/in/50%20#1?.csv").name
    '50%20#1?.csv'
    """
    return Path(f"/{name.removeprefix('file:').lstrip('/')}")


def check_name(path: Path, remedy: str) -> None:
    """Raise LarsError if Spark reads a path as a pattern, for which it would name all files of the folder."""
    if found := _GLOB.search(str(path)):
        raise LarsError(f"{path}: cannot be watched: Spark reads {found[0]} as a pattern; use {remedy}")


def folder_batches(  # noqa: PLR0913, PLR0917 - where, what to do, and how fast
    folder: Path,
    checkpoint: Path,
    step: Callable[[int, Sequence[Path]], Said],
    master: str,
    pause: float | None,
    files: int,
) -> Iterator[Said | None]:
    """Yield the result of `step` for each batch of new files in a folder; yield None while nothing comes.

    `step` gets the number of the batch and its files, the oldest first. Before Spark passes a batch to
    `step`, it stores in `checkpoint` which files are in the batch. After a crash, Spark passes an unfinished
    batch to `step` again, with the same files. `pause` is the shortest time between the starts of two
    batches, in seconds. With None, the iteration ends after the files that exist now. A batch has at most
    `files` files.
    """
    here = folder.resolve()
    check_name(here, "a folder with another name")
    session = SparkSession(spark_context(master))
    results: Queue[Said | Exception] = Queue()

    def called(batch: DataFrame, number: int) -> None:
        try:
            rows = batch.select("modificationTime", "path").collect()
            # Spark also names files in folders of the folder.
            every = (local_path(name) for _, name in sorted(map(tuple, rows)))
            paths = [path for path in every if path.parent == here]
            for path in paths:
                check_name(path, "another name, a new --checkpoint, and a new --out")
            results.put(step(number, paths))
        except Exception as error:
            results.put(error)
            raise

    reader = session.readStream.format("binaryFile").schema(_SCHEMA)
    # Spark reads the names of the files only: our readers read the files.
    # Else Spark leaves out a file that is a week older than another, and files beside a folder `day=1`.
    reader = reader.option("maxFileAge", "36500d").option("recursiveFileLookup", value=True)
    named = reader.option("maxFilesPerTrigger", files).load(str(here)).select("modificationTime", "path")
    writer = named.writeStream.foreachBatch(called).option("checkpointLocation", str(checkpoint))
    triggered = (
        writer.trigger(availableNow=True)
        if pause is None
        else writer.trigger(processingTime=f"{round(pause * 1000)} milliseconds")
    )
    query = triggered.start()
    try:
        while True:
            active = query.isActive
            try:
                result = results.get(timeout=_PAUSE)
            except Empty:
                if not active:
                    break
                yield None
                continue
            if isinstance(result, Exception):
                raise result
            yield result
        if (error := query.exception()) is not None:
            raise failure(error)
    finally:
        query.stop()
