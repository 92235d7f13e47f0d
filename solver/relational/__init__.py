"""Programs as relational algebra over columns: many time points at once, without clingo."""

from solver.relational.coverage import Obstacle, obstacle
from solver.relational.encoded_situation import (
    EncodedSituation,
    TraceColumns,
    encoded,
    encoded_rows,
    table_columns,
    trace_columns,
)
from solver.relational.evaluation import decoded, evaluated, evaluated_on, runs
from solver.relational.plans import RelationalPlan, plan
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
from solver.relational.shown_contents import ShownContents, given_rows, span_runs
from solver.relational.term_codes import TermCodes
