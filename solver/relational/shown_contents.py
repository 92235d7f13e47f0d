"""What windows show at each of many indexes, wherever their ends lie, as columns."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from lars.language.terms import Signature, signature
from lars.language.windows import Window
from solver.columns import Array, Numbering, TermCodes
from solver.relational.plans import ShownAtoms
from solver.relational.run_tables import RunTable, coalesce, empty
from solver.relational.shown_input import encoded_rows


@dataclass(frozen=True, slots=True, eq=False)
class ShownContents:
    """The atoms that each window shows, one code an argument, with the runs of indexes at which it does.

    An index is a content of the windows, of which there are `count`; the time is its number.
    """

    terms: TermCodes
    count: int
    atoms: Mapping[tuple[Signature, Window], RunTable]
    background: Mapping[Signature, Array]

    def instants(self) -> RunTable:
        """Return each index with itself, as a number of the logic."""
        indexes = np.arange(self.count)
        return RunTable((self.terms.of_numbers(indexes),), indexes, indexes)

    def runs(self, source: ShownAtoms) -> RunTable:
        """Return the variables of the atom with the runs of being shown."""
        assert not source.timed, "when an atom arrived is not given"
        wanted = source.atom
        order = [wanted.atom.arguments.index(variable) for variable in wanted.variables]
        table = self.atoms.get((signature(wanted.atom), wanted.window))
        if table is None:
            return empty(len(order))
        chosen = self.terms.fitting_any(wanted.any_of, table.columns, len(table))
        return coalesce(table.take(chosen).project(order), self.count)


def given_rows(contents: Sequence[Collection[Sequence[str]]], width: int, terms: TermCodes) -> RunTable:
    """Return the rows of texts that each content holds, at its number."""
    rows: Numbering[Sequence[str]] = Numbering()
    places = np.array(list(map(rows.__getitem__, chain.from_iterable(contents))), np.int64)
    numbers = np.repeat(np.arange(len(contents)), list(map(len, contents)))
    codes = encoded_rows(rows, width, terms)
    return RunTable(tuple(codes[places].T), numbers, numbers)


def span_runs(starts: Sequence[int], ends: Sequence[int]) -> RunTable:
    """Return the places that spans [start, end) hold, each with its runs of numbers of spans.

    Runs are long where both ends move on from a span to the next one.

    >>> found = span_runs([0, 1, 0], [2, 3, 1])
    >>> [column.tolist() for column in (*found.columns, found.first, found.last)]
    [[0, 1, 2, 0], [0, 0, 1, 2], [0, 1, 1, 2]]
    """
    first, end = np.array(starts, np.int64), np.array(ends, np.int64)
    back = np.flatnonzero((np.diff(first) < 0) | (np.diff(end) < 0)) + 1
    parts = [
        _forward(first[begin:stop], end[begin:stop], begin)
        for begin, stop in pairwise([0, *back.tolist(), len(first)])
    ]
    places, firsts, lasts = (np.concatenate(column) for column in zip(*parts, strict=True))
    return RunTable((places,), firsts, lasts)


def _forward(first: Array, end: Array, begin: int) -> tuple[Array, Array, Array]:
    places = np.arange(first.min(initial=0), end.max(initial=0))
    firsts, lasts = np.searchsorted(end, places, "right"), np.searchsorted(first, places, "right") - 1
    there = firsts <= lasts
    return places[there], firsts[there] + begin, lasts[there] + begin
