"""Evaluate programs as relational algebra over columns: many time points at once, without clingo."""

from solver.relational.evaluation import decode, evaluate_program, evaluated_on, row_texts, text_order
from solver.relational.grounding import ground_instances, most_instances
from solver.relational.plans import (
    Layer,
    Obstacle,
    RelationalPlan,
    RowSource,
    RulePlan,
    Scan,
    have_equal_rules,
    obstacle,
    plan,
    rules_of,
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
from solver.relational.shown_input import (
    EncodedSituation,
    counted_atoms,
    encode,
    encoded_rows,
    kept_runs,
    of_source,
    situation_of,
    window_ends,
)
