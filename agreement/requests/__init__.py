"""What commands are asked, declared once, and how it is read: options, inputs, queries in files."""

from agreement.requests import readers
from agreement.requests.groups import (
    PERIODS,
    BadLineOptions,
    EvaluationOptions,
    ExecutionMode,
    InputOptions,
    InterpretationOptions,
    QuestionOptions,
    RunnerOptions,
    assign_option,
    bounds_option,
    check_for_programs,
    check_for_queries,
    origin_text,
    program_argument,
    queries_argument,
    semantics_option,
    time_option,
    trace_argument,
    unit_option,
)
from agreement.requests.idle_options import check_evaluated, is_pushed
from agreement.requests.judge_options import (
    TOLERANCE,
    AnswersFormat,
    AnswersOptions,
    EmptyReports,
    JudgeOptions,
    MatchBy,
    check_said,
)
from agreement.requests.numbers import (
    MOST_NUMBERS,
    PARAMETERS,
    START_TIMES,
    Period,
    milliseconds,
    numbers,
    periods,
    read_part,
    read_periods,
    share,
    time_point,
)
from agreement.requests.query_files import (
    EXPERIMENT_FILE,
    PROGRAM_SUFFIX,
    QUERY_SUFFIXES,
    WindowSource,
    is_experiment,
    load_program,
    load_query,
    query_in,
    read_once,
    sources,
    with_sources,
)
from agreement.requests.units import durations_among, durations_in, durations_of, finer_units, fitting_unit
