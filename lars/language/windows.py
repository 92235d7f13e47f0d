"""Windows: the part of a stream that a formula sees. Only this module computes the ends of windows."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, Literal, get_args

from lars.dataclass import dataclass
from lars.language.terms import Atom, Constant, Symbol, Term, write_name

LARGEST_TIME: Final = 2**62 - 1
"""The largest valid time point and length; the sum of two such values fits in 64 bits."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval of time points that includes both ends; the interval is empty if first > last.

    >>> list(Interval(3, 5)), bool(Interval(5, 3)), Interval(3, 5).meet(Interval(4, 9))
    ([3, 4, 5], False, Interval(first=4, last=5))
    """

    first: int
    last: int

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.last + 1))

    def __reversed__(self) -> Iterator[int]:
        return reversed(range(self.first, self.last + 1))

    def __contains__(self, t: int) -> bool:
        return self.first <= t <= self.last

    def __bool__(self) -> bool:
        return self.first <= self.last

    def __str__(self) -> str:
        return f"[{self.first}, {self.last}]"

    def meet(self, other: "Interval") -> "Interval":
        """Return the intersection of this interval with another interval."""
        return Interval(max(self.first, other.first), min(self.last, other.last))


Bounds = Literal["closed", "low-open", "high-open", "open"]
"""Whether a sliding window of length l before its pivot p contains its first end and its last end.

- `closed`, [p-l, p]: LARS, CQL and CQELS.
- `low-open`, (p-l, p]: RSP-QL, and C-SPARQL's external time.
- `high-open`, [p-l, p): SECRET and CSRBench.
- `open`, (p-l, p): a fault of some engines.
"""


def misses_first(bounds: Bounds) -> bool:
    """Return whether a window with the given bounds excludes its first time point."""
    return bounds in ("low-open", "open")


def misses_last(bounds: Bounds) -> bool:
    """Return whether a window with the given bounds excludes its last time point."""
    return bounds in ("high-open", "open")


class IntervalWindow(ABC):
    """A window that shows an interval of the timeline; both ends of the interval never move back in time."""

    __slots__ = ()

    @abstractmethod
    def bounds(self, at: int, timeline: Interval) -> Interval:
        """Return the part of the timeline that the window shows at the time `at`; the part can be empty."""

    @property
    @abstractmethod
    def reach(self) -> tuple[int | None, int]:
        """Upper bounds of the distances from t to shown time points, back (None: no bound) and forward."""

    @property
    @abstractmethod
    def lengths(self) -> tuple[int, ...]:
        """The lengths of time that the notation of the window contains."""

    @property
    @abstractmethod
    def stride(self) -> int:
        """The step, in time points, by which the ends of the window move."""

    @property
    def never_empty(self) -> bool:
        """Whether the window contains the reference time at each time of every timeline."""
        return False


@dataclass(frozen=True, slots=True)
class TimeWindow(IntervalWindow):
    """⊞^{l,u,d}: a window from `past` = l before a pivot to `future` = u after the pivot. ⊞^∞ has past None.

    At t the pivot is t' = ⌊t/d⌋·d, with d = `step`. The lengths of a time window are numbers of time points.
    If -l ≤ u < 0, the window ends before the pivot. The bounds `ends` apply only if l < ∞ and -l < u ≤ 0.
    Windows that end after the pivot, windows of a single time point, and ⊞^∞ are closed. Sources: LARS
    (2015), time-based window; SPARQLstream for u < 0.

    >>> TimeWindow(past=6, step=5).bounds(14, Interval(0, 50))
    Interval(first=4, last=10)
    """

    past: int | None
    future: int = 0
    step: int = 1
    ends: Bounds = "closed"

    def pivot(self, at: int) -> int:
        """Return the pivot ⌊t/d⌋·d for t = `at`."""
        return at - at % self.step

    def bounds(self, at: int, timeline: Interval) -> Interval:
        """Return the part of the timeline that the window shows at the time `at`; the part can be empty."""
        pivot, (first, last) = self.pivot(at), self.offsets
        return Interval(timeline.first if first is None else pivot + first, pivot + last).meet(timeline)

    @property
    def offsets(self) -> tuple[int | None, int]:
        """The first and the last shown time point, relative to the pivot; None means the timeline's start.

        >>> TimeWindow(30, ends="low-open").offsets, TimeWindow(None, 2).offsets
        ((-29, 0), (None, 2))
        """
        first = None if self.past is None else -self.past + misses_first(self.open)
        return first, self.future - misses_last(self.open)

    @property
    def reach(self) -> tuple[int | None, int]:
        """Upper bounds of the distances from t to shown time points: past + step - 1 back, `future` forward.

        The pivot can lag behind the evaluation time by step - 1.
        """
        return None if self.past is None else self.past + self.step - 1, self.future

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths `past`, `future` and `step`; if the past is unlimited, 0 replaces its length."""
        return self.past or 0, self.future, self.step

    @property
    def stride(self) -> int:
        """The step by which the pivot moves."""
        return self.step

    @property
    def open(self) -> Bounds:
        """The bounds of the window: `ends` if the past is finite and -past < future ≤ 0, otherwise CLOSED."""
        changed = self.past is not None and -self.past < self.future <= 0
        return self.ends if changed else "closed"

    @property
    def never_empty(self) -> bool:
        """Whether the window contains the reference time at each time of every timeline."""
        return self.step == 1 and self.future >= 0 and not misses_last(self.open)

    def __str__(self) -> str:
        past = "∞" if self.past is None else str(self.past)
        size = past if (self.future, self.step) == (0, 1) else f"{past},{self.future},{self.step}"
        ends = "" if self.ends == "closed" else f" {self.ends}"
        return f"⊞^{{{size}{ends}}}" if "," in size or ends else f"⊞^{size}"


