"""What commands are given, read once: queries, programs, traces, static data, options' texts as values."""

from agreement.inputs.arguments import moment, origin_text, unit_of
from agreement.inputs.files import (
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
from agreement.inputs.idle_options import check_evaluated, is_pushed
from agreement.inputs.judge_options import (
    TOLERANCE,
    AnswersFormat,
    AnswersOptions,
    EmptyReports,
    JudgeOptions,
    MatchBy,
    check_said,
    start_times,
)
from agreement.inputs.number_readers import (
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
from agreement.inputs.options import EvaluationOptions, InputOptions, InterpretationOptions, time_option
from agreement.inputs.units import durations_among, durations_in, durations_of, finer_units, fitting_unit
from agreement.inputs.values import (
    ABSOLUTE_IRI,
    LARGEST,
    Scalar,
    WrongValueError,
    cut,
    is_scalar,
    shown,
    written,
    wrong,
)
