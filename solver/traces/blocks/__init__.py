"""Many rows of a file at once, in columns: usual rows by Arrow, each other one as it is read alone."""

from solver.traces.blocks.row_block import ExactRow, RowBlock, exact_rows
from solver.traces.blocks.timed_rows import TimedRows, in_units, joined, summaries_of, times_of_rows
