"""One time point in clingo: LARS as ASP, exact for every program; files that stand alone."""

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
from solver.pointwise.standalone_files import (
    StandaloneProgram,
    decided_conditions,
    shown_atoms,
    standalone,
)
