"""Window expressions of queries, and their LARS windows according to Table 1 of LARS (2015)."""

from dataclasses import field, replace
from typing import Literal, assert_never

from lars.dataclass import dataclass
from lars.durations import Duration
from lars.language import windows
from lars.language.terms import Iri, Variable


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """[RANGE L] or [RANGE L SLIDE D]; C-SPARQL writes STEP for SLIDE, and TUMBLING if D = L.

    The field `until` is the distance from the window's end back to the pivot. For example, SPARQLstream's
    [NOW - 10 S TO NOW - 5 S] is Range(10s, None, 5s). The field `length` is the distance from the window's
    start to the pivot, so it is at least `until`. The field `tumbling` is true if the query contains the
    keyword TUMBLING, which engines evaluate differently from D = L. The field `ends` determines which ends
    the window contains; None means that the language does not define this. The field `ahead` is the length of
    the window after the pivot (only in CQELS 2). The field `opens` is the time at which the first window
    opens; if `opens` is not None, a query reads the last closed window.
    """

    length: Duration
    slide: Duration | None = None
    until: Duration | None = None
    tumbling: bool = field(default=False, compare=False)
    ends: windows.Bounds | None = None
    ahead: Duration | None = None
    opens: Duration | None = None

    @property
    def own_ends(self) -> windows.Bounds:
        """The ends of the window by the definition of its language, if no setting changes the ends."""
        return self.ends or ("closed" if self.opens is None else "high-open")

    def __str__(self) -> str:
        slide = "" if self.slide is None else f" SLIDE {self.slide}"
        until = "" if self.until is None else f" UNTIL {self.until}"
        ends = "" if self.ends is None else f" {self.ends}"
        ahead = "" if self.ahead is None else f" FUTURE {self.ahead}"
        opens = "" if self.opens is None else f" T0 {self.opens}"
        return f"[RANGE {self.length}{until}{ahead}{slide}{opens}{ends}]"


def on_grid(window: Range) -> Range:
    """Return a window of a language whose windows open at multiples of the slide, with its first opening.

    If the slide divides the length, each pivot is a close of the window. Otherwise, windows close elsewhere,
    so the window needs the time 0 at which the first window opens.

    >>> print(on_grid(Range(Duration(5), Duration(3))), on_grid(Range(Duration(6), Duration(3))))
    [RANGE 5ns SLIDE 3ns T0 0s] [RANGE 6ns SLIDE 3ns]
    """
    if window.slide is None or window.ahead is not None:
        return window
    closes_elsewhere = window.length.nanoseconds % window.slide.nanoseconds
    return replace(window, opens=Duration(0) if closes_elsewhere else None)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """[START b END e] of Janus: all times from b to e; a `causal` window also ends at the evaluation time."""

    start: Duration
    end: Duration
    causal: bool = False

    def __str__(self) -> str:
        return f"[START {self.start} END {self.end}{' CAUSAL' if self.causal else ''}]"


@dataclass(frozen=True, slots=True, order=True)
class Rows:
    """[ROWS N]; C-SPARQL writes RANGE TRIPLES N, CQELS writes TRIPLES N, RSP-QL writes ELEMENTS N.

    The window counts triples; with `elements`, all triples of one time count once.
    """

    count: int
    elements: bool = False

    def __str__(self) -> str:
        return f"[ROWS {self.count}{' ELEMENTS' if self.elements else ''}]"


Grain = Literal["time-point", "message", "triple"]
"""The content of a window [NOW]: all triples of the time point, one message, or one triple."""


@dataclass(frozen=True, slots=True, order=True)
class Now:
    """[NOW]: the window that contains only the evaluation time.

    The field `grain` is the content of the window that the language defines. With `message`, the window
    contains one element, and with `triple` one triple. Our window at the evaluation time is exact for these
    values only if each element (or each triple) has its own time.
    """

    grain: Grain = "time-point"

    def __str__(self) -> str:
        return "[NOW]" if self.grain == "time-point" else f"[NOW {self.grain}]"


@dataclass(frozen=True, slots=True, order=True)
class Unbounded:
    """[RANGE UNBOUNDED], the window with all past times; CQELS writes ALL."""

    def __str__(self) -> str:
        return "[RANGE UNBOUNDED]"


WindowExpression = Range | Span | Rows | Now | Unbounded | windows.SlidingWindow
"""A window in a query; t0 of a sliding window comes from a specification and not from the query."""


def window_operator(
    expression: WindowExpression, stream: Iri | Variable, unit: Duration, bounds: windows.Bounds | None
) -> windows.Window:
    """Return the LARS window τ(ω) of Table 1 of LARS (2015) in time points of `unit`.

    A tuple window counts only the triples of `stream`. If `stream` is a variable, each stream has its own
    tuple window; the fourth argument of the atom striple is the stream. The argument `bounds` determines the
    ends of time windows, except of windows that end before the pivot. If `bounds` is None, a time window has
    the ends that its declaration defines. If the declaration defines no ends, a time window is closed, but a
    window that is shown after its close is high-open.

    >>> print(window_operator(Range(Duration(30), Duration(5)), Iri("s"), Duration(1), "closed"))
    ⊞^{30,0,5}
    """
    match expression:
        case Range(length, slide, until, _, _, ahead, origin):
            future = 0 if until is None else -until.points(unit)
            step = 1 if slide is None else slide.points(unit)
            # `bounds` is a setting for windows that end at the pivot; other windows keep their own ends.
            shown = bounds or expression.own_ends
            if origin is not None:
                return windows.LastWindow(length.points(unit), step, origin.points(unit), shown)
            # TimeWindow ignores the ends of a window that looks ahead: (a, b] is written as [a + 1, b].
            if ahead is not None:
                past = length.points(unit) - windows.misses_first(shown)
                return windows.TimeWindow(past, ahead.points(unit), step)
            if until is not None:
                shown = expression.own_ends
            return windows.TimeWindow(length.points(unit), future, step, shown)
        case Span(start, end, causal):
            return windows.FixedWindow(start.points(unit), end.points(unit), causal)
        case Rows(count, elements):
            ties = windows.TIES["elements" if elements else "arrival"]
            return (
                windows.TupleWindow(count, ties=ties, by=(4,))
                if isinstance(stream, Variable)
                else windows.TupleWindow(count, stream, ties)
            )
        case Now():
            return windows.NOW
        case Unbounded():
            return windows.UNBOUNDED
        case windows.SlidingWindow():
            return expression
        case _:
            assert_never(expression)
