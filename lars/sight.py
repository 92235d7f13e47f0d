"""Where a positive literal looks for its atom, and the nearest atoms that it does not see there."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from lars.formulas import At, Box, Diamond, Formula, In
from lars.joining import World
from lars.stream import Moment
from lars.terms import Atom, Number, Variable
from lars.views import matching
from lars.windows import Interval, TimeWindow, Window


@dataclass(frozen=True, slots=True)
class Sight:
    """The atom is looked for in `within`; `windows` were passed on the way, with what they show at t.

    `before` and `after` are the instances of it that lie nearest outside, `left` is when a window
    that once showed `before` no longer did. All instances must be there if `every` (□).
    """

    atom: Atom
    windows: tuple[tuple[Window, Interval], ...]
    within: Interval
    every: bool
    before: Moment | None
    after: Moment | None
    left: int | None


def sight(here: World, formula: Formula) -> Sight | None:
    """Return where a formula of windows, then at most one ◇, □ or @, looks for its atom; else None."""
    windows, view, below = [], here.view, formula
    while isinstance(below, In):
        view = view.through(below.window, here.t)
        windows.append((below.window, view.shown))
        below = below.inner
    within, every = view.shown, False
    match below:
        case Diamond(Atom() as atom) | At(Variable(), Atom() as atom):
            pass
        case Box(Atom() as atom):
            every = True
        case At(Number(u), Atom() as atom):
            within = view.shown.meet(Interval(u, u))
        case Atom() as atom:
            within = view.shown.meet(Interval(here.t, here.t))
        case _:
            return None
    unseen = [(u, a) for u, a in _instances(here, atom) if not (u in within and view.has(a, u))]
    end = max(within.last, within.first)
    before = max((moment for moment in unseen if moment[0] <= end), key=_time, default=None)
    after = min((moment for moment in unseen if moment[0] > end), key=_time, default=None)
    left = _left(here, windows[0][0], before[0]) if before is not None and len(windows) == 1 else None
    return Sight(atom, tuple(windows), within, every, before, after, left)


def _instances(here: World, pattern: Atom) -> Iterator[Moment]:
    for atom, _ in matching(here.atoms, pattern, {}):
        yield from ((u, atom) for u in here.view.times(atom))


def _time(moment: Moment) -> int:
    return moment[0]


def _left(here: World, window: Window, u: int) -> int | None:
    """Return the first time at which the window no longer shows u, if it showed it before."""
    if not isinstance(window, TimeWindow):
        return None
    timeline = here.view.shown

    def first_shown(t: int) -> int:
        return window.bounds(t, timeline).first

    times = range(u, here.t + 1)
    place = bisect_left(times, u + 1, key=first_shown)
    last_shown = range(max(u, u + place - window.step), u + place)
    shown = any(u in window.bounds(t, timeline) for t in last_shown)
    return times[place] if shown and place < len(times) else None
