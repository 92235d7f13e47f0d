"""`lars generate`: streams after YABench's generator; the same plan gives the same stream everywhere."""

from agreement.generate.elements import generated
from agreement.generate.formats import TraceFormat
from agreement.generate.plan import HALF_A_MINUTE, SECOND, STREAM, ArrivalProcess, Plan
