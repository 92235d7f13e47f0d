"""What the tests of traces share: writing trace files, reading them in both ways."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lars.durations import read_duration
from lars.errors import LarsError
from lars.language.windows import Interval
from solver.settings import TraceOptions
from solver.spark.pipeline import SparkTrace
from solver.spark.reading import read_in_tasks
from solver.traces import prepare
from tests.solver.traces.both_readings import fact_of_row, read_trace_in_process

PROV = "PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX : <urn:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
SECONDS = TraceOptions(unit=read_duration("1s"))
GOOD = '<urn:s> <urn:p> <urn:o> "1" .\n'


def options(**changes):
    return TraceOptions(**{"unit": read_duration("1s")} | changes)


def written(folder, files):
    """Write files and return their paths, or that of their folder when the names have one."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return sorted({folder / name.split("/")[0] for name in files})


def table(path, rows, times=None):
    names = ("t", "stream", "s", "p", "o")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    columns["t"] = pa.array(columns["t"], times)
    columns["stream"] = pa.array(columns["stream"], pa.string())
    pq.write_table(pa.table(columns), path, row_group_size=2)
    return path


def in_order(rows):
    """Rows in arrival order, without the numbers, which differ between the two ways; see `shown`."""
    return [shown(row) for row in sorted(map(tuple, rows), key=lambda row: row[1:3])]


def shown(row):
    """A triple's row as (t, stream or None, s, p, o), any other as (t, predicate, arguments)."""
    t, _, _, predicate, arguments = row
    if predicate != "striple":
        return (t, predicate, tuple(arguments))
    s, p, o, stream = arguments
    return (t, None if stream == "null" else stream, s, p, o)


def read_on_spark(spark, paths, given=SECONDS):
    """Return a trace's facts in the order of time and arrival, and its last time, as Spark reads them."""
    read = read_in_tasks(spark, prepare(paths, given), given)
    return SparkTrace(read, Interval(0, read.last), {}).facts(Interval(0, read.last)), read.last


def both(spark, paths, given=SECONDS):
    """Read a trace in both ways; both must give the same."""
    ours = read_trace_in_process(paths, given)
    facts = [fact_of_row(row) for row in ours if row[3] is not None]
    expected = sorted(facts, key=lambda fact: fact.t), max(row[0] for row in ours)
    assert read_on_spark(spark, paths, given) == expected
    return in_order(ours)


def message(read):
    with pytest.raises(LarsError) as caught:
        read()
    return str(caught.value)
