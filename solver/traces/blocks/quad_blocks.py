"""Blocks of timed N-Triples or N-Quads lines."""

from functools import partial

import numpy as np
import pyarrow.compute as pc

from solver.columns import Array, Mask, TermCodes
from solver.traces.blocks.distinct_terms import distinct_terms
from solver.traces.blocks.line_fields import Lines, fields_of, places_of
from solver.traces.blocks.row_block import UsualRows, triple_rows
from solver.traces.blocks.time_columns import distinct_times
from solver.traces.formats.quad_lines import field_term, field_time
from solver.traces.trace_elements import TraceFile

_FEWEST = 4
"""Blanks of a line: after subject, predicate, object, perhaps stream, and time; then comes the dot."""


def quad_rows(source: TraceFile, lines: Lines, terms: TermCodes) -> list[UsualRows]:
    """Return the lines that are triples for certain.

    Where a line is cut is a guess that its fields prove: when each is one token with a blank after
    it, the exact reader cuts the line there too.
    """
    cuts, whole = _cuts(lines)
    if not whole.any():
        return []
    fields = fields_of(lines, cuts, whole)
    texts, places = fields.used((0, 1, 2, 3), whole)
    found = distinct_terms(pc.binary_slice(texts, 0, -1), partial(field_term, source), terms)
    texts, (timed,) = fields.used((4,), whole)
    read = partial(field_time, source)
    times = distinct_times(pc.binary_slice(texts, 0, -1), source.clock, read, around='"')
    return [triple_rows(source, terms, times.take(timed), [found.take(place) for place in places], whole)]


def _cuts(lines: Lines) -> tuple[list[Array], Mask]:
    """Return where predicate, object, stream, time and dot begin, and the lines that have them.

    A line without stream has an empty one, before its time.
    """
    blanks = places_of(lines.data, " ")
    first = np.searchsorted(blanks, lines.starts[:-1])
    after = np.searchsorted(blanks, lines.ends)
    whole = after - first >= _FEWEST
    chosen = np.flatnonzero(whole)
    first, after, ends = first[chosen], after[chosen], lines.ends[chosen]
    p, o = blanks[first] + 1, blanks[first + 1] + 1
    stream, time, dot = blanks[after - 3] + 1, blanks[after - 2] + 1, blanks[after - 1] + 1
    # An object may hold blanks: what stands before the time is a stream if it looks like an IRI.
    has_stream = (stream > o) & (lines.data[stream] == ord("<")) & (lines.data[time - 2] == ord(">"))
    stream = np.where(has_stream, stream, time)
    whole[chosen] = (ends - dot == 1) & (lines.data[dot - 1 + (ends > dot)] == ord("."))
    cuts = []
    for some in (p, o, stream, time, dot):
        cut = np.zeros(len(lines), np.int64)
        cut[chosen] = some
        cuts.append(cut)
    return cuts, whole
