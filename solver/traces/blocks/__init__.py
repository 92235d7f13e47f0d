"""Many rows of a file at once, in columns: usual rows by Arrow."""

from solver.traces.blocks.timed_rows import TimedRows, in_units, joined, summaries_of, times_of_rows
