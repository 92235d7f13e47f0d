"""Many time points: questions over a timeline cut into slices, answered in this process or on Spark."""

from solver.job.progress import Progress, spark_progress, unwatched
from solver.job.slices import Answer, Question, Stretch, Whole, ask, evaluate
