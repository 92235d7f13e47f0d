"""An answer stream indexed for looking things up: which atoms there are, and when a window shows them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lars.stream import Evaluation, Stream, cut
from lars.terms import Atom, Binding, Constant, Signature, Variable, signature, substitute, unified
from lars.windows import Interval, SlidingWindow, TimeWindow, TupleWindow, Window

Times = Mapping[Atom, Sequence[int]]


@dataclass(slots=True, eq=False)
class View:
    """What the windows passed so far leave of a stream: `shown` is its timeline.

    `arrived` is the input that tuple windows left, `input_times` and `derived_times` say when each
    atom is in υ; of all of them only what lies in `shown` is there. `lars.stream.cut` defines it.
    """

    shown: Interval
    arrived: Evaluation
    input_times: Times
    derived_times: Times
    choice: Mapping[TupleWindow, Evaluation]
    _cuts: dict[tuple[Window, int], "View"] = field(default_factory=dict)

    def times(self, atom: Atom) -> Sequence[int]:
        """Return the time points that are shown at which the atom is in υ, ascending."""
        found = self.input_times.get(atom) or self.derived_times.get(atom, ())
        return found[bisect_left(found, self.shown.first) : bisect_right(found, self.shown.last)]

    def has(self, atom: Atom, t: int) -> bool:
        """Return whether the atom is in υ(t)."""
        found = self.input_times.get(atom) or self.derived_times.get(atom, ())
        place = bisect_left(found, t)
        return t in self.shown and place < len(found) and found[place] == t

    def through(self, window: Window, t: int) -> "View":
        """Return what the window shows at t."""
        found = self._cuts.get((window, t))
        if found is None:
            found = self._cuts[window, t] = self._through(window, t)
        return found

    def _through(self, window: Window, t: int) -> "View":
        if isinstance(window, TimeWindow | SlidingWindow):
            shown = window.bounds(t, self.shown)
            return View(shown, self.arrived, self.input_times, self.derived_times, self.choice)
        inside = {u: atoms for u, atoms in self.arrived.items() if u in self.shown}
        kept = cut(Stream(self.shown, inside, {}, self.choice), window, t)
        return View(kept.timeline, kept.input, times_of(kept.input), self.derived_times, self.choice)


def view_of(stream: Stream) -> View:
    """Return the view of a whole stream."""
    return View(
        stream.timeline, stream.input, times_of(stream.input), times_of(stream.derived), stream.choice
    )


def times_of(evaluation: Mapping[int, Iterable[Atom]]) -> dict[Atom, list[int]]:
    """Return at which time points each atom is, ascending."""
    found: dict[Atom, list[int]] = {}
    for t in sorted(evaluation):
        for atom in evaluation[t]:
            found.setdefault(atom, []).append(t)
    return found


class Atoms:
    """Ground atoms, found by predicate and the places that a pattern fixes; their order is kept."""

    def __init__(self, atoms: Iterable[Atom]) -> None:
        self._by_signature: dict[Signature, list[Atom]] = {}
        for atom in dict.fromkeys(atoms):
            self._by_signature.setdefault(signature(atom), []).append(atom)
        self._index: dict[
            tuple[Signature, tuple[int, ...]], dict[tuple[Constant | Variable, ...], list[Atom]]
        ] = {}

    def like(self, pattern: Atom) -> Sequence[Atom]:
        """Return the atoms that agree with the pattern wherever it has a constant."""
        name = signature(pattern)
        places = tuple(i for i, term in enumerate(pattern.arguments) if not isinstance(term, Variable))
        index = self._index.get((name, places))
        if index is None:
            index = self._index[name, places] = {}
            for atom in self._by_signature.get(name, ()):
                index.setdefault(tuple(atom.arguments[place] for place in places), []).append(atom)
        return index.get(tuple(pattern.arguments[place] for place in places), [])


def matching(atoms: Atoms, pattern: Atom, binding: Binding) -> Iterable[tuple[Atom, Binding]]:
    """Yield the atoms that are instances of the pattern under a binding, each with what it binds."""
    for atom in atoms.like(substitute(pattern, binding)):
        if (grown := unified(pattern, atom, binding)) is not None:
            yield atom, grown
