"""What is found out about containment, and data that refute it."""

from dataclasses import dataclass
from enum import Enum

from agreement.proving.disjuncts import Stock
from lars.durations import Duration
from solver.facts import Fact, Row


class Holds(Enum):
    """Whether a query is contained in another."""

    YES = "contained"
    NO = "not contained"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A stream and static data on which one query reports a row at t that the other does not.

    `before` is the evaluation that came before, of which ISTREAM and DSTREAM ask; None: there is none.
    """

    facts: tuple[Fact, ...]
    static: Stock
    t: int
    row: Row
    before: int | None = None


@dataclass(frozen=True, slots=True)
class Containment:
    """What was found, and why; for NO the data that refute it; `finer`, a unit that changes it."""

    holds: Holds
    why: str
    against: Counterexample | None = None
    finer: "FinerUnit | None" = None


@dataclass(frozen=True, slots=True)
class FinerUnit:
    """The coarsest of the finer units with which something else is found, and what."""

    unit: Duration
    containment: Containment


def refutation(against: Counterexample, *, columns: bool = True) -> Containment:
    """Return that data refute it; without the same `columns` others may be meant."""
    hint = "" if columns else "; their columns differ (--rename A=B)"
    return Containment(
        Holds.NO, f"on the data that are shown it has a row that the other lacks{hint}", against
    )
