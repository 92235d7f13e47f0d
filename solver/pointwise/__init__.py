"""LARS as ASP in clingo at one time point, exact for every program; files that stand alone."""

from solver.pointwise.asp_terms import RuleNames, comparison
from solver.pointwise.callbacks import (
    Host,
    HostedCondition,
    Place,
    call,
    columns,
    condition_arguments,
    condition_atom,
    gathering,
    place,
    predicate_name,
    table,
)
from solver.pointwise.point_evaluation import Consequences, consequences, ground, models, rows
