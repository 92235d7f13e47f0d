"""How a trace on Spark is cut into slices, by its atoms however they lie in time, and what each is given."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

import numpy as np

from lars.analysis import Reach, reach
from lars.language.program import Program
from lars.language.terms import Atom, Signature, signature
from lars.language.windows import Interval, TupleWindow
from solver.columns import Array, CodedTerms, InputAtoms, Mask, TimeBins, arrivals, together
from solver.facts import Arrivals, Relevance
from solver.job import Question
from solver.relational import of_source
from solver.spark.carried_atoms import kept
from solver.spark.packed_atoms import Block, packed_atoms

Counts = tuple[Array, Array]
"""Where parts of the timeline that have atoms begin, ascending, and how many each has."""
_PARTS: Final = 4096
"""So many parts of the timeline a block tells apart at most."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What slices need of a trace: atoms that windows show, and those that only tell when to evaluate."""

    patterns: frozenset[Atom]
    triggers: frozenset[Atom]
    reach: Reach

    def shown(self, name: Signature, some: InputAtoms, terms: CodedTerms) -> Mask:
        """Return which atoms of a predicate a window may show or count."""
        found = _fitting(self.patterns, name, some, terms)
        for window in self.reach.tuples:
            found |= of_source(some, window, terms)
        return found

    def waited(self, name: Signature, some: InputAtoms, terms: CodedTerms) -> Mask:
        """Return which atoms of a predicate tell when to evaluate."""
        return _fitting(self.triggers, name, some, terms)


def needs(questions: Sequence[Question]) -> Needs:
    """Return what the questions need beside a slice's own time points, in time points and by pattern."""
    rules = tuple(rule for question in questions for rule in question.program.rules)
    atoms = (Relevance(question.program, question.predicate).needed() for question in questions)
    gates = (question.gate for question in questions)
    waited = (atom for gate in gates if isinstance(gate, Arrivals) for atom in gate.patterns)
    return Needs(frozenset().union(*atoms), frozenset(waited), reach(Program(rules)))


def _fitting(patterns: Iterable[Atom], name: Signature, some: InputAtoms, terms: CodedTerms) -> Mask:
    own = [pattern for pattern in patterns if signature(pattern) == name]
    return terms.fitting_any(own, some.columns, len(some.t))


def between(slices: Sequence[Interval], times: Iterable[Array], past: int = 0, future: int = 0) -> range:
    """Return the places of the slices that reach some of these times, which ascend."""
    ends = [(int(t[0]), int(t[-1])) for t in times if len(t)]
    if not ends:
        return range(0)
    begin = bisect_left(slices, min(first for first, _ in ends) - future, key=attrgetter("last"))
    return range(begin, bisect_right(slices, max(last for _, last in ends) + past, key=attrgetter("first")))


@dataclass(frozen=True, slots=True)
class Counting:
    """Counts the atoms of a block within the timeline that some slice needs, by time."""

    wanted: Needs
    timeline: Interval

    def __call__(self, block: Block) -> Counts:
        """Return the counts of not too many parts; all atoms of one time are in one of them."""
        found = [np.empty(0, np.int64)]
        for name, some in block.atoms.items():
            here = some.within(self.timeline)
            needed = self.wanted.shown(name, here, block.terms) | self.wanted.waited(name, here, block.terms)
            found.append(here.t[needed])
        begins, numbers = np.unique(np.concatenate(found), return_counts=True)
        if not len(begins):
            return begins, numbers
        part = np.cumsum(numbers) * _PARTS // (numbers.sum() + 1)
        firsts = np.flatnonzero(np.diff(part, prepend=-1))
        return begins[firsts], np.add.reduceat(numbers, firsts)


