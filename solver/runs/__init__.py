"""Many time points in one clingo run: answers as runs of evaluation times."""

from solver.runs.run_evaluation import Row, is_covered, runs
