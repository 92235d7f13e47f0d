"""`lars agree`: do push and pull agree, period by period, and the cause of each difference."""

from agreement.agree.agreeing import AgreementTask, Overrides, loaded, on_files, periods_of, run
from agreement.agree.causes import RowCause
from agreement.agree.narrowing import cause_of
from agreement.agree.periods import Compared, Side
from agreement.agree.verdicts import Pair, VariantReport, compare, pairs
