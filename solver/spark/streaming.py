"""Batches of a stream by Spark Structured Streaming: files of a folder that grows, or messages of a topic."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from typing import Final, TypeVar

import numpy as np
from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession

from lars.errors import FailedRunError, LarsError
from solver.columns import Array, arrow_numbers, numbers_of
from solver.spark.session import failure, said_by_spark, spark_context
from solver.traces.spooling import write_lines

_SCHEMA: Final = "path string, modificationTime timestamp, length long, content binary"
_MESSAGES: Final = 100_000
"""The maximum number of messages of a topic in a batch."""
_PAUSE: Final = 0.2
"""The number of seconds between two looks at the events of a stream."""
_KAFKA: Final = "kafka"
_BROKER: Final = "kafka.bootstrap.servers"
_UNKNOWN_TOPIC: Final = "UnknownTopicOrPartition"
_PATIENCE: Final = {
    "kafka.max.block.ms": "30000",
    "kafka.request.timeout.ms": "10000",
    "kafka.delivery.timeout.ms": "30000",
}
"""The time for the broker to store records. By default, each of Spark's four attempts takes two minutes."""
_GLOB: Final = re.compile(r"[\\*?\[\]{}]")
"""The characters of a path that Spark reads as a pattern."""
Said = TypeVar("Said")


def local_path(name: str) -> Path:
    """Return the path of a local file from the URL that Spark uses as its name, without percent-encoding.

    >>> local_path("file:/in/50%20#1?.csv").name
    '50%20#1?.csv'
    """
    return Path(f"/{name.removeprefix('file:').lstrip('/')}")


def check_name(path: Path, remedy: str) -> None:
    """Raise LarsError if Spark reads a path as a pattern, which would match other files."""
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
    """Yield the result of `step` for each batch of new files in a folder, and None while no file arrives.

    Before Spark passes a batch to `step`, it stores in `checkpoint` which files are in the batch. After a
    crash, Spark passes an unfinished batch to `step` again, with the same files.

    Args:
        folder: The folder in which files arrive.
        checkpoint: The folder for the state of Spark.
        step: A function that gets the number of the batch and its files, the oldest first.
        master: The Spark master.
        pause: The shortest time between the starts of two batches, in seconds; None ends the iteration
            after the files that exist now.
        files: The maximum number of files in a batch.
    """
    here = folder.resolve()
    check_name(here, "a folder with another name")
    session = SparkSession(spark_context(master))

    def called(batch: DataFrame, number: int) -> Said:
        rows = batch.select("modificationTime", "path").collect()
        # Spark also names files in folders of the folder.
        every = (local_path(name) for _, name in sorted(map(tuple, rows)))
        paths = [path for path in every if path.parent == here]
        for path in paths:
            check_name(path, "another name, a new --checkpoint, and a new --out")
        return step(number, paths)

    reader = session.readStream.format("binaryFile").schema(_SCHEMA)
    # Spark reads the names of the files only: our readers read the files.
    # Else Spark leaves out a file that is a week older than another, and files beside a folder `day=1`.
    reader = reader.option("maxFileAge", "36500d").option("recursiveFileLookup", value=True)
    named = reader.option("maxFilesPerTrigger", files).load(str(here)).select("modificationTime", "path")
    yield from _batches(named, checkpoint, called, pause)


def merged(timestamps: Array, partitions: Array, offsets: Array) -> Array:
    """Return the row numbers of messages in the order in which the messages are to be read.

    Each partition keeps the order of its messages. The partitions are merged by the newest timestamp so far
    in each partition, because producers can set timestamps that decrease.

    >>> merged(np.array([10, 5, 7]), np.array([0, 0, 1]), np.array([1, 2, 1])).tolist()
    [2, 0, 1]
    """
    order = np.lexsort((offsets, partitions))
    newest, partition = timestamps[order], partitions[order]
    begins = np.flatnonzero(np.diff(partition)) + 1
    newest = np.concatenate([np.maximum.accumulate(part) for part in np.split(newest, begins)])
    places: Array = order[np.lexsort((offsets[order], partition, newest))]
    return places


