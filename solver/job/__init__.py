"""Many time points: questions over a timeline cut into slices, answered in this process or on Spark."""

from solver.job.certifying import certified_first, certified_part, certified_runs, lacks_certified
from solver.job.evaluation import (
    Answer,
    AnswerParts,
    AnswerRuns,
    AtomRuns,
    Question,
    Stretch,
    Whole,
    answer_runs,
    answers_at,
    ask,
    hindrance,
    say_hindrances,
    stream_runs,
    stretches,
)
from solver.job.slices import Needs, SlicedWork, needs_of
