"""A trace in columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from operator import itemgetter

import numpy as np

from lars.errors import LarsError
from lars.language.terms import Signature
from lars.language.windows import LARGEST_TIME, Interval
from solver.columns.arrays import Array, distinct_pairs
from solver.columns.input_atoms import InputAtoms, atoms_by_predicate
from solver.columns.term_codes import TermCodes
from solver.facts import STREAM_PREDICATE, Fact


@dataclass(frozen=True, slots=True)
class TimeBins:
    """Parts of a timeline, each of `width` time points: the one at place i begins at first + i * width."""

    first: int
    width: int
    count: int

    def counts(self, times: Array) -> Array:
        """Return how many of the times lie in each bin.

        >>> TimeBins(first=4, width=3, count=2).counts(np.array([3, 4, 6, 7, 9, 10])).tolist()
        [2, 2]
        """
        found: Array = self.counts_of(times, np.zeros_like(times), 1)[0]
        return found

    def counts_of(self, times: Array, kinds: Array, count: int) -> Array:
        """Return how many of the times of each of `count` kinds lie in each bin: a row for each kind."""
        places = (times - self.first) // self.width
        inside = (places >= 0) & (places < self.count)
        cells = kinds[inside] * self.count + places[inside]
        found = np.bincount(cells, minlength=count * self.count).astype(np.int64)
        return found.reshape(count, self.count)


@dataclass(frozen=True, slots=True, eq=False)
class TraceColumns:
    """A trace in columns: the input atoms of each predicate, and the last time that it reaches."""

    terms: TermCodes
    atoms: Mapping[Signature, InputAtoms]
    last: int

    def pairs(self, predicate: Signature, one: int, other: int) -> frozenset[tuple[str, str]]:
        """Return which pairs of terms stand in two places of a predicate's atoms."""
        if predicate not in self.atoms:
            return frozenset()
        columns = self.atoms[predicate].columns
        pairs = distinct_pairs(columns[one], columns[other])
        return frozenset(zip(*map(self.terms.atom_texts, pairs), strict=True))

    def facts(self, within: Interval) -> list[Fact]:
        """Return the input of an interval, ascending in time, in arrival order at each time."""
        found: list[Fact] = []
        arrivals = [np.empty(0, np.int64)]
        for (name, arity), some in self.atoms.items():
            shown = some.within(within)
            texts = (self.terms.atom_texts(column) for column in shown.columns)
            rows = zip(*texts, strict=True) if arity else [()] * len(shown.t)
            found += map(Fact, shown.t.tolist(), repeat(name), rows)
            arrivals.append(shown.arrival)
        order = np.argsort(np.concatenate(arrivals), kind="stable")
        return [found[place] for place in order.tolist()]


def trace_columns(facts: Sequence[Fact], terms: TermCodes | None = None) -> TraceColumns:
    """Return facts, in arrival order, in columns; `terms` may know some already.

    LarsError: a time is greater than the largest.
    """
    terms = TermCodes() if terms is None else terms
    # Not zip(*facts): that holds an iterator for each fact.
    times, predicates, arguments = (list(map(itemgetter(place), facts)) for place in range(3))
    latest = max(times, default=0)
    if latest > LARGEST_TIME:
        raise LarsError(f"an atom arrives at {latest}; accepted: times up to {LARGEST_TIME}")
    arities = np.array(list(map(len, arguments)), np.int64)
    codes = terms.codes(chain.from_iterable(arguments))
    atoms = atoms_by_predicate(np.array(times, np.int64), predicates, arities, codes)
    return TraceColumns(terms, atoms, latest)


def arrivals(atoms: Mapping[Signature, InputAtoms], within: Interval, bins: TimeBins) -> tuple[Array, Array]:
    """Return the codes of the streams of an interval's triples, and for each how many arrive in each bin."""
    some = atoms.get((STREAM_PREDICATE, 4))
    if some is None:
        return np.empty(0, np.int64), np.empty((0, bins.count), np.int64)
    shown = some.within(within)
    streams = shown.columns[3]
    codes = np.flatnonzero(np.bincount(streams, minlength=1))
    ranks = np.zeros(int(codes.max(initial=0)) + 1, np.int64)
    ranks[codes] = np.arange(len(codes))
    return codes, bins.counts_of(shown.t, ranks[streams], len(codes))
