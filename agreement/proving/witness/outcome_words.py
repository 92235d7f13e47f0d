"""Why a search for streams has found no more, in words."""

from typing import assert_never

from agreement.documents.outputs import quantity
from agreement.proving.witness.searching import NoneUpTo, NoWitness, OutOfTime, SearchRefusal
from agreement.proving.witness.witness_task import SearchEnd


def in_words(ended: SearchEnd, question: str, *, some: bool) -> str:
    """Return why a search has found no more."""
    none = f"no {'other ' if some else ''}stream {question}"
    match ended:
        case NoWitness(_, reason):
            return f"there is {none}: {reason}"
        case NoneUpTo(triples, candidates, reason):
            tried = f"{quantity(triples, 'triple')} of {candidates} candidates, at any times"
            return f"found {none} with up to {tried}; there may be a larger one: {reason}"
        case SearchRefusal(reason):
            return reason
        case OutOfTime(triples, best):
            more = "" if best is None else "; of those found the best is shown, perhaps a smaller one is left"
            return f"the time is up: {none} with fewer than {quantity(triples, 'triple')}{more}"
        case _:
            assert_never(ended)
