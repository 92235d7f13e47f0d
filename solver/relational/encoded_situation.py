"""A situation in columns: input atoms of each predicate with their times, in arrival order, and B."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lars.terms import Signature
from lars.windows import Interval
from solver.columns import Array, InputAtoms, TermCodes, parted
from solver.facts import Situation


@dataclass(frozen=True, slots=True, eq=False)
class EncodedSituation:
    """A `Situation` in columns, which serves any number of programs.

    `atoms` are the input within the timeline, `background` the rows of B, one code an argument.
    """

    terms: TermCodes
    timeline: Interval
    newest: int | None
    atoms: Mapping[Signature, InputAtoms]
    background: Mapping[Signature, Array]


def encoded(situation: Situation) -> EncodedSituation:
    """Return a situation in columns."""
    terms, facts = TermCodes(), situation.facts
    # Not zip(*facts): that holds an iterator for each fact.
    times, predicates, arguments = (list(map(itemgetter(place), facts)) for place in range(3))
    arities = np.array(list(map(len, arguments)), np.int64)
    codes = terms.codes(chain.from_iterable(arguments))
    atoms = parted(np.array(times, np.int64), predicates, arities, codes)
    return _situation(situation, terms, atoms)


def encoded_table(table: pa.Table, situation: Situation) -> EncodedSituation:
    """Return a situation with the input of a trace's table (t, position, seq, predicate, arguments)."""
    terms = TermCodes()
    table = table.filter(pc.is_valid(table.column("predicate"))).sort_by(
        [(name, "ascending") for name in ("t", "position", "seq")]
    )
    arguments = table.column("arguments").combine_chunks()
    texts = arguments.flatten().dictionary_encode()
    codes = terms.codes(texts.dictionary.to_pylist())[texts.indices.to_numpy()]
    arities = pc.list_value_length(arguments).to_numpy(zero_copy_only=False).astype(np.int64)
    times = table.column("t").to_numpy().astype(np.int64)
    return _situation(situation, terms, parted(times, table.column("predicate").to_pylist(), arities, codes))


def _situation(
    situation: Situation, terms: TermCodes, atoms: Mapping[Signature, InputAtoms]
) -> EncodedSituation:
    timeline = situation.timeline
    inside = {
        name: some.take((timeline.first <= some.t) & (some.t <= timeline.last))
        for name, some in atoms.items()
    }
    background = {name: encoded_rows(rows, name[1], terms) for name, rows in situation.background.items()}
    return EncodedSituation(terms, timeline, situation.newest, inside, background)


def encoded_rows(rows: Iterable[Sequence[str]], arity: int, terms: TermCodes) -> Array:
    """Return rows of texts as rows of codes."""
    found = list(rows)
    return terms.codes(chain.from_iterable(found)).reshape(len(found), arity)
