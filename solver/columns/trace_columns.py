"""A trace in columns: input atoms, predicate by predicate, and when they arrive."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from operator import itemgetter

import numpy as np

from lars.errors import LarsError
from lars.language.terms import Signature
from lars.language.windows import LARGEST_TIME, Interval
from solver.columns.arrays import Array, Mask, distinct_pairs, keys
from solver.columns.term_codes import Numbering, TermCodes
from solver.facts import STREAM_PREDICATE, Fact


@dataclass(frozen=True, slots=True, eq=False)
class InputAtoms:
    """The input atoms of one predicate, in the order of time and then of arrival.

    `arrival` orders the atoms of all predicates; `columns` are the codes of the arguments.
    """

    t: Array
    arrival: Array
    columns: tuple[Array, ...]

    def take(self, places: Array | Mask) -> "InputAtoms":
        """Return the atoms at these places, or those that a mask marks."""
        columns = tuple(column[places] for column in self.columns)
        return InputAtoms(self.t[places], self.arrival[places], columns)

    def within(self, interval: Interval) -> "InputAtoms":
        """Return the atoms of an interval; nothing is copied."""
        # Within 64 bits, since columns that are compared with more become floating-point numbers.
        first, last = (min(max(end, -1), LARGEST_TIME + 1) for end in (interval.first, interval.last))
        last = max(last, first - 1)
        begin, end = np.searchsorted(self.t, first, "left"), np.searchsorted(self.t, last, "right")
        columns = tuple(column[begin:end] for column in self.columns)
        return InputAtoms(self.t[begin:end], self.arrival[begin:end], columns)

    def near(self, times: Array, past: int, future: int) -> "InputAtoms":
        """Return the atoms in [t - past, t + future] of some of the ascending times."""
        steps = np.zeros(len(self.t) + 1, np.int64)
        past, future = min(past, LARGEST_TIME), min(future, LARGEST_TIME)
        np.add.at(steps, np.searchsorted(self.t, times - past, "left"), 1)
        np.add.at(steps, np.searchsorted(self.t, times + future, "right"), -1)
        return self.take(np.cumsum(steps[:-1]) > 0)

    def first_arrivals(self) -> Mask:
        """Return which atoms are no second arrival of an equal one at the same time."""
        (key,) = keys([(*self.columns, self.t - self.t.min(initial=0))], [len(self.t)], 1)
        _, places = np.unique(key, return_index=True)
        mask = np.zeros(len(self.t), np.bool_)
        mask[places] = True
        return mask


Atoms = Mapping[Signature, InputAtoms]
"""Input atoms by predicate."""


def together(parts: Sequence[InputAtoms]) -> InputAtoms:
    """Return the atoms of all parts, of which there is one at least, one part after the other."""
    if len(parts) == 1:
        return parts[0]
    columns = zip(*(part.columns for part in parts), strict=True)
    t, arrival = (np.concatenate([getattr(part, name) for part in parts]) for name in ("t", "arrival"))
    return InputAtoms(t, arrival, tuple(map(np.concatenate, columns)))


def in_time_order(atoms: Atoms) -> Atoms:
    """Return atoms in the order of time, then of arrival, with arrivals numbered in this order."""
    if not atoms:
        return {}
    arrival = np.concatenate([some.arrival for some in atoms.values()])
    t = np.concatenate([some.t for some in atoms.values()])
    # Both are nearly sorted, which a stable sort finishes fast.
    order = np.argsort(arrival, kind="stable")
    order = order[np.argsort(t[order], kind="stable")]
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    borders = np.cumsum([len(some.t) for some in atoms.values()])[:-1]
    numbered = zip(atoms.items(), np.split(number, borders), strict=True)
    return {name: _sorted_by(numbers, some) for (name, some), numbers in numbered}


def _sorted_by(numbers: Array, atoms: InputAtoms) -> InputAtoms:
    atoms = replace(atoms, arrival=numbers)
    return atoms if (numbers[1:] > numbers[:-1]).all() else atoms.take(np.argsort(numbers))


def atoms_by_predicate(
    times: Array, predicates: Sequence[str], arities: Array, codes: Array
) -> Mapping[Signature, InputAtoms]:
    """Return atoms given in arrival order, by predicate; `codes` are the arguments of all, in a row."""
    numbers: Numbering[Signature] = Numbering()
    pairs = zip(predicates, arities.tolist(), strict=True)
    kinds = np.array(list(map(numbers.__getitem__, pairs)), np.int64)
    begins = np.cumsum(arities) - arities
    order = np.argsort(times, kind="stable")
    kinds, atoms = kinds[order], {}
    for (name, arity), number in numbers.items():
        arrival = np.flatnonzero(kinds == number)
        places = order[arrival]
        columns = tuple(codes[begins[places] + place] for place in range(arity))
        atoms[name, arity] = InputAtoms(times[places], arrival, columns)
    return atoms


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
        numbers: Array = self.counts_of(times, np.zeros_like(times), 1)[0]
        return numbers

    def counts_of(self, times: Array, kinds: Array, count: int) -> Array:
        """Return how many of the times of each of `count` kinds lie in each bin: a row for each kind."""
        places = (times - self.first) // self.width
        inside = (places >= 0) & (places < self.count)
        cells = kinds[inside] * self.count + places[inside]
        numbers = np.bincount(cells, minlength=count * self.count).astype(np.int64)
        return numbers.reshape(count, self.count)


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
        facts: list[Fact] = []
        arrivals = [np.empty(0, np.int64)]
        for (name, arity), some in self.atoms.items():
            atoms = some.within(within)
            texts = (self.terms.atom_texts(column) for column in atoms.columns)
            rows = zip(*texts, strict=True) if arity else [()] * len(atoms.t)
            facts += map(Fact, atoms.t.tolist(), repeat(name), rows)
            arrivals.append(atoms.arrival)
        order = np.argsort(np.concatenate(arrivals), kind="stable")
        return [facts[place] for place in order.tolist()]


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
    input_atoms = some.within(within)
    streams = input_atoms.columns[3]
    codes = np.flatnonzero(np.bincount(streams, minlength=1))
    ranks = np.zeros(int(codes.max(initial=0)) + 1, np.int64)
    ranks[codes] = np.arange(len(codes))
    return codes, bins.counts_of(input_atoms.t, ranks[streams], len(codes))
