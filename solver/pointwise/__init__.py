"""LARS as ASP in clingo: one time point, exact for every program; many as runs; files that stand alone."""

from solver.pointwise.asp_terms import RuleNames, can_wrap, comparison
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
from solver.pointwise.grounding import ground
from solver.pointwise.point_evaluation import Consequences, consequences, models
from solver.pointwise.run_evaluation import is_covered, runs
from solver.pointwise.standalone_files import (
    StandaloneProgram,
    decided_conditions,
    shown_atoms,
    standalone,
)
