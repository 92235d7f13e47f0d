"""A trace in columns: input atoms of each predicate with their times and codes, in arrival order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lars.terms import Signature
from lars.windows import Interval
from solver.facts import Fact
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

    def first_arrivals(self) -> Mask:
        """Return which atoms are no second arrival of an equal one at the same time."""
        (key,) = keys([(*self.columns, self.t - self.t.min(initial=0))], [len(self.t)], 1)
        _, places = np.unique(key, return_index=True)
        found = np.zeros(len(self.t), np.bool_)
        found[places] = True
        return found


@dataclass(frozen=True, slots=True, eq=False)
class EncodedTrace:
    """Input atoms by predicate, and the dictionary of their terms."""

    terms: TermCodes
    atoms: Mapping[Signature, InputAtoms]

    def within(self, timeline: Interval) -> "EncodedTrace":
        """Return the atoms whose times are in the timeline."""
        found = {}
        for name, atoms in self.atoms.items():
            inside = (timeline.first <= atoms.t) & (atoms.t <= timeline.last)
            found[name] = atoms if inside.all() else atoms.take(inside)
        return EncodedTrace(self.terms, found)


def encoded(facts: Sequence[Fact], terms: TermCodes) -> EncodedTrace:
    """Return facts, which are in arrival order at each time, in columns."""
    # Not zip(*facts): that holds an iterator for each fact.
    times, predicates, arguments = (list(map(itemgetter(place), facts)) for place in range(3))
    arities = np.array(list(map(len, arguments)), np.int64)
    codes = terms.codes(chain.from_iterable(arguments))
    return _parted(terms, np.array(times, np.int64), predicates, arities, codes)


def encoded_table(table: pa.Table, terms: TermCodes) -> EncodedTrace:
    """Return the atoms of a trace's rows (t, position, seq, predicate, arguments), in columns."""
    table = table.filter(pc.is_valid(table.column("predicate"))).sort_by(
        [(name, "ascending") for name in ("t", "position", "seq")]
    )
    arguments = table.column("arguments").combine_chunks()
    texts = arguments.flatten().dictionary_encode()
    codes = terms.codes(texts.dictionary.to_pylist())[texts.indices.to_numpy()]
    arities = pc.list_value_length(arguments).to_numpy(zero_copy_only=False).astype(np.int64)
    predicates = table.column("predicate").to_pylist()
    return _parted(terms, table.column("t").to_numpy().astype(np.int64), predicates, arities, codes)


def _parted(
    terms: TermCodes, times: Array, predicates: Sequence[str], arities: Array, codes: Array
) -> EncodedTrace:
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
    return EncodedTrace(terms, atoms)


def encoded_rows(rows: Iterable[Sequence[str]], arity: int, terms: TermCodes) -> tuple[list[Array], int]:
    """Return rows of texts as columns of codes, and how many there are."""
    found = list(rows)
    codes = terms.codes(chain.from_iterable(found)).reshape(len(found), arity)
    return [codes[:, place] for place in range(arity)], len(found)
