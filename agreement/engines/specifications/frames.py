"""Compute the positions of windows from start times t0: width, slide, bounds, and report times."""

from collections.abc import Sequence

from agreement.documents.requests import WindowSource, sources
from agreement.engines.specifications import parameters
from agreement.engines.specifications.elements import TickClock
from agreement.engines.specifications.tasks import Task
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.windows import Bounds, FixedWindow, SlidingWindow, misses_first, misses_last
from translate.model.query import EngineQuery, Language
from translate.model.windows import Now, Range, Rows, Span, Unbounded


@dataclass(frozen=True, slots=True)
class Frame:
    """A query and its input, with the settings for all its windows: specification, bounds, and clock.

    All windows are evaluated at one reference time. If windows look ahead, the report comes `lead` time
    points after the reference time, when the last window closes. The windows in `quiet` cause no evaluations.
    If `every` is given, windows slide with the reference time, but report only at multiples of `every` time
    points.
    """

    task: Task
    specification: parameters.Specification
    bounds: Bounds
    clock: TickClock
    lead: int
    quiet: frozenset[WindowSource]
    every: int | None

    def is_quiet(self, source: WindowSource) -> bool:
        """Return whether a window causes no evaluation, because other windows cause the evaluations."""
        # Most queries have no such window, and the hash of a window takes time.
        return bool(self.quiet) and source in self.quiet


def frame_of(task: Task, specification: parameters.Specification, bounds: Bounds, clock: TickClock) -> Frame:
    """Return the settings for all windows of a query.

    Raises:
        LarsError: The query language gives windows different bounds, and no option sets the bounds.
    """
    query, unit = task.query, task.unit
    ends = _query_bounds(query) if bounds in specification.bounds and _is_builtin(specification) else set()
    if len(ends) > 1:
        kinds = " and ".join(sorted(ends))
        raise LarsError(
            "cannot report for windows with different bounds: in the query language, windows are "
            f"{kinds}; use --bounds to choose the same bounds for all windows"
        )
    every = None if query.every is None else query.every.points(unit)
    quiet = frozenset(_quiet(query))
    return Frame(task, specification, bounds, clock, lead_of(query, unit), quiet, every)


def lead_of(query: EngineQuery, unit: Duration) -> int:
    """Return the number of time points between an evaluation's reference time and its report.

    This number is the longest look-ahead of a window.
    """
    windows = (source.window for source in sources(query))
    ahead = (each.ahead for each in windows if isinstance(each, Range) and each.ahead is not None)
    return max((each.points(unit) for each in ahead), default=0)


def has_own_ends(query: EngineQuery) -> bool:
    """Return whether a window ignores the specification's bounds, because it reads a log or looks ahead."""
    windows = (source.window for source in sources(query))
    return query.language is Language.JANUS or any(
        isinstance(each, Range) and each.ahead is not None for each in windows
    )


def _quiet(query: EngineQuery) -> list[WindowSource]:
    """Return the windows that read a log (in Janus queries), but never all windows of a query."""
    if query.language is not Language.JANUS:
        return []
    read = sources(query)
    logs = [each for each in read if isinstance(each.window, Span) or _slides_with_time(each.window)]
    if len(logs) < len(read):
        return logs
    # The windows that move are evaluated at their step, else all once: when the last of them is complete.
    moving = [each for each in logs if not isinstance(each.window, Span)]
    reporting = moving[0] if moving else max(logs, key=_end)
    return [each for each in logs if each is not reporting]


def _end(source: WindowSource) -> Duration:
    return source.window.end if isinstance(source.window, Span) else Duration(0)


def _slides_with_time(window: object) -> bool:
    return isinstance(window, Now) or (isinstance(window, Range) and window.slide is None)


@dataclass(frozen=True, slots=True)
class Shape:
    """The width α and slide β of a sliding window in time points; `closed` means that it contains both ends.

    The report comes `due` time points after the window opens, which is usually the close of the window.
    Between two reports, the window moves by `moves` time points, usually the slide β.
    """

    width: int
    slide: int
    closed: bool
    due: int
    moves: int

    def closes(self, start: int, until: int) -> range:
        """Return the report times, up to `until`, of windows that open at `start` and after each slide."""
        return range(start + self.due, until + 1, self.slide)


def shift_of(source: WindowSource, frame: Frame) -> int:
    """Return the number of time points from the reference time to the end of a window; it can be negative."""
    match source.window:
        case Range(until=until, ahead=ahead):
            points = [0 if each is None else each.points(frame.task.unit) for each in (ahead, until)]
            return points[0] - points[1]
        case _:
            return 0


