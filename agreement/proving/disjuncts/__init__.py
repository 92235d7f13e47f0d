"""Disjuncts (alternatives of a query, without UNION): whether they can match, and streams with a match."""

from agreement.proving.disjuncts.candidates import Candidate, Placement, few_and_many
from agreement.proving.disjuncts.edges import (
    Edge,
    GraphSource,
    Quad,
    Reading,
    Stock,
    arrival,
    background_of,
    is_derived,
    is_rdf,
    matched,
    positioned,
    shares_blank,
    stock_of,
    takes,
    unify,
)
from agreement.proving.disjuncts.removed import without_removed
from agreement.proving.disjuncts.satisfiable import Model, Satisfiability, is_decided, models, satisfiability
from agreement.proving.disjuncts.sources import Overlap, edges_of, is_stored, overlaps
from agreement.proving.disjuncts.splitting import MOST, Disjunct, UncountedError, disjuncts, put_in_test
