"""Window expressions of queries, and Table 1 of LARS (2015): what each means as a LARS window."""

from dataclasses import dataclass
from typing import assert_never

from lars.durations import Duration
from lars.terms import Iri
from lars.windows import NOW, UNBOUNDED, Bounds, TimeWindow, TupleWindow, Window


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """[RANGE L] or [RANGE L SLIDE D]: C-SPARQL writes STEP for SLIDE, and TUMBLING for D = L."""

    length: Duration
    slide: Duration | None = None

    def __str__(self) -> str:
        return f"[RANGE {self.length}{'' if self.slide is None else f' SLIDE {self.slide}'}]"


@dataclass(frozen=True, slots=True, order=True)
class Rows:
    """[ROWS N]: C-SPARQL writes RANGE TRIPLES N, CQELS TRIPLES N."""

    count: int

    def __str__(self) -> str:
        return f"[ROWS {self.count}]"


@dataclass(frozen=True, slots=True, order=True)
class Now:
    """[NOW]."""

    def __str__(self) -> str:
        return "[NOW]"


@dataclass(frozen=True, slots=True, order=True)
class Unbounded:
    """[RANGE UNBOUNDED]: CQELS writes ALL."""

    def __str__(self) -> str:
        return "[RANGE UNBOUNDED]"


WindowExpression = Range | Rows | Now | Unbounded


def window_operator(expression: WindowExpression, stream: Iri, unit: Duration, bounds: Bounds) -> Window:
    """Return τ(ω), Table 1 of LARS (2015), in time points of `unit`; a tuple window is the stream's.

    >>> print(window_operator(Range(Duration(30), Duration(5)), Iri("s"), Duration(1), Bounds.CLOSED))
    ⊞^{30,0,5}
    """
    match expression:
        case Range(length, slide):
            step = 1 if slide is None else slide.points(unit)
            return TimeWindow(length.points(unit), 0, step, bounds)
        case Rows(count):
            return TupleWindow(count, stream)
        case Now():
            return NOW
        case Unbounded():
            return UNBOUNDED
        case _:
            assert_never(expression)
