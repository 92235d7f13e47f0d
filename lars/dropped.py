"""Why a tuple window does not show an input atom that came: not counted, displaced, or not chosen."""

from dataclasses import dataclass

from lars.stream import Moment
from lars.views import View
from lars.windows import Interval, Ties, TupleWindow


@dataclass(frozen=True, slots=True)
class Dropped:
    """The window has no room for the atom, or does not count it (`counted`).

    `kept` reaches from the oldest to the newest atom that it keeps of the atom's partition, None if it
    keeps none. `chosen`: the atom came at the oldest instant kept, where ties are chosen.
    """

    window: TupleWindow
    kept: Interval | None
    counted: bool
    chosen: bool


def dropped(window: TupleWindow, before: View, after: View, moment: Moment) -> Dropped | None:
    """Return why the window drops the atom, None when it shows it or was not given it."""
    t, atom = moment
    given = atom in before.input_times and before.has(atom, t)
    if not given or after.has(atom, t):
        return None
    part = window.index(atom)
    times = [u for u, atoms in after.arrived.items() if any(window.index(one) == part for one in atoms)]
    kept = Interval(min(times), max(times)) if times else None
    chosen = window.ties is Ties.CHOOSE and kept is not None and kept.first == t
    return Dropped(window, kept, window.counts(atom), chosen)
