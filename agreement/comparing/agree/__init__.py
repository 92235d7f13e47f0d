"""Compare push with pull on a trace: agreement in each period, and the cause of each difference."""

from agreement.comparing.agree.agreeing import Pair, VariantReport, compare_pairs, pairs
from agreement.comparing.agree.periods import PeriodComparison
from agreement.comparing.agree.sides import RowCause, cause_option, variables_compared
from agreement.comparing.agree.tasks import (
    NO_ROW,
    AgreementTask,
    are_pulled,
    by_side,
    compared_on_trace,
    comparison_trace,
    no_whole_period,
    periods_of,
    queries_of,
    run,
    sides_of,
)
