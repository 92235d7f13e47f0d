"""Parquet files of `--out` are those of a data frame, written without one."""

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as some

from agreement.documents.table_files import Column, OutTable, as_frame, write_tables
from solver.columns import parquet_files

COLUMNS = tuple(Column(kind.__name__, kind, "a column") for kind in (str, int, float, bool))
TEXTS = some.text(some.characters(exclude_categories=["Cs"]), max_size=3)
VALUES = TEXTS, some.integers(-(2**63), 2**63 - 1), some.floats(allow_nan=False), some.booleans()
ROWS = some.lists(some.tuples(*(some.none() | value for value in VALUES)), max_size=9)


@given(ROWS, some.integers(1, 4))
def test_a_table_is_written_as_its_data_frame_would_be(tmp_path_factory, rows, group):
    folder = tmp_path_factory.mktemp("out")
    table = OutTable("found", COLUMNS, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet_files, "_GROUP", group)
        write_tables(folder / "new", [table])
    as_frame(table).to_parquet(folder / "expected.parquet", engine="pyarrow", index=False)
    found, expected = (pq.read_table(folder / name) for name in ("new/found.parquet", "expected.parquet"))
    assert found.to_pylist() == expected.to_pylist()
    assert found.schema.equals(expected.schema, check_metadata=True)
    frame = pd.read_parquet(folder / "new" / "found.parquet")
    assert frame.dtypes.map(str).tolist() == ["string", "Int64", "Float64", "boolean"]
