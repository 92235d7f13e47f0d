"""Evaluate LARS programs: with clingo, as relational algebra, and on Spark."""
