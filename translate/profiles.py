"""The two readings of SPARQL that τ follows, and what else fixes a translation."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from lars.durations import Duration
from lars.windows import Bounds

SECOND: Final = Duration(10**9)
EPOCH: Final = "1970-01-01T00:00:00Z"


class Profile(Enum):
    """How τ joins over unbound variables and reads MINUS.

    PAPER2015 is LARS (2015) made safe: null joins null as a constant, MINUS is Diff.
    SPARQL11 is SPARQL 1.1: an unbound variable is compatible with everything, MINUS needs a
    shared variable that is bound on both sides.
    """

    PAPER2015 = "paper2015"
    SPARQL11 = "sparql11"


class Semantics(Enum):
    """Whether the answers are a set, as in LARS (2015), or a multiset, as in SPARQL 1.1.

    What aggregates range over is a multiset in both.
    """

    SET = "set"
    BAG = "bag"


@dataclass(frozen=True, slots=True)
class Setting:
    """What a translation depends on beside the query.

    `unit` is one time point, `origin` the dateTime of time 0 (for NOW). With `ordered` the answer
    predicate carries the values of ORDER BY, so that answers can be shown in their order. A program
    whose times are `ticks` to a time point tells time points by the functions that ask for a time.
    """

    profile: Profile = Profile.PAPER2015
    unit: Duration = SECOND
    bounds: Bounds = Bounds.CLOSED
    semantics: Semantics = Semantics.SET
    ordered: bool = False
    origin: str = EPOCH
    ticks: int = 1
