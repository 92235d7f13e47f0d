"""The answer stream of programs that have just one, time point by time point, from columns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lars.language.program import Program
from lars.language.terms import Signature, write_name
from solver.columns import Array, TermCodes, distinct
from solver.facts import Row, with_facts
from solver.relational import EncodedSituation, RunTable, row_texts, spread


@dataclass(frozen=True, slots=True, eq=False)
class AtomRuns:
    """Derived atoms as texts, in the order of answer streams, each with a run of indexes of times."""

    atoms: Sequence[str]
    first: Array
    last: Array

    def by_index(self, count: int) -> Iterator[Row]:
        """Yield what is derived at each of so many indexes, in order."""
        places, indexes = spread(self.first, self.last + 1)
        order = np.argsort(indexes, kind="stable")
        places, borders = places[order], np.searchsorted(indexes[order], np.arange(count + 1))
        for index in range(count):
            yield tuple(map(self.atoms.__getitem__, places[borders[index] : borders[index + 1]].tolist()))


def atom_runs(
    program: Program, situation: EncodedSituation, derived: Mapping[Signature, RunTable]
) -> AtomRuns:
    """Return what a program derives, in order; B's atoms are left out."""
    terms = situation.terms
    background = {
        name: [tuple(terms.written(row)) for row in rows] for name, rows in situation.background.items()
    }
    known = {name: frozenset(rows) for name, rows in with_facts(program, background).items()}
    tables = {name: _without(table, known.get(name), terms) for name, table in sorted(derived.items())}
    texts = [text for name, table in tables.items() for text in _texts(name, table, terms)]
    order = _order(tables, terms)
    first, last = (
        np.concatenate([np.empty(0, np.int64), *(getattr(table, end) for table in tables.values())])[order]
        for end in ("first", "last")
    )
    return AtomRuns([texts[place] for place in order.tolist()], first, last)


def _without(table: RunTable, known: frozenset[Row] | None, terms: TermCodes) -> RunTable:
    if not known:
        return table
    rows = _written(table, terms)
    return table.take(np.array([row not in known for row in rows], np.bool_))


def _written(table: RunTable, terms: TermCodes) -> list[Row]:
    columns = [terms.written(column) for column in table.columns]
    return list(zip(*columns, strict=True)) if columns else row_texts(table, terms)


def _texts(name: Signature, table: RunTable, terms: TermCodes) -> list[str]:
    written, arity = write_name(name[0]), name[1]
    if not arity:
        return [written] * len(table)
    return [f"{written}({', '.join(map(str, row))})" for row in _written(table, terms)]


def _order(tables: Mapping[Signature, RunTable], terms: TermCodes) -> Array:
    """Return the places of the rows of all tables in the order of `moment_order`, then of their runs."""
    width, names = max((arity for _, arity in tables), default=0), sorted({name for name, _ in tables})
    ranks = _ranks([column for table in tables.values() for column in table.columns], terms)
    keys: list[list[Array]] = [[] for _ in range(width + 2)]
    for (name, arity), table in tables.items():
        # An atom comes before those that go on where it ends.
        missing = [np.full(len(table), -1)] * (width - arity)
        columns = [*(ranks[column] for column in table.columns), *missing]
        for key, column in zip(keys, (table.first, *reversed(columns)), strict=False):
            key.append(column)
        keys[-1].append(np.full(len(table), names.index(name)))
    return np.lexsort([np.concatenate(parts) for parts in keys]) if tables else np.empty(0, np.int64)


def _ranks(columns: Sequence[Array], terms: TermCodes) -> Array:
    """Return for each code that stands in the columns its place in their order: numbers first, by value."""
    used = distinct(np.concatenate([np.empty(0, np.int64), *columns]))
    texts = terms.written(used)
    keys = [(0, int(text), "") if text.lstrip("-").isdecimal() else (1, 0, text) for text in texts]
    ranks = np.zeros(len(terms), np.int64)
    ranks[used[sorted(range(len(keys)), key=keys.__getitem__)]] = np.arange(len(keys))
    return ranks
