"""`lars witness`: the smallest stream on which two sides differ.

`smallest(WitnessSearch(..))` returns a Witness, NoWitness, NoneUpTo, OutOfTime or NotSearched.
"""

from agreement.witness.other_sides import read_sides
from agreement.witness.position_classes import named_constants
from agreement.witness.searching import (
    NoneUpTo,
    NotSearched,
    NoWitness,
    OutOfTime,
    Witness,
    WitnessOutcome,
    WitnessSearch,
    push_and_pull,
    smallest,
    two_queries,
)
from agreement.witness.witness_folder import WrittenExperiment, write_experiments
from agreement.witness.witness_report import in_words
from agreement.witness.witness_task import WitnessTask, WitnessWishes, witness_task, witnesses
