"""Evaluate a job on Spark: tasks read a trace, send facts to slices, evaluate slices, and return results.

A slice is a part of the timeline.
"""

from solver.spark.finished_slices import finished_slices
from solver.spark.pipeline import SparkTrace, answers_on_spark, outputs_on_spark, spark_progress, spark_trace
from solver.spark.task_bytes import RowsByTime
