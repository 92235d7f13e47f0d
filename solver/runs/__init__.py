"""Many time points in one clingo run: answers as runs of evaluation times, and the facts they rest on."""

from solver.runs.leaves import Proofs
from solver.runs.run_evaluation import Row, is_covered, runs