def is_empty(topic: tuple[str, str], place: str, master: str, jars: Sequence[Path] = ()) -> bool:
    """Return whether a Kafka topic has no messages. The `jars` contain Spark's Kafka connector.

    Raises:
        LarsError: Spark does not have the connector, or the topic does not exist; the message begins with
            `place`.
    """
    session, (address, name) = SparkSession(spark_context(master, jars)), topic
    try:
        return session.read.format(_KAFKA).option(_BROKER, address).option("subscribe", name).load().isEmpty()
    except AnalysisException as error:
        if _KAFKA not in str(error).lower():
            raise
        raise LarsError(
            f"{place}: cannot be used: Spark has no connector for Kafka; use --jars with the jar "
            "spark-sql-kafka-0-10 and the jars that it needs"
        ) from None
    except (Py4JError, PySparkException) as error:
        if _UNKNOWN_TOPIC not in str(error):
            raise FailedRunError(f"{place}: cannot be used: {said_by_spark(error)}") from None
        raise LarsError(
            f"{place}: cannot be used: the broker has no topic {name}; create the topic, or use another name"
        ) from None


def append_records(topic: tuple[str, str], records: Sequence[tuple[str, str]], place: str) -> None:
    """Append records (a key and a value) to a Kafka topic; return when the broker has stored them.

    If an earlier call failed or did not return, Kafka can contain a record several times.

    Raises:
        FailedRunError: The broker does not answer, or rejects a record; the message begins with `place`.
    """
    session, (address, name) = SparkSession(spark_context()), topic
    # One task, so that the records of a table have the order of their numbers in each partition.
    frame = session.createDataFrame(records, "key string, value string").coalesce(1)
    writer = frame.write.format(_KAFKA).option(_BROKER, address).option("topic", name)
    try:
        writer.options(**_PATIENCE).save()
    except (Py4JError, PySparkException) as error:
        problem = f"{place}: cannot be written: {said_by_spark(error)}"
        raise FailedRunError(f"{problem}; to continue, repeat the command") from None


def topic_batches(  # noqa: PLR0913, PLR0917 - where, what to do, and how fast
    topic: tuple[str, str],
    folder: Path,
    checkpoint: Path,
    step: Callable[[int, Sequence[Path]], Said],
    master: str,
    pause: float | None,
    jars: Sequence[Path] = (),
) -> Iterator[Said | None]:
    """Yield the result of `step` for each batch of new messages of a Kafka topic, as `folder_batches` does.

    The messages of a batch are the lines of one file in `folder`, in the order of `merged`. Spark stores the
    offsets of each batch before it reads the batch. If it reads the batch again, for example after a crash,
    the batch has the same messages. The `jars` contain Spark's Kafka connector.

    Raises:
        LarsError: Spark does not have the connector, or the topic does not exist.
    """
    address, name = topic
    is_empty(topic, f"--source kafka://{address}/{name}", master, jars)
    session = SparkSession(spark_context(master, jars))
    folder.mkdir(parents=True, exist_ok=True)
    columns = "timestamp", "partition", "offset", "value"

    def called(batch: DataFrame, number: int) -> Said:
        read = batch.select(*columns).toArrow().combine_chunks()
        numbers = (numbers_of(read.column(name).cast("int64").combine_chunks()) for name in columns[:3])
        values = read.column("value").take(arrow_numbers(merged(*numbers))).to_pylist()
        # Without a value, a message is a mark that a key was deleted.
        lines = [value.removesuffix(b"\n") + b"\n" for value in values if value]
        path = write_lines(folder, number, lines)
        return step(number, [] if path is None else [path])

    reader = session.readStream.format(_KAFKA).option(_BROKER, address)
    reader = reader.option("subscribe", name).option("startingOffsets", "earliest")
    named = reader.option("maxOffsetsPerTrigger", _MESSAGES).load().select(*columns)
    yield from _batches(named, checkpoint, called, pause)


def _batches(
    named: DataFrame, checkpoint: Path, step: Callable[[DataFrame, int], Said], pause: float | None
) -> Iterator[Said | None]:
    """Yield the result of `step` for each batch of a Spark stream, and None while no data arrive."""
    results: Queue[Said | Exception] = Queue()

    def called(batch: DataFrame, number: int) -> None:
        try:
            results.put(step(batch, number))
        except Exception as error:
            results.put(error)
            raise

    writer = named.writeStream.foreachBatch(called).option("checkpointLocation", str(checkpoint))
    triggered = (
        writer.trigger(availableNow=True)
        if pause is None
        else writer.trigger(processingTime=f"{round(pause * 1000)} milliseconds")
    )
    query = triggered.start()
    try:
        while True:
            try:
                active = query.isActive
            except (OSError, Py4JError):
                raise FailedRunError(
                    "Spark failed: Java has ended; to continue, repeat the command"
                ) from None
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
        with suppress(OSError, Py4JError):
            query.stop()
