"""What commands are given, read once: queries, programs, traces, static data, options' texts as values."""

from agreement.inputs.arguments import moment, unit_of
from agreement.inputs.files import (
    PROGRAM_SUFFIX,
    QUERY_SUFFIXES,
    load_program,
    load_query,
    query_in,
    windows_of,
)
from agreement.inputs.options import (
    AssignOption,
    BadLineOptions,
    BoundsOption,
    EvaluationOptions,
    InputOptions,
    InterpretationOptions,
    JsonOption,
    RunnerOptions,
    SemanticsOption,
    names_of,
    time_option,
)
from agreement.inputs.sources import WindowSource, sources, with_sources
from agreement.inputs.trace_inputs import (
    Runner,
    TraceInput,
    background,
    check_timeline,
    dataset_of,
    load_trace,
    mismatches,
    no_trace,
    streams_of,
)
from agreement.inputs.traces import LocalTrace, Outputs, Trace
