"""A trace's rows (t, position, seq, predicate, arguments) as Arrow and Spark hold them."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from lars.terms import Signature
from lars.windows import Interval
from solver.facts.facts import STREAM_PREDICATE, Arguments, Fact

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


_TYPES: Final = {
    "int": pa.int32(),
    "long": pa.int64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "boolean": pa.bool_(),
    "array<string>": pa.list_(pa.string()),
}


def schema(columns: str) -> pa.Schema:
    """Return Arrow's schema of columns as Spark lists them."""
    return pa.schema([(name, _TYPES[kind]) for name, kind in map(str.split, columns.split(", "))])


def batch_of(rows: Sequence[Sequence[Any]], columns: str) -> pa.RecordBatch:
    """Return rows, perhaps none, as Arrow holds them, with columns as Spark lists them."""
    fields = schema(columns)
    values = zip(*rows, strict=True) if rows else ([] for _ in fields)
    arrays = [pa.array(column, field.type) for column, field in zip(values, fields, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=fields)


COLUMNS: Final = "t long, position long, seq long, predicate string, arguments array<string>"
SCHEMA: Final = schema(COLUMNS)


def rows_of(table: pa.RecordBatch | pa.Table) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table with a trace's columns, other columns left out."""
    names = SCHEMA.names[:-1]
    columns = (table.column(name).to_pylist() for name in names)
    return zip(*columns, _texts(table.column("arguments")), strict=True)


def _texts(lists: Any) -> Iterator[Arguments]:
    # Not list by list: that takes Arrow several times as long.
    texts = iter(lists.flatten().to_pylist() if isinstance(lists, pa.Array) else _flat(lists))
    for length in pc.list_value_length(lists).to_pylist():
        yield tuple(islice(texts, length or 0))


def _flat(lists: pa.ChunkedArray) -> list[str]:
    return [text for chunk in lists.chunks for text in chunk.flatten().to_pylist()]


def with_atoms(trace: "DataFrame", within: Interval) -> "DataFrame":
    """Return the rows of an interval that have an atom."""
    return trace.where(trace.t.between(within.first, within.last) & trace.predicate.isNotNull())


def fact_of_row(row: Sequence[Any]) -> Fact:
    """Return the fact of a trace's row (t, position, seq, predicate, arguments), which has a predicate."""
    return Fact(row[0], row[3], tuple(row[4]))


def signatures(trace: "DataFrame") -> frozenset[Signature]:
    """Return the predicates of a trace's atoms, with their arities."""
    found = trace.where("predicate is not null").selectExpr("predicate", "size(arguments) as arity")
    return frozenset((row.predicate, row.arity) for row in found.distinct().collect())


def stream_predicates(trace: "DataFrame") -> frozenset[tuple[str, str]]:
    """Return the pairs of stream and predicate of a trace's triples, as texts."""
    triples = trace.where(f"predicate = '{STREAM_PREDICATE}' and size(arguments) = 4")
    found = triples.selectExpr("get(arguments, 3) as stream", "get(arguments, 1) as p")
    return frozenset((row.stream, row.p) for row in found.distinct().collect())


def last_time(trace: "DataFrame") -> int:
    """Return the greatest time point of a trace, 0 when it is empty."""
    greatest: int | None = trace.agg({"t": "max"}).collect()[0][0]
    return greatest or 0


def spark_facts(trace: "DataFrame", within: Interval) -> list[Fact]:
    """Return a trace's facts of an interval, ascending in time, in arrival order at each time."""
    rows = with_atoms(trace, within).orderBy("t", "position", "seq")
    return [fact_of_row(row) for row in rows.select(*SCHEMA.names).collect()]
