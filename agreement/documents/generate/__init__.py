"""`lars generate`: streams like YABench's generator; a plan gives the same stream on every machine."""

from agreement.documents.generate.plan import HALF_A_MINUTE, ArrivalProcess, Plan, WrittenFormat