@dataclass(frozen=True, slots=True)
class SlidingWindow(IntervalWindow):
    """The active window of RSP-QL; windows (o, o + width] open at o = start, start + slide, ...

    The window that is active at t is the earliest opened window (o, o + width] with t ≤ o + width. The active
    window shows the time points from o + 1 to t. The window is empty at times up to `start`, and in the gaps
    that exist if slide > width. Units: time points. Source: RSP-QL (2014), Definition 13 with Examples 7 and
    10; SECRET's active window.

    >>> window = SlidingWindow(width=5, slide=2, start=1)
    >>> window.bounds(9, Interval(0, 50)), window.bounds(4, Interval(0, 50))
    (Interval(first=6, last=9), Interval(first=2, last=4))
    """

    width: int
    slide: int
    start: int

    def opening(self, at: int) -> int:
        """Return o, the excluded lower end of the window that is active at the time `at`."""
        passed = -((self.start + self.width - at) // self.slide)
        return self.start + max(0, passed) * self.slide

    def bounds(self, at: int, timeline: Interval) -> Interval:
        """Return the part of the timeline that the window shows at the time `at`; the part can be empty."""
        return Interval(self.opening(at) + 1, at).meet(timeline)

    @property
    def reach(self) -> tuple[int | None, int]:
        """Upper bounds of the distances from t to shown time points: `width` back, and 0 forward.

        The active window can open `width` time points before the evaluation time.
        """
        return self.width, 0

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths `width`, `slide` and `start`."""
        return self.width, self.slide, self.start

    @property
    def stride(self) -> int:
        """The number of time points from one opening to the next opening."""
        return self.slide

    def __str__(self) -> str:
        return f"⊞^{{sliding {self.width},{self.slide},{self.start}}}"


@dataclass(frozen=True, slots=True)
class LastWindow(IntervalWindow):
    """The last closed window; windows from o to o + width open at o = start, start + slide, ...

    A window closes at o + width, and is shown until the next window closes. Before the first window closes,
    the content is empty. The field `ends` determines which ends a window contains; for example, high-open
    means [o, o + width). Units: time points. Source: sparq, with T0 = `start` ≥ 0. If start = 0 and the slide
    divides the width, the window equals ⊞^{width,0,slide}, except for the bounds. Until the first window has
    closed, the last closed window is empty and can differ from ⊞^{width,0,slide}.

    >>> window = LastWindow(width=5, slide=2, start=1)
    >>> window.bounds(5, Interval(0, 50)), window.bounds(9, Interval(0, 50))
    (Interval(first=1, last=0), Interval(first=3, last=7))
    """

    width: int
    slide: int
    start: int = 0
    ends: Bounds = "high-open"

    @property
    def close(self) -> int:
        """The time point at which the first window closes."""
        return self.start + self.width

    @property
    def offsets(self) -> tuple[int, int]:
        """The first and the last time point of a window, counted from the opening of the window."""
        return int(misses_first(self.ends)), self.width - misses_last(self.ends)

    def bounds(self, at: int, timeline: Interval) -> Interval:
        """Return the part of the timeline that the window shows at the time `at`; the part can be empty."""
        if at < self.close:
            return Interval(self.start, self.start - 1).meet(timeline)
        opening, (first, last) = at - self.width - (at - self.close) % self.slide, self.offsets
        return Interval(opening + first, opening + last).meet(timeline)

    @property
    def reach(self) -> tuple[int | None, int]:
        """Upper bounds of the distances from t to shown time points: width + slide - 1 back, and 0 forward.

        The last closed window is shown until the next window closes.
        """
        return self.width + self.slide - 1, 0

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths `width`, `slide` and `start`."""
        return self.width, self.slide, self.start

    @property
    def stride(self) -> int:
        """The number of time points from one close to the next close."""
        return self.slide

    def __str__(self) -> str:
        ends = "" if self.ends == "high-open" else f" {self.ends}"
        return f"⊞^{{last {self.width},{self.slide},{self.start}{ends}}}"


@dataclass(frozen=True, slots=True)
class FixedWindow(IntervalWindow):
    """A window that shows the time points from `first` to `last`, both included, at each evaluation time.

    The time points of a fixed window can be before or after the evaluation time. A `causal` window shows no
    time points after the evaluation time. Source: Janus, which queries logs with such windows.

    >>> FixedWindow(3, 7).bounds(5, Interval(0, 6)), FixedWindow(3, 7, causal=True).bounds(5, Interval(0, 6))
    (Interval(first=3, last=6), Interval(first=3, last=5))
    """

    first: int
    last: int
    causal: bool = False

    def bounds(self, at: int, timeline: Interval) -> Interval:
        """Return the part of the timeline that the window shows; only a causal window depends on `at`."""
        return Interval(self.first, min(self.last, at) if self.causal else self.last).meet(timeline)

    @property
    def reach(self) -> tuple[int | None, int]:
        """Upper bounds of the distances from t: None (no bound) back; `last` or, if causal, 0 forward."""
        return None, 0 if self.causal else self.last

    @property
    def lengths(self) -> tuple[int, ...]:
        """The first and the last time point of the window."""
        return self.first, self.last

    @property
    def stride(self) -> int:
        """The step 1, because the ends of a fixed window do not move."""
        return 1

    def __str__(self) -> str:
        return f"⊞^{{from {self.first} to {self.last}{' causal' if self.causal else ''}}}"


Ties = Literal["arrival", "all", "choose", "elements"]
"""The treatment of atoms with the same time by a tuple window of size n.

The first three values apply if not all atoms at the oldest instant fit into the window: `arrival` keeps the
last arrivals. `all` keeps all atoms, so the window has more than n atoms. `choose` keeps any atoms that fill
the window. With `choose`, each window and reference time has its own choice, so several answer streams can
exist. With `elements`, all atoms of one time count as one element, so the window contains all atoms of the
newest n times.
"""
TIES: Final[Mapping[str, Ties]] = {ties: ties for ties in get_args(Ties)}


@dataclass(frozen=True, slots=True)
class TupleWindow:
    """⊞^{#n}: the newest `size` pairs of a time and an input atom, up to the reference time.

    A tuple window reaches from the time of its oldest pair to the reference time, both included. A tuple
    window without pairs is empty. With a `source`, the window contains only atoms whose last argument is the
    source. With `by`, the window is ⊞^{idx,n}: the union of one window of `size` pairs for each index idx(a).
    The index of an atom a consists of its predicate and its arguments at the positions `by`, counted from 1.
    If a has no argument at a position, the position is ignored. Source: LARS (2015), tuple-based and
    partition-based windows. If the ties are `elements`, the window counts times and not pairs. Source of
    `elements`: CQELS 2, whose engine in Java counts elements.
    """

    size: int
    source: Constant | None = None
    ties: Ties = "arrival"
    by: tuple[int, ...] | None = None

    def counts(self, atom: Atom) -> bool:
        """Return whether the input atom can be one of the newest `size` atoms that the window keeps.

        A window with a `source` counts only input atoms of this source.
        """
        return self.source is None or atom.arguments[-1:] == (self.source,)

    def index(self, atom: Atom) -> tuple[Term | str | int, ...]:
        """Return idx(a) of an atom a; atoms with equal indexes are in one partition of the window."""
        if self.by is None:
            return ()
        arguments = atom.arguments
        places = (place for place in self.by if place <= len(arguments))
        return atom.predicate, len(arguments), *(arguments[place - 1] for place in places)

    @property
    def with_ties(self) -> "TupleWindow":
        """The window with ties `all`, which keeps all atoms at its oldest time; `elements` does so already.

        If the ties are `elements`, the window is returned unchanged.
        """
        return self if self.ties == "elements" else replace(self, ties="all")

    @property
    def never_empty(self) -> bool:
        """Whether the window is never empty: False, since the window is empty before any input."""
        return False

    def __str__(self) -> str:
        parts = [f"#{self.size}"]
        if self.by is not None:
            parts.append(f"by {','.join(map(str, self.by)) or 'predicate'}")
        if self.source is not None:
            parts.append(_sourced(self.source))
        if self.ties != "arrival":
            parts.append(self.ties)
        return f"⊞^{parts[0]}" if len(parts) == 1 else f"⊞^{{{' '.join(parts)}}}"


def _sourced(source: Constant) -> str:
    # A stream's name is quoted, so that a misspelt word of the notation is none.
    return write_name(source.name, quoted=True) if isinstance(source, Symbol) else str(source)


Window = TimeWindow | SlidingWindow | LastWindow | FixedWindow | TupleWindow
"""All kinds of windows; mypy reports a `match` that omits a kind which is not an IntervalWindow."""
NOW: Final = TimeWindow(0)
UNBOUNDED: Final = TimeWindow(None)
