"""What commands are asked, declared once, and how it is read: options, inputs, queries in files."""

from agreement.documents.requests import readers
from agreement.documents.requests.execution import check_evaluated, is_pushed
from agreement.documents.requests.groups import (
    PERIODS,
    PULLED,
    PUSHED,
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
    first_time_option,
    origin_text,
    program_argument,
    queries_argument,
    reference_time_option,
    semantics_option,
    static_option,
    time_option,
    time_point_option,
    trace_argument,
    unit_option,
)
from agreement.documents.requests.judge_options import (
    TOLERANCE,
    AnswersFormat,
    AnswersOptions,
    EmptyReports,
    JudgeOptions,
    MatchBy,
    check_said,
)
from agreement.documents.requests.numbers import (
    MOST_NUMBERS,
    PARAMETERS,
    START_TIMES,
    Period,
    milliseconds,
    numbers,
    periods,
    read_numbers,
    read_part,
    read_periods,
    share,
    time_point,
)
from agreement.documents.requests.query_files import (
    EXPERIMENT_FILE,
    PROGRAM_SUFFIX,
    QUERY_SUFFIXES,
    WindowSource,
    is_experiment,
    is_query,
    load_program,
    load_query,
    query_in,
    read_once,
    sources,
    with_sources,
)
from agreement.documents.requests.readers import in_time_points, static_files, variables
from agreement.documents.requests.units import (
    durations_among,
    durations_in,
    durations_of,
    finer_units,
    fitting_unit,
)
