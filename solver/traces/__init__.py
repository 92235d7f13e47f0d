"""Traces from files: formats, times, order, errors with their places; whole, or in parts for many tasks."""

from solver.traces.formats.graphs import NUMBERED
from solver.traces.rows import Raw, Summary
from solver.traces.static_files import read_static
from solver.traces.survey import Survey, last_time, report, survey
from solver.traces.trace import (
    file_parts,
    prepare,
)
from solver.traces.trace_columns import PartReading, read_arrivals, read_columns
from solver.traces.trace_files import FilePart, TraceFile
from solver.traces.trace_times import (
    Instant,
    MalformedPart,
    TimeKind,
    cell_time,
    date_of,
    instant_of,
    point_of,
    read_time,
    show,
)
