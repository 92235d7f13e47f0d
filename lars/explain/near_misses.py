"""Where a positive literal looks for its atom, the nearest atoms that it does not see there, and why."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import Final

from lars.explain.evidence import StreamIndex, matching
from lars.explain.joining import IndexedPoint
from lars.language.formulas import At, Box, Diamond, Formula, In
from lars.language.stream import Moment
from lars.language.terms import Atom, Number, Variable
from lars.language.windows import Interval, Ties, TupleWindow, Window


@dataclass(frozen=True, slots=True)
class WindowMiss:
    """The window has no room for the atom, or does not count it (`is_counted`).

    `kept_interval` reaches from the oldest to the newest atom that it keeps of the atom's partition, None
    if it keeps none. `is_chosen`: the atom came at the oldest instant kept, where ties are chosen.
    """

    window: TupleWindow
    kept_interval: Interval | None
    is_counted: bool
    is_chosen: bool


def window_miss(
    window: TupleWindow, before: StreamIndex, after: StreamIndex, moment: Moment
) -> WindowMiss | None:
    """Return why the window drops the atom, None when it shows it or was not given it."""
    t, atom = moment
    is_input = atom in before.input_times and before.has(atom, t)
    if not is_input or after.has(atom, t):
        return None
    part = window.index(atom)
    times = [
        u for u, atoms in after.input.items() if any(window.index(input_atom) == part for input_atom in atoms)
    ]
    interval = Interval(min(times), max(times)) if times else None
    chosen = window.ties is Ties.CHOOSE and interval is not None and interval.first == t
    return WindowMiss(window, interval, window.counts(atom), chosen)


_FIRST: Final = 3


@dataclass(frozen=True, slots=True)
class Gaps:
    """The instance of □'s atom that is at the most times, and at how many it is not: `first` ones shown."""

    atom: Atom
    first: tuple[int, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Sight:
    """The atom is looked for in `within`; `windows` were passed on the way, with what they show at t.

    `before` and `after` are the instances of it that lie nearest outside, `left` is when a window
    that once showed `before` no longer did, `dropped` why a tuple window does not show it. The atom must
    be at every time if `every` (□), and has gaps. `empty` is a tuple window that shows nothing at all.
    """

    atom: Atom
    windows: tuple[tuple[Window, Interval], ...]
    within: Interval
    every: bool
    before: Moment | None
    after: Moment | None
    left: int | None
    dropped: WindowMiss | None = None
    gaps: Gaps | None = None
    empty: TupleWindow | None = None


def sight(here: IndexedPoint, formula: Formula) -> Sight | None:
    """Return where a formula of windows, then at most one ◇, □ or @, looks for its atom; else None."""
    passed, views, below = [], [here.view], formula
    while isinstance(below, In):
        passed.append(below.window)
        views.append(views[-1].through(below.window, here.t))
        below = below.inner
    interval, every, exactly = views[-1].timeline, False, None
    match below:
        case Diamond(Atom() as atom) | At(Variable(), Atom() as atom):
            pass
        case Box(Atom() as atom):
            every = True
        case At(Number(u), Atom() as atom):
            exactly = u
        case Atom() as atom:
            exactly = here.t
        case _:
            return None
    within = interval if exactly is None else interval.meet(Interval(exactly, exactly))
    empty = _empty(passed, views)
    before, after = _nearest(here, atom, views[-1], within, here.t if empty else within.first)
    flag = before is not None and len(passed) == 1
    return Sight(
        atom=atom,
        windows=tuple((window, view.timeline) for window, view in zip(passed, views[1:], strict=True)),
        within=within,
        every=every,
        before=before,
        after=after,
        left=_left(here, passed[0], before[0]) if flag and before is not None else None,
        dropped=_dropped(passed, views, before) if before and exactly in {None, before[0]} else None,
        gaps=_gaps(here, atom, views[-1]) if every else None,
        empty=empty,
    )


def _nearest(
    here: IndexedPoint, atom: Atom, view: StreamIndex, within: Interval, start: int
) -> tuple[Moment | None, Moment | None]:
    instances = ((u, a) for a, _ in matching(here.atoms, atom, {}) for u in here.view.times(a))
    unseen = [(u, a) for u, a in instances if not (u in within and view.has(a, u))]
    end = max(within.last, start)
    return (
        max((moment for moment in unseen if moment[0] <= end), key=itemgetter(0), default=None),
        min((moment for moment in unseen if moment[0] > end), key=itemgetter(0), default=None),
    )


def _empty(passed: Sequence[Window], views: Sequence[StreamIndex]) -> TupleWindow | None:
    pairs = zip(passed, views[1:], strict=True)
    return next((w for w, view in pairs if isinstance(w, TupleWindow) and not view.timeline), None)


def _dropped(passed: Sequence[Window], views: Sequence[StreamIndex], moment: Moment) -> WindowMiss | None:
    for window, before, after in zip(passed, views, views[1:], strict=False):
        if isinstance(window, TupleWindow) and (miss := window_miss(window, before, after, moment)):
            return miss
    return None


def _gaps(here: IndexedPoint, pattern: Atom, view: StreamIndex) -> Gaps | None:
    atoms = [atom for atom, _ in matching(here.atoms, pattern, {})]
    atom = max(atoms, key=lambda candidate: len(view.times(candidate)), default=pattern)
    times = frozenset(view.times(atom))
    count = view.timeline.last - view.timeline.first + 1 - len(times)
    first = tuple(islice((u for u in view.timeline if u not in times), _FIRST))
    return Gaps(atom, first, count) if first else None


def _left(here: IndexedPoint, window: Window, u: int) -> int | None:
    """Return the first time at which the window no longer shows u, if it showed it before."""
    if isinstance(window, TupleWindow):
        return None
    timeline = here.view.timeline

    def first_shown(t: int) -> int:
        return window.bounds(t, timeline).first

    times = range(u, here.t + 1)
    place = bisect_left(times, u + 1, key=first_shown)
    # So few times before, a window has two pivots at most; without a pivot it showed u at the last of them.
    last_shown = (max(u, u + place - window.stride), u + place - 1)
    was_shown = place > 0 and any(u in window.bounds(t, timeline) for t in last_shown)
    return times[place] if was_shown and place < len(times) else None
