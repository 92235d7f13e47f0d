"""A situation in columns: input atoms of each predicate with their times, in arrival order, and B."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lars.terms import Signature, signature
from lars.windows import Interval
from solver.facts import Arguments, Arrivals, Background, Fact, Gate, Situation, times_of
from solver.relational.run_tables import Array, Mask, keys
from solver.relational.term_codes import Numbered, TermCodes


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
        first, last = interval.first, max(interval.last, interval.first - 1)
        begin, end = np.searchsorted(self.t, first, "left"), np.searchsorted(self.t, last, "right")
        columns = tuple(column[begin:end] for column in self.columns)
        return InputAtoms(self.t[begin:end], self.arrival[begin:end], columns)

    def first_arrivals(self) -> Mask:
        """Return which atoms are no second arrival of an equal one at the same time."""
        (key,) = keys([(*self.columns, self.t - self.t.min(initial=0))], [len(self.t)], 1)
        _, places = np.unique(key, return_index=True)
        found = np.zeros(len(self.t), np.bool_)
        found[places] = True
        return found


@dataclass(frozen=True, slots=True, eq=False)
class TraceColumns:
    """A trace in columns: the input atoms of each predicate, and the last time that it reaches."""

    terms: TermCodes
    atoms: Mapping[Signature, InputAtoms]
    last: int

    def situation(self, timeline: Interval, background: Background) -> "EncodedSituation":
        """Return what programs meet on a timeline."""
        inside = {name: some.within(timeline) for name, some in self.atoms.items()}
        rows = {name: encoded_rows(rows, name[1], self.terms) for name, rows in background.items()}
        return EncodedSituation(self.terms, timeline, inside, rows)

    def pairs(self, predicate: Signature, one: int, other: int) -> frozenset[tuple[str, str]]:
        """Return which pairs of terms stand in two places of a predicate's atoms."""
        if predicate not in self.atoms:
            return frozenset()
        columns = self.atoms[predicate].columns
        found = np.unique(np.stack((columns[one], columns[other])), axis=1)
        return frozenset(zip(*map(self.terms.written, found), strict=True))

    def facts(self, within: Interval) -> list[Fact]:
        """Return the input of an interval, ascending in time, in arrival order at each time."""
        found: list[tuple[int, Fact]] = []
        for (name, arity), some in self.atoms.items():
            shown = some.within(within)
            texts = (self.terms.written(column) for column in shown.columns)
            rows = zip(*texts, strict=True) if arity else [()] * len(shown.t)
            listed = zip(shown.t.tolist(), rows, strict=True)
            facts = (Fact(t, name, row) for t, row in listed)
            found += zip(shown.arrival.tolist(), facts, strict=True)
        return [fact for _, fact in sorted(found, key=itemgetter(0))]


@dataclass(frozen=True, slots=True, eq=False)
class EncodedSituation:
    """A `Situation` in columns, which serves any number of programs.

    `atoms` are the input within the timeline, `background` the rows of B, one code an argument.
    """

    terms: TermCodes
    timeline: Interval
    atoms: Mapping[Signature, InputAtoms]
    background: Mapping[Signature, Array]

    def shown(self, within: Interval) -> "EncodedSituation":
        """Return the situation with the input of an interval alone."""
        inside = {name: some.within(within) for name, some in self.atoms.items()}
        return replace(self, atoms=inside)

    def decoded(self) -> Situation:
        """Return the situation with its facts one by one, for clingo."""
        facts = TraceColumns(self.terms, self.atoms, self.timeline.last).facts(self.timeline)
        return Situation(self.timeline, facts, self.decoded_background())

    def decoded_background(self) -> dict[Signature, list[Arguments]]:
        """Return B row by row."""
        return {
            name: [tuple(self.terms.written(row)) for row in rows] for name, rows in self.background.items()
        }

    def times(self, gate: Gate, within: Interval) -> Array:
        """Return the evaluation times in the interval, ascending."""
        within = within.meet(self.timeline)
        if not isinstance(gate, Arrivals):
            return np.array(times_of(gate, (), within), np.int64)
        arrived = [np.empty(0, np.int64)]
        for pattern in gate.patterns:
            if (some := self.atoms.get(signature(pattern))) is not None:
                some = some.within(within)
                fitting = self.terms.fitting(pattern.arguments, some.columns, len(some.t))
                arrived.append(some.t[fitting])
        return np.unique(np.concatenate(arrived))


def trace_columns(facts: Sequence[Fact], terms: TermCodes | None = None) -> TraceColumns:
    """Return facts, in arrival order, in columns; `terms` may know some already."""
    terms = TermCodes() if terms is None else terms
    # Not zip(*facts): that holds an iterator for each fact.
    times, predicates, arguments = (list(map(itemgetter(place), facts)) for place in range(3))
    arities = np.array(list(map(len, arguments)), np.int64)
    codes = terms.codes(chain.from_iterable(arguments))
    atoms = _parted(np.array(times, np.int64), predicates, arities, codes)
    return TraceColumns(terms, atoms, max(times, default=0))


def encoded(situation: Situation) -> EncodedSituation:
    """Return a situation in columns."""
    return trace_columns(situation.facts).situation(situation.timeline, situation.background)


def table_columns(table: pa.Table) -> TraceColumns:
    """Return a trace's table (t, position, seq, predicate, arguments) in columns."""
    terms = TermCodes()
    last = pc.max(table.column("t")).as_py() or 0
    table = table.filter(pc.is_valid(table.column("predicate"))).sort_by(
        [(name, "ascending") for name in ("t", "position", "seq")]
    )
    arguments = table.column("arguments").combine_chunks()
    texts = arguments.flatten().dictionary_encode()
    codes = terms.codes(texts.dictionary.to_pylist())[texts.indices.to_numpy()]
    arities = pc.list_value_length(arguments).to_numpy(zero_copy_only=False).astype(np.int64)
    times = table.column("t").to_numpy().astype(np.int64)
    atoms = _parted(times, table.column("predicate").to_pylist(), arities, codes)
    return TraceColumns(terms, atoms, last)


def _parted(
    times: Array, predicates: Sequence[str], arities: Array, codes: Array
) -> Mapping[Signature, InputAtoms]:
    numbers: Numbered[Signature] = Numbered()
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


def encoded_rows(rows: Iterable[Sequence[str]], arity: int, terms: TermCodes) -> Array:
    """Return rows of texts as rows of codes."""
    found = list(rows)
    return terms.codes(chain.from_iterable(found)).reshape(len(found), arity)
