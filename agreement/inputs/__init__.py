"""What commands are given, read once: queries, programs, traces, static data, options' texts as values."""

from agreement.inputs.arguments import moment, unit_of
from agreement.inputs.files import (
    EXPERIMENT_FILE,
    PROGRAM_SUFFIX,
    QUERY_SUFFIXES,
    WindowSource,
    is_experiment,
    load_program,
    load_query,
    query_in,
    sources,
    with_sources,
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
from agreement.inputs.traces import (
    LocalTrace,
    Outputs,
    Runner,
    Trace,
    TraceInput,
    Warn,
    background,
    check_timeline,
    clock_of,
    dataset_of,
    load_trace,
    mismatches,
    no_trace,
    streams_of,
)
