"""LARS programs as ASP programs for clingo: at one time point, at many times, and as text files."""

from solver.pointwise.asp_terms import RuleNames, call, predicate_name
from solver.pointwise.encoding import AspNames, HostedCondition, RuleWriter, condition_arguments
from solver.pointwise.point_evaluation import Consequences, Host, consequences, models, rows
from solver.pointwise.run_evaluation import have_runs, runs
