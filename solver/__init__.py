"""LARS programs as answer-set programs, evaluated slice by slice on Spark."""
