"""The job: evaluation times, slices of the timeline, Spark session, pipeline."""

from solver.job.slices import Answer, Progress, Question, Stretch, Whole, ask, evaluate, unwatched
