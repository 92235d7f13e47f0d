"""Programs as relational algebra over columns: many time points at once, without clingo."""

from solver.relational.coverage import Obstacle, obstacle
from solver.relational.encoded_situation import EncodedSituation, encode, encoded_rows, situation_of
from solver.relational.evaluation import decode, evaluate_program, evaluated_on, row_texts, runs, text_order
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
    as_table,
    coalesce,
    concatenate,
    empty,
    meet,
    meet_pairs,
    spread,
    subtract,
)
from solver.relational.shown_input import counted_atoms, of_source, partition, window_ends
