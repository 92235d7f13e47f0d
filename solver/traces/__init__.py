"""Traces from files: formats, times, order, and errors with places; a file is read whole or in parts."""

from solver.traces.formats.graphs import NUMBERED
from solver.traces.input_files import TraceFile, elements_blanks
from solver.traces.static_files import read_static
from solver.traces.survey import (
    SIDE_HEAD,
    RejectedRow,
    SkippedLine,
    Summary,
    Survey,
    check_elements,
    check_side_file,
    keep_skipped,
    report,
    survey,
)
from solver.traces.trace import (
    EXTENSIONS,
    PartReading,
    as_they_came,
    check_format,
    file_parts,
    prepare,
    read_arrivals,
    read_columns,
    trace_files,
)
from solver.traces.trace_times import (
    Instant,
    MalformedPart,
    TimeKind,
    are_calendar,
    calendar_warning,
    cell_time,
    date_of,
    instant_of,
    point_of,
    read_time,
    show,
)
