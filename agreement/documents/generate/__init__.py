"""`lars generate`: streams after YABench's generator; the same plan gives the same stream everywhere."""

from agreement.documents.generate.plan import HALF_A_MINUTE, STREAM, ArrivalProcess, Plan, WrittenFormat
