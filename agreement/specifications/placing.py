"""Where a query's windows lie once their first one opens at t0: as windows of the finer clock."""

from dataclasses import dataclass, replace
from typing import assert_never

from agreement.sources import Source
from agreement.specifications.elements import Ticking
from agreement.specifications.specification import Slide, Specification
from lars.durations import Duration
from lars.errors import LarsError
from lars.windows import Bounds
from translate.windows import Now, Range, Rows, Sliding, Unbounded


@dataclass(frozen=True, slots=True)
class Frame:
    """What windows are placed in: unit, ends, whether they slide, the clock, the last time point."""

    specification: Specification
    unit: Duration
    bounds: Bounds
    clock: Ticking
    until: int


@dataclass(frozen=True, slots=True)
class Shape:
    """(α, β) of a sliding window in time points; `closed` where both its ends are contained."""

    width: int
    slide: int
    closed: bool

    def closes(self, start: int, until: int) -> range:
        """Return the time points at which windows close that open at start, start + β, ..."""
        return range(start + self.width, until + 1, self.slide)


def shape(source: Source, frame: Frame) -> Shape | None:
    """Return (α, β) of a window; None for the newest N triples and what reaches back to the start."""
    match source.window:
        case Range(length, slide, None):
            width = length.points(frame.unit)
            moves = slide is None or frame.specification.slide is Slide.IGNORED
            step = 1 if moves or slide is None else slide.points(frame.unit)
            return Shape(width, step, frame.bounds is Bounds.CLOSED or width == 0)
        case Range():
            raise LarsError(
                f"the window {source}: it ends before the time of evaluation; "
                "a specification has windows that end there"
            )
        case Now():
            return Shape(0, 1, closed=True)
        case Rows() | Unbounded():
            return None
        case Sliding():
            raise AssertionError(source)
        case _:
            assert_never(source.window)


def placed(source: Source, start: int, frame: Frame) -> Rows | Sliding:
    """Return the window as one of the clock's ticks, low-open whatever its ends are in time points.

    The first tick of an instant is before its elements: [o, c) and [o, c] begin after that of o,
    (o, c] after that of o + 1.
    """
    if isinstance(source.window, Rows):
        return source.window
    scale = frame.clock.scale
    low_open = frame.bounds is Bounds.LOW_OPEN and not isinstance(source.window, Now)
    first = (start + low_open) * scale
    found = shape(source, frame)
    if found is None:
        whole = (max(frame.until, 0) + 2) * scale + abs(first)
        return Sliding(whole, whole, first)
    return Sliding((found.width + found.closed) * scale, found.slide * scale, first)


def at_close(time: int, frame: Frame) -> int:
    """Return the tick at which what closes at a time point is seen: high-open before its triples."""
    scale = frame.clock.scale
    return time * scale if frame.bounds is Bounds.HIGH_OPEN else (time + 1) * scale - 1


def moved(source: Source, start: int, frame: Frame) -> Source:
    """Return the source with its window placed."""
    return replace(source, window=placed(source, start, frame))
