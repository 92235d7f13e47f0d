"""Traces: timestamped atoms from files, as rows (t, position, seq, predicate, arguments).

`t` is in time points, (position, seq) the arrival order over the whole trace, the arguments are
canonical texts; a triple is `striple` of subject, predicate, object and stream ("null": none). A
row whose predicate is None says only that the trace reaches its time. Two ways of reading share
everything but the loop: inside this process, and in Spark's tasks, where no line passes through
the driver.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lars.errors import LarsError
from solver.facts import Arguments
from solver.traces.file_readers import Raw, read_source
from solver.traces.survey import first_rejected, report, summarise, survey
from solver.traces.trace_elements import TraceFile
from solver.traces.trace_files import sources_of
from solver.traces.trace_times import OnError, TraceOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


Row = tuple[int, int, int, str | None, Arguments]


def read_trace_in_process(paths: Sequence[Path], options: TraceOptions) -> list[Row]:
    """Return the rows of a trace in arrival order, sorted by time when the options say so.

    Raises LarsError for what cannot be read, with file, line and column. Skipped lines are kept in
    the side file and counted in a TraceWarning.
    """
    sources = prepare(paths, options)
    rows = list(_rows(sources, options))
    found = survey(summarise(rows, options.unit.nanoseconds), sources, options)
    report(found, (row for row in rows if row.problem is not None), sources, options)
    read = [_row(row, found.origin, options) for row in rows if row.problem is None]
    return sorted(read, key=lambda row: row[0]) if options.sort else read


def read_trace(spark: "SparkSession", paths: Sequence[Path], options: TraceOptions) -> "DataFrame":
    """Return the rows of a trace as a DataFrame; as `read_trace_in_process`, in Spark's tasks.

    The trace is read once at the call, to check it and to find its origin, and again whenever the
    rows are used; the order of the rows is that of (position, seq), not that of the DataFrame.
    """
    from solver.traces.spark_reading import read_in_tasks

    return read_in_tasks(spark, prepare(paths, options), options)


def prepare(paths: Sequence[Path], options: TraceOptions) -> tuple[TraceFile, ...]:
    """Return the files of the trace after checking the options against them."""
    if options.on_error is OnError.SKIP and options.rejected is None:
        raise LarsError("skipping bad lines needs a file that keeps them: name one")
    unknown = [str(path) for path in options.streams if path not in paths]
    if unknown:
        raise LarsError(f"streams are named for files that the trace does not have: {', '.join(unknown)}")
    return sources_of(paths, options)


def _rows(sources: Sequence[TraceFile], options: TraceOptions) -> Iterator[Raw]:
    for source in sources:
        for row, spot in read_source(source):
            first_rejected(row, spot, source, options)
            yield row


def _row(row: Raw, origin: int | None, options: TraceOptions) -> Row:
    t = row.time if origin is None else (row.time - origin) // options.unit.nanoseconds
    return t, row.position, row.seq, row.predicate, row.arguments
