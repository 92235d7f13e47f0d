"""`lars witness`: the smallest stream on which two sides differ.

`smallest(WitnessSearch(push_and_pull(pair, U, setting, trigger), streams))` returns a Witness, NoWitness
(none on any stream), NoneUpTo, OutOfTime or NotSearched; `two_queries` makes a contest of two queries in
one mode.
"""

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
from agreement.witness.witness_task import WitnessTask, WitnessWishes, witness_task, witnesses
