"""`lars witness`: the smallest stream on which two sides differ.

`smallest(WitnessSearch(..))` returns a Witness, NoWitness, NoneUpTo, OutOfTime or SearchRefusal.
"""

from agreement.proving.witness.candidate_atoms import named_constants
from agreement.proving.witness.other_sides import read_sides
from agreement.proving.witness.searching import (
    NoneUpTo,
    NoWitness,
    OutOfTime,
    SearchRefusal,
    Witness,
    WitnessOutcome,
    WitnessSearch,
    push_and_pull,
    search_end_text,
    smallest,
    two_queries,
)
from agreement.proving.witness.witness_folder import WrittenExperiment, write_experiments
from agreement.proving.witness.witness_task import WitnessCriteria, WitnessTask, witness_task, witnesses
