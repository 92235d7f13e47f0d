"""Blocks of CSV lines that hold triples."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solver.columns import Array, Mask, TermCodes, arrow_text
from solver.traces.blocks.atom_cells import atom_rows, column_rows
from solver.traces.blocks.distinct_terms import distinct_terms, without_terms
from solver.traces.blocks.line_fields import Lines, fields_of, places_of
from solver.traces.blocks.row_block import UsualRows, triple_rows
from solver.traces.blocks.time_columns import distinct_times
from solver.traces.formats.tables import argument_columns, cell_terms
from solver.traces.trace_elements import TraceFile
from solver.traces.trace_times import cell_time

_NO_CELL: Final = arrow_text(b"\xff")
"""Stands for a field that is no cell: no term and no time is written so."""


def csv_rows(source: TraceFile, lines: Lines, terms: TermCodes) -> list[UsualRows]:
    """Return the lines that are triples, or atoms, for certain."""
    header = source.header
    cuts, whole = _cuts(lines, len(header))
    if not whole.any():
        return []
    fields = fields_of(lines, cuts, whole)
    texts, (timed,) = fields.used((header.index("t"),), whole)
    times = distinct_times(_cells(texts), source.clock, cell_time).take(timed)
    if "atom" in header:
        texts, (place,) = fields.used((header.index("atom"),), whole)
        return atom_rows(_cells(texts), place, times, whole, terms)
    if "predicate" in header:
        held = ("predicate", *argument_columns(header))
        texts, places = fields.used([header.index(name) for name in held], whole)
        first, *others = ((_cells(texts), place) for place in places)
        return column_rows(first, others, times, whole, terms)
    named = [name for name in ("s", "p", "o", "stream") if name in header]
    texts, places = fields.used([header.index(name) for name in named], whole)
    found = distinct_terms(_cells(texts), cell_terms(source), terms, bare=not source.prefixes)
    columns = [found.take(place) for place in places]
    columns += [without_terms(len(lines))] * (4 - len(columns))
    return [triple_rows(source, terms, times, columns, whole)]


def _cuts(lines: Lines, width: int) -> tuple[Sequence[Array], Mask]:
    """Return where fields begin, after the first, and the last one ends; and the lines that have so many."""
    quotes, commas = places_of(lines.data, '"'), places_of(lines.data, ",")
    before = np.searchsorted(quotes, lines.starts)
    inside = np.searchsorted(quotes, commas) - before[np.searchsorted(lines.starts, commas, "right") - 1]
    borders = commas[inside % 2 == 0]
    first = np.searchsorted(borders, lines.starts[:-1])
    whole = np.searchsorted(borders, lines.ends) - first == width - 1
    chosen = first[whole]
    cuts = np.zeros((width, len(lines)), np.int64)
    for number in range(width - 1):
        cuts[number, whole] = borders[chosen + number] + 1
    cuts[-1] = lines.ends
    return list(cuts), whole


def _cells(fields: pa.Array) -> pa.Array:
    """Return what fields hold, which may end with the comma after them."""
    ends = pc.ends_with(fields, ",")
    texts = pc.if_else(ends, pc.binary_slice(fields, 0, -1), fields)
    quoted = pc.match_substring_regex(texts, '^"([^"]|"")*"$')
    inside = pc.replace_substring(pc.binary_slice(texts, 1, -1), '""', '"')
    plain = pc.invert(pc.match_substring(texts, '"'))
    return pc.if_else(quoted, inside, pc.if_else(plain, texts, _NO_CELL))
