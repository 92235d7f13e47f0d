"""The answer stream of programs that have just one, time point by time point, from columns."""

from collections.abc import Iterator, Sequence

import numpy as np

from lars.language.program import Program
from lars.language.stream import moment_order, write_moment
from lars.language.terms import Atom
from solver.facts import Row, constant_of, with_facts
from solver.relational import EncodedSituation, decoded, evaluated, spread


def stream_rows(
    program: Program, situation: EncodedSituation, times: Sequence[int]
) -> Iterator[tuple[Row, int, int]]:
    """Return for each index of a time all that is derived then, in order, as texts; B's atoms are left out.

    The program has no `obstacle`, and no constraint.
    """
    if not times:
        return iter(())
    terms = situation.terms
    background = {
        name: [tuple(terms.written(row)) for row in rows] for name, rows in situation.background.items()
    }
    known = {name: frozenset(rows) for name, rows in with_facts(program, background).items()}
    found: list[tuple[tuple[object, ...], str, int, int]] = []
    for (name, arity), table in evaluated(program, situation, times, None).items():
        for row, first, last in decoded(table, terms):
            texts = tuple(text or "null" for text in row)
            if texts not in known.get((name, arity), ()):
                moment = 0, Atom(name, tuple(map(constant_of, texts)))
                found.append((moment_order(moment, 0), write_moment(moment, 0), first, last))
    return _by_index(sorted(found), len(times))


def _by_index(
    found: Sequence[tuple[tuple[object, ...], str, int, int]], count: int
) -> Iterator[tuple[Row, int, int]]:
    texts = [text for _, text, _, _ in found]
    first, last = (np.array([one[end] for one in found], np.int64) for end in (2, 3))
    places, indexes = spread(first, last + 1)
    order = np.argsort(indexes, kind="stable")
    places, borders = places[order], np.searchsorted(indexes[order], np.arange(count + 1))
    for index in range(count):
        held = places[borders[index] : borders[index + 1]].tolist()
        yield tuple(texts[place] for place in held), index, index
