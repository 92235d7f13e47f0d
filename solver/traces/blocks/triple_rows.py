"""Columns of subjects, predicates, objects and streams as triples, where these are certain."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from solver.columns import NULL_CODE, Mask, TermCodes
from solver.facts import STREAM_PREDICATE
from solver.traces.blocks.distinct_terms import TermColumn
from solver.traces.blocks.time_columns import TimeColumn
from solver.traces.rows import UsualRows
from solver.traces.trace_files import TraceFile

TRIPLE: Final = (STREAM_PREDICATE, 4)


def triple_rows(
    source: TraceFile,
    terms: TermCodes,
    times: TimeColumn,
    columns: Sequence[TermColumn],
    among: Mask,
) -> UsualRows:
    """Return the rows `among` those of the columns (s, p, o, stream) that are triples for certain.

    Others may have a fault, or blank nodes, which are named by all that their element holds.
    """
    s, p, o, own = columns
    given = NULL_CODE if source.stream is None else terms.code(source.stream)
    named = own.codes != NULL_CODE
    usual = s.are("<") & p.are("<") & (o.are("<") | o.are('"')) & (~named | own.are("<"))
    regular = among & times.readable & usual
    if source.stream is None and source.candidates:
        regular &= named
    elif source.stream is not None and not source.candidates:
        regular &= ~named | (own.codes == given)
    streams = np.where(named, own.codes, given)
    places = np.flatnonzero(regular)
    codes = tuple(column[places] for column in (s.codes, p.codes, o.codes, streams))
    return UsualRows(TRIPLE, places, times.kinds[places], times.values[places], codes, codes[3])
