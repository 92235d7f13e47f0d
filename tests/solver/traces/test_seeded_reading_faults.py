"""The comparison of both ways of reading can fail: each fault seeded into the reading of blocks is found."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solver.traces import input_files, trace, trace_times
from solver.traces.formats import cell_columns, quad_lines
from solver.traces.formats import lines as files_of_lines
from solver.traces.trace_times import LARGEST
from tests.solver.traces.both_readings import compared
from tests.solver.traces.random_traces import drawn_trace
from tests.solver.traces.test_columns import SIZES


def blanks_of_any_scope(source, texts, begins):
    return _blanks_of_file(replace(source, options=replace(source.options, blank_nodes=None)), texts, begins)


def without_remainder(clock, values):
    found = _counted(clock, values)
    return replace(found, readable=found.readable | (values > 0))


def without_given_stream(source, *rest):
    return _triple_rows(replace(source, candidates=("<urn:st>",)) if source.stream else source, *rest)


def without_candidates(source, *rest):
    return _triple_rows(replace(source, candidates=()) if source.stream is None else source, *rest)


def in_any_order(rows, *rest):
    return (summary._replace(ordered=True) for summary in _summaries_of(rows, *rest))


def of_one_kind(rows, *rest):
    return (summary._replace(mixed=False, kind=0) for summary in _summaries_of(rows, *rest))


def at_the_start(self, part, lines, terms, before):
    return _line_block(self, part, lines, terms, before + 1)


def unnumbered(block, others):
    return np.zeros(block.rows + 1, np.int64)


def of_any_spelling(source, field):
    """Return a field as the token it is, in a file of any spelling."""
    return _field(replace(source, loose=None), field)


_field, _blanks_of_file = quad_lines._field, cell_columns._blanks_of_file
_counted, _triple_rows = cell_columns.counted_times, cell_columns.triple_rows
_summaries_of, _line_block = trace.summaries_of, files_of_lines.LineFormat.block
FAULTS = {
    "blank nodes are not named apart": [(cell_columns, "file_blank", lambda _, label: f"_:{label}")],
    "blank nodes of elements are those of files": [(cell_columns, "_blanks_of_file", blanks_of_any_scope)],
    "the values of a call lose their blank nodes": [
        (cell_columns, "_LABEL", "^_:[A-Za-z0-9_.-]*[A-Za-z0-9]$")
    ],
    "a datatype stays that is left out": [(cell_columns, "_CHANGED", "never")],
    "a time is rounded": [(cell_columns, "counted_times", without_remainder)],
    "dates beyond 64 bits count": [(trace_times, "LARGEST", LARGEST * 10**3)],
    "a stream may contradict its file's": [(cell_columns, "triple_rows", without_given_stream)],
    "a stream may be missing": [(cell_columns, "triple_rows", without_candidates)],
    "a literal without quotes passes": [(quad_lines, "_field", of_any_spelling)],
    "times may go back": [(trace, "summaries_of", in_any_order)],
    "kinds of times are mixed": [(trace, "summaries_of", of_one_kind)],
    "the head of a table is a line": [(files_of_lines.LineFormat, "block", at_the_start)],
    "rows lose their places": [(input_files.RowBlock, "numbers", unnumbered)],
    "atoms stay as they came": [(trace, "in_time_order", lambda atoms: atoms)],
}


BEGINS = {"dates beyond 64 bits count": 1900, "a literal without quotes passes": 670}
"""Faults that few traces show are looked for from a seed that does."""


def found_by(seeds, folder):
    """Whether a random trace of these is read differently, or not at all."""
    for seed in seeds:
        inside = Path(folder, str(seed))
        inside.mkdir()
        try:
            by_rows, by_columns = compared(*drawn_trace(seed, inside), **SIZES[seed % 3])
        except (ArithmeticError, ValueError, IndexError):
            return True
        if by_rows != by_columns:
            return True
    return False


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault, tmp_path, monkeypatch):
    for where, name, changed in FAULTS[fault]:
        monkeypatch.setattr(where, name, changed)
    begin = BEGINS.get(fault, 0)
    assert found_by(range(begin, begin + 200), tmp_path)