def ends_of(source: WindowSource, frame: Frame) -> Bounds:
    """Return the bounds of a window: its own bounds, or the bounds that are usual for the query.

    A window has its own bounds if it reads a log, or does not end at the reference time.
    """
    window = source.window
    own = frame.is_quiet(source) or shift_of(source, frame)
    if not isinstance(window, Range) or not own:
        return frame.bounds
    if window.ahead is not None and frame.bounds == "closed":
        return frame.bounds
    return window.ends or frame.bounds


def shape(source: WindowSource, frame: Frame) -> Shape | None:
    """Return the width and slide of a window; None for tuple-based windows and windows without a beginning.

    Raises:
        LarsError: No specification defines when the window opens and closes.
    """
    match source.window:
        case Range(length, slide):
            shift = shift_of(source, frame)
            width = length.points(frame.task.unit) + shift
            moves = slide is None or frame.specification.slide == "ignored"
            step = 1 if moves or slide is None else slide.points(frame.task.unit)
            reports = (
                frame.every if moves and frame.every is not None and not frame.is_quiet(source) else step
            )
            closed = ends_of(source, frame) == "closed" or width == 0
            return Shape(width, reports, closed, width - shift + frame.lead, step)
        case Now():
            return Shape(0, 1, closed=True, due=frame.lead, moves=1)
        case Rows() | Unbounded() | Span():
            return None
        case _:
            raise LarsError(
                f"cannot report the window {source}: no specification defines when it opens and closes"
            )


def shapes(read: Sequence[WindowSource], frame: Frame) -> list[Shape]:
    """Return the width and slide of each window that has a width and a slide."""
    return [own for source in read if (own := shape(source, frame)) is not None]


def query_starts(read: Sequence[WindowSource], unit: Duration) -> tuple[int, ...] | None:
    """Return the start time t0 of each window in time points; None unless the query defines all of them."""
    said = [source.window.opens for source in read if isinstance(source.window, Range)]
    starts = [None if start is None else start.points(unit) for start in said]
    known = tuple(start for start in starts if start is not None)
    return known if known and len(known) == len(read) else None


def with_query_bounds(
    specification: parameters.Specification, *queries: EngineQuery
) -> parameters.Specification:
    """Return the specification with the window bounds that the query language defines.

    A specification from a TOML file keeps its own bounds.
    """
    said = set().union(*map(_query_bounds, queries)) if _is_builtin(specification) else set[Bounds]()
    return specification.model_copy(update={"bounds": tuple(said)}) if len(said) == 1 else specification


def _is_builtin(specification: parameters.Specification) -> bool:
    """Return whether a specification is built in, so that windows have the bounds of the query language."""
    return specification.name in parameters.NAMES and specification == parameters.builtin(specification.name)


def _query_bounds(query: EngineQuery) -> set[Bounds]:
    """Return the bounds that the query language defines for the windows of a query."""
    quiet = _quiet(query)
    windows = [each.window for each in sources(query) if isinstance(each.window, Range) and each not in quiet]
    own = [each for each in windows if each.until is None and each.ahead is None]
    return {each.ends for each in own or windows if each.ends is not None}


def in_ticks(source: WindowSource, start: int, frame: Frame) -> Rows | FixedWindow | SlidingWindow:
    """Return the window in ticks of the clock, without its first tick and with its last tick.

    The first tick of a time point precedes the elements of the time point. The windows [o, c) and [o, c]
    begin after the first tick of o. The windows (o, c] and (o, c) begin after the first tick of o + 1.
    """
    scale = frame.clock.scale
    match source.window:
        case Rows():
            return source.window
        case Span(begin, end, causal):
            ends = (begin.points(frame.task.unit) * scale, (end.points(frame.task.unit) + 1) * scale - 1)
            return FixedWindow(*ends, causal)
        case _:
            pass
    bounds = ends_of(source, frame)
    low_open = misses_first(bounds) and not isinstance(source.window, Now)
    first = (start + low_open) * scale
    window_shape = shape(source, frame)
    if window_shape is None:
        whole = (max(frame.task.until, 0) + 2) * scale + abs(first)
        return SlidingWindow(whole, whole, first)
    # (o, c) ends before the triples of c, where it is looked at: else the one that closes before c is active.
    points = window_shape.width + 1 if window_shape.closed else window_shape.width - (bounds == "open")
    return SlidingWindow(points * scale, window_shape.moves * scale, first)


def at_close(time: int, frame: Frame) -> int:
    """Return the tick at which windows are read for the report that is due at a time point.

    Windows that exclude their end are read before the triples of this time point.
    """
    scale, reference = frame.clock.scale, time - frame.lead
    return reference * scale if misses_last(frame.bounds) else (reference + 1) * scale - 1
