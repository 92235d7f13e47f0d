"""A frame contains the time points of one period and of its windows, at which the search chooses a stream.

Windows of finite length reach back from the period (iU, (i+1)U] by at most the greatest length. Earlier
arrivals can therefore be dropped. All later arrivals can be moved by a common multiple of U and of each slide
d, since this move keeps ⌊t/d⌋·d aligned. With one frame for each residue of iU modulo the slides, each stream
can be moved to a frame.

Time points are scaled as follows. Let g divide U and every length, slide and offset of a window. For times u
and t, the truth of u ≥ t - L depends on the quotients by g and the order of the remainders. The truth of u ≤
t, the value ⌊t/d⌋·d and the period of t also depend only on these quotients and this order. With n arrivals,
at most n remainders are above 0. Scaling keeps each quotient, and replaces the remainders by their ranks; 0
stays 0. The content of each window is unchanged, so g time points become n + 1. If only arrivals with the
remainder 0 were searched, some streams would be missed. For example, with U = 5 and NOW, the sides differ if
an arrival is at 3, but not if it is at 5.

If a window has its own first closing time, or a fixed interval, streams near time 0 differ from later
streams. Frames of a query with such a window are not moved. For each period from time 0 until all windows
repeat regularly, the search uses a separate frame.

Without a pull period, sides are compared at single time points. With single time points, g need not divide U
= 1. The compared time point then has its own remainder, so scaling keeps n + 2 time points.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import gcd, lcm
from typing import Final

from lars.analysis import windows, with_windows
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.program import Program
from lars.language.windows import FixedWindow, Interval, LastWindow, TimeWindow, TupleWindow, Window

_MOST_TIME_POINTS: Final = 1_000_000
"""The maximum number of time points for clingo."""
_MOST_FRAMES: Final = 200
"""The maximum number of searched periods before all windows have begun."""


class UncoveredError(LarsError):
    """The error for a construct that the search does not support; `construct` is its name."""

    def __init__(self, construct: str) -> None:
        super().__init__(f"cannot search for streams: the search does not support {construct}")
        self.construct = construct


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale of time: `real` time points become `counted` time points.

    The quotient of a real time point by `real` equals the quotient of its scaled time point by `counted`.
    """

    real: int
    counted: int

    def shrunk(self, length: int) -> int:
        """Return a length in scaled time points; the length must be a multiple of `real`."""
        return length // self.real * self.counted

    def back(self, t: int) -> int:
        """Return the real time point for a scaled time point."""
        return t // self.counted * self.real + t % self.counted


@dataclass(frozen=True, slots=True)
class PeriodFrame:
    """A period (start, end] together with all time points that its windows can contain, in scaled time.

    - `step`: the frame can be moved in time by multiples of this number of time points.
    - If `single` is true, the period is one real time point.
    - If `stays` is true, the frame cannot be moved, and triples can arrive at time 0.
    - `ahead` and `last` are the reach of windows that look ahead: `ahead` time points after the period, or up
      to the time `last`.

    Arrivals are chosen at 1..end, and at 0 if the frame is moved back to 0.
    """

    start: int
    end: int
    step: int
    scale: Scale
    single: bool = False
    stays: bool = False
    ahead: int = 0
    last: int = 0

    @property
    def times(self) -> Interval:
        """The times of the frame at which triples can arrive."""
        return Interval(0 if self.stays else 1, max(self.end + self.ahead, self.last))

    def moves(self, earliest: int) -> int:
        """Return by how many steps a stream without arrivals before `earliest` can be moved back."""
        if self.stays:
            return 0
        # Time 0 can be compared as a single time point, but lies in no period (iU, (i+1)U].
        return min(earliest, self.end if self.single else self.start) // self.step

    @property
    def period(self) -> Interval:
        """The time points of the period."""
        return Interval(self.start + 1, self.end)


def scale_of(programs: Iterable[Program], period: int | None, arrivals: int) -> Scale:
    """Return a scale of time that is exact for all streams with at most `arrivals` arrivals.

    If `period` is None, the sides are compared at single time points.
    """
    lengths = [length for program in programs for window in windows(program) for length in _lengths(window)]
    real = gcd(*lengths) or 1 if period is None else gcd(period, *lengths)
    return Scale(real, min(real, arrivals + (2 if period is None else 1)))


