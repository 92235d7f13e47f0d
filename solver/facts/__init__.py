"""The facts of a slice: facts as rows and clingo symbols, static data, and the facts in windows."""

from solver.facts.evaluation_times import (
    Arrivals,
    Gate,
    Multiples,
    matcher,
    split,
    times_of,
)
from solver.facts.facts import (
    QUAD_PREDICATE,
    STREAM_PREDICATE,
    Arguments,
    Background,
    CodedRows,
    Fact,
    Row,
    Situation,
    Static,
    Triple,
    atom_of,
    atoms_of,
    check_writable,
    constant_of,
    distinct_rows,
    graph_rows,
    is_triple,
    with_facts,
    with_triples,
    without_doubles,
)
from solver.facts.near_situation import (
    NearSituation,
    Newest,
    Relevance,
    Span,
    WindowedAtom,
    canonical_atom,
    counts,
    relevant_background,
    unite,
    variables_in_order,
)
