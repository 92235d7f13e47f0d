"""Streams made up after YABench's generator: the same plan gives the same stream everywhere."""

from agreement.generating.plan import Arrivals, Bursts, Plan, Values

__all__ = ["Arrivals", "Bursts", "Plan", "Values"]
