"""A block of rows: usual ones as columns, the others as they are read one by one."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from lars.language.terms import Signature
from solver.columns import NULL_CODE, Array, Mask, TermCodes
from solver.facts import STREAM_PREDICATE
from solver.traces.file_readers import Raw, row_of
from solver.traces.trace_elements import TracedAtom, TraceFile
from solver.traces.trace_times import Malformed

if TYPE_CHECKING:
    from solver.traces.blocks.distinct_terms import TermColumn
    from solver.traces.blocks.time_columns import TimeColumn


TRIPLE: Final = (STREAM_PREDICATE, 4)


@dataclass(frozen=True, slots=True, eq=False)
class UsualRows:
    """Atoms of one predicate, in columns; of triples these are subject, predicate, object and stream.

    `places` are the numbers of the rows in their block, ascending; times are as `Raw` has them.
    """

    name: Signature
    places: Array
    kinds: npt.NDArray[np.int8]
    times: Array
    columns: tuple[Array, ...]
    streams: Array
    """The codes of their streams, NO_CODE where they are no triples."""


class ExactRow(NamedTuple):
    """What a row of a block says that was read by itself, and its text, which only a fault needs."""

    place: int
    found: Sequence[TracedAtom | Malformed]
    text: str


def exact_rows(position: int, others: Iterable[ExactRow], numbers: Array) -> Iterator[Raw]:
    """Yield rows that were read one by one, each numbered on from the number of its place."""
    for row in others:
        for number, found in enumerate(row.found, int(numbers[row.place])):
            yield row_of(found, position, number, row.text)


def triple_rows(
    source: TraceFile,
    terms: TermCodes,
    times: "TimeColumn",
    columns: Sequence["TermColumn"],
    among: Mask,
) -> UsualRows:
    """Return the rows `among` those of the columns (s, p, o, stream) that are triples for certain.

    Others may have a fault, or blank nodes, which are named by all that their element holds.
    """
    s, p, o, own = columns
    given = NULL_CODE if source.stream is None else terms.code(source.stream)
    named = own.codes != NULL_CODE
    usual = s.are("<") & p.are("<") & (o.are("<") | o.are('"')) & (~named | own.are("<"))
    regular = among & times.known & usual
    if source.stream is None and source.candidates:
        regular &= named
    elif source.stream is not None and not source.candidates:
        regular &= ~named | (own.codes == given)
    streams = np.where(named, own.codes, given)
    places = np.flatnonzero(regular)
    codes = tuple(column[places] for column in (s.codes, p.codes, o.codes, streams))
    return UsualRows(TRIPLE, places, times.kinds[places], times.values[places], codes, codes[3])


@dataclass(frozen=True, slots=True, eq=False)
class RowBlock:
    """Rows of a part of a file: `rows` lines or rows of a table, after `before` others of the part.

    `others` are those that are not `usual` for certain, in order, each read when it is asked for.
    """

    before: int
    rows: int
    usual: Sequence[UsualRows]
    others: Iterable[ExactRow]

    def numbers(self, others: Iterable[ExactRow]) -> Array:
        """Return how many atoms, times and faults come before each row, and at the end how many in all."""
        counts = np.zeros(self.rows + 1, np.int64)
        for one in self.usual:
            counts[one.places + 1] = 1
        for row in others:
            counts[row.place + 1] = len(row.found)
        return np.cumsum(counts)