def scale_program(program: Program, scale: Scale) -> Program:
    """Return the program with the lengths of its windows in scaled time points."""
    return with_windows(program, lambda window: _scaled(window, scale))


def frames(
    programs: Iterable[Program], period: int | None, arrivals: int, scale: Scale, *, again: bool = False
) -> Iterator[PeriodFrame]:
    """Yield frames so that each stream with `arrivals` arrivals can be moved into one of the frames.

    A frame is a period together with the range of its windows. The programs must already be scaled. If
    `again` is true, a frame also contains the evaluation before the period.

    Raises:
        LarsError: A frame has too many time points.
    """
    every_window = {window for program in programs for window in windows(program)}
    back = max(map(_past, every_window), default=0)
    if any(
        isinstance(window, TupleWindow) or (isinstance(window, TimeWindow) and window.past is None)
        for window in every_window
    ):
        # Arrivals older than all other windows differ only in order.
        back += arrivals
    slide = lcm(*(window.stride for window in every_window if isinstance(window, TimeWindow | LastWindow)))
    # The previous evaluation may be in the range of the windows, and its own windows reach as far again.
    back = 2 * back + slide if again else back
    kept = 1 if period is None else scale.shrunk(period)
    step = lcm(kept, scale.counted, slide)
    begun = max(map(_begun, every_window), default=0)
    ahead = max((window.future for window in every_window if isinstance(window, TimeWindow)), default=0)
    last = max((window.last for window in every_window if isinstance(window, FixedWindow)), default=0)
    first = -(-(back + begun) // kept) * kept
    if first + step > _MOST_TIME_POINTS:
        is_period = kept > back + begun
        if not is_period and slide > back:
            raise UncoveredError(f"windows that begin together only every {scale.back(slide)} time points")
        long = "the period is" if is_period else "windows or slides are"
        other = "another --period or a" if is_period else "a"
        raise LarsError(
            f"the search needs streams of {first + step} time points, because {long} long; "
            f"use {other} coarser --unit, so that at most {_MOST_TIME_POINTS} time points are needed"
        )
    if begun and first // kept > _MOST_FRAMES:
        raise UncoveredError(
            f"windows that begin at time {begun}, because {first // kept} periods are before this time; "
            f"the search supports at most {_MOST_FRAMES}"
        )
    # Sides that are compared at single time points are compared at time 0 too.
    beginning = first if not begun else -kept if period is None else 0
    for start in range(beginning, first + step, kept):
        end = start + kept
        yield PeriodFrame(start, end, step, scale, period is None, bool(begun), max(ahead, 0), last)


def _past(window: Window) -> int:
    match window:
        case TimeWindow(past, _, step):
            return (past or 0) + step - 1
        case LastWindow(width, slide):
            return width + slide - 1
        case FixedWindow():
            return 0
        case TupleWindow(ties="arrival" | "elements", by=None):
            return 0
        case _:
            raise UncoveredError(f"the window {window}")


def _begun(window: Window) -> int:
    """Return the time from which on a window moves regularly, and after which no fixed interval ends."""
    match window:
        case LastWindow():
            return window.close
        case FixedWindow(_, last):
            return last + 1
        case _:
            return 0


def _lengths(window: Window) -> tuple[int, ...]:
    match window:
        case TimeWindow(past, future, step):
            return (past or 0, future, 0 if step == 1 else step)
        case TupleWindow(ties="elements"):
            return (1,)  # Arrivals that share a scaled time are one element, so times are not scaled.
        case TupleWindow():
            return ()
        case _:
            return window.lengths


def _scaled(window: Window, scale: Scale) -> Window:
    match window:
        case TimeWindow(past, future, step):
            far = None if past is None else scale.shrunk(past)
            return replace(window, past=far, future=scale.shrunk(future), step=max(1, scale.shrunk(step)))
        case LastWindow(width, slide, start):
            width, slide, start = map(scale.shrunk, (width, slide, start))
            return replace(window, width=width, slide=slide, start=start)
        case FixedWindow(first, last):
            return replace(window, first=scale.shrunk(first), last=scale.shrunk(last))
        case _:
            return window
