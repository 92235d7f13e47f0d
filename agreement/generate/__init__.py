"""Streams made up after YABench's generator: the same plan gives the same stream everywhere."""

from agreement.generate.elements import generated
from agreement.generate.plan import ArrivalProcess, Bursts, Plan, TemperatureRange

__all__ = ["ArrivalProcess", "Bursts", "Plan", "TemperatureRange", "generated"]
