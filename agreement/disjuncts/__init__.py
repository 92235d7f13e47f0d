"""A query's disjuncts: the ways to a solution, whether one can be taken, and streams made from it."""

from agreement.disjuncts.candidates import Candidate, Placement, ground, stored_triples
from agreement.disjuncts.positions import Position, is_rdf, placed
from agreement.disjuncts.removed import without_removed
from agreement.disjuncts.representatives import invented
from agreement.disjuncts.satisfiable import (
    Model,
    Satisfiability,
    Stock,
    Undecided,
    Unsatisfiable,
    is_decided,
    models,
    satisfiability,
)
from agreement.disjuncts.sources import Overlap, edges_of, overlaps, unify
from agreement.disjuncts.splitting import (
    MOST,
    Absence,
    Disjunct,
    Edge,
    Reading,
    Stored,
    UncountedError,
    Wanted,
    Where,
    disjuncts,
    edge_under,
)
