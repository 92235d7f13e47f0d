"""What C1 to C3 leave open, searched as by `lars witness`: a smallest stream, or that there is none (A7)."""

from dataclasses import replace
from time import monotonic
from typing import Final

from agreement.documents.traces import streams_of
from agreement.proving.containment.canonical import OneQuery
from agreement.proving.containment.containing import decide_containment
from agreement.proving.containment.findings import Containment, Counterexample, Holds, refuted
from agreement.proving.decide import stock_of
from agreement.proving.witness import (
    NoneUpTo,
    NoWitness,
    OutOfTime,
    SearchRefusal,
    Witness,
    WitnessSearch,
    in_words,
    smallest,
    two_queries,
)

SECONDS: Final = 5.0
"""How long smallest streams are searched for."""
_ASKED: Final = "on which it has a row that the other lacks"


def answers_containment(one: OneQuery, other: OneQuery) -> Containment:
    """Return whether each answer of one query is an answer of the other, at every time."""
    # Half of the time is the search's.
    mine, theirs = (replace(query, deadline=one.deadline.nearer(0.5)) for query in (one, other))
    found = decide_containment(mine, theirs)
    comparable = one.result == other.result and one.query.dataset == other.query.dataset
    if found.holds is not Holds.OPEN or not comparable or one.deadline.is_over:
        return found
    contest = two_queries(one.query, other.query, one.setting, contained=True)
    streams = dict.fromkeys((*streams_of(one.query), *streams_of(other.query)))
    searched = smallest(
        WitnessSearch(contest, tuple(streams), until=min(monotonic() + SECONDS, one.deadline.end))
    )
    match searched:
        case Witness() | OutOfTime(_, Witness()):
            witness = searched if isinstance(searched, Witness) else searched.best
            assert witness is not None
            row = min(witness.left_only, key=str)
            return refuted(Counterexample(witness.facts, stock_of(witness.static), witness.end, row))
        case NoWitness(_, reason):
            return Containment(Holds.YES, reason)
        case NoneUpTo() | OutOfTime():
            return replace(found, why=f"{found.why}; {in_words(searched, _ASKED, some=False)}")
        case SearchRefusal():
            return found
