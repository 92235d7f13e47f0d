"""The job: evaluation times, slices of the timeline, Spark session, pipeline."""

from solver.job.progress import Progress, spark_progress, unwatched
from solver.job.slices import Answer, Question, Stretch, Whole, ask, evaluate
