"""What tuple windows carry from slice to slice: the rows that they keep at the end of a part of a trace."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lars.windows import TupleWindow
from solver.columns import Array, TraceColumns, table_columns
from solver.relational import counted, partition

ARRIVAL: Final = [("t", "ascending"), ("position", "ascending"), ("seq", "ascending")]


def kept(windows: Iterable[TupleWindow], table: pa.Table) -> pa.Table:
    """Return the rows of a trace, in arrival order, that some of the windows keeps at its end.

    Ties at the oldest instant are all among them: they are decided where the window is evaluated.
    """
    ordered = table.filter(pc.is_valid(table.column("predicate"))).sort_by(ARRIVAL)
    columns = table_columns(ordered)
    places = [np.empty(0, np.int64), *(_newest(window, columns) for window in windows)]
    return ordered.take(np.unique(np.concatenate(places)))


def tails_of(windows: Sequence[TupleWindow], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield of rows with their slices those that some of the windows keeps at the end of a slice, or more."""
    held: dict[int, pa.Table] = {}
    for batch in batches:
        table, own = pa.Table.from_batches([batch]), batch.column("slice")
        for number in own.unique().to_pylist():
            part = table.filter(pc.equal(own, number))
            held[number] = kept(windows, pa.concat_tables([held[number], part] if number in held else [part]))
    for table in held.values():
        yield from table.to_batches()


def carried(windows: Sequence[TupleWindow], parts: Sequence[pa.Table]) -> Iterator[pa.Table]:
    """Yield for each of consecutive parts of a trace but the first what windows keep from before it."""
    before = parts[0].slice(0, 0)
    for part in parts[:-1]:
        before = kept(windows, pa.concat_tables([before, part]))
        yield before


def _newest(window: TupleWindow, trace: TraceColumns) -> Array:
    """Return the places, in arrival order, of the atoms that the window keeps at the end."""
    groups: list[Array] = [np.empty(0, np.int64)]
    places, times = list(groups), list(groups)
    following = 0
    for atoms in trace.atoms.values():
        shown = atoms.take(counted(atoms, window, trace.terms))
        group = np.zeros(len(shown.t), np.int64)
        if window.by is not None:
            # Atoms of one predicate alone share a partition.
            group = following + np.unique(partition(shown, window), return_inverse=True)[1]
            following += len(group)
        groups.append(group)
        places.append(shown.arrival)
        times.append(shown.t)
    place, t = np.concatenate(places), np.concatenate(times)
    order = np.lexsort((place, np.concatenate(groups)))
    group, place, t = np.concatenate(groups)[order], place[order], t[order]
    return place[t >= _oldest(group, t, window.size)]


def _oldest(group: Array, t: Array, size: int) -> Array:
    """Return for each row the time of its group's oldest row that still fits; rows are in order."""
    ends = np.searchsorted(group, group, "right")
    if not size:
        return t[ends - 1] + 1
    return t[np.maximum(np.searchsorted(group, group, "left"), ends - size)]
