"""Blocks of a file, one after the other: its usual rows in columns, the others read one by one."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from solver.columns import Array, TermCodes, arrow_numbers
from solver.traces.blocks.csv_blocks import csv_rows
from solver.traces.blocks.line_fields import Lines, lines_of
from solver.traces.blocks.quad_blocks import quad_rows
from solver.traces.blocks.row_block import ExactRow, RowBlock, UsualRows
from solver.traces.blocks.table_blocks import table_rows
from solver.traces.file_readers import line_blocks, read_text
from solver.traces.formats.tables import batch_records, read_row, table_batches
from solver.traces.trace_elements import FileFormat, FilePart, TraceFile
from solver.traces.trace_times import Malformed

_TOGETHER: Final = 2**12


def file_blocks(part: FilePart, terms: TermCodes) -> Iterator[RowBlock]:
    """Yield the blocks of a part of a file of lines or of a table."""
    before = 0
    if part.source.format is FileFormat.PARQUET:
        for batch in table_batches(part):
            yield _table_block(part.source, batch, terms, before)
            before += batch.num_rows
    else:
        for data in line_blocks(part):
            lines = lines_of(data)
            yield _line_block(part, lines, terms, before)
            before += len(lines)


def _line_block(part: FilePart, lines: Lines, terms: TermCodes, before: int) -> RowBlock:
    """Return what lines say that follow so many others of the part."""
    source = part.source
    match source.format:
        case FileFormat.LINES:
            usual = quad_rows(source, lines, terms)
        case FileFormat.CSV:
            usual = csv_rows(source, lines, terms)
        case _:
            usual = []
    others = _left(usual, len(lines))
    first = part.begin == before == 0
    return RowBlock(before, len(lines), usual, _exact_lines(source, lines, others, first=first))


def _table_block(source: TraceFile, batch: pa.RecordBatch, terms: TermCodes, before: int) -> RowBlock:
    """Return what rows of a table say that follow so many others of the part."""
    usual = table_rows(source, batch, terms)
    others = _left(usual, batch.num_rows)
    return RowBlock(before, batch.num_rows, usual, _exact_records(source, batch, others))


def _left(usual: Sequence[UsualRows], rows: int) -> Array:
    left = np.ones(rows, np.bool_)
    for one in usual:
        left[one.places] = False
    return np.flatnonzero(left)


def _exact_lines(source: TraceFile, lines: Lines, places: Array, *, first: bool) -> Iterator[ExactRow]:
    for place in places.tolist():
        data = lines.text(place)
        found = read_text(source, data, first=first and place == 0)
        bad = any(isinstance(one, Malformed) for one in found)
        yield ExactRow(place, found, data.decode("utf-8", "backslashreplace").rstrip("\r") if bad else "")


def _exact_records(source: TraceFile, batch: pa.RecordBatch, places: Array) -> Iterator[ExactRow]:
    for begin in range(0, len(places), _TOGETHER):
        chosen = places[begin : begin + _TOGETHER]
        records = batch_records(batch.take(arrow_numbers(chosen)))
        for place, record in zip(chosen.tolist(), records, strict=True):
            found = read_row(source, record)
            yield ExactRow(place, (found,), str(record) if isinstance(found, Malformed) else "")
