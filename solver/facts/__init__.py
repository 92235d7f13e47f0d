"""Input and static data for evaluations: facts as texts, and the facts that windows contain."""

from solver.facts.evaluation_times import Arrivals, Gate, Multiples, matcher, split, times_of
from solver.facts.facts import (
    QUAD_PREDICATE,
    STREAM_PREDICATE,
    Arguments,
    Background,
    Fact,
    Row,
    Situation,
    atom_of,
    atoms_of,
    check_writable,
    constant_of,
    is_triple,
    with_facts,
    with_triples,
    without_doubles,
)
from solver.facts.near_situation import (
    NearSituation,
    Newest,
    Span,
    WindowedAtom,
    canonical_atom,
    counts,
    needed_atoms,
    relevant_background,
    unite,
    used_patterns,
    useful_atoms,
    variables_in_order,
)
from solver.facts.static_data import CodedRows, Static, Triple, distinct_rows, graph_rows
