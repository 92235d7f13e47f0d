"""A query's disjuncts: the ways to a solution, whether one can be taken, and streams made from it."""

from agreement.proving.disjuncts.candidates import (
    Candidate,
    Placement,
    few_and_many,
    ground,
    stored_triples,
)
from agreement.proving.disjuncts.removed import without_removed
from agreement.proving.disjuncts.representatives import (
    Position,
    has_blank_in_two,
    is_derived,
    is_rdf,
    positioned_terms,
    representative,
)
from agreement.proving.disjuncts.satisfiable import (
    Model,
    NoModelKnown,
    Satisfiability,
    Stock,
    Unsatisfiable,
    is_decided,
    models,
    satisfiability,
)
from agreement.proving.disjuncts.sources import Overlap, edges_of, overlaps, unify
from agreement.proving.disjuncts.splitting import (
    MOST,
    Absence,
    Disjunct,
    Edge,
    GraphSource,
    Reading,
    Requirement,
    UncountedError,
    Where,
    disjuncts,
    edge_under,
)
