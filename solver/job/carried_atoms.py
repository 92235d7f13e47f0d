"""What tuple windows carry from slice to slice: the atoms that they keep at the end of a part of a trace."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from lars.language.terms import Signature
from lars.language.windows import TupleWindow
from solver.columns import Array, Atoms, CodedTerms, InputAtoms, together
from solver.relational import counted, partition


def kept(windows: Iterable[TupleWindow], atoms: Atoms, terms: CodedTerms) -> dict[Signature, InputAtoms]:
    """Return the atoms of a trace that some of the windows keeps at its end.

    Ties at the oldest instant are all among them: they are decided where the window is evaluated.
    """
    marks = {name: np.zeros(len(some.t), np.bool_) for name, some in atoms.items()}
    for window in windows:
        for name, places in _newest(window, atoms, terms).items():
            marks[name][places] = True
    return {name: some.take(marks[name]) for name, some in atoms.items() if marks[name].any()}


def carried(
    windows: Sequence[TupleWindow], parts: Sequence[Atoms], terms: CodedTerms
) -> Iterator[dict[Signature, InputAtoms]]:
    """Yield for each of consecutive parts of a trace but the first what windows keep from before it."""
    before: dict[Signature, InputAtoms] = {}
    for part in parts[:-1]:
        before = kept(windows, joined(before, part), terms)
        yield before


def joined(one: Atoms, other: Atoms) -> dict[Signature, InputAtoms]:
    """Return the atoms of both, one after the other."""
    names = dict.fromkeys((*one, *other))
    return {name: together([some[name] for some in (one, other) if name in some]) for name in names}


def _newest(window: TupleWindow, atoms: Atoms, terms: CodedTerms) -> Mapping[Signature, Array]:
    """Return the places of the atoms of each predicate that the window keeps at the end."""
    nothing = np.empty(0, np.int64)
    found: list[tuple[Array, ...]] = [(nothing,) * 5]
    following = 0
    for number, some in enumerate(atoms.values()):
        # Of equal atoms at one time the first that arrived counts.
        order = np.argsort(some.arrival, kind="stable")
        places = order[counted(some.take(order), window, terms)]
        shown = some.take(places)
        group = np.zeros(len(places), np.int64)
        if window.by is not None:
            # Atoms of one predicate alone share a partition.
            group = following + np.unique(partition(shown, window), return_inverse=True)[1]
            following += len(group)
        found.append((group, shown.t, shown.arrival, np.full(len(places), number), places))
    columns = [np.concatenate(some) for some in zip(*found, strict=True)]
    group, t, arrival, numbers, places = columns
    order = np.lexsort((arrival, t, group))
    group, t = group[order], t[order]
    chosen = order[t >= _oldest(group, t, window.size)]
    return {
        name: places[chosen[numbers[chosen] == number]].astype(np.int64) for number, name in enumerate(atoms)
    }


def _oldest(group: Array, t: Array, size: int) -> Array:
    """Return for each atom the time of its group's oldest one that still fits; atoms are in order."""
    ends = np.searchsorted(group, group, "right")
    if not size:
        return t[ends - 1] + 1
    return t[np.maximum(np.searchsorted(group, group, "left"), ends - size)]
