"""Analysis of queries before the translation: scope, nullability, multiplicity, cs(Q) and cq(Q)."""

from translate.analysis.model_queries import (
    Choice,
    Variant,
    cq,
    cs,
    model_of_cqels,
    model_of_csparql,
    stream_blocks,
)
from translate.analysis.nullability import null_sets, nullable, witnesses
from translate.analysis.query_remarks import (
    closes,
    default_period,
    is_historical,
    is_pushed,
    profile_remarks,
    remarks,
    remarks_on_sums,
    unbound_remarks,
)
from translate.analysis.rewriting import (
    children,
    depth,
    exchanged,
    expressions_of,
    fresh_variables,
    keeps_ties,
    mentioned_variables,
    occurring_variables,
    parts,
    rebuild,
    rename,
    tests_of,
    without_paths,
)
from translate.analysis.two_queries import (
    DIFFERENT_OUTPUT,
    NO_MODEL,
    check_comparable,
    check_slices,
    differences,
    different_datasets,
    different_variables,
    have_one_output,
    in_local_names,
)
