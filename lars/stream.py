"""Streams (T, υ) and what a window leaves of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import assert_never

from lars.terms import Atom
from lars.windows import Interval, TimeWindow, TupleWindow, Window

Evaluation = Mapping[int, tuple[Atom, ...]]


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream S = (T, υ): `timeline` is T; υ(t) = `input`(t) ∪ `derived`(t).

    `input` holds the extensional atoms in arrival order, each once per time point; `derived` the
    intensional ones. No atom lies outside T. Source: LARS (2015), Definition 1.
    """

    timeline: Interval
    input: Evaluation
    derived: Mapping[int, frozenset[Atom]] = field(default_factory=dict)

    def holds_at(self, atom: Atom, t: int) -> bool:
        """Return whether the atom is in υ(t)."""
        return atom in self.input.get(t, ()) or atom in self.derived.get(t, frozenset())

    def with_derived(self, derived: Mapping[int, frozenset[Atom]]) -> "Stream":
        """Return the interpretation stream that has the same input and these derived atoms."""
        return Stream(self.timeline, self.input, derived)


def stream_of(timeline: Interval, arrivals: Iterable[tuple[int, Atom]]) -> Stream:
    """Return the data stream of arrivals (time, atom); equal ones at one time count once."""
    found: dict[int, dict[Atom, None]] = {}
    for t, atom in arrivals:
        if t in timeline:
            found.setdefault(t, {})[atom] = None
    return Stream(timeline, {t: tuple(atoms) for t, atoms in sorted(found.items())})


def cut(stream: Stream, window: Window, t: int) -> Stream:
    """Return the substream that the window shows at t (LARS 2015, Definition 2).

    t may lie outside the stream's timeline, as it does after a pivot.
    """
    match window:
        case TimeWindow():
            return _within(stream, window.bounds(t, stream.timeline))
        case TupleWindow():
            return _newest(stream, window, t)
        case _:
            assert_never(window)


def _within(stream: Stream, shown: Interval) -> Stream:
    return Stream(
        shown,
        {u: atoms for u, atoms in stream.input.items() if u in shown},
        {u: atoms for u, atoms in stream.derived.items() if u in shown},
    )


def _newest(stream: Stream, window: TupleWindow, t: int) -> Stream:
    pairs = (
        (u, atom)
        for u in sorted(stream.input, reverse=True)
        if u <= t
        for atom in reversed(stream.input[u])
        if window.source is None or atom.arguments[-1:] == (window.source,)
    )
    kept: dict[int, list[Atom]] = {}
    for u, atom in islice(pairs, window.size):
        kept.setdefault(u, []).insert(0, atom)
    shown = Interval(min(kept), min(t, stream.timeline.last)) if kept else Interval(0, -1)
    derived = {u: atoms for u, atoms in stream.derived.items() if u in shown}
    return Stream(shown, {u: tuple(atoms) for u, atoms in kept.items()}, derived)
