"""What can be said of a query before its translation: scope, nullability, multiplicity, cs(Q) and cq(Q)."""

from translate.analysis.model_queries import (
    Choice,
    Variant,
    cq,
    cs,
    model_of_cqels,
    model_of_csparql,
    stream_blocks,
)
from translate.analysis.nullability import (
    Case,
    Match,
    is_cautious,
    joins,
    joins_by_cases,
    null_sets,
    nullable,
    witnesses,
)
from translate.analysis.query_remarks import (
    NO_MODEL,
    check_comparable,
    check_slices,
    default_period,
    differences,
    different_datasets,
    different_variables,
    remarks,
)
from translate.analysis.rewriting import (
    apart,
    children,
    depth,
    expressions_of,
    fresh_variables,
    is_local,
    mentioned_variables,
    occurring_variables,
    parts,
    path_pattern,
    rebuild,
    rename,
    tests_of,
    without_paths,
)
