"""Search the smallest stream on which two sides differ, or prove that no such stream exists."""

from agreement.proving.witness.candidate_atoms import named_constants
from agreement.proving.witness.other_sides import read_sides
from agreement.proving.witness.searching import WitnessSearch, push_and_pull, smallest, two_queries
from agreement.proving.witness.witness_folder import (
    EXPERIMENT,
    check_experiment_folder,
    write_experiment,
    write_experiments,
)
from agreement.proving.witness.witness_task import WitnessCriteria, WitnessTask, witness_task, witnesses
