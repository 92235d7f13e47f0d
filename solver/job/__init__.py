"""Evaluate programs at many time points: the timeline is cut into slices, for this process or Spark."""

from solver.job.certifying import certified_first, certified_part, certified_runs, lacks_certified
from solver.job.evaluation import (
    Answer,
    AnswerParts,
    AnswerRuns,
    Question,
    StreamRuns,
    Whole,
    answer_runs,
    answers_at,
    ask,
    rows_in_parts,
    say_hindrances,
    stream_runs,
)
from solver.job.slices import Needs, needs_of