def all_counts(found: Sequence[Counts]) -> Counts:
    """Return the counts of all blocks together."""
    every = [np.concatenate(some) for some in zip((np.empty(0, np.int64),) * 2, *found, strict=True)]
    begins, places = np.unique(every[0], return_inverse=True)
    return begins, np.bincount(places, every[1], len(begins)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Spreading:
    """Gives each of some slices, by their numbers, what it needs of a block."""

    wanted: Needs
    timeline: Interval
    slices: tuple[Interval, ...]
    numbers: frozenset[int]

    def __call__(self, block: Block) -> Iterator[tuple[int, bytes]]:
        """Yield the numbers of slices with their atoms as bytes."""
        own: dict[Signature, InputAtoms] = {}
        reached: dict[Signature, InputAtoms] = {}
        for name, some in block.atoms.items():
            here = some.within(self.timeline)
            shown = self.wanted.shown(name, here, block.terms)
            reached[name] = here.take(shown)
            own[name] = here.take(self.wanted.waited(name, here, block.terms) & ~shown)
        times = [some.t for some in (*own.values(), *reached.values())]
        for number in between(self.slices, times, self._past, self._future):
            if number not in self.numbers:
                continue
            within = self.slices[number]
            around = Interval(within.first - self._past, within.last + self._future)
            parts = {
                name: together([reached[name].within(around), own[name].within(within)]) for name in reached
            }
            if given := {name: part for name, part in parts.items() if len(part.t)}:
                yield number, packed_atoms(given, block.terms)

    @property
    def _past(self) -> int:
        past = self.wanted.reach.past
        return self.timeline.last + 1 if past is None else past

    @property
    def _future(self) -> int:
        future = self.wanted.reach.future
        return self.timeline.last + 1 if future is None else future


@dataclass(frozen=True, slots=True)
class Carrying:
    """Finds what tuple windows keep of a block at the end of each slice, number -1: before the first one."""

    windows: tuple[TupleWindow, ...]
    timeline: Interval
    slices: tuple[Interval, ...]

    def __call__(self, block: Block) -> Iterator[tuple[int, bytes]]:
        """Yield the numbers of slices with the atoms as bytes, or with more."""
        before = Interval(self.timeline.first, self.slices[0].first - 1)
        parts = (before, *self.slices[:-1])
        near = between(parts, [some.t for some in block.atoms.values()])
        for number, within in enumerate(parts[near.start : near.stop], near.start - 1):
            inside = {name: some.within(within) for name, some in block.atoms.items()}
            if found := kept(self.windows, inside, block.terms):
                yield number, packed_atoms(found, block.terms)


@dataclass(frozen=True, slots=True)
class Binning:
    """Counts the triples of a block within the timeline, by stream and bin."""

    timeline: Interval
    bins: TimeBins

    def __call__(self, block: Block) -> dict[str, Array]:
        """Return the counts of each stream by its text."""
        codes, counts = arrivals(block.atoms, self.timeline, self.bins)
        return dict(zip(block.terms.arrow(codes).to_pylist(), counts, strict=True))


@dataclass(frozen=True, slots=True)
class Showing:
    """Takes from a block the atoms of an interval that questions can use, all of them with `wanted` None."""

    within: Interval
    wanted: Needs | None

    def __call__(self, block: Block) -> Iterator[bytes]:
        """Yield the atoms as bytes, where there are some."""
        found: dict[Signature, InputAtoms] = {}
        for name, some in block.atoms.items():
            here = some.within(self.within)
            if self.wanted is not None:
                here = here.take(self.wanted.shown(name, here, block.terms))
            if len(here.t):
                found[name] = here
        if found:
            yield packed_atoms(found, block.terms)


def cut_by_rows(counts: Counts, span: Interval, rows: int, halo: int | None) -> list[Interval]:
    """Return slices of the span with at least so many rows each, but perhaps the last.

    They have no fewer rows of their own than the `halo` before them, in time points, has: what all of
    them hold together is at most twice the trace. None: that may be as it will.
    """
    begins, numbers = counts
    above = np.concatenate(([0], np.cumsum(numbers)))

    def before(t: int) -> int:
        return int(above[np.searchsorted(begins, t, "left")])

    starts, end = [span.first], before(span.last + 1)
    while True:
        at = starts[-1]
        wanted = max(rows, 0 if halo is None else before(at) - before(max(at - halo, 0)))
        place = int(np.searchsorted(above, before(at) + wanted, "left"))
        if place >= len(begins) or begins[place] > span.last or end - int(above[place]) < rows // 2:
            break
        starts.append(int(begins[place]))
    return [Interval(a, b - 1) for a, b in zip(starts, [*starts[1:], span.last + 1], strict=True)]
