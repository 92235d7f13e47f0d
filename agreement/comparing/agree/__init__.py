"""`lars agree`: the agreement of push and pull in each period, and the cause of each difference."""

from agreement.comparing.agree.agreeing import (
    AgreementTask,
    ComparedInput,
    Overrides,
    Pair,
    VariantReport,
    compare_pairs,
    compared_on_trace,
    comparison_trace,
    pairs,
    periods_of,
    run,
)
from agreement.comparing.agree.narrowing import cause_of
from agreement.comparing.agree.periods import PeriodComparison
from agreement.comparing.agree.sides import RowCause
