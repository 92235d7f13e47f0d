"""Write rows to a Parquet file that pandas reads like a file written by pandas."""

import json
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from solver.columns.arrays import arrow_strings

CellValue = bool | int | float | str
_PANDAS: Final = {
    bool: ("bool", "boolean"),
    int: ("int64", "Int64"),
    float: ("float64", "Float64"),
    str: ("unicode", "string"),
}
"""The names that pandas gives to types of columns in files.

With these names, a column of integers stays a column of integers even if values are missing.
"""
_GROUP: Final = 2**17
"""The number of rows in a row group; the rows of a group are written together."""


def write_parquet(
    path: Path, columns: Sequence[tuple[str, type[CellValue]]], rows: Iterable[Sequence[CellValue | None]]
) -> None:
    """Write rows to a Parquet file that pandas reads as a data frame.

    The argument `columns` contains the name and the type of each column: bool, int (64 bits), float or str.
    The rows are written group by group, so a long table needs little memory.
    """
    kinds = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
    described = [
        {"name": name, "field_name": name, "pandas_type": kind, "numpy_type": own, "metadata": None}
        for name, (kind, own) in ((name, _PANDAS[kind]) for name, kind in columns)
    ]
    statistics = {
        "index_columns": [],
        "column_indexes": [],
        "columns": described,
        "attributes": {},
        "creator": {"library": "pyarrow", "version": pa.__version__},
        "pandas_version": version("pandas"),
    }
    fields = [pa.field(name, kinds[kind]) for name, kind in columns]
    schema = pa.schema(fields, {"pandas": json.dumps(statistics)})
    left = iter(rows)
    with pq.ParquetWriter(path, schema) as writer:
        while group := list(islice(left, _GROUP)):
            # Not zip(*group): to pass all rows as arguments takes five times as long.
            filled = (list(map(itemgetter(place), group)) for place in range(len(columns)))
            arrays = [_arrow_column(kind, values) for (_, kind), values in zip(columns, filled, strict=True)]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))


def _arrow_column(kind: type[CellValue], values: Sequence[CellValue | None]) -> pa.Array:
    """Return the values of a column as an Arrow array; None is a missing value.

    The function builds the array from buffers, because pyarrow would load pandas to convert a list.
    """
    known = None
    filled: Sequence[CellValue | None] = values
    if None in values:
        gaps = np.fromiter((value is None for value in values), np.bool_, len(values))
        known = pa.py_buffer(np.packbits(~gaps, bitorder="little"))
        filled = [kind() if value is None else value for value in values]
    if kind is str:
        texts = arrow_strings([*map(str, filled)])
        return pa.Array.from_buffers(texts.type, len(values), [known, *texts.buffers()[1:]])
    if kind is bool:
        bits = np.packbits(np.array(filled, np.bool_), bitorder="little")
        return pa.Array.from_buffers(pa.bool_(), len(values), [known, pa.py_buffer(bits)])
    numbers = np.array(filled, np.int64 if kind is int else np.float64)
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(numbers.dtype), len(values), [known, pa.py_buffer(numbers)]
    )
