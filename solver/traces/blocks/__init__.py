"""What formats share to read many usual rows at once, in columns, by Arrow."""

from solver.traces.blocks.timed_rows import TimedRows, in_units, join_rows, summaries_of, times_of_rows
