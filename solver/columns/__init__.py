"""Terms as small numbers, and input atoms as columns of them: from a trace's files to its answers."""

from solver.columns.arrays import Array, Mask, keys
from solver.columns.input_atoms import InputAtoms, parted
from solver.columns.term_codes import NO_CODE, NULL_CODE, Numbered, TermCodes
from solver.columns.trace_columns import TraceColumns, table_columns, trace_columns
