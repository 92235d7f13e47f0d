"""What is said of a period, and on what it rests."""

from dataclasses import dataclass
from enum import Enum

from agreement.proving.decide.theorems import Theorem
from agreement.proving.decide.trial import StreamWitness
from lars.durations import Duration


class EveryStream(Enum):
    """What is said of a period."""

    ALWAYS = "always"
    NEVER = "never"
    STATIC = "depends on the static data"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class CheckedPremise:
    """What was checked, whether it holds, and where in a query."""

    statement: str
    holds: bool
    place: str


@dataclass(frozen=True, slots=True)
class PeriodDecision:
    """What is said of one period, on what it rests, and what would change it.

    `searched` says how far streams were searched, where no theorem and no stream decides; `finer` is a
    finer unit with which the verdict is another one.
    """

    period: int
    verdict: EveryStream
    theorem: Theorem | None
    premises: tuple[CheckedPremise, ...]
    changes: tuple[str, ...]
    witness: StreamWitness | None = None
    searched: str = ""
    finer: "tuple[Duration, PeriodDecision] | None" = None
