"""`lars witness`: the smallest stream on which two sides differ.

`smallest(WitnessSearch(..))` returns a Witness, NoWitness, NoneUpTo, OutOfTime or NotSearched.
"""

from agreement.proving.witness.other_sides import read_sides
from agreement.proving.witness.outcome_words import in_words
from agreement.proving.witness.representatives import named_constants
from agreement.proving.witness.searching import (
    NoneUpTo,
    NoWitness,
    OutOfTime,
    SearchRefusal,
    Witness,
    WitnessOutcome,
    WitnessSearch,
    push_and_pull,
    smallest,
    two_queries,
)
from agreement.proving.witness.witness_folder import WrittenExperiment, write_experiments
from agreement.proving.witness.witness_task import WitnessCriteria, WitnessTask, witness_task, witnesses
