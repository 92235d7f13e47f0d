"""Programs as relational algebra over columns: many time points at once, without clingo."""

from solver.relational.coverage import Obstacle, obstacle
from solver.relational.encoded_situation import EncodedSituation, encoded, encoded_rows, situation_of
from solver.relational.evaluation import decoded, evaluated, evaluated_on, row_texts, runs, text_order
from solver.relational.ground_instances import ground_instances, most_instances
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
    RunTable,
    coalesced,
    coded,
    concatenated,
    empty,
    meeting,
    met,
    spread,
    subtracted,
)
from solver.relational.shown_input import counted, of_source, partition, window_ends
