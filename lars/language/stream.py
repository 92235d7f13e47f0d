"""Streams (T, υ), and the substreams that windows keep."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import chain, combinations, product
from typing import Literal, assert_never

from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language.terms import Atom, Number
from lars.language.windows import Interval, IntervalWindow, TupleWindow, Window

Evaluation = Mapping[int, tuple[Atom, ...]]
Moment = tuple[int, Atom]
"""A time point and an atom at this time point."""

ToStream = Literal["RSTREAM", "ISTREAM", "DSTREAM"]
"""The reported answers: all answers (RSTREAM), new answers (ISTREAM), or removed answers (DSTREAM).

New and removed answers are determined by comparison with the last evaluation. Source: the relation-to-stream
operators of CQL, as defined in RSP-QL (2014).
"""


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream S = (T, υ): `timeline` is T, and υ(t) = `input`(t) ∪ `derived`(t).

    The field `input` contains the arriving atoms in arrival order, each atom once per time point. The
    function `separate` moves arriving atoms with derived predicates to the field `derived`. The field
    `choice` contains the atoms that windows with ties `choose` keep at the evaluation time. Source: LARS
    (2015), Definition 1.
    """

    timeline: Interval
    input: Evaluation
    derived: Mapping[int, frozenset[Atom]] = field(default_factory=dict)
    choice: Mapping[TupleWindow, Evaluation] = field(default_factory=dict)

    def holds_at(self, atom: Atom, t: int) -> bool:
        """Return whether the stream contains the atom at time t."""
        return atom in self.input.get(t, ()) or atom in self.derived.get(t, frozenset())

    def with_derived(self, derived: Mapping[int, frozenset[Atom]]) -> "Stream":
        """Return a stream with the same timeline and input, and with `derived` as its derived atoms."""
        return Stream(self.timeline, self.input, derived, self.choice)


def stream_of(timeline: Interval, arrivals: Iterable[Moment]) -> Stream:
    """Return the data stream of the arrivals (time, atom) in the timeline; equal arrivals count once."""
    atoms_at: dict[int, dict[Atom, None]] = {}
    for t, atom in arrivals:
        if t in timeline:
            atoms_at.setdefault(t, {})[atom] = None
    return Stream(timeline, {t: tuple(atoms) for t, atoms in sorted(atoms_at.items())})


def moments(stream: Stream) -> frozenset[Moment]:
    """Return the derived atoms of a stream as pairs (time point, atom)."""
    return frozenset((u, atom) for u, atoms in stream.derived.items() for atom in atoms)


def write_moment(moment: Moment, t: int) -> str:
    """Return an atom as a formula; the formula has @ with the atom's time unless the atom's time is t."""
    u, atom = moment
    return str(atom) if u == t else f"@_{u} {atom}"


def write_moments(answer: Iterable[Moment], t: int) -> tuple[str, ...]:
    """Return the atoms of an answer as sorted formulas.

    Formulas with @ come first. Numbers in the formulas are sorted by value and not as text.
    """

    def order(moment: Moment) -> tuple[object, ...]:
        u, atom = moment
        terms = [
            (0, term.value, "") if isinstance(term, Number) else (1, 0, str(term)) for term in atom.arguments
        ]
        return u == t, u, atom.predicate, terms

    return tuple(write_moment(moment, t) for moment in sorted(answer, key=order))


def with_moments(stream: Stream, more: Iterable[Moment]) -> Stream:
    """Return the stream with additional derived atoms, each at its time point."""
    derived = {u: set(atoms) for u, atoms in stream.derived.items() if atoms}
    for u, atom in more:
        derived.setdefault(u, set()).add(atom)
    return stream.with_derived({u: frozenset(atoms) for u, atoms in sorted(derived.items())})


def cut(stream: Stream, window: Window, t: int) -> Stream:
    """Return the substream that the window shows at t (LARS 2015, Definition 2).

    t may be outside the timeline of the stream, for example in a window after a pivot.
    """
    match window:
        case IntervalWindow():
            return _within(stream, window.bounds(t, stream.timeline))
        case TupleWindow():
            return _newest(stream, window, t)
        case _:
            assert_never(window)


def _within(stream: Stream, interval: Interval) -> Stream:
    return Stream(
        interval,
        {u: atoms for u, atoms in stream.input.items() if u in interval},
        {u: atoms for u, atoms in stream.derived.items() if u in interval},
    )


def _newest(stream: Stream, window: TupleWindow, t: int) -> Stream:
    if window.ties == "choose":
        if window not in stream.choice:
            raise LarsError(f"no choice is made for the window {window}")
        kept = stream.choice[window]
    else:
        (kept,) = tie_choices(stream, window, t)
    interval = Interval(min(kept), min(t, stream.timeline.last)) if kept else Interval(0, -1)
    derived = {u: atoms for u, atoms in stream.derived.items() if u in interval}
    return Stream(interval, kept, derived)


def tie_choices(stream: Stream, window: TupleWindow, t: int) -> Iterator[Evaluation]:
    """Yield each possible content of the window at t; several contents exist only for ties `choose`."""
    parts: dict[object, list[Moment]] = {}
    for u, atoms in sorted(stream.input.items()):
        for atom in atoms if u <= t else ():
            if window.counts(atom):
                parts.setdefault(window.index(atom), []).append((u, atom))
    for chosen in product(*(list(_choices(window, pairs)) for pairs in parts.values())):
        kept = frozenset(chain.from_iterable(chosen))
        input_kept = {u: tuple(a for a in atoms if (u, a) in kept) for u, atoms in stream.input.items()}
        yield {u: atoms for u, atoms in input_kept.items() if atoms}


def _choices(window: TupleWindow, pairs: list[Moment]) -> Iterator[tuple[Moment, ...]]:
    if window.ties == "elements":
        times = sorted({u for u, _ in pairs})
        newest_times = frozenset(times[max(0, len(times) - window.size) :])
        yield tuple(pair for pair in pairs if pair[0] in newest_times)
        return
    newest = pairs[max(0, len(pairs) - window.size) :]
    oldest = newest[0][0] if newest else 0
    tied = [pair for pair in pairs if pair[0] == oldest]
    later = [pair for pair in newest if pair[0] > oldest]
    match window.ties if newest else "arrival":
        case "arrival":
            yield tuple(newest)
        case "all":
            yield (*tied, *later)
        case "choose":
            for chosen in combinations(tied, len(newest) - len(later)):
                yield (*chosen, *later)
