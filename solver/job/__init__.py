"""Many time points: questions over a timeline cut into slices, answered in this process or on Spark."""

from solver.job.answer_runs import AnswerRuns
from solver.job.evaluation import Answer, Question, Stretch, Whole, answer_runs, ask, evaluate, hindrance
from solver.job.slices import Halo
