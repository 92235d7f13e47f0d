"""Many time points: questions over a timeline cut into slices, answered in this process or on Spark."""

from solver.job.slices import Answer, Halo, Question, Stretch, Whole, ask, evaluate
