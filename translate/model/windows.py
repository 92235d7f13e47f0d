"""Window expressions of queries, and their LARS windows by Table 1 of LARS (2015)."""

from dataclasses import dataclass, field
from typing import assert_never

from lars.durations import Duration
from lars.language import windows
from lars.language.terms import Iri, Variable


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """[RANGE L] or [RANGE L SLIDE D]: C-SPARQL writes STEP for SLIDE, and TUMBLING for D = L.

    The window ends `until` before the pivot. For example, SPARQLstream's [NOW - 10 S TO NOW - 5 S] is
    Range(10s, None, 5s): `length` counts from the pivot, and is longer than `until`. `tumbling` marks the
    keyword TUMBLING, which engines run differently from D = L. `ends` are the ends that the language sets,
    None if it sets none. CQELS 2 looks `ahead` of the pivot as well. With an `origin`, the first window's
    opening, the last closed window is shown.
    """

    length: Duration
    slide: Duration | None = None
    until: Duration | None = None
    tumbling: bool = field(default=False, compare=False)
    ends: windows.Bounds | None = None
    ahead: Duration | None = None
    origin: Duration | None = None

    def __str__(self) -> str:
        slide = "" if self.slide is None else f" SLIDE {self.slide}"
        until = "" if self.until is None else f" UNTIL {self.until}"
        ends = "" if self.ends is None else f" {self.ends.value}"
        ahead = "" if self.ahead is None else f" FUTURE {self.ahead}"
        origin = "" if self.origin is None else f" T0 {self.origin}"
        return f"[RANGE {self.length}{until}{ahead}{slide}{origin}{ends}]"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """[START b END e] of Janus: between two times, both included; `causal`: up to the evaluation."""

    start: Duration
    end: Duration
    causal: bool = False

    def __str__(self) -> str:
        return f"[START {self.start} END {self.end}{' CAUSAL' if self.causal else ''}]"


@dataclass(frozen=True, slots=True, order=True)
class Rows:
    """[ROWS N]: C-SPARQL writes RANGE TRIPLES N, CQELS TRIPLES N, RSP-QL ELEMENTS N."""

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


WindowExpression = Range | Span | Rows | Now | Unbounded | windows.SlidingWindow
"""A window in a query; the t0 of a sliding window comes from a specification, not from the query."""


def window_operator(
    expression: WindowExpression, stream: Iri | Variable, unit: Duration, bounds: windows.Bounds | None
) -> windows.Window:
    """Return τ(ω), Table 1 of LARS (2015), in time points of `unit`; a tuple window is the stream's.

    `bounds` are the ends of all windows; None means each window's own ends, or closed ones. If the stream is
    a variable, there is one tuple window for each stream, which is the fourth argument of striple.

    >>> print(window_operator(Range(Duration(30), Duration(5)), Iri("s"), Duration(1), windows.Bounds.CLOSED))
    ⊞^{30,0,5}
    """
    match expression:
        case Range(length, slide, until, _, ends, ahead, origin):
            future = 0 if until is None else -until.points(unit)
            step = 1 if slide is None else slide.points(unit)
            # Which ends are open is asked of windows up to the pivot only.
            shown = bounds or ends or windows.Bounds.CLOSED
            if origin is not None:
                return windows.LastWindow(
                    length.points(unit), step, origin.points(unit), bounds or ends or windows.Bounds.HIGH_OPEN
                )
            if ahead is not None:  # Its own end is open: (a, b] is [a + 1, b], with as many time points.
                past = length.points(unit) - shown.misses_first
                return windows.TimeWindow(past, ahead.points(unit), step)
            if until is not None:
                shown = ends or windows.Bounds.CLOSED
            return windows.TimeWindow(length.points(unit), future, step, shown)
        case Span(start, end, causal):
            return windows.FixedWindow(start.points(unit), end.points(unit), causal)
        case Rows(count):
            return (
                windows.TupleWindow(count, by=(4,))
                if isinstance(stream, Variable)
                else windows.TupleWindow(count, stream)
            )
        case Now():
            return windows.NOW
        case Unbounded():
            return windows.UNBOUNDED
        case windows.SlidingWindow():
            return expression
        case _:
            assert_never(expression)
