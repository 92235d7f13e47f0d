"""Traces from files: formats, times, order, errors with their places; in this process or in Spark's tasks."""

from solver.traces.formats.graphs import NUMBERED
from solver.traces.trace import (
    estimated_size,
    prepare,
    read_here,
    read_on_spark,
    read_trace,
    read_trace_in_process,
)
from solver.traces.trace_columns import read_columns
from solver.traces.trace_elements import TraceFile
from solver.traces.trace_times import Instant, Malformed, TimeKind, instant_of, read_time, show
