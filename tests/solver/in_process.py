"""A job answered in this process, row by row: what slices and Spark have to give too."""

from solver.columns import trace_columns
from solver.job.slices import by_slice


def in_process(job, facts):
    """Yield the answers of the job's questions to the facts, which are in arrival order."""
    for answers in by_slice(job, trace_columns(facts)):
        yield from answers
