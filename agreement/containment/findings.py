"""What is found out about containment, and data that refute it."""

from dataclasses import dataclass
from enum import Enum

from agreement.disjuncts import Stock
from solver.facts import Fact, Row


class Holds(Enum):
    """Whether a query is contained in another."""

    YES = "contained"
    NO = "not contained"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A stream and static data on which one query has a row at a time that the other lacks."""

    facts: tuple[Fact, ...]
    static: Stock
    t: int
    row: Row


@dataclass(frozen=True, slots=True)
class Containment:
    """What was found, and why; for NO the data that refute it."""

    holds: Holds
    why: str
    against: Counterexample | None = None


def refuted(against: Counterexample, *, columns: bool = True) -> Containment:
    """Return that data refute it; without the same `columns` others may be meant."""
    hint = "" if columns else "; their columns differ (--rename A=B)"
    return Containment(
        Holds.NO, f"on the data that are shown it has a row that the other lacks{hint}", against
    )
