"""The job on Spark: rows are given to slices, tasks evaluate these, and what they find comes back as runs."""

from solver.spark.finished_slices import FinishedSlices, finished_slices
from solver.spark.pipeline import answers_on_spark, outputs_on_spark, spark_progress
from solver.spark.slice_answers import RowsByTime
from solver.spark.spark_trace import SparkTrace, spark_trace
