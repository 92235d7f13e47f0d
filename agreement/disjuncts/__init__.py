"""A query's disjuncts: the ways to a solution, whether one can be taken, and streams made from it."""

from agreement.disjuncts.candidates import Candidate, Placement, ground
from agreement.disjuncts.representatives import invented
from agreement.disjuncts.satisfiable import (
    Model,
    Satisfiability,
    Stock,
    Undecided,
    Unsatisfiable,
    satisfiability,
)
from agreement.disjuncts.sources import Overlap, edges_of, overlaps
from agreement.disjuncts.splitting import Disjunct, Edge, Reading, Stored, Wanted, disjuncts
