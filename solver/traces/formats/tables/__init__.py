"""Traces in tables of Arrow: Parquet and Arrow files, and JSON lines.

The columns of a table are the columns of a trace. Cells are texts as in N-Triples, or values with a type, as
pandas writes them.
"""

from solver.traces.formats.tables.json_lines import ArrowFile, JsonTable, is_json, lines_of_rows, plain_table
from solver.traces.formats.tables.parquet import (
    WHOLE,
    ParquetTable,
    arrow_table,
    places_in_rows,
    storable,
    table_batches,
    text_file,
    write_table,
)
from solver.traces.formats.tables.typed_columns import datatype_of, is_dated, is_text, literals
