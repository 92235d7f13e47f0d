"""Evaluation of LARS programs: with clingo, as relational algebra, and slice by slice on Spark."""
