"""Programs as relational algebra over columns: many time points at once, without clingo."""

from solver.relational.coverage import Obstacle, obstacle
from solver.relational.encoded_situation import (
    EncodedSituation,
    TraceColumns,
    encoded,
    table_columns,
    trace_columns,
)
from solver.relational.evaluation import decoded, evaluated, runs
from solver.relational.plans import (
    DerivedAtoms,
    GatheredScan,
    Instants,
    Layer,
    RelationalPlan,
    RowSource,
    RulePlan,
    Scan,
    ShownAtoms,
    plan,
)
from solver.relational.run_tables import (
    Array,
    RunTable,
    coalesced,
    concatenated,
    empty,
    keys,
    meeting,
    met,
    spread,
    subtracted,
)
from solver.relational.term_codes import TermCodes
