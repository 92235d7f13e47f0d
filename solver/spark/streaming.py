"""Batches of files from a folder that grows, by Spark Structured Streaming."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import Empty, Queue
from typing import Final, TypeVar
from urllib.parse import unquote, urlparse

from pyspark.sql import DataFrame, SparkSession

from solver.spark.session import failure, spark_context

_SCHEMA: Final = "path string, modificationTime timestamp, length long, content binary"
_PAUSE: Final = 0.2
"""Seconds between two looks at the events of a stream."""
Said = TypeVar("Said")


def folder_batches(  # noqa: PLR0913, PLR0917 - where, what to do, and how fast
    folder: Path,
    checkpoint: Path,
    step: Callable[[int, Sequence[Path]], Said],
    master: str,
    pause: float | None,
    files: int,
) -> Iterator[Said | None]:
    """Yield the result of `step` for each batch of new files in a folder; yield None while nothing comes.

    `step` gets the number of the batch and its files, the oldest first. Spark stores in `checkpoint` which
    files are in which batch before it asks for the batch. After a crash, the batch that was not finished is
    asked for again, with the same files. `pause` is the shortest time between the starts of two batches in
    seconds; with None, the iteration ends after the files that are there. A batch has at most `files` files.
    """
    session = SparkSession(spark_context(master))
    results: Queue[Said | Exception] = Queue()

    def called(batch: DataFrame, number: int) -> None:
        try:
            rows = batch.select("modificationTime", "path").collect()
            paths = [Path(unquote(urlparse(path).path)) for _, path in sorted(map(tuple, rows))]
            results.put(step(number, paths))
        except Exception as error:
            results.put(error)
            raise

    reader = session.readStream.format("binaryFile").schema(_SCHEMA)
    # Spark reads the names of the files only: our readers read the files.
    named = reader.option("maxFilesPerTrigger", files).load(str(folder)).select("modificationTime", "path")
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
