"""Terms as small numbers, and input atoms as columns of them: from a trace's files to its answers."""

from solver.columns.arrays import (
    Array,
    Mask,
    among,
    arrow_codes,
    arrow_lists,
    arrow_mask,
    arrow_numbers,
    arrow_strings,
    arrow_text,
    arrow_texts,
    distinct,
    keys,
    mask_of,
    numbers_of,
    validity_of,
)
from solver.columns.term_codes import NO_CODE, NULL_CODE, CodedColumns, CodedTerms, Numbering, TermCodes
from solver.columns.trace_columns import (
    Atoms,
    InputAtoms,
    TimeBins,
    TraceColumns,
    arrivals,
    atoms_by_predicate,
    in_time_order,
    together,
    trace_columns,
)
